"""The pseudo-fields of requests (RFC 9113 8.3 and 8.5)."""
from .verdict import ANSWERED, SERVED, case, malformed, stream_error

HOST = "localhost"
ERROR = frozenset({"4xx", "501"})


def sends(section, text, *allowed, fields=lambda fields: fields):
    """Makes a case of one request, whose fields `fields` makes of those of a GET."""
    def send(connection):
        connection.send(connection.headers(block=connection.encoder.encode(fields(connection.fields()))))
    case(section, text, *(allowed or [malformed()]))(send)


def without(name):
    return lambda fields: [field for field in fields if field[0] != name]


def doubled(name):
    return lambda fields: [field for field in fields for _ in range(1 + (field[0] == name))]


def changed(**values):
    return lambda fields: [(name, values.get(name[1:], value)) for name, value in fields]


def added(name, value):
    return lambda fields: [*fields, (name, value)]


sends("8.3", "an unknown pseudo-field", fields=added(":test", "ok"))
sends("8.3", "the pseudo-field of responses", fields=added(":status", "200"))
sends("8.3", "a pseudo-field after another field", fields=lambda fields: [*fields[:3], ("x-test", "ok"), fields[3]])
sends("8.3", "a pseudo-field in upper case", fields=lambda fields: [(":METHOD", "GET"), *fields[1:]])
sends("8.3.1", "an empty :path", fields=changed(path=""))
sends("8.3.1", "a :path without a slash", fields=changed(path="grid/3/2/1.png"))
sends("8.3.1", "a :path with a space", malformed(), frozenset({"404"}), fields=changed(path="/grid/3/2/1 .png"))
sends("8.3.1", "a :path with a line break", fields=changed(path="/grid/3/2/1.png HTTP/1.1\r\nx: y"))
sends("8.3.1", "an asterisk as :path of GET", fields=changed(path="*"))
sends("8.3.1", "OPTIONS of an asterisk", ANSWERED, fields=changed(method="OPTIONS", path="*"))
sends("8.3.1", "no :method", fields=without(":method"))
sends("8.3.1", "no :scheme", fields=without(":scheme"))
sends("8.3.1", "no :path", fields=without(":path"))
sends("8.3.1", "two :method", fields=doubled(":method"))
sends("8.3.1", "two :scheme", fields=doubled(":scheme"))
sends("8.3.1", "two :path", fields=doubled(":path"))
sends("8.3.1", "two :authority", fields=doubled(":authority"))
sends("8.3.1", "no fields at all", fields=lambda fields: [])
sends("8.3.1", "an empty :method", malformed(), frozenset({"501"}), fields=changed(method=""))
sends("8.3.1", "a :method with a space", malformed(), frozenset({"501"}), fields=changed(method="GET /"))
sends("8.3.1", "an unknown :method", ANSWERED, fields=changed(method="FROBNICATE"))
sends("8.3.1", "Host instead of :authority", SERVED, fields=lambda fields: [*fields[:2], fields[3], ("host", HOST)])
sends("8.3.1", "Host with the value of :authority", SERVED, fields=lambda fields: [*fields, ("host", fields[2][1])])
# The RFC only recommends to refuse such a request. A server must not use the value of Host.
sends("8.3.1", "Host that differs from :authority", malformed(), SERVED, fields=added("host", "example.org"))
sends("8.3.1", "two Host that differ", malformed(),
      fields=lambda fields: [*fields[:2], fields[3], ("host", HOST), ("host", "example.org")])
# RFC 9110 7.2: a request without Host is answered with 400. RFC 9113 allows a request without any authority.
sends("8.3.1", "neither Host nor :authority", malformed(), SERVED, fields=without(":authority"))
sends("8.3.1", "a broken :authority", malformed(), SERVED, fields=changed(authority="local host"))
sends("8.3.1", "an unknown :scheme", malformed(), SERVED, fields=changed(scheme="gopher"))
sends("8.5", "CONNECT", ERROR, stream_error("PROTOCOL_ERROR", "CONNECT_ERROR", "REFUSED_STREAM"),
      fields=lambda fields: [(":method", "CONNECT"), fields[2]])
sends("8.5", "CONNECT with :path and :scheme", malformed(), ERROR, fields=changed(method="CONNECT"))
sends("8.5", "CONNECT without :authority", malformed(), ERROR, fields=lambda fields: [(":method", "CONNECT")])
sends("RFC 8441 4", "CONNECT with :protocol that was not offered", malformed(), ERROR,
      fields=lambda fields: [(":method", "CONNECT"), *fields[1:], (":protocol", "websocket")])


@case("8.1", "HEAD has the length of GET and no content", frozenset({"the same length"}))
def head(connection):
    connection.send(connection.headers(1), connection.headers(3, method="HEAD"))
    lengths = [dict(connection.answer(stream).fields).get("content-length") for stream in (1, 3)]
    content = connection.answers.get(3) and connection.answers[3].content
    return "the same length" if lengths[0] == lengths[1] and content == b"" else f"{lengths}, {content}"


@case("8.1", "two requests at once", frozenset({"two tiles"}))
def two(connection):
    connection.send(connection.headers(1), connection.headers(3))
    contents = {connection.answer(stream).content for stream in (1, 3)}
    return "two tiles" if len(contents) == 1 and contents.pop().startswith(b"\x89PNG") else "other content"
