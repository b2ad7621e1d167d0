"""The attacks of scripts/attack by name, grouped by target."""
from . import (
    admin, caching, circuit, clients, crowd, ending, expiring, files, fleet, halves, http2, http2crowd, listeners,
    pictures, protocol, shares, storage, tls, unread, upstreams, vanishing)
from .verdict import Failed, Skipped

# The order: attacks that end the process, that block other clients, that lose data, and that break a rule of the
# protocol.
ATTACKS = {
    attack.__name__: attack
    for module in (
        ending, crowd, halves, unread, tls, listeners, vanishing, upstreams, circuit, storage, files, caching, protocol,
        http2, http2crowd, admin, expiring, fleet, clients, shares, pictures)
    for attack in module.ATTACKS
}

__all__ = ["ATTACKS", "Failed", "Skipped"]
