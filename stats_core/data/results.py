"""The results of an experiment, validated: what everything else starts from."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any
from weakref import WeakValueDictionary

import numpy as np
import pandas as pd

from stats_core.core.errors import SettingError
from stats_core.core.formatting import escape_spreadsheet_formula, format_count, join_names
from stats_core.core.messages import Message
from stats_core.data.designs import IN_WORDS, design_of, share_left_out
from stats_core.data.groups import tidy_tags
from stats_core.data.labels import rename
from stats_core.data.measures import (
    AREAS,
    COUNTS,
    DERIVED,
    MEASURES,
    known_name,
    undefined_reason,
)
from stats_core.data.missing import CHOICES, LEAVE_HOLES, resolve
from stats_core.data.missing_counts import ABSENT, NO_VALUE
from stats_core.data.published import Published
from stats_core.data.row_checks import (
    KEYS,
    check_frame,
    check_rows,
    distinct_rows,
    fold_key,
    natural_key,
    natural_order,
    number_labels,
    sort_rows,
)

__all__ = ["CHOICES", "KEYS", "Results", "natural_key", "natural_order"]

SIZES = ("n_train", "n_test")


class _Selections(WeakValueDictionary):
    """What was selected of results, while anyone holds it; it stays behind in another process."""

    def __reduce__(self) -> tuple:
        return _Selections, ()


@dataclass(frozen=True, kw_only=True, eq=False)
class Results:
    """Results of algorithms on data sets, one row per repetition and fold; never changed.

    Made by `read_results` or `Results.from_frame`.

    Attributes
    ----------
    directions : mapping of measure to "lower" or "higher"
        Which values are better; the measures in order.
    costs : tuple of str
        Columns of which less is preferred, such as training time.
    files : tuple of str
        The files' names in their order, none for a table in memory.
    digest : str
        sha256 of the files' content, "" for a table in memory.
    layout : str
        How the file was laid out.
    predictions : DataFrame or None
        The instances behind the results, with `correct`.
    notes : tuple of Note
        What was understood or assumed while reading.
    choices : tuple of Note
        What was chosen about holes, a threshold or a correction; printed with every result.
    failures : {"none", "unresolved", "worst rank", "present"}
        Whether cells are missing, and what stands for them.
    undecided : Results or None
        The same before the last choice about holes, so that other choices can be looked at.
    design_hint : str
        A design the file declares ("holdout", "common test set"), else "".
    published : Published or None
        What was read instead of results, such as average ranks; the rows then hold one number of
        each algorithm.
    """

    _rows: pd.DataFrame = field(repr=False)  # KEYS, measures, costs, counts, sizes; sorted
    directions: Mapping[str, str]
    costs: tuple[str, ...] = ()
    files: tuple[str, ...] = ()
    digest: str = ""
    layout: str = "fold scores"
    predictions: pd.DataFrame | None = field(default=None, repr=False)
    notes: tuple[Message, ...] = ()
    choices: tuple[Message, ...] = ()
    failures: str = "none"
    undecided: "Results | None" = field(default=None, repr=False)
    design_hint: str = ""
    published: Published | None = None
    # what a selection was made from, so that no hole vanishes with the row that showed it
    _folds: pd.DataFrame | None = field(default=None, repr=False)
    # every fold that was run, where some were left out: the design is told by these
    _planned: pd.DataFrame | None = field(default=None, repr=False)
    _algorithms: tuple[str, ...] | None = field(default=None, repr=False)
    # of every data set that was read, so that groups keep their bounds when some are left out
    _tags: pd.DataFrame | None = field(default=None, repr=False)
    _narrowed: frozenset[str] = field(default=frozenset(), repr=False)  # of "dataset", "algorithm"

    @classmethod
    def from_frame(
        cls,
        frame: pd.DataFrame,
        *,
        directions: Mapping[str, str] | None = None,
        costs: Sequence[str] = (),
        groups: pd.DataFrame | None = None,
        **details: Any,
    ) -> "Results":
        """Validate a table and make results of it.

        Parameters
        ----------
        frame : DataFrame
            Columns algorithm and, optionally, dataset, repetition, fold, n_train, n_test, tp,
            fp, tn, fn; one column per measure and cost. NaN marks a failed run.
        directions : mapping of measure to "lower" or "higher", optional
            Needed for measures that `MEASURES` does not know; by default the columns it knows.
        costs : sequence of str
            The cost columns.
        groups : DataFrame, optional
            What tags data sets: one row per data set, one column per tag.
        **details
            Other attributes of `Results`.

        Returns
        -------
        Results

        Raises
        ------
        DataError
            A key repeats, a value is infinite, or there is no measure.

        Examples
        --------
        >>> import pandas as pd
        >>> frame = pd.DataFrame({"algorithm": ["a", "b"], "error": [0.1, 0.2]})
        >>> Results.from_frame(frame).averages("error").loc["results", "a"].item()
        0.1
        """
        table = frame.reset_index(drop=True)
        if directions is None:
            directions = {
                name: MEASURES[name].direction for name in table.columns if name in MEASURES
            }
        check_frame(table, directions, costs)
        defaults = {"dataset": "results", "repetition": "1", "fold": "1"}
        for key in KEYS:
            names = table[key].to_list() if key in table else [defaults[key]] * len(table)
            table[key] = pd.Series(list(map(str, names)), index=table.index, dtype=str)
        extras = [name for name in (*COUNTS, *SIZES) if name in table]
        table = table[list(dict.fromkeys([*KEYS, *directions, *costs, *extras]))]
        numbers = [name for name in table.columns if name not in KEYS]
        if others := [name for name in numbers if table[name].dtype != float]:
            table = table.astype(dict.fromkeys(others, float))
        check_rows(table)
        return cls(
            _rows=sort_rows(table),
            directions=dict(directions),
            costs=tuple(costs),
            _tags=tidy_tags(groups),
            **details,
        ).with_failures()

    @cached_property
    def datasets(self) -> tuple[str, ...]:
        """Names of the data sets, in natural order."""
        return natural_order(self.grid["dataset"].unique())

    @cached_property
    def algorithms(self) -> tuple[str, ...]:
        """Names of the algorithms, in natural order."""
        if self._algorithms is not None:
            return self._algorithms
        return natural_order(self._rows["algorithm"].unique())

    @property
    def tags(self) -> pd.DataFrame:
        """What tags the data sets that were read, those left out since included."""
        return tidy_tags(None) if self._tags is None else self._tags

    @cached_property
    def groups(self) -> pd.DataFrame:
        """What tags the data sets: one row per data set, one column of texts per tag.

        "" where a data set has none. `groups_of` tells which data sets belong together.
        """
        return self.tags.reindex(list(self.datasets)).fillna("").rename_axis("dataset")

    @property
    def source(self) -> str:
        """The files' names in words."""
        return join_names(self.files, 3) or "results"

    @property
    def measures(self) -> tuple[str, ...]:
        """Names of the measures."""
        return tuple(self.directions)

    @property
    def n_rows(self) -> int:
        """Number of rows: results of one algorithm on one fold."""
        return len(self._rows)

    @property
    def frame(self) -> pd.DataFrame:
        """All rows in canonical columns and order, a copy."""
        return self._rows.copy()

    @cached_property
    def design(self) -> str:
        """The resampling design, "unknown" if data sets differ in it."""
        designs = {self.design_of(name) for name in self.datasets}
        return designs.pop() if len(designs) == 1 else "unknown"

    @cached_property
    def design_label(self) -> str:
        """The design in words with its numbers, for example "10-fold" or "10 x 10-fold"."""
        if self.published is not None:
            return self.published.label
        labels = {self.label_of(name) for name in self.datasets}
        if len(labels) == 1:
            return labels.pop()
        return "several designs" if self.design == "unknown" else self.design

    @property
    def n_datasets(self) -> int:
        """Over how many data sets: those at hand, or those behind what was published."""
        return len(self.datasets) if self.published is None else self.published.n

    @property
    def size_label(self) -> str:
        """Over how many data sets, in words; "" where nobody said."""
        if self.published is not None:
            return self.published.over
        return format_count(len(self.datasets), "data set")

    @property
    def with_folds(self) -> tuple[str, ...]:
        """The data sets with more than one result of each algorithm."""
        return tuple(name for name in self.datasets if self.design_of(name) != "single")

    def label_of(self, dataset: str) -> str:
        """Return the design of one data set in words with its numbers."""
        design, (repetitions, folds) = self.design_of(dataset), self._shape(dataset)
        if design == "seeds":
            return f"{repetitions} runs"
        if design == "single" and self.predictions is not None:
            return "one test set"
        if design not in ("k-fold", "r x k-fold"):
            return IN_WORDS.get(design, design)
        return f"{folds}-fold" if repetitions == 1 else f"{repetitions} x {folds}-fold"

    def design_of(self, dataset: str) -> str:
        """Return the resampling design of one data set.

        One of "5x2", "k-fold", "r x k-fold", "leave-one-out", "holdout" (random partitions),
        "bootstrap", "common test set", "seeds" (runs that may be either of "holdout" and "common
        test set"), "single", "unknown".
        """
        return design_of(
            *self._shape(dataset),
            declared=self.design_hint,
            fraction=self._measured_fraction(dataset),
            one_case=self._tests_one_case(dataset),
        )

    def test_fraction(self, dataset: str) -> float | None:
        """Return n_test / (n_train + n_test): from the sizes, else from the design, else None.

        Of a bootstrap it is the share that is not drawn, n_test / (distinct cases trained on +
        n_test), 1/e where the sizes fit a test on the cases left out, else None. A common test set
        has none: its results do not overlap as those of partitions do.
        """
        design, (_, folds) = self.design_of(dataset), self._shape(dataset)
        if design == "common test set":
            return None
        measured = self._measured_fraction(dataset)
        if design == "bootstrap":
            return share_left_out(measured)
        if measured is not None:
            return measured
        return 1 / folds if design in ("5x2", "k-fold", "r x k-fold", "leave-one-out") else None

    def direction(self, measure: str) -> str:
        """Return "lower" or "higher"; second names of a measure are understood."""
        name = self.resolve_name(measure)
        if name in self.directions:
            return self.directions[name]
        return "higher" if name in ("tp", "tn") else "lower"

    def resolve_name(self, measure: str) -> str:
        """Return the measure's own name for it, for another spelling or for a second name of it.

        "acc" is accuracy, "recall" is tpr.

        Costs and counts go by their own names.
        """
        if measure in self.directions or measure in self.costs:
            return measure
        if measure in COUNTS and measure in self._rows:
            return measure
        name = known_name(measure)
        for candidate in (name, MEASURES[name].same_as if name else ""):
            if candidate in self.directions:
                return candidate
        for own in self.directions:
            if own.casefold() == measure.casefold() or (name and known_name(own) == name):
                return own
        raise SettingError(
            f'These results have no measure "{measure}". They have {", ".join(self.directions)}. '
            "Choose one of them."
        )

    def matrix(self, dataset: str, measure: str) -> pd.DataFrame:
        """Return one measure on one data set: (repetition, fold) x algorithm, NaN in holes."""
        name = self.resolve_name(measure)
        self._check_known("dataset", [dataset])
        places, folds = self._fold_places[dataset]
        columns = pd.Index(self.algorithms, name="algorithm")
        values = self._complete[name].to_numpy().reshape(-1, len(columns))
        return pd.DataFrame(values[places], index=folds, columns=columns)

    def averages(self, measure: str) -> pd.DataFrame:
        """Return data set x algorithm averages over folds, NaN where any fold is missing."""
        values = self._complete[self.resolve_name(measure)]
        groups = values.groupby(level=["dataset", "algorithm"], observed=True, sort=False)
        means = groups.mean().where(groups.count() == groups.size())
        return means.unstack("algorithm").loc[list(self.datasets), list(self.algorithms)]

    def vectors(self, dataset: str, measures: Sequence[str]) -> np.ndarray:
        """Return an array algorithm x fold x measure."""
        layers = [self.matrix(dataset, measure).to_numpy().T for measure in measures]
        return np.stack(layers, axis=2)

    def select(
        self,
        datasets: Sequence[str] | None = None,
        algorithms: Sequence[str] | None = None,
    ) -> "Results":
        """Return the results of some data sets and algorithms only; of all, this very object.

        The same object again for the same names, as long as someone holds it.
        """
        kept = {"dataset": datasets, "algorithm": algorithms}
        for key, names in kept.items():
            self._check_known(key, () if names is None else names)
        known = {"dataset": self.datasets, "algorithm": self.algorithms}
        if all(names is None or set(names) == set(known[key]) for key, names in kept.items()):
            return self
        asked = tuple(None if names is None else frozenset(names) for names in kept.values())
        found = self._selections.get(asked)
        if found is None:
            found = self._selections[asked] = self._selected(kept)
        return found

    @cached_property
    def _selections(self) -> _Selections:
        return _Selections()

    def _selected(self, kept: Mapping[str, Sequence[str] | None]) -> "Results":
        """Return what `select` does where something is left out."""
        known = {"dataset": self.datasets, "algorithm": self.algorithms}
        datasets, algorithms = kept["dataset"], kept["algorithm"]
        fewer = {k for k, names in kept.items() if names is not None and {*names} != {*known[k]}}
        mask = pd.Series(True, index=self._rows.index)
        for key, names in kept.items():
            if names is not None:
                mask &= self._rows[key].isin(list(names))
        predictions = self.predictions
        if predictions is not None:
            for key, names in kept.items():
                if names is not None:
                    predictions = predictions[predictions[key].isin(list(names))]
        chosen = set(self.algorithms if algorithms is None else algorithms)
        grid = self.grid
        return replace(
            self,
            _rows=self._rows[mask].reset_index(drop=True),
            _folds=grid if datasets is None else grid[grid["dataset"].isin(list(datasets))],
            _algorithms=tuple(name for name in self.algorithms if name in chosen),
            predictions=predictions,
            undecided=self._undecided_without(datasets, algorithms),
            _narrowed=self._narrowed | fewer,
        ).with_failures()

    def rename(
        self,
        algorithms: Mapping[str, str] | None = None,
        datasets: Mapping[str, str] | None = None,
    ) -> "Results":
        """Return the same results under other names, kept in `notes`.

        Parameters
        ----------
        algorithms, datasets : mapping of old to new name, optional
            Only those that change.

        Returns
        -------
        Results
            This very object if no name changes.

        Raises
        ------
        SettingError
            A name is unknown, or two would become alike.

        Examples
        --------
        >>> import pandas as pd
        >>> frame = pd.DataFrame({"algorithm": ["a", "b"], "error": [0.1, 0.2]})
        >>> Results.from_frame(frame).rename(algorithms={"a": "svm"}).algorithms
        ('b', 'svm')
        """
        return rename(self, algorithms or {}, datasets or {})

    @property
    def selected(self) -> dict[str, tuple[str, ...]]:
        """What was selected: "datasets", "algorithms" with their names; neither if all are here."""
        names = {"dataset": self.datasets, "algorithm": self.algorithms}
        return {f"{key}s": names[key] for key in names if key in self._narrowed}

    def _undecided_without(
        self, datasets: Sequence[str] | None, algorithms: Sequence[str] | None
    ) -> "Results | None":
        """Leave out of what was before the last choice what is left out now, and no more."""
        before = self.undecided
        if before is None:
            return None
        sets = set(self.datasets) - set(self.datasets if datasets is None else datasets)
        names = set(self.algorithms) - set(self.algorithms if algorithms is None else algorithms)
        return before.select(
            [name for name in before.datasets if name not in sets],
            [name for name in before.algorithms if name not in names],
        )

    @cached_property
    def missing(self) -> pd.DataFrame:
        """The incomplete cells: dataset, algorithm, repetition, fold, measure, reason."""
        measures = list(self.measures)
        holes = self._complete[measures].isna()
        places = np.argwhere(holes.to_numpy())
        table = self._complete.index[places[:, 0]].to_frame(index=False)
        table["measure"] = [measures[j] for j in places[:, 1]]
        absent = self._absent.to_numpy()[places[:, 0]]
        counted = self._has_counts.to_numpy()[places[:, 0]]
        derived = {*DERIVED, *(AREAS if self.predictions is not None else ())}
        reasons = [
            ABSENT if gone else undefined_reason(name) if counts and name in derived else NO_VALUE
            for gone, counts, name in zip(absent, counted, table["measure"], strict=True)
        ]
        table["reason"] = pd.Series(reasons, index=table.index, dtype=str)
        return table[[*KEYS, "measure", "reason"]]

    def holes(self, measure: str) -> pd.DataFrame:
        """The incomplete cells of one measure, as `missing`."""
        missing = self.missing
        return missing[missing["measure"] == measure]

    def resolve(self, choice: str, measure: str | None = None, *, baseline: str = "") -> "Results":
        """Decide what stands for the missing cells of one measure; kept in `choices`.

        Parameters
        ----------
        choice : {"drop data sets", "drop algorithms", "drop folds", "worst rank", ...}
            Leave out what has holes (a fold for all algorithms); give failures the last places;
            let a missing run take the value of a baseline ("baseline"); compare algorithms on
            what both have ("present"); or read 0/0 as 0 or 1 ("undefined as 0", "undefined as 1").
        measure : str, optional
            Whose holes; by default the first measure, the one that `analyse` compares unless its
            settings name another. Holes of other measures stay as they are.
        baseline : str
            The algorithm whose value on the same data set and fold stands for a missing run.

        Returns
        -------
        Results
            With the choice recorded; unchanged if nothing is missing.

        Raises
        ------
        DataError
            Nothing would be left; the baseline lacks a run itself.
        SettingError
            Unknown choice or measure; the baseline is none of the algorithms.
        """
        return resolve(self, choice, measure, baseline)

    def to_csv(self) -> str:
        """Return the rows as CSV that `read_results` reads back to the same results.

        Names that a spreadsheet would run as formulas get an apostrophe, which reading takes away.
        Instance predictions are not written; measures that counts give are left to the counts.
        """
        if self.published is not None:
            return self.published.to_csv()
        table = self._rows
        if set(COUNTS) <= set(table):
            table = table.drop(columns=[name for name in DERIVED if name in table])
        if (table["repetition"] == "1").all():
            table = table.drop(columns="repetition")
        if self.design_hint:
            table = table.assign(design=self.design_hint)
        for tag in self.groups:
            table = table.assign(**{f"{tag} (group)": table["dataset"].map(self.groups[tag])})
        names = {name: self._header(name) for name in table.columns}
        texts = table.select_dtypes(exclude="number").columns
        table = table.assign(
            **{name: table[name].map(escape_spreadsheet_formula) for name in texts}
        )
        table.columns = [escape_spreadsheet_formula(names[name]) for name in table.columns]
        return table.to_csv(index=False, lineterminator="\n")

    def summary(self) -> str:
        """Return what was understood, in one sentence."""
        parts = [format_count(len(self.algorithms), "algorithm"), self.design_label]
        parts = [self.size_label, *parts] if self.size_label else parts
        if self.published is not None:
            return f"Read {', '.join(parts)}."
        cases = self.predictions
        seen = (
            format_count(self.n_rows, "result")
            if cases is None
            else format_count(len(cases), "prediction")
        )
        text = f"Read {seen}: {', '.join(parts)}; "
        text += f"{'measure' if len(self.measures) == 1 else 'measures'} {join_names(self.measures, 12)}"
        if self.costs:
            text += f"; {'cost' if len(self.costs) == 1 else 'costs'} {join_names(self.costs)}"
        return f"{text}."

    def __eq__(self, other: object) -> bool:
        """Tell whether both hold the same rows, directions and costs, in whatever files."""
        if not isinstance(other, Results):
            return NotImplemented
        columns = sorted(self._rows.columns)
        return (
            columns == sorted(other._rows.columns)
            and self.directions == other.directions
            and set(self.costs) == set(other.costs)
            and self.design == other.design
            and self.published == other.published
            and self._rows[columns].equals(other._rows[columns])
            and self.groups.to_dict() == other.groups.to_dict()
        )

    @cached_property
    def _complete(self) -> pd.DataFrame:
        """Rows for every algorithm on every fold of its data set, absent ones NaN."""
        names = pd.DataFrame({"algorithm": list(self.algorithms)})
        index = pd.MultiIndex.from_frame(self.grid.merge(names, how="cross")[list(KEYS)])
        return self._rows.set_index(list(KEYS)).reindex(index)

    @property
    def _is_whole(self) -> bool:
        """Whether every algorithm has a row for every fold, with a number of every measure.

        Told by counting, as no key stands twice; not of selections, whose rows may not show all.
        """
        folds = distinct_rows(self._rows, ["dataset", "repetition", "fold"])
        if len(self._rows) != folds * len(set(self._rows["algorithm"].to_list())):
            return False
        return not any(np.isnan(self._rows[name].to_numpy()).any() for name in self.measures)

    @cached_property
    def grid(self) -> pd.DataFrame:
        """Every (dataset, repetition, fold) there is."""
        if self._folds is not None:
            return self._folds
        folds = self._rows[["dataset", "repetition", "fold"]]
        return folds.iloc[np.unique(number_labels(folds, list(folds))[1], return_index=True)[1]]

    @cached_property
    def _fold_places(self) -> dict[str, tuple[np.ndarray, pd.MultiIndex]]:
        """Where the folds of each data set stand in the grid, in natural order, and their names."""
        found = {}
        for name, block in self.grid.reset_index(drop=True).groupby("dataset", sort=False):
            folds = pd.MultiIndex.from_frame(block[["repetition", "fold"]])
            order = sorted(range(len(folds)), key=lambda place: fold_key(folds[place]))
            found[name] = (block.index.to_numpy()[order], folds[order])
        return found

    @property
    def planned(self) -> pd.DataFrame:
        """Every (dataset, repetition, fold) that was run, those left out since included."""
        return self.grid if self._planned is None else self._planned

    @property
    def beside(self) -> dict[str, pd.DataFrame | None]:
        """The tables of folds that stand beside the rows, by the fields that keep them."""
        return {"_folds": self._folds, "_planned": self._planned}

    @cached_property
    def _absent(self) -> pd.Series:
        present = pd.MultiIndex.from_frame(self._rows[list(KEYS)])
        index = self._complete.index
        return pd.Series(~index.isin(present), index=index)

    @cached_property
    def _has_counts(self) -> pd.Series:
        """Where counts are there, so that a missing derived measure is undefined."""
        if not set(COUNTS) <= set(self._complete):
            return pd.Series(False, index=self._complete.index)
        return self._complete[list(COUNTS)].notna().all(axis=1)

    @cached_property
    def _shapes(self) -> dict[str, tuple[int, int]]:
        keys = ["dataset", "repetition"]
        sizes = self.planned.groupby(keys, sort=False, observed=True).size()
        found = sizes.groupby(level=0, sort=False, observed=True).agg(["size", "min", "max"])
        return {
            name: (count, least if least == most else 0)
            for name, count, least, most in zip(
                found.index, *found.to_numpy().T.tolist(), strict=True
            )
        }

    def _shape(self, dataset: str) -> tuple[int, int]:
        """Return (repetitions, folds of each), folds 0 if repetitions differ."""
        self._check_known("dataset", [dataset])
        return self._shapes[dataset]

    @cached_property
    def _tested(self) -> dict[str, tuple[float | None, bool]]:
        """The mean share that is tested, and whether every test set is one case, by data set."""
        if not set(SIZES) <= set(self._rows):
            return {}
        table = self._rows[["dataset", *SIZES]].dropna()
        table["share"] = table["n_test"] / (table["n_train"] + table["n_test"])
        blocks = table.groupby("dataset", sort=False)
        shares, largest = blocks["share"].mean(), blocks["n_test"].max()
        return {name: (float(shares[name]), bool(largest[name] == 1)) for name in shares.index}

    def _measured_fraction(self, dataset: str) -> float | None:
        return self._tested.get(dataset, (None, False))[0]

    def _tests_one_case(self, dataset: str) -> bool:
        return self._tested.get(dataset, (None, False))[1]

    def _check_known(self, key: str, names: Iterable[str]) -> None:
        known = self.datasets if key == "dataset" else self.algorithms
        among = set(known)
        unknown = [str(name) for name in names if name not in among]
        if unknown:
            what = "data set" if key == "dataset" else "algorithm"
            raise SettingError(
                f'These results have no {what} "{join_names(unknown)}". They have {join_names(known, 8)}.'
            )

    def with_rows(
        self,
        rows: pd.DataFrame,
        *,
        folds: pd.DataFrame | None = None,
        planned: pd.DataFrame | None = None,
        **details: Any,
    ) -> "Results":
        """Return the same results with other rows, and what else changes with them.

        Parameters
        ----------
        rows : DataFrame
            In the columns of `frame`.
        folds, planned : DataFrame, optional
            The new `grid` and `planned`.
        **details
            Other attributes of `Results`.
        """
        beside = {"_folds": folds, "_planned": planned}
        details = {"undecided": None, **details}
        details |= {name: table for name, table in beside.items() if table is not None}
        return replace(self, _rows=rows, **details).with_failures()

    def with_failures(self) -> "Results":
        """Return the same results, aware of whether cells are missing."""
        if self.failures in LEAVE_HOLES:
            return self
        selected = self._folds is not None or self._algorithms is not None
        whole = not len(self.missing) if selected else self._is_whole
        found = "none" if whole else "unresolved"
        return self if found == self.failures else replace(self, failures=found)

    def _header(self, name: str) -> str:
        """Name a column so that it explains itself when it is read again."""
        if name in self.costs:
            return f"{name} (cost)"
        if name in self.directions and (
            name not in MEASURES or MEASURES[name].direction != self.directions[name]
        ):
            return f"{name} ({self.directions[name]} is better)"
        return name
