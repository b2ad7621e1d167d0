"""100,000 lines of an expire list in at most a second, with tiles in memory and on disk."""
import json
import random
import time

from support import tileserver
from support.machine import scratch_directory, wait_until

from .source import Source
from .varnish import ask

LINES = 100_000
SECONDS = 1.0

CONFIGURATION = """\
cache: {{ memory: 256MiB, disk: {{ minFree: 0 }} }}
layers:
  tiles: {{ url: "{source}/{{z}}/{{x}}/{{y}}.png", allowPrivate: true, maxConcurrent: 64 }}
maps:
  map: {{ layers: [tiles] }}
"""


def arguments(parser):
    parser.add_argument("--tiles", type=int, default=10_000, help="that the cache holds (default: 10,000)")


def run(options, figures):
    # Adjacent tiles, like in an update of a town, and some tiles all over the world, in the forms of osm2pgsql: one
    # zoom, and several.
    side = 317
    near = [(14, 8_500 + number % side, 5_600 + number // side) for number in range(LINES)]
    chance = random.Random(1)
    far = [(14, chance.randrange(1 << 14), chance.randrange(1 << 14)) for _ in range(LINES)]
    pyramid = [
        (14 - level, (8_500 + number % side) >> level, (5_600 + number // side) >> level)
        for number in range(LINES // 5) for level in range(5)]
    with scratch_directory() as directory, Source() as source:
        with tileserver.TileServer(options.program, directory, CONFIGURATION.format(source=source.url)) as server:
            tiles = chance.sample(near, options.tiles)
            ask(server.url, "tiles", tiles)
            ask(server.url, "map", tiles[: options.tiles // 10])
            # Wait until the tiles are on disk.
            time.sleep(1)
            for what, lines, query in (
                    ("neighbours", near, ""), ("neighbours and zooms 8 to 18", near, "?zooms=8-18"),
                    ("all over the world, zooms 0 to 22", far, "?zooms=0-22"), ("five zooms", pyramid, "?zooms=8-16"),
                    ("neighbours, removed", near, "?zooms=8-18&soft=0")):
                text = "".join("%d/%d/%d\n" % line for line in lines).encode()
                began = time.monotonic()
                report = json.loads(server.admin(f"/admin/expire/tiles{query}", "POST", 60, text)[2])
                seconds = time.monotonic() - began
                figures.at_most(f"{LINES:,} lines, {what} ({len(text) >> 10:,} KiB)", seconds, SECONDS, " s")
                print(f"    {report['tiles']:,} tiles named, {report['entries']:,} found, disk {report['disk']}", flush=True)
                waited = time.monotonic()
                wait_until(lambda: server.admin("/admin/cache")[0] == 200, pause=0)
                figures.at_most("    seconds for the next admin request", time.monotonic() - waited, SECONDS, " s")
