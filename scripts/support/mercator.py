"""The Mercator projection, independent of the server's own geometry."""
import math


def place(longitude, latitude):
    """Returns the position of a coordinate as fractions of the world from its north-west corner."""
    sine = math.sin(math.radians(latitude))
    return longitude / 360 + 0.5, 0.5 - math.log((1 + sine) / (1 - sine)) / (4 * math.pi)
