"""A proxy between nodes and Redis that loses messages of the bus: each node for itself, as a bad network would."""
import contextlib
import random
import socket
import threading


class LossyBus:
    """Listens while the block runs. Of the entries that answer XREAD, `loss` in [0, 1] are made into ones that say nothing."""

    def __init__(self, loss, seed=15, streams=(b"bus",)):
        self.loss = loss
        self.passed = self.lost = 0
        # The ends of the keys whose entries may be lost.
        self._streams = streams
        self._chance = random.Random(f"bus {seed}")
        self._lock = threading.Lock()

    def lead_to(self, port):
        self._redis = port

    def __enter__(self):
        self._listener = socket.create_server(("127.0.0.1", 0), backlog=64)
        self.port = self._listener.getsockname()[1]
        threading.Thread(target=self._accept, daemon=True).start()
        return self

    def __exit__(self, *_):
        # Ends the wait in accept.
        with contextlib.suppress(OSError):
            self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()

    def _accept(self):
        with contextlib.suppress(OSError):
            while True:
                client, _ = self._listener.accept()
                threading.Thread(target=self._serve, args=(client,), daemon=True).start()

    def _serve(self, client):
        with client, contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", self._redis)) as redis:
            for one in (client, redis):
                one.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            connection = _Connection(self, client, redis)
            threading.Thread(target=connection.pass_commands, daemon=True).start()
            connection.pass_replies()

    def loses(self, key):
        with self._lock:
            if not key.endswith(self._streams):
                return False
            lost = self._chance.random() < self.loss
            self.lost += lost
            self.passed += not lost
            return lost


class _Connection:
    def __init__(self, bus, client, redis):
        self.bus, self.client, self.redis = bus, client, redis
        # Once a node has asked by XREAD, all answers on its connection are looked at.
        self.reads_stream = False

    def pass_commands(self):
        with contextlib.suppress(OSError):
            while piece := self.client.recv(1 << 16):
                self.reads_stream = self.reads_stream or b"XREAD\r\n" in piece.upper()
                self.redis.sendall(piece)
        for one in (self.client, self.redis):
            with contextlib.suppress(OSError):
                one.shutdown(socket.SHUT_RDWR)

    def pass_replies(self):
        stream = self.redis.makefile("rb", buffering=1 << 16)
        while line := stream.readline():
            reply = read(stream, line)
            self.client.sendall(written(self.thinned(reply) if self.reads_stream else reply))

    def thinned(self, reply):
        """An answer to XREAD, [[key, [[id, [field, value…]]…]]…], in which lost entries keep their ids."""
        if not isinstance(reply, list):
            return reply
        for stream in reply:
            if not (isinstance(stream, list) and len(stream) == 2 and isinstance(stream[1], list)):
                return reply
            stream[1] = [[entry[0], [b"lost", b""]] if self.bus.loses(stream[0]) else entry for entry in stream[1]]
        return reply


def read(stream, line):
    """A value of RESP2 whose first line is `line`: bytes, a list, None in a list for no list, or a simple line as it stands."""
    kind, rest = line[:1], line[1:-2]
    if kind == b"$":
        return None if rest == b"-1" else stream.read(int(rest) + 2)[:-2]
    if kind == b"*":
        return _NO_LIST if rest == b"-1" else [read(stream, stream.readline()) for _ in range(int(rest))]
    return _Simple(line)


class _Simple(bytes):
    """A line as it came: an integer, a status or an error."""


_NO_LIST = _Simple(b"*-1\r\n")


def written(value):
    if isinstance(value, _Simple):
        return bytes(value)
    if isinstance(value, list):
        return b"*%d\r\n" % len(value) + b"".join(map(written, value))
    return b"$-1\r\n" if value is None else b"$%d\r\n%s\r\n" % (len(value), value)
