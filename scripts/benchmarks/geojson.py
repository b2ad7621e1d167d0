"""GeoJSON files of 64 MiB that are slow to draw: CPU time for a tile of each."""
import math
import pathlib
import random
import subprocess
import tempfile

from support import images

# Maximum CPU seconds for drawing a tile with any content.
BAR = 1.0
LIMIT = 64 * 2**20 - 4096
TILES = ["0/0/0@1", "5/16/15@1", "14/8419/7964@1", "5/16/15@4"]
LINE = ('{"type":"LineString","coordinates":[', "]}")
POLYGON = ('{"type":"Polygon","coordinates":[[', ',[9,-1],[0,0]]]}')
HOLES = ('{"type":"Polygon","coordinates":[[[0,0],[9,0],[9,9],[0,9],[0,0]],', "]}")
AREAS = ('{"type":"MultiPolygon","coordinates":[', "]}")
POINTS = ('{"type":"MultiPoint","coordinates":[', "]}")
FEATURES = ('{"type":"FeatureCollection","features":[', "]}")


def arguments(parser):
    parser.add_argument("names", nargs="*", help=f"of {', '.join(FILES)} (default: all)")


def run(options):
    program = images.build("tilebench")
    print(f"{'file':<16} " + " ".join(f"{tile:>16}" for tile in TILES) + "   drawing, CPU ms (coarser)")
    slowest = 0
    with tempfile.TemporaryDirectory() as directory:
        for name in options.names or FILES:
            path = pathlib.Path(directory, "a.geojson")
            write(path, *FILES[name])
            command = [program, "--geojson", path, "3", *TILES]
            lines = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True).stdout.splitlines()
            cells = []
            for _, side, drawing, *_ in (line.split() for line in lines[1:]):
                slowest = max(slowest, int(drawing) / 1e6)
                note = {"-1": " (503)", "0": " (none)"}.get(side, "" if int(side) > 0 else f" (1/{side[1:]})")
                cells.append(f"{int(drawing) / 1e3:,.0f}{note}")
            print(f"{name:<16} " + " ".join(f"{cell:>16}" for cell in cells), flush=True)
    print(f"\nthe slowest: {slowest:.2f} s, {'within' if slowest <= BAR else 'ABOVE'} the bar of {BAR} s")
    return 0 if slowest <= BAR else 1


def write(path, ends, item, count=10**8):
    """Returns items until there are `count` items or the file is full."""
    random.seed(6)
    size = sum(map(len, ends))
    with path.open("w") as file:
        file.write(ends[0])
        for number in range(count):
            text = item(number)
            size += len(text) + 1
            if size > LIMIT:
                break
            file.write(text if number == 0 else "," + text)
        file.write(ends[1])


def hole(number):
    x, y = number % 1500 * 0.006, number // 1500 * 0.006
    return f"[[{x:.3f},{y:.3f}],[{x + .003:.3f},{y:.3f}],[{x:.3f},{y + .003:.3f}],[{x:.3f},{y:.3f}]]"


def spiral(number):
    radius, angle = number / 8e5, number * 0.01
    return f"[{5 + radius * math.cos(angle):.5f},{5 + radius * math.sin(angle):.5f}]"


def star(number):
    angle, length = number * 0.000777, 60 if number % 2 else -60
    return f"[{5 + length * math.cos(angle):.2f},{5 + length * math.sin(angle):.2f}]"


def styled(number):
    return ('{"type":"Feature","properties":{"fill":"#%06x"},"geometry":{"type":"Polygon","coordinates":'
            "[[[-9,-9],[9,-9],[0,9],[-9,-9]]]}}" % number)


def polygon(number):
    x, y = random.uniform(-170, 170), random.uniform(-75, 75)
    ring = [f"[{x + .15 * math.cos(k * math.pi / 5):.5f},{y + .15 * math.sin(k * math.pi / 5):.5f}]" for k in range(10)]
    return '{"type":"Feature","properties":{},"geometry":{"type":"Polygon","coordinates":[[%s]]}}' % ",".join(
        ring + ring[:1])


def anywhere(number):
    return f"[{random.uniform(0, 9):.2f},{random.uniform(0, 9):.2f}]"


def zigzag(number):
    return f"[{170 if number % 2 else -170},{random.randint(-80, 80)}]"


FILES = {
    "polygons": (FEATURES, polygon, 100_000),
    "comb": (POLYGON, lambda n: f"[{n * 1.5e-6:.5f},{n % 2 * 80}]"),
    "wide-comb": (POLYGON, lambda n: f"[{n * 5e-5:.5f},{n % 2 * 80}]"),
    "comb-line": (LINE, lambda n: f"[{n * 1.5e-6:.5f},{n % 2 * 80}]"),
    "same-line": (LINE, lambda n: "[0,0]" if n % 2 else "[9,9]"),
    "same-area": (AREAS, lambda n: "[[[-9,-9],[9,-9],[0,9],[-9,-9]]]", 2_000_000),
    "holes": (HOLES, hole),
    "same-hole": (HOLES, lambda n: "[[0,0],[0,1],[1,0],[0,0]]"),
    "same-point": (POINTS, lambda n: "[1,1]", 2_000_000),
    "points": (POINTS, lambda n: f"[{random.uniform(0, 11):.4f},{random.uniform(0, 11):.4f}]", 2_000_000),
    "spiral": (LINE, spiral),
    "spiral-area": (POLYGON, spiral),
    "zigzag": (LINE, zigzag),
    "zigzag-area": (POLYGON, zigzag),
    "star": (LINE, star),
    "star-area": (POLYGON, star),
    "random": (LINE, anywhere),
    "random-area": (POLYGON, anywhere),
    "styles": (FEATURES, styled),
}
