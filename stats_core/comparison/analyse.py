"""Entry point `analyse`, which selects the kind of comparison that fits the results."""

from dataclasses import replace

from stats_core.comparison.kinds import (
    benchmarks,
    control,
    datasets,
    fold_comparisons,
    fold_pair,
    incomplete_datasets,
    instances,
    measure_vectors,
    published_summaries,
    wins,
)
from stats_core.comparison.kinds.published_summaries import UntestedComparison
from stats_core.comparison.result import Comparison, Inputs
from stats_core.core.errors import error_boundary
from stats_core.curves import trained_models
from stats_core.data import missing
from stats_core.data.missing import LEAVE_HOLES
from stats_core.data.published import DECISIONS, RANKS, WINS
from stats_core.data.results import Results
from stats_core.data.settings import Analysed, Settings, results_and_settings
from stats_core.inference import pairwise

_PUBLISHED = {
    RANKS: published_summaries.compare_published_ranks,
    WINS: published_summaries.compare_published_wins,
    DECISIONS: published_summaries.compare_published_decisions,
}


@error_boundary("Comparing these results")
def analyse(results: Results | Analysed, settings: Settings | None = None) -> Comparison:
    r"""Compare algorithms by the analysis that fits the results and settings.

    Parameters
    ----------
    results : Results or Comparison
        The results to compare, with choices about missing results made; of a comparison, its own.
    settings : Settings, optional
        The user's choices. By default those of the comparison, or the recommended ones.

    Returns
    -------
    Comparison
        Over data sets: RanksComparison (several algorithms), TwoComparison, ControlComparison,
        PresentComparison (with missing results) or WinsComparison (several measures or thresholds).
        On the folds of one data set: FoldsComparison or FoldPairComparison; on several measures
        SeveralOnMeasures or PairOnMeasures. On instances of one test set: CasesComparison or
        TrainingsComparison; of a few benchmarks: BenchmarksComparison. Published summaries:
        PublishedRanks, PublishedWins or
        PublishedDecisions. Results that allow no test: UntestedComparison.

    Raises
    ------
    DesignError
        Results are missing without a choice on how to treat them; the design does not allow the
        requested test.
    DegenerateError
        The results do not vary, so that no test is possible.
    SettingError
        Unknown measure, correction, source or test, alpha outside (0, 1), Nemenyi without
        ranks.

    References
    ----------
    Demsar, JMLR 7 (2006); Garcia and Herrera, JMLR 9 (2008); Irsoy, Yildiz and Alpaydin,
    IEEE/ACM TCBB 9 (2012).

    Examples
    --------
    >>> import stats_core as fw
    >>> table = b"dataset,rf,svm,knn\na,0.9,0.8,0.7\nb,0.8,0.7,0.6\nc,0.7,0.6,0.5\nd,0.9,0.8,0.7\n"
    >>> comparison = fw.analyse(fw.read_results(("accuracy.csv", table)))
    >>> comparison.kind, comparison.order, round(comparison.omnibus.pvalue, 3)
    ('ranks', ['rf', 'svm', 'knn'], 0.005)
    """
    results, requested = results_and_settings(results, settings)
    if requested.wish:
        trained_models.check_wish(*requested.wish)
    selected, settings = pairwise.resolve_settings(results, requested)
    selected = _over_instances(_with_choices(selected, settings), settings)
    inputs = Inputs.of(selected, settings)
    if settings.control and len(selected.datasets) > 1:
        comparison: Comparison = control.compare_control(inputs)
        return benchmarks.compare_over_instances(comparison, requested) or comparison
    if selected.published is not None and len(selected.algorithms) > 1:
        return _PUBLISHED[selected.published.what](inputs, selected.published)
    if len(selected.algorithms) < 2 or not selected.datasets:
        return UntestedComparison(inputs=inputs)
    if settings.thresholds:
        return wins.compare_thresholds(inputs)
    if settings.measures:
        return _on_measures(inputs)
    if len(selected.datasets) > 1:
        comparison = _over_datasets(inputs)
        return benchmarks.compare_over_instances(comparison, requested) or comparison
    if cases_comparison := _on_instances(inputs):
        return cases_comparison
    if settings.control:  # only tests on instances use it
        return analyse(results, pairwise.apply_selection(results, requested)[1])
    return _on_folds(inputs)


def at_level(comparison: Comparison, results: Results, settings: Settings) -> Comparison | None:
    """Return a comparison at the alpha of `settings`; None if other settings differ, or a new analysis is needed.

    Examples
    --------
    >>> import pandas as pd
    >>> table = pd.DataFrame({"dataset": list("uuuvvv"), "algorithm": list("abcabc"),
    ...                       "error": [0.1, 0.2, 0.3, 0.1, 0.3, 0.2]})
    >>> results = Results.from_frame(table)
    >>> found = at_level(analyse(results), results, Settings(alpha=0.1))
    >>> found.settings.alpha
    0.1
    """
    _, known_settings = pairwise.resolve_settings(
        results, replace(settings, alpha=comparison.settings.alpha)
    )
    _, new_settings = pairwise.resolve_settings(results, settings)
    if replace(known_settings, alpha=new_settings.alpha) != new_settings:
        return None
    return comparison.at_level(new_settings.alpha)


def _on_measures(inputs: Inputs) -> Comparison:
    """Compare algorithms on several measures: over data sets, or on the folds of one."""
    if len(inputs.results.datasets) > 1:
        return wins.compare_wins(inputs)
    if len(inputs.results.algorithms) == 2:
        return measure_vectors.compare_pair_on_measures(inputs)
    return measure_vectors.compare_several_on_measures(inputs)


def _on_instances(inputs: Inputs) -> Comparison | None:
    """Compare algorithms on the instances of one data set; None if not these are compared."""
    dataset = inputs.results.datasets[0]
    if inputs.results.design_of(dataset) == "single":
        return instances.compare_cases(inputs)
    if inputs.settings.test or not instances.can_test_trainings(inputs.results, dataset):
        return None
    return instances.compare_cases(inputs)


def _on_folds(inputs: Inputs) -> Comparison:
    """Compare algorithms on the folds of one data set, which a single result has not."""
    if inputs.results.design_of(inputs.results.datasets[0]) == "single":
        return UntestedComparison(inputs=inputs)
    if len(inputs.results.algorithms) == 2:
        return fold_pair.compare_pair_on_folds(inputs)
    return fold_comparisons.compare_on_folds(inputs)


def _over_datasets(inputs: Inputs) -> Comparison:
    """Return the comparison of all pairs, or of two algorithms, by their averages on data sets."""
    if len(inputs.results.algorithms) == 2:
        return datasets.compare_averages(inputs)
    has_missing = inputs.scores.isna().to_numpy().any()
    if inputs.results.failures == "present" and has_missing:
        return incomplete_datasets.compare_present(inputs)
    return datasets.compare_ranks(inputs)


def _with_choices(results: Results, settings: Settings) -> Results:
    """Return the results with the notes and restrictions of choices about missing results."""
    if results.choices:
        results = missing.update_missing_notes(results, settings.measure)
    return _present(results, settings) if results.failures == "present" else results


def _over_instances(results: Results, settings: Settings) -> Results:
    """Return the results with averaged runs if not every algorithm has every run."""
    of_runs = settings.test or settings.measures or settings.thresholds
    is_undecided = results.failures == "unresolved" and not of_runs
    return results.over_instances() if is_undecided and results.runs_differ else results


def _present(results: Results, settings: Settings) -> Results:
    """Return the results, which must pass `check_present`; of two algorithms on one data set, only shared folds."""
    incomplete_datasets.check_present(results, settings)
    if len(results.datasets) > 1 or len(results.algorithms) != 2 or settings.measures:
        return results
    # the note of `resolve` replaces the one on missing results
    complete = results.resolve("drop folds", settings.measure)
    choices = tuple(choice for choice in complete.choices if choice.code != LEAVE_HOLES["present"])
    return replace(complete, choices=choices)
