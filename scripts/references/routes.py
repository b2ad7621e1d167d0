"""The routes of docs/reference/http.md, from the server's OpenAPI document, and the codes of its errors."""
import json
import re

from . import pages, sources

PAGE = "docs/reference/http.md"
DOCUMENT = "C/CViewer/openapi.json"
METHODS = ("get", "post", "put", "delete")
PROBLEM = re.compile(r'\.(\w+),\s*"([a-z]+(?:-[a-z]+)*)",')


def tables(program, text):
    """Returns the tables of routes, one for each tag of the document, and the table of codes."""
    document = json.loads(sources.read(DOCUMENT))
    routes = {tag["name"]: [] for tag in document["tags"]}
    for path, operations in document["paths"].items():
        for method in METHODS:
            if method in operations:
                operation = operations[method]
                routes[operation["tags"][0]].append(
                    [f"`{method.upper()} {path}`", names(document, operation), operation["summary"].rstrip(".")])
    made = {f"routes {tag}": pages.markdown(["request", "parameters", "answer"], rows) for tag, rows in routes.items()}
    return made | {"codes": codes(text)}


def names(document, operation):
    """Returns the names of the parameters that are not part of the path."""
    parameters = []
    for parameter in operation.get("parameters", []):
        if "$ref" in parameter:
            parameter = document["components"]["parameters"][parameter["$ref"].rsplit("/", 1)[1]]
        if parameter["in"] == "query":
            parameters.append(f"`{parameter['name']}`")
    return ", ".join(parameters)


def codes(text):
    """Returns the table of error codes. The meanings come from the page."""
    meanings = pages.written(text, "codes")
    rows = [[pages.named(code), str(status), meanings.get(code, "")] for status, code in sorted(problems())]
    return pages.markdown(["code", "status", "meaning"], rows)


def problems():
    """Returns (status, code) of every error that the server sends."""
    status = sources.read("Net/HTTPServer/Status.swift")
    cases = {name: int(number) for name, number in re.findall(r"case (\w+) = (\d+)", status)}
    reasons = dict(re.findall(r'case \.(\w+): "([^"]+)"', status))
    found = set()
    for path, text in sources.files():
        if "App/TileServer" in str(path):
            found |= {(cases[case], code) for case, code in PROBLEM.findall(text) if case in cases}
    # The code of the server's own refusals is the reason phrase of their status.
    refusals = re.findall(r"(?:status: |limit\()\.(\w+)", "".join(
        text for path, text in sources.files() if "Net/HTTPServer" in str(path)))
    found |= {(cases[case], reasons[case].lower().replace(" ", "-")) for case in refusals if case in cases}
    limited = sources.read("App/TileServer/Limits/LimitedUse+Answers.swift")
    found |= {(429, code) for code in re.findall(r'"(too-many-[a-z]+)"', limited)}
    camera = sources.read("App/MapService/Camera/CameraRequestError.swift")
    found |= {(400 if code == "bad-camera" else 422, code) for code in re.findall(r'"([a-z]+-[a-z]+)"', camera)}
    readiness = re.search(r"case (.+)", sources.read("App/TileServer/Pages/Readiness.swift"))[1].split(", ")
    return found | {(503, state) for state in readiness if state != "ready"}
