"""Attacks on a TLS server by a program in C, because Python's own cost would hide the server's."""
import contextlib
import json
import pathlib
import subprocess
import urllib.parse

from .machine import need


def build(directory):
    """Returns the path of the program."""
    need(gcc="gcc")
    source, program = pathlib.Path(__file__).with_suffix(".c"), directory / "tlsattack"
    subprocess.run(
        ["gcc", "-O2", "-Wall", "-Wextra", "-Werror", "-o", program, source, "-lssl", "-lcrypto"], check=True)
    return program


@contextlib.contextmanager
def attacking(program, mode, url, seconds, result):
    """Attacks `url` with a mode of tlsattack.c. The end of the block waits for the program, and adds its counts to
    `result`."""
    port = urllib.parse.urlsplit(url).port
    process = subprocess.Popen([program, mode, str(port), str(seconds)], stdout=subprocess.PIPE, text=True)
    try:
        yield
        result.update(json.loads(process.communicate(timeout=seconds + 30)[0]))
    finally:
        process.kill()
        process.wait()
