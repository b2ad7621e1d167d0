"""Attacks with many streams of HTTP/2: streams that never end, that take nothing, or that want much work."""
import contextlib
import random
import re
import signal
import threading
import time

from support import http2
from support.machine import beside, wait_until
from support.upstream import Upstream

from .crowd import need_descriptors
from .http2 import LARGE, LAYERS, PATH, SECONDS, Peak, flood, judged, place, repeat, slow_path
from .verdict import expect

# Connections and streams of the attacker.
COUNT, STREAMS = 1_000, 128
NO_WINDOW = http2.settings(INITIAL_WINDOW_SIZE=0)

WIDE = http2.settings(INITIAL_WINDOW_SIZE=http2.MOST_WINDOW) + http2.window_update(0, 1 << 30)


def limited(limits):
    """Returns the configuration with the limits of clients `limits`."""
    return LAYERS.replace("reactors: 1,", f"reactors: 1, limits: {{ {limits} }},")


def crowd(found, count, beginning, sent, over, seconds=0.2, reads=True, **options):
    """Keeps `count` connections open, each with the bytes `sent(client)`, and replaces those that the server closes. With
    `reads` false, reads nothing, and replaces none."""
    with contextlib.ExitStack() as stack:
        clients = []
        while not over.is_set():
            while len(clients) < count and not over.is_set():
                try:
                    client = found.connect(beginning, timeout=3, **options)
                except OSError:
                    found.counts["refused connections"] += 1
                    break
                clients.append(client)
                stack.callback(client.close)
                found.counts["connections"] += 1
                client.send(sent(client))
            for client in clients if reads else []:
                if not client.read():
                    for code in client.goaways[-1:]:
                        found.counts[f"goaway {code}"] += 1
                    client.close()
            clients = [client for client in clients if client.isOpen]
            found.counts["open at the end"] = len(clients)
            over.wait(seconds)


def crowded(program, directory, sent, beginning=None, count=COUNT, layers=LAYERS, **options):
    """Judges others' hits, and newcomers' over HTTP/2, beside a crowd."""
    need_descriptors(6 * count)
    with place(program, directory, layers) as found:
        peak, ready = Peak(found.server), threading.Event()

        def attack(over):
            crowd(found, count, beginning, sent, over, **options)

        with beside(peak.run), beside(attack):
            # The crowd is complete, or is as large as the server lets it be.
            time.sleep(5)
            seen = found.hits(SECONDS)
            newcomers = [newcomer(found, number) for number in range(20)]
        bad = [answer for answer in newcomers if answer != 200]
        found.counts["newcomers without a tile"] = len(bad)
        text = judged(found, seen, peak)
        expect(not bad, f"{len(bad)} of 20 newcomers over HTTP/2 got no tile, as {bad[0] if bad else ''}; {text}")
        return text


def newcomer(found, number):
    """Requests a tile over a new connection from another address. Returns the status, or why there is none."""
    try:
        with found.connect(source=f"127.0.7.{1 + number}", timeout=3) as client:
            client.send(http2.request(client.next(), PATH))
            client.read_until(lambda: 1 in client.ended, 3)
            return client.statuses.get(1, f"goaway {client.goaways}, open {client.isOpen}")
    except OSError as error:
        return type(error).__name__


def idle_crowd(program, directory):
    """1,000 connections without a request."""
    return crowded(program, directory, lambda client: b"")


def unsent_contents(program, directory):
    """1,000 connections of 128 requests whose content never comes."""
    return crowded(program, directory, lambda client: b"".join(
        http2.request(client.next(), PATH, b"POST", ends=False) for _ in range(STREAMS)))


def one_unsent_content(program, directory):
    """A full server: each connection has one request whose content never comes, also after the timeout of heads."""
    layers = limited("headTimeout: 2s, connections: 200")
    return crowded(program, directory, lambda client: http2.request(client.next(), PATH, b"POST", ends=False), count=250,
                   layers=layers)


def answered_never_ended(program, directory):
    """A full server: each connection's request was answered, and the client never ends it."""
    layers = limited("headTimeout: 1s, connections: 200")
    return crowded(
        program, directory, lambda client: http2.request(
            client.next(), PATH, b"POST", [(b"content-length", b"99999999")], ends=False), count=250, layers=layers)


def bad_heads(program, directory):
    """A full server: each connection has sent a head that is wrong, and nothing more."""
    layers = limited("connections: 200")
    return crowded(program, directory, lambda client: http2.request(client.next(), PATH, fields=[(b"Upper", b"x")]),
                   count=250, layers=layers)


def window_of_zero(program, directory):
    """1,000 connections of 128 tiles, of which the client takes nothing."""
    return crowded(program, directory, lambda client: b"".join(
        http2.request(client.next(), LARGE) for _ in range(STREAMS)), NO_WINDOW)


def never_read_streams(program, directory):
    """1,000 connections of 128 tiles with wide windows, whose sockets nobody reads."""
    return crowded(program, directory, lambda client: b"".join(
        http2.request(client.next(), LARGE) for _ in range(STREAMS)), WIDE, reads=False, receive=4_096)


def held_documents(program, directory):
    """1,000 connections of 128 documents, each another one, of which the client takes nothing."""
    numbers = iter(range(1 << 30))

    def sent(client):
        blocks = (http2.field(b":method", b"GET") + b"\x87" + http2.field(b":path", b"/layers.json")
                  + http2.field(b":authority", b"host%d" % next(numbers)) for _ in range(STREAMS))
        return b"".join(
            http2.frame(http2.HEADERS, http2.END_HEADERS | http2.END_STREAM, client.next(), block) for block in blocks)

    layers = LAYERS + "".join(f"  layer{number}: {{ generator: solid }}\n" for number in range(100))
    return crowded(program, directory, sent, NO_WINDOW, layers=layers)


def window_drip(program, directory):
    """100 streams that take one byte at a time, in windows of one byte."""
    def attack(over, found):
        with found.connect(NO_WINDOW + http2.window_update(0, 1 << 30)) as client:
            found.counts["connections"] += 1
            client.send(b"".join(http2.request(client.next(), LARGE) for _ in range(100)))
            drip = b"".join(http2.window_update(stream, 1) for stream in range(1, 201, 2))
            while not over.is_set() and client.send(drip) and client.read():
                found.counts["sent"] += 100
            found.counts["bytes taken"] += client.content
    return flood(program, directory, attack)


def drip_is_no_progress(program, directory):
    """A stream that takes a byte a second of its response, with writeStall of 2 s."""
    layers = limited("writeStall: 2s, responseTimeout: 8s")
    with place(program, directory, layers) as found, found.connect(NO_WINDOW) as client:
        client.send(http2.request(client.next(), LARGE))
        began = time.monotonic()
        while time.monotonic() - began < 15 and client.isOpen and not client.resets:
            client.send(http2.window_update(1, 1))
            client.read()
            time.sleep(1)
        took = time.monotonic() - began
        expect(client.resets or not client.isOpen, f"the stream lives after {took:.0f} s, {client.content} bytes taken")
        expect(took < 7, f"a drip of one byte a second counted as progress until {took:.0f} s; {client.content} bytes")
        return f"ended after {took:.1f} s and {client.content} bytes"


def content_drip(program, directory):
    """A request's content that comes a byte a second, with a timeout of 3 s."""
    layers = limited("headTimeout: 3s")
    with place(program, directory, layers) as found, found.connect() as client:
        client.send(http2.request(client.next(), PATH, b"POST", ends=False))
        began = time.monotonic()
        while time.monotonic() - began < 9 and client.isOpen and not client.statuses and not client.resets:
            client.send(http2.frame(http2.DATA, 0, 1, b"x"))
            client.read()
            time.sleep(1)
        took = time.monotonic() - began
        expect(took < 6, f"a drip of content lives after {took:.0f} s, with a timeout of 3 s")
        return f"ended after {took:.1f} s"


def events_crowd(program, directory):
    """1,000 connections of 128 listeners to /events."""
    return crowded(program, directory, lambda client: b"".join(
        http2.request(client.next(), "/events") for _ in range(STREAMS)))


def slow_crowd(program, directory):
    """1,000 connections of 128 tiles of an upstream that never answers."""
    with Upstream() as upstream:
        layers = LAYERS + (f"  slow: {{ url: '{upstream.url}/{{z}}/{{x}}/{{y}}.png', allowPrivate: true, "
                           "maxConcurrent: 16, maxZoom: 20 }\n")
        upstream.mode = "hang"
        text = crowded(program, directory, lambda client: b"".join(
            http2.request(client.next(), f"/slow/18/{random.randrange(1 << 18)}/{random.randrange(1 << 18)}.png")
            for _ in range(STREAMS)), layers=layers)
        return f"{text}; {upstream.requests} requests at the upstream"


def reset_crowd(program, directory):
    """Tiles that are drawn, whose streams and connections are reset: the work must end soon after the attack."""
    def make(client):
        streams = [client.next() for _ in range(60)]
        return (b"".join(http2.request(stream, slow_path()) for stream in streams)
                + b"".join(http2.reset(stream) for stream in streams))

    with place(program, directory, draws=True) as found:
        peak = Peak(found.server)

        def attack(over, number):
            while not over.is_set():
                with contextlib.suppress(OSError):
                    repeat(over, found, make, batch=1)

        with beside(peak.run):
            with beside(attack, each=range(2)):
                time.sleep(0.5)
                seen = found.hits(SECONDS)
            began = time.monotonic()

            def is_quiet():
                before = found.server.cpu_seconds()
                time.sleep(0.2)
                return found.server.cpu_seconds() - before < 0.05

            rests = wait_until(is_quiet, 20)
            took = time.monotonic() - began
        found.counts["work after the attack, ms"] = round(took * 1e3)
        text = judged(found, seen, peak)
        expect(rests and took < 5, f"the server still worked {took:.1f} s after the attack; {text}")
        return text


def resets_of_fetches(program, directory):
    """Fetches from a slow upstream that are reset: fetches under way stay within maxConcurrent."""
    with Upstream(delay=0.5) as upstream:
        layers = LAYERS + (f"  slow: {{ url: '{upstream.url}/{{z}}/{{x}}/{{y}}.png', allowPrivate: true, "
                           "maxConcurrent: 8, maxZoom: 20 }\n")

        def make(client):
            stream = client.next()
            return http2.request(
                stream, f"/slow/18/{random.randrange(1 << 18)}/{random.randrange(1 << 18)}.png") + http2.reset(stream)

        def attack(over, found):
            repeat(over, found, make)

        text = flood(program, directory, attack, layers=layers)
        return f"{text}; {upstream.requests} requests at the upstream"


def closed_waits(program, directory):
    """Connections that ask 100 times for a tile that is being fetched, and close: the waits must not pile up."""
    with Upstream() as upstream:
        upstream.mode = "hang"
        layers = LAYERS + (f"  slow: {{ url: '{upstream.url}/{{z}}/{{x}}/{{y}}.png', allowPrivate: true, "
                           "maxConcurrent: 8, maxZoom: 20 }\n")

        def attack(over, found):
            with found.connect() as client:
                found.counts["connections"] += 1
                client.send(b"".join(http2.request(client.next(), "/slow/9/3/3.png") for _ in range(100)))
                client.read(0.005)

        return flood(program, directory, attack, layers=layers)


def errors_with_streams(program, directory):
    """Connections with open streams that end by an error: listeners' places and unread bytes must be given back."""
    layers = LAYERS + "".join(f"  layer{number}: {{ generator: solid }}\n" for number in range(100))
    error = http2.window_update(0, 0)
    with place(program, directory, layers) as found:
        before = answers(found)
        for number in range(15):
            for path in ("/events", "/layers.json"):
                with found.connect(NO_WINDOW) as client:
                    client.send(b"".join(http2.request(client.next(), path) for _ in range(100)))
                    client.read_until(lambda: len(client.statuses) == 100, 3)
                    client.send(error)
                    client.read_until(lambda: not client.isOpen, 3)
        # A closing connection waits a second for its client, and the metrics may be a second old.
        time.sleep(2.5)
        given = wait_until(lambda: answers(found) <= before, 5)
        code = newcomer(found, 0)
        with found.connect() as client:
            client.send(http2.request(client.next(), "/events"))
            client.read_until(lambda: client.statuses, 3)
            heard = client.statuses.get(1)
        expect(given, f"{answers(found)} bytes of answers are counted for nobody, {before} before")
        expect(heard == 200, f"after 1,500 listeners that left, a listener got {heard}; log: {dict(found.events())}")
        expect(code == 200, f"a newcomer got {code}")
        return "30 connections of 100 streams ended by an error, and nothing stays"


def answers(found):
    """Returns the bytes of responses that the server counts."""
    text = found.server.admin("/metrics")[2].decode()
    return int(re.search(r'^tileserver_memory_bytes\{use="answers"\} (\d+)', text, re.M)[1])


def shutdown_beside(program, directory):
    """A stop during floods, listeners, unread tiles and unfinished requests."""
    layers = limited("drain: 3s")
    need_descriptors(4_096)
    with Upstream() as upstream:
        upstream.mode = "hang"
        layers += (f"  slow: {{ url: '{upstream.url}/{{z}}/{{x}}/{{y}}.png', allowPrivate: true, "
                   "maxConcurrent: 16, maxZoom: 20 }\n")
        with place(program, directory, layers) as found:
            def flooding(over):
                def make(client):
                    stream = client.next()
                    return http2.request(stream, PATH) + http2.reset(stream) + http2.frame(http2.PING, payload=bytes(8))
                while not over.is_set():
                    with contextlib.suppress(OSError):
                        repeat(over, found, make)
                    over.wait(0.01)

            def holding(over, path, method=b"GET", ends=True, beginning=None):
                crowd(found, 20, beginning, lambda client: b"".join(
                    http2.request(client.next(), path, method, ends=ends) for _ in range(50)), over)

            with beside(flooding), beside(holding, "/events"), beside(holding, "/slow/3/1/1.png"), \
                    beside(holding, PATH, b"POST", False), \
                    beside(holding, LARGE, b"GET", True, NO_WINDOW):
                time.sleep(2)
                began = time.monotonic()
                found.server.process.send_signal(signal.SIGTERM)
                with contextlib.suppress(Exception):
                    found.server.process.wait(15)
                took, code = time.monotonic() - began, found.server.process.poll()
        log = found.server.log.read_text(errors="replace")
        expect(code is not None, f"the server still runs {took:.0f} s after SIGTERM, with a drain of 3 s")
        expect(code == 0, f"the server has ended with {code}: {log[-800:]}")
        expect(took < 6, f"the stop took {took:.1f} s, with a drain of 3 s")
        return f"stopped in {took:.1f} s, with a drain of 3 s; " + ", ".join(
            f"{name} {count}" for name, count in sorted(found.counts.items()))


def graceful(program, directory):
    """A stop while a client loads tiles: two GOAWAYs, and every stream below the last one is answered."""
    with place(program, directory) as found, found.connect(WIDE) as client:
        asked = []
        for _ in range(20):
            asked.append(client.next())
            client.send(http2.request(asked[-1], slow_path()))
            client.read()
        found.server.process.send_signal(signal.SIGTERM)
        began = time.monotonic()
        while client.isOpen and time.monotonic() - began < 12:
            if not client.goaways or time.monotonic() - began < 0.5:
                asked.append(client.next())
                client.send(http2.request(asked[-1], PATH))
            client.read()
            time.sleep(0.02)
        lost = [stream for stream in asked if stream not in client.ended]
        expect(len(client.goaways) == 2, f"{len(client.goaways)} GOAWAYs came")
        expect(not lost, f"{len(lost)} of {len(asked)} streams got no answer, the first is {lost[0] if lost else ''}")
        return f"{len(asked)} streams answered, GOAWAYs {client.goaways}, {time.monotonic() - began:.1f} s"


ATTACKS = [
    idle_crowd, unsent_contents, one_unsent_content, answered_never_ended, bad_heads, window_of_zero,
    never_read_streams, held_documents, window_drip, drip_is_no_progress, content_drip, events_crowd, slow_crowd,
    reset_crowd, resets_of_fetches, closed_waits, errors_with_streams, shutdown_beside, graceful]
