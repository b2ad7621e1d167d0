"""Fields, content and trailers of requests (RFC 9113 8.1 and 8.2)."""
from .connection import raw
from .verdict import ANSWERED, SERVED, case, connection_error, malformed

TOO_LARGE = frozenset({"4xx"}) | malformed()


def sends(section, text, *allowed, fields):
    """Makes a case of a GET with more fields."""
    def send(connection):
        block = connection.block(*fields)
        pieces = [block[begin:begin + 16384] for begin in range(0, len(block), 16384)]
        # The first frame is HEADERS with END_STREAM. The last frame has END_HEADERS.
        connection.send(*(
            raw(9 if number else 1, piece, (0 if number else 1) | (4 if number == len(pieces) - 1 else 0), 1)
            for number, piece in enumerate(pieces)))
    case(section, text, *(allowed or [malformed()]))(send)


def uploads(
        section, text, *allowed, fields=(), content=(b"test",), trailers=None, flags=("END_HEADERS", "END_STREAM")):
    """Makes a case of a POST with content in pieces. `trailers` follow the content."""
    def send(connection):
        connection.send(connection.upload(1, *fields), *(
            connection.data(content=piece, ends=trailers is None and number == len(content))
            for number, piece in enumerate(content, start=1)))
        if trailers is not None:
            connection.send(connection.headers(block=connection.encoder.encode(list(trailers)), flags=flags))
    case(section, text, *(allowed or [malformed()]))(send)


def literal(name, value):
    """Returns a field in HPACK's plain form, whose bytes no library checks."""
    return b"\x00" + bytes((len(name),)) + name + bytes((len(value),)) + value


def sends_bytes(section, text, *allowed, name=b"x-test", value=b"ok"):
    """Makes a case of a GET with a field of any bytes."""
    def send(connection):
        connection.send(connection.headers(block=connection.block() + literal(name, value)))
    case(section, text, *(allowed or [malformed()]))(send)


sends_bytes("8.2", "a name in upper case", name=b"X-Test")
sends_bytes("8.2.1", "an empty name", name=b"")
sends_bytes("8.2.1", "a name with a space", name=b"x test")
sends_bytes("8.2.1", "a name with a colon", name=b"x:test")
sends_bytes("8.2.1", "a name with a byte of 0", name=b"x\x00test")
sends_bytes("8.2.1", "a name with a line break", name=b"x\r\ntest")
sends_bytes("8.2.1", "a name with a byte above 127", name=b"x\xfftest")
sends_bytes("8.2.1", "a value with a byte of 0", value=b"o\x00k")
sends_bytes("8.2.1", "a value with a line feed", value=b"o\nk")
sends_bytes("8.2.1", "a value with a carriage return", value=b"o\rk")
sends_bytes("8.2.1", "a value that begins with a space", value=b" ok")
sends_bytes("8.2.1", "a value that ends with a tab", value=b"ok\t")
sends_bytes("8.2.1", "a value with bytes above 127", SERVED, malformed(), value=b"o\xffk")
sends_bytes("8.2.1", "an empty value", SERVED, value=b"")

sends("8.2.2", "Connection", fields=[("connection", "keep-alive")])
sends("8.2.2", "Keep-Alive", fields=[("keep-alive", "timeout=5")])
sends("8.2.2", "Proxy-Connection", fields=[("proxy-connection", "keep-alive")])
sends("8.2.2", "Transfer-Encoding", fields=[("transfer-encoding", "chunked")])
sends("8.2.2", "Upgrade", fields=[("upgrade", "h2c")])
sends("8.2.2", "TE: trailers, deflate", fields=[("te", "trailers, deflate")])
sends("8.2.2", "TE: trailers", SERVED, fields=[("te", "trailers")])
sends("8.2.3", "crumbs of cookies", SERVED, fields=[("cookie", "a=b"), ("cookie", "c=d"), ("cookie", "e=f")])
sends("10.5.1", "200 fields", SERVED, TOO_LARGE, fields=[("x-test", "ok")] * 200)
sends("10.5.1", "a head of 100 KiB", SERVED, TOO_LARGE, connection_error("ENHANCE_YOUR_CALM"),
      fields=[("x-test", "o" * 8000)] * 13)

uploads("8.1", "trailers", ANSWERED, trailers=[("x-test", "ok")])
uploads("8.1", "trailers without content", ANSWERED, content=(), trailers=[("x-test", "ok")])
uploads("8.1", "a second HEADERS without END_STREAM", trailers=[("x-test", "ok")], flags=("END_HEADERS",))
uploads("8.1", "a pseudo-field in trailers", trailers=[(":method", "POST")])
uploads("8.1", "Connection in trailers", trailers=[("connection", "close")])
uploads("8.1.1", "content shorter than Content-Length", fields=[("content-length", "5")])
uploads("8.1.1", "content longer than Content-Length", fields=[("content-length", "1")])
uploads("8.1.1", "several DATA shorter than Content-Length", fields=[("content-length", "9")], content=(b"test",) * 2)
uploads("8.1.1", "several DATA longer than Content-Length", fields=[("content-length", "5")], content=(b"test",) * 2)
uploads("8.1.1", "trailers before the end of Content-Length", fields=[("content-length", "9")],
        trailers=[("x-test", "ok")])
uploads("8.1.1", "content of Content-Length", ANSWERED, fields=[("content-length", "8")], content=(b"test",) * 2)
uploads("8.1.1", "two Content-Length that differ", fields=[("content-length", "4"), ("content-length", "5")])
uploads("8.1.1", "Content-Length that is no number", fields=[("content-length", "four")])
uploads("8.1.1", "Content-Length of 2^64 + 4", fields=[("content-length", str((1 << 64) + 4))])
sends("8.1.1", "Content-Length without content", fields=[("content-length", "5")])
sends("8.1.1", "Content-Length of 0 without content", SERVED, fields=[("content-length", "0")])
uploads("8.1", "Expect: 100-continue", ANSWERED, frozenset({"interim 100"}), fields=[("expect", "100-continue")])


@case("8.1", "an upload whose end is an empty DATA", ANSWERED)
def empty_end(connection):
    connection.send(connection.upload(), connection.data(ends=False), raw(0, b"", 1, 1))


@case("8.1", "GET with content", ANSWERED)
def content_of_get(connection):
    connection.send(connection.headers(flags=("END_HEADERS",)), connection.data())


@case("8.1", "DATA after an early answer", SERVED)
def after_an_answer(connection):
    # The content is larger than the server accepts.
    connection.send(connection.upload(1, ("content-length", "9999999")))
    connection.wait(lambda: connection.has(1) and connection.answers[1].has_ended, 1)
    connection.send(connection.data(1, bytes(16384), ends=False))
    connection.get(3)
