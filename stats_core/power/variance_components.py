"""A pilot: where the variance of a difference comes from, and what other sizes make of it."""

from dataclasses import dataclass, replace
from math import sqrt

import numpy as np
import pandas as pd
from scipy import stats

_NODES = 30  # of spreads, and of differences, that the pilot leaves open
_MIDDLES = (np.arange(_NODES) + 0.5) / _NODES
_FAR = 1500.0  # noncentrality from which on power is 1, as far as anyone can tell


@dataclass(frozen=True, slots=True, kw_only=True)
class ExperimentSize:
    """Data sets, folds on each, and how often they are repeated."""

    n_sets: int
    folds: int
    repetitions: int

    @property
    def results(self) -> int:
        """Of each algorithm on a data set."""
        return self.folds * self.repetitions

    def grown(self, *, n_sets: int = 0, folds: int = 0, repetitions: int = 0) -> "ExperimentSize":
        """Return a larger one."""
        return ExperimentSize(
            n_sets=self.n_sets + n_sets,
            folds=self.folds + folds,
            repetitions=self.repetitions + repetitions,
        )

    def towards(self, name: str, most: int, points: int) -> list["ExperimentSize"]:
        """Return designs up to as many results as `most`, that grow by one of the fields alone."""
        now = getattr(self, name)
        other = self.n_sets * self.results / now
        ends = np.geomspace(now, max(now + 1, most / other), points)
        return [replace(self, **{name: value}) for value in sorted({round(end) for end in ends})]


@dataclass(frozen=True, kw_only=True, eq=False)
class Pilot:
    """Differences of one pair on several data sets.

    Attributes
    ----------
    means, spreads : array, data set
        Mean difference, and the variance of its results.
    shares : array, data set
        f, by which training sets overlap.
    results : array of int, data set
        J.
    design : Design
        That most data sets have.
    """

    means: np.ndarray
    spreads: np.ndarray
    shares: np.ndarray
    results: np.ndarray
    design: ExperimentSize

    @property
    def crossed(self) -> bool:
        """Whether every case is tested once in each repetition, so that the share is one over the folds."""
        return self.design.folds > 1 and np.allclose(self.shares * self.design.folds, 1, atol=0.1)

    @property
    def estimate(self) -> float:
        """The mean difference."""
        return float(self.means.mean())

    @property
    def parts(self) -> pd.Series:
        """The variance of the mean difference on a data set, by where it comes from."""
        overlap = float((self.spreads * self.shares / (1 - self.shares)).mean())
        folds = float((self.spreads / self.results).mean())
        between = max(float(self.means.var(ddof=1)) - overlap - folds, 0.0)
        return pd.Series({"between": between, "overlap": overlap, "folds": folds})

    @property
    def total(self) -> float:
        """The variance of the mean difference from one data set to the next."""
        return float(self.means.var(ddof=1))

    def between_interval(self) -> tuple[float, float]:
        """Return a 95 % interval of the share between data sets; parts within are taken as known."""
        df = len(self.means) - 1
        within = self.parts["overlap"] + self.parts["folds"]
        totals = self.total * df / stats.chi2.ppf([0.975, 0.025], df)
        low, high = np.clip(1 - within / totals, 0, 1)
        return float(low), float(high)

    def variance(self, design: ExperimentSize) -> float:
        """Return the variance on a data set under another design.

        More folds test fewer cases each, so that their results vary as much more as there are more of
        them: the part between folds stays, that of the overlap, s^2 f / (1 - f) with f = 1 / folds, falls with
        folds / (folds - 1). That larger training sets make other algorithms is not looked at. What the parts exceed the variance seen by, where there
        seems to be no variance between data sets, is not made up for.
        """
        parts = self.parts
        overlap, folds = parts["overlap"], parts["folds"]
        within = folds * self.design.repetitions / design.repetitions
        if design.folds != self.design.folds:
            overlap *= _crowding(design.folds) / _crowding(self.design.folds)
        if parts["between"] > 0:
            return float(parts["between"] + overlap + within)
        return float(self.total * (overlap + within) / (parts["overlap"] + folds))

    def half_width(self, design: ExperimentSize, level: float) -> float:
        """Return half the width of the t interval of the mean difference."""
        reach = stats.t.isf(level / 2, design.n_sets - 1)
        return float(reach * sqrt(self.variance(design) / design.n_sets))

    def chance(self, design: ExperimentSize, level: float, difference: float | None) -> float:
        """Return the chance that the t test decides, averaged over what the pilot leaves open."""
        df = len(self.means) - 1
        spreads = df / stats.chi2.ppf(_MIDDLES, df)  # the true variance over the one seen
        true = np.full((1, 1), difference)
        if difference is None:
            reach = np.sqrt(self.total * spreads / len(self.means))
            true = self.estimate + stats.norm.ppf(_MIDDLES)[:, None] * reach
        far = true**2 * design.n_sets / (self.variance(design) * spreads)
        critical = stats.t.isf(level / 2, design.n_sets - 1) ** 2
        found = stats.ncf.sf(critical, 1, design.n_sets - 1, np.minimum(far, _FAR))
        return float(np.where(far < _FAR, found, 1.0).mean())


def _crowding(folds: int) -> float:
    """Return what the overlap of so many folds adds to a variance, for cases that vary by 1 each."""
    return folds / (folds - 1)
