"""Profile of a table: types, ranges, keys and roles of its columns, as evidence for layouts."""

import math
from collections.abc import Iterable, Sequence
from collections.abc import Mapping as Dictionary
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from stats_core.core.messages import Message, message
from stats_core.data import row_checks
from stats_core.data.published import Published
from stats_core.io import text_cells, vocabulary
from stats_core.io.mapping import Mapping
from stats_core.io.problems import NotResults, Question, refusal_of, role_reason
from stats_core.io.text_cells import TextTable

if TYPE_CHECKING:
    from pandas.api.typing import SeriesGroupBy

# roles that several columns may have
MANY = (
    "measure",
    "cost",
    "ignore",
    "result",
    "resample",
    "group",
    "part of dataset",
    "part of algorithm",
)
_FOLDS = (3, 1000)  # fewest and most folds; two values may be yes and no
_MOST_DECIMALS, _FIRST_ROWS = (
    80,
    50,
)  # columns among which differences are looked for, rows tried first
_MOST_LEVELS = 20  # distinct decimals that may be levels of a factor
_BY_CHANCE = 0.001  # largest probability of a coincidence
FEW = 30  # largest number of distinct values of classes, groups and settings


# weights of evidence
NAME, FAIR, STRONG = 1, 2, 3
# lead in weight that makes a hypothesis the clear winner
LEAD = 2
LEAST = 2  # least weight of a hypothesis


@dataclass(frozen=True, slots=True)
class LayoutEvidence:
    """Weighted observation for or against a layout.

    Attributes
    ----------
    weight : int
        Positive if it supports the hypothesis, negative if it contradicts it.
    note : Message
        The observation.
    """

    weight: int
    note: Message


def observed(weight: int, code: str, **values: object) -> LayoutEvidence:
    """Return an observation as evidence with a weight."""
    values = {
        name: tuple(value) if isinstance(value, list) else value for name, value in values.items()
    }
    return LayoutEvidence(weight, message(f"seen: {code}", **values))


@dataclass(frozen=True, kw_only=True)
class LayoutHypothesis:
    """A possible layout of a table.

    Attributes
    ----------
    layout : str
        Name of the layout or kind of published summary, "no results" if there is nothing to
        compare.
    roles : dict of column to role
        Role of every column; may be {} if there is a refusal.
    reasons : dict of column to Message
        Why columns have their roles; some or all columns may be absent.
    evidence : tuple of LayoutEvidence
        Observations for and against the layout.
    measure : str
        The measure in a table of one measure, "" in other tables.
    directions : dict of measure to "lower" or "higher"
        Known directions, or guesses if there is a question about them.
    rows : {"", "folds", "seeds", "cases", "datasets", "apart"}
        What rows with equal keys are, as in `Mapping`; "" if keys differ or it is unknown.
    asks : tuple of Question
        Questions to ask first.
    refusal : NotResults or None
        Why a table of this layout cannot be read, None if it can.
    notes : tuple of Message
        Messages to show if the hypothesis is accepted.
    published : Published or None
        The published summary that the table holds instead of results, None without one.
    """

    layout: str
    roles: Dictionary[str, str] = field(default_factory=dict)
    reasons: Dictionary[str, Message] = field(default_factory=dict)
    evidence: tuple[LayoutEvidence, ...] = ()
    measure: str = ""
    directions: Dictionary[str, str] = field(default_factory=dict)
    rows: str = ""
    asks: tuple[Question, ...] = ()
    refusal: NotResults | None = None
    notes: tuple[Message, ...] = ()
    published: Published | None = None

    @property
    def weight(self) -> int:
        """Sum of the weights of the evidence."""
        return sum(observation.weight for observation in self.evidence)


def refused(weight: int, code: str, /, **values: object) -> LayoutHypothesis:
    """Return the hypothesis that a table has no comparable results, with its weight and the reason."""
    evidence = (observed(weight, "no results"),)
    return LayoutHypothesis(
        layout="no results", evidence=evidence, refusal=refusal_of(code, **values)
    )


def upper_bound(numbers: np.ndarray) -> float:
    """Return the scale, 1 or 100, if all numbers are on it and a quarter or more in its upper half, else 0.

    Rates for which higher is better fill the upper half of the scale; errors seldom do.
    """
    present = numbers[~np.isnan(numbers)]
    for scale in (1.0, 100.0):
        if len(present) and present.min() >= 0 and present.max() <= scale * (1 + 1e-9):
            return scale if np.mean(present > scale / 2) >= 0.25 else 0.0
    return 0.0


def is_off_scale(numbers: np.ndarray, direction: str) -> bool:
    """Return whether numbers named like a rate are on another scale; False without numbers.

    Either the largest exceeds 1000 and more than 20% exceed 100 or, if higher is better, all are
    whole numbers, such as grades, of which the largest is above 1 and at most 10.
    """
    present = numbers[~np.isnan(numbers)]
    if not len(present):
        return False
    are_grades = (
        direction == "higher"
        and 1 < present.max() <= 10
        and bool((present == present.round()).all())
    )
    return are_grades or bool(present.max() > 1000 and np.mean(present > 100) > 0.2)


@dataclass(frozen=True, eq=False)
class ColumnProfile:
    """Column of a table, with properties that help to guess its role.

    Attributes
    ----------
    name : str
        Header of the column.
    position : int
        Zero-based position in the file.
    table : TextTable
        The table of the column.
    """

    name: str
    position: int
    table: TextTable

    @property
    def texts(self) -> pd.Series:
        """Text of each cell."""
        return self.table.frame[self.name]

    @cached_property
    def numbers(self) -> pd.Series | None:
        """Number in each cell, NaN if missing; None if the column is not numeric."""
        return text_cells.numbers_of(self.table, self.name)

    @cached_property
    def array(self) -> np.ndarray:
        """Number in each cell, NaN if missing or if the column is not numeric."""
        return (
            np.full(len(self.table.frame), np.nan)
            if self.numbers is None
            else self.numbers.to_numpy()
        )

    @cached_property
    def coded(self) -> text_cells.Coded:
        """For each cell the position of its text, and the distinct texts."""
        return text_cells.coded(self.table, self.name)

    @cached_property
    def values(self) -> pd.Series:
        """Numbers, without missing values; empty if the column is not numeric."""
        if self.numbers is None:
            return pd.Series(dtype=float)
        return self.numbers.dropna() if np.isnan(self.array).any() else self.numbers

    @cached_property
    def measured(self) -> pd.Series:
        """Numbers, without codes for failed runs."""
        may_be_codes = ((self.array < 0) | (self.array >= 999)).any()
        codes = row_checks.failure_codes(self.values) if may_be_codes else []
        return self.values[~self.values.isin(codes)] if codes else self.values

    @cached_property
    def limits(self) -> tuple[float, float]:
        """Smallest and largest number, without codes for failed runs; NaN if there is none."""
        measured = self.measured.to_numpy()
        return (measured.min(), measured.max()) if len(measured) else (np.nan, np.nan)

    @cached_property
    def _steps(self) -> np.ndarray:
        with np.errstate(invalid="ignore"):  # differences of infinities
            steps = np.diff(self.values.to_numpy())
        return steps[~np.isnan(steps)]

    @cached_property
    def distinct(self) -> int:
        """Number of distinct nonempty texts."""
        return len(self.coded[1]) - self.has_blanks

    @property
    def is_number(self) -> bool:
        """Whether the column holds numbers."""
        return self.numbers is not None

    @property
    def is_text(self) -> bool:
        """Whether the column holds texts and is not numeric."""
        return self.numbers is None and self.distinct > 0

    @property
    def is_empty(self) -> bool:
        """Whether all cells are empty."""
        return self.distinct == 0

    @property
    def is_constant(self) -> bool:
        """Whether all rows hold the same nonempty value."""
        return len(self.coded[1]) == 1 and self.distinct == 1

    @cached_property
    def has_blanks(self) -> bool:
        """Whether any cell is empty."""
        return "" in self.coded[1]

    @cached_property
    def share_of_blanks(self) -> float:
        """Share of the cells that are empty or hold a word such as NaN."""
        codes, texts = self.coded
        blank = [text.lower() in text_cells.EMPTY for text in texts]
        return float(np.mean(np.array(blank)[codes])) if any(blank) else 0.0

    @cached_property
    def is_unique(self) -> bool:
        """Whether all rows hold different texts."""
        return len(self.coded[1]) == len(self.coded[0])

    @cached_property
    def is_whole(self) -> bool:
        """Whether there are numbers and all are whole."""
        is_missing = np.isnan(self.array)
        return not is_missing.all() and bool(
            (is_missing | (self.array == self.array.round())).all()
        )

    @cached_property
    def holds_marks(self) -> bool:
        """Whether the column holds right and wrong answers."""
        return text_cells.are_marks(self.coded[1])

    @cached_property
    def decimals(self) -> int:
        """Largest number of decimals written in the first 1000 rows."""
        codes, texts = self.coded
        texts = texts if len(codes) <= 1000 else [texts[code] for code in np.unique(codes[:1000])]
        return max(len(text.replace(",", ".").partition(".")[2]) for text in texts)

    @cached_property
    def counts_up(self) -> bool:
        """Whether there are three or more whole numbers, each one more than the number above."""
        return self.is_whole and len(self._steps) > 1 and bool((self._steps == 1).all())

    @cached_property
    def numbers_rows(self) -> bool:
        """Whether the column numbers the rows from 0 or 1, in any order."""
        if not (self.is_whole and self.is_unique):
            return False
        low, high = self.limits
        is_index = low in (0, 1)
        return bool(is_index and high - low + 1 == len(self.coded[0]))

    @cached_property
    def restarts(self) -> bool:
        """Whether the column holds all whole numbers from 0 or 1 up, three or more, each about equally often."""
        low, high = self.limits
        if not self.is_whole or low not in (0, 1) or not high - low + 1 == self.distinct >= 3:
            return False
        counts = self.values.value_counts()
        return bool(counts.max() <= 2 * counts.min())

    @cached_property
    def rises(self) -> bool:
        """Whether there are three or more numbers, and at least 95% exceed the one above, as training steps do."""
        return len(self._steps) > 1 and float((self._steps > 0).mean()) >= 0.95

    def within(self, low: float, high: float) -> bool:
        """Return whether all numbers except codes for failed runs lie in [low, high]; False without numbers."""
        smallest, largest = self.limits
        return bool(low <= smallest and largest <= high)


@dataclass(frozen=True, eq=False)
class Profile:
    """Table with its columns, and the roles set by the user or implied by column names.

    Attributes
    ----------
    table : TextTable
        The cells as text.
    mapping : Mapping
        The user's settings.
    several : bool
        Whether the table is one of several files.
    """

    table: TextTable
    mapping: Mapping = Mapping()
    several: bool = False

    @cached_property
    def columns(self) -> dict[str, ColumnProfile]:
        """The columns by name, in the order of the file."""
        if not self.table.profiles:
            self.table.profiles.update(
                {n: ColumnProfile(n, i, self.table) for i, n in enumerate(self.frame)}
            )
        return self.table.profiles

    @cached_property
    def stem(self) -> str:
        """The file name without folder and extension."""
        return vocabulary.file_stem(self.table.name)

    @property
    def frame(self) -> pd.DataFrame:
        """Text cells of the table."""
        return self.table.frame

    def __getitem__(self, name: str) -> ColumnProfile:
        """Return one column."""
        return self.columns[name]

    @property
    def ignored(self) -> dict[str, str]:
        """Mapping of every column to the role "ignore"."""
        return dict.fromkeys(self.columns, "ignore")

    @cached_property
    def numbers(self) -> list[str]:
        """Names of numeric columns."""
        return [name for name, column in self.columns.items() if column.is_number]

    @cached_property
    def texts(self) -> list[str]:
        """Names of text columns."""
        return [name for name, column in self.columns.items() if column.is_text]

    @cached_property
    def measures(self) -> list[str]:
        """Names of numeric columns named after a measure, without training and validation results."""
        candidates = [
            n for n in self.numbers if not vocabulary.is_spread(n) and vocabulary.names_measure(n)
        ]
        names = set(map(vocabulary.normalized_name, candidates))
        return [n for n in candidates if not vocabulary.is_untested(n, names)]

    @cached_property
    def costs(self) -> list[str]:
        """Names of numeric columns named after a cost, without problems such as texts among the numbers."""
        likely = [name for name in self.numbers if vocabulary.known_cost(name)]
        return [name for name in likely if not text_cells.to_numbers(self.table, name)[1]]

    @cached_property
    def declared(self) -> dict[str, str]:
        """Roles set by the user, by column of this table."""
        return {name: role for name, role in self.mapping.roles.items() if name in self.frame}

    @cached_property
    def named(self) -> dict[str, str]:
        """Roles set by the user, else implied by column names."""
        used = set(self.declared.values()) - set(MANY)
        guessed = vocabulary.guess_roles(
            [n for n in self._by_promise if n not in self.declared and not self._is_no_run(n)]
        )
        by_name = {name: role for name, role in guessed.items() if role not in used}
        if "algorithm" not in {*by_name.values(), *used}:
            systems = [n for n, role in by_name.items() if role == "repetition"]
            by_name |= {n: "algorithm" for n in systems if self._names_systems(n)}
        return {
            name: {**by_name, **self.declared}[name]
            for name in self.frame
            if name in by_name | self.declared
        }

    def _names_systems(self, name: str) -> bool:
        """Return whether a column of runs names systems that are compared, as in retrieval."""
        column = self[name]
        if not column.is_text or not 2 <= column.distinct <= min(FEW, len(self.frame) / 2):
            return False
        return not (
            vocabulary.names_folds(column.coded[1]) or vocabulary.names_dates(column.coded[1])
        )

    def _is_no_run(self, name: str) -> bool:
        """Return whether a column is named like folds, such as "run", but has fractions."""
        is_named_run = vocabulary.role_in_name(name) in ("fold", "repetition")
        return is_named_run and self[name].is_number and not self[name].is_whole

    @property
    def free_texts(self) -> list[str]:
        """Names of text columns without a role."""
        return [name for name in self.texts if name not in self.named]

    @property
    def free_numbers(self) -> list[str]:
        """Names of numeric columns without a role that are not row counters."""
        return [
            name for name in self.numbers if name not in self.named and not self[name].counts_up
        ]

    def has_role(self, *roles: str) -> bool:
        """Return whether the user or the name of a column gives it one of the roles."""
        return not set(roles).isdisjoint(self.named.values())

    @property
    def _by_promise(self) -> list[str]:
        """Columns, most likely keys first; empty ones only if they may hold predictions of failed runs.

        Constant columns come last. Exact names come before similar ones, then columns with more
        values.
        """
        exact = {"dataset", "algorithm", "fold", "repetition"}
        may_be_empty = ("score", "predicted")  # empty if every run failed
        nonempty = [
            c
            for n, c in self.columns.items()
            if not c.is_empty or vocabulary.role_in_name(n) in may_be_empty
        ]
        nonempty.sort(
            key=lambda c: (
                c.is_constant,
                vocabulary.normalized_name(c.name) not in exact,
                -c.distinct,
            )
        )
        return [column.name for column in nonempty]

    def hypothesis(
        self,
        layout: str,
        roles: dict[str, str],
        why: dict[str, str],
        evidence: Iterable[LayoutEvidence],
        **others: Any,
    ) -> LayoutHypothesis:
        """Return the hypothesis of a layout; columns without a role are ignored, and each has a reason."""
        why = why | dict.fromkeys(self.declared, "said")
        reasons = {name: role_reason(why.get(name, "not needed")) for name in self.columns}
        evidence = tuple(evidence)
        return LayoutHypothesis(
            layout=layout, roles=self.ignored | roles, reasons=reasons, evidence=evidence, **others
        )

    def named_folds(self, named: Dictionary[str, str]) -> dict[str, str]:
        """Return the roles of text columns of values like "Fold1" and "Repeat1".

        Without a column of folds, one of repetitions is the fold. There are none, {}, if the
        headers name folds.
        """
        free = self.texts if {"fold", "repetition"}.isdisjoint(named.values()) else []
        values = {n: self.frame[n].to_list() for n in free if n not in named}
        names = [n for n, cells in values.items() if vocabulary.names_folds(cells)]
        repetitions = [n for n in names if vocabulary.names_repetitions(values[n])]
        folds = [n for n in names if n not in repetitions]
        if not folds:
            return dict.fromkeys(repetitions[:1], "fold")
        return {folds[0]: "fold", **dict.fromkeys(repetitions[:1], "repetition")}

    def reason(self, name: str, special: str = "") -> str:
        """Return the message code of the first applicable reason for a column's role; `special` applies before names."""
        column = self[name]
        reasons = {
            "said": name in self.declared,
            special: bool(special),
            "name": name in self.named,
            "empty": column.is_empty,
            "measure by name": name in self.measures,
            "cost by name": name in self.costs,
            "constant": column.is_constant,
            "spread": vocabulary.is_spread(name),
            "setting": vocabulary.is_setting(name),
            "bookkeeping": vocabulary.is_bookkeeping(name),
            "validation": column.is_number and vocabulary.names_measure(name),
            "counter": column.is_number and column.counts_up,
            "no direction": column.is_number,
        }
        return next((code for code, holds in reasons.items() if holds), "text")

    def unique(self, keys: Iterable[str]) -> bool:
        """Return whether the keys identify every row; False without keys."""
        keys = list(keys)
        if not keys or any(self[key].is_unique for key in keys):
            return bool(keys)
        if math.prod(self[key].distinct + 1 for key in keys) < len(self.frame):
            return False
        return self.distinct_rows(keys) == len(self.frame)

    def distinct_rows(self, keys: Iterable[str]) -> int:
        """Return the number of distinct value combinations in the key columns."""
        columns = frozenset(keys)
        if columns not in self._counts:
            self._counts[columns] = len(self._group_sizes(columns))
        return self._counts[columns]

    @cached_property
    def _counts(self) -> dict[frozenset[str], int]:
        return {}

    def _group_sizes(self, keys: Iterable[str]) -> np.ndarray:
        """Return the number of rows of each value combination in the key columns."""
        return row_checks.group_sizes((self[key].coded[0], len(self[key].coded[1])) for key in keys)

    def crosses(self, keys: Sequence[str]) -> bool:
        """Return whether all combinations of two or more keys have equally many rows; False for fewer keys."""
        sizes = self._group_sizes(keys) if len(keys) > 1 else np.array([1, 2])
        return bool(np.ptp(sizes) == 0) and len(sizes) == math.prod(
            self[key].distinct for key in keys
        )

    def grouped(self, name: str, keys: Sequence[str]) -> "SeriesGroupBy":
        """Return a numeric column grouped by keys; one group without keys."""
        numbers = self[name].numbers
        assert numbers is not None
        return numbers.groupby([self.frame[key] for key in keys] or numbers * 0)

    def counter_of_folds(self, named: dict[str, str], keys: Sequence[str]) -> str:
        """Return the column without a role that numbers the rows of each group; "" if none, or if keys are unique."""
        if keys and self.unique(keys):
            return ""
        likely = [n for n in self.numbers if n not in named and not vocabulary.means_no_fold(n)]
        return next((name for name in likely if self.counts_within(name, keys)), "")

    def counts_within(self, name: str, keys: Sequence[str]) -> bool:
        """Return whether a column numbers the rows of each group from 0 or 1 without gaps, three or more in each."""
        column = self[name]
        fewest, most = _FOLDS
        low = column.limits[0]
        if not column.is_whole or not fewest <= column.distinct <= most or low not in (0, 1):
            return False
        if len(column.values) < len(column.texts) or not self.unique([*keys, name]):
            return False
        groups = self.grouped(name, keys)
        size, first, last = groups.size(), groups.min(), groups.max()
        return bool(
            (first == low).all() and (last - first + 1 == size).all() and (size >= fewest).all()
        )

    def completes_keys(self, name: str, named: Dictionary[str, str]) -> bool:
        """Return whether a column of repeated numbers 0 or 1 to m makes repeated names identify every row."""
        if not self[name].restarts:
            return False
        names = [
            n for n in self.columns if self[n].is_text or named.get(n) in ("dataset", "algorithm")
        ]
        keys = [n for n in names if n != name and 2 * self[n].distinct <= len(self.frame)]
        return not self.unique(keys) and self.unique([*keys, name])

    def determines(self, key: str, other: str) -> bool:
        """Return whether each value of `key` occurs with a single value of `other`."""
        return self.distinct_rows([key, other]) == self.distinct_rows([key])

    def results_by(self, named: Dictionary[str, str], measures: Sequence[str] = ()) -> list[str]:
        """Return numeric columns not in `named` or `measures` that may hold results, [] if none.

        They have decimals, are present where the measures are, and are neither costs nor fixed by a
        key.
        """
        n = len(self.frame)
        named_keys = {key for key, role in named.items() if role not in ("fold", "repetition")}
        keys = [key for key in {*self.texts, *named_keys} if 1 < self[key].distinct <= n / 2]
        results, others, measured = [], {*named, *measures, *self.costs}, set(self.measures)
        is_measured = (
            ~np.isnan(self.matrix(measures)).all(axis=1) if measures else np.zeros(n, dtype=bool)
        )
        for name in self.numbers:
            column = self[name]
            is_score = vocabulary.mentions(name, "scores")
            if name in others or column.is_whole or self.is_difference(name):
                continue
            if self._are_levels(name):
                continue
            if vocabulary.is_spread(name) or vocabulary.is_setting(name):
                continue
            is_untested = vocabulary.names_measure(name) and name not in measured
            if is_untested or vocabulary.mentions(name, "beside measures"):
                continue
            if (
                measures if is_score else vocabulary.is_descriptive(name)
            ):  # a score of one of the measures, or a size
                continue
            if (is_measured <= ~np.isnan(column.array)).mean() > 0.9:
                results += [name] if all(self._varies_within(name, key) for key in keys) else []
        return results

    def _are_levels(self, name: str) -> bool:
        """Return whether numbers take few values about equally often, as levels of a factor do."""
        column = self[name]
        if column.distinct > _MOST_LEVELS or 4 * column.distinct > len(self.frame):
            return False
        counts = column.values.value_counts()
        return bool(len(counts) and counts.max() == counts.min())

    def _varies_within(self, name: str, key: str) -> bool:
        """Return whether numbers differ between the rows of one value of a key as often as their precision allows."""
        numbers = self[name].values
        numbers = numbers[
            ~numbers.isin(self[name].limits)
        ]  # the best or worst possible value may be frequent
        if not len(numbers):
            return False
        groups = numbers.groupby(self.frame[key])
        spans = groups.max() - groups.min()
        digits = self[name].decimals
        # rounded numbers tie by chance, numbers of full precision only if they are one number
        step = (
            np.diff(np.unique(numbers), append=np.inf).min()
            if digits <= 4
            else 10.0 ** -min(digits, 9)
        )
        n_values = spans.where(spans > 0, np.ptp(numbers)) / step + 1
        expected = (n_values * (1 - (1 - 1 / n_values) ** groups.size())).sum()
        return bool(groups.nunique().sum() > 0.75 * expected)

    def is_mean_of(self, name: str, names: Sequence[str]) -> bool:
        """Return whether a column is the mean of two or more others in every row, too exactly for a coincidence."""
        others = [n for n in names if n != name]
        return len(others) > 1 and row_checks.is_mean(
            self.matrix([name])[:, 0], self.matrix(others)
        )

    def is_difference(self, name: str) -> bool:
        """Return whether a column of decimals is the difference of two larger ones."""
        if name not in self._are_differences:
            self._are_differences[name] = self._equals_difference(name)
        return self._are_differences[name]

    @cached_property
    def _are_differences(self) -> dict[str, bool]:
        return {}

    @cached_property
    def _decimals(self) -> list[str]:
        return [n for n in self.numbers if not self[n].is_whole and not self[n].is_constant]

    def _equals_difference(self, name: str) -> bool:
        names = self._decimals
        if name not in names or not 3 <= len(names) <= _MOST_DECIMALS:
            return False
        matrix = self.matrix(names)
        matrix = matrix[np.isfinite(self[name].array)]
        own = matrix[:, names.index(name)]
        others = matrix[:, np.isfinite(matrix).all(axis=0)]
        larger = others[:, np.median(np.abs(others), axis=0) > np.median(np.abs(own))]
        tolerance = 1.5 * 10.0 ** -min(max(self[each].decimals for each in names), 9)
        share = 2 * tolerance / max(float(np.ptp(own)), tolerance)  # of values that fit by chance
        if larger.shape[1] ** 2 * min(share, 1.0) ** len(np.unique(own)) > _BY_CHANCE:
            return False
        first_rows = larger[:_FIRST_ROWS]
        errors = first_rows[:, :, None] - first_rows[:, None, :] - own[:_FIRST_ROWS, None, None]
        likely = np.argwhere(np.abs(errors).max(axis=0, initial=0.0) <= tolerance)
        return any(
            bool(np.abs(larger[:, minuend] - larger[:, subtrahend] - own).max() <= tolerance)
            for minuend, subtrahend in likely
        )

    def explained(self, result: str, key: str) -> float:
        """Return the variance of a result's mean ranks between the values of a key, which is largest for data sets."""
        return float(self[result].values.rank().groupby(self.frame[key]).mean().var(ddof=0))

    def matrix(self, names: Sequence[str]) -> np.ndarray:
        """Return columns as an array, row x column; NaN if missing or not numeric."""
        return np.column_stack([self[name].array for name in names])

    def limits_of(self, names: Sequence[str]) -> tuple[float, float]:
        """Return the smallest and largest number of columns."""
        matrix = self.matrix(names)
        return float(np.nanmin(matrix)), float(np.nanmax(matrix))

    def magnitudes(self, names: Sequence[str]) -> float:
        """Return the range of the columns' absolute medians in powers of ten; 0 for fractions, percentages, zeros."""
        low, high = self.limits_of(names)
        if (low >= -1 and high <= 1) or (low >= 0 and high <= 100):
            return 0.0
        medians = [
            float(np.median(np.abs(v))) for n in names if len(v := self[n].values.to_numpy())
        ]
        medians = [m for m in medians if m > 0]
        return float(np.log10(max(medians) / min(medians))) if medians else 0.0
