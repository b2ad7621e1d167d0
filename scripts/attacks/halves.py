"""Attacks by clients that begin requests and never end them."""
import contextlib
import selectors
import socket
import subprocess
import threading
import time
import urllib.parse

from support.machine import free_port
from support.raw import read_answers
from support.tileserver import TileServer

from .crowd import SOLID, TILE, need_descriptors
from .verdict import expect

HEAD = b"GET /solid/1/0/0.png HTTP/1.1\r\n"
# A request with half of its content: all of it is read before the answer, whatever the route.
BODY = b"POST /solid/1/0/0.png HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000\r\n\r\n" + b"x" * 500
COUNT = 4_200
OTHERS = 229


class Crowd:
    """Keeps `count` connections open from one address, each with `beginning` sent, and reopens those that the server closes."""

    def __init__(self, port, count, beginning, source):
        self.port, self.count, self.beginning, self.source = port, count, beginning, source
        self.selector = selectors.DefaultSelector()
        self.opened = 0
        self.over = threading.Event()
        self.thread = threading.Thread(target=self.run)

    def __enter__(self):
        for _ in range(self.count):
            self.open()
        self.thread.start()
        return self

    def __exit__(self, *_):
        self.over.set()
        self.thread.join()
        for key in list(self.selector.get_map().values()):
            key.fileobj.close()
        self.selector.close()

    def open(self):
        connection = socket.create_connection(("127.0.0.1", self.port), 30, source_address=(self.source, 0))
        with contextlib.suppress(OSError):
            connection.sendall(self.beginning)
        self.selector.register(connection, selectors.EVENT_READ)
        self.opened += 1

    def run(self):
        while not self.over.is_set():
            for key, _ in self.selector.select(0.1):
                with contextlib.suppress(OSError):
                    if key.fileobj.recv(1 << 12):
                        continue
                self.selector.unregister(key.fileobj)
                key.fileobj.close()
                with contextlib.suppress(OSError):
                    self.open()


def ask(port, request, source):
    """The status of the answer to `request` on a connection of its own; 0 where there is none."""
    with contextlib.suppress(OSError, IndexError, ValueError):
        with socket.create_connection(("127.0.0.1", port), 10, source_address=(source, 0)) as connection:
            connection.sendall(request)
            return (read_answers(connection, 1) or [0])[0]
    return 0


def ask_all(port, seconds):
    """(statuses, longest wait) of OTHERS clients, each with an address of its own, one after the other."""
    statuses, longest = [], 0
    for number in range(OTHERS):
        began = time.monotonic()
        statuses.append(ask(port, TILE, f"127.1.1.{1 + number}"))
        took = time.monotonic() - began
        longest = max(longest, took)
        time.sleep(max(seconds / OTHERS - took, 0))
    return statuses, longest


def half_heads(program, directory):
    """4,200 half heads of one address, which come back when they are closed, while 229 other clients ask for a tile."""
    return beside_others(program, directory, HEAD)


def half_bodies(program, directory):
    """As half_heads, with requests whose content stops in the middle."""
    return beside_others(program, directory, BODY)


def beside_others(program, directory, beginning):
    need_descriptors(3 * COUNT)
    with TileServer(program, directory, SOLID) as server:
        port = urllib.parse.urlsplit(server.url).port
        with Crowd(port, COUNT, beginning, "127.0.9.1") as crowd:
            statuses, longest = ask_all(port, 15)
            opened = crowd.opened
    good = statuses.count(200)
    expect(good == OTHERS, f"{good} of {OTHERS} other clients got their tile, {statuses.count(503)} got 503")
    expect(longest < 2, f"a cached tile took {longest:.1f} s")
    return f"{OTHERS} of {OTHERS} others got their tile in {longest * 1000:.0f} ms at most; {opened} connections of the attacker"


def half_health(program, directory):
    """4,200 half heads of the server's own machine, while `tileserver health` is called for 60 s."""
    need_descriptors(3 * COUNT)
    with TileServer(program, directory, SOLID) as server:
        port = urllib.parse.urlsplit(server.url).port
        environment = {"TILESERVER_PORT": str(port), "PATH": "/usr/bin:/bin"}
        command = [program, "health", "--config", directory / "tileserver.yaml"]
        ends = []
        with Crowd(port, COUNT, HEAD, "127.0.0.1") as crowd:
            end = time.monotonic() + 60
            while time.monotonic() < end:
                ends.append(subprocess.run(command, env=environment, cwd=directory, capture_output=True, timeout=30))
                time.sleep(0.5)
            opened = crowd.opened
    failed = [ended for ended in ends if ended.returncode != 0]
    expect(not failed, f"{len(failed)} of {len(ends)} calls failed, as with {failed[0].stderr[-200:] if failed else b''!r}")
    return f"{len(ends)} of {len(ends)} calls within 60 s succeed; {opened} connections of the attacker"


def half_metrics(program, directory):
    """40 half heads on `metrics.listen`, while a scraper of another address asks for the metrics."""
    port = free_port()
    with TileServer(program, directory, f'metrics: {{ listen: "127.0.0.1:{port}" }}\n' + SOLID):
        request = b"GET /metrics HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"
        with Crowd(port, 40, b"GET /metrics HTTP/1.1\r\n", "127.0.9.1"):
            statuses = []
            for _ in range(24):
                statuses.append(ask(port, request, "127.0.7.1"))
                time.sleep(0.5)
    good = statuses.count(200)
    expect(good == len(statuses), f"{good} of {len(statuses)} scrapes were answered")
    return f"{good} of {len(statuses)} scrapes within 12 s are answered"


ATTACKS = [half_heads, half_bodies, half_health, half_metrics]
