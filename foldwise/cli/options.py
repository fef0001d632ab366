"""Command-line options shared by commands: input, settings, output."""

import argparse
import re
import sys
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace

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


def add_input(parser: argparse.ArgumentParser) -> None:
    """Add the options of files and their columns."""
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
        type=_directed,
        metavar="[NAME=]WAY",
        help="which values of a measure are better, higher or lower (repeatable); known for common "
        "measures",
    )
    add(
        "--measure-name",
        default="",
        metavar="NAME",
        help="what the numbers of a table measure, such as accuracy, where no column is named after "
        "it; any name will do",
    )
    add(
        "--rows",
        default="",
        choices=ROWS,
        help="rows that nothing tells apart are folds; or, of predictions, the same cases in the same "
        "order for each algorithm (cases), or not (apart)",
    )
    add(
        "--datasets",
        type=int,
        default=0,
        metavar="N",
        help="over how many data sets average ranks or wins are",
    )
    add("--winner", default="", choices=("row", "column"), help="whose wins a cell counts")
    add(
        "--doubt",
        action="append",
        default=[],
        type=_named,
        metavar="KIND=ANSWER",
        help=f"what to do with what looks wrong (repeatable): {list_choices(DOUBTS)}, =leave or =keep",
    )
    add("--positive-class", default="", metavar="LABEL", help="the positive class of predictions")
    add(
        "--score-direction",
        default="",
        metavar="WAY",
        help="whether higher or lower scores mean more positive",
    )
    add("--theta", type=float, help="count a case as positive from this probability on")
    add(
        "--scale",
        default=next(iter(SCALES)),
        help=f"of scores, for --theta: {list_choices(SCALES)}",
    )
    add(
        "--holes",
        default="",
        type=_words,
        metavar="CHOICE",
        help=f"missing cells: {list_choices(HOLES)}",
    )
    add("--baseline", default="", metavar="NAME", help="whose values --holes baseline takes")
    add(
        "--rename",
        action="append",
        default=[],
        metavar="OLD=NEW",
        help="show an algorithm or data set by another name (repeatable); other options take the "
        "new one",
    )
    add(
        "--short-names",
        action="store_true",
        help="shorten names of algorithms and data sets where no two become alike",
    )


def add_groups(parser: argparse.ArgumentParser) -> None:
    """Add the option that compares groups of data sets."""
    parser.add_argument(
        "--by",
        default="",
        metavar="TAG",
        help="the same for each group of data sets, side by side; TAG is a column that tags them "
        "(--column group=NAME)",
    )


def add_left_out(add: Callable) -> None:
    """Add the options that exclude algorithms and data sets."""
    for what in ("algorithm", "dataset"):
        add(
            f"--without-{what}",
            action="append",
            default=[],
            metavar="NAME",
            help="leave this one out (repeatable)",
        )
    add(
        "--only",
        default=(),
        type=_named,
        metavar="TAG=VALUE",
        help="only the data sets of this group, such as domain=vision",
    )


def add_choices(parser: argparse.ArgumentParser) -> None:
    """Add the options of the analysis."""
    add = parser.add_argument_group("what is compared, and how").add_argument
    add("--measure", default="", metavar="NAME", help="compare on this one (default: the first)")
    add("--alpha", type=float, default=0.05, help="level of the whole family (default: 0.05)")
    add(
        "--correction",
        default="",
        type=lambda text: text.replace("-", "_"),
        metavar="NAME",
        help=f"for all pairs: {list_choices(CORRECTIONS)}; with --control: {list_choices(CONTROL_CORRECTIONS)} "
        "(default: the first)",
    )
    add("--control", default="", metavar="NAME", help="compare all others with this algorithm")
    add(
        "--source",
        default="",
        help=f"over data sets, where p-values come from: {list_choices(SOURCES)} (default: wilcoxon "
        "wherever it can decide, else ranks)",
    )
    add("--dataset", default="", metavar="NAME", help="look at one data set, by its folds")
    add(
        "--prior",
        default=(),
        type=_split,
        metavar="A,B,...",
        help="of decisions as published, the algorithms from cheapest to costliest",
    )
    add("--pair", nargs=2, default=(), metavar=("A", "B"), help="compare these two only")
    add("--measures", default=(), type=_split, metavar="M1,M2", help="compare on these together")
    add(
        "--thresholds",
        action="store_true",
        help="over data sets, look at 21 thresholds on scores instead of one",
    )
    add(
        "--win",
        default="risk",
        help="on several measures over data sets, what makes a winner of two that differ: "
        f"{list_choices(WINS)} (default: risk, a significantly lower one; thesis: a lower one)",
    )
    add(
        "--test",
        default="",
        help=f"on the folds of one data set: {list_choices((TUKEY, *PAIR_TESTS))}",
    )
    add("--overlap", default="corrected", help=f"of training sets: {list_choices(OVERLAPS)}")
    add(
        "--df",
        default="conservative",
        help=f"degrees of freedom where training sets overlap: {list_choices(DFS)} (default: conservative, "
        "at most 9 after more than ten results; published: J - 1)",
    )
    add("--test-fraction", type=float, metavar="SHARE", help="n_test / n, if the files lack it")
    add(
        "--region",
        type=float,
        metavar="R",
        help="differences of the measure up to R do not matter: beside each p stands whether the pair "
        "differs by more, is equivalent, or neither is known",
    )
    add(
        "--wish",
        default=(),
        type=_wished,
        metavar="WHAT=NUMBER",
        help="on one test set, what the best threshold is to grant: cost=2 (a false positive costs "
        "two false negatives), recall=0.9, precision=0.8 or alerts=0.1 (default: each of them)",
    )
    add_left_out(add)


def add_output(parser: argparse.ArgumentParser, formats: Sequence[str]) -> None:
    """Add the options of format and output file."""
    group = parser.add_argument_group("what is printed")
    group.add_argument(
        "--format", choices=formats, default=formats[0], help=f"default: {formats[0]}"
    )
    if "json" in formats:
        same = {"action": "store_const", "const": "json", "dest": "format"}
        group.add_argument("--json", help="same as --format json", **same)
    group.add_argument("-o", "--output", default="-", metavar="FILE", help="write to this file")


def mapping_from_options(arguments: argparse.Namespace) -> Mapping:
    """Return the mapping of columns given by the options."""
    named = arguments.measure_name
    return Mapping(
        roles={name: role for role, name in arguments.column},
        directions={name or named: direction for name, direction in arguments.direction},
        positive=arguments.positive_class,
        score_direction=arguments.score_direction,
        measure_name=arguments.measure_name,
        rows=arguments.rows,
        n_datasets=arguments.datasets,
        winner=arguments.winner,
        doubts=dict(arguments.doubt),
    )


def results_from_options(arguments: argparse.Namespace) -> tuple[Results, Mapping]:
    """Return the results read from the files, and the mapping used.

    The threshold and the treatment of missing results are applied. If no column names the measure,
    --measure does.
    """
    _check_asked(arguments)
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
    results.select(datasets=arguments.without_dataset, algorithms=arguments.without_algorithm)
    if arguments.theta is not None:
        results = at_threshold(results, arguments.theta, arguments.scale)
    if not arguments.holes:
        return results
    return resolve_missing(results, _compared(arguments), arguments.holes, arguments.baseline)


def _compared(arguments: argparse.Namespace) -> Settings:
    """Return the settings that determine which results are missing."""
    return Settings(
        measure=arguments.measure,
        measures=tuple(arguments.measures) if "measures" in arguments else (),
        dataset=arguments.dataset,
        pair=tuple(arguments.pair) if "pair" in arguments else (),
        only=tuple(arguments.only) if "only" in arguments else (),
        without_algorithms=tuple(arguments.without_algorithm),
        without_datasets=tuple(arguments.without_dataset),
    )


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
        positions = [position for position, sign in enumerate(text) if sign == "="]
        splits = [(text[:position], text[position + 1 :]) for position in positions]
        renamings = [
            (key, old, new)
            for key in names
            for old, new in splits
            if old in getattr(results, key) and new
        ]
        if not renamings:
            raise SettingError(
                f'--rename needs OLD=NEW, where OLD is an algorithm or a data set. It is "{text}". '
                f"There are {join_names(results.algorithms, 8)} on {join_names(results.datasets, 4)}."
            )
        for key, old, new in renamings:
            names[key][old] = new
    return results.rename(**names)


def _check_asked(arguments: argparse.Namespace) -> None:
    """Raise SettingError if options contradict each other."""
    if arguments.holes:
        check_one_of(as_option(arguments.holes), HOLES, "holes")
    if arguments.baseline and arguments.holes != "baseline":
        raise SettingError(
            f"--baseline belongs to --holes baseline. --holes is {arguments.holes or 'not given'}. "
            "Ask for it, or leave --baseline out."
        )
    if "" in arguments.files:
        raise SettingError("Every file needs a name. One is empty. Name a file of results.")
    share = arguments.test_fraction
    if share is not None and not 0 < share < 1:
        raise SettingError(
            f"--test-fraction must lie between 0 and 1. It is {share:g}. "
            "Give n_test / n, such as 0.1 for ten folds."
        )
    if arguments.dataset and arguments.dataset in arguments.without_dataset:
        raise SettingError(
            f"A data set is looked at or left out, not both. {arguments.dataset} is named by "
            "--dataset and by --without-dataset. Take one away."
        )
    correction = getattr(arguments, "correction", "")
    if correction in CONTROL_CORRECTIONS and correction not in CORRECTIONS:
        if not arguments.control:
            raise SettingError(
                f"--correction {correction.replace('_', '-')} needs --control, the algorithm all "
                f"others are compared with. None is named. For all pairs: {list_choices(CORRECTIONS)}."
            )


def name_as_options(text: str, asked: Iterable[str]) -> str:
    """Replace names of settings in backquotes by options of the command.

    Examples
    --------
    >>> name_as_options("`alpha` must be less than `beta`.", ["alpha"])
    '--alpha must be less than `beta`.'
    """
    options = {name: f"--{name.replace('_', '-')}" for name in asked}
    options |= {"width_in": "--width"} if "width" in options else {}
    renamed = {"roles": "column", "directions": "direction", "positive": "positive_class"}
    options |= {
        name: options[name_in_command]
        for name, name_in_command in renamed.items()
        if name_in_command in options
    }
    return re.sub(r"`(\w+)`", lambda match: options.get(match[1], match[0]), text)


def settings_from_options(arguments: argparse.Namespace) -> Settings:
    """Return the settings given by the options."""
    return Settings(
        measure=arguments.measure,
        alpha=arguments.alpha,
        correction=arguments.correction,
        control=arguments.control,
        source=arguments.source,
        without_algorithms=tuple(arguments.without_algorithm),
        without_datasets=tuple(arguments.without_dataset),
        only=tuple(arguments.only),
        measures=tuple(arguments.measures),
        dataset=arguments.dataset,
        pair=tuple(arguments.pair),
        test=arguments.test,
        overlap=arguments.overlap,
        df=arguments.df,
        test_fraction=arguments.test_fraction,
        thresholds=arguments.thresholds,
        win=arguments.win,
        prior=tuple(arguments.prior),
        region=arguments.region,
        wish=arguments.wish,
    )


def _stdin() -> bytes:
    """Return the content of standard input, up to the limit on sizes."""
    try:
        return sys.stdin.buffer.read(current_limits().size + 1)
    except (OSError, AttributeError):  # standard input is closed or missing
        return b""


def _named(text: str) -> tuple[str, str]:
    """Split "role=name" at its first equals sign."""
    return _parts(text, text.partition("="))


def _wished(text: str) -> tuple[str, float]:
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


def _words(text: str) -> str:
    """Return "drop data sets" for "drop-data-sets"."""
    return text.replace("-", " ")


def as_option(words: str) -> str:
    """Return "drop-data-sets" for "drop data sets"."""
    return words.replace(" ", "-")


HOLES = tuple(map(as_option, CHOICES))


def list_choices(names) -> str:
    """Return the values of an option, separated by commas."""
    return ", ".join(str(name) for name in names)
