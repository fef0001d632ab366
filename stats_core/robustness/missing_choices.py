"""Every way to decide about missing cells: what it leaves, and what is then decided."""

from collections.abc import Collection
from dataclasses import replace

import numpy as np
import pandas as pd

from stats_core.comparison.analyse import analyse
from stats_core.comparison.decide import decide
from stats_core.comparison.result import Comparison
from stats_core.comparison.verdict import verdict
from stats_core.core.errors import FoldwiseError
from stats_core.core.formatting import format_count, join_names
from stats_core.data.missing_counts import HoleCount, count_holes, holes_left
from stats_core.data.results import Results
from stats_core.data.settings import Settings, select
from stats_core.inference.resolve_settings import check_settings, resolve_missing

# choices that are looked at -> how they are named, in the order in which they are shown
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
    Two choices decide the same if they name the same leaders and the same pairs, with the same
    side, among the algorithms that both compare. To look at all of them and to report the one
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
    kept = select(results, settings)
    measures = settings.measures or (settings.measure,)
    holes = holes_left(kept, measures)
    if not holes:
        return pd.DataFrame(columns=list(COLUMNS))
    rows, found = [], []
    for choice, named in _looked_at(kept, settings, holes, baseline):
        row, comparison = _under(results, settings, choice, named)
        rows.append(row)
        found.append(comparison)
    table = pd.DataFrame(rows, columns=list(COLUMNS[:-1]))
    return table.assign(decides=_numbered(found))


def describe_missing_choices(table: pd.DataFrame) -> str:
    """Say whether the verdict depends on the choice, from what `hole_choices` gives.

    Examples
    --------
    >>> describe_missing_choices(pd.DataFrame({"decided": [True, True], "decides": [1, 1], "leads": ["a", "a"]}))
    'The 2 choices that can be compared decide the same.'
    """
    decided = table[table["decided"].astype(bool)]
    if len(decided) < 2:
        return "Fewer than two choices give a verdict, so there is nothing to hold it against."
    which = f"The {len(decided)} choices that can be compared"
    if decided["decides"].nunique() == 1:
        return f"{which} decide the same."
    other = _other_test(decided)
    if decided["leads"].nunique() == 1 and decided["leads"].iloc[0]:
        return (
            f"{which} agree on who is not separated from the best, but not on which pairs are "
            f"separated.{other}"
        )
    what = (
        "on who is not separated from the best"
        if decided["leads"].any()
        else "on which pairs are separated"
    )
    which = f"{which[0].lower()}{which[1:]}"
    return f"The verdict depends on the choice: {which} do not agree {what}.{other}"


def _other_test(decided: pd.DataFrame) -> str:
    """Say that one choice goes by another test, where others decide otherwise."""
    if "choice" not in decided or not (decided["choice"] == "present").any():
        return ""
    return (
        " Comparing on what both have goes by a test of its own (Wilcoxon, Holm), which alone can "
        "separate other pairs."
    )


def describe_remainder(row: pd.Series) -> str:
    """Say what one choice leaves, from a row of `hole_choices`.

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
    """Return the choices that were not made, each with its baseline, "" for other choices."""
    settings = check_settings(before, settings)
    kept = select(before, settings)
    holes = holes_left(kept, settings.measures or (settings.measure,))
    found = _looked_at(kept, settings, holes, "") if holes else []
    return [(choice, baseline) for choice, baseline in found if choice not in made]


def under_choice(
    before: Results, settings: Settings, choice: str, baseline: str = ""
) -> Comparison:
    """Return the analysis under one choice about missing cells."""
    return analyse(_left_by(before, settings, choice, baseline), settings)


def _looked_at(
    kept: Results, settings: Settings, holes: list[HoleCount], baseline: str
) -> list[tuple[str, str]]:
    """Return the choices that mean something, each with its baseline.

    Folds are left out where there are some, 0/0 is read as a number where it occurs.
    """
    folds, undefined = bool(kept.with_folds), any(one.undefined for one in holes)
    baseline = baseline or _weakest(kept, settings.measure)
    means = {
        "drop folds": folds,
        "undefined as 0": undefined,
        "undefined as 1": undefined,
        "baseline": bool(baseline),
    }
    chosen = [choice for choice in NAMES if means.get(choice, True)]
    return [(choice, baseline if choice == "baseline" else "") for choice in chosen]


def _weakest(kept: Results, measure: str) -> str:
    """Return the algorithm with the worst mean rank of those that lack no run; "" if all do."""
    lacking = set(count_holes(kept, measure).algorithms)
    whole = [name for name in kept.algorithms if name not in lacking]
    if not whole:
        return ""
    higher = kept.direction(measure) == "higher"
    ranks = kept.averages(measure)[whole].rank(axis=1, ascending=not higher).mean()
    return str(ranks.index[int(np.argmax(ranks.to_numpy()))])


def _under(
    results: Results, settings: Settings, choice: str, baseline: str
) -> tuple[dict, Comparison | None]:
    """Return what one choice leaves and decides, and the comparison, None where there is none."""
    row: dict = {"choice": choice, "baseline": baseline, "leads": "", "decided": False}
    row |= {"data sets": 0, "algorithms": 0, "folds": 0, "runs": 0, "separated": 0}
    try:
        left = _left_by(results, settings, choice, baseline)
        row |= _left(left, settings)
        comparison = analyse(left, settings)
    except FoldwiseError as error:
        return row | {"verdict": str(error)}, None
    row |= {"verdict": verdict(comparison).headline, "separated": decide(comparison).separated}
    if comparison.obstacle or comparison.kind == "untested":
        return row, None
    return row | {"decided": True, "leads": join_names(_leaders(comparison), 6)}, comparison


def _left_by(results: Results, settings: Settings, choice: str, baseline: str) -> Results:
    """Return what a choice leaves; a baseline that is not compared goes when it has served."""
    found = resolve_missing(results, settings, choice, baseline)
    gone = set(settings.pair) - set(found.algorithms)
    return found if gone else select(found, replace(settings, dataset=""))


def _left(left: Results, settings: Settings) -> dict:
    counts = [count_holes(left, name) for name in settings.measures or (settings.measure,)]
    return {
        "data sets": len(left.datasets),
        "algorithms": len(left.algorithms),
        "folds": len(left.grid),
        "runs": min(one.of_runs - one.runs for one in counts),
    }


def _numbered(found: list[Comparison | None]) -> list[int]:
    """Return the same number for comparisons that decide the same, 0 for none."""
    numbers = [0] * len(found)
    first: list[Comparison] = []
    known = [(i, one) for i, one in enumerate(found) if one is not None]
    # those that compare most come first: one of few can agree with two that do not agree
    for i, comparison in sorted(known, key=lambda pair: -len(pair[1].order)):
        same = next((n for n, one in enumerate(first) if _agree(one, comparison)), len(first))
        first += [comparison] if same == len(first) else []
        numbers[i] = same + 1
    return numbers


def _leaders(comparison: Comparison) -> tuple[str, ...]:
    """Return the first and all not separated from it; nobody where all meet a control."""
    return () if comparison.settings.control else decide(comparison).near


def _agree(one: Comparison, other: Comparison) -> bool:
    """Tell whether both name the same leaders, and the same pairs of those that both compare."""
    both = [name for name in one.order if name in other.order]
    beats = [comparison.beats.loc[both, both] for comparison in (one, other)]
    return set(_leaders(one)) == set(_leaders(other)) and beats[0].equals(beats[1])
