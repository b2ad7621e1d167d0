"""The tables of docs/benchmarks/2026-11.md, from the TSV file beside it."""
import csv

from support.machine import ROOT

from . import pages

PAGE = "docs/benchmarks/2026-11.md"
DATA = "docs/benchmarks/2026-11.tsv"


def tables(program, text):
    """Returns a table for each section of the file: a line `# NAME`, a line of columns, and a line for each row."""
    made, name = {}, None
    with open(ROOT / DATA, newline="", encoding="utf-8") as file:
        for cells in csv.reader(file, dialect="excel-tab", quoting=csv.QUOTE_NONE):
            if cells and cells[0].startswith("# "):
                name = cells[0][2:]
                made[name] = []
            elif cells:
                made[name].append(cells)
    return {name: pages.markdown(rows[0], rows[1:]) for name, rows in made.items()}
