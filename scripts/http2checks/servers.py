"""The servers that answer the cases: the server of this project, nghttpd and nginx with the same files."""
import contextlib
import urllib.parse

from support import nginx, tileserver
from support.machine import Program, fetch, free_port

from .connection import LARGE, TILE

OWN = "this server"
# A head has less time than by default, so that no case waits long for this limit.
LAYERS = """
server: { limits: { headTimeout: 2s } }
layers:
  grid: { generator: grid }
  world: { generator: world }
maps: { m: { layers: [world, grid] } }
"""


class Nghttpd(Program):
    """nghttpd, the example server of nghttp2, with the files of a directory."""

    def __init__(self, directory, root, identity):
        self.identity, self.tls_port = identity, free_port()
        super().__init__(
            ["nghttpd", "--address", "127.0.0.1", "--htdocs", root, self.tls_port, identity.key, identity.file],
            f"https://127.0.0.1:{self.tls_port}", directory / "nghttpd.log")


@contextlib.contextmanager
def running(program, directory, identity):
    """Starts the three servers. Returns them by name."""
    server = tileserver.TileServer(program, directory / "server", LAYERS, identity=identity)
    server.identity, server.tls_port = identity, urllib.parse.urlsplit(server.tls_url).port
    with server:
        root = directory / "root"
        for path in (TILE, LARGE):
            file = root / path[1:]
            file.parent.mkdir(parents=True)
            file.write_bytes(fetch(server.tls_url + path, context=identity.client())[2])
        port = free_port()
        proxy = nginx.Nginx(directory / "nginx", server=f"""
        listen 127.0.0.1:{port} ssl http2;
        ssl_certificate {identity.file};
        ssl_certificate_key {identity.key};
        root {root};""")
        proxy.identity, proxy.tls_port = identity, port
        with Nghttpd(directory, root, identity) as nghttpd, proxy:
            yield {OWN: server, "nghttpd": nghttpd, "nginx": proxy}
