"""Varnish in front of a server: cleared tiles are fetched again, and few others.

10,000 tiles go through Varnish with deploy/varnish.vcl. The script clears a box, a list of tiles and a layer, and
checks which tiles Varnish fetches again. At the end it clears tiles while they are being fetched from the upstream.
"""
import concurrent.futures
import glob
import http.client
import json
import threading
import time
import urllib.parse

from support import mercator, tileserver
from support.machine import ROOT, Program, fetch, free_port, install, need, scratch_directory, wait_until

from .source import Source, version

ZOOMS = [4, 8, 12]
# Tiles around Zurich, from coarse to fine. The finest zoom fills up to the requested number.
CENTRE = (47.37, 8.54)
SIDES = {0: 1, 3: 1, 5: 1, 6: 2, 7: 2, 8: 4, 9: 6, 10: 8, 11: 12, 12: 21, 13: 42, 14: 84, 15: 60}
BOX = (8.40, 47.30, 8.75, 47.45)
SECONDS = 2.0

CONFIGURATION = """\
cache: {{ memory: 256MiB }}
cdn:
  tags: [xkey, surrogate-key, cache-tag, cache-groups]
  zooms: {zooms}
  maxAge: 30d
  purge: {{ url: "{varnish}/", method: PURGE, headers: {{ xkey-purge: "{{tags}}" }} }}
layers:
  tiles: {{ url: "{source}/{{z}}/{{x}}/{{y}}.png", allowPrivate: true, maxConcurrent: 64 }}
  other: {{ url: "{source}/other/{{z}}/{{x}}/{{y}}.png", allowPrivate: true, maxConcurrent: 64 }}
"""


def arguments(parser):
    parser.add_argument("--tiles", type=int, default=10_000)


class Varnish(Program):
    """Varnish with deploy/varnish.vcl, in memory, in front of `backend`."""

    def __init__(self, directory, port, backend):
        directory.mkdir()
        text = (ROOT / "deploy/varnish.vcl").read_text()
        assert '.port = "8080";' in text
        (directory / "tiles.vcl").write_text(text.replace('.port = "8080";', f'.port = "{backend}";'))
        super().__init__(
            ["varnishd", "-F", "-a", f"127.0.0.1:{port}", "-T", "none", "-n", directory / "work", "-f", directory / "tiles.vcl",
             "-s", "malloc,512m", "-j", "none"],
            f"http://127.0.0.1:{port}", directory / "log")


def run(options, figures):
    need(varnishd="varnish")
    if not glob.glob("/usr/lib/*/varnish/vmods/libvmod_xkey.so") + glob.glob("/usr/lib/varnish/vmods/libvmod_xkey.so"):
        install("varnish-modules")
    tiles = tiles_around(options.tiles)
    with scratch_directory() as directory, Source() as source:
        port = free_port()
        text = CONFIGURATION.format(zooms=ZOOMS, varnish=f"http://127.0.0.1:{port}", source=source.url)
        with tileserver.TileServer(options.program, directory / "server", text) as server, \
                Varnish(directory / "varnish", port, server.port) as varnish:
            scene = Scene(figures, source, server, varnish, tiles)
            scene.fill()
            west, south, east, north = BOX
            scene.clears(
                "a box", "DELETE", f"/admin/cache/tiles?bbox={west},{south},{east},{north}", None,
                {tile for tile in tiles if touches(tile, BOX)})
            changed = [tile for tile in tiles if tile[0] == 14][::120]
            lines = "".join("%d/%d/%d\n" % tile for tile in changed)
            scene.clears(
                f"a list of {len(changed)} tiles, with those above and below", "POST", "/admin/expire/tiles?zooms=0-15&soft=0", lines.encode(),
                {tile for tile in tiles if any(shares_ground(tile, other) for other in changed)})
            scene.clears("a layer", "DELETE", "/admin/cache/tiles", None, set(tiles))
            scene.waits()
            scene.refuses()
            scene.reports()


class Scene:
    def __init__(self, figures, source, server, varnish, tiles):
        self.figures, self.source, self.server, self.varnish, self.tiles = figures, source, server, varnish, tiles
        # As many tiles of another layer in the same place. No clear of the first layer may affect them.
        self.others = [tile for tile in tiles if tile[0] in (8, 12)]

    def fill(self):
        began = time.monotonic()
        first = ask(self.varnish.url, "tiles", self.tiles)
        ask(self.varnish.url, "other", self.others)
        seconds = time.monotonic() - began
        again = ask(self.varnish.url, "tiles", self.tiles)
        asked = sum(self.source.asked.values())
        self.figures.holds(
            all(answer.status == 200 for answer in first.values()),
            f"{len(self.tiles):,} tiles through Varnish", f"{asked:,} fetches from the source with another layer's, {seconds:.1f} s")
        self.figures.at_most("tiles that Varnish asks for again", sum(not answer.hit for answer in again.values()), 0)
        self.figures.at_most("answers that show tags to clients", sum(answer.tagged for answer in again.values()), 0)

    def clears(self, what, method, path, content, touched):
        """Clears, and records for each tile whether and when it is fetched again."""
        self.source.version += 1
        answer = self.server.admin(path, method, content=content)
        began = time.monotonic()
        assert answer[0] == 200, answer
        sample = sorted(touched)[:: max(len(touched) // 200, 1)]
        while True:
            old = [tile for tile, found in ask(self.varnish.url, "tiles", sample).items() if found.version != self.source.version]
            seconds = time.monotonic() - began
            if not old or seconds > 10:
                break
        answers = ask(self.varnish.url, "tiles", self.tiles)
        new = {tile for tile, found in answers.items() if found.version == self.source.version}
        held = covered(self.tiles, touched)
        self.figures.at_most(f"{what}: seconds until a sample of {len(sample):,} is new", seconds, SECONDS, " s")
        self.figures.at_most(f"{what}: of {len(touched):,} cleared tiles, those that Varnish has as they were", len(touched - new), 0)
        # The server has not fetched these tiles again, because they were not cleared.
        missed = {tile for tile, found in answers.items() if not found.hit} | set(sample)
        self.figures.at_most(
            f"{what}: tiles asked for again that the covering cells do not hold ({len(missed):,} asked for, the cells hold {len(held):,})",
            len(missed - held), 0)
        others = ask(self.varnish.url, "other", self.others)
        self.figures.at_most(f"{what}: tiles of another layer asked for again", sum(not found.hit for found in others.values()), 0)
        self.settle()
        again = ask(self.varnish.url, "tiles", self.tiles)
        purged = {tile for tile, found in again.items() if not found.hit}
        self.figures.holds(
            bool(purged) and not purged - held, f"{what}: purged once more some seconds later, and nothing else", f"{len(purged):,} tiles")

    def settle(self):
        """Waits for the second purge of the same tags."""
        wait_until(lambda: not (found := self.cdn())["again"] + found["waiting"], 30, 0.2)

    def cdn(self):
        return json.loads(self.server.admin("/admin/cache")[2])["cdn"]

    def waits(self):
        """Clears tiles while they arrive: from the upstream, which is slow, and unchanged from the server."""
        self.source.delay, late = 2.0, self.tiles[-20:]
        self.server.admin("/admin/cache/tiles", "DELETE")
        self.settle()
        with concurrent.futures.ThreadPoolExecutor(1) as pool:
            coming = pool.submit(ask, self.varnish.url, "tiles", late, len(late))
            time.sleep(1)
            # The responses from now on belong to requests before the clear.
            self.source.delay = 0
            self.source.version += 1
            self.server.admin("/admin/cache/tiles", "DELETE")
            coming.result()
        found = ask(self.varnish.url, "tiles", late).values()
        self.figures.at_most(
            f"of {len(late)} tiles that were cleared while the source was asked, those that Varnish keeps as they were",
            sum(answer.version != self.source.version for answer in found), 0)

    def refuses(self):
        """Checks that Varnish refuses requests for the servers' own routes, and purges from other clients."""
        codes = {
            path: fetch(self.varnish.url + path)[0]
            for path in ("/admin/cache", "/%61dmin/cache", "/fleet/messages", "/metrics", "//admin/cache")}
        self.figures.holds(set(codes.values()) == {404}, "what Varnish does not pass on", json.dumps(codes))
        code = fetch(self.varnish.url + "/", "PURGE", {"xkey-purge": "tiles", "X-Forwarded-For": "192.0.2.1"})[0]
        self.figures.holds(code == 403, "a purge that another proxy on this machine passes on", str(code))
        path = "/tiles/%d/%d/%d.png" % self.tiles[0]
        fetch(self.varnish.url + path)
        _, fields, _ = fetch(self.varnish.url + path, headers={"Cookie": "a=b"})
        self.figures.holds(len(fields["X-Varnish"].split()) == 2, "a request with a cookie is a hit")

    def reports(self):
        self.settle()
        cdn = self.cdn()
        self.figures.holds(
            cdn["failed"] == 0 and cdn["waiting"] == 0 and cdn["succeeded"] >= 3, "what the server says of its purges", json.dumps(cdn))


class Answer:
    def __init__(self, response, body):
        self.status = response.status
        self.version = version(body)
        # For a hit Varnish names two transactions: this one, and the one that fetched the tile.
        self.hit = len((response.headers["X-Varnish"] or "").split()) == 2
        self.tagged = response.headers["xkey"] is not None


def ask(url, layer, tiles, clients=8):
    """Returns the responses for all tiles, over a few connections."""
    address = urllib.parse.urlsplit(url).netloc
    local = threading.local()

    def one(tile):
        for _ in range(2):
            connection = getattr(local, "connection", None) or http.client.HTTPConnection(address, timeout=30)
            local.connection = connection
            try:
                connection.request("GET", f"/{layer}/{tile[0]}/{tile[1]}/{tile[2]}.png")
                response = connection.getresponse()
                return Answer(response, response.read())
            except (http.client.HTTPException, OSError):
                local.connection = None
        raise AssertionError(f"{url} has no answer")

    with concurrent.futures.ThreadPoolExecutor(clients) as pool:
        return dict(zip(tiles, pool.map(one, tiles)))


def tiles_around(count):
    found = []
    for zoom, side in SIDES.items():
        x, y = position(*CENTRE, zoom)
        most = 2 ** zoom
        left = min(max(int(x) - side // 2, 0), most - side)
        top = min(max(int(y) - side // 2, 0), most - side)
        found += [(zoom, left + column, top + row) for column in range(side) for row in range(side)]
    assert len(found) >= count, len(found)
    return found[:count]


def position(latitude, longitude, zoom):
    """Returns columns and rows from the north-west corner of the world."""
    return [part * 2 ** zoom for part in mercator.place(longitude, latitude)]


def touches(tile, box):
    zoom, x, y = tile
    west, south, east, north = box
    left, top = position(north, west, zoom)
    right, bottom = position(south, east, zoom)
    return left < x + 1 and x < right and top < y + 1 and y < bottom


def shares_ground(one, other):
    return above(one, other[0]) == other if one[0] >= other[0] else above(other, one[0]) == one


def above(tile, zoom):
    levels = tile[0] - zoom
    return (zoom, tile[1] >> levels, tile[2] >> levels)


def cell(tile):
    """Returns the smallest tile of ZOOMS that contains `tile`, or the world."""
    return above(tile, max((zoom for zoom in ZOOMS if zoom <= tile[0]), default=0))


def covered(tiles, touched):
    """Returns the tiles that lie in the same cell as a touched tile."""
    cells = {cell(tile) for tile in touched}
    return {tile for tile in tiles if cell(tile) in cells}
