"""A thousand requests at once for a tile that nobody has, over three nodes: the source is asked once."""
import selectors
import socket
import time
import urllib.parse

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
    """Tiles that the source has."""
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
    """A tile for which the source fails: nobody waits for longer than it takes, and it is asked once by a node at most."""
    source.mode = "error"
    path = "/12/9/9.png"
    answers, seconds = crowd([node.url for node in fleet.nodes], f"/tiles{path}", requests)
    source.mode = "ok"
    figures.at_most(f"fetches of a tile for which the source fails, {len(fleet.nodes)} nodes", source.asked[path], len(fleet.nodes))
    figures.at_most("requests without an answer", sum(status == 0 for status, _ in answers), 0)
    figures.at_most("seconds until the last has its answer", seconds, 3 * source.delay + 2, " s")


def crowd(urls, path, count):
    """(status, content) of `count` requests that are sent at once, each over its own connection, and the seconds they took."""
    chosen = selectors.DefaultSelector()
    connections = []
    for number in range(count):
        address = urllib.parse.urlsplit(urls[number % len(urls)])
        connection = socket.create_connection((address.hostname, address.port), 10)
        connection.setblocking(False)
        connections.append([connection, bytearray(), f"GET {path} HTTP/1.1\r\nHost: {address.netloc}\r\nConnection: close\r\n\r\n".encode()])
    began = time.monotonic()
    for one in connections:
        one[0].sendall(one[2])
        chosen.register(one[0], selectors.EVENT_READ, one)
    waiting = count
    while waiting and time.monotonic() - began < 60:
        for key, _ in chosen.select(1):
            one = key.data
            try:
                piece = one[0].recv(1 << 16)
            except OSError:
                piece = b""
            one[1] += piece
            if not piece:
                chosen.unregister(one[0])
                waiting -= 1
    seconds = time.monotonic() - began
    for one in connections:
        one[0].close()
    return [parts(bytes(one[1])) for one in connections], seconds


def parts(answer):
    head, _, body = answer.partition(b"\r\n\r\n")
    status = head[9:12]
    return (int(status) if status.isdigit() else 0), body
