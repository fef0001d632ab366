"""Two models on the instances of several benchmarks: each benchmark, all instances, and the mean of benchmarks."""

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
from stats_core.inference.paired import signed_ranks


@dataclass(frozen=True, kw_only=True, eq=False)
class StratifiedDifference:
    """Difference of two models over several benchmarks, stratified.

    Attributes
    ----------
    frame : DataFrame by benchmark
        `instances`, values `of first` and `of second`, `estimate`, `low`, `high` and `p` of each benchmark's test.
    pooled, macro : Series
        `estimate`, `low`, `high` and `p` of the difference over all instances, and of the mean of the benchmarks.
    first, second : str
        The two models.
    exact : bool
        Whether the pooled p-value is that of the exact McNemar test of the disagreements of all benchmarks.
    """

    frame: pd.DataFrame
    pooled: pd.Series
    macro: pd.Series
    first: str
    second: str
    exact: bool

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
def stratified_difference(results: Results, settings: Settings, first: str, second: str) -> StratifiedDifference | None:
    """Return the stratified difference of two models; None without a mean over named instances of several benchmarks.

    Notes
    -----
    Test sets of two classes are not benchmarks of answers, so None is returned for them.

    Over all instances, the estimate is the mean difference weighted by the numbers of instances. For right and wrong
    answers, it is the Mantel-Haenszel difference of matched pairs, and the p-value is that of the exact McNemar test of
    the summed disagreements, which conditions on benchmark and instance. Otherwise the p-value is normal.

    The mean of benchmarks gives all benchmarks the same weight. Both intervals are normal. Their variance is the sum of
    the variances within benchmarks, multiplied by the squared weights. The interval of the exact test is changed so
    that it excludes 0 if and only if the test is significant. The benchmarks are fixed, not sampled.

    References
    ----------
    Mantel and Haenszel, J. Natl. Cancer Inst. 22 (1959) 719; Agresti, Categorical Data Analysis (2013), section 11.2.
    """
    names = results.datasets
    if len(names) < 2 or results.direction(settings.measure) not in ("higher", "lower"):
        return None
    rows, errors, counts, exact = {}, [], np.zeros(2), True
    for name in names:
        pair_settings = Settings(measure=settings.measure, alpha=settings.alpha, dataset=name, pair=(first, second))
        comparison = _on_benchmark(results, pair_settings)
        if comparison is None:
            return None
        sign, test = comparison.turned(first, second)
        low, high = comparison.turned_interval(first, second)
        rows[name] = {
            "instances": comparison.n_cases,
            "of first": comparison.values[first],
            "of second": comparison.values[second],
            "estimate": sign * test.estimate,
            "low": low,
            "high": high,
            "p": test.pvalue,
        }
        errors.append(test.error)
        exact &= comparison.way == "mcnemar"
        counts += comparison.agreement(first, second)[["only first", "only second"]].to_numpy()
    frame = pd.DataFrame.from_dict(rows, orient="index").rename_axis("benchmark").astype({"instances": int})
    sizes = frame["instances"].to_numpy(dtype=float)
    pooled, macro = (
        _weighted(frame["estimate"].to_numpy(), np.array(errors), weights / weights.sum(), settings.alpha)
        for weights in (sizes, np.ones(len(sizes)))
    )
    if exact:
        pooled["p"] = stats.binomtest(int(counts[0]), int(counts.sum())).pvalue if counts.sum() else 1.0
        pooled["low"], pooled["high"] = signed_ranks.consistent_interval(
            (pooled["low"], pooled["high"]),
            rejects=bool(significant(pooled["p"], settings.alpha)),
            ahead=pooled["estimate"],
            scale=1.0,
        )
    return StratifiedDifference(frame=frame, pooled=pooled, macro=macro, first=first, second=second, exact=bool(exact))


def stratified_of(c: Comparison, *, adjusted: bool = False) -> StratifiedDifference | None:
    """Return the stratified difference of the two best algorithms; None unless instances of benchmarks are named.

    If `adjusted`, intervals and p-values are adjusted for the number of pairs (Bonferroni), because the two best are
    selected from all.
    """
    if len(c.order) < 2 or c.results.predictions is None or c.shape.published or c.together:
        return None
    pairs = c.n_pairs if adjusted else 1
    settings = replace(c.settings, alpha=c.settings.alpha / pairs)
    result = stratified_difference(c.results, settings, c.order[0], c.order[1])
    if result is None or pairs == 1:
        return result
    return replace(result, pooled=result.pooled.mask(result.pooled.index == "p", min(1.0, pairs * result.pooled["p"])))


def stratified_answer(c: Comparison, claim: str) -> StratifiedDifference | None:
    """Return the adjusted stratified difference if there are too few benchmarks for a test over them; else None."""
    return stratified_of(c, adjusted=True) if claim == "too few" and not c.settings.control else None


def _on_benchmark(results: Results, settings: Settings) -> CasesComparison | None:
    """Return the comparison of a pair on one benchmark; None for two classes, or unless the measure is a mean."""
    try:
        selected = _without_positives(results, settings.dataset, settings.pair)
        comparison = None if selected is None else instances.compare_pair_on_cases(selected, settings)
    except FoldwiseError:
        return None
    is_mean = comparison is not None and (comparison.cases.value is not None or settings.measure in ERRORS)
    return comparison if is_mean else None


@cached
def _without_positives(results: Results, dataset: str, pair: tuple[str, str]) -> Results | None:
    """Return the results of a pair on one benchmark; None for two classes, and without named instances."""
    selected = select(results, Settings(dataset=dataset, pair=pair))
    table = case_table(selected, dataset)
    return None if table is None or table.positive is not None else selected


def _weighted(differences: np.ndarray, errors: np.ndarray, weights: np.ndarray, alpha: float) -> pd.Series:
    """Return the weighted mean of independent differences with its normal interval and p-value."""
    estimate, error = float(weights @ differences), float(np.sqrt(weights**2 @ errors**2))
    reach = float(stats.norm.isf(alpha / 2)) * error
    p = 2 * float(stats.norm.sf(abs(estimate) / error)) if error else float(estimate == 0)
    return pd.Series({"estimate": estimate, "low": estimate - reach, "high": estimate + reach, "p": p})
