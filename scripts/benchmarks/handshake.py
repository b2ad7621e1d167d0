"""TLS handshakes and idle TLS connections: the server beside nginx with the same OpenSSL and certificate.

Each connection sends one request for a cached tile. Full and resumed handshakes of TLS 1.3 are measured with each kind
of private key. Idle connections are measured with new servers: the memory of all workers before and after.
"""
import contextlib
import statistics

from support import certificate, nginx, tile, tileserver, tlsclient
from support.machine import allow_descriptors, need, scratch_directory, two_cores

from .comparison import Comparison, in_turn, measure, warm

BAR = 1.10
PATH = "/tiles/12/2134/0.png"


def arguments(parser):
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--count", type=int, default=1_500, help="handshakes of each server in each round")
    parser.add_argument("--idle", type=int, default=1_000, help="idle connections of each server")


def run(options):
    need(nginx="nginx-light", openssl="openssl")
    allow_descriptors(options.idle + 256)
    core, load_core = two_cores()
    body = tile.png(512)
    with scratch_directory() as directory, nginx.serving_one_file(directory / "upstream", body, load_core) as upstream:
        held = []
        for kind in certificate.KEYS:
            place = directory / kind.replace(" ", "-")
            identity = certificate.make(place, kind)
            with both(options.program, place, upstream, body, core, identity) as servers:
                for resumes in (False, True):
                    held.append(compare(options, servers, identity, kind, resumes, load_core))
                    print(flush=True)
        identity = certificate.make(directory)
        held.append(compare_idle(options, directory, upstream, body, core, identity))
    return max(held)


@contextlib.contextmanager
def both(program, directory, upstream, body, core, identity):
    """Starts the server and nginx. Both have the tile in their cache."""
    with tileserver.TileServer(
            program, directory / "tileserver", tileserver.proxy_configuration(upstream.url), core,
            identity=identity) as ours, \
            nginx.caching_proxy(
                directory / "nginx", upstream.url, core, open_files=10_000, identity=identity) as peer:
        for server in (ours, peer):
            for _ in range(2):
                warm(server, PATH, body)
        yield ours, peer


def compare(options, servers, identity, kind, resumes, load_core):
    """Prints a table. Returns the exit status."""
    def handshakes(server, count):
        return tlsclient.run(tlsclient.Task(server.tls_url, PATH, count, resumes, str(identity.file)), load_core)

    for server in servers:
        handshakes(server, 100)
    table = Comparison(
        f"handshake: {options.count:,} {'resumed' if resumes else 'full'} handshakes of TLS 1.3, {kind}, one request "
        "each", bar=BAR)
    for number in range(options.rounds):
        costs = {
            server: measure(server, lambda: handshakes(server, options.count)) for server in in_turn(servers, number)}
        table.add(*(costs[server] for server in servers))
    return table.finish()


def compare_idle(options, directory, upstream, body, core, identity):
    """Prints the memory of an idle connection, in the median of the rounds. Returns the exit status."""
    print(f"idle: {options.idle:,} TLS connections after one request each, bytes of a connection in RAM (VmRSS)\n")
    print(f"{'round':8}{'tileserver':>12}{'nginx':>12}")
    rows = []
    for number in range(options.rounds):
        with both(options.program, directory / f"idle{number}", upstream, body, core, identity) as servers:
            rows.append([idle_bytes(server, options.idle, identity) for server in servers])
        print(f"{number + 1:<8}{rows[-1][0]:12,.0f}{rows[-1][1]:12,.0f}", flush=True)
    ours, peer = (statistics.median(column) for column in zip(*rows, strict=True))
    print(f"{'median':8}{ours:12,.0f}{peer:12,.0f}")
    print(f"\nmemory of an idle connection: {ours / peer:.2f} of nginx's, "
          f"{'within' if ours <= peer else 'ABOVE'} the bar of 1.00")
    return 0 if ours <= peer else 1


def idle_bytes(server, count, identity):
    """Returns the growth of the server's memory with `count` connections, divided by `count`."""
    client = identity.client()
    for _ in range(20):
        with tlsclient.open_connection(server.tls_url, client) as connection:
            tlsclient.ask(connection, PATH)
    before = server.resident_bytes()
    with contextlib.ExitStack() as connections:
        for _ in range(count):
            connection = connections.enter_context(tlsclient.open_connection(server.tls_url, client))
            status, _ = tlsclient.ask(connection, PATH)
            if status != 200:
                raise AssertionError(f"{server.tls_url} answered {status}")
        return (server.resident_bytes() - before) / count
