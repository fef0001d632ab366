"""Settings of a comparison, and the results, data sets and test fractions that they select."""

from dataclasses import dataclass, fields
from typing import Literal, Protocol

import pandas as pd

from stats_core.core.errors import SettingError
from stats_core.core.formatting import join_names
from stats_core.core.validation import (
    check_kind,
    check_margin,
    check_one_of,
    check_probability,
    given_or_new,
)
from stats_core.data import row_checks
from stats_core.data.results import Results

# source of the p-values of pairs -> label
SOURCES = {"ranks": "average ranks", "wilcoxon": "Wilcoxon", "sign": "sign test"}
ASKED_SOURCES = {"": "recommended", **SOURCES}  # selectable sources

# key -> label of corrections for multiple comparisons, the recommended one first
CORRECTIONS = {
    "bergmann_hommel": "Bergmann-Hommel",
    "shaffer": "Shaffer",
    "holm": "Holm",
    "hommel": "Hommel",
    "hochberg": "Hochberg",
    "bonferroni": "Bonferroni",
    "nemenyi": "Nemenyi",
    "benjamini_hochberg": "Benjamini-Hochberg",
    "none": "none",
}
# the same for comparisons with a control
CONTROL_CORRECTIONS = {
    "holm": "Holm",
    "finner": "Finner",
    "hochberg": "Hochberg",
    "hommel": "Hommel",
    "rom": "Rom",
    "li": "Li",
    "bonferroni_dunn": "Bonferroni-Dunn",
    "benjamini_hochberg": "Benjamini-Hochberg",
    "none": "none",
}

TUKEY = "Tukey"  # the post-hoc test after an analysis of variance
# treatment of overlapping training sets -> label
OVERLAPS = {"corrected": "corrected", "ignored": "ignored (as published)"}

# degrees of freedom of tests that correct for overlap -> label
DFS = {"conservative": "at most 9 (conservative)", "published": "J − 1 (as published)"}

# rule for the winner of a pair with different measure vectors -> label
WINS = ("risk", "thesis")

Source = Literal["ranks", "wilcoxon", "sign"]
Correction = Literal[
    "bergmann_hommel",
    "shaffer",
    "holm",
    "hommel",
    "hochberg",
    "bonferroni",
    "nemenyi",
    "finner",
    "rom",
    "li",
    "bonferroni_dunn",
    "benjamini_hochberg",
    "none",
]
Overlap = Literal["corrected", "ignored"]
Df = Literal["conservative", "published"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """The user's settings for a comparison.

    Attributes
    ----------
    measure : str
        The measure to compare on; the first of the results if empty.
    alpha : float
        Significance level of the family.
    correction : str
        One of `CORRECTIONS`, or of `CONTROL_CORRECTIONS` if there is a control; the recommended one
        if empty.
    control : str
        Over data sets and on instances of one test set, the algorithm that all others are compared
        with; all pairs if empty.
    source : {"", "ranks", "wilcoxon", "sign"}
        The test of each pair over data sets; the recommended one if empty: Wilcoxon tests if
        they can be significant after adjustment, else average ranks.
    without_algorithms, without_datasets : tuple of str
        Names to leave out.
    only : tuple of str
        The only group of data sets to use, as (tag, value); all data sets if empty.
    measures : tuple of str
        Two or more measures to be compared together; none if empty.
    dataset : str
        The only data set to analyse, by its folds; all data sets if empty.
    pair : tuple of str
        The two algorithms to compare, in this order; all of them if empty.
    test : str
        The test of a pair on the folds of one data set, one of `PAIR_TESTS` or "Tukey"; the
        recommended one if empty.
    overlap : {"corrected", "ignored"}
        Whether tests on folds correct for overlapping training sets; a `test` that is named does
        what its name says.
    df : {"conservative", "published"}
        Degrees of freedom of tests that correct for overlap, after more than ten results: at most
        9 (8 for several measures), or J - 1 as published. `test` names the t test itself.
    test_fraction : float, optional
        n_test / (n_train + n_test) if neither the file nor the design determines it; None if
        unknown.
    thresholds : bool
        Whether 21 thresholds on scores are used instead of one; pairs are then adjusted by
        Bonferroni, as in Aslan's thesis.
    win : {"risk", "thesis"}
        For several measures over data sets, the winner of two algorithms that differ: the lower
        risk if that difference is significant, too; or, as in Aslan's thesis, the lower risk.
    prior : tuple of str
        For published decisions, the algorithms from cheapest to most expensive; as in the table if
        empty.
    margin : float, optional
        Differences up to this, in the measure's units, do not matter; None if not set. It
        changes no test, but adds to each pair whether it differs by more, is equivalent, or
        neither can be concluded.
    wish : tuple of (str, float)
        On one test set, the target of a threshold on scores: "cost" and a ratio of costs, or
        "recall", "precision" or "alerts" and a share; all four with usual numbers if empty.
    horizon : int
        On instances ordered in time, the number of steps that the predictions look ahead. Above 1,
        loss differences so many steps apart are assumed uncorrelated; with 1, the test allows for
        any correlation that fades with time.
    """

    measure: str = ""
    alpha: float = 0.05
    correction: str = ""
    control: str = ""
    source: Source | Literal[""] = ""
    without_algorithms: tuple[str, ...] = ()
    without_datasets: tuple[str, ...] = ()
    only: tuple[str, ...] = ()
    measures: tuple[str, ...] = ()
    dataset: str = ""
    pair: tuple[str, ...] = ()
    test: str = ""
    overlap: Overlap = "corrected"
    df: Df = "conservative"
    test_fraction: float | None = None
    thresholds: bool = False
    win: Literal["risk", "thesis"] = "risk"
    prior: tuple[str, ...] = ()
    margin: float | None = None
    wish: tuple[str, float] | tuple[()] = ()
    horizon: int = 1

    def __post_init__(self) -> None:
        """Raise SettingError for values that no results allow."""
        for field in fields(self):
            if isinstance(field.default, str):
                check_kind(getattr(self, field.name), str, field.name, "Use a text")
            if isinstance(field.default, tuple):
                check_kind(getattr(self, field.name), (tuple, list), field.name, "Use a tuple")
        check_probability(self.alpha, "alpha")
        options = {
            "correction": ("", *{**CORRECTIONS, **CONTROL_CORRECTIONS}),
            "source": ASKED_SOURCES,
        }
        for name, allowed in {**options, "overlap": OVERLAPS, "df": DFS, "win": WINS}.items():
            check_one_of(getattr(self, name), allowed, name)
        if self.test_fraction is not None:
            check_probability(self.test_fraction, "test_fraction")
        if self.margin is not None:
            check_margin(self.margin)
        if self.pair and len(set(self.pair)) != 2:
            raise SettingError.of(
                "pair must name two different algorithms", pair=join_names(self.pair)
            )


class Analysed(Protocol):
    """Results and the settings of their comparison, as in what `foldwise.compare` returns."""

    @property
    def results(self) -> Results:
        """The results."""

    @property
    def settings(self) -> Settings:
        """The settings of their comparison."""


def results_and_settings(
    source: Results | Analysed, settings: Settings | None = None, name: str = "results"
) -> tuple[Results, Settings]:
    """Return results and settings: of a comparison its own, unless `settings` replace them.

    Every public function of results calls this, so that it takes a comparison, too. Raises
    SettingError, which names the argument `name`, for other objects.

    Examples
    --------
    >>> import pandas as pd
    >>> results = Results.from_frame(pd.DataFrame({"algorithm": list("ab"), "error": [0.1, 0.2]}))
    >>> results_and_settings(results)[1] == Settings()
    True
    """
    if isinstance(source, Results):
        return source, given_or_new(settings, Settings, "settings")
    results = getattr(source, "results", None)
    own = getattr(source, "settings", None)
    if not (isinstance(results, Results) and isinstance(own, Settings)):
        do = "Use `compare`"
        kinds = ["Results", "Comparison"]
        raise SettingError.of(
            "argument kind", name=name, do=do, kinds=kinds, kind=type(source).__name__
        )
    return results, own if settings is None else given_or_new(settings, Settings, "settings")


def select(results: Results, settings: Settings) -> Results:
    """Return the results restricted by the settings: excluded names, tag group, single data set or pair.

    A single data set takes precedence over a group and excluded data sets, a pair over excluded
    algorithms.

    Examples
    --------
    >>> import pandas as pd
    >>> table = pd.DataFrame({"algorithm": list("abc"), "error": [0.1, 0.2, 0.3]})
    >>> select(Results.from_frame(table), Settings(without_algorithms=("b",))).algorithms
    ('a', 'c')
    """
    algorithms = settings.pair or [
        name for name in results.algorithms if name not in settings.without_algorithms
    ]
    in_group = _select_group(results, settings.only)
    datasets = [name for name in in_group if name not in settings.without_datasets]
    return results.select(
        datasets=[settings.dataset] if settings.dataset else datasets, algorithms=list(algorithms)
    )


def selected_results(source: Results | Analysed) -> Results:
    """Return results as they are; of a comparison, the results that its settings select.

    For functions of results without settings. Raises SettingError for other objects.
    """
    results, settings = results_and_settings(source)
    return results if isinstance(source, Results) else select(results, settings)


def describe_group(settings: Settings) -> str:
    """Return "with domain = vision" if only one group is selected, else "".

    Examples
    --------
    >>> describe_group(Settings(only=("domain", "vision"))), describe_group(Settings())
    ('with domain = vision', '')
    """
    return f"with {settings.only[0]} = {settings.only[1]}" if settings.only else ""


def tested_share(results: Results, dataset: str, settings: Settings) -> float | None:
    """Return the test fraction of a data set, from results or settings; None if unknown or for a common test set.

    Examples
    --------
    >>> import pandas as pd
    >>> table = pd.DataFrame({"algorithm": list("aabb"), "fold": list("1212"), "error": 0.1})
    >>> tested_share(Results.from_frame(table), "results", Settings(test_fraction=0.3))
    0.5
    """
    if results.design_of(dataset) == "common test set":
        return None
    recorded = results.test_fraction(dataset)
    return settings.test_fraction if recorded is None else recorded


def share_is_unknown(results: Results, dataset: str) -> bool:
    """Return whether results leave the test fraction of a data set unknown; False for a common test set (has none)."""
    design = results.design_of(dataset)
    if design == "common test set":
        return False
    return results.test_fraction(dataset) is None


def corrected_share(results: Results, dataset: str, settings: Settings) -> float | None:
    """Return `tested_share` for the correction of overlap; None if it is unknown or the settings ignore overlap.

    Only the settings `test_fraction` and `overlap` are used.
    """
    return None if settings.overlap == "ignored" else tested_share(results, dataset, settings)


_MOST_VALUES = 8  # numeric tags with more values are divided into thirds


def groups_of(results: Results, tag: str) -> dict[str, tuple[str, ...]]:
    """Return the groups of data sets by one tag: tag value to names.

    A numeric tag with more than eight values is split into thirds, such as "1 to 20". Data sets
    without the tag are in no group. Raises SettingError for an unknown tag.

    Examples
    --------
    >>> table = pd.DataFrame({"dataset": list("uvw"), "algorithm": "a", "error": 0.1})
    >>> tags = pd.DataFrame({"domain": ["text", "image", "text"]}, index=list("uvw"))
    >>> groups_of(Results.from_frame(table, groups=tags), "domain")
    {'image': ('v',), 'text': ('u', 'w')}
    """
    return _members(_group_names(results.tags, tag), results.datasets)


def _members(names: pd.Series, datasets: tuple[str, ...]) -> dict[str, tuple[str, ...]]:
    """Return the data sets of each nonempty group; `names` is the group of each data set."""
    tags = names.reindex(list(datasets)).fillna("")
    return {
        value: tuple(tags.index[tags == value])
        for value in row_checks.natural_order(tags[tags != ""])
    }


def _group_names(tags: pd.DataFrame, tag: str) -> pd.Series:
    """Return the group of each data set, "" if none; thirds of a tag with many numbers; SettingError if unknown."""
    if tag not in tags:
        raise SettingError.of("no such tag", tag=tag, known=list(tags))
    values = tags[tag]
    filled = values[values != ""]
    numbers = pd.to_numeric(filled, errors="coerce")
    if filled.nunique() <= _MOST_VALUES or numbers.isna().any():
        return values
    cut = numbers.quantile([1 / 3, 2 / 3], interpolation="lower")
    third = (numbers > cut.iloc[0]).astype(int) + (numbers > cut.iloc[1])
    labels = {level: _span(numbers[third == level]) for level in third.unique()}
    return third.map(labels).reindex(values.index).fillna("")


def tags_with_groups(results: Results) -> list[str]:
    """Return the tags with two or more groups."""
    return [tag for tag in results.tags if len(groups_of(results, tag)) > 1]


def _select_group(results: Results, only: tuple[str, ...]) -> tuple[str, ...]:
    """Return the data sets of one group, given as (tag, value), or all for (); raise SettingError for others."""
    if not only:
        return results.datasets
    if len(only) != 2:
        raise SettingError.of("group not named", names=only)
    tag, value = only
    groups = _members(_group_names(results.tags, tag), tuple(results.tags.index))
    if value not in groups:
        raise SettingError.of("no such group", tag=tag, value=value, known=groups)
    selected = set(groups[value])
    return tuple(name for name in results.datasets if name in selected)


def _span(numbers: pd.Series) -> str:
    low = numbers.min()
    high = numbers.max()
    return f"{low:.12g}" if low == high else f"{low:.12g} to {high:.12g}"
