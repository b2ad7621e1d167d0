"""Hits while Redis stands still (SIGSTOP), beside hits while it goes: the slowest hundredth of them."""
import signal
import statistics
import time

from support import tileserver
from support.machine import fetch, need, say, scratch_directory, two_cores
from support.wrk import ROWS, load

from .figures import Figures
from .place import Fleet
from .source import Source

# How much the slowest hundredth may differ.
BAR = 0.05


def arguments(parser):
    tileserver.argument(parser)
    parser.add_argument("--seconds", type=int, default=3, help="of each measurement (default: 3)")
    parser.add_argument("--rounds", type=int, default=15, help="measurements each way; medians count (default: 15)")
    parser.add_argument("--tiles", type=int, default=256)


def run(options):
    need(wrk="wrk", taskset="util-linux")
    program = tileserver.chosen(options)
    core, load_core = two_cores()
    figures = Figures()
    changes = [("  port: ", "  reactors: 1\n  port: ")]
    with scratch_directory() as directory, Source() as source, \
            Fleet(program, directory, source, changes=changes, cores=[core, load_core, load_core]) as fleet:
        node = fleet.nodes[0]
        for row in range(options.tiles):
            assert fetch(f"{node.url}/tiles/12/7/{row}.png")[0] == 200
        asked = sum(source.asked.values())

        def measured():
            # Few enough that the server is not saturated, where the slowest hundredth says nothing.
            return load(node.url, directory, ROWS, 8, options.seconds, load_core, (options.tiles, "/tiles/12/7/ROW.png"))

        measured()
        going, stopped = [], []
        for number in range(options.rounds):
            # None is always the first.
            for isStopped in (False, True) if number % 2 else (True, False):
                if isStopped:
                    fleet.redis.signal(signal.SIGSTOP)
                    # The moment of the failure counts, too.
                one = measured()
                (stopped if isStopped else going).append(one)
                if isStopped:
                    fleet.redis.signal(signal.SIGCONT)
                    time.sleep(1.5)
            say(f"p99 {going[-1].p99} µs while Redis goes, {stopped[-1].p99} µs while it stands still")
        assert sum(source.asked.values()) == asked, "not everything was a hit"
    figures.at_most("answers other than 200", sum(one.unwell + one.broken for one in going + stopped), 0)
    for name in ("p50", "p99"):
        with_redis, without = (statistics.median(getattr(one, name) for one in group) for group in (going, stopped))
        change = without / with_redis - 1
        text = f"{name} of hits: {with_redis:.0f} µs while Redis goes, {without:.0f} µs while it stands still, {change:+.1%}"
        figures.holds(name == "p50" or abs(change) <= BAR, f"{text} (bar: ±{BAR:.0%})" if name == "p99" else text)
    return figures.status()
