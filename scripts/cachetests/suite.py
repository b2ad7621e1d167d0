"""The public test suite: its origin server and its client."""
import json
import os
import pathlib
import subprocess
import sys

from support.machine import ROOT, Program, free_port, say

URL = "https://github.com/http-tests/cache-tests"
# The results in docs/benchmarks/2026-11.md are for this commit.
COMMIT = "b55b8bd"
CLIENT = pathlib.Path(__file__).with_name("run.mjs")


def clone():
    """Returns the path of the project's own clone."""
    path = ROOT / "var/cache-tests"
    if not path.exists():
        say(f"cloning {URL}")
        for words in (["clone", "--quiet", URL, path], ["-C", path, "checkout", "--quiet", COMMIT]):
            if subprocess.run(["git", *words]).returncode != 0:
                sys.exit(1)
    return path


def origin(path, directory):
    """The suite's own server. It answers each test with the test's responses."""
    port = free_port()
    variables = {"npm_config_protocol": "http", "npm_config_port": port, "npm_config_pidfile": directory / "origin.pid"}
    return Program(
        ["env", *(f"{name}={value}" for name, value in variables.items()), "node", "test-engine/server/server.mjs"],
        f"http://127.0.0.1:{port}", directory / "origin.log", directory=path)


def tests(path):
    """Returns every test of the suite: id, group, name, kind (required, optimal or check), and whether it is for
    browsers only."""
    return _client(path)


def run(path, base):
    """Returns the tests with their `result`: true, or [kind of failure, what was seen]."""
    return _client(path, base)


def _client(path, *words):
    # A proxy from the environment would answer instead of the server.
    variables = {name: value for name, value in os.environ.items() if "proxy" not in name.lower()}
    command = ["node", "--no-warnings", CLIENT, path, *words]
    ran = subprocess.run(command, stdout=subprocess.PIPE, stdin=subprocess.DEVNULL, env=variables)
    if ran.returncode != 0:
        sys.exit("the suite's client failed")
    return json.loads(ran.stdout.splitlines()[-1])
