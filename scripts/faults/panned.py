"""Pans a map in one Chromium while two servers behind HAProxy restart in turn and their certificate changes: no tile may
be lost.

HAProxy passes TLS on to the servers, so HTTP/2 ends in the servers, and HAProxy cannot repeat a request.
"""
import contextlib
import json
import os
import subprocess
import threading

from clientchecks.place import Place, wheel
from clientchecks.snippets import LIBRARIES
from support import certificate, chromium
from support.haproxy import HAProxy
from support.machine import free_port, need, scratch_directory

from .rolling import Instance

CONFIGURATION = "server: {{ drainDelay: {delay} }}\nlog: {{ access: errors }}\nlayers: {{ grid: {{ generator: grid }} }}\n"
BALANCER = """\
global
    maxconn 4096

defaults
    mode tcp
    timeout connect 1s
    timeout client 60s
    timeout server 60s
    timeout check 1s

frontend tiles
    bind 127.0.0.1:{port}
    default_backend tileservers

backend tileservers
    option httpchk
    http-check send meth GET uri /ready ver HTTP/1.1 hdr Host localhost
    default-server check inter 1s fastinter 250ms fall 2 rise 2
"""


def arguments(parser):
    parser.add_argument("--tiles", type=int, default=10_000)
    parser.add_argument("--pause", type=int, default=400, help="milliseconds between two views (default: 400)")
    parser.add_argument("--delay", default="3s", help="drainDelay (default: 3s)")


def run(options):
    need(haproxy="haproxy", node="nodejs", chromium="chromium", openssl="openssl")
    with scratch_directory() as directory:
        package, path = LIBRARIES["leaflet"]
        leaflet = wheel(Place("", directory), package) / path
        pairs = [certificate.make(directory / name) for name in ("first", "second")]
        current = directory / "current"
        point(current, pairs[0])
        chosen = certificate.Certificate(*(current / path.name for path in (pairs[0].file, pairs[0].key)))
        text = CONFIGURATION.format(delay=options.delay)
        a, b = (Instance(options.program, directory / name, text, identity=chosen) for name in "ab")
        port = free_port()
        rows = "".join(f"    server {each.name} {each.tls_url.removeprefix('https://')} port {each.port}\n" for each in (a, b))
        with a, b, HAProxy(directory / "haproxy", BALANCER.format(port=port) + rows, port) as balancer:
            balancer.wait_until_up(a, b)
            node = chromium.start(
                "pan.js", f"https://localhost:{port}/", "--leaflet", leaflet, "--tiles", options.tiles, "--pause",
                options.pause, environment=chromium.trusting(directory, *pairs))
            with node, changing(current, pairs) as changes:
                restarts = 0
                while still_runs(node):
                    server = (a, b)[restarts % 2]
                    server.restart()
                    balancer.wait_until_up(server)
                    restarts += 1
                report = json.loads(node.stdout.read())
            print(f"{restarts} restarts, {len(changes)} changes of the certificate, {report['tiles']} tiles, "
                  f"{report['protocols']}: {len(report['lost'])} lost (bar: none)")
            print("\n".join(report["lost"][:10]), end="")
            held = not report["lost"] and report["protocols"].get("h2") == report["tiles"] >= options.tiles
            return 0 if held and restarts >= 2 and len(changes) >= 2 else 1


def point(link, pair):
    """Makes `link` a link to the pair's directory, as certbot does: at no time is it missing."""
    new = link.with_suffix(".new")
    new.symlink_to(pair.file.parent)
    os.replace(new, link)


@contextlib.contextmanager
def changing(link, pairs):
    """Changes the pair every five seconds during the block. Yields the list of the pairs so far."""
    changes, ended = [], threading.Event()

    def change():
        while not ended.wait(5):
            changes.append(pairs[(len(changes) + 1) % len(pairs)])
            point(link, changes[-1])

    thread = threading.Thread(target=change)
    thread.start()
    try:
        yield changes
    finally:
        ended.set()
        thread.join()


def still_runs(process):
    """Waits a second for the end of the process."""
    try:
        process.wait(1)
    except subprocess.TimeoutExpired:
        return True
    return False
