"""HTTP over a bare socket: requests that HTTP libraries refuse to send, and every byte of the response."""
import socket
import time
import urllib.parse


def connect(url, timeout=30, source=None, receive=None, segment=None):
    """Opens a connection from the address `source`. `receive` is the receive buffer in bytes, and `segment` the maximum
    segment."""
    address = urllib.parse.urlsplit(url)
    connection = socket.socket()
    try:
        # Use small buffers at both ends. The server's buffer grows with the size of segments.
        if receive:
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive)
        if segment:
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_MAXSEG, segment)
        if source:
            connection.bind((source, 0))
        connection.settimeout(timeout)
        connection.connect((address.hostname, address.port))
    except OSError:
        connection.close()
        raise
    return connection


def exchange(url, request, timeout=30):
    """Sends `request` (bytes) unchanged. Returns all bytes until the server closes the connection."""
    with connect(url, timeout) as connection:
        connection.sendall(request)
        return drain(connection)


def drain(connection, seconds=120):
    """Returns all bytes until the other side closes, no more bytes arrive, or `seconds` are over."""
    received, end = bytearray(), time.monotonic() + seconds
    try:
        while (left := end - time.monotonic()) > 0:
            connection.settimeout(min(left, connection.gettimeout() or left))
            piece = connection.recv(1 << 16)
            if not piece:
                break
            received += piece
    except (ConnectionResetError, TimeoutError):
        pass
    return bytes(received)


def read_bytes(url, path):
    """Returns the bytes of the response to a plain GET over a connection that stays open: head and content."""
    host = urllib.parse.urlsplit(url).netloc
    with connect(url) as connection:
        connection.sendall(f"GET {path} HTTP/1.1\r\nHost: {host}\r\n\r\n".encode())
        received = b""
        while b"\r\n\r\n" not in received:
            received += _piece(connection)
        length = len(received.partition(b"\r\n\r\n")[0]) + 4 + int(head(received)["content-length"])
        while len(received) < length:
            received += _piece(connection)
        return received


def _piece(connection):
    piece = connection.recv(1 << 16)
    if not piece:
        raise ConnectionResetError("the connection was closed before the answer's end")
    return piece


def get(path, host="localhost", fields=(), method="GET", body=b"", version="1.1"):
    """Returns the bytes of a request after which the server closes the connection."""
    lines = [f"{method} {path} HTTP/{version}"]
    if host is not None:
        lines.append(f"Host: {host}")
    lines += ["Connection: close", *fields]
    if body:
        lines.append(f"Content-Length: {len(body)}")
    return "\r\n".join([*lines, "", ""]).encode("latin-1") + body


def status(answer):
    """Returns the status code of the first response in `answer`, or 0 without one."""
    words = answer.split(b"\r\n", 1)[0].split()
    return int(words[1]) if len(words) > 1 and words[0].startswith(b"HTTP/") and words[1].isdigit() else 0


def head(answer):
    """Returns the fields of the first response, with names in lower case."""
    lines = answer.split(b"\r\n\r\n", 1)[0].decode("latin-1").split("\r\n")[1:]
    return {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines)}


def read_status(connection):
    """Returns the status of one response, or 0 if the connection closed without one."""
    try:
        return (read_answers(connection, 1) or [0])[0]
    except ConnectionResetError:
        return 0


def read_answers(connection, count):
    """Reads `count` responses with a Content-Length from a connection that stays open. Returns their statuses."""
    statuses = []
    with connection.makefile("rb") as stream:
        while len(statuses) < count:
            line = stream.readline()
            if not line:
                break
            statuses.append(int(line.split()[1]))
            length = 0
            while (field := stream.readline()) not in (b"\r\n", b""):
                name, _, value = field.partition(b":")
                if name.lower() == b"content-length":
                    length = int(value)
            stream.read(length)
    return statuses
