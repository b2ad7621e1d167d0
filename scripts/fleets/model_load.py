"""The model of a load: which tier of which node has a tile, and how often the source is asked.

The rules are those of docs/fleet.md: memory and disk are least recently used by bytes; a stale tile is renewed at the source;
one fetch at a time of a node, and with Redis of the fleet; a tile that was fetched enters Redis once its node was asked for it `min_hits` times.
"""
import collections
import dataclasses
import itertools
import random

from .model_ring import Ring, Turns

MIB = 1 << 20


@dataclasses.dataclass(frozen=True)
class Load:
    """What is asked for, the same for every fleet. Times in seconds."""
    seed: int = 15
    tiles: int = 200_000
    requests: int = 300_000
    # Of Zipf's law: the tile of rank r is asked for in proportion to 1 / r ^ exponent.
    exponent: float = 0.9
    # Requests a second, over the whole fleet.
    rate: float = 500
    # How long a tile is fresh, and how long the source takes.
    life: float = 600
    latency: float = 0.3
    mean_bytes: int = 12_288
    # All nodes together; with Redis, that has `redis_part` of the memory.
    memory: int = 256 * MIB
    disk: int = 1024 * MIB
    redis_part: float = 0.25
    min_hits: int = 2
    # Of a node on HAProxy's circle, 16 for each unit of `weight`.
    points: int = 1_600

    def sizes(self):
        """Bytes of each tile: most are small, some are large."""
        chance = random.Random(f"sizes {self.seed}")
        median = self.mean_bytes / 1.375
        return [min(int(chance.lognormvariate(0, 0.8) * median) + 200, 262_144) for _ in range(self.tiles)]

    def asked(self):
        weights = itertools.accumulate((rank + 1) ** -self.exponent for rank in range(self.tiles))
        return random.Random(f"load {self.seed}").choices(range(self.tiles), cum_weights=list(weights), k=self.requests)


@dataclasses.dataclass(frozen=True)
class Fleet:
    nodes: int
    # Whether the balancer sends a tile to its owner.
    hashed: bool
    redis: bool
    # Whether each node restarts once, and one is lost with its disk and joins anew.
    churn: bool = False


class Store:
    """What a tier holds, least recently used first, by bytes."""

    def __init__(self, capacity, sizes):
        self.capacity, self.sizes = capacity, sizes
        self.entries, self.bytes = collections.OrderedDict(), 0

    def find(self, tile):
        entry = self.entries.get(tile)
        if entry is not None:
            self.entries.move_to_end(tile)
        return entry

    def put(self, tile, entry):
        if tile not in self.entries:
            self.bytes += self.sizes[tile]
        self.entries[tile] = entry
        self.entries.move_to_end(tile)
        while self.bytes > self.capacity:
            old, _ = self.entries.popitem(last=False)
            self.bytes -= self.sizes[old]

    def empty(self):
        self.entries.clear()
        self.bytes = 0


@dataclasses.dataclass(slots=True)
class Held:
    """A tile in memory: until when it is fresh, from when it is there, how often it was asked for, and whether Redis had it."""
    end: float
    ready: float
    asked: int = 1
    is_shared: bool = False


@dataclasses.dataclass
class Counts:
    """Of the requests after the first third, which fills the tiers."""
    requests: int = 0
    memory: int = 0
    # Waited for a fetch that was under way, on the same node or with Redis on another.
    joined: int = 0
    disk: int = 0
    redis: int = 0
    source: int = 0
    # Bytes in the memory of all nodes beside those of different tiles.
    copies: float = 0
    # The node with the most requests beside the mean.
    busiest: float = 0

    def part(self, count):
        return count / self.requests


class Simulation:
    def __init__(self, load, fleet, sizes):
        self.load, self.fleet, self.sizes = load, fleet, sizes
        nodes = fleet.nodes
        memory = load.memory * (1 - load.redis_part if fleet.redis else 1)
        self.memories = [Store(memory / nodes, sizes) for _ in range(nodes)]
        self.disks = [Store(load.disk / nodes, sizes) for _ in range(nodes)]
        self.redis = Store(load.memory * load.redis_part, sizes) if fleet.redis else None
        # With Redis: until when a tile's lock is held.
        self.locks = {}
        self.balancer = Ring(nodes, load.tiles, load.points, load.seed) if fleet.hashed else Turns(nodes)

    def run(self, asked):
        """What came of the requests for the tiles `asked`, in this order, at an even pace."""
        counts, served = Counts(), [0] * self.fleet.nodes
        first = len(asked) // 3
        accidents = collections.deque(self.accidents(first, len(asked)))
        for number, tile in enumerate(asked):
            while accidents and accidents[0][0] <= number:
                self.happen(*accidents.popleft()[1:])
            node = self.balancer.node(number, tile)
            came = self.answer(node, tile, number / self.load.rate)
            if number >= first:
                served[node] += 1
                counts.requests += 1
                setattr(counts, came, getattr(counts, came) + 1)
        held = sum(store.bytes for store in self.memories)
        different = set().union(*(store.entries for store in self.memories))
        counts.copies = held / max(sum(self.sizes[tile] for tile in different), 1)
        counts.busiest = max(served) * len(served) / max(sum(served), 1)
        return counts

    def answer(self, node, tile, now):
        """Where the tile came from; stores it where it was not."""
        memory, disk = self.memories[node], self.disks[node]
        held = memory.find(tile)
        if held is not None:
            held.asked += 1
            disk.find(tile)
            if now < held.ready:
                return "joined"
            if now < held.end:
                self.share(tile, held)
                return "memory"
            return self.ask(node, tile, now, held.asked)
        end = disk.find(tile)
        if end is not None and now < end:
            memory.put(tile, Held(end, now, is_shared=True))
            return "disk"
        shared = self.redis.find(tile) if self.redis and end is None else None
        if shared is not None and now < shared:
            memory.put(tile, Held(shared, now, is_shared=True))
            disk.put(tile, shared)
            return "redis"
        return self.ask(node, tile, now, 1)

    def ask(self, node, tile, now, asked):
        """The source is asked, or another node's fetch waited for."""
        came, ready = "source", now + self.load.latency
        if self.redis:
            under_way = self.locks.get(tile, 0)
            if now < under_way:
                came, ready = "joined", under_way
            else:
                self.locks[tile] = ready
        held = Held(ready + self.load.life, ready, asked)
        self.memories[node].put(tile, held)
        self.disks[node].put(tile, held.end)
        if came == "joined":
            # What another node waits for is there for it, however often it was asked for.
            held.is_shared = True
            self.redis.put(tile, held.end)
        self.share(tile, held)
        return came

    def share(self, tile, held):
        """Puts a tile that was fetched into Redis, once, when it was asked for often enough."""
        if self.redis and not held.is_shared and held.asked >= self.load.min_hits:
            held.is_shared = True
            self.redis.put(tile, held.end)

    def accidents(self, first, count):
        """(request number, what happens, node): all in the time that is counted, spread evenly."""
        nodes = self.fleet.nodes
        if not self.fleet.churn:
            return []
        away = min(10 * self.load.rate, (count - first) / (nodes + 1) / 2)
        times = [first + (count - first) * (step + 0.5) / (nodes + 1) for step in range(nodes + 1)]
        events = []
        for node, time in enumerate(times[:nodes]):
            events += [(time, "stops", node), (time + away, "starts", node)]
        events += [(times[nodes], "is lost", nodes // 2), (times[nodes] + away, "starts", nodes // 2)]
        return events

    def happen(self, what, node):
        if what == "starts":
            self.balancer.up[node] = True
            return
        # One node alone is started again at once: there is nobody else to ask.
        self.balancer.up[node] = self.fleet.nodes == 1
        self.memories[node].empty()
        if what == "is lost":
            self.disks[node].empty()
