"""Runs servers in small control groups, beside clients that request ordinary tiles, then large ones: none is killed.

A server in a group knows the group's limit and uses nine tenths of it. This is `server.memory`, plus the memory of
GeoJSON files, of which there are none here. The script reads the server's memory, `anon` in the group's statistics, ten
times a second.
"""
import sqlite3
import threading

from support import nginx, tile, tileserver
from support.group import Group
from support.machine import need, scratch_directory

from . import mixes
from .course import watched

MIB = 1 << 20
# Minimum part of the ordinary requests that get 200, by the MiB of a group.
BARS = {64: 0.5, 96: 0.5, 128: 0.9, 192: 0.9, 256: 0.9}
# Maximum seconds for a response to an ordinary client.
LONGEST = 10


def run(program, sizes, names, seconds):
    """Runs the mixes of `names` for `seconds` each, in a group of each of `sizes` MiB. Returns whether all promises
    were kept."""
    need(nginx="nginx-light")
    print(f"{mixes.CLIENTS} clients, {seconds} s of each mix, in one server after the other; at most as MiB of anon\n")
    print(f"{'group':>5} {'mix':9} {'at most':>8} {'bound':>6} {'200':>6}   answers: [how many, the longest wait in s]")
    return all([_line(program, size, name, seconds) for size in sizes for name in names])


def _line(program, size, name, seconds):
    bound = size * MIB // 10 * 9
    course, seen, end = _flooded(program, size, mixes.MIXES[name], seconds)
    faults = []
    if end is not None:
        faults.append(f"the server ended with status {end}")
    if course.most > bound:
        faults.append("above the bound")
    if name == "ordinary":
        # 400 means a size that the server has excluded, as its log said at the start.
        others = set(seen.statuses) - {200, 400, 503}
        if others:
            faults.append(f"answers {', '.join(map(str, sorted(others, key=str)))}")
        if seen.part(200) < BARS.get(size, 0.9):
            faults.append("too few are served")
        late = [f"{seconds:.1f} s for {seen.slowest[status]}" for status, seconds in seen.longest.items()
                if seconds > LONGEST]
        faults += late
    print(f"{size:>5} {name:9} {course.most / MIB:>8.1f} {bound / MIB:>6.1f} {seen.part(200):>6.1%}   {seen}"
          f"{''.join(f' *{fault}' for fault in faults)}", flush=True)
    return not faults


def _flooded(program, size, mix, seconds):
    with scratch_directory() as directory, _origin(directory / "origin") as origin, Group(size * MIB) as group:
        text = mixes.CONFIGURATION.format(memory="", origin=origin.url, fresh=mixes.FRESH, atlas=directory / "origin/atlas.mbtiles")
        with tileserver.TileServer(program, directory / "server", text, group=group) as server:
            # No client waits for a server that hangs.
            stopper = threading.Timer(seconds + mixes.PATIENCE, server.process.kill)
            stopper.start()
            try:
                with watched(group.anon_bytes) as course:
                    seen = mixes.ask(server.url, mix, seconds)
            finally:
                stopper.cancel()
            return course, seen, server.process.poll()


def _atlas(path, sheet):
    with sqlite3.connect(path) as database:
        database.execute("CREATE TABLE metadata (name text, value text)")
        database.execute("CREATE TABLE images (data blob)")
        database.execute("INSERT INTO images VALUES (?)", (sheet,))
        database.execute("CREATE TABLE places (z integer, x integer, y integer, PRIMARY KEY (z, x, y)) WITHOUT ROWID")
        database.executemany("INSERT INTO places VALUES (?, ?, ?)", (
            (z, x, y) for z in range(8) for x in range(1 << z) for y in range(1 << z)))
        database.execute("CREATE VIEW tiles AS SELECT z AS zoom_level, x AS tile_column, y AS tile_row, "
                         "data AS tile_data FROM places, images")
    database.close()


def _origin(directory):
    """Answers every tile with the same photograph. Tiles of `sheets`, and of `atlas.mbtiles`, have 2,048 pixels."""
    directory.mkdir()
    sheet = tile.colours(edge=2_048)
    (directory / "sheet.png").write_bytes(sheet)
    _atlas(directory / "atlas.mbtiles", sheet)
    (directory / "photograph.png").write_bytes(tile.png(60_000, edge=256))
    return nginx.Nginx(directory, http="open_file_cache max=100;", server=f"""
        root {directory};
        location /sheets/ {{ try_files /sheet.png =404; }}
        location / {{ try_files /photograph.png =404; }}""")
