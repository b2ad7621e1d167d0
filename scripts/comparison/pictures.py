"""Images for the upstreams: PNG made here, and other formats from the seeds of the fuzzer."""
import functools
import struct
import zlib

from support.machine import ROOT
from support.tile import END, RGB, RGBA, chunk, head, image

CORPUS = ROOT / "fuzz/corpus"
GIF = bytes.fromhex("474946383961010001008000ff10a0ff0000002c00000000010001000002024401003b")


def sample(name):
    """Returns a file of fuzz/corpus, such as `jpeg/jpegGray`."""
    return (CORPUS / name).read_bytes()


@functools.lru_cache(maxsize=4_096)
def squares(name, side=256, alpha=False):
    """Returns a PNG of 16 x 16 squares. `name` decides the colours, so every run is the same. With `alpha` some squares
    are clear."""
    cells = 16
    edge = side // cells
    rows = []
    for row in range(cells):
        line = b"".join(_color(f"{name} {row} {column}", alpha) * edge for column in range(cells))
        rows += [b"\0" + line] * edge
    return image(edge * cells, edge * cells, RGBA if alpha else RGB, b"".join(rows))


def _color(text, alpha):
    number = zlib.crc32(text.encode())
    color = struct.pack(">I", number)
    return color[:3] + bytes([(0, 255, number % 256)[number % 3]]) if alpha else color[:3]


def bomb():
    """Returns a PNG whose header claims 100,000 pixels a side."""
    return head(100_000, 100_000, 8, RGBA) + chunk(b"IDAT", b"") + END
