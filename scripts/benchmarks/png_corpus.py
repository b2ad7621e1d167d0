#!/usr/bin/env python3
"""Draws pictures like those of tiles, the same at every run, and writes them into a directory as PNG.

Needs numpy and Pillow.
"""
import argparse
import io
import pathlib

import numpy
from PIL import Image, ImageDraw, ImageFont

# Factor by which shapes are drawn larger before they are averaged down, which smooths their edges.
FINE = 4
WATER = (170, 211, 223)
LAND = (242, 239, 233)


def flat(side, variant, random):
    """Sea. The second picture also has a few areas of one colour each."""
    image = Image.new("RGBA", (side, side), WATER)
    draw = ImageDraw.Draw(image)
    for color in ((205, 235, 176), (242, 239, 233), (224, 223, 223)) if variant == 2 else ():
        left, top = random.integers(0, side, 2)
        draw.rectangle([left, top, left + side // 3, top + side // 2], color)
    return image


def labels(side, variant, random):
    """Streets with casings and names."""
    image = Image.new("RGBA", (side * FINE, side * FINE), LAND)
    draw = ImageDraw.Draw(image)
    streets = [random.integers(-side, 2 * side, 4) * FINE for _ in range(6 + side // 32)]
    for width, color in ((9, (190, 180, 170)), (7, (255, 255, 255))):
        for street in streets:
            draw.line([int(value) for value in street], color, width * FINE)
    image = image.resize((side, side), Image.BOX)
    words = ["Harbour Road", "Mill Lane", "Old Town", "Station", "St Mary's", "High Street", "Park"]
    for number in range(side // 20):
        text = _text(words[number % len(words)])
        image.paste((60, 60, 70), tuple(int(value) for value in random.integers(-20, side, 2)), text)
    return image


def _text(word):
    """Returns `word` as a mask with smooth edges."""
    font = ImageFont.load_default()
    left, top, right, bottom = font.getbbox(word)
    mask = Image.new("L", (int(right - left) + 2, int(bottom - top) + 2))
    ImageDraw.Draw(mask).text((1 - left, 1 - top), word, 255, font)
    return mask.resize((mask.width * 3 // 2, mask.height * 3 // 2), Image.BICUBIC)


def coastline(side, variant, random):
    """Land and sea of one colour each, with a smooth, cased shore."""
    height = _noise(side * FINE, random, 2.6)
    level = numpy.quantile(height, 0.5)
    slope = numpy.hypot(*numpy.gradient(height))
    image = numpy.where((height > level)[..., None], LAND, WATER)
    image[numpy.abs(height - level) < slope * 1.5 * FINE / 2] = (110, 150, 175)
    fine = Image.fromarray(image.astype(numpy.uint8), "RGB")
    return fine.resize((side, side), Image.BOX).convert("RGBA")


def relief(side, variant, random):
    """Coloured heights, shaded by light from the north-west."""
    height = _noise(side, random, 3.2)
    y, x = numpy.gradient(height * side / 20)
    shade = (1 + x * 0.7 + y * 0.7) / numpy.sqrt(1 + x * x + y * y)
    stops = numpy.array([[112, 168, 120], [172, 205, 140], [235, 225, 175], [190, 150, 110], [250, 250, 250]])
    place = (height - height.min()) / (height.max() - height.min()) * (len(stops) - 1)
    color = numpy.stack([numpy.interp(place, range(len(stops)), stops[:, channel]) for channel in range(3)], -1)
    return _picture(color * numpy.clip(0.55 + 0.4 * shade, 0, 1.2)[..., None])


def mandelbrot(side, variant, random):
    """A part of the set's edge in smooth colours."""
    x, y, width = ((-0.7436, 0.1318, 0.012), (-1.25, 0.03, 0.3))[variant - 1]
    grid = numpy.linspace(-0.5, 0.5, side) * width
    c = (x + grid)[None, :] + 1j * (y + grid)[:, None]
    z, count = numpy.zeros_like(c), numpy.full(c.shape, numpy.nan)
    for step in range(300):
        z = numpy.where(numpy.isnan(count), z * z + c, z)
        gone = numpy.isnan(count) & (abs(z) > 16)
        count[gone] = step - numpy.log2(numpy.log(abs(z[gone])))
    color = numpy.stack([127 + 127 * numpy.cos(numpy.sqrt(count) + shift) for shift in (3.0, 3.6, 4.4)], -1)
    return _picture(numpy.where(numpy.isnan(count)[..., None], 0, color))


def photograph(side, variant, random):
    """Fields, woods and the noise of a sensor. The second picture was a JPEG before."""
    light = _noise(side, random, 1.6)
    fields = numpy.floor(_noise(side, random, 2.8) * 3)
    tint = numpy.stack([numpy.sin(fields * factor) for factor in (1.3, 2.1, 3.7)], -1)
    color = numpy.array([95, 105, 75]) + 22 * light[..., None] + 18 * tint
    image = _picture(color + random.normal(0, 2.5, color.shape))
    if variant == 2:
        file = io.BytesIO()
        image.convert("RGB").save(file, "JPEG", quality=85)
        image = Image.open(file).convert("RGBA")
    return image


def overlay(side, variant, random):
    """A transparent picture with translucent spots, a track and marks."""
    y, x = numpy.mgrid[0:side, 0:side]
    heat = numpy.zeros((side, side))
    for _ in range(5):
        cx, cy, radius = random.uniform(0, side), random.uniform(0, side), random.uniform(side / 16, side / 6)
        heat = numpy.maximum(heat, 1 - numpy.hypot(x - cx, y - cy) / radius)
    pixels = numpy.zeros((side, side, 4), numpy.uint8)
    seen = heat > 0
    pixels[seen, 0] = 255
    pixels[seen, 1] = (220 * (1 - heat[seen])).astype(numpy.uint8)
    pixels[..., 3] = (180 * heat).astype(numpy.uint8)
    lines = Image.new("RGBA", (side * FINE, side * FINE))
    track = numpy.cumsum(random.normal(0, side / 30, (60, 2)), 0) + side / 2
    ImageDraw.Draw(lines).line([tuple(point) for point in track * FINE], (20, 90, 200, 255), 3 * FINE)
    return Image.alpha_composite(Image.fromarray(pixels, "RGBA"), lines.resize((side, side), Image.BOX))


def _noise(side, random, steepness):
    """Fractal noise around 0 with deviation 1: a spectrum that falls with frequency to the power of `steepness`."""
    y = numpy.fft.fftfreq(side)[:, None] * side
    x = numpy.fft.rfftfreq(side)[None, :] * side
    frequency = numpy.hypot(x, y)
    frequency[0, 0] = 1
    spectrum = numpy.fft.rfft2(random.normal(size=(side, side))) / frequency ** (steepness / 1.4)
    spectrum[0, 0] = 0
    noise = numpy.fft.irfft2(spectrum, (side, side))
    return noise / noise.std()


def _picture(color):
    return Image.fromarray(numpy.clip(color, 0, 255).astype(numpy.uint8), "RGB").convert("RGBA")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("directory", type=pathlib.Path)
    directory = parser.parse_args().directory
    for kind, draw in enumerate((flat, labels, coastline, relief, photograph, overlay, mandelbrot)):
        for side in (256, 512):
            for variant in (1, 2):
                random = numpy.random.default_rng([kind, side, variant])
                draw(side, variant, random).save(directory / f"{draw.__name__}-{side}-{variant}.png")


if __name__ == "__main__":
    main()
