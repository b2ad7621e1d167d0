"""The faults that scripts/fault injects, one a module."""
