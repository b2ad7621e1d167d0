"""The balancer's choice of a node for a tile: a ring like HAProxy's `hash-type consistent`, or nodes in turn."""
import bisect
import random


class Ring:
    """Each node has `points` on a circle. A tile belongs to the node of the next point whose node is up."""

    def __init__(self, nodes, tiles, points, seed):
        chance = random.Random(f"ring {seed}")
        circle = sorted((chance.getrandbits(32), node) for node in range(nodes) for _ in range(points))
        places = [place for place, _ in circle]
        self.owners = [node for _, node in circle]
        # The place of each tile on the circle.
        self.entries = [bisect.bisect(places, chance.getrandbits(32)) % len(circle) for _ in range(tiles)]
        self.up = [True] * nodes

    def node(self, _, tile):
        owners, up = self.owners, self.up
        place = self.entries[tile]
        while not up[owners[place]]:
            place = (place + 1) % len(owners)
        return owners[place]

    def shares(self):
        """Returns the part of all tiles that each node owns."""
        counts = [0] * len(self.up)
        for entry in self.entries:
            counts[self.owners[entry]] += 1
        return [count / len(self.entries) for count in counts]


class Turns:
    """Each request goes to the next node that is up."""

    def __init__(self, nodes):
        self.up = [True] * nodes

    def node(self, number, _):
        nodes = len(self.up)
        node = number % nodes
        while not self.up[node]:
            node = (node + 1) % nodes
        return node
