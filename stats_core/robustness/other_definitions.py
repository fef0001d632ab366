"""Definitions of tests under the same name, as other programs print them."""

from dataclasses import dataclass, replace
from functools import singledispatch
from math import inf, isclose, log, sqrt
from typing import Any

import numpy as np
import pandas as pd
from scipy import stats

from stats_core.comparison.kinds.control_and_pairs import TwoComparison
from stats_core.comparison.kinds.datasets import RanksComparison
from stats_core.comparison.kinds.fold_pair import FoldPairComparison
from stats_core.comparison.result import Comparison
from stats_core.core.errors import DesignError, SettingError
from stats_core.core.formatting import join_names
from stats_core.core.result_types import PairwiseResult
from stats_core.core.significance import significant
from stats_core.core.validation import tie_groups, ties_mask
from stats_core.data.settings import SOURCES
from stats_core.inference.fold_tests import CORRECTED
from stats_core.inference.multiplicity.adjust import adjust_pairs
from stats_core.inference.multiplicity.corrections import usable_correction
from stats_core.inference.paired import sign_test, wilcoxon
from stats_core.inference.paired.t_tests import CONSERVATIVE, conservative_df, corrected_t, paired_t
from stats_core.inference.pairwise import pairwise
from stats_core.inference.ranks import RankTestResult, critical_difference, post_hoc_z
from stats_core.robustness.leave_one_out import check_all_or_two


@dataclass(frozen=True, slots=True)
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

    @classmethod
    def by(cls, definition: str, outcome: Any, who: str = "", *, used: bool = False) -> "Definition":
        """Return the definition with the statistic and p-value of a test."""
        return cls(definition, float(outcome.statistic), float(outcome.pvalue), who, used)


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
    return SignedRanks(values=values, ties=len(np.unique(ranks)) < len(ranks), zeros=not nonzero.all())


def wilcoxon_definitions(x: pd.Series, y: pd.Series, *, only_two: bool) -> list[Definition]:
    """Return the definitions of the two-sided Wilcoxon test."""
    used = wilcoxon(x, y)
    ranks = signed_ranks(x, y)
    if not ranks.values.any():
        return [Definition("all tie", 0.0, 1.0, used=True)]
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
        Definition.by("exact, zeros by Pratt", pratt, ", ".join(["coin in R (Pratt)", *plain_programs]), used=True),
        Definition.by("exact, zeros dropped", dropped, ", ".join(programs)),
        Definition.by("exact, zeros split, an odd one dropped", split),
    ]
    if not ranks.plain:
        untied = _scipy(ranks, zero_method="wilcox", method="exact")
        rows.append(
            Definition(
                "exact distribution for ranks without ties (although there are ties), zeros dropped",
                dropped.statistic,
                float(untied.pvalue),
                'scipy (method="exact")',
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
        Definition.by(name, outcome, printed_by, used=used and name == "normal, zeros by Pratt")
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
        Definition("normal, zeros split, not corrected for ties", statistic, min(1.0, 2 * tail), "Demsar 2006"),
        Definition("the same, lower tail only (half of p)", statistic, tail, "scmamp"),
    ]


def _data_chosen_side(ranks: SignedRanks) -> Definition:
    """Return the one-sided test in the direction of the data."""
    tails = [_scipy_default(ranks, side) for side in ("greater", "less")]
    return Definition(
        "one-sided, the side taken from the data",
        float(_scipy(ranks, zero_method="wilcox").statistic),
        min(tails),
        "autorank (two algorithms)",
    )


def _scipy_default(ranks: SignedRanks, alternative: str = "two-sided") -> float:
    """Return the p-value of scipy's Wilcoxon test with default options (zeros dropped)."""
    if not ranks.values.any():
        return 1.0
    return float(_scipy(ranks, method="auto", alternative=alternative).pvalue)


def _scipy(ranks: SignedRanks, *, correction: bool = False, method: str = "asymptotic", **options: Any) -> Any:
    return stats.wilcoxon(ranks.values, correction=correction, method=method, **options)


def _joined(*parts: str, sep: str) -> str:
    return sep.join(part for part in parts if part)


def _sign_definitions(x: pd.Series, y: pd.Series) -> list[Definition]:
    """Return the definitions of the two-sided sign test; the statistic is wins of x."""
    used = sign_test(x, y)
    wins, losses = used.wins, used.losses
    dropped = stats.binomtest(wins, wins + losses).pvalue if wins + losses else 1.0
    rows = [
        Definition.by("ties split, an odd one dropped", used, "Demsar 2006", used=True),
        Definition("ties dropped", float(wins), float(dropped), "R binom.test, scipy binomtest"),
    ]
    if not used.ties:
        tail = 2 * float(stats.binom.sf(max(wins, losses), wins + losses, 0.5))
        rows.append(Definition("tail without the count itself (too small)", float(wins), min(1.0, tail), "STAC"))
    return rows


_PUBLISHED = "Nadeau and Bengio 2003, correctR, Weka"
_BAYCOMP = "baycomp (twice its smaller probability)"
_CROSS_VALIDATION = ("k-fold", "r x k-fold", "5x2")  # designs that baycomp assumes


def _fold_definitions(analysis: FoldPairComparison) -> dict[str, list[Definition]]:
    """Return the definitions of paired tests on folds by shared names."""
    x, y = (analysis.matrix[name].to_numpy() for name in (analysis.first, analysis.second))
    definitions = {}
    if analysis.test_fraction is not None:
        definitions["Corrected t"] = _corrected(analysis, x, y, analysis.test_fraction)
    uncorrected = paired_t(x, y)
    definitions["Paired t"] = [
        Definition.by(f"two-sided, {uncorrected.df} df", uncorrected, "mlxtend, scipy ttest_rel, R t.test", used=True),
        Definition(
            "one-sided, the side taken from the data (half of p)",
            uncorrected.statistic,
            uncorrected.pvalue / 2,
            "scikit-learn (example of comparing models by grid search)",
        ),
    ]
    for key, name in {"5x2 cv F": "5x2 cv F", "5x2 cv t": "5x2 cv t"}.items():
        outcome = analysis.answer(key).outcome
        if outcome is not None:
            definition = "F with 10 and 5 df" if key == "5x2 cv F" else "two-sided, 5 df"
            definitions[name] = [Definition.by(definition, outcome, "mlxtend", used=True)]
    return definitions


def _corrected(analysis: FoldPairComparison, x: np.ndarray, y: np.ndarray, fraction: float) -> list[Definition]:
    n, df_bound = len(x), conservative_df(len(x))
    published = corrected_t(x, y, test_fraction=fraction)
    used = analysis.test if analysis.test in CORRECTED else analysis.effects_test
    rows = [
        Definition.by(
            f"two-sided, J − 1 = {published.df} df (published)",
            published,
            _PUBLISHED,
            used=df_bound is None or used != CONSERVATIVE,
        )
    ]
    if df_bound is not None:
        conservative = corrected_t(x, y, test_fraction=fraction, max_df=df_bound)
        rows.insert(
            0,
            Definition.by(f"two-sided, at most {df_bound} df (conservative)", conservative, used=used == CONSERVATIVE),
        )
    if analysis.design in _CROSS_VALIDATION:
        rows = _with_baycomp(rows, analysis, x, y)
    rows.append(
        Definition(
            "one-sided, the side taken from the data (half of the published p)",
            published.statistic,
            published.pvalue / 2,
            "scikit-learn (example of comparing models by grid search)",
        )
    )
    # correctipy divides by the variance factor instead of its square root
    d, share = x - y, 1 / n + fraction / (1 - fraction)
    statistic = published.statistic / sqrt(share)
    assert isclose(statistic, d.mean() / (d.std(ddof=1) * share), rel_tol=1e-6)
    rows.append(
        Definition(
            "divided by 1/J + n_test/n_train without the square root, one-sided",
            statistic,
            float(stats.t.sf(abs(statistic), n - 1)),
            "correctipy (resampled_ttest)",
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
    return [*rows, Definition.by(f"the same with n_test/n_train = 1/(k − 1) = 1/{folds - 1:g}", exact, _BAYCOMP)]


# decisions of an omnibus test and of a pairwise test
_REJECTS, _DIFFER = ("does not reject", "rejects"), ("not significant", "significant")
COLUMNS = ["question", "definition", "statistic", "p", "decision", "used here", "who prints it"]
# program -> version that was run or read
PROGRAMS = {
    "aeon": "a101ddc8b",
    "autorank": "1.3.0",
    "baycomp": "0ce309b",
    "cd-diagram": "1b48b4b",
    "coin": "1.4.2",
    "correctR": "78b160c",
    "correctipy": "99cc7e8",
    "critdd": "0d5422d",
    "exactRankTests": "0.8.35",
    "jMetalPy": "8cca5898",
    "KEEL": "5f404a94",
    "mlxtend": "07dbd37",
    "pingouin": "0.7.0",
    "R": "4.2.2",
    "scikit-learn": "097458a",
    "scikit-posthocs": "0.17.1",
    "scipy": "1.17.1",
    "scmamp": "0.3.2",
    "STAC": "a123815",
    "StaTDS": "1.1.7",
    "statsmodels": "0.15.0",
    "Weka": "789a2ba",
}
_NORMAL = "average ranks (normal)"  # normal approximation, as in other programs
# maximum number of algorithms for which all Wilcoxon tests take about a second
_LARGEST_WILCOXON = 40
_AEON_LEVELS, _AEON_MOST = (0.01, 0.05, 0.1), 56  # range of its table of critical values
_SCMAMP_MOST = 9  # maximum number of algorithms for Bergmann-Hommel


def other_definitions(
    analysis: RanksComparison | TwoComparison | FoldPairComparison, *, pair: tuple[str, str] | None = None
) -> pd.DataFrame:
    """What would other programs and papers print for this table, under the same names?

    Notes
    -----
    Friedman and Iman-Davenport with and without the correction for ties; Nemenyi from the
    studentized range with infinite or finite degrees of freedom, or as Bonferroni on z;
    Bergmann-Hommel with and without the monotone step; both on ranks, exact and normal, and Holm on Wilcoxon, and a
    one-sided imitation; Wilcoxon by its treatment of zeros, ties and small samples; the sign
    test by its treatment of ties. Bergmann-Hommel is left out where it is not feasible, Holm on
    Wilcoxon for more than 40 algorithms, Wilcoxon where a run failed.

    On folds: the corrected t test with J - 1 and with at most 9 degrees of freedom, one-sided, and
    without the square root; the paired t test.

    For Wilcoxon two values tie here up to floating point noise; a program that subtracts and
    ranks without rounding may split such ties.

    References
    ----------
    Demsar, JMLR 7 (2006); Garcia and Herrera, JMLR 9 (2008); Iman and Davenport 1980.

    Examples
    --------
    The 30 x 5 table of Garcia and Herrera (2008): "Nemenyi" of C4.5 and 1-NN is 0.039 by the
    studentized range and 0.048 as printed there, Bonferroni on z.
    """
    of_all, of_pair, pair = _definitions(analysis, pair)
    of_pair = {f"{name}, {pair[0]} vs {pair[1]}": rows for name, rows in of_pair.items()}
    return _table(of_all, of_pair, analysis)


_ByName = dict[str, list[Definition]]


@singledispatch
def _definitions(analysis: Comparison, pair: tuple[str, str] | None) -> tuple[_ByName, _ByName, tuple[str, str]]:
    """Return definitions of omnibus tests, those of tests of a pair, and the pair."""
    check_all_or_two(analysis, "Other definitions need")
    raise NotImplementedError(analysis.kind)


@_definitions.register
def _of_fold_pair(
    analysis: FoldPairComparison, pair: tuple[str, str] | None
) -> tuple[_ByName, _ByName, tuple[str, str]]:
    return {}, {} if analysis.effects is None else _fold_definitions(analysis), (analysis.first, analysis.second)


@_definitions.register
def _of_two(analysis: TwoComparison, pair: tuple[str, str] | None) -> tuple[_ByName, _ByName, tuple[str, str]]:
    first, second = _chosen(analysis, pair)
    return {}, _pair_definitions(analysis, first, second), (first, second)


@_definitions.register
def _of_ranks(analysis: RanksComparison, pair: tuple[str, str] | None) -> tuple[_ByName, _ByName, tuple[str, str]]:
    first, second = _chosen(analysis, pair)
    of_all = {"Friedman": _friedman(analysis.friedman), "Iman-Davenport": _iman_davenport(analysis.omnibus)}
    of_pair = {
        "Nemenyi": _nemenyi(analysis, first, second),
        "Critical difference": _critical_difference(analysis, first, second),
        "Holm": _holm(analysis, first, second),
        "Bergmann-Hommel": _bergmann_hommel(analysis, first, second),
    }
    return of_all, of_pair | _pair_definitions(analysis, first, second), (first, second)


def _pair_definitions(analysis: RanksComparison | TwoComparison, first: str, second: str) -> _ByName:
    """Return the definitions of tests of two algorithms over data sets, whatever the others are."""
    x, y = analysis.scores[first], analysis.scores[second]
    if x.isna().any() or y.isna().any():
        return {}
    only_two = analysis.shape.two
    return {"Wilcoxon": wilcoxon_definitions(x, y, only_two=only_two), "Sign test": _sign_definitions(x, y)}


def _table(
    of_all: dict[str, list[Definition]], of_pair: dict[str, list[Definition]], analysis: Comparison
) -> pd.DataFrame:
    alpha = analysis.settings.alpha
    rows = [
        _row(question, definition, alpha, words)
        for tables, words in ((of_all, _REJECTS), (of_pair, _DIFFER))
        for question, listed in tables.items()
        for definition in listed
    ]
    return pd.DataFrame(rows, columns=COLUMNS)


def _row(question: str, definition: Definition, alpha: float, words: tuple[str, str]) -> dict:
    rejects = definition.rejects
    if rejects is None:
        rejects = significant(definition.p, alpha if definition.level is None else definition.level)
    return {
        "question": question,
        "definition": definition.definition,
        "statistic": definition.statistic,
        "p": definition.p,
        "decision": words[int(rejects)],
        "used here": definition.used,
        "who prints it": definition.who,
    }


def _chosen(analysis: RanksComparison | TwoComparison, pair: tuple[str, str] | None) -> tuple[str, str]:
    """Return the pair to describe, the better ranked first."""
    order = analysis.order
    if pair is not None:
        if len(set(pair)) != 2 or not set(pair) <= set(order):
            raise SettingError(
                f"`pair` must name two of the algorithms compared. It names {join_names(pair)}. "
                "Choose two different ones."
            )
        first, second = sorted(pair, key=order.index)
        return first, second
    if len(order) == 2:
        return order[0], order[1]
    table = analysis.pairs()
    ratio = np.log(table["p adjusted"].clip(lower=1e-300)) - log(analysis.settings.alpha)
    closest = table.loc[ratio.abs().idxmin()]
    return closest["first"], closest["second"]


def _friedman(outcome: RankTestResult) -> list[Definition]:
    return [
        Definition.by(
            "corrected for ties", outcome, "R friedman.test, scipy, pingouin, autorank, aeon, cd-diagram", used=True
        ),
        Definition(
            "not corrected for ties",
            outcome.uncorrected_statistic,
            outcome.uncorrected_pvalue,
            "Demsar 2006, Garcia and Herrera 2008, scmamp, StaTDS, jMetalPy",
        ),
    ]


def _iman_davenport(outcome: RankTestResult) -> list[Definition]:
    rows = [
        Definition.by("from the chi-square corrected for ties", outcome, used=True),
        Definition(
            "from the chi-square not corrected for ties",
            outcome.uncorrected_statistic,
            outcome.uncorrected_pvalue,
            "Demsar 2006, Garcia and Herrera 2008, scmamp, StaTDS, critdd",
        ),
    ]
    if outcome.statistic < inf:
        n, k = outcome.ranks.shape
        df = k - 1 - 2 / n
        rows.append(
            Definition(
                "corrected for ties, k - 1 - 2/N and (N - 1)(k - 1 - 2/N) df",
                outcome.statistic,
                float(stats.f.sf(outcome.statistic, df, (n - 1) * df)) if df > 0 else 1.0,
                'pingouin (method="f")',
            )
        )
    return rows


def _nemenyi(analysis: RanksComparison, first: str, second: str) -> list[Definition]:
    n, k = analysis.friedman.ranks.shape
    z = _z(analysis, first, second)
    q, pairs = sqrt(2) * z, k * (k - 1) // 2

    def tail(df: float) -> float:
        return float(np.clip(stats.studentized_range.sf(q, k, df), 0, 1))

    return [
        Definition(
            "studentized range, infinite df",
            q,
            tail(inf),
            "Demsar 2006, scikit-posthocs, R ptukey (df = Inf)",
            used=True,
        ),
        Definition(
            "Bonferroni on z",
            z,
            min(1.0, pairs * 2 * float(stats.norm.sf(z))),
            "Garcia and Herrera 2008, KEEL, STAC, jMetalPy (p-values)",
        ),
        Definition(
            f"studentized range, k(N - 1) = {k * (n - 1)} df",
            q,
            tail(k * (n - 1)),
            "scmamp, jMetalPy (as a critical difference)",
        ),
        Definition(f"studentized range, (k - 1)(N - 1) = {(k - 1) * (n - 1)} df", q, tail((k - 1) * (n - 1))),
    ]


def _z(analysis: RanksComparison, first: str, second: str) -> float:
    ranks = analysis.friedman.average_ranks
    return float(abs(post_hoc_z(ranks, analysis.friedman.n).statistics.loc[first, second]))


def _critical_difference(analysis: RanksComparison, first: str, second: str) -> list[Definition]:
    n, k = analysis.friedman.ranks.shape
    alpha, error = analysis.settings.alpha, sqrt(k * (k + 1) / (6 * n))
    ranks = analysis.friedman.average_ranks
    gap = abs(ranks[first] - ranks[second])

    def row(definition: str, value: float, who: str = "", used: bool = False) -> Definition:
        return Definition(definition, value, np.nan, who, used=used, rejects=bool(gap >= value))

    def quantile(groups: int, df: float) -> float:
        return float(stats.studentized_range.isf(alpha, groups, df)) / sqrt(2) * error

    nemenyi = critical_difference(k, n, alpha)
    rows = [
        row(
            "Nemenyi: q / root 2, infinite df",
            nemenyi,
            "Demsar 2006, R qtukey (df = Inf), autorank (from rounded q)",
            used=True,
        ),
        row(f"k(N - 1) = {k * (n - 1)} df", quantile(k, k * (n - 1)), "scmamp, jMetalPy"),
        row("Bonferroni on z, all pairs", float(stats.norm.isf(alpha / (k * (k - 1)))) * error),
        row(
            "Bonferroni-Dunn: against one control only",
            float(stats.norm.isf(alpha / (2 * (k - 1)))) * error,
            "Demsar 2006",
        ),
        row("q not divided by root 2 (too wide)", nemenyi * sqrt(2), "scripts that forget it"),
    ]
    if alpha in _AEON_LEVELS and k <= _AEON_MOST:
        rows.append(row("q of k + 1 algorithms (too wide)", quantile(k + 1, inf), "aeon"))
    return rows


def _holm(analysis: RanksComparison, first: str, second: str) -> list[Definition]:
    complete = not analysis.scores.isna().to_numpy().any()
    is_feasible = analysis.scores.shape[1] <= _LARGEST_WILCOXON
    printed_by = {_NORMAL: "statsmodels and R p.adjust on z", "Wilcoxon": "cd-diagram, critdd (see Wilcoxon)"}
    sources = _sources(analysis, "wilcoxon" if complete and is_feasible else "")
    rows = [
        Definition(
            f"step-down over all pairs, two-sided p from {name}",
            abs(float(raw.statistics.loc[first, second])),
            float(adjust_pairs(raw.pvalues, "holm").loc[first, second]),
            printed_by.get(name, ""),
            used=raw is analysis.raw,
        )
        for name, raw in sources.items()
    ]
    if complete:
        rows.append(_aeon_holm(analysis, first, second))
    return rows


def _sources(analysis: RanksComparison, extra: str = "") -> dict[str, PairwiseResult]:
    """Return unadjusted tests of all pairs by source: normal, the one used, optionally one more."""
    source = analysis.settings.source
    tests = {_NORMAL: post_hoc_z(analysis.friedman.average_ranks, analysis.friedman.n)}
    tests[SOURCES[source]] = analysis.raw
    if extra and extra != source:
        tests[SOURCES[extra]] = pairwise(analysis.scores, extra)
    return tests


def _aeon_holm(analysis: RanksComparison, first: str, second: str) -> Definition:
    """Return aeon's "Holm": a one-sided p-value compared with alpha / (k - 1)."""
    sign = 1 if analysis.higher_is_better else -1
    ranks = signed_ranks(sign * analysis.scores[first], sign * analysis.scores[second])
    k = analysis.scores.shape[1]
    return Definition(
        "one-sided Wilcoxon p against alpha / (k - 1), not Holm",
        float(min(*_sums(ranks.values))),
        _scipy_default(ranks, "greater"),
        'aeon (correction="holm")',
        level=analysis.settings.alpha / (k - 1),
    )


def _sums(values: np.ndarray) -> tuple[float, float]:
    """Return the rank sums of positive and negative differences, zeros dropped."""
    nonzero = values[values != 0]
    ranks = stats.rankdata(np.abs(nonzero)) if len(nonzero) else nonzero
    return float(ranks[nonzero > 0].sum()), float(ranks[nonzero < 0].sum())


def _bergmann_hommel(analysis: RanksComparison, first: str, second: str) -> list[Definition]:
    k, ranks = analysis.scores.shape[1], analysis.friedman.average_ranks
    monotone = "Garcia and Herrera 2008 (Table 5)" + (", scmamp" if k <= _SCMAMP_MOST else "")
    printed_by = {"bergmann_hommel": monotone}
    printed_by["bergmann_hommel_plain"] = "Garcia and Herrera 2008 (the procedure as printed)"
    words = {"bergmann_hommel": "monotone", "bergmann_hommel_plain": "without the monotone step"}
    rows = []
    for name, raw in _sources(analysis).items():
        from_ranks = name in (_NORMAL, SOURCES["ranks"])
        source = "ranks" if from_ranks else name
        if usable_correction("bergmann_hommel", k, source=source) != "bergmann_hommel":
            continue
        for method, definition in words.items():
            try:
                adjusted = adjust_pairs(raw.pvalues, method, average_ranks=ranks if from_ranks else None)
            except DesignError:  # search not finished for these p-values
                continue
            rows.append(
                Definition(
                    f"{definition}, p from {name}",
                    abs(float(raw.statistics.loc[first, second])),
                    float(adjusted.loc[first, second]),
                    printed_by[method] if name == _NORMAL else "",
                    used=method == "bergmann_hommel" and raw is analysis.raw,
                )
            )
    return rows if any(row.used for row in rows) else []
