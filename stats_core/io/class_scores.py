"""Detection of columns with the probability of each class."""

import re
from collections.abc import Iterable, Sequence

import numpy as np
import pandas as pd

from stats_core.data.row_checks import natural_key, natural_order
from stats_core.io.cell_numbers import EMPTY, TextTable, numbers_of
from stats_core.io.instance_checks import plain_label
from stats_core.io.vocabulary import class_columns

FEW = 1000  # with more distinct labels, true values are numbers, not classes
_ROUNDED = 0.006  # tolerance of the sum of probabilities, per class


def class_scores(table: TextTable, truth: str) -> dict[str, str]:
    """Return the columns with the probability of each class, with the class."""
    labels = _labels(table, truth)
    others = [name for name in table.frame if name != truth]
    if len(labels) > FEW:
        return {}
    by_name = class_columns(others)
    names_are_labels = {plain_label(text) for text in by_name.values()} == set(labels)
    if by_name:
        numbers = _numbers(table, by_name)
        if sum_to_one(numbers) or (names_are_labels and not _rank_alike(numbers)):
            return by_name
    families = families_of(others, labels).values()
    complete = [family for family in families if sum_to_one(_numbers(table, family))]
    return complete[0] if len(complete) == 1 else {}


def families_of(columns: Iterable[str], labels: Sequence[str]) -> dict[str, dict[str, str]]:
    """Return columns whose names differ only in the class, by their common part.

    Examples
    --------
    >>> families_of(["id", "rf_cat", "rf_dog", "cat"], ["cat", "dog"])
    {'rf': {'rf_cat': 'cat', 'rf_dog': 'dog'}}
    """
    families: dict[str, dict[str, str]] = {}
    if len(labels) < 2:
        return families
    for name in columns:
        for label in sorted(labels, key=len, reverse=True):
            label_last = re.fullmatch(rf"(?:(.+?)[\s_\-.:(\[]+)?{re.escape(label)}[)\]]?", name)
            label_first = re.fullmatch(rf"{re.escape(label)}[\s_\-.:]+(.+)", name)
            if match := label_last or label_first:
                families.setdefault(match[1] or "", {})[name] = label
                break
    all_labels = set(labels)
    return {
        shared: family
        for shared, family in families.items()
        if sorted(family.values()) == sorted(all_labels)
    }


def sum_to_one(columns: Sequence[pd.Series | None]) -> bool:
    """Return whether columns hold fractions that sum to one in each row, up to rounding."""
    parts = [part for part in columns if part is not None]
    if len(parts) < 2 or len(parts) < len(columns):
        return False
    matrix = np.column_stack(parts)
    complete = matrix[~np.isnan(matrix).any(axis=1)]
    are_fractions = len(complete) > 0 and complete.min() >= 0 and complete.max() <= 1 + 1e-9
    return bool(are_fractions and (np.abs(complete.sum(axis=1) - 1) <= _ROUNDED * len(parts)).all())


def _numbers(table: TextTable, columns: Iterable[str]) -> list[pd.Series | None]:
    return [numbers_of(table, name) for name in columns]


def _rank_alike(parts: Sequence[pd.Series | None]) -> bool:
    """Return whether columns named 0 and 1 rank instances alike, so that they are two models.

    The probabilities of two classes rank the instances in opposite orders.
    """
    first, second, *others = [*parts, None, None]
    if first is None or second is None or others[0] is not None:
        return False
    return bool(first.rank().corr(second.rank()) > 0)


def by_class(columns: Sequence[str], labels: Iterable[str]) -> dict[str, str]:
    """Return the class of each probability column, {} if it is unknown.

    If the columns only number the classes, both are matched in natural order.

    Examples
    --------
    >>> by_class(["p1", "p2"], ["no", "yes"]), by_class(["p_yes", "p_no"], ["no", "yes"])
    ({'p1': 'no', 'p2': 'yes'}, {'p_yes': 'yes', 'p_no': 'no'})
    >>> by_class(["p1", "p2", "p3"], ["no", "yes"])
    {}
    """
    classes = natural_order({plain_label(label) for label in labels} - set(EMPTY))
    by_name = class_columns(columns)
    column_classes = by_name if len(by_name) == len(columns) else _without_shared(columns)
    if set(classes) <= {plain_label(text) for text in column_classes.values()}:
        return column_classes
    if len(columns) != len(classes):
        return {}
    ordered = sorted(columns, key=lambda name: natural_key(column_classes[name]))
    return dict(zip(ordered, classes, strict=True))


def _without_shared(columns: Sequence[str]) -> dict[str, str]:
    """Return column names without the words that all begin with."""
    parts = {name: re.split(r"(?<=[\s_\-.:(\[])", name) for name in columns}
    shared = 0
    while len({tuple(p[: shared + 1]) for p in parts.values()}) == 1 and all(
        len(p) > shared + 1 for p in parts.values()
    ):
        shared += 1
    return {name: "".join(p[shared:]).rstrip(")]") for name, p in parts.items()}


def _labels(table: TextTable, truth: str) -> list[str]:
    distinct = {plain_label(text) for text in set(table.frame[truth].to_list())}
    return [str(label) for label in natural_order(distinct) if label.lower() not in EMPTY]
