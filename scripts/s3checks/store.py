"""A store with S3's protocol: moto's server, which checks signatures."""
import json
import re
import subprocess
import sys
import urllib.parse

from support import pypi
from support.machine import ROOT, Program, fetch, free_port

PACKAGES = ("moto[server]==5.2.5", "boto3==1.44.8", "pmtiles==3.8.1")
REGION = "eu-central-1"
COLOR = re.compile(r"\x1b\[[0-9;]*m")
REQUEST = re.compile(r'"(GET|HEAD) (\S+) HTTP/1\.1" (\d+)')


class Store(Program):
    """moto's server.

    The server checks no signature until `check_signatures`, because somebody must create the first access key.
    """

    def __init__(self, directory):
        self.python = pypi.environment("s3", PACKAGES)
        port = free_port()
        super().__init__(
            ["env", "MOTO_IAM_LOAD_MANAGED_POLICIES=false", self.python, "-m", "moto.server", "-H", "127.0.0.1", "-p", port],
            f"http://127.0.0.1:{port}", directory / "moto.log")
        self.directory = directory

    def fill(self, archives):
        """Creates a user with an access key, and the archives. Returns the key's `id` and `secret`.

        `archives` has a (kind, bucket, key, is_public) for each archive.
        """
        filled = subprocess.run(
            [self.python, ROOT / "scripts/s3checks/fill.py", self.url, REGION, self.directory / "tiles"],
            input=json.dumps(archives), stdout=subprocess.PIPE, text=True)
        if filled.returncode != 0:
            sys.exit("the store could not be filled")
        return json.loads(filled.stdout)

    def check_signatures(self, is_on=True):
        """Without signatures, the lists of access of the objects decide alone. moto cannot check both at once."""
        # moto reads no body of the type that urllib sends by default.
        status, _, body = fetch(
            f"{self.url}/moto-api/reset-auth", "POST", {"Content-Type": "text/plain"}, content=b"0" if is_on else b"inf")
        if status != 200:
            sys.exit(f"moto's counter of requests without signature: {status} {body!r}")

    def requests(self, bucket, key):
        """Returns the statuses of the requests for an object so far."""
        wanted = f"/{bucket}/{key}"
        found = REQUEST.findall(COLOR.sub("", self.log.read_text(errors="replace")))
        return [int(status) for _, target, status in found if urllib.parse.unquote(target) == wanted]
