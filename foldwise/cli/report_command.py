"""The command `foldwise report`: writes everything for a paper to a folder."""

import argparse
from dataclasses import replace
from pathlib import Path

from foldwise.cli.analyse_command import analyse_or_list_choices, check_files_can_be_read_again
from foldwise.cli.options import add_choices, add_input, results_from_options, settings_from_options
from foldwise.cli.usage import COMMANDS, EXITS
from stats_core.comparison.result import Comparison
from stats_core.core.errors import SettingError
from stats_core.data.settings import TUKEY
from stats_core.ordering.order import Order, OrderRules, order_of
from stats_core.report.reproduce import to_script

_EXAMPLES = f"""examples:
  foldwise report results.csv -o report
  foldwise report results.csv --dataset iris --measures fpr,tpr --width 7 -o iris

then:
  cd report && pdflatex report && bibtex report && pdflatex report && pdflatex report

{EXITS}"""


def add_report(subparsers) -> None:
    """Add the command that writes a report."""
    parser = subparsers.add_parser(
        "report",
        help=COMMANDS["report"],
        description="Write report.html, report.tex with results.tex and references.bib, figures, "
        "tables as CSV, analysis.json and repeat.py into one folder.",
        epilog=_EXAMPLES,
        allow_abbrev=False,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add_input(parser)
    add_choices(parser)
    group = parser.add_argument_group("what is written")
    group.add_argument("-o", "--output", required=True, metavar="DIR", help="the folder")
    group.add_argument("--cost", default="", metavar="NAME", help="order by this cost, too")
    group.add_argument("--width", type=float, default=3.25, metavar="INCHES", help="of figures")
    group.add_argument("--sans", action="store_true", help="Arial-like letters in figures")
    group.add_argument("--points", type=float, default=8, help="size of letters in figures")
    group.add_argument(
        "--no-pdf", action="store_true", help="figures as TikZ, in the fonts of the document"
    )
    group.add_argument("--colour", action="store_true", help="figures in colour")
    parser.set_defaults(run=run_report, written=True)


def run_report(arguments: argparse.Namespace) -> str:
    """Write the report and return the names of the files."""
    try:
        from foldwise.figures.registry import drawings
        from foldwise.rendering.figure_files import StylePanel
        from foldwise.rendering.report_files import html_report, latex_files
    except ModuleNotFoundError as error:
        raise SettingError(
            f"A report needs the packages that draw figures. {error.name} is missing. Install all "
            "of them: pip install foldwise."
        ) from None
    if not arguments.output:
        raise SettingError("The report needs a folder. -o is empty. Name one, such as -o report.")
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
    files = latex_files(
        analysis, specs, panel, order=order, script=script, pdf=not arguments.no_pdf
    )
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
            f"The report needs a folder that can be written. {folder}: {error.strerror}. "
            "Choose another."
        ) from None
    return "\n".join(str(folder / name) for name in sorted(files))
