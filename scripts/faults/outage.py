"""Lets the upstream of a warm cache fail in every way under load, and counts responses other than the tile."""
import time

from support.machine import say, scratch_directory
from support.tileserver import TileServer
from support.upstream import Upstream

from .serving import Answers, ask, configuration, load

LAYER = """\
    ttl: 2s
    staleWhileRevalidate: 1s
    staleIfError: 1h
    timeout: 2s
"""


def arguments(parser):
    parser.add_argument("--tiles", type=int, default=300, help="tiles in the cache (default: 300)")
    parser.add_argument("--seconds", type=float, default=8, help="of each kind of failure (default: 8)")


def run(options):
    answers, after = Answers(), Answers()
    with scratch_directory() as directory, Upstream() as upstream:
        text = configuration(upstream.url, directory / "tiles.sqlite", memory="64MiB", layer=LAYER)
        with TileServer(options.program, directory, text) as server:
            ask(server.port, range(options.tiles), lambda: [1], answers)
            with load(server.port, options.tiles, lambda: [1], answers):
                for mode in ("error", "refuse", "garbage", "hang"):
                    upstream.mode, before = mode, upstream.requests
                    time.sleep(options.seconds)
                    say(f"{mode}: {upstream.requests - before} requests to the upstream, answers {dict(answers.statuses)}")
            upstream.mode, upstream.version = "ok", 2
            began = time.monotonic()
            while time.monotonic() - began < 90:
                after = Answers()
                ask(server.port, range(options.tiles), lambda: [2], after)
                if not after.wrong:
                    break
                time.sleep(1)
            took = time.monotonic() - began
    say(f"from {dict(answers.sources)}; all tiles new {took:.0f} s after the upstream came back")
    print(f"answers: {dict(answers.statuses)}, wrong tiles: {len(answers.wrong)}, stale after recovery: {len(after.wrong)}")
    return 0 if set(answers.statuses) == {200} and not answers.wrong and not after.wrong else 1
