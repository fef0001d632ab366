"""Tests of all pairs of algorithms at one threshold: multivariate tests, then risk."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from stats_core.core.errors import DegenerateError, DesignError
from stats_core.core.formatting import format_count, join_names, p_phrase
from stats_core.core.result_types import labeled_matrix, square_matrix
from stats_core.core.significance import significant
from stats_core.core.validation import all_within_rounding, ties_mask
from stats_core.data.settings import Df
from stats_core.inference.multiplicity.corrections import adjust_by_nearest, used_correction
from stats_core.inference.multivariate.hotelling import hotelling_paired, pairwise_hotelling
from stats_core.inference.multivariate.manova import manova
from stats_core.inference.paired import conservative_df
from stats_core.inference.pairwise import pairwise_t

NO_WINNER = -1
NOTHING_VARIES = "nothing varies"


@dataclass(frozen=True, slots=True, kw_only=True)
class ThresholdRules:
    """Rules by which winners at one threshold of one data set are decided.

    Attributes
    ----------
    measures, alpha, rule, test_fraction
        As for `sweep`.
    correction : str
        Over the pairs, of the Hotelling tests and of the t tests of risk.
    gate : bool
        Whether pairs are looked at only where MANOVA rejects.
    df : {"conservative", "published"}
        As in `Settings`.
    """

    measures: tuple[str, ...]
    alpha: float
    rule: str
    test_fraction: float | None
    correction: str = "bonferroni"
    gate: bool = True
    df: Df = "conservative"

    def max_df(self, n_results: int, measures: int) -> int | None:
        """Return the limit of the degrees of freedom of a test, None if there is none."""
        if self.test_fraction is None or self.df == "published":
            return None
        return conservative_df(n_results, measures)

    def overlap(self, values: np.ndarray) -> dict:
        """Return the overlap options of multivariate tests of these values."""
        max_df = self.max_df(values.shape[1], values.shape[2])
        return {"test_fraction": self.test_fraction, "max_df": max_df}


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ThresholdDecision:
    """Decisions about all pairs at one threshold.

    Attributes
    ----------
    winners : array of int, one per pair
        Place of the winner among the algorithms, `NO_WINNER` for a tie.
    pvalues : array, one per pair
        Hotelling, adjusted; NaN where not tested.
    risk_pvalues : array, one per pair
        t test of risk, adjusted; NaN where it does not decide.
    manova : float
        p of the test of all algorithms; NaN where there is none.
    reasons : list of str, one per pair
        Why it is a tie, "" if it is none.
    left_out : int
        Folds on which a measure is undefined for some algorithm.
    correction : str
        The one really used over the pairs, "" where nothing was adjusted.
    """

    winners: np.ndarray
    pvalues: np.ndarray
    risk_pvalues: np.ndarray
    manova: float
    reasons: list[str]
    left_out: int
    correction: str = ""


def decide_threshold(values: np.ndarray, risks: np.ndarray, rules: ThresholdRules) -> ThresholdDecision:
    """Who beats whom at one threshold?

    Examples
    --------
    >>> import numpy as np
    >>> same = np.ones((3, 10, 2))
    >>> rules = ThresholdRules(measures=("tpr", "fpr"), alpha=0.05, rule="risk", test_fraction=None)
    >>> decide_threshold(same, same[:, :, 0], rules).reasons[0]
    'nothing varies'
    """
    undefined = np.isnan(values).any(axis=(0, 1))
    defined = values[:, ~np.isnan(values).any(axis=(0, 2))]
    left_out = values.shape[1] - defined.shape[1]
    undefined_measures = [m for m, bad in zip(rules.measures, undefined, strict=True) if bad]
    few_folds = _few_folds(defined.shape[1], undefined_measures)
    if defined.shape[1] < 2:
        return replace(_all_tie(len(values), few_folds), left_out=left_out)
    if all_within_rounding(defined - defined[0], defined):
        return replace(_all_tie(len(values), NOTHING_VARIES), left_out=left_out)
    p_all, refusal = _omnibus(defined, rules, few_folds)
    if refusal:
        return replace(_all_tie(len(values), refusal, p_all), left_out=left_out)
    pvalues, reasons, used = _pairs(defined, rules, few_folds)
    p_all = float(pvalues[0]) if len(values) == 2 else p_all
    by_risk = np.full(len(pvalues), np.nan)
    if rules.rule == "risk":
        max_df = rules.max_df(risks.shape[1], 1)
        raw = _flat(pairwise_t(risks.T, rules.test_fraction, max_df=max_df))
        by_risk, used_by_risk = _adjusted(raw, len(values), rules)
        used = used if used != rules.correction else used_by_risk
    winners, reasons = _winners(risks, pvalues, by_risk, reasons, rules)
    return ThresholdDecision(
        winners=winners,
        pvalues=pvalues,
        risk_pvalues=by_risk,
        manova=p_all,
        reasons=reasons,
        left_out=left_out,
        correction=used,
    )


def _all_tie(algorithms: int, reason: str, p_all: float = np.nan) -> ThresholdDecision:
    pairs = algorithms * (algorithms - 1) // 2
    return ThresholdDecision(
        winners=np.full(pairs, NO_WINNER),
        pvalues=np.full(pairs, np.nan),
        risk_pvalues=np.full(pairs, np.nan),
        manova=p_all,
        reasons=[reason] * pairs,
        left_out=0,
    )


def _few_folds(n_folds: int, lacking: Sequence[str]) -> str:
    """Return the reason that too few folds remain."""
    defined = f" with a defined {join_names(lacking)}" if lacking else ""
    if not n_folds:
        return f"no fold{defined}"
    return f"{format_count(n_folds, 'fold')}{defined} {'is' if n_folds == 1 else 'are'} too few"


def _refused(error: DesignError | DegenerateError, few_folds: str) -> str:
    if isinstance(error, DesignError):
        return few_folds
    return "no variation from fold to fold to test against"


def _omnibus(values: np.ndarray, rules: ThresholdRules, few_folds: str) -> tuple[float, str]:
    """Return p of the blocked MANOVA and the reason not to test pairs, "" if they are tested."""
    if len(values) == 2:
        return np.nan, ""  # it is the Hotelling test
    try:
        p = manova(values, blocked=True, **rules.overlap(values)).pvalue
    except (DesignError, DegenerateError) as error:
        return np.nan, _refused(error, few_folds) if rules.gate else ""
    if not rules.gate:
        return p, ""
    if np.isnan(p):
        return p, few_folds
    return p, "" if significant(p, rules.alpha) else f"MANOVA {p_phrase(p, rules.alpha)}"


def _pairs(values: np.ndarray, rules: ThresholdRules, few_folds: str) -> tuple[np.ndarray, list[str], str]:
    """Return Hotelling's adjusted p-values, the reasons for untested pairs, and the correction."""
    rows, columns = np.triu_indices(len(values), 1)
    reasons = [""] * len(rows)
    names = [str(index) for index in range(len(values))]
    try:
        table = pairwise_hotelling(values, names, **rules.overlap(values)).pvalues
        raw = _flat(table.to_numpy())
    except (DesignError, DegenerateError):
        raw = np.full(len(rows), np.nan)
        for index, (i, j) in enumerate(zip(rows, columns, strict=True)):
            try:
                pair = hotelling_paired(values[i], values[j], **rules.overlap(values))
                raw[index] = pair.pvalue
            except (DesignError, DegenerateError) as error:
                reasons[index] = _refused(error, few_folds)
    adjusted, used = _adjusted(raw, len(values), rules)
    return adjusted, reasons, used


def _flat(square: np.ndarray) -> np.ndarray:
    """Return the pairs of a symmetric array in the order of `pairs`."""
    return square[np.triu_indices(len(square), 1)]


def _adjusted(raw: np.ndarray, algorithms: int, rules: ThresholdRules) -> tuple[np.ndarray, str]:
    """Return adjusted p-values and the correction; an untested pair is NaN and counts as p = 1."""
    square = square_matrix(algorithms, np.where(np.isnan(raw), 1.0, raw), diagonal=1.0)
    adjusted_table = adjust_by_nearest(labeled_matrix(square, map(str, range(algorithms))), rules.correction)
    adjusted = np.where(np.isnan(raw), np.nan, _flat(adjusted_table.to_numpy()))
    return adjusted, used_correction(rules.correction, adjusted_table)


def _winners(
    risks: np.ndarray, pvalues: np.ndarray, by_risk: np.ndarray, reasons: list[str], rules: ThresholdRules
) -> tuple[np.ndarray, list[str]]:
    """Return the winner of every pair, and the reason for each tie."""
    rows, columns = np.triu_indices(len(risks), 1)
    means = risks.mean(axis=1)
    winners, messages = np.full(len(rows), NO_WINNER), list(reasons)
    for index, (i, j) in enumerate(zip(rows, columns, strict=True)):
        if messages[index]:
            continue
        if not significant(pvalues[index], rules.alpha):
            messages[index] = f"Hotelling {p_phrase(pvalues[index], rules.alpha)}"
        elif ties_mask(means[i], means[j]):
            messages[index] = "they err differently at the same mean risk"
        elif rules.rule == "risk" and not significant(by_risk[index], rules.alpha):
            messages[index] = _risk_unproven(risks[i] - risks[j], risks, by_risk[index], rules.alpha)
        else:
            winners[index] = i if means[i] < means[j] else j
    return winners, messages


def _risk_unproven(differences: np.ndarray, risks: np.ndarray, p: float, alpha: float) -> str:
    if all_within_rounding(differences - differences.mean(), risks):
        return "their risks differ by the same amount in every fold: no variation to test against"
    return f"they err differently, but no difference of risk is shown: {p_phrase(p, alpha)}"
