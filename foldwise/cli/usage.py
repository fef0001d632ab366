"""Parts of the command line without the statistics: help, version, wrong usage."""

import argparse
from typing import Any

from stats_core.core.version import VERSION

EXITS = """exit codes:
  0    success
  1    the files cannot be read or analysed; stderr gives the reason and a remedy
  2    incorrect usage of the command line"""

COMMANDS = {
    "run": "start the app in the browser",
    "analyse": "test which algorithms differ significantly, and estimate the differences",
    "order": "order algorithms by cost and significant differences",
    "power": "estimate the power of test procedures by simulation",
    "level": "estimate the type I error rate of test procedures by simulation",
    "plan": "plan the number of data sets and repetitions from a pilot study",
    "report": "write a report: HTML, LaTeX, figures, tables and a script",
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
