"""Chromium with certificates of its own."""
import os
import subprocess

from .machine import ROOT, need


def trusting(directory, *identities):
    """Returns the environment of a Chromium that trusts the certificates: its home is below `directory`."""
    need(certutil="libnss3-tools")
    store = directory / "home/.pki/nssdb"
    store.mkdir(parents=True)
    subprocess.run(["certutil", "-d", f"sql:{store}", "-N", "--empty-password"], check=True)
    for number, identity in enumerate(identities):
        subprocess.run(
            ["certutil", "-d", f"sql:{store}", "-A", "-t", "C,,", "-n", f"test {number}", "-i", identity.file], check=True)
    # Node's own requests also go to these servers.
    bundle = directory / "home/trusted.pem"
    bundle.write_text("".join(identity.file.read_text() for identity in identities))
    return {**os.environ, "HOME": str(directory / "home"), "NODE_EXTRA_CA_CERTS": str(bundle)}


def start(script, *words, environment):
    """Starts a script of web/browser under Node."""
    command = ["node", ROOT / "web/browser" / script, *map(str, words)]
    return subprocess.Popen(
        command, cwd=ROOT, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True)
