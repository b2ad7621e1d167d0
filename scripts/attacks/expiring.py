"""Attacks with expire lists, with and without the token, and on caches in front of the server."""
import json
import time

from support.machine import at_once, beside, fetch, wait_until
from support.raw import connect, drain, exchange, get, head, status
from support.tileserver import TileServer
from support.upstream import Upstream

from .crowd import PATIENCE, ask_for_tiles
from .verdict import expect

LAYERS = "layers:\n  solid: { generator: solid }\n"
LIMIT = 8 << 20


def expiry(server, body=b"", query="", fields=(), layer="solid", token=True):
    own = [f"Authorization: Bearer {server.TOKEN}"] if token else []
    return get(f"/admin/expire/{layer}{query}", fields=[*own, *fields], method="POST", body=body)


def uninvited_lists(program, directory):
    """Expire lists without the token: the response comes before the content, and the connection ends."""
    with TileServer(program, directory, LAYERS) as server:
        token = f"Authorization: Bearer {server.TOKEN}"
        guests = {
            "no token": (401, "/admin/expire/solid", "localhost", []),
            "a wrong token": (401, "/admin/expire/solid", "localhost", ["Authorization: Bearer no"]),
            "another site": (403, "/admin/expire/solid", "localhost", [token, "Origin: https://a.example"]),
            "another host": (421, "/admin/expire/solid", "evil.example.com", [token]),
            "no such layer": (404, "/admin/expire/nobody", "localhost", [token]),
            "no such parameter": (400, "/admin/expire/solid?zoom=3", "localhost", [token]),
            "zooms that are none": (400, "/admin/expire/solid?zooms=0-31", "localhost", [token]),
        }
        for who, (expected, path, host, fields) in guests.items():
            for more in (["Transfer-Encoding: chunked"], [f"Content-Length: {LIMIT}"], ["Content-Length: 9", "Expect: 100-continue"]):
                # The content is never sent.
                answer = exchange(server.url, get(path, host, [*fields, *more], "POST"), timeout=5)
                expect(status(answer) == expected, f"{who} with {more[0]} was answered {answer[:40]!r}, not {expected}")
                expect(b"100 Continue" not in answer, f"{who} was asked for the content")
                expect(head(answer).get("connection") == "close", f"{who} may go on")
        for number in range(30):
            last = status(exchange(server.url, expiry(server, token=False, fields=["Transfer-Encoding: chunked"]), timeout=5))
        expect(last == 429, f"the 30th guess was answered {last}")
        code = status(exchange(server.url, expiry(server, b"1/0/0\n")))
        expect(code == 200, f"who has the token was answered {code}")
    return f"{len(guests)} kinds of uninvited guests are told before they send anything"


def endless_lists(program, directory):
    """Contents that never end, or that announce a very large size."""
    # An empty line has no effect, so only its bytes count.
    piece = b"1000\r\n" + b"\n" * 4_096 + b"\r\n"
    extensions = (b"1;" + b"a" * 900 + b"\r\n\n\r\n") * 8
    chunked = ["Transfer-Encoding: chunked"]
    with TileServer(program, directory, LAYERS) as server:
        before = server.resident_bytes()
        code = status(exchange(server.url, expiry(server, fields=[f"Content-Length: {LIMIT + 1}"]), timeout=5))
        expect(code == 413, f"a Content-Length above the limit was answered {code}")
        for name, block in (("lines", piece), ("chunk extensions", extensions)):
            sent, answer = pour(server.url, expiry(server, fields=chunked), block, 64 << 20)
            expect(status(answer) == 413, f"endless {name}: {answer[:40]!r} after {sent} bytes")
            expect(sent < LIMIT + (16 << 20), f"endless {name}: {sent} bytes were taken")
        # A line of 16 MiB is wrong from its 11th digit on.
        sent, answer = pour(server.url, expiry(server, fields=chunked), b"1000\r\n" + b"7" * 4_096 + b"\r\n", 64 << 20)
        expect(status(answer) == 413, f"an endless line: {answer[:40]!r}")
        lines = b"".join(b"14/%d/%d\n" % (number % 16_384, number // 16_384) for number in range(100_001))
        answer = exchange(server.url, expiry(server, lines))
        expect(status(answer) == 413 and b"too-many-lines" in answer, f"100,001 lines: {answer[:40]!r}")
        grown = server.resident_bytes() - before
        expect(grown < 64 << 20, f"the process has grown by {grown >> 20} MiB")
    return f"413 after {LIMIT >> 20} MiB each; the process has grown by {grown >> 20} MiB"


def pour(url, start, block, most):
    """Sends `start`, then `block` again and again until the server responds. Returns (sent bytes, response)."""
    sent = 0
    with connect(url, 20) as connection:
        try:
            connection.sendall(start)
            while sent < most:
                connection.sendall(block)
                sent += len(block)
        except (BrokenPipeError, ConnectionResetError):
            pass
        connection.settimeout(5)
        return sent, drain(connection)


def wrong_lists(program, directory):
    """Lists with invalid lines: a list with one invalid line expires nothing."""
    wrong = [
        b"-1/0/0", b"+1/0/0", b"1/0", b"1/0/0/0", b"1/2/0", b"31/0/0", b"01/0/0", b"1/0/0 ", b" 1/0/0", b"1,0,0", b"1/0/0\r\r", b"\r\r\n",
        b"1/0/0\r1/0/1", b"1/0/\x00", b"1/0/0\x00", b"\xef\xbb\xbf1/0/0", b"1e1/0/0", b"0x1/0/0", b"9999999999/0/0", b"2/99999999999/0",
        b"18446744073709551616/0/0", b"2/\xd9\xa1/0", b"/0/0", b"//", b"1//0", b"GET / HTTP/1.1\r\n", b"1/0/0;2/0/0"]
    queries = ["?zooms=0-31", "?zooms=5-3", "?zooms=+1", "?zooms=-1", "?zooms=1-2-3", "?zooms=", "?zooms=1&zooms=2", "?soft=2", "?soft",
               "?zooms=99999999999999999999", "?zooms=1%2d2&a=b"]
    with TileServer(program, directory, LAYERS) as server:
        fetch(f"{server.url}/solid/2/1/1.png")
        for line in wrong:
            for lines, number in ((line, 1), (b"2/1/1\n2/1/1\r\n" + line + b"\n2/1/1", 3)):
                answer = exchange(server.url, expiry(server, lines, "?soft=0"))
                expect(status(answer) == 422, f"{lines!r} was answered {answer[:40]!r}")
                found = json.loads(answer.partition(b"\r\n\r\n")[2])["line"]
                # A line break within the invalid line begins another line.
                expect(number <= found <= number + 1, f"{lines!r} is said to be wrong in line {found}")
        for query in queries:
            code = status(exchange(server.url, expiry(server, b"2/1/1", query)))
            expect(code == 400, f"{query} was answered {code}")
        _, fields, _ = fetch(f"{server.url}/solid/2/1/1.png")
        expect("hit" in fields["Cache-Status"], "a list that is wrong has taken a tile")
        answer = exchange(server.url, expiry(server, b"2/1/1\r\n\n2/1/1", "?soft=0"))
        expect(status(answer) == 200, f"a right list was answered {answer[:40]!r}")
        _, fields, _ = fetch(f"{server.url}/solid/2/1/1.png")
        expect("miss" in fields["Cache-Status"], "a right list has taken nothing")
    return f"422 for {len(wrong)} wrong lines, 400 for {len(queries)} wrong queries; the cache is as it was"


def heavy_lists(program, directory):
    """Sixteen long lists at once, each for all zooms, while a client requests a tile; and a very slow list."""
    lines = b"".join(b"14/%d/%d\n" % (number * 7 % 16_384, number * 31 % 16_384) for number in range(100_000))
    text = "server: { reactors: 1 }\n" + LAYERS + "".join(f"  l{number}: {{ generator: solid }}\n" for number in range(3)) + (
        "maps:\n" + "".join(f"  m{number}: {{ layers: [solid] }}\n" for number in range(20)))
    with TileServer(program, directory, text) as server:
        fetch(f"{server.url}/solid/1/0/0.png")
        fetch(f"{server.url}/l0/1/0/0.png")
        waits, before = [], server.resident_bytes()
        with connect(server.url, 30) as slow:
            slow.sendall(expiry(server, fields=["Content-Length: 60"]))

            def send(_):
                code = status(exchange(server.url, expiry(server, lines, "?zooms=0-30&soft=0"), timeout=120))
                slow.sendall(b"\n")
                return code

            with beside(ask_for_tiles, server.url, "/l0/1/0/0.png", waits):
                began = time.monotonic()
                codes = at_once(send, range(16))
                took = time.monotonic() - began
            slow.sendall(b"\n" * 44)
            expect(status(drain(slow)) == 200, "a list that came slowly was not taken")
        grown = server.resident_bytes() - before
        expect(set(codes) <= {200, 503} and 200 in codes, f"the lists were answered {sorted(set(codes))}")
        waits.sort()
        expect(waits[len(waits) * 99 // 100] < PATIENCE, f"1 % of the cached tiles took {waits[len(waits) * 99 // 100]:.2f} s or more")
        expect(grown < 192 << 20, f"the process has grown by {grown >> 20} MiB")
    return (f"{codes.count(200)} of 16 lists taken in {took:.1f} s, the rest told to come again; 99 % of the cached tiles took "
            f"{waits[len(waits) * 99 // 100] * 1000:.0f} ms at most; {grown >> 20} MiB more")


def purges_that_hang(program, directory):
    """A cache in front that never answers purges: clears continue, the queue is limited, a restart loses no purge."""
    with Upstream() as upstream:
        upstream.mode = "error"
        text = (f'cdn: {{ tags: [xkey], zooms: [12], purge: {{ url: "{upstream.url}/1/0/0.png?purge", method: GET, headers: '
                f'{{ xkey-purge: "{{tags}}", X-Secret: hush-hush }} }} }}\n' + LAYERS)

        def told(server):
            return json.loads(server.admin("/admin/cache")[2])["cdn"]
        with TileServer(program, directory, text) as server:
            for number in range(300):
                lines = b"".join(b"14/%d/%d\n" % (number * 40 + column, 77) for column in range(40))
                code = status(exchange(server.url, expiry(server, lines, "?soft=0")))
                expect(code == 200, f"a list was answered {code} while the cache in front fails")
            waiting = told(server)["waiting"]
            expect(0 < waiting <= 10_000, f"{waiting} tags wait")
        log = (directory / "tileserver.log").read_bytes()
        expect(b"hush-hush" not in log and b"?purge" not in log, "the log has the purge's header or URL")
        expect(b"cdn_purge_lost" not in log, "purges were lost at the end")
        upstream.mode = "ok"
        with TileServer(program, directory, text) as server:
            wait_until(lambda: not told(server)["waiting"], 20, 0.1)
            after = told(server)
            expect(after["waiting"] == 0 and after["succeeded"] > 0, f"after a restart: {after}")
    return f"{waiting} tags waited, and went out in {after['succeeded']} requests after a restart"


ATTACKS = [uninvited_lists, endless_lists, wrong_lists, heavy_lists, purges_that_hang]
