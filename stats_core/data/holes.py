"""What stands for missing cells, by the user's choice; the choice goes with the results."""

from dataclasses import replace
from typing import TYPE_CHECKING

import pandas as pd

from stats_core.core.checks import check_one_of
from stats_core.core.errors import DataError
from stats_core.core.notes import Voice, note, worded
from stats_core.core.words import count, listed
from stats_core.data.rows import KEYS

if TYPE_CHECKING:
    from stats_core.data.results import Results

UNDEFINED_AS = {"undefined as 0": 0.0, "undefined as 1": 1.0}
CHOICES = (
    "drop data sets",
    "drop algorithms",
    "drop folds",
    "worst rank",
    *UNDEFINED_AS,
)
ABOUT_HOLES = ("based on", "ranked worst", "undefined read")  # codes of notes of these choices
_LEFT_OUT = {
    "drop data sets": ("dataset", "data set"),
    "drop algorithms": ("algorithm", "algorithm"),
}
# reasons of holes that are not 0/0
ABSENT, EMPTY = "row absent", "empty"
_FOLD = ["dataset", "repetition", "fold"]


def folds_missing(holes: pd.DataFrame) -> pd.DataFrame:
    """How many folds does each algorithm lack on each data set that has holes?

    Parameters
    ----------
    holes : DataFrame
        From `Results.holes`, not empty.

    Returns
    -------
    DataFrame of int, data set x algorithm
        Only those that lack some.

    Examples
    --------
    >>> folds_missing(pd.DataFrame({"dataset": ["u", "u"], "algorithm": ["a", "a"]})).to_dict()
    {'a': {'u': 2}}
    """
    sizes = holes.groupby(["dataset", "algorithm"]).size()
    return sizes.unstack("algorithm").fillna(0).astype(int)


def resolve(results: "Results", choice: str, measure: str | None) -> "Results":
    """Apply one of `CHOICES` to the holes of one measure, or of all; see `Results.resolve`."""
    check_one_of(choice, CHOICES, "choice")
    holes = results.missing
    if measure is not None:
        holes = holes[holes["measure"] == results.resolve_name(measure)]
    said = {"choice": choice, "measure": measure}
    if choice in UNDEFINED_AS:
        return _fill_undefined(results, holes, said)
    if holes.empty:
        return results
    if choice == "worst rank":
        cells = len(holes[["dataset", "algorithm"]].drop_duplicates())
        chosen = note("ranked worst", **said, n=cells)
        return replace(results, failures="worst rank", choices=(*results.choices, chosen))
    return (_drop_folds if choice == "drop folds" else _drop)(results, holes, said)


def _drop(results: "Results", holes: pd.DataFrame, said: dict) -> "Results":
    key, what = _LEFT_OUT[said["choice"]]
    known = results.datasets if key == "dataset" else results.algorithms
    gone = [name for name in known if name in set(holes[key])]
    if len(gone) == len(known):
        raise DataError(
            [
                f"Leaving out every {what} with a missing cell leaves nothing. "
                f"All {len(known)} have one. Choose another way."
            ]
        )
    kept = results.select(**{f"{key}s": [name for name in known if name not in set(gone)]})
    chosen = note("based on", **said, kept=len(known) - len(gone), of=len(known), gone=tuple(gone))
    return replace(kept, choices=(*results.choices, chosen)).with_failures()


def _drop_folds(results: "Results", holes: pd.DataFrame, said: dict) -> "Results":
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
    chosen = note("based on", **said, kept=len(kept), of=len(grid), gone=tuple(gone))
    inside = ~pd.MultiIndex.from_frame(rows[_FOLD]).isin(gone)
    predictions = results.predictions
    if predictions is not None:
        cases = pd.MultiIndex.from_frame(predictions[_FOLD].astype(str))
        predictions = predictions[~cases.isin(gone)]
    return results.with_rows(
        rows[inside].reset_index(drop=True),
        folds=kept,
        planned=results.planned,
        predictions=predictions,
        choices=(*results.choices, chosen),
    )


def _fill_undefined(results: "Results", holes: pd.DataFrame, said: dict) -> "Results":
    value = UNDEFINED_AS[said["choice"]]
    holes = holes[~holes["reason"].isin([ABSENT, EMPTY])]
    if holes.empty:
        return results
    columns = results.frame.columns
    rows = results.frame.set_index(list(KEYS))
    for name, block in holes.groupby("measure"):
        rows.loc[pd.MultiIndex.from_frame(block[list(KEYS)]), name] = value
    chosen = note("undefined read", **said, n=len(holes))
    return results.with_rows(rows.reset_index()[columns], choices=(*results.choices, chosen))


@worded("ranked worst")
def _ranked_worst(voice: Voice, n: int, **_: object) -> str:
    return f"{count(n, 'failed result')} ranked worst, by {voice.your} choice."


@worded("based on")
def _based_on(voice: Voice, choice: str, kept: int, of: int, gone: tuple, **_: object) -> str:
    if choice == "drop folds":
        return (
            f"Based on {kept:,} of {count(of, 'fold')}: {len(gone)} left out for all "
            f"algorithms because of missing results, by {voice.your} choice."
        )
    return (
        f"Based on {kept} of {count(of, _LEFT_OUT[choice][1])}: {len(gone)} left out because of "
        f"missing cells, by {voice.your} choice ({listed(gone, 6)})."
    )


@worded("undefined read")
def _undefined_read(voice: Voice, choice: str, n: int, **_: object) -> str:
    value = UNDEFINED_AS[choice]
    return f"{count(n, 'undefined value')} (0/0) read as {value:g}, by {voice.your} choice."
