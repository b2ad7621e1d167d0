"""Attacks with files: MBTiles files with endless views, pipes and devices instead of files."""
import concurrent.futures
import os
import sqlite3
import stat
import subprocess
import sys
import time

from support.machine import fetch
from support.tile import GREY, image
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
NESTED = ", ".join(["c0 as (select 1 a)", *(
    f"c{i} as (select * from c{i - 1} union all select * from c{i - 1})" for i in range(1, 31))])


def views(first, following, count):
    """Returns views v0 to v`count`, and the view `tiles` over the last. Each is `following` with the previous view
    instead of `@`."""
    return (
        METADATA, f"create view v0 as {first}",
        *(f"create view v{i} as {following.replace('@', f'v{i - 1}')}" for i in range(1, count + 1)),
        f"create view tiles as select a zoom_level, a tile_column, a tile_row, a tile_data from v{count}")


# Compiling these views takes very long, or very much memory or stack.
HOSTILE |= {
    "views of views": views(
        "select 1 a, " + ", ".join(f"1 c{i}" for i in range(1503)), "select * from @ union all select * from @", 14),
    "joins of views": views("select 1 a", "select x.a from @ x, @ y", 30),
    "nested ctes": (
        METADATA, f"create view tiles as with {NESTED} select a zoom_level, a tile_column, a tile_row, a tile_data from c30"),
    "nested ctes in metadata": (TABLE, f"create view metadata as with {NESTED} select a name, a value from c30"),
    "a chain of views": views("select 1 a", "select * from @", 20000),
    "a value of 50 MB": (TABLE, "create view other as select '" + "x" * 50_000_000 + "'"),
}
# Maximum seconds to open a file (threats.md T43c), and for the rest beside other programs.
BOUND = 10 + 10


def make(path, statements, tiles=()):
    """Makes a SQLite file from `statements`, with tiles of zoom 5 in `tiles`."""
    with sqlite3.connect(path) as database:
        for statement in statements:
            # Written without a check, because SQLite would need long to check many views.
            if len(statements) > 1000 and statement.startswith("create view"):
                database.execute("pragma writable_schema = on")
                name = statement.split()[2]
                database.execute("insert into sqlite_master values ('view', ?, ?, 0, ?)", (
                    name, name, f"CREATE VIEW {statement[12:]}"))
            else:
                database.execute(statement)
        if tiles:
            database.executemany("insert into tiles values (5, ?, ?, ?)", tiles)
    database.close()


def seconds_of(work):
    began = time.monotonic()
    result = work()
    return result, time.monotonic() - began


def reload(server):
    """Returns the status of a reload."""
    return server.admin("/admin/reload", "POST", timeout=60)[0]


# A child process first counts the memory of its parent as its own, so a small process starts the program.
MEASURED = """import resource, subprocess, sys
done = subprocess.run(sys.argv[1:], check=False)
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss // 1024)
sys.exit(done.returncode)"""


def hostile_mbtiles(program, directory):
    """MBTiles files with endless or slowly compiling views: at the start, and in place of served files."""
    slowest, most = 0, 0
    for name, statements in HOSTILE.items():
        path = directory / f"{name.replace(' ', '-')}.mbtiles"
        make(path, statements)
        text = directory / f"{path.stem}.yaml"
        text.write_text(f"layers: {{ a: {{ mbtiles: {path} }} }}\n")
        done, took = seconds_of(lambda: subprocess.run(
            [sys.executable, "-c", MEASURED, program, "check", text], capture_output=True, timeout=60, check=False))
        expect(done.returncode == 78 and b"MBTiles" in done.stderr, f"{name}: check ended with {done.returncode}")
        expect(took < BOUND, f"{name}: check took {took:.0f} s")
        memory = int(done.stdout.split()[-1])
        expect(memory < 256, f"{name}: check took {memory} MiB")
        slowest, most = max(slowest, took), max(most, memory)
    return f"refused in {slowest:.0f} s and {most} MiB; " + beside_hostile_files(program, directory)


def beside_hostile_files(program, directory):
    """Hostile files replace three files, and a crowd requests their tiles. Tiles of a fourth file still arrive."""
    served = [(x, y, image(64, 64, GREY, (b"\0" + b"\x80" * 64) * 64)) for x in range(32) for y in range(32)]
    for name in "abcd":
        make(directory / f"{name}.mbtiles", (TABLE, METADATA), served)
        # These files open at once, but reading zoom 5 never ends.
        make(directory / f"{name}-hostile.mbtiles", (
            "create table t(zoom_level, tile_column, tile_row, tile_data)", METADATA, "insert into t values (0, 0, 0, null)",
            *(f"insert into t values (5, {x}, {y}, null)" for x in range(32) for y in range(32)),
            "create view tiles as select zoom_level, tile_column, tile_row, case zoom_level when 0 then x'00' else "
            f"({NUMBERS} select cast(count(*) as text) from r) end tile_data from t"))
    text = "layers:\n" + "".join(f"  {name}: {{ mbtiles: {directory}/{name}.mbtiles, timeout: 3s }}\n" for name in "abcd")
    with TileServer(program, directory / "server", text) as server:
        for name in "abc":
            expect(fetch(f"{server.url}/{name}/5/1/1.png")[0] == 200, "the file is not served")
            os.rename(directory / f"{name}-hostile.mbtiles", directory / f"{name}.mbtiles")
        with concurrent.futures.ThreadPoolExecutor(60) as pool:
            crowd = [
                pool.submit(fetch, f"{server.url}/{name}/5/{x}/{y}.png", timeout=60)
                for x in range(2, 6) for y in range(5) for name in "abc"]
            time.sleep(0.05)
            healthy = [seconds_of(lambda y=y: fetch(f"{server.url}/d/5/{3 + y // 30}/{y % 30}.png")) for y in range(60)]
            code, reloading = seconds_of(lambda: reload(server))
            answers = {future.result()[0] for future in crowd}
        expect(all(answer[0] == 200 for answer, _ in healthy), "tiles of the file beside them were refused")
        longest = max(took for _, took in healthy)
        expect(longest < 2, f"a tile of the file beside them took {longest:.1f} s")
        expect(answers <= {503, 504}, f"tiles without an end answered {answers}")
        expect(reloading < BOUND, f"a reload took {reloading:.0f} s ({code})")
        waited = pipe_beside(server, directory)
        _, ending = seconds_of(lambda: (server.process.terminate(), server.process.wait(60)))
        expect(ending < BOUND, f"SIGTERM took {ending:.0f} s")
    total = sum(took for _, took in healthy)
    return (
        f"60 tiles beside three such files in {total:.1f} s, the slowest {longest * 1000:.0f} ms; with a pipe as a journal "
        f"503 after {waited:.1f} s; reload {reloading:.0f} s, SIGTERM {ending:.0f} s")


def pipe_beside(server, directory):
    """Returns the seconds for a tile of the healthy file while a pipe replaces its journal."""
    pipe = directory / "d.mbtiles-journal"
    os.mkfifo(pipe)
    (status, *_), took = seconds_of(lambda: fetch(f"{server.url}/d/5/30/1.png", timeout=20))
    pipe.unlink()
    expect(status == 503, f"a pipe as a journal: {status}")
    expect(fetch(f"{server.url}/d/5/30/2.png")[0] == 200, "no tile after the pipe is gone")
    return took


def pipes_and_devices(program, directory):
    """A pipe as the configuration and as a source of init, and a device and a pipe as the output of `render`."""
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
    # This attack uses its own device, because a defect once replaced the machine's device.
    device = directory / "null"
    os.mknod(device, stat.S_IFCHR | 0o666, os.makedev(1, 3))
    done = subprocess.run(
        [program, "render", "a", "--camera", "0,0,1", "--size", "16x16", "--config", text, "-o", device],
        capture_output=True, timeout=20, check=False)
    expect(done.returncode == 0 and stat.S_ISCHR(os.lstat(device).st_mode), "render replaced a device")
    return "refused by name, a reload after it works, a device stays"


ATTACKS = [hostile_mbtiles, pipes_and_devices]
