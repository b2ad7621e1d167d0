"""Sends requests at a fixed pace, however long responses take, like a crowd of independent clients.

One process sends each request over a free connection from one of many addresses. One thread reads all responses of a
client, so a latency is the server's, plus at most the client's own delay.
"""
import collections
import contextlib
import dataclasses
import random
import selectors
import socket
import time
import urllib.parse

from . import loads

ADDRESSES = 64


@dataclasses.dataclass
class Stream:
    """`rate` requests a second. `path` may contain `{x}` and `{y}`, or a colour `{c}`, which differ each time."""
    name: str
    path: str
    rate: float


@dataclasses.dataclass
class Answered:
    """The results of a stream: rows of (seconds from the beginning to the request, seconds it took, status,
    Retry-After)."""
    rows: list
    unanswered: int

    def of(self, *statuses):
        return [row for row in self.rows if row[2] in statuses]

    def latency(self, part, *statuses):
        """Returns the latency in milliseconds at the quantile `part`, or 0 without results."""
        times = sorted(row[1] for row in self.of(*statuses))
        return times[min(int(len(times) * part), len(times) - 1)] * 1e3 if times else 0


def run(url, streams, seconds, patience=0):
    """Sends requests for `seconds`, then waits at most `patience` seconds for responses. Returns each stream's results
    by name."""
    task = {"url": url, "seconds": seconds, "patience": patience, "streams": [dataclasses.asdict(one) for one in streams]}
    return {name: Answered(**answered) for name, answered in loads.ask(__name__, task).items()}


class _Connection:
    def __init__(self, address, number):
        self.socket = socket.socket()
        self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.socket.bind((f"127.9.{number % ADDRESSES}.1", 0))
        self.socket.connect(address)
        self.stream = None

    def send(self, stream, request):
        self.stream, self.began, self.answer = stream, time.monotonic(), loads.Answer()
        self.socket.sendall(request)

    def read(self):
        """Returns (status, Retry-After, whether the connection stays open) once the response is complete, otherwise
        None."""
        piece = b""
        with contextlib.suppress(OSError):
            piece = self.socket.recv(1 << 18)
        if not piece:
            return 0, 0, False
        if not self.answer.is_whole(piece):
            return None
        return self.answer.status, int(self.answer.field(b"retry-after") or 0), self.answer.field(b"connection") != b"close"


class _Crowd:
    def __init__(self, task):
        address = urllib.parse.urlsplit(task["url"])
        self.address, self.host = (address.hostname, address.port), address.netloc
        self.streams = [Stream(**one) for one in task["streams"]]
        self.rows = {one.name: [] for one in self.streams}
        self.idle, self.busy = [], set()
        self.selector = selectors.DefaultSelector()
        self.count = 0
        # The crowd's addresses differ from those of an earlier crowd.
        self.number = random.randrange(1 << 20) * 1_000

    def run(self, seconds, patience):
        self.start = time.monotonic()
        due = [(self.start, one) for one in self.streams]
        end = self.start + seconds
        while (now := time.monotonic()) < end + patience and (now < end or self.busy):
            for index, (when, one) in enumerate(due):
                while when <= now and when < end:
                    self.send(one)
                    when += 1 / one.rate
                due[index] = when, one
            following = min((when for when, _ in due), default=end)
            wait = min(following, end) if now < end else end + patience
            for key, _ in self.selector.select(max(wait - time.monotonic(), 0)):
                self.read(key.data)
        unanswered = collections.Counter(connection.stream.name for connection in self.busy)
        return {name: {"rows": rows, "unanswered": unanswered[name]} for name, rows in self.rows.items()}

    def send(self, stream):
        self.number += 1
        path = stream.path.format(
            x=self.number % 1024, y=self.number // 1024 % (1 << 20), c=f"{self.number % (1 << 24):06x}")
        connection = self.idle.pop() if self.idle else self.connect()
        self.busy.add(connection)
        try:
            connection.send(stream, f"GET {path} HTTP/1.1\r\nHost: {self.host}\r\n\r\n".encode())
        except OSError:
            self.note(connection, (0, 0, False))

    def connect(self):
        self.count += 1
        connection = _Connection(self.address, self.count)
        self.selector.register(connection.socket, selectors.EVENT_READ, connection)
        return connection

    def read(self, connection):
        if connection not in self.busy:
            # The server has closed the connection between two requests.
            self.forget(connection)
            self.idle = [other for other in self.idle if other is not connection]
        elif answer := connection.read():
            self.note(connection, answer)

    def note(self, connection, answer):
        status, retry, goes_on = answer
        self.busy.discard(connection)
        took = time.monotonic() - connection.began
        self.rows[connection.stream.name].append((connection.began - self.start, took, status, retry))
        if goes_on:
            self.idle.append(connection)
        else:
            self.forget(connection)

    def forget(self, connection):
        self.selector.unregister(connection.socket)
        connection.socket.close()


if __name__ == "__main__":
    loads.answer(lambda task: _Crowd(task).run(task["seconds"], task["patience"]))
