"""What scripts/clients checks: each module is one kind of client, with its lists `CI` and `OTHERS` of functions.

A function's docstring says in a line what it shows. It gets a Place, calls `place.expect`, and raises `Missing` where what it
needs cannot be had.
"""
from . import documents, gdal, maplibre, openapi, qgis, snippets, wmts

MODULES = [documents, wmts, openapi, maplibre, snippets, gdal, qgis]


def chosen(ci, only=None):
    """The checks to run as (name, function): those of CI, or all; of these those whose names begin with `only`."""
    for module in MODULES:
        for check in module.CI + ([] if ci else module.OTHERS):
            name = f"{module.__name__.rpartition('.')[2]}.{check.__name__}"
            if only is None or name.startswith(only):
                yield name, check
