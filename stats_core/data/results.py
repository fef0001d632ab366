"""`Results`: the validated results of an experiment."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache, cached_property
from math import exp
from typing import Any
from weakref import WeakValueDictionary

import numpy as np
import pandas as pd

from stats_core.core.errors import SettingError
from stats_core.core.formatting import (
    escape_spreadsheet_formula,
    format_count,
    join_names,
    measure_name,
)
from stats_core.core.messages import Message
from stats_core.data import data_text, predictions, row_checks
from stats_core.data.labels import rename
from stats_core.data.measures import AREAS, COUNTS, DERIVED, MEASURES, known_name
from stats_core.data.missing import ABSENT, CHOICES, LEAVE_HOLES, NO_VALUE, resolve
from stats_core.data.published import Published
from stats_core.data.row_checks import KEYS, natural_key, natural_order

__all__ = ["CHOICES", "KEYS", "Results", "natural_key", "natural_order"]

_SIZES = ("n_train", "n_test")
_FOLD = ["dataset", "repetition", "fold"]
# n_test / (n_train + n_test) of a test on the instances that a bootstrap leaves out, counting
# drawn instances with and without repetitions
_LEFT_OUT = exp(-1) / (1 + exp(-1)), exp(-1)


# measure -> key of the reason why it is undefined, if it is computed from counts or predictions
_UNDEFINED = {
    **dict.fromkeys(("tpr", "fnr"), "positive"),
    **dict.fromkeys(("fpr", "tnr"), "negative"),
    "precision": "predicted",
    "f": "f",
    **dict.fromkeys(("balanced_accuracy", *AREAS, "kappa", "macro_auc"), "one_class"),
    "mcc": "mcc",
    "r2": "r2",
}
# measures of several classes and of numbers, defined unless the run failed
_DEFINED = ("error", "rmse")


class _Selections(WeakValueDictionary):
    """Weak-value cache of selections; pickled as empty."""

    def __reduce__(self) -> tuple:
        return _Selections, ()


@dataclass(frozen=True, kw_only=True, eq=False)
class Results:
    """Immutable results of algorithms on data sets, one row per repetition and fold.

    Made by `read_results` or `Results.from_frame`.

    Attributes
    ----------
    directions : mapping of measure to "lower" or "higher"
        Which values are better; the measures in order.
    costs : tuple of str
        Columns for which lower is better, such as training time.
    files : tuple of str
        The files' names in their order, none for a table in memory.
    digest : str
        sha256 of the files' content, "" for a table in memory.
    layout : str
        Name of the layout of the file.
    predictions : DataFrame or None
        The instances behind the results, with `correct`; None without predictions.
    notes : tuple of Message
        Interpretations and assumptions made while reading.
    choices : tuple of Message
        Choices on missing results, a threshold or a correction; printed with every result.
    failures : {"none", "unresolved", "worst rank", "present"}
        Whether results are missing ("unresolved" until a choice is made), and how they are treated.
    undecided : Results or None
        The results before the last choice on missing results, so that other choices can be tried;
        None without a choice.
    design_hint : str
        The design declared in the file or implied by its column names or instances ("holdout",
        "bootstrap", "common test set" or "seeds"); "" if there is none.
    repeated_answers : bool
        Whether repetitions are answers of an algorithm to each instance, and no runs that the
        instances share.
    runs_averaged : bool
        Whether these answers are runs that not every algorithm has; see `over_instances`.
    published : Published or None
        Published summary read instead of results, such as average ranks; rows then hold one
        number of each algorithm. None for results.
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
    repeated_answers: bool = False
    runs_averaged: bool = False
    published: Published | None = None
    # folds before a selection, so that a missing result stays known without its rows
    _folds: pd.DataFrame | None = field(default=None, repr=False)
    # every fold that was run, including dropped ones; determines the design
    _planned: pd.DataFrame | None = field(default=None, repr=False)
    _algorithms: tuple[str, ...] | None = field(default=None, repr=False)
    # tags of every data set that was read, so that groups stay the same in selections
    _tags: pd.DataFrame | None = field(default=None, repr=False)
    # selected keys: "dataset", "algorithm"
    _narrowed: frozenset[str] = field(default=frozenset(), repr=False)

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
        """Return validated results from a table.

        Parameters
        ----------
        frame : DataFrame
            Columns algorithm and, optionally, dataset, repetition, fold, n_train, n_test, tp,
            fp, tn, fn; one column per measure and cost. NaN marks a failed run.
        directions : mapping of measure to "lower" or "higher", optional
            The measures with their directions; by default, the columns that are in `MEASURES`.
            Needed for other measures.
        costs : sequence of str
            The cost columns.
        groups : DataFrame, optional
            Tags: one row per data set, one column per tag.
        **details
            Other attributes of `Results`.

        Returns
        -------
        Results
            With rows in natural order, and `failures` set if results are missing.

        Raises
        ------
        DataError, SettingError
            A column is absent, a key repeats, a value is infinite, or there is no measure; a
            direction is neither "lower" nor "higher".

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
        row_checks.check_frame(table, directions, costs)
        defaults = {"dataset": "results", "repetition": "1", "fold": "1"}
        for key in KEYS:
            if key not in table:
                table[key] = predictions.same(defaults[key], len(table))
            elif table[key].dtype == object:  # where 1 and True are different names
                table[key] = [str(name) for name in table[key].to_list()]
            table[key] = predictions.to_category(*row_checks.coded(table[key]))
        extras = [name for name in (*COUNTS, *_SIZES) if name in table]
        table = table[list(dict.fromkeys([*KEYS, *directions, *costs, *extras]))]
        numbers = [name for name in table.columns if name not in KEYS]
        others = [name for name in numbers if table[name].dtype != float]
        if others:
            table = table.astype(dict.fromkeys(others, float))
        row_checks.check_rows(table)
        return cls(
            _rows=row_checks.sort_rows(table),
            directions=dict(directions),
            costs=tuple(costs),
            _tags=row_checks.tidy_tags(groups),
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
        """Tags of all data sets that were read, including data sets that were dropped later."""
        return row_checks.tidy_tags(None) if self._tags is None else self._tags

    @cached_property
    def groups(self) -> pd.DataFrame:
        """Tags of the data sets: one row per data set, one text column per tag.

        "" if a data set has no tag. `groups_of` returns which data sets belong together.
        """
        return self.tags.reindex(list(self.datasets)).fillna("").rename_axis("dataset")

    @property
    def source(self) -> str:
        """File names as text, "results" for tables in memory."""
        return join_names(self.files, 3) or "results"

    @property
    def measures(self) -> tuple[str, ...]:
        """Names of the measures."""
        return tuple(self.directions)

    @property
    def n_rows(self) -> int:
        """Number of rows, each with the results of one algorithm on one fold."""
        return len(self._rows)

    @property
    def frame(self) -> pd.DataFrame:
        """Copy of all rows, with columns and rows in canonical order."""
        return self._rows.copy()

    @cached_property
    def design(self) -> str:
        """Resampling design, "unknown" if the data sets have different designs."""
        designs = {self.design_of(name) for name in self.datasets}
        return designs.pop() if len(designs) == 1 else "unknown"

    @cached_property
    def design_label(self) -> str:
        """Design with its numbers, such as "10 × 10-fold cross-validation"; of a published summary, its `label`.

        If the data sets differ in the numbers, the design without them; "several designs" if they
        differ in design.
        """
        if self.published is not None:
            return self.published.label
        labels = {self.label_of(name) for name in self.datasets}
        if len(labels) == 1:
            return labels.pop()
        return {"unknown": "several designs", "holdout": "random partitions"}.get(
            self.design, data_text(f"design.{self.design}")
        )

    @property
    def n_datasets(self) -> int:
        """Number of data sets; for a published summary, the number behind it, 0 if unknown."""
        return len(self.datasets) if self.published is None else self.published.n

    @property
    def size_label(self) -> str:
        """Number of data sets as text, "" if unknown."""
        if self.published is not None:
            return self.published.over
        return format_count(len(self.datasets), "data set")

    @cached_property
    def with_folds(self) -> tuple[str, ...]:
        """Names of data sets with more than one result of each algorithm."""
        return tuple(name for name in self.datasets if self.design_of(name) != "single")

    def label_of(self, dataset: str) -> str:
        """Return the design of one data set with its numbers, such as "10-fold cross-validation", "5 runs" or "one test set"."""
        design = self.design_of(dataset)
        repetitions, folds = self._shape(dataset)
        if design == "seeds":
            return f"{repetitions} runs"
        if design == "holdout":
            return format_count(repetitions * max(folds, 1), "random partition")
        if design == "single" and self.predictions is not None and not self.repeated_answers:
            return "one test set"
        if self.runs_averaged:
            return data_text("design.averaged runs")
        if self.repeated_answers:
            return data_text("design.answers", n=repetitions * max(folds, 1))
        if design not in ("k-fold", "r x k-fold"):
            return data_text(f"design.{design}")
        times = "" if repetitions == 1 else f"{repetitions} × "
        return f"{times}{folds}-fold cross-validation"

    def design_of(self, dataset: str) -> str:
        """Return the resampling design of one data set.

        One of "5x2", "k-fold", "r x k-fold", "leave-one-out", "holdout" (random partitions),
        "bootstrap", "common test set", "seeds" (runs that may be either of "holdout" and "common
        test set"), "single", "unknown".
        """
        repetitions, folds = self._shape(dataset)
        fraction, one_case = self._tested_on(dataset)
        if repetitions * max(folds, 1) == 1 or self.repeated_answers:
            return "single"
        if self.design_hint:
            return self.design_hint
        if folds == 0:
            return "unknown"
        if folds == 1 or (fraction is not None and abs(fraction * folds - 1) > 0.2):
            return "holdout"
        if (repetitions, folds) == (5, 2):
            return "5x2"
        if repetitions > 1:
            return "r x k-fold"
        return "leave-one-out" if one_case else "k-fold"

    @property
    def is_one_test_set(self) -> bool:
        """Whether these are results of two or more algorithms on named instances of one test set."""
        named = self.predictions is not None and "instance" in self.predictions
        if not named or len(self.datasets) != 1 or len(self.algorithms) < 2:
            return False
        return self.design_of(self.datasets[0]) in ("single", "common test set")

    @property
    def noun(self) -> str:
        """The noun for what is compared: "model" if each has one run on named instances, else "algorithm"."""
        named = self.predictions is not None and "instance" in self.predictions
        return "model" if named and self.design == "single" else "algorithm"

    def dataset_label(self, dataset: str) -> str:
        """Return a data set as named in sentences: "the test set" or "the data set" if neither the table nor its file names it."""
        if Message("data set named after file", (("name", dataset),)) not in self.notes:
            return dataset
        if self.is_one_test_set:
            return "the test set"
        return "the data set" if dataset == "results" else dataset

    @property
    def item_texts(self) -> pd.Series:
        """The beginning of each instance's text (question or prompt), by data set and instance; empty if there are none."""
        table = self.predictions
        if table is None or not {"text", "instance"} <= {*table}:
            return pd.Series(dtype=str)
        key = ["dataset", "instance"]
        rows = table[[*key, "text"]].dropna().drop_duplicates(key)
        return rows.astype({"text": str}).set_index(key)["text"]

    def test_fraction(self, dataset: str) -> float | None:
        """Return n_test / (n_train + n_test): from the sizes, else from the design, else None.

        For a bootstrap it is the share not drawn, n_test / (distinct training instances + n_test):
        1/e, or None if the sizes do not fit a test on the instances left out. A common test set has
        none: its results do not overlap as those of partitions do.
        """
        design = self.design_of(dataset)
        _, folds = self._shape(dataset)
        if design == "common test set":
            return None
        measured, _ = self._tested_on(dataset)
        if design == "bootstrap":
            fits = measured is None or any(abs(measured - share) < 0.05 for share in _LEFT_OUT)
            return exp(-1) if fits else None
        if measured is not None:
            return measured
        return 1 / folds if design in ("5x2", "k-fold", "r x k-fold", "leave-one-out") else None

    def direction(self, measure: str) -> str:
        """Return the better direction of a measure, cost or count.

        Parameters
        ----------
        measure : str
            Name, other spelling or synonym of a measure; name of a cost or count.

        Returns
        -------
        {"lower", "higher"}
            "lower" for costs, fp and fn, "higher" for tp and tn.

        Raises
        ------
        SettingError
            The results have no such measure, cost or count.
        """
        name = self.resolve_name(measure)
        if name in self.directions:
            return self.directions[name]
        return "higher" if name in ("tp", "tn") else "lower"

    def resolve_name(self, measure: str) -> str:
        """Return the name of a measure in these results, given another spelling or a synonym.

        Parameters
        ----------
        measure : str
            Such as "acc" for accuracy, or "recall" for tpr. Costs and counts go by their own names.

        Returns
        -------
        str
            Name as in `measures`, `costs` or the columns of counts.

        Raises
        ------
        SettingError
            The results have no such measure, cost or count.
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
        raise SettingError.of("no such measure", measure=measure, known=self.directions)

    def matrix(self, dataset: str, measure: str) -> pd.DataFrame:
        """Return the results of one measure on one data set.

        Parameters
        ----------
        dataset : str
            Name of the data set.
        measure : str
            Name, other spelling or synonym of a measure; name of a cost or count.

        Returns
        -------
        DataFrame, (repetition, fold) x algorithm
            In natural order; NaN if missing.

        Raises
        ------
        SettingError
            The data set or the measure is unknown.
        """
        name = self.resolve_name(measure)
        self._check_known("dataset", [dataset])
        positions, folds = self._fold_places[dataset]
        columns = pd.Index(self.algorithms, name="algorithm")
        values = self._complete[name].to_numpy().reshape(len(self.grid), len(columns))
        return pd.DataFrame(values[positions], index=folds, columns=columns)

    def averages(self, measure: str) -> pd.DataFrame:
        """Return the averages of one measure over folds.

        Parameters
        ----------
        measure : str
            Name, other spelling or synonym of a measure; name of a cost or count.

        Returns
        -------
        DataFrame, data set x algorithm
            NaN if any fold is missing. Of repeated answers, the mean of those that there are: of a
            measure that is a mean, first by instance.

        Raises
        ------
        SettingError
            The measure is unknown.
        """
        name = self.resolve_name(measure)
        values = self._complete[name]
        n_algorithms = len(self.algorithms)
        n_datasets = len(self.datasets)
        dataset_index = pd.Index(self.datasets).get_indexer(self.grid["dataset"])
        cells = np.add.outer(dataset_index * n_algorithms, np.arange(n_algorithms))
        groups = values.groupby(cells.ravel())
        means = groups.mean()
        if not self.repeated_answers:
            is_complete = groups.count() == groups.size()
            means = means.where(is_complete)
        table = pd.DataFrame(
            means.to_numpy().reshape(n_datasets, n_algorithms),
            index=pd.Index(self.datasets, name="dataset"),
            columns=pd.Index(self.algorithms, name="algorithm"),
        )
        if self.repeated_answers and name in self.measures:
            for dataset in self.datasets:
                cases = predictions.case_table(self, dataset, name)
                if cases is not None and cases.value is not None:
                    table.loc[dataset] = cases.value.mean(axis=(0, 1))
        return table

    def vectors(self, dataset: str, measures: Sequence[str]) -> np.ndarray:
        """Return the results of one data set on several measures.

        Parameters
        ----------
        dataset : str
            Name of the data set.
        measures : sequence of str
            Names as for `matrix`.

        Returns
        -------
        array, algorithm x fold x measure
            Algorithms and folds in the order of `matrix`; NaN if missing.

        Raises
        ------
        SettingError
            The data set or a measure is unknown.
        """
        layers = [self.matrix(dataset, measure).to_numpy().T for measure in measures]
        return np.stack(layers, axis=2)

    def select(
        self, datasets: Sequence[str] | None = None, algorithms: Sequence[str] | None = None
    ) -> "Results":
        """Return the results restricted to some data sets and algorithms.

        Parameters
        ----------
        datasets, algorithms : sequence of str, optional
            Names to keep, in any order; all by default.

        Returns
        -------
        Results
            This very object if nothing is dropped. Repeated selections return the same object while
            it is referenced elsewhere.

        Raises
        ------
        SettingError
            A name is unknown.
        """
        selection = {
            "dataset": frozenset(self.datasets if datasets is None else datasets),
            "algorithm": frozenset(self.algorithms if algorithms is None else algorithms),
        }
        for key, names in selection.items():
            self._check_known(key, names)
        if selection == self._name_sets:
            return self
        cache_key = tuple(selection.values())
        selected = self._selections.get(cache_key)
        if selected is None:
            selected = self._selections[cache_key] = self._selected(selection)
        return selected

    @cached_property
    def _selections(self) -> _Selections:
        return _Selections()

    def _selected(self, selection: Mapping[str, frozenset[str]]) -> "Results":
        """Return the results restricted to the selected data sets and algorithms."""
        rows = self._rows
        predictions = self.predictions
        narrowed = {key for key, names in selection.items() if names != self._name_sets[key]}
        for key in narrowed:
            rows = rows[rows[key].isin(selection[key])]
            if predictions is not None:
                predictions = predictions[predictions[key].isin(selection[key])]
        folds = self.grid
        if "dataset" in narrowed:
            folds = folds[folds["dataset"].isin(selection["dataset"])]
        undecided = self.undecided
        if undecided is not None:  # without what is dropped now
            dropped_datasets = self._name_sets["dataset"] - selection["dataset"]
            dropped_algorithms = self._name_sets["algorithm"] - selection["algorithm"]
            undecided = undecided.select(
                [name for name in undecided.datasets if name not in dropped_datasets],
                [name for name in undecided.algorithms if name not in dropped_algorithms],
            )
        return replace(
            self,
            _rows=rows.reset_index(drop=True),
            _folds=folds,
            _algorithms=tuple(name for name in self.algorithms if name in selection["algorithm"]),
            predictions=predictions,
            undecided=undecided,
            _narrowed=self._narrowed | narrowed,
        ).with_failures()

    def rename(
        self, algorithms: Mapping[str, str] | None = None, datasets: Mapping[str, str] | None = None
    ) -> "Results":
        """Return the same results with algorithms or data sets renamed; old names are recorded in `notes`.

        Parameters
        ----------
        algorithms, datasets : mapping of old to new name, optional
            New names of those to be renamed.

        Returns
        -------
        Results
            This very object if no name changes.

        Raises
        ------
        SettingError
            A name is unknown, a new name is empty or on several lines, or two would become equal.

        Examples
        --------
        >>> import pandas as pd
        >>> frame = pd.DataFrame({"algorithm": ["a", "b"], "error": [0.1, 0.2]})
        >>> Results.from_frame(frame).rename(algorithms={"a": "svm"}).algorithms
        ('b', 'svm')
        """
        return rename(
            self, {} if algorithms is None else algorithms, {} if datasets is None else datasets
        )

    @property
    def selected(self) -> dict[str, tuple[str, ...]]:
        """The names selected, by "datasets" and "algorithms"; a key is absent if none of its names was dropped."""
        names = {"dataset": self.datasets, "algorithm": self.algorithms}
        return {f"{key}s": names[key] for key in names if key in self._narrowed}

    @cached_property
    def missing(self) -> pd.DataFrame:
        """The missing results: dataset, algorithm, repetition, fold, measure, reason."""
        complete = self._complete
        measures = list(self.measures)
        rows, columns = np.nonzero(complete[measures].isna().to_numpy())
        folds, algorithms = np.divmod(rows, len(self.algorithms))
        table = self.grid[_FOLD].iloc[folds].reset_index(drop=True)
        table["algorithm"] = pd.Index(self.algorithms)[algorithms]
        table["measure"] = pd.Index(measures)[columns]
        is_present = complete.index[rows] >= 0
        is_computed = self._has_predictions(complete.iloc[rows])
        undefined = self._undefined_texts()
        reasons = []
        for present, computed, name in zip(is_present, is_computed, table["measure"], strict=True):
            if computed and name in undefined:
                reasons.append(undefined[name])
            else:
                reasons.append(NO_VALUE if present else ABSENT)
        table["reason"] = pd.Series(reasons, index=table.index, dtype=str)
        table = table[[*KEYS, "measure", "reason"]]
        return self._without_any_answer(table) if self.repeated_answers else table

    def _has_predictions(self, complete: pd.DataFrame) -> np.ndarray:
        """Return which rows have counts or another value that shows that the run did not fail."""
        columns: list[str] = []
        if set(COUNTS) <= set(complete):
            columns = list(COUNTS)
        elif self.predictions is not None:
            columns = [name for name in _DEFINED if name in complete]
        if not columns:
            return np.zeros(len(complete), dtype=bool)
        return complete[columns].notna().all(axis=1).to_numpy()

    def _undefined_texts(self) -> dict[str, str]:
        """Return the reasons why measures computed here may be undefined, by measure."""
        names = {*DERIVED}
        if self.predictions is not None:
            names |= {*_UNDEFINED}
        return {name: data_text(f"undefined.{_UNDEFINED.get(name, 'none')}") for name in names}

    @cached_property
    def runs_differ(self) -> bool:
        """Whether named instances share runs on each data set, and not every algorithm has every run.

        All instances of a run are then present or absent, and an algorithm has several runs.
        """
        predictions = self.predictions
        if predictions is None or "instance" not in predictions or self.repeated_answers:
            return False
        if any(self.design_of(name) != "common test set" for name in self.datasets):
            return False
        missing = self.missing
        return bool(len(missing)) and bool((missing["reason"] == ABSENT).all())

    def over_instances(self) -> "Results":
        """Return the results with runs as answers to each instance, which are averaged by algorithm.

        The numbers of runs may differ. Tests are then over instances, and the runs are fixed.
        """
        return replace(self, repeated_answers=True, runs_averaged=True).with_failures()

    def _without_any_answer(self, missing: pd.DataFrame) -> pd.DataFrame:
        """Return the missing results of algorithms that lack all answers of a data set."""
        lacking = {name: self.averages(name).isna() for name in missing["measure"].unique()}
        cells = missing[["measure", "dataset", "algorithm"]].itertuples(index=False, name=None)
        lacks = [bool(lacking[name].at[dataset, algorithm]) for name, dataset, algorithm in cells]
        return missing[np.array(lacks, dtype=bool)]

    def missing_of(self, measure: str) -> pd.DataFrame:
        """Return the missing results of one measure.

        Parameters
        ----------
        measure : str
            Name as in `measures`. Other names and synonyms give an empty table; see `resolve_name`.

        Returns
        -------
        DataFrame
            The rows of `missing` for this measure, with the same columns.
        """
        missing = self.missing
        return missing[missing["measure"] == measure]

    def resolve(self, choice: str, measure: str | None = None, *, baseline: str = "") -> "Results":
        """Return the results with a treatment of missing results applied and recorded in `choices`.

        Parameters
        ----------
        choice : {"drop data sets", "drop algorithms", "drop folds", "worst rank", ...}
            Drop data sets, algorithms or folds (for all algorithms) with missing results; rank
            failures last ("worst rank"); replace a missing run by the value of a baseline
            ("baseline"); compare each pair on shared results ("present"); or set 0/0 to 0 or 1
            ("undefined as 0", "undefined as 1").
        measure : str, optional
            The measure; by default the first one, which `analyse` compares unless its
            settings name another. Missing results of other measures stay as they are.
        baseline : str
            For "baseline", the algorithm whose value on the same data set and fold replaces a
            missing run; ignored otherwise.

        Returns
        -------
        Results
            With the choice recorded; this very object if nothing is missing that it applies to.

        Raises
        ------
        DataError
            Nothing would be left, at all or of a data set; the baseline lacks a run itself.
        SettingError
            Unknown choice or measure; the baseline is not one of the algorithms.
        """
        return resolve(self, choice, measure, baseline)

    def to_csv(self) -> str:
        """Return the rows, or the published summary, as CSV that `read_results` reads back to the same results.

        Names that a spreadsheet would run as formulas get an apostrophe, removed again on reading.
        Instance predictions and measures that follow from counts are not written.
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
            group = table["dataset"].map(self.groups[tag])
            table = table.assign(**{f"{tag} (group)": group})
        headers = [escape_spreadsheet_formula(self._header(name)) for name in table.columns]
        for name in table.select_dtypes(exclude="number").columns:
            table = table.assign(**{name: table[name].map(escape_spreadsheet_formula)})
        table.columns = headers
        return table.to_csv(index=False, lineterminator="\n")

    def summary(self) -> str:
        """Return one sentence on the size and content of the results."""
        parts = [format_count(len(self.algorithms), self.noun), self.design_label]
        if self.size_label:
            parts.insert(0, self.size_label)
        if self.published is not None:
            return f"Read {', '.join(parts)}."
        if self.predictions is None:
            count = format_count(self.n_rows, "result")
        else:
            count = format_count(len(self.predictions), "prediction")
        names = [measure_name(name) for name in self.measures]
        noun = "measure" if len(names) == 1 else "measures"
        text = f"Read {count}: {', '.join(parts)}; {noun} {join_names(names, 6)}"
        if self.costs:
            noun = "cost" if len(self.costs) == 1 else "costs"
            text += f"; {noun} {join_names(self.costs)}"
        return f"{text}."

    def __eq__(self, other: object) -> bool:
        """Return whether two Results have equal rows, directions, costs, design, published summary and groups."""
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
        """Rows for each fold of the grid and algorithm, indexed by row number; absent rows have index -1 and NaN."""
        labels, _ = row_checks.number_labels(self._rows, (*_FOLD, "algorithm"))
        row_of = {label: row for row, label in enumerate(labels)}
        folds, _ = row_checks.number_labels(self.grid, _FOLD)
        numbers = [row_of.get((*fold, name), -1) for fold in folds for name in self.algorithms]
        return self._rows.drop(columns=list(KEYS)).reset_index(drop=True).reindex(numbers)

    @property
    def _is_whole(self) -> bool:
        """Whether every algorithm has a value of every measure on every fold.

        Determined by counting, since keys are unique; not valid for selections.
        """
        folds = row_checks.distinct_rows(self._rows, _FOLD)
        if len(self._rows) != folds * self._rows["algorithm"].nunique():
            return False
        return not any(np.isnan(self._rows[name].to_numpy()).any() for name in self.measures)

    @cached_property
    def grid(self) -> pd.DataFrame:
        """All folds that were not dropped: one row per (dataset, repetition, fold)."""
        if self._folds is not None:
            return self._folds
        folds = self._rows[_FOLD]
        _, number = row_checks.number_labels(folds, list(folds))
        _, first_rows = np.unique(number, return_index=True)
        return folds.iloc[first_rows]

    @cached_property
    def _fold_places(self) -> dict[str, tuple[np.ndarray, pd.MultiIndex]]:
        """By data set, the positions of its folds in the grid, in natural order, and their labels."""
        position_of: dict[str, dict[tuple, int]] = {}
        labels, _ = row_checks.number_labels(self.grid, _FOLD)
        for position, (name, repetition, fold) in enumerate(labels):
            position_of.setdefault(name, {})[repetition, fold] = position
        repetitions = natural_order(self.grid["repetition"].unique())
        folds = natural_order(self.grid["fold"].unique())
        rank_of_repetition = {name: rank for rank, name in enumerate(repetitions)}
        rank_of_fold = {name: rank for rank, name in enumerate(folds)}

        @cache  # most data sets have the same folds
        def in_order(labels: tuple[tuple[str, str], ...]) -> tuple[list, pd.MultiIndex]:
            ordered = sorted(
                labels, key=lambda label: (rank_of_repetition[label[0]], rank_of_fold[label[1]])
            )
            return ordered, pd.MultiIndex.from_tuples(ordered, names=["repetition", "fold"])

        places = {}
        for name, positions in position_of.items():
            ordered, index = in_order(tuple(positions))
            places[name] = (np.array([positions[label] for label in ordered]), index)
        return places

    @property
    def planned(self) -> pd.DataFrame:
        """All folds of the experiment, including folds dropped later."""
        return self.grid if self._planned is None else self._planned

    @property
    def beside(self) -> dict[str, pd.DataFrame | None]:
        """Private tables of folds or None, by field name; `Results.rename` renames the data sets in them, too."""
        return {"_folds": self._folds, "_planned": self._planned}

    @cached_property
    def _shapes(self) -> dict[str, tuple[int, int]]:
        """By data set, the number of repetitions and of folds of each, 0 if it varies."""
        planned = self.planned
        repetitions = zip(
            planned["dataset"].to_list(), planned["repetition"].to_list(), strict=True
        )
        n_folds: dict[str, list[int]] = {}
        for (name, _), count in Counter(repetitions).items():
            n_folds.setdefault(name, []).append(count)
        shapes = {}
        for name, counts in n_folds.items():
            is_constant = len(set(counts)) == 1
            shapes[name] = (len(counts), counts[0] if is_constant else 0)
        return shapes

    def _shape(self, dataset: str) -> tuple[int, int]:
        """Return (repetitions, folds per repetition), with 0 folds if their number differs between repetitions."""
        self._check_known("dataset", [dataset])
        return self._shapes[dataset]

    @cached_property
    def _tested(self) -> dict[str, tuple[float | None, bool]]:
        """By data set with sizes: mean test fraction, and whether every test set is a single instance."""
        if not set(_SIZES) <= set(self._rows):
            return {}
        table = self._rows[["dataset", *_SIZES]].dropna()
        table["share"] = table["n_test"] / (table["n_train"] + table["n_test"])
        blocks = table.groupby("dataset", sort=False)
        mean_share = blocks["share"].mean()
        largest = blocks["n_test"].max()
        return {
            name: (float(mean_share[name]), bool(largest[name] == 1)) for name in mean_share.index
        }

    def _tested_on(self, dataset: str) -> tuple[float | None, bool]:
        return self._tested.get(dataset, (None, False))

    @cached_property
    def _name_sets(self) -> dict[str, frozenset[str]]:
        return {"dataset": frozenset(self.datasets), "algorithm": frozenset(self.algorithms)}

    def _check_known(self, key: str, names: Iterable[str]) -> None:
        unknown = [str(name) for name in names if name not in self._name_sets[key]]
        if not unknown:
            return
        if key == "dataset":
            raise SettingError.of(
                "not among results", noun="data set", unknown=unknown, known=self.datasets
            )
        raise SettingError.of(
            "not among results", noun="algorithm", unknown=unknown, known=self.algorithms
        )

    def with_rows(
        self,
        rows: pd.DataFrame,
        *,
        folds: pd.DataFrame | None = None,
        planned: pd.DataFrame | None = None,
        **details: Any,
    ) -> "Results":
        """Return the same results with other rows and changed attributes, and `failures` set anew.

        Parameters
        ----------
        rows : DataFrame
            In the columns of `frame`.
        folds, planned : DataFrame, optional
            The new `grid` and `planned`; unchanged if None.
        **details
            Other attributes of `Results`; `undecided` becomes None if it is not among them.
        """
        fold_tables = {"_folds": folds, "_planned": planned}
        details = {"undecided": None, **details}
        details |= {name: table for name, table in fold_tables.items() if table is not None}
        return replace(self, _rows=rows, **details).with_failures()

    def with_failures(self) -> "Results":
        """Return the results with `failures` set from the missing results; unchanged if a choice keeps these."""
        if self.failures in LEAVE_HOLES:
            return self
        is_selection = self._folds is not None or self._algorithms is not None
        if is_selection or self.repeated_answers:
            is_complete = self.missing.empty
        else:
            is_complete = self._is_whole
        failures = "none" if is_complete else "unresolved"
        return self if failures == self.failures else replace(self, failures=failures)

    def _header(self, name: str) -> str:
        """Return a column header from which `read_results` restores that it is a cost, or an unusual direction."""
        if name in self.costs:
            return f"{name} (cost)"
        if name in self.directions and (
            name not in MEASURES or MEASURES[name].direction != self.directions[name]
        ):
            return f"{name} ({self.directions[name]} is better)"
        return name
