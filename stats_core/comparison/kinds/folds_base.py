"""What comparisons on the folds of one data set share."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import pandas as pd

from stats_core.comparison.cards.method_card import method_card
from stats_core.comparison.cited_text import CitedText, ending_sentence, overlap_text
from stats_core.comparison.identical_pairs import identical_said
from stats_core.comparison.plan_steps import IRSOY, Step, folds, joined
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

OF_SIGNS = ("Wilcoxon", "sign test")  # tests that depend on differences by signs and ranks alone
CHECK_LEVEL = 0.05  # at which a check of an assumption is said to fail


@dataclass(frozen=True, kw_only=True, eq=False)
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
        return resampling_unit(self.design)

    @property
    def n_folds(self) -> int:
        """Number of results of each algorithm."""
        return len(self.matrix)

    @property
    def means(self) -> pd.Series:
        """Mean of each algorithm, best first; equal means stay in the order of the data."""
        return self.matrix.mean().sort_values(ascending=not self.higher_is_better, kind="stable")

    @property
    def paired_results(self) -> pd.DataFrame:
        """The results of every fold."""
        return self.matrix

    def unsized(self, first: str, second: str) -> str:
        """As in every kind; of two that are identical that."""
        return identical_said(self, first, second)

    @property
    @cached_method
    def identical(self) -> tuple[tuple[str, str], ...]:
        """As in every kind; to tests of means, differences below 1e-12 are rounding errors, too."""
        found = set(super().identical)
        if self.test not in OF_SIGNS:
            values = {name: self.matrix[name].to_numpy(dtype=float) for name in self.order}
            for a, b in combinations(self.order, 2):
                if all_within_rounding(values[a] - values[b], values[a], values[b]):
                    found.add((a, b))
        return tuple(pair for pair in combinations(self.order, 2) if pair in found)

    @property
    def counted(self) -> Units:
        """Folds, or what stands for them."""
        return Units(n=self.n_folds, noun=self.unit)

    @property
    def scope(self) -> str:
        """Other training sets, on this test set only where all share it."""
        return "test set" if self.design == "common test set" else "training sets"

    @property
    def where(self) -> str:
        """The data set."""
        return f"on {self.dataset}"

    @property
    def overlap_ignored(self) -> bool:
        """Whether training sets share cases and the test that decides does not allow for it."""
        alone = self.test in AS_IF_INDEPENDENT or self.test == TUKEY
        known = self.test_fraction is not None and self.settings.overlap == "corrected"
        return alone and not (known and self.test == TUKEY)

    @property
    def keeps_its_level(self) -> bool:
        """Whether the test that decides was measured to control its type I error rate."""
        inflated = self.test in FIVE_BY_TWO or self.test == TUKEY or self.published_beyond
        return not self.overlap_ignored and not inflated

    @property
    def published_beyond(self) -> bool:
        """Whether the published t test decides where its degrees of freedom are too many."""
        return self.test == PUBLISHED and self.n_folds > MOST_RESULTS

    @property
    def published_df(self) -> int:
        """Degrees of freedom of the published form of the test that decides."""
        pairs_at_once = len(self.matrix.columns) - 1 if self.test == TUKEY else 1
        return pairs_at_once * (self.n_folds - 1)

    @property
    def max_df(self) -> int | None:
        """Degrees of freedom at most of the test that decides, None for all of them."""
        if self.test == CONSERVATIVE:
            return conservative_df(self.n_folds)
        fraction = self.test_fraction if self.settings.overlap == "corrected" else None
        return max_df(self.settings, self.n_folds, fraction) if self.test == TUKEY else None

    def least_by(self, pvalue: float, comparisons: int, best: str) -> SmallestPValue:
        """Return the smallest p-value of tests that count, and how many folds it takes."""
        sizes = range(self.n_folds, 1100)
        alpha, name = self.settings.alpha, PAIR_TESTS.get(self.test)
        enough = (n for n in sizes if significant(comparisons * least_pvalue(self.test, n), alpha))
        return SmallestPValue(
            pvalue=pvalue,
            counted=self.counted,
            needed=next(enough, None) if not significant(pvalue, alpha) else None,
            extreme=f"Even if {best} won every one",
            test=f"the {name.name if name else self.test}",
        )

    def pairs_of_folds(self, names: Iterable[tuple[str, str]]) -> list[FoldPair]:
        """Return the results of pairs of algorithms in every fold."""
        shared = {
            "dataset": self.dataset,
            "matrix": self.matrix,
            "design": self.design,
            "design_label": self.design_label,
            "test_fraction": self.test_fraction,
        }
        return list(fold_pairs(self.results, shared, self.settings.measure, names).values())

    def one_result(self) -> Step:
        """Say how the results came about."""
        fails = joined(self.design_notes())
        return folds(self.unit, self.design, self.design_label, fails)

    def not_independent(self) -> str:
        """Say that the test takes overlapping folds as independent."""
        if self.test not in AS_IF_INDEPENDENT or self.test_fraction is None:
            return ""
        return f"This test {OVERLAP}; the corrected t test stands beside it."

    def allowance(self, factor: float) -> Iterable[CitedText]:
        """Say, for a paper, what was done about training sets that overlap."""
        if factor != 1:
            yield overlap_text(factor, self.unit)
            if self.max_df is not None:
                yield CitedText(
                    f", and at most {self.max_df} degrees of freedom were used instead of the "
                    f"published {self.published_df}"
                )
            yield CitedText(".")
        elif self.design == "common test set":
            yield ending_sentence(
                "The training sets share one test set; the tests speak of other training sets on "
                "this test set only"
            )
        elif self.overlap_ignored:
            yield ending_sentence(
                f"Results of different {self.unit}s were taken as independent, though training "
                "sets may share cases; that rejects too easily"
            )

    def design_notes(self) -> list[Message]:
        """Say what the design keeps from being known."""
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
    named = [
        f"{first} and {second} ({p_said(plain, alpha)} instead of {p_said(p, alpha)})"
        for first, second, p, plain in pairs
    ]
    noun = "the difference" if len(pairs) == 1 else "the differences"
    return f"With the published df, {noun} between {join_names(named, most)} would be significant."


@message_text("published first test disagrees")
def _published_first(voice: Audience, name: str, p: float, plain: float, alpha: float) -> str:
    return (
        f"With the published df, {name} would reject ({p_said(plain, alpha)} instead of "
        f"{p_said(p, alpha)})."
    )


def published_notes(c: Comparison) -> list[Message]:
    """Name what would be significant with the published degrees of freedom, and is not."""
    alpha, first, notes = c.settings.alpha, c.first_test, []
    if first is not None and first.published is not None:
        plain, p = first.published, first.outcome.pvalue
        if significant(plain, alpha) and not significant(p, alpha):
            values = {"name": first.name, "p": p, "plain": plain, "alpha": alpha}
            notes.append(message("published first test disagrees", **values))
    found = c.details()
    if "p published" in found:
        more = found[significant(found["p published"], alpha) & ~found["separated"].astype(bool)]
        columns = more[["first", "second", "p adjusted", "p published"]]
        if pairs := tuple(columns.itertuples(index=False, name=None)):
            notes.append(message("published disagrees", pairs=pairs, alpha=alpha))
    return notes


def why_this_pair(key: str) -> tuple[str, str, str]:
    """Return why a test of two on folds is taken, where it comes from, and what papers do."""
    other = f"{IRSOY} take the 5x2 cv F test on 5 x 2 folds; the thesis"
    found = method_card(key)
    papers = {
        "5x2 cv F": f"{IRSOY} do the same; the thesis takes the paired t test on k folds.",
        PUBLISHED: f"{other} the paired t test on k folds, uncorrected.",
        CONSERVATIVE: f"{other} the paired t test on k folds, uncorrected.",
        "paired t": f"{other} does the same as here.",
    }.get(key, f"{other} the paired t test on k folds.")
    why = found.why if key in ("5x2 cv F", PUBLISHED, CONSERVATIVE, "paired t") else ""
    return why or f"It was asked for. {PAIR_TESTS[key].assumes}", found.reference, papers


def check_applies(pair: FoldPair, key: str) -> None:
    """Refuse a test that the design or the data do not allow."""
    if reason := PAIR_TESTS[key].refuses(pair):
        raise DesignError(f"{PAIR_TESTS[key].name}: {reason}. Use the advised test.")


def least_pvalue(test: str, n: int) -> float:
    """Return the smallest p-value a test that counts can give with n folds."""
    drawn = test == "sign flips" and n > EXACT_LIMIT
    return max(2.0 ** (1 - n), 1e-4) if drawn else 2.0 ** (1 - n)


def or_none(function: Callable, *arguments: Any, **options: Any) -> Any:
    """Return what a function returns, None where it refuses."""
    try:
        return function(*arguments, **options)
    except FoldwiseError:
        return None
