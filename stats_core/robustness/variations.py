"""One change to an analysis at a time: other settings, measures, treatments of missing results."""

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np
import pandas as pd

from stats_core.comparison.analyse import analyse
from stats_core.comparison.decide import decide
from stats_core.comparison.kinds.datasets import RanksComparison, compare_ranks
from stats_core.comparison.result import Comparison
from stats_core.core.errors import FoldwiseError
from stats_core.core.formatting import format_count, join_names
from stats_core.core.validation import check_kind
from stats_core.data.measures import AREAS, DERIVED, LOSSES
from stats_core.data.missing import ABOUT_HOLES, HoleCount, count_holes, holes_left
from stats_core.data.results import Results
from stats_core.data.settings import Settings, select
from stats_core.inference.fold_tests import ON_CASES
from stats_core.inference.resolve_settings import check_settings, resolve_missing
from stats_core.report.verdict import headline, verdict

LEVELS = (0.01, 0.05, 0.10)
LOST, GAINED, TURNED = "no longer separated", "then separated", "turned round"


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Variation:
    """An analysis with one thing changed: its comparison, or the reason for having none."""

    name: str
    comparison: Comparison | None = None
    refusal: str = ""

    @classmethod
    def of(cls, name: str, compute: Callable[[], Comparison]) -> "Variation":
        """Return the computed variation."""
        try:
            return cls(name=name, comparison=compute())
        except FoldwiseError as error:
            return cls(name=name, refusal=str(error))


def first_pvalue(comparison: Comparison) -> float:
    """Return the p-value of the omnibus test; of two algorithms that of their test; else NaN."""
    if comparison.first_test is not None:
        return float(comparison.first_test.outcome.pvalue)
    pairs = comparison.pairs()
    return float(pairs["p adjusted"].iloc[0]) if len(pairs) == 1 else np.nan


def sensitivity(analysis: Comparison) -> pd.DataFrame:
    """Would another level, correction, test or measure say something else?

    Notes
    -----
    Looking at all of these and reporting the one that suits is not a test at that level any
    more; the table is for judging how firm the verdict is.

    Examples
    --------
    The 30 x 5 table of Garcia and Herrera (2008) at 0.05 with Holm: 0.01 separates fewer pairs.
    """
    check_kind(analysis, Comparison, "analysis", "Use `analyse`")
    rows = []
    for each in (*_under_settings(analysis), *_under_choices(analysis)):
        if each.comparison is None:
            rows.append((each.name, "", each.refusal, False, True))
        else:
            changes = _changes(analysis, each.comparison)
            rows.append((each.name, changes, headline(each.comparison), bool(changes), False))
    return pd.DataFrame(rows, columns=["setting", "changes", "verdict then", "changed", "refused"])


def _under_settings(analysis: Comparison) -> Iterator[Variation]:
    """Yield the analysis at other levels, by other tests and by other measures."""
    settings = analysis.settings
    options = [
        *(
            (f"alpha {level:g}", replace(settings, alpha=level))
            for level in LEVELS
            if level != settings.alpha
        ),
        *analysis.alternatives(),
        *(
            (f"measure {name}", replace(settings, measure=name))
            for name in measures_beside(analysis)
        ),
    ]
    for name, other in options:
        yield Variation.of(name, partial(_again, analysis, other))


def _under_choices(analysis: Comparison) -> Iterator[Variation]:
    """Yield the analysis under the other choices about missing results, if one was made."""
    before, settings = analysis.results.undecided, analysis.settings
    if before is None:
        return
    chosen = {choice["choice"] for choice in analysis.results.choices if choice.code in ABOUT_HOLES}
    for choice, baseline in other_choices(before, settings, chosen):
        description = f"missing cells: {NAMES[choice].lower()}"
        name = f"{description} ({baseline})" if baseline else description
        yield Variation.of(name, partial(under_choice, before, settings, choice, baseline))


def _again(analysis: Comparison, settings: Settings) -> Comparison:
    """Return the analysis under other settings, reusing averages of the same measure."""
    same_measure = settings.measure == analysis.settings.measure
    if not (same_measure and isinstance(analysis, RanksComparison)):
        return analyse(analysis.results, settings)
    raw = analysis.raw if settings.source == analysis.settings.source else None
    return compare_ranks(replace(analysis.inputs, settings=settings), raw)


def _changes(before: Comparison, after: Comparison) -> str:
    """Return the changed decisions as text, on the pairs of which both algorithms remain."""
    parts = []
    rejected, rejects = _rejects(before), _rejects(after)
    if None not in (rejected, rejects) and rejected != rejects:
        parts.append(f"the first test {'then rejects' if rejects else 'no longer rejects'}")
    remaining = set(after.order)
    old, new = _separated(before), _separated(after)
    old = {pair: better for pair, better in old.items() if pair <= remaining}
    changed = {
        LOST: [pair for pair in old if pair not in new],
        GAINED: [pair for pair in new if pair not in old],
        TURNED: [
            pair
            for pair in old
            if {old[pair], new.get(pair, old[pair])} - {""}
            and old[pair] != new.get(pair, old[pair])
        ],
    }
    for change, pairs in changed.items():
        if pairs:
            names = join_names([" vs ".join(sorted(pair)) for pair in pairs], 3)
            parts.append(f"{format_count(len(pairs), 'pair')} {change}: {names}")
    return "; ".join(parts)


def _rejects(comparison: Comparison) -> bool | None:
    """Return whether the omnibus test rejects; None if there is none."""
    first = comparison.first_test
    return None if first is None else first.rejects(comparison.settings.alpha)


def _separated(comparison: Comparison) -> dict[frozenset[str], str]:
    """Return the pairs that differ, each with its better algorithm ("" if undirected)."""
    beats = comparison.beats
    return {
        frozenset((a, b)): a if beats.loc[a, b] else b if beats.loc[b, a] else ""
        for a, b in comparison.differing()
    }


def describe_unchanged(table: pd.DataFrame) -> str:
    """Return how many settings change nothing and which fail, from the `sensitivity` table."""
    unchanged, refused = table[~table["changed"] & ~table["refused"]], table[table["refused"]]
    prefix = "other " if table["changed"].any() else ""
    parts = []
    if len(unchanged):
        verb = "changes" if len(unchanged) == 1 else "change"
        parts.append(f"{format_count(len(unchanged), f'{prefix}setting')} {verb} no decision.")
    if len(refused):
        parts.append(f"Not possible here: {join_names(list(refused['setting']), 6)}.")
    return " ".join(parts)


def measures_beside(comparison: Comparison, derived: Sequence[str] = ()) -> Iterable[str]:
    """Yield the other measures, skipping those equivalent to an earlier one (tnr, 1 - fpr).

    If `derived` is given, other measures derived from predictions or counts are skipped. Nothing
    is yielded if several measures or thresholds are compared together.
    """
    settings, results = comparison.settings, comparison.results
    if settings.measures or settings.thresholds:
        return
    seen: list[np.ndarray] = []
    # if all derived measures are present, they come from counts
    from_counts = derived and {*DERIVED} <= {*results.measures}
    redundant = {*DERIVED, *AREAS, *LOSSES} - {*derived} if from_counts else set()
    for name in (
        settings.measure,
        *(measure for measure in results.measures if measure not in redundant),
    ):
        values = results.averages(name).to_numpy(dtype=float)
        equal = (np.allclose(values, previous, equal_nan=True) for previous in seen)
        complements = (np.allclose(1 - values, previous, equal_nan=True) for previous in seen)
        if not (any(equal) or any(complements)):
            yield from [name] if seen else []
            seen.append(values)


def by_measures(analysis: Comparison, measures: Iterable[str]) -> Iterator[Variation]:
    """Yield the same kind of comparison by each of these measures."""
    for measure in measures:
        test = analysis.settings.test
        if test in ON_CASES and measure not in ("error", "accuracy"):
            test = ""
        settings = replace(analysis.settings, measure=measure, test=test)
        yield Variation.of(measure, partial(analyse, analysis.results, settings))


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
