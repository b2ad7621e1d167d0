"""A TLS client in a separate process: opens one connection after the other, each for one request."""
import dataclasses
import os
import socket
import ssl
import sys
import time
import urllib.parse

from . import loads
from .wrk import Load


@dataclasses.dataclass
class Task:
    """`count` connections to `url`, each with one request for `path`. With `resumes`, each resumes the session of an
    earlier connection. `certificate` is the file of the only trusted certificate."""
    url: str
    path: str
    count: int
    resumes: bool
    certificate: str


def run(task, core=None):
    """Opens the connections. Returns their results as those of a load."""
    pin = None if core is None else (lambda: os.sched_setaffinity(0, {core}))
    return Load(**loads.ask(__name__, dataclasses.asdict(task), pin))


def open_connection(url, context, session=None):
    """Connects, and returns the connection after its handshake."""
    address = urllib.parse.urlsplit(url)
    plain = socket.create_connection((address.hostname, address.port), 10)
    plain.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    try:
        return context.wrap_socket(plain, server_hostname="localhost", session=session)
    except OSError:
        plain.close()
        raise


def ask(connection, path):
    """Requests `path`. Returns (status, bytes of the response)."""
    connection.sendall(f"GET {path} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode())
    answer, size = loads.Answer(), 0
    while piece := connection.recv(1 << 16):
        size += len(piece)
        if answer.is_whole(piece):
            return answer.status, size
    return 0, size


def _run(task):
    task = Task(**task)
    context = ssl.create_default_context(cafile=task.certificate)
    session = None
    if task.resumes:
        with open_connection(task.url, context) as first:
            ask(first, task.path)
            session = first.session
    times, size, unwell = [], 0, 0
    for _ in range(task.count):
        began = time.monotonic()
        with open_connection(task.url, context, session) as connection:
            if connection.session_reused != task.resumes:
                sys.exit(f"{task.url}: session_reused is {connection.session_reused}")
            status, taken = ask(connection, task.path)
        times.append(time.monotonic() - began)
        size += taken
        unwell += status != 200
    microseconds, times = round(sum(times) * 1e6), sorted(times)
    return {"requests": task.count, "bytes": size, "microseconds": microseconds, "unwell": unwell, "broken": 0,
            "p50": round(times[len(times) // 2] * 1e6), "p99": round(times[len(times) * 99 // 100] * 1e6)}


if __name__ == "__main__":
    loads.answer(_run)
