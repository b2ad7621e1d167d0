"""A tile from Redis beside a hit in memory and a raw GET of the same size; and one, two, three nodes behind HAProxy."""
import os
import resource
import statistics
import subprocess

from fleets.place import PASSWORD, Fleet
from fleets.source import Source
from support.machine import fetch, need, say, scratch_directory, two_cores
from support.wrk import ROWS, load

from .comparison import measure

TILES = 256
PATH = "/tiles/12/7/ROW.png"
# One worker thread, so that a node's CPU time is the time of one core.
CHANGES = [("  port: ", "  reactors: 1\n  port: ")]
# The node keeps nothing in memory and stores everything in Redis.
ONLY_REDIS = [
    ("  memory: 256MiB\n", "  memory: 0\n"), ("  disk: { maxBytes: 10GiB }\n", ""),
    ("  secret: ", "  tiles: { minHits: 1 }\n  secret: ")]


def arguments(parser):
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=int, default=3, help="of each measurement (default: 3)")
    parser.add_argument("--connections", type=int, default=32)


def run(options):
    need(wrk="wrk", taskset="util-linux", **{"redis-benchmark": "redis-tools", "redis-server": "redis-server", "haproxy": "haproxy"})
    from_redis(options)
    nodes(options)
    return 0


def from_redis(options):
    """Measures the CPU time of a node and of Redis for a tile from Redis, for a tile from memory, and for Redis
    alone."""
    core, load_core = two_cores()
    costs = {"tile from Redis": [], "tile from memory": [], "raw GET": []}
    with scratch_directory() as directory, Source() as source:
        (directory / "redis").mkdir()
        (directory / "memory").mkdir()
        with Fleet(options.program, directory / "redis", source, 1, changes=CHANGES + ONLY_REDIS, cores=[core]) as cold, \
                Fleet(options.program, directory / "memory", source, 1, changes=CHANGES, cores=[core]) as warm:
            size = 0
            for row in range(2 * TILES):
                for fleet in (cold, warm):
                    size = len(fetch(fleet.nodes[0].url + PATH.replace("ROW", str(row % TILES)))[2])
            asked = sum(source.asked.values())
            for _ in range(options.rounds):
                costs["tile from Redis"].append(tiles(cold, directory, options, load_core))
                costs["tile from memory"].append(tiles(warm, directory, options, load_core))
                costs["raw GET"].append(raw(cold.redis, size, options, core))
            if sum(source.asked.values()) != asked:
                say(f"the source was asked {sum(source.asked.values()) - asked} times: not everything came from the tiers")
    print(f"tiles of {size:,} bytes, {options.connections} connections, one reactor; medians of {options.rounds} rounds\n")
    print(f"{'':18} {'CPU µs of the client or node':>29} {'CPU µs of Redis':>16} {'a second':>10}")
    for name, rounds in costs.items():
        own, redis, rate = (statistics.median(part) for part in zip(*rounds, strict=True))
        print(f"{name:18} {own:>29.1f} {redis:>16.1f} {rate:>10,.0f}")
    own = {name: statistics.median(one[0] for one in rounds) for name, rounds in costs.items()}
    limit = own["tile from memory"] + own["raw GET"]
    print(f"\na tile from Redis takes {own['tile from Redis'] / limit:.2f} of the limit, a hit in memory and a raw GET together\n")


def tiles(fleet, directory, options, load_core):
    """Returns (CPU µs of the node, CPU µs of its Redis, requests a second)."""
    node, before = fleet.nodes[0], fleet.redis.cpu_seconds()
    cost = measure(node, lambda: load(
        node.url, directory, ROWS, options.connections, options.seconds, load_core, (TILES, PATH)))
    return cost.cpu, (fleet.redis.cpu_seconds() - before) * 1e6 / cost.requests, cost.per_second


def raw(redis, size, options, core):
    """Returns the same values for redis-benchmark, which requests one value of `size` bytes."""
    redis.ask("SET", "raw", "." * size)
    count = 40_000 * options.seconds
    mine, theirs = resource.getrusage(resource.RUSAGE_CHILDREN), redis.cpu_seconds()
    done = subprocess.run(
        ["taskset", "--cpu-list", str(core), "redis-benchmark", "-p", str(redis.port), "-a", PASSWORD, "-n", str(count), "-c",
         str(options.connections), "--csv", "GET", "raw"], check=True, capture_output=True, text=True, env=os.environ)
    rate = float(done.stdout.splitlines()[-1].split(",")[1].strip('"'))
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    spent = after.ru_utime + after.ru_stime - mine.ru_utime - mine.ru_stime
    return spent * 1e6 / count, (redis.cpu_seconds() - theirs) * 1e6 / count, rate


def nodes(options):
    """One, two and three nodes behind HAProxy, with the load on the same cores."""
    cores = len(os.sched_getaffinity(0))
    print(f"hits through HAProxy, everything on the {cores} cores of this machine, the load included: it says what a request costs,")
    print("not how much faster more machines are\n")
    print(f"{'nodes':>5} {'requests/s':>12} {'p99 µs':>8} {'CPU µs of a node':>17} {'CPU µs of HAProxy':>18} {'busiest node':>13}")
    for count in (1, 2, 3):
        with scratch_directory() as directory, Source() as source, \
                Fleet(options.program, directory, source, count, changes=CHANGES) as fleet:
            for row in range(TILES):
                fetch(fleet.balancer.url + PATH.replace("ROW", str(row)))
            rounds = [through(fleet, directory, options) for _ in range(options.rounds)]
        rate, slow, own, balancer, busiest = (statistics.median(part) for part in zip(*rounds, strict=True))
        print(f"{count:>5} {rate:>12,.0f} {slow:>8,.0f} {own:>17.1f} {balancer:>18.1f} {busiest:>13.2f}", flush=True)


def through(fleet, directory, options):
    before = [node.cpu_seconds() for node in fleet.nodes]
    cost = measure(fleet.balancer, lambda: load(
        fleet.balancer.url, directory, ROWS, options.connections, options.seconds, arguments=(TILES, PATH)))
    spent = [node.cpu_seconds() - start for node, start in zip(fleet.nodes, before, strict=True)]
    return cost.per_second, cost.p99, sum(spent) * 1e6 / cost.requests, cost.cpu, max(spent) * len(spent) / max(sum(spent), 1e-9)
