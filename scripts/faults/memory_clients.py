"""Floods of requests and of unread responses: bodies, pipelined requests, responses that nobody reads."""
import contextlib
import itertools
import json
import select
import time

from . import crowd

BODY = 65_536
# Number of clients that wait for half a megabyte each.
READERS = 500


def bodies(site, seconds):
    """Sends cameras with a thousand updates without their last byte, and later the last bytes."""
    update = {"type": "setTarget", "target": [49.26, -123.11]}
    body = json.dumps({
        "camera": {"lat": 49, "lng": -123, "zoom": 4}, "view": {"width": 800, "height": 600}, "updates": [update] * 1_000,
    }).encode()
    body = body + b" " * (BODY - len(body))
    head = f"POST /world/camera HTTP/1.1\r\nHost: localhost\r\nContent-Length: {len(body)}\r\n\r\n".encode()
    end = time.monotonic() + seconds
    with contextlib.ExitStack() as open_connections:
        connections = []
        while time.monotonic() < end:
            connections += _connect(site, site.connections - len(connections), 21, open_connections)
            _send(connections, lambda _: head + body[:-1], min(3, end - time.monotonic()))
            # Held for a while, like by clients on slow lines.
            time.sleep(max(min(2, end - time.monotonic()), 0))
            _send(connections, lambda _: b" ", min(1, end - time.monotonic()))
            time.sleep(1)
            connections = [connection for connection in connections if _drain(connection)]


def pipelines(site, seconds):
    """Requests a slow tile, and pipelines as many requests after it as the server accepts."""
    behind = crowd.get("/world/0/0/0.png?" + "x" * 4_000) * 16
    with contextlib.ExitStack() as open_connections:
        connections = _connect(site, site.connections, 22, open_connections)
        _send(connections, lambda _: crowd.mandelbrot() + behind, seconds, again=behind)


def readers(site, seconds):
    """Requests large tiles, each different, and never reads them."""
    numbers = itertools.count()
    with contextlib.ExitStack() as open_connections:
        connections = _connect(site, min(READERS, site.connections), 23, open_connections, receive=4_096)
        _send(connections, lambda _: b"".join(
            crowd.get(f"/heavy/20/{number % 1000}/{number // 1000}.png") for number in itertools.islice(numbers, 8)),
            seconds)
        time.sleep(max(seconds - 5, 0))


def _connect(site, count, network, stack, receive=None):
    """Opens non-blocking connections, from as many addresses as possible."""
    connections = []
    for number in range(count):
        with contextlib.suppress(OSError):
            connection = stack.enter_context(crowd.connect(site.url, network, number, timeout=10, receive=receive))
            connection.setblocking(False)
            connections.append(connection)
    return connections


def _drain(connection):
    """Drops received bytes. Returns whether the connection is still open."""
    try:
        while connection.recv(1 << 16):
            pass
    except BlockingIOError:
        return True
    except OSError:
        pass
    connection.close()
    return False


def _send(connections, content, seconds, again=b""):
    """Sends `content(connection)` over each connection as far as the server accepts it, and then `again` repeatedly."""
    end = time.monotonic() + seconds
    waiting = {connection.fileno(): [connection, memoryview(content(connection))] for connection in connections}
    poll = select.epoll()
    for descriptor in waiting:
        poll.register(descriptor, select.EPOLLOUT)
    while waiting and time.monotonic() < end:
        for descriptor, _ in poll.poll(0.1, max(len(waiting), 1)):
            entry = waiting[descriptor]
            try:
                entry[1] = entry[1][entry[0].send(entry[1]):] or memoryview(again)
            except BlockingIOError:
                continue
            except OSError:
                entry[1] = b""
            if not entry[1]:
                poll.unregister(descriptor)
                del waiting[descriptor]
        # The flood depends on the amount of waiting data, not on speed.
        time.sleep(0.1)
    poll.close()


FLOODS = {"bodies": bodies, "pipelines": pipelines, "unread": readers}
