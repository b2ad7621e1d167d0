"""Puts images and texts into one picture, and writes it as WebP. Run this with a Python that has Pillow.

    panels.py LISTING FONT TARGET   LISTING is JSON: `size`, `images` as [file, x, y], and `texts` as [text, x, y, anchor].
    With `frames`, each image has a thin frame.
"""
import json
import pathlib
import sys

from PIL import Image, ImageDraw, ImageFont

SIZE = 22
INK = (51, 48, 46)
FRAME = (200, 200, 196)


def main(listing, font, target):
    page = json.loads(pathlib.Path(listing).read_text())
    picture = Image.new("RGB", page["size"], (255, 255, 255))
    draw, font = ImageDraw.Draw(picture), ImageFont.truetype(font, SIZE)
    for file, x, y in page["images"]:
        image = Image.open(file).convert("RGBA")
        picture.paste(image, (x, y), image)
        if page.get("frames"):
            draw.rectangle((x, y, x + image.width - 1, y + image.height - 1), outline=FRAME)
    for text, x, y, anchor in page["texts"]:
        draw.text((x, y), text, fill=INK, font=font, anchor=anchor)
    picture.save(target, quality=90, method=6)


main(*sys.argv[1:])
