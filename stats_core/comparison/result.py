"""What every kind of comparison answers, and the small things its answers are made of."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import wraps
from math import isclose
from typing import Any, ClassVar

import numpy as np
import pandas as pd

from stats_core.comparison.advice import Advice
from stats_core.comparison.cited_text import CitedText, origin
from stats_core.comparison.detectable_inputs import DetectableInput
from stats_core.comparison.intervals import Intervals
from stats_core.comparison.performance_values import Standing
from stats_core.comparison.plan_steps import Step
from stats_core.core.errors import DesignError
from stats_core.core.formatting import (
    MINUS,
    format_count,
    p_phrase,
    p_text,
    published_said,
    score_digits,
)
from stats_core.core.messages import Message
from stats_core.core.result_types import TestResult, labeled_matrix
from stats_core.core.significance import significant
from stats_core.core.validation import shares_of_ties
from stats_core.data.results import Results
from stats_core.data.settings import Settings
from stats_core.inference.equivalence_region import Ends, against_region
from stats_core.inference.multiplicity.cliques import cliques

# what an answer speaks of -> in words, after "this speaks of"
SCOPES = {
    "data sets": "other data sets like these",
    "training sets": "models trained on other data of this kind",
    "cases": "these trained models on other cases of this population",
    "cases and trainings": "other cases of this population and models trained anew",
    "test set": "other training sets, on this test set only",
    "none": "nothing beyond these numbers",
}
# the same columns in every kind; NaN where a test has no interval or no p before adjusting
PAIR_COLUMNS = (
    "first",
    "second",
    "estimate",
    "low",
    "high",
    "statistic",
    "p",
    "p adjusted",
    "separated",
)
AT_EVERY_LEVEL = "kept at every level"  # where comparisons at several levels keep what they share


def cached_method(compute: Callable) -> Callable:
    """Compute a fact of a comparison at its first use and keep it."""
    key = f"kept {compute.__name__}"

    @wraps(compute)
    def kept(self: Any) -> Any:
        if key not in self.__dict__:
            self.__dict__[key] = compute(self)
        return self.__dict__[key]

    return kept


def cached_across_alpha(compute: Callable) -> Callable:
    """Compute a fact that does not depend on the level once for all of `Comparison.at_level`."""

    @wraps(compute)
    def kept(self: Any) -> Any:
        shared = self.__dict__.setdefault(AT_EVERY_LEVEL, {})
        if compute.__name__ not in shared:
            shared[compute.__name__] = compute(self)
        return shared[compute.__name__]

    return kept


@dataclass(frozen=True, slots=True, kw_only=True)
class Units:
    """How many of what one result comes from each: 38 data sets, 10 folds, 200 cases."""

    n: int
    noun: str
    plural: str = ""

    @property
    def several(self) -> str:
        """The noun of more than one."""
        return self.plural or f"{self.noun}s"

    def __str__(self) -> str:
        """Write "38 data sets"."""
        return format_count(self.n, self.noun, self.plural or None)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class OmnibusTest:
    """The test of all algorithms at once that goes before the pairs.

    Attributes
    ----------
    name : str
        As it stands in a sentence.
    outcome : TestResult
        Its answer.
    """

    name: str
    outcome: TestResult

    def rejects(self, alpha: float) -> bool:
        """Tell whether it finds any difference at this level."""
        return significant(self.outcome.pvalue, alpha)

    @property
    def published(self) -> float | None:
        """The p-value with all degrees of freedom; None where that is the same."""
        found = getattr(self.outcome, "published_pvalue", None)
        return None if found is None or isclose(found, self.outcome.pvalue) else found

    def said(self, alpha: float) -> str:
        """Write "Iman-Davenport p 0.012", with the published p where it differs."""
        said = f"{self.name} {p_phrase(self.outcome.pvalue, alpha)}"
        return f"{said}{published_said(self.published, alpha, ' (', ')')}"


@dataclass(frozen=True, slots=True, kw_only=True)
class SmallestPValue:
    """The smallest adjusted p-value that one pair could reach, however large its difference.

    Attributes
    ----------
    pvalue : float
        0 where there is no such bound.
    counted : Counted or None
        What there would have to be more of.
    needed : int or None
        How many of these it takes to get below alpha; None if more alone do not help.
    extreme : str
        The most extreme result, as the beginning of a sentence: "Even if svm won every one".
    test : str
        The test that could not find it.
    """

    pvalue: float = 0.0
    counted: Units | None = None
    needed: int | None = None
    extreme: str = ""
    test: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ErrorControl:
    """What alpha bounds here.

    Attributes
    ----------
    bounds : {"family", "global null", "one", "each", "nothing"}
        The chance of any false difference among all comparisons; the same, but only if no
        algorithm differs from any other; the chance of a false difference where there is one
        comparison; in each comparison alone, so that of many some differ by chance; nothing, as
        the test rejects more often than it says on results of this design, or as there is no test.
    comparisons : int
        How many there are.
    adjusted : bool
        Whether p-values are adjusted for being many.
    """

    bounds: str
    comparisons: int
    adjusted: bool = True


@dataclass(frozen=True, kw_only=True, eq=False)
class Comparison(ABC):
    """What every kind of comparison answers, each fact computed once.

    Attributes
    ----------
    results : Results
        The results it speaks of, after leaving out.
    settings : Settings
        With the measure filled in.
    higher_is_better : bool
        Direction of the measure.
    scores : DataFrame, data set x algorithm
        The averages that were compared.
    advice : Advice
        The recommended test and why.
    """

    kind: ClassVar[str] = ""  # the key in the register of kinds
    noun: ClassVar[str] = "algorithm"  # what is compared
    claim: ClassVar[str] = "leads"  # what is claimed where pairs differ, a key of the words
    ahead: ClassVar[str] = "before"  # how a pair that differs is named: "a before b"
    ordered_by_ranks: ClassVar[bool] = False  # whether `order` is by average ranks
    derived: ClassVar[tuple[str, ...]] = ()  # what only this kind computes and the JSON holds
    kept_out: ClassVar[tuple[str, ...]] = ()  # fields too large for the JSON

    results: Results
    settings: Settings
    higher_is_better: bool
    scores: pd.DataFrame
    advice: Advice

    @property
    def measure_label(self) -> str:
        """The measure with its direction, for example "error (lower is better)"."""
        return (
            f"{self.settings.measure} ({'higher' if self.higher_is_better else 'lower'} is better)"
        )

    @property
    def measures_compared(self) -> tuple[str, ...]:
        """The measures that what is compared comes from: several together, or one."""
        return self.together or (self.settings.measure,)

    @property
    def together(self) -> tuple[str, ...]:
        """The measures that count as one vector; none where one measure is compared."""
        return ()

    @property
    @abstractmethod
    def order(self) -> list[str]:
        """Who was compared, from best to worst; in the order of the data where none is best."""

    @property
    @abstractmethod
    def counted(self) -> Units:
        """What one result of each algorithm comes from, and how many of these there are."""

    @property
    @abstractmethod
    def scope(self) -> str:
        """What the answer speaks of, a key of `SCOPES`."""

    @property
    def first_test(self) -> OmnibusTest | None:
        """The test of all at once; None where the pairs stand alone."""
        return None

    @abstractmethod
    def details(self) -> pd.DataFrame:
        """Return one row per comparison: the columns of `pairs`, and those only this kind has."""

    def pairs(self) -> pd.DataFrame:
        """Return one row per comparison, smallest adjusted p on top, with `PAIR_COLUMNS`.

        And `p published` where the test that decides has a conservative form and uses it.
        """
        found = self.details()
        return found[[*PAIR_COLUMNS, *(["p published"] if "p published" in found else [])]]

    def tested(self) -> pd.DataFrame:
        """Return the rows of `pairs` without estimates and intervals, which of many pairs take long."""
        return self.pairs()

    def sized(self, first: str, second: str) -> pd.Series:
        """Return the row of `pairs` of two algorithms, in either order."""
        rows, two = self.pairs(), (first, second)
        return rows[rows["first"].isin(two) & rows["second"].isin(two)].iloc[0]

    def published_p(self, first: str, second: str) -> float | None:
        """Return what `p adjusted` of a pair would be with all J - 1 degrees of freedom.

        None where that is the same, or where the test that decides has no conservative form.
        """
        return None

    @property
    def digits(self) -> int:
        """Decimals of results and of their differences, as far as these are in the same units."""
        return score_digits(self.scores)

    def at_level(self, alpha: float, advice: Advice) -> "Comparison | None":
        """Return the same tests decided at another level, with what is advised there.

        None where that takes as long as comparing anew.
        """
        return None

    def intervals(self, alpha: float) -> Intervals | None:
        """Return the intervals of the rows of `pairs` at a level of the family, in the measure's units.

        None where differences have no such units, or where the test has no interval.
        """
        return None

    def each(self, alpha: float) -> float:
        """Return the level of one comparison by Bonferroni, or alpha where nothing is adjusted."""
        family = self.guarantee
        return alpha / max(family.comparisons, 1) if family.adjusted else alpha

    @cached_method
    def regions(self) -> tuple[str, ...]:
        """Tell of each row of `pairs` whether it differs by more than the region that does not matter.

        The first is "better" or "worse" by more, the two are "equivalent", or it is "not known"; a
        pair that is not separated is neither better nor worse. () where no region is set, or
        where there are no intervals.
        """
        return () if self.settings.region is None else self.regions_at(self.settings.region)

    def regions_at(self, region: float) -> tuple[str, ...]:
        """Tell the same of any region; () where there are no intervals."""
        if self.region_ends is None:
            return ()
        sides = {"above": "better", "below": "worse"}
        if not self.higher_is_better:
            sides = {"above": "worse", "below": "better"}
        apart = self.pairs()["separated"]
        places = [against_region(wide, narrow, region) for wide, narrow in self.region_ends]
        return tuple(
            ("not known" if not differs else sides[place]) if place in sides else place
            for place, differs in zip(places, apart, strict=True)
        )

    @property
    @cached_method
    def region_ends(self) -> list[tuple[Ends, Ends]] | None:
        """Of each row of `pairs` what a region is held against: its intervals at 1 - alpha and 1 - 2 alpha.

        None where there are none.
        """
        alpha = self.settings.alpha
        decides, narrow = self.intervals(alpha), self.intervals(min(2 * alpha, 1 - 1e-9))
        if decides is None or narrow is None:
            return None
        return list(zip(decides.ends, narrow.ends, strict=True))

    def differing(self) -> list[tuple[str, str]]:
        """Return the pairs that differ, smallest adjusted p on top."""
        pairs = self.pairs()
        found = pairs[pairs["separated"].astype(bool)]
        return list(zip(found["first"], found["second"], strict=True))

    def tally(self) -> str:
        """Say of two what stands below their difference, such as who wins how often."""
        return ""

    def table(self) -> pd.DataFrame:
        """Return what was compared, one row per comparison or per test of the two.

        Columns that no row has a number for, such as intervals that a test does not give, are
        left out. Where a region is set, the last column says what is known against it.
        """
        found = self.details().dropna(axis=1, how="all")
        return found.assign(region=list(self.regions())) if self.regions() else found

    @property
    @abstractmethod
    def beats(self) -> pd.DataFrame:
        """Where the row differs from the column and the test favours the row."""

    @property
    @cached_method
    def groups(self) -> tuple[tuple[str, ...], ...]:
        """Maximal groups without a separated pair; none where not all pairs were compared."""
        pairs, names = self.tested(), pd.Index(self.order)
        first, second = names.get_indexer(pairs["first"]), names.get_indexer(pairs["second"])
        adjusted = np.ones((len(names), len(names)))
        adjusted[first, second] = adjusted[second, first] = pairs["p adjusted"]
        return tuple(cliques(labeled_matrix(adjusted, names), self.settings.alpha))

    @property
    @abstractmethod
    def least(self) -> SmallestPValue:
        """The smallest adjusted p-value one pair could reach."""

    @property
    @abstractmethod
    def guarantee(self) -> ErrorControl:
        """What alpha bounds here."""

    @property
    def decided_elsewhere(self) -> bool:
        """Whether decisions came without their tests, so that no level is known."""
        return False

    @property
    def obstacle(self) -> str:
        """Why nothing can be decided at any level, a key of the words; "" if it can."""
        pairs = len(self.order) * (len(self.order) - 1) // 2
        return "identical" if 0 < pairs == len(self.identical) else ""

    @property
    def first_said(self) -> str:
        """What has to be read before any claim, as a sentence; "" if nothing."""
        return ""

    @property
    @abstractmethod
    def notes(self) -> tuple[Message, ...]:
        """What a reader must know; choices about the results come last."""

    @property
    @abstractmethod
    def where(self) -> str:
        """Where it was compared, for a sentence: "on error", "on iris", "over 30 data sets"."""

    @property
    def tops(self) -> str:
        """What is said of the first in order: "has the best mean error"."""
        return f"has the best mean {self.settings.measure}"

    @property
    def effect(self) -> str:
        """The estimate of a pair in words, "difference in mean error"; "" if it has no unit."""
        return f"difference in mean {self.settings.measure}"

    def estimated(self, first: str, second: str) -> str:
        """Name the estimate of a pair with its sign: "..., a - b"; "" if it has no unit."""
        return f"{self.effect}, {first} {MINUS} {second}" if self.effect else ""

    @property
    def simultaneous(self) -> bool:
        """Whether all intervals of pairs cover their differences at once with 1 - alpha."""
        return False

    @property
    def intervals_allow_for(self) -> str:
        """What the intervals of `pairs` are: "simultaneous", "adjusted for selection", "unadjusted".

        "" where there is one comparison, which no data chose.
        """
        if self.guarantee.comparisons < 2:
            return "unadjusted" if self.settings.pair else ""
        if self.simultaneous:
            return "simultaneous"
        return "adjusted for selection" if self.guarantee.adjusted else "unadjusted"

    def unsized(self, first: str, second: str) -> str:
        """Say what stands instead of an estimate with interval where there is none; else ""."""
        return ""

    @property
    def paired_results(self) -> pd.DataFrame | None:
        """The results that tests of pairs compare, unit by algorithm; None where there are others."""
        return None

    @property
    @cached_method
    def identical(self) -> tuple[tuple[str, str], ...]:
        """The pairs, in order, whose results are the same everywhere but for rounding."""
        found = self.paired_results
        if found is None:
            return ()
        values = found[self.order].to_numpy(dtype=float)
        same = shares_of_ties(values) == 1
        if self.results.failures != "present":  # a run that failed differs from one that did not
            missing = np.isnan(values)
            same &= (missing[:, :, None] == missing[:, None, :]).all(axis=0)
        return tuple((self.order[i], self.order[j]) for i, j in np.argwhere(np.triu(same, 1)))

    @property
    def units(self) -> tuple[str, ...]:
        """The data sets that can be left out or resampled; none where there is one, or none at hand."""
        return ()

    def resampled(self, places: np.ndarray, columns: np.ndarray | None = None) -> "Comparison":
        """Return the same comparison on some of its `units`.

        Parameters
        ----------
        places : array of int
            Which units, some perhaps more than once.
        columns : array of int, unit x algorithm, optional
            On each of them, whose result each algorithm gets; by default its own.
        """
        raise DesignError(f"Resampling needs results on several data sets. This is {self.counted}.")

    @property
    def top(self) -> tuple[str, ...]:
        """The first in order and all that tie with it."""
        return self.ordered_by.leaders if self.ordered_by else tuple(self.order[:1])

    @property
    @abstractmethod
    def post(self) -> str:
        """The test of the pairs with its correction, for a sentence: "Holm on average ranks"."""

    @property
    def ordered_by(self) -> Standing | None:
        """What the algorithms are ordered by; None where no value of each orders them."""
        return None

    @abstractmethod
    def sizes(self, near: list[str]) -> str:
        """Say how large the results of the leaders, or the differences, are; "" if nothing is."""

    @abstractmethod
    def steps(self) -> list[Step]:
        """Return the tests in their order, each a `SortStep`: why this one, what the papers take."""

    @abstractmethod
    def methods(self) -> Iterable[CitedText]:
        """Tell the tests in words for a paper, each stretch a `CitedText` with its publications."""

    def origin(self) -> CitedText:
        """Say, for a paper, what one result of an algorithm is."""
        return origin(self.results)

    def cannot(self) -> str:
        """Say that no difference could be significant, where that is so."""
        alpha, least = self.settings.alpha, self.least.pvalue
        if significant(least, alpha):
            return ""
        return (
            "No difference can be significant, however large: p cannot fall below "
            f"{p_text(least, alpha)} (alpha {alpha:g})."
        )

    @abstractmethod
    def gap(self) -> DetectableInput:
        """Return what the smallest difference that can be found is computed from."""

    @abstractmethod
    def alternatives(self) -> list[tuple[str, Settings]]:
        """Return other settings of this kind that answer the same question, each with its name."""

    def told(self, claim: str, separated: int) -> tuple[str, str, str] | None:
        """Return headline, size and numbers where this kind has its own words for a claim.

        Where the size is "" the difference that counts is said.
        """
        return None


def one_pair(comparison: Any, **values: float) -> pd.DataFrame:
    """Return the row of a comparison of two, `first` and `second`; one p is not adjusted."""
    p, alpha = values["p"], comparison.settings.alpha
    row = {"first": comparison.first, "second": comparison.second, **values}
    row |= {"p adjusted": p, "separated": significant(p, alpha)}
    names = [*PAIR_COLUMNS, *(name for name in values if name not in PAIR_COLUMNS)]
    return pd.DataFrame([row])[names]


def one_beats(comparison: Comparison) -> pd.DataFrame:
    """Return whom the better of two beats: the worse one, if they differ."""
    names = comparison.order
    found = pd.DataFrame(False, index=names, columns=names)
    found.iloc[0, 1] = bool(comparison.pairs()["separated"].iloc[0])
    return found
