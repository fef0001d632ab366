"""Trained classifiers on the cases of one test set: McNemar for pairs, Cochran's Q for several."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import ClassVar

import numpy as np
import pandas as pd

from stats_core.comparison.advice import Advice
from stats_core.comparison.base import (
    PAIR_COLUMNS,
    Comparison,
    Counted,
    FirstTest,
    Guarantee,
    Least,
    once,
)
from stats_core.comparison.cards.bibliography import cite
from stats_core.comparison.cards.card import card, reference_of
from stats_core.comparison.gap import Gap, UnknownGap
from stats_core.comparison.methods import Piece, adjusted, by_test, sentence
from stats_core.comparison.step import Step, groups
from stats_core.core.errors import DesignError
from stats_core.core.notes import Note, Voice, note, worded
from stats_core.core.outcomes import square
from stats_core.core.words import count, interval, number, p_phrase
from stats_core.data.results import Results
from stats_core.data.settings import Settings
from stats_core.data.shared_cases import correct_cases
from stats_core.inference.families.adjust import adjust_pairs
from stats_core.inference.families.corrections import CORRECTIONS, usable_correction
from stats_core.inference.paired import McNemarOutcome, QOutcome, cochran_q, mcnemar
from stats_core.inference.settled import selected

ERRORS = ("error", "accuracy")  # the measures that count cases


@dataclass(frozen=True, kw_only=True, eq=False)
class CasesComparison(Comparison):
    """Trained classifiers compared on the cases of one test set.

    Attributes
    ----------
    dataset : str
        Its name.
    correct : DataFrame, case x algorithm
        Whether each classified each case correctly.
    cochran : QOutcome or None
        Of all at once; None for two.
    tests : dict of (str, str) to McNemarOutcome
        Exact, of every pair.
    adjusted : DataFrame, algorithm x algorithm
        Adjusted p-values.
    """

    kind: ClassVar[str] = "cases"
    derived: ClassVar[tuple[str, ...]] = ("n_cases", "correction")
    noun: ClassVar[str] = "trained model"
    kept_out: ClassVar[tuple[str, ...]] = ("correct", "tests")
    dataset: str
    correct: pd.DataFrame
    cochran: QOutcome | None
    tests: dict[tuple[str, str], McNemarOutcome]
    adjusted: pd.DataFrame

    @property
    def n_cases(self) -> int:
        """How many cases the test set has."""
        return len(self.correct)

    @property
    def order(self) -> list[str]:
        """The algorithms from fewest to most errors; equal ones in the order of the data."""
        return list(self.correct.mean().sort_values(ascending=False, kind="stable").index)

    @property
    def correction(self) -> str:
        """The correction over the pairs."""
        return usable_correction(self.settings.correction, len(self.adjusted))

    @once
    def details(self) -> pd.DataFrame:
        """Return one row per pair, the one with fewer errors first, smallest p on top.

        Columns: those of `pairs`, where the estimate is the difference of the shares correct,
        first minus second, and the statistic McNemar's; then only first, only second (cases that
        it alone classified correctly).
        """
        rows = []
        for first, second in combinations(self.order, 2):
            turned = (first, second) not in self.tests
            test = self.tests[second, first] if turned else self.tests[first, second]
            alone = (test.only_first, test.only_second)[:: -1 if turned else 1]
            sign = -1 if turned else 1
            low, high = sorted((sign * test.low, sign * test.high))
            p = float(self.adjusted.loc[first, second])
            apart = p <= self.settings.alpha
            estimate = sign * test.estimate
            rows.append(
                (first, second, estimate, low, high, test.statistic, test.pvalue, p, apart, *alone)
            )
        table = pd.DataFrame(rows, columns=[*PAIR_COLUMNS, "only first", "only second"])
        return table.sort_values(["p adjusted", "p"], kind="stable", ignore_index=True)

    @property
    def beats(self) -> pd.DataFrame:
        """Where the row errs on fewer cases, and the pair differs."""
        found = self.adjusted.loc[self.order, self.order] <= self.settings.alpha
        return found & np.triu(np.ones(found.shape, dtype=bool), 1)

    @property
    def counted(self) -> Counted:
        """Cases."""
        return Counted(n=self.n_cases, noun="case")

    @property
    def scope(self) -> str:
        """Other cases."""
        return "cases"

    @property
    def first_test(self) -> FirstTest | None:
        """Cochran's Q; two are compared at once."""
        return None if self.cochran is None else FirstTest(name="Cochran's Q", outcome=self.cochran)

    @property
    def least(self) -> Least:
        """It hangs on how often two disagree, which no size of the test set tells."""
        return Least()

    @property
    def guarantee(self) -> Guarantee:
        """The family of all pairs, unless p-values are not adjusted."""
        if len(self.tests) == 1:
            return Guarantee(bounds="one", comparisons=1)
        bounds = "each" if self.correction == "none" else "family"
        return Guarantee(bounds=bounds, comparisons=len(self.tests), adjusted=bounds == "family")

    def origin(self) -> Piece:
        """Say, for a paper, what one result of an algorithm is."""
        return sentence(
            "Each was trained once and gave a prediction for every case of one test set"
        )

    def alternatives(self) -> list[tuple[str, Settings]]:
        """None."""
        return []

    def gap(self) -> Gap:
        """It cannot be said before the cases are seen."""
        return UnknownGap(
            reason="Which difference McNemar's test can find hangs on how often two models disagree, "
            "which no size of the test set tells."
        )

    def steps(self) -> list[Step]:
        """Trained models on the cases of one test set."""
        one = Step(
            question="What is one result?",
            test=f"one case of the test set ({self.counted})",
            why="Both of a pair classified the same cases, so the cases on which they disagree tell.",
            reference=f"{cite('dietterich1998')}, section 3.1",
            papers="Every scenario and case of the papers starts from several results of each "
            "algorithm.",
            fails=str(note("trained models")),
        )
        pairs = Step(
            question="Which of these trained models err on more of the same cases?",
            test=self.post,
            why="It counts the cases on which exactly one of the two is right.",
            reference=reference_of("McNemar"),
            advised=True,
        )
        if self.cochran is None:
            return [one, pairs]
        first = Step(
            question="Do the models differ at all?",
            test="Cochran's Q",
            why=card("cochran_q").why,
            reference=card("cochran_q").reference,
            advised=True,
        )
        return [one, first, pairs, groups()]

    def methods(self) -> Iterable[Piece]:
        """Describe the tests on single cases."""
        alpha, where = self.settings.alpha, f"on the {self.counted} of the test set"
        if self.cochran is None:
            yield by_test(f" The two were compared {where} by the", "McNemar")
            yield sentence(f", two-sided, at alpha {alpha:g}")
        else:
            yield Piece(f" O{where[1:]}, Cochran's Q", card("cochran_q").papers)
            yield by_test(
                " asked whether the shares of cases classified correctly differ by more than chance; "
                f"the {count(len(self.tests), 'pair')} were compared by the",
                "McNemar",
            )
            yield from adjusted(self.correction, alpha, self.guarantee.bounds)
        yield sentence(
            "This speaks of these trained models on the population of the cases; how results vary "
            "with training was not seen"
        )

    @property
    def notes(self) -> tuple[Note, ...]:
        """What one test set speaks of, choices."""
        return (note("trained models"), *self.results.choices)

    @property
    def where(self) -> str:
        """The data set."""
        return f"on {self.dataset}"

    @property
    def post(self) -> str:
        """McNemar's test with its correction."""
        if len(self.tests) == 1:
            return "McNemar, exact"
        if self.correction == "none":
            return "McNemar, unadjusted"
        return f"{CORRECTIONS[self.correction]} on McNemar"

    def sizes(self, near: Sequence[str]) -> str:
        """Say the errors; of two, on how many cases each alone is right."""
        errors = 1 - self.correct.mean()
        best, last = self.order[0], self.order[-1]
        if len(self.tests) > 1:
            return (
                f"Error from {number(errors[best], 4)} ({best}) to {number(errors[last], 4)} ({last}) "
                f"on {self.counted}."
            )
        row, (test,) = self.details().iloc[0], self.tests.values()
        return (
            f"Error {number(errors[best], 4)} against {number(errors[last], 4)}: difference "
            f"{number(-row['estimate'], 4)} {interval(-row['high'], -row['low'], 4)}. "
            f"{best} alone is right on {count(row['only first'], 'case')}, {last} alone on "
            f"{row['only second']:,} (McNemar, exact, "
            f"{p_phrase(test.pvalue, self.settings.alpha)}, {count(test.n, 'case')})."
            f"{'' if near else ' This is not evidence that they are equal.'}"
        )

    def told(self, claim: str, separated: int) -> tuple[str, str, str] | None:
        """Speak of these trained models where two differ."""
        if claim != "leads" or len(self.tests) > 1:
            return None
        best, last = self.order
        headline = f"This trained {best} errs less than this trained {last} {self.where}."
        return headline, self.sizes([best]), ""


@worded("trained models")
def _trained(voice: Voice) -> str:
    return (
        "One test set: this speaks of these trained models on this population of cases, not of the "
        "learning algorithms; how results vary with training is not seen."
    )


def compare_cases(common: dict) -> CasesComparison | None:
    r"""Which trained classifiers err on more of the same cases?

    Parameters
    ----------
    common : dict
        What every comparison holds: results, settings, higher_is_better, scores.

    Returns
    -------
    CasesComparison or None
        None without predictions that name their cases, for another measure than error or
        accuracy, over several data sets, or with one algorithm.

    Notes
    -----
    The cases are a sample of a population and the classifiers are what they are: tests speak of
    these trained models on other cases, not of other models that the same algorithms would
    train on other data.

    References
    ----------
    McNemar 1947; Cochran 1950; Dietterich, Neural Comput. 10 (1998) 1895, section 3.1.

    Examples
    --------
    >>> from stats_core.comparison.analyse import analyse
    >>> from stats_core.reading.reading import read_results
    >>> table = "instance,y,a,b\n1,1,1,0\n2,1,1,0\n3,1,1,0\n4,1,1,1\n5,0,0,0\n6,0,0,0\n"
    >>> cases = analyse(read_results(("d.csv", table.encode())))
    >>> cases.tests["a", "b"].only_first, cases.tests["a", "b"].pvalue
    (3, 0.25)
    """
    results, settings = common["results"], common["settings"]
    if len(results.datasets) != 1 or not can_test_cases(results, results.datasets[0]):
        return None
    if settings.measure not in ERRORS or len(results.algorithms) < 2:
        return None
    dataset = results.datasets[0]
    names = list(settings.pair or results.algorithms)
    cases = correct_cases(results, dataset)
    if cases is None or cases.empty:
        return None
    correct = cases[names]
    right = {name: correct[name].to_numpy() for name in names}
    confidence = 1 - settings.alpha
    tests = {
        (a, b): mcnemar(right[a], right[b], confidence=confidence)
        for a, b in combinations(names, 2)
    }
    raw = np.ones((len(names), len(names)))
    for (i, j), test in zip(combinations(range(len(names)), 2), tests.values(), strict=True):
        raw[i, j] = raw[j, i] = test.pvalue
    correction = usable_correction(settings.correction, len(names))
    return CasesComparison(
        **{**common, "advice": advise_on_cases(len(names), len(correct))},
        dataset=dataset,
        correct=correct,
        cochran=cochran_q(correct) if len(names) > 2 else None,
        tests=tests,
        adjusted=adjust_pairs(square(raw, names), correction),
    )


def compare_pair_on_cases(results: Results, settings: Settings) -> CasesComparison:
    """Compare the two algorithms of `settings.pair` on the cases of `settings.dataset`.

    Of the other settings only `measure` and `alpha` count.

    Raises
    ------
    DesignError
        There are no named cases, or the measure does not count them.
    """
    kept, settings = selected(results, settings)
    if settings.measure not in ERRORS:
        raise DesignError(
            "On one test set, tests count cases that are classified wrongly. The measure is "
            f"{settings.measure}. Choose error or accuracy in the sidebar."
        )
    found = compare_cases(
        {
            "results": kept,
            "settings": settings,
            "higher_is_better": kept.direction(settings.measure) == "higher",
            "scores": kept.averages(settings.measure),
        }
    )
    if found is None:
        raise DesignError(
            "McNemar's test needs predictions that name their cases. "
            f"{settings.dataset} has none. Upload the prediction for every case."
        )
    return found


def can_test_cases(results: Results, dataset: str) -> bool:
    """Tell whether a data set has one result per algorithm, with predictions that name cases."""
    predictions = results.predictions
    if predictions is None or "instance" not in predictions:
        return False
    return results.design_of(dataset) == "single"


def advise_on_cases(k: int, n: int) -> Advice:
    """Return the recommendation for trained classifiers on one test set."""
    pairs = k * (k - 1) // 2
    test = "McNemar's test, exact"
    because: tuple[str, ...] = (
        "There is one result of each algorithm, on one test set, and each case is named.",
        "Both of a pair classified the same cases, so the cases on which they disagree tell.",
    )
    if k > 2:
        test = "Cochran's Q, then McNemar's test for each pair, adjusted"
        because += (f"{k} algorithms: {pairs} pairs share one family.",)
    return Advice(
        question="Which of these trained models errs less on this population of cases?",
        test=test,
        because=because,
        assumes=(
            "Cases are independent, and drawn as those are on which the models will be used.",
        ),
        alternatives=(
            ("McNemar, chi-square", "With ten or more disagreements; nearly the same p."),
            ("k-fold cross-validation", "Speaks of the algorithms: training varies there."),
        ),
        not_allowed=(
            ("Any test on folds", "Needs the result of every fold."),
            ("Friedman or Wilcoxon over data sets", "They speak of two or more data sets."),
        ),
        reference="McNemar 1947; Cochran 1950; Dietterich, Neural Comput. 10 (1998) 1895.",
    )
