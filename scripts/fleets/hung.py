"""A hanging node, whose requests HAProxy cuts, and draining nodes, whose requests HAProxy does not cut."""
import contextlib
import http.client
import random
import signal
import time
import urllib.parse

from .watching import Client, Crowd

HANG = 12.0
LONGEST = 3.5
# Seconds of the upstream for a tile of these zooms, and seconds that HAProxy, the node and this machine may add. A
# request that HAProxy cuts and sends to another node takes much longer.
SLOW = {"16": 5.0, "17": 8.0, "18": 8.0, "19": 8.0}
MORE = 2.0
# A node draws two images at a time. Another image waits at most 5 s for its turn.
IMAGES = 2


class Clients(Crowd):
    """Runs clients of HAProxy while the block runs. Each requests the paths of `path()` in turn."""

    def __init__(self, url, count, path, pause=0.0):
        super().__init__(count)
        self.url, self.path, self.pause = url, path, pause
        self.answers, self.longest, self.faults = 0, 0.0, []

    def run(self, over, number):
        chance, client = random.Random(f"{self.path.__name__} {number}"), Client(self.url, timeout=40)
        while not over.is_set():
            seen = client.get(self.path(chance))
            with self._lock:
                self.answers += 1
                self.longest = max(self.longest, seen.came - seen.sent)
                if seen.status != 200:
                    self.faults.append(seen)
            time.sleep(self.pause)
        client.close()

    def are_well(self, longest):
        return self.answers > 0 and not self.faults and self.longest <= longest

    def text(self):
        return f"{self.answers:,} answers, {len(self.faults)} faults, the longest {self.longest:.2f} s" + "".join(
            f"\n    {seen}" for seen in self.faults[:5])


class Listeners(Clients):
    """Listens to /events instead, and again when the response ends. A fault is a response without its end, or one that
    does not begin."""

    def __init__(self, url, count):
        super().__init__(url, count, None)
        self.address = urllib.parse.urlsplit(url)

    def run(self, over, _):
        while not over.is_set():
            asked = time.monotonic()
            connection = http.client.HTTPConnection(self.address.hostname, self.address.port, timeout=20)
            try:
                connection.request("GET", "/events")
                answer = connection.getresponse()
                began = time.monotonic() - asked
                with self._lock:
                    self.answers += 1
                    self.longest = max(self.longest, began)
                    if answer.status != 200:
                        self.faults.append(f"status {answer.status} after {began:.2f} s")
                # The server sends a comment each 15 s. Raises if the connection ends before the end of the response.
                while answer.read1(4_096) and not over.is_set():
                    pass
            except (OSError, http.client.HTTPException) as error:
                with self._lock:
                    self.faults.append(repr(error))
            finally:
                connection.close()


def node_hangs(scene):
    """SIGSTOP of a node for 12 s, and a clear meanwhile"""
    node = scene.fleet.nodes[2]
    with Clients(scene.fleet.balancer.url, 8, any_tile, 0.01) as clients:
        time.sleep(2)
        began = time.monotonic()
        node.process.send_signal(signal.SIGSTOP)
        try:
            time.sleep(HANG - 2)
            scene.clear(0)
            time.sleep(max(began + HANG - time.monotonic(), 0))
        finally:
            node.process.send_signal(signal.SIGCONT)
        scene.fleet.balancer.wait_until_up(node)
    return clients.are_well(LONGEST), f"clients of HAProxy while a node hangs, {clients.text()} (bar: {LONGEST} s)"


def nodes_restart_while_answers_are_slow(scene):
    """all nodes one after the other, beside misses of 5 and 8 s, images with tiles of 8 s, and event listeners"""
    url = scene.fleet.balancer.url
    crowds = {
        "misses": (Clients(url, 8, tile_of_5_seconds), SLOW["16"] + MORE), "long misses": (Clients(url, 8, tile_of_8_seconds), SLOW["17"] + MORE),
        "images": (Clients(url, IMAGES, image_of_8_seconds), SLOW["18"] + MORE), "/events": (Listeners(url, 8), MORE)}
    scene.source.slow = SLOW
    with contextlib.ExitStack() as stack:
        for clients, _ in crowds.values():
            stack.enter_context(clients)
        time.sleep(2)
        for number in range(3):
            scene.restart(number)
    scene.source.slow = {}
    holds = all(clients.are_well(longest) for clients, longest in crowds.values())
    return holds, "clients of HAProxy while nodes restart" + "".join(
        f"\n  {name}: {clients.text()} (bar: {longest} s)" for name, (clients, longest) in crowds.items())


def any_tile(chance):
    return f"/tiles/11/{1_070 + chance.randrange(16)}/{710 + chance.randrange(16)}.png"


def tile_of_5_seconds(chance):
    return f"/tiles/16/{chance.randrange(1 << 16)}/{chance.randrange(1 << 16)}.png"


def tile_of_8_seconds(chance):
    return f"/tiles/17/{chance.randrange(1 << 17)}/{chance.randrange(1 << 17)}.png"


def image_of_8_seconds(chance):
    return f"/tiles/static/{chance.uniform(-170, 170):.4f},{chance.uniform(-60, 60):.4f},18/200x200.png"
