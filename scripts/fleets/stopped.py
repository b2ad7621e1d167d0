"""Hits while Redis is stopped (SIGSTOP), beside hits while it runs: the slowest hundredth of them."""
import contextlib
import os
import signal
import statistics
import time

from support.machine import fetch, need, say, scratch_directory, two_cores
from support.wrk import ROWS, load

from .place import Fleet
from .source import Source

# Maximum difference of the slowest hundredth.
BAR = 0.05


def arguments(parser):
    parser.add_argument("--seconds", type=int, default=1, help="of each measurement (default: 1)")
    parser.add_argument("--rounds", type=int, default=40, help="measurements each way (default: 40)")
    parser.add_argument("--tiles", type=int, default=256)


def first(process):
    """Runs the threads of `process`, and of its children, before all others, if this is allowed."""
    with contextlib.suppress(PermissionError):
        for thread in os.listdir(f"/proc/{process}/task"):
            os.setpriority(os.PRIO_PROCESS, int(thread), -20)
        return
    say("not allowed to run before others: p99 is of the machine, too")


def run(options, figures):
    need(wrk="wrk", taskset="util-linux")
    core, load_core = two_cores()
    changes = [("  port: ", "  reactors: 1\n  port: ")]
    with scratch_directory() as directory, Source() as source, \
            Fleet(options.program, directory, source, changes=changes, cores=[core, load_core, load_core]) as fleet:
        node = fleet.nodes[0]
        for row in range(options.tiles):
            assert fetch(f"{node.url}/tiles/12/7/{row}.png")[0] == 200
        asked = sum(source.asked.values())
        # The machine has two cores. Otherwise the slowest hundredth would be requests that waited for another process.
        for process in (os.getpid(), node.process.pid):
            first(process)

        def measured():
            # The load does not saturate the server. With a saturated server the slowest hundredth would mean nothing.
            return load(node.url, directory, ROWS, 2, options.seconds, load_core, (options.tiles, "/tiles/12/7/ROW.png"))

        measured()
        going, stopped = [], []
        for number in range(options.rounds):
            # The first case changes from round to round.
            for isStopped in (False, True) if number % 2 else (True, False):
                if isStopped:
                    fleet.redis.signal(signal.SIGSTOP)
                    # The moment of the failure counts too.
                one = measured()
                (stopped if isStopped else going).append(one)
                if isStopped:
                    fleet.redis.signal(signal.SIGCONT)
                    time.sleep(1.5)
            say(f"p99 {going[-1].p99} µs while Redis goes, {stopped[-1].p99} µs while it stands still")
        assert sum(source.asked.values()) == asked, "not everything was a hit"
    figures.at_most("answers other than 200", sum(one.unwell + one.broken for one in going + stopped), 0)
    for name, middle in (("p50", statistics.median), ("p99", statistics.median), ("p99", first_quartile)):
        with_redis, without = (middle([getattr(one, name) for one in group]) for group in (going, stopped))
        change = without / with_redis - 1
        text = f"{name} of hits: {with_redis:.0f} µs while Redis goes, {without:.0f} µs while it stands still, {change:+.1%}"
        if middle is first_quartile:
            figures.holds(abs(change) <= BAR, f"{text} in the quarter of measurements least disturbed (bar: ±{BAR:.0%})")
        else:
            figures.holds(True, text)


def first_quartile(values):
    """Returns the lower quartile. On a machine with other work it says the most about the server."""
    return statistics.quantiles(values, n=4)[0]
