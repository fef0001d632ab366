"""What comparisons by wins over data sets share: the counts, and the sign test of each pair."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import pandas as pd

from stats_core.comparison.claims import FEW
from stats_core.comparison.detectable_inputs import (
    DetectableInput,
    ProportionDetectableInput,
    all_pairs,
)
from stats_core.comparison.detectable_inputs import one_pair as one_pair_family
from stats_core.comparison.result import (
    Comparison,
    ErrorControl,
    SmallestPValue,
    Units,
    cached_method,
)
from stats_core.core.formatting import format_count, join_names, p_phrase
from stats_core.core.messages import Audience, Message, message, message_text
from stats_core.core.significance import significant
from stats_core.inference.multiplicity.corrections import CORRECTIONS
from stats_core.inference.multiplicity.win_counts import smallest_sign_pvalue


@dataclass(frozen=True, kw_only=True, eq=False)
class OnWins(Comparison):
    """Who wins on how many data sets.

    Attributes
    ----------
    wins : DataFrame, algorithm x algorithm
        Data sets on which the row wins over the column.
    raw, adjusted : DataFrame, algorithm x algorithm
        Two-sided sign test over data sets, ties split, before and after adjusting.
    n : int
        Data sets decided.
    correction : str
        Over the pairs, one of `CORRECTIONS`.
    """

    derived: ClassVar[tuple[str, ...]] = ("smallest_pvalue",)
    ahead: ClassVar[str] = "over"
    wins: pd.DataFrame
    raw: pd.DataFrame
    adjusted: pd.DataFrame
    n: int
    correction: str

    @property
    def order(self) -> list[str]:
        """The algorithms by the number of wins less losses, most first."""
        net = self.wins.sum(axis=1) - self.wins.sum(axis=0)
        return list(net.sort_values(ascending=False, kind="stable").index)

    @property
    def top(self) -> tuple[str, ...]:
        """All with the most wins less losses."""
        net = self.wins.sum(axis=1) - self.wins.sum(axis=0)
        return tuple(net.index[net == net.max()])

    @property
    def differs(self) -> pd.DataFrame:
        """Which pairs the sign test separates."""
        return significant(self.adjusted, self.settings.alpha)

    @property
    def beats(self) -> pd.DataFrame:
        """Where the row wins on significantly more data sets than the column."""
        return self.differs & (self.wins > self.wins.T)

    @property
    def smallest_pvalue(self) -> float:
        """The smallest adjusted p-value one pair could reach with so many data sets."""
        return smallest_sign_pvalue(len(self.wins), self.n, self.correction)

    @cached_method
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
                "separated": significant(adjusted, self.settings.alpha),
                "wins": wins,
                "ties": self.n - wins - losses,
                "losses": losses,
            }
        )
        return table.sort_values("p adjusted", kind="stable", ignore_index=True)

    @property
    def counted(self) -> Units:
        """Data sets that were decided."""
        return Units(n=self.n, noun="data set")

    @property
    def scope(self) -> str:
        """Other data sets."""
        return "data sets"

    @property
    def least(self) -> SmallestPValue:
        """What one that wins every data set could reach."""
        k, alpha = len(self.wins), self.settings.alpha
        enough = (
            size
            for size in range(self.n + 1, 1000)
            if significant(smallest_sign_pvalue(k, size, self.correction), alpha)
        )
        return SmallestPValue(
            pvalue=self.smallest_pvalue,
            counted=self.counted,
            needed=next(enough, None) if not significant(self.smallest_pvalue, alpha) else None,
            extreme="Even if one won every one",
            test=f"the {self.post},",
        )

    @property
    def guarantee(self) -> ErrorControl:
        """The family of all pairs, unless p-values are not adjusted."""
        pairs = len(self.wins) * (len(self.wins) - 1) // 2
        bounds = "one" if pairs == 1 else "each" if self.correction == "none" else "family"
        return ErrorControl(bounds=bounds, comparisons=pairs, adjusted=bounds != "each")

    @property
    def post(self) -> str:
        """The sign test with its correction."""
        return f"two-sided sign test over {self.counted}, ties split, {correction_name(self)}"

    @property
    def tops(self) -> str:
        """By wins less losses."""
        return "stands first"

    @property
    def effect(self) -> str:
        """Nothing: the counts of wins say it."""
        return ""

    def told(self, claim: str, separated: int) -> tuple[str, str, str] | None:
        """Name who wins over whom, with the counts."""
        table = self.details()
        if claim == "nothing" and len(table) == 1:
            (row,) = table.itertuples()
            return (
                f"The data do not separate {row.first} and {row.second} {self.where}, at this level.",
                f"{row.wins} to {row.losses}, {p_phrase(row.p, self.settings.alpha)} ({self.post}). "
                "This is not evidence that they are equal.",
                self.sizes([]),
            )
        found = table[table["separated"]]
        if not 0 < len(found) <= FEW:
            return None
        only = f", {p_phrase(found['p'].iloc[0], self.settings.alpha)}" if len(table) == 1 else ""
        said = [
            f"{row.first} over {row.second} ({row.wins} to {row.losses})"
            for row in found.itertuples()
        ]
        return (
            f"More wins over {self.counted}: {join_names(said)}.",
            "",
            f"{separated} of {format_count(len(table), 'pair')} {'differs' if separated == 1 else 'differ'}"
            f"{only} ({self.post}). {self.sizes([])}",
        )

    def gap(self) -> DetectableInput:
        """The share of data sets that one algorithm has to win."""
        k, alpha = len(self.wins), self.settings.alpha
        family = one_pair_family(alpha) if k == 2 else all_pairs(k, alpha, self.correction)
        return ProportionDetectableInput(family=family, n=self.n)


def correction_name(analysis: OnWins) -> str:
    """Return how the sign tests pay for each other, for a sentence."""
    if len(analysis.wins) == 2:
        return "one pair"
    name = CORRECTIONS[analysis.correction]
    return "unadjusted" if name == "none" else name


def risks_noted(found: pd.DataFrame | None, alpha: float, total: int) -> list[Message]:
    """Say of so many pairs how many differ in risk at some threshold, if that was tested."""
    if found is None:
        return []
    apart = found[significant(found["p adjusted"], alpha)]
    return [message("risks differ", pairs=len(apart.groupby(["first", "second"])), total=total)]


@message_text("risks differ")
def _risks_differ(voice: Audience, pairs: int, total: int) -> str:
    return (
        "A win needs folds that decide most thresholds of a data set; all other data sets count as "
        f"ties. Tested over data sets as risks, all thresholds and pairs at once, {pairs} of "
        f"{format_count(total, 'pair')} {'differs' if pairs == 1 else 'differ'} at some threshold."
    )


@message_text("manova rejects")
def _manova_rejects(voice: Audience, rejects: int, n: int) -> str:
    return f"MANOVA rejects on {rejects} of {format_count(n, 'data set')}."


@message_text("not decided")
def _not_decided(voice: Audience, skipped: tuple[tuple[str, str], ...]) -> str:
    name, why = skipped[0]
    return f"{format_count(len(skipped), 'data set')} left out, first {name}: {why}"
