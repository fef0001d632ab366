"""Procedures for pairs over data sets, applied to many simulated experiments at once."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import product
from math import inf, sqrt

import numpy as np
import pandas as pd
from scipy import stats

from stats_core.core.errors import SettingError
from stats_core.core.validation import check_one_of, tie_groups, ties_mask
from stats_core.data.settings import SOURCES
from stats_core.inference.multiplicity.corrections import (
    CONTROL_CORRECTIONS,
    CORRECTIONS,
    LOGICAL,
    NOT_TRANSITIVE,
    WHY_NOT_TRANSITIVE,
    corrections_for,
)
from stats_core.inference.multiplicity.step_procedures import LARGEST_LISTED, adjust_rows, bergmann_hommel_rows
from stats_core.inference.rank_differences import two_sided_tail
from stats_core.inference.ranks import rank_rows
from stats_core.power.order_simulation import wilcoxon_two_sided

# "z" is the normal test of average ranks, as published; an analysis takes their exact test
TESTS = {**SOURCES, "z": "z of average ranks"}
_BY_NAME = {"nemenyi": "nemenyi", "bonferroni_dunn": "z"}  # corrections with a test of their own


@dataclass(frozen=True, slots=True, order=True)
class Procedure:
    """A test of pairs and a correction over them, such as Holm on Wilcoxon.

    Attributes
    ----------
    source : str
        One of `TESTS`.
    correction : str
        One of `CORRECTIONS`, or of `CONTROL_CORRECTIONS` where there is a control.
    """

    source: str
    correction: str

    @property
    def name(self) -> str:
        """Display name of the procedure."""
        if self.correction in _BY_NAME:
            return {**CORRECTIONS, **CONTROL_CORRECTIONS}[self.correction]
        if self.correction == "none":
            return f"unadjusted, {TESTS[self.source]}"
        known = {**CORRECTIONS, **CONTROL_CORRECTIONS}
        return f"{known[self.correction]} on {TESTS[self.source]}"

    @property
    def test(self) -> str:
        """Key of the test whose p-values are adjusted."""
        return _BY_NAME.get(self.correction, self.source)

    def adjust(self, raw: np.ndarray) -> np.ndarray:
        """Return adjusted p-values, experiment x comparison, from those of its test."""
        if self.correction in ("nemenyi", "none"):
            return raw
        if self.correction == "bergmann_hommel":
            return bergmann_hommel_rows(raw)
        return adjust_rows(raw, self.correction.removesuffix("_dunn"))


def all_procedures(k: int, *, control: bool, tests: Iterable[str] = SOURCES) -> tuple[Procedure, ...]:
    """Return every procedure for k algorithms that an analysis offers; Nemenyi's once.

    Examples
    --------
    >>> len(all_procedures(8, control=False)), len(all_procedures(8, control=True))
    (20, 22)
    """
    candidates = [
        Procedure(source, correction)
        for source in tests
        for correction in (CONTROL_CORRECTIONS if control else corrections_for(source))
    ]
    return tuple(
        procedure
        for procedure in candidates
        if not (procedure.correction in _BY_NAME and procedure.source != "ranks")
        and not (procedure.correction == "bergmann_hommel" and k > LARGEST_LISTED)
    )


def default_procedures(k: int, *, control: bool) -> tuple[Procedure, ...]:
    """Return the procedures that are compared by default."""
    corrections = ("holm", "finner") if control else ("holm", "shaffer", "bergmann_hommel")
    first = Procedure("ranks", "bonferroni_dunn" if control else "nemenyi")
    own = [Procedure(*procedure) for procedure in product(("ranks", "wilcoxon"), corrections)]
    known = all_procedures(k, control=control)
    return tuple(procedure for procedure in (first, *own) if procedure in known)


def parse_procedure(text: str, k: int, *, control: bool) -> Procedure:
    """Read "holm on wilcoxon", or "nemenyi".

    Examples
    --------
    >>> parse_procedure("bergmann-hommel on z", 8, control=False).name
    'Bergmann-Hommel on z of average ranks'
    """
    correction, _, source = text.strip().lower().replace("-", "_").partition(" on ")
    source = source.strip() or "ranks"
    check_one_of(source, TESTS, "procedure, after on,")
    check_one_of(correction, CONTROL_CORRECTIONS if control else CORRECTIONS, "procedure")
    procedure = Procedure("ranks" if correction in _BY_NAME else source, correction)
    if not control and correction in LOGICAL and source in NOT_TRANSITIVE:
        raise SettingError(
            f"The sign test does not allow {CORRECTIONS[correction]}. {CORRECTIONS[correction]} "
            f'{WHY_NOT_TRANSITIVE}. Use "holm on sign".'
        )
    if procedure not in all_procedures(k, control=control, tests=TESTS):
        raise SettingError(
            f"Bergmann-Hommel is simulated up to {LARGEST_LISTED} algorithms. There are {k}. Take Shaffer, the nearest."
        )
    return procedure


@dataclass(frozen=True, kw_only=True, eq=False)
class Blocks:
    """Results over data sets, reduced to ranks and signed dense ranks of differences.

    Attributes
    ----------
    ranks : array of int, data set x algorithm
        Twice the mid-ranks, 2 is best.
    steps : array of int, data set x algorithm x algorithm
        Row minus column, the place of the difference's size among all; 0 where two tie. Positive
        where the row has the larger scores.
    """

    ranks: np.ndarray
    steps: np.ndarray

    @classmethod
    def of(cls, scores: pd.DataFrame, *, higher_is_better: bool) -> "Blocks":
        """Return the blocks of averages, data set x algorithm."""
        ranks = np.rint(2 * rank_rows(scores, higher_is_better=higher_is_better).to_numpy())
        values = scores.to_numpy()
        row, column = values[:, :, None], values[:, None, :]
        signs = np.where(ties_mask(row, column), 0, np.sign(row - column)).astype(int)
        sizes = np.where(signs == 0, -np.inf, np.abs(row - column))
        with np.errstate(invalid="ignore"):  # -inf - -inf between two ties
            groups = tie_groups(sizes.reshape(1, -1), np.abs(values).max(keepdims=True)[0])
        # group 0 holds the ties, each algorithm with itself among them
        return cls(ranks=ranks.astype(int), steps=signs * groups.reshape(signs.shape))

    def patterns(self) -> np.ndarray:
        """Return the index of the tie pattern on each data set."""
        return np.unique(np.sort(self.ranks, axis=1), axis=0, return_inverse=True)[1].ravel()


@dataclass(frozen=True, kw_only=True, eq=False)
class Experiments:
    """Many simulated experiments of the same size.

    Attributes
    ----------
    ranks : array of int, experiment x data set x algorithm
        Twice the mid-ranks.
    steps : array of int, experiment x data set x comparison
        As those of `Blocks`.
    patterns : array of int, experiment x data set
        As those of `Blocks`.
    first, second : array of int, comparison
        The algorithms of each.
    """

    ranks: np.ndarray
    steps: np.ndarray
    patterns: np.ndarray
    first: np.ndarray
    second: np.ndarray

    def pvalues(self, test: str) -> np.ndarray:
        """Return p-values of one test, experiment x comparison."""
        if test == "wilcoxon":
            return wilcoxon_two_sided(self.steps.swapaxes(1, 2))
        if test == "sign":
            return sign_pvalues(self.steps.swapaxes(1, 2))
        sums = self.ranks.sum(axis=1)
        gaps = np.abs(sums[:, self.first] - sums[:, self.second])
        return self._exact(gaps) if test == "ranks" else self._normal(test)[gaps]

    def adjusted(self, procedures: Sequence[Procedure]) -> dict[Procedure, np.ndarray]:
        """Return adjusted p-values of each procedure, experiment x comparison."""
        raw = {test: self.pvalues(test) for test in {procedure.test for procedure in procedures}}
        return {procedure: procedure.adjust(raw[procedure.test]) for procedure in procedures}

    def _normal(self, test: str) -> np.ndarray:
        """Return the normal or Nemenyi p-value for each doubled gap of rank sums."""
        _, n, k = self.ranks.shape
        z = np.arange(2 * n * (k - 1) + 1) / (2 * n) / sqrt(k * (k + 1) / (6 * n))
        if test == "nemenyi":
            return np.clip(stats.studentized_range.sf(sqrt(2) * z, k, inf), 0, 1)
        return 2 * stats.norm.sf(z)

    def _exact(self, gaps: np.ndarray) -> np.ndarray:
        """Return exact p-values of gaps; experiments with the same ties share a distribution."""
        pvalues = np.empty(gaps.shape)
        kinds, first, kind = np.unique(np.sort(self.patterns, axis=1), axis=0, return_index=True, return_inverse=True)
        by_kind = np.split(np.argsort(kind.ravel(), kind="stable"), np.bincount(kind.ravel()).cumsum())
        for index, members in zip(first, by_kind[: len(kinds)], strict=True):
            pvalues[members] = two_sided_tail(self.ranks[index] / 2)[gaps[members]]
        return pvalues


def compared_pairs(k: int, control: int | None) -> tuple[np.ndarray, np.ndarray]:
    """Return the algorithms of each comparison: all pairs, or all others with the control."""
    if control is None:
        rows, columns = np.triu_indices(k, 1)
        return rows, columns
    others = np.delete(np.arange(k), control)
    return np.full(k - 1, control), others


def sign_pvalues(steps: np.ndarray) -> np.ndarray:
    """Return sign-test p-values of differences (..., data set), ties split evenly."""
    wins, losses = (steps > 0).sum(axis=-1), (steps < 0).sum(axis=-1)
    half = (steps.shape[-1] - wins - losses) // 2
    tail = stats.binom.sf(np.maximum(wins, losses) + half - 1, wins + losses + 2 * half, 0.5)
    return np.minimum(1.0, 2 * tail)
