"""Draws the pictures of `camerabench` with Pillow. Run this with a Python that has Pillow.

    perspective.py time ANGLE BEARING COUNT    prints microseconds of CPU of each of COUNT transforms
    perspective.py compare ANGLE BEARING FILE  prints the greatest difference to the pixels in FILE in their near half
"""
import math
import pathlib
import sys
import time

import mercator
import numpy
from PIL import Image

WIDTH, HEIGHT = 800, 600
LATITUDE, LONGITUDE, ZOOM = -33.8683, 151.2086, 16


def ground(x, y, angle, bearing):
    """Returns the pixel of the map at ZOOM that is seen at a point of the view (model.md 9.1)."""
    target = [part * 256 * 2 ** ZOOM for part in mercator.place(LONGITUDE, LATITUDE)]
    across, along, distance = x - WIDTH / 2, y - HEIGHT / 2, 1.5 * HEIGHT
    nearness = distance * math.cos(angle) + along * math.sin(angle)
    right, down = across * distance * math.cos(angle) / nearness, along * distance / nearness
    return (target[0] + right * math.cos(bearing) - down * math.sin(bearing),
            target[1] + right * math.sin(bearing) + down * math.cos(bearing))


def slopes(left, top, width, height):
    """The map, as the tiles of `camerabench` have it."""
    y, x = numpy.mgrid[top:top + height, left:left + width]
    channels = [numpy.abs(value % 510 - 255) for value in (x * 5, y * 3, (x + 2 * y) * 2)]
    return numpy.stack([*channels, numpy.full_like(x, 255)], -1).astype(numpy.uint8)


def scene(angle, bearing):
    """The map around the view, and the eight numbers that Pillow wants."""
    corners = [(0, 0), (WIDTH, 0), (WIDTH, HEIGHT), (0, HEIGHT)]
    seen = [ground(*corner, math.radians(angle), math.radians(bearing)) for corner in corners]
    left, top = (math.floor(min(axis)) - 2 for axis in zip(*seen))
    right, bottom = (math.ceil(max(axis)) + 2 for axis in zip(*seen))
    rows, values = [], []
    for (x, y), (seen_x, seen_y) in zip(corners, seen):
        seen_x, seen_y = seen_x - left, seen_y - top
        rows += [[x, y, 1, 0, 0, 0, -seen_x * x, -seen_x * y], [0, 0, 0, x, y, 1, -seen_y * x, -seen_y * y]]
        values += [seen_x, seen_y]
    image = Image.fromarray(slopes(left, top, right - left, bottom - top), "RGBA")
    return image, list(numpy.linalg.solve(numpy.array(rows), numpy.array(values)))


def transform(image, numbers):
    return image.transform((WIDTH, HEIGHT), Image.PERSPECTIVE, numbers, Image.BILINEAR)


def measure(angle, bearing, count):
    image, numbers = scene(float(angle), float(bearing))
    transform(image, numbers)
    for _ in range(int(count)):
        start = time.process_time()
        transform(image, numbers)
        print((time.process_time() - start) * 1e6)


def compare(angle, bearing, file):
    theirs = numpy.asarray(transform(*scene(float(angle), float(bearing)))).astype(int)
    ours = numpy.frombuffer(pathlib.Path(file).read_bytes(), numpy.uint8).reshape(theirs.shape)
    print(numpy.abs(theirs - ours)[HEIGHT // 2:].max())


{"time": measure, "compare": compare}[sys.argv[1]](*sys.argv[2:])
