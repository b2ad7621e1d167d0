"""The parts of scripts/cache-tests: the suite, the bridge between its URLs and tiles, and the choice of tests."""
