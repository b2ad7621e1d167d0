"""Makes a reactor hang, and checks that the server then sends no keep-alive message to its service manager.

This script is the manager and receives the datagrams of sd_notify(3). A preloaded library makes the reactor hang in
accept4(2).
"""
import os
import socket
import subprocess
import time

from support.machine import ROOT, free_port, need, say, scratch_directory

CONFIGURATION = "server: {{ port: {port}, reactors: 2 }}\nlayers: {{ grid: {{ generator: grid }} }}\n"


def arguments(parser):
    parser.add_argument("--watchdog", type=float, default=1.0, help="seconds of the watchdog (default: 1)")


def run(options):
    need(gcc="gcc")
    with scratch_directory() as directory, socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as manager:
        library, stuck, name = directory / "stuck.so", directory / "stuck", directory / "notify"
        source = ROOT / "scripts/support/stuck.c"
        subprocess.run(
            ["gcc", "-O2", "-Wall", "-Wextra", "-Werror", "-shared", "-fPIC", "-o", library, source, "-ldl"], check=True)
        manager.bind(str(name))
        port = free_port()
        configuration = directory / "tileserver.yaml"
        configuration.write_text(CONFIGURATION.format(port=port))
        server = subprocess.Popen(
            [options.program, "serve", "--config", configuration], cwd=directory, stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL, env={
                **os.environ, "LD_PRELOAD": str(library), "STUCK_FILE": str(stuck), "NOTIFY_SOCKET": str(name),
                "WATCHDOG_USEC": str(int(options.watchdog * 1e6))})
        try:
            manager.settimeout(60)
            assert manager.recv(4096).startswith(b"READY=1"), "the server is not ready"
            before = pings(manager, 5 * options.watchdog)
            stuck.touch()
            with socket.create_connection(("127.0.0.1", port)):
                # One message may be on its way.
                pings(manager, options.watchdog)
                meanwhile = pings(manager, 5 * options.watchdog)
                stuck.unlink()
                after = pings(manager, 5 * options.watchdog)
        finally:
            server.kill()
            server.wait()
    say(f"in {5 * options.watchdog:g} s each: {before} pings before, {meanwhile} while a reactor stands still, {after} after")
    print(f"pings of a server with a reactor that stands still: {meanwhile} (bar 0)")
    return 0 if before >= 5 and after >= 5 and meanwhile == 0 else 1


def pings(manager, seconds):
    """Returns the number of messages within some seconds."""
    end = time.monotonic() + seconds
    count = 0
    while (rest := end - time.monotonic()) > 0:
        manager.settimeout(rest)
        try:
            count += manager.recv(4096) == b"WATCHDOG=1"
        except TimeoutError:
            break
    return count
