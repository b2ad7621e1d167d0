"""PNG images to serve."""
import random
import struct
import zlib

# Colour types (PNG 11.2.1).
GREY, RGB, RGBA = 0, 2, 6
END = struct.pack(">I", 0) + b"IEND" + struct.pack(">I", zlib.crc32(b"IEND"))


def png(size=8192, edge=256, seed=1):
    """Returns a valid PNG of exactly `size` bytes: black and white noise as far as it fits, and a comment for the
    rest."""
    noise = random.Random(seed)
    stride = edge // 8
    rows = min(edge, (size - 256 - size // 1000) // (stride + 1))
    pixels = b"".join(b"\0" + (noise.randbytes(stride) if row < rows else bytes(stride)) for row in range(edge))
    start = head(edge, edge, 1, GREY)
    end = chunk(b"IDAT", zlib.compress(pixels, 9)) + END
    comment = b"Comment\0"
    padding = size - len(start) - len(end) - 12 - len(comment)
    if padding < 0:
        raise ValueError(f"{size} bytes are too few for {edge} pixels")
    return start + chunk(b"tEXt", comment + b"." * padding) + end


def colours(edge=2_048, seed=1):
    """Returns a valid PNG of `edge` pixels a side in colour noise, with nine tenths of a byte a pixel."""
    noise, table = random.Random(seed), bytes(value % 5 * 40 for value in range(256))
    pixels = b"".join(b"\0" + noise.randbytes(edge * 3).translate(table) for _ in range(edge))
    deflate = zlib.compressobj(strategy=zlib.Z_HUFFMAN_ONLY)
    return head(edge, edge, 8, RGB) + chunk(b"IDAT", deflate.compress(pixels) + deflate.flush()) + END


def image(width, height, color, rows):
    """Returns a PNG with 8 bits a channel. Each of `rows` follows its filter byte."""
    return head(width, height, 8, color) + chunk(b"IDAT", zlib.compress(rows, 6)) + END


def head(width, height, depth, color):
    """Returns the beginning of a PNG."""
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, depth, color, 0, 0, 0))


def chunk(kind, body):
    return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))
