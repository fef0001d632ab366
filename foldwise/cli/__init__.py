"""The `foldwise` command line; commands, help and version without importing the statistics."""

import argparse
import tomllib
from importlib.resources import files
from typing import TypeAlias

from stats_core.core.version import VERSION

Subparsers: TypeAlias = "argparse._SubParsersAction[argparse.ArgumentParser]"
COMMANDS = tomllib.loads(files(__package__).joinpath("commands.toml").read_text(encoding="utf-8"))
_PROGRAM = COMMANDS.pop("foldwise")
EXITS = "\n  ".join(["exit codes:", *_PROGRAM["exits"]])


def start_parser() -> tuple[argparse.ArgumentParser, Subparsers]:
    """Return the parser of the program, and its subparsers without commands."""
    parser = argparse.ArgumentParser(
        prog="foldwise",
        usage=_PROGRAM["usage"],
        description=_PROGRAM["description"],
        epilog=EXITS,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--version", action="version", version=f"foldwise {VERSION}")
    return parser, parser.add_subparsers(
        title="commands", metavar="COMMAND", required=True, prog="foldwise"
    )
