"""Attacks with tiles that an upstream cannot make. Its circuit must open only if it sends nothing else."""
import contextlib
import itertools
import threading
import time

from support.machine import at_once, beside, fetch, wait_until
from support.tileserver import TileServer

from .upstreams import PartlyBroken, layer
from .verdict import expect

RATES = (2.5, 4, 50)
GOOD = 80


def every(seconds, over):
    """Yields 0, 1, 2 …, one number each `seconds`, until `over` is set."""
    began = time.monotonic()
    for number in itertools.count():
        if over.wait(max(began + number * seconds - time.monotonic(), 0)):
            return
        yield number


@contextlib.contextmanager
def requests(url, zoom, rate):
    """Requests `rate` different tiles of zoom `zoom` a second while the block runs. Collects their statuses."""
    statuses = []

    def ask(over):
        for number in every(1 / rate, over):
            statuses.append(fetch(f"{url}/tiles/{zoom}/{number % 1_000}/{number // 1_000}.png")[0])

    with beside(ask):
        yield statuses


def is_bad(path):
    return path.startswith("/12/")


def good_beside_bad(program, directory, rate):
    """Returns the statuses of GOOD tiles, two a second, beside `rate` bad tiles a second, and the statuses of 20 more
    after 12 s of bad tiles alone."""
    directory.mkdir()
    with PartlyBroken(is_bad) as upstream, TileServer(program, directory, layer(upstream.url)) as server:
        with requests(server.url, 12, rate):
            with requests(server.url, 11, 2) as good:
                time.sleep(GOOD / 2)
            time.sleep(12)
            with requests(server.url, 10, 2) as later:
                time.sleep(10)
    return good, later


def bad_tiles(program, directory):
    """2.5, 4 and 50 bad tiles (500) a second, beside good tiles without and with a pause."""
    found = at_once(lambda rate: good_beside_bad(program, directory / str(rate), rate), RATES)
    texts = []
    for rate, statuses in zip(RATES, found):
        shares = [f"{part.count(200)} of {len(part)}" for part in statuses]
        texts.append(f"{rate}/s: {shares[0]} and {shares[1]}")
        expect(all(part.count(200) >= 0.95 * len(part) for part in statuses), f"good tiles beside bad ones at {texts[-1]} came")
    return "good tiles beside bad ones at " + "; ".join(texts)


def only_errors(program, directory):
    """An upstream that suddenly answers 503 to 50 tiles a second, and then recovers."""
    broken = threading.Event()
    with PartlyBroken(lambda _: broken.is_set(), status=503) as upstream:
        with TileServer(program, directory, layer(upstream.url)) as server, requests(server.url, 11, 50):
            time.sleep(3)
            broken.set()
            began = time.monotonic()
            before = upstream.requests
            # By then no tile has arrived for 10 s.
            time.sleep(12)
            most, asked = 0, upstream.requests - before
            for _ in range(15):
                before = upstream.requests
                time.sleep(1)
                most = max(most, upstream.requests - before)
            broken.clear()
            cleared = time.monotonic()
            comes = wait_until(lambda: fetch(f"{server.url}/tiles/9/1/{time.monotonic_ns() % 500}.png")[0] == 200, 20, 0.1)
            expect(comes, "no tile 20 s after the source was back")
            back = time.monotonic() - cleared
    expect(asked > 0 and most > 0, "the source was not asked")
    # Two probes a second, plus one in a second that begins between two probes.
    expect(most <= 3, f"{most} requests within a second went to a source that answers 503")
    return f"{asked} requests in the first 12 s, then {most} a second at most; a tile {back:.1f} s after the source was back"


ATTACKS = [bad_tiles, only_errors]
