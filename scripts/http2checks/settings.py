"""SETTINGS (RFC 9113 6.5), and the settings of other RFCs."""
from .connection import raw
from .verdict import IGNORED, SERVED, case, connection_error

REFUSED = connection_error("PROTOCOL_ERROR")
SIZE = connection_error("FRAME_SIZE_ERROR")
ACKNOWLEDGED = frozenset({"SETTINGS ACK"})
TABLE, PUSH, CONCURRENT, WINDOW, FRAME, HEADS, EXTENDED_CONNECT, NO_PRIORITIES = 1, 2, 3, 4, 5, 6, 8, 9


def setting(name, value):
    """Returns one setting as bytes."""
    return name.to_bytes(2, "big") + value.to_bytes(4, "big")


def sends(section, text, allowed, payload, **head):
    """Makes a case of one SETTINGS frame. An accepted frame is acknowledged."""
    def send(connection):
        connection.send(raw(4, payload, **head))
        connection.probe()
    case(section, text, allowed)(send)


sends("6.5", "SETTINGS with ACK and content", SIZE, setting(TABLE, 4096), flags=1)
sends("6.5", "SETTINGS on stream 1", REFUSED, setting(TABLE, 4096), stream=1)
sends("6.5", "SETTINGS of 3 bytes", SIZE, b"\x00\x03\x00")
sends("6.5", "SETTINGS with ACK that acknowledges nothing", IGNORED | REFUSED, b"", flags=1)
sends("6.5", "empty SETTINGS", ACKNOWLEDGED, b"")
sends("6.5.2", "ENABLE_PUSH is 2", REFUSED, setting(PUSH, 2))
sends("6.5.2", "ENABLE_PUSH is 0", ACKNOWLEDGED, setting(PUSH, 0))
sends("6.5.2", "INITIAL_WINDOW_SIZE is 2^31", connection_error("FLOW_CONTROL_ERROR"), setting(WINDOW, 1 << 31))
sends("6.5.2", "INITIAL_WINDOW_SIZE is 2^31 - 1", ACKNOWLEDGED, setting(WINDOW, (1 << 31) - 1))
sends("6.5.2", "MAX_FRAME_SIZE is 16383", REFUSED, setting(FRAME, 16383))
sends("6.5.2", "MAX_FRAME_SIZE is 2^24", REFUSED, setting(FRAME, 1 << 24))
sends("6.5.2", "MAX_FRAME_SIZE is 2^24 - 1", ACKNOWLEDGED, setting(FRAME, (1 << 24) - 1))
sends("6.5.2", "HEADER_TABLE_SIZE is 2^32 - 1", ACKNOWLEDGED, setting(TABLE, (1 << 32) - 1))
sends("6.5.2", "MAX_CONCURRENT_STREAMS is 0", ACKNOWLEDGED, setting(CONCURRENT, 0))
sends("6.5.2", "an unknown setting", ACKNOWLEDGED, setting(0xff, 1))
sends("6.5.2", "32 unknown settings", ACKNOWLEDGED, b"".join(setting(0x100 + number, 1) for number in range(32)))
sends("6.5.2", "2,000 settings", ACKNOWLEDGED | connection_error("ENHANCE_YOUR_CALM"), setting(TABLE, 4096) * 2000)
sends("RFC 9218 2.1", "NO_RFC7540_PRIORITIES is 2", REFUSED, setting(NO_PRIORITIES, 2))


@case("6.5.2", "MAX_HEADER_LIST_SIZE of the client is 1", SERVED, frozenset({"500"}))
def small_heads(connection):
    # The setting is advice alone.
    connection.send(raw(4, setting(HEADS, 1)))
    connection.get()


@case("6.5.3", "each SETTINGS is acknowledged", frozenset({"10 acknowledgements"}))
def each(connection):
    connection.send(raw(4, setting(TABLE, 4096)) * 10)
    connection.wait(lambda: connection.acknowledged == 11)
    connection.wait(lambda: connection.acknowledged > 11, 0.1)
    return f"{connection.acknowledged - 1} acknowledgements"


@case("6.5.3", "the last of two values of a setting holds", frozenset({"1 byte"}))
def last_value(connection):
    connection.send(raw(4, setting(WINDOW, 100) + setting(WINDOW, 1)))
    connection.get()
    connection.wait(lambda: connection.has(1, 2), 0.3)
    count = len(connection.answers[1].content) if 1 in connection.answers else 0
    return "1 byte" if count == 1 else f"{count} bytes"


@case("RFC 8441 3", "the client sends ENABLE_CONNECT_PROTOCOL", SERVED)
def extended_connect(connection):
    connection.send(raw(4, setting(EXTENDED_CONNECT, 1)))
    connection.get()
