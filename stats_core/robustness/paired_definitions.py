"""Alternative definitions of paired tests in other programs."""

from dataclasses import dataclass, replace
from math import isclose, sqrt
from typing import Any

import numpy as np
import pandas as pd
from scipy import stats

from stats_core.comparison.kinds.fold_pair import FoldPairComparison
from stats_core.core.validation import tie_groups, ties_mask
from stats_core.inference.fold_tests import CORRECTED
from stats_core.inference.paired import sign_test, wilcoxon
from stats_core.inference.paired.t_tests import CONSERVATIVE, conservative_df, corrected_t, paired_t


@dataclass(frozen=True, slots=True, kw_only=True)
class Definition:
    """One definition of a test, with its result.

    Attributes
    ----------
    definition : str
        Formula in words.
    statistic, p : float
        NaN where the definition has none.
    who : str
        Programs and papers that print this number, "" if none that was read does.
    used : bool
        Whether Foldwise prints this one under that name.
    level : float or None
        What p is compared with, if not alpha.
    rejects : bool or None
        The decision where it is not made by p.
    """

    definition: str
    statistic: float
    p: float
    who: str = ""
    used: bool = False
    level: float | None = None
    rejects: bool | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class SignedRanks:
    """Signed ranks of differences over data sets, without floating point noise.

    Attributes
    ----------
    values : array
        Sign times place of the size among the sizes, 0 where the two tie. Wilcoxon's test sees
        nothing else of the differences.
    ties, zeros : bool
        Whether two sizes are equal, and whether the two algorithms tie somewhere.
    """

    values: np.ndarray
    ties: bool
    zeros: bool

    @property
    def plain(self) -> bool:
        """Whether there are neither ties nor zeros."""
        return not (self.ties or self.zeros)

    @property
    def scipy_is_exact(self) -> bool:
        """Whether scipy uses an exact distribution by default."""
        n = len(self.values)
        return n <= 13 or (n <= 50 and self.plain)

    @property
    def r_is_exact(self) -> bool:
        """Whether R's wilcox.test uses the exact distribution by default."""
        return self.plain and len(self.values) < 50


def signed_ranks(x: pd.Series, y: pd.Series) -> SignedRanks:
    """Return the signed ranks of the differences of two columns.

    Examples
    --------
    >>> import pandas as pd
    >>> found = signed_ranks(pd.Series([0.3, 0.5, 0.7]), pd.Series([0.2, 0.4, 0.7]))
    >>> found.values.tolist(), found.ties
    ([1.0, 1.0, 0.0], True)
    """
    x, y = np.asarray(x, dtype=float), np.asarray(y, dtype=float)
    differences = np.where(ties_mask(x, y), 0.0, x - y)
    nonzero = differences != 0
    sizes = np.abs(differences[nonzero])
    largest = max(float(np.abs(x).max()), float(np.abs(y).max()))
    ranks = tie_groups(sizes[None, :], np.array([largest]))[0] + 1
    values = np.zeros(len(x))
    values[nonzero] = np.sign(differences[nonzero]) * ranks
    return SignedRanks(
        values=values, ties=len(np.unique(ranks)) < len(ranks), zeros=not nonzero.all()
    )


def wilcoxon_definitions(x: pd.Series, y: pd.Series, *, only_two: bool) -> list[Definition]:
    """Return the definitions of the two-sided Wilcoxon test."""
    used = wilcoxon(x, y)
    ranks = signed_ranks(x, y)
    if not ranks.values.any():
        return [Definition(definition="all tie", statistic=0.0, p=1.0, used=True)]
    rows = _exact(x, y, ranks) if used.method.exact else []
    rows += _normal(ranks, used=not rows)
    rows += _demsar(x, y)
    if only_two:
        rows.append(_data_chosen_side(ranks))
    return rows


def _exact(x: pd.Series, y: pd.Series, ranks: SignedRanks) -> list[Definition]:
    pratt, dropped, split = (wilcoxon(x, y, zeros=zeros) for zeros in ("pratt", "wilcox", "split"))
    plain_programs = ["critdd"] if ranks.plain else []
    programs = ["coin and exactRankTests in R"]
    programs += ["scipy (default)"] if ranks.scipy_is_exact else []
    programs += ["R wilcox.test (default)"] if ranks.r_is_exact else []
    rows = [
        Definition(
            definition="exact, zeros by Pratt",
            statistic=pratt.statistic,
            p=pratt.pvalue,
            who=", ".join(["coin in R (Pratt)", *plain_programs]),
            used=True,
        ),
        Definition(
            definition="exact, zeros dropped",
            statistic=dropped.statistic,
            p=dropped.pvalue,
            who=", ".join(programs),
        ),
        Definition(
            definition="exact, zeros split, an odd one dropped",
            statistic=split.statistic,
            p=split.pvalue,
        ),
    ]
    if not ranks.plain:
        untied = _scipy(ranks, zero_method="wilcox", method="exact")
        rows.append(
            Definition(
                definition="exact for ranks without ties, though there are some; zeros dropped",
                statistic=dropped.statistic,
                p=float(untied.pvalue),
                who='scipy (method="exact")',
            )
        )
    return rows


def _normal(ranks: SignedRanks, *, used: bool) -> list[Definition]:
    forms = {
        "normal, zeros by Pratt": (
            _scipy(ranks, zero_method="pratt"),
            'scipy (zero_method="pratt"), coin in R (Pratt, asymptotic)',
        ),
        "normal, zeros dropped": (
            _scipy(ranks, zero_method="wilcox"),
            _joined("scipy", "" if ranks.scipy_is_exact else "(default)", sep=" ")
            + ", R wilcox.test (exact = FALSE, correct = FALSE)"
            + ("" if ranks.zeros or ranks.ties else ", StaTDS"),
        ),
        "normal with continuity correction, zeros dropped": (
            _scipy(ranks, zero_method="wilcox", correction=True),
            _joined("R wilcox.test", "" if ranks.r_is_exact else "(default)", sep=" "),
        ),
    }
    return [
        Definition(
            definition=name,
            statistic=float(outcome.statistic),
            p=float(outcome.pvalue),
            who=printed_by,
            used=used and name == "normal, zeros by Pratt",
        )
        for name, (outcome, printed_by) in forms.items()
    ]


def _demsar(x: pd.Series, y: pd.Series) -> list[Definition]:
    """Return Demsar's z (zeros split evenly, no tie correction), two-sided and lower tail."""
    pratt = wilcoxon(x, y)
    n, shared = pratt.n, pratt.n_zero * (pratt.n_zero + 1) / 4
    statistic = pratt.statistic + shared
    z = (statistic - n * (n + 1) / 4) / np.sqrt(n * (n + 1) * (2 * n + 1) / 24)
    tail = float(stats.norm.cdf(z))
    return [
        Definition(
            definition="normal, zeros split, not corrected for ties",
            statistic=statistic,
            p=min(1.0, 2 * tail),
            who="Demsar 2006",
        ),
        Definition(
            definition="the same, lower tail only (half of p)",
            statistic=statistic,
            p=tail,
            who="scmamp",
        ),
    ]


def _data_chosen_side(ranks: SignedRanks) -> Definition:
    """Return the one-sided test in the direction of the data."""
    tails = [scipy_default(ranks, side) for side in ("greater", "less")]
    return Definition(
        definition="one-sided, the side taken from the data",
        statistic=float(_scipy(ranks, zero_method="wilcox").statistic),
        p=min(tails),
        who="autorank (two algorithms)",
    )


def scipy_default(ranks: SignedRanks, alternative: str = "two-sided") -> float:
    """Return the p-value of scipy's Wilcoxon test with default options (zeros dropped)."""
    if not ranks.values.any():
        return 1.0
    return float(_scipy(ranks, method="auto", alternative=alternative).pvalue)


def _scipy(
    ranks: SignedRanks, *, correction: bool = False, method: str = "asymptotic", **options: Any
) -> Any:
    return stats.wilcoxon(ranks.values, correction=correction, method=method, **options)


def _joined(*parts: str, sep: str) -> str:
    return sep.join(part for part in parts if part)


def sign_definitions(x: pd.Series, y: pd.Series) -> list[Definition]:
    """Return the definitions of the two-sided sign test; the statistic is wins of x."""
    used = sign_test(x, y)
    wins, losses = used.wins, used.losses
    dropped = stats.binomtest(wins, wins + losses).pvalue if wins + losses else 1.0
    rows = [
        Definition(
            definition="ties split, an odd one dropped",
            statistic=used.statistic,
            p=used.pvalue,
            who="Demsar 2006",
            used=True,
        ),
        Definition(
            definition="ties dropped",
            statistic=float(wins),
            p=float(dropped),
            who="R binom.test, scipy binomtest",
        ),
    ]
    if not used.ties:
        tail = 2 * float(stats.binom.sf(max(wins, losses), wins + losses, 0.5))
        rows.append(
            Definition(
                definition="tail without the count itself (too small)",
                statistic=float(wins),
                p=min(1.0, tail),
                who="STAC",
            )
        )
    return rows


_PUBLISHED = "Nadeau and Bengio 2003, correctR, Weka"
_BAYCOMP = "baycomp (twice its smaller probability)"
_CROSS_VALIDATION = ("k-fold", "r x k-fold", "5x2")  # designs that baycomp assumes


def fold_definitions(analysis: FoldPairComparison) -> dict[str, list[Definition]]:
    """Return the definitions of paired tests on folds by shared names."""
    x, y = (analysis.matrix[name].to_numpy() for name in (analysis.first, analysis.second))
    definitions = {}
    if analysis.test_fraction is not None:
        definitions["Corrected t"] = _corrected(analysis, x, y, analysis.test_fraction)
    uncorrected = paired_t(x, y)
    definitions["Paired t"] = [
        Definition(
            definition=f"two-sided, {uncorrected.df} df",
            statistic=uncorrected.statistic,
            p=uncorrected.pvalue,
            who="mlxtend, scipy ttest_rel, R t.test",
            used=True,
        ),
        Definition(
            definition="one-sided, the side taken from the data (half of p)",
            statistic=uncorrected.statistic,
            p=uncorrected.pvalue / 2,
            who="scikit-learn (example of comparing models by grid search)",
        ),
    ]
    for key, name in {"5x2 cv F": "5x2 cv F", "5x2 cv t": "5x2 cv t"}.items():
        outcome = analysis.answer(key).outcome
        if outcome is not None:
            definition = "F with 10 and 5 df" if key == "5x2 cv F" else "two-sided, 5 df"
            definitions[name] = [
                Definition(
                    definition=definition,
                    statistic=outcome.statistic,
                    p=outcome.pvalue,
                    who="mlxtend",
                    used=True,
                )
            ]
    return definitions


def _corrected(
    analysis: FoldPairComparison, x: np.ndarray, y: np.ndarray, fraction: float
) -> list[Definition]:
    n, df_bound = len(x), conservative_df(len(x))
    published = corrected_t(x, y, test_fraction=fraction)
    used = analysis.test if analysis.test in CORRECTED else analysis.effects_test
    rows = [
        Definition(
            definition=f"two-sided, J − 1 = {published.df} df (published)",
            statistic=published.statistic,
            p=published.pvalue,
            who=_PUBLISHED,
            used=df_bound is None or used != CONSERVATIVE,
        )
    ]
    if df_bound is not None:
        conservative = corrected_t(x, y, test_fraction=fraction, max_df=df_bound)
        rows.insert(
            0,
            Definition(
                definition=f"two-sided, at most {df_bound} df (conservative)",
                statistic=conservative.statistic,
                p=conservative.pvalue,
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
    # correctipy divides by the variance factor instead of its square root
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
    """Add baycomp's definition with n_test / n_train = 1 / (k - 1), or merge it if equal."""
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
