"""Checks of GDAL with /{id}/gdal.xml, and with WMTS in both encodings."""
import json

from .place import debian

# Both programs below reduce pixels to a hash of red, green, blue and alpha, and whether any pixel is visible.
HASH = """
import hashlib, json, sys
import numpy
from osgeo import gdal
gdal.UseExceptions()
def seen(bands):
    bands = [bands[0]] * 3 + bands[1:] if len(bands) < 3 else bands
    bands += [numpy.full_like(bands[0], 255)] * (4 - len(bands))
    # The colour of what is transparent is nobody's business.
    bands = [band * (bands[3] > 0) for band in bands]
    return [hashlib.md5(numpy.stack(bands).tobytes()).hexdigest(), len(numpy.unique(numpy.stack(bands)))]
"""
# Reads tiles from a data set, each by the position of its corner (EPSG:3857), and prints their hashes.
READ = HASH + """
name, corners, side = sys.argv[1], json.loads(sys.argv[2]), int(sys.argv[3])
data = gdal.Open(name)
g = data.GetGeoTransform()
tiles = []
for x, y in corners:
    column, row = round((x - g[0]) / g[1]), round((y - g[3]) / g[5])
    tiles.append(seen([data.GetRasterBand(band + 1).ReadAsArray(column, row, side, side) for band in range(data.RasterCount)]))
first = data.GetRasterBand(1)
overview = first.GetOverview(first.GetOverviewCount() - 1) if first.GetOverviewCount() else first
print(json.dumps({
    "bands": data.RasterCount, "overviews": first.GetOverviewCount(), "block": first.GetBlockSize(), "tiles": tiles,
    "coarse": [overview.XSize, overview.YSize], "sum": int(overview.ReadAsArray().astype("int64").sum()),
    "bounds": [g[0], g[3] + g[5] * data.RasterYSize, g[0] + g[1] * data.RasterXSize, g[3]],
    "epsg": data.GetSpatialRef().GetAuthorityCode(None),
}))
"""
# Prints the same hash of files. A number stands for an empty tile of that many pixels a side.
FILES = HASH + """
def of(name):
    if name.isdigit():
        return seen([numpy.zeros((int(name),) * 2, numpy.uint8)] * 4)
    data = gdal.Open(name)
    if data.GetRasterBand(1).GetColorTable():
        data = gdal.Translate("/vsimem/expanded", data, format="MEM", rgbExpand="rgba")
    return seen([data.GetRasterBand(band + 1).ReadAsArray() for band in range(data.RasterCount)])
print(json.dumps([of(name) for name in sys.argv[1:]]))
"""
EDGE = 20037508.342789244
SUBDATASET = "WMTS:{url},layer={layer},tilematrixset={set}"


def read(place, name, corners, side=256):
    """Returns GDAL's description of the data set `name`, or None if GDAL cannot read it."""
    python = debian(place, "osgeo.gdal", "python3-gdal")
    debian(place, "numpy", "python3-numpy")
    status, output = place.run(python, "-c", READ, name, json.dumps(corners), side)
    place.expect(status == 0, f"GDAL reads {name} {output[-500:] if status else ''}")
    return json.loads(output.splitlines()[-1]) if status == 0 else None


def corner(z, x, y):
    """Returns the north-western corner (EPSG:3857) of a tile."""
    tile = 2 * EDGE / 2 ** z
    return [-EDGE + x * tile, EDGE - y * tile]


def own(place, layer, z, tiles, mark="", side=256):
    """Returns the hashes of the server's own tiles (x, y), and of empty tiles where there are none."""
    names = []
    for x, y in tiles:
        status, _, body = place.fetch(f"/{layer}/{z}/{x}/{y}{mark}.png")
        path = place.scratch / f"{layer}-{z}-{x}-{y}{mark}.png"
        path.write_bytes(body)
        names.append(path if status == 200 else side)
    output = place.run(debian(place, "osgeo.gdal", "python3-gdal"), "-c", FILES, *names)[1]
    return json.loads(output.splitlines()[-1])


def expect_tiles(place, title, found, wanted):
    colors = [count for _, count in found]
    place.expect(found == wanted, f"{title}: tiles are the server's, of {colors} values")


def service(place):
    """/{id}/gdal.xml is complete: size, bounds, overviews, the server's pixels, and empty pixels for missing tiles."""
    cases = [
        # Layer, query, side, mark, finest zoom, tiles (x, y) of that zoom.
        ("grid", "", 256, "", 12, [(2144, 1432), (0, 0), (4095, 4095)]),
        ("grid", "?scale=2", 512, "@2x", 12, [(2144, 1432), (5, 4000)]),
        ("large", "", 512, "", 9, [(268, 179)]),
        ("gaps", "", 256, "", 8, [(129, 90), (130, 90), (131, 91)]),
        ("small", "", 256, "", 11, [(1066, 716), (1070, 720)]),
        ("pacific", "", 256, "", 9, [(504, 255), (5, 256), (300, 256)]),
        ("stack", "", 256, "", 12, [(2144, 1432)]),
    ]
    for layer, query, side, mark, zoom, tiles in cases:
        path = f"/{layer}/gdal.xml{query}"
        name = place.scratch / f"{layer}.xml"
        name.write_bytes(place.fetch(path)[2])
        found = read(place, name, [corner(zoom, x, y) for x, y in tiles], side)
        if not found:
            continue
        place.expect(
            found["bands"] == 4 and found["block"] == [side, side] and found["epsg"] == "3857",
            f"{path}: {found['bands']} bands in blocks of {found['block']}")
        expect_tiles(place, path, found["tiles"], own(place, layer, zoom, tiles, mark, side))
        place.expect(
            found["sum"] > 0 and max(found["coarse"]) <= 4 * side, f"{path}: {found['overviews']} overviews to {found['coarse']}")
        west, _, east, _ = (edge / 180 * EDGE for edge in place.json(f"/{layer}.json")["bounds"])
        place.expect(
            found["bounds"][0] <= west + 1 and found["bounds"][2] >= east - 1, f"{path}: from {west:.0f} to {east:.0f} metres")


def url(place):
    """GDAL opens the URL of gdal.xml directly."""
    found = read(place, place.url + "/small/gdal.xml", [corner(11, 1066, 716)])
    if found:
        expect_tiles(place, "by its URL", found["tiles"], own(place, "small", 11, [(1066, 716)]))


# GDAL begins with the finest matrix of a set, whatever the layer's limits. Only a layer's own capabilities end at its
# maximum zoom.
WMTS = {"grid": (12, [(2144, 1432), (7, 4000)]), "small": (11, [(1066, 716), (1070, 720)])}


def wmts(place):
    """WMTS by paths and by key-value pairs gives the server's own pixels, with 256 and with 512 pixels a tile."""
    for path, layer in [
        ("/wmts.xml", "grid"), ("/wmts?service=WMTS&request=GetCapabilities", "grid"), ("/small/wmts.xml", "small"),
    ]:
        expect_wmts(place, place.url + path, layer)


def wmts_kvp_only(place):
    """WMTS by key-value pairs alone: without the path templates, which GDAL prefers."""
    lines = [line for line in place.fetch("/small/wmts.xml")[2].decode().splitlines() if "<ResourceURL" not in line]
    path = place.scratch / "kvp.xml"
    path.write_text("\n".join(lines))
    expect_wmts(place, path, "small")


def expect_wmts(place, capabilities, layer):
    zoom, tiles = WMTS[layer]
    for set_name, side, mark in [("GoogleMapsCompatible", 256, ""), ("GoogleMapsCompatible_512", 512, "@2x")]:
        name = SUBDATASET.format(url=capabilities, layer=layer, set=set_name)
        found = read(place, name, [corner(zoom, x, y) for x, y in tiles], side)
        if found:
            expect_tiles(place, name, found["tiles"], own(place, layer, zoom, tiles, mark, side))


CI = []
OTHERS = [service, url, wmts, wmts_kvp_only]
