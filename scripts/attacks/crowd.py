"""Attacks by which one client stops the server for others."""
import contextlib
import resource
import socket
import subprocess
import threading
import time
import urllib.parse

from support.machine import fetch
from support.raw import connect, read_answers
from support.tileserver import TileServer

from .verdict import Skipped, expect

# Seconds that a cached tile may take while another client keeps the server busy.
PATIENCE = 0.25


def pipeline(program, directory):
    """One connection that asks for a thousand documents in one write, while another asks for tiles."""
    layers = "".join(f"  layer{number}: {{ generator: solid }}\n" for number in range(65))
    with TileServer(program, directory, f"server: {{ reactors: 1 }}\nlayers:\n{layers}") as server:
        count = 1_000
        request = b"GET /layers.json HTTP/1.1\r\nHost: localhost\r\n\r\n"
        waits, over = [], threading.Event()
        tiles = threading.Thread(target=ask_for_tiles, args=(server.url, waits, over))
        tiles.start()
        with connect(server.url, timeout=120) as connection:
            began = time.monotonic()
            connection.sendall(request * count)
            statuses = read_answers(connection, count)
            took = time.monotonic() - began
        over.set()
        tiles.join()
    expect(statuses == [200] * count, f"{statuses.count(200)} of {count} documents came")
    expect(max(waits) < PATIENCE, f"a cached tile took {max(waits):.2f} s while {count} documents took {took:.2f} s")
    return f"{count} documents of 65 layers in {took:.2f} s; a cached tile took {max(waits) * 1000:.0f} ms at most"


def ask_for_tiles(url, waits, over):
    """Asks for one tile again and again over one connection, and notes the seconds each took."""
    with connect(url, timeout=120) as connection:
        while not over.is_set():
            began = time.monotonic()
            connection.sendall(b"GET /layer0/1/0/0.png HTTP/1.1\r\nHost: localhost\r\n\r\n")
            read_answers(connection, 1)
            waits.append(time.monotonic() - began)
            time.sleep(0.002)


def idle(program, directory):
    """As many idle connections as the server takes, and then a client, `health` and `clear`."""
    limit = 4_096
    need_descriptors(2 * limit + 1_024)
    with TileServer(program, directory, "layers:\n  solid: { generator: solid }\n") as server:
        port = urllib.parse.urlsplit(server.url).port
        with contextlib.ExitStack() as open_connections:
            for number in range(limit + 100):
                # A crowd of addresses on the loopback network, none of them the one that asks afterwards.
                source = (f"127.0.{1 + number % 4}.1", 0)
                connection = socket.create_connection(("127.0.0.1", port), 10, source_address=source)
                open_connections.callback(connection.close)
                connection.sendall(b"GET /solid/1/0/0.png HTTP/1.1\r\nHost: localhost\r\n\r\n")
                read_head(connection)
            began = time.monotonic()
            code, _, _ = fetch(f"{server.url}/solid/1/0/0.png", timeout=10)
            took = time.monotonic() - began
            expect(code == 200, f"a new client got {code}")
            configuration = directory / "tileserver.yaml"
            environment = {
                "TILESERVER_PORT": str(port), "TILESERVER_ADMIN_TOKEN": server.TOKEN, "PATH": "/usr/bin:/bin"}
            for command in (["health"], ["clear", "solid"]):
                ended = subprocess.run(
                    [program, *command, "--config", configuration], env=environment, cwd=directory,
                    capture_output=True, timeout=30)
                expect(ended.returncode == 0, f"{command[0]}: status {ended.returncode}, {ended.stderr!r}")
    return f"{limit + 100} idle connections; a new client's tile took {took * 1000:.0f} ms, health and clear work"


def read_head(connection):
    """Reads one answer; what the server closed at once counts as read."""
    with contextlib.suppress(ConnectionResetError):
        read_answers(connection, 1)


def need_descriptors(count):
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft >= count:
        return
    if hard != resource.RLIM_INFINITY and hard < count:
        raise Skipped(f"needs {count} descriptors, the limit is {hard}")
    resource.setrlimit(resource.RLIMIT_NOFILE, (count, hard))


ATTACKS = [pipeline, idle]
