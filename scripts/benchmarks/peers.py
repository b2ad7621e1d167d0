"""Cached tiles, requested again and again: the server beside nginx, MapCache under Apache, and MapProxy under gunicorn.

These are alternatives to this server. Each has one core and keeps its tiles in memory, or in files in memory. All
processes of a server count. A bare loop over epoll shows the limit for every server.
"""
import statistics
import sys

from support import echo, mapcache, mapproxy, nginx, tile, tileserver
from support.machine import need, scratch_directory, two_cores
from support.raw import read_bytes
from support.wrk import ROWS, load

from .comparison import in_turn, measure, warm

# Places of the tiles, one a row.
Z, X = 12, 2134


def arguments(parser):
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=int, default=5, help="of each server in each round")
    parser.add_argument("--connections", type=int, default=64)
    parser.add_argument("--size", type=int, default=8192, help="bytes of a tile")
    parser.add_argument("--tiles", type=int, default=256, help="different tiles, up to 4096")


def run(options):
    need(nginx="nginx-light", wrk="wrk", taskset="util-linux")
    core, load_core = two_cores()
    body = tile.png(options.size)
    with scratch_directory() as directory, \
            nginx.serving_one_file(directory / "upstream", body, load_core) as upstream, \
            tileserver.TileServer(
                options.program, directory / "tileserver", tileserver.proxy_configuration(upstream.url), core) as ours, \
            nginx.caching_proxy(directory / "nginx", upstream.url, core, open_files=10_000) as proxy, \
            mapcache.MapCache(directory / "mapcache", upstream.url, core) as apache, \
            mapproxy.MapProxy(directory / "mapproxy", upstream.url, core) as gunicorn:
        servers = {
            "tileserver": (ours, tiles_path), "nginx, open_file_cache": (proxy, tiles_path),
            "MapCache, Apache": (apache, apache.path), "MapProxy, gunicorn": (gunicorn, gunicorn.path)}
        for server, path in servers.values():
            for row in range(options.tiles):
                warm(server, path(Z, X, row), body)
        answer = read_bytes(ours.url, tiles_path(Z, X, 0))
        asked = upstream.request_count()
        with echo.serving(directory / "echo", answer, core) as limit:
            servers["bare epoll loop"] = (limit, tiles_path)
            costs = measured(options, servers, directory, load_core)
        if upstream.request_count() != asked + 1:
            sys.exit("the upstream was asked during the run: not everything was a hit")
    report(options, costs)
    return 0


def tiles_path(z, x, y):
    return f"/tiles/{z}/{x}/{y}.png"


def measured(options, servers, directory, load_core):
    """Returns the costs of each server, round by round."""
    def loaded(server, path, seconds):
        return load(server.url, directory, ROWS, options.connections, seconds, load_core,
                    (options.tiles, path(Z, X, "ROW")))

    costs = {name: [] for name in servers}
    for server, path in servers.values():
        loaded(server, path, 1)
    for number in range(options.rounds):
        for name in in_turn(servers, number):
            server, path = servers[name]
            costs[name].append(measure(server, lambda: loaded(server, path, options.seconds)))
    return costs


def report(options, costs):
    print(f"peers: hits of {options.tiles} cached tiles of {options.size:,} bytes, {options.connections} connections, "
          f"each server on one core, all its processes counted; medians of {options.rounds} rounds\n")
    print(f"{'':24} {'CPU µs':>8} {'of ours':>8} {'requests/s':>12} {'p99 µs':>8}")

    def median(name, part):
        return statistics.median(getattr(cost, part) for cost in costs[name])

    for name in costs:
        print(f"{name:24} {median(name, 'cpu'):>8.1f} {median(name, 'cpu') / median('tileserver', 'cpu'):>8.2f} "
              f"{median(name, 'per_second'):>12,.0f} {median(name, 'p99'):>8,.0f}")
