"""Valid requests that the server must accept, and invalid requests that it must refuse."""
import calendar
import email.utils
import time

from support.machine import fetch, wait_until
from support.raw import connect, drain, exchange, get, head, status
from support.tileserver import TileServer
from support.upstream import Upstream

from .verdict import expect

LAYERS = "layers:\n  grid: { generator: grid }\n"


def encoded_paths(program, directory):
    """Percent-encoded paths, which equal the plain paths, and tricks with them."""
    same = ["/grid/2/1/1%402x.png", "/grid/2/1/1@2x%2Epng", "/%67rid/2/1/1@2x.png", "/grid/2/%31/1@2x.png"]
    wrong = {
        "/grid/2/1%2F1.png": {400, 404}, "/grid%2f2/1/1.png": {400, 404}, "/grid/2/1/1%00.png": {400, 404},
        "/%2e%2e/grid/2/1/1.png": {400, 404}, "/grid/2/1/1%zz.png": {400}, "/grid/2/1/%4": {400},
        "/grid/2/1/%c0%ae.png": {400, 404}, "/grid/2/1/%2531.png": {400, 404}, "/grid/2/%d9%a3/1.png": {400},
        "/admin%2fcache": {400, 404}, "/%61dmin/cache": {401},
    }
    with TileServer(program, directory, LAYERS) as server:
        _, fields, plain = fetch(f"{server.url}/grid/2/1/1@2x.png")
        for path in same:
            answer = exchange(server.url, get(path))
            expect(status(answer) == 200, f"{path} was answered {status(answer)}")
            expect(head(answer)["etag"] == fields["ETag"], f"{path} is another tile")
        for path, codes in wrong.items():
            code = status(exchange(server.url, get(path)))
            expect(code in codes, f"{path} was answered {code}, not {codes}")
    return f"{len(same)} encoded paths are the plain one's tile, {len(wrong)} tricks are refused"


def hosts(program, directory):
    """Host fields with invalid hosts."""
    right = ["localhost", "a:80", "[::1]", "[::1]:8080", "127.0.0.1:1", "a-b.example.org", "a:65535"]
    wrong = ["a:b:c", ":", "[", "]", "a:-1", "a:99999", "a:65536", "a b", "[::1", "a/b", "a@b", "a,b", "[z]", "a:80x"]
    with TileServer(program, directory, LAYERS) as server:
        for hosts, expected in ((right, 200), (wrong, 400)):
            for host in hosts:
                code = status(exchange(server.url, get("/grid/1/0/0.png", host)))
                expect(code == expected, f"Host: {host} was answered {code}")
        code = status(exchange(server.url, get("http://a/grid/1/0/0.png", None, version="1.0")))
        expect(code == 200, f"absolute-form in HTTP/1.0 without Host was answered {code}")
    return f"{len(right)} hosts taken, {len(wrong)} refused; absolute-form in HTTP/1.0 needs none"


def framing(program, directory):
    """Valid and invalid chunk extensions, and a client that waits for 100."""
    body = b'{"camera":{"lat":1,"lng":2}}'
    size = f"{len(body):x}".encode()
    right = [b"", b";a", b";a=b", b";a=\"b c\"", b";a=\"b\\\"c\";d", b" ;a", b"; a = b"]
    wrong = [b";", b";=b", b";a=", b";a=\"b", b" ", b";a b", b";a=\"\x00\"", b";" + b"a" * 2_000]
    start = b"POST /grid/camera HTTP/1.1\r\nHost: a\r\nConnection: close\r\nTransfer-Encoding: chunked\r\n\r\n"
    with TileServer(program, directory, LAYERS) as server:
        for extensions, expected in ((right, 200), (wrong, 400)):
            for extension in extensions:
                chunked = size + extension + b"\r\n" + body + b"\r\n0\r\n\r\n"
                code = status(exchange(server.url, start + chunked))
                expect(code == expected, f"extension {extension[:20]!r} was answered {code}")
        with connect(server.url, 10) as connection:
            connection.sendall(
                b"POST /grid/camera HTTP/1.1\r\nHost: a\r\nConnection: close\r\nExpect: 100-continue\r\n"
                + f"Content-Length: {len(body)}\r\n\r\n".encode())
            interim = connection.recv(1_024)
            expect(interim == b"HTTP/1.1 100 Continue\r\n\r\n", f"a client that waits for 100 got {interim[:60]!r}")
            connection.sendall(body)
            code = status(drain(connection))
            expect(code == 200, f"after 100 came {code}")
    return f"{len(right)} extensions taken, {len(wrong)} refused; 100 comes before the content"


def full_server(program, directory):
    """The 503 responses of a full server that has run for a while."""
    with Upstream() as upstream, TileServer(
            program, directory, f"server: {{ reactors: 1, limits: {{ connections: 16 }} }}\n{LAYERS}"
            f"  slow: {{ url: '{upstream.url}/{{z}}/{{x}}/{{y}}.png', maxConcurrent: 16 }}\n") as server:
        upstream.mode = "hang"
        time.sleep(2.5)
        held, refused = [], []
        try:
            for number in range(40):
                connection = connect(server.url, 5)
                held.append(connection)
                # Each client waits for a different tile. The server must not close a connection with a pending
                # response.
                connection.sendall(get(f"/slow/5/0/{number}.png" if number < 16 else "/grid/1/0/0.png"))
                # The server must read this request before the next client connects.
                if number < 16:
                    wait_until(lambda: upstream.requests > number, 5, 0.01)
                if number >= 16 and status(answer := connection.recv(4_096)) == 503:
                    refused.append(head(answer))
        finally:
            for connection in held:
                connection.close()
    expect(len(refused) == 24, f"16 connections allowed, all of them in use, and {len(refused)} of 24 others are 503")
    for fields in refused:
        missing = [name for name in ("date", "x-request-id", "retry-after", "content-length") if name not in fields]
        expect(not missing, f"the 503 has no {', '.join(missing)}")
        late = abs(calendar.timegm(email.utils.parsedate(fields["date"])) - time.time())
        expect(late < 10, f"the 503's Date is {late:.0f} s off")
    ids = {fields["x-request-id"] for fields in refused}
    expect(len(ids) == len(refused), f"{len(refused)} answers have {len(ids)} X-Request-Ids")
    return f"{len(refused)} 503s, each with the Date of now and an X-Request-Id of its own"


ATTACKS = [encoded_paths, hosts, framing, full_server]
