"""Checks of WMTS with the schemas of the standard, and with OWSLib."""
import re
import sys

from .place import packages, wheel

CAPABILITIES = [
    "/wmts?service=WMTS&request=GetCapabilities", "/wmts", "/wmts.xml", "/grid/wmts.xml", "/pacific/wmts.xml?empty=404"]
MISTAKES = [
    "/wmts?service=WMTS", "/wmts?service=WMTS&request=GetFeatureInfo",
    "/wmts?service=WMTS&request=GetTile&version=1.0.0&layer=none"]
TILE = (
    "/wmts?Service=WMTS&Request=GetTile&Version=1.0.0&Layer={layer}&Style=default&Format=image/png"
    "&TileMatrixSet={set}&TileMatrix=5&TileRow=12&TileCol=17")


def schemas(place):
    """Capabilities and exception reports are valid by the XML schemas of OGC."""
    sys.path.insert(0, str(packages(place, "lxml==6.1.3")))
    from lxml import etree
    schemas = wheel(place, "MapProxy==7.0.0") / "mapproxy/test/schemas"
    # The schemas refer to each other by URLs of opengis.net and w3.org. Nothing is loaded from there.
    for path in schemas.rglob("*.xsd"):
        up = "../" * (len(path.relative_to(schemas).parts) - 1)
        text = path.read_text(errors="surrogateescape")
        text = re.sub(r'schemaLocation="http://schemas\.opengis\.net/', f'schemaLocation="{up}', text)
        text = re.sub(r'schemaLocation="http://www\.w3\.org/[^"]*/xml\.xsd"', f'schemaLocation="{up}xml.xsd"', text)
        text = re.sub(r'schemaLocation="http://www\.w3\.org/[^"]*/xlink\.xsd"', f'schemaLocation="{up}xlink/1.0.0/xlinks.xsd"', text)
        # The types of this edition forbid these values, but its own text and later editions allow them: "From 0 to
        # maxTileRow".
        text = re.sub(r'(name="M(?:in|ax)Tile(?:Row|Col)" type=")positiveInteger', r"\1nonNegativeInteger", text)
        path.write_text(text, errors="surrogateescape")
    parser = etree.XMLParser(no_network=True)
    for paths, name in [
        (CAPABILITIES, "wmts/1.0/wmtsGetCapabilities_response.xsd"), (MISTAKES, "ows/1.1.0/owsExceptionReport.xsd"),
    ]:
        schema = etree.XMLSchema(etree.parse(str(schemas / name), parser))
        for path in paths:
            valid = schema.validate(etree.fromstring(place.fetch(path)[2]))
            place.expect(valid, f"{path} is valid {schema.error_log.last_error if not valid else ''}")


def owslib(place):
    """OWSLib reads all layers and gets the server's own tiles in both encodings."""
    sys.path.insert(0, str(packages(place, "OWSLib==0.35.0")))
    from owslib.wmts import WebMapTileService
    if place.certificate:
        import os
        os.environ["REQUESTS_CA_BUNDLE"] = str(place.certificate)
    service = WebMapTileService(place.url + "/wmts")
    layers = {entry["id"] for entry in place.json("/layers.json")}
    place.expect(set(service.contents) == layers, f"OWSLib sees {sorted(service.contents)}")
    place.expect(sorted(service.tilematrixsets) == ["GoogleMapsCompatible", "GoogleMapsCompatible_512"], "and both tile matrix sets")
    rest = WebMapTileService(place.url + "/grid/wmts.xml")
    for name, service in [("KVP", service), ("REST", rest)]:
        place.expect(service.restonly is False, f"{name}: both encodings are there")
        for set_name, mark in [("GoogleMapsCompatible", ""), ("GoogleMapsCompatible_512", "@2x")]:
            where = {"layer": "grid", "tilematrixset": set_name, "tilematrix": "5", "row": "12", "column": "17", "format": "image/png"}
            tile = service.gettile(**where).read()
            own = place.fetch(f"/grid/5/17/12{mark}.png")[2]
            place.expect(tile == own, f"{name}: the tile of {set_name} is the server's")
            url = service.buildTileResource(**{**where, "tilematrix": "5"})
            place.expect(place.fetch(url)[2] == own, f"{name}: {url} is it, too")


def kvp(place):
    """Tiles by key-value pairs equal the server's own tiles, with 256 and with 512 pixels."""
    for layer, set_name, own in [
        ("grid", "GoogleMapsCompatible", "/grid/5/17/12.png"), ("grid", "GoogleMapsCompatible_512", "/grid/5/17/12@2x.png"),
        ("large", "GoogleMapsCompatible_512", "/large/5/17/12.png"),
    ]:
        target = TILE.format(layer=layer, set=set_name)
        status, _, body = place.fetch(target)
        place.expect(status == 200 and body == place.fetch(own)[2], f"{target} is {own}")


CI = [schemas, owslib, kvp]
OTHERS = []
