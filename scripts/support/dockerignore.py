"""Finds the files of the image's context, according to .dockerignore and Docker's rules.

The last pattern that matches a file, or a folder above the file, decides. scripts/docker-check compares the result with
buildah's.
"""
import os
import pathlib
import posixpath
import re


def files(root):
    """Returns the files and links below `root` that belong to the context, as sorted relative paths."""
    root = pathlib.Path(root)
    patterns = parse((root / ".dockerignore").read_text())
    found = []
    for folder, _, names in os.walk(root):
        # A link to a folder is a file of the context. os.walk counts the link among the folders.
        links = [entry.name for entry in os.scandir(folder) if entry.is_symlink() and entry.is_dir()]
        for name in names + links:
            path = os.path.relpath(os.path.join(folder, name), root)
            if lets_in(patterns, path):
                found.append(path)
    return sorted(found)


def parse(text):
    """Returns (expression, whether it includes files) for each line of a .dockerignore."""
    patterns = []
    for line in text.removeprefix("\ufeff").splitlines():
        # A comment begins in the first column. Spaces around a pattern are not part of it.
        pattern = "" if line.startswith("#") else line.strip()
        lets = pattern.startswith("!")
        pattern = pattern.removeprefix("!").strip()
        if pattern:
            patterns.append((_expression(posixpath.normpath(pattern).lstrip("/")), lets))
    return patterns


def lets_in(patterns, path):
    """Reports whether the context has the file at `path`."""
    parts = path.split("/")
    prefixes = ["/".join(parts[:count]) for count in range(1, len(parts) + 1)]
    result = True
    for expression, lets in patterns:
        if any(expression.fullmatch(prefix) for prefix in prefixes):
            result = lets
    return result


def _expression(pattern):
    """Returns a regular expression for `pattern`. `*` and `?` match within a name. `**` matches any number of
    folders."""
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
