"""Attacks on the admin routes, and searches for secrets in their responses and in the log."""
import json
import subprocess
import time

from support.machine import fetch, free_port
from support.raw import exchange, get, head, status
from support.tileserver import TileServer
from support.upstream import Upstream

from .verdict import expect

LAYERS = "layers:\n  grid: { generator: grid }\n"


def guessing(program, directory):
    """Guesses of the admin token, while the operator uses the right token."""
    with TileServer(program, directory, LAYERS) as server:
        def ask(token):
            request = get("/admin/cache", fields=[f"Authorization: Bearer {token}"])
            return status(exchange(server.url, request))
        guesses = [ask(f"a-guess-of-some-length-{number}") for number in range(30)]
        expect(guesses[0] == 401, f"the first wrong token was answered {guesses[0]}")
        expect(guesses[-1] == 429, f"the 30th wrong token within a minute was answered {guesses[-1]}")
        expect(ask(server.TOKEN) == 200, "the right token is locked out")
    return f"401 for {guesses.count(401)} guesses, then 429; the right token passes"


def foreign_hosts(program, directory):
    """DNS rebinding: admin requests with another site's Host."""
    text = "server: { publicURL: \"https://tiles.example.org\" }\nadmin: { hosts: [admin.example.net] }\n" + LAYERS
    expected = {
        "localhost": 200, "127.0.0.1:9": 200, "[::1]": 200, "tiles.example.org": 200, "admin.example.net": 200,
        "evil.example.com": 421, "localhost.evil.example.com": 421, "tiles.example.org.evil.com": 421,
    }
    with TileServer(program, directory, text) as server:
        for host, code in expected.items():
            request = get("/admin/cache", host, [f"Authorization: Bearer {server.TOKEN}"])
            seen = status(exchange(server.url, request))
            expect(seen == code, f"Host: {host} was answered {seen}, not {code}")
        seen = status(exchange(server.url, get("/grid/1/0/0.png", "evil.example.com")))
        expect(seen == 200, f"a tile for another Host was answered {seen}")
    return "421 for foreign hosts, 200 for the server's own names"


def short_token(program, directory):
    """An admin token that is easy to guess."""
    configuration = directory / "short.yaml"
    configuration.write_text(f"server: {{ port: {free_port()} }}\nadmin: {{ token: short }}\n" + LAYERS)
    for command in ("check", "serve"):
        ended = subprocess.run(
            [program, command, "--config", configuration], cwd=directory, capture_output=True, timeout=20)
        expect(ended.returncode == 78, f"{command} with a token of 5 characters: status {ended.returncode}")
        expect(b"admin.token" in ended.stdout + ended.stderr, f"{command} does not name admin.token")
    return "check and serve refuse it with status 78"


def secrets(program, directory):
    """Secrets in an upstream's address, searched in explain and in the log."""
    hidden = ["hush-value", "hush-query", "hush-header", "hush-user", "hush-word"]
    with Upstream() as upstream:
        url = upstream.url.replace("http://", "http://hush-user:hush-word@")
        text = f"""\
log: {{ access: all }}
layers:
  tiles:
    url: "{url}/{{z}}/{{x}}/{{y}}.png?anything=hush-query&signed={{own}}"
    values: {{ own: hush-value }}
    headers: {{ X-Anything: hush-header }}
"""
        with TileServer(program, directory, text) as server:
            upstream.mode = "error"
            fetch(f"{server.url}/tiles/2/1/1.png")
            upstream.mode = "ok"
            fetch(f"{server.url}/tiles/2/1/2.png")
            seen = b"".join(
                server.admin(path)[2] for path in (
                    "/admin/explain/tiles/2/1/1", "/admin/explain/tiles/2/1/2", "/admin/cache", "/layers.json",
                    "/tiles.json"))
        seen += (directory / "tileserver.log").read_bytes()
    told = [secret for secret in hidden if secret.encode() in seen]
    expect(not told, f"told: {told}")
    return f"none of {len(hidden)} secrets in explain, the documents or the log"


def refusals(program, directory):
    """Refused requests, and their lines in the log."""
    requests = {
        "/grid/1/0/0.png": b"Host: a\r\nContent-Length: 1\r\nTransfer-Encoding: chunked",
        "/grid/9/0/0.png": b"Host: a\r\nBad Name: 1",
        "/grid/8/0/0.png": b"Host: a:b:c",
    }
    with TileServer(program, directory, LAYERS) as server:
        for path, fields in requests.items():
            request = f"GET {path} HTTP/1.1\r\n".encode() + fields + b"\r\n\r\n"
            code = status(exchange(server.url, request, timeout=5))
            expect(code == 400, f"{fields!r} was answered {code}")
        exchange(server.url, b"GET /\x1b[31m\"}\xe2\x80\xae/1/0/0.png HTTP/1.1\r\nHost: a\r\n\r\n", timeout=5)
        time.sleep(0.5)
    raw = (directory / "tileserver.log").read_bytes()
    lines = [json.loads(line) for line in raw.splitlines() if line[:1] == b"{"]
    expect(not [byte for byte in raw if byte < 32 and byte != 10], "the log has control characters")
    for path in requests:
        expect(any(path in json.dumps(line) for line in lines), f"no line names the refused {path}")
    return "each refused request is named in one line of JSON"


def exposed_headers(program, directory):
    """Response fields that a web page must not read."""
    with TileServer(program, directory, LAYERS) as server:
        missing = set()
        for path in ("/grid/1/0/0.png", "/grid/1/0/0@4x.png", "/grid/25/0/0.png", "/grid/static/1,2,3/64x64.png",
                     "/grid/static/1,2,3@400,80/64x64.png", "/nobody/1/0/0.png", "/grid.json", "/grid/camera"):
            fields = head(exchange(server.url, get(path)))
            exposed = {name.strip().lower() for name in fields.get("access-control-expose-headers", "").split(",")}
            own = {name for name in fields if name.startswith("x-") and name != "x-content-type-options"}
            missing |= {f"{name} at {path}" for name in own - exposed}
    expect(not missing, f"not exposed: {sorted(missing)}")
    return "every X- header of tiles, images, documents and errors is exposed"


def series(program, directory):
    """The metrics without the token, and many layer names that could become labels."""
    with TileServer(program, directory, LAYERS) as server:
        for host, code in (("localhost", 401), ("evil.example.com", 421)):
            seen = status(exchange(server.url, get("/metrics", host)))
            expect(seen == code, f"/metrics without the token, Host: {host}, was answered {seen}")

        def numbers():
            return server.admin("/metrics")[2].decode().splitlines()
        # The metrics of a layer appear with its first request.
        fetch(f"{server.url}/grid/1/0/0.png")
        before = len(numbers())
        paths = (
            "/layer{}/1/0/0.png", "/{}.json", "/a/{}", "/grid/{}/0/0.png", "/%22%0A{}/1/0/0.png", "/admin/{}",
            "/wmts?{}")
        for number in range(2_000):
            for path in paths:
                fetch(server.url + path.format(number))
        after = numbers()
        expect(not [line for line in after if "1999" in line], "a name that a client made up is in a label")
        expect(len(after) <= before + 20, f"{before} lines became {len(after)}")
    return f"401 and 421; {2_000 * len(paths):,} made-up names add {len(after) - before} lines"


ATTACKS = [guessing, foreign_hosts, short_token, secrets, refusals, exposed_headers, series]
