"""Checks of the model: against a known approximation, and against bounds that must always hold."""
import dataclasses
import math
import random

from .model_clears import BUS, LOOK, PERIOD, Case, Clear, ages
from .model_load import MIB, Fleet, Load, Simulation

# Few tiles, all of one size and never stale.
PLAIN = Load(tiles=20_000, requests=120_000, life=1e9, latency=0, memory=16 * MIB, disk=0)
ENOUGH = dataclasses.replace(PLAIN, memory=1 << 40)


def run(figures):
    for check in [value for name, value in globals().items() if name.startswith("check_")]:
        good, figure = check()
        figures.holds(good, f"{check.__doc__} {figure}")


def simulated(load, *fleet, asked=None):
    sizes = [8_192] * load.tiles
    return Simulation(load, Fleet(*fleet), sizes).run(asked or load.asked())


def check_one_node():
    """One node has the hit ratio of LRU by Che's approximation, within a hundredth."""
    found, expected = simulated(PLAIN, 1, True, False), che(PLAIN, PLAIN.memory // 8_192)
    ratio = found.part(found.memory)
    return abs(ratio - expected) < 0.01, f"{ratio:.4f}, {expected:.4f} expected"


def che(load, places):
    """Returns the hit ratio of an LRU cache with this many places and independent requests (Che, Tung, Wang 2002)."""
    weights = [(rank + 1) ** -load.exponent for rank in range(load.tiles)]
    total = sum(weights)
    parts = [weight / total for weight in weights]
    low, high = 0.0, 1e9
    for _ in range(100):
        time = (low + high) / 2
        held = sum(-math.expm1(-part * time) for part in parts)
        low, high = (time, high) if held < places else (low, time)
    return sum(part * -math.expm1(-part * time) for part in parts)


def check_repeats():
    """The same seed gives the same numbers."""
    one, other = (dataclasses.asdict(simulated(PLAIN, 3, True, True, True)) for _ in range(2))
    return one == other, f"{one['source']} requests to the source"


def check_hash():
    """With a hash and room for all, each tile is fetched once by the fleet."""
    asked = ENOUGH.asked()
    late = set(asked) - set(asked[:len(asked) // 3])
    found = simulated(ENOUGH, 10, True, False, asked=asked)
    return found.source == len(late) and found.copies == 1, f"{found.source} fetches, {len(late)} tiles"


def check_turns():
    """Without a hash and without Redis, each node fetches every tile that clients request from it."""
    asked = ENOUGH.asked()
    first = len(asked) // 3
    late = {(number % 10, tile) for number, tile in enumerate(asked)} - {
        (number % 10, tile) for number, tile in enumerate(asked[:first])}
    found = simulated(ENOUGH, 10, False, False, asked=asked)
    return found.source == len(late), f"{found.source} fetches, {len(late)} tiles on nodes"


def check_redis():
    """With Redis, minHits 1 and room for all, a tile is fetched once, for any node."""
    load = dataclasses.replace(ENOUGH, min_hits=1)
    asked = load.asked()
    late = set(asked) - set(asked[:len(asked) // 3])
    found = simulated(load, 10, False, True, asked=asked)
    return found.source == len(late), f"{found.source} fetches, {len(late)} tiles"


def check_lock():
    """A thousand requests for one tile while it is fetched are one fetch with Redis, and one of each node without."""
    load = dataclasses.replace(ENOUGH, latency=10)
    asked = [0] * 1_000
    simulations = [Simulation(load, Fleet(10, False, redis), [8_192] * load.tiles) for redis in (True, False)]
    found = []
    for simulation in simulations:
        came = [simulation.answer(number % 10, tile, number / load.rate) for number, tile in enumerate(asked)]
        found.append(came.count("source"))
    return found == [1, 10], f"{found[0]} and {found[1]} fetches"


def check_balance():
    """With 1,600 points the busiest of ten nodes has at most a tenth more tiles than the mean, with 16 more."""
    parts = [
        max(Simulation(dataclasses.replace(PLAIN, points=points), Fleet(10, True, False), []).balancer.shares()) * 10
        for points in (1_600, 16)]
    return parts[0] < 1.1 < parts[1], f"{parts[0]:.2f} and {parts[1]:.2f} of the mean"


def check_bus():
    """Without losses, a clear arrives within the time of the stream."""
    oldest = ages(Case("calm"), 50, 500, 1)[-1]
    return oldest <= BUS, f"{oldest:.4f} s"


def check_look():
    """Without the stream, a clear arrives with the next merge."""
    chance = random.Random("looks")
    clears = [Clear(Case("dead bus"), 50, chance) for _ in range(500)]
    oldest = max(clear.look(node, clear.time) - clear.time for clear in clears for node in range(50))
    return oldest <= PERIOD + LOOK, f"{oldest:.4f} s"


def check_lease():
    """If Redis is down for any time, no node uses a cleared tile longer than the lease."""
    found = [ages(Case("outage", outage=outage), 50, 500, 1)[-1] for outage in (60, 3_600)]
    return max(found) <= Case.lease, f"{max(found):.2f} s"
