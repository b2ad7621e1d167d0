"""Failures of Redis and of the nodes, one after the other, under 32 clients: no error, and no cleared tile."""
import contextlib
import json
import shutil
import signal
import time

from support.machine import say, scratch_directory

from .clears import watched
from .hung import node_hangs, nodes_restart_while_answers_are_slow
from .place import Fleet
from .source import Source
from .watching import Clears, Watchers

PATHS = [f"/tiles/10/{column}/{row}.png" for column in range(16) for row in range(16)]
BALANCED = 26


def arguments(parser):
    parser.add_argument("--seconds", type=float, default=8, help="of each accident (default: 8)")
    parser.add_argument("--only", help="one of them")


def run(options, figures):
    with scratch_directory() as directory, Source(0.01) as source, Fleet(options.program, directory, source) as fleet:
        scene = Scene(fleet, source, options.seconds)
        for accident in ACCIDENTS:
            if options.only in (None, accident.__name__):
                scene.happens(figures, accident)


class Scene:
    def __init__(self, fleet, source, seconds):
        self.fleet, self.source, self.seconds = fleet, source, seconds
        self.redis = fleet.redis
        self.clears = Clears()
        self.restarting = set()
        self.answers = []

    def happens(self, figures, accident):
        """Runs the accident under load and for a while afterwards. Reports its figures."""
        print(f"{accident.__name__.replace('_', ' ')}: {accident.__doc__}", flush=True)
        self.answers = []
        nodes = [node.url for node in self.fleet.nodes]
        # Most clients use HAProxy. Two use each node directly, so that a node that has missed a clear is noticed.
        urls = [self.fleet.balancer.url] * BALANCED + nodes * 2
        with Watchers(urls, PATHS, self.clears, 0.02, self.fleet.balancer.url, new_path, self.is_away) as watchers:
            time.sleep(1)
            self.clear()
            took_place = accident(self)
            self.clear()
            time.sleep(3)
        if took_place:
            figures.holds(*took_place)
        watched(figures, watchers)
        say(f"  clears: {self.answers}")

    def is_away(self, seen):
        """Reports whether a request had no response because its node was being started."""
        return seen.url in [node.url for node in self.restarting]

    def clear(self, node=0):
        """Clears the whole layer, which makes a new version. Returns the response's numbers of the fleet."""
        self.source.version += 1
        began = time.monotonic()
        status, _, body = self.fleet.nodes[node].admin("/admin/cache/tiles", "DELETE")
        self.clears.note(time.monotonic(), self.source.version)
        answer = json.loads(body) if status == 200 else {"status": status}
        reached = answer.get("fleet", {})
        self.answers.append(f"{reached.get('reached')}/{reached.get('nodes')} in {time.monotonic() - began:.2f} s")

    @contextlib.contextmanager
    def without(self, node):
        """Expects no response from the node itself while the block runs."""
        self.restarting.add(node)
        yield
        self.restarting.remove(node)

    def starts(self, node):
        node.start()
        self.fleet.balancer.wait_until_up(*self.fleet.nodes)

    def restart(self, number):
        """a node ends by SIGTERM, another one clears meanwhile, and it starts again"""
        node = self.fleet.nodes[number]
        with self.without(node):
            node.stop()
            self.clear((number + 1) % 3)
            self.starts(node)

    def wait(self, part=1.0):
        time.sleep(self.seconds * part)


def new_path(chance):
    return f"/tiles/14/{chance.randrange(1 << 14)}/{chance.randrange(1 << 14)}.png"


def redis_stands_still(scene):
    """SIGSTOP, clears on two nodes meanwhile, SIGCONT"""
    scene.redis.signal(signal.SIGSTOP)
    scene.wait(0.4)
    scene.clear(0)
    scene.wait(0.3)
    scene.clear(1)
    scene.wait(0.3)
    scene.redis.signal(signal.SIGCONT)
    scene.wait(0.5)


def redis_is_killed(scene):
    """SIGKILL, clears on two nodes meanwhile, an empty Redis starts"""
    scene.redis.kill()
    scene.wait(0.4)
    scene.clear(0)
    scene.clear(2)
    scene.wait(0.3)
    scene.redis.start()
    scene.wait(0.5)


def redis_is_emptied(scene):
    """FLUSHALL, three times between clears"""
    for node in range(3):
        scene.redis.ask("FLUSHALL")
        scene.clear(node)
        scene.wait(0.3)


def memory_is_reached(scene):
    """maxmemory of 2 MB, or less than the used memory: Redis evicts numbers too, and then refuses to store"""
    def count(section, name):
        lines = scene.redis.ask("INFO", section).splitlines()
        return next((int(line.split(":")[1].split("=")[-1]) for line in lines if line.startswith(f"{name}:")), 0)

    evicted = count("stats", "evicted_keys")
    scene.redis.ask("CONFIG", "SET", "maxmemory", min(2 << 20, count("memory", "used_memory") - (64 << 10)))
    scene.wait(0.4)
    evicted = count("stats", "evicted_keys") - evicted
    scene.clear(1)
    scene.redis.ask("CONFIG", "SET", "maxmemory-policy", "noeviction")
    scene.redis.ask("CONFIG", "SET", "maxmemory", "1mb")
    scene.wait(0.4)
    scene.clear(2)
    scene.wait(0.3)
    scene.redis.ask("CONFIG", "SET", "maxmemory", "256mb")
    scene.redis.ask("CONFIG", "SET", "maxmemory-policy", "allkeys-lru")
    scene.wait(0.3)
    refused = count("errorstats", "errorstat_OOM")
    return evicted > 0 and refused > 0, f"{evicted:,} keys evicted, {refused:,} commands refused"


def old_dump_is_restored(scene):
    """an old dump replaces Redis' data: it lacks three clears and some tiles"""
    scene.redis.ask("SAVE")
    dump, kept = scene.redis.place / "dump.rdb", scene.redis.place / "kept.rdb"
    shutil.copy(dump, kept)
    for node in range(3):
        scene.clear(node)
        scene.wait(0.2)
    scene.redis.kill()
    shutil.copy(kept, dump)
    scene.redis.start()
    scene.clear(1)
    scene.wait(0.5)
    dump.unlink()


def nodes_restart(scene):
    """all nodes one after the other, by SIGTERM, with clears between"""
    for number in range(3):
        scene.restart(number)


def node_is_killed(scene):
    """SIGKILL of a node, a clear meanwhile, and it starts again"""
    node = scene.fleet.nodes[2]
    with scene.without(node):
        node.kill()
        scene.wait(0.3)
        scene.clear(0)
        scene.starts(node)


ACCIDENTS = [
    redis_stands_still, redis_is_killed, redis_is_emptied, memory_is_reached, old_dump_is_restored, nodes_restart, node_is_killed,
    node_hangs, nodes_restart_while_answers_are_slow]
