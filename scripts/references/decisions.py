"""The index of docs/adr/README.md, from the titles of its pages."""
import re

from support.machine import ROOT

from . import pages

PAGE = "docs/adr/README.md"
TITLE = re.compile(r"# (\d+)\. (.+)\n")


def tables(program, text):
    """Returns the table of decisions, in the order of their numbers."""
    rows = []
    for page in sorted((ROOT / PAGE).parent.glob("[0-9]*.md")):
        number, title = TITLE.match(page.read_text()).groups()
        rows.append([f"[{number}]({page.name})", title])
    return {"decisions": pages.markdown(["number", "decision"], rows)}
