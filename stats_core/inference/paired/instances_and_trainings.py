"""Two-way t test of two algorithms on the same instances over several trainings."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from scipy import stats

from stats_core.core.errors import DataError
from stats_core.core.result_types import Method
from stats_core.core.validation import IDENTICAL, check_probability
from stats_core.inference.paired.instance_influence import case_moves, cluster_error
from stats_core.inference.paired.instance_permutation import InstancePermutationResult, check_defined, check_instances


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class InstancesAndTrainingsResult(InstancePermutationResult):
    """Result of a t test with variance from instances and from trainings.

    Attributes
    ----------
    df : float
        Degrees of freedom, by Satterthwaite.
    over_cases, over_trainings : float
        The two parts of the standard error; 0 over trainings where there is one.
    p_trainings : float
        Of a t test over trainings alone, which speaks of this test set only; NaN of one training.
    """

    df: float
    over_cases: float
    over_trainings: float
    p_trainings: float


def two_way_test(
    measure: str,
    positive: ArrayLike,
    first: Sequence[ArrayLike],
    second: Sequence[ArrayLike],
    *,
    clusters: ArrayLike | None = None,
    confidence: float = 0.95,
) -> InstancesAndTrainingsResult:
    """Do two algorithms differ, given that instances and trainings both vary?

    Notes
    -----
    The two variances are added: what a case and a training make together counts in both, so that
    the test errs to the safe side. A t test over trainings alone takes the test set for the
    population: on sets of equal algorithms it rejects most of the time. With one training it is, for areas,
    nearly the test of DeLong, by clusters if there are some (Obuchowski).

    References
    ----------
    Satterthwaite, Biometrics Bull. 2 (1946) 110; Obuchowski, Biometrics 53 (1997) 567.

    Examples
    --------
    >>> truth = np.array([1, 1, 1, 0, 0, 0])
    >>> a = [np.array([1, 1, 1, 0, 0, 0]), np.array([1, 1, 1, 0, 0, 1])]
    >>> b = [np.array([1, 1, 0, 0, 1, 1]), np.array([1, 0, 0, 0, 0, 1])]
    >>> found = two_way_test("error", truth, a, b)
    >>> round(found.estimate, 4), round(found.pvalue, 4)
    (-0.4167, 0.0556)
    """
    check_probability(confidence, "confidence")
    if len(first) != len(second) or not len(first):
        raise DataError(
            [f"Both need the same trainings, at least one. There are {len(first)} and {len(second)}. Pair them."]
        )
    differences, values, moved, group = [], [], [], np.zeros(0, dtype=int)
    for answers, other_answers in zip(first, second, strict=True):
        truth, answers, other_answers, group = check_instances(measure, positive, answers, other_answers, clusters)
        both = [case_moves(measure, truth, labels) for labels in (answers, other_answers)]
        values.append([model.value for model in both])
        check_defined(measure, values[-1])
        differences.append(both[0].value - both[1].value)
        moved.append(both[0].by_case - both[1].by_case)
    n, trainings = int(group.max()) + 1, len(differences)
    over_cases = cluster_error(np.mean(moved, axis=0), group)
    spread = float(np.std(differences, ddof=1)) if trainings > 1 else 0.0
    over_trainings = spread / np.sqrt(trainings)
    variance = over_cases**2 + over_trainings**2
    difference = float(np.mean(differences))
    same = variance < 1e-24 and abs(difference) < 1e-12
    df = _df(over_cases, n - 1, over_trainings, trainings - 1)
    error = float(np.sqrt(variance))
    t = 0.0 if same else float(np.divide(difference, error)) if error else np.inf
    reach = np.nan if same else float(stats.t.isf((1 - confidence) / 2, df)) * error
    low, high = difference - reach, difference + reach
    mean = np.mean(values, axis=0)
    return InstancesAndTrainingsResult(
        about=f"{measure} on {len(moved[0])} cases after {trainings} trainings",
        statistic=t,
        pvalue=1.0 if same else float(2 * stats.t.sf(abs(t), df)),
        pvalue_greater=1.0 if same else float(stats.t.sf(t, df)),
        pvalue_less=1.0 if same else float(stats.t.cdf(t, df)),
        method=Method("t test over cases and trainings", ("two-sided", f"{df:.4g} df")),
        n=n,
        warnings=(IDENTICAL,) if same else (),
        estimate=difference,
        low=low,
        high=high,
        error=error,
        values=(float(mean[0]), float(mean[1])),
        df=df,
        over_cases=over_cases,
        over_trainings=float(over_trainings),
        p_trainings=_alone(difference, over_trainings, trainings),
    )


def _alone(difference: float, error: float, trainings: int) -> float:
    """Return p of a t test over trainings alone."""
    if trainings < 2:
        return np.nan
    if not error:
        return 0.0 if abs(difference) > 1e-12 else 1.0
    return float(2 * stats.t.sf(abs(difference) / error, trainings - 1))


def _df(over_cases: float, cases: int, over_trainings: float, trainings: int) -> float:
    """Return Satterthwaite's degrees of freedom of a sum of two variances."""
    parts = over_cases**4 / cases + (over_trainings**4 / trainings if trainings else 0.0)
    return float((over_cases**2 + over_trainings**2) ** 2 / parts) if parts else float(cases)
