"""The files and the configuration that both programs serve."""
import contextlib
import json
import os
import shutil

from support import mbtiles
from support.machine import ROOT

from .pictures import sample, squares
from .upstreams import BROKEN, PLAIN, RUDE, TERMS, Source

# Modification time of every file made here, so that dependent values are equal.
LONG_AGO = 1_600_000_000

GENERATORS = """\
  solid: { generator: solid, attribution: "Łódź © <b>us</b> & them", description: "One colour" }
  shade: { generator: solid, color: "#20408060", zIndex: 7, opacity: 0.5, fadeIn: false }
  checkerboard: { generator: checkerboard, colors: ["#f4f1ea", "#e2ddd0"], cells: 4 }
  grid: { generator: grid, zIndex: 100, color: "#c0392b", attribution: "Grid" }
  grid512: { generator: grid, tileSize: 512, background: "#ffffff" }
  graticule: { generator: graticule, zIndex: 90 }
  odd: { generator: oddColumns }
  odd204: { generator: oddColumns, noTile: 204, noTileMaxAge: 5m }
  oddclear: { generator: oddColumns, noTile: transparent }
  oddover: { generator: oddColumns, overzoom: 3 }
  world: { generator: world, name: World, attribution: "Made with Natural Earth", staleWhileRevalidate: 0s }
  world512: { generator: world, tileSize: 512, land: "#ddeecc" }
  relief: { generator: relief, seed: 11, palette: atlas, maxZoom: 30 }
  desert: { generator: relief, palette: desert, shading: 2, png: { effort: fast } }
  mandelbrot: { generator: mandelbrot, palette: fire, maxZoom: 30, png: { quantize: 16 } }
  daylight: { generator: daylight, time: 2026-06-21T12:00:00Z, zIndex: 80 }
  twilight: { generator: daylight, time: 2026-12-21T12:00:00Z, twilight: steps, color: "#000000" }
  wrapped: { generator: grid, wrapX: true, maxAge: 2m }
  small: { generator: grid, minZoom: 2, maxZoom: 4, bounds: [5, 45, 12, 50] }
  across: { generator: grid, bounds: [170, -20, -170, 10], maxZoom: 10 }
  hidden: { generator: solid, color: "#ff000080", visible: false }
"""

MAPS = """\
maps:
  demo:
    base: world
    layers: [graticule, { layer: daylight, opacity: 0.8, blend: multiply }, { layer: hidden, visible: true }]
    camera: { lat: 49.26, lng: -123.11, zoom: 5, bearing: 20, viewingAngle: 10 }
  skips: { base: rgb, layers: [some, error2, { layer: grid, zIndex: 1 }] }
  fails: { base: rgb, layers: [some, error2], onError: fail }
  holes: { layers: [some, odd], noTile: transparent }
  nothing2: { layers: [missing, odd] }
  single: { layers: [rgb] }
  big: { base: rgb, layers: [rgba], tileSize: 512, png: { quantize: 64 }, maxZoom: 5 }
  mixed: { layers: [jpeg, webpalpha, gray1, palette], attribution: "All of them" }
  deepmap: { layers: [deep], overzoom: 4 }
  boxed:
    base: checkerboard
    layers: [shapes]
    targetBounds: [5, 45, 12, 50]
    targetBoundsMode: strict
    padding: [10, 20, 30, 40]
    background: "#102030"
    fillViewport: true
    minZoom: 1
    maxZoom: 12
  phone: { base: world, layers: [], camera: { profile: sdk } }
  android: { layers: [world], camera: { profile: android, minZoom: 3.5 }, tileZoom: floor }
"""
BLENDS = ("normal", "multiply", "screen", "overlay", "darken", "lighten")

FEATURES = [
    ({"fill": "#d93b30", "fill-opacity": 0.5}, "Polygon", [[[5, 45], [12, 45], [12, 50], [5, 50], [5, 45]],
                                                           [[7, 46], [9, 46], [9, 48], [7, 48], [7, 46]]]),
    ({"stroke": "#00aa00", "stroke-width": 4}, "LineString", [[-170, 10], [170, -20], [100, 60]]),
    ({"marker-color": "#123456"}, "Point", [8.5, 47.4]),
    ({}, "MultiPoint", [[0, 0], [0.0001, 0], [30, 30]]),
    ({}, "MultiPolygon", [[[[20, 20], [25, 20], [22, 26], [20, 20]]], [[[175, 0], [185, 0], [185, 9], [175, 0]]]]),
]


class Site:
    """The directory with all files, and the upstreams, which both programs share."""

    def __init__(self, directory):
        self.directory = directory
        self._open = contextlib.ExitStack()

    def __enter__(self):
        self.directory.mkdir()
        self.sources = {name: self._open.enter_context(Source()) for name in ("good", "error2", *BROKEN, *RUDE)}
        self._write_files()
        return self

    def __exit__(self, *_):
        self._open.close()

    def renew(self):
        """Restores the state before the first program."""
        for source in self.sources.values():
            source.forget()
        for name in ("main", "guarded"):
            shutil.rmtree(self.directory / name, ignore_errors=True)

    def configuration(self):
        """Returns a configuration with every kind of layer and map, and a cache in memory only."""
        lines = [f"  {line}" for line in self._url_layers()]
        blends = "".join(
            f"  blend-{blend}: {{ base: rgb, layers: [{{ layer: rgba, blend: {blend}, opacity: 0.75 }}] }}\n"
            for blend in BLENDS)
        return "layers:\n" + GENERATORS + "\n".join(lines) + "\n" + MAPS + blends

    def guarded(self):
        """Returns a configuration with a disk cache, small limits, and names from a proxy."""
        return f"""\
server:
  publicURL: https://tiles.example.org/maps
  trustedProxies: [10.0.0.0/8]
  limits: {{ requestLine: 1KiB, headerLine: 512, head: 2KiB, headerCount: 20, headTimeout: 1s, idleTimeout: 1s,
             requestsPerConnection: 3, bodyDrain: 1KiB }}
log: {{ access: all }}
admin: {{ hosts: [tileserver] }}
cache: {{ disk: {{ minFree: 0, maxBytes: 64MiB }} }}
layers:
  grid: {{ generator: grid }}
  rgb: {{ url: "{self.sources["good"].url}/rgb/{{z}}/{{x}}/{{y}}.png", ttl: 1d, staleWhileRevalidate: 0s }}
  missing: {{ url: "{self.sources["good"].url}/missing/{{z}}/{{x}}/{{y}}.png" }}
maps:
  both: {{ base: rgb, layers: [grid] }}
"""

    def _url_layers(self):
        good = self.sources["good"].url
        yield f'rgb: {{ url: "{good}/rgb/{{z}}/{{x}}/{{y}}.png", staleWhileRevalidate: 0s }}'
        for name in ("rgba", "missing", "gone", "nothing", "empty", "some", "gzip", "html", "moved", "trailing",
                     *PLAIN):
            yield f'{name}: {{ url: "{good}/{name}/{{z}}/{{x}}/{{y}}.png" }}'
        for name in TERMS:
            yield f'terms-{name}: {{ url: "{good}/terms-{name}/{{z}}/{{x}}/{{y}}.png" }}'
        for name in (*BROKEN, *RUDE):
            yield (f'{name}: {{ url: "{self.sources[name].url}/{name}/{{z}}/{{x}}/{{y}}.png?key=secret-of-mine", '
                   f'timeout: {"600ms" if name == "hang" else "10s"}, staleWhileRevalidate: 0s }}')
        yield f'error2: {{ url: "{self.sources["error2"].url}/error/{{z}}/{{x}}/{{y}}.png" }}'
        yield f'nowhere: {{ url: "http://127.0.0.1:1/{{z}}/{{x}}/{{y}}.png" }}'
        yield f'deep: {{ url: "{good}/deep/{{z}}/{{x}}/{{y}}.png", overzoom: 3, maxZoom: 9 }}'
        yield f'deepnot: {{ url: "{good}/deep/{{z}}/{{x}}/{{y}}.png", noTile: 204, noTileMaxAge: 2m }}'
        yield f'retina: {{ url: "{good}/rgb/{{z}}/{{x}}/{{y}}{{r}}.png", attribution: "© Źródło" }}'
        yield f'tms: {{ url: "{good}/rgb/{{z}}/{{x}}/{{y}}.png", scheme: tms, tileSize: 512 }}'
        yield f'minus: {{ url: "{good}/rgb/{{z}}/{{x}}/{{-y}}.png", headers: {{ X-Key: abcdefghij }} }}'
        yield f'quad: {{ url: "{good}/quad/{{quadkey}}.png" }}'
        yield f'box: {{ url: "{good}/box/tile.png?bbox={{bbox-epsg-3857}}&floor={{floor}}", values: {{ floor: 3 }} }}'
        yield f'large512: {{ url: "{good}/large512/{{z}}/{{x}}/{{y}}.png", tileSize: 512 }}'
        yield f'shrunk: {{ url: "{good}/large512/{{z}}/{{x}}/{{y}}.png" }}'
        yield f'offline: {{ url: "{good}/rgb/{{z}}/{{x}}/{{y}}.png", offline: true }}'
        yield f'override: {{ url: "{good}/terms-nostore/{{z}}/{{x}}/{{y}}.png", overrideTTL: true, ttl: 2h, maxAge: 4h }}'
        yield f'short-lived: {{ url: "{good}/rgb/{{z}}/{{x}}/{{y}}.png", ttl: 10s, staleIfError: 0s }}'
        yield f'world-wide: {{ url: "{good}/rgb/{{z}}/{{x}}/{{y}}.png", wrapX: true, rejectSHA256: {"0" * 64} }}'
        yield f'floors: {{ url: "file:{ROOT}/tiles/L{{floor}}_{{z}}_{{x}}_{{y}}.png", values: {{ floor: 1 }}, minZoom: 15, maxZoom: 18 }}'
        yield f'files: {{ url: "file:{self.directory}/files/{{z}}/{{x}}/{{y}}.png" }}'
        for name in ("atlas", "photos"):
            yield f'{name}: {{ mbtiles: "{self.directory}/{name}.mbtiles" }}'
        shapes = self.directory / "shapes.geojson"
        yield f'shapes: {{ geojson: "{shapes}", stroke: "#2d6a2d", width: 3 }}'
        yield f'shapes512: {{ geojson: "{shapes}", tileSize: 512, simplestyle: false, fill: none, pointRadius: 12 }}'

    def _write_files(self):
        files = self.directory / "files"
        for z, x, y in ((0, 0, 0), (1, 0, 0), (1, 1, 1)):
            path = files / f"{z}/{x}/{y}.png"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(squares(f"file {z} {x} {y}"))
        (files / "1/1/0.png").write_bytes(b"no image")
        collection = {"type": "FeatureCollection", "features": [
            {"type": "Feature", "properties": properties, "geometry": {"type": kind, "coordinates": places}}
            for properties, kind, places in FEATURES]}
        (self.directory / "shapes.geojson").write_text(json.dumps(collection))
        mbtiles.write(self.directory / "atlas.mbtiles", {
            "name": "Atlas", "format": "png", "minzoom": "0", "maxzoom": "2", "bounds": "-180,-85,180,85",
            "center": "8.5,47.4,2", "attribution": "<a href='#'>Atlas</a>", "type": "overlay", "version": "1.1",
        }, {(0, 0, 0): squares("a"), (1, 0, 0): squares("b"), (1, 1, 1): squares("c", alpha=True), (2, 1,
            1): b"broken"})
        mbtiles.write(self.directory / "photos.mbtiles", {"name": "Photos", "format": "jpg"}, {
            (0, 0, 0): sample("jpeg/jpeg"), (1, 1, 0): sample("jpeg/jpegGray")})
        for path in self.directory.rglob("*"):
            os.utime(path, (LONG_AGO, LONG_AGO))
