"""Argument parsers from declarations in TOML, and results and settings from parsed options."""

import argparse
import re
import sys
import textwrap
from collections.abc import Callable, Iterable, Sequence
from collections.abc import Mapping as Dictionary
from dataclasses import fields
from pathlib import Path
from shlex import quote
from typing import Any, get_args

from foldwise.cli import COMMANDS, EXITS, Subparsers
from stats_core.core.errors import SettingError
from stats_core.core.messages import TextCatalog, read_texts
from stats_core.core.validation import check_one_of
from stats_core.curves import thresholds
from stats_core.curves.thresholds import SCALES
from stats_core.data import labels
from stats_core.data.costs import COST_SCALES
from stats_core.data.missing import CHOICES, Missing
from stats_core.data.results import Results
from stats_core.data.settings import OVERLAPS, SOURCES, TUKEY, Settings
from stats_core.inference import pairwise
from stats_core.inference.methods import PAIR_TESTS
from stats_core.inference.multiplicity.adjust import CONTROL_CORRECTIONS, CORRECTIONS, FAMILY_WISE
from stats_core.io import problems
from stats_core.io.mapping import DOUBTS, Mapping
from stats_core.io.read import read_algorithms, read_results
from stats_core.io.vocabulary import ROLES
from stats_core.ordering.one_sided_evidence import FAMILIES
from stats_core.power.planning import SPENDINGS
from stats_core.power.simulated_power import TESTS
from stats_core.report import gate
from stats_core.report.arguments import ROWS, Arguments, read_measure
from stats_core.report.methods_text import NUMBER_STYLES

cli_text = TextCatalog("foldwise.cli", "texts.toml")


def _named(text: str) -> tuple[str, str]:
    """Return role and name of "role=name", split at its first equals sign; raise ArgumentTypeError for other text."""
    return _parts(text, text.partition("="))


def _target(text: str) -> tuple[str, float]:
    """Return target and number of "recall=0.9"; raise ArgumentTypeError for other text."""
    goal, number = _named(text)
    try:
        return goal, float(number)
    except ValueError:
        raise argparse.ArgumentTypeError(cli_text("options.target", text=text)) from None


def _directed(text: str) -> tuple[str, str]:
    """Return the parts of "measure=lower", split at its last equals sign, or refuse the text."""
    return _parts(text, text.rpartition("="))


def _parts(text: str, partition: tuple[str, str, str]) -> tuple[str, str]:
    left, sign, right = partition
    if not (left and sign and right):
        raise argparse.ArgumentTypeError(cli_text("options.pair", text=text))
    return left, right


def _split(text: str) -> tuple[str, ...]:
    return tuple(name.strip() for name in text.split(",") if name.strip())


def _hyphenated(name: str) -> str:
    """Return a name as typed on the command line: "drop-data-sets" for "drop data sets"."""
    return re.sub("[ _]", "-", name)


def _spaced(text: str) -> str:
    """Return the name that was typed in this way."""
    return text.replace("-", " ")


def _typed(names: Iterable[str]) -> list[str]:
    """Return names as typed on the command line."""
    return [_hyphenated(name) for name in names]


MISSING = _typed(CHOICES)
# direction of the measure -> option
DIRECTIONS = {"higher": "--higher-is-better", "lower": "--no-higher-is-better"}
# values of `type` in options.toml
_TYPES: dict[str, Callable[[str], Any]] = {
    "int": int,
    "float": float,
    "names": _split,
    "pair": _named,
    "target": _target,
    "direction": _directed,
    "spaced": _spaced,
    "underscored": lambda text: text.replace("-", "_"),
}
# lists named in options.toml
_LISTS = {
    "CHOICES": MISSING,
    "CONTROL_CORRECTIONS": _typed(CONTROL_CORRECTIONS),
    "CORRECTIONS": _typed(CORRECTIONS),
    "COST_SCALES": COST_SCALES,
    "DOUBTS": DOUBTS,
    "FAMILIES": _typed(FAMILIES),
    "FAMILY_WISE": _typed(FAMILY_WISE),
    "FOLD_TESTS": (TUKEY, *PAIR_TESTS),
    "NUMBER_STYLES": NUMBER_STYLES,
    "OVERLAPS": OVERLAPS,
    "PAIR_TESTS": PAIR_TESTS,
    "ROLES": ROLES,
    "MISSING": _typed(get_args(Missing)[1:]),
    "ROWS": _typed(ROWS),
    "SCALES": SCALES,
    "SOURCES": SOURCES,
    "SPENDINGS": SPENDINGS,
    "TESTS_OF_PROCEDURES": TESTS,
}
_OPTIONS = read_texts("options.toml", "foldwise.cli")


def _options_of(names: Sequence[str], formats: Sequence[str]) -> dict[str, dict[str, Any]]:
    """Return add_argument arguments by flag, of option tables ("table") and of single options ("table.option")."""
    options: dict[str, dict[str, Any]] = {}
    for name in names:
        table, _, option = name.partition(".")
        options |= {option: _OPTIONS[table][option]} if option else _OPTIONS[table]
    texts = {name: ", ".join(map(quote, values)) for name, values in _LISTS.items()} | {
        "first_format": formats[0]
    }
    return {
        f"--{option}": _arguments(option, declared, texts, formats)
        for option, declared in options.items()
    }


def _arguments(
    option: str, declared: dict[str, Any], texts: dict[str, str], formats: Sequence[str]
) -> dict[str, Any]:
    """Return the add_argument arguments of an option declared in options.toml."""
    arguments = declared | {"help": declared["help"].format_map(texts)}
    if arguments.pop("repeated", False):
        arguments |= {"action": "append", "default": []}
    if "type" in arguments:
        arguments["type"] = _TYPES[arguments["type"]]
    if arguments.get("action") == "boolean":
        arguments["action"] = argparse.BooleanOptionalAction
    if "choices" in arguments:
        arguments["choices"] = _LISTS.get(str(arguments["choices"]), arguments["choices"])
    if isinstance(arguments.get("metavar"), list):
        arguments["metavar"] = tuple(arguments["metavar"])
    if option == "format":
        arguments |= {"choices": formats, "default": formats[0]}
    return arguments


class _HelpFormatter(argparse.RawDescriptionHelpFormatter):
    """Help formatter that never breaks a line within an option value."""

    def _split_lines(self, text: str, width: int) -> list[str]:
        return textwrap.wrap(text, width, break_on_hyphens=False)


class _Help(argparse.Action):
    """Action that prints the main options (--help) or all options (--help-all)."""

    def __call__(
        self,
        parser: argparse.ArgumentParser,
        namespace: argparse.Namespace,
        values: str | Sequence[Any] | None,
        option_string: str | None = None,
    ) -> None:
        if option_string != "--help-all":
            for action in parser._actions:
                flags = action.option_strings
                if not ({*flags} & {*self.const} or isinstance(action, _Help)):
                    action.help = argparse.SUPPRESS
        parser.print_help()
        parser.exit()


def add_command(
    subparsers: Subparsers, name: str, run: Callable[[argparse.Namespace], str]
) -> None:
    """Add a command declared in commands.toml to the parser; --help prints only its main options."""
    command = COMMANDS[name]
    parser = subparsers.add_parser(
        name,
        help=command["help"],
        usage=cli_text("options.usage", command=name),
        description=command["description"],
        epilog="\n  ".join(["examples:", *command["examples"]]) + f"\n\n{EXITS}\n",
        allow_abbrev=False,
        add_help=False,
        formatter_class=_HelpFormatter,
    )
    flags = {}
    for title, names in command["groups"].items():
        add = parser.add_argument_group(title).add_argument
        if title == "Input":
            add("files", nargs="+", metavar="FILE", help=cli_text("options.files"))
        for flag, arguments in _options_of(names, command.get("formats", ("",))).items():
            short = ("-o",) if flag == "--output" else ()
            flags[add(*short, flag, **arguments).dest] = flag
    add_help = parser.add_argument_group("Help").add_argument
    add_help(
        "-h",
        "--help",
        action=_Help,
        nargs=0,
        const=command["listed"],
        help=cli_text("options.help"),
    )
    add_help(
        "--help-all",
        action=_Help,
        nargs=0,
        const=command["listed"],
        help=cli_text("options.help_all"),
    )
    parser.set_defaults(run=run, flags=flags, command=name, **command.get("defaults", {}))


def mapping_from_options(arguments: argparse.Namespace) -> Mapping:
    """Return the mapping of columns given by the options."""
    options = {field.name: getattr(arguments, field.name, None) for field in fields(Mapping)}
    return Mapping(
        **{name: value for name, value in options.items() if value is not None}
        | {
            "roles": {column: role for role, column in arguments.roles}
            | dict.fromkeys(
                [arguments.cluster] if getattr(arguments, "cluster", "") else [], "cluster"
            ),
            "directions": dict(arguments.directions),
            "rows": ROWS[_spaced(arguments.rows)] if arguments.rows else "",
            "doubts": dict(arguments.doubts),
        }
    )


def rows_option(mapping: Mapping) -> str:
    """Return the option that says what the rows are, as a mapping does."""
    rows = next(name for name, field in ROWS.items() if field == mapping.rows)
    return f"--rows {_hyphenated(rows)}"


def settings_from_options(arguments: argparse.Namespace) -> Settings:
    """Return the settings given by the options."""
    options: dict[str, Any] = {}
    for field in fields(Settings):
        if field.name in arguments:
            value = getattr(arguments, field.name)
            options[field.name] = tuple(value) if isinstance(value, list) else value
    return Settings(**options)


def sources_from_options(files: Sequence[str]) -> list[Any]:
    """Return the files as sources of `read_results`; "-" is standard input."""
    return [("stdin", _stdin()) if name == "-" else name for name in files]


def results_from_options(arguments: argparse.Namespace) -> tuple[Results, Mapping]:
    """Return the results read from the given files, and the mapping used.

    Names are replaced, and the threshold and the treatment of missing results are applied. If no
    column names the measure, --measure does.
    """
    _check_combinations(arguments)
    mapping, sources = mapping_from_options(arguments), sources_from_options(arguments.files)
    used = [mapping]

    def read(filled: Mapping) -> Results:
        used.append(filled)
        return read_results(*sources, mapping=filled)

    results = _read_measure(read, mapping, arguments)
    return _select_requested(with_display_names(results, arguments), arguments), used[-1]


def results_of_gate(arguments: argparse.Namespace) -> tuple[Results, Settings]:
    """Return the results of a new model and its baseline, and the settings of their gate."""
    settings, (new,) = settings_from_options(arguments), sources_from_options(arguments.files)
    sources = {gate.NEW: new, gate.BASELINE: arguments.against}
    results = _read_measure(
        lambda mapping: read_algorithms(sources, mapping, settings.pair),
        mapping_from_options(arguments),
        arguments,
    )
    record = Arguments(measure=arguments.measure or None, missing=arguments.missing)
    return record.complete(results, settings)


def _read_measure(
    read: Callable[[Mapping], Results], mapping: Mapping, arguments: argparse.Namespace
) -> Results:
    """Return the results that `read` reads, with the measure and direction of the options."""
    measure = arguments.measure or None
    return read_measure(read, mapping, measure, arguments.higher_is_better)


def _select_requested(results: Results, arguments: argparse.Namespace) -> Results:
    """Return the results at the requested threshold, with the requested treatment of missing results; else as read."""
    results.select(datasets=arguments.without_datasets, algorithms=arguments.without_algorithms)
    if arguments.theta is not None:
        results = thresholds.at_threshold(results, arguments.theta, arguments.scale)
    if not arguments.holes:
        return results
    settings = settings_from_options(arguments)
    return pairwise.resolve_missing(results, settings, arguments.holes, arguments.baseline)


def with_display_names(results: Results, arguments: argparse.Namespace) -> Results:
    """Return the results with algorithms and data sets renamed for display; unchanged without such options."""
    results = _renamed(results, arguments.rename)
    if not arguments.short_names:
        return results
    return results.rename(
        labels.short_names(results.algorithms), labels.short_names(results.datasets)
    )


def _renamed(results: Results, arguments: Sequence[str]) -> Results:
    """Return the results renamed by arguments "old=new"; raise SettingError for an unknown name.

    Names may contain equals signs.
    """
    names: dict[str, dict[str, str]] = {"algorithms": {}, "datasets": {}}
    for text in arguments:
        signs = [index for index, sign in enumerate(text) if sign == "="]
        splits = [(text[:index], text[index + 1 :]) for index in signs]
        renamings = [
            (key, old, new)
            for key in names
            for old, new in splits
            if old in getattr(results, key) and new
        ]
        if not renamings:
            present = {"algorithms": results.algorithms, "datasets": results.datasets}
            raise SettingError(cli_text("options.rename", text=text, **present))
        for key, old, new in renamings:
            names[key][old] = new
    return results.rename(**names)


def _check_combinations(arguments: argparse.Namespace) -> None:
    """Raise SettingError for contradictory or invalid options."""
    if arguments.holes:
        check_one_of(_hyphenated(arguments.holes), MISSING, "holes")
    if arguments.baseline and arguments.holes != "baseline":
        raise SettingError(cli_text("options.baseline"))
    if "" in arguments.files:
        raise SettingError(cli_text("options.no_file"))
    share = arguments.test_fraction
    if share is not None and not 0 < share < 1:
        raise SettingError(cli_text("options.test_fraction", share=share))
    if arguments.dataset and arguments.dataset in arguments.without_datasets:
        raise SettingError(cli_text("options.dataset", dataset=arguments.dataset))
    correction = getattr(arguments, "correction", "")
    if (
        correction in CONTROL_CORRECTIONS
        and correction not in CORRECTIONS
        and not arguments.control
    ):
        names = {"correction": _typed([correction]), "corrections": _typed(CORRECTIONS)}
        raise SettingError(cli_text("options.control", **names))


_FIELDS = {"width_in": "width", "measure_name": "measure"}  # fields with other names


def name_as_options(text: str, flags: Dictionary[str, str]) -> str:
    """Return a text with setting names in backquotes replaced by command-line options.

    Examples
    --------
    >>> name_as_options("`alpha` must be less than `beta`.", {"alpha": "--alpha"})
    '--alpha must be less than `beta`.'
    """
    named = {flag[2:].replace("-", "_"): flag for flag in flags.values()} | dict(flags)
    named |= {field: named[name] for field, name in _FIELDS.items() if name in named}
    return re.sub(r"`(\w+)`", lambda match: named.get(match[1], match[0]), text)


def write_file(file: Path, content: bytes, option: str) -> None:
    """Write a file; raise SettingError, which names the option with its path, if it cannot be written."""
    try:
        file.write_bytes(content)
    except OSError as error:
        raise SettingError(
            cli_text("options.not_written", file=file, reason=error.strerror, option=option)
        ) from None


def _stdin() -> bytes:
    """Return the content of standard input, cut one byte above the size limit; b"" if it is closed or missing."""
    try:
        return sys.stdin.buffer.read(problems.current_limits().size + 1)
    except (OSError, AttributeError):  # standard input is closed or missing
        return b""
