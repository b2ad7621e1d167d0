"""Puts a response of the suite's origin into a picture, because the server keeps only images and few fields."""
import json
import struct

from support.tile import chunk
from support.upstream import HEAD, PIXELS

MARK = b"Comment\0"


def wrap(fields, body):
    """Returns a PNG that contains header fields, [(name, value)], and the body."""
    text = json.dumps({"fields": fields, "body": body.decode("latin-1")}).encode("ascii")
    return HEAD + chunk(b"tEXt", MARK + text) + PIXELS


def unwrap(picture):
    """Returns (fields, body) of such a PNG, or None for other content."""
    start = len(HEAD)
    if picture[start + 4:start + 8] != b"tEXt":
        return None
    length, = struct.unpack_from(">I", picture, start)
    content = json.loads(picture[start + 8 + len(MARK):start + 8 + length])
    return [tuple(field) for field in content["fields"]], content["body"].encode("latin-1")
