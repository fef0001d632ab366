"""Stratified tests of models: over all instances of several benchmarks, and of their mean."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd
from scipy import optimize, stats

from stats_core.comparison.kinds import instances
from stats_core.comparison.kinds.instances import ERRORS, CasesComparison
from stats_core.comparison.result import Comparison, HasComparison, comparison_of
from stats_core.core.errors import FoldwiseError
from stats_core.core.result_types import cached
from stats_core.core.validation import significant
from stats_core.data.predictions import case_table
from stats_core.data.results import Results
from stats_core.data.settings import Analysed, Settings, results_and_settings, select
from stats_core.inference import distributions, heterogeneity, pair_intervals, rank_intervals
from stats_core.inference.clusters import satterthwaite_df
from stats_core.inference.heterogeneity import WelchResult
from stats_core.inference.multiplicity import adjust
from stats_core.inference.paired import proportions, signed_ranks
from stats_core.inference.paired.instance_tests import (
    InstancePermutationResult,
    InstancesAndTrainingsResult,
)
from stats_core.inference.rank_intervals import RankIntervalsResult

_FARTHEST = 8.0  # standard normal quantile beyond which a p-value is not computed

Pair = tuple[str, str]


@dataclass(frozen=True, kw_only=True, eq=False)
class StratifiedDifference:
    """Difference of two models over several benchmarks, stratified.

    Attributes
    ----------
    frame : DataFrame by benchmark
        `instances`, values `of first` and `of second`, `estimate`, `low`, `high` and `p` of each
        benchmark's test.
    pooled, macro : Series
        `estimate`, `low`, `high` and `p` of the difference over all instances, and of the mean of
        the benchmarks.
    first, second : str
        The two models.
    error : float
        Standard error of the difference over all instances.
    variances, df : tuple of float
        The variances whose sum is the square of `error`, and their degrees of freedom: over
        instances, and over runs if there are several; () for the exact test.
    discordance : float
        Share of instances on which exactly one model is correct; NaN unless the test is exact.
    exact : bool
        Whether the pooled p-value is that of the exact McNemar test of the disagreements of all
        benchmarks.
    heterogeneity : WelchResult or None
        Test of whether the difference is the same on all benchmarks; None if it does not vary on
        some benchmark.
    weights_decide : bool
        Whether the mean of benchmarks leads to another decision than all instances, because the
        benchmarks differ in size.
    """

    frame: pd.DataFrame
    pooled: pd.Series
    macro: pd.Series
    first: str
    second: str
    error: float
    variances: tuple[float, ...]
    df: tuple[float, ...]
    discordance: float
    exact: bool
    heterogeneity: WelchResult | None
    weights_decide: bool

    @property
    def opposite(self) -> list[str]:
        """The benchmarks whose difference has the opposite sign of that over all instances."""
        signs = np.sign(self.frame["estimate"]) * np.sign(self.pooled["estimate"])
        return list(signs.index[signs < 0])

    def ahead_first(self, higher_is_better: bool) -> Pair:
        """Return the two models, the better one over all instances first."""
        return (
            (self.first, self.second)
            if (self.pooled["estimate"] > 0) == higher_is_better
            else (self.second, self.first)
        )


@dataclass(frozen=True, kw_only=True, eq=False)
class Strata:
    """Differences of two models on each benchmark.

    Attributes
    ----------
    sizes, estimates, errors, df : array
        Numbers of instances, differences, their standard errors over instances (or clusters) and
        the degrees of freedom of these.
    runs : sequence of array
        Differences of the runs on each benchmark, if there are several runs.
    largest : float
        Largest difference that the measure can have.
    counts : array, benchmark x 4, or None
        Numbers of instances on which both, only the first, only the second, or neither model is
        correct, if the exact test is used.
    units : int
        Number of independent instances or clusters.
    """

    sizes: np.ndarray
    estimates: np.ndarray
    errors: np.ndarray
    df: np.ndarray
    counts: np.ndarray | None
    units: int
    runs: tuple[np.ndarray, ...] = ()
    largest: float = np.inf

    @classmethod
    def of(cls, each: Sequence[CasesComparison], first: str, second: str) -> "Strata":
        """Return the differences of two models in the comparisons on each benchmark."""
        turned = [comparison.turned(first, second) for comparison in each]
        units = [comparison.n_clusters or comparison.n_cases for comparison in each]
        parts = [_over_units(c, test) for c, (_, test) in zip(each, turned, strict=True)]
        errors, df = np.array(parts, dtype=float).T
        exact = all(comparison.way == "mcnemar" for comparison in each)
        counts = [comparison.agreement(first, second).to_numpy() for comparison in each]
        return cls(
            sizes=np.array([comparison.n_cases for comparison in each], dtype=float),
            estimates=np.array([sign * test.estimate for sign, test in turned]),
            errors=errors,
            df=df,
            counts=np.array(counts) if exact else None,
            units=sum(units),
            runs=_differences_of_runs(each, first, second),
            largest=max(
                instances.largest_difference(comparison.cases, comparison.settings.measure)
                for comparison in each
            ),
        )

    @property
    def equal_weights(self) -> np.ndarray:
        """The same weight for each benchmark."""
        return np.full(len(self.sizes), 1 / len(self.sizes))

    @property
    def size_weights(self) -> np.ndarray:
        """Weights of the benchmarks in the mean over all instances."""
        return self.sizes / self.sizes.sum()

    def variances(self, weights: np.ndarray) -> tuple[tuple[float, ...], tuple[float, ...]]:
        """Return the variances whose sum is that of a weighted mean, and their degrees of freedom.

        The first is that over instances, with Satterthwaite's degrees of freedom. The models of a
        run may be the same on all benchmarks. The second is therefore that of the weighted means
        of the runs, or there is one for each benchmark if the numbers of runs differ.
        """
        of_units = (weights * self.errors) ** 2
        over_units, spread = float(of_units.sum()), float((of_units**2 / self.df).sum())
        variances = [over_units]
        df = [over_units**2 / spread if spread else float(self.df.sum())]
        weighted = [w * each for w, each in zip(weights, self.runs, strict=False)]
        if len({len(each) for each in weighted}) == 1:
            weighted = [np.sum(weighted, axis=0)]
        for means in weighted:
            if len(means) > 1:
                variances.append(float(means.var(ddof=1)) / len(means))
                df.append(len(means) - 1.0)
        return tuple(variances), tuple(df)

    def error(self, weights: np.ndarray) -> float:
        """Return the standard error of a weighted mean."""
        return float(np.sqrt(sum(self.variances(weights)[0])))

    def interval(self, weights: np.ndarray, rate: float) -> tuple[float, float]:
        """Return the interval of a weighted mean at error rate `rate`; NaN without variance.

        It is unbounded if so few units cannot reject any value.
        """
        if self.counts is not None:
            return self._of_shares(weights, 1 - rate)
        estimate, reach = float(weights @ self.estimates), np.nan
        if self.varies(weights):
            critical = distributions.summed_t_isf(rate / 2, *self.variances(weights))
            reach = critical * self.error(weights)
            if 2.0 ** (1 - self.units) > rate:
                reach = np.inf
        ends = np.clip([estimate - reach, estimate + reach], -self.largest, self.largest)
        return float(ends[0]), float(ends[1])

    def varies(self, weights: np.ndarray) -> bool:
        """Return whether the standard error of a weighted mean is larger than rounding errors."""
        return self.error(weights) > 1e-12 * float(weights @ np.abs(self.estimates))

    def _of_shares(self, weights: np.ndarray, level: float) -> tuple[float, float]:
        """Return the interval that combines Newcombe's intervals of the benchmarks (MOVER)."""
        assert self.counts is not None
        ends = np.array(
            [
                proportions.newcombe_interval(*map(int, cells), confidence_level=level)
                for cells in self.counts
            ]
        )
        estimate = float(weights @ self.estimates)
        below, above = np.abs(ends - self.estimates[:, None]).T
        reach_below, reach_above = (
            float(np.sqrt((weights**2) @ reach**2)) for reach in (below, above)
        )
        return estimate - reach_below, estimate + reach_above

    def pvalue(self, weights: np.ndarray) -> float:
        """Return the p-value of a weighted mean, that of its interval.

        It is at least that of the sign flips of all units, 2^(1 - n).
        """
        if self.counts is not None:
            return self._pvalue_of_shares(weights)
        estimate = float(weights @ self.estimates)
        if not self.varies(weights):
            p = float(abs(estimate) <= 1e-12 * float(weights @ np.abs(self.estimates)))
        else:
            t = abs(estimate) / self.error(weights)
            p = 2 * distributions.summed_t_sf(t, *self.variances(weights))
        return min(max(p, 2.0 ** (1 - self.units)), 1.0)

    def _pvalue_of_shares(self, weights: np.ndarray) -> float:
        """Return the p-value at which the interval of `_of_shares` ends at 0."""
        estimate = float(weights @ self.estimates)
        if abs(estimate) <= 1e-12 * float(
            weights @ np.abs(self.estimates)
        ):  # zero but for rounding
            return 1.0
        sign = float(np.sign(estimate))

        def nearest(z: float) -> float:
            low, high = self._of_shares(weights, 1 - 2 * float(stats.norm.sf(z)))
            return low if sign > 0 else -high

        z = (
            _FARTHEST
            if nearest(_FARTHEST) > 0
            else optimize.brentq(nearest, 1e-9, _FARTHEST, xtol=1e-10)
        )
        return 2 * float(stats.norm.sf(z))

    def pooled_pvalue(self) -> float:
        """Return the p-value over all instances, exact for right and wrong answers."""
        if self.counts is None:
            return self.pvalue(self.size_weights)
        only_first, only_second = self.counts[:, 1].sum(), self.counts[:, 2].sum()
        total = int(only_first + only_second)
        return float(stats.binomtest(int(only_first), total).pvalue) if total else 1.0

    def heterogeneity(self) -> WelchResult | None:
        """Return Welch's test; for answers, with half an instance added to each cell."""
        if self.counts is None:
            return heterogeneity.welch_test(self.estimates, *self._totals())
        n, more, fewer = self.sizes + 2, self.counts[:, 1] + 0.5, self.counts[:, 2] + 0.5
        estimates = (more - fewer) / n
        errors = np.sqrt((more + fewer - n * estimates**2) / (n * (n - 1)))
        return heterogeneity.welch_test(estimates, errors, self.sizes - 1)

    def _totals(self) -> tuple[np.ndarray, np.ndarray]:
        """Return the standard error of each difference, runs included, and Satterthwaite's df."""
        if not self.runs:
            return self.errors, self.df
        parts = [self.variances(of_one) for of_one in np.eye(len(self.sizes))]
        totals = np.array([sum(variances) for variances, _ in parts])
        spreads = [np.square(variances) @ (1 / np.array(df)) for variances, df in parts]
        return np.sqrt(totals), totals**2 / np.where(totals > 0, spreads, 1)

    def decision(self, weights: np.ndarray, rate: float) -> int:
        """Return the sign of a weighted mean if its p-value is significant at `rate`, else 0."""
        differs = bool(significant(self.pvalue(weights), rate))
        return int(np.sign(weights @ self.estimates)) * differs


def combined(
    each: Sequence[CasesComparison],
    first: str,
    second: str,
    alpha: float,
    *,
    rejects: bool | None = None,
    macro_rejects: bool | None = None,
    framed: bool = True,
) -> StratifiedDifference:
    """Return the stratified difference of two models, from the comparisons on each benchmark.

    `rejects` and `macro_rejects` are the decisions over all instances and on the mean of
    benchmarks; by default, those of their p-values at `alpha`. Unless `framed`, the frame is empty.
    """
    strata = Strata.of(each, first, second)
    by_size, by_benchmark = strata.size_weights, strata.equal_weights
    estimate, p = float(by_size @ strata.estimates), strata.pooled_pvalue()
    differs = bool(significant(p, alpha)) if rejects is None else rejects
    low, high = signed_ranks.consistent_interval(
        strata.interval(by_size, alpha), rejects=differs, ahead=estimate, scale=1.0
    )
    macro_low, macro_high = strata.interval(by_benchmark, alpha)
    macro = {
        "estimate": float(by_benchmark @ strata.estimates),
        "low": macro_low,
        "high": macro_high,
        "p": strata.pvalue(by_benchmark),
    }
    macro_differs = bool(significant(macro["p"], alpha)) if macro_rejects is None else macro_rejects
    exact = strata.counts is not None
    variances, df = ((), ()) if exact else strata.variances(by_size)
    return StratifiedDifference(
        frame=_by_benchmark(each, first, second) if framed else pd.DataFrame(),
        pooled=pd.Series({"estimate": estimate, "low": low, "high": high, "p": p}),
        macro=pd.Series(macro),
        first=first,
        second=second,
        error=strata.error(by_size),
        variances=variances,
        df=df,
        discordance=float(strata.counts[:, 1:3].sum() / strata.sizes.sum())
        if strata.counts is not None
        else np.nan,
        exact=exact,
        heterogeneity=strata.heterogeneity(),
        weights_decide=_weights_decide(strata, differs, macro_differs, alpha),
    )


def _over_units(c: CasesComparison, test: InstancePermutationResult) -> tuple[float, float]:
    """Return the standard error of a difference over instances or clusters, and its df."""
    if isinstance(test, InstancesAndTrainingsResult):
        return test.over_cases, test.df[0]
    if c.cases.cluster is None:
        return test.error, c.n_cases - 1.0
    return test.error, satterthwaite_df(np.bincount(c.cases.cluster))


def _differences_of_runs(
    each: Sequence[CasesComparison], first: str, second: str
) -> tuple[np.ndarray, ...]:
    """Return the differences of the runs on each benchmark; () with one run on every benchmark."""
    if not any(comparison.way == "two-way" for comparison in each):
        return ()
    differences = []
    for comparison in each:
        names = [first, second]
        _, runs = instances.case_columns(comparison.cases, comparison.settings.measure, names)
        differences.append((runs[first] - runs[second]).to_numpy())
    return tuple(differences)


def _weights_decide(strata: Strata, differs: bool, macro_differs: bool, rate: float) -> bool:
    """Return whether only the weights of the benchmarks lead to another decision.

    The exact test of all instances has to agree with the interval that both weights share.
    """
    by_size, by_benchmark = strata.size_weights, strata.equal_weights
    signs = np.sign([weights @ strata.estimates for weights in (by_size, by_benchmark)])
    decided, of_mean = int(signs[0]) * differs, int(signs[1]) * macro_differs
    if decided * signs[1] < 0 or of_mean * signs[0] < 0:
        return True
    return (
        of_mean != decided
        and strata.decision(by_size, rate) == decided
        and bool(np.ptp(strata.sizes) > 0)
    )


def _by_benchmark(each: Sequence[CasesComparison], first: str, second: str) -> pd.DataFrame:
    """Return one row per benchmark: instances, two values, and the difference with its test."""
    rows = {}
    for comparison in each:
        sign, test = comparison.turned(first, second)
        low, high = comparison.turned_interval(first, second)
        rows[comparison.dataset] = {
            "instances": comparison.n_cases,
            "of first": comparison.values[first],
            "of second": comparison.values[second],
            "estimate": sign * test.estimate,
            "low": low,
            "high": high,
            "p": test.pvalue,
        }
    return (
        pd.DataFrame.from_dict(rows, orient="index")
        .rename_axis("benchmark")
        .astype({"instances": int})
    )


def stratified_difference(
    results: Results | Analysed, first: str, second: str, settings: Settings | None = None
) -> StratifiedDifference | None:
    """Return the stratified difference of two models; None unless `on_benchmarks` allows it.

    Test sets of two classes are not benchmarks of answers, so None is returned for them.

    Notes
    -----
    Over all instances, the estimate is the mean difference weighted by the numbers of instances.
    For right and wrong answers, it is the Mantel-Haenszel difference of matched pairs, and the
    p-value is that of the exact McNemar test of the summed disagreements, which conditions on
    benchmark and instance. Otherwise the test is a t test with Satterthwaite's degrees of freedom.
    With several runs, the variance over runs is added, and the critical value is Banerjee's, as in
    `two_way_test`.

    The mean of benchmarks gives all benchmarks the same weight. The intervals of shares combine
    Newcombe's intervals of the benchmarks, those of other means are t intervals. The interval over
    all instances excludes 0 if and only if `rejects`. The benchmarks are fixed, not sampled.

    References
    ----------
    Mantel and Haenszel, J. Natl. Cancer Inst. 22 (1959) 719; Agresti, Categorical Data Analysis
    (2013), section 11.2; Satterthwaite, Biometrics Bull. 2 (1946) 110; Donner and Zou, Stat.
    Methods Med. Res. 21 (2012) 347.
    """
    results, settings = results_and_settings(results, settings)
    each = on_benchmarks(results, replace(needed_settings(settings), pair=(first, second)))
    return combined(each, first, second, settings.alpha) if each else None


@cached
def on_benchmarks(results: Results, settings: Settings) -> tuple[CasesComparison, ...]:
    """Return the comparisons on each benchmark; () unless all are means over named instances.

    Of the settings, `measure`, `alpha`, `pair`, `control` and `horizon` are used. Test sets of two
    classes are not benchmarks of answers.
    """
    names = results.datasets
    is_ordered = results.direction(settings.measure) in ("higher", "lower")
    if len(names) < 2 or results.predictions is None or not is_ordered:
        return ()
    each = []
    for name in names:
        comparison = _on_benchmark(results, replace(settings, dataset=name))
        if comparison is None:
            return ()
        each.append(comparison)
    return tuple(each)


def _on_benchmark(results: Results, settings: Settings) -> CasesComparison | None:
    """Return the comparison on a benchmark; None for two classes, or if it is no mean."""
    try:
        selected = _without_positives(results, settings.dataset, settings.pair)
        comparison = (
            None if selected is None else instances.compare_pair_on_cases(selected, settings)
        )
    except FoldwiseError:
        return None
    if comparison is None:
        return None
    is_mean = (
        comparison.cases.value is not None
        or comparison.cases.are_marks
        or settings.measure in ERRORS
    )
    return comparison if is_mean else None


@cached
def _without_positives(results: Results, dataset: str, pair: Pair | tuple[()]) -> Results | None:
    """Return the results on one benchmark; None for two classes, and without named instances."""
    selected = select(results, Settings(dataset=dataset, pair=pair))
    table = case_table(selected, dataset)
    return None if table is None or table.positive is not None else selected


def needed_settings(settings: Settings) -> Settings:
    """Return the settings that comparisons on each benchmark use."""
    return Settings(
        measure=settings.measure,
        alpha=settings.alpha,
        correction="none",  # the tests on each benchmark are not adjusted
        control=settings.control,
        horizon=settings.horizon,
    )


def _each(c: Comparison) -> tuple[CasesComparison, ...]:
    """Return the comparisons of all algorithms on each benchmark; () unless all are means."""
    if len(c.order) < 2 or c.shape.published or c.together:
        return ()
    return on_benchmarks(c.results, replace(needed_settings(c.settings), control=""))


def stratified_of(c: Comparison) -> StratifiedDifference | None:
    """Return the stratified difference of the two best algorithms; None without instances."""
    if len(c.order) < 2 or c.shape.published or c.together:
        return None
    first, second = c.order[:2]
    return stratified_difference(c.results, first, second, replace(c.settings, control=""))


@dataclass(frozen=True, kw_only=True, eq=False)
class AdjustedTests:
    """Stratified tests of pairs of models, with p-values adjusted for their number.

    Attributes
    ----------
    p : DataFrame, algorithm x algorithm
        p-values over all instances; 1 for pairs that were not compared.
    adjusted, macro_adjusted : DataFrame, algorithm x algorithm
        Adjusted p-values over all instances, and of the mean of benchmarks.
    correction : str
        Key of the correction.
    """

    p: pd.DataFrame
    adjusted: pd.DataFrame
    macro_adjusted: pd.DataFrame
    correction: str


def adjusted_tests(
    each: Sequence[CasesComparison], names: Sequence[str], settings: Settings
) -> AdjustedTests:
    """Return the stratified tests of all pairs of `names`, or of all pairs with the control."""
    pairs = instances.pairs_of(names, settings.control)
    strata = {pair: Strata.of(each, *pair) for pair in pairs}
    p = {pair: strata[pair].pooled_pvalue() for pair in pairs}
    macro_p = {pair: strata[pair].pvalue(strata[pair].equal_weights) for pair in pairs}
    unadjusted = replace(settings, correction="none")
    adjusted = instances.adjusted_pvalues(p, list(names), settings)
    return AdjustedTests(
        p=instances.adjusted_pvalues(p, list(names), unadjusted),
        adjusted=adjusted,
        macro_adjusted=instances.adjusted_pvalues(macro_p, list(names), settings),
        correction=adjust.used_correction(settings.correction, adjusted),
    )


def pair_rows(
    each: Sequence[CasesComparison], tested: AdjustedTests, pairs: Sequence[Pair], alpha: float
) -> list[dict]:
    """Return one dict per pair: both differences with intervals and p-values.

    Intervals of the difference over all instances exclude 0 if and only if the adjusted p-value is
    significant.
    """
    p = [float(tested.p.loc[pair]) for pair in pairs]
    adjusted = [float(tested.adjusted.loc[pair]) for pair in pairs]
    rates = pair_intervals.error_rates(p, adjusted, alpha, correction=tested.correction).tolist()
    rows = []
    for (first, second), p_adjusted, rate in zip(pairs, adjusted, rates, strict=True):
        differs = bool(significant(p_adjusted, alpha))
        macro_p = float(tested.macro_adjusted.loc[first, second])
        macro_differs = bool(significant(macro_p, alpha))
        decisions = {"rejects": differs, "macro_rejects": macro_differs, "framed": False}
        difference = combined(each, first, second, rate, **decisions)
        test = difference.heterogeneity
        rows.append(
            {
                "first": first,
                "second": second,
                **difference.pooled[["estimate", "low", "high"]],
                "statistic": difference.pooled["estimate"] / difference.error
                if difference.error
                else np.nan,
                "p": float(tested.p.loc[first, second]),
                "p adjusted": p_adjusted,
                "separated": differs,
                "df": difference.df[0] if len(difference.df) == 1 else np.nan,
                "macro": difference.macro["estimate"],
                "macro low": difference.macro["low"],
                "macro high": difference.macro["high"],
                "macro p": macro_p,
                "heterogeneity p": np.nan if test is None else test.pvalue,
                "weights decide": difference.weights_decide,
            }
        )
    return rows


def stratified_pairs(comparison: Comparison | HasComparison) -> pd.DataFrame | None:
    """Return one row per pair of three or more algorithms; None without instances of benchmarks.

    Columns are those of `pair_rows`, with p-values adjusted by the correction in the settings;
    `attrs["correction"]` is the correction that was applied.
    """
    return _stratified_pairs(comparison_of(comparison))


@cached
def _stratified_pairs(c: Comparison) -> pd.DataFrame | None:
    """Return the table of `stratified_pairs`, which is cached."""
    each = _each(c)
    if not each or len(c.order) < 3:
        return None
    settings, pairs = c.settings, instances.pairs_of(c.order, c.settings.control)
    tested = adjusted_tests(each, c.order, settings)
    table = pd.DataFrame(pair_rows(each, tested, pairs, settings.alpha))
    table = table.sort_values(["p adjusted", "p"], kind="stable", ignore_index=True)
    table.attrs["correction"] = tested.correction
    return table


@cached
def stratified_ranks(c: Comparison) -> RankIntervalsResult | None:
    """Return intervals for ranks over all instances; None without these or for two algorithms.

    None is also returned if the numbers of runs of the benchmarks differ.
    """
    each = _each(c)
    if len(c.order) < 3 or len({len(comparison.cases.trainings) for comparison in each}) != 1:
        return None
    columns, runs = zip(
        *(
            instances.case_columns(comparison.cases, c.settings.measure, c.order)
            for comparison in each
        ),
        strict=True,
    )
    sizes = np.array([comparison.n_cases for comparison in each])
    strata = np.repeat(np.arange(len(each)), sizes)
    clusters = [
        np.arange(comparison.n_cases)
        if comparison.cases.cluster is None
        else comparison.cases.cluster
        for comparison in each
    ]
    starts = np.concatenate([[0], np.cumsum([codes.max() + 1 for codes in clusters])[:-1]])
    return rank_intervals.rank_intervals(
        pd.concat(columns, ignore_index=True),
        higher_is_better=c.higher_is_better,
        clusters=np.concatenate(clusters) + np.repeat(starts, sizes),
        strata=strata,
        runs=sum(run * n / sizes.sum() for run, n in zip(runs, sizes, strict=True))
        if len(runs[0]) > 1
        else None,
        confidence_level=1 - c.settings.alpha,
    )
