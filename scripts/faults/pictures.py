"""Requests images, animations and slow tiles in crowds, and meanwhile measures all other clients.

The server has all cores and shares them with the clients. The crowds are one process. The measured clients are another
process, with a higher priority if possible. They send requests at a fixed pace, and report their own delays. The cost
of the crowd's own process is measured too, with the same crowd at another server: an nginx that refuses everything, or
a port that never answers.
"""
import contextlib
import json
import socket
import time

from support import images, nginx
from support.machine import need, scratch_directory
from support.probe import Series, probe
from support.tileserver import TileServer

from . import crowd
from .serving import known, verdict

# Maximum milliseconds of the slowest hundredth. For hits it is twice a quiet server's, plus this.
BARS = {"hit": 5, "solid": 50, "jpeg": 50, "camera": 50}
# Maximum milliseconds of work after all clients have left.
STOP_BAR = 50

CAMERA = {
    "camera": {"lat": 49.26, "lng": -123.11, "zoom": 10}, "view": {"width": 800, "height": 600},
    "update": {"type": "zoomBy", "delta": 1, "point": [600, 150]}}
SERIES = [
    Series("hit", "/world/0/0/0.png", every=1 / 500),
    Series("solid", "/solid/20/{x}/{y}.png", every=1 / 200),
    Series("jpeg", "/jpeg/20/{x}/{y}.png", every=1 / 40),
    Series("camera", "/world/camera", every=1 / 200, method="POST", body=json.dumps(CAMERA)),
]

# Requests of the crowds: (request, clients, seconds after which the clients leave).
CROWDS = {
    "large": [(crowd.large, 16, None)],
    "overlays": [(crowd.overlays, 16, None)],
    "refused": [(crowd.refused, 16, None)],
    "stacks": [(crowd.stacks, 16, None)],
    "animations": [(crowd.animation, 16, None)],
    "relief": [(crowd.relief, 64, None)],
    "mandelbrot": [(crowd.mandelbrot, 64, None)],
    "hasty": [(crowd.overlays, 16, 0.3), (crowd.animation, 16, 0.3), (crowd.mandelbrot, 32, 0.3)],
}
CROWDS["everything"] = [kind for name in CROWDS for kind in CROWDS[name]]
# Requests of clients that leave after `LEAVE` seconds.
LEAVERS = {
    "an image of overlays": [(crowd.overlays, 1)],
    "16 images of overlays": [(crowd.overlays, 16)],
    "16 images of stacks": [(crowd.stacks, 16)],
    "an animation": [(crowd.animation, 1)],
    "16 animations": [(crowd.animation, 16)],
    "64 tiles of relief": [(crowd.relief, 64)],
    "64 tiles of mandelbrot": [(crowd.mandelbrot, 64)],
}
LEAVE = 0.3


def arguments(parser):
    parser.add_argument("names", nargs="*", help=f"of {', '.join(CROWDS)} and leave (default: all)")
    parser.add_argument("--seconds", type=float, default=6, help="of each measurement (default: 6)")


def run(options):
    known(options.names, [*CROWDS, "leave"])
    need(nginx="nginx-light")
    with scratch_directory() as directory:
        picture = directory / "tile.jpg"
        images.pillow("support/pillow.py", "jpeg", picture)
        with (nginx.serving_one_file(directory / "upstream", picture.read_bytes()) as upstream,
              refusing(directory / "refusing") as elsewhere):
            def server():
                return TileServer(options.program, directory / "server", configuration(upstream.url))

            names = [name for name in CROWDS if name in (options.names or CROWDS)]
            held = crowds(server, names, elsewhere.url, options.seconds)
            if "leave" in (options.names or ["leave"]):
                held = leavers(server) and held
    return verdict(held, "within the bars")


def crowds(server, names, elsewhere, seconds):
    """Prints the results of other clients beside each crowd. Returns whether all are within the bars."""
    if not names:
        return True
    print(f"ms of the slowest hundredth (and of the longest), {seconds:g} s each; camera is POST /world/camera\n")
    print(f"{'':12} {'':8}" + "".join(f"{one.name:>22}" for one in SERIES) + f"{'client late':>14}")
    # Each crowd gets its line, also after a failure of an earlier one.
    return all([beside(server, name, elsewhere, seconds) for name in names])


def leavers(server):
    """Prints how long the process works for clients that have left. Returns whether all times are within the bar."""
    print(f"\nms that the process works on when all clients have gone, {LEAVE} s after they asked (bar {STOP_BAR})\n")
    return all([left(server, name, kinds) for name, kinds in LEAVERS.items()])


def configuration(upstream):
    return f"""\
server: {{ limits: {{ requestsPerConnection: 1000000000 }} }}
cache: {{ memory: 256MiB }}
{crowd.LAYERS}  jpeg: {{ url: "{upstream}/{{z}}/{{x}}/{{y}}.jpg", maxConcurrent: 64 }}
{crowd.MAPS}"""


def refusing(directory):
    """A server that answers 400 to every request."""
    return nginx.Nginx(directory, server="large_client_header_buffers 4 16k; location / { return 400; }")


@contextlib.contextmanager
def crowd_elsewhere(elsewhere, kinds):
    """A crowd that costs the machine only the time of its own process."""
    with contextlib.ExitStack() as stack:
        silent = stack.enter_context(socket.create_server(("127.0.0.1", 0), backlog=4096))
        urls = {True: elsewhere, False: f"http://127.0.0.1:{silent.getsockname()[1]}"}
        for is_refused, url in urls.items():
            some = [kind for kind in kinds if (kind[0] is crowd.refused) == is_refused]
            stack.enter_context(crowd.crowd(url, *some))
        yield


def beside(server, name, elsewhere, seconds):
    """Prints the results of other clients beside a crowd. Returns whether they are within the bars."""
    with server() as running:
        # The first requests include initial work.
        probe(running.url, SERIES, 1)
        quiet = probe(running.url, SERIES, seconds / 2)
        with crowd.crowd(running.url, *CROWDS[name]):
            time.sleep(1)
            before, began = running.cpu_seconds(), time.monotonic()
            busy = probe(running.url, SERIES, seconds)
            cores = (running.cpu_seconds() - before) / (time.monotonic() - began)
        # Wait until the work for the crowd has ended.
        time.sleep(1)
        with crowd_elsewhere(elsewhere, CROWDS[name]):
            time.sleep(1)
            alone = probe(running.url, SERIES, seconds / 2)
        running.process.kill()
    bars = {**BARS, "hit": 2 * quiet["hit"].p99 + BARS["hit"]}
    line(name, "quiet", quiet, {})
    line("", "clients", alone, {})
    held = line("", "busy", busy, bars)
    print(f"{'':12} {'bar':8}" + "".join(f"{bars[one.name]:>14.1f}        " for one in SERIES)
          + f"   the server used {cores:.2f} cores", flush=True)
    return held


def line(name, when, seen, bars):
    """Prints a line with `*` beside each value above its bar. Returns whether there is none."""
    above = {one for one, bar in bars.items() if seen[one].p99 > bar or seen[one].unwell}
    cells = (f"{seen[one.name].p99:>13.1f}{'*' if one.name in above else ' '}{f'({seen[one.name].longest:.1f})':>8}"
             for one in SERIES)
    print(f"{name:12} {when:8}" + "".join(cells) + f"{max(one.late for one in seen.values()):>14.1f}", flush=True)
    for one in SERIES:
        if seen[one.name].unwell:
            print(f"{'':21} {one.name}: {seen[one.name].unwell} of {seen[one.name].requests} answers were no 200")
    return not above


def left(server, name, kinds):
    """Prints how long the process works for clients that have left."""
    with server() as running:
        for request, _ in kinds:
            warm(running.url, request)
        clients = [(request, crowd.connect(running.url, network, number))
                   for network, (request, count) in enumerate(kinds) for number in range(count)]
        for request, connection in clients:
            connection.sendall(request())
        time.sleep(LEAVE)
        for _, connection in clients:
            connection.close()
        worked, cpu = work_left(running.process.pid)
        running.process.kill()
    held = worked * 1e3 <= STOP_BAR
    print(f"{name:24} {worked * 1e3:>8.0f}{' ' if held else '*'}  ({cpu * 1e3:.0f} ms of processor time)", flush=True)
    return held


def warm(url, request):
    """Loads the tiles of an image into memory, as for an image that is requested often. A tile is not requested
    before."""
    if request in (crowd.relief, crowd.mandelbrot):
        return
    with crowd.connect(url) as connection:
        connection.sendall(request())
        crowd.read(connection)


def work_left(pid, most=20):
    """Returns (seconds until the process is idle, CPU seconds until then). `most` is the maximum wait."""
    clock = (~pid << 3) | 2  # clock_getcpuclockid(3): the processor time of all its threads, those that ended too
    began = time.monotonic()
    start = seen = time.clock_gettime(clock)
    last = 0
    while (now := time.monotonic() - began) < most and now - last < 0.5:
        time.sleep(0.01)
        cpu = time.clock_gettime(clock)
        if cpu - seen > 0.002:
            last = time.monotonic() - began
        seen = cpu
    return last, seen - start
