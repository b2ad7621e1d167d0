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


def files(name, package):
    """Returns a directory below var/ with the files of the package, without the packages that it needs."""
    directory = ROOT / "var" / name
    mark = directory / "packages.txt"
    if not mark.exists() or mark.read_text() != package:
        say(f"unpacking {package} from PyPI into {directory.relative_to(ROOT)}")
        pip = [sys.executable, "-m", "pip", "--quiet", "--disable-pip-version-check", "install"]
        pip += ["--root-user-action", "ignore", "--no-deps", "--only-binary", ":all:", "--upgrade", "--target", directory, package]
        if subprocess.run(pip, stdin=subprocess.DEVNULL, stdout=sys.stderr).returncode != 0:
            sys.exit(1)
        mark.write_text(package)
    return directory
