"""Requests for tiles: every source, size and format, missing tiles, and failures."""
from .asking import ETAG, GENERATION, MODIFIED, ask, many
from .site import BLENDS
from .upstreams import BROKEN, PLAIN, TERMS

DRAWN = (
    "solid", "shade", "checkerboard", "grid", "grid512", "graticule", "odd", "world", "world512", "relief", "desert",
    "mandelbrot", "daylight", "twilight", "shapes", "shapes512",
)
PLACES = ("0/0/0", "3/5/2", "9/267/178", "17/68576/45839@2x")
EMPTY = ("404", "204", "transparent", "overzoom", "TRANSPARENT", "", "no", "404&empty=204")
SOURCES = (
    "rgb", "rgba", "gzip", "html", "moved", "trailing", "retina", "tms", "minus", "quad", "box", "large512", "shrunk",
    "override", "short-lived", "deep", *PLAIN,
)
MAPS = (
    "demo", "skips", "fails", "holes", "nothing2", "single", "big", "mixed", "deepmap", "boxed", "phone", "android",
    *(f"blend-{blend}" for blend in BLENDS),
)


def questions():
    yield from drawn()
    yield from nothing()
    yield from fetched()
    yield from failing()
    yield from files()
    yield from maps()
    yield from conditional()


def drawn():
    for layer in DRAWN:
        yield from many(f"/{layer}/*.png", PLACES)
    yield from many("/grid/2/1/1*", ("@1x.png", "@3x.png", "@4x.png", "@2x.PNG", ".jpg", ".webp", ".jpeg", ""))
    yield from many("/relief/*.png", ("30/536870912/357913941", "22/2194432/1466848@4x", "0/0/0@4x"))
    yield from many("/mandelbrot/*.png", ("30/536870912/536870912", "21/1048576/1048576@2x", "7/64/64@4x"))
    yield from many("/wrapped/*.png", ("2/5/1", "2/-1/1", "2/4000000000/0@2x", "2/0/4"))
    yield from many("/small/*.png", ("1/0/0", "2/2/1", "4/8/5", "4/0/0", "5/16/11"))
    yield from many("/across/*.png", ("3/0/4", "3/7/4", "3/4/4", "10/0/512"))
    yield from many("/*/4/8/5.png", ("hidden", "solid", "solid"))


def nothing():
    for layer in ("odd", "odd204", "oddclear", "missing", "gone", "nothing", "empty"):
        yield from many(f"/{layer}/3/2/3.png*", ["", *(f"?empty={value}" for value in EMPTY[:4])])
    yield from many("/odd/3/2/3.png?empty=*", EMPTY)
    yield from many("/odd/3/2/3*", ("@2x.png?empty=transparent", "@4x.png", ".jpg?empty=transparent"))
    yield from many("/oddover/*.png", ("3/2/3", "3/3/3", "6/20/17", "4/5/3@2x"))
    yield from many("/deep/*.png", ("2/1/1", "3/2/2", "5/9/9", "6/18/18", "9/200/200", "5/9/9@2x", "10/0/0"))
    yield from many("/deepnot/*", ("2/1/1.png", "3/2/2.png", "3/2/2.png?empty=overzoom", "3/2/2.png?empty=404",
                                "9/1/1.png?empty=overzoom"))
    yield from many("/some/*", ("3/1/1.png", "3/1/2.png", "3/1/2@2x.png", "3/2/2@2x.png", "3/1/2.png?empty=overzoom"))
    yield from many("/missing/3/2/3.png", [""], "Accept: image/webp")


def fetched():
    for layer in SOURCES:
        yield from many(f"/{layer}/*", ("2/1/1.png", "2/1/1@2x.png"))
    for layer in PLAIN:
        yield from many(f"/{layer}/2/1/1*", (".jpg", ".webp", ".jpeg", "@3x.png"))
    for layer in TERMS:
        yield from many(f"/terms-{layer}/1/0/0.png*", ("", "", f"?v={GENERATION}"))
    for accept in ("image/webp", "image/png", "text/html", "*/*;q=0"):
        yield ask("/webp/2/1/1.png", f"Accept: {accept}")
    yield from many("/offline/2/1/1*.png", ("", "@2x"))
    yield from many("/world-wide/2/*.png", ("7/1", "-3/1", "3/1"))
    yield ask("/rgb/2/1/1.png", "Cookie: a=b", "User-Agent: other", "Cache-Control: no-cache", "Pragma: no-cache")
    yield ask("/rgb/2/1/1.png?cb=1&unknown=%20&v=1", "Range: bytes=0-9")


def failing():
    for layer in (*BROKEN, "hang", "refuse", "short", "nowhere"):
        yield from many(f"/{layer}/*", ("3/1/1.png", "3/1/1.png", "3/1/1@2x.png", "3/2/1@2x.png",
            "4/9/9.png?empty=overzoom",
                                         "4/9/8.png?empty=transparent"))
    # The circuit breaker: after this many failures the server asks the upstream no more.
    yield from many("/refuse/4/*/4.png", [str(x) for x in range(8)])
    yield from many("/error/5/*/4.png", [str(x) for x in range(24)])


def files():
    yield from many("/floors/*", ("17/20712/44868.png", "17/20712/44868@2x.png", "17/1/1.png", "14/1/1.png",
                                  "17/20712/44868.jpg", "18/41425/89736@2x.png"))
    yield from many("/files/*", ("0/0/0.png", "0/0/0@2x.png", "1/1/0.png", "1/0/1.png", "1/0/1.png?empty=overzoom"))
    yield from many("/atlas/*", ("0/0/0.png", "0/0/0@2x.png", "1/0/0.png", "1/0/1.png", "1/1/1.png", "2/1/1.png",
                                 "2/3/3.png", "3/0/0.png", "2/1/1@2x.png", "1/1/1.jpg", "2/3/3.png?empty=overzoom"))
    yield from many("/photos/*", ("0/0/0.jpg", "0/0/0.png", "0/0/0@2x.png", "1/1/0.png", "1/1/0.jpg", "1/0/0.jpg",
                                  "0/0/0.webp", "0/0/0.jpeg"))
    yield from many("/shapes/*.png", ("1/1/0", "5/16/11", "5/16/11@4x", "6/33/22", "2/3/2", "2/0/2", "8/10/10",
        "7/64/63@3x"))


def maps():
    for name in MAPS:
        yield from many(f"/{name}/*", ("1/1/0.png", "3/4/2.png", "3/4/2@2x.png", "3/5/2.png?empty=transparent"))
    yield from many("/demo/3/4/2*", (".jpg", ".webp", "@5x.png", ".png", ".png?empty=204"))
    yield from many("/nothing2/3/2/2.png?empty=*", ("204", "transparent", "overzoom"))
    yield from many("/deepmap/*.png", ("2/1/1", "5/9/9", "7/36/36"))


def conditional():
    for path in ("/grid/2/1/1.png", "/terms-modified/3/1/1.png", "/demo/1/0/0.png", "/grid.json", "/layers.json", "/",
                 "/demo/static/8.5,47.4,5/120x80.png", "/atlas/0/0/0.png"):
        yield ask(path, f"If-None-Match: {ETAG}")
        yield ask(path, f"If-None-Match: W/{ETAG}")
        yield ask(path, f'If-None-Match: "a", "b,c" , {ETAG}')
        yield ask(path, 'If-None-Match: "other"')
        yield ask(path, "If-None-Match: *")
        yield ask(path, f"If-None-Match: {ETAG}", method="HEAD")
    for value in (MODIFIED, "Sat, 01 Jan 2000 00:00:00 GMT", "Saturday, 01-Jan-50 00:00:00 GMT", "yesterday",
                  "Fri, 31 Dec 2049 00:00:00 GMT"):
        yield ask("/terms-modified/3/1/1.png", f"If-Modified-Since: {value}")
    yield ask("/terms-modified/3/1/1.png", 'If-None-Match: "x"', f"If-Modified-Since: {MODIFIED}")
    yield ask("/terms-modified/3/1/1.png", f"If-None-Match: {ETAG}", "If-Match: \"x\"")
    yield ask("/grid/2/1/1.png", "If-None-Match: no quotes")
    yield from many(f"/grid/2/1/1.png?*", (f"v={GENERATION}", "v=1", f"v={GENERATION}0", f"v={GENERATION}&v=2", "v="))
