"""A proxy process between nodes and Redis that makes replies of Redis late, cut, flipped, doubled, crossed or silent.

    python3 -m fleets.lies PORT SEED

Connects to Redis at PORT and prints the port that it listens at. Reads one lie a line, and prints how many replies
the previous lie has changed.
"""
import contextlib
import json
import pathlib
import queue
import random
import subprocess
import sys
import threading
import time

from .bus import connected, listening, read, shut_down, written

KINDS = ("late", "cut", "flipped", "doubled", "crossed", "silent")
# Maximum seconds for which a reply waits to change places with another.
LONGEST_WAIT = 0.05


class LyingRedis:
    """Runs the proxy as a process while the block runs. It is the `bus` of a `Fleet`. It passes replies unchanged until
    `tell` names a lie."""

    def __init__(self, seed=27):
        self.seed = seed
        self.process = None

    def __enter__(self):
        return self

    def lead_to(self, port):
        # A separate process, because the threads of a scene's clients would delay replies beyond `fleet.timeout`.
        self.process = subprocess.Popen(
            [sys.executable, "-m", "fleets.lies", str(port), str(self.seed)], text=True, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            cwd=pathlib.Path(__file__).resolve().parents[1])
        self.port = int(self.process.stdout.readline())

    def __exit__(self, *_):
        if self.process:
            self.process.stdin.close()
            self.process.wait(timeout=20)

    def tell(self, kind=None, one_in=1, seconds=0.15, tile="", times=None):
        """Changes one reply in `one_in` from now on. Without a `kind` the replies are true. `seconds` is the delay of a
        late reply. With `tile`, ":z/x/y@" of its key, only nodes that ask for the lock of this tile get lies. `times`
        is the maximum number of lies. Returns the number of replies that the previous lie has changed."""
        print(json.dumps([kind, one_in, seconds, tile, times]), file=self.process.stdin, flush=True)
        return json.loads(self.process.stdout.readline())


class Liar:
    """The current lie, for all connections."""

    def __init__(self, port, seed):
        self.port, self.seed = port, seed
        self.lock = threading.Lock()
        self.connections = self.told = 0
        self.kind = None

    def tell(self, kind, one_in, seconds, tile, times):
        assert kind is None or kind in KINDS, kind
        with self.lock:
            told, self.told = self.told, 0
            self.kind, self.one_in, self.seconds, self.left = kind, one_in, seconds, times
            self.tile = tile.encode()
        return told

    def chosen(self, command, reply, chance):
        """Returns (kind, seconds) of the lie about the reply to this command. A kind of None means the truth."""
        with self.lock:
            if self.kind is None or self.left == 0 or self.tile and not asks_for_lock(command, self.tile, reply):
                return None, 0
            if self.one_in > 1 and chance.random() * self.one_in >= 1:
                return None, 0
            self.left = self.left and self.left - 1
            self.told += 1
            return self.kind, self.seconds

    def serve(self, client):
        with client, contextlib.suppress(OSError), connected(client, self.port) as redis:
            with self.lock:
                self.connections += 1
                connection = Connection(self, client, redis, random.Random(f"lies {self.seed} {self.connections}"))
            for task in (connection.pass_commands, connection.pass_replies):
                threading.Thread(target=task, daemon=True).start()
            connection.send_replies()


def asks_for_lock(command, tile, reply):
    """Reports whether a node asks for the lock of a tile. Decides by the names of keys, because the script may
    change."""
    if command[0].upper() not in (b"EVALSHA", b"EVAL") or reply.startswith(b"-"):
        return False
    keys = command[3:3 + int(command[2])]
    return any(b":t:" in key for key in keys) and any(b":l:" in key and tile in key for key in keys)


class Connection:
    def __init__(self, liar, client, redis, chance):
        self.liar, self.client, self.redis, self.chance = liar, client, redis, chance
        # Commands that wait for their replies, in order.
        self.asked = queue.SimpleQueue()
        # (time at which it is due, bytes, kind of the lie). None at the end.
        self.replies = queue.SimpleQueue()

    def pass_commands(self):
        with contextlib.suppress(OSError, ValueError):
            stream = self.client.makefile("rb", buffering=1 << 16)
            while line := stream.readline():
                command = read(stream, line)
                self.asked.put(command)
                self.redis.sendall(written(command))
        shut_down(self.client, self.redis)

    def pass_replies(self):
        with contextlib.suppress(OSError, ValueError):
            stream = self.redis.makefile("rb", buffering=1 << 16)
            while line := stream.readline():
                reply = written(read(stream, line))
                kind, seconds = self.liar.chosen(self.asked.get(), reply, self.chance)
                self.replies.put((time.monotonic() + (seconds if kind == "late" else 0), reply, kind))
        self.replies.put(None)

    def send_replies(self):
        crossed, is_silent = b"", False
        with contextlib.suppress(OSError):
            while True:
                try:
                    item = self.replies.get(timeout=LONGEST_WAIT if crossed else None)
                except queue.Empty:
                    self.client.sendall(crossed)
                    crossed = b""
                    continue
                if item is None:
                    break
                due, reply, kind = item
                time.sleep(max(due - time.monotonic(), 0))
                is_silent = is_silent or kind == "silent"
                if is_silent:
                    continue
                if kind == "cut":
                    self.client.sendall(reply[:max(len(reply) // 2, 1)])
                    break
                if kind == "crossed" and not crossed:
                    crossed = reply
                    continue
                self.client.sendall(self.told(reply, kind) + crossed)
                crossed = b""
        shut_down(self.client, self.redis)

    def told(self, reply, kind):
        if kind == "doubled":
            return reply * 2
        if kind == "flipped":
            place, bit = self.chance.randrange(len(reply)), self.chance.randrange(8)
            return reply[:place] + bytes([reply[place] ^ 1 << bit]) + reply[place + 1:]
        return reply


def main():
    liar = Liar(int(sys.argv[1]), sys.argv[2])
    listener = listening(liar.serve)
    print(listener.getsockname()[1], flush=True)
    for line in sys.stdin:
        print(json.dumps(liar.tell(*json.loads(line))), flush=True)


if __name__ == "__main__":
    main()
