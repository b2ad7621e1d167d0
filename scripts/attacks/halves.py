"""Attacks by clients that begin requests and never end them."""
import contextlib
import select
import subprocess
import time

from support.machine import beside, free_port
from support.raw import connect, read_status
from support.tileserver import TileServer

from .crowd import SOLID, TILE, need_descriptors
from .verdict import expect

HEAD = b"GET /solid/1/0/0.png HTTP/1.1\r\n"
# A request with half of its content. The server reads all of a content before it responds, on every route.
BODY = b"POST /solid/1/0/0.png HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000\r\n\r\n" + b"x" * 500
COUNT = 4_200
OTHERS = 229


class Crowd:
    """Connections whose responses nobody reads. `open` makes a connection. A new one replaces each that the server
    closes."""

    def __init__(self, open):
        self.open, self.opened = open, 0
        self.poll, self.connections = select.epoll(), {}

    def add(self):
        with contextlib.suppress(OSError):
            connection = self.open()
            self.connections[connection.fileno()] = connection
            self.poll.register(connection, select.EPOLLRDHUP)
            self.opened += 1

    def run(self, over):
        while not over.is_set():
            for number, _ in self.poll.poll(0.1):
                self.poll.unregister(number)
                self.connections.pop(number).close()
                self.add()


    def close(self):
        for connection in self.connections.values():
            connection.close()
        self.poll.close()


@contextlib.contextmanager
def crowd(count, open):
    """Keeps `count` connections open while the block runs. `opened` counts the connections that it has opened."""
    with contextlib.closing(Crowd(open)) as held:
        for _ in range(count):
            held.add()
        with beside(held.run):
            yield held


def begun(url, beginning, source):
    """Opens a connection from one address and sends `beginning`."""
    connection = connect(url, source=source)
    with contextlib.suppress(OSError):
        connection.sendall(beginning)
    return connection


def ask(url, request, source):
    """Returns the status of `request` over a new connection, or 0 without a response."""
    with contextlib.suppress(OSError, IndexError, ValueError), connect(url, 10, source) as connection:
        connection.sendall(request)
        return read_status(connection)
    return 0


def ask_all(url, seconds):
    """Returns (statuses, longest wait) of OTHERS clients, one after the other, each with its own address."""
    statuses, longest = [], 0
    for number in range(OTHERS):
        began = time.monotonic()
        statuses.append(ask(url, TILE, f"127.1.1.{1 + number}"))
        took = time.monotonic() - began
        longest = max(longest, took)
        time.sleep(max(seconds / OTHERS - took, 0))
    return statuses, longest


def half_heads(program, directory):
    """4,200 half heads from one address, which reconnect, while 229 other clients request a tile."""
    return beside_others(program, directory, HEAD)


def half_bodies(program, directory):
    """Like half_heads, with requests whose content stops in the middle."""
    return beside_others(program, directory, BODY)


def beside_others(program, directory, beginning):
    need_descriptors(3 * COUNT)
    with TileServer(program, directory, SOLID) as server:
        with crowd(COUNT, lambda: begun(server.url, beginning, "127.0.9.1")) as attacker:
            statuses, longest = ask_all(server.url, 15)
            opened = attacker.opened
    good = statuses.count(200)
    expect(good == OTHERS, f"{good} of {OTHERS} other clients got their tile, {statuses.count(503)} got 503")
    expect(longest < 2, f"a cached tile took {longest:.1f} s")
    return f"{OTHERS} of {OTHERS} others got their tile in {longest * 1000:.0f} ms at most; {opened} connections of the attacker"


def half_health(program, directory):
    """4,200 half heads from the server's own machine, while `tileserver health` runs for 60 s."""
    need_descriptors(3 * COUNT)
    with TileServer(program, directory, SOLID) as server:
        environment = {"TILESERVER_PORT": str(server.port), "PATH": "/usr/bin:/bin"}
        command = [program, "health", "--config", directory / "tileserver.yaml"]
        ends = []
        with crowd(COUNT, lambda: begun(server.url, HEAD, "127.0.0.1")) as attacker:
            end = time.monotonic() + 60
            while time.monotonic() < end:
                ends.append(subprocess.run(command, env=environment, cwd=directory, capture_output=True, timeout=30))
                time.sleep(0.5)
            opened = attacker.opened
    failed = [ended for ended in ends if ended.returncode != 0]
    expect(not failed, f"{len(failed)} of {len(ends)} calls failed, as with {failed[0].stderr[-200:] if failed else b''!r}")
    return f"{len(ends)} of {len(ends)} calls within 60 s succeed; {opened} connections of the attacker"


def half_metrics(program, directory):
    """40 half heads on `metrics.listen`, while a scraper at another address requests the metrics."""
    port = free_port()
    with TileServer(program, directory, f'metrics: {{ listen: "127.0.0.1:{port}" }}\n' + SOLID):
        request = b"GET /metrics HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"
        url = f"http://127.0.0.1:{port}"
        with crowd(40, lambda: begun(url, b"GET /metrics HTTP/1.1\r\n", "127.0.9.1")):
            statuses = []
            for _ in range(24):
                statuses.append(ask(url, request, "127.0.7.1"))
                time.sleep(0.5)
    good = statuses.count(200)
    expect(good == len(statuses), f"{good} of {len(statuses)} scrapes were answered")
    return f"{good} of {len(statuses)} scrapes within 12 s are answered"


ATTACKS = [half_heads, half_bodies, half_health, half_metrics]
