"""HAProxy with a configuration of deploy/, on other addresses, and with a socket that says who is up."""
import contextlib
import socket

from .machine import Program, wait_until


def replaced(text, *pairs):
    """The text of a file of deploy/ with each first word of a pair, which must stand there, replaced by the second."""
    for old, new in pairs:
        assert old in text, f"deploy has no {old!r} any more"
        text = text.replace(old, str(new))
    return text


class HAProxy(Program):
    """Listens at `port`, as the configuration `text` says; its servers have a `name` each."""

    def __init__(self, directory, text, port):
        directory.mkdir(exist_ok=True)
        self.socket = directory / "haproxy.sock"
        configuration = directory / "haproxy.cfg"
        configuration.write_text(replaced(text, ("global\n", f"global\n    stats socket {self.socket}\n")))
        super().__init__(
            ["haproxy", "-db", "-f", configuration], f"http://127.0.0.1:{port}", directory / "haproxy.log")

    def wait_until_up(self, *servers):
        if not wait_until(lambda: {self.states().get(server.name) for server in servers} == {"UP"}):
            raise AssertionError(f"HAProxy says {self.states()}")

    def states(self):
        """By server; empty while HAProxy is starting."""
        text = b""
        with socket.socket(socket.AF_UNIX) as connection, contextlib.suppress(FileNotFoundError, ConnectionRefusedError):
            connection.connect(str(self.socket))
            connection.sendall(b"show stat\n")
            text = b"".join(iter(lambda: connection.recv(65_536), b""))
        rows = (line.split(",") for line in text.decode().splitlines())
        return {row[1]: row[17] for row in rows if row[0] == "tileservers"}
