"""The states of streams (RFC 9113 5.1 and 5.4)."""
from hyperframe.frame import PriorityFrame, RstStreamFrame, WindowUpdateFrame

from .connection import LARGE, raw
from .verdict import IGNORED, SERVED, case, connection_error, stream_error

CANCEL = 8
MAX_CONCURRENT, INITIAL_WINDOW = 3, 4
# A response with content stays unfinished while the window of its stream is empty.
NO_WINDOW = {INITIAL_WINDOW: 0}
REFUSED = connection_error("PROTOCOL_ERROR")
# A frame for a stream that is half-closed by the client.
HALF_CLOSED = stream_error("STREAM_CLOSED")
# A frame for a stream that is closed. A server may also drop the frame.
CLOSED = stream_error("STREAM_CLOSED") | IGNORED
# Such HEADERS have a stream identifier that is not new, too.
CLOSED_HEADERS = CLOSED | REFUSED


@case("5.1", "idle: DATA", REFUSED, stream_error("STREAM_CLOSED"))
def idle_data(connection):
    connection.send(connection.data(1))


@case("5.1", "idle: RST_STREAM", REFUSED)
def idle_reset(connection):
    connection.send(RstStreamFrame(1, CANCEL))
    connection.probe()


@case("5.1", "idle: WINDOW_UPDATE", REFUSED)
def idle_update(connection):
    connection.send(WindowUpdateFrame(1, 100))
    connection.probe()


@case("5.1", "idle: CONTINUATION", REFUSED)
def idle_continuation(connection):
    connection.send(raw(9, connection.block(), 4, 1))


@case("5.1", "idle: PRIORITY", SERVED)
def idle_priority(connection):
    connection.send(PriorityFrame(3, depends_on=0, stream_weight=100))
    connection.get(1)


@case("5.1", "half-closed: DATA", HALF_CLOSED, settings=NO_WINDOW)
def half_closed_data(connection):
    connection.send(connection.headers(), connection.data(1))


@case("5.1", "half-closed: HEADERS", HALF_CLOSED, settings=NO_WINDOW)
def half_closed_headers(connection):
    connection.send(connection.headers(), connection.headers())


@case("5.1", "half-closed: CONTINUATION", HALF_CLOSED, REFUSED, settings=NO_WINDOW)
def half_closed_continuation(connection):
    connection.send(connection.headers(), raw(9, b"", 4, 1))


@case("5.1", "half-closed: PRIORITY", IGNORED, settings=NO_WINDOW)
def half_closed_priority(connection):
    connection.send(connection.headers(), PriorityFrame(1, depends_on=0, stream_weight=100))
    connection.probe()


@case("5.1", "half-closed: WINDOW_UPDATE", SERVED, settings=NO_WINDOW)
def half_closed_update(connection):
    connection.send(connection.headers(), WindowUpdateFrame(1, 60000))


@case("5.1", "half-closed: RST_STREAM", SERVED, settings=NO_WINDOW)
def half_closed_reset(connection):
    connection.send(connection.headers(), RstStreamFrame(1, CANCEL), WindowUpdateFrame(0, 1))
    connection.send(connection.headers(3), WindowUpdateFrame(3, 60000))
    connection.awaited = {3}


@case("5.1", "closed by RST_STREAM: DATA", CLOSED, may_close=True)
def reset_data(connection):
    connection.send(connection.upload(), RstStreamFrame(1, CANCEL), connection.data(1))
    connection.probe()


@case("5.1", "closed by RST_STREAM: HEADERS", CLOSED_HEADERS)
def reset_headers(connection):
    connection.send(connection.upload(), RstStreamFrame(1, CANCEL), connection.headers(1))
    connection.probe()


@case("5.1", "closed by RST_STREAM: CONTINUATION", CLOSED - IGNORED, REFUSED)
def reset_continuation(connection):
    connection.send(connection.upload(), RstStreamFrame(1, CANCEL), raw(9, b"", 4, 1))


@case("5.1", "closed by both ends: DATA", CLOSED)
def closed_data(connection):
    connection.get()
    connection.answer()
    connection.awaited = {0}
    connection.send(connection.data(1))
    connection.probe()


@case("5.1", "closed by both ends: HEADERS", CLOSED_HEADERS)
def closed_headers(connection):
    connection.get()
    connection.answer()
    connection.awaited = {0}
    connection.send(connection.headers(1))
    connection.probe()


@case("5.1", "closed by both ends: CONTINUATION", CLOSED - IGNORED, REFUSED)
def closed_continuation(connection):
    connection.get()
    connection.answer()
    connection.send(raw(9, b"", 4, 1))


@case("5.1", "closed by both ends: PRIORITY, WINDOW_UPDATE, RST_STREAM", SERVED)
def closed_others(connection):
    connection.get()
    connection.answer()
    connection.seen.clear()
    connection.send(
        PriorityFrame(1, depends_on=0, stream_weight=1), WindowUpdateFrame(1, 100), RstStreamFrame(1, CANCEL))
    connection.get(3)


@case("5.1.1", "an even stream identifier", REFUSED)
def even(connection):
    connection.send(connection.headers(2))


@case("5.1.1", "a smaller stream identifier than before", REFUSED, stream_error("STREAM_CLOSED"))
def smaller(connection):
    connection.send(connection.headers(5), connection.headers(3))
    connection.awaited = {3}


@case("5.1.1", "stream identifiers with gaps", SERVED)
def gaps(connection):
    connection.send(connection.headers(1), connection.headers(99))
    connection.get(12345)


@case("5.1.1", "the largest stream identifier", SERVED, may_close=True)
def largest(connection):
    connection.get((1 << 31) - 1)


@case("5.1.2", "one stream more than the server allows", stream_error("REFUSED_STREAM", "PROTOCOL_ERROR"),
      settings=NO_WINDOW)
def too_many(connection):
    most = connection.server_settings.get(MAX_CONCURRENT, 1 << 20)
    connection.send(*(connection.headers(2 * number + 1) for number in range(most + 1)))


@case("5.1.2", "as many streams as the server allows", SERVED, settings=NO_WINDOW)
def all_at_once(connection):
    last = 2 * min(connection.server_settings.get(MAX_CONCURRENT, 100), 1000) - 1
    connection.send(*(connection.headers(stream) for stream in range(1, last + 1, 2)))
    connection.wait(lambda: connection.has(last))
    connection.send(WindowUpdateFrame(0, 1 << 20), *(
        WindowUpdateFrame(stream, 60000) for stream in range(1, last + 1, 2)))
    connection.room += 1 << 20
    connection.awaited = {last}
    answers = [connection.answer(stream) for stream in range(1, last + 1, 2)]
    return "200" if all(answer.has_ended and answer.status == "200" for answer in answers) else "not all"


@case("5.4.1", "an error of the connection while events are streamed", connection_error("FRAME_SIZE_ERROR"))
def error_with_events(connection):
    connection.send(connection.headers(1, path="/events"))
    connection.wait(lambda: connection.has(1))
    connection.awaited = {0}
    connection.send(raw(6, b"short"))


@case("5.4.1", "an error of the connection while a large response is sent", connection_error("FRAME_SIZE_ERROR"))
def error_with_content(connection):
    connection.send(connection.headers(1, path=LARGE))
    connection.wait(lambda: connection.has(1))
    connection.awaited = {0}
    connection.send(raw(6, b"short"))


@case("5.4.2", "other streams go on after a stream error", SERVED, settings=NO_WINDOW)
def others_go_on(connection):
    connection.send(connection.headers(1), connection.headers(3, connection.block(("x-test ", "ok"))))
    connection.wait(lambda: 3 in connection.resets or connection.has(3))
    connection.send(WindowUpdateFrame(1, 60000))
    connection.awaited = {1}


@case("5.4.2", "the connection lives on for 4 seconds after a stream error", IGNORED, settings=NO_WINDOW)
def lives_on(connection):
    # The headTimeout of this server is 2 seconds. A malformed head must not leave its deadline behind.
    connection.send(connection.headers(1, path=LARGE), connection.headers(3, connection.block(("x-test ", "ok"))))
    connection.wait(lambda: 3 in connection.resets or connection.has(3))
    connection.awaited = {0}
    connection.wait(lambda: connection.goaway or connection.is_closed, 4)
    connection.probe()


@case("5.4.2", "DATA that is on its way while the server resets the stream", SERVED)
def on_its_way(connection):
    connection.send(connection.upload(1, ("x-test ", "ok")))
    connection.wait(lambda: 1 in connection.resets or connection.has(1))
    connection.send(connection.data(1, ends=False), connection.data(1))
    connection.get(3)


@case("5.4.2", "an unknown error code in RST_STREAM", SERVED)
def unknown_code(connection):
    connection.send(connection.upload(), RstStreamFrame(1, 0xff))
    connection.get(3)
