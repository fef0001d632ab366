"""Wins, ties and losses as published: the sign test of each pair."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import pandas as pd

from stats_core.comparison.cited_text import (
    CitedText,
    adjustment_text,
    cite_test,
    ending_sentence,
)
from stats_core.comparison.kinds.wins_base import OnWins
from stats_core.comparison.plan_steps import DEMSAR, THESIS, Step, groups
from stats_core.core.messages import Message
from stats_core.data.published import Published
from stats_core.data.settings import Settings
from stats_core.inference.multiplicity.adjust import adjust_pairs
from stats_core.inference.multiplicity.corrections import CORRECTIONS
from stats_core.inference.multiplicity.win_counts import sign_matrix, wins_correction


@dataclass(frozen=True, kw_only=True, eq=False)
class PublishedWins(OnWins):
    """On how many data sets each wins over each other, without the results behind it.

    Attributes
    ----------
    published : Published
        As read.
    ties : DataFrame, algorithm x algorithm
        Data sets on which two tie.
    """

    kind: ClassVar[str] = "published wins"
    published: Published
    ties: pd.DataFrame

    @property
    def where(self) -> str:
        """Wins over the data sets."""
        return f"in wins over {self.counted}"

    def sizes(self, near: Sequence[str]) -> str:
        """Say that wins are as given."""
        return "Wins are taken as published."

    def alternatives(self) -> list[tuple[str, Settings]]:
        """None."""
        return []

    def steps(self) -> list[Step]:
        """What was given, then the sign test."""
        one = len(self.wins) == 2
        by = (
            ""
            if one or self.correction == "none"
            else f", adjusted by {CORRECTIONS[self.correction]}"
        )
        given = Step(
            question="What is one result?",
            test="a win, a tie or a loss on a data set, as published",
            why="The sign test needs nothing else but their numbers.",
            reference=f"{DEMSAR}, section 3.1.4",
            fails=self.published.lacks,
        )
        sign = Step(
            question="Who wins on more data sets?",
            test=f"Two-tailed sign test over data sets{by}",
            why="A data set without a winner is a tie, split evenly.",
            reference=f"{DEMSAR}, section 3.1.4; {THESIS}, section 4.6",
            fails=self.cannot(),
            advised=True,
        )
        return [given, sign, *([] if one else [groups()])]

    def origin(self) -> CitedText:
        """Say that wins were taken over."""
        return ending_sentence(
            f"On how many of {self.counted} each was better than each other was taken as published; "
            "the results behind that were not at hand"
        )

    def methods(self) -> Iterable[CitedText]:
        """Describe the sign test."""
        whose = "the two" if len(self.wins) == 2 else "each pair"
        yield cite_test(f" The wins and losses of {whose} were compared by the exact", "sign_test")
        yield CitedText(", ties split evenly and an odd one dropped")
        if len(self.wins) == 2:
            yield ending_sentence(f", two-sided, at alpha {self.settings.alpha:g}")
        else:
            yield from adjustment_text(self.correction, self.settings.alpha, self.guarantee.bounds)

    @property
    def notes(self) -> tuple[Message, ...]:
        """Choices."""
        return tuple(self.results.choices)


def compare_published_wins(common: dict) -> PublishedWins:
    """Test by signs who wins on more data sets."""
    results, settings = common["results"], common["settings"]
    published, names = results.published, list(results.algorithms)
    wins, n = published.matrix("wins").loc[names, names], published.n
    raw = sign_matrix(wins, n)
    correction = wins_correction(settings.correction)
    ties = (n - wins - wins.T).where(~np.eye(len(names), dtype=bool), 0)
    return PublishedWins(
        **common,
        published=published,
        wins=wins,
        ties=ties,
        raw=raw,
        adjusted=adjust_pairs(raw, correction),
        n=n,
        correction=correction,
    )
