"""Tiles of a PMTiles archive: the server beside itself with the same tiles in an MBTiles file.

The program exports the tiles of one zoom into both files. Each measured tile is requested for the first time.
"""
import subprocess
import sys

from support import tileserver
from support.machine import need, scratch_directory, two_cores
from support.wrk import NUMBERED, load

from .comparison import Comparison, in_turn, measure

WARM_UP = 2_000
ZOOM = 9


def arguments(parser):
    parser.add_argument("--rounds", type=int, default=4)
    parser.add_argument("--requests", type=int, default=60_000, help="of each file in each round")
    parser.add_argument("--connections", type=int, default=16)


def export(program, directory, ending):
    """Writes the tiles into a file. Returns its path."""
    path = directory / f"grid.{ending}"
    (directory / "export.yaml").write_text("layers: { grid: { generator: grid } }\n")
    words = [program, "export", "grid", "--config", directory / "export.yaml", "--zooms", str(ZOOM), "--to", path]
    if subprocess.run(words, stderr=subprocess.DEVNULL, stdin=subprocess.DEVNULL).returncode != 0:
        sys.exit(f"the tiles could not be exported to {path}")
    return path


def run(options):
    need(wrk="wrk", taskset="util-linux")
    if options.rounds * (options.requests + WARM_UP) > 4 ** ZOOM:
        sys.exit(f"more requests than the {4 ** ZOOM:,} tiles of zoom {ZOOM}")
    core, load_core = two_cores()
    with scratch_directory() as directory:
        files = {kind: export(options.program, directory, kind) for kind in ("pmtiles", "mbtiles")}
        layers = "".join(f"  {kind}: {{ {kind}: {path} }}\n" for kind, path in files.items())
        text = f"server: {{ reactors: 1, limits: {{ requestsPerConnection: 1000000 }} }}\nlayers:\n{layers}"
        with tileserver.TileServer(options.program, directory / "server", text, core) as server:

            def cost(kind, number):
                def loaded(first, count):
                    return load(server.url, directory, NUMBERED, options.connections, 600, load_core,
                                (f"/{kind}/{ZOOM}/%d/%d.png", 2 ** ZOOM, 1, first, count))

                first = number * (options.requests + WARM_UP)
                loaded(first, WARM_UP)
                return measure(server, lambda: loaded(first + WARM_UP, options.requests))

            table = Comparison(
                f"pmtiles: {options.requests:,} tiles of {files['pmtiles'].stat().st_size // 4 ** ZOOM:,} bytes on "
                f"average, each requested once, {options.connections} connections, the server on one core", bar=1.2,
                names=("pmtiles", "mbtiles"))
            for number in range(options.rounds):
                costs = {kind: cost(kind, number) for kind in in_turn(files, number)}
                table.add(costs["pmtiles"], costs["mbtiles"])
            return table.finish()
