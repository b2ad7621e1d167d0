"""The scenes of `scripts/fleet`: a fleet on this machine, and a model of larger ones."""
