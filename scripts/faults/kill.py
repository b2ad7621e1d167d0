"""Kills the server (SIGKILL) again and again under load, and compares every byte it serves with the truth."""
import random
import threading
import time
import urllib.parse

from support import tileserver
from support.machine import say, scratch_directory
from support.upstream import Upstream

from .serving import Answers, ask, configuration, load


def arguments(parser):
    parser.add_argument("--rounds", type=int, default=100, help="kills (default: 100)")
    parser.add_argument("--tiles", type=int, default=3_000, help="distinct tiles (default: 3000)")
    parser.add_argument("--seed", type=int, default=1, help="of the random numbers (default: 1)")


def run(options):
    program = tileserver.build()
    chance = random.Random(options.seed)
    answers = Answers()
    starts, clears, lost = [], 0, 0
    with scratch_directory() as directory, Upstream() as upstream:
        text = configuration(upstream.url, directory / "tiles.sqlite", memory="1MiB")
        for number in range(options.rounds):
            began = time.monotonic()
            with tileserver.TileServer(program, directory, text) as server:
                port = urllib.parse.urlsplit(server.url).port
                first = Answers()
                ask(port, [0], lambda: [upstream.version], answers)
                starts.append(time.monotonic() - began)
                over = threading.Event()
                workers = load(port, options.tiles, lambda: [upstream.version], answers, over, seed=number)
                time.sleep(chance.uniform(0.05, 0.8))
                if number % 10 == 9:
                    # New tiles upstream, and the old ones cleared: they must stay so after the kill.
                    over.set()
                    for worker in workers:
                        worker.join()
                    upstream.version += 1
                    server.clear("tiles")
                    clears += 1
                    over = threading.Event()
                    workers = load(port, options.tiles, lambda: [upstream.version], answers, over, seed=-number)
                    time.sleep(chance.uniform(0, 0.3))
                server.process.kill()
                server.process.wait()
                over.set()
                for worker in workers:
                    worker.join()
        log = (directory / "tileserver.log").read_text()
    starts.sort()
    say(f"{options.rounds} kills, {clears} clears, {sum(answers.statuses.values())} answers {dict(answers.statuses)}, "
        f"from {dict(answers.sources)}, {answers.broken} broken off by the kill")
    say(f"start to first tile: median {starts[len(starts) // 2] * 1000:.0f} ms, longest {starts[-1] * 1000:.0f} ms")
    print(f"wrong tiles: {len(answers.wrong)}")
    good = set(answers.statuses) == {200} and answers.sources["detail=disk"] > options.rounds
    if "disk_corrupt" in log:
        say("the last log speaks of a corrupt disk")
    return 0 if good and not answers.wrong else 1
