"""`foldwise analyse`: which differences between algorithms are real."""

import argparse
import sys
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from math import isnan

import numpy as np
import pandas as pd
from pandas.api.types import is_bool_dtype, is_float_dtype, is_numeric_dtype

from foldwise.command.options import (
    EXITS,
    add_choices,
    add_input,
    add_output,
    mapping_from,
    read_from,
    settings_from,
)
from stats_core.comparison.analyse import analyse
from stats_core.comparison.base import Comparison
from stats_core.comparison.kinds.control import ControlComparison
from stats_core.comparison.kinds.folds import FoldsComparison
from stats_core.comparison.kinds.ranks import RanksComparison
from stats_core.comparison.on_folds import OnFolds
from stats_core.comparison.on_measures import OnMeasures
from stats_core.comparison.tables.table import Table
from stats_core.comparison.verdict import verdict
from stats_core.core.errors import SettingError
from stats_core.core.words import number, p_text, score_digits
from stats_core.data.settings import Settings
from stats_core.papers.report import table_to_csv, table_to_latex, to_text
from stats_core.papers.reproduce import to_json, to_script

# option -> the kinds of analysis that look at it; all look at the others
_USED = {
    "control": ControlComparison,
    "source": (RanksComparison, ControlComparison),
    "test": OnFolds,
    "overlap": (FoldsComparison, OnMeasures),
    "test_fraction": (OnFolds, OnMeasures),
}
_EXAMPLES = f"""examples:
  foldwise analyse results.csv
  foldwise analyse results.csv --measure error --control svm --correction holm
  foldwise analyse results.csv --dataset iris --pair rf svm
  foldwise analyse counts.csv --dataset pima --measures fpr,tpr --format json
  foldwise analyse odd.csv --column algorithm=Estimator --column measure=quality
  foldwise analyse results.csv --holes "drop data sets" --format latex -o table.tex
  gunzip -c results.csv.gz | foldwise analyse -

{EXITS}"""


def add_analyse(subparsers) -> None:
    """Add the command that compares algorithms."""
    parser = subparsers.add_parser(
        "analyse",
        help="say which differences between algorithms are real",
        description="Read results, choose the test that fits them, and say which differences "
        "between algorithms are real.",
        epilog=_EXAMPLES,
        allow_abbrev=False,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add_input(parser)
    add_choices(parser)
    add_output(parser, ("text", "json", "latex", "csv", "script"))
    parser.set_defaults(run=run_analyse)


def run_analyse(arguments: argparse.Namespace) -> str:
    """Return the analysis in the format asked for."""
    mapping = mapping_from(arguments)
    results = read_from(arguments, mapping)
    analysis = analyse(results, settings_from(arguments))
    _say_what_was_not_used(arguments, analysis)
    match arguments.format:
        case "json":
            return to_json(analysis)
        case "latex":
            return as_latex(analysis)
        case "csv":
            table = analysis.table()
            return table_to_csv(table.set_index(table.columns[0])).removesuffix("\n")
        case "script":
            check_files_can_be_read_again(arguments.files)
            return to_script(analysis, arguments.files, mapping=mapping)
    return as_text(analysis)


def as_text(analysis: Comparison) -> str:
    """Return the verdict, the table of comparisons, and what was understood while reading."""
    parts = [to_text(analysis), in_columns(analysis.table(), analysis.settings.alpha)]
    if analysis.results.notes:
        parts.append("\n".join(["While reading:", *(f"  {n}" for n in analysis.results.notes)]))
    return "\n\n".join(parts)


def as_latex(analysis: Comparison) -> str:
    """Return the table of comparisons as LaTeX, the verdict as its caption."""
    table, alpha = analysis.table(), analysis.settings.alpha
    formats = writers_of(table, alpha)
    first = table.columns[0]
    caption, frame = verdict(analysis).headline, table.set_index(first)
    return table_to_latex(
        Table(name="comparisons", title="", frame=frame, formats=formats, caption=caption)
    )


def in_columns(
    table: pd.DataFrame, alpha: float, formats: Mapping[str, Callable[[float], str]] | None = None
) -> str:
    """Return a table as text, names to the left and numbers to the right."""
    columns, writers = [], writers_of(table, alpha, formats)
    for name in table:
        cells = [str(name), *map(writers[name], table[name])]
        width = max(len(cell) for cell in cells)
        numbers = is_numeric_dtype(table[name]) and not is_bool_dtype(table[name])
        columns.append([cell.rjust(width) if numbers else cell.ljust(width) for cell in cells])
    return "\n".join("  ".join(row).rstrip() for row in zip(*columns, strict=True))


def writers_of(
    table: pd.DataFrame, alpha: float, formats: Mapping[str, Callable[[float], str]] | None = None
) -> dict[str, Callable[[object], str]]:
    """Return how each column is written: as `formats` say, p-values as in sentences."""
    writers = {}
    for name in table:
        write = (formats or {}).get(name)
        if write is None and _holds_pvalues(name):
            write = partial(p_text, alpha=alpha)
        if write is None and is_float_dtype(table[name]):
            write = partial(number, digits=max(4, score_digits(table[[name]])))
        writers[name] = partial(written_cell, write or partial(number, digits=4))
    return writers


def _holds_pvalues(column: str) -> bool:
    return column.split()[0] == "p"


def written_cell(write: Callable[[float], str], value: object) -> str:
    """Write one cell: numbers by `write`, missing ones blank."""
    match value:
        case bool() | np.bool_():
            return "yes" if value else "no"
        case float():
            return "" if isnan(value) else write(value)
    return str(value)


def _say_what_was_not_used(arguments: argparse.Namespace, analysis: Comparison) -> None:
    """Name the options that this kind of analysis has no use for."""
    default = Settings()
    names = [
        f"--{name.replace('_', '-')}"
        for name, kinds in _USED.items()
        if getattr(arguments, name) != getattr(default, name) and not isinstance(analysis, kinds)
    ]
    if names:
        print(f"Not used by this kind of analysis: {', '.join(names)}.", file=sys.stderr)


def check_files_can_be_read_again(files: Sequence[str]) -> None:
    """Refuse standard input where a script is to read the same files later."""
    if "-" in files:
        raise SettingError(
            "A script needs files that can be read again. Standard input cannot. Name a file."
        )
