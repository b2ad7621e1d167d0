"""The packages of PyPI that the cases use."""
import subprocess
import sys
import venv

from support.machine import ROOT, say

ENVIRONMENT = ROOT / "var/http2"
PACKAGES = ("h2==4.4.1", "hpack==4.2.0", "hyperframe==6.1.0")


def prepare():
    """Installs the packages into an environment below var/ if they are missing. This program can then import them."""
    library = ENVIRONMENT / f"lib/python{sys.version_info.major}.{sys.version_info.minor}/site-packages"
    if not (library / "h2").exists():
        say(f"installing {', '.join(PACKAGES)} from PyPI into {ENVIRONMENT.relative_to(ROOT)}")
        venv.create(ENVIRONMENT, with_pip=True, clear=True)
        pip = [ENVIRONMENT / "bin/python", "-m", "pip", "--quiet", "--disable-pip-version-check", "install", *PACKAGES]
        if subprocess.run(pip, stdin=subprocess.DEVNULL, stdout=sys.stderr).returncode != 0:
            sys.exit(1)
    sys.path.append(str(library))
