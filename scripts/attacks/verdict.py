"""Results of an attack."""


class Failed(Exception):
    """The attack has succeeded."""


class Skipped(Exception):
    """The attack is not possible on this machine."""


def expect(holds, text):
    """Ends the attack as failed if `holds` is false."""
    if not holds:
        raise Failed(text)
