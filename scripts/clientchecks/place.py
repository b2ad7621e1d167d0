"""The server for a check, and the programs that a check needs."""
import json
import os
import pathlib
import ssl
import subprocess
import sys
import zipfile

from support import machine

CONFIGURATION = """\
server: {{ trustedProxies: [127.0.0.1] }}
layers:
  # A slow machine is no reason to fail.
  grid: {{ timeout: 120s, generator: grid, name: "Grid & <more>", attribution: '<a href="https://example.org">Ada</a>', maxZoom: 12 }}
  large: {{ timeout: 120s, generator: checkerboard, tileSize: 512, maxZoom: 9, opacity: 0.5, fadeIn: false }}
  # A picture in every odd column, nothing in the others.
  gaps: {{ timeout: 120s, generator: oddColumns, maxZoom: 8, bounds: [-120, -60, 150, 75] }}
  columns: {{ timeout: 120s, generator: oddColumns, maxZoom: 8 }}
  pacific: {{ timeout: 120s, generator: graticule, bounds: [170, -30, -150, 10], minZoom: 2, maxZoom: 9 }}
  small: {{ timeout: 120s, generator: world, bounds: [5.9, 45.8, 10.5, 47.8], minZoom: 4, maxZoom: 11 }}
maps:
  stack:
    name: Stack
    base: grid
    layers: [gaps]
    camera: {{ lat: 47, lng: 8, zoom: 5 }}
"""


class Missing(Exception):
    """A program or package that a check needs is not available."""


class Place:
    """A server, reached directly at `url` or behind nginx with TLS and a prefix. It counts the expectations."""

    def __init__(self, url, scratch, certificate=None):
        self.url = url.rstrip("/")
        self.scratch = scratch
        self.certificate = certificate
        self.failures = 0

    def expect(self, is_right, text):
        print(f"{'  ok ' if is_right else 'FAIL '} {text}", flush=True)
        if not is_right:
            self.failures += 1

    def fetch(self, path, headers=None):
        """Returns (status, headers, content) of any response. `path` is below the server's URL, or is a whole URL."""
        url = path if "://" in path else self.url + path
        context = ssl.create_default_context(cafile=self.certificate) if url.startswith("https") else None
        return machine.fetch(url, headers=headers, timeout=60, context=context)

    def json(self, path):
        return json.loads(self.fetch(path)[2])

    def environment(self):
        """Variables for programs, with which they trust the proxy's certificate."""
        variables = {
            **os.environ, "GDAL_PAM_ENABLED": "NO", "GDAL_DEFAULT_WMS_CACHE_PATH": str(self.scratch / "gdal"),
            "QT_QPA_PLATFORM": "offscreen", "XDG_RUNTIME_DIR": str(self.scratch),
        }
        if self.certificate:
            for name in ("SSL_CERT_FILE", "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE", "GDAL_CURL_CA_BUNDLE"):
                variables[name] = str(self.certificate)
        return variables

    def run(self, *command):
        """Runs a program. Returns (status, output). The timeout ends a program that hangs; it measures nothing."""
        done = subprocess.run(
            [str(word) for word in command], env=self.environment(), cwd=self.scratch, stdin=subprocess.DEVNULL, text=True,
            errors="replace", stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=1_200)
        return done.returncode, done.stdout


def pip(*words):
    """Runs pip. Raises Missing if pip fails."""
    machine.need(pip3="python3-pip")
    done = subprocess.run(
        [sys.executable, "-m", "pip", *map(str, words)], capture_output=True, text=True, stdin=subprocess.DEVNULL)
    if done.returncode != 0:
        raise Missing(f"pip {words[0]}: {done.stderr.strip().splitlines()[-1:]}")


def packages(place, *names):
    """Returns a directory with Python packages from PyPI, for PYTHONPATH."""
    directory = place.scratch / "packages" / "-".join(name.split("=")[0] for name in names)
    if not directory.exists():
        pip("install", "--quiet", "--target", directory, *names)
    return directory


def wheel(place, name):
    """Returns the unpacked files of a wheel from PyPI, without its dependencies."""
    directory = place.scratch / "wheels" / name.split("=")[0]
    if not directory.exists():
        download = place.scratch / "downloads"
        pip("download", "--quiet", "--no-deps", "--only-binary", ":all:", "--dest", download, name)
        # A wheel's name contains the package's name in some spelling.
        plain = name.split("=")[0].replace("-", "_").lower()
        found = next(path for path in pathlib.Path(download).glob("*.whl") if path.name.lower().startswith(plain + "-"))
        with zipfile.ZipFile(found) as archive:
            archive.extractall(directory)
    return directory


def debian(place, module, package):
    """Returns Debian's Python, which has `module`. Raises Missing if it does not."""
    status, _ = place.run("/usr/bin/python3", "-c", f"import {module}")
    if status != 0:
        raise Missing(f"Debian's {package} is not installed")
    return "/usr/bin/python3"
