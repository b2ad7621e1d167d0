"""Restarts two servers behind HAProxy in turn, under load, with deploy/haproxy.cfg: no request may be lost.

h2load counts like a client: every request must be sent and answered with 2xx.
"""
import contextlib
import subprocess

from support.h2load import counted
from support.haproxy import HAProxy, replaced
from support.machine import ROOT, free_port, need, say, scratch_directory
from support.tileserver import TileServer

CONFIGURATION = "server: {{ reactors: 1, drainDelay: {delay}, h2c: {h2c} }}\nlayers: {{ grid: {{ generator: grid }} }}\n"


def arguments(parser):
    parser.add_argument("--requests", type=int, default=100_000, help="requests in all (default: 100000)")
    parser.add_argument("--connections", type=int, default=32, help="of the load to HAProxy (default: 32)")
    parser.add_argument("--rate", type=int, default=4_000, help="requests a second, over all connections (default: 4000)")
    parser.add_argument(
        "--delay", default="3s", help="drainDelay; longer than `inter` and `timeout check` of the sample (default: 3s)")
    parser.add_argument("--h2c", action="store_true", help="clients and HAProxy speak HTTP/2 without TLS")
    parser.add_argument(
        "--no-retries", action="store_true", help="HAProxy does not try another server: with --delay 0s requests are lost then")


def run(options):
    need(haproxy="haproxy", h2load="nghttp2-client")
    with scratch_directory() as directory, contextlib.ExitStack() as stack:
        text = CONFIGURATION.format(delay=options.delay, h2c=str(options.h2c).lower())
        servers = [stack.enter_context(Instance(options.program, directory / name, text)) for name in "ab"]
        balancer = stack.enter_context(balancing(directory / "haproxy", servers, options))
        balancer.wait_until_up(*servers)
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
    """Runs h2load at an even pace, so that requests meet every moment of a restart.

    The load is HTTP/1.1, and HTTP/2 if the servers speak it: h2load does not count responses of HTTP/1.1 that HAProxy
    makes of HTTP/2, because their status line has no reason.
    """
    targets = directory / "targets"
    targets.write_text("".join(f"{url}/grid/4/{x}/{y}.png\n" for x in range(16) for y in range(16)))
    pace = max(options.rate // options.connections, 1)
    return subprocess.Popen(
        ["h2load", *([] if options.h2c else ["--h1"]), f"-n{options.requests}", f"-c{options.connections}", "-t1", f"--rps={pace}",
         f"--input-file={targets}"], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)


class Instance(TileServer):
    """A server that is restarted again and again on one port."""

    @property
    def name(self):
        return self.log.parent.name

    def restart(self):
        self.stop(patience=60)
        assert self.process.returncode == 0, f"{self.name} ended with status {self.process.returncode}"
        self.start()
        self.wait_until_ready()


def balancing(directory, servers, options):
    """HAProxy with the sample of deploy/, on other ports."""
    port = free_port()
    addresses = {"127.0.0.1:8080": port, "127.0.0.1:8081": servers[0].port, "127.0.0.1:8082": servers[1].port}
    text = replaced(
        (ROOT / "deploy/haproxy.cfg").read_text(), *((old, f"127.0.0.1:{new}") for old, new in addresses.items()))
    if options.h2c:
        text = replaced(text, *((f"127.0.0.1:{server.port}\n", f"127.0.0.1:{server.port} proto h2\n") for server in servers))
    if options.no_retries:
        text = replaced(text, ("retries 3", "retries 0"), ("option redispatch 1", "no option redispatch"))
    return HAProxy(directory, text, port)
