"""Checks of MapLibre GL JS with the styles of layers and maps."""
import json
import math
import re

from support import mercator
from support.machine import ROOT

from .place import wheel

VIEW = (600, 400)


def shown(place, style, scale, *words):
    """Returns MapLibre's requests and result for a style, or None after an error."""
    library = wheel(place, "maplibre==0.3.6") / "maplibre/srcjs/maplibre-gl.js"
    status, output = place.run(
        "node", ROOT / "web/browser/style.js", library, style, "--scale", scale, *words)
    place.expect(status == 0, f"MapLibre shows {style} {output[-500:] if status else ''}")
    return json.loads(output.splitlines()[-1]) if status == 0 else None


def tiles_in_view(longitude, latitude, zoom, tile_size):
    """Returns (z, columns, rows) of a view's tiles, in MapLibre's world of 512 points at zoom 0."""
    depth = math.floor(zoom + math.log2(512 / tile_size) + 0.5)
    points = 512 * 2 ** zoom
    x, y = (part * points for part in mercator.place(longitude, latitude))
    side = points / 2 ** depth
    return (
        depth, range(math.floor((x - VIEW[0] / 2) / side), math.floor((x + VIEW[0] / 2) / side) + 1),
        range(math.floor((y - VIEW[1] / 2) / side), math.floor((y + VIEW[1] / 2) / side) + 1))


def styles(place):
    """Each style shows its layer, sharp on a dense screen: MapLibre requests the tiles in view in the screen's scale."""
    cases = [
        # Path, scale of the screen, mark in the URLs, size of the tiles in points.
        ("/grid/style.json", 1, "", 256), ("/grid/style.json", 2, "@2x", 256), ("/large/style.json", 2, "@2x", 512),
        ("/grid/style.json?scale=3", 1, "@3x", 256), ("/gaps/style.json", 2, "@2x", 256),
    ]
    longitude, latitude, zoom = 7.5, 47, 4
    for path, scale, mark, tile_size in cases:
        found = shown(place, place.url + path, scale, "--center", f"{longitude},{latitude}", "--zoom", zoom)
        if not found:
            continue
        name = path.split("/")[1]
        asked = set()
        odd = []
        for request in found["requests"]:
            tile = re.fullmatch(
                re.escape(f"{place.url}/{name}/") + rf"(\d+)/(\d+)/(\d+){mark}\.png\?v=\d+&empty=204", request["url"])
            if tile and request["status"] in (200, 204):
                asked.add(tuple(map(int, tile.groups())))
            elif "style.json" not in request["url"]:
                odd.append(request)
        depth, columns, rows = tiles_in_view(longitude, latitude, zoom, tile_size)
        wanted = {(depth, x, y) for x in columns for y in rows}
        title = f"{path} at {scale} pixels a point"
        place.expect(not odd, f"{title}: nothing else is asked for {odd[:2]}")
        place.expect(wanted <= asked, f"{title}: all {len(wanted)} tiles in view, of zoom {depth} {sorted(wanted - asked)[:4]}")
        place.expect(not found["messages"] and found["colors"] > 1, f"{title}: quiet, and seen {found['messages'][:2]}")


def camera(place):
    """A map's style begins at the map's camera."""
    found = shown(place, place.url + "/stack/style.json", 2)
    if found:
        place.expect(
            abs(found["zoom"] - 4) < 1e-6 and max(abs(found["center"][0] - 8), abs(found["center"][1] - 47)) < 1e-6,
            f"zoom {found['zoom']} of MapLibre's, at {found['center']}")


def tilejson(place):
    """A raster source with `url` is sharp with `?scale=2`."""
    style = {
        "version": 8,
        "sources": {"grid": {"type": "raster", "url": f"{place.url}/grid.json?scale=2&empty=204"}},
        "layers": [{"id": "grid", "type": "raster", "source": "grid"}],
    }
    found = shown(place, json.dumps(style), 2, "--center", "7.5,47", "--zoom", 4)
    if found:
        sharp = [request for request in found["requests"] if "@2x.png?v=" in request["url"] and request["status"] == 200]
        depths = {re.search(r"/grid/(\d+)/", request["url"])[1] for request in sharp}
        place.expect(len(sharp) >= 6 and depths == {"5"}, f"{len(sharp)} tiles of 512 pixels on 256 points, of zoom {depths}")


CI = [styles, camera, tilejson]
OTHERS = []
