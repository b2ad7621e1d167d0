"""The packages of PyPI that the cases use."""
import sys

from support.machine import ROOT
from support.pypi import environment

PACKAGES = ("h2==4.4.1", "hpack==4.2.0", "hyperframe==6.1.0")


def prepare():
    """Installs the packages into an environment below var/ if they are missing. This program can then import them."""
    environment("http2", PACKAGES)
    version = f"python{sys.version_info.major}.{sys.version_info.minor}"
    sys.path.append(str(ROOT / "var/http2/lib" / version / "site-packages"))
