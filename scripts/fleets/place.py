"""The fleet of deploy/fleet as processes on this machine, with the files of deploy/fleet and other addresses."""
import contextlib
import json
import os
import random
import signal
import socket
import subprocess
import time

from support.haproxy import HAProxy, replaced
from support.machine import ROOT, Program, need
from support.tileserver import Server

DEPLOY = ROOT / "deploy/fleet"
PASSWORD = "a-password-for-one-run-only"
SECRET = "a-secret-for-one-run-only-0123456789"
# A layer from the scene's own upstream.
LAYER = '  tiles: {{ url: "{source}/{{z}}/{{x}}/{{y}}.png", allowPrivate: true, maxConcurrent: 64 }}\n'


_PORTS = set()


def steady_port():
    """Returns a free port. The system gives this port to no connection while its listener restarts."""
    while True:
        port = random.randrange(20_000, 32_000)
        with contextlib.suppress(OSError), socket.socket() as probe:
            probe.bind(("127.0.0.1", port))
            if port not in _PORTS:
                _PORTS.add(port)
                return port


class Redis(Program):
    """Redis with redis.conf, always on the same port."""

    def __init__(self, directory):
        directory.mkdir()
        port = steady_port()
        self.place = directory
        super().__init__(
            ["redis-server", DEPLOY / "redis.conf", "--port", port, "--bind", "127.0.0.1", "--dir", directory,
             "--requirepass", PASSWORD], f"http://127.0.0.1:{port}", directory / "log")

    def ask(self, *words):
        """Returns the output of redis-cli without the line end."""
        return subprocess.run(
            ["redis-cli", "-p", str(self.port), *map(str, words)], env={**os.environ, "REDISCLI_AUTH": PASSWORD}, check=True,
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True, timeout=30).stdout.strip()

    def signal(self, number):
        self.process.send_signal(number)


class Node(Server):
    """A server with tileserver.yaml, which can restart again and again on its ports."""

    def __init__(self, program, directory, number, core=None):
        directory.mkdir()
        self.name = f"tileserver-{number}"
        self.place = directory
        self.metrics = steady_port()
        # Both may be changed before the next `start`.
        self.program = program
        self.variables = {
            "HOSTNAME": self.name, "TILESERVER_ADMIN_TOKEN": self.TOKEN, "TILESERVER_FLEET_SECRET": SECRET, "REDIS_PASSWORD": PASSWORD}
        super().__init__([], f"http://127.0.0.1:{steady_port()}", directory / "log", core)

    def configure(self, redis, peers, layers, *changes):
        text = replaced(
            (DEPLOY / "tileserver.yaml").read_text(),
            ("host: 0.0.0.0", "host: 127.0.0.1"), ("port: 8080", f"port: {self.port}"), ("0.0.0.0:9180", f"127.0.0.1:{self.metrics}"),
            ("[10.0.0.0/8, 172.16.0.0/12, 192.168.0.0/16]", "[127.0.0.0/8]"), ("/var/lib/tileserver", self.place / "var"),
            ("@redis:6379", f"@127.0.0.1:{redis}"), ("\nlayers:\n", "\nlayers:\n" + layers),
            ('["http://tileserver-1:8080", "http://tileserver-2:8080", "http://tileserver-3:8080"]',
             json.dumps([f"http://127.0.0.1:{port}" for port in peers])), *changes)
        (self.place / "tileserver.yaml").write_text(text)

    def start(self):
        # Keep the earlier log in another file.
        if self.log.exists():
            self.log.rename(self.log.with_name(f"log-{time.monotonic_ns()}"))
        words = [f"{name}={value}" for name, value in self.variables.items()]
        self.arguments = ["env", *words, str(self.program), "serve", "--config", str(self.place / "tileserver.yaml")]
        super().start()
        self.wait_until_ready()


def balancer(directory, nodes):
    """HAProxy with haproxy.cfg."""
    port = steady_port()
    text = replaced(
        (DEPLOY / "haproxy.cfg").read_text(), ("bind :8080", f"bind 127.0.0.1:{port}"),
        ("bind :8404", f"bind 127.0.0.1:{steady_port()}"), *((f"{node.name}:8080", f"127.0.0.1:{node.port}") for node in nodes))
    if len(nodes) < 3:
        text = "".join(line for line in text.splitlines(True) if not (":8080" in line and "server tile" in line))
    return HAProxy(directory, text, port)


class Fleet:
    """Runs Redis, nodes and HAProxy while the block runs. `bus` is a proxy between nodes and Redis. `changes` modify
    the nodes' configuration."""

    def __init__(self, program, directory, source, count=3, bus=None, changes=(), layer=LAYER, cores=()):
        need(**{"redis-server": "redis-server", "redis-cli": "redis-tools", "haproxy": "haproxy"})
        self.redis = Redis(directory / "redis")
        self.bus = bus
        cores = list(cores) or [None] * count
        self.nodes = [Node(program, directory / f"node-{number}", number, cores[number - 1]) for number in range(1, count + 1)]
        self.balancer = balancer(directory / "haproxy", self.nodes)
        self.layers = layer.format(source=source.url)
        self.changes = changes

    def __enter__(self):
        self.stack = contextlib.ExitStack()
        try:
            self.stack.enter_context(self.redis)
            port = self.redis.port
            if self.bus:
                self.bus.lead_to(port)
                port = self.bus.port
            for node in self.nodes:
                node.configure(port, [one.port for one in self.nodes], self.layers, *self.changes)
            for node in self.nodes:
                self.stack.callback(node.stop)
                node.start()
            self.stack.enter_context(self.balancer)
            self.balancer.wait_until_up(*self.nodes)
        except BaseException:
            self.stack.close()
            raise
        # A stopped process cannot end.
        self.stack.callback(lambda: self.redis.signal(signal.SIGCONT))
        return self

    def __exit__(self, *_):
        self.stack.close()
