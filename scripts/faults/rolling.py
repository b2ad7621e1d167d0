"""Restarts two servers behind HAProxy in turn, under load, with deploy/haproxy.cfg: no request may be lost.

What h2load counts is what a client sees: every request is sent, answered, and answered with 2xx.
"""
import contextlib
import re
import signal
import socket
import subprocess
import time

from support import tileserver
from support.machine import ROOT, Program, fetch, free_port, need, say, scratch_directory

CONFIGURATION = """\
server: {{ port: {port}, reactors: 1, drainDelay: {delay} }}
admin: {{ token: a-token-for-one-run-only }}
layers: {{ grid: {{ generator: grid }} }}
"""


def arguments(parser):
    parser.add_argument("--requests", type=int, default=100_000, help="requests in all (default: 100000)")
    parser.add_argument("--connections", type=int, default=32, help="of the load to HAProxy (default: 32)")
    parser.add_argument("--rate", type=int, default=4_000, help="requests a second, over all connections (default: 4000)")
    parser.add_argument(
        "--delay", default="3s", help="drainDelay; longer than `inter` and `timeout check` of the sample (default: 3s)")
    parser.add_argument(
        "--no-retries", action="store_true", help="HAProxy does not try another server: with --delay 0s requests are lost then")


def run(options):
    need(haproxy="haproxy", h2load="nghttp2-client")
    program = tileserver.chosen(options)
    with scratch_directory() as directory, contextlib.ExitStack() as stack:
        servers = [Instance(program, directory, name, options.delay) for name in "ab"]
        for server in servers:
            server.start()
            stack.callback(server.end)
        balancer = stack.enter_context(Balancer(directory, servers, retries=not options.no_retries))
        for server in servers:
            balancer.wait_until_up(server)
        load = start_load(options, directory, balancer.url)
        stack.callback(load.kill)
        restarts = 0
        while load.poll() is None:
            server = servers[restarts % 2]
            server.restart()
            balancer.wait_until_up(server)
            restarts += 1
        text = load.stdout.read()
        counts = counted(text)
    say(text.strip())
    print(f"{restarts} restarts, {counts['total']} requests: {counts['succeeded']} answered with 2xx, "
          f"{counts['failed']} failed, {counts['errored']} broken, {counts['timeout']} late (bar: none lost)")
    return 0 if restarts >= 2 and counts["succeeded"] == options.requests and counts["ok"] == options.requests else 1


def start_load(options, directory, url):
    """h2load by HTTP/1.1, at an even pace, so that its requests meet every moment of a restart."""
    targets = directory / "targets"
    targets.write_text("".join(f"{url}/grid/4/{x}/{y}.png\n" for x in range(16) for y in range(16)))
    pace = max(options.rate // options.connections, 1)
    return subprocess.Popen(
        ["h2load", "--h1", f"-n{options.requests}", f"-c{options.connections}", "-t1", f"--rps={pace}",
         f"--input-file={targets}"], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)


def counted(text):
    """The numbers of h2load's report."""
    found = re.search(
        r"requests: (\d+) total, .* (\d+) succeeded, (\d+) failed, (\d+) errored, (\d+) timeout\n"
        r"status codes: (\d+) 2xx", text)
    assert found, f"h2load did not end well: {text}"
    return dict(zip(("total", "succeeded", "failed", "errored", "timeout", "ok"), map(int, found.groups())))


class Instance:
    """A server that is started again and again on one port."""

    def __init__(self, program, directory, name, delay):
        self.name = name
        self.port = free_port()
        place = directory / name
        place.mkdir()
        (place / "tileserver.yaml").write_text(CONFIGURATION.format(port=self.port, delay=delay))
        self.command = [program, "serve", "--config", place / "tileserver.yaml"]
        self.log = (place / "log").open("wb")

    def start(self):
        self.process = subprocess.Popen(
            self.command, stdin=subprocess.DEVNULL, stdout=self.log, stderr=self.log, cwd=ROOT)
        for _ in range(200):
            with contextlib.suppress(OSError):
                if fetch(f"http://127.0.0.1:{self.port}/ready")[0] == 200:
                    return
            time.sleep(0.05)
        raise AssertionError(f"{self.name} does not serve")

    def restart(self):
        self.process.send_signal(signal.SIGTERM)
        status = self.process.wait(timeout=60)
        assert status == 0, f"{self.name} ended with status {status}"
        self.start()

    def end(self):
        self.process.kill()
        self.process.wait()
        self.log.close()


class Balancer(Program):
    """HAProxy with the sample of deploy/, on ports of our own, and with a socket that says who is up."""

    def __init__(self, directory, servers, retries):
        port = free_port()
        self.socket = directory / "haproxy.sock"
        text = (ROOT / "deploy/haproxy.cfg").read_text()
        for old, new in (("127.0.0.1:8080", port), ("127.0.0.1:8081", servers[0].port), ("127.0.0.1:8082", servers[1].port)):
            assert text.count(old) == 1, f"deploy/haproxy.cfg has no {old}"
            text = text.replace(old, f"127.0.0.1:{new}")
        if not retries:
            text = text.replace("retries 3", "retries 0").replace("option redispatch 1", "no option redispatch")
        text = text.replace("global\n", f"global\n    stats socket {self.socket}\n", 1)
        configuration = directory / "haproxy.cfg"
        configuration.write_text(text)
        super().__init__(
            ["haproxy", "-db", "-f", configuration], f"http://127.0.0.1:{port}", directory / "haproxy.log")

    def wait_until_up(self, server):
        for _ in range(600):
            if self.state(server) == "UP":
                return
            time.sleep(0.05)
        raise AssertionError(f"{server.name} is {self.state(server)} for HAProxy")

    def state(self, server):
        with socket.socket(socket.AF_UNIX) as connection:
            connection.connect(str(self.socket))
            connection.sendall(b"show stat\n")
            text = b"".join(iter(lambda: connection.recv(65_536), b"")).decode()
        for line in text.splitlines():
            fields = line.split(",")
            if fields[:2] == ["tileservers", server.name]:
                return fields[17]
        return "unknown"
