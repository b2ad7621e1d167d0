"""A question to a server, and how it is asked: over a connection of its own, one after the other."""
import dataclasses
import json
import re

from support.machine import fetch, wait_until
from support.raw import connect, drain, get, head
from support.tileserver import TileServer

ADMIN = f"Authorization: Bearer {TileServer.TOKEN}"
# What a question may say in the place of what only the server knows; of the same path, asked for just before.
ETAG, MODIFIED, GENERATION = "@ETAG@", "@MODIFIED@", "@GENERATION@"
STAMP = re.compile(rb'(\bv=|"generation":)(\d{10})\b')


@dataclasses.dataclass(frozen=True)
class Question:
    """The bytes of a request; `rest` is sent when the server has answered to them."""
    request: bytes
    rest: bytes = b""
    # Seconds after which nothing more is waited for.
    patience: float = 30
    # Whether what the server does behind its answers must have been done before.
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
    """A question that an HTTP client may ask; `options` are those of `support.raw.get`."""
    return Question(get(path, fields=fields, **options))


def post(path, content, *fields):
    """A POST of JSON; `content` may be text already, and wrong."""
    text = content if isinstance(content, str) else json.dumps(content, separators=(",", ":"))
    return ask(path, *fields, method="POST", body=text.encode())


def many(template, names, *fields):
    """A question for each of `names`, in the place of `*` in the template."""
    return [ask(template.replace("*", name), *fields) for name in names]


def answers(server, questions):
    """Each question with the bytes that come. Generations, which begin with the time, are counted from the start."""
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
    """The request, with what only the server knows in its places."""
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
    """The answer with generations counted from the last of the `first` ones that is not later."""
    def counted(found):
        number = int(found[2])
        return b"%s%+d" % (found[1], number - max((one for one in first if one <= number), default=0))

    return STAMP.sub(counted, answer)


def settle(url):
    """Waits until no tile waits to be written to disk, and cleared ones are gone from memory."""
    def is_settled():
        report = json.loads(fetch(f"{url}/admin/cache", headers=dict([ADMIN.split(": ", 1)]))[2])
        kept = sum(layer["memory"]["entries"] for layer in report["layers"])
        return report.get("disk", {}).get("pendingBytes", 0) == 0 and report["memory"]["entries"] == kept

    wait_until(is_settled, 10)
