"""New tiles, fetched from an upstream and stored: the server beside nginx with proxy_cache."""
import shutil
import sys
import tempfile

from support import nginx, tile, tileserver
from support.machine import need, scratch_directory, two_cores
from support.wrk import NUMBERED, load

from .comparison import Comparison, in_turn, measure

WARM_UP = 2_000
# Index of the first measured tile, because a run continues for a moment after its last request.
FIRST = 1_000_000


def arguments(parser):
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--requests", type=int, default=60_000, help="of each server in each round, up to 80 million")
    parser.add_argument("--connections", type=int, default=64)
    parser.add_argument("--size", type=int, default=8192, help="bytes of a tile")
    parser.add_argument("--disk", action="store_true", help="with the disk tier behind 64 MiB of memory")
    parser.add_argument(
        "--directory", help="where both keep their files; in memory unless given, where they cost nginx least")


def run(options):
    need(nginx="nginx-light", wrk="wrk", taskset="util-linux")
    core, load_core = two_cores()
    body = tile.png(options.size)
    with scratch_directory() as directory, \
            nginx.serving_one_file(directory / "upstream", body, load_core) as upstream:

        def cost(make):
            """A server that has just started and has an empty cache."""
            home = directory / "server"
            with make(home) as server:
                def loaded(first, count):
                    return load(server.url, directory, NUMBERED, options.connections, 600, load_core,
                                ("/tiles/18/%d/%d.png", 1_024, 1, first, count))

                loaded(0, WARM_UP)
                asked = upstream.request_count()
                result = measure(server, lambda: loaded(FIRST, options.requests))
                if upstream.request_count() - asked - 1 < result.requests:
                    sys.exit(f"{server.url}: the upstream was asked less often than the server: not all were misses")
            shutil.rmtree(home)
            return result

        def ours():
            with tempfile.TemporaryDirectory(dir=options.directory or directory) as files:
                text = tileserver.proxy_configuration(
                    upstream.url, memory="64MiB" if options.disk else "2GiB", disk=options.disk and files)
                return cost(lambda home: tileserver.TileServer(options.program, home, text, core))

        def peer():
            with tempfile.TemporaryDirectory(dir=options.directory or directory) as files:
                return cost(lambda home: nginx.caching_proxy(home, upstream.url, core, cache=files))

        table = Comparison(
            f"miss: {options.requests:,} different tiles of {len(body):,} bytes, fetched from an upstream on the "
            f"same machine and stored, {options.connections} connections, each server on one core", bar=0.70)
        for number in range(options.rounds):
            costs = {side: side() for side in in_turn((ours, peer), number)}
            table.add(costs[ours], costs[peer])
        return table.finish()
