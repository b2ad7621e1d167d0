"""What oxipng makes of PNGs; run by a Python that has pyoxipng.

    oxipng_encode.py LEVEL FILE…    prints bytes and microseconds of CPU of oxipng -oLEVEL
"""
import pathlib
import resource
import sys

import oxipng


def cpu():
    """Of all threads of this process."""
    used = resource.getrusage(resource.RUSAGE_SELF)
    return (used.ru_utime + used.ru_stime) * 1e6


for file in sys.argv[2:]:
    plain = pathlib.Path(file).read_bytes()
    # The first time pays for memory that the program has not used yet.
    oxipng.optimize_from_memory(plain, level=int(sys.argv[1]))
    start = cpu()
    small = oxipng.optimize_from_memory(plain, level=int(sys.argv[1]))
    print(len(small), cpu() - start)
