"""The disk cache alone: reads and writes a second, the start with a full cache, the time of a clear, and quotas."""
import pathlib
import shutil
import subprocess
import sys

from support import images
from support.machine import say, scratch_directory

# Maximum milliseconds from the start to the first tile (docs/benchmarks/2026-11.md).
BAR = 300
# Maximum MiB of a store, and the bytes of a tile. Tiles are written at full speed up to three times the maximum.
QUOTAS = [(8, 300), (8, 8192), (32, 300), (32, 8192), (128, 8192)]
# Maximum percent of the quota for all files together at any moment: the quota and one batch more.
QUOTA_BAR = 100 + 100 / 32


def arguments(parser):
    parser.add_argument("--tiles", type=int, default=1_000_000, help="in the cache (default: 1000000; at most 8388608)")
    parser.add_argument("--size", type=int, default=8192, help="bytes of a tile (default: 8192)")
    parser.add_argument("--starts", type=int, default=5, help="starts, of which the slowest counts (default: 5)")
    parser.add_argument(
        "--directory", type=pathlib.Path, default=pathlib.Path("/var/tmp"),
        help="on the disk to measure (default: /var/tmp); takes a tenth more than the tiles")


def run(options):
    program = images.build("diskbench")
    need_room(options)
    with scratch_directory(options.directory) as directory:
        def measure(what):
            say(f"{what}…")
            command = [program, what, directory / "tiles.sqlite", str(options.tiles), str(options.size)]
            done = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True)
            lines = [line.split(" ", 1) for line in done.stdout.splitlines()]
            for name, value in lines:
                if name in ("error", "missing"):
                    sys.exit(f"diskbench {what}: {name} {value}")
            return dict(lines)

        print(f"disk: {options.tiles:,} different tiles of {options.size:,} bytes in {options.directory}")
        write = measure("write")
        print(f"write: {float(write['write_per_second']):,.0f} tiles/s, {write['write_us']} µs each; "
              f"{int(write['bytes']) / options.tiles:,.0f} bytes on disk each")
        read = measure("read")
        print(f"read: {float(read['read_per_second']):,.0f} tiles/s, {read['read_us']} µs each, one after the other; "
              f"{float(read['read_8_per_second']):,.0f} tiles/s, 8 at once")
        firsts = [float(measure("first")["first_ms"]) for _ in range(options.starts)]
        print(f"start to first tile: {max(firsts):.1f} ms (bar {BAR})")
        clear = measure("clear")
        print(f"clear: {clear['clear_ms']} ms to the answer, {float(clear['space_ms']) / 1000:.1f} s until the space "
              f"is back; {int(clear['bytes']):,} bytes remain")
    largest = max(quota(program, options, *which) for which in QUOTAS)
    return 0 if max(firsts) <= BAR and largest <= QUOTA_BAR else 1


def quota(program, options, mebibytes, size):
    """Returns the maximum percent of the quota that a store's files use while it is written and read at full speed."""
    with scratch_directory(options.directory) as directory:
        most = mebibytes << 20
        command = [program, "quota", directory / "tiles.sqlite", str(3 * most // size), str(size), str(most)]
        done = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True)
        found = dict(line.split(" ", 1) for line in done.stdout.splitlines())
    files = ", ".join(f"{name.removeprefix('at_most') or 'file'} {int(value):,}"
                      for name, value in found.items() if name.startswith("at_most") and name != "at_most_all")
    print(f"quota of {mebibytes} MiB, tiles of {size:,} bytes: at most {found['percent']} % ({files})")
    return float(found["percent"])


def need_room(options):
    free = shutil.disk_usage(options.directory).free
    needed = options.tiles * options.size * 5 // 4
    if free < needed:
        sys.exit(f"{options.directory}: {needed:,} bytes are needed, {free:,} are free; see --tiles and --directory")
