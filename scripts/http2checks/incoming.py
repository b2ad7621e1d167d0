"""Reads and checks the frames that a server sends."""
import dataclasses

from hpack import Decoder
from hpack.exceptions import HPACKError
from hyperframe import frame as frames
from hyperframe.exceptions import HyperframeError

CODES = (
    "NO_ERROR", "PROTOCOL_ERROR", "INTERNAL_ERROR", "FLOW_CONTROL_ERROR", "SETTINGS_TIMEOUT", "STREAM_CLOSED",
    "FRAME_SIZE_ERROR", "REFUSED_STREAM", "CANCEL", "COMPRESSION_ERROR", "CONNECT_ERROR", "ENHANCE_YOUR_CALM",
    "INADEQUATE_SECURITY", "INADEQUATE_TRANSPORT", "HTTP_1_1_REQUIRED")
PROBE = b"theprobe"
# Fields that describe a connection of HTTP/1.1 (RFC 9113 8.2.2).
OF_CONNECTIONS = {"connection", "keep-alive", "proxy-connection", "transfer-encoding", "upgrade"}
# The frames that a server may send. It ignores others.
NAMES = {
    frames.SettingsFrame: "settings", frames.PingFrame: "ping", frames.GoAwayFrame: "goaway",
    frames.RstStreamFrame: "reset", frames.PushPromiseFrame: "promise", frames.HeadersFrame: "headers",
    frames.ContinuationFrame: "continuation", frames.DataFrame: "data", frames.WindowUpdateFrame: "update"}


def code(number):
    return CODES[number] if number < len(CODES) else f"{number:#x}"


@dataclasses.dataclass
class Answer:
    """The response of one stream."""
    fields: list = dataclasses.field(default_factory=list)
    content: bytes = b""
    has_ended: bool = False

    @property
    def status(self):
        return dict(self.fields).get(":status", "")


class Incoming:
    """The frames that a server has sent on one connection."""

    def __init__(self):
        self.decoder = Decoder()
        self.answers, self.resets, self.pings = {}, {}, []
        # The events so far, in words.
        self.seen = []
        # Frames of the server that break a rule.
        self.wrong = []
        self.server_settings = None
        self.acknowledged = 0
        self.goaway = None
        self.is_closed = False
        # The streams whose responses may be the result of the case. Empty: every stream.
        self.awaited = set()
        self.room = 65535
        # The server's WINDOW_UPDATE frames as pairs of stream and increment.
        self.updates = []
        # The number of bytes that a case has counted against the server's window.
        self.uploaded = 0
        # The streams of the server's DATA frames in their order.
        self.order = []
        self.head, self.fragments = None, b""
        self.received = b""

    def take(self, piece):
        """Handles the complete frames of all bytes so far."""
        self.received += piece
        while len(self.received) >= 9:
            size = int.from_bytes(self.received[:3], "big")
            if len(self.received) < 9 + size:
                break
            head, body, self.received = self.received[:9], self.received[9:9 + size], self.received[9 + size:]
            try:
                frame, _ = frames.Frame.parse_frame_header(memoryview(head))
                frame.parse_body(memoryview(body))
                self.handle(frame, size)
            except (HyperframeError, HPACKError) as error:
                self.wrong.append(f"{type(error).__name__} {error} in a frame of type {head[3]}")

    def handle(self, frame, size):
        """Handles a frame of the server."""
        if size > 16384:
            self.wrong.append(f"a frame of {size} bytes")
        if self.server_settings is None and not isinstance(frame, frames.SettingsFrame):
            self.wrong.append(f"{frame.name} before SETTINGS")
        handle = getattr(self, "_" + NAMES.get(type(frame), ""), None)
        if handle:
            handle(frame)

    def _settings(self, frame):
        if "ACK" in frame.flags:
            self.acknowledged += 1
            if self.acknowledged > 1:
                self.seen.append("SETTINGS ACK")
            return
        self.server_settings = (self.server_settings or {}) | frame.settings
        self.send(frames.SettingsFrame(0, flags=("ACK",)))

    def _ping(self, frame):
        self.pings.append(frame.opaque_data)
        if "ACK" not in frame.flags:
            self.wrong.append("a PING")
        elif frame.opaque_data == PROBE:
            self.seen.append("PING ACK")

    def _update(self, frame):
        self.updates.append((frame.stream_id, frame.window_increment))

    def _goaway(self, frame):
        if frame.error_code:
            self.goaway = code(frame.error_code)
            self.seen.append(f"GOAWAY {self.goaway}")

    def _reset(self, frame):
        self.resets[frame.stream_id] = code(frame.error_code)
        # A server may end an upload so after the response (RFC 9113 8.1).
        if frame.error_code or not self.has(frame.stream_id):
            self.seen.append(f"RST_STREAM {code(frame.error_code)}")

    def _promise(self, frame):
        self.wrong.append("a PUSH_PROMISE")

    def _headers(self, frame):
        self.head, self.fragments = frame, b""
        self._continuation(frame)

    def _continuation(self, frame):
        self.fragments += frame.data
        if "END_HEADERS" not in frame.flags:
            return
        fields = self.decoder.decode(self.fragments)
        if fields[0][1].startswith("1"):
            return self.seen.append(f"interim {fields[0][1]}")
        for name, _ in fields:
            if name in OF_CONNECTIONS or name != name.lower():
                self.wrong.append(f"the field {name}")
        self.answers.setdefault(self.head.stream_id, Answer(fields))
        self._end(self.head.stream_id, self.head)

    def _data(self, frame):
        self.room -= frame.flow_controlled_length
        if self.room < 0:
            self.wrong.append("more DATA than the connection's window")
        self.order.append(frame.stream_id)
        self.answers.setdefault(frame.stream_id, Answer()).content += frame.data
        self._end(frame.stream_id, frame)

    def has(self, stream, count=0):
        """Reports whether the head and `count` bytes of a response have arrived."""
        return stream in self.answers and len(self.answers[stream].content) >= count

    def _end(self, stream, frame):
        if "END_STREAM" not in frame.flags:
            return
        answer = self.answers[stream]
        answer.has_ended = True
        length = dict(answer.fields).get("content-length")
        if answer.content and length and int(length) != len(answer.content):
            self.wrong.append(f"{len(answer.content)} bytes of {length}")
        if not self.awaited or stream in self.awaited:
            self.seen.append(answer.status or "no status")
