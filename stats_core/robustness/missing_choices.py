"""Comparison of all choices about missing results."""

from collections.abc import Collection
from dataclasses import replace

import numpy as np
import pandas as pd

from stats_core.comparison.analyse import analyse
from stats_core.comparison.decide import decide
from stats_core.comparison.result import Comparison
from stats_core.core.errors import FoldwiseError
from stats_core.core.formatting import format_count, join_names
from stats_core.data.missing import HoleCount, count_holes, holes_left
from stats_core.data.results import Results
from stats_core.data.settings import Settings, select
from stats_core.inference.resolve_settings import check_settings, resolve_missing
from stats_core.report.verdict import verdict

# choice -> label, in the order shown
NAMES = {
    "drop data sets": "Leave out those data sets",
    "drop algorithms": "Leave out those algorithms",
    "drop folds": "Leave out those folds",
    "worst rank": "Missing results get the worst rank",
    "baseline": "The value of a baseline",
    "present": "Compare on what both have",
    "undefined as 0": "Read 0/0 as 0",
    "undefined as 1": "Read 0/0 as 1",
}
COLUMNS = (
    *("choice", "baseline", "data sets", "algorithms", "folds", "runs"),
    *("verdict", "leads", "separated", "decided", "decides"),
)


def hole_choices(
    results: Results, settings: Settings | None = None, *, baseline: str = ""
) -> pd.DataFrame:
    """What does each choice about missing cells leave, and does the verdict depend on it?

    Notes
    -----
    Two choices agree if they have the same leaders and the same significant pairs, with the same
    direction, among the algorithms that both compare. To try all choices and to report the one
    that suits is not a test at that level any more.

    References
    ----------
    Gijsbers et al., JMLR 25 (2024), give failed runs the value of a constant predictor; McElfresh
    et al., NeurIPS 36 (2023), rank those present.

    Examples
    --------
    >>> rows = [(f"d{i}", a, i / 50 + j / 10) for i in range(8) for j, a in enumerate("abc")]
    >>> table = pd.DataFrame(rows[:-1], columns=["dataset", "algorithm", "error"])
    >>> found = hole_choices(Results.from_frame(table))
    >>> found.loc[found["choice"] == "drop data sets", "data sets"].item()
    7
    """
    settings = check_settings(results, settings or Settings())
    selected = select(results, settings)
    measures = settings.measures or (settings.measure,)
    holes = holes_left(selected, measures)
    if not holes:
        return pd.DataFrame(columns=list(COLUMNS))
    rows, comparisons = [], []
    for choice, used_baseline in _looked_at(selected, settings, holes, baseline):
        row, comparison = _under(results, settings, choice, used_baseline)
        rows.append(row)
        comparisons.append(comparison)
    table = pd.DataFrame(rows, columns=list(COLUMNS[:-1]))
    return table.assign(decides=_numbered(comparisons))


def describe_missing_choices(table: pd.DataFrame) -> str:
    """Return whether the verdict depends on the choice, from the table of `hole_choices`.

    Examples
    --------
    >>> describe_missing_choices(pd.DataFrame({"decided": [True, True], "decides": [1, 1], "leads": ["a", "a"]}))
    'The 2 choices that can be compared decide the same.'
    """
    decided = table[table["decided"].astype(bool)]
    if len(decided) < 2:
        return "Fewer than two choices give a verdict, so there is nothing to hold it against."
    subject = f"The {len(decided)} choices that can be compared"
    if decided["decides"].nunique() == 1:
        return f"{subject} decide the same."
    test_note = _other_test(decided)
    if decided["leads"].nunique() == 1 and decided["leads"].iloc[0]:
        return (
            f"{subject} agree on who is not separated from the best, but not on which pairs are "
            f"separated.{test_note}"
        )
    disagreement = (
        "on who is not separated from the best"
        if decided["leads"].any()
        else "on which pairs are separated"
    )
    subject = f"{subject[0].lower()}{subject[1:]}"
    return f"The verdict depends on the choice: {subject} do not agree {disagreement}.{test_note}"


def _other_test(decided: pd.DataFrame) -> str:
    """Return a sentence if one choice uses another test, else ""."""
    if "choice" not in decided or not (decided["choice"] == "present").any():
        return ""
    return (
        " Comparing on what both have goes by a test of its own (Wilcoxon, Holm), which alone can "
        "separate other pairs."
    )


def describe_remainder(row: pd.Series) -> str:
    """Return what one choice leaves, from a row of `hole_choices`.

    Examples
    --------
    >>> describe_remainder(pd.Series({"data sets": 7, "algorithms": 3, "folds": 70, "runs": 210}))
    '7 data sets, 3 algorithms, 70 folds, 210 results'
    """
    if not row["runs"]:
        return "nothing"
    nouns = {"data sets": "data set", "algorithms": "algorithm", "folds": "fold", "runs": "result"}
    if row["folds"] == row["data sets"]:  # one number per cell
        del nouns["folds"]
    return ", ".join(format_count(int(row[key]), noun) for key, noun in nouns.items())


def other_choices(
    before: Results, settings: Settings, made: Collection[str]
) -> list[tuple[str, str]]:
    """Return the choices that were not made, each with its baseline ("" if none)."""
    settings = check_settings(before, settings)
    selected = select(before, settings)
    holes = holes_left(selected, settings.measures or (settings.measure,))
    candidates = _looked_at(selected, settings, holes, "") if holes else []
    return [(choice, baseline) for choice, baseline in candidates if choice not in made]


def under_choice(
    before: Results, settings: Settings, choice: str, baseline: str = ""
) -> Comparison:
    """Return the analysis under one choice about missing results."""
    return analyse(_left_by(before, settings, choice, baseline), settings)


def _looked_at(
    selected: Results, settings: Settings, holes: list[HoleCount], baseline: str
) -> list[tuple[str, str]]:
    """Return the applicable choices, each with its baseline.

    Leaving out folds needs folds, and reading 0/0 as a number needs undefined values.
    """
    folds, undefined = bool(selected.with_folds), any(hole.undefined for hole in holes)
    baseline = baseline or _weakest(selected, settings.measure)
    applicable = {
        "drop folds": folds,
        "undefined as 0": undefined,
        "undefined as 1": undefined,
        "baseline": bool(baseline),
    }
    choices = [choice for choice in NAMES if applicable.get(choice, True)]
    return [(choice, baseline if choice == "baseline" else "") for choice in choices]


def _weakest(results: Results, measure: str) -> str:
    """Return the complete algorithm with the worst mean rank; "" if none is complete."""
    incomplete = set(count_holes(results, measure).algorithms)
    complete = [name for name in results.algorithms if name not in incomplete]
    if not complete:
        return ""
    higher = results.direction(measure) == "higher"
    ranks = results.averages(measure)[complete].rank(axis=1, ascending=not higher).mean()
    return str(ranks.index[int(np.argmax(ranks.to_numpy()))])


def _under(
    results: Results, settings: Settings, choice: str, baseline: str
) -> tuple[dict, Comparison | None]:
    """Return the table row of one choice and its comparison, None if not possible."""
    row: dict = {"choice": choice, "baseline": baseline, "leads": "", "decided": False}
    row |= {"data sets": 0, "algorithms": 0, "folds": 0, "runs": 0, "separated": 0}
    try:
        remaining = _left_by(results, settings, choice, baseline)
        row |= _left(remaining, settings)
        comparison = analyse(remaining, settings)
    except FoldwiseError as error:
        return row | {"verdict": str(error)}, None
    row |= {"verdict": verdict(comparison).headline, "separated": decide(comparison).separated}
    if comparison.obstacle or comparison.kind == "untested":
        return row, None
    return row | {"decided": True, "leads": join_names(_leaders(comparison), 6)}, comparison


def _left_by(results: Results, settings: Settings, choice: str, baseline: str) -> Results:
    """Return the results under a choice; a baseline that is not compared is removed."""
    resolved = resolve_missing(results, settings, choice, baseline)
    removed_from_pair = set(settings.pair) - set(resolved.algorithms)
    return resolved if removed_from_pair else select(resolved, replace(settings, dataset=""))


def _left(remaining: Results, settings: Settings) -> dict:
    counts = [count_holes(remaining, name) for name in settings.measures or (settings.measure,)]
    return {
        "data sets": len(remaining.datasets),
        "algorithms": len(remaining.algorithms),
        "folds": len(remaining.grid),
        "runs": min(count.of_runs - count.runs for count in counts),
    }


def _numbered(comparisons: list[Comparison | None]) -> list[int]:
    """Return equal numbers for comparisons with equal decisions, 0 for None."""
    numbers = [0] * len(comparisons)
    first: list[Comparison] = []
    indexed = [
        (i, comparison) for i, comparison in enumerate(comparisons) if comparison is not None
    ]
    # largest comparisons first: one of few algorithms can agree with two that disagree
    for i, comparison in sorted(indexed, key=lambda pair: -len(pair[1].order)):
        group_index = next(
            (n for n, known in enumerate(first) if _agree(known, comparison)), len(first)
        )
        first += [comparison] if group_index == len(first) else []
        numbers[i] = group_index + 1
    return numbers


def _leaders(comparison: Comparison) -> tuple[str, ...]:
    """Return the first algorithm and all not separated from it; none with a control."""
    return () if comparison.settings.control else decide(comparison).near


def _agree(first: Comparison, second: Comparison) -> bool:
    """Return whether leaders and significant pairs agree among algorithms of both."""
    shared_names = [name for name in first.order if name in second.order]
    beats = [comparison.beats.loc[shared_names, shared_names] for comparison in (first, second)]
    return set(_leaders(first)) == set(_leaders(second)) and beats[0].equals(beats[1])
