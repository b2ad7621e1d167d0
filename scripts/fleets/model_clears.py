"""The model of clears: how long a node may serve tiles that were cleared on another node.

The rules are in docs/design/fleet.md: a message in the stream, a merge of all numbers each second, HTTP to the peers
while Redis is down, repeated each second, and `lease`. After `lease` a node without Redis revalidates a tile before it
uses it.
"""
import dataclasses
import random

# Maximum seconds of a message, of a merge with Redis, and of a call to a peer.
BUS, LOOK, CALL = 0.005, 0.002, 0.02
# Seconds between two merges, between two attempts to reach Redis, and between two calls to a silent peer.
PERIOD = 1.0


@dataclasses.dataclass(frozen=True)
class Case:
    name: str
    # Part of all messages, merges and calls that is lost.
    loss: float = 0
    # Seconds without Redis. The clears happen during this time.
    outage: float = 0
    # True if the nodes know each other's addresses.
    peers: bool = False
    lease: float = 30


class Clear:
    """A clear at `time` on a node of a fleet without Redis from 0 to `outage`."""

    def __init__(self, case, nodes, chance):
        self.case, self.nodes, self.chance = case, nodes, chance
        self.time = chance.uniform(0, case.outage or 60)
        self.origin = chance.randrange(nodes)
        # Time within its second at which each node merges.
        self.phases = [chance.uniform(0, PERIOD) for _ in range(nodes)]

    def arrives(self):
        return self.chance.random() >= self.case.loss

    def look(self, node, after):
        """Returns when `node` next reads all numbers from a reachable Redis, at `after` or later."""
        start = max(after, self.case.outage)
        tick = start + (self.phases[node] - start) % PERIOD
        while not self.arrives():
            tick += PERIOD
        return tick + self.chance.uniform(0, LOOK)

    def lease_ends(self, node):
        """Returns when a node that lost Redis at 0 begins to revalidate tiles. Never, if Redis is reachable."""
        if not self.case.outage:
            return float("inf")
        return self.phases[node] - PERIOD + self.case.lease

    def called(self):
        """Returns when a peer gets the clear over HTTP."""
        time = self.time
        while not self.arrives():
            time += PERIOD
        return time + self.chance.uniform(0, CALL)

    def age(self):
        """Returns the seconds until no node uses a cleared tile without revalidation."""
        numbered = self.time >= self.case.outage and self.arrives()
        # The clear reaches Redis at once, or with the origin's next merge.
        known = self.time if numbered else self.look(self.origin, self.time)
        # The origin calls its peers only if it cannot reach Redis.
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
    """Returns the seconds of `count` clears in ascending order."""
    chance = random.Random(f"clears {seed} {case} {nodes}")
    return sorted(Clear(case, nodes, chance).age() for _ in range(count))
