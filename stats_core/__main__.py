"""The command line: `python -m stats_core analyse FILE...` says what the pages say."""

import argparse
import os
import sys
from collections.abc import Sequence
from functools import partial
from math import isnan
from pathlib import Path

import numpy as np
import pandas as pd
from pandas.api.types import is_bool_dtype, is_numeric_dtype

from stats_core._check import check_one_of
from stats_core._columns import ROLES
from stats_core._holes import CHOICES
from stats_core.analyse import (
    OVERLAPS,
    SOURCES,
    TUKEY,
    Analysis,
    ControlAnalysis,
    FoldsAnalysis,
    OnFolds,
    OnMeasures,
    RanksAnalysis,
    Settings,
    analyse,
)
from stats_core.corrections import CONTROL_CORRECTIONS, CORRECTIONS
from stats_core.errors import DesignError, FoldwiseError, NeedsMapping, SettingError
from stats_core.fold_tests import PAIR_TESTS
from stats_core.reading import Mapping, read_results
from stats_core.report import table_to_csv, table_to_latex, to_text
from stats_core.reproduce import comparison_table, to_json, to_script
from stats_core.results import Results
from stats_core.thresholds import SCALES, at_threshold
from stats_core.verdict import verdict
from stats_core.wording import listed, number, p_text

ANSWERED, REFUSED, INTERRUPTED = 0, 1, 130  # argparse itself ends with 2 for wrong usage

# option -> the kinds of analysis that look at it; all look at the others
_USED = {
    "control": ControlAnalysis,
    "source": (RanksAnalysis, ControlAnalysis),
    "test": OnFolds,
    "overlap": (FoldsAnalysis, OnMeasures),
    "test_fraction": (OnFolds, OnMeasures),
}
_EXITS = """exit codes:
  0    answered, whatever the answer is
  1    the files cannot be read, or cannot be analysed as asked; stderr says what must hold,
       what arrived and what to do
  2    wrong usage of the command line"""
_EXAMPLES = f"""examples:
  python -m stats_core analyse results.csv
  python -m stats_core analyse results.csv --measure error --control svm --correction holm
  python -m stats_core analyse results.csv --dataset iris --pair rf svm
  python -m stats_core analyse counts.csv --dataset pima --measures fpr,tpr --format json
  python -m stats_core analyse odd.csv --column algorithm=Estimator --column measure=quality
  python -m stats_core analyse results.csv --holes "drop data sets" --format latex -o table.tex
  gunzip -c results.csv.gz | python -m stats_core analyse -

{_EXITS}"""


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command and return its exit code; wrong usage ends in SystemExit(2)."""
    arguments = _parser().parse_args(argv)
    _print_whatever_the_names_hold()
    try:
        _write(arguments.run(arguments), arguments)
    except FoldwiseError as error:
        print("\n".join([str(error), *_advice(error)]), file=sys.stderr)
        return REFUSED
    except BrokenPipeError:  # the reader, such as `head`, has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return ANSWERED
    except KeyboardInterrupt:
        return INTERRUPTED
    return ANSWERED


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m stats_core",
        description="Foldwise: honest comparison of learning algorithms from per-fold results.",
        epilog=_EXITS,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    subparsers = parser.add_subparsers(title="commands", metavar="COMMAND", required=True)
    add_analyse(subparsers)
    return parser


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


def add_input(parser: argparse.ArgumentParser) -> None:
    """Add the files, and what their column names do not tell."""
    parser.add_argument("files", nargs="+", metavar="FILE", help="results; - for standard input")
    group = parser.add_argument_group("what the files do not tell")
    add = group.add_argument
    add(
        "--column",
        action="append",
        default=[],
        type=_named,
        metavar="ROLE=NAME",
        help=f"what the column NAME is (repeatable); roles: {', '.join(ROLES)}",
    )
    add(
        "--direction",
        action="append",
        default=[],
        type=_named,
        metavar="MEASURE=WAY",
        help="whether lower or higher values of a measure are better (repeatable)",
    )
    add("--measure-name", default="", metavar="NAME", help="what the numbers of a wide table are")
    add("--positive-class", default="", metavar="LABEL", help="the positive class of predictions")
    add(
        "--score-direction",
        default="",
        metavar="WAY",
        help="whether higher or lower scores mean more positive",
    )
    add("--theta", type=float, help="count a case as positive from this probability on")
    add("--scale", default=next(iter(SCALES)), help=f"of scores, for --theta: {_or(SCALES)}")
    add("--holes", default="", type=_words, metavar="CHOICE", help=f"missing cells: {_or(CHOICES)}")


def add_choices(parser: argparse.ArgumentParser) -> None:
    """Add the settings of the analysis."""
    add = parser.add_argument_group("what is compared, and how").add_argument
    add("--measure", default="", metavar="NAME", help="compare on this one (default: the first)")
    add("--alpha", type=float, default=0.05, help="level of the whole family (default: 0.05)")
    add(
        "--correction",
        default="",
        type=lambda text: text.replace("-", "_"),
        metavar="NAME",
        help=f"for all pairs: {_or(CORRECTIONS)}; with --control: {_or(CONTROL_CORRECTIONS)} "
        "(default: the first)",
    )
    add("--control", default="", metavar="NAME", help="compare all others with this algorithm")
    add(
        "--source",
        default="ranks",
        help=f"over data sets, where p-values come from: {_or(SOURCES)} (default: ranks)",
    )
    add("--dataset", default="", metavar="NAME", help="look at one data set, by its folds")
    add("--pair", nargs=2, default=(), metavar=("A", "B"), help="compare these two only")
    add("--measures", default=(), type=_split, metavar="M1,M2", help="compare on these together")
    add("--test", default="", help=f"on the folds of one data set: {_or((TUKEY, *PAIR_TESTS))}")
    add("--overlap", default="corrected", help=f"of training sets: {_or(OVERLAPS)}")
    add("--test-fraction", type=float, metavar="SHARE", help="n_test / n, if the files lack it")
    for what in ("algorithm", "dataset"):
        add(
            f"--without-{what}",
            action="append",
            default=[],
            metavar="NAME",
            help="leave this one out (repeatable)",
        )


def add_output(parser: argparse.ArgumentParser, formats: Sequence[str]) -> None:
    """Add what is printed, and where."""
    group = parser.add_argument_group("what is printed")
    group.add_argument(
        "--format", choices=formats, default=formats[0], help=f"default: {formats[0]}"
    )
    if "json" in formats:
        same = {"action": "store_const", "const": "json", "dest": "format"}
        group.add_argument("--json", help="same as --format json", **same)
    group.add_argument("-o", "--output", default="-", metavar="FILE", help="write to this file")


def run_analyse(arguments: argparse.Namespace) -> str:
    """Return the analysis in the format asked for."""
    mapping = mapping_from(arguments)
    results, holes = read_from(arguments, mapping)
    analysis = analyse(results, settings_from(arguments))
    _say_what_was_not_used(arguments, analysis)
    match arguments.format:
        case "json":
            return to_json(analysis)
        case "latex":
            return as_latex(analysis)
        case "csv":
            table = comparison_table(analysis)
            return table_to_csv(table.set_index(table.columns[0])).removesuffix("\n")
        case "script":
            _check_files_can_be_read_again(arguments.files)
            asked = {"theta": arguments.theta, "scale": arguments.scale}
            return to_script(analysis, arguments.files, mapping=mapping, holes=holes, **asked)
    return as_text(analysis)


def mapping_from(arguments: argparse.Namespace) -> Mapping:
    """Return what was said about columns."""
    return Mapping(
        roles={name: role for role, name in arguments.column},
        directions=dict(arguments.direction),
        positive=arguments.positive_class,
        score_direction=arguments.score_direction,
        measure_name=arguments.measure_name,
    )


def read_from(
    arguments: argparse.Namespace, mapping: Mapping
) -> tuple[Results, list[tuple[str, str]]]:
    """Return the results, with the threshold and the choice about missing cells applied.

    The choice is about the measures that are compared; it is returned measure by measure.
    """
    if arguments.holes:
        check_one_of(arguments.holes, CHOICES, "--holes")
    sources = [("stdin", _stdin()) if name == "-" else name for name in arguments.files]
    results = read_results(*sources, mapping=mapping)
    results.select(datasets=arguments.without_dataset, algorithms=arguments.without_algorithm)
    if arguments.theta is not None:
        results = at_threshold(results, arguments.theta, arguments.scale)
    compared = arguments.measures or (arguments.measure or results.measures[0],)
    holes = [(arguments.holes, name) for name in compared if arguments.holes]
    for choice, name in holes:
        results = results.resolve(choice, name)
    return results, holes


def settings_from(arguments: argparse.Namespace) -> Settings:
    """Return what was chosen."""
    return Settings(
        measure=arguments.measure,
        alpha=arguments.alpha,
        correction=arguments.correction,
        control=arguments.control,
        source=arguments.source,
        without_algorithms=tuple(arguments.without_algorithm),
        without_datasets=tuple(arguments.without_dataset),
        measures=tuple(arguments.measures),
        dataset=arguments.dataset,
        pair=tuple(arguments.pair),
        test=arguments.test,
        overlap=arguments.overlap,
        test_fraction=arguments.test_fraction,
    )


def as_text(analysis: Analysis) -> str:
    """Return the verdict, the table of comparisons, and what was understood while reading."""
    parts = [to_text(analysis), in_columns(comparison_table(analysis), analysis.settings.alpha)]
    if analysis.results.notes:
        parts.append("\n".join(["While reading:", *(f"  {n}" for n in analysis.results.notes)]))
    return "\n\n".join(parts)


def as_latex(analysis: Analysis) -> str:
    """Return the table of comparisons as LaTeX, the verdict as its caption."""
    table, alpha = comparison_table(analysis), analysis.settings.alpha
    formats = {name: partial(_cell, alpha if _holds_pvalues(name) else None) for name in table}
    first = table.columns[0]
    return table_to_latex(
        table.set_index(first), formats=formats, caption=verdict(analysis).headline
    )


def in_columns(table: pd.DataFrame, alpha: float) -> str:
    """Return a table as text, names to the left and numbers to the right."""
    columns = []
    for name in table:
        level = alpha if _holds_pvalues(name) else None
        cells = [str(name), *(_cell(level, value) for value in table[name])]
        width = max(len(cell) for cell in cells)
        numbers = is_numeric_dtype(table[name]) and not is_bool_dtype(table[name])
        columns.append([cell.rjust(width) if numbers else cell.ljust(width) for cell in cells])
    return "\n".join("  ".join(row).rstrip() for row in zip(*columns, strict=True))


def _holds_pvalues(column: str) -> bool:
    return column.split()[0] == "p"


def _cell(alpha: float | None, value: object) -> str:
    """Write one cell: a p-value (if there is an alpha) as in sentences, else four decimals."""
    match value:
        case bool() | np.bool_():
            return "yes" if value else "no"
        case float():
            return (
                "" if isnan(value) else number(value, 4) if alpha is None else p_text(value, alpha)
            )
    return str(value)


def _write(text: str, arguments: argparse.Namespace) -> None:
    """Print the text, or write it to the file that was asked for."""
    if arguments.output == "-":
        print(text, flush=True)
        return
    target = Path(arguments.output)
    if os.path.realpath(target) in {os.path.realpath(name) for name in arguments.files}:
        raise SettingError(
            f"The output must not replace a file that was read. -o is {target}. Choose another."
        )
    try:
        target.write_text(text + "\n", encoding="utf-8", errors="backslashreplace")
    except OSError as error:
        raise SettingError(
            f"The output needs a file that can be written. {target}: {error.strerror}. "
            "Choose another."
        ) from None


def _advice(error: FoldwiseError) -> list[str]:
    """Say which options of this command do what a page would let the user do."""
    match error:
        case NeedsMapping(classes=classes) if classes:
            return [f"{error.question} Say it with --positive-class: {listed(classes, 8)}."]
        case NeedsMapping():
            columns = ", ".join(error.columns)
            return [f"{error.question} Say it with --column ROLE=NAME. Columns: {columns}."]
        case DesignError() if "missing" in str(error):
            return [f"Here: --holes with one of {_or(CHOICES)}."]
    return []


def _stdin() -> bytes:
    """Return what standard input holds."""
    try:
        return sys.stdin.buffer.read()
    except (OSError, AttributeError):  # closed, or none at all
        return b""


def _say_what_was_not_used(arguments: argparse.Namespace, analysis: Analysis) -> None:
    """Name the options that this kind of analysis has no use for."""
    default = Settings()
    names = [
        f"--{name.replace('_', '-')}"
        for name, kinds in _USED.items()
        if getattr(arguments, name) != getattr(default, name) and not isinstance(analysis, kinds)
    ]
    if names:
        print(f"Not used by this kind of analysis: {', '.join(names)}.", file=sys.stderr)


def _check_files_can_be_read_again(files: Sequence[str]) -> None:
    if "-" in files:
        raise SettingError(
            "A script needs files that can be read again. Standard input cannot. Name a file."
        )


def _print_whatever_the_names_hold() -> None:
    """Let a terminal without some letters show them as codes instead of failing."""
    if hasattr(sys.stdout, "reconfigure"):
        sys.stdout.reconfigure(errors="backslashreplace")


def _named(text: str) -> tuple[str, str]:
    """Part "role=name" at its first equals sign."""
    before, sign, after = text.partition("=")
    if not (before and sign and after):
        raise argparse.ArgumentTypeError(f'needs the form A=B; it is "{text}"')
    return before, after


def _split(text: str) -> tuple[str, ...]:
    return tuple(name.strip() for name in text.split(",") if name.strip())


def _words(text: str) -> str:
    """Let "drop-data-sets" stand for "drop data sets"."""
    return text.replace("-", " ")


def _or(names) -> str:
    return ", ".join(str(name) for name in names)


if __name__ == "__main__":
    sys.exit(main())
