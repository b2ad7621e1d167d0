"""The tables of the configuration's keys, which the program fills itself."""
import pathlib
import subprocess
import tempfile

PAGES = ("docs/reference/configuration.md", "docs/reference/limits.md")


def filled(program, text):
    """Returns the page `text` with the program's tables of keys."""
    with tempfile.TemporaryDirectory() as directory:
        page = pathlib.Path(directory, "page.md")
        page.write_text(text)
        return subprocess.run(
            [program, "schema", "--markdown", page], capture_output=True, text=True, check=True).stdout
