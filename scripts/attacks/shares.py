"""Attacks by clients that want more than their share, and by request fields that others read."""
import json
import time

from support.raw import connect, exchange, get, head, read_answers, status
from support.tileserver import TileServer

from .crowd import SOLID
from .verdict import expect

MIB = 1 << 20
PROXY = "server: { trustedProxies: [127.0.0.1], limits: { requestsPerConnection: 1000000 } }\n"


def ask(url, addresses, path="/solid/0/0/0.png"):
    """Requests `path` once for each of `addresses`, like a proxy. Returns the statuses."""
    statuses = []
    with connect(url, 60) as connection:
        for begin in range(0, len(addresses), 50):
            part = addresses[begin:begin + 50]
            connection.sendall(b"".join(
                f"GET {path} HTTP/1.1\r\nHost: localhost\r\nX-Forwarded-For: {address}\r\n\r\n".encode()
                for address in part))
            statuses += read_answers(connection, len(part))
    return statuses


def greed(program, directory):
    """A client that requests tiles without end, also under forged addresses."""
    limits = "limits: { requests: { rate: 0.01, burst: 20 } }\n"
    with TileServer(program, directory, PROXY + limits + SOLID) as server:
        seen = ask(server.url, ["203.0.113.5"] * 500)
        expect(seen == [200] * 20 + [429] * 480, f"{seen.count(200)} of 500 requests of one client were answered")
        forged = [f"198.51.{number // 256}.{number % 256}, 203.0.113.6" for number in range(500)]
        expect(ask(server.url, forged).count(200) == 20, "addresses in front of the last one bring more")
        network = [f"2001:db8::{number:x}" for number in range(500)]
        expect(ask(server.url, network).count(200) == 20, "addresses of one /64 bring more")
        answer = exchange(server.url, get("/solid/0/0/0.png", fields=["X-Forwarded-For: 203.0.113.5"]))
        fields = head(answer)
        expect(status(answer) == 429 and int(fields["retry-after"]) > 0, "the 429 says not when to come back")
        expect(fields["cache-control"] == "no-store", "the 429 may be kept")
        expect(ask(server.url, ["203.0.113.7"]) == [200], "another client is refused")
        code = status(exchange(server.url, get("/health", fields=["X-Forwarded-For: 203.0.113.5"])))
        expect(code == 200, f"/health of a client over its limit is {code}")
    return "20 of 500 requests each, by one address, forged ones and a /64; another client gets its tile"


def multitude(program, directory):
    """200,000 addresses, then the first again, which hopes that the server has forgotten it."""
    limits = "limits: { requests: { rate: 0.0001, burst: 1 } }\n"
    addresses = [f"10.{number >> 16}.{number >> 8 & 255}.{number & 255}" for number in range(200_000)]
    with TileServer(program, directory, PROXY + limits + SOLID) as server:
        before = server.resident_bytes()
        admitted = ask(server.url, addresses).count(200)
        again = ask(server.url, addresses[:1_000]).count(200)
        grown = (server.resident_bytes() - before) / MIB
    expect(admitted <= 65_536, f"{admitted} requests got in, more than clients are known")
    expect(again == 0, f"{again} of 1,000 clients that were forgotten have full buckets again")
    expect(grown < 24, f"200,000 clients grew the process by {grown:.0f} MiB")
    return f"{admitted} got in, none of the first 1,000 a second time; {grown:+.1f} MiB"


def identities(program, directory):
    """Fields that reach the log and upstreams: `traceparent`, `X-Request-Id`, `Forwarded`, with any content."""
    hostile = ['a"b', "a=b c", "\x1b[31m", "a\tb", "%0d%0a", '"},{"ev":"forged"', "x" * 8_000, "\xe2\x80\xae", "a,b", ""]
    for form in ("json", "logfmt", "text"):
        place = directory / form
        text = f"log: {{ access: all, format: {form} }}\n{PROXY}{SOLID}"
        with TileServer(program, place, text) as server:
            for value in hostile:
                fields = [f"{name}: {value}" for name in ("traceparent", "tracestate", "X-Request-Id")]
                fields += [f"X-Forwarded-For: {value}"] if len(value) < 100 else []
                answer = exchange(server.url, get("/solid/1/0/0.png", fields=fields), timeout=5)
                name = head(answer).get("x-request-id", "")
                expect(status(answer) in (200, 400, 431), f"{value!r} was answered {status(answer)}")
                expect(len(name) <= 64 and name.replace("=", "").replace("-", "").isalnum(), f"the id {name!r}")
            time.sleep(0.5)
        raw = (place / "tileserver.log").read_bytes()
        lines = raw.splitlines()[1:]
        expect(not [byte for byte in raw if byte != 10 and not 32 <= byte < 127], f"{form} is not printable ASCII")
        expect(not [line for line in lines if b'"ev":"forged"' in line or b"ev=forged" in line], f"a forged {form} line")
        expect(sum(b"request" in line for line in lines) >= len(hostile), f"{len(lines)} lines of {form}")
        if form == "json":
            for line in lines:
                json.loads(line)
    return f"{len(hostile)} values in each field, three formats: one printable line each"


ATTACKS = [greed, multitude, identities]
