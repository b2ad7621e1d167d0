"""Requests to a server, each over its own connection, one after the other."""
import dataclasses
import json
import re

from support.machine import fetch, wait_until
from support.raw import connect, drain, get, head
from support.tileserver import TileServer

ADMIN = f"Authorization: Bearer {TileServer.TOKEN}"
# Placeholders for values that only the server knows. The values come from the preceding request for the same path.
ETAG, MODIFIED, GENERATION = "@ETAG@", "@MODIFIED@", "@GENERATION@"
STAMP = re.compile(rb'(\bv=|"generation":)(\d{10})\b')


@dataclasses.dataclass(frozen=True)
class Question:
    """The bytes of a request. `rest` is sent after the server's first response."""
    request: bytes
    rest: bytes = b""
    # Seconds after which the script stops waiting.
    patience: float = 30
    # True if background work of the server must end before this request.
    settled: bool = False

    @property
    def path(self):
        words = self.request.split(b" ")
        return words[1].decode("latin-1") if len(words) > 2 else ""

    def __str__(self):
        lines = self.request.decode("latin-1").split("\r\n")
        said = [line for line in lines[1:] if line not in ("", "Host: localhost", "Connection: close", ADMIN)]
        words = [lines[0].removesuffix(" HTTP/1.1"), *said]
        text = " | ".join(words).encode("unicode_escape").decode()
        return text if len(text) <= 180 else f"{text[:60]}…{text[-120:]}"


def ask(path, *fields, **options):
    """Returns a request that an HTTP client may send. `options` are those of `support.raw.get`."""
    return Question(get(path, fields=fields, **options))


def post(path, content, *fields):
    """Returns a POST of JSON. `content` may be text, also invalid text."""
    text = content if isinstance(content, str) else json.dumps(content, separators=(",", ":"))
    return ask(path, *fields, method="POST", body=text.encode())


def many(template, names, *fields):
    """Yields a request for each of `names`, which replaces `*` in the template."""
    return [ask(template.replace("*", name), *fields) for name in names]


def answers(server, questions):
    """Yields each request with the response's bytes. Generations begin with the time, so they are counted from the
    start."""
    layers = json.loads(fetch(f"{server.url}/layers.json")[2])
    first = sorted({layer["generation"] for layer in layers})
    for question in questions:
        yield question, counted_from(first, answer_to(server.url, question))


def answer_to(url, question):
    if question.settled:
        settle(url)
    with connect(url, question.patience) as connection:
        connection.sendall(filled(url, question))
        if not question.rest:
            return drain(connection, question.patience)
        first = connection.recv(1 << 16)
        connection.sendall(question.rest)
        return first + drain(connection, question.patience)


def filled(url, question):
    """Returns the request with its placeholders filled in."""
    request = question.request
    if GENERATION.encode() in request:
        layer = question.path.split("/")[1]
        request = request.replace(GENERATION.encode(), str(generation(url, f"/{layer}.json")).encode())
    for mark, field in ((ETAG, "etag"), (MODIFIED, "last-modified")):
        if mark.encode() in request:
            with connect(url) as connection:
                connection.sendall(get(question.path))
                value = head(drain(connection)).get(field, "none")
            request = request.replace(mark.encode(), value.encode("latin-1"))
    return request


def generation(url, path):
    return json.loads(fetch(url + path)[2])["generation"]


def counted_from(first, answer):
    """Returns the response with each generation counted from the last one of `first` that is not later."""
    def counted(found):
        number = int(found[2])
        return b"%s%+d" % (found[1], number - max((one for one in first if one <= number), default=0))

    return STAMP.sub(counted, answer)


def settle(url):
    """Waits until all tiles are written to disk and cleared tiles are gone from memory."""
    def is_settled():
        report = json.loads(fetch(f"{url}/admin/cache", headers=dict([ADMIN.split(": ", 1)]))[2])
        kept = sum(layer["memory"]["entries"] for layer in report["layers"])
        return report.get("disk", {}).get("pendingBytes", 0) == 0 and report["memory"]["entries"] == kept

    wait_until(is_settled, 10)
