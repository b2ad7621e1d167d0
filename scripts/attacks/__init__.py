"""The attacks that scripts/attack runs, by name, grouped by what they aim at."""
from . import (
    admin, caching, circuit, clients, crowd, ending, expiring, files, fleet, halves, listeners, pictures, protocol, shares, storage,
    unread, upstreams, vanishing)
from .verdict import Failed, Skipped

# In this order: what ends the process, what stops it for others, what it forgets, what it takes or refuses wrongly.
ATTACKS = {
    attack.__name__: attack
    for module in (
        ending, crowd, halves, unread, listeners, vanishing, upstreams, circuit, storage, files, caching, protocol, admin, expiring,
        fleet, clients, shares, pictures)
    for attack in module.ATTACKS
}

__all__ = ["ATTACKS", "Failed", "Skipped"]
