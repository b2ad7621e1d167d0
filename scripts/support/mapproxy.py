"""MapProxy under gunicorn, both from PyPI, in their own environment: a tile cache in front of an upstream."""
from .machine import ProgramGroup, free_port
from .pypi import environment

# Fixed versions, because other versions give other measurements.
PACKAGES = ("MapProxy==7.0.0", "gunicorn==27.0.1")

CONFIGURATION = """\
services: {{ tms: {{ use_grid_names: true, origin: nw }} }}
layers: [{{ name: tiles, title: tiles, sources: [files] }}]
caches:
  files:
    sources: [upstream]
    grids: [GLOBAL_WEBMERCATOR]
    meta_size: [1, 1]
    meta_buffer: 0
    request_format: image/png
    cache: {{ type: file, directory: "{directory}/cache" }}
sources:
  upstream:
    type: tile
    url: "{upstream}/%(z)s/%(x)s/%(y)s.png"
    grid: GLOBAL_WEBMERCATOR
globals:
  cache: {{ base_dir: "{directory}", lock_dir: "{directory}/locks", tile_lock_dir: "{directory}/tile_locks" }}
"""


class MapProxy(ProgramGroup):
    """One worker process of gunicorn with eight threads, because the other servers have one core too. The cache is in
    `directory`."""

    def __init__(self, directory, upstream, core=None):
        (directory / "cache").mkdir(parents=True)
        (directory / "mapproxy.yaml").write_text(CONFIGURATION.format(directory=directory, upstream=upstream))
        (directory / "tiles.py").write_text(
            "from mapproxy.wsgiapp import make_wsgi_app\n"
            f"application = make_wsgi_app({str(directory / 'mapproxy.yaml')!r})\n")
        port = free_port()
        super().__init__(
            # gunicorn keeps a socket in its user's home.
            ["env", f"HOME={directory}", installed() / "gunicorn", "--bind", f"127.0.0.1:{port}",
             "--worker-class", "gthread", "--workers", 1, "--threads", 8, "--keep-alive", 300,
             "--worker-tmp-dir", directory, "--chdir", directory, "tiles:application"],
            f"http://127.0.0.1:{port}", directory / "gunicorn.log", core)

    @staticmethod
    def path(z, x, y):
        return f"/tiles/tiles/GLOBAL_WEBMERCATOR/{z}/{x}/{y}.png"


def installed():
    """Returns the directory of the environment's programs. Makes the environment if it is missing."""
    return environment("mapproxy", PACKAGES).parent
