"""The checks of scripts/https by name."""
from . import clients, scanners
from .verdict import Place

CHECKS = {check.__name__: check for module in (scanners, clients) for check in module.CHECKS}

for _check in CHECKS.values():
    # Scanners run with each kind of key.
    _check.scans = _check in scanners.CHECKS

__all__ = ["CHECKS", "Place"]
