"""Models on the instances of several benchmarks: each benchmark, all instances, and the mean of benchmarks."""

from dataclasses import dataclass, replace

import numpy as np
import pandas as pd
from scipy import stats

from stats_core.comparison.kinds import instances
from stats_core.comparison.kinds.instances import ERRORS, CasesComparison
from stats_core.comparison.result import Comparison
from stats_core.core.errors import FoldwiseError
from stats_core.core.result_types import cached
from stats_core.core.validation import significant
from stats_core.data.predictions import case_table
from stats_core.data.results import Results
from stats_core.data.settings import Settings, select
from stats_core.inference import pair_intervals, rank_intervals
from stats_core.inference.multiplicity import adjust
from stats_core.inference.paired import signed_ranks
from stats_core.inference.rank_intervals import RankIntervalsResult


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
    error, df : float
        Standard error of the difference over all instances, and its degrees of freedom, infinite
        for a normal test.
    discordance : float
        Share of instances on which exactly one model is correct; NaN unless the test is exact.
    exact : bool
        Whether the pooled p-value is that of the exact McNemar test of the disagreements of all
        benchmarks.
    """

    frame: pd.DataFrame
    pooled: pd.Series
    macro: pd.Series
    first: str
    second: str
    error: float
    df: float
    discordance: float
    exact: bool

    @property
    def distribution(self) -> str:
        """Distribution of the statistic of a test that is not exact: "normal" or "t"."""
        return "normal" if np.isinf(self.df) else "t"

    @property
    def opposite(self) -> list[str]:
        """The benchmarks whose difference has the opposite sign of the difference over all instances."""
        signs = np.sign(self.frame["estimate"]) * np.sign(self.pooled["estimate"])
        return list(signs.index[signs < 0])

    def ahead_first(self, higher_is_better: bool) -> tuple[str, str]:
        """Return the two models, the better one over all instances first."""
        return (
            (self.first, self.second)
            if (self.pooled["estimate"] > 0) == higher_is_better
            else (self.second, self.first)
        )


@cached
def stratified_difference(
    results: Results, settings: Settings, first: str, second: str
) -> StratifiedDifference | None:
    """Return the stratified difference of two models; None without a mean over named instances of several benchmarks.

    Notes
    -----
    Test sets of two classes are not benchmarks of answers, so None is returned for them.

    Over all instances, the estimate is the mean difference weighted by the numbers of instances.
    For right and wrong answers, it is the Mantel-Haenszel difference of matched pairs, and the
    p-value is that of the exact McNemar test of the summed disagreements, which conditions on
    benchmark and instance. Otherwise the p-value is normal, or, with clusters or training runs,
    that of a t test with Satterthwaite's degrees of freedom.

    The mean of benchmarks gives all benchmarks the same weight. Both intervals are of the same
    kind. Their variance is the sum of the variances within benchmarks, multiplied by the squared
    weights. The interval of the exact test is changed so that it excludes 0 if and only if the test
    is significant. The benchmarks are fixed, not sampled.

    References
    ----------
    Mantel and Haenszel, J. Natl. Cancer Inst. 22 (1959) 719; Agresti, Categorical Data Analysis (2013), section 11.2.
    """
    names = results.datasets
    if len(names) < 2 or results.direction(settings.measure) not in ("higher", "lower"):
        return None
    pair_settings = Settings(measure=settings.measure, alpha=settings.alpha, pair=(first, second))
    each = [_on_benchmark(results, replace(pair_settings, dataset=name)) for name in names]
    return (
        _combined([comparison for comparison in each if comparison], first, second, settings.alpha)
        if all(each)
        else None
    )


def _combined(
    each: list[CasesComparison],
    first: str,
    second: str,
    alpha: float,
    *,
    rejects: bool | None = None,
) -> StratifiedDifference:
    """Return the stratified difference, from the comparisons on each benchmark.

    The interval over all instances agrees with `rejects`, by default the decision of its own test
    at `alpha`.
    """
    rows, parts, counts = {}, [], np.zeros(2, dtype=int)
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
        parts.append(
            (test.error, getattr(test, "df", test.n - 1 if comparison.n_clusters else np.inf))
        )
        counts += comparison.agreement(first, second).to_numpy()[1:3]
    frame = (
        pd.DataFrame.from_dict(rows, orient="index")
        .rename_axis("benchmark")
        .astype({"instances": int})
    )
    exact, total = all(comparison.way == "mcnemar" for comparison in each), int(counts.sum())
    sizes, errors, df = frame["instances"].to_numpy(dtype=float), *np.array(parts).T
    (pooled, error, pooled_df), (macro, _, _) = (
        _weighted(frame["estimate"].to_numpy(), errors, df, weights / weights.sum(), alpha)
        for weights in (sizes, np.ones(len(sizes)))
    )
    if exact:
        pooled["p"] = stats.binomtest(int(counts[0]), total).pvalue if total else 1.0
    if exact or rejects is not None:
        pooled["low"], pooled["high"] = signed_ranks.consistent_interval(
            (pooled["low"], pooled["high"]),
            rejects=bool(significant(pooled["p"], alpha)) if rejects is None else rejects,
            ahead=pooled["estimate"],
            scale=1.0,
        )
    return StratifiedDifference(
        frame=frame,
        pooled=pooled,
        macro=macro,
        first=first,
        second=second,
        error=error,
        df=pooled_df,
        discordance=total / float(sizes.sum()) if exact else np.nan,
        exact=exact,
    )


def _on_benchmarks(c: Comparison) -> list[CasesComparison]:
    """Return the comparisons of all algorithms on the instances of each benchmark; [] unless all are means of instances."""
    names = c.results.datasets
    if (
        len(names) < 2
        or len(c.order) < 3
        or c.results.predictions is None
        or c.shape.published
        or c.together
    ):
        return []
    settings = Settings(measure=c.settings.measure, alpha=c.settings.alpha)
    each = [_on_benchmark(c.results, replace(settings, dataset=name)) for name in names]
    return [comparison for comparison in each if comparison] if all(each) else []


@cached
def stratified_pairs(c: Comparison) -> pd.DataFrame | None:
    """Return one row per pair of three or more algorithms over all instances of several benchmarks; None without these.

    Columns: `first`, the better one over data sets (with a control, the control is `second`),
    `second`, `estimate`, `low`, `high`, `p`, `p adjusted` by the correction in the settings, and
    `macro`, the mean difference of the benchmarks. Intervals exclude 0 exactly if the adjusted
    p-value is significant.
    """
    each, alpha = _on_benchmarks(c), c.settings.alpha
    if not each:
        return None
    pairs = instances.pairs_of(c.order, c.settings.control)
    p = {pair: float(_combined(each, *pair, alpha).pooled["p"]) for pair in pairs}
    adjusted = instances.adjusted_pvalues(p, list(c.order), c.settings)
    of_pairs = [float(adjusted.loc[pair]) for pair in pairs]
    rates = pair_intervals.error_rates(
        list(p.values()), of_pairs, alpha, correction=pairs_correction(c)
    )
    rows = []
    for (first, second), p_adjusted, rate in zip(pairs, of_pairs, rates.tolist(), strict=True):
        combined = _combined(
            each, first, second, rate, rejects=bool(significant(p_adjusted, alpha))
        )
        about = {"first": first, "second": second, **combined.pooled[["estimate", "low", "high"]]}
        rows.append(
            {
                **about,
                "p": p[first, second],
                "p adjusted": p_adjusted,
                "macro": combined.macro["estimate"],
            }
        )
    return pd.DataFrame(rows).sort_values(["p adjusted", "p"], kind="stable", ignore_index=True)


def pairs_correction(c: Comparison) -> str:
    """Return the key of the correction of `stratified_pairs`."""
    correction = c.settings.correction
    return correction if c.settings.control else adjust.usable_correction(correction, len(c.order))


@cached
def stratified_ranks(c: Comparison) -> RankIntervalsResult | None:
    """Return the intervals for ranks over all instances of several benchmarks; None without these or for two algorithms.

    None is also returned if the numbers of training runs of the benchmarks differ.
    """
    each = _on_benchmarks(c)
    if not each or len({len(comparison.cases.trainings) for comparison in each}) > 1:
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


def stratified_of(c: Comparison, *, adjusted: bool = False) -> StratifiedDifference | None:
    """Return the stratified difference of the two best algorithms; None unless instances of benchmarks are named.

    If `adjusted`, intervals and p-values are adjusted for the number of pairs (Bonferroni), because
    the two best are selected from all.
    """
    if len(c.order) < 2 or c.results.predictions is None or c.shape.published or c.together:
        return None
    pairs = c.n_pairs if adjusted else 1
    settings = replace(c.settings, alpha=c.settings.alpha / pairs)
    result = stratified_difference(c.results, settings, c.order[0], c.order[1])
    if result is None or pairs == 1:
        return result
    return replace(
        result,
        pooled=result.pooled.mask(result.pooled.index == "p", min(1.0, pairs * result.pooled["p"])),
    )


def stratified_answer(c: Comparison, claim: str) -> StratifiedDifference | None:
    """Return the adjusted stratified difference if there are too few benchmarks for a test over them; else None."""
    return (
        stratified_of(c, adjusted=True) if claim == "too few" and not c.settings.control else None
    )


def _on_benchmark(results: Results, settings: Settings) -> CasesComparison | None:
    """Return the comparison of a pair on one benchmark; None for two classes, or unless the measure is a mean."""
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
def _without_positives(results: Results, dataset: str, pair: tuple[str, str]) -> Results | None:
    """Return the results of a pair on one benchmark; None for two classes, and without named instances."""
    selected = select(results, Settings(dataset=dataset, pair=pair))
    table = case_table(selected, dataset)
    return None if table is None or table.positive is not None else selected


def _weighted(
    differences: np.ndarray, errors: np.ndarray, dfs: np.ndarray, weights: np.ndarray, alpha: float
) -> tuple[pd.Series, float, float]:
    """Return the weighted mean of independent differences with interval and p-value, its standard error and df."""
    variances = (weights * errors) ** 2
    estimate, error, spread = (
        float(weights @ differences),
        float(np.sqrt(variances.sum())),
        (variances**2 / dfs).sum(),
    )
    df = float(variances.sum() ** 2 / spread) if spread else np.inf
    reach = float(stats.t.isf(alpha / 2, df)) * error
    p = 2 * float(stats.t.sf(abs(estimate) / error, df)) if error else float(estimate == 0)
    pooled = pd.Series(
        {"estimate": estimate, "low": estimate - reach, "high": estimate + reach, "p": p}
    )
    return pooled, error, df
