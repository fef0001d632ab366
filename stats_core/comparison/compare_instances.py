"""Comparison of trained models on the instances of one test set."""

from itertools import combinations

import numpy as np

from stats_core.comparison.kinds.instances import (
    CasesComparison,
    TrainingsComparison,
    instance_test_for,
    measures_on_cases,
    omnibus_on_instances,
    pair_tests,
    values_on_cases,
)
from stats_core.comparison.result import Inputs
from stats_core.core.errors import DesignError
from stats_core.core.result_types import labeled_matrix
from stats_core.curves.trained_models import check_wish
from stats_core.data.predictions import case_table
from stats_core.data.results import Results
from stats_core.data.settings import Settings
from stats_core.inference.multiplicity.corrections import adjust_by_nearest, usable_correction
from stats_core.inference.resolve_settings import apply_selection


def compare_cases(inputs: Inputs) -> CasesComparison | None:
    r"""Which trained models differ on the cases of one test set?

    Notes
    -----
    The instances are a sample of a population and the models are fixed: tests generalize to these
    trained models on other instances, not to other models that the same algorithms would train on
    other data. Error and accuracy by McNemar, Cochran's Q first; the area under the ROC curve by
    DeLong; any other measure by swapping predictions of two models. Clusters are swapped
    and summed up together.

    References
    ----------
    McNemar 1947; Cochran 1950; DeLong et al. 1988; Konietschke and Pauly 2014; Dietterich, Neural
    Comput. 10 (1998) 1895, section 3.1.

    Examples
    --------
    >>> from stats_core.comparison.analyse import analyse
    >>> from stats_core.io.read import read_results
    >>> table = "instance,y,a,b\n1,1,1,0\n2,1,1,0\n3,1,1,0\n4,1,1,1\n5,0,0,0\n6,0,0,0\n"
    >>> cases = analyse(read_results(("d.csv", table.encode())))
    >>> cases.details()["only first"].tolist(), round(cases.tests["a", "b"].pvalue, 6)
    ([3], 0.25)
    """
    results, settings = inputs.results, inputs.settings
    if len(results.datasets) != 1 or len(results.algorithms) < 2:
        return None
    dataset = results.datasets[0]
    table = case_table(results, dataset)
    measure = results.resolve_name(settings.measure)
    if table is None or len(table.cases) < 2 or measure not in measures_on_cases(table):
        return None
    if settings.wish:
        check_wish(*settings.wish)
    names = list(settings.pair or results.algorithms)
    tests = pair_tests(table, measure, names, 1 - settings.alpha)
    raw = np.ones((len(names), len(names)))
    for (i, j), test in zip(combinations(range(len(names)), 2), tests.values(), strict=True):
        raw[i, j] = raw[j, i] = test.pvalue
    correction = usable_correction(settings.correction, len(names))
    kind = TrainingsComparison if len(table.trainings) > 1 else CasesComparison
    return kind(
        **vars(inputs),
        dataset=dataset,
        cases=table,
        way=instance_test_for(table, measure),
        values=values_on_cases(table, measure)[names],
        omnibus=omnibus_on_instances(table, measure, names),
        tests=tests,
        adjusted=adjust_by_nearest(labeled_matrix(raw, names), correction),
    )


def compare_pair_on_cases(results: Results, settings: Settings) -> CasesComparison:
    """Compare the algorithms of `settings.pair` on the instances of `settings.dataset`.

    Of the other settings only `measure` and `alpha` count; `wish` sets the criterion of the best thresholds.
    """
    selected, settings = apply_selection(results, settings)
    comparison = compare_cases(Inputs.of(selected, settings))
    if comparison is None:
        raise DesignError(
            f"Tests on cases need predictions that name their cases, and a measure of them. "
            f"{settings.dataset} has none for {settings.measure}. Upload the prediction for every "
            "case, or choose another measure."
        )
    return comparison


def can_test_cases(results: Results, dataset: str) -> bool:
    """Return whether a data set has one result per algorithm and predictions by instance."""
    return _named(results) and results.design_of(dataset) == "single"


def can_test_trainings(results: Results, dataset: str) -> bool:
    """Return whether several trainings were tested on the same named instances."""
    return _named(results) and results.design_of(dataset) == "common test set"


def _named(results: Results) -> bool:
    return results.predictions is not None and "instance" in results.predictions
