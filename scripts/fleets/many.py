"""Thousands of layers: the cost of three idle nodes for Redis, and the time until all nodes have a clear of all."""
import json
import time

from support.machine import say, scratch_directory, wait_until

from .place import Fleet
from .source import Source
from .watching import Client

# Maximum part of a core for Redis, and maximum seconds of a clear.
CORE, SECONDS = 0.01, 0.5
# Number of layers whose tiles are requested around each clear.
WATCHED = 20


def arguments(parser):
    parser.add_argument("--layers", type=int, default=5_000, help="default: 5,000")
    parser.add_argument("--seconds", type=float, default=20, help="for which the nodes are idle (default: 20)")
    parser.add_argument("--rounds", type=int, default=5, help="clears of all layers (default: 5)")


def run(options, figures):
    names = [f"many-{number:05}" for number in range(options.layers)]
    layers = "".join(
        f'  {name}: {{{{ url: "{{source}}/{name}/{{{{z}}}}/{{{{x}}}}/{{{{y}}}}.png", allowPrivate: true }}}}\n' for name in names)
    with scratch_directory() as directory, Source() as source, Fleet(options.program, directory, source, layer=layers) as fleet:
        figures.holds(settled(fleet), f"{len(fleet.nodes)} nodes with {options.layers:,} layers know one another")
        idle(figures, fleet, options.seconds)
        watched = names[:: max(len(names) // WATCHED, 1)][:WATCHED]
        for number in range(options.rounds):
            clear(figures, fleet, source, watched, fleet.nodes[number % len(fleet.nodes)])
            # Each clear begins in a fleet at rest.
            time.sleep(2)
        figures.holds(not downs(fleet), "no node took Redis for gone", f"{downs(fleet)} times")


def settled(fleet):
    """Reports whether each node knows all others, and has no clear that others lack."""
    def reports():
        return [json.loads(node.admin("/admin/cache")[2])["fleet"] for node in fleet.nodes]

    if wait_until(lambda: all(len(report["nodes"]) >= len(fleet.nodes) - 1 for report in reports()), 30, 0.5):
        time.sleep(3)
        return True
    say(f"  {reports()}")
    return False


def seconds_of(redis):
    """Returns the CPU seconds that Redis has used."""
    lines = dict(line.split(":", 1) for line in redis.ask("INFO", "CPU").splitlines() if ":" in line)
    return float(lines["used_cpu_user"]) + float(lines["used_cpu_sys"])


def idle(figures, fleet, seconds):
    used, began = seconds_of(fleet.redis), time.monotonic()
    time.sleep(seconds)
    part = (seconds_of(fleet.redis) - used) / (time.monotonic() - began)
    figures.at_most(f"part of a core that Redis takes while {len(fleet.nodes)} nodes are idle", part, CORE)


def clear(figures, fleet, source, watched, node):
    """Clears all layers on `node`. After the response, each node that counts as reached must have new tiles."""
    clients = [Client(one.url) for one in fleet.nodes]
    paths = [f"/{name}/12/7/7.png" for name in watched]
    for client in clients:
        for path in paths:
            assert client.get(path).version == source.version, path
    source.version += 1
    began = time.monotonic()
    status, _, body = node.admin("/admin/cache", "DELETE")
    seconds = time.monotonic() - began
    answer = json.loads(body)
    reach = answer.get("fleet", {})
    old = [(client.url, path) for client in clients for path in paths if client.get(path).version != source.version]
    for client in clients:
        client.close()
    figures.at_most(f"seconds of a clear of all {len(answer.get('layers', [])):,} layers, status {status}", seconds, SECONDS)
    all_nodes = len(fleet.nodes)
    figures.holds(reach == {"nodes": all_nodes, "reached": all_nodes}, f"all {all_nodes} nodes have it", json.dumps(reach))
    figures.at_most("cleared tiles behind the answer", len(old), 0)
    for seen in old[:3]:
        say(f"  {seen}")


def downs(fleet):
    """Returns how often the nodes have logged that Redis does not answer."""
    return sum(node.log.read_text(errors="replace").count("shared_down") for node in fleet.nodes)
