"""Comparison of two algorithms on the folds of one data set."""

from dataclasses import dataclass, replace
from math import isclose, isnan, nan
from typing import ClassVar

import pandas as pd

from stats_core.comparison.detectable_inputs import DetectableInput, FoldDetectableInput
from stats_core.comparison.detectable_inputs import one_pair as one_pair_family
from stats_core.comparison.identical_pairs import same_notes
from stats_core.comparison.kinds.fold_comparisons import (
    CHECK_LEVEL,
    OnFolds,
    check_applies,
    least_pvalue,
    or_none,
    published_notes,
)
from stats_core.comparison.pairs_frame import Intervals
from stats_core.comparison.result import (
    ErrorControl,
    Inputs,
    PairComparison,
    Shape,
    SmallestPValue,
    cached_method,
    one_pair,
)
from stats_core.core.formatting import p_phrase, published_said
from stats_core.core.messages import Audience, Message, message, message_text
from stats_core.core.result_types import PairedResult, TestResult
from stats_core.core.significance import significant
from stats_core.data.settings import TUKEY, Settings
from stats_core.inference.assumptions import normal_differences
from stats_core.inference.bayesian import CorrelatedTResult, correlated_t
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
class FoldPairComparison(PairComparison, OnFolds):
    """Two algorithms on one data set.

    Attributes
    ----------
    answers : tuple of PairAnswer
        Result of every test, or the reason for having none.
    effects : EffectSizes or None
        None where the differences do not vary.
    normality : TestResult or None
        Normality test of the differences, None if not possible.
    """

    kind: ClassVar[str] = "fold pair"
    shape = Shape(over="folds", two=True)
    derived: ClassVar[tuple[str, ...]] = ("means", "better", "worse", "differences")
    answers: tuple[PairAnswer, ...]
    effects: EffectSizes | None
    normality: TestResult | None

    @property
    def chosen(self) -> PairAnswer:
        """Result of the test that decides."""
        return self.answer(self.test)

    @property
    def _outcome(self) -> PairedResult:
        """Outcome of the test that decides; it must not have refused."""
        outcome = self.chosen.outcome
        assert outcome is not None
        return outcome

    def answer(self, key: str) -> PairAnswer:
        """Return the result of one test by its key."""
        return next(answer for answer in self.answers if answer.key == key)

    @property
    def differences(self) -> pd.Series:
        """Difference, first minus second, in every fold."""
        return self.matrix[self.first] - self.matrix[self.second]

    @property
    def better(self) -> str:
        """Name of the algorithm favoured by the deciding test, else by the mean."""
        outcome, larger = self.chosen.outcome, self.differences.mean() >= 0
        if outcome is not None and outcome.pvalue_greater != outcome.pvalue_less:
            larger = outcome.pvalue_greater < outcome.pvalue_less
        favours_first = larger == self.higher_is_better
        return self.first if favours_first or not self.differences.any() else self.second

    @property
    def effects_test(self) -> str:
        """Key of the t test that gives the intervals of effect sizes."""
        return by_t(self.test, self.test_fraction, self.n_folds, self.settings)

    @property
    def effects_by(self) -> str:
        """Sentence that names the test behind the intervals of effect sizes."""
        key = self.effects_test
        differs = self.test != key and self.chosen.low == self.chosen.low  # NaN if it has none
        suffix = f"; the one of the verdict is by the {self.chosen.name}" if differs else ""
        return f"Intervals of effects are by the {PAIR_TESTS[key].name}{suffix}."

    @property
    def max_df_of_t(self) -> int | None:
        """Upper bound of the degrees of freedom of t tests; None for J - 1."""
        return conservative_df(self.n_folds) if self.effects_test == CONSERVATIVE else None

    def published_p(self, first: str, second: str) -> float | None:
        """Return the p-value with the published degrees of freedom; None if it is the same."""
        outcome = self.chosen.outcome
        published = getattr(outcome, "published_pvalue", None)
        return (
            None
            if outcome is None or published is None or isclose(published, outcome.pvalue)
            else published
        )

    def posterior(self, region: float, *, published: bool = False) -> CorrelatedTResult:
        """Return the Bayesian correlated t test of the differences in folds."""
        df_bound = None if published else self.max_df_of_t
        return correlated_t(
            self.differences, rope=region, test_fraction=self.test_fraction, max_df=df_bound
        )

    def record(self, name: str) -> tuple[int, int, int]:
        """Return the numbers of folds that one algorithm wins, ties and loses."""
        other = self.second if name == self.first else self.first
        wins, ties = count_wins(self.matrix, higher_is_better=self.higher_is_better)
        return (int(wins.loc[name, other]), int(ties.loc[name, other]), int(wins.loc[other, name]))

    @cached_method
    def details(self) -> pd.DataFrame:
        """Return one row: the pair by the deciding test; the estimate is the mean difference.

        Tests with their own estimator (Hodges-Lehmann for Wilcoxon) use that estimate instead.
        """
        answer, (wins, ties, losses) = self.chosen, self.record(self.first)
        outcome, published = answer.outcome, self.published_p(self.first, self.second)
        return one_pair(
            self,
            **({} if published is None else {"p published": published}),
            estimate=getattr(outcome, "estimate", self.differences.mean()),
            low=answer.low,
            high=answer.high,
            statistic=nan if outcome is None else outcome.statistic,
            p=nan if outcome is None else outcome.pvalue,
            wins=wins,
            ties=ties,
            losses=losses,
        )

    def intervals(self, alpha: float) -> Intervals | None:
        """Return the interval of the deciding test; None if it has none."""
        (pair,) = self.pairs_of_folds([(self.first, self.second)])
        answer = run_pair_test(pair, self.test, confidence=1 - alpha)
        if isnan(answer.low):
            return None
        by = "Hodges and Lehmann" if self.test == "Wilcoxon" else f"the {answer.name}"
        return Intervals(ends=[(answer.low, answer.high)], by=f"the interval of {by}")

    @property
    def obstacle(self) -> str:
        """Key of the reason that prevents a test, such as identical results; "" if none."""
        return super().obstacle or ("test refused" if self.chosen.outcome is None else "")

    @property
    def least(self) -> SmallestPValue:
        """Smallest p-value attainable by a discrete test, if one algorithm wins every fold."""
        pvalue = least_pvalue(self.test, self.n_folds) if self.test in DISCRETE else 0.0
        return self.least_of_folds(pvalue, 1, self.better)

    @property
    def guarantee(self) -> ErrorControl:
        """Error rate that alpha bounds: none if the overlap of folds is not corrected."""
        return ErrorControl(bounds="nothing" if not self.keeps_its_level else "one", comparisons=1)

    @property
    def post(self) -> str:
        """Name of the test that decides."""
        return self.chosen.name

    def table(self) -> pd.DataFrame:
        """Return all tests of the pair, one row each."""
        rows = [
            {
                "test": answer.name,
                "decides": answer.key == self.test,
                "statistic": nan if answer.outcome is None else answer.outcome.statistic,
                "p": nan if answer.outcome is None else answer.outcome.pvalue,
                "low": answer.low,
                "high": answer.high,
                "remark": answer.reason,
            }
            for answer in self.answers
        ]
        if self.regions():
            rows = [row | {"region": self.regions()[0] if row["decides"] else ""} for row in rows]
        return pd.DataFrame(rows)

    def alternatives(self) -> list[tuple[str, Settings]]:
        """Return settings with every other applicable test that does not assume independence."""
        others = [
            answer for answer in self.answers if answer.key not in (self.test, *AS_IF_INDEPENDENT)
        ]
        keys = [answer.key for answer in others if answer.applies]
        return [(f"test {key}", replace(self.settings, test=key)) for key in keys]

    def gap(self) -> DetectableInput:
        """Return the input for the smallest detectable difference of the deciding test."""
        return FoldDetectableInput(
            family=one_pair_family(self.settings.alpha),
            test=self.test,
            pairs=self.pairs_of_folds([(self.first, self.second)]),
            unit=self.settings.measure,
            refused="" if self.chosen.outcome is not None else self.chosen.reason,
        )

    @property
    def notes(self) -> tuple[Message, ...]:
        """Limits of the design and the test, other results, choices."""
        if self.obstacle or not significant(self.least.pvalue, self.settings.alpha):
            return (*same_notes(self), *self.results.choices)
        notes = [*self.design_notes(), *same_notes(self)]
        if self.chosen.reason and self.test_fraction is not None:
            notes.append(message("as if independent", test=self.test))
        notes += published_notes(self)
        notes += [*self._plain_t(), *self._mean_against(), *self.normality_notes()]
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

    def normality_notes(self) -> list[Message]:
        """Return a note if normality is doubtful."""
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
    """Return the t test for intervals of effect sizes: the deciding one if it is a t test."""
    if test in CORRECTED:
        return test
    return advised_test(test_fraction, n_results, settings.df)


def compare_pair_on_folds(inputs: Inputs) -> FoldPairComparison:
    """Compare two algorithms on the folds of the only data set by every test."""
    results, settings = inputs.results, inputs.settings
    shared = fold_data(results, results.datasets[0], settings)
    first, second = settings.pair or results.algorithms
    (pair,) = fold_pairs(results, shared, settings.measure, [(first, second)]).values()
    fraction, n = pair.test_fraction, len(pair.x)
    advised = advised_test(fraction, n, settings.df)
    key = settings.test if settings.test not in ("", TUKEY) else advised
    check_applies(pair, key)
    confidence = 1 - settings.alpha
    return FoldPairComparison(
        **vars(inputs),
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
