"""The commands `foldwise power`, `level` and `plan`, which run simulations."""

import argparse
import sys
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from foldwise.cli.analyse_command import check_files_can_be_read_again
from foldwise.cli.options import (
    add_input,
    add_left_out,
    add_output,
    list_choices,
    results_from_options,
)
from foldwise.cli.usage import COMMANDS, EXITS
from foldwise.workspaces.simulation_chunks import ChunkFolder
from stats_core.core.errors import SettingError
from stats_core.core.serialize import dump_json, to_plain
from stats_core.data.settings import SOURCES, Settings
from stats_core.power.questions import QUESTIONS
from stats_core.power.sequential import SPENDINGS
from stats_core.power.simulated_procedures import TESTS
from stats_core.power.simulation import Progress, choose_workers
from stats_core.power.simulation_text import describe_simulation
from stats_core.report.reproduce import simulation_script
from stats_core.report.text_report import table_to_csv

_EXAMPLES = {
    "power": "  foldwise power results.csv --pair svm tree --figure power.pdf\n"
    '  foldwise power results.csv --procedure "holm on wilcoxon" --procedure nemenyi --draws 5000',
    "level": "  foldwise level results.csv --control svm\n"
    "  foldwise level results.csv --dataset iris --test-fraction 0.1 --keep chunks",
    "plan": "  foldwise plan pilot.csv --pair svm tree --more-sets 30 --more-repetitions 10\n"
    "  foldwise plan pilot.csv --cost train_s --looks 4 --spending pocock",
}
_ABOUT = {
    "power": "Draw data sets that favour one algorithm more and more, as Garcia and Herrera (2008, section 4), "
    "and say how much each procedure finds.",
    "level": "Make worlds without differences of these results, and say how often each procedure finds one.",
    "plan": "From a pilot with folds, say what more data sets would tell and what more repetitions, and at which "
    "level to look on the way.",
}


def add_lab(subparsers) -> None:
    """Add the simulation commands."""
    for name in QUESTIONS:
        parser = subparsers.add_parser(
            name,
            help=COMMANDS[name],
            description=_ABOUT[name],
            epilog=f"examples:\n{_EXAMPLES[name]}\n\n{EXITS}",
            allow_abbrev=False,
            formatter_class=argparse.RawDescriptionHelpFormatter,
        )
        add_input(parser)
        _add_choices(parser, name)
        _add_simulation(parser)
        add_output(parser, ("text", "json", "csv", "script"))
        parser.set_defaults(run=run_lab, question=name, measures=(), dataset="", pair=())


def _add_choices(parser: argparse.ArgumentParser, name: str) -> None:
    add = parser.add_argument_group("what is simulated").add_argument
    add("--measure", default="", metavar="NAME", help="on this one (default: the first)")
    add("--alpha", type=float, default=0.05, help="level of the whole family (default: 0.05)")
    add("--control", default="", metavar="NAME", help="compare all others with this algorithm")
    add("--test-fraction", type=float, metavar="SHARE", help="n_test / n, if the files lack it")
    if name != "power":
        add("--correction", default="", type=_underscored, metavar="NAME", help="that is chosen")
    if name == "level":
        add("--source", default="", help=f"that is chosen: {list_choices(SOURCES)}")
        add("--dataset", default="", metavar="NAME", help="look at the folds of this data set")
        add("--test", default="", help="that is chosen on the folds of one data set")
    else:
        add("--pair", nargs=2, metavar=("A", "B"), help=_PAIR[name])
    if name == "power":
        add(
            "--procedure",
            action="append",
            default=[],
            metavar="NAME",
            help='such as nemenyi, or "holm on wilcoxon" (repeatable); after "on": '
            + list_choices(TESTS),
        )
        add(
            "--n-sets",
            type=int,
            metavar="N",
            help="data sets of one draw (default: 10, or half of 10 or fewer)",
        )
        add("--most-bias", type=float, default=20, help="biases reach from 0 to this (default: 20)")
    if name == "plan":
        add(
            "--difference",
            type=float,
            help="that is to be found (default: what the pilot leaves open)",
        )
        add("--more-sets", type=int, default=30, metavar="N", help="default: 30")
        add("--more-repetitions", type=int, default=10, metavar="N", help="default: 10")
        add("--more-folds", type=int, default=10, metavar="N", help="default: 10")
        add("--looks", type=int, default=4, metavar="N", help="on the way (default: 4)")
        add("--spending", default="obrien-fleming", help=f"of alpha: {list_choices(SPENDINGS)}")
        add("--cost", default="", metavar="NAME", help="seconds of a training")
    add_left_out(add)


_PAIR = {
    "power": "the algorithm that draws favour, and the other (default: best and worst)",
    "plan": "the two to plan for (default: the two best)",
}


def _add_simulation(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument_group(
        "how it is computed; the numbers are the same anywhere"
    ).add_argument
    add("--draws", type=int, help="default: 1000 (power), 2000 (level), 4000 (plan)")
    add("--seed", type=int, default=2008, help="default: 2008")
    add("--workers", type=int, metavar="N", help="processes (default: one for each core)")
    add("--scheduler", default="", metavar="ADDRESS", help="of Dask, such as tcp://host:8786")
    add("--keep", metavar="DIR", help="keep what is done there, and go on with it next time")
    add(
        "--figure",
        action="append",
        default=[],
        metavar="FILE",
        help="write the figure as .pdf, .svg, .png, .html or .tex, further ones beside it (repeatable)",
    )
    add("--width", type=float, default=3.5, metavar="INCHES", help="of figures (default: 3.5)")
    add("--colour", action="store_true", help="figures in colour")


def run_lab(arguments: argparse.Namespace) -> str:
    """Return the result of the simulation in the requested format; write its figures."""
    question, options = arguments.question, _options(arguments)
    if arguments.format == "script":
        check_files_can_be_read_again(arguments.files)
    results, mapping = results_from_options(arguments)
    settings = Settings(
        measure=arguments.measure,
        alpha=arguments.alpha,
        control=arguments.control,
        correction=getattr(arguments, "correction", ""),
        source=getattr(arguments, "source", ""),
        test=getattr(arguments, "test", ""),
        dataset=arguments.dataset,
        test_fraction=arguments.test_fraction,
        without_algorithms=tuple(arguments.without_algorithm),
        without_datasets=tuple(arguments.without_dataset),
        only=tuple(arguments.only),
    )
    with ExitStack() as stack:
        executor = stack.enter_context(
            choose_workers(arguments.workers, scheduler=arguments.scheduler)
        )
        execution: dict[str, Any] = {"executor": executor, "progress": _told}
        if arguments.keep:
            execution["kept"] = lambda key: ChunkFolder(Path(arguments.keep), key)
        result = QUESTIONS[question](results, settings, **options, **execution)
    _write_figures(result, arguments)
    match arguments.format:
        case "csv":
            frame = result.frame
            return table_to_csv(frame.set_index(frame.columns[0])).removesuffix("\n")
        case "json":
            words = describe_simulation(result)
            facts = to_plain(result) | {"said": to_plain(words)}
            return dump_json({"format": 1, "question": question, **facts}, 2)
        case "script":
            return simulation_script(
                results,
                question,
                settings,
                options,
                text=describe_simulation(result).text,
                files=arguments.files,
                mapping=mapping,
            )
    return f"{describe_simulation(result).text}\n\n{_table(result)}"


def _options(arguments: argparse.Namespace) -> dict[str, Any]:
    """Return the keyword arguments of the simulation given by the options."""
    options: dict[str, Any] = {"seed": arguments.seed}
    if arguments.draws is not None:
        options["draws"] = arguments.draws
    if getattr(arguments, "pair", None):
        options["pair"] = tuple(arguments.pair)
    if arguments.question == "power":
        if arguments.n_sets is not None:
            options["n_sets"] = arguments.n_sets
        if not 0 < arguments.most_bias < float("inf"):
            raise SettingError(
                f"--most-bias must be a number above 0. It is {arguments.most_bias:g}. Try 20."
            )
        options["biases"] = tuple(arguments.most_bias * step / 20 for step in range(21))
        if arguments.procedure:
            options["procedures"] = tuple(arguments.procedure)
    if arguments.question == "plan":
        for name in ("more_sets", "more_repetitions", "more_folds", "looks", "spending", "cost"):
            options[name] = getattr(arguments, name)
        if arguments.difference is not None:
            options["difference"] = arguments.difference
    return options


def _table(result: Any) -> str:
    """Return the tables of the simulation as text columns."""
    frames = [
        result.frame,
        *(getattr(result, name) for name in ("looks",) if hasattr(result, name)),
    ]
    return "\n\n".join(
        frame.dropna(axis=1, how="all").to_string(index=False, float_format="{:.4g}".format)
        for frame in frames
    )


def _told(progress: Progress) -> None:
    """Print the progress if standard error is a terminal."""
    if sys.stderr.isatty():
        end = "\n" if progress.done == progress.total else ""
        print(
            f"\r{progress.done} of {progress.total} chunks, {progress.left:.0f} s left ",
            end=end,
            file=sys.stderr,
            flush=True,
        )


def _write_figures(result: Any, arguments: argparse.Namespace) -> None:
    """Write the figures to the given files; further ones get their name in the file name."""
    if not arguments.figure:
        return
    from foldwise.figures.simulation_figures import lab_drawings
    from foldwise.rendering.figure_files import ENDINGS, FORMATS, StylePanel, figure_file

    formats = {ENDINGS.get(fmt, fmt): fmt for fmt in FORMATS}
    panel = StylePanel(width_in=arguments.width, colour=arguments.colour)
    for path in map(Path, arguments.figure):
        fmt = formats.get(path.suffix.lstrip("."))
        if fmt is None:
            raise SettingError(
                f"--figure must end in one of {list_choices(formats)}. It is {path}. Change the ending."
            )
        for number, drawing in enumerate(lab_drawings(result)):
            target = path.with_stem(f"{path.stem}_{drawing.name}") if number else path
            try:
                target.write_bytes(figure_file(drawing, panel, fmt))
            except OSError as error:
                raise SettingError(
                    f"--figure needs a file that can be written. {target}: {error.strerror}. "
                    "Choose another."
                ) from None


def _underscored(text: str) -> str:
    return text.replace("-", "_")
