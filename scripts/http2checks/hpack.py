"""Header compression (RFC 7541). Each wrong block is an error of the connection (RFC 9113 4.3)."""
from .connection import raw
from .verdict import SERVED, case, connection_error, malformed

BROKEN = connection_error("COMPRESSION_ERROR")
TABLE = 1
# The first entry of the dynamic table.
FIRST = bytes((0x80 | 62,))
KEPT = b"\x40\x06x-test\x02ok"


def sends(section, text, suffix, allowed=BROKEN, prefix=b""):
    """Makes a case of a GET with bytes before and after its fields."""
    def send(connection):
        connection.send(connection.headers(block=prefix + plain(connection) + suffix))
    case(f"RFC 7541 {section}", text, allowed)(send)


def plain(connection, **changes):
    """Returns the fields of a GET as literals that change no table."""
    block = b""
    for name, value in connection.fields(**changes):
        block += b"\x00" + bytes((len(name),)) + name.encode() + bytes((len(value),)) + value.encode()
    return block


sends("2.3.3", "an index beyond the tables", FIRST)
sends("2.3.3", "a name with an index beyond the tables", b"\x7f\x00\x02ok")
sends("4.2", "a change of the table's size after a field", b"\x20")
sends("4.2", "a size of 2^32 - 1", b"", prefix=b"\x3f\xe0\xff\xff\xff\x0f")
sends("4.2", "a size of 4097", b"", prefix=b"\x3f\xe2\x1f")
sends("4.2", "a size of 4096", b"", SERVED, prefix=b"\x3f\xe1\x1f")
sends("4.2", "a size of 0", b"", SERVED, prefix=b"\x20")
sends("4.2", "a size of 0 and then of 4096", b"", SERVED, prefix=b"\x20\x3f\xe1\x1f")
sends("5.1", "an index of more than 64 bits", b"\xff" + b"\xff" * 10 + b"\x0f")
sends("5.1", "an integer with 100 bytes of zero", b"\xff" + b"\x80" * 100 + b"\x00")
sends("5.1", "an integer without its end", b"\xff\x80")
sends("5.1", "a string of 2^32 bytes", b"\x00\x7f\x81\xff\xff\xff\x0f")
sends("5.2", "a string beyond the block", b"\x00\x06x-test\x0aok")
sends("5.2", "Huffman padding of more than 7 bits", b"\x00\x85\xf2\xb2\x4a\x84\xff\x83\x49\x50\x9f\xff")
sends("5.2", "Huffman padding of zeros", b"\x00\x85\xf2\xb2\x4a\x84\xff\x83\x49\x50\x90")
sends("5.2", "the Huffman symbol of the end", b"\x00\x85\xf2\xb2\x4a\x84\xff\x87\x49\x51\xff\xff\xff\xfa\x7f")
sends("5.2", "a Huffman string", b"\x00\x85\xf2\xb2\x4a\x84\xff\x83\x49\x50\x9f", SERVED)
sends("6.1", "index 0", b"\x80")
sends("6.2.1", "a field that is kept, and its index", KEPT + FIRST, SERVED)
sends("6.2.2", "a field that is not kept, and an index", b"\x00\x06x-test\x02ok" + FIRST)
sends("6.2.3", "a field that is never indexed", b"\x10\x06x-test\x02ok", SERVED)
sends("4.4", "a field larger than the table empties the table",
      KEPT + b"\x40\x06x-test\x7f\xa1\x1f" + b"o" * 4128 + FIRST)


@case("RFC 7541 2.2", "the table lives on after a request", SERVED)
def next_request(connection):
    connection.send(connection.headers(1, plain(connection) + KEPT))
    connection.send(connection.headers(3, plain(connection) + FIRST))
    connection.awaited = {3}


@case("RFC 7541 2.2", "the table lives on after a malformed request", SERVED, malformed())
def after_malformed(connection):
    connection.send(connection.headers(1, plain(connection) + b"\x00\x06X-TEST\x02ok" + KEPT))
    connection.send(connection.headers(3, plain(connection) + FIRST))
    connection.awaited = {3}
    connection.wait(lambda: connection.goaway or "200" in connection.seen)
    return "200" if "200" in connection.seen else None


@case("RFC 7541 2.2", "the table lives on after a block for a reset stream", SERVED,
      connection_error("STREAM_CLOSED", "PROTOCOL_ERROR"))
def after_reset(connection):
    connection.send(connection.upload(), raw(3, bytes((0, 0, 0, 8)), stream=1))
    connection.send(connection.headers(1, plain(connection) + KEPT))
    connection.send(connection.headers(5, plain(connection) + FIRST))
    connection.awaited = {5}


@case("RFC 7541 4.2", "the client's table of 0 bytes", frozenset({"three tiles"}), settings={TABLE: 0})
def no_table(connection):
    connection.decoder.max_allowed_table_size = 0
    return three(connection)


@case("RFC 7541 4.2", "the client shrinks its table between responses", frozenset({"three tiles"}))
def shrunk(connection):
    connection.send(connection.headers())
    connection.answer()
    connection.send(connection.settings({TABLE: 64}))
    connection.wait(lambda: connection.acknowledged == 2)
    connection.decoder.max_allowed_table_size = 64
    return three(connection, 3)


def three(connection, first=1):
    """Sends three requests, and decodes their responses."""
    streams = range(first, first + 6, 2)
    connection.send(*(connection.headers(stream) for stream in streams))
    statuses = [connection.answer(stream).status for stream in streams]
    return "three tiles" if statuses == ["200"] * 3 else f"{statuses}"


@case("RFC 7541 4.3", "a size of 0 empties the table", BROKEN)
def emptied(connection):
    connection.send(connection.headers(1, plain(connection) + KEPT))
    connection.send(connection.headers(3, b"\x20\x3f\xe1\x1f" + plain(connection) + FIRST))
    connection.awaited = {3}
