"""Attacks by clients that ask and never read the answers."""
import contextlib
import select
import socket
import threading
import time
import urllib.parse

from support.machine import fetch
from support.raw import read_answers
from support.tileserver import TileServer

from .crowd import SOLID, TILE, need_descriptors
from .halves import COUNT, OTHERS, ask_all
from .verdict import expect

LAYERS = SOLID + "  fractal: { generator: mandelbrot }\n"
# A tile of 36 KB, which lies in memory once for all who ask for it: what clients leave untaken is less than the server allows.
PATH = "/fractal/0/0/0.png"
# More than the sockets between server and client take.
REQUESTS = f"GET {PATH} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode() * 10
# Seconds that another client may wait for its tile.
PATIENCE = 1
# How long the server waits for a client that reads nothing, with time for the last ones to begin.
STALL = 6
# tcpi_state, of a connection that neither side has closed.
ESTABLISHED = 1


def ask(port, source, is_small=True):
    """A connection from `source` on which `REQUESTS` were sent; with the buffers of any client, twenty times."""
    connection = socket.socket()
    if is_small:
        # Small buffers at both ends: the server's grows with the size of segments.
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4_096)
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_MAXSEG, 536)
    connection.bind((source, 0))
    connection.settimeout(30)
    with contextlib.suppress(OSError):
        connection.connect(("127.0.0.1", port))
        connection.sendall(REQUESTS if is_small else REQUESTS * 20)
    return connection


class Unread:
    """Keeps `count` connections open from one address, each with `REQUESTS` sent and none of the answers read. The client opens
    another connection for each that the server closes."""

    def __init__(self, port, count, source):
        self.port, self.source = port, source
        self.poll, self.connections = select.epoll(), {}
        self.opened = 0
        self.over = threading.Event()
        self.thread = threading.Thread(target=self.run)
        for _ in range(count):
            self.open()

    def __enter__(self):
        self.thread.start()
        return self

    def __exit__(self, *_):
        self.over.set()
        self.thread.join()
        for connection in self.connections.values():
            connection.close()
        self.poll.close()

    def open(self):
        connection = ask(self.port, self.source)
        self.connections[connection.fileno()] = connection
        self.poll.register(connection, select.EPOLLRDHUP)
        self.opened += 1

    def run(self):
        while not self.over.is_set():
            for number, _ in self.poll.poll(0.1):
                self.poll.unregister(number)
                self.connections.pop(number).close()
                self.open()


def never_read(program, directory):
    """4,200 connections of one address whose answers nobody reads, and which come back, while 229 other clients ask for a tile."""
    need_descriptors(3 * COUNT)
    with TileServer(program, directory, LAYERS) as server:
        port = urllib.parse.urlsplit(server.url).port
        expect(fetch(server.url + PATH)[0] == 200, "the tile that nobody reads cannot be had")
        with Unread(port, COUNT, "127.0.9.1") as crowd:
            time.sleep(STALL)
            statuses, longest = ask_all(port, 15)
            opened = crowd.opened
    good = statuses.count(200)
    expect(good >= 0.99 * OTHERS, f"{good} of {OTHERS} other clients got their tile, {statuses.count(503)} got 503")
    expect(longest < PATIENCE, f"a cached tile took {longest:.1f} s")
    return f"{good} of {OTHERS} others got their tile in {longest * 1000:.0f} ms at most; {opened} connections of the attacker"


def slow_readers(program, directory):
    """A full server with 100 slow readers beside 100 that never read, all of one address, while 80 other clients ask for a tile. Half
    of the slow readers have small buffers; the others read 16 KiB a second."""
    count, others = 100, 80
    text = f"server: {{ limits: {{ connections: {2 * count} }} }}\n" + LAYERS
    with TileServer(program, directory, text) as server, contextlib.ExitStack() as connections:
        port = urllib.parse.urlsplit(server.url).port
        expect(fetch(server.url + PATH)[0] == 200, "the tile that is read slowly cannot be had")
        time.sleep(STALL)
        slow = [connections.enter_context(ask(port, "127.0.9.1", number % 2 == 0)) for number in range(count)]
        silent = [connections.enter_context(ask(port, "127.0.9.1")) for _ in range(count)]
        taken, statuses, end = [0] * count, [], time.monotonic() + 20
        while (left := end - time.monotonic()) > 0:
            for number, connection in enumerate(slow):
                # Nothing: the server has closed it.
                with contextlib.suppress(ConnectionResetError):
                    taken[number] += len(connection.recv(2_048 if number % 2 == 0 else 3_277))
            if len(statuses) < others and left < 13:
                other = socket.create_connection(("127.0.0.1", port), 10, source_address=(f"127.1.1.{1 + len(statuses)}", 0))
                # It keeps its connection: each needs the place of another.
                connections.enter_context(other).sendall(TILE)
                statuses += read_answers(other, 1) or [0]
            time.sleep(0.2)
        kept = sum(is_open(connection) for connection in slow)
        lost = sum(not is_open(connection) for connection in silent)
    good = statuses.count(200)
    expect(kept == count, f"{count - kept} of {count} slow readers were closed, {lost} of {count} that never read")
    expect(good >= 0.9 * len(statuses), f"{good} of {len(statuses)} other clients got their tile")
    return (f"{kept} of {count} slow readers stay, with {min(taken) // 1024} KiB at least; {lost} that never read leave; "
            f"{good} of {len(statuses)} others got their tile")


def is_open(connection):
    """Whether the server has not closed the connection: a reset has no answers before it."""
    return connection.getsockopt(socket.SOL_SOCKET, socket.SO_ERROR) == 0 and connection.getsockopt(
        socket.IPPROTO_TCP, socket.TCP_INFO, 1)[0] == ESTABLISHED


ATTACKS = [never_read, slow_readers]
