"""Clears on one node while a tenth of the messages is lost: the time until all nodes have them, and none is undone."""
import collections
import json
import time

from support.machine import say, scratch_directory

from .bus import LossyBus
from .place import Fleet
from .source import Source
from .watching import Clears, Client, Watchers

# Tiles at zoom 12, and a box within the first of them.
TILES = [(2130 + column, 1435 + row) for column in range(4) for row in range(4)]
BOX = "bbox=7.25,47.30,7.26,47.31"
BAR = 2.0


def arguments(parser):
    parser.add_argument("--rounds", type=int, default=200)
    parser.add_argument("--loss", type=float, default=0.1, help="the part of the bus's messages that is lost (default: 0.1)")


def run(options, figures):
    with scratch_directory() as directory, Source() as source, LossyBus(options.loss) as bus, \
            Fleet(options.program, directory, source, bus=bus) as fleet:
        rounds(figures, fleet, source, options.rounds)
        lost = bus.lost / max(bus.lost + bus.passed, 1)
        figures.holds(bus.lost > 0 or not options.loss, f"{bus.lost} of {bus.lost + bus.passed} messages of the bus lost", f"{lost:.1%}")


def path(tile):
    return f"/tiles/12/{tile[0]}/{tile[1]}.png"


def rounds(figures, fleet, source, count):
    """Clears in every form in turn, on each node in turn, and watches all nodes."""
    clears, paths = Clears(BAR), [path(tile) for tile in TILES]
    clients = [Client(node.url) for node in fleet.nodes]
    times, unreached, refused = [], 0, 0
    urls = [node.url for node in fleet.nodes] * 2 + [fleet.balancer.url] * 2
    with Watchers(urls, paths, clears, 0.01, fleet.balancer.url) as watchers:
        for number in range(count):
            for client in clients:
                client.get(path(TILES[0]))
            source.version += 1
            where = number % len(fleet.nodes)
            query, covers = form(number)
            began = time.monotonic()
            status, _, body = fleet.nodes[where].admin(f"/admin/cache/tiles{query}", "DELETE")
            answered = time.monotonic()
            refused += status != 200
            if status == 200:
                clears.note(answered, source.version, covers)
                answer = json.loads(body).get("fleet", {})
                unreached += answer.get("reached", 0) != answer.get("nodes", -1)
            times.append(max(seen_after(client, source.version, began) for client in clients))
            if number % 20 == 19:
                say(f"{number + 1} rounds, the slowest {max(times):.2f} s")
    times.sort()
    report(figures, watchers, times, unreached, refused)


def form(number):
    """Returns (the cleared part of the layer, whether it covers a path) of a round: all, all, a box, a tile."""
    if number % 4 < 2:
        return "", lambda _: True
    if number % 4 == 2:
        return f"?{BOX}&zoom=12", lambda asked: asked == path(TILES[0])
    return f"/12/{TILES[0][0]}/{TILES[0][1]}", lambda asked: asked == path(TILES[0])


def seen_after(client, version, began):
    """Returns the seconds until this node responds with the version."""
    while True:
        seen = client.get(path(TILES[0]))
        if seen.version is not None and seen.version >= version:
            return seen.came - began
        if seen.came - began > 60:
            return float("inf")
        time.sleep(0.002)


def report(figures, watchers, times, unreached, refused):
    half, most = times[len(times) // 2], times[int(len(times) * 0.99)]
    figures.holds(not refused, f"{len(times)} clears, {refused} refused")
    figures.at_most(f"seconds until all nodes have a clear, half of them within {half:.3f} s, 99 % within {most:.3f} s", times[-1], BAR)
    figures.holds(True, f"{unreached} clears answered before all nodes had them")
    watched(figures, watchers)


def watched(figures, watchers):
    """The results that no client may see, of all requests."""
    figures.at_most(f"cleared tiles in {watchers.requests:,} answers", len(watchers.cleared), 0)
    figures.at_most("tiles that became older", len(watchers.backwards), 0)
    figures.at_most("answers other than 200", len(watchers.errors), 0)
    figures.at_most("requests without an answer", len(watchers.broken), 0)
    for seen in (watchers.cleared + watchers.backwards + watchers.errors + watchers.broken)[:5]:
        say(f"  {seen}")
    kinds = collections.Counter(seen.status for seen in watchers.errors)
    if kinds:
        say(f"  statuses: {dict(kinds)}")
