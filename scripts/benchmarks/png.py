"""PNG encoding: bytes and CPU for pictures like those of tiles, beside Pillow's default and beside oxipng -o2."""
import collections
import statistics
import sys

from support import images
from support.machine import scratch_directory

# Shares of the peer's: bytes of each kind of picture, CPU of all together.
BARS = {"balanced": (1.00, 0.30), "fast": (None, 0.30), "small": (1.00, 1.00)}


def arguments(parser):
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument(
        "--effort", choices=BARS, nargs="+", default=["balanced", "small"],
        help="`small` is measured beside oxipng, the others beside Pillow")
    parser.add_argument(
        "--rgba", action="store_true", help="hand opaque pictures to Pillow with alpha, which costs it more")


def run(options):
    program = images.build()
    statuses = []
    with scratch_directory() as directory:
        images.pillow("benchmarks/png_corpus.py", directory)
        files = sorted(directory.glob("*.png"))
        for effort in options.effort:
            peer, measure = _peer(effort, options, files)
            statuses.append(_compare(program, effort, options.rounds, files, peer, measure))
    return max(statuses)


def _peer(effort, options, files):
    """The name of the peer, and what measures it."""
    if effort == "small":
        return "oxipng", lambda: images.oxipng_encode(2, files)
    return "Pillow", lambda: images.pillow_encode("rgba" if options.rgba else "lean", files)


def _compare(program, effort, rounds, files, peer, measure):
    costs = {"ours": collections.defaultdict(list), "peer": collections.defaultdict(list)}
    for number in range(rounds):
        # Neither is always the first.
        for side in ("ours", "peer") if number % 2 == 0 else ("peer", "ours"):
            measured = images.encode(program, effort, files) if side == "ours" else measure()
            for file, cost in zip(files, measured):
                costs[side][file].append(cost)
    if "other" in images.pillow("support/pillow.py", "compare", *files):
        sys.exit("a picture was not kept as it was")
    print(f"\npng: effort {effort} beside {peer}, median of {rounds} rounds\n")
    return _table(effort, files, costs, peer)


def _table(effort, files, costs, peer):
    """Prints a line for each kind of picture and the totals, and says whether the bars are held, as the exit status."""
    print(f"{'pictures':<12} {'bytes':>9} {peer:>9} {'ratio':>6}   {'CPU ms':>8} {peer:>8} {'ratio':>6}")
    kinds = collections.defaultdict(lambda: [0, 0, 0, 0])
    for file in files:
        cost = [*_median(costs["ours"][file]), *_median(costs["peer"][file])]
        for kind in (file.stem.split("-")[0], "total"):
            kinds[kind] = [total + value for total, value in zip(kinds[kind], cost)]
    total = kinds.pop("total")
    for name, sums in (*kinds.items(), ("total", total)):
        _line(name, *sums)
    bytes_bar, cpu_bar = BARS[effort]
    larger = [name for name, sums in kinds.items() if bytes_bar is not None and sums[0] > bytes_bar * sums[2]]
    cpu = total[1] / total[3]
    held = not larger and cpu <= cpu_bar
    print(f"\nlarger than {peer}'s: {', '.join(larger) or 'none'} (bar: none); CPU: {cpu:.2f} (bar {cpu_bar:.2f}); "
          f"{'within' if held else 'NOT within'} the bars")
    return 0 if held else 1


def _median(costs):
    return costs[0][0], statistics.median(cpu for _, cpu in costs)


def _line(name, size, cpu, peer_size, peer_cpu):
    print(f"{name:<12} {size:>9,} {peer_size:>9,} {size / peer_size:>6.2f}   "
          f"{cpu / 1e3:>8.2f} {peer_cpu / 1e3:>8.2f} {cpu / peer_cpu:>6.2f}")
