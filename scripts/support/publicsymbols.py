#!/usr/bin/env python3
"""publicsymbols.py GRAPH...: prints the public symbols of symbol graphs, sorted: module, path, declaration."""
import json
import pathlib
import sys


def lines(graph):
    module = graph["module"]["name"]
    for symbol in graph["symbols"]:
        # Members from a protocol's extension are declared there, so they are skipped here.
        if "::SYNTHESIZED::" in symbol["identifier"]["precise"]:
            continue
        declaration = "".join(part["spelling"] for part in symbol.get("declarationFragments", []))
        yield f"{module} {'.'.join(symbol['pathComponents'])}: {' '.join(declaration.split())}"


def main():
    found = set()
    for path in sys.argv[1:]:
        found.update(lines(json.loads(pathlib.Path(path).read_text())))
    print("\n".join(sorted(found)))


main()
