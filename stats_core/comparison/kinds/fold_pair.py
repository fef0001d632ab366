"""Comparison of two algorithms on the folds of one data set, and base classes for folds."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from itertools import combinations, compress
from math import isclose, isnan, nan
from typing import Any, ClassVar, assert_never

import pandas as pd

from stats_core.comparison import comparison_text, plan, result
from stats_core.comparison.cards import method_card
from stats_core.comparison.equivalence import Intervals
from stats_core.comparison.pairs import Pairs, pairs_frame
from stats_core.comparison.plan import FailedAssumption, PlannedTest
from stats_core.core.errors import DesignError, FoldwiseError
from stats_core.core.messages import Message, message
from stats_core.core.result_types import PairedResult, TestResult, cached
from stats_core.core.validation import paired_differences, significant
from stats_core.data.settings import TUKEY, Settings
from stats_core.inference import assumptions, bayesian, fold_pairs, fold_tests, pairwise
from stats_core.inference.bayesian import CorrelatedTResult
from stats_core.inference.fold_pairs import FoldData
from stats_core.inference.methods import (
    PAIR_TESTS,
    PAIRED_T,
    Assumption,
    Estimate,
    FoldPair,
    Interval,
    Overlap,
    PairMethod,
    Scale,
    Statistic,
)
from stats_core.inference.paired import EffectSizes, effect_sizes, t_tests
from stats_core.inference.paired.t_tests import MOST_RESULTS

CHECK_LEVEL = 0.05  # significance level of checks of assumptions


@dataclass(frozen=True, kw_only=True, eq=False)
class OnOneDataset(result.Comparison):
    """Algorithms compared on the resampled results of one data set.

    Attributes
    ----------
    fold_data : FoldData
        Results of the data set by the measure of the settings, and its resampling design.
    """

    derived: ClassVar[tuple[str, ...]] = (
        "dataset",
        "design",
        "design_label",
        "test_fraction",
        "means",
    )
    fold_data: FoldData = field(metadata=result.NOT_IN_JSON)

    @property
    def dataset(self) -> str:
        """Name of the data set."""
        return self.fold_data.dataset

    @property
    def design(self) -> str:
        """Key of the resampling design."""
        return self.fold_data.design

    @property
    def design_label(self) -> str:
        """The resampling design with numbers, such as "10 x 10-fold"."""
        return self.fold_data.design_label

    @property
    def n_folds(self) -> int:
        """Number of results per algorithm."""
        return len(self.fold_data.matrix)

    @property
    def unit(self) -> str:
        """Noun for the resampling unit: "fold", "run" ..."""
        return fold_pairs.resampling_unit(self.design)

    @property
    def counted(self) -> result.Units:
        """Number of resampling units."""
        return result.Units(n=self.n_folds, noun=self.unit)

    @property
    def scope(self) -> str:
        """Population the conclusion generalizes to: "training sets", "runs" or "test set"."""
        return result.population_of_folds(self.design)


@dataclass(frozen=True, kw_only=True, eq=False)
class OnFolds(OnOneDataset):
    """Algorithms compared on the folds of one data set.

    Attributes
    ----------
    test : str
        Key of the pairwise test used.
    """

    derived: ClassVar[tuple[str, ...]] = (*OnOneDataset.derived, "matrix")
    test: str

    @property
    def matrix(self) -> pd.DataFrame:
        """Values of the measure, (repetition, fold) x algorithm, none missing."""
        return self.fold_data.matrix

    @property
    def test_fraction(self) -> float | None:
        """n_test / (n_train + n_test); None where no correction for overlap is defined."""
        return self.fold_data.test_fraction

    @property
    def pair_test(self) -> str:
        """Key of the pairwise test."""
        return self.test

    @property
    def method(self) -> PairMethod | None:
        """The pairwise test; None for Tukey's test, which compares all algorithms together."""
        return None if self.test == TUKEY else PAIR_TESTS[self.test]

    @property
    def estimate(self) -> Estimate:
        """What the pairwise test estimates; Tukey's test estimates mean differences."""
        return Estimate.MEAN if self.method is None else self.method.estimate

    @property
    @cached(across_alpha=True)
    def means(self) -> pd.Series:
        """Mean per algorithm, best first; ties in the order of the data."""
        return self.matrix.mean().sort_values(ascending=not self.higher_is_better, kind="stable")

    @property
    def paired_results(self) -> pd.DataFrame:
        """Values of the measure, (repetition, fold) x algorithm."""
        return self.matrix

    @property
    @cached(across_alpha=True)
    def identical(self) -> tuple[tuple[str, str], ...]:
        """Pairs, as ordered in `order`, whose results are identical up to rounding.

        Unless the test uses only signs or ranks, differences up to 1e-12 of the largest value also
        count as rounding.
        """
        same, pairs = set(super().identical), list(combinations(self.order, 2))
        if self.method is None or self.method.scale is not Scale.ORDINAL:
            identical = fold_pairs.FoldDifferences.of(self.matrix[self.order].to_numpy()).identical
            same.update(compress(pairs, identical))
        return tuple(pair for pair in pairs if pair in same)

    @property
    def overlap_ignored(self) -> bool:
        """Whether the test used ignores any overlap of training sets; True also if there is none."""
        if self.method is not None:
            return self.method.ignores_overlap
        return self.test_fraction is None or self.settings.overlap != "corrected"

    @property
    def _keeps_its_level(self) -> bool:
        """Whether the test controlled its type I error rate in simulations of this design."""
        if self.method is None:
            return False
        match self.method.overlap:
            case Overlap.CORRECTED:
                return not self._published_beyond
            case Overlap.IGNORED | Overlap.BY_DESIGN:
                return False
            case Overlap.ABSENT:
                return True
            case _:
                assert_never(self.method.overlap)

    @property
    def _published_beyond(self) -> bool:
        """Whether the published t test is used with more folds than its degrees of freedom are valid for."""
        published = (
            self.method is not None and self.method.corrects_overlap and not self.method.bounded_df
        )
        return published and self.n_folds > MOST_RESULTS

    @property
    def published_df(self) -> int:
        """Degrees of freedom of the published form of the test."""
        df_per_fold = len(self.matrix.columns) - 1 if self.test == TUKEY else 1
        return df_per_fold * (self.n_folds - 1)

    @property
    def max_df(self) -> int | None:
        """Upper bound on the degrees of freedom of the test; None for no bound."""
        if self.method is not None:
            return t_tests.conservative_df(self.n_folds) if self.method.bounded_df else None
        fraction = self.test_fraction if self.settings.overlap == "corrected" else None
        return fold_pairs.max_df(self.settings, self.n_folds, fraction)

    @property
    def _pvalue_factor(self) -> int:
        """Smallest factor by which the correction multiplies the smallest p-value."""
        return 1

    def attainable(self, n: int) -> float:
        """Return the smallest adjusted p of a discrete test on n folds, all won by one algorithm; 0 for other tests."""
        smallest = 0.0 if self.method is None else self.method.smallest_pvalue(n)
        return min(1.0, self._pvalue_factor * smallest)

    @property
    def _interval_name(self) -> str:
        """Name of the method of the intervals, or of its authors."""
        if self.method is None:
            return "Tukey's test"
        if self.method.interval is Interval.HODGES_LEHMANN:
            return "Hodges and Lehmann"
        return "Newcombe" if self.method.on_instances else f"the {self.method.name}"

    def pairs_of_folds(self, names: Iterable[tuple[str, str]]) -> list[FoldPair]:
        """Return the paired fold results of the given pairs of algorithms."""
        return list(
            fold_pairs.fold_pairs(
                self.results, self.fold_data, self.settings.measure, names
            ).values()
        )

    def design_notes(self) -> list[Message]:
        """Return a note on the limits of the design, or of the test in this design; [] if there are none."""
        if self.design == "common test set":
            return [message("common test set")]
        if self.method is not None and self.method.overlap is Overlap.BY_DESIGN:
            rate = max(method_card.method_card(self.method.card).levels.values())
            return [message("level not kept", name=self.method.name, rate=rate)]
        if self._published_beyond:
            return [message("published df", unit=self.unit)]
        if self.test_fraction is not None:
            return []
        return [message("runs" if self.design == "seeds" else "share unknown")]


def published_notes(c: result.Comparison) -> list[Message]:
    """Return notes on an omnibus test and on pairs that are significant only with published degrees of freedom."""
    alpha, first, notes = c.settings.alpha, c.first_test, []
    if first is not None and first.published is not None:
        plain, p = first.published, first.outcome.pvalue
        if significant(plain, alpha) and not significant(p, alpha):
            values = {"name": first.name, "p": p, "plain": plain, "alpha": alpha}
            notes.append(message("published first test disagrees", **values))
    pairs_table = c.pairs.decisions
    if "p published" in pairs_table:
        rows = pairs_table[
            significant(pairs_table["p published"], alpha) & ~pairs_table["separated"].astype(bool)
        ]
        columns = rows[["first", "second", "p adjusted", "p published"]]
        if pairs := tuple(columns.itertuples(index=False, name=None)):
            notes.append(message("published disagrees", pairs=pairs, alpha=alpha))
    return notes


def check_applies(pair: FoldPair, key: str) -> None:
    """Raise DesignError if the design or the data do not allow a test."""
    method = PAIR_TESTS[key]
    if reason := method.refuses(pair):
        raise DesignError.of("test does not apply", reason=reason, test=method.name)


def or_none(function: Callable, *arguments: Any, **options: Any) -> Any:
    """Return the result of a function call, or None if it raises FoldwiseError."""
    try:
        return function(*arguments, **options)
    except FoldwiseError:
        return None


def or_reason(check: Callable, values: Any) -> Any:
    """Return the result of a check, or the error message as a string if it raises FoldwiseError."""
    try:
        return check(values)
    except FoldwiseError as error:
        return str(error)


@dataclass(frozen=True, kw_only=True, eq=False)
class FoldPairComparison(result.PairComparison, OnFolds):
    """Two algorithms on the folds of one data set.

    Attributes
    ----------
    effects : EffectSizes or None
        Effect sizes; None if the differences do not vary.
    normality : TestResult or None
        Normality test of the differences, None if not possible.
    """

    kind: ClassVar[str] = "fold pair"
    shape = result.Shape(over="folds", two=True)
    derived: ClassVar[tuple[str, ...]] = (
        *OnFolds.derived,
        "answers",
        "better",
        "worse",
        "differences",
    )
    effects: EffectSizes | None
    normality: TestResult | None

    @property
    def chosen(self) -> fold_tests.PairAnswer:
        """Result of the test used."""
        return self.answer(self.test)

    @property
    def _outcome(self) -> PairedResult:
        """Outcome of the test used, which must have been computed."""
        outcome = self.chosen.outcome
        assert outcome is not None
        return outcome

    def answer(self, key: str, alpha: float | None = None) -> fold_tests.PairAnswer:
        """Return the result of one test by its key, by default at the level of the comparison, or why there is none."""
        level = 1 - (self.settings.alpha if alpha is None else alpha)
        pair = [(self.first, self.second)]
        return self.cache.recall(
            ("answer", key, None if PAIR_TESTS[key].interval is Interval.NONE else level),
            lambda: fold_tests.run_pair_test(
                self.pairs_of_folds(pair)[0], key, confidence_level=level
            ),
        )

    @property
    def answers(self) -> tuple[fold_tests.PairAnswer, ...]:
        """Result of each test that is not redundant, or the reason for having none."""
        return tuple(map(self.answer, self._tests))

    @property
    def _tests(self) -> list[str]:
        return [
            key
            for key in PAIR_TESTS
            if key == self.test or not fold_tests.redundant(key, self.n_folds)
        ]

    def intervals_of_tests(self) -> pd.DataFrame:
        """Return estimate, low and high of the test used and of the computed t tests, one row per key of a test."""
        by_mean = [key for key, test in PAIR_TESTS.items() if test.statistic is Statistic.MEAN_T]
        keys = dict.fromkeys([self.test, *by_mean])
        answers = [self.answer(key) for key in keys if key in self._tests]
        answers = [answer for answer in answers if answer.outcome is not None]
        return pd.DataFrame(
            {
                name: [getattr(answer, name) for answer in answers]
                for name in ("estimate", "low", "high")
            },
            index=pd.Index([answer.key for answer in answers], name="test"),
        )

    @property
    def differences(self) -> pd.Series:
        """Difference, first minus second, in every fold."""
        return self.matrix[self.first] - self.matrix[self.second]

    def quantiles(self) -> pd.DataFrame:
        """Return the points of the normal Q-Q plot of the differences."""
        return assumptions.differences_qq(self.matrix[self.first], self.matrix[self.second])

    @property
    def better(self) -> str:
        """Algorithm favoured by the test used, else by the mean; the first if all differences are zero."""
        outcome, larger = self.chosen.outcome, self.differences.mean() >= 0
        if outcome is not None and outcome.pvalue_greater != outcome.pvalue_less:
            larger = outcome.pvalue_greater < outcome.pvalue_less
        favours_first = larger == self.higher_is_better
        return self.first if favours_first or not self.differences.any() else self.second

    @property
    def effects_test(self) -> str:
        """Key of the t test behind the intervals of effect sizes."""
        return by_t(self.test, self.test_fraction, self.n_folds, self.settings)

    @property
    def effects_by(self) -> str:
        """Sentence that names the test behind the intervals of effect sizes."""
        key = self.effects_test
        differs = self.test != key and self.chosen.low == self.chosen.low  # NaN if it has none
        verdict = self.chosen.name if differs else ""
        return comparison_text("comparison.effects_by", test=PAIR_TESTS[key].name, verdict=verdict)

    @property
    def _max_df_of_t(self) -> int | None:
        """Upper bound on the degrees of freedom of t tests; None for J - 1."""
        bounded = PAIR_TESTS[self.effects_test].bounded_df
        return t_tests.conservative_df(self.n_folds) if bounded else None

    @property
    def published_pvalue(self) -> float | None:
        """The p-value with the published degrees of freedom; None if it is the same or does not exist."""
        outcome = self.chosen.outcome
        published = getattr(outcome, "published_pvalue", None)
        return (
            None
            if outcome is None or published is None or isclose(published, outcome.pvalue)
            else published
        )

    def posterior(self, region: float, *, published: bool = False) -> CorrelatedTResult:
        """Return the Bayesian correlated t test of the fold differences; J - 1 degrees of freedom if `published`."""
        df_bound = None if published else self._max_df_of_t
        differences = paired_differences(self.matrix[self.first], self.matrix[self.second])
        return bayesian.correlated_t(
            differences, rope=region, test_fraction=self.test_fraction, max_df=df_bound
        )

    def record(self, name: str) -> tuple[int, int, int]:
        """Return the numbers of folds on which an algorithm wins, ties and loses against the other algorithm."""
        other = self.second if name == self.first else self.first
        wins, ties = pairwise.count_wins(self.matrix, higher_is_better=self.higher_is_better)
        return (int(wins.loc[name, other]), int(ties.loc[name, other]), int(wins.loc[other, name]))

    @property
    @cached
    def pairs(self) -> Pairs:
        """One row by the test used: `PAIR_COLUMNS`, then wins, ties, losses."""
        answer, (wins, ties, losses) = self.chosen, self.record(self.first)
        outcome = answer.outcome
        pvalue = nan if outcome is None else outcome.pvalue
        columns = {
            "estimate": answer.estimate,
            "low": answer.low,
            "high": answer.high,
            "statistic": nan if outcome is None else outcome.statistic,
            "p": pvalue,
            "p adjusted": pvalue,
            "p published": self.published_pvalue,
            "wins": wins,
            "ties": ties,
            "losses": losses,
        }
        rows = pairs_frame([self.first, self.second], columns, self.settings.alpha)
        return self._pairs_of(rows)

    @property
    def tested_units(self) -> result.Units:
        """Number of folds, or of instances for a test on instances."""
        if not PAIR_TESTS[self.test].on_instances or self.chosen.outcome is None:
            return self.counted
        return result.Units(n=self.chosen.outcome.n, noun="instance")

    def intervals(self, alpha: float) -> Intervals | None:
        """Return the interval of the test used at error rate `alpha`; None if it has none."""
        answer = self.answer(self.test, alpha)
        if isnan(answer.low):
            return None
        by = f"the interval of {self._interval_name}"
        return Intervals(ends=[(answer.low, answer.high)], by=by)

    @property
    def obstacle(self) -> str | None:
        """Key of the reason why no test is possible, such as identical results; None if there is none."""
        return super().obstacle or ("test refused" if self.chosen.outcome is None else None)

    @property
    def test_name(self) -> str:
        """Name of the test used."""
        return self.chosen.name

    def table(self) -> pd.DataFrame:
        """Return one row per test in `answers`: test, decides, statistic, p, low, high, remark; region if set."""
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
        if self.equivalence.results:
            rows = [
                row | {"region": self.equivalence.results[0] if row["decides"] else ""}
                for row in rows
            ]
        return pd.DataFrame(rows)

    def alternatives(self) -> list[tuple[str, Settings]]:
        """Return labelled settings, one per other applicable test that does not assume independence."""
        others = [
            key for key in self._tests if key != self.test and not PAIR_TESTS[key].ignores_overlap
        ]
        keys = [key for key in others if self.answer(key).applies]
        return [(f"test {key}", replace(self.settings, test=key)) for key in keys]

    @property
    def notes(self) -> tuple[Message, ...]:
        """Notes on identical results and choices; if the test can decide, also on design, other tests and normality."""
        if self.obstacle or not significant(self.least.pvalue, self.settings.alpha):
            return (*result.same_notes(self), *self.results.choices)
        notes = [*self.design_notes(), *result.same_notes(self)]
        notes += self.tests_of_design.pairwise.notes_on(Assumption.INDEPENDENT_RESULTS)
        notes += [*published_notes(self), *self._plain_t(), *self._mean_against()]
        notes += self.tests_of_design.pairwise.notes_on(Assumption.NORMAL_DIFFERENCES)
        notes += [warning for warning in self._outcome.warnings if warning not in notes]
        return (*notes, *self.results.choices)

    def _plain_t(self) -> list[Message]:
        """Return a note if the paired t test decides differently from a test that corrects for overlap, else []."""
        plain, alpha = self.answer(PAIRED_T.key).outcome, self.settings.alpha
        if not PAIR_TESTS[self.test].corrects_overlap or plain is None:
            return []
        p, q = plain.pvalue, self._outcome.pvalue
        if significant(p, alpha) == significant(q, alpha):
            return []
        published = self.published_pvalue
        return [message("plain t differs", plain=p, corrected=q, published=published, alpha=alpha)]

    def _mean_against(self) -> list[Message]:
        mean = self.differences.mean()
        higher = (mean > 0) == self.higher_is_better
        if not mean or higher == (self.better == self.first):
            return []
        return [message("mean against", name=self.worse)]

    @property
    @cached
    def _planned_tests(self) -> tuple[PlannedTest, ...]:
        """The test of the pair."""
        normality = None if self.obstacle else self.normality
        return (
            plan.of_pairs(
                PAIR_TESTS[self.test],
                correction=None,
                population=self.scope,
                overlaps=self.test_fraction is not None,
                non_normal=non_normal("normal_differences", normality, self.settings.alpha),
            ),
        )


# card of a test of normality -> what it tests
_TESTED_FOR_NORMALITY = {"normality": "residuals", "normal_differences": "differences"}


def non_normal(card: str, check: TestResult | str | None, alpha: float) -> FailedAssumption | None:
    """Return normality as a failed assumption if a test rejects it, else None."""
    if not isinstance(check, TestResult) or not significant(check.pvalue, CHECK_LEVEL):
        return None
    of, test = _TESTED_FOR_NORMALITY[card], check.method.name.partition(" on ")[0]
    note = message("not normal", of=of, test=test, doubt=check.pvalue, alpha=alpha)
    return FailedAssumption(assumption=Assumption.NORMAL_DIFFERENCES, note=note, check=card)


def by_t(test: str, test_fraction: float | None, n_results: int, settings: Settings) -> str:
    """Return the test for effect-size intervals: the one used if it corrects for overlap, else the recommended one."""
    if PAIR_TESTS[test].corrects_overlap:
        return test
    return fold_tests.advised_test(test_fraction, n_results, settings.df)


def compare_pair_on_folds(inputs: result.Inputs) -> FoldPairComparison:
    """Return the comparison of two algorithms on folds by all tests; DesignError if the chosen one does not apply."""
    results, settings = inputs.results, inputs.settings
    data = fold_pairs.fold_data(results, results.datasets[0], settings)
    first, second = settings.pair or results.algorithms
    (pair,) = fold_pairs.fold_pairs(results, data, settings.measure, [(first, second)]).values()
    fraction = pair.test_fraction if settings.overlap == "corrected" else None
    n = len(pair.x)
    advised = fold_tests.advised_test(fraction, n, settings.df)
    key = settings.test if settings.test not in ("", TUKEY) else advised
    check_applies(pair, key)
    return FoldPairComparison(
        inputs=inputs,
        fold_data=data,
        test=key,
        first=first,
        second=second,
        effects=or_none(
            effect_sizes,
            pair.x,
            pair.y,
            test_fraction=fraction,
            confidence_level=1 - settings.alpha,
            max_df=t_tests.conservative_df(n)
            if PAIR_TESTS[by_t(key, fraction, n, settings)].bounded_df
            else None,
        ),
        normality=or_none(assumptions.normal_differences, pair.x, pair.y),
    )
