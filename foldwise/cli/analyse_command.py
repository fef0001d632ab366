"""The commands `foldwise analyse` and `foldwise report`, and tables as text for a terminal."""

import argparse
import json
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pandas as pd
from pandas.api.types import is_numeric_dtype

from foldwise.cli.options import (
    INPUT,
    NAME,
    REPEATED,
    SELECTION,
    TESTS,
    add_command,
    as_option,
    list_choices,
    output_options,
    results_from_options,
    settings_from_options,
)
from stats_core.comparison.analyse import analyse
from stats_core.comparison.kinds.control_and_pairs import ControlComparison
from stats_core.comparison.kinds.datasets import RanksComparison
from stats_core.comparison.kinds.fold_comparisons import FoldsComparison
from stats_core.comparison.kinds.fold_pair import OnFolds
from stats_core.comparison.kinds.measure_vectors import OnMeasures
from stats_core.comparison.kinds.published_summaries import PublishedDecisions
from stats_core.comparison.result import Comparison
from stats_core.core.errors import FoldwiseError, MissingCells, SettingError
from stats_core.core.serialize import to_plain
from stats_core.data.results import Results
from stats_core.data.settings import TUKEY, Settings
from stats_core.ordering.order import Order, OrderRules, order_of
from stats_core.report.reproduce import to_json, to_script
from stats_core.report.robustness_text import describe_leave_one_out
from stats_core.report.tables.group_tables import tables_by_group
from stats_core.report.tables.table import ResultTable
from stats_core.report.tables.table_registry import TABLES, main_table, tables_of
from stats_core.report.text_report import table_to_csv, table_to_latex, to_text
from stats_core.report.varied_verdicts import (
    ByGroup,
    by_group,
    describe_missing_choices,
    describe_remainder,
    hole_choices,
)
from stats_core.report.verdict import verdict
from stats_core.robustness.leave_one_out import leave_one_out

STAR = "*"  # marks cells that are bold in other formats


def format_columns(table: ResultTable, *, marked: bool = False) -> str:
    """Return a table as aligned text columns, optionally with a star after bold cells."""
    printed = table.printed(longest=len(table.frame))
    cells_of = mark_best(printed) if marked else printed.texts
    texts, numbers = (printed.headed(cells).reset_index() for cells in (cells_of, printed.frame))
    columns = []
    for name in texts:
        cells = [str(name), *map(str, texts[name])]
        width = max(map(len, cells))
        right = is_numeric_dtype(numbers[name])
        columns.append([cell.rjust(width) if right else cell.ljust(width) for cell in cells])
    return "\n".join("  ".join(row).rstrip() for row in zip(*columns, strict=True))


def mark_best(table: ResultTable) -> pd.DataFrame:
    """Return the cells as text, with a star after bold ones and a blank after others."""
    texts = table.texts
    for label, (bold, _) in table.best.items():
        for name in bold:
            texts.loc[label, name] += STAR
    for name in {name for bold, _ in table.best.values() for name in bold}:
        texts[name] = [text if text.endswith(STAR) else f"{text} " for text in texts[name]]
    return texts


def compare_by_tag(found: ByGroup, form: str, *, orders_first: bool = False) -> str:
    """Return the analyses and orders of all groups in the given format."""
    tables = tables_by_group(found)
    main, *other_tables = reversed(tables) if orders_first else tables
    match form:
        case "json":
            return json.dumps(groups_as_data(found), indent=2)
        case "latex":
            return "\n".join(map(table_to_latex, (main, *other_tables)))
        case "csv":
            return table_to_csv(main.data).removesuffix("\n")
        case "script":
            raise SettingError(
                "A script repeats one analysis, and --by gives several. Remove --by, or select one "
                "group with --only TAG=VALUE."
            )
    sections = [f"{table.title}\n{format_columns(table)}\n{table.caption}" for table in (main, *other_tables)]
    return "\n\n".join(sections)


def groups_as_data(found: ByGroup) -> dict:
    """Return all numbers of the groups as plain data."""
    return to_plain(
        {
            "format": 1,
            "tag": found.tag,
            "alpha": found.settings.alpha,
            "groups": found.table.rename_axis("group").reset_index(),
            "orders": {value: list(order.ordering.order) for value, order in found.orders.items()},
            "unordered": found.unordered,
            "untagged": list(found.untagged),
        }
    )


def analyse_or_list_choices(results: Results, settings: Settings) -> Comparison:
    """Return the analysis; if results are missing, add the consequences of each treatment."""
    try:
        return analyse(results, settings)
    except MissingCells as error:
        error.add_note(every_choice(results, settings))
        raise


def every_choice(results: Results, settings: Settings) -> str:
    """Return the consequences of each treatment of missing results as text."""
    try:
        table = hole_choices(results, settings)
    except FoldwiseError:
        return ""
    if table.empty:
        return ""
    frame = pd.DataFrame(
        {
            "leaves": [describe_remainder(row) for _, row in table.iterrows()],
            "pairs separated": table["separated"].astype(int).to_numpy(),
            "verdict": table["verdict"].to_numpy(),
        },
        index=pd.Index(map(_option, table["choice"], table["baseline"]), name="--holes"),
    )
    columns = format_columns(ResultTable(name="choices", title="", frame=frame, caption=""))
    return f"{columns}\n\n{describe_missing_choices(table)}"


def _option(key: str, baseline: str) -> str:
    """Return the option that selects a treatment of missing results."""
    word = as_option(key)
    return f"{word} --baseline {baseline}" if baseline else word


QUICK = 20_000  # data sets x algorithms squared, up to which leave-one-out takes a few seconds
# option -> the kinds of analysis that use it; all use the others
_USED = {
    "control": ControlComparison,
    "source": (RanksComparison, ControlComparison),
    "prior": PublishedDecisions,
    "test": OnFolds,
    "overlap": (FoldsComparison, OnMeasures),
    "df": (OnFolds, OnMeasures),
    "test_fraction": (OnFolds, OnMeasures),
}
_EXAMPLES = """\
  foldwise analyse results.csv
  foldwise analyse results.csv --measure error --control svm --correction holm
  foldwise analyse results.csv --dataset iris --pair rf svm
  foldwise analyse counts.csv --dataset pima --measures fpr,tpr --format json
  foldwise analyse results.csv --table procedures --table acceptance
  foldwise analyse results.csv --by domain
  foldwise analyse results.csv --only domain=vision --short-names
  foldwise analyse odd.csv --column algorithm=Estimator --column measure=quality
  foldwise analyse results.csv --missing baseline --baseline constant
  foldwise analyse results.csv --missing drop-data-sets --format latex -o table.tex
  foldwise analyse average_ranks.csv --n-datasets 30
  gunzip -c results.csv.gz | foldwise analyse -"""
_LISTED = ("--direction", "--measure", "--control", "--pair", "--dataset", "--alpha")
_TABLE = REPEATED | {
    "metavar": "NAME",
    "help": "print this table instead (repeatable), such as procedures (each pair under each "
    "procedure), steps or acceptance",
}


def add_analyse(subparsers) -> None:
    """Add the command that compares algorithms."""
    add_command(
        subparsers,
        "analyse",
        {
            "Input": INPUT,
            "Selection": SELECTION,
            "Tests": TESTS,
            "Output": output_options("text", "json", "latex", "csv", "script") | {"--table": _TABLE},
        },
        run_analyse,
        description="Select the test that fits the results, test which algorithms differ "
        "significantly, and estimate the differences.",
        examples=_EXAMPLES,
        listed=(*_LISTED, "--format", "--output"),
    )


def run_analyse(arguments: argparse.Namespace) -> str:
    """Return the analysis in the requested format."""
    results, mapping = results_from_options(arguments)
    if arguments.by:
        groups = by_group(results, settings_from_options(arguments), arguments.by)
        return compare_by_tag(groups, arguments.format)
    analysis = analyse_or_list_choices(results, settings_from_options(arguments))
    _print_unused_options(arguments, analysis)
    if arguments.table:
        return named_tables(analysis, arguments.table, arguments.format)
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
    """Return the verdict, the table of comparisons, and notes on reading the files."""
    sections = [to_text(analysis), *robustness(analysis), *map(format_columns, main_table(analysis))]
    if analysis.results.notes:
        sections.append("\n".join(["Notes on the files:", *(f"  {n}" for n in analysis.results.notes)]))
    return "\n\n".join(sections)


def robustness(analysis: Comparison) -> list[str]:
    """Return a line on leave-one-out, [] without data sets to leave out."""
    n, k = len(analysis.units), len(analysis.order)
    if n * k**2 > QUICK:
        return ["Leave-one-out was not computed because it takes long. Use --format json to include it."]
    return [describe_leave_one_out(leave_one_out(analysis))] if n else []


def named_tables(analysis: Comparison, names: Sequence[str], form: str) -> str:
    """Return tables of an analysis by name, as text, CSV or LaTeX."""
    available = TABLES[analysis.kind]
    if unknown := [name for name in names if name not in available]:
        raise SettingError(
            f"This analysis has no table {list_choices(unknown)}. Use --table with one of {list_choices(available)}."
        )
    tables = tables_of(analysis, *names)
    if not tables:
        raise SettingError(f"The table {list_choices(names)} is empty for this analysis. Remove --table.")
    match form:
        case "latex":
            return "\n".join(map(table_to_latex, tables))
        case "csv":
            return "\n".join(table_to_csv(table.data) for table in tables).removesuffix("\n")
        case "text":
            return "\n\n".join(map(_table_as_text, tables))
    raise SettingError(f"--table cannot be written as {form}. Use --format text, latex or csv.")


def _table_as_text(table: ResultTable) -> str:
    star = f" {STAR} marks bold cells." if any(bold for bold, _ in table.best.values()) else ""
    return f"{table.title}\n{format_columns(table, marked=True)}\n{table.caption}{star}"


def as_latex(analysis: Comparison) -> str:
    """Return the table of comparisons as LaTeX, with the verdict as caption."""
    caption = verdict(analysis).headline
    return "\n".join(table_to_latex(replace(table, caption=caption)) for table in main_table(analysis))


def _print_unused_options(arguments: argparse.Namespace, analysis: Comparison) -> None:
    """Print the options that this kind of analysis does not use."""
    default = Settings()
    names = [
        arguments.flags[name]
        for name, kinds in _USED.items()
        if getattr(arguments, name) != getattr(default, name) and not isinstance(analysis, kinds)
    ]
    if names:
        print(f"This analysis does not use {', '.join(names)}.", file=sys.stderr)


def check_files_can_be_read_again(files: Sequence[str]) -> None:
    """Raise SettingError for standard input, which a script cannot read again."""
    if "-" in files:
        raise SettingError("A script cannot read standard input again. Name a file instead of -.")


_REPORT_EXAMPLES = """\
  foldwise report results.csv -o report
  foldwise report results.csv --dataset iris --measures fpr,tpr --width 7 -o iris

then:
  cd report && pdflatex report && bibtex report && pdflatex report && pdflatex report"""
_REPORT_OUTPUT = {
    "--output": {"required": True, "metavar": "DIR", "help": "folder of the report"},
    "--cost": NAME | {"help": "also order the algorithms by this cost"},
    "--width": {"type": float, "default": 3.25, "metavar": "INCHES", "help": "width of figures (default: 3.25)"},
    "--sans": {"action": "store_true", "help": "sans-serif font in figures"},
    "--points": {"type": float, "default": 8, "help": "font size in figures (default: 8)"},
    "--no-pdf": {"action": "store_true", "help": "figures as TikZ, in the fonts of the document"},
    "--colour": {"action": "store_true", "help": "figures in colour"},
}


def add_report(subparsers) -> None:
    """Add the command that writes a report."""
    add_command(
        subparsers,
        "report",
        {
            "Input": INPUT,
            "Selection": {flag: SELECTION[flag] for flag in SELECTION if flag != "--by"},
            "Tests": TESTS,
            "Output": _REPORT_OUTPUT,
        },
        run_report,
        description="Write report.html, report.tex with results.tex and references.bib, figures, "
        "tables as CSV, analysis.json and repeat.py to a folder.",
        examples=_REPORT_EXAMPLES,
        listed=(*_LISTED, "--output", "--cost"),
        written=True,
    )


def run_report(arguments: argparse.Namespace) -> str:
    """Write the report and return the names of the files."""
    try:
        from foldwise.figures.registry import drawings
        from foldwise.rendering.figure_files import StylePanel
        from foldwise.rendering.report_files import html_report, latex_files
    except ModuleNotFoundError as error:
        raise SettingError(
            f"The package {error.name}, which draws figures, is missing. Type: pip install foldwise"
        ) from None
    if not arguments.output:
        raise SettingError("-o is empty. Name a folder, such as -o report.")
    results, mapping = results_from_options(arguments)
    analysis = analyse_or_list_choices(results, settings_from_options(arguments))
    order = order_beside(analysis, arguments.cost)
    check_files_can_be_read_again(arguments.files)
    script = to_script(analysis, arguments.files, mapping=mapping)
    panel = StylePanel(
        width_in=arguments.width,
        serif=not arguments.sans,
        points=arguments.points,
        colour=arguments.colour,
        title=False,
    )
    specs = drawings(analysis, order=order, results=results)
    files = latex_files(analysis, specs, panel, order=order, script=script, pdf=not arguments.no_pdf)
    page = html_report(analysis, specs, order=order, script=script)
    files["report.html"] = page.encode()
    return _written(Path(arguments.output), files)


def order_beside(analysis: Comparison, cost: str) -> Order | None:
    """Return the order by a cost of the analysed results; None without a cost."""
    results = analysis.results
    if len(results.algorithms) < 2 or not cost:
        return None
    test = analysis.settings.test if len(results.datasets) < 2 else ""
    settings = replace(analysis.settings, test="" if test == TUKEY else test, region=None)
    return order_of(results, settings, OrderRules(cost=cost))


def _written(folder: Path, files: dict[str, bytes]) -> str:
    """Write files to a folder and return their paths, one per line."""
    try:
        for name, content in files.items():
            target = folder / name
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(content)
    except OSError as error:
        raise SettingError(
            f"The report cannot be written to {folder}: {error.strerror}. Name another folder with -o."
        ) from None
    return "\n".join(str(folder / name) for name in sorted(files))
