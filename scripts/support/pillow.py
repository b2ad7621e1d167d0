"""Decodes and encodes images with Pillow. Run this with a Python that has Pillow.

    pillow.py pixels FILE…          writes Pillow's pixels to FILE.shown, RGBA
    pillow.py encode CHANNELS FILE… prints bytes and microseconds of CPU of Pillow's default PNG
    pillow.py compare FILE…         prints `same` or `other` for each FILE and its FILE.ours
    pillow.py seen FILE…            like compare, but ignores the colours of transparent pixels
    pillow.py jpeg FILE             writes a JPEG of 256 × 256 pixels, as smooth as a picture from far above
"""
import io
import pathlib
import sys
import time

import numpy
from PIL import Image


def pixels(*files):
    for file in files:
        try:
            shown = rgba(file)
        except (OSError, SyntaxError) as error:
            print(error)
            continue
        pathlib.Path(f"{file}.shown").write_bytes(shown.tobytes())
        print(shown.shape)


def rgba(file):
    """Returns the result of `convert("RGBA")`, except for grey if Pillow does not follow PNG (PNG 11.3.1.1, 13.12)."""
    image = Image.open(file)
    key = image.info.get("transparency")
    depth = pathlib.Path(file).read_bytes()[24]
    if image.mode.startswith("I") or image.mode == "L" and key is not None:
        # Pillow clips 16-bit grey to white, but keeps the upper bytes of 16-bit colours. Below 8 bits it compares
        # scaled levels with the unscaled transparent level.
        levels = numpy.asarray(image).astype(int)
        gray = levels >> 8 if depth == 16 else levels
        transparent = None if key is None else key if depth >= 8 else key * 255 // (2 ** depth - 1)
        return numpy.stack([gray] * 3 + [numpy.where(levels == transparent, 0, 255)], -1).astype(numpy.uint8)
    return numpy.asarray(image.convert("RGBA"))


def encode(channels, *files):
    for file in files:
        image = Image.open(file).convert("RGBA")
        if channels == "lean" and image.getextrema()[3] == (255, 255):
            image = image.convert("RGB")
        # The first run includes the time for new memory.
        image.save(io.BytesIO(), "PNG")
        target = io.BytesIO()
        start = time.process_time()
        image.save(target, "PNG")
        print(len(target.getvalue()), (time.process_time() - start) * 1e6)


def compare(*files):
    for file in files:
        pair = [numpy.asarray(Image.open(path).convert("RGBA")) for path in (file, f"{file}.ours")]
        print("same" if numpy.array_equal(*pair) else "other")


def seen(*files):
    for file in files:
        pair = [numpy.array(Image.open(path).convert("RGBA")) for path in (file, f"{file}.ours")]
        for pixels in pair:
            pixels[pixels[..., 3] == 0] = 0
        print("same" if numpy.array_equal(*pair) else "other")


def jpeg(file):
    grid = numpy.random.default_rng(1).integers(0, 256, (16, 16, 3), numpy.uint8)
    Image.fromarray(grid).resize((256, 256), Image.BICUBIC).save(file, "JPEG")


COMMANDS = {"pixels": pixels, "encode": encode, "compare": compare, "seen": seen, "jpeg": jpeg}
COMMANDS[sys.argv[1]](*sys.argv[2:])
