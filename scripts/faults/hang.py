"""Lets a thousand requests hang on a dead upstream, and meanwhile measures cached tiles of another layer."""
import os
import statistics

from support import tile
from support.machine import fetch, need, say, scratch_directory, two_cores, wait_until
from support.raw import connect
from support.tileserver import TileServer
from support.upstream import Upstream
from support.wrk import load

# Maximum slowdown of the slowest hundredth (threats.md T26).
BAR = 1.2
# The load does not saturate the server. With a saturated server the slowest hundredth would mean nothing.
CONNECTIONS = 8


def arguments(parser):
    parser.add_argument("--requests", type=int, default=1_000, help="requests that hang (default: 1000)")
    parser.add_argument("--seconds", type=int, default=2, help="of each measurement; the upstream is given up after 5 (default: 2)")
    parser.add_argument("--rounds", type=int, default=5, help="measurements each way; medians count (default: 5)")


def run(options):
    need(wrk="wrk")
    server_core, load_core = two_cores()
    # The upstream's threads run here, separate from the server.
    os.sched_setaffinity(0, {load_core})
    quiet, busy = [], []
    for _ in range(options.rounds):
        # Use a new server each time, because the breaker of the previous one would let nothing hang.
        with scratch_directory() as directory, Upstream() as upstream:
            (directory / "000.png").write_bytes(tile.png())
            text = f"""\
server: {{ reactors: 1 }}
layers:
  cached: {{ url: "file:{directory}/{{z}}{{x}}{{y}}.png" }}
  dead: {{ url: "{upstream.url}/{{z}}/{{x}}/{{y}}.png", maxConcurrent: 1024, timeout: 60s }}
"""
            with TileServer(options.program, directory, text, core=server_core) as server:
                url = f"{server.url}/cached/0/0/0.png"
                assert fetch(url)[0] == 200

                def measured():
                    return load(url, directory, connections=CONNECTIONS, seconds=options.seconds, core=load_core).p99

                quiet.append(measured())
                upstream.mode = "hang"
                hanging = [hang(server.url, number) for number in range(options.requests)]
                wait_until(lambda: upstream.requests >= options.requests, 60)
                busy.append(measured())
                for connection in hanging:
                    connection.close()
                say(f"p99 {quiet[-1]} µs quiet, {busy[-1]} µs with {upstream.requests} requests hanging")
    ratio = statistics.median(busy) / statistics.median(quiet)
    print(f"p99 of hits with {options.requests} requests hanging: {ratio:.2f} of without (bar {BAR})")
    return 0 if ratio <= BAR else 1


def hang(url, number):
    connection = connect(url)
    connection.sendall(f"GET /dead/12/{number}/0.png HTTP/1.1\r\nHost: a\r\n\r\n".encode())
    return connection
