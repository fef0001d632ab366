"""The commands `foldwise power`, `level` and `plan`, which run simulations."""

import argparse
import sys
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import Any

from foldwise.cli.analyse_command import check_files_can_be_read_again
from foldwise.cli.options import (
    INPUT,
    NAME,
    REPEATED,
    SELECTION,
    TESTS,
    add_command,
    list_choices,
    output_options,
    pick,
    results_from_options,
    settings_from_options,
)
from foldwise.workspaces.simulation_chunks import ChunkFolder
from stats_core.core.errors import SettingError
from stats_core.core.serialize import dump_json, to_plain
from stats_core.power.planning import SPENDINGS
from stats_core.power.questions import QUESTIONS
from stats_core.power.simulated_power import TESTS as TESTS_OF_PROCEDURES
from stats_core.power.simulation import Progress, choose_workers
from stats_core.report.power_text import describe_simulation
from stats_core.report.reproduce import simulation_script
from stats_core.report.text_report import table_to_csv

_EXAMPLES = {
    "power": "  foldwise power results.csv --pair svm tree --figure power.pdf\n"
    '  foldwise power results.csv --procedure "holm on wilcoxon" --procedure nemenyi',
    "level": "  foldwise level results.csv --control svm\n"
    "  foldwise level results.csv --dataset iris --test-fraction 0.1 --keep chunks",
    "plan": "  foldwise plan pilot.csv --pair svm tree --more-sets 30 --more-repetitions 10\n"
    "  foldwise plan pilot.csv --cost train_s --interim-analyses 4 --alpha-spending pocock",
}
_ABOUT = {
    "power": "Simulate results in which one algorithm is increasingly better, as in Garcia and "
    "Herrera (2008, section 4), and estimate the power of each procedure.",
    "level": "Simulate results in which no algorithms differ, and estimate how often each "
    "procedure reports a difference (type I error rate).",
    "plan": "Estimate from a pilot study with folds which difference more data sets or more "
    "repetitions can detect, and the significance levels of interim analyses.",
}
_OPTIONS = {
    "power": {
        "--pair": SELECTION["--pair"] | {"help": "favoured algorithm and its rival (default: best and worst)"},
        "--procedure": REPEATED
        | {
            "metavar": "NAME",
            "help": 'procedure (repeatable), such as nemenyi or "holm on wilcoxon"; tests after '
            f'"on": {list_choices(TESTS_OF_PROCEDURES)}',
        },
        "--n-sets": {
            "type": int,
            "metavar": "N",
            "help": "data sets per simulation (default: 10, or half of 10 or fewer)",
        },
        "--most-bias": {
            "type": float,
            "default": 20,
            "metavar": "BIAS",
            "help": "largest bias towards the favoured algorithm (default: 20)",
        },
    },
    "level": pick(SELECTION, "--dataset") | pick(TESTS, "--correction", "--source", "--test"),
    "plan": {
        "--pair": SELECTION["--pair"] | {"help": "algorithms to plan for (default: the best two)"},
        **pick(TESTS, "--correction"),
        "--difference": {
            "type": float,
            "help": "difference to detect (default: from the confidence interval of the pilot)",
        },
        "--more-sets": {"type": int, "default": 30, "metavar": "N", "help": "default: 30"},
        "--more-repetitions": {"type": int, "default": 10, "metavar": "N", "help": "default: 10"},
        "--more-folds": {"type": int, "default": 10, "metavar": "N", "help": "default: 10"},
        "--interim-analyses": {
            "dest": "looks",
            "type": int,
            "default": 4,
            "metavar": "N",
            "help": "number of analyses while data sets are added (default: 4)",
        },
        "--alpha-spending": {
            "dest": "spending",
            "default": "obrien-fleming",
            "help": f"alpha-spending function: {list_choices(SPENDINGS)} (default: obrien-fleming)",
        },
        "--cost": NAME | {"help": "column of training times in seconds"},
    },
}
_SIMULATION = {
    "--simulations": {
        "dest": "draws",
        "type": int,
        "metavar": "N",
        "help": "number of simulations (default: power 1000, level 2000, plan 4000)",
    },
    "--seed": {"type": int, "default": 2008, "help": "random seed (default: 2008)"},
    "--workers": {"type": int, "metavar": "N", "help": "processes (default: one per core)"},
    "--scheduler": {"default": "", "metavar": "ADDRESS", "help": "Dask scheduler, such as tcp://host:8786"},
    "--keep": {"metavar": "DIR", "help": "save partial results here and resume from them"},
}
_FIGURES = {
    "--figure": REPEATED
    | {"metavar": "FILE", "help": "write the figures to .pdf, .svg, .png, .html or .tex (repeatable)"},
    "--width": {"type": float, "default": 3.5, "metavar": "INCHES", "help": "width of figures (default: 3.5)"},
    "--colour": {"action": "store_true", "help": "figures in colour"},
}
_SELECTED = ("--measure", "--control", "--without-algorithm", "--without-dataset", "--only")
_LISTED = {"power": ("--pair", "--procedure"), "level": ("--control", "--dataset"), "plan": ("--pair", "--difference")}


def add_lab(subparsers) -> None:
    """Add the simulation commands."""
    for name in QUESTIONS:
        add_command(
            subparsers,
            name,
            {
                "Input": INPUT,
                "Selection": pick(SELECTION, *_SELECTED),
                "Tests": pick(TESTS, "--alpha", "--test-fraction") | _OPTIONS[name],
                "Simulation": _SIMULATION,
                "Output": output_options("text", "json", "csv", "script") | _FIGURES,
            },
            run_lab,
            description=_ABOUT[name],
            examples=_EXAMPLES[name],
            listed=(
                *("--direction", "--measure", "--alpha", *_LISTED[name]),
                *("--simulations", "--figure", "--output"),
            ),
            question=name,
            measures=(),
            **{"dataset": ""} if name != "level" else {},
            **{"pair": ()} if name == "level" else {},
        )


def run_lab(arguments: argparse.Namespace) -> str:
    """Return the result of the simulation in the requested format; write its figures."""
    question, options = arguments.question, _options(arguments)
    if arguments.format == "script":
        check_files_can_be_read_again(arguments.files)
    results, mapping = results_from_options(arguments)
    settings = replace(settings_from_options(arguments), pair=())
    with ExitStack() as stack:
        executor = stack.enter_context(choose_workers(arguments.workers, scheduler=arguments.scheduler))
        execution: dict[str, Any] = {"executor": executor, "progress": _print_progress}
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
            raise SettingError(f"--most-bias must be a number above 0. It is {arguments.most_bias:g}. Try 20.")
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
    frames = [result.frame, *(getattr(result, name) for name in ("looks",) if hasattr(result, name))]
    return "\n\n".join(
        frame.dropna(axis=1, how="all").to_string(index=False, float_format="{:.4g}".format) for frame in frames
    )


def _print_progress(progress: Progress) -> None:
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
            raise SettingError(f"--figure must end in one of {list_choices(formats)}. It is {path}.")
        for number, drawing in enumerate(lab_drawings(result)):
            target = path.with_stem(f"{path.stem}_{drawing.name}") if number else path
            try:
                target.write_bytes(figure_file(drawing, panel, fmt))
            except OSError as error:
                raise SettingError(
                    f"The figure cannot be written to {target}: {error.strerror}. Name another file with --figure."
                ) from None
