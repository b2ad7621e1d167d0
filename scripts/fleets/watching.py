"""Clients that ask again and again, and what they may not see: an error, or a tile that was cleared."""
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
    """One answer. `version` is None where it was no tile of ours; `status` is 0 where there was no answer."""
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
    """Asks over one connection, one request after the other."""

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
    """What has been cleared when: from `bound` seconds after the answer on, nobody may see an older version of these tiles."""

    def __init__(self, bound=2.0):
        self.bound = bound
        self._lock = threading.Lock()
        # (from when on, the version since then, whether it covers a path)
        self._all = []

    def note(self, answered, version, covers=lambda path: True, bound=None):
        """`bound`: in the place of the bound of all."""
        with self._lock:
            self._all.append((answered + (self.bound if bound is None else bound), version, covers))

    def is_cleared(self, seen):
        """Whether this answer had a tile that was cleared long enough before it was asked for."""
        if seen.version is None:
            return False
        with self._lock:
            known = list(self._all)
        return any(
            seen.sent >= begin and seen.version < version and covers(seen.path)
            for begin, version, covers in reversed(known))


class Crowd(contextlib.ExitStack):
    """Threads that run `run(over, number)` for each number below `size` while the block runs; its end sets `over`, an event."""

    def __init__(self, size):
        super().__init__()
        self.size = size
        self._lock = threading.Lock()

    def __enter__(self):
        self.enter_context(beside(self.run, each=range(self.size)))
        return self


class Watchers(Crowd):
    """Clients that ask for random tiles of `paths` while the block runs. `pause`: seconds between two requests of one."""

    def __init__(
            self, urls, paths, clears, pause=0.0, balancer="", fresh=None, is_expected=lambda seen: False, every=10, late=float("inf"),
            place=lambda seen: seen.url):
        super().__init__(len(urls))
        self.urls, self.paths, self.clears, self.pause = urls, paths, clears, pause
        # Behind it stands now this node, now that, of which one may know of a clear before the other.
        self.balancer = balancer
        # Makes paths that nobody has asked for, for one request in `every`.
        self.fresh, self.every = fresh, every
        # What is no fault: such as no answer of a node that is being started.
        self.is_expected = is_expected
        # The longest answer by status and by the place that it came from, and all answers that took longer than `late` seconds.
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
