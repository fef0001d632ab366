"""Wins over data sets: who is better on how many, and the sign test on these counts."""

from dataclasses import dataclass
from itertools import compress
from typing import Literal

import numpy as np
import pandas as pd

from stats_core._check import check_one_of, check_probability
from stats_core._set_winners import by_average, by_test
from stats_core._sweep_tests import sign_pvalues
from stats_core.adjust import FAMILY_METHODS, PAIR_METHODS, adjust_pairs
from stats_core.analysis import TUKEY, Settings
from stats_core.errors import DataError, DesignError
from stats_core.fold_tests import PAIR_TESTS
from stats_core.outcome import pairs_table, square
from stats_core.results import Results
from stats_core.wording import count, listed, p_phrase

BY = ("average", "test")
# these leave the smallest p-value as it is where all pairs share it
_FREE_IF_SHARED = ("none", "hochberg", "hommel")
_SAID = 4  # pairs named in the sentence


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class SetWins:
    """On how many data sets each algorithm wins over each other.

    Attributes
    ----------
    datasets : tuple of str
        The data sets that were decided.
    measure : str
        What was compared.
    alpha : float
        Level of the test on a data set and of the sign test over data sets.
    sign_correction : str
        How the p-values of the sign test pay for the number of pairs.
    wins : DataFrame, algorithm x algorithm
        Data sets on which the row wins over the column.
    ties : DataFrame, algorithm x algorithm
        Data sets on which neither wins; symmetric, 0 on the diagonal.
    won : dict of (str, str) to tuple of str
        The data sets behind each count of wins.
    total : Series by algorithm
        Data sets on which it wins over at least one other: the union along its row, not the sum.
    raw : DataFrame, algorithm x algorithm
        Two-tailed sign test over data sets, ties split evenly, unadjusted.
    pvalues : DataFrame, algorithm x algorithm
        The same, adjusted.
    skipped : dict of str to str
        Data sets that could not be decided, with the reason.
    win : str
        What decides on a data set, for example "average error".
    method : str
        The test really used over data sets, and what counts as a win.
    """

    datasets: tuple[str, ...]
    measure: str
    alpha: float
    sign_correction: str
    wins: pd.DataFrame
    ties: pd.DataFrame
    won: dict[tuple[str, str], tuple[str, ...]]
    total: pd.Series
    raw: pd.DataFrame
    pvalues: pd.DataFrame
    skipped: dict[str, str]
    win: str
    method: str

    @property
    def names(self) -> tuple[str, ...]:
        """The algorithms."""
        return tuple(self.wins.index)

    @property
    def n(self) -> int:
        """Number of data sets that were decided."""
        return len(self.datasets)

    @property
    def differs(self) -> pd.DataFrame:
        """Which pairs the sign test separates; symmetric."""
        return self.pvalues <= self.alpha

    @property
    def better(self) -> pd.DataFrame:
        """Where the row wins on significantly more data sets than the column."""
        return self.differs & (self.wins > self.wins.T)

    @property
    def smallest(self) -> float:
        """The smallest adjusted p that so many data sets can reach."""
        pairs = len(self.wins) * (len(self.wins) - 1) // 2
        best = float(sign_pvalues(self.n, 0, self.n, two_sided=True))
        return min(1.0, best * (1 if self.sign_correction in _FREE_IF_SHARED else pairs))

    def to_frame(self) -> pd.DataFrame:
        """Return one row per pair: first, second, wins, losses, ties, p, p adjusted, differs."""
        table = pairs_table(
            wins=self.wins,
            losses=self.wins.T,
            ties=self.ties,
            p=self.raw,
            adjusted=self.pvalues,
            differs=self.differs,
        )
        return table.rename(columns={"adjusted": "p adjusted"})

    @property
    def text(self) -> str:
        """The result in one sentence."""
        table = self.to_frame()
        sets, pairs = count(self.n, "data set"), count(len(table), "pair")
        if self.smallest > self.alpha:
            return (
                f"{sets} cannot show who wins on more of them: for {pairs} the sign test "
                f"({_adjusted(self.sign_correction)}) reaches "
                f"{p_phrase(self.smallest, self.alpha)} at best."
            )
        found = table[table["differs"]].sort_values("p adjusted", kind="stable")
        if not len(found):
            return (
                f"Over {sets} the sign test on wins by {self.win} {_none(table)} "
                f"({_adjusted(self.sign_correction)}, smallest "
                f"{p_phrase(table['p adjusted'].min(), self.alpha)})."
            )
        said = [_beaten(row, self.alpha) for row in found.head(_SAID).to_dict("records")]
        if len(found) > _SAID:
            said.append(f"likewise in {count(len(found) - _SAID, 'other pair')}")
        return (
            f"Over {sets} more wins by {self.win} go {listed(said, _SAID + 1)} "
            f"(sign test, {_adjusted(self.sign_correction)})."
        )


def set_wins(
    results: Results,
    *,
    measure: str,
    by: Literal["average", "test"] = "average",
    test: str = "",
    overlap: bool = True,
    correction: str = "none",
    alpha: float = 0.05,
    sign_correction: str = "none",
    test_fraction: float | None = None,
) -> SetWins:
    """On how many data sets does each algorithm win over each other, and is it more than chance?

    Parameters
    ----------
    results : Results
        Two or more algorithms.
    measure : str
        The measure compared.
    by : {"average", "test"}
        A win is a better average, ties by `Results.averages` within 1e-9; or it is a test on
        the folds of the data set that rejects, and the better mean.
    test : str
        By "test": one of `PAIR_TESTS` or "Tukey"; the one that each design advises if empty.
    overlap : bool
        By "test": whether Tukey, and the choice of the advised test, allow for training sets
        that overlap; the papers did not.
    correction : str
        By "test": one of the methods of `adjust_pairs`, over the pairs of one data set. Tukey's
        p-values already pay for all pairs and are left as they are.
    alpha : float
        Level of the test on a data set, and of the sign test over them.
    sign_correction : {"none", "bonferroni", "holm", "hochberg", "hommel"}
        How the sign test pays for the number of pairs.
    test_fraction : float, optional
        By "test": n_test / (n_train + n_test) where neither the file nor the design tells it.

    Returns
    -------
    SetWins

    Raises
    ------
    SettingError
        Unknown measure, test or correction; alpha outside (0, 1).
    DesignError
        Fewer than two algorithms, or no data set can be decided.

    Notes
    -----
    A data set without a winner is a tie: in the sign test half of the ties count for each side
    and an odd one is dropped. Ulas et al. do not adjust the sign test for the number of pairs,
    the thesis does, by Bonferroni. The corrections that use which hypotheses can be true
    together (Shaffer, Bergmann-Hommel) do not hold here: a may win as often as b, and b as
    often as c, while a wins more often than c. A data set with a failed run is left out, unless
    the user let failures rank worst: then, by "average", a failure loses to any result.

    References
    ----------
    Ulas, Yildiz and Alpaydin, Pattern Recognition 45 (2012) 1772, sections 2.1, 4.2 and 4.4;
    Aslan's thesis 2009, sections 4.6, 6.1 and 7.2 (the total).

    Examples
    --------
    >>> import pandas as pd
    >>> table = pd.DataFrame({"dataset": list("uuvvwwxxyyzz"), "algorithm": list("ab") * 6,
    ...                       "error": [0.1, 0.2] * 6})
    >>> found = set_wins(Results.from_frame(table), measure="error")
    >>> int(found.wins.loc["a", "b"]), float(found.pvalues.loc["a", "b"])
    (6, 0.03125)
    """
    _check(results, measure, by, test, correction, alpha, sign_correction)
    if by == "average":
        found = by_average(results, measure)
    else:
        settings = Settings(
            measure=measure,
            test=test,
            overlap="corrected" if overlap else "ignored",
            correction=correction,
            alpha=alpha,
            test_fraction=test_fraction,
        )
        found = by_test(results, settings)
    n = len(found.datasets)
    if not n:
        raise DesignError(
            "Wins need at least one data set that can be decided. "
            f"{next(iter(found.skipped.values()), 'There is none. Add results.')}"
        )
    names = results.algorithms
    wins = square(found.better.sum(axis=0), names)
    raw = sign_matrix(wins, n)
    win, rule = _rule(measure, found.tests, correction, alpha)
    return SetWins(
        datasets=found.datasets,
        measure=measure,
        alpha=alpha,
        sign_correction=sign_correction,
        wins=wins,
        ties=(n - wins - wins.T).where(~np.eye(len(names), dtype=bool), 0),
        won=_won(found.better, names, found.datasets),
        total=pd.Series(found.better.any(axis=2).sum(axis=0), index=list(names)),
        raw=raw,
        pvalues=adjust_pairs(raw, sign_correction),
        skipped=found.skipped,
        win=win,
        method="two-tailed sign test over data sets, exact, ties split, "
        f"{_adjusted(sign_correction)}; a win: {rule}",
    )


def sign_matrix(wins: pd.DataFrame, n: int, *, correction: str = "none") -> pd.DataFrame:
    """Which pairs does the sign test separate, given only the table of wins?

    Parameters
    ----------
    wins : DataFrame, algorithm x algorithm
        On how many data sets the row wins over the column; the diagonal does not count.
    n : int
        Number of data sets. Those that neither wins are ties.
    correction : {"none", "bonferroni", "holm", "hochberg", "hommel"}
        Over all pairs of the table.

    Returns
    -------
    DataFrame, algorithm x algorithm
        Two-tailed p-values, symmetric, 1 on the diagonal.

    Raises
    ------
    DataError, SettingError
        Not a square table of whole numbers with the same names on both sides; more wins and
        losses than data sets; unknown correction.

    References
    ----------
    Ulas, Yildiz and Alpaydin 2012, section 2.1; Aslan's thesis 2009, section 4.6.

    Examples
    --------
    >>> import pandas as pd
    >>> printed = pd.DataFrame([[0, 1], [11, 0]], index=["NB", "Ripper"], columns=["NB", "Ripper"])
    >>> round(float(sign_matrix(printed, 15).loc["NB", "Ripper"]), 4)
    0.0129
    """
    check_one_of(correction, FAMILY_METHODS, "correction")
    counts = _counts(wins, n)
    raw = sign_pvalues(counts, counts.T, n, two_sided=True)
    np.fill_diagonal(raw, 1.0)
    return adjust_pairs(square(raw, wins.index), correction)


def _check(
    results: Results,
    measure: str,
    by: str,
    test: str,
    correction: str,
    alpha: float,
    sign_correction: str,
) -> None:
    results.direction(measure)
    check_one_of(by, BY, "by")
    check_one_of(correction, PAIR_METHODS, "correction")
    check_one_of(sign_correction, FAMILY_METHODS, "sign_correction")
    check_probability(alpha, "alpha")
    if test:
        check_one_of(test, (TUKEY, *PAIR_TESTS), "test")
    if len(results.algorithms) < 2:
        raise DesignError(
            f"Wins need at least 2 algorithms. There is {len(results.algorithms)}. Add another."
        )


def _counts(wins: pd.DataFrame, n: int) -> np.ndarray:
    """Return the table of wins as whole numbers with an empty diagonal, or say what is wrong."""
    if wins.shape[0] != wins.shape[1] or list(wins.index) != list(wins.columns):
        raise DataError(
            [
                "`wins` must be a square table with the same names on both sides. "
                f"It is {wins.shape[0]} x {wins.shape[1]}. Leave out the column of totals."
            ]
        )
    counts = wins.to_numpy(dtype=float, copy=True)
    np.fill_diagonal(counts, 0)
    if not ((counts >= 0) & (counts == np.floor(counts)) & (counts + counts.T <= n)).all():
        raise DataError(
            [
                f"`wins` must be whole numbers, and wins and losses of a pair at most {n} "
                "together. They are not. Check the number of data sets."
            ]
        )
    return counts.astype(int)


def _won(
    better: np.ndarray, names: tuple[str, ...], datasets: tuple[str, ...]
) -> dict[tuple[str, str], tuple[str, ...]]:
    """Name the data sets of every pair."""
    columns = np.ascontiguousarray(better.transpose(1, 2, 0))
    return {
        (a, b): tuple(compress(datasets, columns[i, j].tobytes()))
        for i, a in enumerate(names)
        for j, b in enumerate(names)
        if i != j
    }


def _rule(measure: str, tests: dict[str, int], correction: str, alpha: float) -> tuple[str, str]:
    """Say what decides on a data set, and in full what a win is."""
    if not tests:
        return f"average {measure}", f"better average {measure}"
    named = {key: "Tukey's test" if key == TUKEY else PAIR_TESTS[key].name for key in tests}
    if len(tests) == 1:
        (test,) = named.values()
        win = f"{test} on {measure}"
    else:
        test = listed([f"{named[key]} on {count(n, 'data set')}" for key, n in tests.items()])
        win = f"the advised tests on {measure}"
    paid = "" if set(tests) == {TUKEY} else f", {_adjusted(correction)}"
    return win, f"better mean {measure} and p at most {alpha:g}, {test}{paid}"


def _adjusted(correction: str) -> str:
    return "unadjusted" if correction == "none" else f"{correction.capitalize()} over pairs"


def _none(table: pd.DataFrame) -> str:
    if len(table) == 1:
        return f"does not separate {table['first'].iloc[0]} from {table['second'].iloc[0]}"
    return f"separates none of {count(len(table), 'pair')}"


def _beaten(row: dict, alpha: float) -> str:
    """Write who wins more often, for example "to svr than to nb (13 to 0, p 0.010)"."""
    winner, loser = row["first"], row["second"]
    most, least = row["wins"], row["losses"]
    if most < least:
        winner, loser, most, least = loser, winner, least, most
    return f"to {winner} than to {loser} ({most} to {least}, {p_phrase(row['p adjusted'], alpha)})"
