"""A camera's image of 800 × 600 pixels from tiles in memory, beside Pillow's transform of one large picture."""
import statistics
import subprocess
import sys

from support import images
from support.machine import ROOT, scratch_directory

from .comparison import in_turn

# Maximum share of Pillow's CPU time (docs/benchmarks/2026-11.md), and maximum KiB for the largest image (threats.md
# T22).
BAR = 1.00
MEMORY_BAR = 64 << 10

# Viewing angle and bearing. The bar applies to the first pair.
CAMERAS = ((45, 0), (45, 30), (0, 0), (65, 0), (65, 30))
# Maximum difference of the two in levels, in the part where neither averages.
TOLERANCE = 3


def arguments(parser):
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--pictures", type=int, default=10, help="of each side in a round (default: 10)")


def run(options):
    program = images.build("camerabench")
    print(f"camera: CPU ms of a picture, median of {options.rounds} rounds of {options.pictures}\n")
    print(f"{'angle':>5} {'bearing':>7} {'ours':>8} {'Pillow':>8} {'ratio':>6}")
    ratios = [measure(program, options, *camera) for camera in CAMERAS]
    peaks = [int(lines(program, "memory", angle)[0]) for angle in (0, 65)]
    held = ratios[0] <= BAR and max(peaks) <= MEMORY_BAR
    print(f"\nCPU: {ratios[0]:.2f} of Pillow's (bar {BAR:.2f}); memory of the largest picture, 4096 × 2048, beside its "
          f"tiles: {max(peaks) / 1024:.0f} MiB (bar {MEMORY_BAR >> 10}); {'within' if held else 'NOT within'} the bars")
    return 0 if held else 1


def measure(program, options, angle, bearing):
    """Prints a line for a camera. Returns the ratio."""
    with scratch_directory() as directory:
        picture = directory / "picture.rgba"
        lines(program, "draw", angle, bearing, picture)
        difference = int(images.pillow("support/perspective.py", "compare", angle, bearing, picture)[0])
        if difference > TOLERANCE:
            sys.exit(f"angle {angle}, bearing {bearing}: the pictures differ by {difference} levels")
    words = ("time", angle, bearing, options.pictures)
    sides = {lambda: lines(program, *words): [], lambda: images.pillow("support/perspective.py", *words): []}
    for number in range(options.rounds):
        for side in in_turn(sides, number):
            sides[side].append(median(side()))
    costs = [statistics.median(times) for times in sides.values()]
    print(f"{angle:>5} {bearing:>7} {costs[0] / 1e3:>8.2f} {costs[1] / 1e3:>8.2f} {costs[0] / costs[1]:>6.2f}")
    return costs[0] / costs[1]


def median(numbers):
    return statistics.median(float(number) for number in numbers)


def lines(program, *words):
    command = [str(word) for word in (program, *words)]
    return subprocess.run(command, cwd=ROOT, check=True, stdout=subprocess.PIPE, text=True).stdout.splitlines()
