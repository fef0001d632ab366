"""Selection and computation of tests on the instances of one test set."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import TypedDict

import numpy as np
import pandas as pd

from stats_core.core.errors import DegenerateError
from stats_core.core.result_types import TestResult
from stats_core.curves.delong import delong, delong_all
from stats_core.data.instance_table import CaseTable
from stats_core.data.measures import LOSSES
from stats_core.inference.paired import cochran_q
from stats_core.inference.paired.instance_influence import BY_COUNTS, case_moves
from stats_core.inference.paired.instance_permutation import InstancePermutationResult, swap_test
from stats_core.inference.paired.instances_and_trainings import two_way_test

ERRORS = ("error", "accuracy")  # measures that count instances
AREAS = ("auc", "auc_pr")


@dataclass(frozen=True, slots=True, kw_only=True)
class Way:
    """A pairwise test on instances.

    Attributes
    ----------
    card : str
        The key of its card.
    short : str
        Name in a sentence on a pair.
    on : str
        The same without its variant, after "Holm on".
    first : str
        The card of the test of all at once that goes before; "" where there is none.
    unit : {"case", "cluster"}
        Independent units.
    """

    card: str
    short: str
    on: str
    first: str = ""
    unit: str = "case"


WAYS = {
    "mcnemar": Way(card="McNemar", short="McNemar, exact", on="McNemar", first="cochran_q"),
    "delong": Way(card="delong", short="DeLong", on="DeLong", first="delong"),
    "swaps": Way(card="swap_test", short="swapped cases", on="swapped cases"),
    "clusters": Way(
        card="swap_test", short="swapped clusters", on="swapped clusters", unit="cluster"
    ),
    "areas of clusters": Way(
        card="two_way_test", short="t over clusters", on="t over clusters", unit="cluster"
    ),
    "two-way": Way(
        card="two_way_test", short="t over cases and trainings", on="t over cases and trainings"
    ),
    "two-way by clusters": Way(
        card="two_way_test",
        short="t over clusters and trainings",
        on="t over clusters and trainings",
        unit="cluster",
    ),
}


def instance_test_for(table: CaseTable, measure: str) -> str:
    """Return the key in `WAYS` of the pairwise test for a measure."""
    clustered = table.cluster is not None
    if len(table.trainings) > 1:
        return "two-way by clusters" if clustered else "two-way"
    if measure == "auc":
        return "areas of clusters" if clustered else "delong"
    if clustered:
        return "clusters"
    return "mcnemar" if measure in ERRORS else "swaps"


def measures_on_cases(table: CaseTable) -> tuple[str, ...]:
    """Which measures can be computed from these cases?

    Examples
    --------
    >>> one = np.ones((1, 4, 2), dtype=bool)
    >>> table = CaseTable(
    ...     dataset="d", names=("a", "b"), trainings=(("1", "1"),), cases=np.arange(4),
    ...     positive=None, correct=one, score=None, cluster=None, left_out=0)
    >>> measures_on_cases(table)
    ('error', 'accuracy')
    """
    if table.positive is None:
        return ERRORS
    scored = AREAS if table.score is not None else ()
    return (*BY_COUNTS, *scored, *(LOSSES if table.probabilities else ()))


def responses(table: CaseTable, measure: str) -> np.ndarray:
    """Return the predictions a measure uses (labels or scores), training x case x algorithm."""
    if measure in BY_COUNTS:
        return table.called
    assert table.score is not None  # guaranteed by `measures_on_cases`
    return table.score


def values_on_cases(table: CaseTable, measure: str) -> pd.Series:
    """Return the measure of each algorithm, averaged over trainings."""
    predictions = responses(table, measure)
    values = [
        [case_moves(measure, table.truth, column).value for column in training.T]
        for training in predictions
    ]
    return pd.Series(np.mean(values, axis=0), index=list(table.names))


class _Options(TypedDict):
    clusters: np.ndarray | None
    confidence: float


def pair_tests(
    table: CaseTable, measure: str, names: Sequence[str], confidence: float
) -> dict[tuple[str, str], InstancePermutationResult]:
    """Return the test of every pair of the named algorithms."""
    predictions, way = responses(table, measure), instance_test_for(table, measure)
    predictions_of = {name: predictions[:, :, table.names.index(name)] for name in names}
    truth, options = table.truth, _Options(clusters=table.cluster, confidence=confidence)
    tests = {}
    for a, b in combinations(names, 2):
        if way == "delong":
            tests[a, b] = _areas(truth, predictions_of[a][0], predictions_of[b][0], confidence)
        elif WAYS[way].card == "two_way_test":
            tests[a, b] = two_way_test(
                measure, truth, [*predictions_of[a]], [*predictions_of[b]], **options
            )
        else:
            tests[a, b] = swap_test(
                measure, truth, predictions_of[a][0], predictions_of[b][0], **options
            )
    return tests


def _areas(
    truth: np.ndarray, scores_a: np.ndarray, scores_b: np.ndarray, confidence: float
) -> InstancePermutationResult:
    """Return DeLong's test, or a swap test if the difference has no variance over instances."""
    try:
        test = delong(truth, scores_a, scores_b, confidence=confidence)
    except DegenerateError:
        return swap_test("auc", truth, scores_a, scores_b, confidence=confidence)
    degenerate = test.variance == 0
    return InstancePermutationResult(
        about=test.about,
        statistic=test.statistic,
        pvalue=test.pvalue,
        pvalue_greater=test.pvalue_greater,
        pvalue_less=test.pvalue_less,
        method=test.method,
        n=test.n,
        warnings=test.warnings,
        estimate=test.difference,
        low=np.nan if degenerate else test.low,
        high=np.nan if degenerate else test.high,
        error=float(np.sqrt(test.variance)),
        values=(test.auc_a, test.auc_b),
    )


def omnibus_on_instances(table: CaseTable, measure: str, names: Sequence[str]) -> TestResult | None:
    """Return the omnibus test (Cochran's Q or DeLong's chi-square), or None if there is none."""
    way = WAYS[instance_test_for(table, measure)]
    columns = [table.names.index(name) for name in names]
    if len(names) < 3 or not way.first:
        return None
    if way.first == "cochran_q":
        return cochran_q(pd.DataFrame(table.correct[0][:, columns], columns=list(names)))
    assert table.score is not None  # areas come from scores
    return delong_all(table.truth, table.score[0][:, columns])
