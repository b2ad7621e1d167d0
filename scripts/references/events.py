"""The events of the log: names and levels from the sources, meanings from the page."""
import re

from . import pages, sources

PAGE = "docs/reference/events.md"
LEVELS = ["debug", "info", "warning", "error", "critical"]
CALL = re.compile(
    r'\b(?:record|write|writeAccess|LogEntry)\(\s*(?:level: \.(\w+), event: )?"([a-z][a-z0-9]*(?:_[a-z0-9]+)*)"(?=([^")]{0,60}))')
ERROR = re.compile(r'event: "([a-z0-9_]+)"')
TUPLE = re.compile(r'\(\s*"([a-z0-9_]+)", (?:entries[^:]+\? )?\.(\w+)(?: : \.(\w+))?')
NAME = re.compile(r"(?:package|fileprivate) var name: String \{(.*?)\n    \}", re.DOTALL)
LEVEL = re.compile(r"level: [^,)]*?\.(debug|info|warning|error|critical)(?: : \.(debug|info|warning|error|critical))?")


def tables(program, text):
    """Returns the table of events. `text` is the current page, which contains the meanings."""
    meanings = pages.written(text, "events")
    rows = []
    for name, levels in sorted(events().items()):
        words = sorted(levels, key=LEVELS.index)
        rows.append([pages.named(name), ", ".join(words), meanings.get(name, "")])
    return {"events": pages.markdown(["event", "level", "meaning"], rows)}


def events():
    """Returns the levels of every event of the log."""
    found = {}

    def add(name, *levels):
        found.setdefault(name, set()).update(level for level in levels if level)

    for path, text in sources.files():
        for level, name, rest in CALL.findall(text):
            said = LEVEL.search(rest)
            default = "info" if "write(" in text.split(f'"{name}"')[0][-60:] else "warning"
            add(name, *([level] if level else said.groups() if said else [default]))
        if path.name == "RequestError.swift":
            for name in ERROR.findall(text):
                add(name, "info")
        if path.name in ("DiskTier.swift", "Reloader.swift"):
            for name, *levels in TUPLE.findall(text):
                add(name, *levels)
        if path.name in ("SourceEvent+Log.swift", "LayerFactory+Files.swift"):
            for body in NAME.findall(text):
                for name in re.findall(r': "([a-z0-9_]+)"', body):
                    add(name, *EXCEPTIONS.get(name, ["warning"]))
    for name, levels in EXCEPTIONS.items():
        if name in found:
            found[name] = set(levels)
    return found


# A function decides these levels: `SourceEvent.level`, `URLLayerFactory`, or `MBTilesEvent.level`.
EXCEPTIONS = {
    "upstream_neg": ["info"], "upstream_retry": ["info"], "upstream_down": ["debug"],
    "upstream_status": ["warning", "error"], "breaker": ["info", "warning"], "file_replaced": ["info"],
    "tile_unavailable": ["debug", "warning"], "request": ["info"],
}
