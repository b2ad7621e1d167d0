"""Judges YAML texts by a JSON Schema: `python3 schema.py SCHEMA < texts`, a JSON string a line.

Writes a line for each text: `true`, or what is wrong with it as a JSON string. Needs the packages jsonschema and
PyYAML.
"""
import json
import re
import sys

import jsonschema
import yaml


class CoreLoader(yaml.SafeLoader):
    """Reads YAML 1.2 like the server: `off` and times are texts."""


CoreLoader.yaml_implicit_resolvers = {}
for tag, pattern, first in [
    ("bool", r"^(true|True|TRUE|false|False|FALSE)$", "tTfF"),
    ("null", r"^(~|null|Null|NULL|)$", ["~", "n", "N", ""]),
    ("int", r"^-?(0|[1-9][0-9]*)$", "-0123456789"),
    ("float", r"^([-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?|[-+]?\.inf|\.nan)$", "-+.0123456789"),
]:
    CoreLoader.add_implicit_resolver(f"tag:yaml.org,2002:{tag}", re.compile(pattern), list(first))


def verdict(validator, text):
    try:
        document = yaml.load(text, CoreLoader)
    except (yaml.YAMLError, ValueError) as error:
        return f"not YAML: {error}"
    error = jsonschema.exceptions.best_match(validator.iter_errors(document))
    return True if error is None else f"{error.json_path}: {error.message}"


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        schema = json.load(file)
    jsonschema.Draft202012Validator.check_schema(schema)
    validator = jsonschema.Draft202012Validator(schema)
    for line in sys.stdin:
        print(json.dumps(verdict(validator, json.loads(line))))


if __name__ == "__main__":
    main()
