"""Checks of TileJSON, and of all documents with curl."""
import gzip
import json
import re

from support import mercator

DOCUMENTS = [
    "/grid.json?scale=2&empty=204", "/layers.json", "/grid/style.json", "/grid/wmts.xml", "/wmts.xml",
    "/wmts?service=WMTS&request=GetCapabilities", "/grid/gdal.xml", "/grid/qgis.xml", "/qgis.xml", "/openapi.json",
]


def curl(place):
    """curl gets each document, also compressed, and 304 for a known one. All URLs in it are the server's own."""
    for path in DOCUMENTS:
        words = ["curl", "--silent", "--show-error", "--include", "--max-time", "60", place.url + path]
        status, text = place.run(*words)
        head, _, body = text.partition("\n\n" if "\r\n" not in text else "\r\n\r\n")
        tag = re.search(r"(?im)^etag: (\S+)", head)
        place.expect(status == 0 and " 200" in head.splitlines()[0] and tag is not None, f"{path} comes with a tag")
        urls = re.findall(r"https?://[\w.:\[\]-]+/[^\"<\s]*", body.replace("&amp;", "&"))
        ours = [url for url in urls if not re.match(r"https?://(www\.w3\.org|(www|schemas)\.opengis\.net|example\.org)", url)]
        strange = [url for url in ours if not url.startswith(place.url)]
        place.expect(len(ours) > 0 and not strange or path == "/openapi.json", f"{path} has URLs of {place.url} alone {strange[:2]}")
        if tag:
            again = place.run(*words, "--header", f"If-None-Match: {tag[1]}")[1]
            place.expect(" 304" in again.splitlines()[0], f"{path} is not sent again to who has it")
        _, headers, plain = place.fetch(path)
        _, coded, packed = place.fetch(path, {"Accept-Encoding": "gzip"})
        unpacked = gzip.decompress(packed) if coded["Content-Encoding"] == "gzip" else packed
        place.expect(unpacked == plain, f"{path} is the same with gzip ({len(packed)} of {len(plain)} bytes)")
        place.expect(len(plain) < 1_024 or coded["ETag"] != headers["ETag"], f"{path} has a tag for each coding")


def tilejson(place):
    """TileJSON follows version 3.0.0, and its URLs give tiles of its tile size."""
    for layer in ("grid", "large", "gaps", "pacific", "small", "stack"):
        for query in ("", "?scale=2&empty=204"):
            document = place.json(f"/{layer}.json{query}")
            faults = list(violations(document))
            place.expect(not faults, f"{layer}.json{query} is TileJSON 3.0.0 {faults}")
            z, x, y = document["minzoom"], *first_tile(document)
            url = document["tiles"][0].replace("{z}", str(z)).replace("{x}", str(x)).replace("{y}", str(y))
            status, headers, body = place.fetch(url)
            if status == 200:
                side = int.from_bytes(body[16:20])
                wanted = document["tileSize"] * document.get("scale", 1)
                place.expect(side == wanted, f"{url} has {side} pixels a side, {wanted} are wanted")
            else:
                place.expect(status == (204 if query else 404), f"{url} answers {status} where there is no tile")


def first_tile(document):
    """Returns the column and row of a tile in the middle of the bounds, at the lowest zoom."""
    west, south, east, north = document["bounds"]
    count = 2 ** document["minzoom"]
    return [min(int(part * count), count - 1) for part in mercator.place((west + east) / 2, (south + north) / 2)]


def violations(document):
    """Yields violations of TileJSON 3.0.0's rules for rasters. `vector_layers` is not checked, because rasters have
    none."""
    if document.get("tilejson") != "3.0.0":
        yield "tilejson"
    if not document.get("tiles") or not all(isinstance(url, str) and "{z}" in url for url in document["tiles"]):
        yield "tiles"
    west, south, east, north = document["bounds"]
    if not (-180 <= west < east <= 180 and -90 <= south < north <= 90):
        yield f"bounds {document['bounds']}"
    if not 0 <= document["minzoom"] <= document["maxzoom"] <= 30:
        yield "zooms"
    if "center" in document:
        longitude, latitude, zoom = document["center"]
        if not (west <= longitude <= east and south <= latitude <= north):
            yield "center"
    if document.get("scheme", "xyz") not in ("xyz", "tms"):
        yield "scheme"
    if not re.fullmatch(r"\d+\.\d+\.\d+\S*", document.get("version", "1.0.0")):
        yield "version"
    for name in ("name", "description", "attribution", "legend", "template"):
        if not isinstance(document.get(name, ""), str):
            yield name
    json.dumps(document, allow_nan=False)


CI = [curl, tilejson]
OTHERS = []
