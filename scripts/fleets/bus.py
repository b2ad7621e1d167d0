"""A proxy between nodes and Redis that loses messages of the stream, for each node separately, like a bad network."""
import contextlib
import random
import socket
import threading


class LossyBus:
    """Listens while the block runs. Loses entries of XREAD replies with the probability `loss` in [0, 1]."""

    def __init__(self, loss, seed=15, streams=(b"bus",)):
        self.loss = loss
        self.passed = self.lost = 0
        # Suffixes of the keys whose entries may be lost.
        self._streams = streams
        self._chance = random.Random(f"bus {seed}")
        self._lock = threading.Lock()

    def lead_to(self, port):
        self._redis = port

    def __enter__(self):
        self._listener = listening(self._serve)
        self.port = self._listener.getsockname()[1]
        return self

    def __exit__(self, *_):
        # Ends the wait in accept.
        shut_down(self._listener)
        self._listener.close()

    def _serve(self, client):
        with client, contextlib.suppress(OSError), connected(client, self._redis) as redis:
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
        # The last XREAD as a list of its words. Empty on a connection for other commands.
        self.asked = None

    def pass_commands(self):
        with contextlib.suppress(OSError):
            stream = self.client.makefile("rb", buffering=1 << 16)
            while line := stream.readline():
                command = read(stream, line)
                if isinstance(command, list) and command[0].upper() == b"XREAD":
                    self.asked = command
                self.redis.sendall(written(command))
        shut_down(self.client, self.redis)

    def pass_replies(self):
        stream = self.redis.makefile("rb", buffering=1 << 16)
        while line := stream.readline():
            reply = read(stream, line)
            if self.asked and isinstance(reply, list) and reply and all(isinstance(one, list) and len(one) == 2 for one in reply):
                reply = self.thinned(reply)
                if not reply:
                    # All entries are lost: the node gets no reply, and the proxy asks Redis for later entries.
                    self.redis.sendall(written(self.asked))
                    continue
            self.client.sendall(written(reply))

    def thinned(self, streams):
        """Returns the reply to XREAD, [[key, [[id, [field, value…]]…]]…], without the lost entries."""
        kept = []
        keys = self.asked[self.asked.index(next(word for word in self.asked if word.upper() == b"STREAMS")) + 1:]
        count = len(keys) // 2
        for key, entries in streams:
            passed = [entry for entry in entries if not self.bus.loses(key)]
            kept += [[key, passed]] if passed else []
            place = len(self.asked) - count + keys[:count].index(key)
            self.asked[place] = entries[-1][0]
        return kept


def listening(serve):
    """A listener that serves each of its connections in its own thread."""
    listener = socket.create_server(("127.0.0.1", 0), backlog=64)

    def accept():
        with contextlib.suppress(OSError):
            while True:
                client, _ = listener.accept()
                threading.Thread(target=serve, args=(client,), daemon=True).start()

    threading.Thread(target=accept, daemon=True).start()
    return listener


def connected(client, port):
    """Opens a connection to Redis for this client. Both may send at once."""
    redis = socket.create_connection(("127.0.0.1", port))
    for one in (client, redis):
        one.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return redis


def shut_down(*connections):
    for one in connections:
        with contextlib.suppress(OSError):
            one.shutdown(socket.SHUT_RDWR)


def read(stream, line):
    """Returns the RESP2 value that begins with `line`: bytes, a list, None in a list for a null list, or the line of a
    simple value."""
    kind, rest = line[:1], line[1:-2]
    if kind == b"$":
        return None if rest == b"-1" else stream.read(int(rest) + 2)[:-2]
    if kind == b"*":
        return _NO_LIST if rest == b"-1" else [read(stream, stream.readline()) for _ in range(int(rest))]
    return _Simple(line)


class _Simple(bytes):
    """An unchanged line: an integer, a status or an error."""


_NO_LIST = _Simple(b"*-1\r\n")


def written(value):
    if isinstance(value, _Simple):
        return bytes(value)
    if isinstance(value, list):
        return b"*%d\r\n" % len(value) + b"".join(map(written, value))
    return b"$-1\r\n" if value is None else b"$%d\r\n%s\r\n" % (len(value), value)
