"""Rounds of two servers in turn, and the table of what they cost."""
import dataclasses
import statistics
import sys


@dataclasses.dataclass
class Cost:
    """What a server took for a run; CPU in microseconds."""
    requests: int
    cpu: float
    per_second: float
    p99: int


def measure(program, run):
    """The cost of `run()`, a load on `program` that must go well."""
    before = program.cpu_seconds()
    seen = run()
    spent = program.cpu_seconds() - before
    if seen.unwell or seen.broken:
        sys.exit(f"{program.url}: {seen.unwell} answers were no 200, {seen.broken} connections failed")
    return Cost(seen.requests, spent * 1e6 / seen.requests, seen.per_second, seen.p99)


class Comparison:
    """CPU per request of the server against that of nginx, round by round."""

    def __init__(self, title, bar, aim=None):
        self.rounds = []
        self.bar = bar
        self.aim = aim
        print(f"{title}\n")
        print("round   tileserver                      nginx                           ratio")
        print("        CPU µs   requests/s   p99 µs    CPU µs   requests/s   p99 µs")

    def add(self, ours, nginx):
        self.rounds.append((ours, nginx))
        self._print(str(len(self.rounds)), ours, nginx)

    def _print(self, name, ours, nginx):
        cells = "    ".join(f"{cost.cpu:6.2f} {cost.per_second:12,.0f} {cost.p99:8,}" for cost in (ours, nginx))
        print(f"{name:<6}  {cells}     {ours.cpu / nginx.cpu:.2f}", flush=True)

    def finish(self):
        """Prints the medians and says whether the bar is held, as the exit status."""
        ours, nginx = (self._median([pair[side] for pair in self.rounds]) for side in (0, 1))
        self._print("median", ours, nginx)
        ratio = ours.cpu / nginx.cpu
        aim = f", aim {self.aim:.2f}" if self.aim else ""
        verdict = "within" if ratio <= self.bar else "ABOVE"
        print(f"\nCPU per request: {ratio:.2f} of nginx's, {verdict} the bar of {self.bar:.2f}{aim}")
        return 0 if ratio <= self.bar else 1

    @staticmethod
    def _median(costs):
        return Cost(*(
            type(getattr(costs[0], field.name))(statistics.median(getattr(cost, field.name) for cost in costs))
            for field in dataclasses.fields(Cost)))
