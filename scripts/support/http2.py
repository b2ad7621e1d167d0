"""Frames of HTTP/2 (RFC 9113) as bytes, and a client that sends any frames. HTTP libraries refuse to send wrong ones."""
import contextlib
import select
import socket
import ssl
import struct
import time
import urllib.parse

PREFACE = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
DATA, HEADERS, PRIORITY, RST_STREAM, SETTINGS, PUSH_PROMISE, PING, GOAWAY, WINDOW_UPDATE, CONTINUATION = range(10)
PRIORITY_UPDATE = 16
ACK = END_STREAM = 1
END_HEADERS = 4
NO_ERROR, PROTOCOL_ERROR, INTERNAL_ERROR, FLOW_CONTROL_ERROR = range(4)
REFUSED_STREAM, CANCEL, ENHANCE_YOUR_CALM = 7, 8, 11
# Identifiers of settings.
HEADER_TABLE_SIZE, ENABLE_PUSH, MAX_CONCURRENT_STREAMS, INITIAL_WINDOW_SIZE, MAX_FRAME_SIZE = range(1, 6)
MOST_WINDOW = (1 << 31) - 1
# The status 200 in the static table of HPACK (RFC 7541, appendix A).
STATUS_200 = 0x88


def frame(kind, flags=0, stream=0, payload=b""):
    return struct.pack(">I", len(payload))[1:] + struct.pack(">BBI", kind, flags, stream) + payload


def settings(**values):
    """Returns SETTINGS with values by the names of the constants above."""
    return frame(SETTINGS, payload=b"".join(struct.pack(">HI", globals()[name], value) for name, value in values.items()))


def window_update(stream, increment):
    return frame(WINDOW_UPDATE, stream=stream, payload=struct.pack(">I", increment))


def reset(stream, code=CANCEL):
    return frame(RST_STREAM, stream=stream, payload=struct.pack(">I", code))


def goaway(last, code=NO_ERROR):
    return frame(GOAWAY, payload=struct.pack(">II", last, code))


def priority_update(stream, value):
    return frame(PRIORITY_UPDATE, payload=struct.pack(">I", stream) + value)


def integer(value, bits, first=0):
    """Returns an integer of HPACK with a prefix of `bits` bits (RFC 7541 5.1)."""
    most = (1 << bits) - 1
    if value < most:
        return bytes([first | value])
    out, value = [first | most], value - most
    while value >= 128:
        out.append(value % 128 + 128)
        value //= 128
    return bytes([*out, value])


def field(name, value, indexed=False):
    """Returns a literal field, which `indexed` adds to the dynamic table."""
    return (b"\x40" if indexed else b"\x00") + integer(len(name), 7) + name + integer(len(value), 7) + value


def head(path, method=b"GET", fields=()):
    """Returns the header block of a request."""
    block = field(b":method", method) + b"\x87" + field(b":path", path.encode()) + field(b":authority", b"localhost")
    return block + b"".join(field(name, value) for name, value in fields)


def request(stream, path, method=b"GET", fields=(), ends=True):
    """Returns HEADERS with a whole head."""
    return frame(HEADERS, END_HEADERS | (END_STREAM if ends else 0), stream, head(path, method, fields))


class Frames:
    """Frames that arrive in pieces."""

    def __init__(self):
        self.received = b""

    def take(self, piece):
        """Returns the complete frames as (kind, flags, stream, payload)."""
        self.received += piece
        found, at, received = [], 0, self.received
        while len(received) - at >= 9:
            size = int.from_bytes(received[at:at + 3], "big")
            if len(received) - at - 9 < size:
                break
            kind, flags, stream = struct.unpack_from(">BBI", received, at + 3)
            found.append((kind, flags, stream & MOST_WINDOW, received[at + 9:at + 9 + size]))
            at += 9 + size
        self.received = received[at:]
        return found


def context(certificate):
    """Returns the settings of a TLS client of HTTP/2. `certificate` is the file of the only trusted certificate."""
    made = ssl.create_default_context(cafile=certificate)
    made.set_alpn_protocols(["h2"])
    return made


class Client:
    """A connection that sends any bytes, and counts what the server sends. Use it with `with`."""

    def __init__(self, url, context, beginning=None, source=None, receive=None, timeout=10):
        """Connects. Sends `beginning` after the preface, by default empty SETTINGS."""
        address = urllib.parse.urlsplit(url)
        plain = socket.socket()
        try:
            plain.settimeout(timeout)
            plain.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            if receive:
                plain.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive)
            if source:
                plain.bind((source, 0))
            plain.connect((address.hostname, address.port))
            self.socket = context.wrap_socket(plain, server_hostname="localhost")
        except OSError:
            plain.close()
            raise
        self.poll = select.poll()
        self.poll.register(self.socket, select.POLLIN)
        self.timeout = timeout
        self.frames = Frames()
        self.stream = -1
        self.isOpen = True
        # Streams whose response began, and its status if it is 200.
        self.statuses = {}
        self.resets = {}
        self.ended = set()
        self.content = 0
        self.pings = 0
        self.goaways = []
        self.acknowledges = True
        self.send(PREFACE + (settings() if beginning is None else beginning))

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def close(self):
        self.isOpen = False
        self.socket.close()

    def fileno(self):
        return self.socket.fileno()

    def next(self):
        """Returns the number of a new stream."""
        self.stream += 2
        return self.stream

    def send(self, data):
        """Sends bytes. Returns false if the connection is closed, or if the server takes nothing."""
        if not self.isOpen:
            return False
        try:
            self.socket.settimeout(self.timeout)
            self.socket.sendall(data)
        except OSError:
            self.isOpen = False
        return self.isOpen

    def read(self, seconds=0):
        """Reads what has arrived, or waits so long for bytes. Returns false if the server has closed."""
        if self.isOpen and (self.socket.pending() or self.poll.poll(seconds * 1_000)):
            self.socket.settimeout(0)
            try:
                while piece := self.socket.recv(1 << 16):
                    self._take(piece)
                self.isOpen = False
            except ssl.SSLWantReadError:
                pass
            except OSError:
                self.isOpen = False
        return self.isOpen

    def read_until(self, condition, seconds):
        """Reads until `condition()` holds. Returns whether it does."""
        end = time.monotonic() + seconds
        while not condition() and time.monotonic() < end and self.read(0.05):
            pass
        return condition()

    def _take(self, piece):
        for kind, flags, stream, payload in self.frames.take(piece):
            if kind == HEADERS:
                self.statuses.setdefault(stream, 200 if payload[:1] == bytes([STATUS_200]) else 0)
            elif kind == DATA:
                self.content += len(payload)
            elif kind == RST_STREAM:
                self.resets[stream] = int.from_bytes(payload, "big")
            elif kind == GOAWAY:
                self.goaways.append(int.from_bytes(payload[4:8], "big"))
            elif kind == PING and flags & ACK:
                self.pings += 1
            elif kind == SETTINGS and not flags & ACK and self.acknowledges:
                with contextlib.suppress(OSError):
                    self.socket.settimeout(1)
                    self.socket.sendall(frame(SETTINGS, ACK))
                    self.socket.settimeout(0)
            if kind in (HEADERS, DATA) and flags & END_STREAM:
                self.ended.add(stream)
