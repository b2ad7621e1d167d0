"""Reads declarations of the Swift sources."""
import pathlib
import re

from support.machine import ROOT

SOURCES = ROOT / "Sources"


def files():
    """Returns (path, text) of every Swift file, in the order of their paths."""
    return [(path, path.read_text()) for path in sorted(SOURCES.rglob("*.swift"))]


def read(path):
    """Returns the text of a file below Sources."""
    return (SOURCES / path).read_text()


def literal(text):
    """Returns the value of Swift string literals that are joined by `+`. An interpolation stays as it is."""
    parts = re.findall(r'"((?:[^"\\]|\\.)*)"', text)
    return "".join(parts).replace('\\"', '"')


def number(path, name):
    """Returns the value of a constant `name` or of a property's default, in the file `path` below Sources.

    The value is an integer, a number or a `Duration`, which counts in seconds.
    """
    text = read(path)
    found = re.search(rf"\b(?:let|var) {re.escape(name)}(?::[^=\n]+)? = (.+)", text)
    # The default of a parameter.
    found = found or re.search(rf"\b{re.escape(name)}: Int = ([\d_]+)", text)
    if not found:
        raise LookupError(f"{path} declares no {name}")
    return value(found[1].split("//")[0].strip(), path)


def value(text, path):
    """Returns the number of an expression of integers, shifts and products, of a duration, or of another constant."""
    duration = re.fullmatch(r"(?:Duration|DispatchTimeInterval)?\.(seconds|milliseconds)\(([\d_]+)\)", text)
    if duration:
        count = int(duration[2].replace("_", ""))
        return count / 1000 if duration[1] == "milliseconds" else count
    if re.fullmatch(r"[\d_.\s<*+()-]+", text):
        return eval(text, {"__builtins__": {}})
    other = re.fullmatch(r"(\w+)\.(\w+)", text)
    for candidate in SOURCES.rglob(f"{other[1]}.swift") if other else []:
        return number(pathlib.Path(candidate).relative_to(SOURCES), other[2])
    raise LookupError(f"{path}: {text} is no number that this script can read")
