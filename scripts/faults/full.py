"""Fills a file system of 4 MiB under the cache, frees it again, and looks at the answers, the log and the disk (as root)."""
import json
import os
import subprocess
import time
import urllib.parse

from support import tileserver
from support.machine import fetch, say, scratch_directory
from support.upstream import Upstream

from .serving import Answers, ask, configuration

BALLAST = 3 << 20
# Seconds within which the cache must store again (threats.md T41).
PATIENCE = 30


def arguments(parser):
    parser.add_argument("--tiles", type=int, default=600, help="tiles to ask for; each about 8 KiB (default: 600)")


def run(options):
    if os.geteuid() != 0:
        raise SystemExit("mounting a file system needs root")
    program = tileserver.build()
    with scratch_directory() as directory, Upstream() as upstream:
        small = directory / "small"
        small.mkdir()
        subprocess.run(["mount", "-t", "tmpfs", "-o", "size=4m", "tmpfs", small], check=True)
        try:
            return run_on(program, options, directory, small, upstream)
        finally:
            subprocess.run(["umount", small], check=False)


def run_on(program, options, directory, small, upstream):
    (small / "ballast").write_bytes(bytes(BALLAST))
    answers = Answers()
    text = configuration(upstream.url, small / "tiles.sqlite", memory="64MiB")
    with tileserver.TileServer(program, directory, text) as server:
        port = urllib.parse.urlsplit(server.url).port
        ask(port, range(options.tiles), lambda: [1], answers)
        time.sleep(1)
        full = stored(server)
        ask(port, range(options.tiles), lambda: [1], answers)
        say(f"full: {full} tiles on disk, free {free(small)} bytes, answers {dict(answers.statuses)}")
        (small / "ballast").unlink()
        began = time.monotonic()
        number = options.tiles
        while stored(server) <= full and time.monotonic() - began < PATIENCE:
            ask(port, [number], lambda: [1], answers)
            number += 1
            time.sleep(0.2)
        took = time.monotonic() - began
        ask(port, range(number, number + options.tiles), lambda: [1], answers)
        time.sleep(1)
        say(f"freed: stores again after {took:.1f} s, {stored(server)} tiles on disk, free {free(small)} bytes")
    events = [json.loads(line) for line in (directory / "tileserver.log").read_text().splitlines() if line[:1] == "{"]
    disk = [event["ev"] for event in events if event["ev"].startswith("disk")]
    say(f"log lines about the disk: {disk}")
    files = sorted(file.name for file in small.iterdir())
    print(f"answers: {dict(answers.statuses)}, wrong tiles: {len(answers.wrong)}, files: {files}")
    good = set(answers.statuses) == {200} and not answers.wrong and took < PATIENCE
    return 0 if good and disk.count("disk_write_failed") in (1, 2) else 1


def stored(server):
    """Tiles on disk, as the server counts them."""
    _, _, body = fetch(f"{server.url}/admin/cache", headers={"Authorization": f"Bearer {server.TOKEN}"})
    return json.loads(body)["disk"]["entries"]


def free(path):
    status = os.statvfs(path)
    return status.f_bavail * status.f_frsize
