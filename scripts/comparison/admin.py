"""Requests with and without the admin token, and requests to the site with a disk cache, a proxy and small limits."""
import dataclasses

from .asking import ADMIN, Question, ask, many

EXPLAINED = (
    "grid/1/0/0", "rgb/2/1/1", "rgb/2/1/1@2x", "missing/3/2/3", "error/3/1/1", "refuse/3/1/1", "hang/3/1/1",
    "garbage/3/1/1", "demo/1/0/0", "skips/3/4/2", "floors/17/20712/44868", "atlas/2/1/1", "shapes/5/16/11",
    "small/1/0/0", "offline/2/1/1", "terms-modified/1/0/0", "terms-nostore/1/0/0", "minus/2/1/1", "box/2/1/1",
    "busy/3/1/1", "wrapped/2/5/1", "nobody/1/0/0", "grid/1/9/0", "grid/1/0/0.png", "grid/40/0/0", "grid/2/1/3",
    "grid/1/0/0@9x", "grid/1/0/0?a=b",
)
CLEARS = (
    "grid", "grid", "grid", "rgb", "demo", "skips", "shapes", "atlas", "nobody", "GRID", "*", "%67rid", "grid/2/1/1",
    "grid/2/1/1", "grid/2/1/1.png", "grid/2/1/1@2x", "grid/2/9/1", "grid/a/b/c", "rgb/2/1/1?soft=1",
    "rgb?zoom=2&soft=1", "world?bbox=-10,40,20,60", "world?bbox=-10,40,20,60&zoom=3-9", "world?zoom=3",
    "world?zoom=9-3", "world?zoom=3-40", "world?zoom=", "world?bbox=1,2,3",
    "world?bbox=170,-10,-170,10&zoom=0-5&soft=1", "world?bbox=-10,60,20,40", "world?bbox=-400,0,0,10",
    "world?box=1,2,3,4", "world?soft=1", "world?soft=2", "world?soft=1&soft=1", "world?bbox=a,b,c,d",
    "world?zoom=1&zoom=2", "demo?zoom=0-4&soft=1", "world?dry=1",
)

# Lists, each after the query that gives its meaning.
EXPIRED = (
    ("grid", "1/0/0\n"), ("grid?zooms=0-4", "2/1/1\r\n2/1/1\n\n1/0/0"), ("grid", ""), ("grid?soft=0", "1/0/0"),
    ("rgb?zooms=2&soft=0", "2/1/1\n"), ("demo?zooms=0-30&soft=0", "4/3/2\n"), ("world?zooms=3-9&soft=0", "3/7/3\n4/1/1\n"),
    ("grid", "1/2/0\n"), ("grid", "1/0/0\n31/0/0\n"), ("grid", "1/0\n"), ("grid", "1/0/0 \n"), ("grid", "01/0/0"),
    ("grid", "99999999999/0/0"), ("grid", "1/0/0\r1/0/1"), ("grid", "14/1/1\n" * 100_001), ("nobody", "1/0/0"), ("", "1/0/0"),
    ("grid/1", "1/0/0"), ("grid?zoom=3", "1/0/0"), ("grid?zooms=3-40", "1/0/0"), ("grid?zooms=9-3", "1/0/0"),
    ("grid?soft=1&soft=1", "1/0/0"), ("%67rid?zooms=1", "1/0/0"), ("grid?zooms=1%2d2", "1/0/0"), ("grid?", "1/0/0"),
)

# A stale tile of each layer. The map's tile is requested only once, because the server serves the stale tile while it
# makes a new one.
SOFTENED = {
    "rgb/2/1/1?soft=1": "/rgb/2/1/1.png", "rgb?zoom=2&soft=1": "/rgb/2/1/1.png",
    "world?bbox=170,-10,-170,10&zoom=0-5&soft=1": "/world/3/7/3.png",
    "demo?zoom=0-4&soft=1": "/demo/3/4/2.png",
}


def questions():
    yield from denied()
    yield from many("/admin/explain/*", EXPLAINED, ADMIN)
    yield settled(ask("/admin/cache", ADMIN))
    yield from many("/admin/cache*", ("?a=b", "/", "/grid/", "x"), ADMIN)
    yield settled(ask("/admin/cache", ADMIN, method="HEAD"))
    for clear in CLEARS:
        yield ask(f"/admin/cache/{clear}", ADMIN, method="DELETE")
        if clear in SOFTENED:
            yield ask(SOFTENED[clear])
    yield from expired()
    yield from stale()
    for query in ("?bbox=5,45,12,50&zoom=4-9", "?soft=1", "?zoom=2&soft=1", "?layer=grid", "?all=1", "", ""):
        yield ask(f"/admin/cache{query}", ADMIN, method="DELETE")
    yield from many("/*.json", ("grid", "demo", "rgb"))
    yield settled(ask("/admin/cache", ADMIN))


def denied():
    """At most ten requests a minute with a wrong token. After that the response is 429."""
    wrong = (None, "Authorization: Bearer wrong", f"{ADMIN}x", ADMIN[:-1], "Authorization: Basic YTpi",
        "authorization: bearer a-token-for-one-run-only")
    yield from (ask("/admin/cache/grid", *([field] if field else []), method="DELETE") for field in wrong)
    yield ask("/%61dmin/cache")
    yield ask("/admin/cache", ADMIN, host="example.org")
    yield settled(ask("/admin/cache", ADMIN, host="127.0.0.1:80"))
    yield ask("/admin/cache/grid", ADMIN, "Origin: https://a.example", method="DELETE")
    yield ask("/admin/cache/grid", ADMIN, "Sec-Fetch-Site: cross-site", method="DELETE")
    for path in ("/admin", "/admin/", "/Admin/cache", "/admin-x", "//admin/cache", "/admin%2fcache",
        "/admin/cache/grid", "/admin/nothing"):
        yield ask(path, ADMIN)
    for method in ("OPTIONS", "POST", "PUT", "DELETE"):
        yield ask("/admin/explain/grid/1/0/0", ADMIN, method=method)
        yield ask("/admin/cache", *([ADMIN] if method != "DELETE" else []), method=method)
    yield from (ask("/admin/cache") for _ in range(6))
    yield ask("/admin/cache/solid", ADMIN, method="DELETE")


def expired():
    """Expire lists, with and without permission."""
    for name, lines in EXPIRED:
        yield ask(f"/admin/expire/{name}", ADMIN, method="POST", body=lines.encode())
    yield settled(ask("/grid/1/0/0.png"))
    head = "POST /admin/expire/grid HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n"
    start = f"{head}{ADMIN}\r\nTransfer-Encoding: chunked\r\n\r\n".encode()
    yield Question(start + b"3\r\n1/0\r\n4;a=b\r\n/0\r\n\r\n0\r\n\r\n")
    yield Question(start + b"3\r\n1/0\r\n0x2\r\n/0\r\n0\r\n\r\n")
    yield Question(f"{head}{ADMIN}\r\nExpect: 100-continue\r\nContent-Length: 5\r\n\r\n".encode(), b"1/0/0")
    yield Question(f"{head}{ADMIN}\r\nContent-Length: 8388609\r\n\r\n".encode())
    yield Question(f"{head}{ADMIN}\r\nOrigin: https://a.example\r\nContent-Length: 5\r\n\r\n".encode())
    for method in ("GET", "HEAD", "PUT", "DELETE", "OPTIONS"):
        yield ask("/admin/expire/grid", ADMIN, method=method)
    yield ask("/admin/expire/grid", ADMIN, host="example.org", method="POST", body=b"1/0/0")


def stale():
    """Tiles that are marked stale while their upstream fails or has another image."""
    for layer in ("once", "renewed"):
        yield ask(f"/{layer}/3/1/1.png")
        yield ask(f"/admin/cache/{layer}?zoom=3&soft=1", ADMIN, method="DELETE")
        yield from many(f"/{layer}/3/1/1.png*", ("", "", "?empty=transparent"))
        yield ask(f"/admin/explain/{layer}/3/1/1", ADMIN)
    yield ask("/admin/cache/terms-modified?bbox=-180,0,0,85&zoom=1&soft=1", ADMIN, method="DELETE")
    # Only the first request gets the stale tile, because the server then revalidates it.
    yield ask("/terms-modified/1/0/0.png")
    yield ask("/admin/cache/terms-must?zoom=0-3&soft=1", ADMIN, method="DELETE")
    yield ask("/terms-must/1/0/0.png")


def guarded():
    """The site with a disk cache before the restart."""
    forwarded = ("X-Forwarded-Host: evil.example", "X-Forwarded-Proto: http")
    yield from many("/*", ("grid.json", "layers.json", "both.json", ""), *forwarded)
    for path in ("grid/1/0/0.png", "rgb/1/0/0.png", "rgb/1/0/0@2x.png", "rgb/2/1/1.png", "missing/1/0/0.png",
        "both/1/0/0.png", "both/1/0/0.png"):
        yield settled(ask(f"/{path}"))
    yield from many("/admin/explain/*", ("rgb/1/0/0", "missing/1/0/0", "both/1/0/0"), ADMIN)
    yield settled(ask("/admin/cache", ADMIN))
    for host in ("tileserver", "tiles.example.org", "elsewhere.example.org"):
        yield settled(ask("/admin/cache", ADMIN, host=host))
    yield ask("/admin/cache/rgb/2/1/1", ADMIN, method="DELETE")
    yield ask("/rgb/2/1/1.png")
    yield settled(ask("/admin/cache/rgb?bbox=-180,0,0,85&zoom=1&soft=1", ADMIN, method="DELETE"))
    yield settled(ask("/admin/cache/grid", ADMIN, method="DELETE"))
    yield from many("/*.png", ("grid/1/0/0", "grid/1/1/1"))
    yield from limits()
    yield settled(ask("/health"))


def limits():
    line = b"GET /health HTTP/1.1\r\nHost: a\r\n"
    yield Question(line + b"\r\n" + (line + b"\r\n") * 4)
    yield Question(line)
    yield Question(b"GET /" + b"a" * 1_100 + b" HTTP/1.1\r\nHost: a\r\n\r\n")
    yield Question(line + b"A: " + b"a" * 600 + b"\r\n\r\n")
    yield Question(line + b"A: b\r\n" * 20 + b"\r\n")
    yield Question(line + (b"A: " + b"a" * 400 + b"\r\n") * 5 + b"\r\n")
    yield ask("/grid/camera", method="POST", body=b" " * 1_100)
    yield ask("/grid/2/1/1.png", body=b" " * 1_100)


def restarted():
    """The same site after a restart, with the tiles from disk."""
    yield from many("/*.png", ("grid/1/0/0", "rgb/1/0/0", "rgb/2/1/1", "missing/1/0/0", "both/1/0/0", "rgb/1/0/0"))
    yield from many("/admin/explain/*", ("rgb/2/1/1", "grid/1/0/0"), ADMIN)
    yield settled(ask("/admin/cache", ADMIN))
    yield settled(ask("/admin/cache", ADMIN, method="DELETE"))
    yield from many("/rgb/1/0/0.png", ("", ""))


def settled(question):
    return dataclasses.replace(question, settled=True)
