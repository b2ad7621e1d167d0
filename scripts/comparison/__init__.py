"""What scripts/compare-answers asks of two builds of the server, and how it compares what they answer."""
