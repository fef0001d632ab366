"""Power and numbers of instances for the comparison of two models on one test set."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from math import ceil, inf, isclose, isfinite, isinf, isnan, nan
from typing import Any

import numpy as np
import pandas as pd
from scipy import optimize, special, stats

from stats_core.comparison.analyse import analyse
from stats_core.comparison.kinds.instances import ERRORS, CasesComparison
from stats_core.comparison.result import Comparison, HasComparison, comparison_of
from stats_core.core.errors import DegenerateError, DesignError, SettingError
from stats_core.core.validation import check_probability, check_whole
from stats_core.data.results import Results
from stats_core.data.settings import Settings, select
from stats_core.inference.clusters import ClusterError, cr2_error
from stats_core.inference.paired.forecast_test import cosine_df
from stats_core.inference.paired.instance_tests import InstancesAndTrainingsResult
from stats_core.inference.paired.proportions import wilson_interval
from stats_core.power.cluster_power import (
    MOST_UNITS,
    PilotUnits,
    detectable_by_flips,
    detectable_by_t,
    flip_power,
    t_power,
)

DIFFERENCES = (0.005, 0.01, 0.02, 0.05)  # for which a plan states numbers of instances
_MOST = 10_000_000  # instances that a plan asks for
_POINTS = 18  # numbers of instances of a curve, spaced evenly and in equal ratios
_FEW_POINTS = 7  # the same where power is simulated
_NODES = 400  # numbers of disagreements over which power is averaged
_MIDDLES = (np.arange(20) + 0.5) / 20  # of the distribution of the true difference
_TABLED = 4000  # numbers of disagreements with a table of significant numbers of wins


def mcnemar_power(n: float, discordance: float, difference: float, alpha: float = 0.05) -> float:
    """Return the power of the exact McNemar test.

    Parameters
    ----------
    n : int
        Number of instances.
    discordance : float
        Probability that exactly one of the two models is correct.
    difference : float
        True difference of the accuracies, at most `discordance`.
    alpha : float
        Two-sided significance level.

    Returns
    -------
    float
        Probability of a significant difference in either direction.

    Raises
    ------
    SettingError
        `n` is no nonnegative whole number, `alpha` outside (0, 1), or `difference` larger than
        `discordance`.

    Notes
    -----
    Power is exact given the number of disagreements, and averaged over its binomial distribution.

    References
    ----------
    Miettinen, Biometrics 24 (1968) 339; Connor, Biometrics 43 (1987) 207.

    Examples
    --------
    >>> round(mcnemar_power(1000, 0.087, 0.0267), 3)
    0.795
    """
    check_whole(n, "n")
    check_probability(alpha, "alpha")
    if not 0 <= abs(difference) <= discordance <= 1:
        raise SettingError.of(
            "difference above discordance", difference=difference, discordance=discordance
        )
    if not discordance:
        return 0.0
    weights, wins, losses = _significant_wins(n, discordance, alpha)
    share = (1 + difference / discordance) / 2
    rejects = special.betainc(wins, losses + 1, share) + special.betainc(
        wins, losses + 1, 1 - share
    )
    return float(weights @ rejects)


@lru_cache(maxsize=256)
def _significant_wins(
    n: float, discordance: float, alpha: float
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return the probabilities of numbers of disagreements, their smallest significant number of wins, and losses."""
    low, high = stats.binom.ppf([1e-9, 1 - 1e-9], n, discordance)
    counts = np.arange(low, high + 1)
    weights = stats.binom.pmf(counts, n, discordance)
    if len(counts) > _NODES:
        counts = low + np.searchsorted(np.cumsum(weights), (np.arange(_NODES) + 0.5) / _NODES)
        weights = np.full(_NODES, 1 / _NODES)
    if high < _TABLED:
        wins = _smallest_wins(alpha)[counts.astype(int)]
    else:
        wins = stats.binom.isf(alpha / 2, counts, 0.5) + 1
    possible = wins <= counts
    return weights[possible], wins[possible], (counts - wins)[possible]


@lru_cache(maxsize=16)
def _smallest_wins(alpha: float) -> np.ndarray:
    """Return the smallest significant number of wins for each small number of disagreements."""
    return stats.binom.isf(alpha / 2, np.arange(_TABLED), 0.5) + 1


def detectable_by_mcnemar(n: float, discordance: float, alpha: float, power: float) -> float:
    """Return the difference of accuracies that the exact McNemar test detects with this power; NaN if none."""

    def surplus(difference: float) -> float:
        return mcnemar_power(n, discordance, difference, alpha) - power

    largest = discordance * (1 - 1e-12)
    return (
        float(optimize.brentq(surplus, 0.0, largest))
        if discordance and surplus(largest) > 0
        else nan
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class ItemVariance:
    """Variance of the difference of two models on instances, by source.

    Attributes
    ----------
    n : int
        Number of instances of the pilot.
    over_cases, over_trainings : float
        Variance of the mean difference over instances (or clusters), and over runs.
    discordance : float
        Share of instances on which exactly one model is correct, for McNemar's test; else NaN.
    design_effect : float
        Ratio of the variances with and without clusters; 1 without clusters.
    correlation : float
        Correlation of differences within a cluster, from the design effect; NaN without clusters.
    cluster_size : float
        Mean number of instances of a cluster; 1 without clusters.
    df, df_trainings : float
        Degrees of freedom of both variances; inf for a normal test.
    in_time : bool
        Whether the degrees of freedom are those of the Diebold-Mariano test.
    units : PilotUnits or None
        Clusters, or instances, whose signs the test flips; None for other tests.
    largest : float
        Largest possible difference.
    """

    n: int
    over_cases: float
    over_trainings: float
    discordance: float
    design_effect: float
    correlation: float
    cluster_size: float
    df: float = inf
    df_trainings: float = inf
    in_time: bool = False
    units: PilotUnits | None = None
    largest: float = inf

    @classmethod
    def of_difference(cls, n: int, error: float, discordance: float) -> "ItemVariance":
        """Return the variance of a difference with this standard error, without clusters and runs."""
        return cls(
            n=n,
            over_cases=error**2,
            over_trainings=0.0,
            discordance=discordance,
            design_effect=1.0,
            correlation=nan,
            cluster_size=1.0,
        )

    def n_units(self, n: float) -> int:
        """Return the number of whole clusters, or of instances, in n instances."""
        return int(n / self.cluster_size * (1 + 1e-12))

    def instances(self, units: float) -> float:
        """Return the number of instances in so many clusters, or instances."""
        return float(ceil(units * self.cluster_size * (1 - 1e-12))) if isfinite(units) else units

    def _variances(self, n: float) -> tuple[tuple[float, ...], tuple[float, ...]]:
        """Return the variances of the mean difference on n instances, and their degrees of freedom."""
        df = self.df * n / self.n if self.cluster_size > 1 else min(self.df, max(n - 1, 1))
        if self.in_time:
            df = cosine_df(int(n))
        of_cases = self.over_cases * self.n / n
        if not self.over_trainings:
            return (of_cases,), (df if isfinite(self.df) else inf,)
        return (of_cases, self.over_trainings), (df, self.df_trainings)

    def is_simulated(self, n: float) -> bool:
        """Return whether the power of the test on n instances is simulated."""
        return self.units is not None and self.n_units(n) <= MOST_UNITS

    def power(self, n: float, difference: float, alpha: float) -> float:
        """Return the power of the test on n instances; NaN if the difference exceeds the disagreements."""
        if isfinite(self.discordance):
            if difference > self.discordance * (1 + 1e-12):
                return nan
            return mcnemar_power(n, self.discordance, min(difference, self.discordance), alpha)
        if self.units is not None and self.is_simulated(n):
            return flip_power(self.units, self.n_units(n), difference, alpha)
        return t_power(*self._variances(n), difference, alpha)

    def detectable(self, alpha: float, power: float, n: float | None = None) -> float:
        """Return the difference that the test detects on n instances, by default those of the pilot; NaN if none."""
        n = self.n if n is None else n
        if isfinite(self.discordance):
            return detectable_by_mcnemar(n, self.discordance, alpha, power)
        if self.units is not None and self.is_simulated(n):
            return detectable_by_flips(self.units, self.n_units(n), alpha, power, self.largest)
        difference = detectable_by_t(*self._variances(n), alpha, power)
        return difference if difference <= self.largest else nan

    def needed(self, difference: float, alpha: float, power: float) -> float:
        """Return the number of instances needed; inf above 10 million, NaN if the difference exceeds the disagreements.

        With clusters, it is the number of instances in the smallest number of whole clusters.
        """
        if isnan(self.power(self.n, difference, alpha)):
            return nan
        return self._smallest(lambda n: self.power(n, difference, alpha) >= power)

    def needed_on_average(self, estimate: float, error: float, alpha: float, power: float) -> float:
        """Return the number of instances with this power, averaged over true differences compatible with the pilot."""
        true = np.abs(estimate + error * stats.norm.ppf(_MIDDLES))
        if isfinite(self.discordance):
            true = np.minimum(true, self.discordance)

        def reached(n: float) -> bool:
            powers = [self.power(n, value, alpha) for value in true.tolist()]
            return float(np.mean(powers)) >= power

        return self._smallest(reached)

    def _smallest(self, reached: Callable[[float], bool]) -> float:
        """Return the smallest number of instances in whole units at which a rising condition holds."""
        return self.instances(_first(lambda units: reached(self.instances(units))))


def _first(reached: Callable[[int], bool]) -> float:
    """Return the smallest number, by bisection, at which a rising condition holds; inf above `_MOST`."""
    low = 0
    high = 16
    while not reached(high):
        low = high
        high = 2 * high
        if high > _MOST:
            return inf
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if reached(middle) else (middle, high)
    return float(high)


def item_variance(c: CasesComparison, first: str, second: str) -> ItemVariance:
    """Return the variance of the difference of two models, by source."""
    _, test = c.turned(first, second)
    n = c.n_cases
    by_case = c.difference_by_case(first, second)
    group = np.arange(n) if c.cases.cluster is None else c.cases.cluster
    values = np.abs(c.values[[first, second]]) / n
    over = cr2_error(by_case, group, values)
    size = n / c.n_clusters if c.n_clusters > 0 else 1.0
    effect = over.design_effect if c.n_clusters > 0 else 1.0
    by_flips = c.how.by_signs and c.way != "mcnemar"
    over_cases, over_trainings = _variances_by_source(test, over, by_flips=by_flips)
    df = inf if c.way == "delong" else over.df
    df_trainings = inf
    if isinstance(test, InstancesAndTrainingsResult):
        df = test.df[0]
        df_trainings = test.df[1] if len(test.df) > 1 else inf
    share = nan
    if c.way == "mcnemar":
        share = float(c.agreement(first, second)[["only first", "only second"]].sum() / n)
    return ItemVariance(
        n=n,
        over_cases=over_cases,
        over_trainings=over_trainings,
        discordance=share,
        design_effect=effect,
        correlation=(effect - 1) / (size - 1) if size > 1 else nan,
        cluster_size=size,
        df=df,
        df_trainings=df_trainings,
        in_time=c.way == "diebold-mariano" and c.settings.horizon == 1,
        units=PilotUnits.of(by_case, group, values) if by_flips else None,
        largest=1.0 if c.settings.measure in ERRORS else inf,
    )


def _variances_by_source(test: Any, over: ClusterError, *, by_flips: bool) -> tuple[float, float]:
    """Return the variances of the difference over instances and over runs."""
    if isinf(test.statistic):  # the difference does not vary
        return 0.0, 0.0
    if by_flips:
        return over.for_intervals**2, 0.0
    if isinstance(test, InstancesAndTrainingsResult):
        return test.over_cases**2, test.over_trainings**2
    return test.error**2, 0.0


@dataclass(frozen=True, kw_only=True, eq=False)
class ItemPlan:
    """Numbers of instances for one pair of models, from results on a pilot test set.

    Attributes
    ----------
    frame : DataFrame
        One row per true difference: ``difference``, and the numbers of instances with ``power80``
        and ``power90``, inf if no number suffices; with clusters also ``clusters``, for a power of
        80%.
    curve : DataFrame
        By number of ``instances``: the difference that is ``detectable`` with the requested power,
        and the ``power`` for `difference`; NaN where there is none.
    pair : tuple of str
        The two models, the better one first.
    estimate, difference : float
        The observed difference, and the difference to be detected.
    detectable : float
        The difference that the pilot's number of instances detects with the requested power; NaN if
        none.
    power : float
        The requested power.
    needed : float
        Number of instances with this power, averaged over the true differences compatible with the
        pilot, unless the difference was given.
    needed_if_exact : float
        Number of instances that detects exactly `difference` with this power.
    from_pilot : bool
        Whether `difference` is the observed one.
    variance : ItemVariance
        Variance of the difference by source, disagreements, and clusters.
    discordance_interval : tuple of float
        Wilson's 95% interval of the share of disagreements; NaN unless McNemar's test is used.
    alpha : float
        Two-sided level of this pair: that of the family divided by the number of pairs.
    comparisons : int
        Number of pairs tested together.
    measure : str
        The measure.
    """

    frame: pd.DataFrame
    curve: pd.DataFrame
    pair: tuple[str, str]
    estimate: float
    difference: float
    detectable: float
    power: float
    needed: float
    needed_if_exact: float
    from_pilot: bool
    variance: ItemVariance
    discordance_interval: tuple[float, float]
    alpha: float
    comparisons: int
    measure: str

    @property
    def exact(self) -> bool:
        """Whether the plan is for the exact McNemar test."""
        return isfinite(self.variance.discordance)


def _curve(
    variance: ItemVariance, difference: float, alpha: float, power: float, needed: float
) -> pd.DataFrame:
    """Return detectable difference and power by number of instances, the pilot's and the needed numbers included."""
    sizes = [variance.n, *([needed] if isfinite(needed) else [])]
    low = max(2, min(sizes) / 4)
    high = max(2 * variance.n, 1.25 * max(sizes))
    points = _POINTS if variance.units is None else _FEW_POINTS
    grid = np.concatenate([np.geomspace(low, high, points), np.linspace(low, high, points), sizes])
    rows = [
        (
            n,
            variance.detectable(alpha, power, n),
            variance.power(n, difference, alpha) if difference else nan,
        )
        for n in np.unique(
            [variance.instances(max(variance.n_units(n), 1)) for n in grid.round()]
        ).tolist()
    ]
    return pd.DataFrame(rows, columns=["instances", "detectable", "power"]).astype(
        {"instances": int}
    )


def items_of(results: Results, settings: Settings, **options: Any) -> ItemPlan | None:
    """Return `plan_items` with these options for the comparison of results; None unless it is one of instances."""
    selected = select(results, settings)
    comparison = analyse(selected, settings) if selected.is_one_test_set else None
    if comparison is None or comparison.shape.over != "cases":
        return None
    return plan_items(comparison, **options)


def _checked_pair(comparison: CasesComparison, pair: tuple[str, str] | None) -> tuple[str, str]:
    """Return a pair in the order of the comparison; raise SettingError if it has none such."""
    first, second = sorted(
        comparison.compared_pairs()[0] if pair is None else pair,
        key=lambda name: (*comparison.order, name).index(name),
    )
    if first == second or not {first, second} <= set(comparison.order):
        names = ", ".join(comparison.order)
        raise SettingError.of(
            "pair must name two different algorithms of these",
            names=names,
            first=first,
            second=second,
        )
    if comparison.control not in ("", first, second):
        raise SettingError.of(
            "pair must include the control", control=comparison.control, first=first, second=second
        )
    return first, second


def _needed_by_difference(
    variance: ItemVariance, wanted: float, alpha: float, *, clustered: bool
) -> pd.DataFrame:
    """Return the numbers of instances and clusters for usual differences and the wanted one."""
    # differences are shown in three digits
    values = [value for value in DIFFERENCES if not isclose(value, wanted, rel_tol=0.005)]
    if wanted:
        values.append(wanted)
    rows = []
    for value in sorted(values):
        row = {f"power{100 * p:.0f}": variance.needed(value, alpha, p) for p in (0.8, 0.9)}
        if clustered:
            row["clusters"] = np.ceil(row["power80"] / variance.cluster_size)
        rows.append({"difference": value, **row})
    return pd.DataFrame(rows).dropna(ignore_index=True)


def plan_items(
    comparison: Comparison | HasComparison,
    *,
    pair: tuple[str, str] | None = None,
    difference: float | None = None,
    power: float = 0.8,
) -> ItemPlan:
    r"""Return the number of instances needed to detect a difference of two models, from their results.

    Parameters
    ----------
    comparison : Comparison
        Of the results of a pilot on instances.
    pair : tuple of str, optional
        The two models; the two best by default.
    difference : float, optional
        True difference to be detected; the observed one by default.
    power : float
        The requested power.

    Returns
    -------
    ItemPlan
        Numbers of instances for this and other differences.

    Raises
    ------
    SettingError
        An unknown model, a difference that is not positive and finite, or a power outside (0, 1).
    DesignError
        The comparison is not one of instances of one test set.
    DegenerateError
        The models give the same answers.

    Notes
    -----
    For McNemar's test, power is that of `mcnemar_power` with the observed share of disagreements.
    Permutation tests of up to 40 clusters or instances are simulated: these are drawn from those of
    the pilot, and signs are flipped as in the test. For more, and for t tests, the estimate is
    normal, its variance is estimated with the test's degrees of freedom, and it is inversely
    proportional to the number of instances. Numbers are those of whole clusters, which keep their
    sizes, so that the design effect remains. The number of runs stays.

    The observed difference is uncertain. Unless `difference` is given, the number needed is that
    with the requested power on average, over a normal distribution of the true difference with the
    observed mean and standard error (assurance). The number for exactly the observed difference is
    usually smaller, and its true power often much lower than requested.

    References
    ----------
    Connor, Biometrics 43 (1987) 207; Kish, Survey Sampling (1965), section 5.4; O'Hagan, Stevens and
    Campbell, Pharm. Stat. 4 (2005) 187.

    Examples
    --------
    >>> from stats_core import analyse, read_results
    >>> marks = [(1, 1)] * 50 + [(1, 0)] * 9 + [(0, 1)] * 4 + [(0, 0)] * 17
    >>> text = "item,a,b\n" + "".join(f"{i},{a},{b}\n" for i, (a, b) in enumerate(marks))
    >>> plan = plan_items(analyse(read_results(("marks.csv", text.encode()))), difference=0.05)
    >>> plan.needed, round(plan.detectable, 3)
    (539.0, 0.127)
    """
    check_probability(power, "power")
    comparison = comparison_of(comparison)
    if not isinstance(comparison, CasesComparison):
        raise DesignError.of("plan without instances", counted=comparison.counted)
    first, second = _checked_pair(comparison, pair)
    sign, test = comparison.turned(first, second)
    variance = item_variance(comparison, first, second)
    estimate = sign * test.estimate
    if not variance.over_cases + variance.over_trainings > 0:
        raise DegenerateError.of(
            "Differences of first and second need to vary", first=first, second=second
        )
    wanted = abs(estimate) if difference is None else difference
    if not (isfinite(wanted) and (wanted > 0 or difference is None)):
        raise SettingError.of("no difference", difference=difference)
    comparisons = 1 if comparison.settings.correction == "none" else len(comparison.tests)
    alpha = comparison.settings.alpha / comparisons
    discordant = variance.discordance * variance.n
    needed_if_exact = variance.needed(wanted, alpha, power) if wanted else inf
    needed = needed_if_exact
    if difference is None and wanted:
        needed = variance.needed_on_average(wanted, test.error, alpha, power)
    return ItemPlan(
        frame=_needed_by_difference(variance, wanted, alpha, clustered=comparison.n_clusters > 0),
        curve=_curve(variance, wanted, alpha, power, needed_if_exact),
        pair=(first, second),
        estimate=float(estimate),
        difference=float(wanted),
        detectable=variance.detectable(alpha, power),
        power=power,
        needed=needed,
        needed_if_exact=needed_if_exact,
        from_pilot=difference is None,
        variance=variance,
        discordance_interval=wilson_interval(discordant, variance.n)
        if isfinite(discordant)
        else (nan, nan),
        alpha=alpha,
        comparisons=comparisons,
        measure=comparison.settings.measure,
    )
