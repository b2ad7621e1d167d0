"""The allowed differences between two responses. Every other byte must be equal."""
import dataclasses
import re
from collections.abc import Callable

HTTP_DATE = rb"\w{3}, \d\d \w{3} \d{4} \d\d:\d\d:\d\d GMT"


@dataclasses.dataclass(frozen=True)
class Rule:
    """The one group of `pattern` may have other values if `alike` returns true."""
    pattern: re.Pattern
    # Takes both values, and the seconds by which times may differ.
    alike: Callable[[bytes, bytes, float], bool]


def rule(pattern, alike=lambda one, other, slack: True):
    return Rule(re.compile(pattern), alike)


def within(most):
    return lambda one, other, slack: abs(int(one) - int(other)) <= most


def seconds(one, other, slack):
    return abs(int(one) - int(other)) <= slack


def jittered(one, other, slack):
    """A lifetime is reduced at random by up to a tenth, at most an hour. Also, seconds pass."""
    one, other = int(one), int(other)
    return abs(one - other) <= min(3_600, max(abs(one), abs(other)) / 9) + slack


# `max-age` counts from the time at which the upstream made the tile, like `Age` on the next line.
KEPT = re.compile(rb"(\r\nCache-Control: public, max-age=)(\d+)([^\r\n]*)(?=\r\nAge: (\d+)\r\n)")
# A tile that was made for the request from young parts.
YOUNG = re.compile(rb"\r\nAge: (\d+)(?=\r\nCache-Status: tileserver; fwd=miss)")

RULES = [
    rule(rb"\r\nDate: (" + HTTP_DATE + rb")\r\n"), rule(rb"\r\nX-Request-Id: ([0-9a-f]{16})\r\n"),
    rule(rb"\r\nAge: (\d+)\r\n", seconds), rule(rb"\r\nCache-Control: public, max-age=(-?\d+)", jittered),
    rule(rb"\r\nRetry-After: (\d+)\r\n", seconds), rule(rb"\r\nCache-Status: [^\r\n]*; ttl=(-?\d+)", jittered),
    rule(rb"\r\nServer-Timing: fill;dur=([\d.]+)\r\n"), rule(rb'(?:\bv=|"generation":)([+-]\d+)\b', within(1)),
    rule(rb'"age":(-?\d+)\b', seconds), rule(rb'"ttl":(-?\d+)\b', jittered),
    rule(rb'"(?:retryAfter|triedAgainIn|pause)":(\d+)\b', seconds), rule(rb'"at":"(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ)"'),
    rule(rb'"fileBytes":(\d+)\b'), rule(rb'\{"name":"tileserver","version":"([^"]*)"\}$'),
]
# The entity tag of a document whose bytes differ, because its generations contain a time.
DOCUMENT = [rule(rb'\r\nETag: ("[0-9a-f]{32}")\r\n'), rule(rb"\r\nContent-Length: (\d+)\r\n", within(32))]
# The fingerprint of a layer that the program draws. The build is part of it.
DRAWN = rule(rb'"fingerprint":"([0-9a-f]{32})"')


def rules_for(path, old):
    chosen = list(RULES)
    plain = path.split("?")[0]
    if plain == "/" or plain.endswith(".json") or plain.startswith("/admin/"):
        chosen += DOCUMENT
    if b'"fingerprint":' in old and b'"upstream":' not in old:
        chosen.append(DRAWN)
    return chosen


def aged(old, new, slack):
    """Returns the responses with `max-age` minus `Age`. Keeps `Age` of a tile with young parts only if both have it."""
    def young(found):
        return b"" if int(found[1]) <= slack else found[0]

    old, new = (KEPT.sub(lambda found: b"%s%d%s" % (found[1], int(found[2]) - int(found[4]), found[3]), answer)
                for answer in (old, new))
    if old.count(b"\r\nAge: ") != new.count(b"\r\nAge: "):
        old, new = (YOUNG.sub(young, answer) for answer in (old, new))
    return old, new


def reconciled(path, old, new, slack):
    """Returns `new` with the allowed differences replaced by the values of `old`. The result equals `old` if the
    responses match."""
    if old == new:
        return new
    for each in rules_for(path, old):
        values = [found[1] for found in each.pattern.finditer(old)]
        if len(values) == len(each.pattern.findall(new)):
            new = _with_values(new, each, values, slack)
    return new


def _with_values(text, each, values, slack):
    left = iter(values)

    def exchanged(found):
        value = next(left)
        if not each.alike(value, found[1], slack):
            return found[0]
        start, end = found.start(1) - found.start(), found.end(1) - found.start()
        return found[0][:start] + value + found[0][end:]

    return each.pattern.sub(exchanged, text)
