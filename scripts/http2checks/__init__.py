"""The cases of scripts/http2."""
from . import packages

# The cases import these packages.
packages.prepare()

# This is also the order of the cases.
from . import preface, framing, streams, frames, settings, flow, heads, requests, hpack, priority  # noqa: E402, F401
from .verdict import ACCEPTED, CASES  # noqa: E402

__all__ = ["ACCEPTED", "CASES"]
