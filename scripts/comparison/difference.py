"""How two answers differ, for people to read."""
import difflib
import json
import re

WIDTH = 200


def difference(old, new):
    """Lines that tell what differs; none where nothing does."""
    if old == new:
        return []
    (old_head, old_body), (new_head, new_body) = (answer.partition(b"\r\n\r\n")[::2] for answer in (old, new))
    return _lines(_shown(old_head), _shown(new_head)) + _body(old_body, new_body)


def _body(old, new):
    if old == new:
        return []
    if _is_text(old) and _is_text(new):
        lines = _lines(_pretty(old), _pretty(new)) or _lines(_shown(old), _shown(new))
        if lines:
            return lines
    first = next((index for index, pair in enumerate(zip(old, new)) if pair[0] != pair[1]), min(len(old), len(new)))
    return [f"content: {len(old)} and {len(new)} bytes, from byte {first} on:",
            f"- {old[first:first + 24]!r}", f"+ {new[first:first + 24]!r}"]


def _is_text(body):
    return not any(byte < 32 and byte not in b"\t\r\n" for byte in body)


def _shown(text):
    return text.decode("latin-1").replace("\r\n", "\n").split("\n")


def _pretty(body):
    """JSON, a line for each value, in the order that it has; else the lines."""
    try:
        # Generations are counted from the start, which JSON has no sign for.
        return json.dumps(json.loads(re.sub(rb":\+(\d)", rb":\1", body)), indent=1, ensure_ascii=False).split("\n")
    except ValueError:
        return body.decode("utf-8", "replace").split("\n")


def _lines(old, new):
    found = difflib.unified_diff(old, new, n=0, lineterm="")
    return [line[0] + " " + _short(line[1:]) for line in list(found)[2:] if not line.startswith("@@")]


def _short(line):
    return line if len(line) <= WIDTH else f"{line[:WIDTH]}… ({len(line)} characters)"
