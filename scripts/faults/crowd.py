"""Clients that want more than their share. Each has its own address, and all run in one process beside the script."""
import contextlib
import itertools
import json
import multiprocessing
import os
import random
import signal
import threading
import time

from support import raw

LAYERS = """\
layers:
  solid: { generator: solid }
  world: { generator: world }
  relief: { generator: relief, maxZoom: 30 }
  mandelbrot: { generator: mandelbrot, maxZoom: 30 }
  grid: { generator: grid }
  graticule: { generator: graticule }
  daylight: { generator: daylight, refresh: 1h }
"""
MAPS = """\
maps:
  stack: { base: world, layers: [relief, mandelbrot, graticule, daylight] }
"""
# Width in longitude of each of the 195 areas of `overlays`.
DEGREES = 70
COLORS = itertools.count(1)


def colour():
    """Returns another background each time, so that no image comes from the cache."""
    return f"{next(COLORS) % 0x1000000:06x}"


def get(path):
    return f"GET {path} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode()


def post(path, body, fields=""):
    body = json.dumps(body).encode()
    return f"POST {path} HTTP/1.1\r\nHost: localhost\r\n{fields}Content-Length: {len(body)}\r\n\r\n".encode() + body


def large():
    """The largest allowed image."""
    return get(f"/world/static/0,0,3.2/4096x2048.png?background={colour()}")


def areas(degrees):
    """As many areas as a request line may have, from Greenwich to a longitude, over all latitudes."""
    return "&".join([f"path=fill:d00|0,85|{degrees},85|{degrees},-85|0,-85"] * 195)


def overlays():
    """The largest image with areas whose total size is just below the limit."""
    return get(f"/world/static/0,0,3.2/4096x2048.png?background={colour()}&{areas(DEGREES)}")


def refused():
    """The same image with areas above the limit."""
    return get(f"/world/static/0,0,3.2/4096x2048.png?background={colour()}&{areas(178)}")


def stacks():
    """A map of five layers at the highest resolution."""
    place = f"{random.uniform(-170, 170):.3f},{random.uniform(-60, 60):.3f},{random.uniform(3, 8):.2f}"
    return get(f"/stack/static/{place}/1024x512@4x.png?background={colour()}")


def animation():
    """A flight with as many pixels as allowed."""
    return post("/stack/camera/animation?attribution=false", {
        "camera": {"lat": 49, "lng": -123, "zoom": 4}, "view": {"width": 640, "height": 480}, "duration": 6, "fps": 30,
        "update": {"type": "setCamera", "camera": {"lat": 45, "lng": -110, "zoom": 6, "bearing": 30, "tilt": 30}},
    }, "Accept: image/apng\r\n")


def relief():
    return get(f"/relief/16/{random.randrange(1 << 16)}/{random.randrange(1 << 16)}@2x.png")


def mandelbrot():
    """A tile at the edge of the set, where points need the most time."""
    x, y = 8230 * 4 + random.randrange(-999, 999), 7476 * 4 + random.randrange(-999, 999)
    return get(f"/mandelbrot/16/{x}/{y}@2x.png")


@contextlib.contextmanager
def crowd(url, *kinds):
    """Sends the requests of (request, clients, patience) while the block runs. After `patience` seconds a client
    leaves; None means that it stays."""
    child = multiprocessing.get_context("fork").Process(target=_run, args=(url, kinds, os.getpid()), daemon=True)
    child.start()
    try:
        yield
    finally:
        child.kill()
        child.join()


def _run(url, kinds, parent):
    # Ctrl-C ends the script, and the script ends this process. If the script does not, this process ends itself.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    for network, (request, count, patience) in enumerate(kinds, 1):
        for number in range(count):
            client = threading.Thread(target=_ask, args=(url, (network, number), request, patience), daemon=True)
            client.start()
    while os.getppid() == parent:
        time.sleep(0.2)


def connect(url, network=0, number=0, timeout=120, receive=None):
    """Opens a connection from a loopback address. `receive` is the size of the kernel's receive buffer in bytes."""
    return raw.connect(url, timeout, f"127.{1 + network}.{number // 250}.{1 + number % 250}", receive)


def _ask(url, place, request, patience):
    random.seed(str(place))
    while True:
        with contextlib.suppress(OSError), connect(url, *place) as connection:
            while True:
                connection.sendall(request())
                connection.settimeout(patience or 120)
                if not read(connection):
                    # The server has refused the client. A client waits a little then, because real clients show
                    # something to a person.
                    time.sleep(0.1)


def read(connection):
    """Reads one response and drops it. Returns whether its status is 200."""
    received = b""
    while b"\r\n\r\n" not in received:
        piece = connection.recv(1 << 16)
        if not piece:
            raise ConnectionResetError
        received += piece
    head, _, body = received.partition(b"\r\n\r\n")
    length = int(head.lower().partition(b"\r\ncontent-length:")[2].partition(b"\r\n")[0] or 0)
    left = length - len(body)
    sink = bytearray(1 << 18)
    while left > 0:
        count = connection.recv_into(sink, min(left, len(sink)))
        if not count:
            raise ConnectionResetError
        left -= count
    if b"\r\nconnection: close" in head.lower():
        raise ConnectionResetError
    return head[9:12] == b"200"
