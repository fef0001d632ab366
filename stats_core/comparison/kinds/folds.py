"""Algorithms on the folds of one data set: two of them by every test, several by ANOVA and pairs."""

from dataclasses import dataclass
from itertools import combinations

import numpy as np
import pandas as pd

from stats_core.comparison.base import Comparison
from stats_core.core.errors import DesignError, FoldwiseError
from stats_core.core.outcomes import Outcome, PairwiseOutcome
from stats_core.data.results import Results
from stats_core.data.settings import TUKEY, Settings
from stats_core.data.shared_cases import correct_cases
from stats_core.inference.anova import AnovaOutcome, TukeyOutcome, anova, tukey
from stats_core.inference.assumptions import (
    equal_variances,
    normal_differences,
    normality,
    sphericity,
)
from stats_core.inference.families.adjust import adjust_pairs
from stats_core.inference.families.cliques import cliques, compact_letters, underlines
from stats_core.inference.families.corrections import STEP_DOWN, usable_correction
from stats_core.inference.fold_pairs import fold_pairs, folds_of, pairs_on_folds, unit_of
from stats_core.inference.fold_tests import (
    DISCRETE,
    PAIR_TESTS,
    FoldPair,
    PairAnswer,
    advised_test,
    answer,
)
from stats_core.inference.paired import (
    EffectSizes,
    QOutcome,
    cochran_q,
    effect_sizes,
)
from stats_core.inference.paired.flips import EXACT_LIMIT
from stats_core.inference.pairwise import count_wins
from stats_core.inference.ranks import RankOutcome, friedman

# which test of all algorithms at once goes with a test of pairs; the others stand alone
_BY_MEANS = (TUKEY, "corrected t", "paired t")
_BY_RANKS = ("Wilcoxon", "sign test")
_BY_CASES = ("McNemar", "McNemar chi-square")


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class OnFolds(Comparison):
    """Algorithms compared on the folds of one data set.

    Attributes
    ----------
    dataset : str
        Its name.
    matrix : DataFrame, (repetition, fold) x algorithm
        What was measured, none missing.
    design, design_label : str
        The resampling design, and in words with its numbers.
    test_fraction : float or None
        n_test / (n_train + n_test); None where no correction for overlap is defined.
    test : str
        Key of the test of pairs that decides.
    """

    dataset: str
    matrix: pd.DataFrame
    design: str
    design_label: str
    test_fraction: float | None
    test: str

    @property
    def unit(self) -> str:
        """What one result of each algorithm comes from: "fold", "training set" ..."""
        return unit_of(self.design)

    @property
    def n_folds(self) -> int:
        """Number of results of each algorithm."""
        return len(self.matrix)

    @property
    def means(self) -> pd.Series:
        """Mean of each algorithm, best first; equal means stay in the order of the data."""
        return self.matrix.mean().sort_values(ascending=not self.higher_is_better, kind="stable")


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
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
    normality : Outcome or None
        Of the differences, None where it cannot be checked.
    """

    first: str
    second: str
    answers: tuple[PairAnswer, ...]
    effects: EffectSizes | None
    normality: Outcome | None

    @property
    def chosen(self) -> PairAnswer:
        """The test that decides."""
        return self.answer(self.test)

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
    def effects_by(self) -> str:
        """Whose intervals `effects` has; another one where another test decides."""
        key = "paired t" if self.test_fraction is None else "corrected t"
        other = self.test != key and self.chosen.low == self.chosen.low  # NaN if it has none
        also = f"; the one of the verdict is by the {self.chosen.name}" if other else ""
        return f"Intervals of effects are by the {PAIR_TESTS[key].name}{also}."

    def record(self, name: str) -> tuple[int, int, int]:
        """Return (wins, ties, losses) of one of the two: folds in which it is better."""
        other = self.second if name == self.first else self.first
        wins, ties = count_wins(self.matrix, higher_is_better=self.higher_is_better)
        return (
            int(wins.loc[name, other]),
            int(ties.loc[name, other]),
            int(wins.loc[other, name]),
        )


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class FoldsComparison(OnFolds):
    """Three or more algorithms on one data set.

    Attributes
    ----------
    anova, one_way : AnovaOutcome
        With folds as blocks, and without.
    friedman : RankOutcome
        Over folds instead of data sets.
    cochran : QOutcome or None
        On single cases, None without predictions or for a measure other than error.
    raw : PairwiseOutcome
        The chosen test of all pairs, unadjusted (Tukey's is adjusted by nature).
    adjusted : DataFrame, algorithm x algorithm
        Adjusted p-values.
    uncorrected : DataFrame or None
        What `adjusted` would be if training sets did not overlap; None where that is the same.
    low, high : DataFrame, algorithm x algorithm
        Interval of row minus column, simultaneous for Tukey; NaN if the test has none.
    groups : tuple of tuple of str
        Maximal groups without a separated pair, best first.
    underlined : tuple of tuple of str
        The stretches that the published procedure underlines.
    wins, ties : DataFrame, algorithm x algorithm
        Folds in which the row beats, or ties with, the column.
    checks : dict of str to Outcome or str
        What the analysis of variance assumes: an outcome, or why it cannot be checked.
    smallest_pvalue : float
        The smallest adjusted p-value any pair could reach with this many folds.
    """

    anova: AnovaOutcome
    one_way: AnovaOutcome
    friedman: RankOutcome
    cochran: QOutcome | None
    raw: PairwiseOutcome
    adjusted: pd.DataFrame
    uncorrected: pd.DataFrame | None
    low: pd.DataFrame
    high: pd.DataFrame
    groups: tuple[tuple[str, ...], ...]
    underlined: tuple[tuple[str, ...], ...]
    wins: pd.DataFrame
    ties: pd.DataFrame
    checks: dict[str, Outcome | str]
    smallest_pvalue: float

    @property
    def order(self) -> list[str]:
        """The algorithms from best to worst mean."""
        return list(self.means.index)

    @property
    def letters(self) -> pd.Series:
        """Compact letters: algorithms without a common one differ."""
        return compact_letters(self.groups)[self.order]

    @property
    def omnibus(self) -> Outcome | None:
        """The test of all at once that goes with the test of pairs, if there is one."""
        if self.test in _BY_MEANS:
            return self.anova
        if self.test in _BY_RANKS:
            return self.friedman
        return self.cochran if self.test in _BY_CASES else None

    @property
    def notations_disagree(self) -> bool:
        """Whether underlines and maximal groups show different things."""
        return set(self.underlined) != {group for group in self.groups if len(group) > 1}

    def separated(self, first: str, second: str) -> bool:
        """Tell whether two algorithms differ at the chosen level."""
        return bool(self.adjusted.loc[first, second] <= self.settings.alpha)

    def pairs(self) -> pd.DataFrame:
        """Return one row per pair, the better first, smallest adjusted p on top.

        Columns: first, second, difference (first minus second), low, high, statistic, p raw,
        p adjusted, p uncorrected (if there is one), wins, ties, losses (of the first), separated.

        The difference is that of means. Every statistic is of first against second, but those of
        the Wilcoxon and sign tests and the 5x2 t look at ranks, at folds won and at the first
        difference, so they can point to the other side; F has no sign.
        """
        order, means = self.order, self.means
        rows, columns = np.triu_indices(len(order), 1)

        def upper(matrix: pd.DataFrame) -> np.ndarray:
            return matrix.loc[order, order].to_numpy()[rows, columns]

        values = means.to_numpy()
        table = pd.DataFrame(
            {
                "first": np.array(order, dtype=object)[rows],
                "second": np.array(order, dtype=object)[columns],
                "difference": values[rows] - values[columns],
                "low": upper(self.low),
                "high": upper(self.high),
                "statistic": upper(self.raw.statistics),
                "p raw": upper(self.raw.pvalues),
                "p adjusted": upper(self.adjusted),
            }
        )
        if self.uncorrected is not None:
            table["p uncorrected"] = upper(self.uncorrected)
        table["wins"], table["ties"] = upper(self.wins), upper(self.ties)
        table["losses"] = upper(self.wins.T)
        table["separated"] = table["p adjusted"] <= self.settings.alpha
        table = self._turned(table)
        return table.sort_values(["p adjusted", "p raw"], kind="stable", ignore_index=True)

    def _turned(self, table: pd.DataFrame) -> pd.DataFrame:
        """Put first whom the test favours, where it takes another side than the mean."""
        if self.test in (TUKEY, "5x2 cv F"):
            return table
        sign = 1 if self.higher_is_better else -1
        turn = table["separated"] & (sign * table["statistic"] < 0)
        for one, other, factor in (
            ("first", "second", None),
            ("wins", "losses", None),
            ("low", "high", -1),
        ):
            both = table.loc[turn, [other, one]].to_numpy()
            table.loc[turn, [one, other]] = both if factor is None else factor * both
        table.loc[turn, ["difference", "statistic"]] *= -1
        return table


def compare_pair_on_folds(common: dict) -> FoldPairComparison:
    """Ask every test about two algorithms on the one data set there is."""
    results, settings = common["results"], common["settings"]
    shared = folds_of(results, results.datasets[0], settings)
    first, second = settings.pair or results.algorithms
    (pair,) = fold_pairs(results, shared, settings.measure, [(first, second)]).values()
    key = (
        settings.test
        if settings.test not in ("", TUKEY)
        else advised_test(pair.design, pair.test_fraction, len(pair.x))
    )
    _check_applies(pair, key)
    confidence = 1 - settings.alpha
    return FoldPairComparison(
        **common,
        **shared,
        test=key,
        first=first,
        second=second,
        answers=tuple(answer(pair, name, confidence=confidence) for name in PAIR_TESTS),
        effects=_or_none(
            effect_sizes, pair.x, pair.y, test_fraction=pair.test_fraction, confidence=confidence
        ),
        normality=_or_none(normal_differences, pair.x, pair.y),
    )


def compare_on_folds(common: dict) -> FoldsComparison:
    """Compare several algorithms on the one data set there is."""
    results, settings = common["results"], common["settings"]
    shared = folds_of(results, results.datasets[0], settings)
    matrix, dataset = shared["matrix"], shared["dataset"]
    fraction = shared["test_fraction"] if settings.overlap == "corrected" else None
    test = settings.test or advised_post_hoc(shared["design"], len(matrix))
    higher = common["higher_is_better"]
    cases = correct_cases(results, dataset) if settings.measure in ("error", "accuracy") else None
    raw, low, high = _post_hoc(results, shared, settings, test, fraction)
    adjusted = _adjust(raw, test, settings)
    order = list(matrix.mean().sort_values(ascending=not higher, kind="stable").index)
    ordered = adjusted.loc[order, order]
    wins, ties = count_wins(matrix, higher_is_better=higher)
    return FoldsComparison(
        **common,
        **shared,
        test=test,
        anova=anova(matrix, blocked=True, test_fraction=fraction),
        one_way=anova(matrix, blocked=False, test_fraction=fraction),
        friedman=friedman(matrix.set_axis(range(len(matrix))), higher_is_better=higher),
        cochran=cochran_q(cases) if cases is not None and len(cases) else None,
        raw=raw,
        adjusted=adjusted,
        uncorrected=_uncorrected(results, shared, settings, test, fraction),
        low=low,
        high=high,
        groups=tuple(cliques(ordered, settings.alpha)),
        underlined=tuple(underlines(order, ordered, settings.alpha)),
        wins=wins,
        ties=ties,
        checks={
            "normality": _or_reason(normality, matrix),
            "equal variances": _or_reason(equal_variances, matrix),
            "sphericity": _or_reason(sphericity, matrix),
        },
        smallest_pvalue=_smallest(test, len(order), len(matrix), settings),
    )


def advised_post_hoc(design: str, n_results: int = 10) -> str:
    """Return the test of all pairs that a design calls for.

    Examples
    --------
    >>> advised_post_hoc("5x2"), advised_post_hoc("k-fold")
    ('5x2 cv F', 'Tukey')
    """
    return "5x2 cv F" if design == "5x2" and n_results == 10 else TUKEY


def _check_applies(pair: FoldPair, key: str) -> None:
    if reason := PAIR_TESTS[key].refuses(pair):
        raise DesignError(f"{PAIR_TESTS[key].name}: {reason}. Use the advised test.")


def _post_hoc(
    results: Results, shared: dict, settings: Settings, test: str, fraction: float | None
) -> tuple[PairwiseOutcome, pd.DataFrame, pd.DataFrame]:
    matrix, confidence = shared["matrix"], 1 - settings.alpha
    if test == TUKEY:
        outcome = tukey(matrix, blocked=True, test_fraction=fraction, confidence=confidence)
        reach = outcome.half_width
        return outcome, outcome.differences - reach, outcome.differences + reach
    every = combinations(matrix.columns, 2)
    pairs = fold_pairs(results, shared, settings.measure, every)
    _check_applies(next(iter(pairs.values())), test)
    return pairs_on_folds(pairs, test, confidence)


def _adjust(raw: PairwiseOutcome, test: str, settings: Settings) -> pd.DataFrame:
    if isinstance(raw, TukeyOutcome) or test == TUKEY:
        return raw.pvalues
    correction = usable_correction(settings.correction, len(raw.pvalues))
    return adjust_pairs(raw.pvalues, correction)


def _uncorrected(
    results: Results, shared: dict, settings: Settings, test: str, fraction: float | None
) -> pd.DataFrame | None:
    if fraction is None or test not in (TUKEY, "corrected t"):
        return None
    plain = TUKEY if test == TUKEY else "paired t"
    raw, _, _ = _post_hoc(results, shared, settings, plain, None)
    return _adjust(raw, plain, settings)


def _smallest(test: str, k: int, n: int, settings: Settings) -> float:
    """Return the smallest adjusted p-value one pair could reach with n folds."""
    if test not in DISCRETE:
        return 0.0
    return min(1.0, paid_pairs(settings, k) * least_pvalue(test, n))


def paid_pairs(settings: Settings, k: int) -> int:
    """Return by what the smallest p-value of a family is multiplied at least.

    Hochberg and Hommel leave it as it is where all pairs share it.
    """
    return k * (k - 1) // 2 if settings.correction in STEP_DOWN else 1


def least_pvalue(test: str, n: int) -> float:
    """Return the smallest p-value a test that counts can give with n folds."""
    drawn = test == "sign flips" and n > EXACT_LIMIT
    return max(2.0 ** (1 - n), 1e-4) if drawn else 2.0 ** (1 - n)


def _or_none(function, *arguments, **options):
    try:
        return function(*arguments, **options)
    except FoldwiseError:
        return None


def _or_reason(check, matrix: pd.DataFrame) -> Outcome | str:
    try:
        return check(matrix)
    except FoldwiseError as error:
        return str(error)
