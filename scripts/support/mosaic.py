"""Counts the pixels of a picture that differ from tiles side by side. Needs Pillow and numpy.

    mosaic.py PICTURE TILES COUNT

TILES/{x}-{y}.png are COUNT × COUNT tiles; where a file is missing there is no tile. A picture without alpha shows black
there.
"""
import pathlib
import sys

import numpy
from PIL import Image

picture, tiles, count = Image.open(sys.argv[1]).convert("RGBA"), pathlib.Path(sys.argv[2]), int(sys.argv[3])
wanted = Image.new("RGBA", picture.size)
side = picture.width // count
for x in range(count):
    for y in range(count):
        file = tiles / f"{x}-{y}.png"
        if file.exists():
            wanted.paste(Image.open(file).convert("RGBA"), (x * side, y * side))
seen, expected = numpy.asarray(picture, dtype=int), numpy.asarray(wanted, dtype=int)
apart = abs(seen - expected).max(axis=2)
# The colour of invisible pixels does not matter.
apart[(seen[:, :, 3] == 0) & (expected[:, :, 3] == 0)] = 0
print((apart > 2).sum())
