"""Kills the server (SIGKILL) again and again under load, and compares every served byte with the right one."""
import random
import time

from support.machine import say, scratch_directory
from support.tileserver import TileServer
from support.upstream import Upstream

from .serving import Answers, ask, configuration, load


# Maximum seconds until a stored tile is on disk.
BATCH = 0.5
# Number of tiles that are checked after each start.
SAMPLE = 30


def arguments(parser):
    parser.add_argument("--rounds", type=int, default=100, help="kills (default: 100)")
    parser.add_argument("--tiles", type=int, default=3_000, help="distinct tiles (default: 3000)")
    parser.add_argument("--seed", type=int, default=1, help="of the random numbers (default: 1)")


def run(options):
    chance = random.Random(options.seed)
    answers = Answers()
    starts, clears, checked, lost, set_aside = [], 0, 0, 0, 0
    with scratch_directory() as directory, Upstream() as upstream:
        text = configuration(upstream.url, directory / "tiles.sqlite", memory="1MiB")
        killed = 0
        for number in range(options.rounds):
            began = time.monotonic()
            with TileServer(options.program, directory, text) as server:
                port = server.port
                ask(port, [0], lambda: [upstream.version], answers)
                starts.append(time.monotonic() - began)
                # The last batch may be lost. Tiles that were stored before it must not be lost.
                answers.stored = {tile: when for tile, when in answers.stored.items() if when < killed - BATCH}
                old, kept = sorted(answers.stored), Answers()
                ask(port, chance.sample(old, min(SAMPLE, len(old))), lambda: [upstream.version], kept)
                checked += sum(kept.statuses.values())
                lost += sum(kept.statuses.values()) - kept.sources["detail=disk"] - kept.sources["detail=memory"]
                answers.wrong += kept.wrong
                if number % 10 == 9:
                    # The upstream has new tiles and the old ones are cleared. The clear must survive the kill.
                    with load(port, options.tiles, lambda: [upstream.version], answers, seed=number):
                        time.sleep(chance.uniform(0.05, 1.2))
                    upstream.version += 1
                    server.clear("tiles")
                    answers.stored.clear()
                    clears += 1
                with load(port, options.tiles, lambda: [upstream.version], answers, seed=-number):
                    time.sleep(chance.uniform(0, 0.3) if number % 10 == 9 else chance.uniform(0.05, 1.2))
                    killed = time.monotonic()
                    server.kill()
            set_aside += '"renamed"' in (directory / "tileserver.log").read_text()
    starts.sort()
    say(f"{options.rounds} kills, {clears} clears, {sum(answers.statuses.values())} answers {dict(answers.statuses)}, "
        f"from {dict(answers.sources)}, {answers.broken} broken off by the kill")
    say(f"start to first tile: median {starts[len(starts) // 2] * 1000:.0f} ms, longest {starts[-1] * 1000:.0f} ms")
    say(f"{checked} tiles looked for that were stored more than {BATCH} s before a kill")
    print(f"wrong tiles: {len(answers.wrong)}, lost: {lost}, databases set aside: {set_aside}")
    good = set(answers.statuses) == {200} and checked > options.rounds
    return 0 if good and not answers.wrong and not lost and not set_aside else 1
