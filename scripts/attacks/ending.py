"""Attacks that end the process, or prevent its end."""
import contextlib
import json
import os
import random
import signal
import subprocess
import time

from support.machine import fetch, free_port, wait_until
from support.raw import exchange, get, status
from support.tileserver import TileServer

from .verdict import expect

LAYERS = "layers:\n  solid: { generator: solid }\n"


def json_bodies(program, directory):
    """Bodies of camera requests that might crash a JSON decoder."""
    bodies = [
        b"[" * 513, b"[" * 512, b"[" * 60_000, b'{"a":' * 10_000, b'{"camera":' + b"[" * 600, b"\xff\xfe",
        b'"\xed\xa0\x80"', b'{"camera":{"lat":1e999}}', b'{"camera":{"lat":-}}', b"\0", b"",
        b'{"camera":{"lat":0' + b"0" * 60_000,
        b'{"camera":{"lat":1,"lat":2}}', b'"\\ud800"', b'{"camera":{"lat":"' + b"9" * 60_000 + b'"}}',
    ]
    chance = random.Random(1)
    good = b'{"camera": {"lat": 49.26, "lng": -123.11, "zoom": 10}, "view": {"width": 800, "height": 600}}'
    for _ in range(300):
        body = bytearray(good)
        for _ in range(chance.randrange(1, 6)):
            body[chance.randrange(len(body))] = chance.choice(b'[]{}",:0e\\\xff\x00')
        bodies.append(bytes(body))
    with TileServer(program, directory, LAYERS) as server:
        for route in ("/solid/camera", "/solid/camera/animation"):
            for body in bodies:
                code = status(exchange(server.url, get(route, method="POST", body=body)))
                expect(code in (200, 400, 422), f"{route} answered {code or 'nothing'} to {body[:40]!r}")
            for path, body in {
                "view.widht": b'{"camera":{"lat":1,"lng":2},"view":{"widht":1,"height":2}}',
                "camera.lat": b'{"camera":{"lat":1,"lng":2,"lat":3}}',
                "update.point": b'{"camera":{"lat":1,"lng":2},"update":{"type":"zoomBy","delta":1,"point":7}}',
            }.items():
                answer = exchange(server.url, get(route, method="POST", body=body))
                field = json.loads(answer.split(b"\r\n\r\n", 1)[1]).get("field")
                expect(status(answer) == 400 and field == path, f"{body!r}: {status(answer)}, field {field}")
        expect(fetch(f"{server.url}/health")[0] == 200, "the server is gone")
    return f"{2 * len(bodies)} bodies answered with 200, 400 or 422; wrong fields named with their paths"


def unread_log(program, directory):
    """A standard error without a reader, followed by a signal to stop."""
    port = free_port()
    configuration = directory / "tileserver.yaml"
    configuration.write_text(f"server: {{ port: {port} }}\nlog: {{ access: all }}\n" + LAYERS)
    process = subprocess.Popen(
        [program, "serve", "--config", configuration], cwd=directory, stderr=subprocess.PIPE, stdout=subprocess.DEVNULL)
    try:
        url = f"http://127.0.0.1:{port}"
        expect(wait_until(lambda: is_healthy(url), 10), f"nothing listens at {url}")
        requests, pipeline = 20_000, 500
        request = b"GET /solid/1/0/0.png HTTP/1.1\r\nHost: a\r\n\r\n"
        for _ in range(requests // pipeline):
            answer = exchange(url, request * (pipeline - 1) + get("/solid/1/0/0.png"), timeout=10)
            came = answer.count(b"HTTP/1.1 200 ")
            expect(came == pipeline, f"{came} of {pipeline} answers came")
        began = time.monotonic()
        process.send_signal(signal.SIGTERM)
        try:
            code = process.wait(timeout=15)
        except subprocess.TimeoutExpired:
            code = None
        took = time.monotonic() - began
        expect(code == 0 and took < 5, f"SIGTERM: status {code} after {took:.1f} s")
    finally:
        process.kill()
        process.wait()
        process.stderr.close()
    return f"{requests} requests logged to nobody, all answered; SIGTERM ended it in {took:.1f} s"


def early_hangup(program, directory):
    """SIGHUP in the first moments of the process."""
    configuration = directory / "tileserver.yaml"
    windows, died = [], 0
    for delay in [number * 0.0005 for number in range(100)]:
        configuration.write_text(f"server: {{ port: {free_port()} }}\n" + LAYERS)
        process = subprocess.Popen(
            [program, "serve", "--config", configuration], cwd=directory,
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        began = time.monotonic()
        while process.poll() is None and not holds_back(process.pid, signal.SIGHUP) and time.monotonic() - began < 2:
            pass
        windows.append(time.monotonic() - began)
        time.sleep(delay)
        process.send_signal(signal.SIGHUP)
        time.sleep(0.05)
        died += process.poll() is not None
        process.kill()
        process.wait()
    expect(died == 0, f"{died} of {len(windows)} processes died of a SIGHUP")
    windows.sort()
    return (f"none of {len(windows)} died 0 to 50 ms after SIGHUP was held back, which is "
            f"{windows[len(windows) // 2] * 1000:.1f} ms after the start (median; longest {windows[-1] * 1000:.1f})")


def holds_back(pid, number):
    """Reports whether the process blocks, catches or ignores the signal (proc(5))."""
    mask = 0
    try:
        with open(f"/proc/{pid}/status", encoding="ascii") as lines:
            for line in lines:
                if line.startswith(("SigBlk:", "SigIgn:", "SigCgt:")):
                    mask |= int(line.split()[1], 16)
    except (FileNotFoundError, ProcessLookupError):
        return False
    # Before exec the child is still Python, which ignores other signals.
    return bool(mask >> (number - 1) & 1) and os.path.basename(os.readlink(f"/proc/{pid}/exe")) == "tileserver"


def is_healthy(url):
    with contextlib.suppress(OSError):
        return fetch(f"{url}/health", timeout=2)[0] == 200


ATTACKS = [json_bodies, unread_log, early_hangup]
