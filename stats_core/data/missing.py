"""Missing results: counts, lists and treatments; the chosen treatment is recorded in the results."""

import itertools
from collections.abc import Iterable
from dataclasses import dataclass, fields, replace
from typing import TYPE_CHECKING, Any, Literal

import pandas as pd

from stats_core.core.errors import DataError, SettingError
from stats_core.core.formatting import join_names
from stats_core.core.messages import Message, message
from stats_core.core.result_types import cached
from stats_core.core.validation import check_one_of
from stats_core.data import data_text, row_checks
from stats_core.data.row_checks import KEYS

if TYPE_CHECKING:
    from stats_core.data.results import Results


# reasons of missing results that are not 0/0
ABSENT = "row absent"
NO_VALUE = "no value"
_LISTED_FOLDS = 10


@dataclass(frozen=True, slots=True, kw_only=True)
class HoleCount:
    """Counts of the missing results of one measure among the compared results.

    Attributes
    ----------
    measure : str
        The measure.
    runs, of_runs : int
        Numbers of runs (algorithm x data set x fold) without a value, and of all planned runs.
    cells, of_cells : int
        The same for cells (algorithm x data set); a cell has no average if any run is missing.
    datasets, of_datasets : int
        Numbers of data sets with a missing result, and of all data sets.
    algorithms : tuple of str
        Algorithms with a missing run.
    undefined : int
        Number of runs whose value is 0/0; the remaining ones failed or have no value.
    """

    measure: str
    runs: int
    of_runs: int
    cells: int
    of_cells: int
    datasets: int
    of_datasets: int
    algorithms: tuple[str, ...]
    undefined: int

    def __bool__(self) -> bool:
        """Return whether any result is missing."""
        return self.runs > 0

    def __str__(self) -> str:
        """Return "48 AUC values of rf are missing on 12 of 39 data sets (12 of 273 cells)"."""
        values = {field.name: getattr(self, field.name) for field in fields(self)}
        return data_text("missing.count", **values)


@cached
def count_missing(results: "Results", measure: str = "") -> HoleCount:
    """Return the counts of missing results of one measure, the first one by default.

    Examples
    --------
    >>> import pandas as pd
    >>> from stats_core.data.results import Results
    >>> table = pd.DataFrame({"dataset": list("uuuuvvvv"), "algorithm": list("aabb") * 2,
    ...                       "fold": list("12") * 4, "error": [0.1, 0.2, None, None] + [0.1] * 4})
    >>> print(count_missing(Results.from_frame(table)))
    2 error values of b are missing on 1 of 2 data sets (1 of 4 cells)
    """
    name = results.resolve_name(measure or results.measures[0])
    missing = results.missing_of(name)
    n_algorithms = len(results.algorithms)
    n_datasets = len(results.datasets)
    incomplete = set(missing["algorithm"])
    is_undefined = ~missing["reason"].isin([ABSENT, NO_VALUE])
    return HoleCount(
        measure=name,
        runs=len(missing),
        of_runs=len(results.grid) * n_algorithms,
        cells=len(missing[["dataset", "algorithm"]].drop_duplicates()),
        of_cells=n_datasets * n_algorithms,
        datasets=missing["dataset"].nunique(),
        of_datasets=n_datasets,
        algorithms=tuple(algorithm for algorithm in results.algorithms if algorithm in incomplete),
        undefined=int(is_undefined.sum()),
    )


def remaining_missing(results: "Results", measures: Iterable[str]) -> list[HoleCount]:
    """Return the counts of missing results for each measure that has any, [] if none has."""
    if results.missing.empty:
        return []
    counts = [count_missing(results, name) for name in measures]
    return [count for count in counts if count.runs > 0]


def missing_table(results: "Results", measure: str = "") -> pd.DataFrame:
    """Return the missing results of one measure (default: the first), one row per data set and algorithm with any.

    Columns: data set, algorithm, missing ("2 of 5"), folds (unless every data set has a single
    fold), why.

    Examples
    --------
    >>> import pandas as pd
    >>> from stats_core.data.results import Results
    >>> table = pd.DataFrame({"dataset": "u", "algorithm": list("aabb"), "fold": list("1212"),
    ...                       "error": [0.1, 0.2, None, None]})
    >>> missing_table(Results.from_frame(table)).iloc[0].tolist()
    ['u', 'b', '2 of 2', 'all', 'no value']
    """
    missing = results.missing_of(results.resolve_name(measure or results.measures[0]))
    n_folds = results.grid.groupby("dataset").size()
    has_repetitions = results.grid["repetition"].nunique() > 1
    of_cell = dict(iter(missing.groupby(["dataset", "algorithm"], sort=False)))
    rows = []
    for dataset, algorithm in itertools.product(results.datasets, results.algorithms):
        if (dataset, algorithm) not in of_cell:
            continue
        block = of_cell[dataset, algorithm]
        planned = n_folds[dataset]
        row = {
            "data set": dataset,
            "algorithm": algorithm,
            "missing": f"{len(block):,} of {planned:,}",
            "folds": _folds(block, has_repetitions) if len(block) < planned else "all",
            "why": join_names(list(block["reason"].unique()), 3),
        }
        rows.append(row)
    columns = ["data set", "algorithm", "missing", "folds", "why"]
    table = pd.DataFrame(rows, columns=columns, dtype=object)
    return table if (n_folds > 1).any() else table.drop(columns="folds")


def _folds(block: pd.DataFrame, repeated: bool) -> str:
    """Return fold names as text, "2, 5" or with repetitions "1/2, 1/5"; ten at most, then "and 3 more"."""
    names = list(block["fold"])
    if repeated:
        names = [f"{r}/{f}" for r, f in zip(block["repetition"], names, strict=True)]
    listed = ", ".join(names[:_LISTED_FOLDS])
    n_more = len(names) - _LISTED_FOLDS
    return f"{listed} and {n_more:,} more" if n_more > 0 else listed


_UNDEFINED_AS = {"undefined as 0": 0.0, "undefined as 1": 1.0}
CHOICES = (
    "drop data sets",
    "drop algorithms",
    "drop folds",
    "worst rank",
    "baseline",
    "present",
    *_UNDEFINED_AS,
)
Missing = Literal[
    "raise",
    "drop data sets",
    "drop algorithms",
    "drop folds",
    "worst rank",
    "present",
    "undefined as 0",
    "undefined as 1",
]  # those that need no other name
# codes of the notes that record these choices
ABOUT_HOLES = ("based on", "ranked worst", "those present", "from the baseline", "undefined read")
# choices that keep missing results -> code of their note; missing results are counted again
# for the results that are compared
LEAVE_HOLES = {"worst rank": "ranked worst", "present": "those present"}
_LEFT_OUT = {
    "drop data sets": ("dataset", "data set"),
    "drop algorithms": ("algorithm", "algorithm"),
}
_FOLD = ["dataset", "repetition", "fold"]


def resolve(
    results: "Results", choice: str, measure: str | None = None, baseline: str = ""
) -> "Results":
    """Return the results with a treatment in `CHOICES` applied to one measure; see `Results.resolve`."""
    check_one_of(choice, CHOICES, "choice")
    name = results.measures[0] if measure is None else results.resolve_name(measure)
    missing = results.missing_of(name)
    if choice in _UNDEFINED_AS:
        missing = missing[~missing["reason"].isin([ABSENT, NO_VALUE])]
    if choice == "baseline":
        _check_baseline(results, missing, baseline)
    if missing.empty:
        return results
    values = {"choice": choice, "measure": name, **results.selected}
    if choice in _UNDEFINED_AS:
        resolved = _fill_undefined(results, missing, values)
    elif choice in LEAVE_HOLES:
        note = message(LEAVE_HOLES[choice], **values, holes=count_missing(results, name))
        resolved = replace(results, failures=choice, choices=(*results.choices, note))
    elif choice == "baseline":
        resolved = _fill_from_baseline(results, missing, values, baseline)
    elif choice == "drop folds":
        resolved = _drop_folds(results, missing, values)
    else:
        resolved = _drop(results, missing, values)
    return replace(resolved, undecided=results)


def update_missing_notes(results: "Results", measure: str) -> "Results":
    """Return the results with `choices` on missing results updated for the compared results and measure.

    Missing results that were kept or filled from a baseline are counted again
    after algorithms or data sets were dropped; choices that no longer apply are removed.
    """
    choices: list[Message] = []
    for note in results.choices:
        choices += _again(results, measure, note)
    if tuple(choices) == results.choices:
        return results
    return replace(results, choices=tuple(choices))


def _again(results: "Results", measure: str, note: Message) -> Iterable[Message]:
    """Yield a note, with counts restricted to the compared results; yield nothing if it no longer applies."""
    values: dict[str, Any] = dict(note.values)
    if note.code in LEAVE_HOLES.values():
        count = count_missing(results, measure)
        if count:
            yield message(note.code, **{**values, "measure": count.measure, "holes": count})
    elif note.code == "from the baseline":
        cells = [
            cell
            for cell in values["cells"]
            if cell[0] in results.datasets and cell[1] in results.algorithms
        ]
        if cells and results.resolve_name(measure) == values["measure"]:
            n_datasets = len(results.datasets)
            restricted = {**values, "cells": tuple(cells), "of_datasets": n_datasets}
            yield message(note.code, **restricted)
    else:
        yield note


def _drop(results: "Results", missing: pd.DataFrame, values: dict) -> "Results":
    """Return the results without data sets or algorithms that lack a result; DataError if none would be left."""
    key, label = _LEFT_OUT[values["choice"]]
    names = results.datasets if key == "dataset" else results.algorithms
    incomplete = set(missing[key])
    dropped = [name for name in names if name in incomplete]
    retained = [name for name in names if name not in incomplete]
    if not retained:
        raise DataError.of("nothing left", noun=label, n=len(names))
    remaining = results.select(**{f"{key}s": retained})
    note = message("based on", **values, kept=len(retained), of=len(names), gone=tuple(dropped))
    return replace(remaining, choices=(*results.choices, note)).with_failures()


def _drop_folds(results: "Results", missing: pd.DataFrame, values: dict) -> "Results":
    """Return the results without the folds on which an algorithm lacks a result; the design does not change.

    Raise DataError if a data set keeps no fold.
    """
    dropped = pd.MultiIndex.from_frame(missing[_FOLD].drop_duplicates())
    grid = results.grid
    rows = results.frame
    remaining = grid[~pd.MultiIndex.from_frame(grid[_FOLD]).isin(dropped)]
    emptied = [name for name in results.datasets if name not in set(remaining["dataset"])]
    if emptied:
        raise DataError.of("no folds left", names=emptied)
    note = message("based on", **values, kept=len(remaining), of=len(grid), gone=tuple(dropped))
    retained = ~pd.MultiIndex.from_frame(rows[_FOLD]).isin(dropped)
    predictions = results.predictions
    if predictions is not None:
        prediction_folds = pd.MultiIndex.from_frame(predictions[_FOLD].astype(str))
        predictions = predictions[~prediction_folds.isin(dropped)]
    return results.with_rows(
        rows[retained].reset_index(drop=True),
        folds=remaining,
        planned=results.planned,
        predictions=predictions,
        choices=(*results.choices, note),
    )


def _fill_undefined(results: "Results", missing: pd.DataFrame, values: dict) -> "Results":
    columns = results.frame.columns
    rows = results.frame.set_index(list(KEYS))
    keys = pd.MultiIndex.from_frame(missing[list(KEYS)])
    rows.loc[keys, values["measure"]] = _UNDEFINED_AS[values["choice"]]
    note = message("undefined read", **values, n=len(missing))
    return results.with_rows(rows.reset_index()[columns], choices=(*results.choices, note))


def _check_baseline(results: "Results", missing: pd.DataFrame, baseline: str) -> None:
    """Raise SettingError if the baseline is not an algorithm, DataError if it has missing results itself."""
    if baseline not in results.algorithms:
        raise SettingError.of("no baseline", baseline=baseline, known=results.algorithms)
    baseline_missing = missing[missing["algorithm"] == baseline]
    if len(baseline_missing):
        locations = [
            f"{d} (fold {f})"
            for d, f in baseline_missing[["dataset", "fold"]].itertuples(index=False)
        ]
        raise DataError.of("baseline incomplete", baseline=baseline, runs=locations)


def _fill_from_baseline(
    results: "Results", missing: pd.DataFrame, record: dict, baseline: str
) -> "Results":
    """Return the results with missing values replaced by the baseline's on the same data set and fold."""
    columns = results.frame.columns
    measure = record["measure"]
    rows = results.frame.set_index(list(KEYS))
    keys = pd.MultiIndex.from_frame(missing[list(KEYS)])
    donors = pd.MultiIndex.from_frame(missing.assign(algorithm=baseline)[list(KEYS)])
    values = rows[measure].reindex(donors).to_numpy()
    rows = rows.reindex(rows.index.union(keys, sort=False))
    rows.loc[keys, measure] = values
    sizes = missing.groupby(["dataset", "algorithm"], sort=False).size()
    note = message(
        "from the baseline",
        **record,
        baseline=baseline,
        cells=tuple((*cell, int(n)) for cell, n in sizes.items()),
        of_datasets=len(results.datasets),
    )
    filled = row_checks.sort_rows(rows.rename_axis(list(KEYS)).reset_index()[columns])
    return results.with_rows(filled, choices=(*results.choices, note))
