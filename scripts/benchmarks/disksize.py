"""A large disk cache behind the server: start, hits beside a trim, quota, clear and memory.

The program `diskbench` fills the cache through the store's own code. Each measured tile is requested for the first
time, so it comes from the disk.
"""
import contextlib
import http.client
import json
import os
import pathlib
import random
import shutil
import sqlite3
import statistics
import subprocess
import sys
import time

from support import images, tileserver
from support.machine import beside, fetch, say, scratch_directory, wait_until
from support.upstream import Upstream

from .disk import QUOTA_BAR

# Maximum seconds from the start to the first tile, and milliseconds of 99 % of the hits beside a trim.
START_BAR, HIT_BAR = 1, 10
# Milliseconds to the answer of a clear, for any number of tiles.
CLEAR_BAR = 50
ZOOM = 20


def arguments(parser):
    parser.add_argument("--tiles", type=int, default=1_000_000, help="in the cache (default: 1000000)")
    parser.add_argument("--size", type=int, default=200, help="bytes of a tile (default: 200)")
    parser.add_argument("--requests", type=int, default=20_000, help="hits without a trim (default: 20000)")
    parser.add_argument("--starts", type=int, default=5, help="starts, of which the slowest counts (default: 5)")
    parser.add_argument("--trim", type=float, default=0.9, help="quota of the trim, as a part of the file (default: 0.9)")
    parser.add_argument("--commands", action="store_true", help="also measure `cache copy` and `cache check`")
    parser.add_argument(
        "--directory", type=pathlib.Path, default=pathlib.Path("/var/tmp"),
        help="on the disk to measure (default: /var/tmp)")


def run(options):
    needed = options.tiles * (options.size + 400)
    if (free := shutil.disk_usage(options.directory).free) < needed:
        sys.exit(f"{options.directory}: {needed:,} bytes are needed, {free:,} are free; see --tiles and --directory")
    filler = images.build("diskbench")
    with scratch_directory(options.directory) as directory:
        with Upstream() as upstream:
            url = upstream.url
            seed(options.program, directory, url)
        fill(filler, directory, options)
        return measure(options, directory, url)


def configuration(url, quota=1 << 45):
    return f"""\
server: {{ limits: {{ requestsPerConnection: 1000000 }} }}
cache: {{ memory: 256MiB, disk: {{ maxBytes: {quota}, minFree: 0 }} }}
layers:
  bench: {{ url: "{url}/{{z}}/{{x}}/{{y}}.png", maxZoom: {ZOOM}, tileSize: 256, ttl: 30d, overrideTTL: true }}
"""


def server(program, directory, url, **changes):
    return tileserver.TileServer(program, directory, configuration(url, **changes))


def database(directory):
    return directory / "var/cache.sqlite"


def rows(directory, sql):
    with contextlib.closing(sqlite3.connect(f"file:{database(directory)}?mode=ro", uri=True, timeout=10)) as file:
        return file.execute(sql).fetchall()


def seed(program, directory, url):
    """Has the server create the cache, with one tile of the layer."""
    with server(program, directory, url) as started:
        if fetch(f"{started.url}/bench/1/0/0.png")[0] != 200:
            sys.exit("the first tile could not be fetched")
        wait_until(lambda: rows(directory, "SELECT 1 FROM space"))


def fill(filler, directory, options):
    say(f"filling {options.tiles:,} tiles of {options.size:,} bytes")
    [space] = rows(directory, "SELECT layer, fingerprint, generation FROM space")
    command = [filler, "fill", database(directory), options.tiles, options.size, 1 << 45, *space]
    subprocess.run([str(word) for word in command], check=True, stdout=subprocess.DEVNULL)


def path(number):
    """The path of the tile with this number, as `DiskBench` places it."""
    block, place, blocks = number // 64, number % 64, 1 << (ZOOM - 3)
    column, row = block * 40_503 % blocks, (block * 30_011 + block // blocks) % blocks
    return f"/bench/{ZOOM}/{column * 8 + place % 8}/{row * 8 + place // 8}.png"


def file_bytes(directory):
    """Bytes of the database and of the files beside it."""
    total = 0
    for name in ("", "-wal", "-shm", ".reserve"):
        with contextlib.suppress(OSError):
            total += os.stat(f"{database(directory)}{name}").st_size
    return total


class Hits:
    """Requests random tiles, each for the first time, and keeps the milliseconds of those that came from the disk."""

    def __init__(self, started, numbers):
        self.connection = http.client.HTTPConnection("127.0.0.1", started.port, timeout=30)
        self.numbers = numbers
        self.milliseconds, self.others = [], 0

    def one(self):
        number = next(self.numbers)
        begin = time.perf_counter()
        self.connection.request("GET", path(number))
        answer = self.connection.getresponse()
        answer.read()
        spent = (time.perf_counter() - begin) * 1000
        if answer.status == 200 and "detail=disk" in answer.headers.get("Cache-Status", ""):
            self.milliseconds.append(spent)
        else:
            self.others += 1

    def line(self):
        if len(self.milliseconds) < 100:
            return f"only {len(self.milliseconds)} hits"
        parts = statistics.quantiles(self.milliseconds, n=1000)
        return (f"p50 {parts[499]:.2f} ms, p99 {self.p99():.2f} ms, p99.9 {parts[998]:.2f} ms "
                f"({len(self.milliseconds):,} hits, {self.others:,} others)")

    def p99(self):
        return statistics.quantiles(self.milliseconds, n=100)[98] if len(self.milliseconds) > 1 else 1e9


def measure(options, directory, url):
    numbers = iter(random.sample(range(options.tiles), min(options.tiles, 4_000_000)))
    whole = database(directory).stat().st_size
    print(f"disksize: {options.tiles:,} tiles of {options.size:,} bytes, {whole / options.tiles:,.0f} bytes on disk each")
    starts = [start(options, directory, url, numbers) for _ in range(options.starts)]
    print(f"start to first tile: {', '.join(f'{seconds * 1000:.0f}' for seconds in starts)} ms (bar {START_BAR * 1000})")
    with server(options.program, directory, url) as started:
        started.wait_until_ready()
        print(f"memory after the start: {started.resident_bytes() >> 20} MiB, "
              f"{started.anon_bytes() >> 20} MiB of them in no file")
        quiet = Hits(started, numbers)
        for _ in range(options.requests):
            quiet.one()
        print(f"hits: {quiet.line()}; memory {started.resident_bytes() >> 20} MiB, "
              f"{started.anon_bytes() >> 20} MiB of them in no file")
        if options.commands:
            commands(options, directory)
    busy, most = trim(options, directory, url, numbers, int(whole * options.trim))
    answer = clear(options, directory, url)
    good = max(starts) <= START_BAR and busy.p99() <= HIT_BAR and most <= QUOTA_BAR and answer <= CLEAR_BAR
    return 0 if good else 1


def commands(options, directory):
    """Measures `cache copy`, and `cache check` of the copy and of the cache, while the server runs."""
    copy = directory / "copy.sqlite"
    measured = {"cache copy": ["copy", copy], "cache check of the copy": ["check", copy], "cache check": ["check"]}
    for name, words in measured.items():
        begin = time.monotonic()
        command = [options.program, "cache", *words, "--config", directory / "tileserver.yaml"]
        process = subprocess.Popen(
            [str(word) for word in command], stdin=subprocess.DEVNULL, stdout=sys.stderr,
            env={**os.environ, "TILESERVER_CACHE_DIRECTORY": str(directory / "var")})
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        print(f"{name}: {time.monotonic() - begin:.1f} s, {usage.ru_utime + usage.ru_stime:.1f} s of processor time, "
              f"{usage.ru_maxrss >> 10} MiB, status {process.returncode}")
    copy.unlink()


def start(options, directory, url, numbers):
    """Returns the seconds from the start of the process to the first tile from the disk. The file is not in memory."""
    handle = os.open(database(directory), os.O_RDONLY)
    os.fsync(handle)
    os.posix_fadvise(handle, 0, 0, os.POSIX_FADV_DONTNEED)
    os.close(handle)
    begin = time.monotonic()
    with server(options.program, directory, url) as started:
        hits = Hits(started, numbers)
        while not hits.milliseconds and time.monotonic() < begin + 60:
            hits.one()
        return time.monotonic() - begin


def trim(options, directory, url, numbers, quota):
    """Starts the server with a smaller quota, and measures the hits until the trim is over and the file is smaller."""
    with server(options.program, directory, url, quota=quota) as started:
        started.wait_until_ready()
        hits, begin, sizes, counts = Hits(started, numbers), time.monotonic(), [], []

        def watch(over):
            while not over.wait(0.5):
                sizes.append((time.monotonic() - begin, file_bytes(directory)))
                counts.append((time.monotonic() - begin, rows(directory, "SELECT sum(entries) FROM space")[0][0]))

        def is_over():
            last = [count for at, count in counts if at > time.monotonic() - begin - 10]
            return len(last) > 10 and len(set(last)) == 1

        with beside(watch):
            while not is_over() and time.monotonic() < begin + 1800:
                for _ in range(100):
                    hits.one()
            print(f"hits beside a trim: {hits.line()} (bar {HIT_BAR}); memory {started.resident_bytes() >> 20} MiB")
            wait_until(lambda: file_bytes(directory) <= quota, 1800, 0.2)
            back = time.monotonic() - begin
            time.sleep(5)
        removed = counts[0][1] - counts[-1][1]
        last = next(at for at, count in counts if count == counts[-1][1])
        print(f"trim to {options.trim:.0%} of the bytes: {removed:,} tiles in {last:.0f} s; the files are within the quota "
              f"after {back:.0f} s")
        most = max(size for at, size in sizes if at >= back) * 100 / quota
        print(f"most bytes from then on: {most:.1f} % of the quota")
        return hits, most


def clear(options, directory, url):
    with server(options.program, directory, url) as started:
        started.wait_until_ready()
        begin, full = time.monotonic(), database(directory).stat().st_size
        status, _, body = started.admin("/admin/cache/bench", "DELETE")
        answer = (time.monotonic() - begin) * 1000
        if status != 200:
            sys.exit(f"the clear answered {status}: {body!r}")
        count = json.loads(body)
        print(f"clear: {answer:.1f} ms to the answer (bar {CLEAR_BAR}): {count}")
        hits = Hits(started, iter(range(options.tiles)))

        def is_empty():
            for _ in range(50):
                hits.one()
            return not rows(directory, "SELECT sum(entries) FROM space WHERE entries > 0")[0][0]

        wait_until(is_empty, 1800, 0.1)
        print(f"all tiles removed after {time.monotonic() - begin:.1f} s")
        wait_until(lambda: database(directory).stat().st_size < full / 10, 600, 0.2)
        print(f"space: {database(directory).stat().st_size:,} of {full:,} bytes remain after "
              f"{time.monotonic() - begin:.1f} s")
        return answer
