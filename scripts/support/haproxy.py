"""HAProxy with a configuration of deploy/ on other addresses, and with a socket for the states of its servers."""
import contextlib
import socket

from .machine import Program, wait_until


def replaced(text, *pairs):
    """Returns the text with the first word of each pair replaced by the second. A missing first word is an error."""
    for old, new in pairs:
        assert old in text, f"deploy has no {old!r} any more"
        text = text.replace(old, str(new))
    return text


class HAProxy(Program):
    """Listens at `port` with the configuration `text`. Each server in it has a `name`."""

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
        """Returns the state of each server, or nothing while HAProxy is starting."""
        text = b""
        with socket.socket(socket.AF_UNIX) as connection, contextlib.suppress(FileNotFoundError, ConnectionRefusedError):
            connection.connect(str(self.socket))
            connection.sendall(b"show stat\n")
            text = b"".join(iter(lambda: connection.recv(65_536), b""))
        rows = (line.split(",") for line in text.decode().splitlines())
        return {row[1]: row[17] for row in rows if row[0] == "tileservers"}
