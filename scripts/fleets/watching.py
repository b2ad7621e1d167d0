"""Clients that send requests again and again, and the results that they must not see: an error, or a cleared tile."""
import contextlib
import dataclasses
import http.client
import itertools
import random
import threading
import time
import urllib.parse

from support.machine import beside

from .source import version


@dataclasses.dataclass
class Seen:
    """A response. `version` is None for another content than a tile. `status` is 0 without a response."""
    sent: float
    came: float
    path: str
    status: int
    version: int | None
    body: bytes = b""
    url: str = ""

    @property
    def seconds(self):
        return self.came - self.sent


class Client:
    """Sends requests over one connection, one after the other."""

    def __init__(self, url, timeout=20):
        self.url, self.address = url, urllib.parse.urlsplit(url)
        self.timeout = timeout
        self.connection = None

    def get(self, path):
        sent = time.monotonic()
        try:
            if self.connection is None:
                self.connection = http.client.HTTPConnection(self.address.hostname, self.address.port, timeout=self.timeout)
            self.connection.request("GET", path)
            answer = self.connection.getresponse()
            body = answer.read()
            if answer.getheader("Connection") == "close":
                self.close()
        except (OSError, http.client.HTTPException):
            self.close()
            return Seen(sent, time.monotonic(), path, 0, None, url=self.url)
        error = b"" if answer.status == 200 else body[:200]
        known = version(body) if answer.status == 200 else None
        return Seen(sent, time.monotonic(), path, answer.status, known, error, self.url)

    def close(self):
        if self.connection is not None:
            self.connection.close()
        self.connection = None


class Clears:
    """Records clears. `bound` seconds after a clear's response, no client may see an older version of its tiles."""

    def __init__(self, bound=2.0):
        self.bound = bound
        self._lock = threading.Lock()
        # (start time, version since then, whether it covers a path)
        self._all = []

    def note(self, answered, version, covers=lambda path: True, bound=None):
        """`bound` replaces the common bound."""
        with self._lock:
            self._all.append((answered + (self.bound if bound is None else bound), version, covers))

    def is_cleared(self, seen):
        """Reports whether this response had a tile that was cleared early enough before the request."""
        if seen.version is None:
            return False
        with self._lock:
            known = list(self._all)
        return any(
            seen.sent >= begin and seen.version < version and covers(seen.path)
            for begin, version, covers in reversed(known))


class Crowd(contextlib.ExitStack):
    """Threads that run `run(over, number)` for each number below `size` while the block runs. The end of the block sets
    `over`, an event."""

    def __init__(self, size):
        super().__init__()
        self.size = size
        self._lock = threading.Lock()

    def __enter__(self):
        self.enter_context(beside(self.run, each=range(self.size)))
        return self


class Watchers(Crowd):
    """Clients that request random tiles of `paths` while the block runs. `pause` is the seconds between two requests of
    a client."""

    def __init__(
            self, urls, paths, clears, pause=0.0, balancer="", fresh=None, is_expected=lambda seen: False, every=10, late=float("inf"),
            place=lambda seen: seen.url):
        super().__init__(len(urls))
        self.urls, self.paths, self.clears, self.pause = urls, paths, clears, pause
        # Different nodes answer behind this URL, and one may know of a clear before another.
        self.balancer = balancer
        # Makes paths that no client has requested, for one request in `every`.
        self.fresh, self.every = fresh, every
        # Errors that are no fault, such as no response from a node that is being started.
        self.is_expected = is_expected
        # The longest response by status and by URL, and all responses that took longer than `late` seconds.
        self.longest, self.place, self.late_after, self.late = {}, place, late, []
        self.requests = 0
        self.errors, self.broken, self.cleared, self.backwards = [], [], [], []

    def run(self, over, number):
        chance = random.Random(f"watcher {number}")
        client, latest, count = Client(self.urls[number]), {}, itertools.count()
        while not over.is_set():
            path = self.fresh(chance) if self.fresh and next(count) % self.every == self.every - 1 else chance.choice(self.paths)
            seen = client.get(path)
            self.note(seen, latest)
            time.sleep(self.pause if seen.status else 0.05)
        with contextlib.suppress(OSError):
            client.close()

    def note(self, seen, latest):
        with self._lock:
            self.requests += 1
            if not self.is_expected(seen):
                self._measure(seen)
            if seen.status == 0:
                if not self.is_expected(seen):
                    self.broken.append(seen)
            elif seen.status != 200 or seen.version is None:
                self.errors.append(seen)
            elif self.clears.is_cleared(seen):
                self.cleared.append(seen)
            elif seen.url != self.balancer and seen.version < latest.get(seen.path, 0):
                self.backwards.append(seen)
            if seen.version is not None:
                latest[seen.path] = max(seen.version, latest.get(seen.path, 0))

    def _measure(self, seen):
        kind = (seen.status, self.place(seen))
        if kind not in self.longest or seen.seconds > self.longest[kind].seconds:
            self.longest[kind] = seen
        if seen.seconds > self.late_after:
            self.late.append(seen)
