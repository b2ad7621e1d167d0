"""How much memory pictures and floods of small entries take: each case is a server of its own, asked from outside.

Each function takes the program and a directory, and returns a `Peak`. `CASES` names all of them, which

    python3 -m faults.image_memory PROGRAM [CASE…]

runs in the directory `scripts`.
"""
import dataclasses
import pathlib
import re
import sys
import threading
import time

from support import nginx
from support.machine import fetch, need, scratch_directory
from support.tileserver import TileServer
from support.wrk import STOP, load

MIB = 1 << 20

FOUR_LAYERS = """\
cache: {{ memory: {memory}MiB }}
layers:
  world: {{ generator: world }}
  relief: {{ generator: relief }}
  mandelbrot: {{ generator: mandelbrot }}
  graticule: {{ generator: graticule }}
  grid: {{ generator: grid }}
maps:
  four: {{ layers: [relief, mandelbrot, graticule, grid] }}
  five: {{ layers: [world, relief, mandelbrot, graticule, grid] }}
"""

# Many different tiles, each asked for once. arguments: layer, number of the first, count
FLOOD = STOP + """
local layer, number, left

function init(arguments)
    layer, number, left = arguments[1], tonumber(arguments[2]), tonumber(arguments[3])
end

function request()
    left = left - 1
    if left == 0 then stop() end
    number = number + 1
    return wrk.format("GET", string.format("/%s/18/%d/%d.png", layer, 2 * (number % 131072), math.floor(number / 131072)))
end
"""


@dataclasses.dataclass
class Peak:
    """What a case took."""
    # VmHWM of /proc/PID/status, and VmRSS at the end.
    most: int
    last: int
    # CPU of the server, and how long the case took.
    cpu: float
    seconds: float
    # What it answered.
    answers: str

    def __str__(self):
        return (f"{self.most / MIB:7.1f} MiB at most, {self.last / MIB:7.1f} at the end, {self.cpu:6.1f} s of CPU, "
                f"{self.seconds:6.1f} s: {self.answers}")


def peak_bytes(pid):
    """The most memory that a process had in RAM (VmHWM, proc(5))."""
    status = pathlib.Path(f"/proc/{pid}/status").read_text()
    return int(re.search(r"VmHWM:\s*(\d+)", status)[1]) * 1024


def watched(program, directory, text, case):
    """What the server with the configuration `text` takes while `case` asks it."""
    with TileServer(program, directory, text) as server:
        start = time.monotonic()
        answers = case(server)
        seconds = time.monotonic() - start
        return Peak(peak_bytes(server.process.pid), server.resident_bytes(), server.cpu_seconds(), seconds, answers)


def ask(server, paths, timeout=120):
    """Asks for all `paths` at once; what came, in words. On a slow machine tiles come too late: then once more, when they are cached."""
    answers = [None] * len(paths)

    def one(number):
        for _ in range(4):
            try:
                status, fields, body = fetch(server.url + paths[number], timeout=timeout)
            except OSError as error:
                answers[number] = str(error)
                return
            rendered, wait = fields.get("X-Render-Status"), fields.get("Retry-After")
            words = [rendered or re.search(r'"code":"([^"]*)"', body.decode(errors="replace"))[1], f"{len(body)} B"]
            answers[number] = " ".join([str(status), *words, *([f"Retry-After {wait}"] if wait else [])])
            if rendered != "partial" and not wait:
                return
    threads = [threading.Thread(target=one, args=(number,)) for number in range(len(paths))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return "; ".join(f"{answers.count(answer)} × {answer}" for answer in dict.fromkeys(answers))


def four_layers(program, directory):
    """A picture of 4096 × 2048 pixels of four layers, with a cache of 32 MiB."""
    return watched(program, directory, FOUR_LAYERS.format(memory=32), lambda server: ask(
        server, ["/four/static/-118.6,50.2,6/1024x512@4x.png"]))


def five_layers(program, directory):
    """The same of five layers, with a cache of 16 MiB."""
    return watched(program, directory, FOUR_LAYERS.format(memory=16), lambda server: ask(
        server, ["/five/static/-118.6,50.2,6/1024x512@4x.png"]))


def five_layers_turned(program, directory):
    """The same, turned and tilted, so that rows see many tiles."""
    return watched(program, directory, FOUR_LAYERS.format(memory=16), lambda server: ask(
        server, ["/five/static/-118.6,50.2,14@37,45/1024x512@4x.png"]))


def large_pictures(program, directory):
    """Six pictures of 4096 × 2048 pixels of one layer at once, with a cache of 64 MiB."""
    return watched(program, directory, FOUR_LAYERS.format(memory=64), lambda server: ask(
        server, [f"/{layer}/static/{lng},{lat},{zoom}/4096x2048.png" for layer, lng, lat, zoom in (
            ("world", 0, 0, 3.2), ("relief", 10, 50, 9.4), ("mandelbrot", 0, 0, 3.4),
            ("world", 100, 20, 4.4), ("relief", -100, 40, 7.3), ("four", 1, 1, 5.4))]))


def flight(program, directory):
    """An animation of a map of four layers, with a cache of 32 MiB."""
    def case(server):
        import json
        import urllib.request
        body = json.dumps({
            "camera": {"lat": 50.2, "lng": -118.6, "zoom": 4}, "view": {"width": 640, "height": 480}, "scale": 2,
            "update": {"type": "setCamera", "camera": {"lat": 49.26, "lng": -123.11, "zoom": 6, "bearing": 60, "tilt": 30}},
            "duration": 1, "fps": 24}).encode()
        request = urllib.request.Request(
            f"{server.url}/four/camera/animation", body, {"Accept": "image/apng", "Content-Type": "application/json"})
        with urllib.request.urlopen(request, timeout=120) as answer:
            return f"{answer.status} {answer.headers.get('X-Render-Status')} {len(answer.read())} B"
    return watched(program, directory, FOUR_LAYERS.format(memory=32), case)


def flood(server, directory, layer, count, first=0):
    seen = load(server.url, directory, FLOOD, seconds=600, arguments=(layer, first, count))
    return f"{seen.requests} × {layer} ({seen.unwell} of 400 and more, {seen.broken} broken)"


def no_tiles(program, directory):
    """A flood of 400,000 different "no tile", then of 60,000 tiles, with a cache of 64 MiB."""
    # Even columns have no tile.
    text = "cache: { memory: 64MiB }\nlayers:\n  odd: { generator: oddColumns }\n  solid: { generator: checkerboard }\n"
    return watched(program, directory, text, lambda server: "; ".join([
        flood(server, directory, "odd", 400_000), flood(server, directory, "solid", 60_000)]))


def missing_on_disk(program, directory):
    """A flood of 300,000 different 404s of an upstream, kept on disk, with a cache of 64 MiB."""
    with nginx.Nginx(directory / "upstream", server="location / { return 404; }") as upstream:
        text = f"""\
cache: {{ memory: 64MiB, disk: {{ path: "{directory}/tiles.sqlite", minFree: 0 }} }}
layers:
  tiles: {{ url: "{upstream.url}/{{z}}/{{x}}/{{y}}.png", allowPrivate: true, maxConcurrent: 64 }}
"""
        return watched(program, directory / "tileserver", text, lambda server: flood(
            server, directory, "tiles", 300_000))


CASES = {case.__name__: case for case in (
    four_layers, five_layers, five_layers_turned, large_pictures, flight, no_tiles, missing_on_disk)}


def main():
    program = pathlib.Path(sys.argv[1]).resolve()
    need(nginx="nginx-light", wrk="wrk")
    for name in sys.argv[2:] or CASES:
        with scratch_directory() as directory:
            print(f"{name:20} {CASES[name](program, directory)}", flush=True)


if __name__ == "__main__":
    main()
