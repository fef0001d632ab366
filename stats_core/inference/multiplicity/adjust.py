"""Adjusted p-values of all pairs and of comparisons with a control, and the applicable corrections."""

from collections.abc import Callable
from dataclasses import dataclass
from math import isqrt
from typing import Any

import numpy as np
import pandas as pd
from scipy.special import comb

from stats_core.core.errors import DataError, DesignError
from stats_core.core.messages import Message, message
from stats_core.core.result_types import labeled_matrix, pairs_table, square_matrix
from stats_core.core.validation import (
    check_family,
    check_one_of,
    check_probability,
    check_pvalues,
    significant,
)
from stats_core.data.settings import CONTROL_CORRECTIONS as CONTROL_CORRECTIONS
from stats_core.data.settings import CORRECTIONS as CORRECTIONS
from stats_core.inference import inference_text, methods
from stats_core.inference.methods import Assumption
from stats_core.inference.multiplicity import bergmann_hommel
from stats_core.inference.multiplicity.bergmann_hommel import LARGEST_ANY, MOST_STEPS, TIE


def true_counts(k: int) -> tuple[int, ...]:
    """Return the possible numbers of true equality hypotheses among k algorithms; DesignError for negative k.

    Notes
    -----
    If j of the algorithms are equal, C(j, 2) equalities are true, and the other k - j algorithms add
    any number possible among themselves: S(0) = S(1) = {0},
    S(k) = union over j = 1..k of {C(j, 2) + x : x in S(k - j)}.

    References
    ----------
    Shaffer, J. Am. Stat. Assoc. 81 (1986) 826; Garcia and Herrera, JMLR 9 (2008), section 2.1.

    Examples
    --------
    >>> true_counts(4)
    (0, 1, 2, 3, 6)
    """
    if k < 0:
        raise DesignError.of("too few algorithms", k=k, least=0)
    return tuple(_true_counts(k).tolist())


def _true_counts(k: int) -> np.ndarray:
    return np.flatnonzero(_least_algorithms(k) <= k)


def _least_algorithms(k: int) -> np.ndarray:
    """Return for each number of true equalities among k algorithms how many algorithms it needs.

    Equalities come from sets of equal algorithms: x of them need a largest set of j and as many
    algorithms as x - C(j, 2) needs. A set of j gives (j - 1) / 2 equalities per algorithm, so that
    a smaller largest set than 1 + 2 x / n cannot do with n algorithms.
    """
    least = np.zeros(k * (k - 1) // 2 + 1, dtype=np.int64)
    least[:3] = (0, 2, 4)[: len(least)]
    for largest in range(3, k + 1):
        start = largest * (largest - 1) // 2
        block = least[start : start + largest]  # those with room for no larger set
        block[:] = largest + least[: len(block)]
        most = int(block.max())
        for j in range(largest - 1, 1, -1):
            if (j - 1) * most < 2 * start:
                break
            rest = start - j * (j - 1) // 2
            if rest + len(block) > start:
                _add_one_by_one(least, start, len(block), j)
            elif j + _least_bound(rest) < most:
                np.minimum(block, j + least[rest : rest + len(block)], out=block)
                most = int(block.max())
    return least


def _add_one_by_one(least: np.ndarray, start: int, n: int, j: int) -> None:
    """Apply a largest set of j to n numbers, of which later ones build on earlier ones."""
    pairs = j * (j - 1) // 2
    for x in range(start, start + n):
        least[x] = min(least[x], j + least[x - pairs])


def _least_bound(x: int) -> int:
    """Return a number of algorithms that x equalities need at least: n with C(n, 2) >= x."""
    return (1 + isqrt(8 * x)) // 2 if x else 0


def shaffer_factors(k: int) -> np.ndarray:
    """Return the factors t_i by which Shaffer's procedure multiplies the p-values of all pairs of k algorithms.

    The factor of the smallest p comes first.

    References
    ----------
    Shaffer 1986; Garcia and Herrera 2008, section 2.1.

    Examples
    --------
    >>> shaffer_factors(5).tolist()
    [10, 6, 6, 6, 6, 4, 4, 3, 2, 1]
    """
    possible = _true_counts(k)
    left = np.arange(k * (k - 1) // 2, 0, -1)
    return possible[np.searchsorted(possible, left, side="right") - 1]


def rom_constants(m: int, alpha: float) -> np.ndarray:
    """Return the critical values with which Rom's procedure compares p-values, largest p first.

    Parameters
    ----------
    m : int
        Number of p-values.
    alpha : float
        Significance level.

    Returns
    -------
    array, shape (m,)
        Critical values, decreasing.

    Notes
    -----
    c_1 = alpha and, for i > 1,
    c_i = (sum over j = 1..i-1 of alpha^j - sum over j = 1..i-2 of C(i, j) c_(j+1)^(i-j)) / i.

    References
    ----------
    Rom, Biometrika 77 (1990) 663.

    Examples
    --------
    >>> rom_constants(5, 0.05).round(6).tolist()
    [0.05, 0.025, 0.016875, 0.012713, 0.010193]
    """
    return _constants(m, np.array([alpha]))[0]


def rom_levels(ordered: np.ndarray) -> np.ndarray:
    """Return for each p-value, ascending along the last axis, the level alpha at which it equals Rom's critical value.

    Examples
    --------
    >>> rom_levels(np.array([0.025, 0.2])).round(6).tolist()
    [0.05, 0.2]
    """
    m = ordered.shape[-1]
    steps = np.arange(m, 0, -1)  # of each p-value from the largest
    targets = ordered.ravel()
    position = np.arange(len(targets))
    constant = np.broadcast_to(steps - 1, ordered.shape).ravel()
    low = targets.copy()
    high = np.minimum(steps * ordered, 1).ravel()
    for _ in range(60):
        middle = (low + high) / 2
        is_enough = _constants(m, middle)[position, constant] >= targets
        low = np.where(is_enough, low, middle)
        high = np.where(is_enough, middle, high)
    return high.reshape(ordered.shape)


def _constants(m: int, alpha: np.ndarray) -> np.ndarray:
    """Return Rom's critical values c_1..c_m for each level, level x constant."""
    c = np.zeros((len(alpha), m))
    c[:, 0] = alpha
    powers = np.zeros(len(alpha))  # alpha + alpha^2 + ... + alpha^(i-1)
    for i in range(2, m + 1):
        powers += alpha ** (i - 1)
        j = np.arange(1, i - 1)
        of_smaller = (comb(i, j) * c[:, j] ** (i - j)).sum(axis=1)
        c[:, i - 1] = (powers - of_smaller) / i
    return c


Steps = Callable[[np.ndarray], np.ndarray]  # p-values ascending in each row -> adjusted, ascending


def adjust_rows(pvalues: np.ndarray, method: str) -> np.ndarray:
    """Return adjusted p-values, each row being a family of its own.

    Raises SettingError if `method` is not in `STEPS`, DesignError if Shaffer's procedure gets rows
    that are not all pairs of some algorithms. The p-values are not checked.

    Notes
    -----
    Shaffer: the i-th smallest of p_(1) <= ... <= p_(m) becomes the maximum over j <= i of t_j p_(j), `shaffer_factors`;
    never larger than Holm, valid under any dependence of the tests. The other formulas are given in
    `adjust_pairs` and `adjust_control`, which adjust one family.

    References
    ----------
    Holm 1979; Hochberg 1988; Hommel 1988; Benjamini and Hochberg 1995; Shaffer 1986; Finner 1993; Li 2008; Rom 1990.

    Examples
    --------
    >>> adjust_rows(np.array([[0.01, 0.04], [0.5, 0.2]]), "holm").tolist()
    [[0.02, 0.04], [0.5, 0.4]]
    """
    check_one_of(method, STEPS, "method")
    if method == "none" or not pvalues.size:
        return pvalues.copy()
    order = np.argsort(pvalues, axis=-1, kind="stable")
    ordered = np.take_along_axis(pvalues, order, -1)
    adjusted_sorted = np.minimum(_share_ties(ordered, STEPS[method](ordered)), 1)
    adjusted = np.empty_like(adjusted_sorted)
    np.put_along_axis(adjusted, order, adjusted_sorted, -1)
    return adjusted


def _share_ties(ordered: np.ndarray, adjusted: np.ndarray) -> np.ndarray:
    """Return adjusted p-values in which tied p-values share the largest adjusted value."""
    positions = np.arange(ordered.shape[-1])
    is_last = np.ones(ordered.shape, dtype=bool)
    is_last[..., :-1] = np.diff(ordered, axis=-1) > TIE * ordered[..., 1:]
    ends = np.where(is_last, positions, positions[-1])
    end_of_ties = _from_largest(ends)
    return np.take_along_axis(adjusted, end_of_ties, -1)


def _step_down(ordered: np.ndarray, factors: np.ndarray) -> np.ndarray:
    return np.maximum.accumulate(factors * ordered, axis=-1)


def _remaining_hypotheses(ordered: np.ndarray) -> np.ndarray:
    """Return the number of hypotheses not yet rejected at each step: m, m - 1, ..., 1."""
    return np.arange(ordered.shape[-1], 0, -1)


def _holm(ordered: np.ndarray) -> np.ndarray:
    return _step_down(ordered, _remaining_hypotheses(ordered))


def _shaffer(ordered: np.ndarray) -> np.ndarray:
    m = ordered.shape[-1]
    factors = shaffer_factors(round((1 + (1 + 8 * m) ** 0.5) / 2))
    if len(factors) != m:
        raise DesignError.of("Shaffer needs the p-values of all pairs", m=m)
    return _step_down(ordered, factors)


def _from_largest(values: np.ndarray) -> np.ndarray:
    return np.minimum.accumulate(values[..., ::-1], axis=-1)[..., ::-1]


def _hommel(ordered: np.ndarray) -> np.ndarray:
    """Return Hommel's adjusted p-values by Wright's algorithm."""
    adjusted = ordered.copy()
    for j in range(ordered.shape[-1], 1, -1):
        largest = ordered[..., -j:]
        others = ordered[..., :-j]
        least = (j * largest / np.arange(1, j + 1)).min(axis=-1, keepdims=True)
        adjusted[..., -j:] = np.maximum(adjusted[..., -j:], least)
        adjusted[..., :-j] = np.maximum(adjusted[..., :-j], np.minimum(j * others, least))
    return adjusted


def _finner(ordered: np.ndarray) -> np.ndarray:
    m = ordered.shape[-1]
    with np.errstate(divide="ignore"):  # p = 1 gives log 0: its adjusted value is 1
        steps = -np.expm1(np.log1p(-ordered) * m / np.arange(1, m + 1))
    return np.maximum.accumulate(steps, axis=-1)


def _li(ordered: np.ndarray) -> np.ndarray:
    # p = 0 next to a largest p of 1 is 0 / 0: rejected at every level
    largest = ordered[..., -1:]
    divisor = np.where(ordered > 0, ordered + (1 - largest), 1)
    return ordered / divisor


def _bonferroni(ordered: np.ndarray) -> np.ndarray:
    return ordered.shape[-1] * ordered


def _hochberg(ordered: np.ndarray) -> np.ndarray:
    return _from_largest(_remaining_hypotheses(ordered) * ordered)


def _benjamini_hochberg(ordered: np.ndarray) -> np.ndarray:
    m = ordered.shape[-1]
    return _from_largest(m / np.arange(1, m + 1) * ordered)


def _rom(ordered: np.ndarray) -> np.ndarray:
    return _from_largest(rom_levels(ordered))


STEPS: dict[str, Steps] = {
    "none": np.copy,
    "bonferroni": _bonferroni,
    "holm": _holm,
    "hochberg": _hochberg,
    "hommel": _hommel,
    "benjamini_hochberg": _benjamini_hochberg,
    "shaffer": _shaffer,
    "finner": _finner,
    "li": _li,
    "rom": _rom,
}


FAMILY_METHODS = ("none", "bonferroni", "holm", "hochberg", "hommel", "benjamini_hochberg")
PAIR_METHODS = (*FAMILY_METHODS, "shaffer", "bergmann_hommel", "bergmann_hommel_plain")


def adjust_pairs(
    pvalues: pd.DataFrame, method: str, *, average_ranks: pd.Series | None = None
) -> pd.DataFrame:
    """Return adjusted p-values of all pairs of algorithms.

    Parameters
    ----------
    pvalues : DataFrame, algorithm x algorithm
        Symmetric, two-sided, one family: all k (k - 1) / 2 pairs.
    method : str
        "none", "bonferroni", "holm", "hochberg", "hommel", "benjamini_hochberg", "shaffer",
        "bergmann_hommel" (as in the published table: a larger p-value never gets a smaller adjusted
        one) or "bergmann_hommel_plain" (as in the published procedure). Hochberg, Hommel and
        Benjamini-Hochberg need independent or positively dependent tests, which all pairs of the
        same algorithms do not guarantee; the other procedures are valid under any dependence.
        Benjamini-Hochberg controls the false discovery rate, the others the family-wise error rate.
        Shaffer and Bergmann-Hommel also assume that a = b and b = c imply a = c, which the sign
        test does not.
    average_ranks : Series by algorithm, optional
        The average ranks from which the p-values were computed. If the p-values follow them,
        Bergmann-Hommel has no limit on the number of algorithms. Ignored by the other procedures.

    Returns
    -------
    DataFrame, algorithm x algorithm
        Adjusted p-values, at most 1, to be compared with alpha directly; 1 on the diagonal.

    Raises
    ------
    DataError, SettingError
        The matrix is not square, symmetric and within [0, 1]; ranks of other algorithms;
        unknown method.
    DesignError
        Bergmann-Hommel if the p-values do not follow average ranks, for more than 30 algorithms or
        after 4,000,000 steps.

    Notes
    -----
    Equal raw p-values get equal adjusted p-values, except by the plain Bergmann-Hommel, where they
    also depend on the pairs. For every pair raw <= Benjamini-Hochberg <= Hommel <= Hochberg <= Holm
    <= Bonferroni and raw <= Bergmann-Hommel <= Shaffer <= Holm. Benjamini-Hochberg: the i-th
    smallest of m p-values becomes the minimum over j >= i of m p_(j) / j.

    References
    ----------
    Holm 1979; Hochberg 1988; Hommel 1988; Wright, Biometrics 48 (1992) 1005; Shaffer 1986;
    Bergmann and Hommel 1988; Garcia and Herrera, JMLR 9 (2008) 2677; Benjamini and Hochberg,
    J. R. Stat. Soc. B 57 (1995) 289; Benjamini and Yekutieli, Ann. Stat. 29 (2001) 1165.

    Examples
    --------
    >>> import pandas as pd
    >>> p = pd.DataFrame([[1, 0.01, 0.02], [0.01, 1, 0.9], [0.02, 0.9, 1]])
    >>> adjust_pairs(p, "holm").iloc[0].tolist()
    [1.0, 0.03, 0.04]
    >>> adjust_pairs(p, "bergmann_hommel").iloc[0].tolist()
    [1.0, 0.03, 0.03]
    >>> adjust_pairs(p, "benjamini_hochberg").iloc[0].tolist()
    [1.0, 0.03, 0.03]
    """
    check_one_of(method, PAIR_METHODS, "method")
    table = check_pvalues(pvalues)
    if method in ("bergmann_hommel", "bergmann_hommel_plain"):
        monotone = method == "bergmann_hommel"
        return bergmann_hommel.bergmann_hommel(
            table, average_ranks=average_ranks, monotone=monotone
        )
    adjusted = adjust_rows(table.to_numpy()[np.triu_indices(len(table), 1)], method)
    return labeled_matrix(square_matrix(len(table), adjusted, diagonal=1.0), table.index)


def adjust_family(pvalues: np.ndarray, method: str) -> np.ndarray:
    """Return the adjusted p-values of an arbitrary family of tests.

    Raises SettingError if `method` is not in `FAMILY_METHODS`, DataError for p-values outside [0,
    1].

    Examples
    --------
    >>> import numpy as np
    >>> adjust_family(np.array([0.01, 0.04]), "holm").tolist()
    [0.02, 0.04]
    """
    check_one_of(method, FAMILY_METHODS, "method")
    return adjust_rows(check_family(pvalues), method)


# key of the Bonferroni correction for comparisons with a control; elsewhere "bonferroni"
_DUNN = "bonferroni_dunn"
CONTROL_METHODS = (
    "none",
    _DUNN,
    "holm",
    "hochberg",
    "hommel",
    "benjamini_hochberg",
    "finner",
    "li",
    "rom",
)


def adjust_control(pvalues: pd.Series, method: str) -> pd.Series:
    """Return adjusted p-values of comparisons with a control.

    Parameters
    ----------
    pvalues : Series by algorithm
        Two-sided, one for each of the m = k - 1 algorithms that are not the control.
    method : {"none", "bonferroni_dunn", "holm", "hochberg", "hommel", "benjamini_hochberg", "finner", "li", "rom"}
        The procedure. Bonferroni-Dunn and Holm are valid under any dependence of the tests;
        Finner, Hochberg, Hommel, Benjamini-Hochberg and Rom need independent or positively
        dependent tests. Benjamini-Hochberg controls the false discovery rate, the others the
        family-wise error rate. The power of Li depends on the largest p-value: high if that is
        small, low if it is near 1.

    Returns
    -------
    Series by algorithm
        Adjusted p-values in the same order, at most 1, to be compared with alpha directly.

    Raises
    ------
    DataError, SettingError
        A p-value outside [0, 1] or a repeated name; unknown method.

    Notes
    -----
    For p_(1) <= ... <= p_(m): Finner max over j <= i of 1 - (1 - p_(j))^(m/j);
    Li p_(i) / (p_(i) + 1 - p_(m)); Rom `rom_constants`, as Hochberg with larger constants.
    Equal p-values get equal adjusted ones. For every algorithm
    raw <= Rom <= Hochberg <= Holm <= Bonferroni-Dunn, and Finner and Hommel <= Holm.

    References
    ----------
    Finner, J. Am. Stat. Assoc. 88 (1993) 920; Rom, Biometrika 77 (1990) 663; Li 2008; Garcia,
    Fernandez, Luengo and Herrera, Inf. Sci. 180 (2010) 2044.

    Examples
    --------
    >>> import pandas as pd
    >>> adjust_control(pd.Series({"a": 0.01, "b": 0.04, "c": 0.8}), "finner").round(4).to_dict()
    {'a': 0.0297, 'b': 0.0594, 'c': 0.8}
    """
    check_one_of(method, CONTROL_METHODS, "method")
    family = _check_family(pvalues)
    adjusted = adjust_rows(family.to_numpy(), "bonferroni" if method == _DUNN else method)
    return pd.Series(adjusted, index=family.index, name=family.name)


def _check_family(pvalues: pd.Series) -> pd.Series:
    labelled = pd.Series(pvalues)
    family = pd.Series(check_family(labelled), labelled.index, name=labelled.name)
    if family.index.has_duplicates:
        repeated = sorted({str(name) for name in family.index[family.index.duplicated()]})
        raise DataError.of(
            "pvalues must name every algorithm once", repeated=", ".join(repeated[:5])
        )
    return family


# the correction that controls the false discovery rate instead of the family-wise error rate
FALSE_DISCOVERY = "benjamini_hochberg"
FAMILY_WISE = {key: name for key, name in CORRECTIONS.items() if key != FALSE_DISCOVERY}
# corrections that multiply the smallest of m p-values by m
STEP_DOWN = ("bergmann_hommel", "shaffer", "holm", "bonferroni", "nemenyi")
# corrections that use that a = b and b = c imply a = c
LOGICAL = ("bergmann_hommel", "shaffer")
WHY_NOT_TRANSITIVE = inference_text("reason.transitive")
LARGEST_RANKS = 100  # algorithms; the time grows with k^4 and is a second or two here


def is_transitive(source: str) -> bool:
    """Return whether a = b and b = c imply a = c for the null hypotheses behind p-values.

    Examples
    --------
    >>> is_transitive("wilcoxon"), is_transitive("sign"), is_transitive("ranks")
    (True, False, True)
    """
    method = methods.pair_method(source)
    return method is None or method.transitive


def assumes_symmetry(source: str) -> bool:
    """Return whether a test or source of p-values assumes symmetric differences."""
    method = methods.pair_method(source)
    return method is not None and method.assumes_that(Assumption.SYMMETRIC_DIFFERENCES)


def corrections_for(source: str) -> dict[str, str]:
    """Return the corrections (key to name) that apply to p-values of a test, the recommended one first.

    Examples
    --------
    >>> next(iter(corrections_for("wilcoxon"))), next(iter(corrections_for("sign")))
    ('bergmann_hommel', 'holm')
    """
    refused: set[str] = set()
    if source not in ("", "ranks"):
        refused.add("nemenyi")
    if not is_transitive(source):
        refused.update(LOGICAL)
    return {key: name for key, name in CORRECTIONS.items() if key not in refused}


def usable_correction(correction: str, k: int, *, source: str = "") -> str:
    """Return the requested correction, or its substitute if it does not apply to k algorithms or this test.

    Without a request, it is the recommended correction, or its substitute.

    Examples
    --------
    >>> usable_correction("bergmann_hommel", 42), usable_correction("nemenyi", 5)
    ('shaffer', 'holm')
    >>> usable_correction("bergmann_hommel", 42, source="ranks")
    'bergmann_hommel'
    >>> usable_correction("shaffer", 5, source="sign")
    'holm'
    """
    if not correction:
        correction = next(iter(corrections_for(source)))
    has_ranks = source == "ranks"
    if correction == "nemenyi" and not has_ranks:
        return "holm"
    if correction in LOGICAL and not is_transitive(source):
        return "holm"
    largest = LARGEST_RANKS if has_ranks else LARGEST_ANY
    if correction == "bergmann_hommel" and k > largest:
        return "shaffer"
    return correction


def adjust_by_nearest(
    pvalues: pd.DataFrame, correction: str, *, average_ranks: pd.Series | None = None
) -> pd.DataFrame:
    """Return `adjust_pairs`, with Shaffer in place of Bergmann-Hommel if that exceeds its limits.

    Whether the search ends within its steps depends on the p-values. Shaffer's adjusted p-values
    are never smaller, so the error rate is controlled although the choice depends on the data.
    `used_correction` returns the correction used.
    """
    try:
        return adjust_pairs(pvalues, correction, average_ranks=average_ranks)
    except DesignError:
        if correction != "bergmann_hommel":
            raise
    adjusted = adjust_pairs(pvalues, "shaffer")
    adjusted.attrs["correction"] = "shaffer"
    return adjusted


def used_correction(correction: str, adjusted: pd.DataFrame, *, source: str = "") -> str:
    """Return the key of the correction that `adjust_by_nearest` applied."""
    usable = usable_correction(correction, len(adjusted), source=source)
    return adjusted.attrs.get("correction", usable)


def fallback_message(
    correction: str, k: int, *, source: str = "", used: str = ""
) -> Message | None:
    """Return the message that a correction was replaced, None if it was not.

    Examples
    --------
    >>> print(fallback_message("bergmann_hommel", 42))
    The Bergmann-Hommel procedure is computed for at most 30 algorithms (here: 42). The Shaffer procedure, which is at least as conservative, is used instead.
    """
    used = used or usable_correction(correction, k, source=source)
    if used == (correction or used):
        return None
    limit = LARGEST_RANKS if source == "ranks" else LARGEST_ANY
    return _replaced("", correction, used, k=k, limit=limit)


def fallback_correction(adjusted: pd.DataFrame) -> bool:
    """Return whether `adjust_by_nearest` replaced Bergmann-Hommel by Shaffer."""
    return "correction" in adjusted.attrs


def describe_fallback(requested: str, k: int, sets: tuple[str, ...]) -> tuple[Message, ...]:
    """Return a tuple with the message that a correction was replaced, because of k or on `sets`; () without `sets`.

    Examples
    --------
    >>> [one.code for k in (42, 12) for one in describe_fallback("bergmann_hommel", k, ("iris",))]
    ['correction replaced', 'correction replaced on']
    """
    if not sets:
        return ()
    fallback = fallback_message(requested, k) or fallback_on_datasets_message(requested, sets)
    return (fallback,) if fallback else ()


def replaced_without(requested: str, left_out: tuple[str, ...]) -> Message | None:
    """Return the message on leave-one-out runs that used Shaffer instead; None if there are none.

    Examples
    --------
    >>> print(replaced_without("bergmann_hommel", ("iris", "svm")))
    In 2 runs (without iris and without svm), the Bergmann-Hommel procedure did not finish within 4,000,000 steps. The Shaffer procedure, which is at least as conservative, is used in these runs.
    """
    return None if not left_out else _replaced(" without", requested, "shaffer", left_out=left_out)


def fallback_on_datasets_message(requested: str, sets: tuple[str, ...]) -> Message | None:
    """Return the message on data sets where Shaffer replaced a correction; None if there are none.

    Examples
    --------
    >>> print(fallback_on_datasets_message("", ("iris",)))
    On 1 data set (iris), the Bergmann-Hommel procedure did not finish within 4,000,000 steps. The Shaffer procedure, which is at least as conservative, is used on this data set.
    """
    requested = requested or next(iter(CORRECTIONS))
    return _replaced(" on", requested, "shaffer", sets=sets) if sets else None


def _replaced(suffix: str, requested: str, used: str, **values: Any) -> Message:
    names = {
        "asked_name": CORRECTIONS[requested],
        "used_name": CORRECTIONS[used],
        "steps": MOST_STEPS,
    }
    return message(f"correction replaced{suffix}", asked=requested, used=used, **names, **values)


STEP_METHODS = ("bonferroni", "holm", "shaffer")


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class StepTable:
    """Critical level of each stepwise procedure for each hypothesis, smallest p-value first.

    Attributes
    ----------
    alpha : float
        Level for the whole family.
    table : DataFrame, one row per pair
        `step` from 1, the pair `first` and `second`, its `z` if known, its `p`, and under
        `bonferroni`, `holm` and `shaffer` the level that p is compared with.
    rejected : Series by procedure
        Number of hypotheses it rejects, which are the first rows.
    """

    alpha: float
    table: pd.DataFrame
    rejected: pd.Series

    def to_frame(self) -> pd.DataFrame:
        """Return the table."""
        return self.table


def step_table(
    pvalues: pd.DataFrame, alpha: float, *, statistics: pd.DataFrame | None = None
) -> StepTable:
    """Return the level that each procedure compares with each sorted p-value, and where it stops rejecting.

    `statistics`, algorithm x algorithm, is added as column z. Raises DataError if `pvalues` are not
    a symmetric table in [0, 1] or `statistics` names other algorithms, SettingError for `alpha`
    outside (0, 1).

    Notes
    -----
    The i-th smallest of m p-values is compared with alpha / m (Bonferroni, printed as "Nemenyi"
    by Garcia and Herrera), alpha / (m - i + 1) (Holm) and alpha / t_i (Shaffer,
    `shaffer_factors`). Rejections are those with adjusted p-values (`adjust_pairs`) <= alpha,
    so that equal p-values are rejected or retained together. Bergmann-Hommel uses sets of hypotheses
    instead of steps: see `exhaustive_sets`.

    References
    ----------
    Garcia and Herrera, JMLR 9 (2008), Table 3.

    Examples
    --------
    >>> import pandas as pd
    >>> p = pd.DataFrame([[1, 0.01, 0.04], [0.01, 1, 0.02], [0.04, 0.02, 1]],
    ...                  index=list("abc"), columns=list("abc"))
    >>> steps = step_table(p, 0.05)
    >>> steps.table.round(4)
       step first second     p  bonferroni    holm  shaffer
    0     1     a      b  0.01      0.0167  0.0167   0.0167
    1     2     b      c  0.02      0.0167  0.0250   0.0500
    2     3     a      c  0.04      0.0167  0.0500   0.0500
    >>> steps.rejected.to_dict()
    {'bonferroni': 1, 'holm': 3, 'shaffer': 3}
    """
    check_probability(alpha, "alpha")
    table = check_pvalues(pvalues)
    pairs = pairs_table(p=table)
    if statistics is not None:
        pairs.insert(2, "z", pairs_table(z=_line_up(statistics, table))["z"])
    levels, _ = bergmann_hommel.tie_levels(pairs["p"].to_numpy())
    pairs = pairs.iloc[np.argsort(levels, kind="stable")].reset_index(drop=True)
    m = len(pairs)
    pairs.insert(0, "step", np.arange(1, m + 1))
    pairs["bonferroni"] = alpha / max(m, 1)
    pairs["holm"] = alpha / np.arange(m, 0, -1)
    pairs["shaffer"] = alpha / shaffer_factors(len(table))
    return StepTable(alpha=alpha, table=pairs, rejected=_rejections(table, alpha))


def _rejections(table: pd.DataFrame, alpha: float) -> pd.Series:
    counts = {}
    for method in STEP_METHODS:
        adjusted = pairs_table(p=adjust_pairs(table, method))["p"]
        counts[method] = int(significant(adjusted, alpha).sum())
    return pd.Series(counts, name="rejected")


def _line_up(statistics: pd.DataFrame, table: pd.DataFrame) -> pd.DataFrame:
    z = pd.DataFrame(statistics).astype(float)
    if set(z.index) != set(table.index) or set(z.columns) != set(table.columns):
        raise DataError.of(
            "statistics must name the algorithms of pvalues",
            rows=z.shape[0],
            columns=z.shape[1],
            n_table=len(table),
        )
    return z.loc[table.index, table.columns]
