"""Measures the memory for pictures and for floods of small entries. Each case runs its own server.

Each function takes the program and a directory, and returns a `Peak`. `CASES` names all functions, which

    python3 -m faults.image_memory PROGRAM [CASE…]

runs in the directory `scripts`.
"""
import dataclasses
import json
import pathlib
import re
import sys
import time

from support import nginx
from support.machine import at_once, fetch, need, scratch_directory
from support.tileserver import TileServer
from support.wrk import NUMBERED, load

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


@dataclasses.dataclass
class Peak:
    """The result of a case."""
    # VmHWM of /proc/PID/status, and VmRSS at the end.
    most: int
    last: int
    # CPU time of the server, and duration of the case.
    cpu: float
    seconds: float
    # The server's responses.
    answers: str

    def __str__(self):
        return (f"{self.most / MIB:7.1f} MiB at most, {self.last / MIB:7.1f} at the end, {self.cpu:6.1f} s of CPU, "
                f"{self.seconds:6.1f} s: {self.answers}")


def peak_bytes(pid):
    """Returns the maximum memory of a process in RAM (VmHWM, proc(5))."""
    status = pathlib.Path(f"/proc/{pid}/status").read_text()
    return int(re.search(r"VmHWM:\s*(\d+)", status)[1]) * 1024


def watched(program, directory, text, case):
    """Measures the server with the configuration `text` while `case` sends requests."""
    with TileServer(program, directory, text) as server:
        start = time.monotonic()
        answers = case(server)
        seconds = time.monotonic() - start
        return Peak(peak_bytes(server.process.pid), server.resident_bytes(), server.cpu_seconds(), seconds, answers)


def ask(server, paths, timeout=120):
    """Requests all `paths` at once. Returns a summary of the responses. On a slow machine tiles arrive too late, so a
    request is repeated when they are cached."""
    def one(path):
        for _ in range(4):
            try:
                status, fields, body = fetch(server.url + path, timeout=timeout)
            except OSError as error:
                return str(error)
            rendered, wait = fields.get("X-Render-Status"), fields.get("Retry-After")
            words = [rendered or re.search(r'"code":"([^"]*)"', body.decode(errors="replace"))[1], f"{len(body)} B"]
            if rendered != "partial" and not wait:
                break
        return " ".join([str(status), *words, *([f"Retry-After {wait}"] if wait else [])])

    answers = at_once(one, paths)
    return "; ".join(f"{answers.count(answer)} × {answer}" for answer in dict.fromkeys(answers))


def pictures(program, directory, memory, paths):
    return watched(program, directory, FOUR_LAYERS.format(memory=memory), lambda server: ask(server, paths))


def four_layers(program, directory):
    """An image of 4096 × 2048 pixels of four layers, with a cache of 32 MiB."""
    return pictures(program, directory, 32, ["/four/static/-118.6,50.2,6/1024x512@4x.png"])


def five_layers(program, directory):
    """The same of five layers, with a cache of 16 MiB."""
    return pictures(program, directory, 16, ["/five/static/-118.6,50.2,6/1024x512@4x.png"])


def five_layers_turned(program, directory):
    """The same, turned and tilted, so that rows see many tiles."""
    return pictures(program, directory, 16, ["/five/static/-118.6,50.2,14@37,45/1024x512@4x.png"])


def large_pictures(program, directory):
    """Six images of 4096 × 2048 pixels of one layer at once, with a cache of 64 MiB."""
    return pictures(program, directory, 64, [f"/{layer}/static/{lng},{lat},{zoom}/4096x2048.png" for layer, lng, lat, zoom in (
        ("world", 0, 0, 3.2), ("relief", 10, 50, 9.4), ("mandelbrot", 0, 0, 3.4),
        ("world", 100, 20, 4.4), ("relief", -100, 40, 7.3), ("four", 1, 1, 5.4))])


def flight(program, directory):
    """An animation of a map of four layers, with a cache of 32 MiB."""
    def case(server):
        body = json.dumps({
            "camera": {"lat": 50.2, "lng": -118.6, "zoom": 4}, "view": {"width": 640, "height": 480}, "scale": 2,
            "update": {"type": "setCamera", "camera": {"lat": 49.26, "lng": -123.11, "zoom": 6, "bearing": 60, "tilt": 30}},
            "duration": 1, "fps": 24}).encode()
        fields = {"Accept": "image/apng", "Content-Type": "application/json"}
        status, headers, content = fetch(f"{server.url}/four/camera/animation", "POST", fields, 120, body)
        return f"{status} {headers.get('X-Render-Status')} {len(content)} B"
    return watched(program, directory, FOUR_LAYERS.format(memory=32), case)


def flood(server, directory, layer, count):
    """Requests each of many tiles once, in even columns."""
    seen = load(server.url, directory, NUMBERED, seconds=600, arguments=(f"/{layer}/18/%d/%d.png", 131_072, 2, 0, count))
    return f"{seen.requests} × {layer} ({seen.unwell} of 400 and more, {seen.broken} broken)"


def no_tiles(program, directory):
    """A flood of 400,000 different missing tiles, then of 60,000 tiles, with a cache of 64 MiB."""
    # Even columns have no tile.
    text = "cache: { memory: 64MiB }\nlayers:\n  odd: { generator: oddColumns }\n  solid: { generator: checkerboard }\n"
    return watched(program, directory, text, lambda server: "; ".join([
        flood(server, directory, "odd", 400_000), flood(server, directory, "solid", 60_000)]))


def missing_on_disk(program, directory):
    """A flood of 300,000 different 404 responses of an upstream, stored on disk, with a cache of 64 MiB."""
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
