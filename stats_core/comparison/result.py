"""Base class `Comparison` of all kinds of comparison, and the value types of its properties."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from math import comb, isclose
from typing import Any, ClassVar, Protocol, Self

import numpy as np
import pandas as pd

from stats_core.comparison.equivalence import Equivalence, Intervals
from stats_core.comparison.pairs import Pairs
from stats_core.comparison.plan import Plan, PlannedTest
from stats_core.core.errors import DesignError
from stats_core.core.formatting import format_count, format_number, measure_name, score_digits
from stats_core.core.messages import Message, message
from stats_core.core.result_types import ResultCache, TestResult, cached, labeled_matrix, own_cache
from stats_core.core.validation import check_kind, shares_of_ties, significant
from stats_core.data.results import Results
from stats_core.data.settings import TUKEY, Settings
from stats_core.inference import fold_pairs
from stats_core.inference.bayesian import PosteriorResult
from stats_core.inference.methods import Estimate
from stats_core.inference.multiplicity.adjust import FALSE_DISCOVERY
from stats_core.inference.multiplicity.cliques import cliques
from stats_core.inference.ranks import RankTestResult

# populations to which a conclusion generalizes
SCOPES = (
    *("data sets", "training sets", "runs", "cases", "cases and runs", "benchmarks"),
    *("test set", "none"),
)
FDR = "false discovery rate"
NOT_IN_JSON = {"json": False}  # metadata of fields that the JSON does not include
# type I error rates that alpha bounds, see `ErrorControl`
BOUNDS = ("family", "global null", FDR, "one", "each", "nothing")


@dataclass(frozen=True, slots=True, kw_only=True)
class Units:
    """Number and noun of the sampled units, such as 38 data sets; `plural` if it is not the noun with an s."""

    n: int
    noun: str
    plural: str = ""

    @property
    def several(self) -> str:
        """Plural of the noun."""
        return self.plural or f"{self.noun}s"

    def __str__(self) -> str:
        """Return number and noun: "38 data sets"."""
        return format_count(self.n, self.noun, self.plural or None)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class OmnibusTest:
    """Omnibus test of all algorithms, before the pairwise tests.

    Attributes
    ----------
    name : str
        Name in a sentence.
    outcome : TestResult
        Result of the test.
    """

    name: str
    outcome: TestResult

    def rejects(self, alpha: float) -> bool:
        """Return whether the test rejects at this significance level."""
        return significant(self.outcome.pvalue, alpha)

    @property
    def published(self) -> float | None:
        """p-value with the published degrees of freedom; None without one, or if it equals the p-value of the test."""
        pvalue = getattr(self.outcome, "published_pvalue", None)
        return None if pvalue is None or isclose(pvalue, self.outcome.pvalue) else pvalue


@dataclass(frozen=True, slots=True, kw_only=True)
class SmallestPValue:
    """Smallest adjusted p-value attainable by one pair.

    Attributes
    ----------
    pvalue : float
        Smallest attainable p-value; 0 without such a bound.
    counted : Units or None
        The units whose number bounds it; None if there are none.
    needed : int or None
        Number of units needed for one pair to be significant; None if 1,099 are not enough, or if
        the present number is enough (`TwoComparison` then gives the present number).
    """

    pvalue: float = 0.0
    counted: Units | None = None
    needed: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ErrorControl:
    """Type I error rate that alpha bounds.

    Attributes
    ----------
    bounds : {"family", "global null", "false discovery rate", "one", "each", "nothing"}
        "family": the probability of any false rejection among all comparisons. "global null": the
        same, but only if no algorithms differ. "false discovery rate": the expected share of false
        rejections among the rejections. "one": the type I error rate of the only comparison.
        "each": that of each comparison alone, so that among many some are false rejections.
        "nothing": the test does not control its error rate on this design, or there is no test.
    comparisons : int
        Number of comparisons.
    adjusted : bool
        Whether p-values are adjusted for multiple comparisons.
    """

    bounds: str
    comparisons: int
    adjusted: bool = True

    def each(self, alpha: float) -> float:
        """Return alpha divided by the number of comparisons; alpha itself if p-values are not adjusted.

        Examples
        --------
        >>> ErrorControl(bounds="family", comparisons=5).each(0.05)
        0.01
        """
        return alpha / max(self.comparisons, 1) if self.adjusted else alpha


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Standing:
    """Values by which algorithms are ordered, such as average ranks.

    Attributes
    ----------
    values : Series
        Value of each algorithm.
    name : str
        Name of the values: "average rank for error".
    lowest : bool
        Whether the lowest is the best.
    digits : int
        Number of decimals in text.
    """

    values: pd.Series
    name: str
    lowest: bool
    digits: int = 2

    @property
    def best(self) -> str:
        """Which values are best: "lowest" or "highest"."""
        return "lowest" if self.lowest else "highest"

    @property
    def leaders(self) -> tuple[str, ...]:
        """Algorithms with the best value, including ties within rounding.

        Examples
        --------
        >>> Standing(values=pd.Series({"svm": 1.5, "knn": 3.0, "rf": 1.5}), name="", lowest=True).leaders
        ('svm', 'rf')
        """
        return self._at(self.values.min() if self.lowest else self.values.max())

    @property
    def last(self) -> tuple[str, ...]:
        """Algorithms with the worst value, including ties within rounding."""
        return self._at(self.values.max() if self.lowest else self.values.min())

    def _at(self, value: float) -> tuple[str, ...]:
        return tuple(self.values.index[(self.values - value).abs() <= 1e-9])

    def of(self, algorithm: str) -> str:
        """Return the formatted value of one algorithm."""
        return format_number(self.values[algorithm], self.digits)

    def valued(self, algorithms: Iterable[str], more: str = "") -> list[str]:
        """Return names with their formatted values, each followed by `more`: "svm (1.50)"."""
        return [f"{name} ({self.of(name)}{more})" for name in algorithms]

    @property
    def range(self) -> str:
        """Lowest and highest value with their algorithms, ignoring NaN: "1.25 (rf) to 5.00 (knn)".

        Examples
        --------
        >>> Standing(values=pd.Series({"svm": 2.0, "knn": 5.0, "rf": 1.25}), name="", lowest=True).range
        '1.25 (rf) to 5.00 (knn)'
        """
        ordered = self.values.dropna().sort_values(kind="stable")
        ends = (ordered.index[0], ordered.index[-1])
        return " to ".join(f"{self.of(name)} ({name})" for name in ends)


@dataclass(frozen=True, slots=True, kw_only=True)
class Shape:
    """General properties of a kind of comparison: sampled units, ranks, measures, control.

    Attributes
    ----------
    over : {"data sets", "folds", "cases", "benchmarks", "nothing"}
        Sampled units; "cases" are instances of one test set, "benchmarks" those of several test
        sets; "nothing" without a test.
    two : bool
        Whether two algorithms are compared, by tests of one pair.
    ranks : bool
        Whether algorithms are ordered by Friedman's average ranks.
    control : bool
        Whether each algorithm is compared with a control, instead of all pairs.
    several_measures : bool
        Whether several measures are compared as one vector.
    wins : bool
        Whether wins on data sets are counted.
    published : bool
        Whether only summaries are known, not the results behind them.
    incomplete : bool
        Whether algorithms may miss results on some data sets.
    """

    over: str = "data sets"
    two: bool = False
    ranks: bool = False
    control: bool = False
    several_measures: bool = False
    wins: bool = False
    published: bool = False
    incomplete: bool = False

    @property
    def averages(self) -> bool:
        """Whether algorithms are compared by their averages on each data set, on one measure."""
        return self.over == "data sets" and not (self.wins or self.published)

    @property
    def folds(self) -> bool:
        """Whether algorithms are compared by the folds of one data set, on one measure."""
        return self.over == "folds" and not self.several_measures

    @property
    def untested(self) -> bool:
        """Whether nothing was tested, here or in a publication."""
        return self.over == "nothing" and not self.published

    @property
    def decided_elsewhere(self) -> bool:
        """Whether the decisions were published without their tests, so that their level is unknown."""
        return self.over == "nothing" and self.published

    @property
    def ordered_by_ranks(self) -> bool:
        """Whether algorithms are ordered by average ranks of results that are at hand."""
        return self.averages and (self.ranks or self.incomplete)

    @property
    def claim(self) -> str:
        """Claim if pairs differ, as in `Decision.claim`."""
        if self.control:
            return "sides"
        if self.several_measures:
            return "differ"
        return "better" if self.two else "leads"

    @property
    def ranked_pairs(self) -> bool:
        """Whether all pairs of algorithms are compared, with ranks on every data set."""
        return self.averages and self.ranks and not self.control


@dataclass(frozen=True, kw_only=True, eq=False)
class Inputs:
    """Results and settings from which a comparison is computed.

    Attributes
    ----------
    results : Results
        The selected results.
    settings : Settings
        The settings with the measure filled in.
    higher_is_better : bool
        Direction of the measure.
    scores : DataFrame, data set x algorithm
        Average of each algorithm on each data set.
    cache : ResultCache
        Cache of values computed from the inputs, at any alpha.
    test_cache : ResultCache
        Cache of values computed from results and scores alone, for any settings.
    """

    results: Results
    settings: Settings
    higher_is_better: bool
    scores: pd.DataFrame
    cache: ResultCache = field(default_factory=ResultCache, repr=False)
    test_cache: ResultCache = field(default_factory=ResultCache, repr=False)

    @classmethod
    def of(cls, results: Results, settings: Settings) -> Self:
        """Return the inputs of a comparison of selected results."""
        return cls(
            results=results,
            settings=settings,
            higher_is_better=results.direction(settings.measure) == "higher",
            scores=results.averages(settings.measure),
            cache=ResultCache.shared(results, settings),
            test_cache=own_cache(results),
        )

    def varied(self, **changes: Any) -> Self:
        """Return a copy of these inputs with fields changed and caches of its own."""
        return replace(self, **changes, cache=ResultCache(), test_cache=ResultCache())

    def at_level(self, alpha: float) -> Self:
        """Return these inputs at another significance level, with the same cache."""
        return replace(self, settings=replace(self.settings, alpha=alpha))


@dataclass(frozen=True, kw_only=True, eq=False)
class Comparison(ABC):
    """Base class of all kinds of comparison; `analyse` returns instances of its subclasses.

    Attributes
    ----------
    inputs : Inputs
        Results and settings from which the comparison was computed.
    """

    kind: ClassVar[str] = ""  # key in the registry of kinds
    derived: ClassVar[tuple[str, ...]] = ()  # computed values of this kind that the JSON includes
    inputs: Inputs = field(metadata=NOT_IN_JSON)

    def __init_subclass__(cls, **options: Any) -> None:
        """Give each subclass the short `__repr__`, which its dataclass decorator would replace by all fields."""
        super().__init_subclass__(**options)
        cls.__repr__ = Comparison.__repr__  # type: ignore[method-assign] # on purpose, see above

    def __repr__(self) -> str:
        """Return three lines: kind and sizes, algorithms in their order, groups."""
        sizes = f"{self.measure_label}, {self.counted}, alpha={self.settings.alpha:g}"
        return f"<{type(self).__name__}: {sizes}\n order={self.order}\n groups={list(self.groups)}>"

    @property
    def shape(self) -> Shape:
        """General properties of this kind of comparison."""
        return Shape()

    @property
    def results(self) -> Results:
        """The selected results."""
        return self.inputs.results

    @property
    def settings(self) -> Settings:
        """The settings with the measure filled in."""
        return self.inputs.settings

    @property
    def higher_is_better(self) -> bool:
        """Whether higher values of the measure are better."""
        return self.inputs.higher_is_better

    @property
    def scores(self) -> pd.DataFrame:
        """The averages that were compared, data set x algorithm."""
        return self.inputs.scores

    @property
    def cache(self) -> ResultCache:
        """Cache of values computed from the inputs, at any alpha."""
        return self.inputs.cache

    @property
    def measure_label(self) -> str:
        """The measure with its direction, for example "error (lower is better)"."""
        return f"{self.measure_name} ({'higher' if self.higher_is_better else 'lower'} is better)"

    @property
    def measure_name(self) -> str:
        """The measure as papers write it, for example "AUC"."""
        return measure_name(self.settings.measure)

    @property
    def noun(self) -> str:
        """The noun for what is compared: "algorithm" or "model"."""
        return self.results.noun

    @property
    def dataset_label(self) -> str:
        """The first data set, as named in sentences."""
        return self.results.dataset_label(self.results.datasets[0])

    @property
    def measures_compared(self) -> tuple[str, ...]:
        """Names of the measures compared: several together, or one."""
        return self.together or (self.settings.measure,)

    @property
    def together(self) -> tuple[str, ...]:
        """Names of the measures compared as one vector; () if one measure is compared."""
        return ()

    @property
    @abstractmethod
    def order(self) -> list[str]:
        """Algorithms from best to worst; in data order if no order exists."""

    @property
    @abstractmethod
    def counted(self) -> Units:
        """Number and noun of the sampled units."""

    @property
    def tested_units(self) -> Units:
        """Number and noun of the units of the pairwise test: those counted, or the instances of all folds."""
        return self.counted

    @property
    def scope(self) -> str:
        """Population the conclusion generalizes to, one of `SCOPES`."""
        return "data sets"

    @property
    def first_test(self) -> OmnibusTest | None:
        """Omnibus test; None if there are only pairwise tests."""
        return None

    @property
    def _planned_tests(self) -> tuple[PlannedTest, ...]:
        """Tests for results of this design by these settings, in their order."""
        return ()

    @property
    def tests_of_design(self) -> Plan:
        """Tests for results of this design by these settings, in their order, whether possible or not."""
        return Plan(self._planned_tests)

    @property
    def plan(self) -> Plan:
        """Tests of the comparison in their order; none if no test is possible."""
        return Plan() if self.obstacle else self.tests_of_design

    @property
    @abstractmethod
    def pairs(self) -> Pairs:
        """The compared pairs with their decisions, estimates and intervals."""

    def _pairs_of(self, decisions: pd.DataFrame, **fields: Any) -> Pairs:
        """Return the pairs of this comparison; `fields` are other fields of `Pairs`."""
        correction = "bonferroni" if self.pair_test == TUKEY else self._used_correction
        compared = self.guarantee.comparisons
        return Pairs(decisions=decisions, correction=None if compared < 2 else correction, **fields)

    @property
    def estimate(self) -> Estimate | None:
        """What the column `estimate` of `pairs` estimates; None if it has no unit."""
        return None

    @property
    def digits(self) -> int:
        """Number of decimals for values in the measure's units."""
        return score_digits(self.scores)

    def at_level(self, alpha: float) -> "Comparison | None":
        """Return the same comparison at another significance level; None if a new analysis is no slower."""
        return None

    def intervals(self, alpha: float) -> Intervals | None:
        """Return intervals of the rows of `pairs` at error rate `alpha`; None without any in the measure's units."""
        return None

    @property
    @cached
    def equivalence(self) -> Equivalence:
        """Results of the pairs against a region of equivalence, at the margin of the settings or another."""
        return Equivalence(
            margin=self.settings.margin,
            alpha=self.settings.alpha,
            higher_is_better=self.higher_is_better,
            separated=self.pairs.decisions["separated"],
            intervals=self.intervals,
        )

    def table(self) -> pd.DataFrame:
        """Return the main table: one row per comparison, or one per test of two algorithms.

        Columns without any number, such as intervals that a test does not provide, are
        left out. If a region is set, the last column is the equivalence result.
        """
        columns = self.pairs.frame.dropna(axis=1, how="all")
        results = self.equivalence.results
        return columns.assign(region=list(results)) if results else columns

    @property
    @abstractmethod
    def beats(self) -> pd.DataFrame:
        """Whether the row algorithm is significantly better than the column algorithm."""

    @property
    @cached
    def groups(self) -> tuple[tuple[str, ...], ...]:
        """Maximal groups without a significant difference, singletons included; () unless all pairs were compared."""
        adjusted = self.adjusted_pvalues.loc[self.order, self.order]
        if adjusted.isna().to_numpy().any():  # a test was refused
            return ()
        return tuple(cliques(adjusted, self.settings.alpha))

    @property
    @cached
    def adjusted_pvalues(self) -> pd.DataFrame:
        """Adjusted p-values, algorithm x algorithm; 1 for pairs that were not compared, NaN for refused tests."""
        pairs, names = self.pairs.decisions, pd.Index(self.order)
        first, second = names.get_indexer(pairs["first"]), names.get_indexer(pairs["second"])
        adjusted = np.ones((len(names), len(names)))
        adjusted[first, second] = adjusted[second, first] = pairs["p adjusted"]
        return labeled_matrix(adjusted, names)

    @property
    def least(self) -> SmallestPValue:
        """Smallest adjusted p-value attainable by one pair, and the number of units needed for significance."""
        alpha, units = self.settings.alpha, self._bounding_units
        smallest = self.attainable(units.n)
        enough = (n for n in range(units.n + 1, 1100) if significant(self.attainable(n), alpha))
        needed = None if significant(smallest, alpha) else next(enough, None)
        return SmallestPValue(pvalue=smallest, counted=units, needed=needed)

    def attainable(self, n: int) -> float:
        """Return the smallest adjusted p-value attainable with n units; 0 without such a bound."""
        return 0.0

    @property
    def _bounding_units(self) -> Units:
        """Units whose number bounds the smallest attainable p-value."""
        return self.counted

    @property
    def _n_comparisons(self) -> int:
        """Number of comparisons; by default the number of pairs."""
        return comb(len(self.order), 2)

    @property
    def _keeps_its_level(self) -> bool:
        """Whether the pairwise test controls its type I error rate for this design."""
        return True

    @property
    def guarantee(self) -> ErrorControl:
        """Type I error rate that alpha bounds.

        A pairwise test controls its error rate regardless of other algorithms. Tests of average
        ranks do so only if no algorithms differ: adjusted, they control the family-wise error rate
        only under this global null hypothesis. There, it equals the false discovery rate.
        """
        n, by_ranks = (
            self._n_comparisons,
            self.rank_test is not None and self.settings.source == "ranks",
        )
        adjusted = n == 1 or self.settings.correction != "none" or self.pair_test == TUKEY
        if not self._keeps_its_level or (by_ranks and not adjusted):
            bounds = "nothing"
        elif n == 1:
            bounds = "one"
        else:
            discovery = self.settings.correction == FALSE_DISCOVERY and self.pair_test != TUKEY
            bounds = "global null" if by_ranks else FDR if discovery else "family"
            bounds = bounds if adjusted else "each"
        return ErrorControl(bounds=bounds, comparisons=n, adjusted=adjusted)

    @property
    def pair_test(self) -> str:
        """Key of the pairwise test, or of the source of p-values over data sets."""
        return self.settings.source

    @property
    def rank_test(self) -> RankTestResult | None:
        """Friedman's test if algorithms are ordered by its average ranks; None otherwise."""
        return None

    @property
    def obstacle(self) -> str | None:
        """Reason why no decision is possible, a key of `OBSTACLES`; None if there is none."""
        return "identical" if 0 < comb(len(self.order), 2) == len(self.identical) else None

    @property
    def notes(self) -> tuple[Message, ...]:
        """Notes for the reader; choices about the results come last."""
        return tuple(self.results.choices)

    @property
    def _used_correction(self) -> str:
        """Key of the correction that was applied; not that of the settings if it does not suit the test."""
        return getattr(self, "correction", self.settings.correction)

    @property
    def paired_results(self) -> pd.DataFrame | None:
        """Results compared by the pairwise tests, unit x algorithm; None if they are not of this form."""
        return None

    @property
    @cached(across_alpha=True)
    def identical(self) -> tuple[tuple[str, str], ...]:
        """Pairs, as ordered in `order`, whose results are identical up to rounding; () without paired results."""
        paired = self.paired_results
        if paired is None:
            return ()
        values = paired[self.order].to_numpy(dtype=float)
        same = shares_of_ties(values[:2]) == 1  # two rows rule out most pairs
        if np.triu(same, 1).any() or np.isnan(values[:2]).any():
            same = shares_of_ties(values) == 1
        if self.results.failures != "present":  # a failed run differs from a successful one
            missing = np.isnan(values)
            same &= (missing[:, :, None] == missing[:, None, :]).all(axis=0)
        return tuple((self.order[i], self.order[j]) for i, j in np.argwhere(np.triu(same, 1)))

    @property
    def units(self) -> tuple[str, ...]:
        """Names of the data sets that can be left out or resampled; () if none."""
        return ()

    def resampled(self, places: np.ndarray, columns: np.ndarray | None = None) -> "Comparison":
        """Return the same comparison on resampled `units`.

        Parameters
        ----------
        places : array of int
            Indices of the units, possibly repeated.
        columns : array of int, unit x algorithm, optional
            Index of the algorithm whose result each algorithm gets on each unit; by default its
            own.

        Raises
        ------
        DesignError
            The kind of comparison cannot be resampled.
        """
        raise DesignError.of("resampling needs results", counted=self.counted)

    def without_each_unit(self) -> Iterator[Callable[[], "Comparison"]]:
        """Yield for each unit a function that computes the comparison without it."""
        every = np.arange(len(self.units))
        for position in every:
            yield partial(self.resampled, np.delete(every, position))

    def restricted(self, algorithms: list[str]) -> "Comparison":
        """Return the same comparison restricted to three or more of its algorithms; DesignError if not possible."""
        raise DesignError.of("all pairs needed")

    @property
    def top(self) -> tuple[str, ...]:
        """First algorithm in the order and all algorithms tied with it."""
        return self.ordered_by.leaders if self.ordered_by else tuple(self.order[:1])

    @property
    def test_name(self) -> str:
        """Name of the pairwise tests with their correction: "sign tests with Holm adjustment"."""
        return self.tests_of_design.pairwise.description

    @property
    def ordered_by(self) -> Standing | None:
        """Values by which the algorithms are ordered; None if there are none."""
        return None

    def alternatives(self) -> list[tuple[str, Settings]]:
        """Return alternative settings for the same question, each with its name; [] if there are none."""
        return []


class HasComparison(Protocol):
    """What has a comparison: what `foldwise.compare` and `gate` return."""

    @property
    def comparison(self) -> Comparison:
        """The comparison."""


def has_comparison(source: Any) -> bool:
    """Return whether `comparison_of` returns the comparison of an object."""
    return isinstance(getattr(source, "comparison", source), Comparison)


def comparison_of(source: Comparison | HasComparison, name: str = "comparison") -> Comparison:
    """Return a comparison, or that in what `compare` or `gate` returned; SettingError if none.

    Every public function of a comparison calls this; `name` is the name of its argument.
    """
    comparison = getattr(source, "comparison", source) if has_comparison(source) else source
    return check_kind(comparison, Comparison, name, "Use `compare`")


@dataclass(frozen=True, kw_only=True, eq=False)
class PairComparison(Comparison):
    """Two algorithms compared on one measure.

    Attributes
    ----------
    first, second : str
        The two algorithms; differences are first minus second, not reversed for lower-is-better
        measures.
    """

    first: str
    second: str

    @property
    @abstractmethod
    def better(self) -> str:
        """Algorithm favoured by the test used."""

    @property
    def worse(self) -> str:
        """Algorithm other than `better`."""
        return self.second if self.better == self.first else self.first

    @property
    def order(self) -> list[str]:
        """The two algorithms, the better one first."""
        return [self.better, self.worse]

    @property
    def beats(self) -> pd.DataFrame:
        """Whether the row algorithm is significantly better than the column."""
        beaten = pd.DataFrame(False, index=self.order, columns=self.order)
        beaten.iloc[0, 1] = bool(self.pairs.decisions["separated"].iloc[0])
        return beaten

    @abstractmethod
    def posterior(self, region: float, *, published: bool = False) -> PosteriorResult:
        """Return the Bayesian test against a region of equivalence; J - 1 degrees of freedom if `published`."""

    @abstractmethod
    def record(self, name: str) -> tuple[int, int, int]:
        """Return the numbers of units on which an algorithm wins, ties and loses against the other algorithm."""


def population_of_folds(design: str) -> str:
    """Return the population to which tests on the folds of a design generalize, one of `SCOPES`.

    Examples
    --------
    >>> [population_of_folds(design) for design in ("k-fold", "seeds", "common test set")]
    ['training sets', 'runs', 'test set']
    """
    if design == "common test set":
        return "test set"
    return "runs" if fold_pairs.resampling_unit(design) == "run" else "training sets"


def everywhere(c: Comparison) -> str:
    """Return a phrase for all compared units: "on all 20 data sets", "in all 15 folds"."""
    n, noun = len(c.scores if c.paired_results is None else c.paired_results), c.counted.noun
    if c.shape.over in ("cases", "benchmarks"):
        n, noun = getattr(c, "n_cases", n), "instance"
    preposition = "in" if c.shape.over == "folds" else "on"
    return f"{preposition} {'both' if n == 2 else f'all {n:,}'} {noun}s"


def rounding_only(c: Comparison) -> list[tuple[str, str]]:
    """Return the identical pairs whose results still differ by rounding errors; [] if there are none."""
    values = c.paired_results
    return (
        []
        if values is None
        else [(a, b) for a, b in c.identical if not values[a].equals(values[b])]
    )


def same_notes(c: Comparison) -> list[Message]:
    """Return notes on pairs that differ by rounding errors only, and on identical pairs (not if all are identical)."""
    notes, rounded, values = [], rounding_only(c), c.paired_results
    if rounded and values is not None:
        shares = shares_of_ties(
            values[list({name for pair in rounded for name in pair})].to_numpy()
        )
        notes.append(
            message("below tolerance", pairs=_minus(rounded), relative=bool((shares == 1).all()))
        )
    if c.identical and not c.obstacle:
        labels = tuple(f"{first} and {second}" for first, second in c.identical)
        notes.append(message("identical pairs", pairs=labels, where=everywhere(c)))
    return notes


def mostly_equal_note(c: Comparison) -> list[Message]:
    """Return a note on pairs without an interval because most differences are zero; [] if there are none."""
    names = list(c.order)
    shares = shares_of_ties(c.scores[names].to_numpy(dtype=float))
    positions = np.argwhere(np.triu((shares > 0.5) & (shares < 1), 1))
    pairs = [(names[i], names[j]) for i, j in positions]
    if c.settings.control:
        pairs = [pair for pair in pairs if c.settings.control in pair]
    return [message("mostly equal", pairs=_minus(pairs), measure=c.measure_name)] if pairs else []


def _minus(pairs: Sequence[tuple[str, str]]) -> tuple[str, ...]:
    return tuple(f"{first} − {second}" for first, second in pairs)
