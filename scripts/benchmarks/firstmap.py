"""The first complete map in Chromium over HTTP/1.1 and HTTP/2, through a relay that delays each direction.

Both protocols have TLS. The server has the tiles in its cache. The times are from the start of the navigation to the end
of the last tile, in the viewer and in a page with Leaflet.
"""
import collections
import json
import statistics
import sys
import urllib.parse

from clientchecks.place import Place, wheel
from clientchecks.snippets import LIBRARIES
from support import certificate, chromium, relay, tileserver
from support.machine import need, scratch_directory

BAR = 0.70
LAYERS = "layers: { world: { generator: world } }\n"


def arguments(parser):
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--delay", type=int, default=25, help="milliseconds in each direction")
    parser.add_argument("--width", type=int, default=1920, help="of the window")
    parser.add_argument("--height", type=int, default=1080)


def run(options):
    need(node="nodejs", chromium="chromium", openssl="openssl")
    with scratch_directory() as directory:
        package, path = LIBRARIES["leaflet"]
        leaflet = wheel(Place("", directory), package) / path
        identity = certificate.make(directory)
        with tileserver.TileServer(options.program, directory / "server", LAYERS, identity=identity) as server, \
                relay.relaying(urllib.parse.urlsplit(server.tls_url).port, options.delay / 1000) as port:
            server.wait_until_ready()
            node = chromium.start(
                "firstmap.js", f"https://localhost:{port}/", "--leaflet", leaflet, "--rounds", options.rounds,
                "--width", options.width, "--height", options.height, environment=chromium.trusting(directory, identity))
            with node:
                loads = [json.loads(line) for line in node.stdout]
            if node.returncode != 0:
                sys.exit(f"firstmap.js ended with status {node.returncode}")
    return compare(options, loads)


def compare(options, loads):
    """Prints the medians. Returns the exit status."""
    print(f"first complete map in Chromium over TLS, {options.width} × {options.height}, {options.delay} ms in each direction, "
          f"median of {options.rounds}\n")
    print(f"{'page':10}{'tiles':>6}{'HTTP/1.1':>12}{'HTTP/2':>12}  ratio")
    times, tiles = collections.defaultdict(list), {}
    for load in loads:
        times[load["page"], load["protocol"]].append(load["milliseconds"])
        tiles[load["page"]] = load["tiles"]
    held = True
    for page, count in tiles.items():
        old, new = (statistics.median(times[page, protocol]) for protocol in ("HTTP/1.1", "HTTP/2"))
        held &= new / old <= BAR
        print(f"{page:10}{count:6}{old:9,.0f} ms{new:9,.0f} ms  {new / old:.2f}")
    print(f"\n{'within' if held else 'ABOVE'} the bar of {BAR:.2f}")
    return 0 if held else 1
