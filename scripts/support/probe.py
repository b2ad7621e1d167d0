"""Sends requests at a fixed pace and measures each: one cheap process with several kinds of requests.

If all connections of a series are busy, the time of a request counts from when it was due. A request without a response
at the end counts with its time so far. So a server that hangs cannot hide this by getting fewer requests.
"""
import collections
import contextlib
import dataclasses
import os
import random
import selectors
import socket
import ssl
import time
import urllib.parse

from . import http2, loads


@dataclasses.dataclass
class Series:
    """Requests of one kind, one each `every` seconds. `path` may contain `{x}` and `{y}`, which differ each time."""
    name: str
    path: str
    every: float
    connections: int = 4
    method: str = "GET"
    body: str = ""
    # Another server than the others', or another port of it.
    url: str = ""
    # True for HTTP/2, over TLS alone, with one stream at a time and without content.
    http2: bool = False


@dataclasses.dataclass
class Seen:
    """The results of a series. Times are in milliseconds."""
    requests: int
    p50: float
    p99: float
    longest: float
    # The client's own delay in the slowest hundredth of its requests.
    late: float
    # Number of responses by status. 0 means that the connection closed without a response.
    statuses: dict

    @property
    def unwell(self):
        return {status: count for status, count in self.statuses.items() if status != "200"}


def probe(url, series, seconds, core=None, certificate=None):
    """Sends requests for `seconds`. Returns the results of each series by name. For HTTPS, `certificate` is the file of
    the server's certificate."""
    task = {"url": url, "seconds": seconds, "series": [dataclasses.asdict(one) for one in series],
            "certificate": certificate and str(certificate)}
    pin = None if core is None else (lambda: os.sched_setaffinity(0, {core}))
    return {name: Seen(**seen) for name, seen in loads.ask(__name__, task, pin).items()}


class _Connection:
    def __init__(self, series, address, selector, context):
        self.series, self.address, self.selector, self.context = series, address, selector, context
        self.began = self.socket = None
        # The first request connects again.
        with contextlib.suppress(OSError):
            self.connect()

    def connect(self):
        made = socket.create_connection(self.address, 10)
        made.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        if self.context is not None:
            try:
                made = self.context.wrap_socket(made, server_hostname="localhost")
            except OSError:
                made.close()
                raise
        self.socket = made
        # A full server answers 503 without a request.
        self.answer = loads.Answer()
        if self.context is not None:
            # Bytes may arrive that have no content for the client, such as session tickets.
            self.socket.setblocking(False)
        self.selector.register(self.socket, selectors.EVENT_READ, self)

    def send(self, request, began):
        self.began, self.answer = began, loads.Answer()
        try:
            if self.socket is None:
                self.connect()
            self.socket.sendall(request)
        except OSError:
            self.finish(0, closes=True)

    def received(self):
        """Returns the bytes that have arrived: none if only a part of a TLS record has, or if the connection has
        ended."""
        piece = b""
        try:
            piece = self.socket.recv(1 << 18)
            while self.context is not None and self.socket.pending():
                piece += self.socket.recv(1 << 18)
        except ssl.SSLWantReadError:
            return piece
        except OSError:
            pass
        if not piece:
            # A connection that the server closes between two requests does not count as a failure.
            self.finish(0, closes=True)
        return piece

    def read(self):
        piece = self.received()
        if piece and self.answer.is_whole(piece):
            self.finish(self.answer.status, closes=self.answer.field(b"connection") == b"close")

    def finish(self, status, closes):
        if closes and self.socket is not None:
            self.selector.unregister(self.socket)
            self.socket.close()
            self.socket = None
        if self.began is not None:
            self.series.note(time.monotonic() - self.began, status)
            self.began = None
            self.series.idle.append(self)


class _HTTP2Connection(_Connection):
    """Repeats a request once that the server says it did not handle, as browsers do (RFC 9113 8.7)."""
    path, repeats = None, False

    def connect(self):
        super().connect()
        self.frames, self.stream, self.status = http2.Frames(), -1, 0
        self.socket.sendall(
            http2.PREFACE + http2.settings(INITIAL_WINDOW_SIZE=http2.MOST_WINDOW)
            + http2.window_update(0, http2.MOST_WINDOW - 65_535))

    def send(self, path, began):
        self.began, self.status, self.path, self.repeats = began, 0, path, False
        self.send_path()

    def send_path(self):
        try:
            if self.socket is None:
                self.connect()
            self.stream += 2
            self.socket.sendall(http2.request(self.stream, self.path))
        except OSError:
            self.finish(0, closes=True)

    def read(self):
        piece = self.received()
        for kind, flags, stream, payload in self.frames.take(piece) if piece else ():
            if kind == http2.SETTINGS and not flags & http2.ACK:
                self.socket.sendall(http2.frame(http2.SETTINGS, http2.ACK))
            elif kind == http2.PING and not flags & http2.ACK:
                self.socket.sendall(http2.frame(http2.PING, http2.ACK, payload=payload))
            elif kind == http2.GOAWAY or kind == http2.RST_STREAM and stream == self.stream:
                return self.give_up(kind, payload)
            elif kind == http2.HEADERS:
                # Any other status than 200 counts as 1.
                self.status = 200 if payload[0] == http2.STATUS_200 else 1
            if kind in (http2.HEADERS, http2.DATA) and flags & http2.END_STREAM:
                self.finish(self.status, closes=False)


    def give_up(self, kind, payload):
        number = int.from_bytes(payload[:4], "big")
        is_unhandled = number < self.stream if kind == http2.GOAWAY else number == http2.REFUSED_STREAM
        if self.began is None or self.repeats or not is_unhandled:
            return self.finish(0, closes=True)
        self.repeats = True
        self.selector.unregister(self.socket)
        self.socket.close()
        self.socket = None
        self.send_path()


class _Paced:
    """The state of a series while it runs."""

    def __init__(self, series, url, selector, certificate):
        address = urllib.parse.urlsplit(series.url or url)
        context = None
        if certificate and address.scheme == "https":
            context = http2.context(certificate) if series.http2 else ssl.create_default_context(cafile=certificate)
        self.series = series
        self.host = address.netloc
        place = (address.hostname, address.port)
        make = _HTTP2Connection if series.http2 else _Connection
        self.connections = [make(self, place, selector, context) for _ in range(series.connections)]
        self.idle = collections.deque(self.connections)
        self.waiting = collections.deque()
        self.held = False
        self.due = time.monotonic()
        # The addresses differ from those of an earlier probe.
        self.number = random.randrange(1000) * 1000
        self.times, self.lateness = [], []
        self.statuses = collections.Counter()

    def note(self, seconds, status):
        self.times.append(seconds)
        self.statuses[status] += 1

    def step(self):
        """Sends the requests that are due. Returns the time of the next request."""
        now = time.monotonic()
        while self.due <= now:
            self.waiting.append(self.due)
            self.due += self.series.every
        while self.waiting and self.idle:
            due, now = self.waiting.popleft(), time.monotonic()
            if not self.held:
                # A connection was free all the time, so only the client is late.
                self.lateness.append(now - due)
            self.idle.popleft().send(self.request(), due if self.held else now)
        self.held = not self.idle
        return self.due

    def request(self):
        self.number += 1
        path = self.series.path.format(x=self.number % 1000, y=self.number // 1000)
        if self.series.http2:
            return path
        body = self.series.body.encode()
        length = f"Content-Length: {len(body)}\r\n" if body else ""
        return f"{self.series.method} {path} HTTP/1.1\r\nHost: {self.host}\r\n{length}\r\n".encode() + body

    def seen(self, now):
        unanswered = [connection.began for connection in self.connections if connection.began is not None]
        self.times += [now - began for began in [*unanswered, *self.waiting]]
        times, lateness = sorted(self.times), sorted(self.lateness)

        def share(numbers, part):
            return round(numbers[min(int(len(numbers) * part), len(numbers) - 1)] * 1e3, 3) if numbers else 0

        return {"requests": len(times), "p50": share(times, 0.5), "p99": share(times, 0.99),
                "longest": share(times, 1), "late": share(lateness, 0.99), "statuses": self.statuses}


def main(task):
    selector = selectors.DefaultSelector()
    paced = [_Paced(Series(**one), task["url"], selector, task["certificate"]) for one in task["series"]]
    end = time.monotonic() + task["seconds"]
    while (now := time.monotonic()) < end:
        following = min(series.step() for series in paced)
        for key, _ in selector.select(max(min(following, end) - time.monotonic(), 0)):
            key.data.read()
    return {series.series.name: series.seen(now) for series in paced}


if __name__ == "__main__":
    loads.answer(main)
