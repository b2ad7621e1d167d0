"""Cases, and the results that an RFC allows."""
import dataclasses
import typing

CASES = []

# Results of this server that differ from an RFC, each with the reason why they stay.
ACCEPTED = {
    "5.1.1 a smaller stream identifier than before":
        "nghttp2 drops such HEADERS on purpose, because they may be trailers of a stream that it has just reset",
    "6.9.2 SETTINGS makes the window of a stream overflow":
        "nghttp2 resets the stream alone. The other streams go on",
}

# The request after an odd frame is answered.
SERVED = frozenset({"200"})
# A request is answered with any status.
ANSWERED = frozenset({"any status"})
# The server acknowledges the PING that follows, and does nothing else.
IGNORED = frozenset({"PING ACK"})


def connection_error(*codes):
    """Returns the results of a connection error: GOAWAY, or an end of the connection without it (RFC 9113 5.4.1)."""
    return frozenset(f"GOAWAY {code}" for code in codes) | {"close"}


def stream_error(*codes):
    """Returns the results of a stream error. A server may end the connection instead (RFC 9113 5.4.2)."""
    return frozenset(f"RST_STREAM {code}" for code in codes) | connection_error(*codes)


def malformed():
    """Returns the results of a malformed request. A server may also answer it with an error (RFC 9113 8.1.1)."""
    return stream_error("PROTOCOL_ERROR") | {"4xx"}


def allows(allowed, result):
    """Reports whether a result is one of the allowed results."""
    return (result in allowed or result.isdigit() and "any status" in allowed
            or result.isdigit() and result[0] == "4" and "4xx" in allowed)


@dataclasses.dataclass
class Case:
    """A sequence of frames, and the results that `section` of an RFC allows."""
    section: str
    text: str
    allowed: frozenset
    send: typing.Callable
    # Settings of the client, as hyperframe numbers them.
    settings: dict
    # True if the connection begins with a complete preface.
    greets: bool
    # True if the server may close the connection after a correct result.
    may_close: bool

    @property
    def name(self):
        return f"{self.section} {self.text}"


def case(section, text, *allowed, settings=None, greets=True, may_close=False):
    """Makes a case of a function that sends its frames. The function returns a result, or nothing if the first allowed
    event is the result."""
    def add(send):
        CASES.append(Case(section, text, frozenset().union(*allowed), send, settings or {}, greets, may_close))
        return send
    return add
