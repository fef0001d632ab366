"""Which columns hold the probability of one class each, and which the scores of one model each."""

import re
from collections.abc import Iterable, Sequence

import numpy as np
import pandas as pd

from stats_core.core.numbers import EMPTY, NumericTable, numbers_of
from stats_core.data.row_checks import natural_key, natural_order
from stats_core.io.instance_checks import plain_label
from stats_core.io.vocabulary import class_columns

FEW = 1000  # of more different labels a truth is a number, not a class
_ROUNDED = 0.006  # how far the probabilities of one row may be from one, for each class


def class_scores(table: NumericTable, truth: str) -> dict[str, str]:
    """Return the columns that hold the probability of one class each, with the class."""
    labels = _labels(table, truth)
    others = [name for name in table.frame if name != truth]
    if len(labels) > FEW:
        return {}
    called = class_columns(others)
    exact = {plain_label(text) for text in called.values()} == set(labels)
    if called:
        numbers = _numbers(table, called)
        if sum_to_one(numbers) or (exact and not _rank_alike(numbers)):
            return called
    families = families_of(others, labels).values()
    whole = [one for one in families if sum_to_one(_numbers(table, one))]
    return whole[0] if len(whole) == 1 else {}


def families_of(columns: Iterable[str], labels: Sequence[str]) -> dict[str, dict[str, str]]:
    """Return groups of columns whose names differ in the class only, by what they share.

    Examples
    --------
    >>> families_of(["id", "rf_cat", "rf_dog", "cat"], ["cat", "dog"])
    {'rf': {'rf_cat': 'cat', 'rf_dog': 'dog'}}
    """
    found: dict[str, dict[str, str]] = {}
    if len(labels) < 2:
        return found
    for name in columns:
        for label in sorted(labels, key=len, reverse=True):
            end = re.fullmatch(rf"(?:(.+?)[\s_\-.:(\[]+)?{re.escape(label)}[)\]]?", name)
            start = re.fullmatch(rf"{re.escape(label)}[\s_\-.:]+(.+)", name)
            if match := end or start:
                found.setdefault(match[1] or "", {})[name] = label
                break
    whole = set(labels)
    return {shared: one for shared, one in found.items() if sorted(one.values()) == sorted(whole)}


def sum_to_one(columns: Sequence[pd.Series | None]) -> bool:
    """Tell whether some columns hold fractions that sum to one in each row, up to rounding."""
    parts = [part for part in columns if part is not None]
    if len(parts) < 2 or len(parts) < len(columns):
        return False
    found = np.column_stack(parts)
    known = found[~np.isnan(found).any(axis=1)]
    inside = len(known) > 0 and known.min() >= 0 and known.max() <= 1 + 1e-9
    return bool(inside and (np.abs(known.sum(axis=1) - 1) <= _ROUNDED * len(parts)).all())


def _numbers(table: NumericTable, columns: Iterable[str]) -> list[pd.Series | None]:
    return [numbers_of(table, name) for name in columns]


def _rank_alike(parts: Sequence[pd.Series | None]) -> bool:
    """Tell whether columns named 0 and 1 rank the cases alike, so that they are two models.

    The probabilities of two classes rank the cases in opposite orders.
    """
    first, second, *more = [*parts, None, None]
    if first is None or second is None or more[0] is not None:
        return False
    return bool(first.rank().corr(second.rank()) > 0)


def by_class(columns: Sequence[str], labels: Iterable[str]) -> dict[str, str]:
    """Return the class of each column of probabilities, empty if it cannot be known.

    Where the columns only number the classes, both are taken in their natural order.

    Examples
    --------
    >>> by_class(["p1", "p2"], ["no", "yes"]), by_class(["p_yes", "p_no"], ["no", "yes"])
    ({'p1': 'no', 'p2': 'yes'}, {'p_yes': 'yes', 'p_no': 'no'})
    >>> by_class(["p1", "p2", "p3"], ["no", "yes"])
    {}
    """
    seen = natural_order({plain_label(label) for label in labels} - set(EMPTY))
    called = class_columns(columns)
    named = called if len(called) == len(columns) else _without_shared(columns)
    if set(seen) <= {plain_label(text) for text in named.values()}:
        return named
    if len(columns) != len(seen):
        return {}
    places = sorted(columns, key=lambda name: natural_key(named[name]))
    return dict(zip(places, seen, strict=True))


def _without_shared(columns: Sequence[str]) -> dict[str, str]:
    """Return what is left of names without the words that all begin with."""
    parts = {name: re.split(r"(?<=[\s_\-.:(\[])", name) for name in columns}
    shared = 0
    while len({tuple(p[: shared + 1]) for p in parts.values()}) == 1 and all(
        len(p) > shared + 1 for p in parts.values()
    ):
        shared += 1
    return {name: "".join(p[shared:]).rstrip(")]") for name, p in parts.items()}


def _labels(table: NumericTable, truth: str) -> list[str]:
    found = {plain_label(text) for text in set(table.frame[truth].to_list())}
    return [str(label) for label in natural_order(found) if label.lower() not in EMPTY]
