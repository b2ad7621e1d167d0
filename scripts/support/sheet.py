"""Puts panels of tiles on one picture; run by a Python that has Pillow.

    sheet.py LISTING TARGET   LISTING is JSON: for each panel its caption, the edge of a tile, and rows of files or null
"""
import json
import pathlib
import sys

from PIL import Image, ImageDraw, ImageFont

WIDTH = 2176
GAP = 24
HEAD = 18
# This colour is visible where tiles are transparent.
GROUND = (250, 250, 250)


def mosaic(panel):
    edge, rows = panel["edge"], panel["files"]
    picture = Image.new("RGB", (edge * len(rows[0]), edge * len(rows)), GROUND)
    for row, files in enumerate(rows):
        for column, file in enumerate(files):
            if file:
                tile = Image.open(file).convert("RGBA")
                if tile.size != (edge, edge):
                    sys.exit(f"{file}: {tile.size}, expected {edge} pixels a side")
                picture.paste(tile, (column * edge, row * edge), tile)
    return picture


def arranged(pictures):
    """Returns the place of each picture, from left to right in lines as wide as the sheet, and the sheet's height."""
    places, x, y, tallest = [], GAP, GAP, 0
    for picture in pictures:
        if x > GAP and x + picture.width + GAP > WIDTH:
            x, y, tallest = GAP, y + tallest + HEAD + GAP, 0
        places.append((x, y + HEAD))
        x += picture.width + GAP
        tallest = max(tallest, picture.height)
    return places, y + tallest + HEAD + GAP


def main(listing, target):
    panels = json.loads(pathlib.Path(listing).read_text())
    pictures = [mosaic(panel) for panel in panels]
    places, height = arranged(pictures)
    sheet = Image.new("RGB", (WIDTH, height), (188, 188, 188))
    draw = ImageDraw.Draw(sheet)
    for panel, picture, (x, y) in zip(panels, pictures, places):
        draw.text((x, y - HEAD + 3), panel["caption"], fill=(0, 0, 0), font=ImageFont.load_default())
        sheet.paste(picture, (x, y))
    sheet.save(target)


main(*sys.argv[1:])
