"""Numbers of data sets on which each algorithm beats each other algorithm, with sign tests."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import compress, permutations

import numpy as np
import pandas as pd

from stats_core.core.errors import DataError, DesignError
from stats_core.core.formatting import format_count, p_phrase
from stats_core.core.messages import Message
from stats_core.core.result_types import labeled_matrix, pairs_table
from stats_core.core.validation import check_one_of, significant
from stats_core.inference import inference_text
from stats_core.inference.multiplicity import adjust
from stats_core.inference.multiplicity.adjust import CORRECTIONS, FAMILY_METHODS, STEP_DOWN
from stats_core.inference.paired import signed_ranks

_NAMES = {**CORRECTIONS, "bergmann_hommel_plain": "Bergmann-Hommel as published"}


class _Won(Mapping):
    """Lazy mapping from an ordered pair to the data sets that its first algorithm wins."""

    def __init__(self, cube: np.ndarray, names: Sequence[str], datasets: Sequence[str]) -> None:
        self._cube = cube
        self._datasets = datasets
        self._places = {name: position for position, name in enumerate(names)}

    def __getitem__(self, pair: tuple[str, str]) -> tuple[str, ...]:
        first, second = (self._places[name] for name in pair)
        if first == second:
            raise KeyError(pair)
        return tuple(compress(self._datasets, self._cube[:, first, second].tolist()))

    def __iter__(self) -> Iterator[tuple[str, str]]:
        return permutations(self._places, 2)

    def __len__(self) -> int:
        return len(self._places) * (len(self._places) - 1)


@dataclass(frozen=True, slots=True, kw_only=True)
class WinDefinition:
    """What counts as a win on a data set.

    Attributes
    ----------
    measures : tuple of str
        The measures compared.
    win : str
        Short name of a win, for example "average error".
    rule : str
        Full definition of a win.
    """

    measures: tuple[str, ...]
    win: str
    rule: str


@dataclass(frozen=True, kw_only=True, eq=False)  # no slots, so that results can be cached on it
class Wins:
    """Numbers of data sets on which each algorithm beats each other algorithm, with sign tests.

    Attributes
    ----------
    datasets : tuple of str
        The data sets that were decided.
    measures : tuple of str
        Measures that were compared.
    alpha : float
        Level of the decision on a data set and of the sign test over data sets.
    correction : str
        Correction of the p-values of the sign test.
    wins : DataFrame, algorithm x algorithm
        Numbers of data sets on which the row wins over the column.
    ties : DataFrame, algorithm x algorithm
        Numbers of data sets on which neither wins; symmetric, 0 on the diagonal.
    won : mapping of (str, str) to tuple of str
        The data sets behind each count of wins.
    total : Series by algorithm
        Number of data sets on which it wins over at least one other algorithm; not a sum of wins.
    raw : DataFrame, algorithm x algorithm
        Unadjusted p-values of the two-tailed sign test over data sets, ties split evenly.
    pvalues : DataFrame, algorithm x algorithm
        Adjusted p-values of the sign test.
    skipped : dict of str to str
        Data sets that could not be decided, with the reason.
    win : str
        Short name of a win on a data set, for example "average error".
    rule : str
        Full definition of a win.
    notes : tuple of Message
        Corrections used in place of the requested one on a data set, with the reason.
    """

    datasets: tuple[str, ...]
    measures: tuple[str, ...]
    alpha: float
    correction: str
    wins: pd.DataFrame
    ties: pd.DataFrame
    won: Mapping[tuple[str, str], tuple[str, ...]]
    total: pd.Series
    raw: pd.DataFrame
    pvalues: pd.DataFrame
    skipped: dict[str, str]
    win: str
    rule: str
    notes: tuple[Message, ...] = ()

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the algorithms."""
        return tuple(self.wins.index)

    @property
    def n(self) -> int:
        """Number of data sets with a decision."""
        return len(self.datasets)

    @property
    def differs(self) -> pd.DataFrame:
        """Whether each pair differs significantly by the sign test; symmetric."""
        return significant(self.pvalues, self.alpha)

    @property
    def beats(self) -> pd.DataFrame:
        """Whether the row algorithm wins on significantly more data sets than the column algorithm."""
        return self.differs & (self.wins > self.wins.T)

    @property
    def smallest(self) -> float:
        """Smallest adjusted p-value possible with this number of data sets."""
        return smallest_sign_pvalue(len(self.wins), self.n, self.correction)

    @property
    def method(self) -> str:
        """Description of the test over data sets and of the definition of a win."""
        return inference_text(
            "wins.method", correction=adjusted_words(self.correction), rule=self.rule
        )

    def resampled(self, places: np.ndarray, columns: np.ndarray | None = None) -> "Wins":
        """Return the wins on data sets `places`, with algorithms exchanged by `columns` (data set x algorithm).

        Without `columns` no algorithms are exchanged. Skipped data sets and notes are left out.
        """
        cube = np.zeros((self.n, len(self.names), len(self.names)), dtype=bool)
        position_of = {name: i for i, name in enumerate(self.datasets)}
        for (i, a), (j, b) in permutations(enumerate(self.names), 2):
            cube[[position_of[name] for name in self.won[a, b]], i, j] = True
        cube = cube[places]
        if columns is not None:
            rows = np.arange(len(places))[:, None, None]
            cube = cube[rows, columns[:, :, None], columns[:, None, :]]
        return wins_from(
            {
                f"{draw} {self.datasets[position_of]}": cube[draw]
                for draw, position_of in enumerate(places)
            },
            self.names,
            WinDefinition(measures=self.measures, win=self.win, rule=self.rule),
            alpha=self.alpha,
            correction=self.correction,
        )

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
        """Result as a sentence."""
        table = self.to_frame()
        values = {
            "sets": format_count(self.n, "data set"),
            "pairs": format_count(len(table), "pair"),
            "correction": adjusted_words(self.correction),
        }
        if not significant(self.smallest, self.alpha):
            return inference_text(
                "wins.none_attainable", **values, p=p_phrase(self.smallest, self.alpha)
            )
        differing = table[table["differs"]].sort_values("p adjusted", kind="stable")
        if not len(differing):
            names = self.names if len(table) == 1 else ()
            return inference_text(
                "wins.none",
                **values,
                names=names,
                p=p_phrase(table["p adjusted"].min(), self.alpha),
            )
        decided = [_ordered(row, self.alpha) for row in differing.head(1).to_dict("records")]
        return inference_text("wins.some", **values, pairs_won=decided, n=len(differing))


def wins_from(
    better: Mapping[str, np.ndarray],
    names: Sequence[str],
    definition: WinDefinition,
    *,
    alpha: float,
    correction: str,
    skipped: Mapping[str, str] | None = None,
    notes: tuple[Message, ...] = (),
) -> Wins:
    """Return the wins of each algorithm over each other algorithm, with sign tests over data sets.

    `better` maps each data set to a Boolean matrix: whether the row algorithm wins over the column
    algorithm there. Raises DesignError if `better` is empty.

    Notes
    -----
    A data set that neither wins is a tie: in the sign test half of the ties count for each side
    and an odd one is dropped.

    References
    ----------
    Ulas, Yildiz and Alpaydin, Pattern Recognition 45 (2012) 1772, section 2.1; Aslan's thesis
    2009, sections 4.6 and 7.2 (the total).

    Examples
    --------
    >>> a_wins = np.array([[False, True], [False, False]])
    >>> lower = WinDefinition(measures=("error",), win="average error", rule="lower average")
    >>> found = wins_from({"one": a_wins, "two": ~a_wins & False}, "ab", lower, alpha=0.05,
    ...                   correction="none")
    >>> int(found.wins.loc["a", "b"]), int(found.ties.loc["a", "b"]), found.won["a", "b"]
    (1, 1, ('one',))
    """
    skipped = {} if skipped is None else dict(skipped)
    if not better:
        raise DesignError.of(
            "Wins need a data set that can be decided",
            why=next(iter(skipped.values()), inference_text("wins.no_datasets")),
        )
    datasets = tuple(better)
    n = len(better)
    cube = np.array(list(better.values()), dtype=bool)
    wins = labeled_matrix(cube.sum(axis=0), names)
    raw = sign_matrix(wins, n)
    return Wins(
        datasets=datasets,
        measures=definition.measures,
        alpha=alpha,
        correction=correction,
        wins=wins,
        ties=(n - wins - wins.T).where(~np.eye(len(wins), dtype=bool), 0),
        won=_Won(cube, names, datasets),
        total=pd.Series(cube.any(axis=2).sum(axis=0), index=list(names)),
        raw=raw,
        pvalues=adjust.adjust_pairs(raw, correction),
        skipped=skipped,
        win=definition.win,
        rule=definition.rule,
        notes=notes,
    )


def sign_matrix(wins: pd.DataFrame, n: int, *, correction: str = "none") -> pd.DataFrame:
    """Return the adjusted p-values of two-sided sign tests of all pairs, from their numbers of wins on n data sets.

    `wins` is algorithm x algorithm, the number of data sets on which the row wins against the
    column; the rest of `n` are ties, split equally. Raises DataError if the wins are not a square
    table of whole numbers possible for n data sets, SettingError if `correction` is not in
    `FAMILY_METHODS`.

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
    raw = signed_ranks.sign_pvalues(counts, counts.T, n, two_sided=True)
    np.fill_diagonal(raw, 1.0)
    return adjust.adjust_pairs(labeled_matrix(raw, wins.index), correction)


def smallest_sign_pvalue(k: int, n: int, correction: str) -> float:
    """Return the smallest possible adjusted p-value of one pair of k algorithms over n data sets.

    It belongs to a pair with wins on all data sets. By step-up corrections it can remain
    unadjusted, if all pairs have the same p-value.

    Examples
    --------
    >>> smallest_sign_pvalue(3, 6, "holm"), smallest_sign_pvalue(3, 6, "hommel")
    (0.09375, 0.03125)
    """
    best = float(signed_ranks.sign_pvalues(n, 0, n, two_sided=True))
    if correction in STEP_DOWN:
        n_pairs = k * (k - 1) // 2
        return min(1.0, best * n_pairs)
    return min(1.0, best)


def wins_correction(requested: str) -> str:
    """Return the requested correction if it applies to sign tests of wins, else Holm.

    Shaffer and Bergmann-Hommel assume transitive hypotheses, and Nemenyi average ranks.

    Examples
    --------
    >>> wins_correction("bergmann_hommel"), wins_correction("bonferroni")
    ('holm', 'bonferroni')
    """
    return requested if requested in FAMILY_METHODS else "holm"


def adjusted_words(correction: str) -> str:
    """Return a phrase on the correction of the p-values.

    Examples
    --------
    >>> adjusted_words("none"), adjusted_words("holm")
    ('unadjusted', 'Holm over pairs')
    """
    return "unadjusted" if correction == "none" else f"{_NAMES[correction]} over pairs"


def _counts(wins: pd.DataFrame, n: int) -> np.ndarray:
    """Return a checked table of wins as integers, with 0 on the diagonal; raise DataError if it is impossible."""
    if wins.shape[0] != wins.shape[1] or list(wins.index) != list(wins.columns):
        raise DataError.of("wins must be a square table", rows=wins.shape[0], columns=wins.shape[1])
    counts = wins.to_numpy(dtype=float, copy=True)
    np.fill_diagonal(counts, 0)
    if not ((counts >= 0) & (counts == np.floor(counts)) & (counts + counts.T <= n)).all():
        raise DataError.of("wins must be whole numbers", n=n)
    return counts.astype(int)


def _ordered(row: dict, alpha: float) -> tuple[str, str, int, int, str]:
    """Return winner, loser, wins and losses of the winner, and the adjusted p as text, of a significant pair."""
    sides = (row["first"], row["second"]), (row["wins"], row["losses"])
    if row["wins"] < row["losses"]:
        sides = sides[0][::-1], sides[1][::-1]
    return (*sides[0], *sides[1], p_phrase(row["p adjusted"], alpha))
