"""What stands for missing cells, by the user's choice; the choice goes with the results."""

from dataclasses import replace
from typing import TYPE_CHECKING

import pandas as pd

from stats_core.core.checks import check_one_of
from stats_core.core.errors import DataError
from stats_core.core.words import count, listed
from stats_core.data.rows import KEYS

if TYPE_CHECKING:
    from stats_core.data.results import Results

CHOICES = (
    "drop data sets",
    "drop algorithms",
    "drop folds",
    "worst rank",
    "undefined as 0",
    "undefined as 1",
)
_FOLD = ["dataset", "repetition", "fold"]


def resolve(results: "Results", choice: str, measure: str | None) -> "Results":
    """Apply one of `CHOICES` to the holes of one measure, or of all; see `Results.resolve`."""
    check_one_of(choice, CHOICES, "choice")
    holes = results.missing
    if measure is not None:
        holes = holes[holes["measure"] == results.resolve_name(measure)]
    if choice.startswith("undefined"):
        return _fill_undefined(results, holes, float(choice[-1]))
    if holes.empty:
        return results
    if choice == "worst rank":
        cells = len(holes[["dataset", "algorithm"]].drop_duplicates())
        sentence = f"{count(cells, 'failed result')} ranked worst, by your choice."
        return replace(results, failures="worst rank", choices=(*results.choices, sentence))
    if choice == "drop folds":
        return _drop_folds(results, holes)
    return _drop(results, "dataset" if choice == "drop data sets" else "algorithm", holes)


def _drop(results: "Results", key: str, holes: pd.DataFrame) -> "Results":
    known = results.datasets if key == "dataset" else results.algorithms
    gone = [name for name in known if name in set(holes[key])]
    what = "data set" if key == "dataset" else "algorithm"
    if len(gone) == len(known):
        raise DataError(
            [
                f"Leaving out every {what} with a missing cell leaves nothing. "
                f"All {len(known)} have one. Choose another way."
            ]
        )
    kept = results.select(**{f"{key}s": [name for name in known if name not in set(gone)]})
    sentence = (
        f"Based on {len(known) - len(gone)} of {count(len(known), what)}: {len(gone)} left out "
        f"because of missing cells, by your choice ({listed(gone, 6)})."
    )
    return replace(kept, choices=(*results.choices, sentence)).with_failures()


def _drop_folds(results: "Results", holes: pd.DataFrame) -> "Results":
    """Leave out folds with a hole, for all algorithms; the design stays what was planned."""
    gone = pd.MultiIndex.from_frame(holes[_FOLD].drop_duplicates())
    grid, rows = results.grid, results.frame
    kept = grid[~pd.MultiIndex.from_frame(grid[_FOLD]).isin(gone)]
    lost = [name for name in results.datasets if name not in set(kept["dataset"])]
    if lost:
        raise DataError(
            [
                "Leaving out folds must leave some of every data set. "
                f"{listed(lost, 3)} would have none. Choose another way."
            ]
        )
    sentence = (
        f"Based on {len(kept):,} of {count(len(grid), 'fold')}: {len(gone)} left out for all "
        "algorithms because of missing results, by your choice."
    )
    inside = ~pd.MultiIndex.from_frame(rows[_FOLD]).isin(gone)
    predictions = results.predictions
    if predictions is not None:
        cases = pd.MultiIndex.from_frame(predictions[_FOLD].astype(str))
        predictions = predictions[~cases.isin(gone)]
    return replace(
        results,
        predictions=predictions,
        _rows=rows[inside].reset_index(drop=True),
        _folds=kept,
        _planned=results.planned,
        choices=(*results.choices, sentence),
    ).with_failures()


def _fill_undefined(results: "Results", holes: pd.DataFrame, value: float) -> "Results":
    holes = holes[holes["reason"].str.startswith("0/0")]
    if holes.empty:
        return results
    columns = results.frame.columns
    rows = results.frame.set_index(list(KEYS))
    for name, block in holes.groupby("measure"):
        rows.loc[pd.MultiIndex.from_frame(block[list(KEYS)]), name] = value
    sentence = f"{count(len(holes), 'undefined value')} (0/0) read as {value:g}, by your choice."
    return replace(
        results, _rows=rows.reset_index()[columns], choices=(*results.choices, sentence)
    ).with_failures()
