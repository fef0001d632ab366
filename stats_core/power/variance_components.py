"""Variance components of a difference in a pilot, and the precision they imply for other sizes."""

from dataclasses import dataclass, replace
from math import sqrt

import numpy as np
import pandas as pd
from scipy import stats

_NODES = 30  # quadrature nodes of spreads and of differences compatible with the pilot
_MIDDLES = (np.arange(_NODES) + 0.5) / _NODES
_FAR = 1500.0  # noncentrality above which power is 1 within rounding


@dataclass(frozen=True, slots=True, kw_only=True)
class ExperimentSize:
    """Number of data sets, of folds on each, and of repetitions."""

    n_sets: int
    folds: int
    repetitions: int

    @property
    def results(self) -> int:
        """Number of results of each algorithm on a data set."""
        return self.folds * self.repetitions

    def grown(self, *, n_sets: int = 0, folds: int = 0, repetitions: int = 0) -> "ExperimentSize":
        """Return a larger experiment."""
        return ExperimentSize(
            n_sets=self.n_sets + n_sets,
            folds=self.folds + folds,
            repetitions=self.repetitions + repetitions,
        )

    def towards(self, name: str, most: int, points: int) -> list["ExperimentSize"]:
        """Return designs of up to `most` results that grow in one field only."""
        now = getattr(self, name)
        other = self.n_sets * self.results / now
        ends = np.geomspace(now, max(now + 1, most / other), points)
        return [replace(self, **{name: value}) for value in sorted({round(end) for end in ends})]


@dataclass(frozen=True, kw_only=True, eq=False)
class Pilot:
    """Differences of one pair on several data sets, with their variance components.

    Attributes
    ----------
    means, spreads : array, data set
        Mean difference, and the variance of its results.
    shares : array, data set
        f, by which training sets overlap.
    results : array of int, data set
        J.
    design : Design
        The most frequent design among the data sets.
    """

    means: np.ndarray
    spreads: np.ndarray
    shares: np.ndarray
    results: np.ndarray
    design: ExperimentSize

    @property
    def crossed(self) -> bool:
        """Whether every instance is tested once per repetition, so that the share is 1 / folds."""
        return self.design.folds > 1 and np.allclose(self.shares * self.design.folds, 1, atol=0.1)

    @property
    def estimate(self) -> float:
        """Mean difference over data sets."""
        return float(self.means.mean())

    @property
    def parts(self) -> pd.Series:
        """Variance components of the mean difference on a data set."""
        overlap = float((self.spreads * self.shares / (1 - self.shares)).mean())
        folds = float((self.spreads / self.results).mean())
        between = max(float(self.means.var(ddof=1)) - overlap - folds, 0.0)
        return pd.Series({"between": between, "overlap": overlap, "folds": folds})

    @property
    def total(self) -> float:
        """Variance of the mean difference between data sets."""
        return float(self.means.var(ddof=1))

    def between_interval(self) -> tuple[float, float]:
        """Return a 95 % interval of the variance share between data sets, others taken as known."""
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
        quantile = stats.t.isf(level / 2, design.n_sets - 1)
        return float(quantile * sqrt(self.variance(design) / design.n_sets))

    def chance(self, design: ExperimentSize, level: float, difference: float | None) -> float:
        """Return the power of the t test, averaged over the uncertainty of the pilot."""
        df = len(self.means) - 1
        spreads = df / stats.chi2.ppf(_MIDDLES, df)  # the true variance over the one seen
        true = np.full((1, 1), difference)
        if difference is None:
            error = np.sqrt(self.total * spreads / len(self.means))
            true = self.estimate + stats.norm.ppf(_MIDDLES)[:, None] * error
        noncentrality = true**2 * design.n_sets / (self.variance(design) * spreads)
        critical = stats.t.isf(level / 2, design.n_sets - 1) ** 2
        power = stats.ncf.sf(critical, 1, design.n_sets - 1, np.minimum(noncentrality, _FAR))
        return float(np.where(noncentrality < _FAR, power, 1.0).mean())


def _crowding(folds: int) -> float:
    """Return the factor of the overlap variance for this number of folds."""
    return folds / (folds - 1)
