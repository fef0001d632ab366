"""The pairs that a comparison tests: decisions at once, intervals when they are needed."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import isnan, nan
from typing import Any

import numpy as np
import pandas as pd

from stats_core.core.result_types import cached
from stats_core.core.validation import significant
from stats_core.inference.pair_intervals import Guarantee, guarantee_of

# columns of every kind; NaN if a test has no interval or no unadjusted p-value
PAIR_COLUMNS = (
    "first",
    "second",
    "estimate",
    "low",
    "high",
    "statistic",
    "p",
    "p adjusted",
    "separated",
)


def _as_they_are(rows: pd.DataFrame) -> pd.DataFrame:
    return rows


@dataclass(frozen=True, kw_only=True, eq=False)
class Pairs:
    """The compared pairs of a comparison, one row each, smallest adjusted p first.

    Attributes
    ----------
    decisions : DataFrame
        Rows numbered from 0. `PAIR_COLUMNS`, then columns of the kind of comparison; among these
        "p published", the adjusted p-value with the published degrees of freedom, if it differs.
    correction : str or None
        Correction for which the intervals hold, a key of `CORRECTIONS`; None for a single
        comparison.
    measure_rows : callable
        Function from some rows of `decisions` to these rows with "estimate", "low" and "high",
        which take long for thousands of pairs; by default `decisions` has them.

    Examples
    --------
    >>> rows = pairs_frame(list("abc"), {"p adjusted": [0.2, 0.01, 0.3]}, 0.05)
    >>> pairs = Pairs(decisions=rows, correction="holm", measure_rows=lambda some: some.assign(low=1.0))
    >>> len(pairs), pairs.differing, float(pairs.of("c", "a")["low"]), bool(rows["low"].isna().all())
    (3, [('a', 'c')], 1.0, True)
    """

    decisions: pd.DataFrame
    correction: str | None
    measure_rows: Callable[[pd.DataFrame], pd.DataFrame] = _as_they_are

    def __len__(self) -> int:
        return len(self.decisions)

    @cached_property
    def frame(self) -> pd.DataFrame:
        """`decisions` with estimates and intervals."""
        return self.measure_rows(self.decisions)

    def with_intervals(self, rows: pd.DataFrame) -> pd.DataFrame:
        """Return some rows of `decisions` with estimates and intervals, computed for these alone."""
        if len(rows) == len(self) or "frame" in vars(self):
            return self.frame.loc[rows.index]
        return self._measured(tuple(rows.index))

    @cached
    def _measured(self, numbers: tuple[int, ...]) -> pd.DataFrame:
        return self.measure_rows(self.decisions.loc[list(numbers)])

    def of(self, first: str, second: str) -> pd.Series:
        """Return the row of `frame` for two algorithms, in either order; KeyError if they are not compared."""
        row = self._row_of[frozenset((first, second))]
        return self.with_intervals(self.decisions.iloc[[row]]).iloc[0]

    def adjusted_p(self, first: str, second: str) -> float:
        """Return the adjusted p-value of two algorithms; KeyError if they are not compared."""
        return float(self.decisions["p adjusted"].iat[self._row_of[frozenset((first, second))]])

    def published_p(self, first: str, second: str) -> float | None:
        """Return the adjusted p-value with the published degrees of freedom; None if it is the same or undefined."""
        if "p published" not in self.decisions:
            return None
        return float(self.decisions["p published"].iat[self._row_of[frozenset((first, second))]])

    @cached_property
    def _row_of(self) -> dict[frozenset[str], int]:
        names = map(frozenset, names_of_pairs(self.decisions))
        return {pair: row for row, pair in enumerate(names)}

    @cached_property
    def differing(self) -> list[tuple[str, str]]:
        """Pairs that differ significantly, each as ordered in `decisions`."""
        return names_of_pairs(self.decisions[self.decisions["separated"].astype(bool)])

    def guarantee(self, *, separated: bool) -> Guarantee:
        """Return what the interval of a pair with this decision guarantees, as `guarantee_of`; "" for a single comparison."""
        return "" if self.correction is None else guarantee_of(self.correction, separated=separated)

    def guarantees(self, separated: Iterable[bool] | None = None) -> list[Guarantee]:
        """Return what the intervals of pairs with these decisions guarantee, by default of all, each guarantee once."""
        decisions = self.decisions["separated"] if separated is None else separated
        return sorted({self.guarantee(separated=bool(each)) for each in decisions})

    def with_guarantees(self) -> pd.DataFrame:
        """Return `frame` with the column "interval": what it guarantees, "" without an interval."""
        rows = self.frame
        return rows.assign(
            interval=[
                "" if isnan(low) else self.guarantee(separated=bool(separated))
                for low, separated in zip(rows["low"], rows["separated"], strict=True)
            ]
        )

    def to_frame(self) -> pd.DataFrame:
        """Return the columns that all kinds of comparison share, those of `foldwise.compare(...).pairs`.

        These are `PAIR_COLUMNS`, "interval" as in `with_guarantees`, and "p published" if it
        differs.
        """
        rows = self.with_guarantees()
        published = [name for name in ("p published",) if name in rows]
        return rows[[*PAIR_COLUMNS, "interval", *published]]


def pairs_frame(
    order: Sequence[str],
    columns: Mapping[str, Any],
    alpha: float,
    by: Sequence[str] = ("p adjusted", "p"),
) -> pd.DataFrame:
    """Return one row per pair, sorted by the columns `by`: `PAIR_COLUMNS`, then other columns.

    Pairs are all pairs of `order`, the earlier algorithm first, unless columns "first" and "second"
    are given. A column given as a matrix, algorithm x algorithm, is looked up by pair; None omits
    it. "separated" is p adjusted <= alpha unless given.

    Examples
    --------
    >>> pairs_frame(list("abc"), {"p adjusted": [0.2, 0.01, 0.3]}, 0.05)[["second", "separated"]]
      second  separated
    0      c       True
    1      b      False
    2      c      False
    """
    first, second = ordered_pairs(order)
    values = {
        name: pair_values(column, order) if isinstance(column, pd.DataFrame) else column
        for name, column in columns.items()
        if column is not None
    }
    table = pd.DataFrame(
        {"first": first, "second": second, **dict.fromkeys(PAIR_COLUMNS[2:], nan), **values}
    )
    if "separated" not in columns:
        table["separated"] = significant(table["p adjusted"].to_numpy(), alpha)
    return table.sort_values(list(by), kind="stable", ignore_index=True)


def ordered_pairs(order: Sequence[str]) -> tuple[np.ndarray, np.ndarray]:
    """Return first and second algorithm of all pairs, in the order of `order`."""
    rows, columns = np.triu_indices(len(order), 1)
    names = np.array(order, dtype=object)
    return names[rows], names[columns]


def names_of_pairs(pairs: pd.DataFrame) -> list[tuple[str, str]]:
    """Return first and second algorithm of each row; columns of Arrow are slow to iterate."""
    first, second = (pairs[name].to_numpy(dtype=object) for name in ("first", "second"))
    return list(zip(first.tolist(), second.tolist(), strict=True))


def pair_values(matrix: pd.DataFrame, order: Sequence[str]) -> np.ndarray:
    """Return the elements of a matrix, algorithm x algorithm, in the order of `ordered_pairs`."""
    rows, columns = np.triu_indices(len(order), 1)
    position_of = {
        name: i for i, name in enumerate(matrix.index.tolist())
    }  # ten times as fast as get_indexer
    positions = np.array([position_of[name] for name in order], dtype=int)
    return matrix.to_numpy()[positions[rows], positions[columns]]
