"""How an attack says what it saw."""


class Failed(Exception):
    """The attack had its way."""


class Skipped(Exception):
    """The attack cannot be made on this machine."""


def expect(holds, text):
    """Ends the attack where `holds` is false."""
    if not holds:
        raise Failed(text)
