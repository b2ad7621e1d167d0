"""The server's image codecs, through the program `codecs`, and Pillow beside them."""
import atexit
import functools
import os
import subprocess
import sys
import tempfile
import venv

from .machine import ROOT, install

# Debian's packages belong to Debian's Python, which may be another one than this.
PYTHONS = (sys.executable, "/usr/bin/python3")


def build(product="codecs"):
    command = ["swift", "build", "--configuration", "release", "--product", product]
    subprocess.run(command, cwd=ROOT, check=True, stdout=sys.stderr)
    return ROOT / ".build/release" / product


def decode(program, files):
    """A line for each file: `ok WIDTH HEIGHT`, then FILE.rgba has its pixels, or `refused REASON`."""
    return _lines(program, "decode", *files)


def encode(program, effort, files):
    """(bytes, microseconds of CPU) of each file; FILE.ours is the PNG."""
    return _numbers(_lines(program, "encode", effort, 0, *files))


def pillow(script, *arguments):
    """The lines that `script`, below scripts/, prints, run by a Python that has Pillow and numpy."""
    return _lines(_python(), ROOT / "scripts" / script, *arguments)


def pillow_encode(channels, files):
    """As `encode`, by Pillow's default; `channels` is `rgba`, or `lean`: without alpha where it says nothing."""
    return _numbers(pillow("support/pillow.py", "encode", channels, *files))


def oxipng_encode(level, files):
    """As `encode`, by oxipng of PyPI, in one thread."""
    lines = _lines(_oxipng_python(), ROOT / "scripts/support/oxipng_encode.py", level, *files, RAYON_NUM_THREADS="1")
    return _numbers(lines)


@functools.cache
def _oxipng_python():
    directory = tempfile.TemporaryDirectory()
    # It is there as long as this program runs.
    atexit.register(directory.cleanup)
    venv.create(directory.name, with_pip=True)
    python = f"{directory.name}/bin/python"
    subprocess.run([python, "-m", "pip", "install", "--quiet", "pyoxipng==9.1.1"], check=True, stdout=sys.stderr)
    return python


def _python():
    for python in PYTHONS:
        try:
            if subprocess.run([python, "-c", "import PIL, numpy"], stderr=subprocess.DEVNULL).returncode == 0:
                return python
        except FileNotFoundError:
            continue
    install("python3-pil", "python3-numpy")
    return PYTHONS[-1]


def _numbers(lines):
    return [(int(size), float(cpu)) for size, cpu in (line.split() for line in lines)]


def _lines(*command, **environment):
    done = subprocess.run(
        [str(word) for word in command], stdout=subprocess.PIPE, text=True, env=os.environ | environment)
    if done.returncode != 0:
        sys.exit(f"{command[0]} {command[1]} ended with status {done.returncode}")
    return done.stdout.splitlines()
