"""The options of docs/reference/commands.md, from the help of the program."""
import re
import subprocess

from . import pages

PAGE = "docs/reference/commands.md"
# Every command of the program has the first options. Each command that reads the configuration also has the second
# ones.
GENERAL = ("--version", "-h, --help")
COMMON = ("-c, --config <config>", "--host <host>", "--port <port>", "--url <template>")


def tables(program, text):
    """Returns the table of commands, the table of common options, and a table for each command with its own options."""
    commands = dict(entries(section(help_of(program), "SUBCOMMANDS")))
    made = {"commands": pages.markdown(
        ["command", "meaning"], [[f"`tileserver {name}`", meaning] for name, meaning in commands.items()])}
    for name in [command.split()[0] for command in commands]:
        text = help_of(program, name)
        for words in [[name, part] for part, _ in entries(section(text, "SUBCOMMANDS"))] or [[name]]:
            rows = options(help_of(program, *words))
            if name == "serve":
                made["options common"] = table([row for row in rows if row[0] in COMMON])
            own = [row for row in rows if row[0] not in COMMON]
            if own:
                made[f"options {' '.join(words)}"] = table(own)
    return made


def help_of(program, *command):
    """Returns the help of the program or of a command."""
    arguments = [program, *command, "--help"]
    return subprocess.run(arguments, capture_output=True, text=True, check=True, env={"COLUMNS": "80"}).stdout


def options(text):
    """Returns the arguments and options of a command, except the options of every command."""
    rows = entries(section(text, "ARGUMENTS")) + entries(section(text, "OPTIONS"))
    return [row for row in rows if row[0] not in GENERAL]


def section(text, name):
    """Returns the lines below a heading."""
    match = re.search(rf"^{name}:\n((?:  .*\n|\n(?=  <|  -))*)", text, re.MULTILINE)
    return match[1].splitlines() if match else []


def entries(lines):
    """Returns (name, meaning) of each entry of a section. Further indented lines continue a meaning."""
    found = []
    for line in lines:
        start = re.match(r"  (\S.*?)(?:  +(\S.*))?$", line)
        if line.startswith("   ") and found:
            found[-1][1] += (" " if found[-1][1] else "") + line.strip()
        elif start:
            found.append([start[1], start[2] or ""])
    return [(name, meaning.rstrip(".")) for name, meaning in found if not name.startswith("See ")]


def table(rows):
    """Returns the table of options, with the defaults in a column."""
    cells = []
    for name, meaning in rows:
        default = re.search(r"\s*\(default: (.+?)\)\.?$", meaning)
        text = meaning[:default.start()].rstrip(".") if default else meaning
        cells.append([f"`{name}`", default[1] if default else "", text])
    return pages.markdown(["option", "default", "meaning"], cells)
