"""MBTiles files to serve."""
import contextlib
import sqlite3


def write(path, metadata, tiles):
    """Writes {(z, x, y): bytes} as MBTiles 1.3. Rows of `tiles` count from the north, and rows of the file from the
    south."""
    with contextlib.closing(sqlite3.connect(path)) as database, database:
        database.execute("CREATE TABLE metadata (name text, value text)")
        database.execute("CREATE TABLE tiles (zoom_level integer, tile_column integer, tile_row integer, tile_data blob)")
        database.executemany("INSERT INTO metadata VALUES (?, ?)", metadata.items())
        database.executemany(
            "INSERT INTO tiles VALUES (?, ?, ?, ?)",
            [(z, x, (1 << z) - 1 - y, body) for (z, x, y), body in tiles.items()])
