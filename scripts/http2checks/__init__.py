"""The cases of scripts/http2."""
from . import packages

# The cases import these packages.
packages.prepare()

# This is also the order of the cases.
from . import (  # noqa: E402, F401
    preface, framing, streams, frames, settings, flow, heads, requests, hpack, priority, library)
from .verdict import ACCEPTED, CASES  # noqa: E402

__all__ = ["ACCEPTED", "CASES"]
