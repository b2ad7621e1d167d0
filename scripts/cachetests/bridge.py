"""A front and a source around the server, with which a suite of HTTP tests can test it through tiles.

    suite's client -> Front -> tileserver -> Source -> suite's origin

The front converts the URL of a test to the URL of a tile, and the source converts it back. The source puts the origin's
response into a picture, and passes the origin's header fields unchanged. The front takes the response out of the
picture. The tested behaviour comes from the server alone: whether it asks the origin, its conditions, the status, Age
and Date.
"""
import http.server
import re
import threading
import urllib.parse

from .message import FRAMING, ask
from .wrapping import unwrap, wrap

# The server writes these fields of a tile itself, and the front passes them on.
SERVERS = {"age", "date"}


class Resource:
    """A URL of the suite and its tile. The suite sends one request for it at a time.

    `number` is the number of the current request. `tags` is {entity tag of the origin: entity tag of the server}.
    `told` has the values of Cache-Control in each of the origin's responses.
    """

    def __init__(self, path, tile):
        self.path = path
        self.tile = tile
        self.number = "0"
        self.tags = {}
        self.told = []


class Bridge:
    """Listens while the block runs. `layers` is {id of a test: its layer}. Set `server` when its address is known."""

    def __init__(self, origin, layers):
        self.origin = urllib.parse.urlsplit(origin)
        self.layers = layers
        self.server = None
        self.resources = {}
        self.tiles = {}
        self.lock = threading.Lock()

    def __enter__(self):
        self._listeners = [Listener("127.0.0.1", Front, self), Listener("0.0.0.0", Source, self)]
        self.url, source = (f"http://127.0.0.1:{listener.server_port}" for listener in self._listeners)
        self.source_port = urllib.parse.urlsplit(source).port
        for listener in self._listeners:
            threading.Thread(target=listener.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *_):
        for listener in self._listeners:
            listener.shutdown()
            listener.server_close()

    def resource(self, path, test):
        with self.lock:
            if path not in self.resources:
                tile = f"/{self.layers[test]}/20/{len(self.resources)}/0.png"
                self.resources[path] = self.tiles[tile] = Resource(path, tile)
            return self.resources[path]


class Listener(http.server.ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 256

    def __init__(self, host, handler, bridge):
        self.bridge = bridge
        super().__init__((host, 0), handler)

    def verify_request(self, request, client_address):
        # The source listens on all addresses, because each layer uses its own loopback address.
        return client_address[0].startswith("127.")

    def handle_error(self, *_):
        # One side has closed the connection. The suite notices that itself.
        pass


class Handler(http.server.BaseHTTPRequestHandler):
    """Calls `answer` for every method."""

    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    def log_message(self, *_):
        pass

    def __getattr__(self, name):
        if name.startswith("do_"):
            return self.answer
        raise AttributeError(name)

    @property
    def bridge(self):
        return self.server.bridge

    def content(self):
        return self.rfile.read(int(self.headers.get("Content-Length", 0)))

    def reply(self, status, reason, fields, body):
        """Sends the fields except those of the framing. A 304 may contain the length of the stored content."""
        bare = status in (204, 304)
        self.send_response_only(status, reason)
        for name, value in fields:
            if name.lower() not in FRAMING - ({"content-length"} if bare else set()):
                self.send_header(name, value)
        if not bare:
            self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if self.command != "HEAD" and not bare:
            self.wfile.write(body)


class Front(Handler):
    """The server for the suite's client."""

    def answer(self):
        path, _, query = self.path.partition("?")
        if not path.startswith("/test/"):
            return self.reply(*ask(self.bridge.origin, self.command, self.path, self.fields(), self.content()))
        resource = self.bridge.resource(path, self.headers["Test-ID"])
        resource.number = self.headers["Req-Num"]
        target = resource.tile + (f"?{query}" if query else "")
        status, reason, own, body = ask(self.bridge.server, self.command, target, self.fields(resource), self.content())
        return self.reply(status, reason, *self.shown(resource, status, own, body))

    def fields(self, resource=None):
        """Returns the client's fields, with the server's entity tags instead of the origin's."""
        for name, value in self.headers.items():
            if resource and name.lower() == "if-none-match":
                for tag, own in resource.tags.items():
                    value = value.replace(tag, own)
            if name.lower() not in FRAMING:
                yield name, value

    def shown(self, resource, status, own, body):
        """Returns (fields, body) for the client."""
        said = {name.lower(): value for name, value in own}
        inside = unwrap(body) if status == 200 else None
        if inside:
            fields, body = inside
            words = {name.lower(): value for name, value in fields}
            shown = [field for field in fields if field[0].lower() not in SERVERS | {"cache-control", "etag"}]
            shown += [field for field in own if field[0].lower() in SERVERS]
            shown += [("Cache-Control", value) for value in self.lifetime(resource, fields, said)]
            if "etag" in words and "etag" in said:
                weak = "W/" if words["etag"].startswith("W/") else ""
                resource.tags[words["etag"]] = weak + said["etag"]
                shown.append(("ETag", words["etag"]))
            return shown, body
        tags = {tag.removeprefix("W/"): theirs for theirs, tag in resource.tags.items()}
        return [(name, tags.get(value, value) if name.lower() == "etag" else value) for name, value in own], body

    @staticmethod
    def lifetime(resource, fields, said):
        """Returns the origin's last Cache-Control that has the server's lifetime, otherwise the one with the picture.

        The server reduces a lifetime at random by up to a tenth.
        """
        seconds = max_age([said.get("cache-control", "")])
        for words in reversed(resource.told):
            life = max_age(words)
            if seconds is not None and life is not None and life - life / 10 - 1 <= seconds <= life:
                return words
        return [value for name, value in fields if name.lower() == "cache-control"]


class Source(Handler):
    """The server's upstream."""

    def answer(self):
        resource = self.bridge.tiles[self.path]
        fields = [*self.headers.items(), ("Req-Num", resource.number)]
        try:
            status, reason, fields, body = ask(self.bridge.origin, self.command, resource.path, fields)
        except ConnectionError:  # the test requires this
            self.close_connection = True
            return
        if 200 <= status < 300 and status != 204:
            body = wrap(fields, body)
        resource.told.append([value for name, value in fields if name.lower() == "cache-control"])
        fields = [(name, value) for name, value in fields if name.lower() != "content-type"]
        self.reply(status, reason, [*fields, ("Content-Type", "image/png")], body)


def max_age(words):
    """Returns the seconds of the first max-age in values of Cache-Control."""
    match = re.search(r"\bmax-age=(\d+)", ", ".join(words))
    return int(match[1]) if match else None
