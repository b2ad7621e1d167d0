"""The upstreams. A response depends only on the path and on the number of earlier requests."""
import collections
import gzip
import threading

from support.upstream import Upstream

from .pictures import GIF, bomb, sample, squares

FIXED_DATE = "Sat, 01 Jan 2022 00:00:00 GMT"

# Cache header fields of the tiles of the layers `terms-{name}`.
TERMS = {
    "maxage": {"Cache-Control": "max-age=600"},
    "smaxage": {"Cache-Control": "public, max-age=60, s-maxage=7200"},
    "nostore": {"Cache-Control": "no-store"},
    "nocache": {"Cache-Control": "no-cache"},
    "private": {"Cache-Control": "private, max-age=600"},
    "must": {"Cache-Control": "max-age=600, must-revalidate"},
    "windows": {"Cache-Control": "max-age=600, stale-while-revalidate=30, stale-if-error=90"},
    "expires": {"Expires": "Sat, 01 Jan 2050 00:00:00 GMT"},
    "past": {"Expires": "0"},
    "aged": {"Cache-Control": "max-age=6000", "Age": "1000"},
    "absurd": {"Cache-Control": "max-age=99999999999999999999", "Age": "-1"},
    "vary": {"Vary": "*"},
    "cookie": {"Set-Cookie": "a=b", "Server": "other", "Via": "1.1 elsewhere"},
    "modified": {"Last-Modified": FIXED_DATE, "ETag": '"one"', "Cache-Control": "max-age=600"},
}

# Layers with their own upstream, because it would block other layers of its host: name, and kind of response.
BROKEN = {
    "error": (500, {}, b"broken"), "unavailable": (503, {}, b""), "busy": (503, {"Retry-After": "120"}, b"later"),
    "limited": (429, {"Retry-After": "7"}, b""), "denied": (403, {}, b"no"), "login": (401, {}, b"who?"),
    "teapot": (418, {}, b"short and stout"), "garbage": (200, {}, b"<html>Welcome to the hotel's network</html>"),
    "loop": (302, {"Location": "/loop/again"}, b""), "bomb": (200, {}, bomb()),
    "cut": (200, {}, squares("cut")[:200]), "large": (200, {}, squares("large") + bytes(5 << 20)),
    "badgzip": (200, {"Content-Encoding": "gzip"}, b"no gzip at all"),
    "inward": (302, {"Location": "http://127.0.0.1:1/secret"}, b""),
}
# These break the protocol. `once` answers correctly the first time only.
RUDE = ("hang", "refuse", "short", "once", "renewed")

PLAIN = {
    "jpeg": sample("jpeg/jpegProgressive"), "graywebp": sample("webp/webpLossless"), "webp": sample("webp/webp"),
    "webpalpha": sample("webp/webpAlpha"), "animated": sample("webp/webpAnimated"), "cmyk": sample("jpeg/jpegCMYK"),
    "turned": sample("jpeg/jpegTurned"), "gif": GIF, "palette": sample("png/palette"), "deep16": sample("png/rgb16"),
    "graya16": sample("png/grayalpha16"), "gray1": sample("png/gray1"), "interlaced": sample("png/interlaced"),
}


class Source(Upstream):
    """An upstream. A path begins with the kind of its response."""

    def __init__(self):
        super().__init__()
        self._asked = collections.Counter()
        self._lock = threading.Lock()

    def forget(self):
        """Begins again for the second program."""
        with self._lock:
            self._asked.clear()

    def answer(self, handler):
        with self._lock:
            self._asked[handler.path] += 1
            count = self._asked[handler.path]
        kind = handler.path.split("/")[1]
        if kind in ("hang", "refuse") or (kind == "short"):
            return self._break(handler, kind)
        status, headers, body = reply(kind, handler.path, count, handler.headers)
        handler.send_response_only(status)
        handler.send_header("Content-Type", "image/png")
        if status not in (204, 304):
            handler.send_header("Content-Length", str(len(body)))
        for name, value in headers.items():
            handler.send_header(name, value)
        handler.end_headers()
        if status not in (204, 304):
            handler.wfile.write(body)

    def _break(self, handler, kind):
        if kind == "hang":
            self._over.wait(3)
        if kind == "short":
            handler.wfile.write(b"HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\nshort")
        handler.close_connection = True


def reply(kind, path, count, fields):
    """Returns (status, headers, body) of the `count`th request for a path."""
    if kind in BROKEN:
        return BROKEN[kind]
    if kind in PLAIN:
        return 200, {}, PLAIN[kind]
    if kind.startswith("terms-"):
        headers = TERMS[kind.removeprefix("terms-")]
        unchanged = "ETag" in headers and fields.get("If-None-Match") == headers["ETag"]
        return (304, headers, b"") if unchanged else (200, headers, squares(path))
    if kind == "once":
        return (200, {"Cache-Control": "max-age=600"}, squares(path)) if count == 1 else (500, {}, b"")
    if kind == "renewed":
        return 200, {"Cache-Control": "max-age=600"}, squares(f"{path} {count}")
    return tile(kind, path)


def tile(kind, path):
    """Returns the responses of sources without faults."""
    z, x, y = (int(word) for word in path.split("?")[0].split(".")[0].split("/")[-3:]) if path.count("/") == 4 else (0,
        0, 0)
    match kind:
        case "missing": return 404, {}, b"nothing here"
        case "gone": return 410, {}, b""
        case "nothing": return 204, {}, b""
        case "empty": return 200, {}, b""
        case "some" if (x + y) % 2: return 404, {}, b""
        case "deep" if z > 2: return 404, {}, b""
        case "rgba": return 200, {}, squares(path, alpha=True)
        case "large512": return 200, {}, squares(path, side=512)
        case "gzip": return 200, {"Content-Encoding": "gzip"}, gzip.compress(squares(path), mtime=0)
        case "html": return 200, {"Content-Type": "text/html"}, squares(path)
        case "moved": return 302, {"Location": path.replace("/moved/", "/rgb/")}, b""
        case "trailing": return 200, {}, squares(path) + b"more behind it"
        case _: return 200, {}, squares(path)
