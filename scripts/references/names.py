"""The names of docs/reference/http.md that the sources declare: parameters, fields, words, updates, keys of TileJSON.

People write the meanings in the page, as those of error codes.
"""
import json
import re

from . import pages, routes, sources

PAGE = routes.PAGE
FIELDS = "App/TileServer/Answers/OwnField.swift"
STATUS = "App/TileServer/Answers/CacheStatus.swift"
UPDATES = "App/TileServer/Camera/UpdateJSON.swift"
TILEJSON = "App/TileServer/Documents/LayerDocument.swift"


def tables(program, text):
    """Returns the tables of names with the meanings of the page `text`."""
    def meanings(table, names):
        known = pages.written(text, table)
        return [(name, known.get(name, "")) for name in names]

    fields = re.findall(r'case \w+ = "([\w-]+)"', sources.read(FIELDS))
    updates = {name: re.findall(r'"(\w+)"', fields) for name, fields in update_fields()}
    ranges = parameters()
    made = {
        "fields": [[f"`{name}`", text] for name, text in meanings("fields", fields)],
        "cache status": [[f"`{name}`", text] for name, text in meanings("cache status", words())],
        "tilejson": [[f"`{name}`", text] for name, text in meanings("tilejson", document_keys())],
        "updates": [[f"`{name}`", listed(updates[name]), text] for name, text in meanings("updates", updates)],
        "parameters": [[f"`{name}`", ranges[name], text] for name, text in meanings("parameters", sorted(ranges))],
    }
    columns = {"updates": ["type", "fields", "meaning"], "parameters": ["parameter", "values", "meaning"]}
    return {name: pages.markdown(columns.get(name, ["name", "meaning"]), rows) for name, rows in made.items()}


def listed(names):
    return ", ".join(f"`{name}`" for name in names)


def update_fields():
    """Returns (type, the text of its fields) of every update of a camera."""
    names = re.search(r"let names = \[(.*?)\n        \]", sources.read(UPDATES), re.DOTALL)[1]
    return re.findall(r'"(\w+)": \[(.*?)\]', names)


def words():
    """Returns the words of the field `Cache-Status`, without those that take a number or a tier."""
    literals = re.findall(r'"((?:fwd|; |detail=|collapsed|Cache-Status)[^"\\]*)"', sources.read(STATUS))
    found = [word.strip() for literal in literals for word in literal.split(";")]
    return list(dict.fromkeys(word for word in found if word and not word.endswith("=") and ":" not in word))


def document_keys():
    """Returns the keys of a layer's TileJSON, in the order of the source."""
    text = sources.read(TILEJSON)
    return list(dict.fromkeys(re.findall(r'(?:^ +|document\[)"(\w+)"(?:\]|:)', text, re.MULTILINE)))


def parameters():
    """Returns the values of every parameter of a query, by its name."""
    document = json.loads(sources.read(routes.DOCUMENT))
    found = {}
    for path, operations in document["paths"].items():
        for operation in operations.values():
            for parameter in operation.get("parameters", []) if path != "/wmts" else []:
                if "$ref" in parameter:
                    parameter = document["components"]["parameters"][parameter["$ref"].rsplit("/", 1)[1]]
                if parameter["in"] == "query":
                    found[parameter["name"]] = values(parameter["schema"])
    return found


def values(schema):
    """Returns the values that a schema allows, as in the tables of keys."""
    if "enum" in schema:
        return listed(schema["enum"])
    if "minimum" in schema or "maximum" in schema:
        return f"{schema.get('minimum', '')}…{schema.get('maximum', '')}"
    if schema["type"] == "boolean":
        return "`true`, `false`"
    return f"at most {schema['maxItems']:,}" if "maxItems" in schema else ""
