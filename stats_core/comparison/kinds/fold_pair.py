"""Two algorithms on the folds of one data set, by every test of a pair."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from math import isclose, isnan, nan
from typing import ClassVar

import pandas as pd

from stats_core.comparison.cited_text import CitedText, cite_test, ending_sentence
from stats_core.comparison.detectable_inputs import DetectableInput, FoldDetectableInput
from stats_core.comparison.detectable_inputs import one_pair as one_pair_family
from stats_core.comparison.identical_pairs import same_notes
from stats_core.comparison.intervals import Intervals
from stats_core.comparison.kinds.folds_base import (
    CHECK_LEVEL,
    OnFolds,
    check_applies,
    least_pvalue,
    or_none,
    published_notes,
    why_this_pair,
)
from stats_core.comparison.kinds.two_algorithms import not_ruled_out
from stats_core.comparison.plan_steps import Step, joined
from stats_core.comparison.result import (
    ErrorControl,
    SmallestPValue,
    Units,
    cached_method,
    one_beats,
    one_pair,
)
from stats_core.core.formatting import (
    MINUS,
    capitalize_first,
    format_interval,
    format_number,
    lower_first,
    p_phrase,
    published_said,
)
from stats_core.core.messages import Audience, Message, message, message_text
from stats_core.core.result_types import PairedResult, TestResult
from stats_core.core.significance import significant
from stats_core.data.settings import TUKEY, Settings
from stats_core.inference.assumptions import normal_differences
from stats_core.inference.fold_pairs import fold_data, fold_pairs
from stats_core.inference.fold_tests import (
    AS_IF_INDEPENDENT,
    CORRECTED,
    DISCRETE,
    ON_CASES,
    PAIR_TESTS,
    PairAnswer,
    advised_test,
    redundant,
    run_pair_test,
)
from stats_core.inference.paired import EffectSizes, conservative_df, effect_sizes
from stats_core.inference.paired.t_tests import CONSERVATIVE
from stats_core.inference.pairwise import count_wins


@dataclass(frozen=True, kw_only=True, eq=False)
class FoldPairComparison(OnFolds):
    """Two algorithms on one data set.

    Attributes
    ----------
    first, second : str
        The two; differences are first minus second in the measure's own direction.
    answers : tuple of PairAnswer
        What every test says, or why it says nothing.
    effects : EffectSizes or None
        None where the differences do not vary.
    normality : TestResult or None
        Of the differences, None where it cannot be checked.
    """

    kind: ClassVar[str] = "fold pair"
    derived: ClassVar[tuple[str, ...]] = ("means", "better", "worse", "differences")
    claim: ClassVar[str] = "better"
    first: str
    second: str
    answers: tuple[PairAnswer, ...]
    effects: EffectSizes | None
    normality: TestResult | None

    @property
    def chosen(self) -> PairAnswer:
        """The test that decides."""
        return self.answer(self.test)

    @property
    def _outcome(self) -> PairedResult:
        """What that test says, where it decides."""
        found = self.chosen.outcome
        assert found is not None
        return found

    def answer(self, key: str) -> PairAnswer:
        """Return what one test says."""
        return next(answer for answer in self.answers if answer.key == key)

    @property
    def differences(self) -> pd.Series:
        """First minus second in every fold."""
        return self.matrix[self.first] - self.matrix[self.second]

    @property
    def better(self) -> str:
        """The algorithm that the deciding test favours; by the mean where it takes no side."""
        outcome, larger = self.chosen.outcome, self.differences.mean() >= 0
        if outcome is not None and outcome.pvalue_greater != outcome.pvalue_less:
            larger = outcome.pvalue_greater < outcome.pvalue_less
        favours_first = larger == self.higher_is_better
        return self.first if favours_first or not self.differences.any() else self.second

    @property
    def worse(self) -> str:
        """The other one."""
        return self.second if self.better == self.first else self.first

    @property
    def effects_test(self) -> str:
        """Key of the t test that gives effects their intervals."""
        return by_t(self.test, self.test_fraction, self.n_folds, self.settings)

    @property
    def effects_by(self) -> str:
        """Whose intervals `effects` has; another one where another test decides."""
        key = self.effects_test
        other = self.test != key and self.chosen.low == self.chosen.low  # NaN if it has none
        also = f"; the one of the verdict is by the {self.chosen.name}" if other else ""
        return f"Intervals of effects are by the {PAIR_TESTS[key].name}{also}."

    @property
    def max_df_of_t(self) -> int | None:
        """Degrees of freedom at most of t tests and posteriors, None for J - 1."""
        return conservative_df(self.n_folds) if self.effects_test == CONSERVATIVE else None

    def published_p(self, first: str, second: str) -> float | None:
        """As in every kind."""
        outcome = self.chosen.outcome
        found = getattr(outcome, "published_pvalue", None)
        return None if outcome is None or found is None or isclose(found, outcome.pvalue) else found

    def record(self, name: str) -> tuple[int, int, int]:
        """Return (wins, ties, losses) of one of the two: folds in which it is better."""
        other = self.second if name == self.first else self.first
        wins, ties = count_wins(self.matrix, higher_is_better=self.higher_is_better)
        return (
            int(wins.loc[name, other]),
            int(ties.loc[name, other]),
            int(wins.loc[other, name]),
        )

    @property
    def order(self) -> list[str]:
        """The better one first."""
        return [self.better, self.worse]

    @cached_method
    def details(self) -> pd.DataFrame:
        """Return the one pair by the test that decides; the estimate is the mean difference.

        By tests that look at another difference (Hodges and Lehmann's for Wilcoxon) it is theirs.
        """
        said, (wins, ties, losses) = self.chosen, self.record(self.first)
        outcome, published = said.outcome, self.published_p(self.first, self.second)
        return one_pair(
            self,
            **({} if published is None else {"p published": published}),
            estimate=getattr(outcome, "estimate", self.differences.mean()),
            low=said.low,
            high=said.high,
            statistic=nan if outcome is None else outcome.statistic,
            p=nan if outcome is None else outcome.pvalue,
            wins=wins,
            ties=ties,
            losses=losses,
        )

    def intervals(self, alpha: float) -> Intervals | None:
        """Return the interval of the test that decides; None if it has none."""
        (pair,) = self.pairs_of_folds([(self.first, self.second)])
        found = run_pair_test(pair, self.test, confidence=1 - alpha)
        if isnan(found.low):
            return None
        by = "Hodges and Lehmann" if self.test == "Wilcoxon" else f"the {found.name}"
        return Intervals(ends=[(found.low, found.high)], by=f"the interval of {by}")

    @property
    def beats(self) -> pd.DataFrame:
        """The better one, if the two differ."""
        return one_beats(self)

    @property
    def obstacle(self) -> str:
        """The same result in every fold, or a test that refuses."""
        return super().obstacle or ("test refused" if self.chosen.outcome is None else "")

    @property
    def least(self) -> SmallestPValue:
        """What one that is better in every fold could reach by a test that counts."""
        discrete = self.test in DISCRETE
        return self.least_by(
            least_pvalue(self.test, self.n_folds) if discrete else 0.0, 1, self.better
        )

    @property
    def guarantee(self) -> ErrorControl:
        """There is one comparison; its level is not kept if overlap is not allowed for."""
        return ErrorControl(bounds="nothing" if not self.keeps_its_level else "one", comparisons=1)

    @property
    def post(self) -> str:
        """The test that decides."""
        return self.chosen.name

    def sizes(self, near: Sequence[str]) -> str:
        """Say both means, and the difference with its interval."""
        said, digits, means = self.chosen, self.digits, self.matrix.mean()
        alpha = self.settings.alpha
        published = published_said(self.published_p(self.first, self.second), alpha, ", ")
        outcome, row = self._outcome, self.details().iloc[0]
        between = "" if isnan(said.low) else f" {format_interval(said.low, said.high, digits)}"
        of_folds = outcome.n == self.n_folds
        size = self.counted if of_folds else Units(n=outcome.n, noun="case")
        text = (
            f"Mean {self.settings.measure} {format_number(means[self.first], digits)} ({self.first}) against "
            f"{format_number(means[self.second], digits)} ({self.second}): difference {self.first} {MINUS} "
            f"{self.second} {format_number(row['estimate'], digits)}{between} ({said.name}, "
            f"{p_phrase(outcome.pvalue, alpha)}{published}, {size})."
        )
        return text if near else f"{text}{not_ruled_out(said.low, said.high, digits)}"

    def told(self, claim: str, separated: int) -> tuple[str, str, str] | None:
        """Say why the test that was asked for does not decide."""
        if claim != "test refused":
            return None
        name = self.chosen.name
        return (
            f"{capitalize_first(name)} cannot decide between {self.first} and {self.second}.",
            self.chosen.reason,
            "",
        )

    def table(self) -> pd.DataFrame:
        """Return every test of the two, one row each."""
        rows = [
            {
                "test": said.name,
                "decides": said.key == self.test,
                "statistic": nan if said.outcome is None else said.outcome.statistic,
                "p": nan if said.outcome is None else said.outcome.pvalue,
                "low": said.low,
                "high": said.high,
                "remark": said.reason,
            }
            for said in self.answers
        ]
        if self.regions():
            rows = [row | {"region": self.regions()[0] if row["decides"] else ""} for row in rows]
        return pd.DataFrame(rows)

    def alternatives(self) -> list[tuple[str, Settings]]:
        """Every other test that the design allows; none that takes results as independent."""
        others = [said for said in self.answers if said.key not in (self.test, *AS_IF_INDEPENDENT)]
        keys = [said.key for said in others if said.applies]
        return [(f"test {key}", replace(self.settings, test=key)) for key in keys]

    def gap(self) -> DetectableInput:
        """The difference that the test that decides can find."""
        return FoldDetectableInput(
            family=one_pair_family(self.settings.alpha),
            test=self.test,
            pairs=self.pairs_of_folds([(self.first, self.second)]),
            unit=self.settings.measure,
            refused="" if self.chosen.outcome is not None else self.chosen.reason,
        )

    def steps(self) -> list[Step]:
        """Two algorithms on one data set (scenario 1, case 1 of the thesis)."""
        why, reference, papers = why_this_pair(self.test)
        refused = "" if self.chosen.outcome is not None else self.chosen.reason
        doubt = () if self.obstacle else self._not_normal()
        test = Step(
            question="Is one of the two better on this data set?",
            test=self.chosen.name,
            why=why,
            reference=reference,
            papers=papers,
            fails=joined([self.not_independent(), *doubt, refused, self.cannot()]),
            advised=True,
        )
        return [self.one_result(), test]

    def methods(self) -> Iterable[CitedText]:
        """Describe the one test that decides."""
        yield cite_test(" The two were compared by the", self.test)
        yield ending_sentence(f", two-sided, at alpha {self.settings.alpha:g}")
        yield from self.allowance(getattr(self.chosen.outcome, "factor", 1.0))
        assumes = PAIR_TESTS[self.test].assumes
        yield CitedText(f" The test assumes: {lower_first(assumes)}")

    @property
    def notes(self) -> tuple[Message, ...]:
        """What the design hides, what the test ignores, other answers, choices."""
        if self.obstacle or not significant(self.least.pvalue, self.settings.alpha):
            return (*same_notes(self), *self.results.choices)
        notes = [*self.design_notes(), *same_notes(self)]
        if self.chosen.reason and self.test_fraction is not None:
            notes.append(message("as if independent", test=self.test))
        notes += published_notes(self)
        notes += [*self._plain_t(), *self._mean_against(), *self._not_normal()]
        notes += [warning for warning in self._outcome.warnings if warning not in notes]
        return (*notes, *self.results.choices)

    def _plain_t(self) -> list[Message]:
        plain, alpha = self.answer("paired t").outcome, self.settings.alpha
        if self.test not in CORRECTED or plain is None:
            return []
        p, q = plain.pvalue, self._outcome.pvalue
        if significant(p, alpha) == significant(q, alpha):
            return []
        published = self.published_p(self.first, self.second)
        return [message("plain t differs", plain=p, corrected=q, published=published, alpha=alpha)]

    def _mean_against(self) -> list[Message]:
        mean = self.differences.mean()
        higher = (mean > 0) == self.higher_is_better
        if not mean or higher == (self.better == self.first):
            return []
        return [message("mean against", name=self.worse)]

    def _not_normal(self) -> list[Message]:
        check = self.normality
        by_normal = self.test not in (*DISCRETE, *ON_CASES)
        if not by_normal or check is None or not significant(check.pvalue, CHECK_LEVEL):
            return []
        alpha = self.settings.alpha
        return [message("not normal", of="differences", doubt=check.pvalue, alpha=alpha)]


@message_text("plain t differs")
def _plain_differs(
    voice: Audience, plain: float, corrected: float, published: float | None, alpha: float
) -> str:
    beside = published_said(published, alpha, " (", ")")
    return (
        f"The paired t test is liberal on overlapping folds ({p_phrase(plain, alpha)}). The "
        f"corrected test gives {p_phrase(corrected, alpha)}{beside}."
    )


@message_text("mean against")
def _means_point(voice: Audience, name: str) -> str:
    return f"The mean over folds points the other way: {name} has the better one."


def by_t(test: str, test_fraction: float | None, n_results: int, settings: Settings) -> str:
    """Return the t test that gives effects their intervals: the one that decides, if one does."""
    if test in CORRECTED:
        return test
    return advised_test(test_fraction, n_results, settings.df)


def compare_pair_on_folds(common: dict) -> FoldPairComparison:
    """Ask every test about two algorithms on the one data set there is."""
    results, settings = common["results"], common["settings"]
    shared = fold_data(results, results.datasets[0], settings)
    first, second = settings.pair or results.algorithms
    (pair,) = fold_pairs(results, shared, settings.measure, [(first, second)]).values()
    fraction, n = pair.test_fraction, len(pair.x)
    advised = advised_test(fraction, n, settings.df)
    key = settings.test if settings.test not in ("", TUKEY) else advised
    check_applies(pair, key)
    confidence = 1 - settings.alpha
    return FoldPairComparison(
        **common,
        **shared,
        test=key,
        first=first,
        second=second,
        answers=tuple(
            run_pair_test(pair, name, confidence=confidence)
            for name in PAIR_TESTS
            if name == key or not redundant(name, n)
        ),
        effects=or_none(
            effect_sizes,
            pair.x,
            pair.y,
            test_fraction=fraction,
            confidence=confidence,
            max_df=conservative_df(n) if by_t(key, fraction, n, settings) == CONSERVATIVE else None,
        ),
        normality=or_none(normal_differences, pair.x, pair.y),
    )
