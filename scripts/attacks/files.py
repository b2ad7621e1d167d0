"""Attacks by files: MBTiles files with endless views, pipes and devices in the place of files."""
import concurrent.futures
import os
import sqlite3
import stat
import struct
import subprocess
import threading
import time
import zlib

from support.machine import fetch
from support.tileserver import TileServer

from .verdict import Skipped, expect

NUMBERS = "with recursive r(n) as (select 0 union all select n + 1 from r)"
TABLE = "create table tiles(zoom_level, tile_column, tile_row, tile_data)"
METADATA = "create table metadata(name, value)"
HOSTILE = {
    "endless tiles": (
        f"create view tiles as {NUMBERS} select n + 100 zoom_level, n tile_column, n tile_row, x'00' tile_data from r",
        METADATA),
    "endless metadata": (TABLE, f"create view metadata as {NUMBERS} select 'x' || n name, n value from r"),
    "zeroblob": (
        "create view tiles as select 0 zoom_level, 0 tile_column, 0 tile_row, zeroblob(900000000) tile_data", METADATA),
}
# Seconds in which a file is opened or refused (threats.md T43c), and as many for the rest of the work.
BOUND = 10 + 10


def png():
    """A grey image of 64 pixels a side."""
    def chunk(name, data):
        return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))
    rows = zlib.compress((b"\0" + b"\x80" * 64) * 64)
    head = struct.pack(">IIBBBBB", 64, 64, 8, 0, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", rows) + chunk(b"IEND", b"")


def make(path, statements, tiles=()):
    """A SQLite file of `statements`, with tiles of zoom 5 in `tiles`."""
    with sqlite3.connect(path) as database:
        for statement in statements:
            database.execute(statement)
        if tiles:
            database.executemany("insert into tiles values (5, ?, ?, ?)", tiles)
    database.close()


def seconds_of(work):
    began = time.monotonic()
    result = work()
    return result, time.monotonic() - began


def reload(server):
    """The status of a reload."""
    fields = {"Authorization": f"Bearer {server.TOKEN}"}
    return fetch(f"{server.url}/admin/reload", "POST", fields, timeout=60)[0]


def hostile_mbtiles(program, directory):
    """MBTiles files with endless views: at the start, and in the place of a file that is served."""
    slowest = 0
    for name, statements in HOSTILE.items():
        path = directory / f"{name.replace(' ', '-')}.mbtiles"
        make(path, statements)
        text = directory / f"{path.stem}.yaml"
        text.write_text(f"layers: {{ a: {{ mbtiles: {path} }} }}\n")
        done, took = seconds_of(lambda: subprocess.run(
            [program, "check", text], capture_output=True, timeout=60, check=False))
        expect(done.returncode == 78 and b"MBTiles" in done.stderr, f"{name}: check ended with {done.returncode}")
        expect(took < BOUND, f"{name}: check took {took:.0f} s")
        slowest = max(slowest, took)
    tiles = [(x, y, png()) for x in range(32) for y in range(32)]
    for name in "ab":
        make(directory / f"{name}.mbtiles", (TABLE, METADATA), tiles)
    # This file opens at once, and its tiles of zoom 5 have no end.
    make(directory / "c.mbtiles", (
        "create table t(zoom_level, tile_column, tile_row, tile_data)", METADATA, "insert into t values (0, 0, 0, null)",
        *(f"insert into t values (5, {x}, {y}, null)" for x in range(32) for y in range(32)),
        "create view tiles as select zoom_level, tile_column, tile_row, case zoom_level when 0 then x'00' else "
        f"({NUMBERS} select cast(count(*) as text) from r) end tile_data from t"))
    text = "layers:\n" + "".join(f"  {name}: {{ mbtiles: {directory}/{name}.mbtiles, timeout: 3s }}\n" for name in "ab")
    with TileServer(program, directory / "server", text) as server:
        expect(fetch(f"{server.url}/a/5/1/1.png")[0] == 200, "the file is not served")
        os.rename(directory / "c.mbtiles", directory / "a.mbtiles")
        with concurrent.futures.ThreadPoolExecutor(40) as pool:
            crowd = [pool.submit(fetch, f"{server.url}/a/5/{x}/{y}.png") for x in range(2, 10) for y in range(5)]
            threading.Event().wait(0.5)
            healthy = [seconds_of(lambda y=y: fetch(f"{server.url}/b/5/3/{y}.png")) for y in range(32)]
            code, reloading = seconds_of(lambda: reload(server))
            answers = {future.result()[0] for future in crowd}
        expect(all(answer[0] == 200 for answer, _ in healthy), "tiles of the file beside it were refused")
        longest = max(took for _, took in healthy)
        expect(longest < 1, f"a tile of the file beside it took {longest:.1f} s")
        expect(answers <= {503, 504}, f"tiles without an end answered {answers}")
        expect(reloading < BOUND, f"a reload took {reloading:.0f} s ({code})")
        _, ending = seconds_of(lambda: (server.process.terminate(), server.process.wait(60)))
        expect(ending < BOUND, f"SIGTERM took {ending:.0f} s")
    return f"refused in {slowest:.0f} s; beside it {longest * 1000:.0f} ms, reload {reloading:.0f} s, SIGTERM {ending:.0f} s"


def pipes_and_devices(program, directory):
    """A pipe as the configuration and as a source of init; a device and a pipe that `render` writes into."""
    pipe = directory / "pipe"
    os.mkfifo(pipe)
    for words, status in ((["check", pipe], 78), (["init", pipe, "-o", directory / "new.yaml"], 66)):
        done = subprocess.run([program, *words], capture_output=True, timeout=20, check=False)
        expect(done.returncode == status and b"a pipe" in done.stderr, f"{words[0]}: {done.returncode} {done.stderr}")
    with TileServer(program, directory / "server", "layers: { a: { generator: grid } }\n") as server:
        text = directory / "server" / "tileserver.yaml"
        kept = text.read_text()
        text.unlink()
        os.mkfifo(text)
        expect(reload(server) == 422, "a pipe was read as the configuration")
        text.unlink()
        text.write_text(kept)
        expect(reload(server) == 200, "no reload after the pipe")
    if os.geteuid() != 0:
        raise Skipped("only root makes devices")
    # A device of this attack's own: the fault replaced the machine's.
    device = directory / "null"
    os.mknod(device, stat.S_IFCHR | 0o666, os.makedev(1, 3))
    done = subprocess.run(
        [program, "render", "a", "--camera", "0,0,1", "--size", "16x16", "--config", text, "-o", device],
        capture_output=True, timeout=20, check=False)
    expect(done.returncode == 0 and stat.S_ISCHR(os.lstat(device).st_mode), "render replaced a device")
    return "refused by name, a reload after it works, a device stays"


ATTACKS = [hostile_mbtiles, pipes_and_devices]
