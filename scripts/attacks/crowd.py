"""Attacks with which one client blocks other clients."""
import contextlib
import os
import pathlib
import resource
import signal
import subprocess
import time

from support.machine import beside, fetch
from support.raw import connect, read_answers, read_status
from support.tileserver import TileServer

from .verdict import Skipped, expect

# Maximum seconds for a cached tile while another client keeps the server busy.
PATIENCE = 0.25
SOLID = "layers:\n  solid: { generator: solid }\n"
TILE = b"GET /solid/1/0/0.png HTTP/1.1\r\nHost: localhost\r\n\r\n"


def pipeline(program, directory):
    """A connection that requests a thousand documents in one write, while another client requests tiles."""
    layers = "".join(f"  layer{number}: {{ generator: solid }}\n" for number in range(65))
    with TileServer(program, directory, f"server: {{ reactors: 1 }}\nlayers:\n{layers}") as server:
        count = 1_000
        request = b"GET /layers.json HTTP/1.1\r\nHost: localhost\r\n\r\n"
        waits = []
        with beside(ask_for_tiles, server.url, "/layer0/1/0/0.png", waits), connect(server.url, timeout=120) as connection:
            began = time.monotonic()
            connection.sendall(request * count)
            statuses = read_answers(connection, count)
            took = time.monotonic() - began
    expect(statuses == [200] * count, f"{statuses.count(200)} of {count} documents came")
    expect(max(waits) < PATIENCE, f"a cached tile took {max(waits):.2f} s while {count} documents took {took:.2f} s")
    return f"{count} documents of 65 layers in {took:.2f} s; a cached tile took {max(waits) * 1000:.0f} ms at most"


def ask_for_tiles(over, url, path, waits):
    """Requests a tile again and again over one connection, and records the seconds of each request."""
    with connect(url, timeout=120) as connection:
        while not over.is_set():
            began = time.monotonic()
            connection.sendall(f"GET {path} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode())
            read_answers(connection, 1)
            waits.append(time.monotonic() - began)
            time.sleep(0.002)


def idle(program, directory):
    """As many idle connections as the server accepts, followed by a client, `health` and `clear`."""
    limit = 4_096
    need_descriptors(2 * limit + 1_024)
    with TileServer(program, directory, SOLID) as server:
        with contextlib.ExitStack() as open_connections:
            for number in range(limit + 100):
                # The crowd has many loopback addresses, but not the address of the later client.
                connection = open_connections.enter_context(connect(server.url, 10, f"127.0.{1 + number % 4}.1"))
                connection.sendall(TILE)
                # A connection that the server closes at once counts as read.
                read_status(connection)
            began = time.monotonic()
            code, _, _ = fetch(f"{server.url}/solid/1/0/0.png", timeout=10)
            took = time.monotonic() - began
            expect(code == 200, f"a new client got {code}")
            configuration = directory / "tileserver.yaml"
            environment = {
                "TILESERVER_PORT": str(server.port), "TILESERVER_ADMIN_TOKEN": server.TOKEN, "PATH": "/usr/bin:/bin"}
            for command in (["health"], ["clear", "solid"]):
                ended = subprocess.run(
                    [program, *command, "--config", configuration], env=environment, cwd=directory,
                    capture_output=True, timeout=30)
                expect(ended.returncode == 0, f"{command[0]}: status {ended.returncode}, {ended.stderr!r}")
    return f"{limit + 100} idle connections; a new client's tile took {took * 1000:.0f} ms, health and clear work"


def stall(program, directory):
    """A process that stops for longer than the timeout of idle connections, while each connection sends a request."""
    count, idle_seconds = 500, 2
    need_descriptors(count + 256)
    text = f"server: {{ reactors: 1, limits: {{ idleTimeout: {idle_seconds}s }} }}\n" + SOLID
    with TileServer(program, directory, text) as server, contextlib.ExitStack() as open_connections:
        connections = [open_connections.enter_context(connect(server.url)) for _ in range(count)]
        began = time.monotonic()
        first = ask_each(connections)
        with paused(server.process.pid):
            if time.monotonic() - began > idle_seconds:
                raise Skipped(f"{count} answers take longer than {idle_seconds} s")
            for connection in connections:
                connection.sendall(TILE)
            # A client cannot see when the timeouts of a stopped process have passed.
            time.sleep(2 * idle_seconds)
        after = [read_status(connection) for connection in connections]
    expect(first == [200] * count, f"before the pause {first.count(200)} of {count} requests were answered")
    lost = count - after.count(200)
    expect(not lost, f"{lost} of {count} requests sent during a pause of {2 * idle_seconds} s were not answered")
    return f"{count} requests sent during a pause of {2 * idle_seconds} s are answered, idle connections live {idle_seconds} s"


@contextlib.contextmanager
def paused(pid):
    """Stops the process while the block runs."""
    os.kill(pid, signal.SIGSTOP)
    try:
        # The kernel stops each thread with a delay (proc(5)).
        while pathlib.Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "T":
            time.sleep(0.001)
        yield
    finally:
        os.kill(pid, signal.SIGCONT)


def ask_each(connections):
    """Requests a tile over each connection. Returns the statuses."""
    for connection in connections:
        connection.sendall(TILE)
    return [read_status(connection) for connection in connections]


def need_descriptors(count):
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft >= count:
        return
    if hard != resource.RLIM_INFINITY and hard < count:
        raise Skipped(f"needs {count} descriptors, the limit is {hard}")
    resource.setrlimit(resource.RLIMIT_NOFILE, (count, hard))


ATTACKS = [pipeline, idle, stall]
