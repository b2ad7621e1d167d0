"""The requests that scripts/compare-answers sends to two builds, and the comparison of the responses."""
