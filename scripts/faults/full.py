"""Fills a file system of 4 MiB under the cache, frees it again, and clears the cache while it is full (as root).

Checks the responses, the log and the disk.
"""
import contextlib
import json
import os
import subprocess
import time

from support.machine import fetch, say, scratch_directory, wait_until
from support.tileserver import TileServer
from support.upstream import Upstream

from .serving import Answers, ask, configuration, path

BALLAST = 3 << 20
# Maximum seconds until the cache stores tiles again (threats.md T41).
PATIENCE = 30
# Tiles of a layer that is not cleared.
KEPT = 20


def arguments(parser):
    parser.add_argument("--tiles", type=int, default=600, help="tiles to ask for; each about 8 KiB (default: 600)")


def run(options):
    if os.geteuid() != 0:
        raise SystemExit("mounting a file system needs root")
    with Upstream() as upstream:
        return max(freed(options, upstream), cleared(options, upstream, False), cleared(options, upstream, True))


@contextlib.contextmanager
def small_file_system():
    """Makes a directory with a file system of 4 MiB, of which 1 MiB is free."""
    with scratch_directory() as directory:
        small = directory / "small"
        small.mkdir()
        subprocess.run(["mount", "-t", "tmpfs", "-o", "size=4m", "tmpfs", small], check=True)
        try:
            (small / "ballast").write_bytes(bytes(BALLAST))
            yield directory, small
        finally:
            subprocess.run(["umount", small], check=False)


def freed(options, upstream):
    """Another program frees space."""
    answers = Answers()
    with small_file_system() as (directory, small):
        text = configuration(upstream.url, small / "tiles.sqlite", memory="64MiB")
        with TileServer(options.program, directory, text) as server:
            ask(server.port, range(options.tiles), lambda: [upstream.version], answers)
            time.sleep(1)
            full = stored(server)
            ask(server.port, range(options.tiles), lambda: [upstream.version], answers)
            say(f"full: {full} tiles on disk, free {free(small)} bytes, answers {dict(answers.statuses)}")
            (small / "ballast").unlink()
            began = time.monotonic()
            number = options.tiles
            while stored(server) <= full and time.monotonic() - began < PATIENCE:
                ask(server.port, [number], lambda: [upstream.version], answers)
                number += 1
                time.sleep(0.2)
            took = time.monotonic() - began
            ask(server.port, range(number, number + options.tiles), lambda: [upstream.version], answers)
            time.sleep(1)
            say(f"freed: stores again after {took:.1f} s, {stored(server)} tiles on disk, free {free(small)} bytes")
        disk = log_of_disk(directory)
        files = sorted(file.name for file in small.iterdir())
    print(f"answers: {dict(answers.statuses)}, wrong tiles: {len(answers.wrong)}, files: {files}")
    good = set(answers.statuses) == {200} and not answers.wrong and took < PATIENCE
    return 0 if good and disk.count("disk_write_failed") in (1, 2) else 1


def cleared(options, upstream, hogs):
    """Clears a layer, and kills the server directly after its response. With `hogs` not one byte is free then."""
    with small_file_system() as (directory, small):
        text = configuration(
            upstream.url, small / "tiles.sqlite", memory="1MiB",
            layer=f'  kept:\n    url: "{upstream.url}/{{z}}/{{x}}/{{y}}.png"\n')
        before = Answers()
        with TileServer(options.program, directory, text) as server:
            kept = [fetch(f"{server.url}/kept{path(number)}")[2] for number in range(KEPT)]
            time.sleep(1)
            # Store tiles little by little, because a batch that does not fit is not stored at all.
            for number in range(0, options.tiles, 16):
                ask(server.port, range(number, number + 16), lambda: [upstream.version], before)
                time.sleep(0.25)
            if hogs:
                fill_up(small / "hog")
            say(f"full: {stored(server)} tiles on disk, free {free(small)} bytes")
            upstream.version += 1
            _, _, body = server.admin("/admin/cache/tiles", "DELETE")
            server.kill()
        answer = json.loads(body)
        first = log_of_disk(directory)
        answers = Answers()
        with TileServer(options.program, directory, text) as server:
            began = time.monotonic()
            needed = answer["disk"]["bytes"] // 2
            wait_until(lambda: free(small) >= needed, PATIENCE, 0.1)
            space, took = free(small), time.monotonic() - began
            ask(server.port, range(options.tiles), lambda: [upstream.version], answers)
            again = [fetch(f"{server.url}/kept{path(number)}") for number in range(KEPT)]
        disk = first + log_of_disk(directory)
    survived = sum("detail=disk" in headers.get("Cache-Status", "") for _, headers, _ in again)
    print(f"cleared {answer['disk']}, then killed; cleared tiles that came back: {len(answers.wrong)}; "
          f"{space} bytes free after {took:.1f} s; of another layer {survived} of {KEPT} tiles left; "
          f"log: {disk}")
    right = [body for _, _, body in again] == kept or survived < KEPT
    good = answer["disk"]["durable"] and answer["disk"]["entries"] > 0 and space >= needed
    return 0 if good and not answers.wrong and right else 1


def fill_up(file):
    """Writes until the file system has no free byte."""
    with file.open("wb", buffering=0) as hog:
        for size in (1 << 16, 1 << 12, 1):
            with contextlib.suppress(OSError):
                while hog.write(bytes(size)) == size:
                    pass


def log_of_disk(directory):
    """Returns the names of the log events about the disk."""
    lines = (directory / "tileserver.log").read_text().splitlines()
    events = [json.loads(line)["ev"] for line in lines if line[:1] == "{"]
    disk = [event for event in events if event.startswith("disk")]
    say(f"log lines about the disk: {disk}")
    return disk


def stored(server):
    """Returns the server's count of tiles on disk."""
    return json.loads(server.admin("/admin/cache")[2])["disk"]["entries"]


def free(path):
    status = os.statvfs(path)
    return status.f_bavail * status.f_frsize
