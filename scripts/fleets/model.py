"""Simulates larger fleets: 3 to 50 nodes in virtual time, with and without a hash, with and without Redis.

`--check` compares the model with known results: one node with Che's approximation for LRU, and bounds that must hold.
"""
import dataclasses
import math

from . import model_check
from .model_clears import Case, ages
from .model_load import MIB, Fleet, Load, Simulation

SIZES = (3, 5, 10, 20, 50)
WITHOUT_DISK = (3, 10, 50)
CLEARS = 2_000
CASES = (
    Case("all messages arrive"), Case("10 % of messages lost", loss=0.1),
    Case("Redis away for 10 s", outage=10), Case("Redis away for 10 s, `peers` set, 10 % lost", outage=10, peers=True, loss=0.1),
    Case("Redis away for 10 min", outage=600), Case("Redis away for 10 min, `peers` set, 10 % lost", outage=600, peers=True, loss=0.1))


def arguments(parser):
    parser.add_argument("--check", action="store_true", help="checks the model instead of printing its tables")
    parser.add_argument("--seed", type=int, default=Load.seed)
    parser.add_argument("--requests", type=int, default=Load.requests, help=f"of each fleet (default: {Load.requests})")


def run(options, figures):
    if options.check:
        model_check.run(figures)
        return
    load = Load(seed=options.seed, requests=options.requests)
    print_loads(load)
    print_clears(load.seed)


def print_loads(load):
    sizes, asked = load.sizes(), load.asked()
    print(f"{load.requests:,} requests, {load.rate:.0f} a second, for {load.tiles:,} tiles of {sum(sizes) / MIB:,.0f} MiB, "
          f"Zipf {load.exponent}; a tile lives {load.life:.0f} s, the source takes {load.latency} s. {load.memory // MIB} MiB of memory "
          f"and {load.disk // MIB} MiB of disk for all nodes together; with Redis {load.redis_part:.0%} of the memory is Redis'. "
          f"Seed {load.seed}.\n")
    table(load, SIZES, sizes, asked)
    print("\nThe same without disks, as in containers without volumes, half of the memory Redis' where there is one.\n")
    table(dataclasses.replace(load, disk=0, redis_part=0.5), WITHOUT_DISK, sizes, asked)


def table(load, counts, sizes, asked):
    def run(*fleet):
        return Simulation(load, Fleet(*fleet), sizes).run(asked)

    print("| nodes | balancer | Redis | memory | disk | Redis | source | source, churn | copies | busiest node |")
    print("|--:|---|---|--:|--:|--:|--:|--:|--:|--:|")
    for nodes in (1, *counts):
        for hashed in (True, False) if nodes > 1 else (True,):
            for redis in (False, True) if nodes > 1 else (False,):
                row(nodes, hashed, redis, run(nodes, hashed, redis), run(nodes, hashed, redis, True))


def row(nodes, hashed, redis, calm, churn):
    print(f"| {nodes} | {'–' if nodes == 1 else 'hash' if hashed else 'in turn'} | {'yes' if redis else 'no'} "
          f"| {calm.part(calm.memory + calm.joined):.1%} | {calm.part(calm.disk):.1%} | {calm.part(calm.redis):.1%} "
          f"| {calm.part(calm.source):.1%} | {churn.part(churn.source):.1%} | {calm.copies:.1f} | {calm.busiest:.2f} |",
          flush=True)


def print_clears(seed):
    print(f"\nSeconds until the last node has a clear in force, or asks the source before it uses a tile; {CLEARS:,} clears each.\n")
    print("| case | nodes | half of the clears | 99 % | all |")
    print("|---|--:|--:|--:|--:|")
    for case in CASES:
        for nodes in (3, 10, 50):
            found = ages(case, nodes, CLEARS, seed)
            at = [found[math.ceil(part * len(found)) - 1] for part in (0.5, 0.99, 1)]
            print(f"| {case.name} | {nodes} | " + " | ".join(f"{seconds:.3f}" for seconds in at) + " |")
