"""The files that .dockerignore lets into the image's context, by Docker's rules: the last pattern that matches a file or a folder
above it decides. scripts/docker-check compares the result with buildah's."""
import os
import pathlib
import posixpath
import re


def files(root):
    """The files and links below `root` that belong to the context, as sorted paths relative to it."""
    root = pathlib.Path(root)
    patterns = parse((root / ".dockerignore").read_text())
    found = []
    for folder, _, names in os.walk(root):
        # A link to a folder is a file of the context; os.walk counts it among the folders.
        links = [entry.name for entry in os.scandir(folder) if entry.is_symlink() and entry.is_dir()]
        for name in names + links:
            path = os.path.relpath(os.path.join(folder, name), root)
            if lets_in(patterns, path):
                found.append(path)
    return sorted(found)


def parse(text):
    """The patterns of a .dockerignore: (expression, whether it lets in) of each line."""
    patterns = []
    for line in text.removeprefix("\ufeff").splitlines():
        # A comment begins in the first column. Spaces around a pattern are no part of it.
        pattern = "" if line.startswith("#") else line.strip()
        lets = pattern.startswith("!")
        pattern = pattern.removeprefix("!").strip()
        if pattern:
            patterns.append((_expression(posixpath.normpath(pattern).lstrip("/")), lets))
    return patterns


def lets_in(patterns, path):
    """Whether the context has the file at `path`."""
    parts = path.split("/")
    prefixes = ["/".join(parts[:count]) for count in range(1, len(parts) + 1)]
    result = True
    for expression, lets in patterns:
        if any(expression.fullmatch(prefix) for prefix in prefixes):
            result = lets
    return result


def _expression(pattern):
    """A regular expression for `pattern`: `*` and `?` stay within a name, `**` stands for any number of folders."""
    text, place = "", 0
    while place < len(pattern):
        character = pattern[place]
        place += 1
        if character == "*" and pattern[place:place + 1] == "*":
            place += 1
            if pattern[place:place + 1] == "/":
                place += 1
            text += ".*" if place == len(pattern) else "(?:.*/)?"
        elif character == "*":
            text += "[^/]*"
        elif character == "?":
            text += "[^/]"
        elif character == "[" and "]" in pattern[place:]:
            end = pattern.index("]", place)
            text += "[" + pattern[place:end].replace("[", "\\[") + "]"
            place = end + 1
        else:
            if character == "\\" and place < len(pattern):
                character = pattern[place]
                place += 1
            text += re.escape(character)
    return re.compile(text, re.S)
