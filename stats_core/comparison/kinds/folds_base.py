"""Base class and helpers of comparisons on the folds of one data set."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import pandas as pd

from stats_core.comparison.identical_pairs import identical_said
from stats_core.comparison.result import Comparison, SmallestPValue, Units, cached_method
from stats_core.core.errors import DesignError, FoldwiseError
from stats_core.core.formatting import MANY, capitalize_first, join_names, p_phrase, p_said
from stats_core.core.messages import Audience, Message, message, message_text
from stats_core.core.significance import significant
from stats_core.core.validation import all_within_rounding
from stats_core.data.settings import TUKEY
from stats_core.inference.fold_pairs import fold_pairs, max_df, resampling_unit
from stats_core.inference.fold_tests import AS_IF_INDEPENDENT, OVERLAP, PAIR_TESTS, FoldPair
from stats_core.inference.paired.cv52 import FIVE_BY_TWO
from stats_core.inference.paired.sign_flip import EXACT_LIMIT
from stats_core.inference.paired.t_tests import (
    CONSERVATIVE,
    MOST_RESULTS,
    PUBLISHED,
    conservative_df,
)

OF_SIGNS = ("Wilcoxon", "sign test")  # tests that use only signs or ranks of differences
CHECK_LEVEL = 0.05  # significance level of checks of assumptions


@dataclass(frozen=True, kw_only=True, eq=False)
class OnFolds(Comparison):
    """Algorithms compared on the folds of one data set.

    Attributes
    ----------
    dataset : str
        Name of the data set.
    matrix : DataFrame, (repetition, fold) x algorithm
        Values of the measure, none missing.
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
        """Noun for the origin of one result of each algorithm: "fold", "training set" ..."""
        return resampling_unit(self.design)

    @property
    def n_folds(self) -> int:
        """Number of results per algorithm."""
        return len(self.matrix)

    @property
    def means(self) -> pd.Series:
        """Mean per algorithm, best first; ties in the order of the data."""
        return self.matrix.mean().sort_values(ascending=not self.higher_is_better, kind="stable")

    @property
    def paired_results(self) -> pd.DataFrame:
        """Results of every fold."""
        return self.matrix

    def unsized(self, first: str, second: str) -> str:
        """Return why a pair has no interval, which is that its results are identical."""
        return identical_said(self, first, second)

    @property
    @cached_method
    def identical(self) -> tuple[tuple[str, str], ...]:
        """Pairs with identical results; for tests of means up to rounding errors of 1e-12."""
        pairs = set(super().identical)
        if self.test not in OF_SIGNS:
            values = {name: self.matrix[name].to_numpy(dtype=float) for name in self.order}
            for a, b in combinations(self.order, 2):
                if all_within_rounding(values[a] - values[b], values[a], values[b]):
                    pairs.add((a, b))
        return tuple(pair for pair in combinations(self.order, 2) if pair in pairs)

    @property
    def counted(self) -> Units:
        """Number of folds, or of the units used instead."""
        return Units(n=self.n_folds, noun=self.unit)

    @property
    def scope(self) -> str:
        """Population the conclusion generalizes to: other training sets."""
        return "test set" if self.design == "common test set" else "training sets"

    @property
    def where(self) -> str:
        """Phrase that names the data set."""
        return f"on {self.dataset}"

    @property
    def overlap_ignored(self) -> bool:
        """Whether training sets overlap and the deciding test does not correct for it."""
        assumes_independence = self.test in AS_IF_INDEPENDENT or self.test == TUKEY
        corrected = self.test_fraction is not None and self.settings.overlap == "corrected"
        return assumes_independence and not (corrected and self.test == TUKEY)

    @property
    def keeps_its_level(self) -> bool:
        """Whether the deciding test controlled its type I error rate in simulations."""
        inflated = self.test in FIVE_BY_TWO or self.test == TUKEY or self.published_beyond
        return not self.overlap_ignored and not inflated

    @property
    def published_beyond(self) -> bool:
        """Whether the published t test decides with more folds than its df are valid for."""
        return self.test == PUBLISHED and self.n_folds > MOST_RESULTS

    @property
    def published_df(self) -> int:
        """Degrees of freedom of the published form of the deciding test."""
        df_per_fold = len(self.matrix.columns) - 1 if self.test == TUKEY else 1
        return df_per_fold * (self.n_folds - 1)

    @property
    def max_df(self) -> int | None:
        """Upper bound of the degrees of freedom of the deciding test; None for no bound."""
        if self.test == CONSERVATIVE:
            return conservative_df(self.n_folds)
        fraction = self.test_fraction if self.settings.overlap == "corrected" else None
        return max_df(self.settings, self.n_folds, fraction) if self.test == TUKEY else None

    def least_of_folds(self, pvalue: float, comparisons: int, best: str) -> SmallestPValue:
        """Return the smallest attainable p-value of a discrete test and the folds needed."""
        name = PAIR_TESTS.get(self.test)
        return self.least_by(
            pvalue,
            lambda n: comparisons * least_pvalue(self.test, n),
            f"{best} won every one",
            test=f"the {name.name if name else self.test}",
        )

    def pairs_of_folds(self, names: Iterable[tuple[str, str]]) -> list[FoldPair]:
        """Return the paired fold results of the given pairs of algorithms."""
        names_of_data = ("dataset", "matrix", "design", "design_label", "test_fraction")
        data = {name: getattr(self, name) for name in names_of_data}
        return list(fold_pairs(self.results, data, self.settings.measure, names).values())

    def design_notes(self) -> list[Message]:
        """Return notes on limits of the design."""
        if self.design == "common test set":
            return [message("common test set")]
        if self.test in FIVE_BY_TWO and self.test not in AS_IF_INDEPENDENT:
            return [message("level not kept", test=self.test)]
        if self.published_beyond:
            return [message("published df", unit=self.unit)]
        if self.test_fraction is not None:
            return []
        return [message("runs" if self.design == "seeds" else "share unknown")]


@message_text("common test set")
def _common_test_set(voice: Audience) -> str:
    return (
        "All training sets share one test set, so nothing here tells how the results would be on "
        "other cases."
    )


@message_text("runs")
def _runs(voice: Audience) -> str:
    return (
        "It is not known whether the runs share one test set. If they do, this speaks of other "
        "trainings only; if each has its own, overlap is not corrected and the test may reject "
        "too easily."
    )


@message_text("share unknown")
def _share_unknown(voice: Audience) -> str:
    return (
        "The share of cases tested is not known, so overlap is not corrected and the test may "
        "reject too easily."
    )


@message_text("level not kept")
def _level_not_kept(voice: Audience, test: str) -> str:
    return (
        f"{capitalize_first(PAIR_TESTS[test].name)} rejects more often than it says on some real data, "
        "where the corrected t test does not."
    )


@message_text("as if independent")
def _as_if_independent(voice: Audience, test: str) -> str:
    name = PAIR_TESTS[test].name
    return f"{capitalize_first(name)} {OVERLAP}."


@message_text("not normal")
def _not_normal(voice: Audience, of: str, doubt: float, alpha: float) -> str:
    return (
        f"Normality of the {of} is doubtful ({p_phrase(doubt)}). No test here does without it and "
        f"still allows for overlap, so a p-value near {alpha:g} should be read with care."
    )


@message_text("published df")
def _published_df(voice: Audience, unit: str) -> str:
    return (
        f"On more than ten {unit}s of the same cases the corrected t test with J − 1 df has an "
        "inflated type I error rate on some data. Its conservative form controls it better."
    )


@message_text("published disagrees")
def _published_disagrees(
    voice: Audience, pairs: tuple[tuple[str, str, float, float], ...], alpha: float
) -> str:
    most = MANY if voice.in_paper else 3
    labels = [
        f"{first} and {second} ({p_said(plain, alpha)} instead of {p_said(p, alpha)})"
        for first, second, p, plain in pairs
    ]
    noun = "the difference" if len(pairs) == 1 else "the differences"
    return f"With the published df, {noun} between {join_names(labels, most)} would be significant."


@message_text("published first test disagrees")
def _published_first(voice: Audience, name: str, p: float, plain: float, alpha: float) -> str:
    return (
        f"With the published df, {name} would reject ({p_said(plain, alpha)} instead of "
        f"{p_said(p, alpha)})."
    )


def published_notes(c: Comparison) -> list[Message]:
    """Return notes on results that are significant only with the published df."""
    alpha, first, notes = c.settings.alpha, c.first_test, []
    if first is not None and first.published is not None:
        plain, p = first.published, first.outcome.pvalue
        if significant(plain, alpha) and not significant(p, alpha):
            values = {"name": first.name, "p": p, "plain": plain, "alpha": alpha}
            notes.append(message("published first test disagrees", **values))
    pairs_table = c.details()
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
    if reason := PAIR_TESTS[key].refuses(pair):
        raise DesignError(f"{PAIR_TESTS[key].name}: {reason}. Use the advised test.")


def least_pvalue(test: str, n: int) -> float:
    """Return the smallest p-value that a discrete test can give with n folds."""
    is_sampled = test == "sign flips" and n > EXACT_LIMIT
    return max(2.0 ** (1 - n), 1e-4) if is_sampled else 2.0 ** (1 - n)


def or_none(function: Callable, *arguments: Any, **options: Any) -> Any:
    """Call a function and return its result, or None if it raises FoldwiseError."""
    try:
        return function(*arguments, **options)
    except FoldwiseError:
        return None
