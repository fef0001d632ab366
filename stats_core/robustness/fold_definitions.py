"""Tests of two algorithms on the folds of one data set as different programs define them."""

from dataclasses import replace
from math import isclose, sqrt

import numpy as np
from scipy import stats

from stats_core.comparison.kinds.fold_pair import FoldPairComparison
from stats_core.inference.fold_tests import CORRECTED
from stats_core.inference.paired.t_tests import (
    CONSERVATIVE,
    conservative_df,
    corrected_t,
    paired_t,
)
from stats_core.robustness.paired_definitions import Definition

_PUBLISHED = "Nadeau and Bengio 2003, correctR, Weka"
_BAYCOMP = "baycomp (twice its smaller probability)"
_CROSS_VALIDATION = ("k-fold", "r x k-fold", "5x2")  # the designs that baycomp takes for granted


def fold_definitions(analysis: FoldPairComparison) -> dict[str, list[Definition]]:
    """Return the tests of two on folds by the names that programs share, definition by definition.

    Parameters
    ----------
    analysis : FoldPairComparison
        Of two algorithms whose differences vary.

    Returns
    -------
    dict of str to list of Definition
        Corrected t (where overlap is corrected), paired t, and on 5 x 2 folds its two tests.
    """
    x, y = (analysis.matrix[name].to_numpy() for name in (analysis.first, analysis.second))
    found = {}
    if analysis.test_fraction is not None:
        found["Corrected t"] = _corrected(analysis, x, y, analysis.test_fraction)
    plain = paired_t(x, y)
    found["Paired t"] = [
        Definition(
            definition=f"two-sided, {plain.df} df",
            statistic=plain.statistic,
            p=plain.pvalue,
            who="mlxtend, scipy ttest_rel, R t.test",
            used=True,
        ),
        Definition(
            definition="one-sided, the side taken from the data (half of p)",
            statistic=plain.statistic,
            p=plain.pvalue / 2,
            who="scikit-learn (example of comparing models by grid search)",
        ),
    ]
    for key, name in {"5x2 cv F": "5x2 cv F", "5x2 cv t": "5x2 cv t"}.items():
        outcome = analysis.answer(key).outcome
        if outcome is not None:
            definition = "F with 10 and 5 df" if key == "5x2 cv F" else "two-sided, 5 df"
            found[name] = [
                Definition(
                    definition=definition,
                    statistic=outcome.statistic,
                    p=outcome.pvalue,
                    who="mlxtend",
                    used=True,
                )
            ]
    return found


def _corrected(
    analysis: FoldPairComparison, x: np.ndarray, y: np.ndarray, fraction: float
) -> list[Definition]:
    n, most = len(x), conservative_df(len(x))
    published = corrected_t(x, y, test_fraction=fraction)
    used = analysis.test if analysis.test in CORRECTED else analysis.effects_test
    rows = [
        Definition(
            definition=f"two-sided, J − 1 = {published.df} df (published)",
            statistic=published.statistic,
            p=published.pvalue,
            who=_PUBLISHED,
            used=most is None or used != CONSERVATIVE,
        )
    ]
    if most is not None:
        careful = corrected_t(x, y, test_fraction=fraction, max_df=most)
        rows.insert(
            0,
            Definition(
                definition=f"two-sided, at most {most} df (conservative)",
                statistic=careful.statistic,
                p=careful.pvalue,
                used=used == CONSERVATIVE,
            ),
        )
    if analysis.design in _CROSS_VALIDATION:
        rows = _with_baycomp(rows, analysis, x, y)
    rows.append(
        Definition(
            definition="one-sided, the side taken from the data (half of the published p)",
            statistic=published.statistic,
            p=published.pvalue / 2,
            who="scikit-learn (example of comparing models by grid search)",
        )
    )
    # the standard error without its square root
    d, share = x - y, 1 / n + fraction / (1 - fraction)
    statistic = published.statistic / sqrt(share)
    assert isclose(statistic, d.mean() / (d.std(ddof=1) * share), rel_tol=1e-6)
    rows.append(
        Definition(
            definition="divided by 1/J + n_test/n_train, not by its root; one-sided",
            statistic=statistic,
            p=float(stats.t.sf(abs(statistic), n - 1)),
            who="correctipy (resampled_ttest)",
        )
    )
    return rows


def _with_baycomp(
    rows: list[Definition], analysis: FoldPairComparison, x: np.ndarray, y: np.ndarray
) -> list[Definition]:
    """Add what takes n_test / n_train for 1 / (k - 1), to the published row if that is the same."""
    folds = len(x) / analysis.matrix.index.get_level_values("repetition").nunique()
    exact = corrected_t(x, y, test_fraction=1 / folds)
    if isclose(exact.pvalue, rows[-1].p, rel_tol=1e-9):
        return [*rows[:-1], replace(rows[-1], who=f"{rows[-1].who}, {_BAYCOMP}")]
    return [
        *rows,
        Definition(
            definition=f"the same with n_test/n_train = 1/(k − 1) = 1/{folds - 1:g}",
            statistic=exact.statistic,
            p=exact.pvalue,
            who=_BAYCOMP,
        ),
    ]
