"""Shortened, user-defined and look-alike names of algorithms and data sets."""

import itertools
import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pandas as pd

from stats_core.core.errors import SettingError
from stats_core.core.formatting import without_controls
from stats_core.core.messages import message
from stats_core.data import row_checks
from stats_core.data.predictions import rename_categories as with_categories

if TYPE_CHECKING:
    from stats_core.data.results import Results


_CALL = re.compile(r"([^()]*[^()\s])\s*\((.*)\)", re.DOTALL)
_WORD = re.compile(r"[\s_\-:|/\\]+")
_KINDS = ("Classifier", "Regressor")  # endings shared by all estimators of a task
_PATH = re.compile(r"[^/\\\s][^/\\]*([/\\][^/\\\s][^/\\]*)+")
_OPEN = "([{"
_CLOSED = ")]}"
_QUOTES = "'\""


def short_names(names: Iterable[str]) -> dict[str, str]:
    r"""Return a short form of each name, keyed by name; distinct names have distinct short forms.

    Notes
    -----
    Paths keep the last parts that make them distinct; "Estimator(a=1, b=2)" keeps the parameters
    that differ between names of the same estimator; "Classifier" and "Regressor" at the end are
    dropped, as are words that all names begin or end with. A name keeps a letter and at least two
    characters, and stays unchanged if its short form equals another's. Shortening is idempotent.

    Examples
    --------
    >>> short_names(["SVC(C=1, tol=0.1)", "SVC(C=9, tol=0.1)", "MLPClassifier(alpha=1)"])
    {'SVC(C=1, tol=0.1)': 'SVC(C=1)', 'SVC(C=9, tol=0.1)': 'SVC(C=9)', 'MLPClassifier(alpha=1)': 'MLP'}
    >>> list(short_names(["runs/a/rf.csv", "runs/a/svm.csv"]).values())
    ['rf', 'svm']
    """
    short = {name: name for name in names}
    while True:
        shortened = short
        for step in (_last_parts, _without_same_parameters, _without_kinds, _without_ends):
            shortened = _made_distinct(shortened, step)
        if shortened == short:
            return short
        short = shortened


def _made_distinct(
    short: Mapping[str, str], step: Callable[[list[str]], list[str]]
) -> dict[str, str]:
    """Return names after one step, by original name; a name stays if the new one is unreadable, ambiguous or longer."""
    old_names = list(short.values())
    new_names = []
    for old, new in zip(old_names, step(old_names), strict=True):
        is_better = _can_be_read(new) and len(new) < len(old)
        new_names.append(new if is_better else old)
    while True:
        occurrences = Counter(name.casefold() for name in new_names)
        distinct = []
        for old, new in zip(old_names, new_names, strict=True):
            is_ambiguous = occurrences[new.casefold()] > 1
            distinct.append(old if is_ambiguous else new)
        if distinct == new_names:
            return dict(zip(short, new_names, strict=True))
        new_names = distinct


def _can_be_read(name: str) -> bool:
    has_letter = any(letter.isalpha() for letter in name)
    return len(name) > 1 and name == name.strip() and has_letter


def _last_parts(names: list[str]) -> list[str]:
    """Return the shortest distinct ends of paths, without a shared extension; `names` unless all are such paths."""
    if not all(_PATH.fullmatch(name) for name in names):
        return names
    parts = [re.split(r"[/\\]", name) for name in names]
    for n in range(1, max(map(len, parts), default=1)):
        ends = ["/".join(part[-n:]) for part in parts]
        if len({end.casefold() for end in ends}) == len(names):
            return _without_ending(ends)
    return names


def _without_ending(ends: list[str]) -> list[str]:
    """Return the names without their file extension if all share it, else unchanged."""
    endings = set()
    for end in ends:
        match = re.search(r"\.[A-Za-z]{2,8}$", end)
        endings.add(match[0] if match else "")
    if len(endings) > 1:
        return ends
    (shared,) = endings
    return [end.removesuffix(shared) for end in ends]


def _without_same_parameters(names: list[str]) -> list[str]:
    """Return names without parameters shared by all names of an estimator; a lone name loses all of them."""
    calls = {}
    parameters_of: dict[str, list[set[str]]] = {}  # by estimator
    for name in names:
        call = _split_call(name)
        if call is not None:
            calls[name] = call
            estimator, parameters = call
            parameters_of.setdefault(estimator, []).append(set(parameters))
    shared = {head: set.intersection(*of_names) for head, of_names in parameters_of.items()}
    short = []
    for name in names:
        if name not in calls:
            short.append(name)
            continue
        head, parameters = calls[name]
        differing = [parameter for parameter in parameters if parameter not in shared[head]]
        short.append(f"{head}({', '.join(differing)})" if differing else head)
    return short


def _split_call(name: str) -> tuple[str, list[str]] | None:
    """Return head and parameters of "head(a=1, b=[2, 3])", None for names of another form."""
    match = _CALL.fullmatch(name.strip())
    if not match:
        return None
    inside = match[2]
    parameters = []
    depth = 0  # number of open brackets
    quote = ""  # the open quotation mark
    start = 0
    for i, char in enumerate(inside):
        if quote:
            quote = "" if char == quote else quote
        elif char in _QUOTES:
            quote = char
        elif char in _OPEN:
            depth += 1
        elif char in _CLOSED:
            depth -= 1
        elif char == "," and depth == 0:
            parameters.append(inside[start:i])
            start = i + 1
        if depth < 0:
            return None
    if depth > 0 or quote:
        return None
    parameters.append(inside[start:])
    return match[1].strip(), [" ".join(part.split()) for part in parameters if part.strip()]


def _without_kinds(names: list[str]) -> list[str]:
    """Return the names without endings such as "Classifier", also before parameters."""
    return [_without_kind(name) for name in names]


def _without_kind(name: str) -> str:
    head, bracket, parameters = name.partition("(")
    for kind in _KINDS:
        head = head.removesuffix(kind)
    return f"{head}{bracket}{parameters}".strip()


def _without_ends(names: list[str]) -> list[str]:
    """Return the names without shared first and last words, as far as readable; `names` if one has parameters."""
    if len(names) < 2 or any(_split_call(name) for name in names):
        return names
    words = [_WORD.split(name) for name in names]
    first = _shared(words, 1)
    last = _shared(words, -1)
    options = itertools.product(range(first, -1, -1), range(last, -1, -1))
    for begin, end in sorted(options, key=sum, reverse=True):
        short = [_between(name, begin, end) for name in names]
        if all(_can_be_read(name) for name in short):
            return short
    return names


def _shared(words: list[list[str]], step: int) -> int:
    """Return how many first (step 1) or last (step -1) words all names share; each name keeps one word."""
    limit = min(map(len, words)) - 1
    n = 0
    while n < limit and len({name_words[::step][n] for name_words in words}) == 1:
        n += 1
    return n


def _between(name: str, begin: int, end: int) -> str:
    """Return a name without `begin` words at its start and `end` words at its end, "" if none is left."""
    breaks = list(_WORD.finditer(name))
    if begin + end > len(breaks):
        return ""
    start = breaks[begin - 1].end() if begin else 0
    stop = breaks[-end].start() if end else len(name)
    return name[start:stop]


_NOUNS = {"algorithm": "algorithm", "dataset": "data set"}


def rename(
    results: "Results", algorithms: Mapping[str, str], datasets: Mapping[str, str]
) -> "Results":
    """Return results with algorithms and data sets renamed, or `results` if no name changes; see `Results.rename`."""
    new_algorithms = checked_names(results.algorithms, algorithms, "algorithm")
    new_datasets = checked_names(results.datasets, datasets, "dataset")
    if not new_algorithms and not new_datasets:
        return results
    names = {"algorithm": new_algorithms, "dataset": new_datasets}
    note = message(
        "renamed", algorithms=tuple(new_algorithms.items()), datasets=tuple(new_datasets.items())
    )
    grids: dict[str, Any] = {
        name: None if table is None else _renamed(table, names)
        for name, table in results.beside.items()
    }
    predictions = results.predictions
    published = results.published
    renamed_algorithms = [new_algorithms.get(name, name) for name in results.algorithms]
    return replace(
        results,
        published=None if published is None else published.renamed(new_algorithms),
        _rows=row_checks.sort_rows(_renamed(results.frame, names)),
        _tags=results.tags.rename(index=new_datasets),
        _algorithms=row_checks.natural_order(renamed_algorithms),
        predictions=None if predictions is None else _renamed(predictions, names),
        notes=(*results.notes, note),
        undecided=None,
        **grids,
    )


def checked_names(existing: tuple[str, ...], names: Mapping[str, str], key: str) -> dict[str, str]:
    """Return the new names that differ, by old name; SettingError for unknown, empty, multi-line or repeated ones."""
    noun = _NOUNS[key]
    unknown = [name for name in names if name not in set(existing)]
    if unknown:
        raise SettingError.of("no such name", noun=noun, unknown=unknown, known=existing)
    changed = {}
    for old, name in names.items():
        new = without_controls(str(name)).strip()
        if new != old:
            changed[old] = new
    for old, new in changed.items():
        if not new or len(new.splitlines()) > 1:
            raise SettingError.of(
                "name not on a line", noun=_a(noun), old=old, new=" ".join(new.split())
            )
    used: dict[str, str] = {}
    for old in existing:
        new = changed.get(old, old)
        if new in used:
            raise SettingError.of(
                "one name for two", noun=noun, first=used[new], second=old, new=new
            )
        used[new] = old
    return changed


def _a(noun: str) -> str:
    return f"an {noun}" if noun[0] in "aeiou" else f"a {noun}"


def _renamed(table: pd.DataFrame, names: Mapping[str, Mapping[str, str]]) -> pd.DataFrame:
    """Return a table with the values of its key columns renamed."""
    columns = {}
    for key, new_names in names.items():
        if new_names and key in table:
            columns[key] = renamed_column(table[key], new_names)
    return table.assign(**columns)


def renamed_column(column: pd.Series, names: Mapping[str, str]) -> pd.Series:
    """Return a text or categorical column with its values renamed."""

    def name(old: str) -> str:
        return names.get(old, old)

    if isinstance(column.dtype, pd.CategoricalDtype):
        return with_categories(column, name)
    return column.map(name)


# Cyrillic and Greek letters that look like Latin ones
_LOOKS = dict(
    zip(
        "авсԁеһіјӏмпорԛѕтԝхуАВСЕНІЈКМОРЅТХУԌΑΒΕΖΗΙΚΜΝΟΡΤΥΧανορυικ",
        "abcdehijlmnopqstwxyABCEHIJKMOPSTXYGABEZHIKMNOPTYXavopuik",
        strict=True,
    )
)


def latin_skeleton(name: str) -> str:
    """Return a name with look-alike letters replaced by Latin letters, cut after 1000 characters unless it is ASCII.

    Examples
    --------
    >>> latin_skeleton("ѕvм") == latin_skeleton("svm")
    True
    """
    if name.isascii():
        return name
    return "".join(_LOOKS.get(c, c) for c in unicodedata.normalize("NFKC", name[:1000]))


def odd_letters(name: str, usual: str) -> str:
    """Return a description of the first letter in a name that is absent from the usual name, else of its first one."""
    odd = next((c for c in name if c not in usual), name[0])
    letter_name = unicodedata.name(odd, "a letter without a name").capitalize()
    return f"the letter {letter_name} (U+{ord(odd):04X})"
