"""The server of this project, built in release unless another program is named."""
import argparse
import contextlib
import pathlib
import subprocess
import sys

from .machine import ROOT, Program, fetch, free_port, say, wait_until


def build():
    """Returns the path of the program. Builds it if its sources have changed."""
    say("building the server")
    shell = '. "$0"; need_build; build --configuration release --product tileserver >&2'
    built = subprocess.run(["bash", "-euc", shell, ROOT / "scripts/lib.sh"], cwd=ROOT, stdin=subprocess.DEVNULL)
    if built.returncode != 0:
        sys.exit(1)
    return ROOT / ".build/release/tileserver"


def parser(description):
    """Returns the parser of a script that accepts another program."""
    parser = argparse.ArgumentParser(description=description.splitlines()[0])
    argument(parser)
    return parser


def argument(parser):
    """Adds the option for another program."""
    parser.add_argument("--program", type=pathlib.Path, help="instead of a release build of this tree")


def chosen(options):
    """Returns the path of the program that `--program` names, or of this tree's program."""
    return options.program.resolve() if options.program else build()


def demo():
    """Returns the text of the demo's configuration, for a file in any directory."""
    return (ROOT / "config/tileserver.yaml").read_text().replace("../", f"{ROOT}/")


class Server(Program):
    """A server with any configuration."""

    TOKEN = "a-token-for-one-run-only"

    def admin(self, path, method="GET", timeout=30, content=None):
        """Returns (status, headers, body) of a request with the token."""
        return fetch(self.url + path, method, {"Authorization": f"Bearer {self.TOKEN}"}, timeout, content)

    def wait_until_ready(self):
        def is_ready():
            with contextlib.suppress(OSError):
                return fetch(self.url + "/ready")[0] == 200

        if not wait_until(is_ready):
            raise AssertionError(f"{self.url} is not ready: {self.log.read_text(errors='replace')[-2000:]}")


class TileServer(Server):
    """A server with the configuration `text`. Its port, its token and `variables` are set in the environment."""

    def __init__(self, program, directory, text, core=None, variables=None, group=None, identity=None):
        """With `identity`, a certificate, the server also speaks HTTPS, at its `tls_url`."""
        directory.mkdir(parents=True, exist_ok=True)
        configuration = directory / "tileserver.yaml"
        configuration.write_text(text)
        port = free_port()
        environment = {
            "TILESERVER_PORT": port, "TILESERVER_ADMIN_TOKEN": self.TOKEN,
            "TILESERVER_CACHE_DIRECTORY": directory / "var", **(variables or {}),
        }
        if identity:
            tls_port = free_port()
            environment |= {
                "TILESERVER_HTTPS_CERTIFICATE": identity.file, "TILESERVER_HTTPS_KEY": identity.key,
                "TILESERVER_HTTPS_PORT": tls_port}
            self.tls_url = f"https://127.0.0.1:{tls_port}"
        super().__init__(
            ["env", *(f"{name}={value}" for name, value in environment.items()),
             program, "serve", "--config", configuration],
            f"http://127.0.0.1:{port}", directory / "tileserver.log", core, directory=ROOT,
            group=group)

    def clear(self, layer):
        status, _, body = self.admin(f"/admin/cache/{layer}", "DELETE")
        if status != 200:
            sys.exit(f"clearing {layer} answered {status}: {body!r}")


def proxy_configuration(upstream, memory="2GiB", requests_per_connection=1_000_000, disk=None):
    """Returns a configuration with one layer, `tiles`, from `upstream`, and one reactor, like nginx with one worker.
    `disk` is a directory for the disk cache."""
    tier = f', disk: {{ path: "{disk}/tiles.sqlite", minFree: 0 }}' if disk else ""
    return f"""\
server:
  reactors: 1
  limits: {{ requestsPerConnection: {requests_per_connection} }}
cache: {{ memory: {memory}{tier} }}
layers:
  tiles:
    url: "{upstream}/tiles/{{z}}/{{x}}/{{y}}.png"
    allowPrivate: true
    maxConcurrent: 64
    ttl: 1d
"""
