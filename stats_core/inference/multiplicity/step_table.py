"""Table of hypotheses in order of p-values, with the levels of each procedure."""

from dataclasses import dataclass

import numpy as np
import pandas as pd

from stats_core.core.errors import DataError
from stats_core.core.result_types import pairs_table
from stats_core.core.significance import significant
from stats_core.core.validation import check_probability, check_pvalues
from stats_core.inference.multiplicity.adjust import adjust_pairs
from stats_core.inference.multiplicity.shaffer import shaffer_factors, tie_levels

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
        How many hypotheses it rejects, always the first ones: it stops at the row after.
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
    """At which hypothesis does each procedure stop rejecting?

    Notes
    -----
    The i-th smallest of m p-values is compared with alpha / m (Bonferroni, printed as "Nemenyi"
    by Garcia and Herrera), alpha / (m - i + 1) (Holm) and alpha / t_i (Shaffer,
    `shaffer_factors`). Rejections are those with adjusted p-values (`adjust_pairs`) <= alpha,
    so that equal p-values share their fate. Bergmann-Hommel looks at sets of hypotheses, not
    at one after the other: see `exhaustive_sets`.

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
        raise DataError(
            [
                "`statistics` must name the algorithms of `pvalues` on both sides. "
                f"It is {z.shape[0]} x {z.shape[1]} for {len(table)} algorithms. "
                "Pass `.statistics` of the same test."
            ]
        )
    return z.loc[table.index, table.columns]
