"""Priorities by RFC 9218. A server that does not know PRIORITY_UPDATE ignores it."""
from .connection import LARGE, raw
from .verdict import IGNORED, SERVED, case, connection_error

REFUSED = connection_error("PROTOCOL_ERROR")
# Windows of streams of 1 MiB, and no priorities of RFC 7540.
WIDE = {4: 1 << 20, 9: 1}


def update(stream, value, on=0):
    """Returns a PRIORITY_UPDATE."""
    return raw(0x10, stream.to_bytes(4, "big") + value, stream=on)


@case("RFC 9218 4", "Priority that cannot be read", SERVED)
def unreadable(connection):
    connection.send(connection.headers(block=connection.block(("priority", "u=99, i=?, ;;"))))


@case("RFC 9218 7.1", "PRIORITY_UPDATE before the request", SERVED)
def early(connection):
    connection.send(update(1, b"u=0, i"))
    connection.get()


@case("RFC 9218 7.1", "PRIORITY_UPDATE that cannot be read", SERVED | REFUSED)
def unreadable_update(connection):
    connection.send(update(1, b"\xff;;;"))
    connection.get()


@case("RFC 9218 7.1", "PRIORITY_UPDATE after the end of the stream", SERVED)
def late(connection):
    connection.get()
    connection.answer()
    connection.seen.clear()
    connection.send(update(1, b"u=1"))
    connection.get(3)


@case("RFC 9218 7.1", "PRIORITY_UPDATE on stream 1", REFUSED)
def on_stream(connection):
    connection.send(connection.upload(), update(1, b"u=1", on=1))
    connection.probe()


@case("RFC 9218 7.1", "PRIORITY_UPDATE for stream 0", REFUSED)
def for_0(connection):
    connection.send(update(0, b"u=1"))
    connection.probe()


@case("RFC 9218 7.1", "PRIORITY_UPDATE of 3 bytes", connection_error("FRAME_SIZE_ERROR"))
def of_3(connection):
    connection.send(raw(0x10, bytes(3)))
    connection.probe()


@case("RFC 9218 7.1", "500 PRIORITY_UPDATE for idle streams", IGNORED, REFUSED)
def idle(connection):
    connection.send(*(update(2 * number + 1, b"u=1") for number in range(500)))
    connection.probe()


def order(connection, urgencies, after=b""):
    """Asks for two tiles while the window of the connection is empty, and then opens it. Returns which comes first."""
    connection.send(connection.headers(1, path=LARGE))
    connection.wait(lambda: connection.has(1, 65535))
    for stream, urgency in urgencies.items():
        connection.send(connection.headers(stream, connection.block(("priority", urgency))))
    connection.wait(lambda: connection.has(3) and connection.has(5))
    connection.order.clear()
    # The large response ends, so that the two tiles are the only ones that wait.
    connection.send(after, raw(3, bytes((0, 0, 0, 8)), stream=1))
    connection.room += 1 << 20
    connection.send(raw(8, (1 << 20).to_bytes(4, "big")))
    connection.wait(lambda: {3, 5} <= set(connection.order))
    return f"{connection.order[0]} first" if connection.order else "nothing"


@case("RFC 9218 10", "the urgent response of two comes first", frozenset({"5 first"}), settings=WIDE)
def urgent(connection):
    return order(connection, {3: "u=5", 5: "u=1"})


@case("RFC 9218 10", "a response comes first after PRIORITY_UPDATE", frozenset({"5 first"}),
      settings=WIDE)
def updated(connection):
    return order(connection, {3: "u=3", 5: "u=5"}, update(5, b"u=0"))
