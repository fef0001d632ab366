"""Which algorithms differ at one threshold: the multivariate tests, then risk, ties in words."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike
from scipy import stats

from stats_core.core.errors import DegenerateError, DesignError
from stats_core.core.formatting import format_count, join_names, p_phrase
from stats_core.core.result_types import labeled_matrix
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
    """How one threshold of one data set is decided.

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
        """Return the most degrees of freedom that so many results leave a test."""
        if self.test_fraction is None or self.df == "published":
            return None
        return conservative_df(n_results, measures)

    def overlap(self, values: np.ndarray) -> dict:
        """Return the options of tests of vectors, algorithm x fold x measure."""
        most = self.max_df(values.shape[1], values.shape[2])
        return {"test_fraction": self.test_fraction, "max_df": most}


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ThresholdDecision:
    """What was found at one threshold.

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


def decide_threshold(
    values: np.ndarray, risks: np.ndarray, rules: ThresholdRules
) -> ThresholdDecision:
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
    kept = values[:, ~np.isnan(values).any(axis=(0, 2))]
    left_out = values.shape[1] - kept.shape[1]
    lacking = [m for m, bad in zip(rules.measures, undefined, strict=True) if bad]
    few = _few_folds(kept.shape[1], lacking)
    if kept.shape[1] < 2:
        return replace(_all_tie(len(values), few), left_out=left_out)
    if all_within_rounding(kept - kept[0], kept):
        return replace(_all_tie(len(values), NOTHING_VARIES), left_out=left_out)
    p_all, refusal = _omnibus(kept, rules, few)
    if refusal:
        return replace(_all_tie(len(values), refusal, p_all), left_out=left_out)
    pvalues, reasons, used = _pairs(kept, rules, few)
    p_all = float(pvalues[0]) if len(values) == 2 else p_all
    by_risk = np.full(len(pvalues), np.nan)
    if rules.rule == "risk":
        most = rules.max_df(risks.shape[1], 1)
        raw = _flat(pairwise_t(risks.T, rules.test_fraction, max_df=most))
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


def sign_pvalues(wins: ArrayLike, losses: ArrayLike, n: int, *, two_sided: bool) -> np.ndarray:
    """How surprising are so many wins against so many losses, if both were equally likely?

    Examples
    --------
    >>> float(sign_pvalues([8], [2], 10, two_sided=True)[0])
    0.109375
    """
    wins, losses = np.asarray(wins), np.asarray(losses)
    ties = n - wins - losses
    most = (np.maximum(wins, losses) if two_sided else wins) + ties // 2
    tail = stats.binom.sf(most - 1, n - ties % 2, 0.5)
    return np.minimum(1.0, 2 * tail if two_sided else tail)


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


def _few_folds(kept: int, lacking: Sequence[str]) -> str:
    """Say that the folds that are left are too few."""
    defined = f" with a defined {join_names(lacking)}" if lacking else ""
    if not kept:
        return f"no fold{defined}"
    return f"{format_count(kept, 'fold')}{defined} {'is' if kept == 1 else 'are'} too few"


def _refused(error: DesignError | DegenerateError, few: str) -> str:
    if isinstance(error, DesignError):
        return few
    return "no variation from fold to fold to test against"


def _omnibus(values: np.ndarray, rules: ThresholdRules, few: str) -> tuple[float, str]:
    """Return p of the blocked MANOVA and, if pairs are not to be looked at, why."""
    if len(values) == 2:
        return np.nan, ""  # it is the Hotelling test
    try:
        p = manova(values, blocked=True, **rules.overlap(values)).pvalue
    except (DesignError, DegenerateError) as error:
        return np.nan, _refused(error, few) if rules.gate else ""
    if not rules.gate:
        return p, ""
    if np.isnan(p):
        return p, few
    return p, "" if significant(p, rules.alpha) else f"MANOVA {p_phrase(p, rules.alpha)}"


def _pairs(
    values: np.ndarray, rules: ThresholdRules, few: str
) -> tuple[np.ndarray, list[str], str]:
    """Return Hotelling's adjusted p of every pair, why a pair was not tested, and the correction."""
    rows, columns = np.triu_indices(len(values), 1)
    reasons = [""] * len(rows)
    names = [str(place) for place in range(len(values))]
    try:
        every = pairwise_hotelling(values, names, **rules.overlap(values)).pvalues
        raw = _flat(every.to_numpy())
    except (DesignError, DegenerateError):
        raw = np.full(len(rows), np.nan)
        for place, (i, j) in enumerate(zip(rows, columns, strict=True)):
            try:
                pair = hotelling_paired(values[i], values[j], **rules.overlap(values))
                raw[place] = pair.pvalue
            except (DesignError, DegenerateError) as error:
                reasons[place] = _refused(error, few)
    adjusted, used = _adjusted(raw, len(values), rules)
    return adjusted, reasons, used


def _flat(square: np.ndarray) -> np.ndarray:
    """Return the pairs of a symmetric array in the order of `pairs`."""
    return square[np.triu_indices(len(square), 1)]


def _adjusted(raw: np.ndarray, algorithms: int, rules: ThresholdRules) -> tuple[np.ndarray, str]:
    """Adjust over the pairs, and say by what; one not tested stays NaN and counts as p = 1."""
    full = np.ones((algorithms, algorithms))
    rows, columns = np.triu_indices(algorithms, 1)
    full[rows, columns] = full[columns, rows] = np.where(np.isnan(raw), 1.0, raw)
    names = [str(place) for place in range(algorithms)]
    found = adjust_by_nearest(labeled_matrix(full, names), rules.correction)
    adjusted = np.where(np.isnan(raw), np.nan, _flat(found.to_numpy()))
    return adjusted, used_correction(rules.correction, found)


def _winners(
    risks: np.ndarray,
    pvalues: np.ndarray,
    by_risk: np.ndarray,
    reasons: list[str],
    rules: ThresholdRules,
) -> tuple[np.ndarray, list[str]]:
    """Name the winner of every pair that differs, and say why the others are ties."""
    rows, columns = np.triu_indices(len(risks), 1)
    means = risks.mean(axis=1)
    winners, said = np.full(len(rows), NO_WINNER), list(reasons)
    for place, (i, j) in enumerate(zip(rows, columns, strict=True)):
        if said[place]:
            continue
        if not significant(pvalues[place], rules.alpha):
            said[place] = f"Hotelling {p_phrase(pvalues[place], rules.alpha)}"
        elif ties_mask(means[i], means[j]):
            said[place] = "they err differently at the same mean risk"
        elif rules.rule == "risk" and not significant(by_risk[place], rules.alpha):
            said[place] = _risk_unproven(risks[i] - risks[j], risks, by_risk[place], rules.alpha)
        else:
            winners[place] = i if means[i] < means[j] else j
    return winners, said


def _risk_unproven(differences: np.ndarray, risks: np.ndarray, p: float, alpha: float) -> str:
    if all_within_rounding(differences - differences.mean(), risks):
        return "their risks differ by the same amount in every fold: no variation to test against"
    return f"they err differently, but no difference of risk is shown: {p_phrase(p, alpha)}"
