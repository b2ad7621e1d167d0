"""A short test of a fleet for every change: one fetch, clears with lost messages, a killed Redis. About 30 s."""
from support.machine import allow_descriptors, scratch_directory

from .accidents import Scene, redis_is_killed
from .bus import LossyBus
from .clears import rounds
from .once import once
from .place import Fleet
from .source import Source


def run(options, figures):
    allow_descriptors(2_000)
    with scratch_directory() as directory, Source(0.3) as source, LossyBus(0.1) as bus, \
            Fleet(options.program, directory, source, bus=bus) as fleet:
        once(figures, fleet, source, requests=100, rounds=2)
        rounds(figures, fleet, source, 8)
        Scene(fleet, source, seconds=4).happens(figures, redis_is_killed)
