"""Prints or copies the image's context, and prints the image's build command.

`context DIRECTORY` makes the directory a copy of the context. `files` prints the names of the context's files.
`build-command DIRECTORY` prints the Dockerfile's command that builds the server, with DIRECTORY instead of /out.
"""
import filecmp
import os
import pathlib
import re
import shlex
import shutil
import sys

import dockerignore

ROOT = pathlib.Path(__file__).resolve().parents[2]


def copy_context(directory):
    """Makes `directory` a copy of the context.

    Unchanged files keep their times, so that the next build is incremental. SwiftPM's .build stays.
    """
    wanted = set(dockerignore.files(ROOT))
    for folder, folders, names in os.walk(directory, topdown=True):
        if pathlib.Path(folder) == directory:
            folders[:] = [name for name in folders if name != ".build"]
        for name in names:
            path = pathlib.Path(folder, name)
            if str(path.relative_to(directory)) not in wanted:
                path.unlink()
    for name in wanted:
        source, target = ROOT / name, directory / name
        if target.is_file() and not source.is_symlink() and filecmp.cmp(source, target, shallow=False):
            continue
        target.parent.mkdir(parents=True, exist_ok=True)
        target.unlink(missing_ok=True)
        shutil.copy2(source, target, follow_symlinks=False)


def build_command(output):
    """Returns the RUN instruction that calls `swift build`, in one line."""
    text = (ROOT / "Dockerfile").read_text().replace("\\\n", " ")
    commands = [line.removeprefix("RUN ").strip() for line in text.splitlines() if re.match(r"RUN swift build ", line)]
    if len(commands) != 1:
        sys.exit(f"Dockerfile: expected one `RUN swift build …`, found {len(commands)}")
    return re.sub(r"(?<![\w/.-])/out(?=/)", shlex.quote(str(output)), re.sub(r"\s+", " ", commands[0]))


def main():
    match sys.argv[1:]:
        case ["context", directory]:
            copy_context(pathlib.Path(directory).absolute())
        case ["files"]:
            print("\n".join(dockerignore.files(ROOT)))
        case ["build-command", directory]:
            print(build_command(pathlib.Path(directory).absolute()))
        case _:
            sys.exit(__doc__)


main()
