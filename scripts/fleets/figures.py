"""Prints measurements beside their bars, a line each."""


class Figures:
    def __init__(self):
        self.missed = 0

    def holds(self, good, what, detail=""):
        """Prints `what` and whether it holds."""
        print(f"{'ok' if good else 'FAILED'}: {what}" + (f": {detail}" if detail else ""), flush=True)
        self.missed += not good
        return good

    def at_most(self, what, figure, bar, unit=""):
        """Prints a measurement that must not be above its bar."""
        return self.holds(figure <= bar, f"{what}: {number(figure)}{unit} (bar: {number(bar)}{unit})")

    def status(self):
        if self.missed:
            print(f"{self.missed} bars missed")
        return 1 if self.missed else 0


def number(value):
    return f"{value:,.3f}".rstrip("0").rstrip(".") if isinstance(value, float) else f"{value:,}"
