"""Requests for documents, for unknown routes and layers, with wrong methods, and malformed requests."""
from .asking import Question, ask, many
from .site import BLENDS
from .tiles import DRAWN, MAPS, SOURCES
from .upstreams import BROKEN, RUDE, TERMS

LAYERS = (
    *DRAWN, *SOURCES, *BROKEN, *RUDE, *(f"terms-{name}" for name in TERMS), *MAPS,
    *(f"blend-{name}" for name in BLENDS), "small", "across", "hidden", "floors", "files", "atlas", "photos", "offline",
    "missing", "nobody", "wrapped",
)
PATHS = (
    "/grid/2/1/1%402x.png", "/%67rid/2/%31/1.png", "/grid/2/1%2F1.png", "/grid%2f2/1/1.png", "/grid/2/1/1%00.png",
    "/%2e%2e/grid/2/1/1.png", "/grid/2/1/1%zz.png", "/grid/2/1/%4", "/grid/2/1/%c0%ae.png", "/grid/2/1/%2531.png",
    "/grid/2/%d9%a3/1.png", "/../../etc/passwd", "//grid/2/1/1.png", "/grid//2/1/1.png", "/grid/2/1/1.png/", "/grid/",
    "/grid", "/GRID/2/1/1.png", "/grid;a/2/1/1.png", "/grid/2/1/1.png;a", "/" + "a" * 200 + "/2/1/1.png",
    "/gridd/2/1/1.png", "/gri/2/1/1.png", "/grid/31/0/0.png", "/grid/30/0/0.png", "/grid/23/0/0.png", "/grid/2/4/1.png",
    "/grid/2/1/4.png", "/grid/2/-1/1.png", "/grid/2/1/9223372036854775808.png", "/grid/1e1/1/1.png", "/grid/2/01/1.png",
    "/grid/2/+1/1.png", "/grid/2/1.5/1.png", "/grid/2//1.png", "/grid/a/b/c.png", "/grid/2/1/1.gif",
    "/grid/2/1/1.png.png", "/grid/2/1/1@0x.png", "/grid/2/1/1@5x.png", "/grid/2/1/1@x.png", "/grid/2/1/1@2.png",
    "/grid/2/1/1@1.5x.png", "/grid/2/1/1@2x@2x.png", "/grid/64/0/0.png", "/solid/4294967296/0/0.png",
    "/grid/2/1/1/1.png", "/grid/static", "/grid/static/1,1,1", "/grid/nothing/1/1.png", "/a/b/c/d/e/f/g/h", "/metrics",
    "/wmts", "/assets/viewer.js", "/assets/", "/favicon.ico", "/index.html", "/health/", "/healthz",
    "/Health", "/.json", "/grid.JSON", "/grid.json.json", "/layers", "/layers.json/", "/nobody.json", "/robots.txt",
    "/%", "/%41", "/?a=b", "/?", "/grid/2/1/1.png?" + "a" * 4_000, "/<svg onload=alert(1)>/0/0/0.png",
    "/grid/2/1/1.png?empty=%74ransparent", "/odd/3/2/3.png?empt%79=204",
)
METHODS = ("HEAD", "OPTIONS", "POST", "PUT", "DELETE", "PATCH", "TRACE", "CONNECT", "FOO", "get")
PUBLIC = (
    "/grid/2/1/1.png", "/grid.json", "/layers.json", "/", "/health", "/demo/camera", "/demo/camera/animation",
    "/demo/static/1,1,1/10x10.png", "/nobody/1/0/0.png", "/nothing-here",
)
CAMERA = b'{"camera":{"lat":1,"lng":2}}'
CHUNKED = b"POST /grid/camera HTTP/1.1\r\nHost: a\r\nConnection: close\r\nTransfer-Encoding: chunked\r\n\r\n"
CHUNKS = (
    b"1c;a=b\r\n" + CAMERA + b"\r\n0\r\n\r\n", b"1C\r\n" + CAMERA + b"\r\n0\r\nTrailer: a\r\n\r\n",
    b"1c\r\n" + CAMERA + b"0\r\n\r\n", b"5\r\n" + CAMERA[:5] + b"\r\n17 \r\n" + CAMERA[5:] + b"\r\n0\r\n\r\n",
    b"5\r\n" + CAMERA[:5] + b"\r\n17\r\n" + CAMERA[5:] + b"\r\n0\r\n\r\n", b"0x1c\r\n", b"-1\r\n", b"\r\n", b"1c;\r\n",
    b"fffffffffffffffff\r\n", b"1c\n" + CAMERA, b"0\r\nno field\r\n\r\n", b"0\r\n\r\n",
    b"1c; a=\"b \\\" c\"\r\n" + CAMERA + b"\r\n0\r\n\r\n", b"1c;" + b"a" * 2_000 + b"\r\n",
)
HEADS = (
    b"GET /grid/2/1/1.png HTTP/1.1\r\n\r\n", b"GET /grid/2/1/1.png HTTP/1.0\r\n\r\n", b"GET /health\r\n\r\n",
    b"\r\n\r\nGET /health HTTP/1.0\r\n\r\n", b"GET /health HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n",
    b"GET /health HTTP/2.0\r\nHost: a\r\n\r\n", b"GET /health HTTP/1.2\r\nHost: a\r\nConnection: close\r\n\r\n",
    b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n",
    b"GET  /health HTTP/1.1\r\nHost: a\r\n\r\n", b"GET\t/health HTTP/1.1\r\nHost: a\r\n\r\n",
    b"GET /health http/1.1\r\nHost: a\r\n\r\n", b"GET /health HTTP/1.10\r\nHost: a\r\n\r\n",
    b"GET /health HTTP/1.1\nHost: a\n\n", b"GET /health HTTP/1.1\r\nHost : a\r\n\r\n",
    b"GET /health HTTP/1.1\r\n Host: a\r\n\r\n", b"GET /health HTTP/1.1\r\nHost: a\r\nA: b\r\n c\r\n\r\n",
    b"GET /health HTTP/1.1\r\nHost: a\r\nA: b\x00c\r\n\r\n", b"GET /health HTTP/1.1\r\nHost: a\r\n: b\r\n\r\n",
    b"GET /health HTTP/1.1\r\nHost: a\r\nA(): b\r\n\r\n", b"GET /health HTTP/1.1\r\nHost: a\r\nA: b\rc\r\n\r\n",
    b"GET health HTTP/1.1\r\nHost: a\r\n\r\n",
    b"GET http://localhost/health HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n",
    b"GET http://b/health HTTP/1.1\r\nHost: localhost\r\n\r\n", b"GET http://a/health HTTP/1.0\r\n\r\n",
    b"OPTIONS * HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n",
    b"GET * HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n",
    b"GET /health HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
    b"POST /grid/camera HTTP/1.1\r\nHost: a\r\nContent-Length: 5, 5\r\n\r\nabcde",
    b"POST /grid/camera HTTP/1.1\r\nHost: a\r\nContent-Length: +5\r\n\r\nabcde",
    b"POST /grid/camera HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\nContent-Length: 5\r\n\r\nabcde",
    b"POST /grid/camera HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: xchunked\r\n\r\n0\r\n\r\n",
    b"POST /grid/camera HTTP/1.0\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
    b"POST /grid/camera HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n",
    b"GET /health HTTP/1.1\r\nHost: a\r\nExpect: gold\r\nConnection: close\r\n\r\n",
    b"GET /" + b"a" * 8_300 + b" HTTP/1.1\r\nHost: a\r\n\r\n",
    b"GET /health HTTP/1.1\r\nHost: a\r\nA: " + b"a" * 8_300 + b"\r\n\r\n",
    b"GET /health HTTP/1.1\r\nHost: a\r\n" + b"A: b\r\n" * 110 + b"\r\n",
    b"GET /health HTTP/1.1\r\nHost: a\r\n" + (b"A: " + b"a" * 8_000 + b"\r\n") * 5 + b"\r\n",
    b"POST /grid/camera HTTP/1.1\r\nHost: a\r\nContent-Length: 99999999\r\n\r\n",
    b"POST /grid/2/1/1.png HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\nabcGET /health HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n",
    b"GET /health HTTP/1.0\r\nConnection: keep-alive\r\n\r\nGET /version HTTP/1.0\r\n\r\n",
    b"GET /health HTTP/1.1\r\nHost: a\r\nConnection: Close, foo\r\n\r\n",
    b"GET /health HTTP/1.1\r\nHost: a\r\n\r\nHEAD /grid/1/0/0.png HTTP/1.1\r\nHost: a\r\n\r\nGET /nobody HTTP/1.1\r\nHost: a\r\n\r\nGET /ready HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n",
    b"GET /grid/2/1/1.png HTTP/1.1\r\nHost: a\r\n\r\n" * 20 + b"GET /ready HTTP/1.0\r\n\r\n",
    b"GET /health HTTP/1.1\r\nHost: a\r\n\r\nGARBAGE\r\n\r\n",
    b"GET /health HTTP/1.1\r\nHost: a\r\nUpgrade: h2c\r\nConnection: Upgrade, HTTP2-Settings, close\r\n\r\n",
    b"GET /health?\xff HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n",
)
HOSTS = (
    "a:80", "[::1]:8080", "a-b.example.org", "a:b:c", ":", "[", "a:99999", "a b", "a/b", "a@b", "", "x" * 256, "a_b",
    "é",
)


def questions():
    for path in ("/", "/layers.json", "/health", "/ready", "/version", "/assets/viewer.css", "/assets/main.js",
        *(f"/{layer}.json" for layer in LAYERS)):
        yield ask(path)
    yield from many("*", PATHS)
    # The response to GET never ends, and its content depends on the server's process.
    yield ask("/events", method="HEAD")
    for path in PUBLIC:
        for method in METHODS:
            yield ask(path, method=method)
        yield ask(path, version="1.0")
        yield ask(path, "Origin: https://a.example", "Access-Control-Request-Method: GET",
            "Access-Control-Request-Headers: x", method="OPTIONS")
    for host in HOSTS:
        yield ask("/grid.json", host=host.encode().decode("latin-1"))
    yield ask("/grid.json", "X-Forwarded-Host: evil.example", "X-Forwarded-Proto: https", "X-Forwarded-Prefix: /maps",
        "Forwarded: host=b")
    for head in HEADS:
        yield Question(head, patience=5)
    for chunks in CHUNKS:
        yield Question(CHUNKED + chunks, patience=5)
    for path, method in (("/grid/camera", b"POST"), ("/grid/2/1/1.png", b"GET"), ("/nobody/camera", b"POST"),
        ("/grid/2/1/1.png", b"POST")):
        head = method + f" {path} HTTP/1.1\r\nHost: a\r\nConnection: close\r\nExpect: 100-continue\r\nContent-Length: {len(CAMERA)}\r\n\r\n".encode()
        yield Question(head, rest=CAMERA, patience=5)
    yield ask("/grid/2/1/1.png", method="GET", body=b"content that nobody asked for")
    yield ask("/health", method="PUT", body=b"a" * 70_000)
