"""Attacks on the messages between servers of a fleet. No Redis answers in these attacks."""
import contextlib
import hashlib
import hmac
import json
import time

from support.machine import beside, fetch, free_port
from support.raw import connect, exchange, get, status
from support.tileserver import TileServer

from .verdict import expect

SECRET = b"0123456789abcdef"
CLEAR = {"kind": "clear", "layer": "grid", "node": "a", "name": "a-1", "generation": "4294967295"}


def batches(program, directory):
    """Clears in another node's name: forged, old, replayed or malformed, and valid ones with the secret."""
    text = f"""\
fleet: {{ redis: "redis://127.0.0.1:{free_port()}", node: b, secret: {SECRET.decode()} }}
layers:
  grid: {{ generator: grid }}
"""
    with TileServer(program, directory, text) as server:
        def post(body, age=0, secret=SECRET, signed=None, fields=None):
            seconds = str(int(time.time()) - age)
            digest = hmac.new(secret, f"{seconds}\n".encode() + (signed or body), hashlib.sha256).hexdigest()
            fields = fields or [f"X-Fleet-Time: {seconds}", f"X-Fleet-Signature: sha256={digest}"]
            return status(exchange(server.url, get("/fleet/messages", "b", fields, "POST", body), timeout=10))

        def generation():
            listed = json.loads(fetch(f"{server.url}/layers.json")[2])
            return next(layer["generation"] for layer in listed if layer["id"] == "grid")

        begun = generation()
        clear = json.dumps({"node": "a", "messages": [CLEAR]}).encode()
        forged = [
            post(clear, secret=b"0123456789abcdeF"), post(clear, age=60), post(clear, age=-60), post(clear, signed=clear + b" "),
            post(clear, fields=["X-Fleet-Time: 1"]), post(clear, fields=["X-Fleet-Time: 1", "X-Fleet-Signature: sha256="]),
            post(clear, fields=[f"Authorization: Bearer {server.TOKEN}"]),
        ]
        expect(set(forged) == {403}, f"forged batches were answered {forged}")
        expect(generation() == begun, "a forged batch cleared the layer")
        held = [connect(server.url) for _ in range(40)]
        for one in held:
            one.sendall(get("/fleet/messages", "b", [f"X-Fleet-Time: {int(time.time())}", "X-Fleet-Signature: sha256=" + "0" * 64],
                            "POST", b"x" * 1_000)[:-1])
        time.sleep(0.5)
        refused = 0
        for one in held:
            one.settimeout(0.05)
            try:
                refused += status(one.recv(4_096)) == 503
            except TimeoutError:
                pass
            one.close()
        expect(refused == 39, f"of 40 batches of one address that never end {refused} were refused")
        time.sleep(0.5)
        expect(post(b"x" * (2 << 20)) in (0, 413), "2 MiB were taken")
        junk = [b"{", b"[]", b"\xff" * 9_000, b"[" * 9_000, b'{"node":"a","messages":[' + b"[" * 40 + b"]" * 40 + b"]}"]
        expect({post(body) for body in junk} == {422}, "junk with a signature was taken")
        expect(post(clear) == 200, "a batch of the fleet was refused")
        cleared = generation()
        expect(begun < cleared < begun + 10_000, f"a generation of 2^32 - 1 led from {begun} to {cleared}")
        expect(post(clear) == 200 and generation() == cleared, "the same message was applied twice")
        numbered = {**CLEAR, "name": "a-2", "id": "18446744073709551615-18446744073709551615"}
        post(json.dumps({"node": "a", "messages": [numbered]}).encode())
        expect(generation() < begun + 10_000, f"a generation of 2^32 - 1 with an id led from {begun} to {generation()}")
        expect(fetch(f"{server.url}/grid/1/0/0.png")[0] == 200, "no tile behind it")
    return f"{len(forged)} forged batches 403, junk 422, a replay changes nothing, a huge generation is not believed"


class SlowBatches:
    """Batches that never end. Keeps one open for each of `heads`, sends a byte at times, and begins a new batch when
    one ends."""

    def __init__(self, url, heads):
        self.url, self.heads = url, heads
        self.begun = self.refused = self.late = 0

    def run(self, over):
        connections = [None] * len(self.heads)
        while not over.wait(0.05):
            for number, (source, head) in enumerate(self.heads):
                with contextlib.suppress(OSError):
                    connections[number] = self.advance(connections[number], source, head)
        for connection in filter(None, connections):
            connection.close()

    def advance(self, connection, source, head):
        """Returns the same connection a byte later, or a new one."""
        if connection is None:
            connection = connect(self.url, 10, source)
            connection.setblocking(False)
            self.begun += 1
            connection.sendall(head())
            return connection
        try:
            answer = connection.recv(4_096)
            self.refused += status(answer) == 503
            self.late += status(answer) == 408
        except BlockingIOError:
            with contextlib.suppress(OSError):
                connection.sendall(b" ")
            return connection
        except OSError:
            pass
        connection.close()
        return None


def slow_batches(program, directory):
    """Batches that never end, beside a peer's clears: unsigned from 1 and 100 addresses, signed from one."""
    secret = f"secret: {SECRET.decode()}"
    fleet = f'redis: "redis://127.0.0.1:{free_port()}", {secret}'
    with TileServer(program, directory / "b", f"fleet: {{ {fleet}, node: b }}\nlayers: {{ grid: {{ generator: grid }} }}\n") as server:

        def signed(text):
            return "sha256=" + hmac.new(SECRET, text.encode(), hashlib.sha256).hexdigest()

        def unsigned_head():
            return get("/fleet/messages", "b", [f"X-Fleet-Time: {int(time.time())}", "X-Fleet-Signature: sha256=" + "0" * 64,
                                                "Content-Length: 1000000"], "POST")

        def signed_head(number):
            seconds, body = int(time.time()), "sha256=" + f"{number:064x}"
            head = signed(f"tileserver-fleet-head\n{seconds}\nPOST /fleet/messages\n1000000\n{body}")
            return get("/fleet/messages", "b", [f"X-Fleet-Time: {seconds}", f"X-Fleet-Signature: {body}",
                                                f"X-Fleet-Head-Signature: {head}", "Content-Length: 1000000"], "POST")

        scenes = [
            ("16 of one address", [("127.0.0.2", unsigned_head)] * 16),
            ("100 of 100 addresses", [(f"127.0.1.{number}", unsigned_head) for number in range(1, 101)]),
            ("100 signed heads of one address", [("127.0.0.2", lambda number=number: signed_head(number)) for number in range(100)]),
        ]
        text = f'fleet: {{ {fleet}, node: a, peers: ["{server.url}"] }}\nlayers: {{ grid: {{ generator: grid }} }}\n'
        found = []
        with TileServer(program, directory / "a", text) as peer:
            for name, heads in scenes:
                slow = SlowBatches(server.url, heads)
                with beside(slow.run):
                    time.sleep(0.5)
                    waits = clears(peer, 20)
                    time.sleep(2)
                expect(slow.late > 0, f"{name}: none of {slow.begun} slow batches was ended, {slow.refused} were refused")
                found.append(f"{name}: {slow.begun} begun, {slow.late} ended, {slow.refused} refused, {len(waits)} clears on both "
                             f"within {max(waits):.2f} s")
        expect(fetch(f"{server.url}/grid/1/0/0.png")[0] == 200, "no tile behind it")
    return "; ".join(found)


def clears(peer, count):
    """Returns the seconds of clears on `peer`. Each clear must reach both nodes."""
    waits = []
    for _ in range(count):
        began = time.monotonic()
        answer, _, body = peer.admin("/admin/cache/grid", "DELETE")
        waits.append(time.monotonic() - began)
        reach = json.loads(body)["fleet"] if answer == 200 else answer
        expect(reach == {"nodes": 2, "reached": 2}, f"a clear beside slow batches reached {reach}")
        time.sleep(0.1)
    return waits


ATTACKS = [batches, slow_batches]
