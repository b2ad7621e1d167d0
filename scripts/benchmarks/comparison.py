"""Alternating runs of two servers, and the table of their costs."""
import dataclasses
import statistics
import sys

from support.machine import fetch


@dataclasses.dataclass
class Cost:
    """The cost of one run of a server. CPU is in microseconds."""
    requests: int
    cpu: float
    per_second: float
    p99: int


def measure(program, run):
    """Returns the cost of `run()`, a load on `program` that must succeed."""
    before = program.cpu_seconds()
    seen = run()
    spent = program.cpu_seconds() - before
    if seen.unwell or seen.broken:
        sys.exit(f"{program.url}: {seen.unwell} answers were no 200, {seen.broken} connections failed")
    return Cost(seen.requests, spent * 1e6 / seen.requests, seen.per_second, seen.p99)


def in_turn(servers, number):
    """Yields the servers in the order of a round. The first server changes from round to round."""
    servers = list(servers)
    turn = number % len(servers)
    return servers[turn:] + servers[:turn]


def warm(server, path, body):
    """Requests a tile. Returns the response's fields."""
    status, headers, answer = fetch(server.url + path)
    if status != 200 or answer != body:
        sys.exit(f"{server.url}{path} answered {status} and {len(answer)} bytes")
    return headers


class Comparison:
    """Compares the CPU time per request of the server and nginx, or of two others with `names`, round by round.
    `limit` names a third program, if any."""

    def __init__(self, title, bar, aim=None, limit=None, names=("tileserver", "nginx")):
        self.rounds = []
        self.bar = bar
        self.aim = aim
        self.limit = limit
        self.peer = names[1]
        names = [*names, *(["limit"] if limit else [])]
        print(f"{title}\n")
        print("round   " + "".join(f"{name:<32}" for name in names) + "ratio")
        print("        " + "CPU µs   requests/s   p99 µs    " * len(names))

    def add(self, *costs):
        """Values of tileserver, nginx and the limit, if there is one."""
        self.rounds.append(costs)
        self._print(str(len(self.rounds)), costs)

    def _print(self, name, costs):
        cells = "".join(f"{cost.cpu:6.2f} {cost.per_second:12,.0f} {cost.p99:8,}    " for cost in costs)
        print(f"{name:<6}  {cells} {costs[0].cpu / costs[1].cpu:.2f}", flush=True)

    def finish(self):
        """Prints the medians. Returns the exit status: 0 if the server holds the bar."""
        medians = [self.median(costs) for costs in zip(*self.rounds, strict=True)]
        self._print("median", medians)
        ratio = medians[0].cpu / medians[1].cpu
        aim = f", aim {self.aim:.2f}" if self.aim else ""
        verdict = "within" if ratio <= self.bar else "ABOVE"
        print(f"\nCPU per request: {ratio:.2f} of {self.peer}'s, {verdict} the bar of {self.bar:.2f}{aim}")
        if self.limit:
            print(f"and {medians[0].cpu / medians[2].cpu:.2f} of the limit, {self.limit}")
        return 0 if ratio <= self.bar else 1

    @staticmethod
    def median(costs):
        """The medians of one server's rounds."""
        return Cost(*(
            type(getattr(costs[0], field.name))(statistics.median(getattr(cost, field.name) for cost in costs))
            for field in dataclasses.fields(Cost)))
