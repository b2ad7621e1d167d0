"""Which tests of the suite apply to a tile server, and why the others do not.

A test is left out because of its subject, never because of its result. It is also left out if the bridge would give the
response instead of the server. Patterns are as in fnmatch. A pattern that begins with ! includes tests again.
"""
import fnmatch

CLASSES = {
    "methods": (
        "a tile is asked for with GET or HEAD; any other method is 405 and reaches no source (docs/reference/http.md)",
        ["invalidate-*", "method-*"]),
    "ranges": (
        "a range is answered with the whole, as Accept-Ranges: none says (docs/reference/http.md)",
        ["partial-*"]),
    "request fields": (
        "no field of a client's request goes on to the source, which can therefore answer none in its own way; of Vary "
        "only * says anything (docs/guides/cache.md)",
        ["vary-*", "!vary-star", "!vary-syntax-*", "conditional-etag-vary-headers", "other-authorization*"]),
    "queries": (
        "the query is no part of a tile's address (docs/reference/http.md)",
        ["query-args-different"]),
    "statuses": (
        "200 alone brings a tile. 204, 404 and 410 mean that there is none, for noTileMaxAge; others are failures, "
        "answered with a 502 or 503 of the server's own and tried again a second later (docs/guides/cache.md)",
        ["heuristic-*", "!heuristic-200-cached", "status-*", "!status-200-*"]),
    "fields": (
        "the server keeps the picture and what it needs to know of its life; other fields of the source go nowhere, "
        "and here the bridge carries them",
        # Two of these tests check the stored picture after all: the response has the whole picture, whatever a 304
        # contains.
        ["headers-*", "304-*", "!headers-store-Cache-Control", "!headers-store-ETag",
         "!304-etag-update-response-Cache-Control", "!304-etag-update-response-Content-Length",
         "!304-lm-use-stored-Test-Header"]),
    "CDN-Cache-Control": (
        "is for the caches that a site has put in front of itself (RFC 9213); the server is not one of them",
        ["cdn-*"]),
    "interim answers": (
        "what a source says before its answer (1xx) does not go on to clients: they get tiles, not its messages",
        ["interim-*"]),
}

# Tests that apply but that the server is not meant to pass.
EXPECTED = {
    "conditional-lm-fresh-no-lm":
        "without Last-Modified RFC 9111 4.3.2 holds the condition against Date, which is later here: 200 is right",
    "other-set-cookie":
        "an answer that sets a cookie may be meant for one user and is not kept (docs/guides/cache.md)",
}


def left_out(test):
    """Returns the reason why a test does not apply, or None if it applies."""
    for name, (_, patterns) in CLASSES.items():
        chosen = False
        for pattern in patterns:
            if fnmatch.fnmatchcase(test["id"], pattern.removeprefix("!")):
                chosen = not pattern.startswith("!")
        if chosen:
            return name
    return None
