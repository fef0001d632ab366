"""Algorithms over many data sets: ranks of several, paired averages of two."""

from dataclasses import dataclass, replace
from math import sqrt

import numpy as np
import pandas as pd
from scipy import stats

from stats_core.comparison.base import Comparison
from stats_core.core.errors import DesignError
from stats_core.core.outcomes import PairwiseOutcome
from stats_core.core.words import count
from stats_core.data.results import Results
from stats_core.data.settings import Settings
from stats_core.inference.families.adjust import adjust_pairs
from stats_core.inference.families.cliques import cliques
from stats_core.inference.families.corrections import replaced, usable_correction
from stats_core.inference.paired import (
    SignOutcome,
    WilcoxonOutcome,
    hodges_lehmann_interval,
    sign_test,
    wilcoxon,
)
from stats_core.inference.pairwise import count_wins, pairwise
from stats_core.inference.ranks import (
    RankOutcome,
    critical_difference,
    friedman,
    iman_davenport,
    nemenyi,
    post_hoc_z,
)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class RanksComparison(Comparison):
    """Three or more algorithms over two or more data sets.

    Attributes
    ----------
    friedman, omnibus : RankOutcome
        Friedman's chi-square and the Iman-Davenport F that decides.
    raw : PairwiseOutcome
        The tests of all pairs, unadjusted.
    adjusted : DataFrame, algorithm x algorithm
        Adjusted p-values.
    groups : tuple of tuple of str
        Maximal groups without a separated pair, best first.
    wins, ties : DataFrame, algorithm x algorithm
        Data sets on which the row beats, or ties with, the column.
    critical_difference : float or None
        The one gap that separates two average ranks; only Nemenyi has one.
    smallest_pvalue : float
        The smallest adjusted p-value any pair could reach with this many data sets.
    """

    friedman: RankOutcome
    omnibus: RankOutcome
    raw: PairwiseOutcome
    adjusted: pd.DataFrame
    groups: tuple[tuple[str, ...], ...]
    wins: pd.DataFrame
    ties: pd.DataFrame
    critical_difference: float | None
    smallest_pvalue: float

    @property
    def order(self) -> list[str]:
        """The algorithms from best to worst average rank."""
        return list(self.friedman.average_ranks.sort_values(kind="stable").index)

    def separated(self, first: str, second: str) -> bool:
        """Tell whether two algorithms differ at the chosen level."""
        return bool(self.adjusted.loc[first, second] <= self.settings.alpha)

    @property
    def better(self) -> pd.DataFrame:
        """Where the row differs from the column and the test of the pair favours the row.

        By the Wilcoxon and the sign test this can be the one with the worse average rank.
        """
        if self.settings.source == "ranks":
            ranks = self.friedman.average_ranks[self.adjusted.index].to_numpy()
            ahead = ranks[None, :] - ranks[:, None]
        else:
            names, sign = self.adjusted.index, 1 if self.higher_is_better else -1
            ahead = sign * self.raw.statistics.loc[names, names].to_numpy()
        return (self.adjusted <= self.settings.alpha) & (ahead > 0)

    def pairs(self) -> pd.DataFrame:
        """Return one row per pair, the better ranked first, smallest adjusted p on top.

        Columns: first, second, difference (of average ranks, second minus first, so at least
        0), low and high (simultaneous interval for it at 1 - alpha, from the studentized
        range), statistic, p raw, p adjusted, wins, ties, losses (of the first), separated.
        """
        order, ranks = self.order, self.friedman.average_ranks
        rows, columns = np.triu_indices(len(order), 1)
        margin = critical_difference(len(order), self.friedman.n, self.settings.alpha)

        def upper(matrix: pd.DataFrame) -> np.ndarray:
            return matrix.loc[order, order].to_numpy()[rows, columns]

        sorted_ranks = ranks[order].to_numpy()
        difference = sorted_ranks[columns] - sorted_ranks[rows]
        adjusted = upper(self.adjusted)
        table = pd.DataFrame(
            {
                "first": np.array(order, dtype=object)[rows],
                "second": np.array(order, dtype=object)[columns],
                "difference": difference,
                "low": difference - margin,
                "high": difference + margin,
                "statistic": upper(self.raw.statistics),
                "p raw": upper(self.raw.pvalues),
                "p adjusted": adjusted,
                "wins": upper(self.wins),
                "ties": upper(self.ties),
                "losses": upper(self.wins.T),
                "separated": adjusted <= self.settings.alpha,
            }
        )
        return table.sort_values(["p adjusted", "p raw"], kind="stable", ignore_index=True)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class TwoComparison(Comparison):
    """Two algorithms over two or more data sets.

    Attributes
    ----------
    first, second : str
        The two; differences are first minus second in the measure's own direction.
    wilcoxon : WilcoxonOutcome
        The test that decides.
    sign : SignOutcome
        The test beside it.
    interval : tuple of float
        Hodges-Lehmann interval of the typical difference at 1 - alpha.
    """

    first: str
    second: str
    wilcoxon: WilcoxonOutcome
    sign: SignOutcome
    interval: tuple[float, float]

    @property
    def better(self) -> str:
        """The algorithm favoured by the estimate (the first if it is zero)."""
        favours_first = (self.wilcoxon.estimate >= 0) == self.higher_is_better
        return self.first if favours_first or self.wilcoxon.estimate == 0 else self.second

    @property
    def worse(self) -> str:
        """The other one."""
        return self.second if self.better == self.first else self.first

    def record(self, name: str) -> tuple[int, int, int]:
        """Return (wins, ties, losses) of one of the two: data sets on which it is better."""
        larger = (self.sign.wins, self.sign.ties, self.sign.losses)
        return larger if (name == self.first) == self.higher_is_better else larger[::-1]

    def differences(self) -> pd.DataFrame:
        """Return both scores, their difference and its signed rank per data set, sorted."""
        table = self.scores[[self.first, self.second]].copy()
        table["difference"] = table[self.first] - table[self.second]
        size = table["difference"].abs().round(12).rank()
        table["rank of size"] = size
        return table.sort_values("difference", kind="stable")


def _check_holes(results: Results, scores: pd.DataFrame, measure: str) -> None:
    holes = int(scores.isna().to_numpy().sum())
    if holes and results.failures != "worst rank":
        raise DesignError(
            "Every algorithm needs a result on every data set. "
            f"{holes:,} of {count(scores.size, 'average')} of {measure} "
            f"{'is' if holes == 1 else 'are'} missing. On Data, choose what to do with the missing cells first."
        )


def ranks_and_pairs(common: dict) -> dict:
    """Return the tests of ranks, the unadjusted tests of all pairs, and wins and ties."""
    settings, scores = common["settings"], common["scores"]
    _check_holes(common["results"], scores, settings.measure)
    direction = {"higher_is_better": common["higher_is_better"]}
    missing = "worst" if common["results"].failures == "worst rank" else "refuse"
    rank_test = friedman(scores, missing=missing, **direction)
    wins, ties = count_wins(scores, **direction)
    return {
        "friedman": rank_test,
        "omnibus": iman_davenport(scores, missing=missing, **direction),
        "raw": (
            post_hoc_z(rank_test.average_ranks, rank_test.n)
            if settings.source == "ranks"
            else pairwise(scores, settings.source)
        ),
        "wins": wins,
        "ties": ties,
    }


def compare_ranks(common: dict) -> RanksComparison:
    """Rank several algorithms over data sets and test all pairs."""
    common = _with_usable_correction(common)
    settings = common["settings"]
    found = ranks_and_pairs(common)
    adjusted = _adjusted(found["friedman"], found["raw"], settings)
    order = found["friedman"].average_ranks.sort_values(kind="stable").index
    n, k = found["friedman"].ranks.shape
    return RanksComparison(
        **common,
        **found,
        adjusted=adjusted,
        groups=tuple(cliques(adjusted.loc[order, order], settings.alpha)),
        critical_difference=(
            critical_difference(k, n, settings.alpha) if settings.correction == "nemenyi" else None
        ),
        smallest_pvalue=smallest_pvalue(k, n, settings),
    )


def _with_usable_correction(common: dict) -> dict:
    """Let the nearest correction stand in for one that is not possible here, and say so."""
    settings, results = common["settings"], common["results"]
    case = {"k": len(results.algorithms), "from_ranks": settings.source == "ranks"}
    said = replaced(settings.correction, **case)
    if not said:
        return common
    used = usable_correction(settings.correction, **case)
    return {
        **common,
        "settings": replace(settings, correction=used),
        "results": replace(results, choices=(*results.choices, said)),
    }


def _adjusted(rank_test: RankOutcome, raw: PairwiseOutcome, settings: Settings) -> pd.DataFrame:
    if settings.correction == "nemenyi":
        return nemenyi(rank_test.average_ranks, rank_test.n).pvalues
    ranks = rank_test.average_ranks if settings.source == "ranks" else None
    return adjust_pairs(raw.pvalues, settings.correction, average_ranks=ranks)


def compare_averages(common: dict) -> TwoComparison:
    """Test the averages of two algorithms over data sets."""
    scores = common["scores"]
    _check_holes(common["results"], scores, common["settings"].measure)
    if scores.isna().to_numpy().any():
        raise DesignError(
            "The Wilcoxon test needs a number for both algorithms on every data set. "
            "Some runs failed. On Data, drop those data sets instead of ranking them worst."
        )
    first, second = common["settings"].pair or scores.columns
    x, y = scores[first], scores[second]
    return TwoComparison(
        **common,
        first=first,
        second=second,
        wilcoxon=wilcoxon(x, y),
        sign=sign_test(x, y),
        interval=hodges_lehmann_interval(x, y, confidence=1 - common["settings"].alpha),
    )


def smallest_pvalue(k: int, n: int, settings: Settings) -> float:
    """Return the smallest adjusted p-value one pair could reach with n data sets.

    Parameters
    ----------
    k, n : int
        Number of algorithms and of data sets.
    settings : Settings
        Gives the correction and the source of the p-values.

    Returns
    -------
    float
        If it exceeds alpha, no pair can be separated however large the difference.

    Examples
    --------
    Ten data sets cannot separate eight algorithms by the Wilcoxon test, but can by ranks:

    >>> print(f"{smallest_pvalue(8, 3, Settings(measure='error')):.3f}")
    0.013
    >>> smallest_pvalue(8, 10, Settings(measure="error", source="wilcoxon"))
    0.0546875
    """
    pairs = 1 if settings.correction == "none" else k * (k - 1) // 2
    if settings.source != "ranks":
        return min(1.0, pairs * 2.0 ** (1 - n))
    z = (k - 1) / sqrt(k * (k + 1) / (6 * n))
    if settings.correction == "nemenyi":
        return float(stats.studentized_range.sf(sqrt(2) * z, k, np.inf))
    return min(1.0, pairs * 2 * float(stats.norm.sf(z)))
