"""Scripts with several parts. A part is a module with a docstring, `run(options)`, which returns the status, and
perhaps `arguments(parser)`."""
import argparse

from . import tileserver


def name_of(module):
    return module.__name__.rpartition(".")[2]


def parser_of(description, modules, without_program=()):
    """Returns a parser with a command for each module, and the object that adds more commands to it."""
    parser = argparse.ArgumentParser(description=description.splitlines()[0])
    commands = parser.add_subparsers(dest="part", required=True)
    for module in [*modules, *without_program]:
        command = commands.add_parser(name_of(module), help=module.__doc__.splitlines()[0], description=module.__doc__)
        if hasattr(module, "arguments"):
            module.arguments(command)
        if module in modules:
            tileserver.argument(command)
    return parser, commands


def run(description, modules, without_program=()):
    """Runs the part in the command line and returns its status. The parts in `modules` get a program's path as
    `options.program`."""
    options = parser_of(description, modules, without_program)[0].parse_args()
    module = next(module for module in [*modules, *without_program] if name_of(module) == options.part)
    if module in modules:
        options.program = tileserver.chosen(options)
    return module.run(options)
