"""The families of docs/reference/metrics.md, from the declarations of the text format."""
import re

from . import pages, sources

PAGE = "docs/reference/metrics.md"
SOURCE = "App/TileServer/Metrics/TileServerMetrics+Text.swift"
FAMILY = re.compile(r'text\.(?:add|begin)\(\s*("[a-z0-9_]+"|name), \.(\w+),\s*(?:help:\s*)?((?:"(?:[^"\\]|\\.)*"[\s+]*)+)')
LABEL = re.compile(r'\("(\w+)",')


def tables(program, text):
    """Returns the tables of the server's families and of the process's."""
    families = list(declared())
    own = [row for row in families if "`process_" not in row[0]]
    process = [row for row in families if "`process_" in row[0]]
    columns = ["family", "type", "labels", "value"]
    return {"metrics": pages.markdown(columns, own), "process": pages.markdown(columns, process)}


def declared():
    """Yields a row for each family, in the order of the page `/metrics`."""
    text = sources.read(SOURCE)
    shared = LABEL.findall(re.search(r"func samples.*?\n        }", text, re.DOTALL)[0])
    found = list(FAMILY.finditer(text))
    for index, match in enumerate(found):
        end = found[index + 1].start() if index + 1 < len(found) else len(text)
        rest = re.split(r"\n    (?:\}|private|func)", text[match.end():end])[0]
        if match[1] == "name":
            name = re.findall(r'let name = "([a-z0-9_]+)"', text[:match.start()])[-1]
        else:
            name = match[1].strip('"')
        labels = shared if "samples" in rest else list(dict.fromkeys(LABEL.findall(rest)))
        names = ", ".join(f"`{label}`" for label in labels)
        yield [pages.named(name), match[2], names, sources.literal(match[3]).rstrip(".")]
