"""The most that a channel of two pictures differs, and how many pixels do; run by a Python that has Pillow and numpy.

    difference.py ONE OTHER
"""
import sys

import numpy
from PIL import Image

one, other = (numpy.asarray(Image.open(file).convert("RGB"), dtype=int) for file in sys.argv[1:])
apart = abs(one - other).max(axis=2)
print(apart.max(), (apart > 0).sum())
