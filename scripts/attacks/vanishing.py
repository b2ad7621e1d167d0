"""Clients whose network disappears without notice, so that no packet arrives in either direction."""
import contextlib
import ctypes
import os
import socket
import subprocess
import time

from support import http2
from support.machine import wait_until
from support.raw import connect
from support.tileserver import TileServer

from .listeners import REQUEST, ask
from .verdict import Skipped, expect

# Addresses for tests of networks (RFC 2544).
SERVER, CLIENT = "198.18.0.1", "198.18.0.2"
CLONE_NEWNET = 0x40000000
LISTENER = """\
server: { host: 0.0.0.0, h2c: true, limits: { listeners: 1, writeStall: 2s } }
layers:
  solid: { generator: solid }
"""


def vanished(program, directory):
    """A listener that disappears from the network without notice, and another that needs its place."""
    return disappear(program, directory, ask)


def vanished_http2(program, directory):
    """A listener over HTTP/2 that disappears from the network without notice."""
    return disappear(program, directory, ask_http2)


def disappear(program, directory, ask):
    with network() as namespace, TileServer(program, directory, LISTENER) as server:
        with socket_in(namespace) as listener:
            listener.settimeout(10)
            listener.connect((SERVER, server.port))
            expect(ask(listener) == b"200", "the listener was not let in")
            expect(status(server) == b"503", "a second listener was let in")
            run("ip", "-n", namespace, "route", "add", "blackhole", f"{SERVER}/32")
            began = time.monotonic()
            is_free = wait_until(lambda: status(server) != b"503", 60, 0.5)
            expect(is_free, "a listener that vanished still has its place after a minute")
            took = time.monotonic() - began
    return f"its place was given back {took:.0f} s later: a heartbeat every 15 s, and 2 s for what is not confirmed"


def ask_http2(listener):
    """Begins a stream of events. Returns its status. The socket's timeout bounds the wait."""
    listener.sendall(http2.PREFACE + http2.settings() + http2.request(1, "/events"))
    frames = http2.Frames()
    while piece := listener.recv(1 << 16):
        for kind, _, _, payload in frames.take(piece):
            if kind == http2.HEADERS:
                return b"200" if payload[0] == http2.STATUS_200 else b"other"
    return b"closed"


def status(server):
    with connect(server.url) as connection:
        connection.sendall(REQUEST % b"")
        return connection.recv(12)[9:]


@contextlib.contextmanager
def network():
    """A network namespace that is connected to the current one. Yields its name. This namespace has the address SERVER,
    the other one CLIENT."""
    if os.geteuid() != 0:
        raise Skipped("making networks needs root")
    namespace, here = f"tileserver-{os.getpid()}", f"ts{os.getpid()}"
    try:
        run("ip", "netns", "add", namespace)
    except (OSError, subprocess.CalledProcessError) as error:
        raise Skipped("cannot make a network namespace") from error
    try:
        try:
            run("ip", "link", "add", here, "type", "veth", "peer", "name", "away", "netns", namespace)
        except subprocess.CalledProcessError as error:
            raise Skipped("cannot join a network namespace") from error
        run("ip", "address", "add", f"{SERVER}/30", "dev", here)
        run("ip", "link", "set", here, "up")
        run("ip", "-n", namespace, "address", "add", f"{CLIENT}/30", "dev", "away")
        run("ip", "-n", namespace, "link", "set", "away", "up")
        yield namespace
    finally:
        # The kernel removes the other end too.
        subprocess.run(["ip", "link", "delete", here], capture_output=True)
        subprocess.run(["ip", "netns", "delete", namespace], capture_output=True)


def run(*words):
    subprocess.run(words, check=True, capture_output=True)


def socket_in(namespace):
    """Opens a socket in the namespace. A socket belongs to its thread's namespace, so the thread enters it and returns
    at once."""
    libc = ctypes.CDLL(None, use_errno=True)
    with open("/proc/thread-self/ns/net", "rb") as here, open(f"/run/netns/{namespace}", "rb") as there:
        if libc.setns(there.fileno(), CLONE_NEWNET) != 0:
            raise Skipped("cannot enter a network namespace")
        try:
            return socket.socket()
        finally:
            libc.setns(here.fileno(), CLONE_NEWNET)


ATTACKS = [vanished, vanished_http2]
