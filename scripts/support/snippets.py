"""Makes Swift packages of the code in the documents, so that a build finds mistakes in it.

    snippets.py DIRECTORY

`DIRECTORY/MyTiles` has the files of docs/guides/embed.md as they stand, except that the server takes any free port.
`DIRECTORY/Fragments` has one function for each other block of Swift. The names in `CONTEXT`, which these blocks use
without making them, are the parameters of the functions.
"""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
PAGES = ["README.md", "docs/guides/camera-in-swift.md", "docs/guides/embed.md", "docs/guides/own-layers.md"]
CONTEXT = (
    "server: TileServer, camera: CameraPosition, place: Coordinate, bounds: CoordinateBounds, box: GeographicBox, "
    "tiles: [TileCoordinate], layer: Layer")
# The data of a program's own layer.
DATA = """\
import TileServer

actor Plans {
    func version(of tile: TileCoordinate) -> String { "\\(tile)" }
    func drawing(of tile: TileCoordinate, scale: Int) -> Pixmap { Pixmap(width: 256, height: 256, color: .white) }
}
"""
MANIFEST = """\
// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "Fragments",
    dependencies: [.package(name: "tileserver", path: "../tileserver")],
    targets: [
        .target(
            name: "Fragments", dependencies: [.product(name: "TileServer", package: "tileserver")],
            // Fragments make values that only the reader would use.
            swiftSettings: [.unsafeFlags(["-suppress-warnings"])])
    ]
)
"""


def blocks(page):
    """Returns the blocks of Swift in a page."""
    return re.findall(r"^```swift\n(.*?)^```", (ROOT / page).read_text(), re.M | re.S)


def write(path, text):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text.replace("../tileserver", str(ROOT)))


def fragment(number, code):
    """Returns a file with the code as a function. Imports stand before it."""
    imports = [line for line in code.splitlines() if line.startswith("import ")]
    body = [line for line in code.splitlines() if not line.startswith("import ")]
    lines = [*{"import TileServer", *imports}, "", f"func fragment{number}({CONTEXT}) async throws {{"]
    return "\n".join([*lines, *(f"    {line}" if line else "" for line in body), "}", ""])


def main():
    directory = pathlib.Path(sys.argv[1])
    found = [(page, code) for page in PAGES for code in blocks(page)]
    manifest = next(code for page, code in found if "import PackageDescription" in code)
    program = next(code for page, code in found if page == "docs/guides/embed.md" and code != manifest)
    write(directory / "MyTiles/Package.swift", manifest)
    write(directory / "MyTiles/Sources/MyTiles/main.swift", program.replace("port: 8080", "port: 0"))
    sources = directory / "Fragments/Sources/Fragments"
    write(directory / "Fragments/Package.swift", MANIFEST)
    write(sources / "Data.swift", DATA)
    rest = [code for _, code in found if code not in (manifest, program)]
    for number, code in enumerate(rest):
        write(sources / f"Fragment{number}.swift", fragment(number, code))
    print(f"{len(rest)} blocks of Swift and one program in {len(PAGES)} pages")


if __name__ == "__main__":
    main()
