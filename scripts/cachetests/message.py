"""HTTP messages with their field lines in order, and repeated field lines kept."""
import http.client
import socket

# Fields that belong to one connection or one message. Each sender writes them itself.
FRAMING = {
    "connection", "content-encoding", "content-length", "content-range", "host", "keep-alive", "te", "trailer",
    "transfer-encoding", "upgrade"}


def ask(origin, method, target, fields, body=b""):
    """Sends a request. Returns (status, reason, [(name, value)], body) of the response, without interim responses.

    Raises ConnectionError if the other side closes the connection instead.
    """
    with socket.create_connection((origin.hostname, origin.port), timeout=60) as connection:
        lines = [f"{method} {target} HTTP/1.1", f"Host: {origin.netloc}", "Connection: close"]
        lines += [f"{name}: {value}" for name, value in fields if name.lower() not in FRAMING]
        if body:
            lines.append(f"Content-Length: {len(body)}")
        connection.sendall("\r\n".join([*lines, "", ""]).encode("latin-1") + body)
        with connection.makefile("rb") as stream:
            while True:
                words = stream.readline().decode("latin-1").split(maxsplit=2)
                if len(words) < 2:
                    raise ConnectionResetError("no answer")
                head = http.client.parse_headers(stream)
                if int(words[1]) >= 200:
                    break
            length = head.get("Content-Length", "")
            content = stream.read(int(length) if length.isdigit() else -1)
            if "chunked" in head.get("Transfer-Encoding", ""):
                content = unchunked(content)
            return int(words[1]), words[2].strip() if len(words) > 2 else "", head.items(), content


def unchunked(content):
    """Returns the content of chunks (RFC 9112 7.1)."""
    whole = b""
    while content:
        size, _, rest = content.partition(b"\r\n")
        length = int(size.split(b";")[0], 16)
        if length == 0:
            break
        whole, content = whole + rest[:length], rest[length + 2:]
    return whole
