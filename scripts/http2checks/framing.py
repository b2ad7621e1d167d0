"""The form of frames (RFC 9113 4), and frames of unknown types (5.5)."""
from hyperframe.frame import PingFrame

from .connection import raw
from .verdict import ANSWERED, IGNORED, SERVED, case, connection_error, stream_error

TOO_LARGE = connection_error("FRAME_SIZE_ERROR")
REFUSED = connection_error("PROTOCOL_ERROR")
UNKNOWN = 0x16


@case("4.1", "a frame of an unknown type on stream 0", SERVED)
def unknown(connection):
    connection.send(raw(UNKNOWN, b"12345678", 0xff))
    connection.get()


@case("4.1", "a frame of an unknown type on an idle stream", SERVED)
def unknown_on_stream(connection):
    connection.send(raw(UNKNOWN, b"12345678", stream=1))
    connection.get()


@case("4.1", "a PING with undefined flags", IGNORED)
def undefined_flags(connection):
    connection.send(raw(6, b"theprobe", 0x16))


@case("4.1", "HEADERS with undefined flags", SERVED)
def undefined_flags_of_headers(connection):
    connection.send(raw(1, connection.block(), 0x05 | 0xd2, 1))


@case("4.1", "a PING with the reserved bit", IGNORED)
def reserved_bit(connection):
    connection.send(raw(6, b"theprobe", stream=1 << 31))


@case("4.1", "HEADERS with the reserved bit", SERVED)
def reserved_bit_of_headers(connection):
    connection.send(raw(1, connection.block(), 0x05, 1 | 1 << 31))


@case("4.2", "DATA of 16384 bytes", ANSWERED)
def largest_data(connection):
    connection.send(connection.upload(), connection.data(content=bytes(16384)))


@case("4.2", "DATA of 16385 bytes", stream_error("FRAME_SIZE_ERROR"))
def too_large_data(connection):
    connection.send(connection.upload(), raw(0, bytes(16385), 1, 1))


@case("4.2", "HEADERS of 16385 bytes", TOO_LARGE)
def too_large_headers(connection):
    block = connection.block()
    connection.send(raw(1, block + bytes(16385 - len(block)), 5, 1))


@case("4.2", "SETTINGS of 16386 bytes", TOO_LARGE)
def too_large_settings(connection):
    connection.send(raw(4, b"\x10\x10\x00\x00\x00\x00" * 2731))


@case("4.2", "a frame of an unknown type with 16384 bytes", SERVED)
def largest_unknown(connection):
    connection.send(raw(UNKNOWN, bytes(16384)))
    connection.get()


@case("4.2", "a frame of an unknown type with 16385 bytes", TOO_LARGE)
def too_large_unknown(connection):
    connection.send(raw(UNKNOWN, bytes(16385)))
    connection.probe()


@case("4.2", "frames in single bytes", SERVED)
def bytewise(connection):
    for byte in connection.headers().serialize():
        connection.send(bytes((byte,)))


@case("4.3", "a header block that cannot be decoded", connection_error("COMPRESSION_ERROR"))
def broken_block(connection):
    # A literal with a new name whose length reaches beyond the block.
    connection.send(connection.headers(block=b"\x00\x85\xf2\xb2\x4a"))


@case("4.3", "a PRIORITY between HEADERS and CONTINUATION", REFUSED)
def priority_within(connection):
    connection.send(raw(1, connection.block(), 1, 1), raw(2, bytes((0, 0, 0, 3, 16)), stream=5))
    connection.probe()


@case("4.3", "a PING between HEADERS and CONTINUATION", REFUSED)
def ping_within(connection):
    connection.send(raw(1, connection.block(), 1, 1), PingFrame(0, b"12345678"))


@case("4.3", "HEADERS of another stream between HEADERS and CONTINUATION", REFUSED)
def headers_within(connection):
    connection.send(raw(1, connection.block(), 1, 1), connection.headers(3))


@case("5.5", "a frame of an unknown type between HEADERS and CONTINUATION", REFUSED)
def unknown_within(connection):
    connection.send(raw(1, connection.block(), 1, 1), raw(UNKNOWN, b"12345678"))
    connection.probe()
