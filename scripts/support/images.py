"""The server's image codecs, through the program `codecs`, and Pillow beside them."""
import subprocess
import sys

from .machine import ROOT, install

# Debian's packages belong to Debian's Python, which may differ from the current one.
PYTHONS = (sys.executable, "/usr/bin/python3")


def build(product="codecs"):
    command = ["swift", "build", "--configuration", "release", "--product", product]
    subprocess.run(command, cwd=ROOT, check=True, stdout=sys.stderr)
    return ROOT / ".build/release" / product


def decode(program, files):
    """Returns a line for each file: `ok WIDTH HEIGHT`, with the pixels in FILE.rgba, or `refused REASON`."""
    return _lines(program, "decode", *files)


def encode(program, effort, files, form="lean"):
    """Returns (bytes, CPU microseconds) of each file. FILE.ours is the PNG."""
    return _numbers(_lines(program, "encode", effort, 0, form, *files))


def write(program, form, quality, files):
    """Returns (bytes, CPU microseconds, format) of each file in `form`, such as `jpeg` or `auto`. FILE.ours is the
    image."""
    lines = (line.split() for line in _lines(program, "write", form, quality, *files))
    return [(int(size), float(cpu), name) for size, cpu, name in lines]


def pillow(script, *arguments):
    """Returns the output lines of `script`, a path below scripts/, run by a Python that has Pillow and numpy."""
    return _lines(_python(), ROOT / "scripts" / script, *arguments)


def pillow_encode(channels, files):
    """Like `encode`, with Pillow's default. `channels` is `rgba`, or `lean`: without alpha if every pixel is opaque."""
    return _numbers(pillow("support/pillow.py", "encode", channels, *files))


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


def _lines(*command):
    done = subprocess.run([str(word) for word in command], stdout=subprocess.PIPE, text=True)
    if done.returncode != 0:
        sys.exit(f"{command[0]} {command[1]} ended with status {done.returncode}")
    return done.stdout.splitlines()
