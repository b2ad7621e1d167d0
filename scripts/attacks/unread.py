"""Attacks by clients that send requests and never read the responses."""
import contextlib
import socket
import time

from support.machine import fetch
from support.raw import connect, read_status
from support.tileserver import TileServer

from .crowd import SOLID, TILE, need_descriptors
from .halves import COUNT, OTHERS, ask_all, crowd
from .verdict import expect

LAYERS = SOLID + "  fractal: { generator: mandelbrot }\n"
# A tile of 36 KB. All responses share it in memory, so the unread bytes are within the server's limit.
PATH = "/fractal/0/0/0.png"
# More bytes than the sockets between server and client take.
REQUESTS = f"GET {PATH} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode() * 10
# Maximum seconds that another client may wait for its tile.
PATIENCE = 1
# Seconds that the server waits for a client that reads nothing, plus time for the last clients to begin.
STALL = 6
# Value of tcpi_state for a connection that neither side has closed.
ESTABLISHED = 1


def ask(url, is_small=True):
    """Opens a connection and sends `REQUESTS`. A connection with normal buffers sends them twenty times."""
    connection = connect(url, 30, "127.0.9.1", *((4_096, 536) if is_small else ()))
    with contextlib.suppress(OSError):
        connection.sendall(REQUESTS if is_small else REQUESTS * 20)
    return connection


def never_read(program, directory):
    """4,200 connections from one address that read nothing and reconnect, beside 229 other clients."""
    need_descriptors(3 * COUNT)
    with TileServer(program, directory, LAYERS) as server:
        expect(fetch(server.url + PATH)[0] == 200, "the tile that nobody reads cannot be had")
        with crowd(COUNT, lambda: ask(server.url)) as attacker:
            time.sleep(STALL)
            statuses, longest = ask_all(server.url, 15)
            opened = attacker.opened
    good = statuses.count(200)
    expect(good >= 0.99 * OTHERS, f"{good} of {OTHERS} other clients got their tile, {statuses.count(503)} got 503")
    expect(longest < PATIENCE, f"a cached tile took {longest:.1f} s")
    return f"{good} of {OTHERS} others got their tile in {longest * 1000:.0f} ms at most; {opened} connections of the attacker"


def slow_readers(program, directory):
    """A full server with 100 slow readers and 100 that never read, from one address, beside 80 other clients.

    Half of the slow readers have small buffers. The others read 16 KiB a second.
    """
    count, others = 100, 80
    text = f"server: {{ limits: {{ connections: {2 * count} }} }}\n" + LAYERS
    with TileServer(program, directory, text) as server, contextlib.ExitStack() as connections:
        expect(fetch(server.url + PATH)[0] == 200, "the tile that is read slowly cannot be had")
        time.sleep(STALL)
        slow = [connections.enter_context(ask(server.url, number % 2 == 0)) for number in range(count)]
        silent = [connections.enter_context(ask(server.url)) for _ in range(count)]
        taken, statuses, end = [0] * count, [], time.monotonic() + 20
        while (left := end - time.monotonic()) > 0:
            for number, connection in enumerate(slow):
                # A reset connection gives nothing, because the server has closed it.
                with contextlib.suppress(ConnectionResetError):
                    taken[number] += len(connection.recv(2_048 if number % 2 == 0 else 3_277))
            if len(statuses) < others and left < 13:
                # The other client keeps its connection, so the server must close a connection for each new one.
                other = connections.enter_context(connect(server.url, 10, f"127.1.1.{1 + len(statuses)}"))
                other.sendall(TILE)
                statuses.append(read_status(other))
            time.sleep(0.2)
        kept = sum(is_open(connection) for connection in slow)
        lost = sum(not is_open(connection) for connection in silent)
    good = statuses.count(200)
    expect(kept == count, f"{count - kept} of {count} slow readers were closed, {lost} of {count} that never read")
    expect(good >= 0.9 * len(statuses), f"{good} of {len(statuses)} other clients got their tile")
    return (f"{kept} of {count} slow readers stay, with {min(taken) // 1024} KiB at least; {lost} that never read leave; "
            f"{good} of {len(statuses)} others got their tile")


def is_open(connection):
    """Reports whether the server still has the connection. A reset has no response before it."""
    return connection.getsockopt(socket.SOL_SOCKET, socket.SO_ERROR) == 0 and connection.getsockopt(
        socket.IPPROTO_TCP, socket.TCP_INFO, 1)[0] == ESTABLISHED


ATTACKS = [never_read, slow_readers]
