"""Prints the maximum difference of a channel of two pictures, and the number of different pixels.

    difference.py ONE OTHER

Run this with a Python that has Pillow and numpy.
"""
import sys

import numpy
from PIL import Image

one, other = (numpy.asarray(Image.open(file).convert("RGB"), dtype=int) for file in sys.argv[1:])
apart = abs(one - other).max(axis=2)
print(apart.max(), (apart > 0).sum())
