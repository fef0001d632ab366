"""Comparisons of published summaries: average ranks, decisions, counts of wins."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from math import sqrt
from typing import ClassVar

import numpy as np
import pandas as pd
from scipy import stats

from stats_core.comparison.cards.method_card import method_card, reference_of
from stats_core.comparison.cited_text import (
    CitedText,
    adjustment_text,
    cite_test,
    critical,
    ending_sentence,
    error_control_text,
)
from stats_core.comparison.detectable_inputs import (
    DetectableInput,
    RankDetectableInput,
    UnknownDetectableInput,
    all_pairs,
)
from stats_core.comparison.kinds.average_ranks import adjust_ranks, with_usable_correction
from stats_core.comparison.kinds.ranks_base import (
    by_rank,
    correction_with_source,
    guaranteed,
    other_corrections,
    weak_control,
)
from stats_core.comparison.kinds.wins import OnWins
from stats_core.comparison.performance_values import Standing
from stats_core.comparison.plan_steps import DEMSAR, THESIS, Step, all_ranks, groups, joined
from stats_core.comparison.result import (
    PAIR_COLUMNS,
    Comparison,
    ErrorControl,
    OmnibusTest,
    SmallestPValue,
    Units,
    cached_method,
)
from stats_core.core.errors import DesignError, SettingError
from stats_core.core.formatting import MINUS, format_count, join_names
from stats_core.core.messages import Audience, Message, message, message_text
from stats_core.core.result_types import PairwiseResult, labeled_matrix
from stats_core.core.significance import significant
from stats_core.data.published import Published, rounding_error
from stats_core.data.settings import Settings
from stats_core.inference.multiplicity.adjust import adjust_pairs
from stats_core.inference.multiplicity.cliques import cliques
from stats_core.inference.multiplicity.corrections import CORRECTIONS
from stats_core.inference.multiplicity.win_counts import sign_matrix, wins_correction
from stats_core.inference.pair_intervals import SIMULTANEOUS, error_rates
from stats_core.inference.pairwise import smallest_pvalue
from stats_core.inference.published_ranks_tests import (
    friedman_of_ranks,
    iman_davenport_of_ranks,
)
from stats_core.inference.ranks import RankTestResult, critical_difference, post_hoc_z
from stats_core.ordering.multitest import RULE, Ordering, multitest


@dataclass(frozen=True, kw_only=True, eq=False)
class PublishedRanks(Comparison):
    """Average ranks of two or more algorithms, without the results they come from.

    Attributes
    ----------
    published : Published
        As read.
    friedman, omnibus : RankTestResult
        Friedman's chi-square and the Iman-Davenport F that decides, ties not seen.
    raw : PairwiseResult
        z of all pairs, unadjusted.
    adjusted : DataFrame, algorithm x algorithm
        Adjusted p-values.
    critical_difference : float or None
        The one gap that separates two average ranks; only Nemenyi has one.
    smallest_pvalue : float
        The smallest adjusted p-value any pair could reach with this many data sets.
    """

    kind: ClassVar[str] = "published ranks"
    published: Published
    friedman: RankTestResult
    omnibus: RankTestResult
    raw: PairwiseResult
    adjusted: pd.DataFrame
    critical_difference: float | None
    smallest_pvalue: float

    @property
    def order(self) -> list[str]:
        """The algorithms from best to worst average rank."""
        return list(self.friedman.average_ranks.sort_values(kind="stable").index)

    @property
    def beats(self) -> pd.DataFrame:
        """Where the row differs from the column and ranks better."""
        ranks = self.friedman.average_ranks[self.adjusted.index].to_numpy()
        return significant(self.adjusted, self.settings.alpha) & (ranks[None, :] > ranks[:, None])

    @cached_method
    def details(self) -> pd.DataFrame:
        """Return one row per pair, the better ranked first, smallest adjusted p on top.

        The estimate is the difference of average ranks, with an interval that is simultaneous for
        Nemenyi and Bonferroni and else has the error rate of `error_rates`.
        """
        order, ranks, alpha = self.order, self.friedman.average_ranks, self.settings.alpha
        rows, columns = np.triu_indices(len(order), 1)
        placed = ranks[order].to_numpy()
        difference = placed[columns] - placed[rows]

        def upper(matrix: pd.DataFrame) -> np.ndarray:
            return matrix.loc[order, order].to_numpy()[rows, columns]

        p = upper(self.adjusted)
        margin = self._margins(upper(self.raw.pvalues), p)
        table = pd.DataFrame(
            {
                "first": np.array(order, dtype=object)[rows],
                "second": np.array(order, dtype=object)[columns],
                "estimate": difference,
                "low": difference - margin,
                "high": difference + margin,
                "statistic": upper(self.raw.statistics),
                "p": upper(self.raw.pvalues),
                "p adjusted": p,
                "separated": significant(p, alpha),
            }
        )
        return table.sort_values(["p adjusted", "p"], kind="stable", ignore_index=True)

    def _margins(self, p: np.ndarray, adjusted: np.ndarray) -> np.ndarray | float:
        """Return, per pair, the smallest gap that is rejected at the error rate of its interval."""
        k, n, alpha = len(self.order), self.friedman.n, self.settings.alpha
        if self.settings.correction == "nemenyi":
            return critical_difference(k, n, alpha)
        rates = self.each(alpha) if self.simultaneous else error_rates(p, adjusted, alpha)
        return stats.norm.isf(rates / 2) * sqrt(k * (k + 1) / (6 * n))

    @property
    def counted(self) -> Units:
        """Data sets."""
        return Units(n=self.friedman.n, noun="data set")

    @property
    def scope(self) -> str:
        """Other data sets."""
        return "data sets"

    @property
    def first_test(self) -> OmnibusTest:
        """Iman and Davenport's F."""
        return OmnibusTest(name="Iman-Davenport", outcome=self.omnibus)

    @property
    def least(self) -> SmallestPValue:
        """What one algorithm that is first everywhere could reach."""
        n, k, settings = self.friedman.n, len(self.order), self.settings
        enough = (
            s
            for s in range(n + 1, 1000)
            if significant(smallest_pvalue(k, s, settings, exact=False), settings.alpha)
        )
        return SmallestPValue(
            pvalue=self.smallest_pvalue,
            counted=self.counted,
            needed=next(enough, None)
            if not significant(self.smallest_pvalue, settings.alpha)
            else None,
            extreme=f"Even if {self.order[0]} won every one",
            test=self.post,
        )

    @property
    def guarantee(self) -> ErrorControl:
        """All pairs; see `guaranteed`."""
        return guaranteed(self.settings, len(self.order) * (len(self.order) - 1) // 2)

    @property
    def where(self) -> str:
        """Average ranks over the data sets."""
        return f"by average rank over {self.counted}"

    @property
    def post(self) -> str:
        """The correction of the z of average ranks."""
        return correction_with_source(CORRECTIONS, self.settings)

    @property
    def tops(self) -> str:
        """By average rank, which `where` says."""
        return "stands first"

    @property
    def digits(self) -> int:
        """Of gaps between ranks."""
        return 2

    @property
    def effect(self) -> str:
        """A difference of average ranks."""
        return "difference in average rank"

    def estimated(self, first: str, second: str) -> str:
        """Name it with its sign: small ranks are better, so the first is subtracted."""
        return f"{self.effect}, {second} {MINUS} {first}"

    @property
    def simultaneous(self) -> bool:
        """Nemenyi's and Bonferroni's, at one level for all gaps."""
        return self.settings.correction in SIMULTANEOUS

    @property
    def ordered_by(self) -> Standing:
        """Average ranks."""
        return by_rank(self.friedman.average_ranks)

    def sizes(self, near: Sequence[str]) -> str:
        """Say between which values the average ranks of all lie."""
        return f"Average ranks from {self.ordered_by.range}."

    def alternatives(self) -> list[tuple[str, Settings]]:
        """Other corrections."""
        return other_corrections(self.settings, CORRECTIONS)

    def gap(self) -> DetectableInput:
        """Gaps of average ranks."""
        settings, k = self.settings, len(self.order)
        return RankDetectableInput(
            family=all_pairs(k, settings.alpha, settings.correction),
            k=k,
            n=self.friedman.n,
            alpha=settings.alpha,
            critical=self.critical_difference,
            exact=False,
        )

    def steps(self) -> list[Step]:
        """What was given, then the tests of average ranks."""
        why = method_card(self.settings.correction)
        pairs = Step(
            question="Which pairs differ?",
            test=self.post,
            why=why.why,
            reference=why.reference,
            fails=self.cannot(),
            advised=True,
        )
        given = Step(
            question="What is one result?",
            test="an average rank, as published",
            why="The tests of average ranks need nothing else but the number of data sets.",
            reference=f"{DEMSAR}, section 3.2.2",
            fails=self.published.lacks,
        )
        return [given, all_ranks(joined(self.omnibus.warnings)), pairs, groups()]

    def origin(self) -> CitedText:
        """Say that ranks were taken over."""
        return ending_sentence(
            f"Their average ranks over {self.counted}, 1 for the best, were taken as published; the "
            "results behind them were not at hand"
        )

    def methods(self) -> Iterable[CitedText]:
        """Describe the first test and the tests of pairs."""
        settings, pairs = self.settings, format_count(self.guarantee.comparisons, "pair")
        yield CitedText(" The Friedman test", method_card("friedman").papers)
        yield CitedText(" in the form of Iman and Davenport", method_card("iman_davenport").papers)
        yield ending_sentence(
            ", without a correction for ties, asked whether they differ by more than chance"
        )
        if settings.correction == "nemenyi":
            yield cite_test(f" The {pairs} of algorithms were then compared by", "nemenyi")
            yield critical(self.critical_difference or 0.0)
            yield error_control_text(settings.alpha, self.guarantee.bounds)
            return
        yield cite_test(f" The {pairs} of algorithms were then compared by", "post_hoc_z")
        yield from adjustment_text(settings.correction, settings.alpha, self.guarantee.bounds)

    @property
    def notes(self) -> tuple[Message, ...]:
        """What ranks do not show, pairs that more decimals could turn, choices."""
        near = self.near_by_rounding
        more = (
            (message("near by rounding", pairs=near, digits=self.published.digits),) if near else ()
        )
        read = tuple(n for n in self.results.notes if n.code == "ranks do not fit")
        return (
            *weak_control(self.guarantee),
            *read,
            *self.omnibus.warnings,
            *more,
            *self.results.choices,
        )

    @property
    def near_by_rounding(self) -> tuple[str, ...]:
        """Pairs that could be decided otherwise if their ranks were printed with more decimals."""
        k, alpha = len(self.order), self.settings.alpha
        room = rounding_error(self.published.digits) / sqrt(k * (k + 1) / (6 * self.friedman.n))
        table = self.details()
        z = table["estimate"].to_numpy() / sqrt(k * (k + 1) / (6 * self.friedman.n))
        ratio = table["p adjusted"] / np.maximum(table["p"], 1e-300)
        low = ratio * 2 * stats.norm.sf(z + room)
        high = ratio * 2 * stats.norm.sf(np.maximum(z - room, 0))
        near = significant(low, alpha) & ~significant(high, alpha)
        return tuple(f"{a} and {b}" for a, b in table.loc[near, ["first", "second"]].to_numpy())


@message_text("near by rounding")
def _near(voice: Audience, pairs: tuple[str, ...], digits: int) -> str:
    return (
        f"The ranks were printed with {format_count(digits, 'decimal')}; with more, "
        f"{join_names(list(pairs), 3)} could be decided otherwise."
    )


def compare_published_ranks(common: dict) -> PublishedRanks:
    """Test average ranks of all algorithms, and of all pairs."""
    results, settings = common["results"], common["settings"]
    published = results.published
    if set(results.algorithms) != set(published.names):
        raise DesignError(
            "Average ranks hold for all algorithms that were ranked together. Here some are left "
            "out, and the ranks of the others without them are not known. Keep all of them."
        )
    if settings.source not in ("", "ranks"):
        raise DesignError(
            "The Wilcoxon and the sign test need results on each data set. "
            f"{published.lacks} Take p-values from average ranks."
        )
    common = with_usable_correction({**common, "settings": replace(settings, source="ranks")})
    settings = common["settings"]
    n, k, ranks = published.n, len(published.names), published.average_ranks
    tested = friedman_of_ranks(ranks, n, digits=published.digits)
    raw = post_hoc_z(ranks, n)
    return PublishedRanks(
        **common,
        published=published,
        friedman=tested,
        omnibus=iman_davenport_of_ranks(ranks, n, digits=published.digits),
        raw=raw,
        adjusted=adjust_ranks(tested, raw, settings),
        critical_difference=(
            critical_difference(k, n, settings.alpha) if settings.correction == "nemenyi" else None
        ),
        smallest_pvalue=smallest_pvalue(k, n, settings, exact=False),
    )


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
