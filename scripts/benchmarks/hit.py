"""Cached tiles, requested again and again: the server beside nginx with proxy_cache in a well tuned configuration.

A bare loop over epoll sends the same number of bytes and reads nothing. It shows the limit for every server. With
--tls and --h2 both servers speak TLS 1.3 with the same OpenSSL, certificate and cipher, and the loop is left out.
"""
import contextlib
import socket
import sys
import urllib.parse

from support import certificate, echo, h2load, nginx, tile, tileserver
from support.machine import need, scratch_directory, two_cores
from support.raw import read_bytes
from support.wrk import ROWS, load

from .comparison import Comparison, in_turn, measure, warm

# Against nginx with default settings and a single tile, the server measures 0.52. The bar for this case is older.
TUNED_BAR, TUNED_AIM = 0.95, 0.80
PLAIN_BAR, PLAIN_AIM = 0.70, 0.60
TLS_BAR, TLS_AIM = 0.85, 0.75
HTTP2_BAR, HTTP2_AIM = 1.00, 0.80


def arguments(parser):
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=int, default=5, help="of each server in each round")
    parser.add_argument("--connections", type=int, nargs="+", help="64 and 256, or 8 with --h2")
    parser.add_argument("--size", type=int, default=8192, help="bytes of a tile")
    parser.add_argument("--tiles", type=int, default=256, help="different tiles, up to 4096")
    parser.add_argument("--tls", action="store_true", help="over TLS 1.3")
    parser.add_argument(
        "--h2", action="store_true", help=f"over TLS 1.3 and HTTP/2, {h2load.STREAMS} requests at once a connection")
    parser.add_argument(
        "--plain", action="store_true", help="nginx without an open_file_cache, as it comes, and another bar")


def run(options):
    need(nginx="nginx-light", taskset="util-linux", openssl="openssl",
         **({"h2load": "nghttp2-client"} if options.h2 else {"wrk": "wrk"}))
    core, load_core = two_cores()
    body = tile.png(options.size)
    open_files = 0 if options.plain else 10_000
    with contextlib.ExitStack() as stack:
        directory = stack.enter_context(scratch_directory())
        identity = certificate.make(directory) if options.tls or options.h2 else None
        upstream = stack.enter_context(nginx.serving_one_file(directory / "upstream", body, load_core))
        peer = stack.enter_context(nginx.caching_proxy(
            directory / "nginx", upstream.url, core, open_files=open_files, identity=identity))
        ours = stack.enter_context(tileserver.TileServer(
            options.program, directory / "tileserver", tileserver.proxy_configuration(upstream.url), core,
            identity=identity))
        for server, field, word in ((ours, "Cache-Status", "hit"), (peer, "X-Cache", "HIT")):
            expect_hits(server, body, options.tiles, field, word)
        servers = [ours, peer]
        if identity:
            expect_one_cipher(servers, identity)
        answer = read_bytes(ours.url, path(0))
        asked = upstream.request_count()
        if not identity:
            servers.append(stack.enter_context(echo.serving(directory / "echo", answer, core)))
        held = []
        for connections in options.connections or ([8] if options.h2 else [64, 256]):
            if held:
                print()
            held.append(compare(options, connections, servers, directory, load_core))
        if upstream.request_count() != asked + 1:
            sys.exit("the upstream was asked during the run: not everything was a hit")
    return max(held)


def path(row):
    return f"/tiles/12/2134/{row}.png"


def compare(options, connections, servers, directory, load_core):
    """Prints a table. Returns the exit status."""
    def loaded(server, seconds):
        if options.h2:
            return h2load.load(
                server.tls_url, [path(row) for row in range(options.tiles)], directory, connections, seconds, load_core)
        url = server.tls_url if options.tls else server.url
        return load(url, directory, ROWS, connections, seconds, load_core, (options.tiles, path("ROW")))

    for server in servers:
        loaded(server, 1)
    bar, aim = (PLAIN_BAR, PLAIN_AIM) if options.plain else (TUNED_BAR, TUNED_AIM)
    if options.h2:
        bar, aim = HTTP2_BAR, HTTP2_AIM
    elif options.tls:
        bar, aim = TLS_BAR, TLS_AIM
    protocol = " over TLS 1.3 and HTTP/2" if options.h2 else " over TLS 1.3" if options.tls else ""
    streams = f" of {h2load.STREAMS} requests at once" if options.h2 else ""
    tuned = "as it comes" if options.plain else "with an open_file_cache"
    table = Comparison(
        f"hit{protocol}: {options.tiles} cached tiles of {options.size:,} bytes, "
        f"{connections} connections{streams}, each server on one core, nginx {tuned}", bar=bar, aim=aim,
        limit=None if protocol else "a bare epoll loop that sends as many bytes")
    for number in range(options.rounds):
        costs = {
            server: measure(server, lambda: loaded(server, options.seconds)) for server in in_turn(servers, number)}
        table.add(*(costs[server] for server in servers))
    return table.finish()


def expect_one_cipher(servers, identity):
    """Compares the protocols and ciphers that the servers choose for a client with OpenSSL's defaults, as wrk has."""
    chosen = []
    for server in servers:
        address = urllib.parse.urlsplit(server.tls_url)
        with socket.create_connection((address.hostname, address.port), 10) as plain, \
                identity.client().wrap_socket(plain, server_hostname="localhost") as connection:
            chosen.append((connection.version(), connection.cipher()[0]))
    if set(chosen) != {("TLSv1.3", "TLS_AES_256_GCM_SHA384")}:
        sys.exit(f"the servers do not choose the same protocol and cipher: {chosen}")


def expect_hits(server, body, tiles, field, word):
    """Requests every tile twice. The second response must be a hit."""
    for number in range(tiles):
        for _ in range(2):
            headers = warm(server, path(number), body)
        if word not in headers.get(field, ""):
            sys.exit(f"{server.url}{path(number)} is no hit: {field}: {headers.get(field)}")
