"""Floods the server in every way that takes memory, first separately and then all at once: it stays below its bound.

The server has all cores and a small cache. The floods are a few processes beside it. The script reads the server's
memory, RssAnon of proc(5), ten times a second. This is the memory in RAM that belongs to no file. Meanwhile another
process requests a cached tile, which must arrive.

A module `memory_….py` of this package adds floods. Its `FLOODS` has a name for each function. A function takes a `Site`
and the seconds after which it must end, and runs in its own process.
"""
import contextlib
import dataclasses
import importlib
import json
import multiprocessing
import pathlib
import pkgutil
import subprocess
import time

from support import nginx, tile, tileserver
from support.machine import allow_descriptors, free_port, need, scratch_directory
from support.probe import Series, probe

from . import crowd, groups, mixes
from .course import watched
from .serving import known, verdict

MIB = 1 << 20
HIT = Series("hit", "/world/0/0/0.png", every=1 / 100, connections=2)
# Connections of all floods together, slightly below the server's limit, because a full server refuses other clients.
CONNECTIONS = 3_000
# Bytes of a tile of the layer `heavy`.
HEAVY = 512 << 10
# Number of hosts that send a tile of the maximum size without its end, and of concurrent requests to each.
ENDLESS, MOST_CONCURRENT = 8, 64
LARGEST = 4 << 20


@dataclasses.dataclass
class Site:
    """The flooded server, and a directory for the flood's own files."""
    url: str
    directory: pathlib.Path
    # Maximum number of connections of a flood.
    connections: int


def floods():
    """Returns all floods of this package by name."""
    package = importlib.import_module(__package__)
    names = sorted(module.name for module in pkgutil.iter_modules(package.__path__) if module.name.startswith("memory_"))
    return {name: flood for module in names
            for name, flood in importlib.import_module(f"{__package__}.{module}").FLOODS.items()}


def arguments(parser):
    parser.add_argument("names", nargs="*", help=f"of {', '.join(floods())} and everything (default: all)")
    parser.add_argument("--seconds", type=int, default=20, help="of each flood (default: 20)")
    parser.add_argument("--memory", type=int, default=64, help="MiB of the cache (default: 64)")
    parser.add_argument("--groups", type=int, nargs="+", metavar="MIB",
                        help="in control groups of so many MiB each, one mix of requests after the other (as root)")
    parser.add_argument("--mixes", nargs="+", choices=mixes.MIXES, default=["ordinary", "hostile"],
                        help="with --groups (default: ordinary hostile)")
    parser.add_argument("--limit", type=int, help="MiB of server.memory (default: 1.25 times the cache's and 256)")


def run(options):
    names = floods()
    known(options.names, [*names, "everything"])
    if options.groups:
        return verdict(groups.run(options.program, options.groups, options.mixes, options.seconds), "kept")
    chosen = [[name] for name in names if name in (options.names or names)]
    if "everything" in (options.names or ["everything"]):
        chosen.append(list(names))
    return verdict(flooded(options.program, chosen, options.memory, options.limit, options.seconds), "within the bound")


def flooded(program, chosen, memory, limit=None, seconds=20):
    """Runs each list of floods at once, each on its own server, and prints a line for each. Returns whether all
    held."""
    need(nginx="nginx-light", wrk="wrk")
    allow_descriptors(20_000)
    limit = limit or memory * 5 // 4 + 256
    has_key = has_memory_key(program)
    print(f"MiB of the process with a cache of {memory} MiB, {seconds} s each; bound {limit} MiB, "
          f"{'server.memory' if has_key else 'which this program has no key for'}\n")
    print(f"{'flood':24} {'peak':>7}  {'3 s after':>10} {'hits, p99 ms':>13} {'client late':>12}  no hits")
    all_floods, held = floods(), True
    for names in chosen:
        with site(program, memory, limit if has_key else None) as (server, place):
            name = names[0] if len(names) == 1 else "everything"
            if len(names) > 1:
                place.connections //= 3
            with watched(server.anon_bytes) as course:
                seen = beside(place, [all_floods[name] for name in names], seconds)
            held = line(name, server, limit, course.most, seen) and held
    return held


def line(name, server, limit, peak, seen):
    """Prints a flood's result. Returns whether the memory stayed below its bound, the server lives and every hit
    arrived."""
    time.sleep(3)
    if server.process.poll() is not None:
        print(f"{name:24} the server ended with status {server.process.returncode}*", flush=True)
        return False
    peak, after = peak / MIB, server.anon_bytes() / MIB
    above = peak > limit
    print(f"{name:24} {peak:>7.0f}{'*' if above else ' '} {after:>10.0f} {seen.p99:>13.1f} {seen.late:>12.1f}  "
          f"{json.dumps(seen.unwell) + '*' if seen.unwell else ''}", flush=True)
    return not above and not seen.unwell


def beside(place, flooding, seconds):
    """Returns the results of requests for a cached tile during the floods."""
    context = multiprocessing.get_context("fork")
    processes = [context.Process(target=flood, args=(place, seconds)) for flood in flooding]
    probe(place.url, [HIT], 0.2)
    for process in processes:
        process.start()
    try:
        return probe(place.url, [HIT], seconds)["hit"]
    finally:
        for process in processes:
            process.join(10)
            process.kill()
            process.join()


@contextlib.contextmanager
def site(program, memory, limit):
    """A server with everything that can be flooded, a disk cache and an upstream."""
    endless = [f"127.0.0.{number + 2}:{port}" for port in [free_port()] for number in range(ENDLESS)]
    with scratch_directory() as directory, upstream(directory / "upstream", endless) as origin:
        text = configuration(origin.url, endless, directory / "disk", memory, limit)
        with tileserver.TileServer(program, directory / "server", text) as server:
            yield server, Site(server.url, directory, CONNECTIONS)
            server.process.kill()


def upstream(directory, endless):
    """Answers 404 below /missing, a heavy tile below /heavy, and a light tile elsewhere. At the addresses of `endless`
    it sends the largest possible tile without its end."""
    directory.mkdir()
    (directory / "largest.png").write_bytes(tile.png().ljust(LARGEST, b"\0"))
    (directory / "light.png").write_bytes(tile.png())
    (directory / "heavy.png").write_bytes(tile.png(HEAVY, edge=2048))
    return nginx.Nginx(directory, http=f"""
        open_file_cache max=100;
        server {{
            {' '.join(f'listen {address};' for address in endless)}
            limit_rate_after {LARGEST - 65_536}; limit_rate 1;
            location / {{ root {directory}; try_files /largest.png =404; }}
        }}""", server=f"""
        root {directory};
        location /missing/ {{ return 404; }}
        location /heavy/ {{ try_files /heavy.png =404; }}
        location / {{ try_files /light.png =404; }}""")


def configuration(origin, endless, disk, memory, limit):
    disk.mkdir()
    key = f"memory: {limit}MiB, " if limit else ""
    urls = {name: f"{origin}/{name}" for name in ("light", "heavy", "missing")}
    urls |= {f"endless{number}": f"http://{address}" for number, address in enumerate(endless)}
    sources = "".join(
        f'  {name}: {{ url: "{url}/{{z}}/{{x}}/{{y}}.png", maxConcurrent: {MOST_CONCURRENT}'
        f'{", tileSize: 2048" if name == "heavy" else ""} }}\n' for name, url in urls.items())
    return f"""\
server: {{ {key}limits: {{ requestsPerConnection: 1000000000 }} }}
cache: {{ memory: {memory}MiB, disk: {{ path: "{disk}/tiles.sqlite", minFree: 0, maxBytes: 1GiB }} }}
{crowd.LAYERS}  odd: {{ generator: oddColumns }}
{sources}{crowd.MAPS}"""


def has_memory_key(program):
    """Reports whether the program has the key server.memory."""
    schema = subprocess.run([program, "schema"], stdout=subprocess.PIPE, text=True, check=True).stdout
    return "memory" in json.loads(schema)["properties"]["server"].get("properties", {})
