"""Floods of missing tiles, of tiles that all differ, and of tiles whose upstreams never send their end."""
from support.machine import at_once
from support.wrk import NUMBERED, load

from . import memory


def _tiles(*layers, connections=64):
    """Requests a different tile of each layer with each request, of all layers at once."""
    def flood(site, seconds):
        def one(layer):
            directory = site.directory / layer
            directory.mkdir()
            load(site.url, directory, NUMBERED, connections, seconds, arguments=(f"/{layer}/20/%d/%d.png", 500, 2, 0, 0))

        at_once(one, layers)
    return flood


# Even columns of `odd` have no tile.
FLOODS = {
    "missing": _tiles("missing"), "no-tile": _tiles("odd"), "tiles": _tiles("light"),
    "endless": _tiles(*(f"endless{number}" for number in range(memory.ENDLESS)), connections=memory.MOST_CONCURRENT)}
