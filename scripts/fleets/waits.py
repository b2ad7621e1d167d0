"""The delay of responses in each failure of Redis and of nodes, under 24 clients and a clear each 0.6 s.

A client may wait for the upstream and one second more, or 3.5 seconds if a node hangs. It must get no error, and no
tile that is older than a clear whose response came before the request. `--old` names an older program, which nodes run
in turn beside the newer one.
"""
import concurrent.futures
import contextlib
import http.client
import itertools
import json
import pathlib
import threading
import time

from support.machine import allow_descriptors, beside, need, say, scratch_directory

from . import accidents, mishaps
from .lies import LyingRedis
from .place import Fleet
from .source import Source
from .watching import Clears, Client, Seen, Watchers

PATHS = [f"/tiles/10/{column}/{row}.png" for column in range(8) for row in range(8)]
# Clients of HAProxy, and clients of each node.
BALANCED, DIRECT = 12, 4
# Seconds between two clears.
PACE = 0.6
# Maximum seconds of a response beyond the upstream's time.
BAR = 1.0
BARS = {"node_hangs": 3.5}
# Maximum seconds until a clear that has not reached all nodes does so. Each node asks Redis, or is told, each second.
REPEATED = 2.0
# With two nodes of one name, the response to a clear counts all nodes as reached too early (docs/design/fleet.md).
EARLY = {"two_nodes_have_one_name"}
# Placeholder URL of responses that may come from a node with the older program.
OLDER = "older"
# Locks of the previous accident live for some seconds and must not affect the next one.
FORGET_LOCKS = "for _, key in ipairs(redis.call('KEYS', '*:[lw]:*')) do redis.call('DEL', key) end"
SCENES = [
    mishaps.nothing_happens, *mishaps.ANSWERS, mishaps.grant_is_lost, accidents.redis_stands_still, accidents.redis_is_killed,
    accidents.redis_is_emptied, accidents.memory_is_reached, accidents.old_dump_is_restored, accidents.nodes_restart,
    accidents.node_is_killed, *mishaps.NODES, mishaps.fleet_is_upgraded]


def arguments(parser):
    parser.add_argument("--old", type=pathlib.Path, metavar="PROGRAM", help="an older program, which nodes run in turn")
    parser.add_argument("--seconds", type=float, default=4, help="of each accident (default: 4)")
    parser.add_argument("--delay", type=float, default=0.3, help="seconds that the source takes (default: 0.3)")
    parser.add_argument("--only", nargs="+", metavar="SCENE", help=f"some of {', '.join(scene.__name__ for scene in SCENES)}")


def run(options, figures):
    need(cc="gcc")
    allow_descriptors(4_000)
    rows = []
    with scratch_directory() as directory, Source(options.delay) as source, LyingRedis() as redis, \
            Fleet(options.program, directory, source, bus=redis) as fleet:
        scene = Scene(fleet, source, options.seconds, redis, options.old and options.old.resolve())
        for accident in SCENES:
            isWanted = accident.__name__ in options.only if options.only else True
            if isWanted and (options.old or accident is not mishaps.fleet_is_upgraded):
                rows.append(scene.happens(figures, accident))
    print("\n| accident | answers a second | errors | broken | older | longest beyond the source | clears, the longest | fetches |")
    print("|---|--:|--:|--:|--:|--:|--:|--:|\n" + "\n".join(rows), flush=True)


class Absences:
    """Times at which each node was away. Replaces `Scene.restarting`, and serves for other states of a server too."""

    def __init__(self):
        self._all = {}

    def add(self, node):
        self._all.setdefault(node.url, []).append([time.monotonic(), float("inf")])

    def remove(self, node):
        self._all[node.url][-1][1] = time.monotonic()

    def covers(self, seen):
        """Reports whether a request to the node itself overlaps a time at which the node was away."""
        return any(seen.sent <= end and seen.came >= begin for begin, end in self._all.get(seen.url, []))


class Scene(accidents.Scene):
    def __init__(self, fleet, source, seconds, lies, older):
        super().__init__(fleet, source, seconds)
        self.lies, self.older = lies, older
        self.restarting, self.outdated = Absences(), Absences()
        self.turn = itertools.count()
        self.lock = threading.Lock()

    def happens(self, figures, accident):
        name = accident.__name__
        print(f"{name.replace('_', ' ')}: {accident.__doc__}", flush=True)
        self.clears, self.cleared, self.refused = Clears(0), [], []
        self.bound = REPEATED if name in EARLY else 0
        urls = [self.fleet.balancer.url] * BALANCED + [node.url for node in self.fleet.nodes] * DIRECT
        bar = BARS.get(name, BAR)
        self.redis.ask("EVAL", FORGET_LOCKS, 0)
        fetches, began = sum(self.source.asked.values()), time.monotonic()
        self.began = began
        watchers = Watchers(
            urls, PATHS, self.clears, 0.02, self.fleet.balancer.url, self.contended_path, self.is_away, 4, self.source.delay + bar,
            lambda seen: OLDER if self.outdated.covers(seen) else seen.url)
        self.watchers = watchers
        with held_up() as held, watchers, beside(self.clearing):
            time.sleep(1)
            took_place = accident(self)
            time.sleep(2)
        seconds = time.monotonic() - began
        if took_place:
            figures.holds(*took_place)
        return self.report(figures, name, bar, seconds, sum(self.source.asked.values()) - fetches, held[0])

    def report(self, figures, name, bar, seconds, fetches, held):
        watchers, balancer = self.watchers, self.fleet.balancer.url
        longest = max((seen for (_, place), seen in watchers.longest.items() if place != OLDER), key=lambda seen: seen.seconds)
        outdated = [seen for (_, place), seen in watchers.longest.items() if place == OLDER]
        late = [seen for seen in watchers.late if not self.outdated.covers(seen)]
        beyond = longest.seconds - self.source.delay
        older = [seen for seen in watchers.cleared if not self.is_away(seen)]
        clear = max((seen.seconds for seen in self.cleared), default=0.0)
        figures.at_most("answers other than 200", len(watchers.errors), 0)
        figures.at_most("requests without an answer through HAProxy", sum(seen.url == balancer for seen in watchers.broken), 0)
        figures.at_most("requests without an answer at a node", sum(seen.url != balancer for seen in watchers.broken), 0)
        figures.at_most(f"answers older than a clear, of {watchers.requests:,}", len(older), 0)
        if len(older) < len(watchers.cleared):
            figures.holds(True, f"{len(watchers.cleared) - len(older)} older ones of a node that was away")
        figures.at_most(f"the longest answer beyond the source's time, {len(late)} above the bar", beyond, bar, " s")
        if outdated:
            slowest = max(seen.seconds for seen in outdated) - self.source.delay
            figures.holds(True, f"{len(watchers.late) - len(late)} late answers of nodes that ran the older program, the longest {slowest:.2f} s")
        figures.at_most(f"clears without an answer, of {len(self.cleared) + len(self.refused)}", len(self.refused), 0)
        told = sum(seen.body == b"all" for seen in self.cleared)
        figures.holds(True, f"{told} of {len(self.cleared)} clears had reached all nodes when they were answered, the longest in {clear:.2f} s")
        figures.holds(True, f"{watchers.requests / seconds:.0f} answers a second, {fetches:,} fetches; the machine held up a thread by {held:.2f} s")
        for seen in (older + watchers.errors + watchers.broken + self.refused + late + [longest])[:6]:
            place = {node.url: node.name for node in self.fleet.nodes}.get(seen.url, "HAProxy")
            say(f"  {place} after {seen.seconds:.2f} s, asked {seen.sent - self.began:.2f} s after the beginning: {seen}")
        return f"| {name} | {watchers.requests / seconds:.0f} | {len(watchers.errors)} | {len(watchers.broken)} | {len(older)} | " \
            f"{beyond:.2f} s | {clear:.2f} s | {fetches:,} |"

    # Paths that clients request.

    def contended_path(self, chance):
        """Returns a new tile, equal for all current requests, so that all nodes are asked for it at once."""
        moment = int(time.monotonic() * 4)
        return f"/tiles/14/{moment % (1 << 14)}/{chance.randrange(2)}.png"

    def fresh_paths(self, count):
        column, row = next(self.turn) % (1 << 14), time.monotonic_ns() // 1_000_000 % (1 << 13)
        return [f"/tiles/14/{column}/{row + 2 + number}.png" for number in range(count)]

    @contextlib.contextmanager
    def asking(self, questions):
        """Requests each (url, path) at once, over its own connection. All responses have arrived at the end of the
        block."""
        def ask(url, path):
            client = Client(url)
            self.watchers.note(client.get(path), {})
            client.close()

        with concurrent.futures.ThreadPoolExecutor(len(questions)) as pool:
            for question in questions:
                pool.submit(ask, *question)
            yield

    # Nodes that leave and return.

    def is_away(self, seen):
        return self.restarting.covers(seen)

    # Clears.

    def clearing(self, over):
        """Clears the layer on each node in turn, each 0.6 s, without waiting for the previous clear."""
        with concurrent.futures.ThreadPoolExecutor(64) as pool:
            for number in itertools.count():
                pool.submit(self.clear, number % len(self.fleet.nodes))
                if over.wait(PACE):
                    break

    def clear(self, node=0):
        """Clears the whole layer. The response makes a new version."""
        with self.lock:
            self.source.version += 1
            version = self.source.version
        asked, began, status, reach = self.fleet.nodes[node], time.monotonic(), 0, {}
        with contextlib.suppress(OSError, http.client.HTTPException, ValueError):
            status, _, body = asked.admin("/admin/cache/tiles", "DELETE", timeout=20)
            reach = json.loads(body).get("fleet", {}) if status == 200 else {}
        answered = time.monotonic()
        is_everywhere = status == 200 and reach.get("reached") == reach.get("nodes")
        seen = Seen(began, answered, "/admin/cache/tiles", status, version, b"all" if is_everywhere else b"", asked.url)
        if status == 200:
            self.clears.note(answered, version, bound=self.bound if is_everywhere else REPEATED)
        if status == 200 and not self.is_away(seen):
            self.cleared.append(seen)
        elif not self.is_away(seen):
            self.refused.append(seen)


@contextlib.contextmanager
def held_up():
    """Yields a list. Its first item is the longest delay in seconds of a thread that was ready to run."""
    longest = [0.0]

    def measure(over):
        while not over.is_set():
            began = time.monotonic()
            time.sleep(0.01)
            longest[0] = max(longest[0], time.monotonic() - began - 0.01)

    with beside(measure):
        yield longest
