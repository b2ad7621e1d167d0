"""Requests ten times the server's capacity: tiles of a slow upstream, images, and both, with cached tiles beside them.

First the script measures the capacity: it increases the rate of requests until no more are served. Then a crowd sends
ten times as many requests at its own pace. The goodput is the part of the capacity that the crowd gets. Refusals must
come at once. After the crowd has left, the server must serve requests within its capacity again.
"""
import dataclasses

from support import openloop
from support.machine import allow_descriptors, say, scratch_directory
from support.openloop import Stream
from support.tileserver import TileServer
from support.upstream import Upstream

from .serving import known, verdict

# The upstream answers this many requests at once, each after this many seconds.
WIDTH, DELAY = 16, 0.1
TIMES = 10
# Minimum goodput, as a part of the capacity.
GOODPUT = 0.8
# Maximum milliseconds of the slowest hundredth of the refusals.
REFUSAL = 5
# Maximum seconds until the server recovers.
RECOVERY = 5
# Maximum milliseconds of the slowest hundredth of hits: twice a quiet server's, plus this.
HITS = 5

HIT = Stream("hit", "/grid/0/0/0.png", 200)
KINDS = {
    "misses": "/slow/20/{x}/{y}.png",
    "pictures": "/demo/static/0,0,2/800x600.png?background={c}",
}
SCENES = {"misses": ["misses"], "pictures": ["pictures"], "both": ["misses", "pictures"]}


def arguments(parser):
    parser.add_argument("names", nargs="*", help=f"of {', '.join(SCENES)} (default: all)")
    parser.add_argument("--seconds", type=float, default=20, help="that the crowd asks (default: 20)")


def run(options):
    known(options.names, SCENES)
    allow_descriptors(65_536)
    held = True
    for name in [name for name in SCENES if name in (options.names or SCENES)]:
        # Each case has its own server and upstream, so that it cannot profit from earlier measurements.
        with scratch_directory() as directory, Upstream(delay=DELAY) as upstream:
            text = f"""\
server: {{ limits: {{ requestsPerConnection: 1000000000 }} }}
cache: {{ memory: 256MiB }}
layers:
  grid: {{ generator: grid }}
  slow: {{ url: "{upstream.url}/{{z}}/{{x}}/{{y}}.png", maxConcurrent: {WIDTH} }}
maps:
  demo: {{ base: grid }}
"""
            with TileServer(options.program, directory, text) as server:
                held = scene(server, name, options.seconds) and held
    return verdict(held, "within the bars")


def scene(server, name, seconds):
    """Prints the results of a crowd, and of other clients beside it. Returns whether all are within the bars."""
    kinds = SCENES[name]
    openloop.run(server.url, [HIT, *streams(kinds, {kind: 5 for kind in kinds})], 1, 5)
    quiet = openloop.run(server.url, [HIT], 3)["hit"].latency(0.99, 200)
    peaks = {kind: capacity(server, kind) for kind in kinds}
    if len(kinds) > 1:
        # Both kinds together have less: the rate that is served of each when both are requested at the rate of one.
        say("measuring the capacity of both together")
        seen = openloop.run(server.url, [HIT, *streams(kinds, peaks)], 6, 5)
        peaks = {kind: min(peaks[kind], len(seen[kind].of(200)) / 6) for kind in kinds}
    print(f"\n{name}: a crowd at {TIMES} times the capacity for {seconds:g} s")
    busy = openloop.run(server.url, [HIT, *streams(kinds, {kind: TIMES * peak for kind, peak in peaks.items()})], seconds)
    after = openloop.run(server.url, [HIT, *streams(kinds, {kind: 0.5 * peak for kind, peak in peaks.items()})], 10, 10)
    held = [crowd(kind, busy[kind], peaks[kind], seconds) for kind in kinds]
    p99 = busy["hit"].latency(0.99, 200)
    unwell = len(busy["hit"].rows) - len(busy["hit"].of(200))
    bar = 2 * quiet + HITS
    held.append(figure("hits beside it, slowest hundredth", f"{p99:.1f} ms, {quiet:.1f} alone", f"at most {bar:.1f}",
                       p99 <= bar and not unwell))
    held += [recovered(kind, after[kind]) for kind in kinds]
    return all(held)


def streams(kinds, rates):
    return [Stream(kind, KINDS[kind], max(rates[kind], 0.5)) for kind in kinds]


def capacity(server, kind):
    """Returns the capacity in requests a second. Raises the rate by half until less than a tenth more is served."""
    say(f"measuring the capacity for {kind}")
    rate, best = 10.0, 0.0
    while True:
        seen = openloop.run(server.url, [dataclasses.replace(HIT, rate=50), Stream(kind, KINDS[kind], rate)], 4, 6)[kind]
        served = sum(1 for row in seen.of(200) if row[0] + row[1] <= 4) / 4
        if served < best * 1.1:
            return max(best, served)
        best = max(best, served)
        rate *= 1.5


def crowd(kind, seen, peak, seconds):
    """Prints a crowd's results for `kind`. Returns whether they are within the bars."""
    served, refused = seen.of(200), seen.of(503)
    goodput = sum(1 for row in served if row[0] + row[1] <= seconds) / seconds
    told = sum(1 for row in refused if row[3] > 0)
    others = len(seen.rows) - len(served) - len(refused)
    held = [
        figure(f"{kind}: goodput", f"{goodput:.1f}/s, {goodput / peak:.0%} of {peak:.1f}/s", f"at least {GOODPUT:.0%}",
               goodput >= GOODPUT * peak),
        figure(f"{kind}: refused, slowest hundredth", f"{seen.latency(0.99, 503):.1f} ms of {len(refused)}",
               f"at most {REFUSAL}", seen.latency(0.99, 503) <= REFUSAL),
        figure(f"{kind}: refused with Retry-After", f"{told} of {len(refused)}", "all", told == len(refused)),
        figure(f"{kind}: other answers", str(others), "none", others == 0),
    ]
    print(f"  {kind}: served after {seen.latency(0.5, 200):.0f} ms in the middle, {seen.latency(1, 200):.0f} at most")
    return all(held)


def recovered(kind, seen):
    """Prints when `kind` was served as before. Returns whether that was in time."""
    failed = [row[0] + row[1] for row in seen.rows if row[2] != 200]
    last = max(failed, default=0)
    return figure(f"{kind}: all served again", f"after {last:.1f} s ({len(failed)} refused, {seen.unanswered} unanswered)",
                  f"within {RECOVERY}", last <= RECOVERY and seen.unanswered == 0)


def figure(name, value, bar, is_held):
    print(f"  {name}: {value} ({bar}){'' if is_held else '  ABOVE THE BAR'}", flush=True)
    return is_held
