"""Code that the faults share: a server with a disk cache and an upstream, and the check of its responses."""
import collections
import http.client
import random
import threading
import time

from support.machine import beside
from support.upstream import truth


def known(names, parts):
    """Ends the script if an argument names no part."""
    if unknown := set(names) - set(parts):
        raise SystemExit(f"there is no {', '.join(sorted(unknown))}")


def verdict(held, text):
    """Prints `text` and whether it holds. Returns the script's status."""
    print(f"\n{'' if held else 'NOT '}{text}")
    return 0 if held else 1


def configuration(upstream, disk, memory="8MiB", max_bytes="1GiB", min_free="0", layer=""):
    """Returns a configuration with one layer, `tiles`, from `upstream`, stored in the file `disk`."""
    return f"""\
cache:
  memory: {memory}
  disk: {{ path: "{disk}", maxBytes: {max_bytes}, minFree: {min_free} }}
layers:
  tiles:
    url: "{upstream}/{{z}}/{{x}}/{{y}}.png"
    maxConcurrent: 64
{layer}"""


def path(number):
    """Returns the path of tile `number` below the layer."""
    return f"/12/{number % 4096}/{number // 4096}.png"


class Answers:
    """Counts the responses by status, by origin, and by error."""

    def __init__(self):
        self.statuses = collections.Counter()
        self.sources = collections.Counter()
        self.wrong = []
        # Time of the first storage of a tile, by the monotonic clock.
        self.stored = {}
        self.broken = 0
        self._lock = threading.Lock()

    def note(self, number, answer, body, versions):
        source = answer.getheader("Cache-Status", "")
        with self._lock:
            self.statuses[answer.status] += 1
            for word in ("detail=disk", "detail=memory", "fwd=stale", "fwd=miss"):
                if word in source:
                    self.sources[word] += 1
            if "stored" in source and "store-skipped" not in source:
                self.stored.setdefault(number, time.monotonic())
            if answer.status == 200 and body not in [truth(path(number), version) for version in versions]:
                self.wrong.append((number, source))

    def note_broken(self):
        with self._lock:
            self.broken += 1


def ask(port, numbers, versions, answers, until=None):
    """Requests tiles over one connection until all are requested or the event `until` is set. `versions()` returns the
    right versions."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=15)
    for number in numbers:
        if until is not None and until.is_set():
            break
        # A version that was right at the time of the request is right in the response.
        right = set(versions())
        try:
            connection.request("GET", "/tiles" + path(number))
            answer = connection.getresponse()
            body = answer.read()
        except (OSError, http.client.HTTPException):
            answers.note_broken()
            break
        answers.note(number, answer, body, right | set(versions()))
    connection.close()


def load(port, count, versions, answers, threads=4, seed=0):
    """Requests random tiles out of `count` while the block runs."""
    def numbers(seed):
        chance = random.Random(seed)
        while True:
            yield chance.randrange(count)

    def run(over, worker):
        ask(port, numbers(repr((seed, worker))), versions, answers, over)

    return beside(run, each=range(threads))
