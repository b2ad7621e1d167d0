"""The checks of scripts/clients. Each module tests one kind of client, and lists its functions in `CI` and `OTHERS`.

The first line of a function's docstring describes the check. The function gets a Place and calls `place.expect`. It
raises `Missing` if a program or package that it needs is not available.
"""
from . import documents, gdal, maplibre, openapi, qgis, snippets, wmts

MODULES = [documents, wmts, openapi, maplibre, snippets, gdal, qgis]


def chosen(ci, only=None):
    """Yields (name, function) of the checks of CI, or of all checks, whose names begin with `only`."""
    for module in MODULES:
        for check in module.CI + ([] if ci else module.OTHERS):
            name = f"{module.__name__.rpartition('.')[2]}.{check.__name__}"
            if only is None or name.startswith(only):
                yield name, check
