"""The parts of scripts/cache-tests: the suite, the bridge between its URLs and tiles, what applies to a tile server."""
