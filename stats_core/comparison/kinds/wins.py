"""Several measures, or many thresholds, over many data sets: who wins on more of them."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import ClassVar

import numpy as np
import pandas as pd

from stats_core.comparison.base import Comparison, Counted, Guarantee, Least, once
from stats_core.comparison.over_measures import decide_each, wins_of
from stats_core.core.errors import DesignError, FoldwiseError
from stats_core.core.notes import Note, Voice, note, worded
from stats_core.core.words import count, listed
from stats_core.curves.on_curves import curves_on
from stats_core.curves.over_sweeps import over_data_sets
from stats_core.curves.sweep import THETAS, Sweep, sweep
from stats_core.curves.thresholds import needs_scores
from stats_core.data.measures import COUNTS
from stats_core.data.results import Results
from stats_core.data.settings import Settings
from stats_core.inference.families.corrections import CORRECTIONS
from stats_core.inference.families.win_counts import Wins, smallest_sign_pvalue
from stats_core.inference.fold_pairs import tested_share as fraction_of
from stats_core.inference.multivariate.vector_tests import Decision

_SAID = 3  # pairs named in the headline


@dataclass(frozen=True, kw_only=True, eq=False)
class WinsComparison(Comparison):
    """Who wins on how many data sets, where errors of both kinds are weighed by their cost.

    Attributes
    ----------
    measures : tuple of str
        What was looked at together.
    wins : DataFrame, algorithm x algorithm
        Data sets on which the row wins over the column.
    won : dict of (str, str) to tuple of str
        The data sets behind each count.
    total : Series by algorithm
        Data sets on which it wins over at least one other.
    raw, adjusted : DataFrame, algorithm x algorithm
        Two-sided sign test over data sets, ties split, before and after adjusting.
    n : int
        Data sets decided.
    skipped : dict of str to str
        Data sets that could not be decided, with the reason.
    win : str
        What counts as a win on a data set.
    tests : DataFrame
        On measures, one row per data set and pair: data set, first, second, winner ("" for a tie),
        p measures (Hotelling, adjusted over the pairs; NaN where it cannot be tested), p risk
        (t test, adjusted likewise; NaN by the thesis' rule), reason for a tie. Empty if thresholds
        were swept.
    manova : Series by data set
        p of the test of all algorithms on the measures; empty for two algorithms, NaN where it
        could not be done.
    correction : str
        Over the pairs, one of `CORRECTIONS`.
    sweeps : dict of str to Sweep
        By data set, if thresholds were swept; else empty.
    """

    kind: ClassVar[str] = "wins"
    claim: ClassVar[str] = "more wins"
    measures: tuple[str, ...]
    wins: pd.DataFrame
    won: dict[tuple[str, str], tuple[str, ...]]
    total: pd.Series
    raw: pd.DataFrame
    adjusted: pd.DataFrame
    n: int
    skipped: dict[str, str]
    win: str
    tests: pd.DataFrame
    manova: pd.Series
    correction: str
    sweeps: dict[str, Sweep]

    @property
    def order(self) -> list[str]:
        """The algorithms by the number of wins less losses, most first."""
        net = self.wins.sum(axis=1) - self.wins.sum(axis=0)
        return list(net.sort_values(ascending=False, kind="stable").index)

    @property
    def differs(self) -> pd.DataFrame:
        """Which pairs the sign test separates."""
        return self.adjusted <= self.settings.alpha

    @property
    def beats(self) -> pd.DataFrame:
        """Where the row wins on significantly more data sets than the column."""
        return self.differs & (self.wins > self.wins.T)

    @property
    def smallest_pvalue(self) -> float:
        """The smallest adjusted p-value one pair could reach with so many data sets."""
        return smallest_sign_pvalue(len(self.wins), self.n, self.correction)

    @once
    def details(self) -> pd.DataFrame:
        """Return one row per pair, who wins more first, smallest adjusted p on top.

        Columns: those of `pairs`, where the estimate is the share of data sets won by the first
        less that won by the second and the statistic the number it wins; then wins, ties, losses
        (of the first).
        """
        names, order = np.array(self.order, dtype=object), self.order
        rows, columns = np.triu_indices(len(order), 1)
        won = self.wins.loc[order, order].to_numpy()
        more = won[rows, columns] >= won[columns, rows]
        first, second = np.where(more, rows, columns), np.where(more, columns, rows)
        wins, losses = won[first, second], won[second, first]
        adjusted = self.adjusted.loc[order, order].to_numpy()[first, second]
        table = pd.DataFrame(
            {
                "first": names[first],
                "second": names[second],
                "estimate": (wins - losses) / max(self.n, 1),
                "low": np.nan,
                "high": np.nan,
                "statistic": wins,
                "p": self.raw.loc[order, order].to_numpy()[first, second],
                "p adjusted": adjusted,
                "separated": adjusted <= self.settings.alpha,
                "wins": wins,
                "ties": self.n - wins - losses,
                "losses": losses,
            }
        )
        return table.sort_values("p adjusted", kind="stable", ignore_index=True)

    @property
    def together(self) -> tuple[str, ...]:
        """The measures."""
        return self.measures

    @property
    def counted(self) -> Counted:
        """Data sets that were decided."""
        return Counted(n=self.n, noun="data set")

    @property
    def scope(self) -> str:
        """Other data sets."""
        return "data sets"

    @property
    def least(self) -> Least:
        """What one that wins every data set could reach."""
        k, alpha = len(self.wins), self.settings.alpha
        enough = (
            size
            for size in range(self.n + 1, 1000)
            if smallest_sign_pvalue(k, size, self.correction) <= alpha
        )
        return Least(
            pvalue=self.smallest_pvalue,
            counted=self.counted,
            needed=next(enough, None) if self.smallest_pvalue > alpha else None,
            extreme="Even if one won every one",
            test=f"the {self.post},",
        )

    @property
    def guarantee(self) -> Guarantee:
        """The family of all pairs, unless p-values are not adjusted."""
        pairs = len(self.wins) * (len(self.wins) - 1) // 2
        bounds = "one" if pairs == 1 else "each" if self.correction == "none" else "family"
        return Guarantee(bounds=bounds, comparisons=pairs)

    @property
    def where(self) -> str:
        """Wins over the data sets."""
        return f"in wins over {self.counted}"

    @property
    def post(self) -> str:
        """The sign test with its correction."""
        return f"two-sided sign test over {self.counted}, ties split, {correction_name(self)}"

    def sizes(self, near: Sequence[str]) -> str:
        """Say what a win is, and on how many data sets MANOVA rejects."""
        parts = [f"A win is {self.win}."]
        if len(self.manova):
            rejects = int((self.manova <= self.settings.alpha).sum())
            parts.append(f"MANOVA rejects on {rejects} of {self.counted}.")
        return " ".join(parts)

    def told(self, claim: str, separated: int) -> tuple[str, str, str] | None:
        """Name who wins over whom, with the counts."""
        if claim != "more wins":
            return None
        table = self.details()
        found = table[table["separated"]]
        said = [
            f"{row.first} over {row.second} ({row.wins} to {row.losses})"
            for row in found.itertuples()
        ]
        return (
            f"More wins over {self.counted}: {listed(said, _SAID)}.",
            f"{separated} of {count(len(table), 'pair')} "
            f"{'differs' if separated == 1 else 'differ'} ({self.post}). {self.sizes([])}",
            "",
        )

    @property
    def notes(self) -> tuple[Note, ...]:
        """Data sets without an answer, choices."""
        left = [note("not decided", skipped=tuple(self.skipped.items()))] if self.skipped else []
        return (*left, *self.results.choices)


@worded("not decided")
def _not_decided(voice: Voice, skipped: tuple[tuple[str, str], ...]) -> str:
    name, why = skipped[0]
    return f"{count(len(skipped), 'data set')} left out, first {name}: {why}"


def compare_wins(common: dict) -> WinsComparison:
    """Count wins on several measures, then risk, over data sets (case 5 of the thesis)."""
    results, settings = common["results"], common["settings"]
    measures, rule = tuple(settings.measures), settings.win
    decisions, skipped = decide_each(results, measures, settings, rule=rule)
    found = wins_of(decisions, skipped, results, measures, settings, rule=rule)
    several = len(results.algorithms) > 2
    manova = {dataset: one.manova for dataset, one in decisions.items()} if several else {}
    return _analysis(
        common,
        found,
        tests=_tests(decisions, results.algorithms),
        manova=pd.Series(manova, dtype=float),
        sweeps={},
    )


def _analysis(common: dict, found: Wins, **parts) -> WinsComparison:
    return WinsComparison(
        **common,
        measures=found.measures,
        wins=found.wins,
        won=found.won,
        total=found.total,
        raw=found.raw,
        adjusted=found.pvalues,
        n=found.n,
        skipped=found.skipped,
        win=found.rule,
        correction=found.correction,
        **parts,
    )


def _tests(decisions: dict[str, Decision], names: Sequence[str]) -> pd.DataFrame:
    """Return what was found of every pair on every data set, as `WinsComparison.tests`."""
    label = [*names, ""]  # the last is NO_WINNER
    rows = [
        (dataset, a, b, label[winner], p, by_risk, reason)
        for dataset, one in decisions.items()
        for (a, b), winner, p, by_risk, reason in zip(
            combinations(names, 2),
            one.winners,
            one.pvalues,
            one.risk_pvalues,
            one.reasons,
            strict=True,
        )
    ]
    columns = ["data set", "first", "second", "winner", "p measures", "p risk", "reason"]
    return pd.DataFrame(rows, columns=columns)


def compare_thresholds(common: dict) -> WinsComparison:
    """Sweep 21 thresholds on each data set and count who wins the sweep (case 6)."""
    results, settings = common["results"], common["settings"]
    if reason := needs_scores(results):
        raise DesignError(
            f"Thresholds need predictions with a score for every case. {results.source} {reason}. "
            "Upload predictions, or compare counts at one threshold."
        )
    measures = tuple(settings.measures) or COUNTS  # as the thesis does
    sweeps, skipped = _sweeps(results, settings, measures)
    if not sweeps:
        raise DesignError(f"No data set can be swept. {next(iter(skipped.values()), '')}")
    found = replace(over_data_sets(sweeps, alpha=settings.alpha), skipped=skipped)
    return _analysis(
        common, found, tests=_tests({}, ()), manova=pd.Series(dtype=float), sweeps=sweeps
    )


def _sweeps(
    results: Results, settings: Settings, measures: tuple[str, ...]
) -> tuple[dict[str, Sweep], dict[str, str]]:
    sweeps, skipped = {}, {}
    for dataset in results.datasets:
        try:
            data = curves_on(results, dataset)
            fraction = fraction_of(results, dataset, settings)
            sweeps[dataset] = sweep(
                data.counts(THETAS, "logistic")[
                    :, [data.names.index(name) for name in results.algorithms]
                ],
                results.algorithms,
                measures=measures,
                alpha=settings.alpha,
                rule=settings.win,
                test_fraction=fraction if settings.overlap == "corrected" else None,
            )
        except (FoldwiseError, ValueError) as error:
            skipped[dataset] = str(error)
    return sweeps, skipped


def correction_name(analysis: WinsComparison) -> str:
    """Return how the sign tests pay for each other, for a sentence."""
    if len(analysis.wins) == 2:
        return "one pair"
    name = CORRECTIONS[analysis.correction]
    return "unadjusted" if name == "none" else name
