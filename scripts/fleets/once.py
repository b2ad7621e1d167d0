"""A thousand requests at once for a tile that no node has, over three nodes: the upstream is asked once."""
import contextlib
import time

from support import raw
from support.machine import allow_descriptors, scratch_directory

from .place import Fleet
from .source import Source, version


def arguments(parser):
    parser.add_argument("--requests", type=int, default=1_000)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--delay", type=float, default=1.0, help="seconds that the source takes (default: 1)")


def run(options, figures):
    allow_descriptors(4 * options.requests)
    with scratch_directory() as directory, Source(options.delay) as source, Fleet(options.program, directory, source) as fleet:
        once(figures, fleet, source, options.requests, options.rounds)
        failing(figures, fleet, source, options.requests)


def once(figures, fleet, source, requests, rounds):
    """Tiles that the upstream has."""
    fetches, wrong, slowest = [], 0, 0.0
    for number in range(rounds):
        path = f"/12/{number}/7.png"
        answers, seconds = crowd([node.url for node in fleet.nodes], f"/tiles{path}", requests)
        fetches.append(source.asked[path])
        wrong += sum(status != 200 or version(body) != source.version for status, body in answers)
        slowest = max(slowest, seconds)
    figures.at_most(f"fetches of one tile for {requests:,} requests over {len(fleet.nodes)} nodes, the most of {rounds} rounds", max(fetches), 1)
    figures.at_most("answers that were not the tile", wrong, 0)
    figures.holds(True, f"the slowest round took {slowest:.2f} s, of which the source took {source.delay:.2f} s")


def failing(figures, fleet, source, requests):
    """A tile whose fetch fails: no request waits longer than the fetch, and each node asks the upstream once at
    most."""
    source.mode = "error"
    path = "/12/9/9.png"
    answers, seconds = crowd([node.url for node in fleet.nodes], f"/tiles{path}", requests)
    source.mode = "ok"
    figures.at_most(f"fetches of a tile for which the source fails, {len(fleet.nodes)} nodes", source.asked[path], len(fleet.nodes))
    figures.at_most("requests without an answer", sum(status == 0 for status, _ in answers), 0)
    figures.at_most("seconds until the last has its answer", seconds, 3 * source.delay + 2, " s")


def crowd(urls, path, count):
    """Sends `count` requests at once, each over its own connection. Returns their (status, content), and the seconds
    that they took."""
    with contextlib.ExitStack() as stack:
        connections = [stack.enter_context(raw.connect(urls[number % len(urls)], 10)) for number in range(count)]
        began = time.monotonic()
        for connection in connections:
            connection.sendall(raw.get(path))
        answers = [raw.drain(connection, began + 60 - time.monotonic()) for connection in connections]
        seconds = time.monotonic() - began
    return [(raw.status(answer), answer.partition(b"\r\n\r\n")[2]) for answer in answers], seconds
