"""MBTiles files to serve."""
import contextlib
import sqlite3


def write(path, metadata, tiles):
    """MBTiles 1.3 of {(z, x, y): bytes}: rows of `tiles` are counted from the north, those of the file from the south."""
    with contextlib.closing(sqlite3.connect(path)) as database, database:
        database.execute("CREATE TABLE metadata (name text, value text)")
        database.execute("CREATE TABLE tiles (zoom_level integer, tile_column integer, tile_row integer, tile_data blob)")
        database.executemany("INSERT INTO metadata VALUES (?, ?)", metadata.items())
        database.executemany(
            "INSERT INTO tiles VALUES (?, ?, ?, ?)",
            [(z, x, (1 << z) - 1 - y, body) for (z, x, y), body in tiles.items()])
