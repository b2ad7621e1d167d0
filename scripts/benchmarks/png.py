"""PNG encoding: bytes and CPU for pictures like tiles, beside Pillow's default; then WebP and JPEG beside PNG."""
import collections
import statistics
import sys

from support import images
from support.machine import scratch_directory

from .comparison import in_turn

# Maximum shares of Pillow's values: bytes of each kind of picture, and CPU time of all together.
BYTES_BAR = {"balanced": 1.00, "fast": None}
CPU_BAR = 0.30
# Maximum shares of our PNG's bytes: lossless WebP of all pictures together, and JPEG of photographs.
WEBP_BAR = 0.81
JPEG_BAR = 0.20
# Names of the image formats here, with their quality. 0 means that the format has none.
FORMS = {"WebP": ("webp", 0), "JPEG": ("jpeg", 0), "lossy WebP": ("webp", 80), "auto": ("autoWebP", 0)}


def arguments(parser):
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--effort", choices=BYTES_BAR, default="balanced")
    parser.add_argument(
        "--rgba", action="store_true", help="hand opaque pictures to Pillow with alpha, which costs it more")


def run(options):
    program = images.build()
    with scratch_directory() as directory:
        images.pillow("benchmarks/png_corpus.py", directory)
        files = sorted(directory.glob("*.png"))
        costs = _measure(program, options, files)
        if "other" in images.pillow("support/pillow.py", "compare", *files):
            sys.exit("a picture was not kept as it was")
        forms = {name: _forms(program, options, form, files) for name, form in FORMS.items()}
    print(f"png: effort {options.effort}, median of {options.rounds} rounds; Pillow's default with "
          f"{'RGBA' if options.rgba else 'RGB where opaque'}\n")
    held = _table(options.effort, files, costs)
    return _forms_table(files, costs["ours"], forms) or held


def _forms(program, options, form, files):
    """Returns for each file [(bytes, CPU microseconds, format)] of each round."""
    rounds = [images.write(program, *form, files) for _ in range(options.rounds)]
    if form == ("webp", 0) and "other" in images.pillow("support/pillow.py", "seen", *files):
        sys.exit("lossless WebP has lost something")
    return dict(zip(files, zip(*rounds)))


def _forms_table(files, png, forms):
    """Prints bytes as shares of PNG's, and CPU time, by kind of picture. Returns the exit status: 0 if the bars are
    held."""
    print(f"\n{'pictures':<12} {'PNG':>9} " + " ".join(f"{name:>10} {'CPU ms':>8}" for name in forms) + "   auto is")
    kinds = collections.defaultdict(lambda: collections.defaultdict(lambda: [0, 0, set()]))
    for file in files:
        for name, costs in (("PNG", png[file]), *((name, form[file]) for name, form in forms.items())):
            for kind in (file.stem.split("-")[0], "total"):
                sums = kinds[kind][name]
                sums[0] += costs[0][0]
                sums[1] += statistics.median(cost[1] for cost in costs) / 1e3
                sums[2] |= {cost[2] for cost in costs if len(cost) > 2}
    kinds["total"] = kinds.pop("total")
    share = {}
    for kind, sums in kinds.items():
        share[kind] = {name: sums[name][0] / sums["PNG"][0] for name in forms}
        print(f"{kind:<12} {sums['PNG'][0]:>9,} "
              + " ".join(f"{share[kind][name]:>10.2f} {sums[name][1]:>8.2f}" for name in forms)
              + "   " + ", ".join(sorted(sums["auto"][2])))
    webp, jpeg = share["total"]["WebP"], share["photograph"]["JPEG"]
    held = webp <= WEBP_BAR and jpeg <= JPEG_BAR
    print(f"\nlossless WebP: {webp:.3f} of PNG (bar {WEBP_BAR:.2f}); JPEG of photographs: {jpeg:.3f} (bar {JPEG_BAR:.2f}); "
          f"{'within' if held else 'NOT within'} the bars")
    return 0 if held else 1


def _measure(program, options, files):
    """Returns (bytes, CPU microseconds) of each round, by side and then by file."""
    sides = {
        "ours": lambda: images.encode(program, options.effort, files),
        "rgba": lambda: images.encode(program, options.effort, files, form="rgba"),
        "pillow": lambda: images.pillow_encode("rgba" if options.rgba else "lean", files),
    }
    costs = {side: collections.defaultdict(list) for side in sides}
    for number in range(options.rounds):
        for side in in_turn(sides, number):
            for file, cost in zip(files, sides[side]()):
                costs[side][file].append(cost)
    return costs


def _table(effort, files, costs):
    """Prints a line for each kind of picture, and the totals. Returns the exit status: 0 if the bars are held."""
    print(f"{'pictures':<12} {'bytes':>9} {'Pillow':>9} {'ratio':>6}   {'CPU ms':>8} {'Pillow':>8} {'ratio':>6}")
    kinds = _sums(files, costs["ours"], costs["pillow"])
    total = kinds.pop("total")
    for name, sums in (*kinds.items(), ("total", total)):
        _line(name, *sums)
    _form(files, costs)
    bar = BYTES_BAR[effort]
    larger = [name for name, sums in kinds.items() if bar is not None and sums[0] > bar * sums[2]]
    cpu = total[1] / total[3]
    held = not larger and cpu <= CPU_BAR
    print(f"\nlarger than Pillow's: {', '.join(larger) or 'none'} (bar: none); CPU: {cpu:.2f} (bar {CPU_BAR:.2f}); "
          f"{'within' if held else 'NOT within'} the bars")
    return 0 if held else 1


def _form(files, costs):
    """Prints the cost of `png.form: rgba` beside `lean`: all pictures together, and the bytes of each kind of
    picture."""
    kinds = _sums(files, costs["rgba"], costs["ours"])
    size, cpu, lean_size, lean_cpu = kinds.pop("total")
    print(f"\n{'form':<12} {'rgba':>9} {'lean':>9} {'ratio':>6}   {'CPU ms':>8} {'lean':>8} {'ratio':>6}")
    _line("total", size, cpu, lean_size, lean_cpu)
    print("bytes of rgba beside lean: "
          + ", ".join(f"{kind} {sums[0] / sums[2]:.2f}" for kind, sums in kinds.items()))


def _sums(files, one, other):
    """Returns the bytes and CPU time of both sides, for all files of each kind, and for all together as `total`."""
    kinds = collections.defaultdict(lambda: [0, 0, 0, 0])
    for file in files:
        cost = [*_median(one[file]), *_median(other[file])]
        for kind in (file.stem.split("-")[0], "total"):
            kinds[kind] = [total + value for total, value in zip(kinds[kind], cost)]
    return kinds


def _median(costs):
    return costs[0][0], statistics.median(cpu for _, cpu in costs)


def _line(name, size, cpu, pillow_size, pillow_cpu):
    print(f"{name:<12} {size:>9,} {pillow_size:>9,} {size / pillow_size:>6.2f}   "
          f"{cpu / 1e3:>8.2f} {pillow_cpu / 1e3:>8.2f} {cpu / pillow_cpu:>6.2f}")
