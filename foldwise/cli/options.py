"""Command-line options as data, and the results and settings that they give."""

import argparse
import re
import sys
from collections.abc import Callable, Sequence
from collections.abc import Mapping as Dictionary
from dataclasses import fields, replace
from typing import Any

from foldwise.cli.usage import COMMANDS, EXITS
from stats_core.core.errors import NeedsMapping, SettingError
from stats_core.core.formatting import join_names
from stats_core.core.validation import check_one_of
from stats_core.curves.thresholds import SCALES, at_threshold
from stats_core.data.labels import short_names
from stats_core.data.missing import CHOICES
from stats_core.data.results import Results
from stats_core.data.settings import DFS, OVERLAPS, SOURCES, TUKEY, WINS, Settings
from stats_core.inference.fold_tests import PAIR_TESTS
from stats_core.inference.multiplicity.corrections import CONTROL_CORRECTIONS, CORRECTIONS
from stats_core.inference.resolve_settings import resolve_missing
from stats_core.io.limits import current_limits
from stats_core.io.mapping import DOUBTS, ROWS, Mapping
from stats_core.io.read import read_results
from stats_core.io.vocabulary import ROLES

Options = dict[str, dict[str, Any]]  # flag -> arguments of add_argument


def list_choices(names) -> str:
    """Return the values of an option, separated by commas."""
    return ", ".join(str(name) for name in names)


def as_option(words: str) -> str:
    """Return "drop-data-sets" for "drop data sets"."""
    return words.replace(" ", "-")


def underscored(text: str) -> str:
    """Return the text with underscores instead of hyphens."""
    return text.replace("-", "_")


def _named(text: str) -> tuple[str, str]:
    """Split "role=name" at its first equals sign."""
    return _parts(text, text.partition("="))


def _target(text: str) -> tuple[str, float]:
    """Split "recall=0.9" into the goal and its number."""
    goal, number = _named(text)
    try:
        return goal, float(number)
    except ValueError:
        raise argparse.ArgumentTypeError(f'needs a number after =; it is "{text}"') from None


def _directed(text: str) -> tuple[str, str]:
    """Split "measure=lower" at its last equals sign; the name may be missing."""
    if text in ("higher", "lower"):
        return "", text
    if "=" not in text:
        raise argparse.ArgumentTypeError(f'needs higher, lower, or NAME=higher; it is "{text}"')
    return _parts(text, text.rpartition("="))


def _parts(text: str, partition: tuple[str, str, str]) -> tuple[str, str]:
    left, sign, right = partition
    if not (left and sign and right):
        raise argparse.ArgumentTypeError(f'needs the form A=B; it is "{text}"')
    return left, right


def _split(text: str) -> tuple[str, ...]:
    return tuple(name.strip() for name in text.split(",") if name.strip())


MISSING = tuple(map(as_option, CHOICES))
NAME: dict[str, Any] = {"default": "", "metavar": "NAME"}
REPEATED: dict[str, Any] = {"action": "append", "default": []}

INPUT: Options = {
    "--column": REPEATED
    | {
        "dest": "roles",
        "type": _named,
        "metavar": "ROLE=NAME",
        "help": f"role of the column NAME (repeatable): {list_choices(ROLES)}",
    },
    "--direction": REPEATED
    | {
        "dest": "directions",
        "type": _directed,
        "metavar": "[NAME=]WAY",
        "help": "whether higher or lower values of a measure are better, such as error=lower "
        "(repeatable); not needed for common measures",
    },
    "--measure-name": NAME | {"help": "measure of a table whose columns do not name it, such as accuracy"},
    "--rows": {
        "default": "",
        "choices": ROWS,
        "help": "meaning of rows with the same labels: folds; or, of predictions, the same "
        "instances in the same order for each algorithm (cases) or different instances (apart)",
    },
    "--n-datasets": {
        "type": int,
        "default": 0,
        "metavar": "N",
        "help": "number of data sets behind published average ranks or wins",
    },
    "--winner": {
        "default": "",
        "choices": ("row", "column"),
        "help": "whether a table of wins counts wins of the row or of the column",
    },
    "--suspicious": REPEATED
    | {
        "dest": "doubts",
        "type": _named,
        "metavar": "KIND=ANSWER",
        "help": f"treatment of suspicious values (repeatable): {list_choices(DOUBTS)}, each =leave (exclude) or =keep",
    },
    "--positive-class": {
        "dest": "positive",
        "default": "",
        "metavar": "LABEL",
        "help": "positive class of predictions",
    },
    "--score-direction": {
        "default": "",
        "metavar": "WAY",
        "help": "whether higher or lower scores indicate the positive class",
    },
    "--threshold": {"dest": "theta", "type": float, "help": "probability from which an instance is predicted positive"},
    "--score-scale": {
        "dest": "scale",
        "default": next(iter(SCALES)),
        "metavar": "SCALE",
        "help": f"conversion of scores outside [0, 1] to probabilities, for --threshold: {list_choices(SCALES)}",
    },
    "--missing": {
        "dest": "holes",
        "default": "",
        "type": lambda text: text.replace("-", " "),
        "metavar": "CHOICE",
        "help": f"treatment of missing results: {list_choices(MISSING)}",
    },
    "--baseline": NAME | {"help": "algorithm whose results replace missing ones, for --missing baseline"},
    "--rename": REPEATED
    | {
        "metavar": "OLD=NEW",
        "help": "displayed name of an algorithm or data set (repeatable); other options use the new name",
    },
    "--short-names": {
        "action": "store_true",
        "help": "shorten names of algorithms and data sets where they stay distinct",
    },
}
SELECTION: Options = {
    "--measure": NAME | {"help": "measure to compare (default: the first)"},
    "--measures": {
        "default": (),
        "type": _split,
        "metavar": "M1,M2",
        "help": "two or more measures to compare together",
    },
    "--control": NAME | {"help": "control algorithm: all others are compared with it"},
    "--pair": {"nargs": 2, "default": (), "metavar": ("A", "B"), "help": "compare only these two algorithms"},
    "--dataset": NAME | {"help": "compare on the folds of this data set"},
    "--without-algorithm": REPEATED
    | {"dest": "without_algorithms", "metavar": "NAME", "help": "exclude it (repeatable)"},
    "--without-dataset": REPEATED | {"dest": "without_datasets", "metavar": "NAME", "help": "exclude it (repeatable)"},
    "--only": {
        "default": (),
        "type": _named,
        "metavar": "TAG=VALUE",
        "help": "use only one group of data sets, such as domain=vision",
    },
    "--by": {
        "default": "",
        "metavar": "TAG",
        "help": "repeat the analysis for each group of data sets; TAG is the column of groups (--column group=NAME)",
    },
}
TESTS: Options = {
    "--alpha": {"type": float, "default": 0.05, "help": "significance level of the family of tests (default: 0.05)"},
    "--correction": {
        "default": "",
        "type": underscored,
        "metavar": "NAME",
        "help": f"adjustment for multiple comparisons. All pairs: {list_choices(CORRECTIONS)}. "
        f"With --control: {list_choices(CONTROL_CORRECTIONS)}. (default: the first)",
    },
    "--source": {
        "default": "",
        "metavar": "TEST",
        "help": f"test of a pair over data sets: {list_choices(SOURCES)} (default: wilcoxon if it "
        "can reach significance, else ranks)",
    },
    "--test": {
        "default": "",
        "help": f"test of a pair on the folds of one data set: {list_choices((TUKEY, *PAIR_TESTS))}",
    },
    "--overlap": {
        "default": "corrected",
        "help": f"overlap of training sets: {list_choices(OVERLAPS)} (default: corrected)",
    },
    "--df": {
        "default": "conservative",
        "help": f"degrees of freedom if training sets overlap: {list_choices(DFS)} (default: "
        "conservative, at most 9 for more than ten results; published: J - 1)",
    },
    "--test-fraction": {"type": float, "metavar": "SHARE", "help": "n_test / n, if the files do not contain it"},
    "--margin": {
        "dest": "region",
        "type": float,
        "metavar": "R",
        "help": "equivalence margin in units of the measure: adds an equivalence test of each pair",
    },
    "--win": {
        "default": "risk",
        "help": "winner of a pair on several measures over data sets: "
        f"{list_choices(WINS)} (default: risk, a significantly lower risk; thesis: a lower risk)",
    },
    "--all-thresholds": {
        "dest": "thresholds",
        "action": "store_true",
        "help": "use 21 thresholds on scores instead of one",
    },
    "--target": {
        "dest": "wish",
        "default": (),
        "type": _target,
        "metavar": "GOAL=NUMBER",
        "help": "goal of the best threshold on one test set: cost=2 (a false positive costs as "
        "much as two false negatives), recall=0.9, precision=0.8 or alerts=0.1 (default: all four)",
    },
    "--prior": {
        "default": (),
        "type": _split,
        "metavar": "A,B,...",
        "help": "for published decisions: algorithms from the cheapest to the most expensive",
    },
}


def pick(options: Options, *flags: str) -> Options:
    """Return the options with these flags."""
    return {flag: options[flag] for flag in flags}


def output_options(*formats: str) -> Options:
    """Return the options of format and output file."""
    return {
        "--format": {"choices": formats, "default": formats[0], "help": f"output format (default: {formats[0]})"},
        "--json": {"action": "store_const", "const": "json", "dest": "format", "help": "same as --format json"},
        "--output": {"default": "-", "metavar": "FILE", "help": "write to this file"},
    }


class _Help(argparse.Action):
    """Print the main options (--help) or all of them (--help-all)."""

    def __call__(self, parser, namespace, values, option_string=None) -> None:
        if option_string != "--help-all":
            for action in parser._actions:
                if action.option_strings and not _is_listed(action, self.const):
                    action.help = argparse.SUPPRESS
        parser.print_help()
        parser.exit()


def _is_listed(action: argparse.Action, flags: Sequence[str]) -> bool:
    return isinstance(action, _Help) or action.option_strings[-1] in flags


def add_command(
    subparsers,
    name: str,
    groups: dict[str, Options],
    run: Callable[[argparse.Namespace], str],
    *,
    description: str,
    examples: str,
    listed: Sequence[str],
    **defaults: Any,
) -> None:
    """Add a command with its groups of options; --help prints only the listed ones."""
    parser = subparsers.add_parser(
        name,
        help=COMMANDS[name],
        usage=f"foldwise {name} [options] FILE [FILE ...]",
        description=description,
        epilog=f"examples:\n{examples}\n\n{EXITS}",
        allow_abbrev=False,
        add_help=False,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add_file = parser.add_argument_group("Input").add_argument
    add_file("files", nargs="+", metavar="FILE", help="files of results; - for standard input")
    flags = {}
    for title, options in groups.items():
        add = add_file if title == "Input" else parser.add_argument_group(title).add_argument
        for flag, keywords in options.items():
            short = ("-o",) if flag == "--output" else ()
            flags[add(*short, flag, **keywords).dest] = flag
    add_help = parser.add_argument_group("Help").add_argument
    add_help("-h", "--help", action=_Help, nargs=0, const=listed, help="show the main options")
    add_help("--help-all", action=_Help, nargs=0, const=listed, help="show all options")
    parser.set_defaults(run=run, flags=flags, **defaults)


def mapping_from_options(arguments: argparse.Namespace) -> Mapping:
    """Return the mapping of columns given by the options."""
    given = {field.name: getattr(arguments, field.name, None) for field in fields(Mapping)}
    return Mapping(
        **{name: value for name, value in given.items() if value is not None}
        | {
            "roles": {column: role for role, column in arguments.roles},
            "directions": {name or arguments.measure_name: way for name, way in arguments.directions},
            "doubts": dict(arguments.doubts),
        }
    )


def settings_from_options(arguments: argparse.Namespace) -> Settings:
    """Return the settings given by the options."""
    given = {field.name: getattr(arguments, field.name) for field in fields(Settings) if field.name in arguments}
    return Settings(**{name: tuple(x) if isinstance(x, list) else x for name, x in given.items()})


def results_from_options(arguments: argparse.Namespace) -> tuple[Results, Mapping]:
    """Return the results read from the files, and the mapping used.

    The threshold and the treatment of missing results are applied. If no column names the measure,
    --measure does.
    """
    _check_combinations(arguments)
    mapping = mapping_from_options(arguments)
    sources = [("stdin", _stdin()) if name == "-" else name for name in arguments.files]
    try:
        results = read_results(*sources, mapping=mapping)
    except NeedsMapping as error:
        if error.about != "direction" or mapping.measure_name or not arguments.measure:
            raise
        if "measure" in error.guess.roles.values():
            raise  # the columns are measures already
        mapping = replace(mapping, measure_name=arguments.measure)
        results = read_results(*sources, mapping=mapping)
    return _as_asked(with_display_names(results, arguments), arguments), mapping


def _as_asked(results: Results, arguments: argparse.Namespace) -> Results:
    """Apply the threshold and the treatment of missing results."""
    results.select(datasets=arguments.without_datasets, algorithms=arguments.without_algorithms)
    if arguments.theta is not None:
        results = at_threshold(results, arguments.theta, arguments.scale)
    if not arguments.holes:
        return results
    settings = settings_from_options(arguments)
    return resolve_missing(results, settings, arguments.holes, arguments.baseline)


def with_display_names(results: Results, arguments: argparse.Namespace) -> Results:
    """Return the results under their displayed names."""
    results = _renamed(results, arguments.rename)
    if not arguments.short_names:
        return results
    return results.rename(short_names(results.algorithms), short_names(results.datasets))


def _renamed(results: Results, arguments: Sequence[str]) -> Results:
    """Rename algorithms and data sets by "old=new"; names may contain an equals sign."""
    names: dict[str, dict[str, str]] = {"algorithms": {}, "datasets": {}}
    for text in arguments:
        signs = [index for index, sign in enumerate(text) if sign == "="]
        splits = [(text[:index], text[index + 1 :]) for index in signs]
        renamings = [(key, old, new) for key in names for old, new in splits if old in getattr(results, key) and new]
        if not renamings:
            raise SettingError(
                f'--rename needs OLD=NEW, where OLD is an algorithm or a data set. It is "{text}". '
                f"Algorithms: {join_names(results.algorithms, 8)}. "
                f"Data sets: {join_names(results.datasets, 4)}."
            )
        for key, old, new in renamings:
            names[key][old] = new
    return results.rename(**names)


def _check_combinations(arguments: argparse.Namespace) -> None:
    """Raise SettingError if options contradict each other."""
    if arguments.holes:
        check_one_of(as_option(arguments.holes), MISSING, "holes")
    if arguments.baseline and arguments.holes != "baseline":
        raise SettingError("--baseline needs --missing baseline. Add it, or remove --baseline.")
    if "" in arguments.files:
        raise SettingError("A file name is empty. Name a file of results.")
    share = arguments.test_fraction
    if share is not None and not 0 < share < 1:
        raise SettingError(
            f"--test-fraction must be between 0 and 1. It is {share:g}. Give n_test / n, such as 0.1 for ten folds."
        )
    if arguments.dataset and arguments.dataset in arguments.without_datasets:
        raise SettingError(f"--dataset and --without-dataset both name {arguments.dataset}. Remove one of them.")
    correction = getattr(arguments, "correction", "")
    if correction in CONTROL_CORRECTIONS and correction not in CORRECTIONS:
        if not arguments.control:
            raise SettingError(
                f"--correction {correction.replace('_', '-')} needs a control algorithm. "
                f"Add --control NAME. For all pairs, use one of {list_choices(CORRECTIONS)}."
            )


def name_as_options(text: str, flags: Dictionary[str, str]) -> str:
    """Replace names of settings in backquotes by options of the command.

    Examples
    --------
    >>> name_as_options("`alpha` must be less than `beta`.", {"alpha": "--alpha"})
    '--alpha must be less than `beta`.'
    """
    named = {"width_in": flags["width"]} | flags if "width" in flags else flags
    return re.sub(r"`(\w+)`", lambda match: named.get(match[1], match[0]), text)


def _stdin() -> bytes:
    """Return the content of standard input, up to the limit on sizes."""
    try:
        return sys.stdin.buffer.read(current_limits().size + 1)
    except (OSError, AttributeError):  # standard input is closed or missing
        return b""
