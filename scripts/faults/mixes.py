"""Requests of clients of a small server: an ordinary mix of tiles and images, and a hostile mix of large ones.

`ask` runs as many clients as a site has, each in a thread, and returns their results. A client reads each response to
its end and then sends the next request at once.
"""
import collections
import dataclasses
import http.client
import json
import random
import threading
import time
import urllib.parse

from support.machine import at_once

CLIENTS = 18
# A client that waits longer is reported, because no client may wait longer.
PATIENCE = 60

CONFIGURATION = """\
server: {{ {memory}limits: {{ requestsPerConnection: 1000000000 }} }}
layers:
  world: {{ generator: world }}
  relief: {{ generator: relief, maxZoom: 22 }}
  grid: {{ generator: grid }}
  graticule: {{ generator: graticule }}
  daylight: {{ generator: daylight, refresh: 1h }}
  fetched: {{ url: "{origin}/{{z}}/{{x}}/{{y}}.png" }}
  sheets: {{ url: "{origin}/sheets/{{z}}/{{x}}/{{y}}.png", tileSize: 2048, {fresh} }}
  others: {{ url: "{origin}/sheets/others/{{z}}/{{x}}/{{y}}.png", tileSize: 1024, {fresh} }}
  atlas: {{ mbtiles: "{atlas}", tileSize: 2048 }}
  large: {{ generator: relief, tileSize: 512, maxZoom: 22 }}
maps:
  stack: {{ base: world, layers: [relief, graticule, daylight] }}
  vast: {{ base: large, layers: [graticule, grid] }}
  laid: {{ base: sheets, layers: [graticule] }}
  heap: {{ base: others, layers: [sheets, fetched, graticule] }}
"""
# Layers whose upstream is asked anew for every request.
FRESH = "maxConcurrent: 64, ttl: 1s, minTTL: 1s, staleWhileRevalidate: 0s"


@dataclasses.dataclass
class Seen:
    """Counts responses by status, and the longest wait for each status with its path."""
    statuses: collections.Counter = dataclasses.field(default_factory=collections.Counter)
    longest: dict = dataclasses.field(default_factory=dict)
    slowest: dict = dataclasses.field(default_factory=dict)
    lock: threading.Lock = dataclasses.field(default_factory=threading.Lock)

    def note(self, status, path, seconds):
        with self.lock:
            self.statuses[status] += 1
            if seconds > self.longest.get(status, 0):
                self.longest[status], self.slowest[status] = seconds, path

    def part(self, status):
        return self.statuses[status] / max(self.statuses.total(), 1)

    def __str__(self):
        return json.dumps({str(status): [count, round(self.longest[status], 1)]
                           for status, count in sorted(self.statuses.items(), key=str)})


def _place(chance, deepest):
    zoom = chance.randrange(2, deepest + 1)
    return f"{zoom}/{chance.randrange(1 << zoom)}/{chance.randrange(1 << zoom)}"


def _camera(chance):
    return f"{chance.uniform(-170, 170):.3f},{chance.uniform(-60, 60):.3f},{chance.uniform(2, 8):.2f}"


def ordinary(chance):
    """Returns a tile of a layer with 256 pixels in any size and format. One request of twenty is an image for a
    page."""
    if chance.random() < 0.05:
        return f"/stack/static/{_camera(chance)}/600x400.{chance.choice(['png', 'jpg', 'webp'])}"
    layer = chance.choice(["world", "relief", "grid", "graticule", "daylight", "fetched", "stack"])
    return (f"/{layer}/{_place(chance, 9)}{chance.choice(['', '', '@2x', '@2x', '@3x', '@4x'])}"
            f".{chance.choice(['png', 'png', 'webp', 'jpg'])}")


def hostile(chance):
    """Returns the largest tiles in the most expensive form, and the largest images."""
    kind = chance.random()
    if kind < 0.6:
        return f"/{chance.choice(['large', 'vast'])}/{_place(chance, 16)}@{chance.randrange(2, 5)}x.webp"
    if kind < 0.8:
        return f"/stack/{_place(chance, 16)}@4x.webp"
    return f"/vast/static/{_camera(chance)}/{chance.choice(['4096x2048', '1024x512@4x', '2000x2000'])}.webp"


def sources(chance):
    """Returns tiles of an upstream whose tiles are nearly as large as allowed, in pixels and bytes."""
    layer = chance.choice(["sheets", "sheets@2x", "others", "others@2x", "atlas", "laid", "heap"])
    layer, _, scale = layer.partition("@")
    return f"/{layer}/{_place(chance, 7)}{scale and '@' + scale}.{chance.choice(['png', 'webp', 'jpg'])}"


MIXES = {"ordinary": ordinary, "hostile": hostile, "sources": sources}


def ask(url, request, seconds):
    """Returns the results of `CLIENTS` clients within `seconds`. `request` is a function of a `random.Random`."""
    seen, end = Seen(), time.monotonic() + seconds
    at_once(lambda number: _client(url, request, number, end, seen), range(CLIENTS))
    return seen


def _client(url, request, number, end, seen):
    address, chance = urllib.parse.urlsplit(url), random.Random(number)
    connection = None
    while time.monotonic() < end:
        start, path = time.monotonic(), request(chance)
        try:
            if connection is None:
                connection = http.client.HTTPConnection(
                    address.hostname, address.port, timeout=PATIENCE, source_address=(f"127.0.1.{number + 1}", 0))
            connection.request("GET", path)
            answer = connection.getresponse()
            answer.read()
            status = answer.status
        except (OSError, http.client.HTTPException) as error:
            status = type(error).__name__
            if connection:
                connection.close()
            connection = None
            time.sleep(0.05)
        seen.note(status, path, time.monotonic() - start)
