"""The model of clears: how long a node may go on serving what was cleared on another one.

The rules are those of docs/fleet.md: a message on the bus, all numbers read once a second, calls to configured peers while Redis
is away, repeated each second, and `lease`, after which a node that read nothing asks the source before it uses a tile.
"""
import dataclasses
import random

# Seconds that a message, a look into Redis and a call to a peer take at most.
BUS, LOOK, CALL = 0.005, 0.002, 0.02
# Between two looks, two attempts at a Redis that is away, and two calls to a peer that did not answer.
PERIOD = 1.0


@dataclasses.dataclass(frozen=True)
class Case:
    name: str
    # The part of all messages, looks and calls that is lost.
    loss: float = 0
    # Seconds that Redis is away; the clears fall into that time.
    outage: float = 0
    # Whether the nodes know one another's addresses.
    peers: bool = False
    lease: float = 30


class Clear:
    """One clear at `time`, on a node of a fleet whose Redis is away from 0 to `outage`."""

    def __init__(self, case, nodes, chance):
        self.case, self.nodes, self.chance = case, nodes, chance
        self.time = chance.uniform(0, case.outage or 60)
        self.origin = chance.randrange(nodes)
        # When in its second each node looks.
        self.phases = [chance.uniform(0, PERIOD) for _ in range(nodes)]

    def arrives(self):
        return self.chance.random() >= self.case.loss

    def look(self, node, after):
        """When `node` next reads all numbers from a Redis that is there, having begun at `after` or later."""
        start = max(after, self.case.outage)
        tick = start + (self.phases[node] - start) % PERIOD
        while not self.arrives():
            tick += PERIOD
        return tick + self.chance.uniform(0, LOOK)

    def lease_ends(self, node):
        """When a node that lost Redis at 0 begins to ask the source; never where Redis stays."""
        if not self.case.outage:
            return float("inf")
        return self.phases[node] - PERIOD + self.case.lease

    def called(self):
        """When a peer has the clear that its origin sends to it by HTTP."""
        time = self.time
        while not self.arrives():
            time += PERIOD
        return time + self.chance.uniform(0, CALL)

    def age(self):
        """Seconds until no node uses a cleared tile any more without asking the source."""
        numbered = self.time >= self.case.outage and self.arrives()
        # In Redis at once, or with the origin's next look.
        known = self.time if numbered else self.look(self.origin, self.time)
        # Only who could not tell Redis calls its peers.
        calls = self.case.peers and not numbered
        return max(
            (self.seen(node, known, calls) - self.time for node in range(self.nodes) if node != self.origin), default=0)

    def seen(self, node, known, calls):
        times = [self.look(node, known), max(self.lease_ends(node), self.time)]
        if self.arrives():
            times.append(known + self.chance.uniform(0, BUS))
        if calls:
            times.append(self.called())
        return min(times)


def ages(case, nodes, count, seed):
    """Seconds of `count` clears, least first."""
    chance = random.Random(f"clears {seed} {case} {nodes}")
    return sorted(Clear(case, nodes, chance).age() for _ in range(count))
