"""Alternative definitions of tests under the same name, as other programs print them."""

from collections.abc import Callable
from math import inf, log, sqrt
from typing import Any

import numpy as np
import pandas as pd
from scipy import stats

from stats_core.comparison.kinds.average_ranks import RanksComparison
from stats_core.comparison.kinds.control import ControlComparison
from stats_core.comparison.kinds.fold_pair import FoldPairComparison
from stats_core.comparison.kinds.two_algorithms import TwoComparison
from stats_core.comparison.result import Comparison
from stats_core.core.errors import DesignError, FoldwiseError, SettingError
from stats_core.core.formatting import join_names
from stats_core.core.result_types import PairwiseResult
from stats_core.core.significance import significant
from stats_core.core.validation import check_kind
from stats_core.data.settings import SOURCES
from stats_core.inference.exact_friedman import exact_friedman
from stats_core.inference.incomplete_blocks import skillings_mack
from stats_core.inference.multiplicity.adjust import adjust_pairs
from stats_core.inference.multiplicity.corrections import usable_correction
from stats_core.inference.omnibus import friedman_aligned, kendall_w, quade
from stats_core.inference.pairwise import pairwise
from stats_core.inference.ranks import RankTestResult, critical_difference, post_hoc_z
from stats_core.robustness.leave_one_out import check_all_or_two
from stats_core.robustness.paired_definitions import (
    Definition,
    fold_definitions,
    scipy_default,
    sign_definitions,
    signed_ranks,
    wilcoxon_definitions,
)


def every_omnibus(
    analysis: RanksComparison | ControlComparison, *, exact: bool = False
) -> tuple[list[dict], dict[str, str]]:
    """What do the tests that ask "is there any difference at all" say of the same table?"""
    kinds = (RanksComparison, ControlComparison)
    check_kind(analysis, kinds, "analysis", "Use `analyse` on two or more data sets")
    scores = analysis.scores
    options: dict[str, Any] = {"higher_is_better": analysis.higher_is_better}
    missing: dict[str, Any] = (
        {"missing": "worst"} if analysis.results.failures == "worst rank" else {}
    )
    tests: dict[str, Callable] = {
        "Iman-Davenport F": lambda: analysis.omnibus,
        "Friedman chi-square": lambda: analysis.friedman,
        "Kendall's W": lambda: kendall_w(scores, **options, **missing),
        "Friedman on aligned ranks": lambda: friedman_aligned(scores, **options),
        "Quade F": lambda: quade(scores, **options),
    }
    if scores.isna().to_numpy().any():
        tests["Skillings-Mack"] = lambda: skillings_mack(scores, **options)
    if exact:
        tests["Friedman, exact"] = lambda: exact_friedman(scores, **options, **missing)
    rows, refused = [], {}
    for name, run in tests.items():
        try:
            outcome = run()
        except FoldwiseError as error:
            refused[name] = str(error)
            continue
        rows.append(
            {
                "test": name,
                "statistic": float(outcome.statistic),
                "df": ", ".join(f"{value:g}" for value in getattr(outcome, "df", ())),
                "p": float(outcome.pvalue),
                "method": str(outcome.method),
            }
        )
    return rows, refused


# decisions of an omnibus test and of a pairwise test
REJECTS, SEPARATES = ("does not reject", "rejects"), ("not separated", "separated")
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
NORMAL = "average ranks (normal)"  # normal approximation, as in other programs
# maximum number of algorithms for which all Wilcoxon tests take about a second
LARGEST_WILCOXON = 40
AEON_LEVELS, AEON_MOST = (0.01, 0.05, 0.1), 56  # range of its table of critical values
SCMAMP_MOST = 9  # maximum number of algorithms for Bergmann-Hommel


def other_definitions(
    analysis: RanksComparison | TwoComparison | FoldPairComparison,
    *,
    pair: tuple[str, str] | None = None,
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
    if isinstance(analysis, FoldPairComparison):
        pair_name = f"{analysis.first} vs {analysis.second}"
        definitions = {} if analysis.effects is None else fold_definitions(analysis)
        return _table(
            {}, {f"{name}, {pair_name}": rows for name, rows in definitions.items()}, analysis
        )
    check_all_or_two(analysis, "Other definitions need")
    first, second = _chosen(analysis, pair)
    of_all, of_pair = {}, {}
    if isinstance(analysis, RanksComparison):
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
    x, y = analysis.scores[first], analysis.scores[second]
    if not (x.isna().any() or y.isna().any()):
        only_two = isinstance(analysis, TwoComparison)
        of_pair |= {
            "Wilcoxon": wilcoxon_definitions(x, y, only_two=only_two),
            "Sign test": sign_definitions(x, y),
        }
    of_pair = {f"{name}, {first} vs {second}": rows for name, rows in of_pair.items()}
    return _table(of_all, of_pair, analysis)


def _table(
    of_all: dict[str, list[Definition]], of_pair: dict[str, list[Definition]], analysis: Comparison
) -> pd.DataFrame:
    alpha = analysis.settings.alpha
    rows = [
        _row(question, definition, alpha, words)
        for tables, words in ((of_all, REJECTS), (of_pair, SEPARATES))
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


def _chosen(
    analysis: RanksComparison | TwoComparison, pair: tuple[str, str] | None
) -> tuple[str, str]:
    """Return the pair to describe, the better ranked first."""
    is_pair = isinstance(analysis, TwoComparison)
    order = (
        [analysis.better, analysis.worse] if isinstance(analysis, TwoComparison) else analysis.order
    )
    if pair is not None:
        if len(set(pair)) != 2 or not set(pair) <= set(order):
            raise SettingError(
                f"`pair` must name two of the algorithms compared. It names {join_names(pair)}. "
                "Choose two different ones."
            )
        first, second = sorted(pair, key=order.index)
        return first, second
    if is_pair:
        return order[0], order[1]
    table = analysis.pairs()
    ratio = np.log(table["p adjusted"].clip(lower=1e-300)) - log(analysis.settings.alpha)
    closest = table.loc[ratio.abs().idxmin()]
    return closest["first"], closest["second"]


def _friedman(outcome: RankTestResult) -> list[Definition]:
    return [
        Definition(
            definition="corrected for ties",
            statistic=outcome.statistic,
            p=outcome.pvalue,
            who="R friedman.test, scipy, pingouin, autorank, aeon, cd-diagram",
            used=True,
        ),
        Definition(
            definition="not corrected for ties",
            statistic=outcome.uncorrected_statistic,
            p=outcome.uncorrected_pvalue,
            who="Demsar 2006, Garcia and Herrera 2008, scmamp, StaTDS, jMetalPy",
        ),
    ]


def _iman_davenport(outcome: RankTestResult) -> list[Definition]:
    rows = [
        Definition(
            definition="from the chi-square corrected for ties",
            statistic=outcome.statistic,
            p=outcome.pvalue,
            used=True,
        ),
        Definition(
            definition="from the chi-square not corrected for ties",
            statistic=outcome.uncorrected_statistic,
            p=outcome.uncorrected_pvalue,
            who="Demsar 2006, Garcia and Herrera 2008, scmamp, StaTDS, critdd",
        ),
    ]
    if outcome.statistic < inf:
        n, k = outcome.ranks.shape
        df = k - 1 - 2 / n
        rows.append(
            Definition(
                definition="corrected for ties, k - 1 - 2/N and (N - 1)(k - 1 - 2/N) df",
                statistic=outcome.statistic,
                p=float(stats.f.sf(outcome.statistic, df, (n - 1) * df)) if df > 0 else 1.0,
                who='pingouin (method="f")',
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
            definition="studentized range, infinite df",
            statistic=q,
            p=tail(inf),
            who="Demsar 2006, scikit-posthocs, R ptukey (df = Inf)",
            used=True,
        ),
        Definition(
            definition="Bonferroni on z",
            statistic=z,
            p=min(1.0, pairs * 2 * float(stats.norm.sf(z))),
            who="Garcia and Herrera 2008, KEEL, STAC, jMetalPy (p-values)",
        ),
        Definition(
            definition=f"studentized range, k(N - 1) = {k * (n - 1)} df",
            statistic=q,
            p=tail(k * (n - 1)),
            who="scmamp, jMetalPy (as a critical difference)",
        ),
        Definition(
            definition=f"studentized range, (k - 1)(N - 1) = {(k - 1) * (n - 1)} df",
            statistic=q,
            p=tail((k - 1) * (n - 1)),
        ),
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
        return Definition(
            definition=definition,
            statistic=value,
            p=np.nan,
            who=who,
            used=used,
            rejects=bool(gap >= value),
        )

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
    if alpha in AEON_LEVELS and k <= AEON_MOST:
        rows.append(row("q of k + 1 algorithms (too wide)", quantile(k + 1, inf), "aeon"))
    return rows


def _holm(analysis: RanksComparison, first: str, second: str) -> list[Definition]:
    complete = not analysis.scores.isna().to_numpy().any()
    is_feasible = analysis.scores.shape[1] <= LARGEST_WILCOXON
    printed_by = {
        NORMAL: "statsmodels and R p.adjust on z",
        "Wilcoxon": "cd-diagram, critdd (see Wilcoxon)",
    }
    sources = _sources(analysis, "wilcoxon" if complete and is_feasible else "")
    rows = [
        Definition(
            definition=f"step-down over all pairs, two-sided p from {name}",
            statistic=abs(float(raw.statistics.loc[first, second])),
            p=float(adjust_pairs(raw.pvalues, "holm").loc[first, second]),
            who=printed_by.get(name, ""),
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
    tests = {NORMAL: post_hoc_z(analysis.friedman.average_ranks, analysis.friedman.n)}
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
        definition="one-sided Wilcoxon p against alpha / (k - 1), not Holm",
        statistic=float(min(*_sums(ranks.values))),
        p=scipy_default(ranks, "greater"),
        who='aeon (correction="holm")',
        level=analysis.settings.alpha / (k - 1),
    )


def _sums(values: np.ndarray) -> tuple[float, float]:
    """Return the rank sums of positive and negative differences, zeros dropped."""
    nonzero = values[values != 0]
    ranks = stats.rankdata(np.abs(nonzero)) if len(nonzero) else nonzero
    return float(ranks[nonzero > 0].sum()), float(ranks[nonzero < 0].sum())


def _bergmann_hommel(analysis: RanksComparison, first: str, second: str) -> list[Definition]:
    k, ranks = analysis.scores.shape[1], analysis.friedman.average_ranks
    monotone = "Garcia and Herrera 2008 (Table 5)" + (", scmamp" if k <= SCMAMP_MOST else "")
    printed_by = {"bergmann_hommel": monotone}
    printed_by["bergmann_hommel_plain"] = "Garcia and Herrera 2008 (the procedure as printed)"
    words = {"bergmann_hommel": "monotone", "bergmann_hommel_plain": "without the monotone step"}
    rows = []
    for name, raw in _sources(analysis).items():
        from_ranks = name in (NORMAL, SOURCES["ranks"])
        source = "ranks" if from_ranks else name
        if usable_correction("bergmann_hommel", k, source=source) != "bergmann_hommel":
            continue
        for method, definition in words.items():
            try:
                adjusted = adjust_pairs(
                    raw.pvalues, method, average_ranks=ranks if from_ranks else None
                )
            except DesignError:  # search not finished for these p-values
                continue
            rows.append(
                Definition(
                    definition=f"{definition}, p from {name}",
                    statistic=abs(float(raw.statistics.loc[first, second])),
                    p=float(adjusted.loc[first, second]),
                    who=printed_by[method] if name == NORMAL else "",
                    used=method == "bergmann_hommel" and raw is analysis.raw,
                )
            )
    return rows if any(row.used for row in rows) else []
