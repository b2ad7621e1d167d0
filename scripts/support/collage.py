"""Puts panels of tiles into one picture. Run this with a Python that has Pillow.

    collage.py LISTING TARGET   LISTING is JSON: for each panel its box, and the files and positions of its tiles
"""
import json
import pathlib
import sys

from PIL import Image


def main(listing, target):
    panels = json.loads(pathlib.Path(listing).read_text())
    width = max(panel["box"][0] + panel["box"][2] for panel in panels)
    height = max(panel["box"][1] + panel["box"][3] for panel in panels)
    picture = Image.new("RGB", (width, height), (255, 255, 255))
    for panel in panels:
        left, top, *size = panel["box"]
        part = Image.new("RGB", tuple(size), (250, 250, 248))
        for file, x, y in panel["tiles"]:
            tile = Image.open(file).convert("RGBA")
            part.paste(tile, (x, y), tile)
        picture.paste(part, (left, top))
    picture.save(target, optimize=True)


main(*sys.argv[1:])
