"""Variants of tests that other programs and papers print under the same name."""

import tomllib
from dataclasses import dataclass, replace
from importlib.resources import files
from math import inf, isclose, log, sqrt
from typing import Any

import numpy as np
import pandas as pd
from scipy import stats

from stats_core.comparison.result import Comparison, HasComparison, comparison_of
from stats_core.core.errors import DesignError, SettingError
from stats_core.core.result_types import PairwiseResult, cached
from stats_core.core.validation import significant, tie_groups, ties_mask
from stats_core.data.settings import SOURCES
from stats_core.inference import pairwise
from stats_core.inference.distributions import studentized_range_isf
from stats_core.inference.methods import PAIR_TESTS
from stats_core.inference.multiplicity import adjust
from stats_core.inference.paired import sign_test, t_tests, wilcoxon
from stats_core.inference.ranks import RankTestResult, critical_difference, post_hoc_z
from stats_core.robustness import leave_one_out

_TEXTS = tomllib.loads(files(__package__).joinpath("definitions.toml").read_text(encoding="utf-8"))


@dataclass(frozen=True, slots=True)
class Definition:
    """One variant of a test, with its statistic and p-value.

    Attributes
    ----------
    definition : str
        Description of the formula.
    statistic, p : float
        NaN where the definition has none.
    who : str
        Programs and papers known to print this number, "" if none.
    used : bool
        Whether Foldwise prints this value under that name.
    parts : int
        Number by which alpha is divided to get the significance level of p.
    rejects : bool or None
        The decision, if it is not based on p.
    """

    definition: str
    statistic: float
    p: float
    who: str = ""
    used: bool = False
    parts: int = 1
    rejects: bool | None = None


def _definition(
    key: str,
    statistic: float,
    p: float,
    *,
    used: bool = False,
    parts: int = 1,
    rejects: bool | None = None,
    **values: Any,
) -> Definition:
    """Return a variant with its texts from `definitions.toml`."""
    text, who = (_TEXTS[key].get(name, "").format(**values) for name in ("text", "who"))
    return Definition(
        text, float(statistic), float(p), who, used=used, parts=parts, rejects=rejects
    )


def _tested(key: str, outcome: Any, *, used: bool = False, **values: Any) -> Definition:
    """Return a variant with the statistic and p-value of a test result."""
    return _definition(key, outcome.statistic, outcome.pvalue, used=used, **values)


@dataclass(frozen=True, slots=True, kw_only=True)
class SignedRanks:
    """Signed ranks of differences over data sets, free of rounding noise.

    Attributes
    ----------
    values : array
        Sign of each difference times the dense rank of its absolute value, 0 for a zero difference.
        Wilcoxon's test depends on nothing else.
    ties, zeros : bool
        Whether two nonzero absolute differences are equal; whether a difference is zero.
    """

    values: np.ndarray
    ties: bool
    zeros: bool

    @property
    def plain(self) -> bool:
        """Whether there are neither ties nor zero differences."""
        return not (self.ties or self.zeros)

    @property
    def scipy_is_exact(self) -> bool:
        """Whether scipy.stats.wilcoxon uses the exact distribution by default."""
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
    x = np.asarray(x, dtype=float)
    y = np.asarray(y, dtype=float)
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
    """Return the variants of Wilcoxon's test; with `only_two`, also that one-sided in the direction of the data."""
    used = wilcoxon(x, y)
    ranks = signed_ranks(x, y)
    if not ranks.values.any():
        return [_definition("all tie", 0.0, 1.0, used=True)]
    rows = _exact(x, y, ranks) if used.method.exact else []
    rows += _normal(ranks, used=not rows)
    rows += _demsar(x, y)
    if only_two:
        rows.append(_data_chosen_side(ranks))
    return rows


def _exact(x: pd.Series, y: pd.Series, ranks: SignedRanks) -> list[Definition]:
    """Return the variants of the exact Wilcoxon test, by treatment of zeros and ties."""
    pratt = wilcoxon(x, y, zero_method="pratt")
    dropped = wilcoxon(x, y, zero_method="wilcox")
    split = wilcoxon(x, y, zero_method="split")
    programs: dict[str, Any] = {
        "scipy": ", scipy (default)" if ranks.scipy_is_exact else "",
        "r": ", R wilcox.test (default)" if ranks.r_is_exact else "",
    }
    rows = [
        _tested("exact pratt", pratt, critdd=", critdd" if ranks.plain else "", used=True),
        _tested("exact dropped", dropped, **programs),
        _tested("exact split", split),
    ]
    if not ranks.plain:
        untied = _scipy(ranks, zero_method="wilcox", method="exact")
        rows.append(_definition("exact without ties", dropped.statistic, untied.pvalue))
    return rows


def _normal(ranks: SignedRanks, *, used: bool) -> list[Definition]:
    pratt = _scipy(ranks, zero_method="pratt")
    dropped = _scipy(ranks, zero_method="wilcox", correction=False)
    corrected = _scipy(ranks, zero_method="wilcox", correction=True)
    scipy = "" if ranks.scipy_is_exact else " (default)"
    r = "" if ranks.r_is_exact else " (default)"
    statds = ", StaTDS" if ranks.plain else ""
    return [
        _tested("normal pratt", pratt, used=used),
        _tested("normal dropped", dropped, scipy=scipy, statds=statds),
        _tested("normal corrected", corrected, r=r),
    ]


def _demsar(x: pd.Series, y: pd.Series) -> list[Definition]:
    """Return the normal approximation of Wilcoxon's test, zeros split evenly: two-sided (Demsar) and lower tail."""
    pratt = wilcoxon(x, y)
    n = pratt.n
    shared = pratt.n_zero * (pratt.n_zero + 1) / 4
    statistic = pratt.statistic + shared
    mean = n * (n + 1) / 4
    variance = n * (n + 1) * (2 * n + 1) / 24
    z = (statistic - mean) / np.sqrt(variance)
    tail = float(stats.norm.cdf(z))
    return [
        _definition("normal split", statistic, min(1.0, 2 * tail)),
        _definition("normal lower tail", statistic, tail),
    ]


def _data_chosen_side(ranks: SignedRanks) -> Definition:
    """Return the variant that tests one-sided in the direction of the data."""
    tails = [_scipy_default(ranks, side) for side in ("greater", "less")]
    return _definition("side from data", _scipy(ranks, zero_method="wilcox").statistic, min(tails))


def _scipy_default(ranks: SignedRanks, alternative: str = "two-sided") -> float:
    """Return the p-value of scipy's Wilcoxon test with default options (zeros dropped); 1 if all are zero."""
    if not ranks.values.any():
        return 1.0
    return float(_scipy(ranks, method="auto", alternative=alternative).pvalue)


def _scipy(
    ranks: SignedRanks, *, correction: bool = False, method: str = "asymptotic", **options: Any
) -> Any:
    return stats.wilcoxon(ranks.values, correction=correction, method=method, **options)


def _sign_definitions(x: pd.Series, y: pd.Series) -> list[Definition]:
    """Return the variants of the two-sided sign test; the statistic is the number of wins of x."""
    used = sign_test(x, y)
    wins = used.wins
    n_untied = wins + used.losses
    dropped = stats.binomtest(wins, n_untied).pvalue if n_untied > 0 else 1.0
    rows = [_tested("sign split", used, used=True), _definition("sign dropped", wins, dropped)]
    if used.ties == 0:
        most = max(wins, used.losses)
        tail = 2 * float(stats.binom.sf(most, n_untied, 0.5))
        rows.append(_definition("sign tail", wins, min(1.0, tail)))
    return rows


_CROSS_VALIDATION = ("k-fold", "r x k-fold", "5x2")  # designs that baycomp assumes


def _fold_definitions(analysis: Any) -> dict[str, list[Definition]]:
    """Return by test name the variants of paired tests on folds."""
    x, y = (analysis.matrix[name].to_numpy() for name in (analysis.first, analysis.second))
    definitions = {}
    if analysis.test_fraction is not None:
        definitions["Corrected t"] = _corrected(analysis, x, y, analysis.test_fraction)
    uncorrected = t_tests.paired_t(x, y)
    definitions["Paired t"] = [
        _tested("paired t", uncorrected, df=uncorrected.df, used=True),
        _definition("half of p", uncorrected.statistic, uncorrected.pvalue / 2, p_value="p"),
    ]
    for name in ("5x2 cv F", "5x2 cv t"):
        outcome = analysis.answer(name).outcome
        if outcome is not None:
            definitions[name] = [_tested(name, outcome, used=True)]
    return definitions


def _corrected(analysis: Any, x: np.ndarray, y: np.ndarray, fraction: float) -> list[Definition]:
    """Return the variants of the corrected t test, by degrees of freedom, side and program."""
    n = len(x)
    df_bound = t_tests.conservative_df(len(x))
    published = t_tests.corrected_t(x, y, test_fraction=fraction)
    is_conservative = PAIR_TESTS[analysis.effects_test].bounded_df
    rows = [
        _tested(
            "corrected published",
            published,
            df=published.df,
            used=df_bound is None or not is_conservative,
        )
    ]
    if df_bound is not None:
        conservative = t_tests.corrected_t(x, y, test_fraction=fraction, max_df=df_bound)
        rows.insert(
            0, _tested("corrected conservative", conservative, df=df_bound, used=is_conservative)
        )
    if analysis.design in _CROSS_VALIDATION:
        rows = _with_baycomp(rows, analysis, x, y)
    rows.append(
        _definition(
            "half of p", published.statistic, published.pvalue / 2, p_value="the published p"
        )
    )
    # correctipy divides by the variance factor instead of its square root
    d = x - y
    share = 1 / n + fraction / (1 - fraction)
    statistic = published.statistic / sqrt(share)
    assert isclose(statistic, d.mean() / (d.std(ddof=1) * share), rel_tol=1e-6)
    return [*rows, _definition("correctipy", statistic, stats.t.sf(abs(statistic), n - 1))]


def _with_baycomp(
    rows: list[Definition], analysis: Any, x: np.ndarray, y: np.ndarray
) -> list[Definition]:
    """Return the variants and that of baycomp, n_test / n_train = 1 / (k - 1), merged with the last if p is equal."""
    folds = len(x) / analysis.matrix.index.get_level_values("repetition").nunique()
    baycomp = _tested(
        "baycomp", t_tests.corrected_t(x, y, test_fraction=1 / folds), training_folds=folds - 1
    )
    if isclose(baycomp.p, rows[-1].p, rel_tol=1e-9):
        return [*rows[:-1], replace(rows[-1], who=f"{rows[-1].who}, {baycomp.who}")]
    return [*rows, baycomp]


# decisions of an omnibus test and of a pairwise test
_REJECTS = ("does not reject", "rejects")
_DIFFER = ("not significant", "significant")
COLUMNS = ["question", "definition", "statistic", "p", "decision", "used here", "who prints it"]
PROGRAMS: dict[str, str] = _TEXTS["programs"]  # program -> version that was run or read
_NORMAL = "average ranks (normal)"  # normal approximation, as in other programs
# maximum number of algorithms for which all Wilcoxon tests take about a second
_LARGEST_WILCOXON = 40
# range of its table of critical values
_AEON_LEVELS = (0.01, 0.05, 0.1)
_AEON_MOST = 56
_SCMAMP_MOST = 9  # maximum number of algorithms for Bergmann-Hommel


def other_definitions(
    comparison: Comparison | HasComparison, *, pair: tuple[str, str] | None = None
) -> pd.DataFrame:
    """Return the values that other programs and papers print for tests of the same name, one row each.

    Of three or more algorithms, `pair` is by default the pair with adjusted p closest to alpha; it
    is ignored on folds. Raise SettingError for algorithms that are not compared, DesignError unless
    all pairs or two algorithms are compared over data sets, or two algorithms on folds.

    Notes
    -----
    Friedman and Iman-Davenport with and without the correction for ties; Nemenyi from the
    studentized range with infinite or finite degrees of freedom, or as Bonferroni on z;
    Bergmann-Hommel with and without the monotone step, both on exact and on normal tests of ranks;
    Holm on Wilcoxon, also one-sided with the side chosen by the data; Wilcoxon by its treatment of
    zeros, ties and small samples; the sign test by its treatment of ties. Omitted: Bergmann-Hommel
    where it is not feasible, Holm on Wilcoxon for more than 40 algorithms or where any run failed,
    Wilcoxon and the sign test where a run of the pair failed.

    On folds: the corrected t test with J - 1 and with at most 9 degrees of freedom, one-sided, and
    without the square root; the paired t test; the 5x2 cv tests.

    Wilcoxon's ties are determined up to floating point error; a program that ranks unrounded
    differences may break such ties.

    References
    ----------
    Demsar, JMLR 7 (2006); Garcia and Herrera, JMLR 9 (2008); Iman and Davenport 1980.

    Examples
    --------
    The 30 x 5 table of Garcia and Herrera (2008): "Nemenyi" of C4.5 and 1-NN is 0.039 by the
    studentized range and 0.048 as printed there, Bonferroni on z.
    """
    analysis: Any = comparison_of(comparison)
    of_all: _ByName = {}
    of_pair: _ByName = {}
    if analysis.shape.folds and analysis.shape.two:
        first = analysis.first
        second = analysis.second
        of_pair = {} if analysis.effects is None else _fold_definitions(analysis)
    else:
        leave_one_out.check_all_or_two(analysis, "Other definitions need")
        first, second = _compared_pair(analysis, pair)
        if not analysis.shape.two:
            of_all, of_pair = _rank_definitions(analysis, first, second)
        of_pair |= _pair_definitions(analysis, first, second)
    return _table(
        of_all, {f"{name}, {first} vs {second}": rows for name, rows in of_pair.items()}, analysis
    )


_ByName = dict[str, list[Definition]]


def _rank_definitions(analysis: Any, first: str, second: str) -> tuple[_ByName, _ByName]:
    """Return the variants of omnibus tests of ranks, and of tests of one pair of average ranks."""
    of_all = {
        "Friedman": _friedman(analysis.friedman),
        "Iman-Davenport": _iman_davenport(analysis.omnibus),
    }
    of_pair = {
        "Nemenyi": _nemenyi(analysis, first, second),
        "Critical difference": _critical_difference(analysis, first, second),
        "Holm": _holm(analysis, first, second),
        "Bergmann-Hommel": _bergmann_hommel(analysis, first, second),
    }
    return of_all, of_pair


@cached(across_alpha=True)
def _pair_definitions(analysis: Any, first: str, second: str) -> _ByName:
    """Return the variants of tests of two algorithms over data sets; {} if a result is missing."""
    x = analysis.scores[first]
    y = analysis.scores[second]
    if x.isna().any() or y.isna().any():
        return {}
    only_two = analysis.shape.two
    return {
        "Wilcoxon": wilcoxon_definitions(x, y, only_two=only_two),
        "Sign test": _sign_definitions(x, y),
    }


def _table(
    of_all: dict[str, list[Definition]], of_pair: dict[str, list[Definition]], analysis: Comparison
) -> pd.DataFrame:
    """Return one row per variant, with the columns `COLUMNS`; variants of tests of all algorithms first."""
    alpha = analysis.settings.alpha
    rows = []
    for tables, words in ((of_all, _REJECTS), (of_pair, _DIFFER)):
        for question, definitions in tables.items():
            rows += [_row(question, definition, alpha, words) for definition in definitions]
    return pd.DataFrame(rows, columns=COLUMNS)


def _row(question: str, definition: Definition, alpha: float, words: tuple[str, str]) -> dict:
    """Return the row of a variant, with its decision in `words`, of which the second means a rejection."""
    rejects = definition.rejects
    if rejects is None:
        rejects = significant(definition.p, alpha / definition.parts)
    return {
        "question": question,
        "definition": definition.definition,
        "statistic": definition.statistic,
        "p": definition.p,
        "decision": words[int(rejects)],
        "used here": definition.used,
        "who prints it": definition.who,
    }


def _compared_pair(analysis: Any, pair: tuple[str, str] | None) -> tuple[str, str]:
    """Return the given pair, else that with p closest to alpha, better ranked first; SettingError if unknown."""
    order = analysis.order
    if pair is not None:
        if len(set(pair)) != 2 or not set(pair) <= set(order):
            raise SettingError.of("pair not compared", names=pair)
        first, second = sorted(pair, key=order.index)
        return first, second
    if len(order) == 2:
        return order[0], order[1]
    table = analysis.pairs.decisions
    ratio = np.log(table["p adjusted"].clip(lower=1e-300)) - log(analysis.settings.alpha)
    closest = table.loc[ratio.abs().idxmin()]
    return closest["first"], closest["second"]


def _friedman(outcome: RankTestResult) -> list[Definition]:
    plain = outcome.uncorrected_statistic, outcome.uncorrected_pvalue
    return [
        _tested("friedman corrected", outcome, used=True),
        _definition("friedman uncorrected", *plain),
    ]


def _iman_davenport(outcome: RankTestResult) -> list[Definition]:
    """Return the variants of the Iman-Davenport test, by ties and, if F is finite, degrees of freedom."""
    plain = outcome.uncorrected_statistic, outcome.uncorrected_pvalue
    rows = [_tested("F corrected", outcome, used=True), _definition("F uncorrected", *plain)]
    if outcome.statistic < inf:
        n, k = outcome.ranks.shape
        df = k - 1 - 2 / n
        p = stats.f.sf(outcome.statistic, df, (n - 1) * df) if df > 0 else 1.0
        rows.append(_definition("F adjusted df", outcome.statistic, p))
    return rows


@cached(across_alpha=True)
def _nemenyi(analysis: Any, first: str, second: str) -> list[Definition]:
    """Return the variants of Nemenyi's test of one pair, by distribution of the difference."""
    n, k = analysis.friedman.ranks.shape
    z = _z(analysis, first, second)
    q = sqrt(2) * z
    pairs = k * (k - 1) // 2

    def tail(df: float) -> float:
        return float(np.clip(stats.studentized_range.sf(q, k, df), 0, 1))

    one_way = k * (n - 1)
    blocked = (k - 1) * (n - 1)
    return [
        _definition("range infinite", q, tail(inf), used=True),
        _definition("bonferroni z", z, min(1.0, pairs * 2 * float(stats.norm.sf(z)))),
        _definition("range one-way", q, tail(one_way), df=one_way),
        _definition("range blocked", q, tail(blocked), df=blocked),
    ]


def _z(analysis: Any, first: str, second: str) -> float:
    ranks = analysis.friedman.average_ranks
    return float(abs(post_hoc_z(ranks, analysis.friedman.n).statistics.loc[first, second]))


def _critical_difference(analysis: Any, first: str, second: str) -> list[Definition]:
    """Return the variants of the critical difference, each with its decision on the pair."""
    n, k = analysis.friedman.ranks.shape
    alpha = analysis.settings.alpha
    error = sqrt(k * (k + 1) / (6 * n))
    ranks = analysis.friedman.average_ranks
    difference = abs(ranks[first] - ranks[second])

    def row(key: str, value: float, *, used: bool = False, **values: Any) -> Definition:
        return _definition(
            key, value, np.nan, used=used, rejects=bool(difference >= value), **values
        )

    def quantile(groups: int, df: float) -> float:
        range_quantile = studentized_range_isf if df < inf else stats.studentized_range.isf
        return float(range_quantile(alpha, groups, df)) / sqrt(2) * error

    nemenyi = critical_difference(k, n, alpha)
    one_way = k * (n - 1)
    rows = [
        row("difference infinite", nemenyi, used=True),
        row("difference one-way", quantile(k, one_way), df=one_way),
        row("difference bonferroni", float(stats.norm.isf(alpha / (k * (k - 1)))) * error),
        row("difference dunn", float(stats.norm.isf(alpha / (2 * (k - 1)))) * error),
        row("difference without root", nemenyi * sqrt(2)),
    ]
    if alpha in _AEON_LEVELS and k <= _AEON_MOST:
        rows.append(row("difference of k + 1", quantile(k + 1, inf)))
    return rows


@cached(across_alpha=True)
def _holm(analysis: Any, first: str, second: str) -> list[Definition]:
    """Return the variants of Holm's adjusted p-value of one pair, by source of p-values; aeon's last if complete."""
    complete = not analysis.scores.isna().to_numpy().any()
    is_feasible = analysis.scores.shape[1] <= _LARGEST_WILCOXON
    keys = {_NORMAL: "holm normal", "Wilcoxon": "holm Wilcoxon"}
    rows = [
        _definition(
            keys.get(name, "holm"),
            abs(raw.statistics.loc[first, second]),
            adjust.adjust_pairs(raw.pvalues, "holm").loc[first, second],
            source=name,
            used=raw is analysis.raw,
        )
        for name, raw in _sources(analysis, "wilcoxon" if complete and is_feasible else "").items()
    ]
    if complete:
        rows.append(_aeon_holm(analysis, first, second))
    return rows


def _sources(analysis: Any, extra: str = "") -> dict[str, PairwiseResult]:
    """Return the unadjusted tests of all pairs, by source of p-values."""
    source = analysis.settings.source
    tests = {_NORMAL: post_hoc_z(analysis.friedman.average_ranks, analysis.friedman.n)}
    tests[SOURCES[source]] = analysis.raw
    if extra and extra != source:
        tests[SOURCES[extra]] = pairwise.pairwise(analysis.scores, extra)
    return tests


def _aeon_holm(analysis: Any, first: str, second: str) -> Definition:
    """Return aeon's variant of Holm: a one-sided p-value compared with alpha / (k - 1)."""
    sign = 1 if analysis.higher_is_better else -1
    ranks = signed_ranks(sign * analysis.scores[first], sign * analysis.scores[second])
    p = _scipy_default(ranks, "greater")
    parts = analysis.scores.shape[1] - 1
    return _definition("holm aeon", min(*_sums(ranks.values)), p, parts=parts)


def _sums(values: np.ndarray) -> tuple[float, float]:
    """Return the rank sums of positive and of negative differences, zeros dropped."""
    nonzero = values[values != 0]
    ranks = stats.rankdata(np.abs(nonzero)) if len(nonzero) else nonzero
    return float(ranks[nonzero > 0].sum()), float(ranks[nonzero < 0].sum())


@cached(across_alpha=True)
def _bergmann_hommel(analysis: Any, first: str, second: str) -> list[Definition]:
    """Return the variants of Bergmann-Hommel's adjusted p of one pair; [] unless Foldwise's own can be computed."""
    k = analysis.scores.shape[1]
    ranks = analysis.friedman.average_ranks
    rows = []
    for name, raw in _sources(analysis).items():
        from_ranks = name in (_NORMAL, SOURCES["ranks"])
        source = "ranks" if from_ranks else name
        if adjust.usable_correction("bergmann_hommel", k, source=source) != "bergmann_hommel":
            continue
        for method, key in (("bergmann_hommel", "monotone"), ("bergmann_hommel_plain", "plain")):
            try:
                adjusted = adjust.adjust_pairs(
                    raw.pvalues, method, average_ranks=ranks if from_ranks else None
                )
            except DesignError:  # search not finished for these p-values
                continue
            rows.append(
                _definition(
                    f"{key} normal" if name == _NORMAL else key,
                    abs(raw.statistics.loc[first, second]),
                    adjusted.loc[first, second],
                    source=name,
                    scmamp=", scmamp" if k <= _SCMAMP_MOST else "",
                    used=key == "monotone" and raw is analysis.raw,
                )
            )
    return rows if any(row.used for row in rows) else []
