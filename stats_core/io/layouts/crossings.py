"""Readings of a table by its design: which columns cross, and which hold results.

Other layouts start from names of columns. Here names only break ties: every set of columns that
identifies the rows is tried, with each of them as the algorithm, and the readings are ordered by
how plausible the design is.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, combinations, islice
from math import prod

from stats_core.io import vocabulary
from stats_core.io.layouts import wide_table
from stats_core.io.layouts.long_table import direction_like
from stats_core.io.problems import Question, guessed_roles, question_of
from stats_core.io.profile import FAIR, LayoutHypothesis, Profile, observed, upper_bound

_MOST_FACTORS = 14  # columns that are combined
_LARGEST_KEY = 4  # columns that together identify the rows
_LEAST_FILL = 0.6  # share of the combinations of algorithm and unit that have a row
_MOST_LEVELS = 20  # distinct values of a column of decimals that are levels of a factor
_MOST_ALGORITHMS = 200
_MOST_FOLDS = 100
_MOST_SETS = 3_000  # sets of columns that are tried
_READINGS = 3  # that are offered


@dataclass(frozen=True, kw_only=True)
class Design:
    """Roles of the columns that identify the rows, with the plausibility of the design.

    Attributes
    ----------
    algorithm : str
        Column that names the algorithms.
    units : tuple of str
        Columns that together name the data sets; () if there is one data set.
    folds : str
        Column that numbers the folds or runs; "" without one.
    plausibility : float
        Larger if more plausible.
    """

    algorithm: str
    units: tuple[str, ...]
    folds: str
    plausibility: float

    @property
    def keys(self) -> list[str]:
        """All columns of the design, that of the algorithm first."""
        return [name for name in (self.algorithm, *self.units, self.folds) if name]

    @property
    def roles(self) -> dict[str, str]:
        """The role of each column of the design."""
        roles = {self.algorithm: "algorithm"}
        for position, name in enumerate(self.units):
            roles[name] = "part of dataset" if position else "dataset"
        if self.folds:
            roles[self.folds] = "fold"
        return roles


def match_crossings(profile: Profile) -> Iterator[LayoutHypothesis]:
    """Yield the most plausible readings, each with a question; none if the user set roles."""
    if profile.declared or profile.several:
        return
    readings = chain(
        _wide_readings(profile),
        (reading for design in designs(profile) for reading in _readings(profile, design)),
    )
    yield from islice(_distinct(readings), _READINGS)


def _distinct(readings: Iterable[LayoutHypothesis]) -> Iterator[LayoutHypothesis]:
    """Yield the readings without those with the roles of an earlier one."""
    seen: list[dict[str, str]] = []
    for reading in readings:
        roles = dict(reading.roles)
        if roles not in seen:
            seen.append(roles)
            yield reading


def designs(profile: Profile) -> list[Design]:
    """Return the designs that identify every row, most plausible first."""
    matching = [
        design
        for keys in _identifying_sets(profile, factors(profile))
        for algorithm in keys
        for design in _designs_with(profile, algorithm, [n for n in keys if n != algorithm])
    ]
    return sorted(matching, key=lambda design: -design.plausibility)


def factors(profile: Profile) -> list[str]:
    """Return columns that may be factors of the design, without those that only rename another one.

    A factor has repeated values: texts, whole numbers, or decimals of few levels. Columns named as
    results, spreads or bookkeeping are none.
    """
    candidates = [name for name in profile.columns if _may_be_factor(profile, name)]
    candidates.sort(key=lambda name: -_rank_as_name(profile, name))
    independent: list[str] = []
    for name in candidates:
        renames = any(
            profile.determines(name, other) and profile.determines(other, name)
            for other in independent
        )
        if not renames:
            independent.append(name)
    return independent[:_MOST_FACTORS]


def _may_be_factor(profile: Profile, name: str) -> bool:
    """Return whether the values of a column are repeated, as those of a factor are."""
    column = profile[name]
    if column.has_blanks or not 2 <= column.distinct <= len(profile.frame) / 2:
        return False
    if _is_named_as_result(name) or vocabulary.is_bookkeeping(name):
        return False
    if column.is_text:
        return not column.holds_marks
    if not column.is_number:
        return False
    counts = column.values.value_counts()
    is_even = counts.max() <= 4 * counts.min() or vocabulary.role_in_name(name) in (
        "fold",
        "dataset",
    )
    return bool(is_even) and (column.is_whole or column.distinct <= _MOST_LEVELS)


def _is_named_as_result(name: str) -> bool:
    return bool(
        vocabulary.names_measure(name)
        or vocabulary.known_cost(name)
        or vocabulary.is_spread(name)
        or vocabulary.names_summary(name)
    )


def _rank_as_name(profile: Profile, name: str) -> float:
    """Return how much a column looks like one of names."""
    is_usual = vocabulary.role_in_name(name) in ("algorithm", "dataset", "fold", "repetition")
    return 2 * profile[name].is_text + is_usual


def _identifying_sets(profile: Profile, names: Sequence[str]) -> Iterator[tuple[str, ...]]:
    """Yield the smallest sets of two or more columns that identify every row."""
    matching: list[frozenset[str]] = []
    sizes = range(2, _LARGEST_KEY + 1)
    sets = (keys for size in sizes for keys in combinations(names, size))
    for keys in islice(sets, _MOST_SETS):
        if prod(profile[name].distinct for name in keys) < len(profile.frame):
            continue
        if any(smaller <= set(keys) for smaller in matching) or not profile.unique(keys):
            continue
        matching.append(frozenset(keys))
        yield keys


def _designs_with(profile: Profile, algorithm: str, others: list[str]) -> Iterator[Design]:
    """Yield the designs with this column as the algorithm, which must cross the others."""
    if not _may_be_algorithms(profile, algorithm):
        return
    n_algorithms, n_units = profile[algorithm].distinct, profile.distinct_rows(others)
    fill = len(profile.frame) / (n_algorithms * n_units)
    if n_algorithms > _MOST_ALGORITHMS or fill < _LEAST_FILL:
        return
    base = 4 * fill + _like_algorithms(profile, algorithm) - 0.5 * len(others)
    counters = [name for name in others if _like_folds(profile, name) > 0]
    for folds in ("", *counters):
        units = [name for name in others if name != folds]
        units.sort(key=lambda name: -_like_sets(profile, name))
        plausibility = base + sum(_like_sets(profile, name) for name in units)
        plausibility += _like_folds(profile, folds) if folds else 0
        yield Design(
            algorithm=algorithm, units=tuple(units), folds=folds, plausibility=plausibility
        )


def _may_be_algorithms(profile: Profile, name: str) -> bool:
    """Return whether a column may name algorithms, none of which belongs to one data set."""
    if profile[name].is_number and vocabulary.role_in_name(name) != "algorithm":
        return False
    sets = [n for n in profile.columns if vocabulary.role_in_name(n) == "dataset"]
    return not any(
        n != name and profile[n].distinct > 1 and profile.determines(name, n) for n in sets
    )


def _like_algorithms(profile: Profile, name: str) -> float:
    """Return how much a column looks like names of algorithms."""
    column = profile[name]
    score = 3.0 * (vocabulary.role_in_name(name) == "algorithm")
    score += 2.0 * vocabulary.mentions(name, "algorithms", "variants")
    score += 2.0 * bool(column.is_text and vocabulary.model_among(column.coded[1]))
    score -= 3.0 * (vocabulary.role_in_name(name) in ("dataset", "fold", "repetition"))
    score -= 2.0 * bool(column.is_text and _names_folds(profile, name))
    return score


def _like_sets(profile: Profile, name: str) -> float:
    """Return how much a column looks like names or levels of data sets."""
    score = 0.5 if profile[name].is_text else 0.0
    score += 2.0 * (vocabulary.role_in_name(name) == "dataset")
    score -= 2.0 * (vocabulary.role_in_name(name) in ("algorithm", "fold", "repetition"))
    return score


def _like_folds(profile: Profile, name: str) -> float:
    """Return how much a column looks like numbers of folds or runs; 0 or less if not at all."""
    column = profile[name]
    if column.distinct > _MOST_FOLDS:
        return 0.0
    is_named = vocabulary.role_in_name(name) in ("fold", "repetition") or vocabulary.mentions(
        name, "levels"
    )
    score = 2.0 * (vocabulary.role_in_name(name) in ("fold", "repetition"))
    score += 1.5 * _names_folds(profile, name)
    score += 1.0 * bool(column.restarts and not vocabulary.means_no_fold(name))
    return score - 2.0 * (is_named and vocabulary.means_no_fold(name))


def _names_folds(profile: Profile, name: str) -> bool:
    return profile[name].is_text and vocabulary.names_folds(profile[name].coded[1])


def results_of(profile: Profile, design: Design) -> list[str]:
    """Return the numeric columns that differ between algorithms and between units."""
    units = [*design.units, *filter(None, [design.folds])]
    matching = []
    for name in profile.numbers:
        column = profile[name]
        if name in design.keys or column.distinct < 2 or vocabulary.is_setting(name):
            continue
        if vocabulary.is_spread(name) or vocabulary.is_bookkeeping(name):
            continue
        if profile.is_difference(name) or vocabulary.mentions(name, "beside measures"):
            continue
        if profile.determines(design.algorithm, name):
            continue
        if profile.distinct_rows([*units, name]) == profile.distinct_rows(units):
            continue  # the same for all algorithms
        matching.append(name)
    return matching


def _readings(profile: Profile, design: Design) -> Iterator[LayoutHypothesis]:
    """Yield the readings of a design: of its measures of known direction, else of each column of results."""
    results = results_of(profile, design)
    names = set(map(vocabulary.normalized_name, results))
    costs = [name for name in results if vocabulary.known_cost(name)]
    tested = [n for n in results if n not in costs and not vocabulary.is_untested(n, names)]
    directed = [
        n for n in tested if vocabulary.names_measure(n) and profile.mapping.direction_of(n)
    ]
    if directed:
        unknown = [n for n in tested if n not in directed and not profile[n].is_whole]
        yield _reading(profile, design, [n for n in tested if n in {*directed, *unknown}], costs)
        return
    for name in tested:
        yield _reading(profile, design, [name], costs)
    if not tested and costs:
        yield _reading(profile, design, costs, [])


def _reading(
    profile: Profile, design: Design, measures: Sequence[str], costs: Sequence[str]
) -> LayoutHypothesis:
    """Return the reading of a design, with questions about columns and unknown directions."""
    roles = dict.fromkeys(costs, "cost") | dict.fromkeys(measures, "measure") | design.roles
    directed = {name: profile.mapping.direction_of(name) for name in measures}
    directed = {name: direction for name, direction in directed.items() if direction}
    unknown = [name for name in measures if name not in directed]
    guessed = {name: direction_like(profile, design.roles, name, directed) for name in unknown}
    for name, direction in guessed.items():
        is_rate = upper_bound(profile[name].array) > 0
        guessed[name] = direction or ("higher" if is_rate else "lower")
    directions = {**directed, **guessed}
    asks: list[Question] = [guessed_roles(design.roles | dict.fromkeys(measures[:1], "measure"))]
    asks += [question_of("direction of a measure", measure=name) for name in unknown]
    why = dict.fromkeys(roles, "name")
    return profile.hypothesis(
        "fold scores",
        roles,
        why,
        [observed(FAIR, "keys unique")],
        asks=tuple(asks),
        directions=directions,
    )


def _wide_readings(profile: Profile) -> Iterator[LayoutHypothesis]:
    """Yield readings of a wide table whose rows are named by two columns, likelier first."""
    texts = [
        n for n in profile.texts if profile[n].distinct > 1 and not vocabulary.is_bookkeeping(n)
    ]
    if len(texts) < 2 or any(profile[name].is_unique for name in texts):
        return
    pairs = (pair for pair in combinations(texts[:_MOST_FACTORS], 2) if profile.unique(pair))
    for first, second in islice(pairs, 1):
        upright = {first: "dataset", second: "part of dataset"}
        turned = {first: "algorithm", second: "part of algorithm"}
        split = wide_table.split_columns(profile, upright)
        if len(split.results) < 2 or wide_table.are_measures(split.results):
            return
        if profile.magnitudes(split.results) > 1:
            return
        is_turned = wide_table.rows_are_algorithms(profile, split, (first, second))
        for turns in (is_turned, not is_turned):
            yield wide_table.hypothesis_of(
                profile,
                turned if turns else upright,
                split,
                [observed(FAIR, "one unique key", column=first)],
                "",
                turned=turns,
            )
