"""Decisions as published: the groups and the order that follow from them; nothing is tested."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np
import pandas as pd

from stats_core.comparison.cards.method_card import method_card, reference_of
from stats_core.comparison.cited_text import CitedText, ending_sentence
from stats_core.comparison.detectable_inputs import DetectableInput, UnknownDetectableInput
from stats_core.comparison.plan_steps import Step, groups
from stats_core.comparison.result import (
    PAIR_COLUMNS,
    Comparison,
    ErrorControl,
    SmallestPValue,
    Units,
    cached_method,
)
from stats_core.core.errors import SettingError
from stats_core.core.formatting import format_count, join_names
from stats_core.core.messages import Audience, Message, message, message_text
from stats_core.core.result_types import labeled_matrix
from stats_core.data.published import Published
from stats_core.data.settings import Settings
from stats_core.inference.multiplicity.cliques import cliques
from stats_core.ordering.multitest import RULE, Ordering, multitest

_SAID = 3  # pairs named in the headline


@dataclass(frozen=True, kw_only=True, eq=False)
class PublishedDecisions(Comparison):
    """Which pairs of algorithms differ, or who is better, as given.

    Attributes
    ----------
    published : Published
        As read.
    decided : DataFrame, algorithm x algorithm
        Whether the row is better than the column; where decisions have no side, whether the two
        differ.
    ordering : Ordering or None
        By MultiTest; None where decisions do not say who is better.
    """

    kind: ClassVar[str] = "published decisions"
    published: Published
    decided: pd.DataFrame
    ordering: Ordering | None

    @property
    def measure_label(self) -> str:
        """There is no measure."""
        return "decisions as given"

    @property
    def order(self) -> list[str]:
        """The algorithms by MultiTest; as in the table where nobody is better."""
        return list(self.decided.index if self.ordering is None else self.ordering.order)

    @property
    def differs(self) -> pd.DataFrame:
        """Which pairs differ; symmetric."""
        return self.decided | self.decided.T

    @cached_method
    def details(self) -> pd.DataFrame:
        """Return one row per pair, those that differ on top; no number stands behind a decision."""
        order, differs = self.order, self.differs
        rows = []
        for i, first in enumerate(order):
            for second in order[i + 1 :]:
                turned = bool(self.ordering is not None and self.decided.loc[second, first])
                names = (second, first) if turned else (first, second)
                rows.append((*names, *[np.nan] * 6, bool(differs.loc[first, second])))
        table = pd.DataFrame(rows, columns=list(PAIR_COLUMNS))
        return table.sort_values("separated", ascending=False, kind="stable", ignore_index=True)

    @property
    def beats(self) -> pd.DataFrame:
        """Where the row is better than the column; nowhere if decisions have no side."""
        if self.ordering is None:
            return labeled_matrix(False, self.decided.index)
        return self.decided

    @property
    @cached_method
    def groups(self) -> tuple[tuple[str, ...], ...]:
        """Maximal groups without a pair that differs."""
        apart = self.differs.loc[self.order, self.order]
        return tuple(cliques(labeled_matrix(np.where(apart, 0.0, 1.0), self.order), 0.5))

    @property
    def counted(self) -> Units:
        """Decisions."""
        k = len(self.decided)
        return Units(n=k * (k - 1) // 2, noun="decision")

    @property
    def scope(self) -> str:
        """Whatever the decisions spoke of is not known."""
        return "none"

    @property
    def least(self) -> SmallestPValue:
        """No p-value is known, so there is no bound."""
        return SmallestPValue(counted=self.counted)

    @property
    def guarantee(self) -> ErrorControl:
        """What the decisions were adjusted for is not known."""
        return ErrorControl(bounds="nothing", comparisons=self.counted.n, adjusted=False)

    @property
    def decided_elsewhere(self) -> bool:
        """They came without their tests."""
        return True

    @property
    def where(self) -> str:
        """By the decisions."""
        return "by the decisions given"

    @property
    def post(self) -> str:
        """Nothing is tested."""
        return "decisions as given"

    def sizes(self, near: Sequence[str]) -> str:
        """Say what comes first."""
        if self.ordering is None:
            return ""
        return f"MultiTest puts {self.ordering.order[0]} first."

    def told(self, claim: str, separated: int) -> tuple[str, str, str] | None:
        """Say the order, or which pairs differ."""
        if claim == "one algorithm":
            return None
        pairs = format_count(self.counted.n, "pair")
        given = "Decisions are taken as given; nothing was tested here."
        if not separated:
            return f"By the decisions given none of {pairs} differs.", given, ""
        how = f"{separated} of {pairs} {'differs' if separated == 1 else 'differ'}."
        if self.ordering is not None:
            said = join_names(self.ordering.order, 6)
            whose = "your order" if self.settings.prior else "the order of the table"
            why = "because the given decisions find no later algorithm better"
            if self.ordering.edges:
                why = "except where the given decisions find a later algorithm better"
            return f"Ordered by {whose}, {why}: {said}.", f"MultiTest: {how} {given}", ""
        found = self.details()[["first", "second", "separated"]]
        named = [f"{a} and {b}" for a, b, apart in found.to_numpy() if apart]
        more = f"; and {len(named) - _SAID} more" if len(named) > _SAID else ""
        return f"By the decisions given {how}", f"{'; '.join(named[:_SAID])}{more}. {given}", ""

    def alternatives(self) -> list[tuple[str, Settings]]:
        """None."""
        return []

    def gap(self) -> DetectableInput:
        """Nothing is known of it."""
        return UnknownDetectableInput(
            reason="Which difference these decisions could have shown is not known."
        )

    def steps(self) -> list[Step]:
        """What was given, then the order or the groups."""
        given = Step(
            question="Which pairs differ?",
            test="decisions as published",
            why="Whether two differ is given; there is nothing left to test.",
            reference=reference_of("multitest"),
            fails=self.published.lacks,
        )
        if self.ordering is None:
            found = replace(groups(), test="Groups of the decisions given", advised=True)
            return [given, found]
        why = method_card("multitest")
        order = Step(
            question="Which order follows?",
            test="MultiTest on the decisions given",
            why=why.why
            or RULE.format(first="the first algorithm of the prior order", later="later"),
            reference=why.reference,
            advised=True,
        )
        return [given, groups(), order]

    def origin(self) -> CitedText:
        """Say that decisions were taken over."""
        over = f" over {self.published.over}" if self.published.over else ""
        what = "Whether two differ" if self.ordering is None else "Who is better than whom"
        return ending_sentence(f"{what}{over} was taken as published; the results were not at hand")

    def methods(self) -> Iterable[CitedText]:
        """Describe the order, or the groups."""
        if self.ordering is None:
            yield CitedText(
                " Groups are maximal sets without a pair that differs",
                method_card("cliques").papers,
            )
            yield CitedText(".")
            return
        yield CitedText(" They were put in order by MultiTest", method_card("multitest").papers)
        yield ending_sentence(
            ", the earlier in the prior order first unless the later was better; that order was "
            f"{join_names(list(self.ordering.prior), 12)}"
        )

    @property
    def notes(self) -> tuple[Message, ...]:
        """Which prior order was taken, choices."""
        if self.ordering is None:
            return tuple(self.results.choices)
        typed = bool(self.settings.prior)
        prior = message("prior taken", prior=self.ordering.prior, typed=typed)
        return (prior, *self.results.choices)


@message_text("prior taken")
def _prior(voice: Audience, prior: tuple[str, ...], typed: bool) -> str:
    whose = f"{voice.your} order" if typed else "the order of the table"
    more = "" if typed or voice.in_paper else " Give the order by cost instead if there is one."
    return f"From cheapest to costliest: {join_names(list(prior), 6)} ({whose}).{more}"


def compare_published_decisions(common: dict) -> PublishedDecisions:
    """Order by decisions, or group by them."""
    results, settings = common["results"], common["settings"]
    published = results.published
    known = set(results.algorithms)
    names = [name for name in published.names if name in known]
    prior = tuple(name for name in settings.prior if name in known) or tuple(names)
    if set(prior) != known or set(settings.prior) - set(published.names):
        raise SettingError(
            "An order of your own must name every algorithm once. It is "
            f"{join_names(list(settings.prior), 8)}, for {join_names(names, 8)}. Correct it."
        )
    decided = published.matrix("decided").loc[names, names]
    return PublishedDecisions(
        **common,
        published=published,
        decided=decided,
        ordering=multitest(prior, decided) if published.sided else None,
    )
