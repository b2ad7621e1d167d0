"""WINDOW_UPDATE and the windows (RFC 9113 6.9)."""
from hyperframe.frame import WindowUpdateFrame

from .connection import LARGE, raw
from .verdict import ANSWERED, SERVED, case, connection_error, stream_error

FLOW = "FLOW_CONTROL_ERROR"
REFUSED = connection_error("PROTOCOL_ERROR")
SIZE = connection_error("FRAME_SIZE_ERROR")
INITIAL_WINDOW, FRAME = 4, 5
NO_WINDOW = {INITIAL_WINDOW: 0}
MOST = (1 << 31) - 1
STUCK = "no WINDOW_UPDATE"


def update(increment, stream=0):
    return raw(8, increment.to_bytes(4, "big"), stream=stream)


def bytes_after(connection, count, stream=1):
    """Returns the number of bytes of a response, once `count` have arrived and no more follow."""
    connection.wait(lambda: connection.has(stream, count))
    connection.wait(lambda: connection.has(stream, count + 1), 0.2)
    return len(connection.answers[stream].content) if stream in connection.answers else 0


@case("6.9", "WINDOW_UPDATE of 3 bytes", SIZE)
def of_3(connection):
    connection.send(raw(8, b"\x00\x00\x01"))
    connection.probe()


@case("6.9", "an increment of 0 for the connection", REFUSED)
def zero(connection):
    connection.send(update(0))
    connection.probe()


@case("6.9", "an increment of 0 for a stream", stream_error("PROTOCOL_ERROR"), settings=NO_WINDOW)
def zero_of_stream(connection):
    connection.send(connection.headers(), update(0, 1))


@case("6.9", "the reserved bit of the increment", SERVED, settings=NO_WINDOW)
def reserved(connection):
    connection.send(connection.headers(), update(60000 | 1 << 31, 1))


@case("6.9.1", "a window of 1 byte, then of 3 more", frozenset({"0, 1, 4 bytes"}), settings=NO_WINDOW)
def byte_by_byte(connection):
    connection.send(connection.headers())
    connection.wait(lambda: connection.has(1))
    counts = [bytes_after(connection, 0)]
    for increment, count in ((1, 1), (3, 4)):
        connection.send(WindowUpdateFrame(1, increment))
        counts.append(bytes_after(connection, count))
    return ", ".join(map(str, counts)) + " bytes"


@case("6.9.1", "a large response fills the window of the connection", frozenset({"65535 bytes, then the rest"}),
      settings={INITIAL_WINDOW: 1 << 20})
def fills_connection(connection):
    connection.send(connection.headers(path=LARGE))
    count = bytes_after(connection, 65535)
    connection.room += 1 << 20
    connection.send(WindowUpdateFrame(0, 1 << 20))
    return f"{count} bytes, then " + ("the rest" if connection.answer().has_ended else "no end")


@case("6.9.1", "the window of the connection above 2^31 - 1", connection_error(FLOW))
def overflow(connection):
    connection.send(update(MOST), update(MOST))
    connection.probe()


@case("6.9.1", "the window of a stream above 2^31 - 1", stream_error(FLOW), settings=NO_WINDOW)
def overflow_of_stream(connection):
    connection.send(connection.headers(), update(MOST - 1, 1) + update(MOST, 1))
    connection.probe()
    connection.awaited = {0}


@case("6.9.1", "the window of the connection at 2^31 - 1", SERVED)
def full(connection):
    connection.send(update(MOST - 65535))
    connection.get()


@case("6.9.2", "SETTINGS widens the window of an open stream", frozenset({"0, 3 bytes"}), settings=NO_WINDOW)
def widened(connection):
    connection.send(connection.headers())
    connection.wait(lambda: connection.has(1))
    before = bytes_after(connection, 0)
    connection.send(connection.settings({INITIAL_WINDOW: 3}))
    return f"{before}, {bytes_after(connection, 3)} bytes"


@case("6.9.2", "SETTINGS makes a window negative", frozenset({"3, 3, 4 bytes"}), settings={INITIAL_WINDOW: 3})
def negative(connection):
    connection.send(connection.headers())
    counts = [bytes_after(connection, 3)]
    # The window is then -2, 0 and 1.
    connection.send(connection.settings({INITIAL_WINDOW: 1}), WindowUpdateFrame(1, 2))
    counts.append(bytes_after(connection, 3))
    connection.send(WindowUpdateFrame(1, 1))
    counts.append(bytes_after(connection, 4))
    return ", ".join(map(str, counts)) + " bytes"


@case("6.9.2", "SETTINGS makes the window of a stream overflow", connection_error(FLOW), settings=NO_WINDOW)
def overflow_by_settings(connection):
    connection.send(connection.headers(), update(MOST, 1), connection.settings({INITIAL_WINDOW: 1}))
    connection.awaited = {0}


def fill(connection, stream, total, ends=True):
    """Sends content as the windows allow, until the server ends the stream. Returns how the upload ended."""
    window = connection.server_settings.get(INITIAL_WINDOW, 65535)
    sent = 0

    def room():
        """Returns the number of bytes that both windows still allow."""
        def grown(number):
            return sum(increment for of, increment in connection.updates if of == number)
        return min(65535 + grown(0) - connection.uploaded, window + grown(stream) - sent)

    def is_over():
        return stream in connection.resets or connection.goaway or connection.is_closed

    while sent < total:
        connection.wait(lambda: room() > 0 or is_over())
        if is_over():
            return "ended by the server"
        if room() <= 0:
            return STUCK
        size = min(total - sent, 16384, room())
        connection.send(connection.data(stream, bytes(size), ends and sent + size == total))
        sent += size
        connection.uploaded += size
    return "sent"


@case("6.9.1", "five uploads of 40 KiB on one connection", ANSWERED)
def uploads(connection):
    connection.awaited = {9}
    for stream in range(1, 11, 2):
        connection.send(connection.upload(stream))
        if fill(connection, stream, 40 << 10) == STUCK:
            return STUCK
        connection.answer(stream)


@case("6.9.1", "five uploads of 40 KiB that the client resets", SERVED)
def reset_uploads(connection):
    for stream in range(1, 11, 2):
        connection.send(connection.upload(stream))
        if fill(connection, stream, 40 << 10, ends=False) == STUCK:
            return STUCK
        connection.send(raw(3, bytes((0, 0, 0, 8)), stream=stream))
    connection.get(11)


@case("10.5", "an upload that goes on after its refusal", frozenset({"it ends", "no refusal"}), may_close=True)
def endless(connection):
    # No RFC demands this. Otherwise a client could send content without a limit.
    connection.send(connection.upload())
    end = fill(connection, 1, 1 << 20, ends=False)
    return "no refusal" if not connection.has(1) else "1 MiB is taken" if end == "sent" else "it ends"


@case("6.9.1", "DATA for a closed stream gives the connection's window back", SERVED, stream_error("STREAM_CLOSED"))
def closed(connection):
    connection.send(connection.upload(), raw(3, bytes((0, 0, 0, 8)), stream=1))
    for _ in range(5):
        connection.send(connection.data(1, bytes(16384), False))
        connection.uploaded += 16384

        def has_room():
            grown = sum(increment for stream, increment in connection.updates if stream == 0)
            return 65535 + grown - connection.uploaded >= 16384
        if not connection.wait(lambda: has_room() or connection.goaway or connection.resets):
            return STUCK
    connection.get(3)


@case("6.9.1", "more DATA than the server's window", stream_error(FLOW), ANSWERED, frozenset({"wider window"}),
      may_close=True)
def too_much(connection):
    # The server may widen its window meanwhile, or answer early.
    connection.send(connection.upload(), *(connection.data(content=bytes(16384), ends=False) for _ in range(5)))
    connection.wait(lambda: connection.seen or connection.updates)
    return None if connection.seen else "wider window" if connection.updates else "nothing"
