"""The cost of images: areas over the largest image, refused and allowed; an image whose client leaves; a flight."""
import json
import statistics
import time

from support import raw
from support.machine import scratch_directory
from support.tileserver import TileServer

# Maximum CPU seconds: of a refused request, of the most expensive drawing, and after a client has left.
BARS = {"refused": 0.05, "allowed": 2.0, "left": 0.1}

CONFIGURATION = """\
server: { reactors: 1 }
cache: { memory: 64MiB }
layers:
  world: { generator: world }
"""
LARGEST = "/world/static/0,0,3.2/4096x2048.png"
AREA = "path=width:0|fill:d00|-179,85|0,85|179,85|179,-85|0,-85|-179,-85"
# As many bytes as a head may have, with areas of half the world.
HALF = "path=fill:d00|-89,85|89,85|89,-85|-89,-85"
FLIGHT = {
    "camera": {"lat": 49, "lng": -123, "zoom": 4}, "view": {"width": 800, "height": 600}, "duration": 2, "fps": 10,
    "update": {"type": "setCamera", "camera": {"lat": 45, "lng": -110, "zoom": 5, "bearing": 30, "tilt": 30}},
}


def arguments(parser):
    parser.add_argument("--rounds", type=int, default=5)


def run(options):
    with scratch_directory() as directory, TileServer(options.program, directory, CONFIGURATION) as server:
        # Load the tiles into memory before the measurement.
        get(server, LARGEST)
        cases = {
            "refused": lambda: status(get(server, f"{LARGEST}?{repeat(HALF, 185)}"), 400),
            "plain": lambda: status(get(server, f"{LARGEST}?background={next_color()}"), 200),
            "allowed": lambda: status(get(server, f"{LARGEST}?{repeat(AREA, 31)}&background={next_color()}"), 200),
            "flight": lambda: status(fly(server), 200),
        }
        costs = {name: cost(server, options.rounds, case) for name, case in cases.items()}
        costs["left"] = statistics.median(leave(server) for _ in range(options.rounds))
    print(f"CPU seconds, median of {options.rounds} rounds\n")
    for name, words in {
        "refused": "185 areas that each cover half of the map, 400", "plain": "an image of 4096 × 2048 without areas",
        "allowed": "with 31 areas that cover it", "flight": "a flight of 21 frames of 800 × 600",
        "left": "31 areas, in the 3 s from when the client has left",
    }.items():
        bar = f"(bar {BARS[name]:.2f})" if name in BARS else ""
        print(f"{words:<52} {costs[name]:>6.2f} {bar}")
    held = all(costs[name] <= bar for name, bar in BARS.items())
    print(f"\n{'within' if held else 'NOT within'} the bars")
    return 0 if held else 1


def repeat(text, count):
    return "&".join([text] * count)


def next_color(used=[0]):
    """Returns another background each time, so that no image comes from the cache."""
    used[0] += 1
    return f"{used[0]:06x}"


def get(server, target):
    return raw.status(raw.exchange(server.url, raw.get(target), timeout=120))


def fly(server):
    request = raw.get("/world/camera/animation", fields=["Accept: image/apng"], method="POST", body=json.dumps(FLIGHT).encode())
    return raw.status(raw.exchange(server.url, request, timeout=120))


def status(found, expected):
    assert found == expected, f"{found} instead of {expected}"


def cost(server, rounds, case):
    spent = []
    for _ in range(rounds):
        before = server.cpu_seconds()
        case()
        spent.append(server.cpu_seconds() - before)
    return statistics.median(spent)


def leave(server):
    """Measures an image whose client leaves during the drawing."""
    with raw.connect(server.url) as client:
        client.sendall(raw.get(f"{LARGEST}?{repeat(AREA, 31)}&background={next_color()}"))
        time.sleep(0.3)
    before = server.cpu_seconds()
    time.sleep(3)
    return server.cpu_seconds() - before
