"""Prints the public symbols without a comment in the given symbol graphs, and fails if there are any."""
import json
import sys


def undocumented(graph):
    for symbol in graph["symbols"]:
        # Symbols made by the compiler, such as `init(rawValue:)`, are in no file. A symbol without its own comment that
        # implements a protocol has the protocol's comment.
        if "docComment" in symbol or "location" not in symbol or "::SYNTHESIZED::" in symbol["identifier"]["precise"]:
            continue
        # An extension of another module's type has no comment, but its members have one.
        if symbol["kind"]["identifier"] == "swift.extension":
            continue
        location = symbol["location"]
        path = location["uri"].removeprefix("file://")
        yield f"{path}:{location['position']['line'] + 1}: {'.'.join(symbol['pathComponents'])} has no comment"


def main():
    mistakes = []
    for path in sys.argv[1:]:
        with open(path) as file:
            mistakes += undocumented(json.load(file))
    for mistake in sorted(mistakes):
        print(mistake, file=sys.stderr)
    sys.exit(1 if mistakes else 0)


main()
