"""Generated tiles: CPU time for each with its encoding, and tiles a second on one core."""
import collections
import statistics
import subprocess
import sys

from support import images

# Maximum CPU milliseconds of a tile of `world` with 256 pixels at zooms 0 to 6 (docs/benchmarks/2026-11.md).
BAR = 4.0
BARRED = ("world", "low", 1)
SELECTIONS = {"low": "z0–6", "deep": "z16"}


def arguments(parser):
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("names", nargs="*", help="of generators (default: all)")


def run(options):
    lines = measured(images.build("tilebench"), options)
    rounds = collections.defaultdict(list)
    for name, selection, scale, *numbers in (line.split() for line in lines):
        rounds[name, selection, int(scale)].append([int(number) for number in numbers])
    print(f"tiles of 256 points, drawn and encoded in one thread; median of {options.rounds} rounds")
    print("z0–6: every tile of z0 to z4, 96 of z5 and of z6 by a fixed seed; at @2x every one of z0 to z2, 12 of each other")
    print("stackN: a map of N layers (world, night, meridians, grid), whose tiles are in the cache")
    print("z16: 24 tiles anywhere by a fixed seed, and 24 around a place where there is much to draw\n")
    print(f"{'tile':<16} {'zooms':<5} {'scale':<5} {'CPU ms':>8} {'tiles/s':>9} {'KiB':>7}")
    costs = {}
    for key, measurements in rounds.items():
        costs[key] = statistics.median(cpu / count / 1e3 for count, cpu, _, _ in measurements)
        pace = statistics.median(count / time * 1e6 for count, _, time, _ in measurements)
        count, _, _, size = measurements[0]
        name, selection, scale = key
        print(f"{name:<16} {SELECTIONS[selection]:<5} @{scale}x   {costs[key]:>8.2f} {pace:>9,.0f} "
              f"{size / count / 1024:>7.1f}")
    if BARRED not in costs:
        return 0
    held = costs[BARRED] <= BAR
    print(f"\n{BARRED[0]}, {SELECTIONS[BARRED[1]]}: {costs[BARRED]:.2f} ms, "
          f"{'within' if held else 'ABOVE'} the bar of {BAR} ms")
    return 0 if held else 1


def measured(program, options):
    command = [program, str(options.rounds), *options.names]
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True)
    if done.returncode != 0:
        sys.exit(1)
    return done.stdout.splitlines()
