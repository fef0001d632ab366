"""Planning of the numbers of data sets, folds and repetitions from a pilot experiment."""

from dataclasses import asdict, dataclass, replace
from math import e, inf, nan, pi, sqrt
from typing import Any, ClassVar

import numpy as np
import pandas as pd
from scipy import optimize, stats

from stats_core.comparison.kinds import instances
from stats_core.core.errors import DegenerateError, DesignError, SettingError
from stats_core.core.validation import check_one_of, check_probability
from stats_core.data import costs
from stats_core.data.results import Results
from stats_core.data.settings import (
    Analysed,
    Settings,
    Source,
    corrected_share,
    results_and_settings,
)
from stats_core.inference import fold_pairs, pairwise
from stats_core.power import order_simulation, simulation
from stats_core.power.simulation import Simulation, Sums

SPENDINGS = {"obrien-fleming": "O'Brien and Fleming's", "pocock": "Pocock's"}
_NODES = 1201  # grid points of the density of the undecided sum


def relative_size(source: Source, k: int) -> float:
    """Return the ratio of data sets that a pairwise test and a paired t test need, for normal differences of k algorithms.

    It is the inverse of the asymptotic relative efficiency (Hollander and Wolfe 1999; for average
    ranks, van Elteren and Noether, Biometrika 46 (1959) 475).

    Examples
    --------
    >>> [round(relative_size(source, 5), 2) for source in ("wilcoxon", "sign", "ranks")]
    [1.05, 1.57, 1.26]
    """
    return {"wilcoxon": pi / 3, "sign": pi / 2, "ranks": pi / 3 * (k + 1) / k}[source]


def relative_size_of_analysis(results: Results, settings: Settings) -> tuple[Source, float]:
    """Return the pairwise test of an analysis over data sets, and its `relative_size`."""
    results, settings = pairwise.resolve_settings(results, settings)
    source: Any = settings.source
    return source, relative_size(source, len(results.algorithms))


def spent_levels(shares: np.ndarray, alpha: float, spending: str) -> np.ndarray:
    """Return the two-sided level of each interim analysis by alpha spending.

    Parameters
    ----------
    shares : array, shape (analyses,)
        Shares of the data at the analyses, increasing from above 0 to 1.
    alpha : float
        Type I error rate of all analyses together.
    spending : str
        One of `SPENDINGS`: the function that distributes alpha.

    Returns
    -------
    array, shape (analyses,)
        Two-sided significance level of each analysis.

    Raises
    ------
    SettingError
        The shares do not increase to 1, `alpha` is outside (0, 1), or `spending` is unknown.

    Notes
    -----
    Assumes sums of independent normal values: the probability of crossing the bounds first at each
    interim analysis is the alpha spent there, computed by recursive integration (Armitage, McPherson
    and Rowe). Only the last analysis must be planned in advance, not the number and times of the
    earlier ones. t tests at these levels are approximate with few data sets; see the simulated
    rate of false decisions.

    References
    ----------
    Lan and DeMets, Biometrika 70 (1983) 659; Armitage, McPherson and Rowe, J. R. Stat. Soc. A 132
    (1969) 235.

    Examples
    --------
    >>> spent_levels(np.array([0.5, 1.0]), 0.05, "obrien-fleming").round(4).tolist()
    [0.0031, 0.049]
    """
    check_probability(alpha, "alpha")
    check_one_of(spending, SPENDINGS, "spending")
    times = np.asarray(shares, dtype=float)
    if not len(times) or times[0] <= 0 or (np.diff(times) <= 0).any() or abs(times[-1] - 1) > 1e-12:
        raise SettingError.of("shares not increasing")
    spends = np.diff(_spent(times, alpha, spending), prepend=0.0)
    bounds = np.empty(len(times))
    # values and density of the sum while undecided
    grid = np.zeros(1)
    density = np.ones(1)
    before = 0.0
    for analysis, (time, spend) in enumerate(zip(times, spends, strict=True)):
        step = sqrt(time - before)
        bounds[analysis] = _bound(grid, density, step, spend)
        wide = np.linspace(-bounds[analysis], bounds[analysis], _NODES)
        reached = stats.norm.pdf(wide[:, None], grid, step) @ density
        weights = np.full(_NODES, wide[1] - wide[0])
        weights[[0, -1]] /= 2
        grid = wide
        density = reached * weights
        before = time
    return 2 * stats.norm.sf(bounds / np.sqrt(times))


def always_valid_t(counts: np.ndarray, alpha: float) -> np.ndarray:
    """Return bounds of |t| for these numbers of values, valid for any number of interim analyses.

    A bound is inf if no |t| suffices. `counts` must increase from at least 2, else SettingError is
    raised, as for `alpha` outside (0, 1).

    Notes
    -----
    With a N(0, v) prior on the standardized difference and the invariant prior on the standard deviation, the
    mean likelihood ratio of n values, (1 + n v)^(-1/2) ((1 + t^2 / (n - 1)) / (1 + t^2 / ((n - 1) (1 + n v))))^(n/2),
    is a martingale if there is no difference, and ever reaches 1 / alpha with probability at most alpha. v minimizes
    the bound at the last count, which must therefore be chosen in advance. Values are assumed normal: over 499
    interim analyses at 0.05, 0.034 of simulated normal experiments and 0.11 of exponential ones reached it.

    References
    ----------
    Wang and Ramdas, Anytime-valid t-tests and confidence sequences for Gaussian means with unknown variance,
    arXiv:2310.03722 (2023); Lai, Ann. Stat. 4 (1976) 265.

    Examples
    --------
    >>> always_valid_t(np.array([10, 20, 40]), 0.05).round(2).tolist()
    [4.99, 3.48, 3.2]
    """
    check_probability(alpha, "alpha")
    n = np.asarray(counts, dtype=float)
    if not len(n) or n[0] < 2 or (np.diff(n) <= 0).any():
        raise SettingError.of("counts not increasing")
    log_v = optimize.minimize_scalar(
        lambda log: float(_t_bound(n[-1:], alpha, np.exp(log))[0]), bounds=(-9, 9), method="bounded"
    ).x
    return _t_bound(n, alpha, float(np.exp(log_v)))


def _t_bound(n: np.ndarray, alpha: float, v: float) -> np.ndarray:
    """Return the |t| at which the mean likelihood ratio equals 1 / alpha; inf if it never does."""
    wide = 1 + n * v
    ratio = np.exp((np.log(wide) - 2 * np.log(alpha)) / n)
    reached = ratio < wide
    below = np.where(reached, 1 - ratio / wide, 1.0)
    return np.where(reached, np.sqrt((n - 1) * (ratio - 1) / below), np.inf)


def _spent(times: np.ndarray, alpha: float, spending: str) -> np.ndarray:
    if spending == "pocock":
        return alpha * np.log1p((e - 1) * times)
    critical = stats.norm.isf(alpha / 4)  # half of alpha on each side
    return 4 * stats.norm.sf(critical / np.sqrt(times))


def _bound(grid: np.ndarray, density: np.ndarray, step: float, spend: float) -> float:
    """Return the symmetric bound that the cumulative sum crosses with probability `spend`, by bisection."""
    low = 0.0
    high = 40.0
    for _ in range(60):
        middle = (low + high) / 2
        beyond = 2 * float(stats.norm.sf(middle, grid, step) @ density)
        low, high = (middle, high) if beyond > spend else (low, middle)
    return high


_QUANTILES = 30  # quadrature nodes of spreads and of differences compatible with the pilot
_MIDDLES = (np.arange(_QUANTILES) + 0.5) / _QUANTILES
_FAR = 1500.0  # noncentrality above which power is 1 within rounding


@dataclass(frozen=True, slots=True, kw_only=True)
class ExperimentSize:
    """Number of data sets, folds and repetitions of an experiment."""

    n_sets: int
    folds: int
    repetitions: int

    @property
    def results(self) -> int:
        """Number of results of each algorithm on a data set."""
        return self.folds * self.repetitions

    def grown(self, *, n_sets: int = 0, folds: int = 0, repetitions: int = 0) -> "ExperimentSize":
        """Return the size with data sets, folds or repetitions added."""
        return ExperimentSize(
            n_sets=self.n_sets + n_sets,
            folds=self.folds + folds,
            repetitions=self.repetitions + repetitions,
        )

    def towards(self, name: str, most: int, points: int) -> list["ExperimentSize"]:
        """Return at most `points` sizes, from this one to about `most` results per algorithm; only `name` increases."""
        now = getattr(self, name)
        other = self.n_sets * self.results / now
        ends = np.geomspace(now, max(now + 1, most / other), points)
        return [replace(self, **{name: value}) for value in sorted({round(end) for end in ends})]


@dataclass(frozen=True, kw_only=True, eq=False)
class Pilot:
    """Differences of one pair on several data sets, decomposed into variance components.

    Attributes
    ----------
    means, spreads : array, data set
        Mean and variance of the two algorithms' differences on folds.
    shares : array, data set
        Test fraction f.
    results : array of int, data set
        Number of results J.
    design : ExperimentSize
        The most frequent design among the data sets.
    """

    means: np.ndarray
    spreads: np.ndarray
    shares: np.ndarray
    results: np.ndarray
    design: ExperimentSize

    @property
    def crossed(self) -> bool:
        """Whether every instance is tested once per repetition, so that the test fraction is 1 / folds."""
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
        """Return a 95% interval for the share of the variance that is between data sets, given the other components."""
        df = len(self.means) - 1
        within = self.parts["overlap"] + self.parts["folds"]
        totals = self.total * df / stats.chi2.ppf([0.975, 0.025], df)
        low, high = np.clip(1 - within / totals, 0, 1)
        return float(low), float(high)

    def variance(self, design: ExperimentSize) -> float:
        """Return the variance of the mean difference on a data set under another design.

        With more folds, each tests fewer cases, so the variance of a result is proportional to the
        number of folds: the term between folds does not change, and that of the overlap, s^2 f / (1
        - f) with f = 1 / folds, is proportional to folds / (folds - 1). Effects of larger training
        sets on the algorithms are ignored. If the estimated variance between data sets is 0, the
        other terms can exceed the observed variance; this is not corrected.
        """
        parts = self.parts
        overlap = parts["overlap"]
        folds = parts["folds"]
        within = folds * self.design.repetitions / design.repetitions
        if design.folds != self.design.folds:
            overlap *= _crowding(design.folds) / _crowding(self.design.folds)
        if parts["between"] > 0:
            return float(parts["between"] + overlap + within)
        return float(self.total * (overlap + within) / (parts["overlap"] + folds))

    def half_width(self, design: ExperimentSize, level: float) -> float:
        """Return half the width of the t interval for the mean difference."""
        quantile = stats.t.isf(level / 2, design.n_sets - 1)
        return float(quantile * sqrt(self.variance(design) / design.n_sets))

    def chance(self, design: ExperimentSize, level: float, difference: float | None) -> float:
        """Return the power of the t test, averaged over the distribution of the true variance given the pilot.

        If `difference` is None, it is also averaged over the distribution of the true difference
        given the pilot.
        """
        df = len(self.means) - 1
        spreads = df / stats.chi2.ppf(_MIDDLES, df)  # the true variance divided by the observed one
        true = np.full((1, 1), difference)
        if difference is None:
            error = np.sqrt(self.total * spreads / len(self.means))
            true = self.estimate + stats.norm.ppf(_MIDDLES)[:, None] * error
        noncentrality = true**2 * design.n_sets / (self.variance(design) * spreads)
        critical = stats.t.isf(level / 2, design.n_sets - 1) ** 2
        power = stats.ncf.sf(critical, 1, design.n_sets - 1, np.minimum(noncentrality, _FAR))
        return float(np.where(noncentrality < _FAR, power, 1.0).mean())


def _crowding(folds: int) -> float:
    """Return the factor by which overlap inflates the variance for this number of folds."""
    return folds / (folds - 1)


SETS = "more data sets"
REPETITIONS = "more repetitions"
FOLDS = "more folds"
_GROWS = {SETS: "n_sets", REPETITIONS: "repetitions", FOLDS: "folds"}
_POINTS = 16  # of each curve
MOST_SETS = 200  # additional data sets that a plan asks for
# additional data sets at which power is computed
_ADDED = (*range(41), *range(45, MOST_SETS + 1, 5))
_SHARES = ("decided", "false", "always decided", "always false")


@dataclass(frozen=True, kw_only=True, eq=False)
class Plan:
    """Precision and power for one pair, for experiments of several sizes.

    Attributes
    ----------
    frame : DataFrame
        One row per size, from that of the pilot, along each ``way`` ("more data sets", "more
        repetitions", and "more folds" if each case is tested once per repetition): ``n_sets``,
        ``folds``, ``repetitions``, ``trainings`` (runs of all algorithms), their
        ``seconds`` (NaN without a cost), ``half_width`` of the interval of the mean difference,
        ``power`` for `target`, and ``chance`` (power for `difference`).
    options : DataFrame
        The same columns for "now" and for the requested sizes.
    growth : DataFrame
        One row per number of additional data sets, up to `MOST_SETS`: ``more_sets``, ``power`` and
        ``chance``.
    variance : Series
        Variance components of the mean difference on one data set: ``between`` data sets, by
        ``overlap`` of training sets and between ``folds``.
    between : tuple of float
        95% interval of the share of the variance that is between data sets; wide with few data
        sets.
    looks : DataFrame
        One row per interim analysis up to the largest number of data sets: ``n_sets``, the
        significance ``level``, ``half_width``; shares of simulated experiments ``decided`` so far
        and, without a true difference, ``false``, with Monte Carlo standard errors ``decided se``,
        ``false se``; the same for intervals valid at any number of interim analyses, ``always
        half_width`` and so on.
    pair : tuple of str
        The first and the second algorithm.
    estimate : float
        The pilot's mean difference, first minus second.
    interval : tuple of float
        Its 95% interval, for this pair alone.
    difference : float or None
        Difference to be detected; if None, ``chance`` is averaged over its distribution given the
        pilot.
    power : float
        Power for which the number of data sets is `needed`.
    level : float
        Two-sided level of this pair: that of the family divided by the number of comparisons.
    comparisons, algorithms, n_sets, draws, seed : int
        Hypotheses of the family; algorithms compared; data sets of the pilot; experiments simulated
        for the interim analyses, and their random seed.
    spending, measure : str
        Key of `SPENDINGS`; the measure.
    """

    frame: pd.DataFrame
    options: pd.DataFrame
    growth: pd.DataFrame
    variance: pd.Series
    between: tuple[float, float]
    looks: pd.DataFrame
    pair: tuple[str, str]
    estimate: float
    interval: tuple[float, float]
    difference: float | None
    power: float
    level: float
    comparisons: int
    algorithms: int
    n_sets: int
    draws: int
    seed: int
    spending: str
    measure: str

    @property
    def target(self) -> float:
        """Size of the difference to be detected: the given one, else the observed one."""
        return abs(self.estimate if self.difference is None else self.difference)

    @property
    def needed(self) -> float:
        """Number of additional data sets with this power; inf above `MOST_SETS`.

        Power is that for `difference`, or if None averaged over the true differences compatible
        with the pilot.
        """
        return self._smallest("chance")

    @property
    def needed_if_as_observed(self) -> float:
        """Number of additional data sets with this power if the true difference is exactly `target`; inf above `MOST_SETS`."""
        return self._smallest("power")

    @property
    def most_sets(self) -> int:
        """Largest number of additional data sets at which power is computed."""
        return MOST_SETS

    def _smallest(self, column: str) -> float:
        enough = self.growth.loc[self.growth[column] >= self.power, "more_sets"]
        return float(enough.min()) if len(enough) else inf


@dataclass(frozen=True, kw_only=True, eq=False)
class Looks(Simulation):
    """Simulation of experiments to which data sets are added between interim analyses.

    Attributes
    ----------
    estimate, variance, n_pilot : float, float, int
        Mean difference in the pilot, its variance between data sets, and their number.
    difference : float or None
        As in `Plan`.
    n_sets : tuple of int
        Data sets at each interim analysis.
    levels : tuple of float
        Two-sided levels.
    always : tuple of float
        Always-valid bounds of |t|.
    plan : Plan
        The plan without the results of the simulation; its `looks` have only the widths.
    """

    not_in_key: ClassVar[tuple[str, ...]] = (*Simulation.not_in_key, "plan")

    estimate: float
    variance: float
    n_pilot: int
    difference: float | None
    n_sets: tuple[int, ...]
    levels: tuple[float, ...]
    always: tuple[float, ...]
    plan: Plan

    def draw(self, rng: np.random.Generator, n: int) -> Sums:
        """Return how many experiments have stopped by each interim analysis, with and without a true difference."""
        df = self.n_pilot - 1
        spread = np.sqrt(self.variance * df / rng.chisquare(df, size=n))
        centre = self.estimate + spread / sqrt(self.n_pilot) * rng.normal(size=n)
        true = centre if self.difference is None else np.full(n, self.difference)
        noise = rng.normal(size=(n, self.n_sets[-1]))
        decided, always = self._decided(noise + (true / spread)[:, None])
        false, ever_false = self._decided(noise)
        shares = (decided, false, always, ever_false)
        return dict(zip(_SHARES, shares, strict=True))

    def _decided(self, values: np.ndarray) -> np.ndarray:
        """Return how many experiments have stopped by each analysis, by alpha spending and by always-valid bounds."""
        sizes = np.array(self.n_sets)
        levels = np.array(self.levels)
        standardized = []
        for n in sizes:
            sample = values[:, :n]
            standardized.append(sample.mean(axis=1) / sample.std(axis=1, ddof=1))
        t = np.abs(np.array(standardized)) * np.sqrt(sizes)[:, None]
        by_spending = stats.t.isf(levels / 2, sizes - 1)
        always_valid = np.array(self.always)
        stopped = []
        for bounds in (by_spending, always_valid):
            has_stopped = np.logical_or.accumulate(t > bounds[:, None])
            stopped.append(has_stopped.sum(axis=1))
        return np.array(stopped)

    def result(self, sums: Sums, n: int) -> Plan:
        """Return the plan with stopping probabilities and standard errors, one row per interim analysis."""
        table: dict[str, object] = {"n_sets": self.n_sets, "level": self.levels}
        for name in _SHARES:
            share = sums[name] / n
            table |= {name: share, f"{name} se": np.sqrt(share * (1 - share) / n)}
        widths = {name: self.plan.looks[name] for name in self.plan.looks}
        return replace(self.plan, looks=pd.DataFrame(table).assign(**widths), draws=n)


def _comparisons(k: int, settings: Settings) -> int:
    """Return the number of pairs of k algorithms by which the level is divided."""
    if settings.correction == "none":
        return 1
    return k - 1 if settings.control else k * (k - 1) // 2


@simulation.simulated
def plan_of(  # noqa: PLR0913
    results: Results | Analysed,
    settings: Settings | None = None,
    *,
    pair: tuple[str, str] | None = None,
    difference: float | None = None,
    power: float = 0.8,
    more_sets: int = 30,
    more_repetitions: int = 10,
    more_folds: int = 10,
    looks: int = 4,
    spending: str = "obrien-fleming",
    cost: str = "",
    draws: int = 4000,
    seed: int = 2008,
) -> Looks:
    """Return the precision and power for one pair with more data sets, repetitions or folds.

    `pair` is by default the two algorithms with the best means. Raise SettingError for invalid
    options, DesignError for one algorithm, fewer than three data sets, without folds or (unless
    overlap is ignored) without test fraction, DegenerateError if the differences do not vary,
    NeedsCost for an unknown `cost`, DataError if it is missing somewhere.

    Notes
    -----
    With J results per data set and test fraction f, the mean difference on a data set has the variance
    between + s^2 (f / (1 - f) + 1 / J), where s^2 is the variance of its results (Nadeau and Bengio).
    Repetitions reduce only the last term, data sets all three. With more folds, each tests fewer cases:
    s^2 is assumed to grow in proportion, so that folds reduce only the term for overlap, from 2 times the
    variance between cases with two folds to 1.11 times with ten. The effect of larger training sets on
    the algorithms is ignored. Widths are those of the t interval over data sets at the observed variance.

    Power is averaged over the distribution of the variance given the pilot. The number of data sets
    for the requested `power` is that for `difference`. If it is not given, ``chance``, and the
    number of data sets, are averaged over the distribution of the true difference, too. The number
    for exactly the observed difference is usually too small, because the true one may be smaller. For normal differences, Wilcoxon's test needs 5% more data sets. All data
    sets, old and new, are assumed to be sampled anew. If the data sets of the pilot are included in
    the new analysis, the pilot is an interim analysis: its level is the first of `looks`. If
    interim analyses are not planned in advance, use the wider intervals of `always_valid_t`.

    References
    ----------
    Nadeau and Bengio, Mach. Learn. 52 (2003) 239; O'Hagan, Stevens and Campbell, Pharm. Stat. 4 (2005)
    187; Lan and DeMets, Biometrika 70 (1983) 659.

    Examples
    --------
    >>> rng = np.random.default_rng(1)
    >>> rows = [(f"d{s}", fold, name, 0.2 + 0.02 * (name == "b") * (1 + rng.normal()) + rng.normal(0, 0.02))
    ...         for s in range(8) for fold in range(1, 6) for name in "ab"]
    >>> table = pd.DataFrame(rows, columns=["dataset", "fold", "algorithm", "error"])
    >>> found = plan_of(Results.from_frame(table), draws=500)
    >>> found.options["half_width"].round(4).to_dict()
    {'now': 0.0127, 'more data sets': 0.005, 'more repetitions': 0.0098, 'more folds': 0.0122}
    """
    results, settings = results_and_settings(results, settings)
    order_simulation.check_whole(more_sets, "more_sets", 1)
    order_simulation.check_whole(more_repetitions, "more_repetitions", 1)
    order_simulation.check_whole(more_folds, "more_folds", 1)
    order_simulation.check_whole(looks, "looks", 1)
    order_simulation.check_whole(draws, "draws", 2)
    check_one_of(spending, SPENDINGS, "spending")
    check_probability(power, "power")
    if difference is not None and not (np.isfinite(difference) and difference != 0):
        raise SettingError.of("no difference", difference=difference)
    results, settings = pairwise.resolve_settings(results, settings)
    compared = _pair(results, settings, pair)
    pilot = estimate_variance_components(results, settings, compared)
    names = results.algorithms
    comparisons = _comparisons(len(names), settings)
    level = settings.alpha / comparisons
    seconds = float(costs.cost_table(results, cost).sum(axis=1).mean()) if cost else nan

    target = pilot.estimate if difference is None else difference

    def powers(design: ExperimentSize) -> dict[str, float]:
        """Return the power for the target, and the power for the requested difference."""
        of_target = pilot.chance(design, level, target)
        if difference is not None:
            return {"power": of_target, "chance": of_target}
        return {"power": of_target, "chance": pilot.chance(design, level, None)}

    def row(design: ExperimentSize) -> dict:
        """Return the size of a design, its runs and their seconds, the half-width and the power."""
        trainings = len(names) * design.n_sets * design.results
        return {
            **asdict(design),
            "trainings": trainings,
            "seconds": trainings / len(names) * seconds,
            "half_width": pilot.half_width(design, level),
            **powers(design),
        }

    now = pilot.design
    larger = {
        SETS: now.grown(n_sets=more_sets),
        REPETITIONS: now.grown(repetitions=more_repetitions),
    }
    if pilot.crossed:
        larger[FOLDS] = now.grown(folds=more_folds)
    max_results = max(size.n_sets * size.results for size in larger.values())
    sizes = _spread(now.n_sets, more_sets, looks)
    levels = spent_levels(np.array(sizes) / sizes[-1], level, spending)
    always = always_valid_t(np.array(sizes), level)
    planned = [now.grown(n_sets=n - now.n_sets) for n in sizes]
    widths = []
    for size, level_of_size in zip(planned, levels, strict=True):
        widths.append(pilot.half_width(size, level_of_size))
    errors = [sqrt(pilot.variance(size) / size.n_sets) for size in planned]
    half_width = pilot.half_width(now, 0.05)
    by_size = []
    for way in larger:
        for size in now.towards(_GROWS[way], max_results, _POINTS):
            by_size.append({"way": way, **row(size)})
    growth = [{"more_sets": more, **powers(now.grown(n_sets=more))} for more in _ADDED]
    options = {"now": row(now)}
    for way, size in larger.items():
        options[way] = row(size)
    plan = Plan(
        frame=pd.DataFrame(by_size),
        growth=pd.DataFrame(growth),
        options=pd.DataFrame(options).T,
        variance=pilot.parts,
        between=pilot.between_interval(),
        looks=pd.DataFrame({"half_width": widths, "always half_width": always * errors}),
        pair=compared,
        estimate=pilot.estimate,
        interval=(pilot.estimate - half_width, pilot.estimate + half_width),
        difference=difference,
        power=power,
        level=level,
        comparisons=comparisons,
        algorithms=len(names),
        n_sets=now.n_sets,
        draws=draws,
        seed=seed,
        spending=spending,
        measure=settings.measure,
    )
    return Looks(
        estimate=pilot.estimate,
        variance=pilot.total,
        n_pilot=now.n_sets,
        difference=difference,
        n_sets=sizes,
        levels=tuple(levels.tolist()),
        always=tuple(always.tolist()),
        plan=plan,
        draws=draws,
        seed=seed,
    )


def check_plan(
    results: Results,
    settings: Settings,
    *,
    pair: tuple[str, str] | None = None,
    cost: str = "",
    **_: Any,
) -> None:
    """Raise the errors of `plan_of` for results that are no pilot; other options are not checked."""
    results, settings = pairwise.resolve_settings(results, settings)
    estimate_variance_components(results, settings, _pair(results, settings, pair))
    if cost:
        costs.cost_table(results, cost)


def estimate_variance_components(
    results: Results, settings: Settings, pair: tuple[str, str]
) -> Pilot:
    """Return a pair's differences on folds as variance components; DesignError or DegenerateError as in `plan_of`."""
    means = []
    spreads = []
    shares = []
    shapes = []
    for dataset in results.datasets:
        matrix = fold_pairs.fold_matrix(results, dataset, settings.measure)
        differences = (matrix[pair[0]] - matrix[pair[1]]).to_numpy()
        share = corrected_share(results, dataset, settings)
        if share is None and instances.are_tested(results, dataset):
            raise DesignError.of("A plan needs results per fold", dataset=dataset)
        if len(differences) < 2:
            raise DesignError.of("A plan needs at least two results", dataset=dataset)
        if share is None and settings.overlap != "ignored":
            raise DesignError.of(
                "A plan needs the test fraction", dataset=dataset, design=results.label_of(dataset)
            )
        means.append(differences.mean())
        spreads.append(differences.var(ddof=1))
        shares.append(share or 0.0)
        repetitions = matrix.index.get_level_values(0).nunique()
        shapes.append((len(differences) // repetitions, repetitions))
    if len(means) < 3:
        raise DesignError.of("A plan needs at least 3 data sets", n_means=len(means))
    folds, repetitions = max(set(shapes), key=shapes.count)
    pilot = Pilot(
        means=np.array(means),
        spreads=np.array(spreads),
        shares=np.array(shares),
        results=np.array([folds * reps for folds, reps in shapes]),
        design=ExperimentSize(n_sets=len(means), folds=folds, repetitions=repetitions),
    )
    if pilot.total <= 0:
        raise DegenerateError.of(
            "Differences of first and second need to vary", first=pair[0], second=pair[1]
        )
    return pilot


def _pair(results: Results, settings: Settings, pair: tuple[str, str] | None) -> tuple[str, str]:
    """Return the given pair, else the two best by mean; DesignError for one algorithm, SettingError for a bad pair."""
    names = results.algorithms
    if len(names) < 2:
        raise DesignError.of("plan of one", n=len(names))
    if pair is not None:
        if pair[0] == pair[1] or not set(pair) <= set(names):
            raise SettingError.of(
                "pair must name two different algorithms of these",
                names=", ".join(names),
                first=pair[0],
                second=pair[1],
            )
        return pair
    higher = results.direction(settings.measure) == "higher"
    means = (
        results.averages(settings.measure).mean().sort_values(ascending=not higher, kind="stable")
    )
    return str(means.index[0]), str(means.index[1])


def _spread(start: int, more: int, count: int) -> tuple[int, ...]:
    """Return the numbers of data sets at evenly spaced interim analyses, the last being `start + more`."""
    sizes = np.linspace(start, start + more, count) if count > 1 else [start + more]
    return tuple(dict.fromkeys(round(size) for size in sizes))
