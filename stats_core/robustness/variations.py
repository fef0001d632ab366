"""Variations of an analysis in one respect: settings, measure, or treatment of missing results."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from stats_core.comparison.analyse import analyse, at_level
from stats_core.comparison.result import Comparison, HasComparison, comparison_of
from stats_core.core.errors import FoldwiseError, SettingError
from stats_core.core.result_types import cached
from stats_core.data.measures import AREAS, DERIVED, LOSSES
from stats_core.data.missing import ABOUT_HOLES, CHOICES, count_missing, remaining_missing
from stats_core.data.results import Results
from stats_core.data.settings import Settings, select
from stats_core.inference import methods, omnibus, pairwise
from stats_core.robustness import robustness_text

_LEVELS = (0.01, 0.05, 0.10)
LOST = "no longer significant"
GAINED = "newly significant"
TURNED = "reversed"


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Variation:
    """An analysis changed in one respect: the new comparison, or why it is refused.

    Attributes
    ----------
    name : str
        Name of the change, such as a setting, a measure or the data set left out.
    comparison : Comparison or None
        The new comparison; None if it is refused.
    refusal : str
        Reason for the refusal; "" if there is none.
    """

    name: str
    comparison: Comparison | None = None
    refusal: str = ""

    @classmethod
    def of(cls, name: str, compute: Callable[[], Comparison]) -> "Variation":
        """Return a variation with the comparison that `compute` returns, or with its error as refusal."""
        try:
            return cls(name=name, comparison=compute())
        except FoldwiseError as error:
            return cls(name=name, refusal=str(error))


def first_pvalue(comparison: Comparison) -> float:
    """Return the p-value of the omnibus test, or of the only pair if two are compared; else NaN."""
    if comparison.first_test is not None:
        return float(comparison.first_test.outcome.pvalue)
    pairs = comparison.pairs.decisions
    return float(pairs["p adjusted"].iloc[0]) if len(pairs) == 1 else np.nan


def other_settings(analysis: Comparison) -> Iterator[Variation]:
    """Yield the analysis at other significance levels, by other tests and corrections, and by other measures."""
    settings = analysis.settings
    options = [
        *(
            (f"α = {level:g}", replace(settings, alpha=level))
            for level in _LEVELS
            if level != settings.alpha
        ),
        *analysis.alternatives(),
        *(
            (f"measure {name}", replace(settings, measure=name))
            for name in distinct_measures(analysis)
        ),
    ]
    for name, other in options:
        yield Variation.of(name, partial(analyse, analysis.results, other))


def other_missing_choices(analysis: Comparison) -> Iterator[Variation]:
    """Yield the analysis under each other treatment of missing results, if one was chosen."""
    before = analysis.results.undecided
    settings = analysis.settings
    if before is None:
        return
    applied = {
        choice["choice"] for choice in analysis.results.choices if choice.code in ABOUT_HOLES
    }
    for choice, baseline in missing_choices(before, settings):
        if choice not in applied:
            name = NAMES[choice].lower()
            run = partial(_under_choice, before, settings, choice, baseline)
            yield Variation.of(f"{name} ({baseline})" if baseline else name, run)


def _under_choice(before: Results, settings: Settings, choice: str, baseline: str) -> Comparison:
    return analyse(results_under_choice(before, settings, choice, baseline), settings)


@cached(across_alpha=True)
def distinct_measures(comparison: Comparison, derived: Sequence[str] = ()) -> list[str]:
    """Return the other measures, without any equivalent to an earlier one (tnr, 1 - fpr).

    If `derived` is given and the results have every derived measure (because they come from
    counts), derived measures, areas and losses not in `derived` are left out. The list is empty if
    several measures or thresholds are compared together.
    """
    settings = comparison.settings
    results = comparison.results
    if settings.measures or settings.thresholds:
        return []
    # if all derived measures are present, they come from counts
    from_counts = derived and {*DERIVED} <= {*results.measures}
    redundant = {*DERIVED, *AREAS, *LOSSES} - {*derived} if from_counts else set()
    names = settings.measure, *(measure for measure in results.measures if measure not in redundant)
    return list(not_equivalent(results, names))[1:]


def not_equivalent(results: Results, names: Iterable[str]) -> Iterator[str]:
    """Yield the names of the measures that are not equivalent to an earlier one.

    Examples
    --------
    >>> import pandas as pd
    >>> table = pd.DataFrame({"algorithm": ["a", "b"], "error": [0.1, 0.2], "accuracy": [0.9, 0.8], "auc": [0.8, 0.7]})
    >>> list(not_equivalent(Results.from_frame(table), ["error", "accuracy", "auc"]))
    ['error', 'auc']
    """
    seen: list[np.ndarray] = []
    for name in names:
        values = results.averages(name).to_numpy(dtype=float)
        equal = (np.allclose(values, previous, equal_nan=True) for previous in seen)
        complements = (np.allclose(1 - values, previous, equal_nan=True) for previous in seen)
        if not (any(equal) or any(complements)):
            yield name
            seen.append(values)


def by_measures(analysis: Comparison, measures: Iterable[str]) -> Iterator[Variation]:
    """Yield the same kind of comparison for each measure; by the default test if the test on instances does not fit."""
    for measure in measures:
        test = analysis.settings.test
        method = methods.pair_method(test)
        on_instances = method is not None and method.on_instances
        if on_instances and measure not in ("error", "accuracy"):
            test = ""
        settings = replace(analysis.settings, measure=measure, test=test)
        yield Variation.of(measure, partial(_by_measure, analysis, settings))


def _by_measure(analysis: Comparison, settings: Settings) -> Comparison:
    """Return the analysis under these settings, tested once for all levels if possible."""
    key = "by measure", settings.measure, settings.test
    tested = analysis.cache.recall(key, partial(analyse, analysis.results, settings))
    if tested.settings.alpha == settings.alpha:
        return tested
    return at_level(tested, analysis.results, settings) or analyse(analysis.results, settings)


def comparisons_by_measure(analysis: Comparison) -> dict[str, Comparison]:
    """Return comparisons by measure: on the analysed measure and on every other distinct one that can be analysed."""
    measures = [analysis.settings.measure, *distinct_measures(analysis)]
    return {
        each.name: each.comparison
        for each in by_measures(analysis, measures)
        if each.comparison is not None
    }


# choice -> label, in the order shown
NAMES = {choice: robustness_text(f"missing_choices.{choice}") for choice in CHOICES}


def missing_choices(
    results: Results, settings: Settings, baseline: str = ""
) -> list[tuple[str, str]]:
    """Return the applicable treatments of missing results, each with its baseline or ""; [] if none are missing.

    Leaving out folds needs folds, reading 0/0 as a number needs undefined values, and the baseline
    needs an algorithm without missing results unless it is given.
    """
    settings = pairwise.check_settings(results, settings)
    selected = select(results, settings)
    missing = remaining_missing(selected, settings.measures or (settings.measure,))
    if not missing:
        return []
    undefined = any(count.undefined for count in missing)
    baseline = baseline or _weakest(selected, settings.measure)
    applicable = {
        "drop folds": bool(selected.with_folds),
        "undefined as 0": undefined,
        "undefined as 1": undefined,
        "baseline": bool(baseline),
    }
    choices = [choice for choice in NAMES if applicable.get(choice, True)]
    return [(choice, baseline if choice == "baseline" else "") for choice in choices]


def _weakest(results: Results, measure: str) -> str:
    """Return the algorithm with the worst mean rank among those without missing results; "" if none."""
    incomplete = set(count_missing(results, measure).algorithms)
    complete = [name for name in results.algorithms if name not in incomplete]
    if not complete:
        return ""
    higher = results.direction(measure) == "higher"
    ranks = results.averages(measure)[complete].rank(axis=1, ascending=not higher).mean()
    return str(ranks.index[int(np.argmax(ranks.to_numpy()))])


def results_under_choice(
    results: Results, settings: Settings, choice: str, baseline: str
) -> Results:
    """Return the results under a treatment of missing results, selected again unless it removed one of the pair."""
    resolved = pairwise.resolve_missing(results, settings, choice, baseline)
    removed_from_pair = set(settings.pair) - set(resolved.algorithms)
    return resolved if removed_from_pair else select(resolved, replace(settings, dataset=""))


def every_omnibus(
    analysis: Comparison | HasComparison, *, exact: bool = False
) -> tuple[list[dict], dict[str, str]]:
    """Return omnibus tests as rows (also exact Friedman's if `exact`), and refusals; SettingError without ranks.

    A row has test, statistic, df as text, p and method. A refusal is the reason by name of the
    test.

    Examples
    --------
    >>> import pandas as pd
    >>> from stats_core.comparison.analyse import analyse
    >>> from stats_core.data.results import Results
    >>> scores = pd.DataFrame([[1, 2, 3], [1, 2, 3], [1, 3, 2], [1, 2, 3]], columns=list("abc"))
    >>> long = scores.rename_axis("dataset").reset_index().melt("dataset", var_name="algorithm", value_name="error")
    >>> rows, refused = every_omnibus(analyse(Results.from_frame(long)))
    >>> rows[1]["test"], round(rows[1]["statistic"], 1), refused
    ('Friedman chi-square', 6.5, {})
    """
    analysis = comparison_of(analysis, "analysis")
    by_ranks = analysis.rank_test
    decides = analysis.first_test
    if by_ranks is None or decides is None or not analysis.shape.averages:
        raise SettingError.of("no ranks")
    scores = analysis.scores
    options: dict[str, Any] = {"higher_is_better": analysis.higher_is_better}
    missing: dict[str, Any] = (
        {"missing": "worst"} if analysis.results.failures == "worst rank" else {}
    )
    tests: dict[str, Callable] = {
        "Iman-Davenport F": lambda: decides.outcome,
        "Friedman chi-square": lambda: by_ranks,
        "Kendall's W": lambda: omnibus.kendall_w(scores, **options, **missing),
        "Friedman, aligned ranks": lambda: omnibus.friedman_aligned(scores, **options),
        "Quade F": lambda: omnibus.quade(scores, **options),
    }
    if scores.isna().to_numpy().any():
        tests["Skillings-Mack"] = lambda: omnibus.skillings_mack(scores, **options)
    if exact:
        tests["Friedman, exact"] = lambda: omnibus.exact_friedman(scores, **options, **missing)
    rows = []
    refused = {}
    for name, run in tests.items():
        try:
            outcome = run()
        except FoldwiseError as error:
            refused[name] = str(error)
            continue
        rows.append(
            {
                "test": name,
                "statistic": float(outcome.statistic),
                "df": ", ".join(f"{value:g}" for value in getattr(outcome, "df", ())),
                "p": float(outcome.pvalue),
                "method": str(outcome.method),
            }
        )
    return rows, refused
