"""The difference of two responses, for people to read."""
import difflib
import itertools
import json
import os
import re

# Maximum shown characters of a line, and lines of a response.
WIDTH, HEIGHT = 200, 40


def difference(old, new):
    """Returns lines that describe the difference, or none if the responses are equal."""
    if old == new:
        return []
    (old_head, old_body), (new_head, new_body) = (answer.partition(b"\r\n\r\n")[::2] for answer in (old, new))
    lines = _lines(_shown(old_head), _shown(new_head)) + _body(old_body, new_body)
    return lines if len(lines) <= HEIGHT else [*lines[:HEIGHT], f"… and {len(lines) - HEIGHT} lines more"]


def _body(old, new):
    if old == new:
        return []
    if _is_text(old) and _is_text(new):
        lines = _lines(_pretty(old), _pretty(new)) or _lines(_shown(old), _shown(new))
        if lines:
            return lines
    first = len(os.path.commonprefix([old, new]))
    return [f"content: {len(old)} and {len(new)} bytes, from byte {first} on:",
            f"- {old[first:first + 24]!r}", f"+ {new[first:first + 24]!r}"]


def _is_text(body):
    return not any(byte < 32 and byte not in b"\t\r\n" for byte in body)


def _shown(text):
    return text.decode("latin-1").replace("\r\n", "\n").split("\n")


def _pretty(body):
    """Returns JSON with a line for each value, in its order. Other content is split into its lines."""
    try:
        # Remove the plus sign of counted generations, which JSON does not allow.
        return json.dumps(json.loads(re.sub(rb":\+(\d)", rb":\1", body)), indent=1, ensure_ascii=False).split("\n")
    except ValueError:
        return body.decode("utf-8", "replace").split("\n")


def _lines(old, new):
    """Returns the lines that only `old` has, after `-`, and the lines that only `new` has, after `+`."""
    lines = []
    for kind, from_old, to_old, from_new, to_new in difflib.SequenceMatcher(None, old, new,
        autojunk=False).get_opcodes():
        if kind == "equal":
            continue
        pairs = list(itertools.zip_longest(old[from_old:to_old], new[from_new:to_new]))
        lines += [f"- {_short(one, other)}" for one, other in pairs if one is not None]
        lines += [f"+ {_short(other, one)}" for one, other in pairs if other is not None]
    return lines


def _short(line, other):
    """Returns the line. Of a long line, returns the text around the first character that differs."""
    if len(line) <= WIDTH:
        return line
    start = max(0, len(os.path.commonprefix([line, other or ""])) - WIDTH // 4)
    before, after = "…" if start else "", "…" if start + WIDTH < len(line) else ""
    return f"{before}{line[start:start + WIDTH]}{after} ({len(line)} characters)"
