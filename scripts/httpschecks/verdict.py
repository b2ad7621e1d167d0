"""The place of a check, and its result."""
import dataclasses
import pathlib
import urllib.parse

from support import certificate, tileserver


class Found(Exception):
    """A check has found something."""


def expect(holds, text):
    """Ends the check as failed if `holds` is false."""
    if not holds:
        raise Found(text)


@dataclasses.dataclass
class Place:
    """A server with HTTPS, its certificate, and directories for the check's files and for reports."""
    server: tileserver.TileServer
    identity: certificate.Certificate
    directory: pathlib.Path
    reports: pathlib.Path

    @property
    def port(self):
        return urllib.parse.urlsplit(self.server.tls_url).port

    @property
    def url(self):
        """The server's URL with the name in the certificate."""
        return f"https://localhost:{self.port}"
