"""Checks of pictures and cameras: required texts and visible contents."""
import json
import urllib.parse

from support.machine import fetch
from support.tileserver import TileServer

from .verdict import expect


def camera_limits(program, directory):
    """Limits of a map's camera: fractional zooms, the profile of Android, and their values in TileJSON."""
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
    """Attributions in the scripts of many languages."""
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
    """Adjacent tiles of a fractal at zooms too deep for full resolution."""
    text = "layers:\n  mandelbrot: { generator: mandelbrot }\n"
    findings = []
    with TileServer(program, directory, text) as server:
        def tile(zoom, x, y, scale):
            path = f"/mandelbrot/{zoom}/{x}/{y}{f'@{scale}x' if scale > 1 else ''}.png"
            code, fields, body = fetch(server.url + path, timeout=60)
            expect(code == 200, f"{path} was answered {code}")
            return fields.get("X-Tile-Upscaled"), len(body)

        x = y = 0
        for zoom in range(1, 23):
            # Tiles along the set's edge have the most detail and the most bytes.
            children = [(2 * x + east, 2 * y + south) for east in (0, 1) for south in (0, 1)]
            x, y = max(children, key=lambda child: tile(zoom, *child, 1)[1])
            for scale in (2, 4) if zoom in (20, 22) else ():
                said = set()
                for near in ((x, y), (x + 1, y), (x, y + 1), (x + 1, y + 1)):
                    upscaled, size = tile(zoom, *near, scale)
                    said.add(upscaled)
                    half = tile(zoom, *near, scale // 2)[1]
                    expect(upscaled or size > half, f"z{zoom} @{scale}x is no sharper than half of it, and does not say so")
                expect(len(said) == 1, f"z{zoom} @{scale}x: X-Tile-Upscaled is {said} in neighbours")
                findings.append(f"z{zoom} @{scale}x: {said.pop() or 'full'}")
    return f"one resolution a zoom and scale ({', '.join(findings)})"


ATTACKS = [camera_limits, attribution, one_resolution]
