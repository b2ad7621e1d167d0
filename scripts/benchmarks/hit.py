"""A cached tile, asked again and again: the server beside nginx with proxy_cache."""
import sys

from support import nginx, tile, tileserver
from support.machine import fetch, need, scratch_directory, two_cores
from support.wrk import load

from .comparison import Comparison, measure

PATH = "/tiles/12/2134/1387.png"


def arguments(parser):
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=int, default=5, help="of each server in each round")
    parser.add_argument("--connections", type=int, default=64)
    parser.add_argument("--size", type=int, default=8192, help="bytes of the tile")
    parser.add_argument("--open-files", action="store_true", help="give nginx an open_file_cache, which helps it")


def run(options):
    need(nginx="nginx-light", wrk="wrk", taskset="util-linux")
    program = tileserver.chosen(options)
    core, load_core = two_cores()
    body = tile.png(options.size)
    with scratch_directory() as directory, \
            nginx.serving_one_file(directory / "upstream", body, load_core) as upstream, \
            nginx.caching_proxy(directory / "nginx", upstream.url, core, open_files=options.open_files * 1000) as peer, \
            tileserver.TileServer(
                program, directory / "tileserver", tileserver.proxy_configuration(upstream.url), core) as ours:
        for server, field, word in ((ours, "Cache-Status", "hit"), (peer, "X-Cache", "HIT")):
            _warm(server, body, field, word)

        def loaded(server, seconds):
            return load(server.url + PATH, directory, "", options.connections, seconds, load_core)

        for server in (ours, peer):
            loaded(server, 1)
        asked = upstream.request_count()
        table = Comparison(
            f"hit: one cached tile of {len(body):,} bytes, {options.connections} connections, each server on one core",
            bar=0.70, aim=0.60)
        for number in range(options.rounds):
            # Neither is always the first.
            pair = (ours, peer) if number % 2 == 0 else (peer, ours)
            costs = {server: measure(server, lambda: loaded(server, options.seconds)) for server in pair}
            table.add(costs[ours], costs[peer])
        if upstream.request_count() != asked + 1:
            sys.exit("the upstream was asked during the run: not everything was a hit")
        return table.finish()


def _warm(server, body, field, word):
    for _ in range(2):
        status, headers, answer = fetch(server.url + PATH)
        if status != 200 or answer != body:
            sys.exit(f"{server.url}{PATH} answered {status} and {len(answer)} bytes")
    if word not in headers.get(field, ""):
        sys.exit(f"{server.url}{PATH} is no hit: {field}: {headers.get(field)}")
