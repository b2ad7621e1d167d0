"""Writes a GeoTIFF of the world from its tiles. Runs in an environment with rasterio.

    raster.py TILES ZOOM FILE

`TILES` has the PNG tiles of a zoom as `{x}/{y}.png`, with 256 pixels a side.
"""
import pathlib
import sys

import numpy
import rasterio
from rasterio.transform import from_bounds
from rasterio.windows import Window

# Half the circumference of the earth in metres of EPSG:3857.
EDGE = 20037508.342789244


def main():
    tiles, zoom, file = pathlib.Path(sys.argv[1]), int(sys.argv[2]), sys.argv[3]
    side = 256 << zoom
    with rasterio.open(
            file, "w", driver="GTiff", width=side, height=side, count=3, dtype="uint8", crs="EPSG:3857", tiled=True,
            compress="deflate", transform=from_bounds(-EDGE, -EDGE, EDGE, EDGE, side, side)) as raster:
        for path in tiles.rglob("*.png"):
            x, y = int(path.parent.name), int(path.stem)
            with rasterio.open(path) as tile:
                bands = tile.read()
                table = tile.colormap(1) if tile.count == 1 and tile.colorinterp[0].name == "palette" else None
            if table:
                bands = numpy.array([[table[index][band] for index in range(256)] for band in range(3)], "uint8")[:, bands[0]]
            elif len(bands) < 3:
                bands = bands[[0, 0, 0]]
            raster.write(bands[:3], window=Window(x * 256, y * 256, 256, 256))


main()
