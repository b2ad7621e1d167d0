"""Attacks on what servers of a fleet tell each other. No Redis answers in them."""
import hashlib
import hmac
import json
import time

from support.machine import fetch, free_port
from support.raw import connect, exchange, get, status
from support.tileserver import TileServer

from .verdict import expect

SECRET = b"0123456789abcdef"
CLEAR = {"kind": "clear", "layer": "grid", "node": "a", "name": "a-1", "generation": "4294967295"}


def letters(program, directory):
    """Clears in the name of another server of the fleet: forged, old, replayed, junk; and by somebody who has the secret."""
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
        expect(set(forged) == {403}, f"forged letters were answered {forged}")
        expect(generation() == begun, "a forged letter cleared the layer")
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
        expect(refused == 24, f"of 40 letters that never end {refused} were refused")
        time.sleep(0.5)
        expect(post(b"x" * (2 << 20)) in (0, 413), "2 MiB were taken")
        junk = [b"{", b"[]", b"\xff" * 9_000, b"[" * 9_000, b'{"node":"a","messages":[' + b"[" * 40 + b"]" * 40 + b"]}"]
        expect({post(body) for body in junk} == {422}, "junk with a signature was taken")
        expect(post(clear) == 200, "a letter of the fleet was refused")
        cleared = generation()
        expect(begun < cleared < begun + 10_000, f"a generation of 2^32 - 1 led from {begun} to {cleared}")
        expect(post(clear) == 200 and generation() == cleared, "the same message was applied twice")
        numbered = {**CLEAR, "name": "a-2", "id": "18446744073709551615-18446744073709551615"}
        post(json.dumps({"node": "a", "messages": [numbered]}).encode())
        expect(generation() < begun + 10_000, f"a generation of 2^32 - 1 with an id led from {begun} to {generation()}")
        expect(fetch(f"{server.url}/grid/1/0/0.png")[0] == 200, "no tile behind it")
    return f"{len(forged)} forged letters 403, junk 422, a replay changes nothing, a huge generation is not believed"


ATTACKS = [letters]
