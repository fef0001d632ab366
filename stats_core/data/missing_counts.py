"""Counts and lists of missing results."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from stats_core.core.formatting import format_count, join_names

if TYPE_CHECKING:
    from stats_core.data.results import Results

# reasons of missing results that are not 0/0
ABSENT, NO_VALUE = "row absent", "no value"
_LISTED_FOLDS = 10


@dataclass(frozen=True, slots=True, kw_only=True)
class HoleCount:
    """Counts of the missing results of one measure among what is compared.

    Attributes
    ----------
    measure : str
    runs, of_runs : int
        Runs (algorithm x data set x fold) without a value, and all planned runs.
    cells, of_cells : int
        The same for cells (algorithm x data set); a cell has no average if any run is missing.
    datasets, of_datasets : int
        Data sets with a missing result, and all data sets.
    algorithms : tuple of str
        Algorithms with a missing run.
    undefined : int
        Runs whose value is 0/0; the others failed or have no value.
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
        """Return "48 runs of rf on 12 of 39 data sets have no auc: 12 of 273 cells"."""
        single = self.of_runs == self.of_cells
        names = join_names(self.algorithms, 3)
        subject = names if single else f"{format_count(self.runs, 'run')} of {names}"
        verb = "has" if (len(self.algorithms) if single else self.runs) == 1 else "have"
        extent = ""
        total = f"{self.runs:,} of {format_count(self.of_runs, 'run')}"
        if self.of_datasets > 1:
            extent = f" on {self.datasets:,} of {format_count(self.of_datasets, 'data set')}"
            total = f"{self.cells:,} of {format_count(self.of_cells, 'cell')}"
        return f"{subject}{extent} {verb} {self._lacking()}: {total}"

    def _lacking(self) -> str:
        if self.undefined == self.runs:
            return f"an undefined {self.measure} (0/0)"
        if not self.undefined:
            return f"no {self.measure}"
        failed = self.runs - self.undefined
        return f"no {self.measure} ({failed:,} failed or absent, {self.undefined:,} undefined, 0/0)"


def count_holes(results: "Results", measure: str = "") -> HoleCount:
    """Return the counts of missing results of one measure.

    Examples
    --------
    >>> import pandas as pd
    >>> from stats_core.data.results import Results
    >>> table = pd.DataFrame({"dataset": list("uuuuvvvv"), "algorithm": list("aabb") * 2,
    ...                       "fold": list("12") * 4, "error": [0.1, 0.2, None, None] + [0.1] * 4})
    >>> print(count_holes(Results.from_frame(table)))
    2 runs of b on 1 of 2 data sets have no error: 1 of 4 cells
    """
    name = results.resolve_name(measure or results.measures[0])
    missing = results.holes(name)
    algorithms, datasets = len(results.algorithms), len(results.datasets)
    incomplete = set(missing["algorithm"])
    return HoleCount(
        measure=name,
        runs=len(missing),
        of_runs=len(results.grid) * algorithms,
        cells=len(missing[["dataset", "algorithm"]].drop_duplicates()),
        of_cells=datasets * algorithms,
        datasets=missing["dataset"].nunique(),
        of_datasets=datasets,
        algorithms=tuple(algorithm for algorithm in results.algorithms if algorithm in incomplete),
        undefined=int((~missing["reason"].isin([ABSENT, NO_VALUE])).sum()),
    )


def holes_left(results: "Results", measures: Iterable[str]) -> list[HoleCount]:
    """Return the counts of each measure with missing results."""
    if results.missing.empty:
        return []
    return [counts for name in measures if (counts := count_holes(results, name))]


def list_holes(results: "Results", measure: str = "") -> pd.DataFrame:
    """Return the missing results, one row per data set and algorithm.

    Examples
    --------
    >>> import pandas as pd
    >>> from stats_core.data.results import Results
    >>> table = pd.DataFrame({"dataset": "u", "algorithm": list("aabb"), "fold": list("1212"),
    ...                       "error": [0.1, 0.2, None, None]})
    >>> list_holes(Results.from_frame(table)).iloc[0].tolist()
    ['u', 'b', '2 of 2', 'all', 'no value']
    """
    missing = results.holes(results.resolve_name(measure or results.measures[0]))
    planned = results.grid.groupby("dataset").size()
    repeated = results.grid["repetition"].nunique() > 1
    rows = [
        {
            "data set": dataset,
            "algorithm": algorithm,
            "missing": f"{len(block):,} of {planned[dataset]:,}",
            "folds": _folds(block, repeated) if len(block) < planned[dataset] else "all",
            "why": join_names(list(block["reason"].unique()), 3),
        }
        for (dataset, algorithm), block in missing.groupby(["dataset", "algorithm"], sort=False)
    ]
    columns = ["data set", "algorithm", "missing", "folds", "why"]
    table = pd.DataFrame(rows, columns=columns, dtype=object)
    orders = (pd.Index(results.datasets), pd.Index(results.algorithms))
    first, second = (
        order.get_indexer(table[column]) for order, column in zip(orders, columns, strict=False)
    )
    table = table.iloc[np.lexsort((second, first))].reset_index(drop=True)
    return table if (planned > 1).any() else table.drop(columns="folds")


def _folds(block: pd.DataFrame, repeated: bool) -> str:
    """Return the fold names: "2, 5", or with their repetition "1/2, 1/5"."""
    names = list(block["fold"])
    if repeated:
        names = [f"{r}/{f}" for r, f in zip(block["repetition"], names, strict=True)]
    more = len(names) - _LISTED_FOLDS
    listed = ", ".join(names[:_LISTED_FOLDS])
    return f"{listed} and {more:,} more" if more > 0 else listed
