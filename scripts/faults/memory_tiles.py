"""Floods of tiles that are not there, of tiles that all are others, and of tiles whose sources never send their end."""
from support.wrk import load

from . import memory

# Another tile of a layer with each request, from the first argument's number on.
REQUESTS = """
local layer, number

function init(arguments)
    layer = arguments[1]
    number = 0
end

function request()
    number = number + 1
    return wrk.format("GET", string.format("/%s/20/%d/%d.png", layer, number % 500 * 2, math.floor(number / 500)))
end
"""


def _tiles(layer):
    def flood(site, seconds):
        directory = site.directory / layer
        directory.mkdir()
        load(site.url, directory, REQUESTS, connections=64, seconds=seconds, arguments=(layer,))
    return flood


# The same of all layers whose sources do not end, one after the other.
ENDLESS = """
local count, number

function init(arguments)
    count = tonumber(arguments[1])
    number = 0
end

function request()
    number = number + 1
    return wrk.format("GET", string.format("/endless%d/20/%d/%d.png", number % count, number % 500, number))
end
"""


def _endless(site, seconds):
    directory = site.directory / "endless"
    directory.mkdir()
    connections = memory.ENDLESS * memory.MOST_CONCURRENT
    load(site.url, directory, ENDLESS, connections=connections, seconds=seconds, arguments=(memory.ENDLESS,))


# Of `odd` every even column is no tile.
FLOODS = {"missing": _tiles("missing"), "no-tile": _tiles("odd"), "tiles": _tiles("light"), "endless": _endless}
