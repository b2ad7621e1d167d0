"""Effects of event listeners on the server and on each other."""
import concurrent.futures
import contextlib
import socket
import threading
import time

from support.machine import beside, wait_until
from support.raw import connect
from support.tileserver import TileServer

from .crowd import PATIENCE, SOLID, ask_for_tiles, need_descriptors
from .verdict import expect

MIB = 1 << 20
LIMIT = 1_000
REQUEST = b"GET /events HTTP/1.1\r\nHost: localhost\r\n%s\r\n"


def listeners(program, directory):
    """1,100 listeners that never read, 3,000 clears, and one listener that reads."""
    refused, clears = 100, 3_000
    need_descriptors(2 * LIMIT + 1_024)
    with TileServer(program, directory, SOLID) as server, contextlib.ExitStack() as open_connections:
        honest = Honest(server.url)
        open_connections.callback(honest.close)
        deaf = [open_connections.enter_context(connect_small(server.url)) for _ in range(LIMIT + refused - 1)]
        statuses = [ask(connection) for connection in deaf]
        expect(statuses.count(b"200") == LIMIT - 1, f"{statuses.count(b'200')} listeners got in beside the first")
        expect(statuses.count(b"503") == refused, f"{statuses.count(b'503')} of {refused} were refused")
        before = server.resident_bytes()
        waits = []
        with beside(ask_for_tiles, server.url, "/solid/1/0/0.png", waits):
            began = time.monotonic()
            with concurrent.futures.ThreadPoolExecutor(4) as pool:
                list(pool.map(lambda number: clear_tile(server, number), range(clears)))
            took = time.monotonic() - began
            most = server.resident_bytes()
        heard = honest.wait_for(clears)
        expect(heard == clears, f"the listener that reads heard of {heard} of {clears} clears")
        held = sum(is_held(connection) for connection in deaf[:LIMIT - 1])
        expect(held == 0, f"{held} listeners that read nothing still have their places")
        again = open_connections.enter_context(connect_small(server.url))
        expect(ask(again) == b"200", "no place was given back")
    grown = (most - before) / MIB
    expect(grown < 40, f"{LIMIT} deaf listeners grew the process by {grown:.0f} MiB")
    expect(max(waits) < PATIENCE, f"a cached tile took {max(waits):.2f} s meanwhile")
    return (f"{refused} of {LIMIT + refused} refused; {clears} clears in {took:.1f} s, {grown:+.1f} MiB, the deaf are gone; "
            f"a cached tile took {max(waits) * 1000:.0f} ms at most")


def comeback(program, directory):
    """300 listeners that reset their connections repeatedly, and one that returns with its last event's id."""
    rounds = 20
    need_descriptors(1_024)
    with TileServer(program, directory, SOLID) as server:
        first = Honest(server.url)
        first.wait_for_position()
        first.close()
        last = first.position
        for number in range(rounds):
            crowd = [connect_small(server.url) for _ in range(300)]
            for connection in crowd:
                connection.sendall(REQUEST % b"")
            clear_tile(server, number)
            for connection in crowd:
                # Resets the connection instead of closing it.
                connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")
                connection.close()
            again = Honest(server.url, last)
            heard = again.wait_for(1)
            again.close()
            expect(heard == 1, f"round {number}: {heard} events instead of the one that was missed")
            last = again.position
        for identifier in (b"x" * 4_000, b"-1", b"0-0", b"\xff\xfe", last.split(b"-")[0] + b"-99999999999999999999"):
            stranger = Honest(server.url, identifier)
            stranger.wait_for(1)
            stranger.close()
            expect(b'"reset"' in stranger.text, f"{identifier[:20]!r} was no reason for a reset")
    return f"{300 * rounds} listeners left, {rounds} comebacks missed nothing; foreign ids are a reset"


class Honest:
    """A listener that reads its events."""

    def __init__(self, url, last=None):
        self.text = b""
        self.position = b""
        self.connection = connect(url, timeout=30)
        self.connection.sendall(REQUEST % (b"Last-Event-ID: " + last + b"\r\n" if last else b""))
        self.thread = threading.Thread(target=self.read, daemon=True)
        self.thread.start()

    def read(self):
        with contextlib.suppress(OSError):
            while piece := self.connection.recv(1 << 16):
                self.text += piece

    def wait(self, condition):
        wait_until(condition, 30, 0.01)
        names = [line[4:] for line in self.text.split(b"\n") if line.startswith(b"id: ")]
        self.position = names[-1] if names else b""

    def wait_for_position(self):
        self.wait(lambda: b"id: " in self.text and self.text.endswith(b"\r\n"))

    def wait_for(self, count):
        """Waits until `count` events have arrived, or for a limited time. Returns their number."""
        self.wait(lambda: self.text.count(b"\ndata: ") >= count and self.text.endswith(b"\r\n"))
        return self.text.count(b"\ndata: ")

    def close(self):
        with contextlib.suppress(OSError):
            self.connection.shutdown(socket.SHUT_RDWR)
        self.connection.close()
        self.thread.join()


def connect_small(url):
    """Opens a connection with a small receive buffer."""
    return connect(url, receive=2_048)


def ask(connection):
    """Returns the status of the response to a request for events. Reads nothing more."""
    connection.sendall(REQUEST % b"")
    return connection.recv(12)[9:]


def is_held(connection):
    """Reports whether the server still has the connection. Reads everything before its end."""
    connection.settimeout(2)
    try:
        while connection.recv(1 << 16):
            pass
    except TimeoutError:
        return True
    except OSError:
        pass
    return False


def clear_tile(server, number):
    status, _, body = server.admin(f"/admin/cache/solid/20/{number}/1", "DELETE")
    expect(status == 200, f"a clear was answered {status}: {body!r}")


ATTACKS = [listeners, comeback]
