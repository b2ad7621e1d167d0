"""Checks of the unchanged texts of web/clients, which are also in the viewer and in docs/clients.md."""
import json
import shutil

from support import images
from support.machine import ROOT

from .place import Missing, debian, wheel

# Wheels that contain a library: Leaflet 1.9.3, MapLibre GL JS 5.3, OpenLayers, deck.gl.
LIBRARIES = {
    "leaflet": ("django-leaflet==0.32.0", "leaflet/static/leaflet/leaflet.js"),
    "maplibre": ("maplibre==0.3.6", "maplibre/srcjs/maplibre-gl.js"),
    "openlayers": ("MapProxy==7.0.0", "mapproxy/service/templates/demo/static/ol.js"),
    "deckgl": ("pydeck==0.9.3", "pydeck/nbextension/static/index.js"),
}


def leaflet(place):
    """Leaflet shows layers with its text, at one and at two pixels a point."""
    in_browser(place, "leaflet")


def maplibre(place):
    """MapLibre shows layers with its text, at one and at two pixels a point."""
    in_browser(place, "maplibre")


def openlayers(place):
    """OpenLayers shows layers with its text, at one and at two pixels a point."""
    in_browser(place, "openlayers")


def deckgl(place):
    """deck.gl shows layers with its text, at one and at two pixels a point."""
    in_browser(place, "deckgl")


def in_browser(place, name):
    package, path = LIBRARIES[name]
    library = wheel(place, package) / path
    status, output = place.run(
        "node", ROOT / "web/browser/clients/check.js", f"{place.url}/", "--gaps", "gaps", "--whole", "large,small",
        "--grid", "grid", f"--{name}", library)
    for line in output.splitlines():
        is_failure = line.startswith("FAIL")
        if is_failure or line.startswith("  ok"):
            place.expect(not is_failure, line[5:].strip())
    if "FAIL" not in output:
        place.expect(status == 0, f"the check ends {output[-500:] if status else ''}")


def curl(place):
    """The text for curl gets the tile in two scales, and the layer's document."""
    directory = made(place, "curl")
    # curl writes its progress to standard error.
    status, output = run(place, directory, f"exec 2>errors\n{text(place, 'grid', 'curl')}")
    sides = {path.name: int.from_bytes(path.read_bytes()[16:20], "big") for path in directory.glob("*.png")}
    place.expect(status == 0 and sides == {"grid.png": 256, "grid@2x.png": 512}, f"tiles of 256 and 512 pixels: {sides}")
    place.expect(json.loads(output)["maxzoom"] == 12, "and the layer's document")


def gdal(place):
    """GDAL's image of the world equals the tiles side by side, and is empty where tiles are missing."""
    directory = made(place, "gdal")
    status, output = run(place, directory, text(place, "columns", "gdal"))
    place.expect(status == 0, f"GDAL reads a layer with gaps {output[-300:] if status else ''}")
    same(place, directory / "columns.tif", "")


def qgis(place):
    """QGIS draws the world with tiles of two pixels a point on a dense screen."""
    if place.certificate:
        return print("      not behind TLS: QGIS believes certificates of its own settings alone")
    python = debian(place, "qgis.core", "python3-qgis")
    directory = made(place, "qgis")
    (directory / "text.py").write_text(text(place, "columns", "qgis"))
    picture = directory / "world.png"
    status, output = place.run(python, ROOT / "scripts/support/qgis_console.py", directory / "text.py", picture, 2048)
    place.expect(status == 0, f"QGIS draws a layer with gaps {output[-300:] if status else ''}")
    return same(place, picture, "@2x")


def text(place, layer, client):
    """Returns the viewer's text for a layer and a client."""
    trust = f"NODE_EXTRA_CA_CERTS={place.certificate or ''}"
    status, output = place.run("env", trust, "node", ROOT / "web/clients/print.js", f"{place.url}/", layer, client)
    place.expect(status == 0, f"there is a text for {client} {output[-300:] if status else ''}")
    return output


def made(place, name):
    directory = place.scratch / f"{name}{'-tls' if place.certificate else ''}"
    directory.mkdir(parents=True, exist_ok=True)
    return directory


def run(place, directory, shell):
    return place.run("bash", "-euc", f"cd '{directory}'\n{shell}")


def same(place, picture, ratio):
    """Reports whether the picture of the world equals the existing ones of the 16 tiles of zoom 2."""
    tiles = picture.parent / "tiles"
    tiles.mkdir(exist_ok=True)
    for x in range(4):
        for y in range(4):
            status, _, body = place.fetch(f"/columns/2/{x}/{y}{ratio}.png")
            if status == 200:
                (tiles / f"{x}-{y}.png").write_bytes(body)
    apart = int(images.pillow("support/mosaic.py", picture, tiles, 4)[0])
    place.expect(apart == 0, f"every pixel is that of a tile, and nothing is seen in the gaps; {apart} differ")


def swift(place):
    """A Swift parser accepts the texts in Swift."""
    if shutil.which("swiftc") is None:
        raise Missing("swiftc is not installed")
    directory = made(place, "swift")
    for client in ("gms-swift", "mapkit", "maplibre-ios"):
        for layer in ("grid", "small", "large"):
            file = directory / f"{client}-{layer}.swift"
            file.write_text(text(place, layer, client))
            status, output = place.run("swiftc", "-frontend", "-parse", file)
            place.expect(status == 0 and not output, f"{file.name} is parsed {output[:300]}")


CI = [leaflet, maplibre, curl]
OTHERS = [openlayers, deckgl, gdal, qgis, swift]
