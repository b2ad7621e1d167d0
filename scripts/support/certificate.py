"""Certificates for servers on this machine."""
import dataclasses
import pathlib
import ssl
import subprocess

# Options of `openssl req` for each kind of private key.
KEYS = {"ECDSA P-256": ("ec", "-pkeyopt", "ec_paramgen_curve:prime256v1"), "RSA 2048": ("rsa:2048",)}


@dataclasses.dataclass
class Certificate:
    """The PEM files of a certificate that has signed itself."""
    file: pathlib.Path
    key: pathlib.Path

    def client(self):
        """Returns the settings of a TLS client that trusts only this certificate."""
        return ssl.create_default_context(cafile=self.file)


def make(directory, kind="ECDSA P-256"):
    """Writes a certificate for localhost and 127.0.0.1, which is valid for two days."""
    directory.mkdir(parents=True, exist_ok=True)
    made = Certificate(directory / "certificate.pem", directory / "key.pem")
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", *KEYS[kind], "-nodes", "-days", "2", "-subj", "/CN=localhost",
         "-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1", "-keyout", made.key, "-out", made.file],
        check=True, capture_output=True)
    return made
