"""The output and status of commands."""
import os
import subprocess

from support.machine import ROOT

LAYER = "layers:\n  a: { %s }\n"
BAD = {
    "empty": "", "no layers": "server: { port: 1 }\n", "tab": "layers:\n\ta: 1\n", "no YAML": "layers: [\n",
    "list": "- a\n- b\n",
    "unknown key": "layrs: {}\nlayers:\n  a: { generator: grid }\n",
    "twice": "layers:\n  a: { generator: grid }\n  a: { generator: solid }\n",
    "no source": "layers:\n  a: { name: A }\n", "two sources": LAYER % 'generator: grid, url: "http://a/{z}/{x}/{y}"',
    "unknown generator": LAYER % "generator: gird", "foreign key": LAYER % "generator: grid, seed: 4",
    "bad names": "layers:\n  A: { generator: grid }\n  admin: { generator: grid }\n  -a: { generator: grid }\n",
    "bad color": LAYER % 'generator: solid, color: "#12"',
    "bare hash": "layers:\n  a: { generator: solid, color: #123456 }\n",
    "bad template": LAYER % 'url: "http://a/{z}/{x}.png"',
    "unknown placeholder": LAYER % 'url: "http://a/{z}/{x}/{y}/{floor}.png"',
    "placeholder in host": LAYER % 'url: "http://{z}.a/{x}/{y}.png"',
    "scheme": LAYER % 'url: "ftp://a/{z}/{x}/{y}.png"',
    "subdomains": LAYER % 'url: "http://{s}.a/{z}/{x}/{y}.png"',
    "zooms": LAYER % "generator: grid, minZoom: 9, maxZoom: 3",
    "zoom": LAYER % "generator: grid, maxZoom: 31",
    "numbers": LAYER % "generator: grid, opacity: 2, tileSize: 300, overzoom: -1",
    "kinds": LAYER % "generator: grid, visible: maybe, zIndex: high, bounds: [1, 2], noTile: 500",
    "durations": LAYER % "generator: grid, ttl: 5, maxAge: -1s, timeout: 1y",
    "sizes": "cache: { memory: 1TB, disk: { maxBytes: 3 } }\n" + LAYER % "generator: grid",
    "server": "server: { host: nowhere.example, port: 70000, reactors: 999, watch: 3 }\n" + LAYER % "generator: grid",
    "limits": "server: { limits: { head: 1, idleTimeout: 0s, connections: -4, unknown: 3 } }\n" + LAYER % "generator: grid",
    "proxies": "server: { publicURL: ftp://a, trustedProxies: [a, 10.0.0.0/33] }\n" + LAYER % "generator: grid",
    "token": "admin: { token: short, hosts: ['a:80', 'a b'] }\n" + LAYER % "generator: grid",
    "missing file": LAYER % "mbtiles: nowhere.mbtiles",
    "no MBTiles": LAYER % f"mbtiles: {ROOT}/tiles/L1_15_5178_11217.png",
    "no GeoJSON": LAYER % f"geojson: {ROOT}/config/cache.yaml",
    "variable": LAYER % 'url: "http://${NOT_SET_ANYWHERE}/{z}/{x}/{y}.png"',
    "variables": LAYER % 'generator: grid, name: "${OPEN"',
    "map of nothing": "layers:\n  a: { generator: grid }\nmaps:\n  m: { layers: [b] }\n",
    "same name": "layers:\n  a: { generator: grid }\nmaps:\n  a: { layers: [a] }\n",
    "map of itself": "layers:\n  a: { generator: grid }\nmaps:\n  m: { layers: [m] }\n",
    "map": "layers:\n  a: { generator: grid }\nmaps:\n"
           "  m: { layers: [{ layer: a, blend: burn, opacity: x }], onError: hope, camera: { lat: 99, zoom: a } }\n",
    "camera": "layers:\n  a: { generator: grid }\nmaps:\n"
              "  m: { layers: [a], camera: { profile: palm, minZoom: 9, maxZoom: 3 }, padding: [1], targetBounds: [1, 2, 3, 4] }\n",
    "anchors": "x: &x { generator: grid }\nlayers:\n  a: *x\n",
    "tags": "layers:\n  a: !!map { generator: !!str grid }\n",
    "hashes": LAYER % 'url: "http://a/{z}/{x}/{y}.png", rejectSHA256: abc',
    "files": LAYER % 'url: "https://a/{z}/{x}/{y}.png", caFile: nowhere.pem',
    "many": "".join(f"key{number}: 1\n" for number in range(60)) + LAYER % "generator: gird",
    "bytes": b"layers:\n  a: { generator: grid, name: \"\xff\xfe\" }\n",
    "control": b"layers:\n  a: { generator: grid, name: \"\x01\" }\n",
    "deep": "a: " + "[" * 200 + "\n",
}
RENDERS = (
    "demo --camera -118.6,50.2,6@30,30 --size 200x150@2x",
    "demo --bounds 5,45,12,50 --size 200x150 --background transparent --no-attribution",
    "boxed --camera 8.5,47.4,5 --size 100x100 --padding 1,2,3,4 --marker 8,47|label:A --path 8,47|9,48",
    "nobody --camera 1,1,1 --size 10x10",
    "demo --camera 1,1,1 --size 10x10 --to 2,2,2@10,10 --duration 0.3 --fps 10 --curve easeIn", "demo --size 10x10",
    "demo --camera 1,1 --size 10x10", "demo --camera 1,1,1 --size 0x10",
    "demo --camera 1,1,1 --bounds 1,1,2,2 --size 9x9", "skips --camera 8.5,47.4,5 --size 100x100 --no-partial",
    "grid --camera 1,1,1 --size 10x10 --curve bounce", "grid --camera 1,1,1 --size 10x10 --marker x",
)
WORDS = (
    "--help", "-h", "help", "help render", "help nothing", "serve --help", "check --help", "clear --help",
    "health --help", "render --help", "--version", "nothing", "serve --nothing", "serve --port x", "serve --port 70000",
    "check --config /nowhere/at/all.yaml", "check --url nothing", "clear", "clear a --all",
    "check --url http://a/{z}/{x}/{y}.png", "check --config config/tileserver.yaml", "check --config config/cache.yaml",
    "health --port 1", "clear a --port 1", "render", "check extra",
)


def ran(program, site):
    """Yields (name, output and status) of each command. Each program runs in the same directory."""
    directory = site.directory / "commands"
    directory.mkdir(exist_ok=True)
    good = directory / "good.yaml"
    good.write_text(site.configuration())
    yield run(program, directory, "check", "--config", good)
    for name, text in BAD.items():
        path = directory / (name.replace(" ", "-") + ".yaml")
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        yield run(program, directory, "check", "--config", path)
    yield run(program, directory, "serve", "--config", directory / "kinds.yaml")
    for words in RENDERS:
        yield run(program, directory, "render", *words.split(" "), "--config", good, "--output", "-")
    yield run(program, directory,
        *"render grid --camera 1,1,1 --size 9x9 --output /nowhere/at/all.png --config".split(), good)
    for words in WORDS:
        yield run(program, directory, *words.split(" "))


def run(program, directory, *words):
    environment = {"PATH": os.environ["PATH"], "TILESERVER_CACHE_DIRECTORY": str(directory / "var")}
    try:
        ended = subprocess.run(
            [program, *words], cwd=ROOT, env=environment, stdin=subprocess.DEVNULL, capture_output=True, timeout=60)
    except subprocess.TimeoutExpired:
        return name_of(words), b"it does not end\r\n\r\n"
    said = b"status %d\n%s\r\n\r\n%s" % (ended.returncode, ended.stderr, ended.stdout)
    return name_of(words), said.replace(os.fsencode(program), b"tileserver")


def name_of(words):
    return "tileserver " + " ".join(str(word).rpartition("/commands/")[2] for word in words)
