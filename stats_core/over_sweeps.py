"""Sweeps over thresholds on many data sets: who wins the sweep on more of them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import permutations

import numpy as np
import pandas as pd

from stats_core._check import check_probability
from stats_core._sweep_tests import sign_pvalues
from stats_core.adjust import adjust_pairs
from stats_core.errors import DataError, DesignError
from stats_core.outcome import pairs_table, square
from stats_core.sweep import Sweep
from stats_core.wording import count, listed, p_phrase


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class SweepWins:
    """On how many data sets each algorithm wins the sweep against each other.

    Attributes
    ----------
    datasets : tuple of str
        The data sets.
    alpha : float
        Level of the tally on a data set and of the test over data sets.
    wins : DataFrame, algorithm x algorithm
        Data sets on which the row beats the column by its `Sweep.tally`.
    won : dict of (str, str) to tuple of str
        The data sets behind each count.
    pvalues : DataFrame, algorithm x algorithm
        Two-tailed sign test over the data sets, ties split evenly, Bonferroni over the pairs.
    method : str
        The test really used.
    """

    datasets: tuple[str, ...]
    alpha: float
    wins: pd.DataFrame
    won: dict[tuple[str, str], tuple[str, ...]]
    pvalues: pd.DataFrame
    method: str

    @property
    def n(self) -> int:
        """Number of data sets."""
        return len(self.datasets)

    @property
    def smallest(self) -> float:
        """The smallest adjusted p that so many data sets can reach."""
        pairs = len(self.wins) * (len(self.wins) - 1) // 2
        best = sign_pvalues([self.n], [0], self.n, two_sided=True)[0]
        return min(1.0, float(best) * pairs)

    def to_frame(self) -> pd.DataFrame:
        """Return one row per pair: first, second, wins, losses, ties, p adjusted, differs."""
        table = pairs_table(wins=self.wins, losses=self.wins.T, p=self.pvalues)
        table.insert(4, "ties", self.n - table["wins"] - table["losses"])
        table = table.rename(columns={"p": "p adjusted"})
        table["differs"] = table["p adjusted"] <= self.alpha
        return table

    @property
    def text(self) -> str:
        """The result in one sentence."""
        table = self.to_frame()
        sets, pairs = count(self.n, "data set"), count(len(table), "pair")
        if self.smallest > self.alpha:
            return (
                f"{sets} cannot show who wins more sweeps: for {pairs} the "
                f"sign test reaches {p_phrase(self.smallest, self.alpha)} at best."
            )
        found = table[table["differs"]].sort_values("p adjusted", kind="stable")
        if not len(found):
            return (
                f"Over {sets} no pair is shown to differ in who wins the sweep over thresholds "
                f"(two-tailed sign test, {pairs}, Bonferroni)."
            )
        said = [_beaten(row, self.alpha) for row in found.to_dict("records")]
        return f"Over {sets} the sweep over thresholds is won by {listed(said)}."


def over_data_sets(sweeps: Mapping[str, Sweep], *, alpha: float = 0.05) -> SweepWins:
    """Which algorithm wins the sweep over thresholds on more data sets than another?

    Parameters
    ----------
    sweeps : mapping of data set to Sweep
        Of the same algorithms, measures, thresholds and rule.
    alpha : float
        Level of the right-tailed sign test on each data set, and of the test over them.

    Returns
    -------
    SweepWins

    Raises
    ------
    DataError, DesignError, SettingError
        No sweep at all; sweeps of different algorithms or made in different ways; `alpha` outside
        (0, 1).

    Notes
    -----
    On a data set i beats l if the right-tailed sign test over thresholds rejects (`Sweep.tally`);
    there it is a rule that counts a win, not a test, since neighbouring thresholds are not
    independent. Data sets are: the two-tailed sign test over them is a test, with data sets that
    neither wins split evenly, an odd one dropped.

    References
    ----------
    Aslan's thesis 2009, section 7.1, Tables 7.4, 7.5, 7.9 and 7.10.

    Examples
    --------
    >>> import numpy as np
    >>> from stats_core.sweep import sweep
    >>> same = sweep(np.ones((21, 2, 10, 4)), ["a", "b"])
    >>> over_data_sets({"one": same, "two": same}).smallest
    0.5
    """
    check_probability(alpha, "alpha")
    names = _check_sweeps(sweeps)
    won: dict[tuple[str, str], list[str]] = {pair: [] for pair in permutations(names, 2)}
    for dataset, found in sweeps.items():
        tally = found.tally(alpha)
        for first, second in tally.loc[tally["beats"], ["first", "second"]].to_numpy():
            won[first, second].append(str(dataset))
    wins = pd.DataFrame(0, index=list(names), columns=list(names))
    for (first, second), sets in won.items():
        wins.loc[first, second] = len(sets)
    counts = wins.to_numpy()
    raw = sign_pvalues(counts, counts.T, len(sweeps), two_sided=True)
    np.fill_diagonal(raw, 1.0)
    return SweepWins(
        datasets=tuple(str(dataset) for dataset in sweeps),
        alpha=alpha,
        wins=wins,
        won={pair: tuple(sets) for pair, sets in won.items()},
        pvalues=adjust_pairs(square(raw, names), "bonferroni"),
        method="two-tailed sign test over data sets, exact, ties split, Bonferroni over pairs",
    )


def _check_sweeps(sweeps: Mapping[str, Sweep]) -> Sequence[str]:
    """Return the algorithms, if all sweeps are of the same ones and made alike."""
    if not sweeps:
        raise DesignError("A test over data sets needs sweeps. There is none. Sweep one data set.")
    first, *others = sweeps.values()
    for other in others:
        if set(other.names) != set(first.names):
            raise DataError(
                [
                    "Sweeps must compare the same algorithms. They compare "
                    f"{listed(first.names)}, and {listed(other.names)}. Select what all share."
                ]
            )
        same = (first.thetas, first.measures, first.alpha, first.rule)
        if (other.thetas, other.measures, other.alpha, other.rule) != same:
            raise DataError(
                [
                    "Sweeps must share thresholds, measures, alpha and rule. They do not. "
                    "Sweep all data sets in the same way."
                ]
            )
    return first.names


def _beaten(row: dict, alpha: float) -> str:
    """Write who beats whom, for example "svm over nb (13 to 0, p 0.010)"."""
    winner, loser = row["first"], row["second"]
    most, least = row["wins"], row["losses"]
    if most < least:
        winner, loser, most, least = loser, winner, least, most
    return f"{winner} over {loser} ({most} to {least}, {p_phrase(row['p adjusted'], alpha)})"
