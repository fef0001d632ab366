"""Verdicts compared across settings, treatments of missing results, groups of data sets and answers about files."""

from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import Any

import pandas as pd

from stats_core.comparison.analyse import analyse
from stats_core.comparison.decide import LIMITED, decide
from stats_core.comparison.result import Comparison, HasComparison, comparison_of
from stats_core.core.errors import DataError, FoldwiseError, NeedsCost, NeedsMapping
from stats_core.core.formatting import format_count, join_names, measure_name, unused_label
from stats_core.core.messages import TextCatalog
from stats_core.core.validation import given_or_new
from stats_core.data import missing
from stats_core.data.results import Results
from stats_core.data.settings import (
    TUKEY,
    Analysed,
    Settings,
    groups_of,
    results_and_settings,
    select,
)
from stats_core.inference import pairwise
from stats_core.inference.fold_pairs import resampling_unit
from stats_core.inference.multiplicity import adjust
from stats_core.io.mapping import UNNAMED, Mapping
from stats_core.io.read import read_results
from stats_core.ordering import one_sided_evidence, order
from stats_core.ordering.order import Order, OrderRules
from stats_core.report.verdict import headline, verdict
from stats_core.robustness import variations
from stats_core.robustness.variations import GAINED, LOST, TURNED

_varied_text = TextCatalog("stats_core", "report/varied.toml")


def sensitivity(analysis: Comparison | HasComparison) -> pd.DataFrame:
    """Return the decisions under other levels, corrections, tests, measures and treatments, one row each.

    Notes
    -----
    Columns: setting, changes (as text), verdict then (or the reason for a refusal), changed, refused.
    Choosing the setting by its result invalidates the error rate. The table shows how much the
    verdict depends on the settings.
    """
    analysis = comparison_of(analysis, "analysis")
    rows = []
    for each in (*variations.other_settings(analysis), *variations.other_missing_choices(analysis)):
        if each.comparison is None:
            rows.append((each.name, "", each.refusal, False, True))
        else:
            changes = _changes(analysis, each.comparison)
            rows.append((each.name, changes, headline(each.comparison), bool(changes), False))
    return pd.DataFrame(rows, columns=["setting", "changes", "verdict then", "changed", "refused"])


def _changes(before: Comparison, after: Comparison) -> str:
    """Return the changed decisions on the omnibus test and on pairs of shared algorithms as text; "" if none."""
    parts = []
    if before.first_test is not None and after.first_test is not None:
        rejects = after.first_test.rejects(after.settings.alpha)
        if rejects != before.first_test.rejects(before.settings.alpha):
            parts.append(f"the omnibus test {'rejects' if rejects else 'no longer rejects'}")
    remaining = set(after.order)
    old = {pair: better for pair, better in _better(before).items() if pair <= remaining}
    new = _better(after)
    changed = {
        LOST: [pair for pair in old if pair not in new],
        GAINED: [pair for pair in new if pair not in old],
        TURNED: [pair for pair in old if pair in new and old[pair] != new[pair]],
    }
    for change, pairs in changed.items():
        if pairs:
            names = join_names([" vs ".join(sorted(pair)) for pair in pairs], 3)
            parts.append(f"{format_count(len(pairs), 'pair')} {change}: {names}")
    return "; ".join(parts)


def _better(comparison: Comparison) -> dict[frozenset[str], str]:
    """Return the significant pairs, each with its better algorithm ("" if undirected)."""
    beats = comparison.beats
    return {
        frozenset((a, b)): a if beats.loc[a, b] else b if beats.loc[b, a] else ""
        for a, b in comparison.pairs.differing
    }


def describe_unchanged(table: pd.DataFrame) -> str:
    """Return how many settings change no decision and which fail, as text."""
    unchanged = int((~table["changed"] & ~table["refused"]).sum())
    refused = list(table.loc[table["refused"], "setting"])
    return _varied_text(
        "settings.unchanged",
        unchanged=unchanged,
        changed=bool(table["changed"].any()),
        refused=refused,
    )


CHOICE_COLUMNS = (
    *("choice", "baseline", "data sets", "algorithms", "folds", "runs"),
    *("verdict", "leads", "separated", "decided"),
)


def compare_missing_choices(
    results: Results | Analysed, settings: Settings | None = None, *, baseline: str = ""
) -> pd.DataFrame:
    """Return the remaining data and the decisions under each treatment of missing results; empty if none are missing.

    `baseline` is the algorithm whose results replace missing ones, by default the one with the
    worst mean rank among those without missing results. Raises SettingError for invalid settings.

    Notes
    -----
    Columns: `CHOICE_COLUMNS`, and decides: equal numbers for choices that agree, 0 without a decision.
    Two choices agree if they have the same algorithms not significantly worse than the best and
    the same significant pairs, with the same direction, among the algorithms that both compare.
    Choosing by the verdict invalidates the error rate.

    References
    ----------
    Gijsbers et al., JMLR 25 (2024), give failed runs the value of a constant predictor; McElfresh
    et al., NeurIPS 36 (2023), rank those present.

    Examples
    --------
    >>> rows = [(f"d{i}", a, i / 50 + j / 10) for i in range(8) for j, a in enumerate("abc")]
    >>> table = pd.DataFrame(rows[:-1], columns=["dataset", "algorithm", "error"])
    >>> found = compare_missing_choices(Results.from_frame(table))
    >>> found.loc[found["choice"] == "drop data sets", "data sets"].item()
    7
    """
    results, settings = results_and_settings(results, settings)
    settings = pairwise.check_settings(results, settings)
    choices = variations.missing_choices(results, settings, baseline)
    decided = [_under(results, settings, *choice) for choice in choices]
    table = pd.DataFrame([row for row, _ in decided], columns=list(CHOICE_COLUMNS))
    return table.assign(decides=_numbered([comparison for _, comparison in decided]))


def remaining_by_choice(results: Results, settings: Settings, baseline: str = "") -> dict[str, str]:
    """Return a phrase on the data that each treatment of missing results leaves, or why it is not possible."""
    phrases = {}
    for choice, used in variations.missing_choices(results, settings, baseline):
        try:
            remaining = variations.results_under_choice(results, settings, choice, used)
            phrases[choice] = describe_remainder(
                pd.Series(_remaining_sizes(remaining, settings)), results.design
            )
        except FoldwiseError as error:
            phrases[choice] = str(error)
    return phrases


def _under(
    results: Results, settings: Settings, choice: str, baseline: str
) -> tuple[dict, Comparison | None]:
    """Return the table row of one treatment and its comparison, None if not possible."""
    row: dict = {"choice": choice, "baseline": baseline, "leads": "", "decided": False}
    row |= {"data sets": 0, "algorithms": 0, "folds": 0, "runs": 0, "separated": 0}
    try:
        remaining = variations.results_under_choice(results, settings, choice, baseline)
        row |= _remaining_sizes(remaining, settings)
        comparison = analyse(remaining, settings)
    except FoldwiseError as error:
        return row | {"verdict": str(error)}, None
    row |= {"verdict": headline(comparison), "separated": decide(comparison).separated}
    if comparison.obstacle:
        return row, None
    return row | {"decided": True, "leads": join_names(_leaders(comparison), 6)}, comparison


def _remaining_sizes(remaining: Results, settings: Settings) -> dict:
    counts = [
        missing.count_missing(remaining, name) for name in settings.measures or (settings.measure,)
    ]
    return {
        "data sets": len(remaining.datasets),
        "algorithms": len(remaining.algorithms),
        "folds": len(remaining.grid),
        "runs": min(count.of_runs - count.runs for count in counts),
    }


def _numbered(comparisons: list[Comparison | None]) -> list[int]:
    """Return a number per comparison, equal for equal decisions, 0 for None."""
    numbers = [0] * len(comparisons)
    first: list[Comparison] = []
    indexed = [
        (i, comparison) for i, comparison in enumerate(comparisons) if comparison is not None
    ]
    # largest comparisons first: one of few algorithms can agree with two that disagree
    for i, comparison in sorted(indexed, key=lambda pair: -len(pair[1].order)):
        group_index = next(
            (n for n, member in enumerate(first) if _agree(member, comparison)), len(first)
        )
        first += [comparison] if group_index == len(first) else []
        numbers[i] = group_index + 1
    return numbers


def _leaders(comparison: Comparison) -> tuple[str, ...]:
    """Return the first algorithm and all that do not differ significantly from it; () with a control."""
    return () if comparison.settings.control else decide(comparison).near


def _agree(first: Comparison, second: Comparison) -> bool:
    """Return whether two comparisons agree on the leaders, and on significant pairs among shared algorithms."""
    shared_names = [name for name in first.order if name in second.order]
    beats = [comparison.beats.loc[shared_names, shared_names] for comparison in (first, second)]
    return set(_leaders(first)) == set(_leaders(second)) and beats[0].equals(beats[1])


def describe_missing_choices(table: pd.DataFrame) -> str:
    """Return a sentence on whether the verdict depends on the treatment of missing results.

    Examples
    --------
    >>> table = pd.DataFrame({"decided": [True, True], "decides": [1, 1], "leads": ["a", "a"]})
    >>> describe_missing_choices(table)
    'Both treatments of missing results with which tests are possible lead to the same decisions.'
    """
    decided = table[table["decided"].astype(bool)]
    return _varied_text(
        "missing.compared",
        n=len(decided),
        leaders=decided["leads"].nunique(),
        decisions=decided["decides"].nunique(),
        named=bool(len(decided) and decided["leads"].iloc[0]),
        present="choice" in decided and (decided["choice"] == "present").any(),
    )


def describe_remainder(row: pd.Series, design: str = "") -> str:
    """Return a phrase on the remaining data of a design, from a row of `compare_missing_choices`, or "nothing".

    Examples
    --------
    >>> describe_remainder(pd.Series({"data sets": 7, "algorithms": 3, "folds": 70, "runs": 210}))
    '7 data sets, 3 algorithms, 70 folds, 210 results'
    """
    if not row["runs"]:
        return "nothing"
    nouns = {
        "data sets": "data set",
        "algorithms": "algorithm",
        "folds": resampling_unit(design),
        "runs": "result",
    }
    if row["folds"] == row["data sets"]:  # one number per cell
        del nouns["folds"]
    return ", ".join(format_count(int(row[key]), noun) for key, noun in nouns.items())


PREVIEWED = 500_000  # bytes, compressed files counted tenfold; larger files are read only once a question is answered


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerPreview:
    """Result of reading files under one answer to a question.

    Attributes
    ----------
    text : str
        Sizes and the first algorithm, the next question, or why the files cannot be read;
        "" if the files are too large to be read for a preview.
    readable : bool
        Whether the files can be read, perhaps after another question.
    question : NeedsMapping or None
        The next question.
    first : tuple of str
        The first algorithms by their averages or ranks; () without an analysis.
    """

    text: str = ""
    readable: bool = True
    question: NeedsMapping | None = None
    first: tuple[str, ...] = ()


def possible_answers(error: NeedsMapping) -> list[tuple[str, str, Mapping]]:
    r"""Return the possible answers to a question about files as (key, description, mapping), [] without a fixed list.

    Examples
    --------
    >>> try:
    ...     read_results(b"dataset,rf,svm\na,9.5,8.1\nb,7.2,6.9\n")
    ... except NeedsMapping as error:
    ...     [(key, mapping.directions) for key, _, mapping in possible_answers(error)]
    [('higher', {'score': 'higher'}), ('lower', {'score': 'lower'})]
    """
    guess: Mapping = error.guess
    if error.classes:
        return [(name, "", replace(guess, positive=name)) for name in error.classes]
    if error.about == "direction":
        answers = [(way, "", _directed(error, way)) for way in ("higher", "lower")]
        is_optional = "ignore" in map(guess.roles.get, error.undirected)
        return [*answers, ("ignore", "", guess)] if is_optional else answers
    if error.about == "published" and error.fields == ("winner",):
        return [(winner, "", replace(guess, winner=winner)) for winner in ("row", "column")]
    if error.about in ("nothing", "published"):
        return []
    keys = {"doubt": ("leave", "keep"), "cases": ("cases", "apart")}.get(
        error.about, ("",) * len(error.options)
    )
    if error.about in ("rows", "encoding"):
        keys = tuple(getattr(mapping, error.about) for _, mapping in error.options)
    options = zip(keys, error.options, strict=True)
    return [(key, description, mapping) for key, (description, mapping) in options]


def _directed(error: NeedsMapping, way: str) -> Mapping:
    """Return the guess with a direction for each column that lacks one, or its measure."""
    guess: Mapping = error.guess
    if error.undirected:
        names = error.undirected
        return replace(
            guess,
            roles={**guess.roles, **dict.fromkeys(names, "measure")},
            directions={**guess.directions, **dict.fromkeys(names, way)},
        )
    return guess.named(guess.measure_name or UNNAMED, way)


def preview_answer(*sources: tuple[str, bytes], mapping: Mapping) -> AnswerPreview:
    r"""Return a preview of reading and analysing files under one answer; without text for large files.

    Examples
    --------
    >>> table = ("t.csv", b"dataset,rf,svm\na,9.5,8.1\nb,7.2,6.9\n")
    >>> preview_answer(table, mapping=Mapping(measure_name="gain", directions={"gain": "lower"})).text
    '2 algorithms on 2 data sets, gain: svm first'
    """
    if (
        sum(
            len(content) * (10 if content[:2] in (b"\x1f\x8b", b"PK") else 1)
            for _, content in sources
        )
        > PREVIEWED
    ):
        return AnswerPreview()
    try:
        results = read_results(*sources, mapping=mapping)
    except NeedsMapping as error:
        return AnswerPreview(
            text=_varied_text("answers.asks", question=error.question), question=error
        )
    except FoldwiseError as error:
        problem = error.problems[0] if isinstance(error, DataError) else error
        text = _varied_text("answers.refused", found=getattr(problem, "found", str(problem)))
        return AnswerPreview(text=text, readable=False)
    first: tuple[str, ...] = ()
    measure = next(iter(results.measures), "")
    with suppress(FoldwiseError):  # such as a choice about missing results
        comparison = analyse(results)
        first, measure = (
            comparison.top if len(comparison.order) > 1 else (),
            comparison.settings.measure,
        )
    measure = "" if measure == UNNAMED or results.published is not None else measure
    sizes = {"n": len(results.algorithms), "size": results.size_label}
    return AnswerPreview(
        text=_varied_text("answers.gives", **sizes, measure=measure_name(measure), first=first),
        first=first,
    )


EVERY = "all data sets"
GROUP_COLUMNS = [
    *("data sets", "badge", "verdict", "first test p", "p Holm over groups"),
    *("best", "average", "average rank", "pairs separated", "pairs", "by more", "equivalent"),
]


@dataclass(frozen=True, kw_only=True, eq=False)
class ByGroup:
    """Analyses of all groups of data sets.

    Attributes
    ----------
    tag : str
        Tag that groups the data sets.
    settings : Settings
        Settings of every analysis.
    table : DataFrame
        First row for all data sets, then one row per group: data sets (their number), badge,
        verdict (headline, or reason for no test), first test p, p Holm over groups, best
        (algorithm), average and average rank (of the best), pairs separated (number of significant
        pairs), pairs (their total), by more and equivalent (numbers of pairs, if a region is set).
    orders : dict of str to Order
        The order by cost of all data sets and of each group, where there is one.
    unordered : dict of str to str
        Groups without an order by cost, and why; empty without `rules` or costs.
    comparisons : dict of str to Comparison
        The analysis of each group that has one.
    untagged : tuple of str
        Data sets in no group.
    """

    tag: str
    settings: Settings
    table: pd.DataFrame
    orders: dict[str, Order] = field(default_factory=dict)
    unordered: dict[str, str] = field(default_factory=dict)
    comparisons: dict[str, Comparison] = field(default_factory=dict)
    untagged: tuple[str, ...] = ()

    @property
    def groups(self) -> tuple[str, ...]:
        """Names of the groups."""
        return tuple(self.table.index[1:])


def by_group(
    results: Results,
    settings: Settings | None,
    tag: str,
    *,
    rules: OrderRules | None = None,
    whole: Comparison | None = None,
) -> ByGroup:
    """Return the same analysis for each group of data sets.

    With `rules`, also the cost-aware order of each group; `whole` is the analysis of all data sets,
    None if unknown.

    Notes
    -----
    Each group is a separate family at level alpha. Holm's adjustment over groups controls the
    family-wise error rate of the omnibus tests, which are independent because groups share no data
    set; pairs within groups are not adjusted for the number of groups. A significant difference in
    one group but not in another is not a test of a difference between the groups.

    Examples
    --------
    >>> table = pd.DataFrame({"dataset": list("uvwxyz") * 2, "algorithm": ["a"] * 6 + ["b"] * 6,
    ...                       "error": [0.1, 0.2, 0.3, 0.1, 0.2, 0.3, 0.2, 0.4, 0.6, 0.3, 0.5, 0.7]})
    >>> tags = pd.DataFrame({"kind": list("ssstt")}, index=list("uvwxy"))
    >>> found = by_group(Results.from_frame(table, groups=tags), None, "kind")
    >>> found.table["data sets"].to_dict(), found.untagged
    ({'all data sets': 6, 's': 3, 't': 2}, ('z',))
    """
    settings = given_or_new(settings, Settings, "settings")
    selected, test = select(results, settings), settings.test
    settings = replace(
        settings, only=(), without_datasets=(), without_algorithms=(), dataset="", pair=(), test=""
    )
    if settings.source and settings.source == pairwise.pvalue_source(
        selected, replace(settings, source="")
    ):
        settings = replace(settings, source="")  # advised source, so choose it again for each group
    groups = groups_of(selected, tag)
    tagged = {name for names in groups.values() for name in names}
    all_label = unused_label(EVERY, list(groups))
    parts = {
        all_label: selected,
        **{value: selected.select(datasets=names) for value, names in groups.items()},
    }
    outcomes = {
        value: _outcome(part, settings, whole if value == all_label else None)
        for value, part in parts.items()
    }
    rows = {value: _row(part, outcomes[value]) for value, part in parts.items()}
    table = pd.DataFrame.from_dict(rows, orient="index", columns=GROUP_COLUMNS).rename_axis(tag)
    tests = table["first test p"].iloc[1:].dropna().astype(float)
    if len(tests) > 1:
        table.loc[tests.index, "p Holm over groups"] = adjust.adjust_family(
            tests.to_numpy(), "holm"
        )
    order_settings = replace(
        settings, measures=(), thresholds=False, margin=None, test="" if test == TUKEY else test
    )
    orders, unordered = _orders(parts, order_settings, rules) if rules else ({}, {})
    return ByGroup(
        tag=tag,
        settings=settings,
        table=table,
        orders=orders,
        unordered=unordered,
        comparisons={
            value: each
            for value, each in outcomes.items()
            if value in groups and not isinstance(each, str)
        },
        untagged=tuple(name for name in selected.datasets if name not in tagged),
    )


def _outcome(part: Results, settings: Settings, available: Comparison | None) -> Comparison | str:
    """Return the analysis of one group, or the reason for having none."""
    if len(part.datasets) < 2:
        return _varied_text("groups.too_small", n=len(part.datasets))
    try:
        return available or analyse(part, settings)
    except FoldwiseError as error:
        return str(error)


def _row(part: Results, comparison: Comparison | str) -> dict[str, Any]:
    """Return the table row of one group, with the reason if it cannot be analysed."""
    n = len(part.datasets)
    if isinstance(comparison, str):
        return {"data sets": n, "badge": LIMITED, "best": "", "verdict": comparison}
    group_verdict, pairs = verdict(comparison), comparison.pairs.decisions
    row = {
        "data sets": n,
        "badge": group_verdict.badge,
        "verdict": group_verdict.headline,
        "first test p": variations.first_pvalue(comparison),
        "best": comparison.order[0] if len(comparison.order) > 1 else "",
        "pairs separated": int(pairs["separated"].sum()),
        "pairs": len(pairs),
    }
    if region_results := comparison.equivalence.results:
        row["by more"] = sum(result in ("better", "worse") for result in region_results)
        row["equivalent"] = region_results.count("equivalent")
    if row["best"] and not comparison.together:
        row["average"] = comparison.scores[row["best"]].mean(skipna=False)
    if comparison.rank_test is not None:
        row["average rank"] = comparison.rank_test.average_ranks[row["best"]]
    return row


def _orders(
    parts: dict[str, Results], settings: Settings, rules: OrderRules
) -> tuple[dict[str, Order], dict[str, str]]:
    """Return the order by cost for each group, and reasons for failures; both {} without costs or for one algorithm."""
    first = next(iter(parts.values()))
    if len(first.algorithms) < 2 or not first.datasets:
        return {}, {}
    orders, unordered = {}, {}
    try:
        evidence = one_sided_evidence.evidence_over(
            first, settings, theta=rules.theta, undivided=rules.undivided
        )
    except FoldwiseError:
        evidence = None  # `order_of` raises the reason
    for value, part in parts.items():
        try:
            orders[value] = order.order_of(
                part, settings, rules, found=evidence if part.with_folds else None
            )
        except NeedsCost:
            return {}, {}
        except FoldwiseError as error:
            unordered[value] = str(error)
    return orders, unordered
