"""The model of a load: which tier of which node has a tile, and how often the upstream is asked.

The rules are in docs/design/fleet.md. Memory and disk evict the least recently used bytes. A stale tile is revalidated
at the upstream. A node makes one fetch of a tile at a time; with Redis the whole fleet does. A fetched tile is stored
in Redis after `min_hits` requests to its node.
"""
import collections
import dataclasses
import itertools
import random

from .model_ring import Ring, Turns

MIB = 1 << 20


@dataclasses.dataclass(frozen=True)
class Load:
    """The requests, equal for every fleet. Times are in seconds."""
    seed: int = 15
    tiles: int = 200_000
    requests: int = 300_000
    # Exponent of Zipf's law: the tile of rank r gets requests in proportion to 1 / r ^ exponent.
    exponent: float = 0.9
    # Requests a second over the whole fleet.
    rate: float = 500
    # Seconds for which a tile is fresh, and seconds of a fetch.
    life: float = 600
    latency: float = 0.3
    mean_bytes: int = 12_288
    # Memory of all nodes together. With Redis, Redis has `redis_part` of it.
    memory: int = 256 * MIB
    disk: int = 1024 * MIB
    redis_part: float = 0.25
    min_hits: int = 2
    # Points of a node on HAProxy's circle, 16 for each unit of `weight`.
    points: int = 1_600

    def sizes(self):
        """Returns the bytes of each tile. Most tiles are small, and some are large."""
        chance = random.Random(f"sizes {self.seed}")
        median = self.mean_bytes / 1.375
        return [min(int(chance.lognormvariate(0, 0.8) * median) + 200, 262_144) for _ in range(self.tiles)]

    def asked(self):
        weights = itertools.accumulate((rank + 1) ** -self.exponent for rank in range(self.tiles))
        return random.Random(f"load {self.seed}").choices(range(self.tiles), cum_weights=list(weights), k=self.requests)


@dataclasses.dataclass(frozen=True)
class Fleet:
    nodes: int
    # True if the balancer sends a tile to its owner.
    hashed: bool
    redis: bool
    # True if each node restarts once, and one is lost with its disk and joins again.
    churn: bool = False


class Store:
    """The content of a tier, least recently used first, limited by bytes."""

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
    """A tile in memory: the end of its freshness, the time of its arrival, the number of its requests, and whether
    Redis has had it."""
    end: float
    ready: float
    asked: int = 1
    is_shared: bool = False


@dataclasses.dataclass
class Counts:
    """The results of the requests after the first third, which fills the tiers."""
    requests: int = 0
    memory: int = 0
    # Requests that waited for a running fetch, on the same node or, with Redis, on another.
    joined: int = 0
    disk: int = 0
    redis: int = 0
    source: int = 0
    # Bytes of repeated tiles in the memory of all nodes.
    copies: float = 0
    # Ratio of the busiest node's requests to the mean.
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
        # With Redis: the time until which a tile's lock is held.
        self.locks = {}
        self.balancer = Ring(nodes, load.tiles, load.points, load.seed) if fleet.hashed else Turns(nodes)

    def run(self, asked):
        """Returns the results of requests for the tiles `asked`, in this order, at an even pace."""
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
        """Returns the tier that had the tile, and stores the tile in the tiers that lacked it."""
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
        """Fetches from the upstream, or waits for another node's fetch."""
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
            # A tile for which another node waits is stored regardless of its requests.
            held.is_shared = True
            self.redis.put(tile, held.end)
        self.share(tile, held)
        return came

    def share(self, tile, held):
        """Stores a fetched tile in Redis once, after enough requests."""
        if self.redis and not held.is_shared and held.asked >= self.load.min_hits:
            held.is_shared = True
            self.redis.put(tile, held.end)

    def accidents(self, first, count):
        """Returns (request number, event, node) for events that are spread evenly over the counted time."""
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
        # A single node restarts at once, because there is no other node.
        self.balancer.up[node] = self.fleet.nodes == 1
        self.memories[node].empty()
        if what == "is lost":
            self.disks[node].empty()
