"""Corrections for multiple comparisons by name, and their steps as a table."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from stats_core.core.errors import DataError, DesignError
from stats_core.core.messages import Message, message
from stats_core.core.result_types import pairs_table
from stats_core.core.validation import check_probability, check_pvalues, significant
from stats_core.inference.multiplicity.adjust import adjust_pairs, shaffer_factors
from stats_core.inference.multiplicity.bergmann_hommel import LARGEST_ANY, MOST_STEPS, tie_levels

# correction -> name shown, recommended one first
CORRECTIONS = {
    "bergmann_hommel": "Bergmann-Hommel",
    "shaffer": "Shaffer",
    "holm": "Holm",
    "hommel": "Hommel",
    "hochberg": "Hochberg",
    "bonferroni": "Bonferroni",
    "nemenyi": "Nemenyi",
    "none": "none",
}
# the same for comparisons with a control
CONTROL_CORRECTIONS = {
    "holm": "Holm",
    "finner": "Finner",
    "hochberg": "Hochberg",
    "hommel": "Hommel",
    "rom": "Rom",
    "li": "Li",
    "bonferroni_dunn": "Bonferroni-Dunn",
    "none": "none",
}
# corrections that multiply the smallest of m p-values by m
STEP_DOWN = ("bergmann_hommel", "shaffer", "holm", "bonferroni", "nemenyi")
# corrections that use that a = b and b = c imply a = c
LOGICAL = ("bergmann_hommel", "shaffer")
# tests of pairs, over data sets and on folds, whose null hypothesis is not transitive
NOT_TRANSITIVE = ("sign", "sign test")
# tests of pairs whose null hypothesis is transitive if differences are symmetric
SYMMETRIC = ("wilcoxon", "Wilcoxon", "sign flips")
WHY_NOT_TRANSITIVE = (
    "assumes that a = b and b = c imply a = c. This does not hold for the sign test, where a = b "
    "means that each is better as often as the other"
)
LARGEST_RANKS = 100  # algorithms; the time grows with k^4 and is a second or two here


def corrections_for(source: str) -> dict[str, str]:
    """Return the corrections that p-values of a test allow, by name, the recommended one first.

    Examples
    --------
    >>> next(iter(corrections_for("wilcoxon"))), next(iter(corrections_for("sign")))
    ('bergmann_hommel', 'holm')
    """
    refused = {"nemenyi"} if source not in ("", "ranks") else set()
    refused |= set(LOGICAL) if source in NOT_TRANSITIVE else set()
    return {key: name for key, name in CORRECTIONS.items() if key not in refused}


def usable_correction(correction: str, k: int, *, source: str = "") -> str:
    """Return the correction, or the nearest one that k algorithms and their p-values allow.

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
    ranks = source == "ranks"
    if (correction == "nemenyi" and not ranks) or (correction in LOGICAL and source in NOT_TRANSITIVE):
        return "holm"
    if correction == "bergmann_hommel" and k > (LARGEST_RANKS if ranks else LARGEST_ANY):
        return "shaffer"
    return correction


def adjust_by_nearest(
    pvalues: pd.DataFrame, correction: str, *, average_ranks: pd.Series | None = None
) -> pd.DataFrame:
    """Adjust all pairs as `adjust_pairs`, by Shaffer where Bergmann-Hommel cannot be finished.

    Whether it can be finished depends on the p-values. Shaffer's adjusted p-values are never smaller,
    so the error rate is controlled although the choice depends on the data. `used_correction` returns
    the correction used.
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
    """Return the key of the correction behind the p-values of `adjust_by_nearest`."""
    usable = usable_correction(correction, len(adjusted), source=source)
    return adjusted.attrs.get("correction", usable)


def fallback_message(correction: str, k: int, *, source: str = "", used: str = "") -> Message | None:
    """Return the message that another correction replaces the requested one, None if none does.

    Examples
    --------
    >>> print(fallback_message("bergmann_hommel", 42))
    Bergmann-Hommel is computed for at most 30 algorithms here (k = 42). Shaffer, which is at least as conservative, is used instead.
    """
    used = used or usable_correction(correction, k, source=source)
    if used == (correction or used):
        return None
    limit = LARGEST_RANKS if source == "ranks" else LARGEST_ANY
    return _replaced("", correction, used, k=k, limit=limit)


def fallback_correction(adjusted: pd.DataFrame) -> bool:
    """Return whether Shaffer replaces Bergmann-Hommel in p-values of `adjust_by_nearest`."""
    return "correction" in adjusted.attrs


def describe_fallback(requested: str, k: int, sets: tuple[str, ...]) -> tuple[Message, ...]:
    """Return the messages on data sets where Shaffer replaces Bergmann-Hommel, with the reason.

    Examples
    --------
    >>> [one.code for k in (42, 12) for one in describe_fallback("bergmann_hommel", k, ("iris",))]
    ['correction replaced', 'correction replaced on']
    """
    fallback = fallback_message(requested, k) or fallback_on_datasets_message(requested, sets) if sets else None
    return (fallback,) if fallback else ()


def replaced_without(requested: str, left_out: tuple[str, ...]) -> Message | None:
    """Return the message on leave-one-out runs in which Shaffer is used; None if there are none.

    Examples
    --------
    >>> print(replaced_without("bergmann_hommel", ("iris", "svm")))
    Bergmann-Hommel was not finished in 4,000,000 steps in 2 runs (without iris and without svm). Shaffer, which is at least as conservative, is used there.
    """
    if not left_out:
        return None
    return _replaced(" without", requested, "shaffer", left_out=left_out)


def fallback_on_datasets_message(requested: str, sets: tuple[str, ...]) -> Message | None:
    """Return the message on data sets where Shaffer replaces another correction; None if none.

    Examples
    --------
    >>> print(fallback_on_datasets_message("", ("iris",)))
    Bergmann-Hommel was not finished in 4,000,000 steps on 1 data set (iris). Shaffer, which is at least as conservative, is used there.
    """
    requested = requested or next(iter(CORRECTIONS))
    return _replaced(" on", requested, "shaffer", sets=sets) if sets else None


def _replaced(suffix: str, requested: str, used: str, **values: Any) -> Message:
    names = {"asked_name": CORRECTIONS[requested], "used_name": CORRECTIONS[used], "steps": MOST_STEPS}
    return message(f"correction replaced{suffix}", asked=requested, used=used, **names, **values)


STEP_METHODS = ("bonferroni", "holm", "shaffer")


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class StepTable:
    """Levels of each procedure for each hypothesis, smallest p-value first.

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


def step_table(pvalues: pd.DataFrame, alpha: float, *, statistics: pd.DataFrame | None = None) -> StepTable:
    """Return the level each procedure compares with each p-value, and where it stops rejecting.

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
    order = np.argsort(tie_levels(pairs["p"].to_numpy())[0], kind="stable")
    pairs = pairs.iloc[order].reset_index(drop=True)
    m = len(pairs)
    pairs.insert(0, "step", np.arange(1, m + 1))
    pairs["bonferroni"] = alpha / max(m, 1)
    pairs["holm"] = alpha / np.arange(m, 0, -1)
    pairs["shaffer"] = alpha / shaffer_factors(len(table))
    return StepTable(alpha=alpha, table=pairs, rejected=_rejections(table, alpha))


def _rejections(table: pd.DataFrame, alpha: float) -> pd.Series:
    counts = {
        method: int(significant(pairs_table(p=adjust_pairs(table, method))["p"], alpha).sum())
        for method in STEP_METHODS
    }
    return pd.Series(counts, name="rejected")


def _line_up(statistics: pd.DataFrame, table: pd.DataFrame) -> pd.DataFrame:
    z = pd.DataFrame(statistics).astype(float)
    if set(z.index) != set(table.index) or set(z.columns) != set(table.columns):
        raise DataError.of(
            "statistics must name the algorithms of pvalues", rows=z.shape[0], columns=z.shape[1], n_table=len(table)
        )
    return z.loc[table.index, table.columns]
