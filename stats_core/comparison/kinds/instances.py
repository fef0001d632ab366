"""Comparisons of models on the instances of one test set."""

from abc import abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, fields, replace
from itertools import combinations
from typing import ClassVar

import numpy as np
import pandas as pd
from scipy import stats

from stats_core.comparison import comparison_text, plan, result
from stats_core.comparison.equivalence import Intervals
from stats_core.comparison.pairs import Pairs
from stats_core.comparison.plan import Permutations, PlannedTest, Reason, Role
from stats_core.core.errors import DegenerateError, DesignError
from stats_core.core.formatting import ABOVE_ZERO
from stats_core.core.messages import Message, message
from stats_core.core.result_types import PairedResult, TestResult, cached, labeled_matrix
from stats_core.core.validation import significant
from stats_core.curves import delong, trained_models
from stats_core.curves.trained_models import USUAL, RiskBands
from stats_core.data import class_measures
from stats_core.data.class_measures import BY_CLASSES, MACRO_AUC, OF_NUMBERS
from stats_core.data.measures import FROM_SCORES, LOSSES
from stats_core.data.predictions import CaseTable, case_table
from stats_core.data.results import Results
from stats_core.data.settings import Settings
from stats_core.inference import clusters, inference_text, pair_intervals, pairwise, rank_intervals
from stats_core.inference.methods import MCNEMAR, Assumption, Estimate, Unit
from stats_core.inference.multiplicity import adjust
from stats_core.inference.multiplicity.adjust import CONTROL_CORRECTIONS, CORRECTIONS
from stats_core.inference.paired import (
    cochran_q,
    forecast_test,
    influences,
    instance_tests,
    proportions,
)
from stats_core.inference.rank_intervals import RankIntervalsResult

ERRORS = ("error", "accuracy")  # measures that count instances
AREAS = ("auc", "auc_pr")
_NOTES_OF_FILES = ("cases in order", "labels unknown")  # that change the result
_MOST_PAIRS_TRIED = 50  # with other units
_CELLS = ("both", "only first", "only second", "neither")  # of a 2 x 2 table of correct answers


@dataclass(frozen=True, slots=True, kw_only=True)
class Way:
    """A pairwise test on instances.

    Attributes
    ----------
    card : str
        Key of its method card.
    reason : Reason
        Reason for the test.
    unit : Unit
        Independent units.
    first : str
        Card of the omnibus test; "" if there is none.
    by_signs : bool
        Whether p-values are those of sign flips of the units: at least 2 / 2^n for n units.
    """

    card: str
    reason: Reason
    unit: Unit = Unit.INSTANCE
    first: str = ""
    by_signs: bool = False

    @property
    def of_clusters(self) -> bool:
        """Whether clusters of instances are the independent units."""
        return self.unit in (Unit.CLUSTER, Unit.CLUSTER_AND_RUN)


WAYS = {
    "mcnemar": Way(card="mcnemar", reason=Reason.DISAGREEMENTS, first="cochran_q", by_signs=True),
    "delong": Way(card="delong", reason=Reason.CORRELATED_AREAS, first="delong"),
    "swaps": Way(card="swap_test", reason=Reason.EXCHANGEABLE, by_signs=True),
    "diebold-mariano": Way(card="diebold_mariano", reason=Reason.TIME_ORDER),
    "clusters": Way(card="swap_test", reason=Reason.CLUSTERS, unit=Unit.CLUSTER, by_signs=True),
    "areas of clusters": Way(
        card="two_way_test", reason=Reason.AREAS_OF_CLUSTERS, unit=Unit.CLUSTER
    ),
    "answers": Way(card="two_way_test", reason=Reason.ANSWERS),
    "two-way": Way(
        card="two_way_test", reason=Reason.INSTANCES_AND_RUNS, unit=Unit.INSTANCE_AND_RUN
    ),
    "two-way by clusters": Way(
        card="two_way_test", reason=Reason.CLUSTERS_AND_RUNS, unit=Unit.CLUSTER_AND_RUN
    ),
}


_PLANNED = {**WAYS, "constant areas": Way(card="swap_test", reason=Reason.CONSTANT_AREAS)}


def instance_test_for(table: CaseTable, measure: str) -> str:
    """Return the key in `WAYS` of the pairwise test for a measure."""
    measure = _on_cases(table, measure)
    clustered = table.cluster is not None
    if table.answers > 1 and not (clustered and measure == influences.MEAN):
        return "areas of clusters" if clustered else "answers"
    if table.n_runs > 1:
        return "two-way by clusters" if clustered else "two-way"
    if measure == "auc":
        return "areas of clusters" if clustered else "delong"
    if clustered:
        return "clusters"
    if table.time is not None and measure in (*OF_NUMBERS, influences.MEAN):
        return "diebold-mariano"
    return "mcnemar" if measure in ERRORS else "swaps"


def measures_on_cases(table: CaseTable) -> tuple[str, ...]:
    """Return the measures computable from the predictions on one test set, "mean" for graded scores.

    Examples
    --------
    >>> one = np.ones((1, 4, 2), dtype=bool)
    >>> table = CaseTable(
    ...     dataset="d", names=("a", "b"), trainings=(("1", "1"),), cases=np.arange(4),
    ...     positive=None, correct=one, score=None, cluster=None, left_out=0)
    >>> measures_on_cases(table)
    ('error', 'accuracy')
    """
    if table.target is not None:
        return (
            OF_NUMBERS
            if table.target.dtype.kind == "f"
            else (*ERRORS, *BY_CLASSES, *_of_class_scores(table))
        )
    if table.positive is None:
        return ERRORS if table.value is None else (influences.MEAN,)
    scored = AREAS if table.score is not None else ()
    return (*influences.BY_COUNTS, *scored, *(LOSSES if table.probabilities else ()))


def is_tested(table: CaseTable, measure: str) -> bool:
    """Return whether the predictions on one test set give a measure; graded scores give one of any name."""
    tested = measures_on_cases(table)
    return (
        table.value is not None
        or measure in tested
        or (table.are_marks and _on_cases(table, measure) in tested)
    )


def _of_class_scores(table: CaseTable) -> tuple[str, ...]:
    """Return the measures of scores of more than two classes; () without such scores."""
    if table.class_scores is None or table.target is None:
        return ()
    n_classes = len(np.unique(table.target))
    are_probabilities = class_measures.are_probabilities(table.class_scores, n_classes)
    top = [measure for measure, k in class_measures.TOP.items() if k < n_classes]
    return (*(LOSSES if are_probabilities else ()), MACRO_AUC, *top)


def _on_cases(table: CaseTable, measure: str) -> str:
    """Return a measure as tests on instances know it: "accuracy" for marks, "mean" for means of values of instances."""
    if table.value is not None or (
        table.class_scores is not None and measure in class_measures.OF_SCORES
    ):
        return influences.MEAN
    return "accuracy" if table.are_marks and measure not in ERRORS else measure


def _responses(table: CaseTable, measure: str) -> tuple[np.ndarray, np.ndarray]:
    """Return the truth and the predictions that a measure uses, the latter run x instance x algorithm."""
    if table.value is not None:
        return table.truth, table.value
    if table.target is not None and table.class_scores is not None and measure == MACRO_AUC:
        return table.target, np.nan_to_num(
            table.class_scores, nan=np.finfo(float).min
        )  # last, as in folds
    if (
        table.target is not None
        and table.class_scores is not None
        and measure in class_measures.OF_SCORES
    ):
        shape = table.class_scores.shape
        true = np.broadcast_to(table.target[:, None], shape[:3]).ravel()
        values = class_measures.score_values(
            measure, true, table.class_scores.reshape(-1, shape[3])
        )
        return table.truth, values.reshape(shape[:3])
    if table.target is not None and table.predicted is not None and measure not in ERRORS:
        return table.target, table.predicted
    if table.are_marks or measure in influences.BY_COUNTS:
        return table.truth, table.called
    assert table.score is not None  # guaranteed by `measures_on_cases`
    return table.truth, table.score


@cached
def _moves(table: CaseTable, measure: str) -> list[list[influences.Moves]]:
    """Return `case_moves` of each run and algorithm; those of repeated answers are averaged."""
    truth, predictions = _responses(table, measure)
    measure, columns = _on_cases(table, measure), range(len(table.names))
    moves = [
        [influences.case_moves(measure, truth, run[:, i]) for i in columns] for run in predictions
    ]
    return moves if len(moves) == table.n_runs else [[*map(_mean_moves, zip(*moves, strict=True))]]


def _mean_moves(answers: Sequence[influences.Moves]) -> influences.Moves:
    """Return the mean value and influences over repeated answers."""
    return influences.Moves(
        value=float(np.mean([answer.value for answer in answers])),
        by_case=np.mean([answer.by_case for answer in answers], axis=0),
    )


def case_columns(
    table: CaseTable, measure: str, names: Sequence[str]
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Return columns, item x algorithm, whose means are the measure averaged over runs, and that of each run."""
    moves, n = _moves(table, _on_cases(table, measure)), len(table.cases)
    runs = pd.DataFrame(
        [[each.value for each in training] for training in moves], columns=list(table.names)
    )[[*names]]
    by_case = {
        name: np.mean([training[table.names.index(name)].by_case for training in moves], axis=0)
        for name in names
    }
    return pd.DataFrame({name: runs[name].mean() + n * by_case[name] for name in names}), runs


def values_on_cases(table: CaseTable, measure: str) -> pd.Series:
    """Return the measure of each algorithm, averaged over runs."""
    values = [[moves.value for moves in training] for training in _moves(table, measure)]
    return pd.Series(np.mean(values, axis=0), index=list(table.names))


def pair_tests(
    table: CaseTable,
    measure: str,
    names: Sequence[str],
    confidence_level: float | dict[tuple[str, str], float],
    control: str = "",
    horizon: int = 1,
) -> dict[tuple[str, str], instance_tests.InstancePermutationResult]:
    """Return the test of every pair of the named algorithms, or every pair with the control, by (first, second).

    `confidence_level` may differ by pair. `horizon` is used for instances in the order of time:
    above 1, their loss differences are assumed uncorrelated from there on.
    """
    way, name = instance_test_for(table, measure), measure
    truth, predictions = _responses(table, name)
    measure = _on_cases(table, name)
    predictions_of = {name: predictions[:, :, table.names.index(name)] for name in names}
    pairs = pairs_of(names, control)
    levels = (
        confidence_level
        if isinstance(confidence_level, dict)
        else dict.fromkeys(pairs, confidence_level)
    )
    if way == "diebold-mariano":
        return {
            pair: _test_in_time(table, name, pair, level, horizon) for pair, level in levels.items()
        }
    if WAYS[way].card == "swap_test" and measure in (*ERRORS, *LOSSES, influences.MEAN):
        return _swap_tests(table, name, tuple(name for name in table.names if name in names))(
            levels
        )
    if way == "mcnemar":  # accuracies count correct answers, errors the others
        counted = {
            name: (truth == of_runs[0]) == (measure == "accuracy")
            for name, of_runs in predictions_of.items()
        }
        return instance_tests.mcnemar_tests(measure, counted, levels)
    if WAYS[way].card == "two_way_test":
        return {pair: _two_way_test(table, name, pair, levels[pair]) for pair in pairs}
    tests = {}
    for a, b in pairs:
        first, second = predictions_of[a][0], predictions_of[b][0]
        if way == "delong":
            tests[a, b] = _areas(truth, first, second, levels[a, b])
        else:
            tests[a, b] = instance_tests.swap_test(
                measure, truth, first, second, clusters=table.cluster, confidence_level=levels[a, b]
            )
    return tests


def _two_way_test(
    table: CaseTable, measure: str, pair: tuple[str, str], level: float
) -> instance_tests.InstancePermutationResult:
    """Return the t test of a pair over instances and, if there are several, over runs."""
    i, j = (table.names.index(name) for name in pair)
    both = [(training[i], training[j]) for training in _moves(table, measure)]
    group = np.arange(len(table.cases)) if table.cluster is None else table.cluster
    test = instance_tests.two_way_of_moves(
        _on_cases(table, measure), both, group, confidence_level=level
    )
    test = _in_range(test, table, measure)
    return test if table.n_runs > 1 else _of_one_run(test)


def _in_range(
    test: instance_tests.InstancesAndTrainingsResult, table: CaseTable, measure: str
) -> instance_tests.InstancesAndTrainingsResult:
    """Return the test, its interval cut to the differences that the measure can have."""
    most = largest_difference(table, measure)
    low, high = np.clip([test.low, test.high], -most, most).tolist()
    return replace(test, low=low, high=high)


def largest_difference(table: CaseTable, measure: str) -> float:
    """Return the largest difference that the measure can have on these instances."""
    if table.value is not None and not ((table.value >= 0) & (table.value <= 1)).all():
        return np.inf  # such as percentages
    return influences.LARGEST_DIFFERENCES.get(measure, np.inf)


def _of_one_run(
    test: instance_tests.InstancesAndTrainingsResult,
) -> instance_tests.InstancePermutationResult:
    """Return the result of a t test over instances only, without a part over runs."""
    kind = instance_tests.InstancePermutationResult
    return kind(**{field.name: getattr(test, field.name) for field in fields(kind)})


@cached
def _swap_tests(table: CaseTable, measure: str, names: tuple[str, ...]) -> Callable[[dict], dict]:
    """Return `swap_tests_of_means` of some algorithms' first runs."""
    truth, predictions = _responses(table, measure)
    columns = {name: predictions[0, :, table.names.index(name)] for name in names}
    return instance_tests.swap_tests_of_means(
        _on_cases(table, measure), truth, columns, clusters=table.cluster
    )


def _losses_in_time(table: CaseTable, measure: str, pair: tuple[str, str]) -> list[np.ndarray]:
    """Return values of each instance for two models in the order of time; their means differ as the measure does."""
    assert table.time is not None  # guaranteed by `instance_test_for`
    truth, predictions = _responses(table, measure)
    order = np.argsort(table.time)
    true, values = truth[order], [predictions[0][order, table.names.index(name)] for name in pair]
    if _on_cases(table, measure) == influences.MEAN:
        return values
    if measure == "mae":
        return [np.abs(predicted - true) for predicted in values]
    squares = [(predicted - true) ** 2 for predicted in values]
    if measure == "r2":
        return [1 - square / true.var() for square in squares]
    total = sum(np.sqrt(square.mean()) for square in squares)  # (a^2 - b^2) / (a + b) = a - b
    return [square / (total or 1.0) for square in squares]


def _test_in_time(
    table: CaseTable, measure: str, pair: tuple[str, str], confidence_level: float, horizon: int
) -> instance_tests.InstancePermutationResult:
    """Return the Diebold-Mariano test of two models; raise DesignError if the measure is undefined."""
    values = values_on_cases(table, measure)[list(pair)]
    instance_tests.check_defined(measure, list(values))
    losses = _losses_in_time(table, measure, pair)
    test = forecast_test.diebold_mariano(
        *losses, horizon=horizon if horizon > 1 else None, confidence_level=confidence_level
    )
    return replace(test, values=(float(values.iloc[0]), float(values.iloc[1])))


def pairs_of(names: Sequence[str], control: str) -> list[tuple[str, str]]:
    """Return all pairs of names, or the pairs with the control, the control second."""
    return (
        [(name, control) for name in names if name != control]
        if control
        else [*combinations(names, 2)]
    )


def adjusted_pvalues(
    of_pairs: dict[tuple[str, str], float], names: list[str], settings: Settings
) -> pd.DataFrame:
    """Return adjusted p-values, algorithm x algorithm; 1 for pairs that were not compared."""
    matrix, at = np.ones((len(names),) * 2), {name: position for position, name in enumerate(names)}
    for (a, b), p in of_pairs.items():
        matrix[at[a], at[b]] = matrix[at[b], at[a]] = p
    pvalues = labeled_matrix(matrix, names)
    if not settings.control:
        return adjust.adjust_by_nearest(
            pvalues, adjust.usable_correction(settings.correction, len(names))
        )
    raw = pvalues[settings.control].drop(settings.control)
    adjusted = adjust.adjust_control(raw, settings.correction)
    pvalues.loc[raw.index, settings.control] = pvalues.loc[settings.control, raw.index] = adjusted
    return pvalues


def _permutes(test: TestResult) -> bool:
    """Return whether a test permutes instances or clusters."""
    units = ("case", "cluster")
    return test.method.name in [inference_text("method.swaps", unit=unit) for unit in units]


def _areas(
    truth: np.ndarray, scores_a: np.ndarray, scores_b: np.ndarray, confidence_level: float
) -> instance_tests.InstancePermutationResult:
    """Return DeLong's test, or a permutation test if it is degenerate; interval NaN if the variance is zero."""
    try:
        test = delong.delong(truth, scores_a, scores_b, confidence_level=confidence_level)
    except DegenerateError:
        return instance_tests.swap_test(
            "auc", truth, scores_a, scores_b, confidence_level=confidence_level
        )
    degenerate = test.variance == 0
    return instance_tests.InstancePermutationResult(
        **{field.name: getattr(test, field.name) for field in fields(PairedResult)},
        estimate=test.difference,
        low=np.nan if degenerate else test.low,
        high=np.nan if degenerate else test.high,
        error=float(np.sqrt(test.variance)),
        values=(test.auc_a, test.auc_b),
    )


def omnibus_on_instances(table: CaseTable, measure: str, names: Sequence[str]) -> TestResult | None:
    """Return Cochran's Q or DeLong's chi-square test; None for two algorithms, or if the measure has no such test."""
    way = WAYS[instance_test_for(table, measure)]
    columns = [table.names.index(name) for name in names]
    if len(names) < 3 or not way.first:
        return None
    if way.first == "cochran_q":
        return cochran_q(pd.DataFrame(table.correct[0][:, columns], columns=list(names)))
    assert table.score is not None  # areas come from scores
    return delong.delong_all(table.truth, table.score[0][:, columns])


def thresholds_wished(table: CaseTable, wish: tuple, alpha: float) -> pd.DataFrame | None:
    """Return the best thresholds of each model, for `wish` or default targets; None without scores of two classes."""
    if table.score is None or table.positive is None or len({*table.truth}) < 2:
        return None
    return trained_models.best_thresholds(
        table, [wish] if wish else USUAL.items(), confidence_level=1 - alpha
    )


def _calibration_rows(table: CaseTable) -> pd.DataFrame | None:
    """Return one row per calibration bin and model; None unless scores are probabilities."""
    if not table.probabilities:
        return None
    bins = pd.concat(
        trained_models.calibration_bins(table), names=["algorithm", "bin"]
    ).reset_index()
    return bins.assign(bin=bins["bin"] + 1)


def losses_tested(
    table: CaseTable, names: Sequence[str], settings: Settings
) -> pd.DataFrame | None:
    """Return tests of Brier score and log loss, one row per pair and loss that is finite; None if there are none."""
    if not set(LOSSES) <= set(measures_on_cases(table)) or len(names) < 2:
        return None
    rows = []
    for measure in LOSSES:
        values = values_on_cases(table, measure)
        if not np.isfinite(values[list(names)]).all():
            continue
        tests = pair_tests(table, measure, names, 1 - settings.alpha, settings.control)
        adjusted = adjusted_pvalues(
            {pair: test.pvalue for pair, test in tests.items()}, list(names), settings
        )
        for (a, b), test in tests.items():
            rows.append(
                {
                    "loss": measure, "first": a, "second": b, "of first": values[a],
                    "of second": values[b], "estimate": test.estimate, "low": test.low,
                    "high": test.high, "p": test.pvalue, "p adjusted": adjusted.loc[a, b],
                }
            )  # fmt: skip
    return pd.DataFrame(rows) if rows else None


class PairsOfModels(result.Comparison):
    """Models compared in pairs, all of them or those with a control."""

    estimate = Estimate.INSTANCES

    @property
    def control(self) -> str:
        """The algorithm with which all others are compared; "" for all pairs."""
        return self.settings.control

    def compared_pairs(self) -> list[tuple[str, str]]:
        """Return the pairs compared, the better algorithm first; those with a control have the control second."""
        return pairs_of(self.order, self.control)

    @property
    def groups(self) -> tuple[tuple[str, ...], ...]:
        """Maximal groups without a significant difference; () with a control."""
        return () if self.control else super().groups

    def sides(self) -> tuple[list[str], list[str], list[str]]:
        """Return the algorithms better than the control, worse, and not significantly different, best first."""
        better, worse = self.beats[self.control], self.beats.loc[self.control]
        rest = [
            name
            for name in self.order
            if name != self.control and not better[name] and not worse[name]
        ]
        return list(better.index[better]), list(worse.index[worse]), rest

    @property
    @abstractmethod
    def correction(self) -> str:
        """Correction applied to the pairwise p-values."""

    @property
    def correction_name(self) -> str:
        """Name of the correction; "none" without."""
        return (CONTROL_CORRECTIONS if self.control else CORRECTIONS)[self.correction]


@dataclass(frozen=True, kw_only=True, eq=False)
class CasesComparison(PairsOfModels):
    """Models compared on the instances of one test set.

    Attributes
    ----------
    dataset : str
        Name of the data set.
    cases : CaseTable
        Predictions of all models, by instance.
    way : str
        The test of pairs, a key of `WAYS`.
    values : Series by algorithm
        Value of the measure, averaged over runs.
    omnibus : TestResult or None
        Omnibus test: Cochran's Q or DeLong's test of all areas; None if there is none.
    tests : dict of (str, str) to InstancePermutationResult
        Test of every pair, or of every pair with the control.
    adjusted : DataFrame, algorithm x algorithm
        Adjusted p-values; 1 for pairs that were not compared.
    """

    kind: ClassVar[str] = "cases"
    derived: ClassVar[tuple[str, ...]] = (
        *("n_cases", "n_clusters", "correction"),
        *("models", "best_thresholds", "calibration", "losses", "rank_intervals"),
    )
    scope = "cases"
    dataset: str
    cases: CaseTable = field(metadata=result.NOT_IN_JSON)
    way: str
    values: pd.Series
    omnibus: TestResult | None
    tests: dict[tuple[str, str], instance_tests.InstancePermutationResult] = field(
        metadata=result.NOT_IN_JSON
    )
    adjusted: pd.DataFrame

    @property
    def shape(self) -> result.Shape:
        """Properties of this kind of comparison."""
        return result.Shape(over="cases", control=bool(self.control))

    @property
    def _n_comparisons(self) -> int:
        """Number of pairs compared."""
        return len(self.tests)

    @property
    def names(self) -> list[str]:
        """Names of the algorithms, in the order of the pair requested or of the data."""
        return list(self.values.index)

    @property
    def how(self) -> Way:
        """Description of the pairwise test used."""
        return WAYS[self.way]

    @property
    def correct(self) -> pd.DataFrame:
        """Whether each prediction of the first run is correct, instance x algorithm."""
        positions = [self.cases.names.index(name) for name in self.names]
        return pd.DataFrame(
            self.cases.correct[0][:, positions],
            index=pd.Index(self.cases.cases, name="instance"),
            columns=pd.Index(self.names, name="algorithm"),
        )

    @property
    def has_one_answer(self) -> bool:
        """Whether each algorithm has one answer per instance, which is right or wrong."""
        return self.cases.has_one_answer

    @property
    def scored(self) -> CaseTable:
        """Predictions of the instances with all scores; `cases` if no score is missing."""
        if self.cases.score is not None:
            return self.cases
        table = case_table(self.results, self.dataset)
        return self.cases if table is None or table.score is None else table

    @property
    def has_rank_intervals(self) -> bool:
        """Whether ranks have intervals: three or more models, and no order in time."""
        return len(self.names) > 2 and self.way != "diebold-mariano"

    @property
    def n_cases(self) -> int:
        """Number of instances compared, those left out not counted."""
        return len(self.cases.cases)

    @property
    def n_clusters(self) -> int:
        """Number of clusters of instances; 0 if instances are not clustered."""
        return self.cases.n_clusters

    @property
    def effective_clusters(self) -> float:
        """Kish's effective number of clusters; 0 if instances are not clustered."""
        cluster = self.cases.cluster
        return 0.0 if cluster is None else clusters.effective_number(np.bincount(cluster))

    @property
    @cached(across_alpha=True)
    def order(self) -> list[str]:
        """Algorithms from best to worst; ties in the order of `names`."""
        return list(
            self.values.sort_values(ascending=not self.higher_is_better, kind="stable").index
        )

    @property
    @cached(across_alpha=True)
    def identical(self) -> tuple[tuple[str, str], ...]:
        """Pairs, as ordered in `order`, whose answers are the same on all instances: nothing is tested."""
        measure = self.settings.measure
        is_counted = _on_cases(self.cases, measure) in ERRORS
        values = self.cases.correct if is_counted else _responses(self.cases, measure)[1]
        answers = {name: values[:, :, self.cases.names.index(name)] for name in self.cases.names}
        return tuple(
            (first, second)
            for first, second in self.compared_pairs()
            if np.array_equal(answers[first], answers[second])
        )

    @property
    def correction(self) -> str:
        """Correction applied to the pairwise p-values."""
        return adjust.used_correction(self.settings.correction, self.adjusted)

    @property
    def extended(self) -> bool:
        """Whether an end of one of Newcombe's intervals was set to 0, because the exact test disagrees."""
        return self.way == "mcnemar" and bool(
            (self.pairs.frame[["low", "high"]].abs() <= ABOVE_ZERO).to_numpy().any()
        )

    @property
    @cached
    def pairs(self) -> Pairs:
        """One row per pair, the better algorithm first or the control second, smallest adjusted p on top.

        Columns: `PAIR_COLUMNS`, where the estimate is the difference of the measure, first minus
        second, with the interval of the same test at the error rate of `error_rates`; for several
        runs also "p this test set" and, for means over instances, the variance components
        "variance items" and "variance runs" of the difference; for McNemar's test also "only first"
        and "only second", the numbers of instances that this algorithm alone classified correctly,
        and their ratio, the conditional "odds ratio" with the exact interval "odds low", "odds
        high"; with a control also "verdict".
        """
        rows = []
        rates = self._rates()
        for first, second in self.compared_pairs():
            sign, test = self.turned(first, second)
            low, high = self._interval(first, second, rates[first, second])
            p = float(self.adjusted.loc[first, second])
            row = {
                "first": first,
                "second": second,
                "estimate": sign * test.estimate,
                "low": low,
                "high": high,
                "statistic": sign * test.statistic,
                "p": test.pvalue,
                "p adjusted": p,
                "separated": significant(p, self.settings.alpha),
            }
            if self.control:
                side = "better" if self.beats.loc[first, second] else "worse"
                row["verdict"] = side if row["separated"] else "no significant difference"
            if (
                isinstance(test, instance_tests.InstancesAndTrainingsResult)
                and self.cases.n_runs > 1
            ):
                row["p this test set"] = test.p_trainings
                row |= self._components(first, second)
            if self.way == "mcnemar":
                row |= dict(zip(_CELLS[1:3], self._cells(first, second)[1:3], strict=True))
                row["odds ratio"], row["odds low"], row["odds high"] = (
                    proportions.conditional_odds_ratio(
                        row["only first"],
                        row["only second"],
                        confidence_level=1 - rates[first, second],
                    )
                )
            rows.append(row)
        table = pd.DataFrame(rows)
        table = table.sort_values(["p adjusted", "p"], kind="stable", ignore_index=True)
        return self._pairs_of(table)

    @cached(across_alpha=True)
    def _both_right(self) -> np.ndarray:
        """Return the number of instances on which two models are correct, model x model in the order of `cases.names`."""
        right = self.cases.correct[0].astype(float)
        return (right.T @ right).round().astype(int)

    def agreement(self, first: str, second: str) -> pd.Series:
        """Return the numbers of instances on which both, only the first, only the second, or neither is correct."""
        return pd.Series(self._cells(first, second), index=_CELLS)

    def _cells(self, first: str, second: str) -> list[int]:
        i, j = (self.cases.names.index(name) for name in (first, second))
        table = self._both_right()
        cells = [int(table[i, j]), int(table[i, i] - table[i, j]), int(table[j, j] - table[i, j])]
        return [*cells, self.n_cases - sum(cells)]

    def _components(self, first: str, second: str) -> dict[str, float]:
        """Return the variance components of the paired difference: instances, and runs within them; {} if no mean."""
        measure = self.settings.measure
        if (kind := _on_cases(self.cases, measure)) not in (*ERRORS, influences.MEAN):
            return {}
        values = self.cases.correct if kind in ERRORS else _responses(self.cases, measure)[1]
        first_values, second_values = (
            values[:, :, self.cases.names.index(name)].astype(float) for name in (first, second)
        )
        items, runs = instance_tests.variance_components(first_values - second_values)
        return {"variance items": items, "variance runs": runs}

    def difference_by_case(self, first: str, second: str) -> np.ndarray:
        """Return the influence of each instance on the difference of two models, averaged over runs."""
        runs = _moves(self.cases, self.settings.measure)
        positions = [self.cases.names.index(name) for name in (first, second)]
        moves = [np.mean([of_models[i].by_case for of_models in runs], axis=0) for i in positions]
        return moves[0] - moves[1]

    def by_cluster(self, first: str, second: str) -> pd.DataFrame | None:
        """Return one row per cluster: instances, accuracy of two models, and how often only one is correct."""
        if self.cases.cluster is None or self.cases.cluster_names is None:
            return None
        table = self.correct[[first, second]].set_axis(["of first", "of second"], axis=1)
        table["only first"] = table["of first"] & ~table["of second"]
        table["only second"] = table["of second"] & ~table["of first"]
        groups = table.groupby(self.cases.cluster_names[self.cases.cluster])
        rows = groups.agg(
            {"of first": "mean", "of second": "mean", "only first": "sum", "only second": "sum"}
        )
        return rows.assign(instances=groups.size()).rename_axis("cluster")

    def disagreements(self, first: str, second: str) -> pd.DataFrame:
        """Return the instances on which one of two models is correct: instance, correct model, any cluster and text."""
        right, other = self.correct[[first, second]].to_numpy().T
        rows = np.flatnonzero(right != other)
        return self._described(rows, correct=np.where(right[rows], first, second))

    def by_difficulty(self) -> pd.DataFrame:
        """Return all instances, hardest first: instance, number of correct models (`right`), any cluster and text."""
        right = self.correct.to_numpy().sum(axis=1)
        rows = np.argsort(right, kind="stable")
        return self._described(rows, right=right[rows])

    def _described(self, rows: np.ndarray, **columns: np.ndarray) -> pd.DataFrame:
        """Return a table of instances with these columns and, if there are any, their clusters and texts."""
        table = {"instance": self.cases.cases[rows], **columns}
        if self.cases.cluster is not None and self.cases.cluster_names is not None:
            table["cluster"] = self.cases.cluster_names[self.cases.cluster[rows]]
        texts = self.results.item_texts
        if len(texts) and self.dataset in texts:
            of_rows = texts.loc[self.dataset].reindex(table["instance"]).fillna("")
            table["text"] = of_rows.str.split().str.join(" ").to_numpy()
        return pd.DataFrame(table)

    def cluster_accuracies(self) -> pd.DataFrame | None:
        """Return accuracy with Wilson's interval by cluster and algorithm, hardest cluster first; None without clusters.

        Columns `value`, `low`, `high` and `instances`. Within a cluster, instances are treated as
        independent.
        """
        if self.cases.cluster is None or self.cases.cluster_names is None:
            return None
        groups = self.correct[self.order].groupby(self.cases.cluster_names[self.cases.cluster])
        sums, sizes = groups.sum(), groups.size()
        rows = {}
        for cluster in (sums.mean(axis=1) / sizes).sort_values(kind="stable").index:
            n = int(sizes[cluster])
            for name in self.order:
                wins = int(sums.loc[cluster, name])
                low, high = proportions.wilson_interval(
                    wins, n, confidence_level=1 - self.settings.alpha
                )
                rows[cluster, name] = {"value": wins / n, "low": low, "high": high, "instances": n}
        table = pd.DataFrame.from_dict(rows, orient="index").rename_axis(["cluster", "algorithm"])
        return table.astype({"instances": int})

    @cached
    def models(self) -> pd.DataFrame | None:
        """Return value, standard error and interval of each algorithm, best first; None unless a mean over instances.

        None also for instances in the order of time, since the standard error assumes independence.

        Columns: "value", "standard error", "low" and "high"; with clusters also "design effect",
        the ratio of the variances with and without clusters. Errors and accuracies have Wilson's
        interval, with clusters for the effective number of instances. Other intervals are those of
        a t test.
        """
        measure, n = _on_cases(self.cases, self.settings.measure), self.n_cases
        if measure not in (*ERRORS, influences.MEAN) or self.way == "diebold-mariano":
            return None
        (truth, responses), rows = _responses(self.cases, self.settings.measure), {}
        group = np.arange(n) if self.cases.cluster is None else self.cases.cluster
        for name in self.order:
            answers = responses[:, :, self.cases.names.index(name)]
            rows[name] = instance_tests.mean_of_instances(
                measure, truth, [*answers], group, confidence_level=1 - self.settings.alpha
            )
        table = pd.DataFrame.from_dict(rows, orient="index").rename_axis("algorithm")
        return table if self.cases.cluster is not None else table.drop(columns="design effect")

    def _rates(self) -> dict[tuple[str, str], float]:
        """Return the error rate (1 - confidence_level) of each pair's interval, by pair."""
        pairs = self.compared_pairs()
        p = [self.turned(*pair)[1].pvalue for pair in pairs]
        adjusted = [self.adjusted.loc[pair] for pair in pairs]
        rates = pair_intervals.error_rates(
            p, adjusted, self.settings.alpha, correction=self.correction, family=self._n_comparisons
        )
        return dict(zip(pairs, rates, strict=True))

    @cached
    def _tests_at_own_rates(
        self,
    ) -> dict[tuple[str, str], instance_tests.InstancePermutationResult]:
        """Return the tests of all pairs, each with its interval at the error rate of `_rates`."""
        return self._tests_at({pair: 1 - rate for pair, rate in self._rates().items()})

    def _tests_at(
        self, levels: float | dict[tuple[str, str], float]
    ) -> dict[tuple[str, str], instance_tests.InstancePermutationResult]:
        """Return the tests of all pairs, with intervals at one confidence level or at that of each pair."""
        settings = self.settings
        return pair_tests(
            self.cases, settings.measure, self.order, levels, self.control, settings.horizon
        )

    def _interval(self, first: str, second: str, rate: float) -> tuple[float, float]:
        tests = self.tests
        if rate != self.settings.alpha:
            tests = self._tests_at_own_rates()
        return self._signed_interval(*self.turned(first, second, tests))

    def intervals(self, alpha: float) -> Intervals:
        """Return intervals of the test at error rate `guarantee.each(alpha)`, Newcombe's for McNemar's test."""
        tests = self._tests_at(1 - self.guarantee.each(alpha))
        rows = self.pairs.decisions[["first", "second"]].itertuples(index=False)
        ends = [self._signed_interval(*self.turned(row[0], row[1], tests)) for row in rows]
        return Intervals(ends=ends, by=comparison_text("comparison.same_test"))

    def turned_interval(self, first: str, second: str) -> tuple[float, float]:
        """Return the interval of the difference of two algorithms at the level of the settings."""
        return self._signed_interval(*self.turned(first, second))

    def turned(
        self,
        first: str,
        second: str,
        tests: dict[tuple[str, str], instance_tests.InstancePermutationResult] | None = None,
    ) -> tuple[int, instance_tests.InstancePermutationResult]:
        """Return sign and test of a pair; the sign is -1 if the test is stored in the opposite order, else 1."""
        tests = self.tests if tests is None else tests
        return (1, tests[first, second]) if (first, second) in tests else (-1, tests[second, first])

    @staticmethod
    def _signed_interval(
        sign: int, test: instance_tests.InstancePermutationResult
    ) -> tuple[float, float]:
        """Return the interval ends of a test, turned if `sign` is -1."""
        return (test.low, test.high) if sign > 0 else (-test.high, -test.low)

    @cached
    def risk_bands(self) -> RiskBands:
        """Return confidence bands of the risk differences over theta; DesignError without scores of two classes."""
        return trained_models.risk_bands(
            self.scored, confidence_level=1 - self.settings.alpha, control=self.control
        )

    @cached
    def best_thresholds(self) -> pd.DataFrame | None:
        """Return `thresholds_wished` for the target in the settings; None without scores of two classes."""
        return thresholds_wished(self.scored, self.settings.wish, self.settings.alpha)

    @cached(across_alpha=True)
    def calibration(self) -> pd.DataFrame | None:
        """Return one row per calibration bin and model; None unless scores are probabilities."""
        return _calibration_rows(self.scored)

    @cached
    def losses(self) -> pd.DataFrame | None:
        """Return `losses_tested` for the algorithms compared; None if neither loss can be tested."""
        return losses_tested(self.scored, self.names, self.settings)

    @cached
    def rank_intervals(self) -> RankIntervalsResult | None:
        """Return the intervals for the ranks of all models; None for two models or time order."""
        if not self.has_rank_intervals:
            return None
        columns, runs = case_columns(self.cases, self.settings.measure, self.order)
        return rank_intervals.rank_intervals(
            columns,
            higher_is_better=self.higher_is_better,
            clusters=self.cases.cluster,
            runs=runs if len(runs) > 1 else None,
            confidence_level=1 - self.settings.alpha,
        )

    @property
    def beats(self) -> pd.DataFrame:
        """Whether the row model is significantly better than the column model."""
        differs = significant(self.adjusted.loc[self.order, self.order], self.settings.alpha)
        return differs & np.triu(np.ones(differs.shape, dtype=bool), 1)

    @property
    def counted(self) -> result.Units:
        """Number of independent units: clusters if the test treats clusters as units, else instances."""
        if self.how.of_clusters:
            return result.Units(
                n=self.n_clusters, noun="cluster of instances", plural="clusters of instances"
            )
        return result.Units(n=self.n_cases, noun="instance")

    def attainable(self, n: int) -> float:
        """Return the smallest adjusted p of sign flips of n units; 0 for tests without this bound."""
        if not self.how.by_signs and self.how.card != "two_way_test":
            return 0.0
        smallest = pairwise.smallest_control_pvalue if self.control else pairwise.smallest_pvalue
        # Wilcoxon's smallest p over n data sets is that of n sign flips, too
        return smallest(len(self.names), n, replace(self.settings, source="wilcoxon"))

    @property
    def first_test(self) -> result.OmnibusTest | None:
        """Omnibus test of all models, Cochran's Q or DeLong's; None if there is none."""
        planned = self.tests_of_design.omnibus
        if self.omnibus is None or planned is None:
            return None
        return result.OmnibusTest(name=planned.name, outcome=self.omnibus)

    @property
    def notes(self) -> tuple[Message, ...]:
        """Notes on the models, excluded instances, a replaced correction, pairing by order, and choices."""
        paired = (note for note in self.results.notes if note.code in _NOTES_OF_FILES)
        fallback = adjust.fallback_message(
            self.settings.correction, len(self.names), used=self.correction
        )
        fallbacks = (fallback,) if fallback and len(self.tests) > 1 and not self.control else ()
        time = self._correlated_in_time()
        return (
            message("trained models"),
            *self._averaged_answers(),
            *time,
            *self._by_other_units(),
            *self._left_out(),
            *fallbacks,
            *paired,
            *self.results.choices,
        )

    def in_other_units(self) -> dict[str, CaseTable]:
        """Return the instances without undeclared and with possible clusters, by column."""
        table, notes = self.cases, self.results.notes
        undeclared = [str(note["column"]) for note in notes if note.code == "items of clusters"]
        used = undeclared[:1] if table.cluster is not None else []
        possible = table.possible_clusters.items()
        return {column: replace(table, cluster=None) for column in used} | {
            column: replace(table, cluster=numbers) for column, numbers in possible
        }

    def tested_on(self, table: CaseTable) -> "CasesComparison":
        """Return the comparison of the same pairs on the same instances in other units."""
        settings = self.settings
        tests = pair_tests(
            table, settings.measure, self.names, 1 - settings.alpha, self.control, settings.horizon
        )
        return replace(
            self, cases=table, way=instance_test_for(table, settings.measure), tests=tests
        )

    @cached
    def _by_other_units(self) -> tuple[Message, ...]:
        """Return a note on the result without clusters, and with each column of possible ones."""
        if self.obstacle or len(self.tests) > _MOST_PAIRS_TRIED:
            return ()
        notes = []
        for column, other in self.in_other_units().items():
            pvalue, n_significant = self._significance_in(other)
            note = message(
                "other units",
                column=column,
                used=self.n_clusters,
                clusters=other.n_clusters,
                cases=self.n_cases,
                p=pvalue,
                alpha=self.settings.alpha,
                n=n_significant,
                pairs=len(self.tests),
            )
            notes.append(note)
        return tuple(notes)

    def _significance_in(self, table: CaseTable) -> tuple[float | None, int | None]:
        """Return p of a single pair, and the number of significant pairs, for a table."""
        settings = self.settings
        try:
            tests = pair_tests(
                table, settings.measure, self.names, 1 - settings.alpha, self.control,
                settings.horizon,
            )  # fmt: skip
        except (DesignError, DegenerateError):
            return None, None
        of_pairs = {pair: test.pvalue for pair, test in tests.items()}
        adjusted = adjusted_pvalues(of_pairs, self.names, settings)
        n = sum(bool(significant(adjusted.loc[pair], settings.alpha)) for pair in of_pairs)
        return (next(iter(of_pairs.values())) if len(of_pairs) == 1 else None), n

    def _averaged_answers(self) -> tuple[Message, ...]:
        """Return the note on repeated answers to each instance, () for one answer."""
        table = self.cases
        if table.answers == 1:
            return ()
        return (
            message(
                "repeated answers",
                answers=table.answers,
                fewest=table.fewest_answers,
                n=table.n_fewer,
                averaged=table.value is not None,
                of_runs=table.runs_averaged,
                common=self._n_common_runs,
            ),
        )

    @property
    def _n_common_runs(self) -> int:
        """Number of runs that every algorithm has."""
        runs = self.results.frame.groupby(["repetition", "fold"])["algorithm"].nunique()
        return int((runs == len(self.results.algorithms)).sum())

    def _left_out(self) -> tuple[Message, ...]:
        """Return notes on instances left out of the tests, or of measures of scores."""
        measure, n_left_out = self.results.resolve_name(self.settings.measure), self.cases.left_out
        what = "score" if measure in FROM_SCORES else "prediction"
        n_scored = len(self.scored.cases)
        return (
            *([message("cases left out", n=n_left_out, what=what)] if n_left_out else []),
            *(
                [message("cases without scores", n=self.n_cases - n_scored)]
                if n_scored < self.n_cases
                else []
            ),
        )

    def _correlated_in_time(self) -> tuple[Message, ...]:
        """Return a note on the pair most correlated beyond the horizon, () if none is.

        Horizon 1 allows for any correlation.
        """
        if self.way != "diebold-mariano" or self.settings.horizon == 1:
            return ()
        lag, correlations = self.settings.horizon, {}
        for pair in self.tests:
            first, second = _losses_in_time(self.cases, self.settings.measure, pair)
            covariances = forecast_test.autocovariances(first - second, lag + 1)
            correlations[pair] = covariances[lag] / covariances[0] if covariances[0] > 0 else 0.0
        pair = max(correlations, key=correlations.__getitem__)
        if correlations[pair] <= stats.norm.isf(0.05 / len(correlations)) / np.sqrt(self.n_cases):
            return ()
        return (
            message(
                "correlated in time", names=pair, lag=lag, correlation=float(correlations[pair])
            ),
        )

    @property
    def test_name(self) -> str:
        """Name of the pairwise test and, for several pairs, of its correction."""
        names = " and ".join(test.name for test in self.tests_of_pairs)
        return names if len(self.tests) == 1 else plan.adjusted_tests(names, self.correction_name)

    @property
    @cached
    def _planned_tests(self) -> tuple[PlannedTest, ...]:
        """The omnibus test of all models, if there is one, and the pairwise tests."""
        if self.omnibus is None:
            return self.tests_of_pairs
        first = plan.of_all(self.how.first, Role.OMNIBUS, Unit.INSTANCE, self.scope)
        return (replace(first, label=f"{self.how.first}_of_all"), *self.tests_of_pairs)

    @property
    def tests_of_pairs(self) -> tuple[PlannedTest, ...]:
        """The pairwise test, and the permutation test where areas do not vary."""
        is_constant = [_permutes(test) for test in self.tests.values()]
        kinds = [self.way] if self.way != "delong" or not all(is_constant) else []
        if self.way == "delong" and any(is_constant):
            kinds.append("constant areas")
        notes = self._correlated_in_time()
        return tuple(
            PlannedTest(
                role=Role.PAIRWISE,
                card=_PLANNED[kind].card,
                label=kind,
                method=MCNEMAR if kind == "mcnemar" else None,
                correction=self.correction if len(self.tests) > 1 else None,
                unit=_PLANNED[kind].unit,
                population=self.scope,
                reason=_PLANNED[kind].reason,
                failed=plan.fails(Assumption.UNCORRELATED_LATER, notes),
                permutations=self._permutations if _PLANNED[kind].card == "swap_test" else None,
            )
            for kind in kinds
        )

    @property
    def _permutations(self) -> Permutations:
        """Permutations of the tests of pairs that permute and whose models differ."""
        tests = [t for t in self.tests.values() if _permutes(t) and not t.nothing_to_test]
        drawn = {test.draws for test in tests if test.draws is not None}
        return Permutations(
            listed=any(test.draws is None for test in tests), drawn=tuple(sorted(drawn))
        )

    @property
    def ordered_by(self) -> result.Standing:
        """Values of the measure on the test set, by which the models are ordered."""
        return result.Standing(
            values=self.values,
            name=self.measure_name,
            lowest=not self.higher_is_better,
            digits=self.digits,
        )


@dataclass(frozen=True, kw_only=True, eq=False)
class TrainingsComparison(CasesComparison):
    """Algorithms compared on the instances of one test set after several runs.

    The test includes the variance over instances and over runs. The p-value over runs
    alone, which holds for this test set only, is also in `pairs`.
    """

    kind: ClassVar[str] = "trainings"
    derived: ClassVar[tuple[str, ...]] = (*CasesComparison.derived, "n_trainings")
    scope = "cases and runs"

    @property
    def n_trainings(self) -> int:
        """Number of runs of each algorithm."""
        return self.cases.n_runs

    @property
    def notes(self) -> tuple[Message, ...]:
        """Notes on the population of the conclusion, excluded instances, and choices."""
        population = message("cases and trainings", cases=self.n_cases, trainings=self.n_trainings)
        return (
            population,
            *self._by_other_units(),
            *self._left_out(),
            *self._if_answers(),
            *self.results.choices,
        )

    def _if_answers(self) -> tuple[Message, ...]:
        """Return the note on runs as repeated answers; () for predicted labels."""
        if not self.cases.are_marks and self.cases.value is None:
            return ()
        pvalue = None
        if len(self.tests) == 1:
            answered = replace(self.cases, answers=self.cases.n_runs)
            test = pair_tests(answered, self.settings.measure, self.names, 1 - self.settings.alpha)
            pvalue = next(iter(test.values())).pvalue
        return (message("answers instead", p=pvalue, alpha=self.settings.alpha),)


def compare_cases(inputs: result.Inputs) -> CasesComparison | None:
    r"""Return the comparison of algorithms on the instances of one test set; None if the results do not allow it.

    Notes
    -----
    The instances are a sample of a population. With one run the models are fixed: tests generalize
    to these models on other instances, not to other runs. Error and accuracy are
    tested by McNemar's test, after Cochran's Q; the area under the ROC curve by DeLong's test; any other
    measure by a permutation test that swaps the predictions of two models. Clusters of instances are the
    units of all tests: errors are swapped by cluster, areas are tested by a t test. Several runs
    are compared by a two-way t test over instances and runs.

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
    >>> cases.pairs.frame["only first"].tolist(), round(cases.tests["a", "b"].pvalue, 6)
    ([3], 0.25)
    """
    results, settings = inputs.results, inputs.settings
    if len(results.datasets) != 1 or len(results.algorithms) < 2:
        return None
    dataset = results.datasets[0]
    measure = results.resolve_name(settings.measure)
    table = case_table(results, dataset, measure)
    if table is None or len(table.cases) < 2 or not is_tested(table, measure):
        return None
    if settings.wish:
        trained_models.check_wish(*settings.wish)
    names = list(settings.pair or results.algorithms)
    if settings.control and settings.control not in names:
        raise DesignError.of("control excluded", control=settings.control)
    tests = pair_tests(
        table, measure, names, 1 - settings.alpha, settings.control, settings.horizon
    )
    kind = TrainingsComparison if table.n_runs > 1 else CasesComparison
    return kind(
        inputs=inputs,
        dataset=dataset,
        cases=table,
        way=instance_test_for(table, measure),
        values=values_on_cases(table, measure)[names],
        omnibus=omnibus_on_instances(table, measure, names),
        tests=tests,
        adjusted=adjusted_pvalues(
            {pair: test.pvalue for pair, test in tests.items()}, names, settings
        ),
    )


def compare_pair_on_cases(results: Results, settings: Settings) -> CasesComparison:
    """Return the comparison of `settings.pair` on the instances of `settings.dataset`; DesignError if not possible.

    Of the other settings, only `measure`, `alpha` and `wish` (the target of the best thresholds)
    are used.
    """
    selected, settings = pairwise.apply_selection(results, settings)
    comparison = compare_cases(result.Inputs.of(selected, settings))
    if comparison is None:
        raise DesignError.of(
            "no instances named", dataset=settings.dataset, measure=settings.measure
        )
    return comparison


def can_test_cases(results: Results, dataset: str) -> bool:
    """Return whether a data set has one result per algorithm, and predictions of named instances."""
    return _named(results) and results.design_of(dataset) == "single"


def can_test_trainings(results: Results, dataset: str) -> bool:
    """Return whether predictions name instances, and several runs share the test set."""
    return _named(results) and results.design_of(dataset) == "common test set"


def are_tested(results: Results, dataset: str) -> bool:
    """Return whether algorithms can be compared on the instances of a data set."""
    return can_test_cases(results, dataset) or can_test_trainings(results, dataset)


def _named(results: Results) -> bool:
    return results.predictions is not None and "instance" in results.predictions
