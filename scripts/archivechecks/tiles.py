"""Reads an archive with PyPI's pmtiles, and writes its tiles as files. Runs in an environment with that package.

    tiles.py ARCHIVE DIRECTORY

Prints the header's facts as JSON, with the type `raster`, `vector` or `unreadable`. A tile is `{z}/{x}/{y}`.
"""
import json
import pathlib
import sys

from pmtiles.reader import MmapSource, Reader, all_tiles
from pmtiles.tile import TileType

RASTER = {TileType.PNG: "png", TileType.JPEG: "jpg", TileType.WEBP: "webp"}


def facts(archive, directory):
    get = MmapSource(archive)
    reader = Reader(get)
    header = reader.header()
    if header["tile_type"] not in RASTER:
        return {"type": "vector", "tiles": header["tile_type"].name}
    for (z, x, y), image in all_tiles(get):
        path = directory / str(z) / str(x) / str(y)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(image)
    edges = [header[name] / 1e7 for name in ("min_lon_e7", "min_lat_e7", "max_lon_e7", "max_lat_e7")]
    return {
        "type": "raster", "suffix": RASTER[header["tile_type"]], "zooms": [header["min_zoom"], header["max_zoom"]],
        "bounds": edges, "attribution": reader.metadata().get("attribution")}


def main():
    with open(sys.argv[1], "rb") as archive:
        try:
            found = facts(archive, pathlib.Path(sys.argv[2]))
        # The package has many errors, also of Python's own modules, for a file that is no archive.
        except Exception as error:  # noqa: BLE001
            found = {"type": "unreadable", "why": repr(error)}
    print(json.dumps(found))


main()
