"""Attacks by TLS clients: unfinished handshakes, floods of handshakes, and messages of TLS itself."""
import contextlib
import json
import os
import re
import ssl
import time
import urllib.parse

from support import certificate, tlsattack, tlsclient
from support.machine import fetch, two_cores
from support.probe import Series, probe
from support.raw import connect
from support.tileserver import TileServer

from .crowd import need_descriptors
from .halves import crowd
from .verdict import expect

MIB = 1 << 20
# MiB of server.memory. With the larger bound, the limit of connections is above the crowds of this module.
BOUND, CROWD_BOUND = 96, 256
CONFIGURATION = """\
server: {{ reactors: 1, memory: {}MiB }}
cache: {{ memory: 16MiB }}
layers:
  solid: {{ generator: solid }}
"""
PATH = "/solid/1/0/0.png"
HIT = Series("hit", PATH, every=1 / 200, connections=4)
# Maximum milliseconds of the slowest hundredth of hits: twice a quiet server's, plus this.
HITS = 5
SECONDS = 5
COUNT = 1_000
NEWCOMERS = 100


@contextlib.contextmanager
def quiet_server(program, directory, bound=BOUND):
    """Starts a server, and yields the server, its certificate and the results of hits without an attack.

    The server has a core of its own, because an attacker has another machine.
    """
    identity = certificate.make(directory / "identity")
    core, load_core = two_cores()
    with on_core(load_core), TileServer(
            program, directory, CONFIGURATION.format(bound), core, identity=identity) as server:
        hits(server, identity, 0.5)
        yield server, identity, hits(server, identity, SECONDS)


@contextlib.contextmanager
def on_core(core):
    """Runs the block, and the processes and threads that it starts, on one core."""
    cores = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {core})
    try:
        yield
    finally:
        os.sched_setaffinity(0, cores)


def hits(server, identity, seconds):
    """Returns the results of requests for a cached tile, over kept TLS connections."""
    return probe(server.tls_url, [HIT], seconds, certificate=identity.file)["hit"]


def judged(server, quiet, seen, bound=BOUND):
    """Fails if hits were slower than their bar or if the process took more memory than its bound."""
    bar, memory = 2 * quiet.p99 + HITS, server.anon_bytes() / MIB
    expect(not seen.unwell, f"other clients got {json.dumps(seen.unwell)}")
    expect(seen.p99 <= bar, f"p99 of hits {seen.p99:.1f} ms, {quiet.p99:.1f} alone, at most {bar:.1f}")
    expect(memory <= bound, f"the process takes {memory:.0f} MiB of at most {bound}")
    return f"p99 of hits {seen.p99:.1f} ms, {quiet.p99:.1f} alone; {memory:.0f} MiB of {bound}"


def handshakes(server):
    """Returns the number of handshakes by result, as the metrics count them."""
    text = server.admin("/metrics")[2].decode()
    return {name: int(count) for name, count in
            re.findall(r'^tileserver_tls_handshakes_total\{result="(\w+)"\} (\d+)', text, re.M)}


def client_hello():
    """Returns the first message of a client."""
    context = ssl.create_default_context()
    sent = ssl.MemoryBIO()
    client = context.wrap_bio(ssl.MemoryBIO(), sent, server_hostname="localhost")
    with contextlib.suppress(ssl.SSLWantReadError):
        client.do_handshake()
    return sent.read()


def half_handshakes(program, directory):
    """1,000 handshakes that begin and never end, from one address, while others get tiles over TLS."""
    return half(program, directory, client_hello())


def half_hellos(program, directory):
    """Like half_handshakes, with half of the client's first message."""
    hello = client_hello()
    return half(program, directory, hello[:len(hello) // 2])


def half(program, directory, beginning):
    need_descriptors(3 * COUNT)

    def begin(url):
        connection = connect(url, source="127.0.9.1")
        with contextlib.suppress(OSError):
            connection.sendall(beginning)
        return connection

    with quiet_server(program, directory, CROWD_BOUND) as (server, identity, quiet):
        with crowd(COUNT, lambda: begin(server.tls_url)) as attacker:
            seen = hits(server, identity, SECONDS)
            longest = newcomers(server, identity)
            verdict = judged(server, quiet, seen, CROWD_BOUND)
            opened = attacker.opened
        counts = handshakes(server)
        closed = counts["failed"] + counts["timeout"]
    return f"{verdict}; a new client's tile took {longest * 1e3:.0f} ms at most; {opened} began, {closed} were closed"


def newcomers(server, identity):
    """Requests a tile over each of `NEWCOMERS` new connections. Returns the longest time in seconds."""
    client, longest = identity.client(), 0
    for number in range(NEWCOMERS):
        began = time.monotonic()
        try:
            with tlsclient.open_connection(server.tls_url, client) as connection:
                status, _ = tlsclient.ask(connection, PATH)
        except OSError as error:
            status = str(error)
        expect(status == 200, f"new client {number} got {status}")
        longest = max(longest, time.monotonic() - began)
    return longest


def flood(program, directory, mode):
    """Runs a mode of tlsattack.c. Returns (verdict, counts of the attacker, handshakes by result)."""
    attacker = tlsattack.build(directory)
    with quiet_server(program, directory) as (server, identity, quiet):
        counts = {}
        with tlsattack.attacking(attacker, mode, server.tls_url, SECONDS + 1, counts):
            time.sleep(0.3)
            seen = hits(server, identity, SECONDS)
        verdict = judged(server, quiet, seen)
        status, _, _ = fetch(server.url + PATH)
        expect(status == 200, f"after the attack a tile was answered {status}")
        return verdict, counts, handshakes(server)


def handshake_flood(program, directory):
    """Full handshakes that are closed at once, as fast as one client can, while others get tiles over TLS."""
    verdict, counts, made = flood(program, directory, "handshakes")
    expect(made["full"] >= counts["done"], f"{counts['done']} handshakes, and the metrics count {made['full']}")
    return f"{verdict}; {counts['done']} handshakes in {SECONDS + 1} s"


def renegotiation(program, directory):
    """A client of TLS 1.2 that asks for another handshake in each connection."""
    verdict, counts, _ = flood(program, directory, "renegotiate")
    expect(counts["refused"] > 0 and counts["done"] == 0,
           f"{counts['done']} renegotiations, {counts['refused']} refused")
    return f"{verdict}; {counts['refused']} renegotiations refused"


def key_updates(program, directory):
    """KeyUpdate messages without end: the server must not serve this client alone."""
    verdict, counts, _ = flood(program, directory, "updates")
    return f"{verdict}; {counts['done']} updates sent, {counts['refused']} floods closed"


def key_requests(program, directory):
    """Like key_updates, with messages that request an update of the server."""
    verdict, counts, _ = flood(program, directory, "requests")
    return f"{verdict}; {counts['done']} updates sent, {counts['refused']} floods closed"


def tiny_records(program, directory):
    """Requests in records of one byte."""
    verdict, counts, _ = flood(program, directory, "tiny")
    return f"{verdict}; {counts['done']} requests in {SECONDS + 1} s, {counts['refused']} floods closed"


def plain_on_tls(program, directory):
    """Plain HTTP and random bytes on the port of HTTPS, which end in one short answer or in none."""
    with quiet_server(program, directory) as (server, identity, quiet):
        port = urllib.parse.urlsplit(server.tls_url).port
        plain = f"http://127.0.0.1:{port}"
        status, _, _ = fetch(plain + PATH)
        expect(status == 400, f"plain HTTP was answered {status}")
        for number in range(200):
            with connect(plain, 5) as connection, contextlib.suppress(ConnectionResetError):
                connection.sendall(bytes((number * 37 + index * 101) % 256 for index in range(300)))
                answer = connection.recv(4_096)
                expect(len(answer) < 64 or answer.startswith(b"HTTP/1.1 400"), f"junk was answered {answer[:40]!r}")
        seen = hits(server, identity, 1)
        return judged(server, quiet, seen)


ATTACKS = [
    half_handshakes, half_hellos, handshake_flood, renegotiation, key_updates, key_requests, tiny_records, plain_on_tls]
