"""Attacks on the disk cache: small quotas, full disks, cleaners, upgrades."""
import contextlib
import os
import pathlib
import shutil
import sqlite3
import subprocess
import time

from faults.course import watched
from faults.full import fill_up, free
from faults.serving import Answers, ask, configuration
from support.machine import ROOT, at_once, fetch
from support.tileserver import TileServer
from support.upstream import Upstream

from .verdict import Skipped, expect

MIB = 1 << 20
# Maximum seconds between two writes of the server. After this time a stored tile is on disk.
SETTLED = 1.5


def small_quota(program, directory):
    """A disk cache of a few MiB, written at full speed."""
    findings = []
    for quota in (8, 32):
        with Upstream() as upstream:
            disk = directory / f"{quota}" / "tiles.sqlite"
            text = configuration(upstream.url, disk, memory="4MiB", max_bytes=f"{quota}MiB")
            disk.parent.mkdir()
            with TileServer(program, disk.parent, text) as server:
                with watched(lambda: size(disk), 0.002) as files:
                    fill(server, range(quota * 400), 4)
                    time.sleep(SETTLED)
        share = files.most / (quota * MIB)
        expect(share <= 1.10, f"{quota} MiB: the files grew to {share:.0%}")
        findings.append(f"{quota} MiB: {share:.0%}")
    return f"largest size of the files, log included: {', '.join(findings)}"


def size(disk):
    """Returns the bytes of the database and of SQLite's files beside it."""
    total = 0
    for suffix in ("", "-wal"):
        with contextlib.suppress(FileNotFoundError):
            total += os.stat(f"{disk}{suffix}").st_size
    return total


def fill(server, numbers, threads):
    answers = Answers()
    at_once(lambda worker: ask(server.port, list(numbers)[worker::threads], lambda: [1], answers), range(threads))
    expect(set(answers.statuses) == {200} and not answers.wrong, f"answers: {dict(answers.statuses)}")
    return answers


def hottest(program, directory):
    """Frequently requested tiles, a disk that overflows, and a restart."""
    hot, cold = range(100), range(1_000, 6_000)
    with Upstream() as upstream:
        text = configuration(upstream.url, directory / "tiles.sqlite", memory="128MiB", max_bytes="16MiB")
        with TileServer(program, directory, text) as server:
            fill(server, hot, 1)
            for start in range(0, len(cold), 500):
                fill(server, cold[start:start + 500], 4)
                fill(server, hot, 1)
                time.sleep(0.3)
            time.sleep(SETTLED)
        with TileServer(program, directory, text) as server:
            asked = upstream.requests
            fill(server, hot, 1)
            lost = upstream.requests - asked
    expect(lost <= len(hot) // 10, f"{lost} of the {len(hot)} hottest tiles were gone after the restart")
    return f"{len(hot) - lost} of the {len(hot)} hottest tiles survived"


def clear_when_full(program, directory):
    """A clear on a full file system, kill -9 directly after its response, and a restart."""
    if os.geteuid() != 0:
        raise Skipped("mounting a file system needs root")
    small = directory / "small"
    small.mkdir()
    mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=6m", "tmpfs", small], capture_output=True)
    if mounted.returncode != 0:
        raise Skipped("cannot mount a file system")
    try:
        with Upstream() as upstream:
            text = configuration(upstream.url, small / "tiles.sqlite", memory="0", max_bytes="1GiB")
            with TileServer(program, directory, text) as server:
                fill(server, range(1_200), 4)
                time.sleep(SETTLED)
                fill_up(small / "ballast")
                before = free(small)
                code, _, body = server.admin("/admin/cache/tiles", "DELETE")
                expect(code == 200, f"the clear was answered {code}")
                server.kill()
            upstream.version = 2
            (small / "ballast").unlink()
            with TileServer(program, directory, text) as server:
                answers = Answers()
                ask(server.port, range(1_200), lambda: [2], answers)
                said = body.decode().strip()
                expect(not answers.wrong, f"{len(answers.wrong)} cleared tiles came back; the clear said {said}")
        return f"no cleared tile came back of a disk with {before} bytes free; the clear said {said}"
    finally:
        subprocess.run(["umount", small], check=False)


def deleted_lock(program, directory):
    """A cleaner that deletes the lock file, and a second server."""
    with Upstream() as upstream:
        disk = directory / "tiles.sqlite"
        text = configuration(upstream.url, disk)
        with TileServer(program, directory, text) as first:
            fill(first, range(20), 1)
            pathlib.Path(f"{disk}.lock").unlink()
            fill(first, range(20, 40), 1)
            time.sleep(SETTLED)
            expect(pathlib.Path(f"{disk}.lock").exists(), "the lock was not taken anew")
            second = subprocess.run(
                [program, "serve", "--config", directory / "tileserver.yaml", "--port", "0"], cwd=directory,
                capture_output=True, timeout=60)
            expect(second.returncode == 71, f"a second server got in, or ended with {second.returncode}")
            fill(first, range(40, 60), 1)
    return "the lock was taken anew, a second server ends with status 71"


def upgrade(program, directory):
    """The database of the first released version."""
    disk, shipped = directory / "tiles.sqlite", directory / "shipped.sqlite"
    with Upstream() as upstream:
        text = configuration(upstream.url, disk).replace("tiles:", "sea:")
        with TileServer(program, directory, text) as server:
            fetch(f"{server.url}/sea/1/0/0.png")
            time.sleep(SETTLED)
        shutil.copyfile(ROOT / "Tests/Tiles/TileCacheTests/Fixtures/cache-1.sqlite", shipped)
        with contextlib.closing(sqlite3.connect(disk)) as database:
            (source,) = database.execute("SELECT fingerprint FROM space").fetchone()
        with contextlib.closing(sqlite3.connect(shipped)) as database, database:
            # Give its layer this upstream, because the server correctly deletes unused tiles at the start.
            database.execute("UPDATE space SET fingerprint = ? WHERE layer = 'sea'", [source])
            before = tiles(database)
        for path in directory.glob("tiles.sqlite*"):
            path.unlink()
        shutil.move(shipped, disk)
        with TileServer(program, directory, text):
            time.sleep(SETTLED)
            with contextlib.closing(sqlite3.connect(f"file:{disk}?mode=ro", uri=True)) as database:
                after = tiles(database)
                (version,) = database.execute("PRAGMA user_version").fetchone()
    aside = [path.name for path in directory.glob("tiles.sqlite.*") if path.suffix not in (".lock", ".reserve")]
    expect(not aside, f"the database was set aside as {aside}")
    # One of the tiles was cleared but not deleted yet.
    expect(after >= before - 1, f"{after} of {before} tiles are left")
    return f"{after} of {before} tiles are in the database of version {version}"


def tiles(database):
    (count,) = database.execute("SELECT entries FROM space WHERE layer = 'sea' ORDER BY id LIMIT 1").fetchone()
    return count


ATTACKS = [small_quota, hottest, clear_when_full, deleted_lock, upgrade]
