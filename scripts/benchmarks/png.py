"""PNG encoding: bytes and CPU for pictures like those of tiles, beside Pillow's default."""
import collections
import pathlib
import statistics
import sys

from support import images
from support.machine import scratch_directory

# Shares of Pillow's (design.md 6).
BYTES_BAR = 1.00
CPU_BAR = 0.25


def arguments(parser):
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--effort", choices=("fast", "balanced", "small"), default="balanced")
    parser.add_argument(
        "--lean", action="store_true", help="hand opaque pictures to Pillow without alpha, which helps it")


def run(options):
    program = images.build()
    with scratch_directory() as directory:
        images.pillow("benchmarks/png_corpus.py", directory)
        files = sorted(directory.glob("*.png"))
        ours, pillow = collections.defaultdict(list), collections.defaultdict(list)
        for number in range(options.rounds):
            # Neither is always the first.
            for side in ("ours", "pillow") if number % 2 == 0 else ("pillow", "ours"):
                if side == "ours":
                    measured = images.encode(program, options.effort, files)
                else:
                    measured = images.pillow_encode("lean" if options.lean else "rgba", files)
                for file, cost in zip(files, measured):
                    (ours if side == "ours" else pillow)[file].append(cost)
        if "other" in images.pillow("support/pillow.py", "compare", *files):
            sys.exit("a picture was not kept as it was")
    print(f"png: effort {options.effort}, median of {options.rounds} rounds; Pillow's default with "
          f"{'RGB where opaque' if options.lean else 'RGBA'}\n")
    return table(files, ours, pillow)


def table(files, ours, pillow):
    """Prints a line for each picture and the totals, and says whether the bars are held, as the exit status."""
    print(f"{'picture':<20} {'bytes':>9} {'Pillow':>9} {'ratio':>6}   {'CPU ms':>8} {'Pillow':>8} {'ratio':>6}")
    totals = [0, 0, 0, 0]
    for file in files:
        costs = [*median(ours[file]), *median(pillow[file])]
        totals = [total + cost for total, cost in zip(totals, costs)]
        line(pathlib.Path(file).stem, *costs)
    line("total", *totals)
    size, cpu = totals[0] / totals[2], totals[1] / totals[3]
    held = size <= BYTES_BAR and cpu <= CPU_BAR
    print(f"\nbytes: {size:.2f} of Pillow's (bar {BYTES_BAR:.2f}); CPU: {cpu:.2f} (bar {CPU_BAR:.2f}); "
          f"{'within' if held else 'NOT within'} the bars")
    return 0 if held else 1


def median(costs):
    return costs[0][0], statistics.median(cpu for _, cpu in costs)


def line(name, size, cpu, pillow_size, pillow_cpu):
    print(f"{name:<20} {size:>9,} {pillow_size:>9,} {size / pillow_size:>6.2f}   "
          f"{cpu / 1e3:>8.2f} {pillow_cpu / 1e3:>8.2f} {cpu / pillow_cpu:>6.2f}")
