"""Checks /openapi.json with a validator, and the server with requests made from it."""
import json
import sys

from support.tileserver import TileServer

from .place import packages


def valid(place):
    """/openapi.json is valid OpenAPI 3."""
    directory = packages(place, "openapi-spec-validator==0.9.0")
    path = place.scratch / "openapi.json"
    path.write_text(json.dumps(place.json("/openapi.json")))
    status, output = place.run(
        "env", f"PYTHONPATH={directory}", sys.executable, "-m", "openapi_spec_validator", path)
    place.expect(status == 0, f"/openapi.json is valid {output if status else ''}")


def schemathesis(place):
    """No request that schemathesis makes from /openapi.json gets a 5xx."""
    directory = packages(place, "schemathesis==4.32.5")
    status, output = place.run(
        "env", f"PYTHONPATH={directory}", sys.executable, directory / "bin/schemathesis", "run",
        f"{place.url}/openapi.json",
        "--checks", "not_a_server_error", "--header", f"Authorization: Bearer {TileServer.TOKEN}",
        # The response to this route never ends.
        "--exclude-path", "/events",
        "--max-examples", "25", "--generation-deterministic", "--request-timeout", "120", "--no-color",
        *(["--tls-verify", place.certificate] if place.certificate else []))
    place.expect(status == 0, f"schemathesis finds no 5xx {output[-4000:] if status else output.splitlines()[-1]}")


CI = [valid]
OTHERS = [schemathesis]
