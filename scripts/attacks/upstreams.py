"""Attacks by an upstream that misbehaves: with its tiles, its header fields, or a file."""
import json
import math
import ssl
import subprocess
import time

from support.machine import fetch, need, wait_until
from support.tileserver import TileServer
from support.upstream import Upstream, send

from .verdict import expect


def layer(upstream, more=""):
    return f'layers:\n  tiles:\n    url: "{upstream}/{{z}}/{{x}}/{{y}}.png"\n{more}'


class PartlyBroken(Upstream):
    """An upstream that answers 500 if `fails(path)` is true."""

    def __init__(self, fails, status=500):
        super().__init__()
        self.fails, self.status = fails, status

    def answer(self, handler):
        if not self.fails(handler.path):
            return super().answer(handler)
        self.requests += 1
        return send(handler, self.status, {})


def breaker(program, directory):
    """Twelve tiles that always fail with 500, among 296 good tiles of the same host."""
    bad = {f"/10/{number}/7.png" for number in range(12)}
    good = [f"/10/{number}/9.png" for number in range(296)]
    statuses = []
    with PartlyBroken(bad.__contains__) as upstream, TileServer(program, directory, layer(upstream.url)) as server:
        order = [path for number, path in enumerate(good) for path in ([path] if number % 2 else [*bad][:12] + [path])]
        for path in order:
            code, _, _ = fetch(f"{server.url}/tiles{path}")
            if path not in bad:
                statuses.append(code)
    lost = sum(code != 200 for code in statuses)
    expect(lost == 0, f"{lost} of {len(statuses)} healthy tiles were not answered")
    return f"all {len(statuses)} healthy tiles were answered"


def dead_host(program, directory):
    """A host that breaks every connection, and then recovers."""
    with Upstream() as upstream, TileServer(program, directory, layer(upstream.url)) as server:
        upstream.mode = "refuse"
        for number in range(40):
            code, _, _ = fetch(f"{server.url}/tiles/10/{number}/1.png")
            expect(code in (502, 503), f"a broken connection was answered {code}")
        asked = upstream.requests
        upstream.mode = "ok"
        began = time.monotonic()
        comes = wait_until(lambda: fetch(f"{server.url}/tiles/10/900/1.png")[0] == 200, 30, 0.25)
        expect(comes, "no tile 30 s after the host came back")
        took = time.monotonic() - began
    expect(asked <= 20, f"a host that breaks connections was asked {asked} times for 40 tiles")
    return f"asked {asked} times for 40 tiles, then left alone; tiles came {took:.1f} s after it returned"


def last_answer(program, directory):
    """An upstream that answers 401, and an operator who looks for the reason."""
    with PartlyBroken(lambda _: True, status=401) as upstream:
        with TileServer(program, directory, layer(upstream.url)) as server:
            fetch(f"{server.url}/tiles/3/1/1.png")
            _, _, body = server.admin("/admin/explain/tiles/3/1/1")
    expect("401" in json.dumps(json.loads(body)), f"explain does not tell of the 401: {body.decode()}")
    return "explain tells of the 401"


def bad_geojson(program, directory):
    """GeoJSON files that are expensive to draw: combs, spirals, holes, and millions of points in one tile."""
    files = {"comb": comb(), "spiral": spiral(), "holes": holes(), "points": points()}
    text = "layers:\n"
    for name, content in files.items():
        (directory / f"{name}.geojson").write_text(content)
        text += f'  {name}: {{ geojson: "{directory}/{name}.geojson", noTile: 404 }}\n'
    worst = (0, "")
    with TileServer(program, directory, text) as server:
        for name in files:
            for tile in ("0/0/0", "1/1/0", "5/16/15", "10/512/511", "14/8192/8191"):
                began = time.monotonic()
                code, _, _ = fetch(f"{server.url}/{name}/{tile}.png", timeout=120)
                took = time.monotonic() - began
                worst = max(worst, (took, f"{name}/{tile}"))
                expect(code in (200, 404, 503), f"{name}/{tile} answered {code}")
    expect(worst[0] < 1.5, f"{worst[1]} took {worst[0]:.1f} s")
    return f"the dearest tile, {worst[1]}, took {worst[0]:.2f} s"


def feature(kind, coordinates):
    return '{"type":"Feature","properties":{},"geometry":{"type":"%s","coordinates":%s}}' % (kind, coordinates)


def comb(teeth=700_000):
    ring = ",".join(f"[{20 * step / teeth:.6f},{1 if step % 2 else -1}]" for step in range(teeth))
    return feature("Polygon", f"[[{ring},[0,-1]]]")


def spiral(steps=700_000):
    turns = ((10 * step / steps, step / 10) for step in range(steps))
    return feature("LineString", "[%s]" % ",".join(f"[{r * math.cos(a):.6f},{r * math.sin(a):.6f}]" for r, a in turns))


def holes(count=200_000):
    def square(west, south, size):
        return (f"[[{west:.5f},{south:.5f}],[{west + size:.5f},{south:.5f}],[{west + size:.5f},{south + size:.5f}],"
                f"[{west:.5f},{south + size:.5f}],[{west:.5f},{south:.5f}]]")
    side = math.isqrt(count)
    rings = [square(0.01 * (number % side), 0.01 * (number // side), 0.005) for number in range(count)]
    return feature("Polygon", f"[{square(-1, -1, 12)},{','.join(rings)}]")


def points(count=2_000_000):
    return feature("MultiPoint", "[%s]" % ",".join(["[1.5,1.5]"] * count))


def private_ca(program, directory):
    """An upstream with a certificate of a private CA, which requires a client certificate."""
    need(openssl="openssl")
    certificates(directory)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(directory / "server.pem", directory / "server.key")
    context.load_verify_locations(directory / "ca.pem")
    context.verify_mode = ssl.CERT_REQUIRED
    codes = {}
    with Upstream() as upstream:
        upstream._server.socket = context.wrap_socket(upstream._server.socket, server_side=True)
        url = upstream.url.replace("http://127.0.0.1", "https://localhost")
        client = f'clientCertificate: {{ certificate: "{directory}/client.pem", key: "{directory}/client.key" }}'
        text = "layers:\n" + "".join(
            f'  {name}: {{ url: "{url}/{name}/{{z}}/{{x}}/{{y}}.png"{more} }}\n' for name, more in {
                "strange": "",
                "nobody": f', caFile: "{directory}/ca.pem"',
                "known": f', caFile: "{directory}/ca.pem", {client}',
            }.items())
        with TileServer(program, directory, text) as server:
            for name in ("known", "nobody", "strange"):
                codes[name] = fetch(f"{server.url}/{name}/1/0/0.png")[0]
    expect(codes == {"known": 200, "nobody": 502, "strange": 502}, f"{codes}")
    return "200 with both, 502 without the client's certificate, 502 without the CA"


def certificates(directory):
    """Makes ca.pem, server.pem and client.pem with their keys."""
    def openssl(*words):
        subprocess.run(["openssl", *words], cwd=directory, check=True, capture_output=True)
    openssl("req", "-x509", "-newkey", "rsa:2048", "-nodes", "-keyout", "ca.key", "-out", "ca.pem", "-days", "2",
            "-subj", "/CN=private")
    (directory / "names").write_text("subjectAltName=DNS:localhost,IP:127.0.0.1\n")
    for name in ("server", "client"):
        openssl("req", "-newkey", "rsa:2048", "-nodes", "-keyout", f"{name}.key", "-out", f"{name}.csr",
                "-subj", f"/CN={name}")
        openssl("x509", "-req", "-in", f"{name}.csr", "-CA", "ca.pem", "-CAkey", "ca.key", "-CAcreateserial",
                "-days", "2", "-extfile", "names", "-out", f"{name}.pem")


ATTACKS = [breaker, dead_host, last_answer, bad_geojson, private_ca]
