"""A bare loop over epoll that sends the same bytes for every request. It shows the minimum cost of a server."""
import pathlib
import subprocess

from .machine import Program, free_port, need


def serving(directory, answer, core=None):
    """A server that always sends `answer`, head and content."""
    need(gcc="gcc")
    directory.mkdir(parents=True)
    (directory / "answer").write_bytes(answer)
    source = pathlib.Path(__file__).with_name("echo.c")
    subprocess.run(["gcc", "-O2", "-Wall", "-Wextra", "-Werror", "-o", directory / "echo", source], check=True)
    port = free_port()
    return Program(
        [directory / "echo", port, directory / "answer"], f"http://127.0.0.1:{port}", directory / "echo.log", core)
