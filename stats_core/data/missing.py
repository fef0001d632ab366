"""What stands for missing cells, by the user's choice; the choice goes with the results."""

from collections.abc import Iterable
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pandas as pd

from stats_core.core.errors import DataError, SettingError
from stats_core.core.formatting import format_count, join_names
from stats_core.core.messages import Audience, Message, message, message_text
from stats_core.core.validation import check_one_of
from stats_core.data.missing_counts import ABSENT, NO_VALUE, HoleCount, count_holes
from stats_core.data.row_checks import KEYS, sort_rows

if TYPE_CHECKING:
    from stats_core.data.results import Results

UNDEFINED_AS = {"undefined as 0": 0.0, "undefined as 1": 1.0}
CHOICES = (
    "drop data sets",
    "drop algorithms",
    "drop folds",
    "worst rank",
    "baseline",
    "present",
    *UNDEFINED_AS,
)
# codes of notes of these choices
ABOUT_HOLES = ("based on", "ranked worst", "those present", "from the baseline", "undefined read")
# choices that leave holes where they are -> the code of their note; the holes are counted again
# for what is compared
LEAVE_HOLES = {"worst rank": "ranked worst", "present": "those present"}
_LEFT_OUT = {
    "drop data sets": ("dataset", "data set"),
    "drop algorithms": ("algorithm", "algorithm"),
}
_FOLD = ["dataset", "repetition", "fold"]


def resolve(
    results: "Results", choice: str, measure: str | None = None, baseline: str = ""
) -> "Results":
    """Apply one of `CHOICES` to the holes of one measure; see `Results.resolve`."""
    check_one_of(choice, CHOICES, "choice")
    name = results.resolve_name(measure) if measure else results.measures[0]
    holes = results.holes(name)
    if choice in UNDEFINED_AS:
        holes = holes[~holes["reason"].isin([ABSENT, NO_VALUE])]
    if choice == "baseline":
        _check_baseline(results, holes, baseline)
    if holes.empty:
        return results
    said = {"choice": choice, "measure": name, **results.selected}
    if choice in UNDEFINED_AS:
        found = _fill_undefined(results, holes, said)
    elif choice in LEAVE_HOLES:
        chosen = message(LEAVE_HOLES[choice], **said, holes=count_holes(results, name))
        found = replace(results, failures=choice, choices=(*results.choices, chosen))
    elif choice == "baseline":
        found = _fill_from_baseline(results, holes, said, baseline)
    else:
        found = (_drop_folds if choice == "drop folds" else _drop)(results, holes, said)
    return replace(found, undecided=results)


def update_missing_notes(results: "Results", measure: str) -> "Results":
    """Return the results with choices that speak of what is compared, and of nothing else.

    Holes that a choice left in place, and those that a baseline stands for, are counted again
    where algorithms or data sets were left out since; choices that concern nothing any more go.
    """
    choices = tuple(one for old in results.choices for one in _again(results, measure, old))
    return results if choices == results.choices else replace(results, choices=choices)


def _again(results: "Results", measure: str, chosen: Message) -> Iterable[Message]:
    values: dict[str, Any] = dict(chosen.values)
    if chosen.code in LEAVE_HOLES.values():
        holes = count_holes(results, measure)
        if holes:
            yield message(chosen.code, **{**values, "measure": holes.measure, "holes": holes})
    elif chosen.code == "from the baseline":
        inside = set(results.datasets), set(results.algorithms)
        cells = tuple(c for c in values["cells"] if c[0] in inside[0] and c[1] in inside[1])
        if cells and results.resolve_name(measure) == values["measure"]:
            total = len(results.datasets)
            yield message(chosen.code, **{**values, "cells": cells, "of_datasets": total})
    else:
        yield chosen


def _drop(results: "Results", holes: pd.DataFrame, said: dict) -> "Results":
    key, what = _LEFT_OUT[said["choice"]]
    known = results.datasets if key == "dataset" else results.algorithms
    gone = [name for name in known if name in set(holes[key])]
    if len(gone) == len(known):
        raise DataError(
            [
                f"Leaving out every {what} with a missing cell leaves nothing. "
                f"{'It has' if len(known) == 1 else f'All {len(known)} have'} one. "
                "Choose another way."
            ]
        )
    kept = results.select(**{f"{key}s": [name for name in known if name not in set(gone)]})
    chosen = message(
        "based on", **said, kept=len(known) - len(gone), of=len(known), gone=tuple(gone)
    )
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
                f"{join_names(lost, 3)} would have none. Choose another way."
            ]
        )
    chosen = message("based on", **said, kept=len(kept), of=len(grid), gone=tuple(gone))
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
    columns = results.frame.columns
    rows = results.frame.set_index(list(KEYS))
    keys = pd.MultiIndex.from_frame(holes[list(KEYS)])
    rows.loc[keys, said["measure"]] = UNDEFINED_AS[said["choice"]]
    chosen = message("undefined read", **said, n=len(holes))
    return results.with_rows(rows.reset_index()[columns], choices=(*results.choices, chosen))


def _check_baseline(results: "Results", holes: pd.DataFrame, baseline: str) -> None:
    """Refuse a baseline that is no algorithm, or that lacks results itself."""
    if baseline not in results.algorithms:
        arrived = f'"{baseline}" is none of them' if baseline else "None is named"
        raise SettingError(
            "`baseline` must be an algorithm of these results, whose value a missing run takes. "
            f"{arrived}. They have {join_names(results.algorithms, 8)}."
        )
    own = holes[holes["algorithm"] == baseline]
    if len(own):
        where = [f"{d} (fold {f})" for d, f in own[["dataset", "fold"]].itertuples(index=False)]
        raise DataError(
            [
                "A baseline needs a result in every fold of every data set. "
                f"{baseline} lacks {format_count(len(own), 'run')}: {join_names(where, 3)}. "
                "Choose another baseline, or another way."
            ]
        )


def _fill_from_baseline(
    results: "Results", holes: pd.DataFrame, said: dict, baseline: str
) -> "Results":
    """Let every missing run take the value of the baseline on the same data set and fold."""
    columns, measure = results.frame.columns, said["measure"]
    rows = results.frame.set_index(list(KEYS))
    keys = pd.MultiIndex.from_frame(holes[list(KEYS)])
    donors = pd.MultiIndex.from_frame(holes.assign(algorithm=baseline)[list(KEYS)])
    values = rows[measure].reindex(donors).to_numpy()
    rows = rows.reindex(rows.index.union(keys, sort=False))
    rows.loc[keys, measure] = values
    sizes = holes.groupby(["dataset", "algorithm"], sort=False).size()
    chosen = message(
        "from the baseline",
        **said,
        baseline=baseline,
        cells=tuple((*cell, int(n)) for cell, n in sizes.items()),
        of_datasets=len(results.datasets),
    )
    filled = sort_rows(rows.rename_axis(list(KEYS)).reset_index()[columns])
    return results.with_rows(filled, choices=(*results.choices, chosen))


@message_text("ranked worst")
def _ranked_worst(voice: Audience, holes: HoleCount, **_: object) -> str:
    return f"{holes}, ranked worst by {voice.your} choice."


@message_text("those present")
def _those_present(voice: Audience, holes: HoleCount, **_: object) -> str:
    return (
        f"{holes}, left out by {voice.your} choice: algorithms are compared on what both have. "
        "That takes for granted that results are not missing because of how they would have turned "
        "out, and runs that fail usually are."
    )


@message_text("from the baseline")
def _from_the_baseline(
    voice: Audience, baseline: str, measure: str, cells: tuple, of_datasets: int, **_: object
) -> str:
    runs = format_count(sum(n for _, _, n in cells), "missing run")
    datasets, names = (list(dict.fromkeys(cell[at] for cell in cells)) for at in (0, 1))
    where = (
        f" on {len(datasets):,} of {format_count(of_datasets, 'data set')}"
        if of_datasets > 1
        else ""
    )
    return (
        f"For {runs} of {join_names(names, 3)}{where} stands the {measure} of {baseline} on the same "
        f"data set and fold, by {voice.your} choice."
    )


@message_text("based on")
def _based_on(voice: Audience, choice: str, kept: int, of: int, gone: tuple, **_: object) -> str:
    if choice == "drop folds":
        return (
            f"Based on {kept:,} of {format_count(of, 'fold')}: {len(gone)} left out for all "
            f"algorithms because of missing results, by {voice.your} choice."
        )
    return (
        f"Based on {kept} of {format_count(of, _LEFT_OUT[choice][1])}: {len(gone)} left out because of "
        f"missing cells, by {voice.your} choice ({join_names(gone, 6)})."
    )


@message_text("undefined read")
def _undefined_read(voice: Audience, choice: str, n: int, **_: object) -> str:
    value = UNDEFINED_AS[choice]
    return f"{format_count(n, 'undefined value')} (0/0) read as {value:g}, by {voice.your} choice."
