"""The requests that scripts/compare-answers sends to two builds of the server, and the comparison of their
responses."""
