"""Packages of PyPI in environments below var/."""
import subprocess
import sys
import venv

from .machine import ROOT, say


def environment(name, packages):
    """Returns the Python of an environment that has exactly these packages and what they need. Installs them if they are
    missing or have other versions."""
    directory = ROOT / "var" / name
    mark = directory / "packages.txt"
    wanted = "\n".join(packages)
    if not mark.exists() or mark.read_text() != wanted:
        say(f"installing {', '.join(packages)} from PyPI into {directory.relative_to(ROOT)}")
        venv.create(directory, with_pip=True, clear=True)
        pip = [directory / "bin/python", "-m", "pip", "--quiet", "--disable-pip-version-check", "install", *packages]
        if subprocess.run(pip, stdin=subprocess.DEVNULL, stdout=sys.stderr).returncode != 0:
            sys.exit(1)
        mark.write_text(wanted)
    return directory / "bin/python"
