"""An upstream whose tiles contain their version, and which counts the requests."""
import collections
import functools
import re
import threading
import time

from support.tile import chunk
from support.upstream import HEAD, PIXELS, Upstream

STAMP = re.compile(rb"Stamp\0(\S+) (\d+)")


@functools.lru_cache(maxsize=65_536)
def tile(path, version, size=4_096):
    """Returns the tile at `path` in this version: a PNG of about `size` bytes with the version in a comment."""
    text = f"{path} {version} ".encode()
    return HEAD + chunk(b"tEXt", b"Stamp\0" + text + b"." * (size - len(text))) + PIXELS


def version(body):
    """Returns the version in a tile, or None if it is not a tile of this upstream."""
    found = STAMP.search(body[:512])
    return int(found[2]) if found else None


class Source(Upstream):
    """An upstream whose tiles live for a day. `asked` counts the requests for each path.

    `slow`: by zoom, the seconds between the head of an answer and its content. A node waits for a head 5 s only, for a
    tile 10 s.
    """

    def __init__(self, delay=0.0):
        super().__init__(headers={"Cache-Control": "public, max-age=86400"}, delay=delay)
        self.asked = collections.Counter()
        self.slow = {}
        self._lock = threading.Lock()

    def answer(self, handler):
        with self._lock:
            self.asked[handler.path] += 1
        seconds = self.slow.get(handler.path.split("/")[1])
        if seconds is None:
            super().answer(handler)
        else:
            self.answer_slowly(handler, seconds)

    def answer_slowly(self, handler, seconds):
        body = self.body(handler.path, self.version)
        handler.send_response(200)
        for name, value in {"Content-Type": "image/png", "Content-Length": str(len(body)), **self.headers}.items():
            handler.send_header(name, value)
        handler.end_headers()
        time.sleep(seconds)
        handler.wfile.write(body)

    def body(self, path, version):
        return tile(path, version)
