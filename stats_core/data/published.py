"""Published summary tables (average ranks, wins or decisions) used when results are unavailable."""

import itertools
from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd

from stats_core.core.formatting import escape_spreadsheet_formula, format_count
from stats_core.core.result_types import labeled_matrix
from stats_core.data import data_text

RANKS = "average ranks"
WINS = "wins"
DECISIONS = "decisions"
KINDS = (RANKS, WINS, DECISIONS)
# kind of table -> measure and direction
MEASURED = {
    RANKS: ("average rank", "lower"),
    WINS: ("wins", "higher"),
    DECISIONS: ("wins", "higher"),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Published:
    """A published summary table without the results behind it.

    Attributes
    ----------
    what : {"average ranks", "wins", "decisions"}
        The kind of summary.
    names : tuple of str
        The algorithms in the order of the table.
    n : int
        Number of data sets, 0 if unknown, which is allowed only for decisions.
    ranks : tuple of float
        Average ranks, 1 is best; () for other kinds.
    digits : int
        Decimals that ranks were printed with.
    wins, ties : tuple of tuple of int
        Number of data sets on which the row wins against, or ties with, the column; () for other
        kinds.
    decided : tuple of tuple of bool
        Whether the row is significantly better than the column; if not `sided`, whether they
        differ; () for other kinds.
    sided : bool
        Whether decisions state which algorithm is better.
    """

    what: str
    names: tuple[str, ...]
    n: int = 0
    ranks: tuple[float, ...] = ()
    digits: int = 0
    wins: tuple[tuple[int, ...], ...] = ()
    ties: tuple[tuple[int, ...], ...] = ()
    decided: tuple[tuple[bool, ...], ...] = ()
    sided: bool = True

    @property
    def lacks(self) -> str:
        """Sentence stating which summary this is, and that it does not contain results."""
        return data_text("published.lacks", content=self.label)

    @property
    def label(self) -> str:
        """Label of the content, used in place of a design: "average ranks only"."""
        return data_text(f"published.{self.what}")

    @property
    def over(self) -> str:
        """Number of data sets as text, "" if unknown."""
        return format_count(self.n, "data set") if self.n else ""

    @property
    def average_ranks(self) -> pd.Series:
        """Average rank of each algorithm; only for average ranks."""
        return pd.Series(self.ranks, index=list(self.names), dtype=float)

    def matrix(self, of: str) -> pd.DataFrame:
        """Return the table "wins", "ties" or "decided", algorithm x algorithm."""
        return labeled_matrix(np.array(getattr(self, of)), self.names)

    @property
    def values(self) -> pd.Series:
        """One number per algorithm: average rank, wins, or significant wins (differences if not `sided`)."""
        if self.what == RANKS:
            return self.average_ranks
        wins_matrix = self.matrix("wins" if self.what == WINS else "decided")
        return wins_matrix.sum(axis=1).astype(float)

    def renamed(self, names: Mapping[str, str]) -> "Published":
        """Return the summary with algorithms renamed."""
        return replace(self, names=tuple(names.get(name, name) for name in self.names))

    def table(self) -> pd.DataFrame:
        """Return the table as published: average ranks, "wins/ties/losses" of the row, or decisions as "1" and "0"."""
        if self.what == RANKS:
            table = pd.DataFrame({"algorithm": self.names, "average rank": self.ranks})
            return table.assign(datasets=self.n).set_index("algorithm")
        if self.what == WINS:
            cells = self._win_cells()
        else:
            cells = [[str(int(cell)) for cell in row] for row in self.decided]
        table = pd.DataFrame(cells, index=list(self.names), columns=list(self.names))
        return table.rename_axis("row beats column" if self.sided else "differ")

    def _win_cells(self) -> list[list[str]]:
        """Return "wins/ties/losses" of each row against each column."""
        k = len(self.names)
        cells = [[""] * k for _ in range(k)]
        for row, column in itertools.permutations(range(k), 2):
            wins = self.wins[row][column]
            ties = self.ties[row][column]
            losses = self.wins[column][row]
            cells[row][column] = f"{wins}/{ties}/{losses}"
        return cells

    def to_csv(self) -> str:
        """Return the table as CSV that `read_results` reads back unchanged."""
        table = self.table()
        named = table.set_axis([escape_spreadsheet_formula(name) for name in table.index])
        named.columns = [escape_spreadsheet_formula(name) for name in table.columns]
        return named.rename_axis(table.index.name).to_csv(lineterminator="\n")


def sum_of_ranks(k: int) -> float:
    """Return the sum of the average ranks of k algorithms, with or without ties.

    Examples
    --------
    >>> sum_of_ranks(5)
    15.0
    """
    return k * (k + 1) / 2


def rounding_error(digits: int) -> float:
    """Return the largest rounding or truncation error of a number with `digits` decimals."""
    return 10.0**-digits


def wrong_sum(average_ranks: pd.Series, digits: int) -> float | None:
    """Return the sum of published average ranks if rounding cannot explain it, else None.

    Examples
    --------
    >>> wrong_sum(pd.Series({"a": 1.2, "b": 2.1, "c": 3.2}), 1)
    6.5
    >>> wrong_sum(pd.Series({"a": 1.33, "b": 2.33, "c": 2.33}), 2)  # 5.99, as printed
    """
    k = len(average_ranks)
    total = float(average_ranks.sum())
    deviation = total - sum_of_ranks(k)
    tolerance = k * rounding_error(digits)
    noise = 1e-9 * k
    # truncation, unlike rounding, only lowers the sum
    is_rounding = -tolerance - noise <= deviation <= tolerance / 2 + noise
    return None if is_rounding else total


def impossible_average_ranks(average_ranks: pd.Series, n_datasets: int, digits: int) -> list[str]:
    """Return the algorithms whose average rank is impossible for the number of data sets.

    Examples
    --------
    >>> impossible_average_ranks(pd.Series({"a": 1.23, "b": 1.77}), 10, 2)
    ['a', 'b']
    """
    doubled_sum = 2 * n_datasets * average_ranks  # a whole number, but for rounding
    deviation = (doubled_sum - doubled_sum.round()).abs()
    is_impossible = deviation > 2 * n_datasets * rounding_error(digits)
    return [str(name) for name in average_ranks.index[is_impossible]]
