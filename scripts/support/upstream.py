"""An upstream whose tiles contain their path and version, and which fails on command."""
import functools
import http.server
import random
import threading
import time
import zlib

from .tile import END, GREY, chunk, head

HEAD = head(256, 256, 1, GREY)
PIXELS = chunk(b"IDAT", zlib.compress(b"\0" * (33 * 256), 9)) + END


@functools.lru_cache(maxsize=65_536)
def truth(path, version, largest=16_384):
    """Returns the tile at `path` in this version: a PNG with its own comment, 1 KiB to `largest` bytes long."""
    noise = random.Random(f"{path} {version}")
    text = noise.randbytes(noise.randrange(500, largest // 2)).hex().encode()
    return HEAD + chunk(b"tEXt", b"Comment\0" + text) + PIXELS


def send(handler, status, headers, body=b""):
    """Sends a response with `body` and its length."""
    handler.send_response(status)
    for name, value in {**headers, "Content-Length": len(body)}.items():
        handler.send_header(name, str(value))
    handler.end_headers()
    handler.wfile.write(body)


class Upstream:
    """Listens while the block runs. `mode` is ok, error (500), hang, refuse (closes at once) or garbage."""

    def __init__(self, headers=None, delay=0):
        self.mode = "ok"
        self.version = 1
        self.requests = 0
        self.headers = headers or {}
        self.delay = delay
        self._over = threading.Event()

    def __enter__(self):
        upstream = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            disable_nagle_algorithm = True

            def do_GET(self):
                upstream.answer(self)

            def log_message(self, *_):
                pass

        class Server(http.server.ThreadingHTTPServer):
            daemon_threads = True
            request_queue_size = 4_096

            def handle_error(self, *_):
                # A killed client closes its connection, which is expected here.
                pass

        self._server = Server(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self._server.server_port}"
        threading.Thread(target=self._server.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *_):
        self._over.set()
        self._server.shutdown()
        self._server.server_close()

    def answer(self, handler):
        self.requests += 1
        mode, version = self.mode, self.version
        if mode == "hang":
            self._over.wait(30)
        if mode in ("hang", "refuse"):
            handler.close_connection = True
            return
        time.sleep(self.delay)
        status, body = 200, self.body(handler.path, version)
        if mode == "error":
            status, body = 500, b"broken"
        if mode == "garbage":
            body = b"<html>Welcome to the hotel's network</html>"
        send(handler, status, {"Content-Type": "image/png", **self.headers}, body)

    def body(self, path, version):
        """Returns the right tile for this path in this version."""
        return truth(path, version)
