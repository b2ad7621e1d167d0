"""DATA, HEADERS, PRIORITY, RST_STREAM, PUSH_PROMISE, PING, GOAWAY and CONTINUATION with wrong forms (RFC 9113 6)."""
from hyperframe.frame import GoAwayFrame, PingFrame

from .connection import raw
from .verdict import ANSWERED, IGNORED, SERVED, case, connection_error, stream_error

REFUSED = connection_error("PROTOCOL_ERROR")
SIZE = connection_error("FRAME_SIZE_ERROR")
# A frame that is too short for its padding is both.
SHORT = SIZE | REFUSED
WITHOUT_CONTENT = b"\x00\x00\x00\x00\x10"


@case("6.1", "DATA on stream 0", REFUSED)
def data_on_0(connection):
    connection.send(connection.upload(), raw(0, b"test", 1))


@case("6.1", "DATA with padding", ANSWERED)
def padded_data(connection):
    connection.send(connection.upload(), connection.data(pad_length=200))


@case("6.1", "DATA that is padding alone", ANSWERED)
def padding_alone(connection):
    connection.send(connection.upload(), connection.data(content=b"", pad_length=255))


@case("6.1", "DATA with more padding than bytes", REFUSED)
def too_much_padding(connection):
    connection.send(connection.upload(), raw(0, b"\x06Test", 9, 1))


@case("6.1", "DATA without the length of its padding", SHORT)
def no_pad_length(connection):
    connection.send(connection.upload(), raw(0, b"", 9, 1))


@case("6.1", "many empty DATA frames", ANSWERED, connection_error("ENHANCE_YOUR_CALM"))
def empty_data(connection):
    connection.send(
        connection.upload(), *(connection.data(content=b"", ends=False) for _ in range(500)), connection.data())


@case("6.2", "HEADERS on stream 0", REFUSED)
def headers_on_0(connection):
    connection.send(raw(1, connection.block(), 5))


@case("6.2", "HEADERS with padding and a priority", SERVED)
def padded_headers(connection):
    connection.send(raw(1, b"\x08" + WITHOUT_CONTENT + connection.block() + bytes(8), 0x2d, 1))


@case("6.2", "HEADERS with more padding than bytes", REFUSED)
def too_much_padding_of_headers(connection):
    block = connection.block()
    connection.send(raw(1, bytes((len(block) + 1,)) + block, 0x0d, 1))


@case("6.2", "HEADERS that are too short for a priority", SHORT)
def short_priority(connection):
    connection.send(raw(1, b"\x00\x00", 0x25, 1))
    connection.probe()


@case("6.3", "PRIORITY on stream 0", REFUSED)
def priority_on_0(connection):
    connection.send(raw(2, WITHOUT_CONTENT))
    connection.probe()


@case("6.3", "PRIORITY of 4 bytes", stream_error("FRAME_SIZE_ERROR"))
def priority_of_4(connection):
    connection.send(connection.upload(), raw(2, bytes(4), stream=1))
    connection.probe()


@case("6.3", "PRIORITY of a stream that depends on itself", IGNORED, stream_error("PROTOCOL_ERROR"))
def priority_of_itself(connection):
    connection.send(raw(2, b"\x00\x00\x00\x01\x10", stream=1))
    connection.probe()


@case("6.4", "RST_STREAM on stream 0", REFUSED)
def reset_on_0(connection):
    connection.send(raw(3, bytes(4)))
    connection.probe()


@case("6.4", "RST_STREAM of 3 bytes", SIZE)
def reset_of_3(connection):
    connection.send(connection.upload(), raw(3, bytes(3), stream=1))
    connection.probe()


@case("6.6", "PUSH_PROMISE from the client", REFUSED)
def promise(connection):
    connection.send(connection.upload(), raw(5, bytes((0, 0, 0, 2)) + connection.block(), 4, 1))
    connection.probe()


@case("6.7", "PING", frozenset({"the same bytes"}))
def ping(connection):
    connection.send(PingFrame(0, b"\x00\xff tiles"))
    connection.wait(lambda: connection.pings)
    return "the same bytes" if connection.pings == [b"\x00\xff tiles"] else f"{connection.pings}"


@case("6.7", "PING with ACK", IGNORED)
def ping_with_ack(connection):
    connection.send(PingFrame(0, b"unasked!", flags=("ACK",)))
    connection.probe()
    connection.wait(lambda: connection.pings)
    return f"an answer to {connection.pings[0]}" if connection.pings[:1] == [b"unasked!"] else None


@case("6.7", "PING on stream 1", REFUSED)
def ping_on_1(connection):
    connection.send(connection.upload(), raw(6, bytes(8), stream=1))
    connection.probe()


@case("6.7", "PING of 6 bytes", SIZE)
def ping_of_6(connection):
    connection.send(raw(6, bytes(6)))
    connection.probe()


@case("6.8", "GOAWAY on stream 1", REFUSED)
def goaway_on_1(connection):
    connection.send(connection.upload(), raw(7, bytes(8), stream=1))
    connection.probe()


@case("6.8", "GOAWAY of 4 bytes", SIZE)
def goaway_of_4(connection):
    connection.send(raw(7, bytes(4)))
    connection.probe()


@case("6.8", "GOAWAY with an unknown code and text, after a request", SERVED, may_close=True)
def goaway(connection):
    connection.send(connection.headers(), GoAwayFrame(0, 0, 0xff, b"further text"))


@case("6.10", "two CONTINUATION frames", SERVED)
def continuations(connection):
    block = connection.block()
    connection.send(raw(1, block[:5], 1, 1), raw(9, block[5:9], 0, 1), raw(9, block[9:], 4, 1))


@case("6.10", "empty HEADERS and CONTINUATION", SERVED)
def empty_headers(connection):
    connection.send(raw(1, b"", 1, 1), raw(9, b"", 0, 1), raw(9, connection.block(), 4, 1))


@case("6.10", "CONTINUATION with undefined flags", SERVED)
def flags_of_continuation(connection):
    block = connection.block()
    connection.send(raw(1, block[:5], 1, 1), raw(9, block[5:], 0x04 | 0xfb, 1))


@case("6.10", "CONTINUATION after END_HEADERS", REFUSED, stream_error("STREAM_CLOSED"))
def after_the_end(connection):
    connection.send(connection.upload(), raw(9, b"", 4, 1))


@case("6.10", "CONTINUATION after DATA", REFUSED, stream_error("STREAM_CLOSED"))
def after_data(connection):
    connection.send(connection.upload(), connection.data(ends=False), raw(9, b"", 4, 1))


@case("6.10", "CONTINUATION on stream 0", REFUSED)
def on_0(connection):
    block = connection.block()
    connection.send(raw(1, block[:5], 1, 1), raw(9, block[5:], 4, 0))


@case("6.10", "CONTINUATION on another stream", REFUSED)
def on_another(connection):
    block = connection.block()
    connection.send(raw(1, block[:5], 1, 1), raw(9, block[5:], 4, 3))


@case("6.10", "10,000 CONTINUATION frames", ANSWERED, connection_error("ENHANCE_YOUR_CALM", "INTERNAL_ERROR"), REFUSED,
      may_close=True)
def flood(connection):
    connection.send(raw(1, connection.block(), 1, 1), raw(9, b"", 0, 1) * 10_000, raw(9, b"", 4, 1))
