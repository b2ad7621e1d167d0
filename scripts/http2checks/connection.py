"""A client's end of an HTTP/2 connection that sends any bytes and checks each frame of the server."""
import socket
import ssl
import time

from hpack import Encoder
from hyperframe import frame as frames

from .incoming import PROBE, Answer, Incoming
from .verdict import allows

PREFACE = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
TILE = "/grid/3/2/1.png"
# An image of more than 64 KiB.
LARGE = "/m/static/0,20,3/1024x768.png"
SECONDS = 4


def raw(kind, payload=b"", flags=0, stream=0, length=None):
    """Returns a frame with any header. `length` is the announced length if it differs."""
    size = len(payload) if length is None else length
    return size.to_bytes(3, "big") + bytes((kind, flags)) + stream.to_bytes(4, "big") + payload


class Connection(Incoming):
    """A connection whose frames a case sends one by one."""

    def __init__(self, server, settings=None, greets=True, protocols=("h2",)):
        super().__init__()
        self.server = server
        self.encoder = Encoder()
        context = ssl.create_default_context(cafile=server.identity.file)
        context.set_alpn_protocols(list(protocols))
        connection = socket.create_connection(("127.0.0.1", server.tls_port), SECONDS)
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.socket = context.wrap_socket(connection, server_hostname="localhost")
        if greets:
            self.send(PREFACE, self.settings(settings))
            self.wait(lambda: self.server_settings is not None and self.acknowledged == 1)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.socket.close()

    # Frames

    def send(self, *pieces):
        """Sends frames and bytes in one write."""
        data = b"".join(piece if isinstance(piece, bytes) else piece.serialize() for piece in pieces)
        try:
            self.socket.settimeout(SECONDS)
            self.socket.sendall(data)
        except OSError:
            # The server has closed the connection, and the bytes that it has sent are still to be read.
            pass

    def settings(self, values=None):
        return frames.SettingsFrame(0, settings=values or {})

    def fields(self, *more, without=(), **changes):
        """Returns the fields of a GET of the tile. `path="/"` changes `:path`."""
        pseudo = {"method": "GET", "scheme": "https", "authority": f"localhost:{self.server.tls_port}", "path": TILE}
        pseudo |= changes
        return [(f":{name}", value) for name, value in pseudo.items() if f":{name}" not in without] + list(more)

    def block(self, *more, **changes):
        """Returns the encoded fields of a GET of the tile."""
        return self.encoder.encode(self.fields(*more, **changes))

    def headers(self, stream=1, block=None, flags=("END_HEADERS", "END_STREAM"), **changes):
        return frames.HeadersFrame(stream, data=self.block(**changes) if block is None else block, flags=flags)

    def upload(self, stream=1, *more, **changes):
        """Returns the head of a POST whose content follows."""
        block = self.block(*more, **{"method": "POST", **changes})
        return self.headers(stream, block, flags=("END_HEADERS",))

    def data(self, stream=1, content=b"test", ends=True, **padding):
        flags = [*(["END_STREAM"] if ends else []), *(["PADDED"] if padding else [])]
        return frames.DataFrame(stream, content, flags=flags, **padding)

    def get(self, stream=1, **changes):
        """Sends a GET, whose response is the result."""
        self.awaited = {stream}
        self.send(self.headers(stream, **changes))

    def probe(self):
        """Sends a PING. Its acknowledgement shows that the frames before it were accepted."""
        self.send(frames.PingFrame(0, PROBE))

    # Results

    def wait(self, condition, seconds=SECONDS):
        """Reads frames until the condition holds, the connection ends, or the time is over. Returns the condition."""
        end = time.monotonic() + seconds
        while not condition() and not self.is_closed and (left := end - time.monotonic()) > 0:
            self.read(left)
        return condition()

    def result(self, allowed):
        """Returns the first event that is allowed, or all events if none is."""
        self.wait(lambda: self.goaway or any(allows(allowed, event) for event in self.seen))
        if self.goaway:
            # An error of the connection ends it, also at the level of TCP.
            self.wait(lambda: self.is_closed)
            return f"GOAWAY {self.goaway}" + ("" if self.is_closed else ", no close")
        return next((event for event in self.seen if allows(allowed, event)), ", ".join(self.seen) or "nothing")

    def is_alive(self):
        """Reports whether the server still acknowledges a PING."""
        self.send(frames.PingFrame(0, b"is alive"))
        return self.wait(lambda: b"is alive" in self.pings)

    def answer(self, stream=1):
        """Waits for the whole response of a stream, and returns the response."""
        self.wait(lambda: self.goaway or stream in self.resets or self.has(stream) and self.answers[stream].has_ended)
        return self.answers.get(stream, Answer())

    def read(self, seconds):
        """Reads once, and handles complete frames."""
        self.socket.settimeout(seconds)
        try:
            piece = self.socket.recv(1 << 16)
        except TimeoutError:
            return
        except OSError:
            piece = b""
        if not piece:
            self.is_closed = True
            self.seen.append("close")
            return
        self.take(piece)
