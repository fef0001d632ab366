"""Average ranks as published: the tests of all algorithms and of pairs that need nothing else."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from math import sqrt
from typing import ClassVar

import numpy as np
import pandas as pd
from scipy import stats

from stats_core.comparison.cards.method_card import method_card
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
from stats_core.comparison.performance_values import Standing
from stats_core.comparison.plan_steps import DEMSAR, Step, all_ranks, groups, joined
from stats_core.comparison.result import (
    Comparison,
    ErrorControl,
    OmnibusTest,
    SmallestPValue,
    Units,
    cached_method,
)
from stats_core.core.errors import DesignError
from stats_core.core.formatting import MINUS, format_count, join_names
from stats_core.core.messages import Audience, Message, message, message_text
from stats_core.core.result_types import PairwiseResult
from stats_core.core.significance import significant
from stats_core.data.published import Published, rounding_error
from stats_core.data.settings import Settings
from stats_core.inference.interval_levels import error_rates
from stats_core.inference.multiplicity.corrections import CORRECTIONS
from stats_core.inference.pair_intervals import SIMULTANEOUS
from stats_core.inference.pair_test_rule import smallest_pvalue
from stats_core.inference.published_ranks_tests import (
    friedman_of_ranks,
    iman_davenport_of_ranks,
)
from stats_core.inference.ranks import RankTestResult, critical_difference, post_hoc_z


@dataclass(frozen=True, kw_only=True, eq=False)
class PublishedRanks(Comparison):
    """Average ranks of two or more algorithms, without the results they come from.

    Attributes
    ----------
    published : Published
        As read.
    friedman, omnibus : RankOutcome
        Friedman's chi-square and the Iman-Davenport F that decides, ties not seen.
    raw : PairwiseOutcome
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
