"""Writes GeoJSON files of OpenStreetMap's data for the middle of Helsinki. Run this with a Python that has osmium.

    helsinki.py EXTRACT DIRECTORY WEST SOUTH EAST NORTH

EXTRACT is an .osm.pbf file. DIRECTORY gets sea.geojson, parks.geojson … The names of streets stand in the box.
"""
import json
import pathlib
import sys

import osmium

# The file of an area, by its tag. The first tag that an area has decides.
AREAS = {
    ("natural", "water"): "water", ("landuse", "basin"): "water", ("landuse", "pond"): "water",
    ("leisure", "park"): "parks", ("leisure", "garden"): "gardens", ("leisure", "pitch"): "pitches",
    ("leisure", "playground"): "pitches", ("natural", "scrub"): "scrub", ("landuse", "grass"): "grass",
    ("place", "square"): "squares", ("highway", "pedestrian"): "squares",
}
# The width of a street in points, by its class.
STREETS = {
    "primary": 9, "primary_link": 6, "secondary": 8, "tertiary": 7, "unclassified": 6, "residential": 6, "pedestrian": 5,
    "service": 3,
}
PATHS = ("footway", "path", "cycleway", "steps")
# Places for names, where no building is below the name.
MIDDLES = {"Kaisaniemen puisto": [24.9467, 60.17345], "Kaisaniemen kasvitieteellinen puutarha": [24.9479, 60.17494]}


def main(extract, directory, *box):
    files = {name: [] for name in {*AREAS.values(), "sea", "bays", "buildings", "streets", "names", "paths", "rails"}}
    streets = {}
    for thing in osmium.FileProcessor(extract).with_areas():
        tags = dict(thing.tags)
        if isinstance(thing, osmium.osm.Node):
            if tags.get("natural") in ("bay", "water") and "name" in tags:
                files["bays"].append(feature("Point", [thing.lon, thing.lat], {"name": tags["name"]}))
        elif isinstance(thing, osmium.osm.Area):
            add_area(files, tags, thing)
        elif isinstance(thing, osmium.osm.Way):
            add_way(files, streets, tags, [line for line in known_parts(thing.nodes) if len(line) > 1])
    for (kind, name), lines in streets.items():
        for line in joined(lines):
            files["streets"].append(feature("LineString", line, {"stroke-width": STREETS[kind]}))
            if name:
                files["names"] += [feature("LineString", part, {"name": name}) for part in inside(line, *map(float, box))]
    files["streets"].sort(key=lambda street: street["properties"]["stroke-width"])
    # The casing is a wider line below the street.
    files["casings"] = [
        feature("LineString", street["geometry"]["coordinates"], {"stroke-width": street["properties"]["stroke-width"] + 1.4})
        for street in files["streets"]]
    for name, features in files.items():
        (pathlib.Path(directory) / f"{name}.geojson").write_text(json.dumps({"type": "FeatureCollection", "features": features}))


def add_area(files, tags, area):
    kind = "buildings" if "building" in tags else next((AREAS[tag] for tag in tags.items() if tag in AREAS), None)
    if kind is None:
        return
    polygons = []
    for outer in area.outer_rings():
        rings = [outer, *area.inner_rings(outer)]
        polygons.append([[point for part in known_parts(ring) for point in part] for ring in rings])
    name = tags.get("name")
    if name in MIDDLES:
        files[kind].append(feature("Point", MIDDLES[name], {"name": name}))
        name = None
    files[kind].append(feature("MultiPolygon", polygons, {"name": name}))


def add_way(files, streets, tags, lines):
    kind = tags.get("highway")
    if tags.get("natural") == "coastline" and lines:
        # Water is on the right of the line. Both ends of a part are on the edge of the extract.
        ring = [point for line in lines for point in line]
        files["sea"].append(feature("Polygon", [[*ring, ring[0]]], {}))
    elif kind in STREETS and tags.get("area") != "yes" and tags.get("tunnel") != "yes":
        streets.setdefault((kind, tags.get("name")), []).extend(lines)
    elif kind in PATHS and tags.get("tunnel") != "yes" and tags.get("footway") not in ("sidewalk", "crossing"):
        files["paths"] += [feature("LineString", line, {}) for line in lines]
    elif tags.get("railway") in ("rail", "tram") and tags.get("tunnel") != "yes":
        files["rails"] += [feature("LineString", line, {"stroke-width": 1.2 if tags["railway"] == "rail" else 0.7}) for line in lines]


def known_parts(nodes):
    """Returns the parts of a line whose nodes are in the extract."""
    parts = [[]]
    for node in nodes:
        if node.location.valid():
            parts[-1].append([node.lon, node.lat])
        elif parts[-1]:
            parts.append([])
    return [part for part in parts if part]


def joined(lines):
    """Returns longer lines: joins lines whose ends meet."""
    done = []
    for line in sorted(lines, key=len, reverse=True):
        grows = True
        while grows:
            grows = False
            for other in done:
                pair = next(((a, b) for a in (line, line[::-1]) for b in (other, other[::-1]) if a[-1] == b[0]), None)
                if pair:
                    line, grows = pair[0] + pair[1][1:], True
                    done.remove(other)
                    break
        done.append(line)
    return done


def inside(line, west, south, east, north):
    """Returns the parts of a line in the box, to about a tenth of a step of the line."""
    parts = [[]]
    for (x, y), (next_x, next_y) in zip(line, line[1:]):
        for tenth in range(10):
            point = [x + (next_x - x) * tenth / 10, y + (next_y - y) * tenth / 10]
            if west < point[0] < east and south < point[1] < north:
                parts[-1].append(point)
            elif parts[-1]:
                parts.append([])
    return [part for part in parts if len(part) > 1]


def feature(kind, coordinates, properties):
    properties = {name: value for name, value in properties.items() if value is not None}
    return {"type": "Feature", "properties": properties, "geometry": {"type": kind, "coordinates": coordinates}}


main(*sys.argv[1:])
