"""Floods of tiles that are not there, and of tiles that all are others."""
from support.wrk import load

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


# Of `odd` every even column is no tile.
FLOODS = {"missing": _tiles("missing"), "no-tile": _tiles("odd"), "tiles": _tiles("light")}
