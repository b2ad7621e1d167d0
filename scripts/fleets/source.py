"""A source whose tiles say which version they are, and which counts what it is asked for."""
import collections
import functools
import re
import threading

from support.tile import chunk
from support.upstream import HEAD, PIXELS, Upstream

STAMP = re.compile(rb"Stamp\0(\S+) (\d+)")


@functools.lru_cache(maxsize=65_536)
def tile(path, version, size=4_096):
    """The tile at `path` in this version: a PNG of about `size` bytes that says so in a comment."""
    text = f"{path} {version} ".encode()
    return HEAD + chunk(b"tEXt", b"Stamp\0" + text + b"." * (size - len(text))) + PIXELS


def version(body):
    """The version that a tile says it has; None where it is no tile of ours."""
    found = STAMP.search(body[:512])
    return int(found[2]) if found else None


class Source(Upstream):
    """An upstream whose tiles live for a day. `asked` counts the requests for each path."""

    def __init__(self, delay=0.0):
        super().__init__(headers={"Cache-Control": "public, max-age=86400"}, delay=delay)
        self.asked = collections.Counter()
        self._lock = threading.Lock()

    def answer(self, handler):
        with self._lock:
            self.asked[handler.path] += 1
        super().answer(handler)

    def body(self, path, version):
        return tile(path, version)
