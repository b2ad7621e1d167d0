"""Pictures and cameras: what they must say, and what they must not hide."""
import json
import urllib.parse

from support.machine import fetch
from support.tileserver import TileServer

from .verdict import expect


def camera_limits(program, directory):
    """Limits of a map's camera: fractional zooms, the profile of Android, and what TileJSON tells of them."""
    text = """\
layers:
  grid: { generator: grid }
maps:
  close: { layers: [grid], camera: { lat: 1, lng: 2, zoom: 6, minZoom: 4.5, maxZoom: 18.25 } }
"""
    with TileServer(program, directory, text) as server:
        def ask(path):
            code, _, body = fetch(server.url + path)
            return code, json.loads(body)
        code, low = ask("/close/camera?lat=1&lng=2&zoom=1")
        expect(code == 200 and low["camera"]["zoom"] == 4.5, f"zoom 1 became {low}")
        _, document = ask("/close.json")
        told = ("camera", "cameraZoom", "maxTiltKnots", "padding", "background")
        missing = [key for key in told if key not in document]
        expect(not missing, f"TileJSON does not tell {missing}")
        expect(document["cameraZoom"] == [4.5, 18.25], f"cameraZoom is {document['cameraZoom']}")
        expect(document["minzoom"] == 0, f"the tiles' minzoom is {document['minzoom']}")
        corners = "sw=40,-10&ne=50,10&width=400&height=300"
        expected = ask(f"/close/camera/for-bounds?{corners}")
        for box in ("40,-10,50,10", "50,10,40,-10"):
            got = ask(f"/close/camera/for-bounds?bounds={box}&width=400&height=300")
            expect(got == expected, f"bounds={box} gives {got}, the corners {expected}")
    return "zooms 4.5 and 18.25 hold, TileJSON tells them, bounds= takes two corners"


def attribution(program, directory):
    """Attributions in the letters of many languages."""
    words = "© 国土地理院 · Główny Urząd · Þjóðskrá · Ştefan"
    text = f'layers:\n  grid: {{ generator: grid, attribution: "{words}" }}\n'
    with TileServer(program, directory, text) as server:
        code, fields, body = fetch(f"{server.url}/grid/static/0,0,2/600x200@2x.png")
        _, _, without = fetch(f"{server.url}/grid/static/0,0,2/600x200@2x.png?attribution=false")
    expect(code == 200 and body != without, f"{code}, or no attribution is drawn")
    told = urllib.parse.unquote(fields.get("X-Attribution", ""))
    expect(words in told, f"X-Attribution says {told!r}")
    return "X-Attribution has every letter"


def one_resolution(program, directory):
    """Neighbouring tiles of a fractal that are too deep for full resolution."""
    text = "layers:\n  mandelbrot: { generator: mandelbrot }\n"
    with TileServer(program, directory, text) as server:
        for zoom, scale in ((20, 2), (22, 2), (22, 4)):
            side = 1 << zoom
            x, y = int(0.42 * side), int(0.5 * side) - 3
            said = set()
            for number in range(9):
                path = f"/mandelbrot/{zoom}/{x + number % 3}/{y + number // 3}@{scale}x.png"
                code, fields, _ = fetch(server.url + path, timeout=60)
                expect(code == 200, f"{path} was answered {code}")
                said.add(fields.get("X-Tile-Upscaled"))
            expect(len(said) == 1, f"z{zoom} @{scale}x: X-Tile-Upscaled is {said} in neighbours")
    return "one resolution a zoom and scale"


ATTACKS = [camera_limits, attribution, one_resolution]
