"""The `foldwise` command line; this module knows commands, help and version without the statistics."""

import argparse
import tomllib
from importlib.resources import files
from typing import Any

from stats_core.core.version import VERSION

EXITS = """exit codes:
  0    success
  1    the files cannot be read or analysed; stderr gives the reason and a remedy
  2    incorrect usage of the command line"""


def load_toml(name: str) -> dict[str, Any]:
    """Return the content of a TOML file of this package."""
    return tomllib.loads(files(__package__).joinpath(name).read_text(encoding="utf-8"))


COMMANDS = load_toml("commands.toml")


def start_parser() -> tuple[argparse.ArgumentParser, Any]:
    """Return the parser and its subparsers."""
    parser = argparse.ArgumentParser(
        prog="foldwise",
        description="Compare learning algorithms: which differences are statistically significant, and how large they are.",
        epilog=EXITS,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--version", action="version", version=f"foldwise {VERSION}")
    return parser, parser.add_subparsers(title="commands", metavar="COMMAND", required=True)
