"""Parts of the command line without the statistics: help, version, wrong usage."""

import argparse
from typing import Any

from stats_core.core.version import VERSION

EXITS = """exit codes:
  0    answered, whatever the answer is
  1    the files cannot be read, or cannot be analysed as asked; stderr says what must hold,
       what arrived and what to do
  2    wrong usage of the command line"""

COMMANDS = {
    "run": "start the app in the browser",
    "analyse": "report which algorithms differ significantly, and by how much",
    "order": "put algorithms in order, the cheaper first unless the costlier is better",
    "power": "say how much procedures would find, by simulation on these results",
    "level": "say how often procedures find what is not there on results like these",
    "plan": "say what more data sets or repetitions would tell, from a pilot",
    "report": "write a report: HTML, LaTeX that compiles, figures, tables, script",
}


def usage() -> argparse.ArgumentParser:
    """Return a parser of the command names only."""
    parser, subparsers = start_parser()
    for name, description in COMMANDS.items():
        subparsers.add_parser(name, add_help=False, help=description)
    return parser


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
