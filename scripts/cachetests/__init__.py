"""What scripts/cache-tests is made of: the suite, the bridge between its URLs and tiles, and what applies to a tile server."""
