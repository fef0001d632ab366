"""Sentences of a paper on a claim, in the past tense.

Functions return whole sentences, "" if there is nothing to say, except those whose docstring names
a phrase.
"""

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace
from math import isfinite
from typing import Any, NamedTuple

from stats_core.comparison.decide import Decision, reported_pair
from stats_core.comparison.kinds import (
    BenchmarksComparison,
    ControlComparison,
    PairOnMeasures,
    PublishedDecisions,
    WinsComparison,
)
from stats_core.comparison.kinds.fold_pair import FoldPairComparison, OnFolds
from stats_core.comparison.kinds.instances import PairsOfModels
from stats_core.comparison.kinds.wins import OnWins
from stats_core.comparison.result import Comparison, Standing, everywhere, rounding_only
from stats_core.core.formatting import (
    MANY,
    format_count,
    format_number,
    format_set,
    join_names,
    join_sentences,
    noun_before,
    p_phrase,
    spell_count,
)
from stats_core.core.result_types import TestResult
from stats_core.report import effect_text
from stats_core.report.claim_phrases import (
    PAST,
    better_than,
    contradicts_decisions,
    criterion,
    describe_means,
    describe_pairs,
    difference_of_means,
    few_differ,
    is_on_test_set,
    level,
    name_of_omnibus,
    outcome_alone,
    smallest_attainable,
)

_NAMED = 4  # maximum number of algorithms listed; more become "the other six algorithms"
_FEWER = 2  # that of a sentence to copy


class _P(NamedTuple):
    """A p-value, and that with the published degrees of freedom, None if it is the same."""

    value: float
    published: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Claim:
    """A comparison `c` and its decision `d`, worded for a paper.

    `by` holds the values that order the algorithms. At most `named` algorithms are listed.
    """

    c: Comparison
    d: Decision
    by: Standing | None
    named: int = _NAMED

    @property
    def test(self) -> str:
        """Name of the pairwise test and the significance level."""
        return f"{self.c.test_name}, {level(self.c)}"

    def effect(self, first: str, second: str) -> str:
        """Return the phrase of a difference with interval and p-value, or only the p-value."""
        if effect_text.why_no_interval(self.c, first, second):
            return effect_text.describe_pvalue(self.c, first, second)
        pair = replace(self.d, size=(first, second))
        phrase, _ = effect_text.describe_effect(self.c, pair, form="phrase", label="bare")
        return phrase or effect_text.describe_pvalue(self.c, first, second)

    def pair_values(self, *names: str) -> str:
        """Return the two values of a pair, "0.24 vs. 0.29; ", or "" if they are not known."""
        if self.by is not None:
            means = self.by.values
        elif isinstance(self.c, OnFolds):
            means = self.c.matrix.mean()
        else:
            return ""
        return f"{' vs. '.join(format_number(means[name], self.c.digits) for name in names)}; "

    def measured(self, names: Sequence[str]) -> list[str]:
        """Return names with any values that order them, the first value with a label."""
        if self.by is None:
            return list(names)
        label = self.by.name.partition(" for ")[0]
        return [f"{names[0]} ({label} {self.by.of(names[0])})", *self.by.valued(names[1:])]

    def valued(self, names: Sequence[str]) -> list[str]:
        """Return names with the values that order them; names alone if no values do."""
        return list(names) if self.by is None else self.by.valued(names)

    def with_p(self, names: Sequence[str], against: str) -> list[str]:
        """Return names with the p-values of their comparisons with `against`."""
        return [f"{name} ({self.p_phrase(self.ps(name, [against]))})" for name in names]

    @property
    def adjusted(self) -> str:
        """Name of the p-values used."""
        return effect_text.pvalue_name(self.c)

    def ps(self, first: str, others: Sequence[str]) -> list[_P]:
        """Return the p-values of `first` against each of `others`."""
        return [self._p(first, name) for name in others]

    def ps_of_all(self, names: Sequence[str]) -> list[_P]:
        """Return the p-values of all pairs between `names` and the other algorithms."""
        return [self._p(a, b) for a in names for b in self.c.order if b not in names]

    def _p(self, first: str, second: str) -> _P:
        return _P(
            float(self.c.adjusted_pvalues.at[first, second]),
            self.c.pairs.published_p(first, second),
        )

    def p_phrase(self, values: Sequence[_P]) -> str:
        """Return one p-value as text; of several, the largest."""
        text = _format_pvalue(self.c, max(values), self.adjusted)
        return (
            text if len(values) == 1 or text.startswith(f"{self.adjusted} <") else f"largest {text}"
        )

    def smallest(self, values: Sequence[_P]) -> str:
        """Return the smallest of several p-values as text."""
        return _format_pvalue(self.c, min(values), f"smallest {self.adjusted}")

    def any_apart(self, names: Sequence[str]) -> bool:
        """Return whether any two of the algorithms differ significantly."""
        return any({*pair} <= {*names} for pair in self.d.apart)

    def against(self, first: str, others: Sequence[str]) -> str:
        """Return algorithms with values and p-values; of more than `named`, the smallest p only."""
        pvalues = self.ps(first, others)
        if len(others) > self.named:
            return f"{join_names(others, MANY, last='or')} ({self.smallest(pvalues)})"
        labels = []
        for name, p in zip(others, pvalues, strict=True):
            is_known = self.by is None or name in self.by.leaders
            value = "" if self.by is None or is_known else f"{self.by.of(name)}; "
            labels.append(f"{name} ({value}{self.p_phrase([p])})")
        return _joined(labels, "or")

    def rest(self, some: Collection[str]) -> str:
        """Return the algorithms not in `some`, by name or as a number."""
        others = [name for name in self.c.order if name not in some]
        if len(others) <= self.named:
            return join_names(others)
        return f"the other {spell_count(len(others), self.c.noun)}"


def describe_claim(c: Comparison, d: Decision, *, brief: bool = False) -> str:
    """Return the sentences on a claim. If `brief`, they have one effect and the test."""
    claim = _Claim(c=c, d=d, by=c.ordered_by, named=_FEWER if brief else _NAMED)
    if isinstance(c, PublishedDecisions) and d.claim != "one algorithm":
        return _published_decisions(c, d.separated)
    if c.obstacle or d.claim == "too few":
        return _UNTESTED[d.claim](c)
    if isinstance(c, OnWins) and (d.named or len(c.order) == 2):
        return _wins(claim, c)
    if len(c.order) == 2:
        return _pair(claim)
    if isinstance(c, ControlComparison | PairsOfModels) and c.shape.control:
        written = _sides(claim, c)
    else:
        written = _CLAIMS[d.claim](claim)
    if brief:
        return join_sentences(written, *_first_effect_and_test(claim, written))
    more_sets = effect_text.needs_more_sets(c, d)
    return join_sentences(
        written, *_effects(c, d), more_sets, _overall(claim), _definition_of_win(c)
    )


# -- phrases ------------------------------------------------------------------------------------


def _was(names: Collection[object]) -> str:
    return "was" if len(names) == 1 else "were"


def _joined(parts: Sequence[str], last: str = "and") -> str:
    """Return parts joined by commas, the last one by the word `last`."""
    return parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])} {last} {parts[-1]}"


def _format_pvalue(c: Comparison, p: _P, name: str = "p") -> str:
    """Return a p-value as text, with its published form if that differs."""
    alpha = c.settings.alpha
    published = effect_text.published_p_phrase(p.value, p.published, alpha)
    return f"{p_phrase(p.value, alpha, name)}{published}"


def _over(c: Comparison) -> str:
    """Return the opening phrase for the data sets or the test set, and the number of units."""
    if c.scope == "data sets":
        return f"Over {c.counted}"
    if isinstance(c, BenchmarksComparison):
        return f"Over {c.where}"
    on_instances = c.shape.over == "cases" and c.dataset_label != "the test set"
    the_set = "the test set of " if on_instances or is_on_test_set(c) else ""
    return f"On {the_set}{c.dataset_label} ({c.counted})"


def _describe_tests(c: Comparison) -> str:
    """Return a phrase on the tests used, the omnibus p-value and the significance level."""
    omnibus = [] if c.first_test is None else [_describe_omnibus(c)]
    return f"{'; '.join([*omnibus, c.test_name])}, {level(c)}"


def _describe_omnibus(c: Comparison) -> str:
    """Return the phrase for the omnibus test with its statistic and p-value."""
    assert c.first_test is not None
    outcome = c.first_test.outcome
    p = _P(float(outcome.pvalue), c.first_test.published)
    return ", ".join(filter(None, (name_of_omnibus(c), _statistic(outcome), _format_pvalue(c, p))))


def _statistic(outcome: TestResult) -> str:
    """Return an omnibus statistic with its degrees of freedom; "" if infinite or undefined.

    Examples
    --------
    >>> import pandas as pd
    >>> from stats_core.inference.ranks import friedman
    >>> frame = pd.DataFrame({"a": [1, 2, 1], "b": [2, 1, 2], "c": [3, 3, 3]})
    >>> _statistic(friedman(frame, higher_is_better=False))
    'χ²(2) = 4.67'
    """
    df = getattr(outcome, "df", ())
    if not isinstance(df, tuple) or not all(map(isfinite, (outcome.statistic, *df))):
        return ""
    name, digits = "χ²" if len(df) == 1 else "F", 1 if outcome.statistic >= 10 else 2
    shown_df = ", ".join(f"{n:.4g}" for n in df)
    return f"{name}({shown_df}) = {format_number(outcome.statistic, digits)}"


def _of_pairs(s: _Claim) -> str:
    """Return the phrase for the number of pairs, or comparisons with the control, that differ."""
    n, noun = len(s.c.pairs), "comparison" if s.c.shape.control else "pair"
    if s.d.separated == n > 1:
        return f"all {spell_count(n, noun)}"
    return f"{s.d.separated:,} of {format_count(n, noun)}"


def _closest(s: _Claim) -> str:
    """Return the phrase for the pair with the smallest p-value, or for the p-value of all pairs."""
    row = s.c.pairs.decisions.iloc[0]
    first, second = row["first"], row["second"]
    p = s.p_phrase(s.ps(first, [second]))
    if row["p adjusted"] > 0.999:
        return f"all {p}"
    return f"{effect_text.smallest_pvalue(s.c)}: {first} vs. {second}, {p}"


def _opening(s: _Claim) -> str:
    """Return the clause on the algorithms with the best value."""
    by, first = s.by, s.d.near[0]
    if by is None:
        return f"{_over(s.c)}, {first} had the largest difference between wins and losses"
    leaders = join_names(by.leaders, MANY)
    return f"{_over(s.c)}, {leaders} had the {by.best} {by.name} ({by.of(first)})"


# -- several algorithms -------------------------------------------------------------------------


def _best(s: _Claim) -> str:
    first, others = s.d.near[0], s.d.near[1:]
    are_tied = s.by is not None and len(s.by.leaders) > 1
    but = f". {first}" if are_tied else ", but"
    if len(others) == len(s.c.order) - 1:
        smallest = s.smallest(s.ps(first, others))
        unlike = f"did not differ significantly from any other {s.c.noun} ({smallest})"
        return f"{_opening(s)}{but} {unlike}."
    unlike = f"{but} did not differ significantly from {s.against(first, others)}" if others else ""
    return join_sentences(f"{_opening(s)}{unlike}.", _better_than_others(s, first))


def _better_than_others(s: _Claim, first: str) -> str:
    """Return which algorithms the first in order is significantly better than."""
    beaten = [name for name in s.c.order if s.c.beats.loc[first, name]]
    if not beaten:
        return ""
    are_all = len(beaten) + len(s.d.near) == len(s.c.order)
    listed = s.rest(s.d.near) if are_all else join_names(beaten, MANY)
    return f"{first} was significantly better than {listed} ({s.p_phrase(s.ps(first, beaten))})."


def _apart(s: _Claim, names: Sequence[str], word: str) -> str:
    """Return that some algorithms were better, or worse, than all others."""
    unlike = f"{_was(names)} significantly {word} than {s.rest(names)} in {criterion(s.c)}"
    listed, p = _joined(s.measured(names)), s.p_phrase(s.ps_of_all(names))
    return f"{_over(s.c)}, {listed} {unlike} ({p})."


def _alike(s: _Claim, names: Sequence[str], *, named_before: bool = False) -> str:
    """Return that some algorithms did not differ, "" if some did."""
    if len(names) < 2 or s.any_apart(names):
        return ""
    if len(names) == 2:
        return f"{names[0]} and {names[1]} did not differ significantly."
    return (
        f"No two of {'these' if named_before else join_names(names, MANY)} differed significantly."
    )


def _leads(s: _Claim) -> str:
    return join_sentences(_apart(s, s.d.ahead, "better"), _alike(s, s.d.ahead))


def _behind(s: _Claim) -> str:
    rest, by, best = [name for name in s.c.order if name not in s.d.behind], s.by, ""
    if by is not None:
        leaders = join_names(by.leaders, MANY)
        best = f"{leaders} had the {by.best} {by.name} ({by.of(by.leaders[0])})."
    named_before = by is not None and list(by.leaders) == rest
    alike = _alike(s, rest, named_before=named_before)
    return join_sentences(_apart(s, s.d.behind, "worse"), best, alike)


def _few(s: _Claim) -> str:
    others = len(s.c.pairs) - len(s.d.apart)
    rest = f"None of the other {spell_count(others, 'pair')} differed significantly."
    if others == 1:
        rest = "The other pair did not differ significantly."
    elif others == 2:
        rest = "Neither of the other two pairs differed significantly."
    return f"{_over(s.c)}, {_describe_pairs(s)} in {criterion(s.c)}. {rest}"


def _describe_pairs(s: _Claim) -> str:
    """Return the clauses on the pairs that differed, with their p-values."""
    return describe_pairs(
        s.c, s.d.apart, PAST, lambda names, against: _joined(s.with_p(names, against))
    )


def _some_differ(s: _Claim) -> str:
    if few_differ(s.c, s.d):
        return _few(s)
    differed = f"{_of_pairs(s)} differed significantly in {criterion(s.c)}"
    return f"{_over(s.c)}, {differed} ({_describe_tests(s.c)})."


def _contested(s: _Claim) -> str:
    first = s.d.near[0]
    better = better_than(s.c, first)
    were_better = f"{_joined(s.valued(better))} {_was(better)} significantly better than {first}"
    return (
        f"{_opening(s)}, but in pairwise tests {were_better} ({s.p_phrase(s.ps(first, better))})."
    )


def _circle(s: _Claim) -> str:
    each = f"each of the {spell_count(len(s.c.order), s.c.noun)}"
    worse = f"was significantly worse than at least one other {s.c.noun} in {criterion(s.c)}"
    return f"{_over(s.c)}, {each} {worse}."


def _nothing(s: _Claim) -> str:
    no_two = f"no two of the {spell_count(len(s.c.order), s.c.noun)} differed significantly"
    tests = f"{_closest(s)}; {_describe_tests(s.c)}"
    return f"{_over(s.c)}, {no_two} in {criterion(s.c)} ({tests})."


def _no_pair(s: _Claim) -> str:
    differed = f"the {spell_count(len(s.c.order), s.c.noun)} differed significantly"
    return (
        f"{_over(s.c)}, {differed} in {criterion(s.c)} ({_describe_omnibus(s.c)}),"
        f" but no pair of {s.c.noun}s did ({_closest(s)})."
    )


def _pairs_only(s: _Claim) -> str:
    return (
        f"{_over(s.c)}, the omnibus test of {criterion(s.c)} was not significant"
        f" ({_describe_omnibus(s.c)}), but {_of_pairs(s)} differed significantly."
    )


# claim on several algorithms -> its sentences
_CLAIMS: dict[str, Callable[[_Claim], str]] = {
    "leads": _leads,
    "behind": _behind,
    "few": _few,
    "best": _best,
    "contested": _contested,
    "circle": _circle,
    "differ": _some_differ,
    "pairs only": _pairs_only,
    "no pair": _no_pair,
    "nothing": _nothing,
}


# -- after the claim about several algorithms ---------------------------------------------------


def _overall(s: _Claim) -> str:
    """Return how many pairs differed, and the range of values, unless the claim has them."""
    return join_sentences(_all_pairs(s), "" if s.by is None else _range(s, s.by))


def _range(s: _Claim, by: Standing) -> str:
    """Return the best and the worst value, without those that the claim has."""
    d, first, last = s.d, {*by.leaders}, {*by.last}
    has_best = d.claim in ("best", "contested", "behind")
    if not has_best and not (d.claim == "leads" and first <= {*d.ahead}):
        return f"The {by.name} ranged from {by.range}."
    listed = first | {*(d.behind if d.claim == "behind" else ())}
    if d.claim == "best" and len(d.near) < len(s.c.order) and len(d.near) <= s.named + 1:
        listed |= {*d.near}
    if last & listed:
        return ""
    worst = "highest" if by.lowest else "lowest"
    return f"{join_names(by.last, MANY)} had the {worst} {by.name} ({by.of(by.last[0])})."


def _all_pairs(s: _Claim) -> str:
    is_control = s.c.shape.control
    if s.d.claim in ("no pair", "pairs only") and (s.d.separated or not is_control):
        return _tests(s.c)
    if s.d.claim in ("few", "differ") and few_differ(s.c, s.d):
        omnibus = "" if s.c.first_test is None else _significant_omnibus(s.c)
        return join_sentences(omnibus, _tests(s.c))
    if s.d.claim == "differ" or not s.d.separated:
        return ""
    were = "was" if s.d.separated == 1 else "were"
    differed = f"{were} significant" if is_control else "differed significantly"
    return f"Overall, {_of_pairs(s)} {differed} ({_describe_tests(s.c)})."


def _significant_omnibus(c: Comparison) -> str:
    return f"The omnibus test was significant ({_describe_omnibus(c)})."


def _tests(c: Comparison) -> str:
    the = (
        "the " if c.tests_of_design.pairwise.label is None else ""
    )  # other names are plural, or of an author
    return f"Pairs were compared by {the}{c.test_name}, {level(c)}."


def _first_effect_and_test(s: _Claim, written: str) -> list[str]:
    """Return sentences on the first effect and, unless named there or in `written`, the tests."""
    c = s.c
    untold = "" if c.test_name in written else c.test_name
    effects = _effects(c, s.d, untold, label="bare")[:1]
    if any(c.test_name in part for part in (written, *effects)):
        return effects
    return [*effects, _tests(c)]


def _effects(
    c: Comparison, d: Decision, tests: str = "", *, label: effect_text.Label = "full"
) -> list[str]:
    """Return sentences on the reported difference and on at most four that are not significant.

    The sentences name `tests`, and label the estimate as `effect_text.estimate_label` does.
    """
    size = reported_pair(c, d)
    named = [(d.near[0], name) for name in d.near[1:]] if d.claim == "best" else []
    if c.shape.control:
        rows = c.pairs.decisions
        others = set(rows.loc[~rows["separated"].astype(bool), "first"])
        named = [(name, c.settings.control) for name in c.order if name in others]
    pairs = [size, *(pair for pair in named if {*pair} != {*(size or ())} and len(named) <= _NAMED)]
    options: dict[str, Any] = {"form": "in_paper", "tests": tests, "label": label}
    return [
        text
        for pair in pairs
        for text in effect_text.describe_effect(c, replace(d, size=pair), **options)
    ]


# -- two algorithms, or comparisons with a control ----------------------------------------------


def _pair(s: _Claim) -> str:
    c, row = s.c, s.c.pairs.decisions.iloc[0]
    a, b = c.order if s.d.separated else (row["first"], row["second"])
    differed = f"{a} and {b} {'differed' if s.d.separated else 'did not differ'} significantly"
    if s.d.separated and (c.beats.loc[a, b] or c.beats.loc[b, a]):
        differed = f"{a} was significantly better than {b}"
    evidence = f"{s.pair_values(a, b)}{s.effect(a, b)}; {s.test}"
    return join_sentences(
        f"{_over(c)}, {differed} in {criterion(c)} ({evidence}).",
        _mean_of_benchmarks(c) if isinstance(c, BenchmarksComparison) else "",
        effect_text.why_no_interval(c, a, b),
        _each_measure(c) if isinstance(c, PairOnMeasures) else "",
    )


def _mean_of_benchmarks(c: BenchmarksComparison) -> str:
    row, difference = c.pairs.frame.iloc[0], difference_of_means(c)
    sizes = "The sizes of the benchmarks decided." if row["weights decide"] else ""
    p = p_phrase(row["macro p"], c.settings.alpha)
    averaged = "Averaged over the benchmarks, each with the same weight, the difference was"
    return join_sentences(sizes, f"{averaged} {difference} ({p}).")


def _each_measure(c: PairOnMeasures) -> str:
    """Return on which measures each of two algorithms was better, and the test of one alone."""
    test, outcome = "", outcome_alone(c)
    if outcome is not None:
        p = p_phrase(outcome.pvalue, c.settings.alpha)
        test = f"The test of {c.measure_name} alone gave {p}."
    return join_sentences(describe_means(c, "had"), test)


def _sides(s: _Claim, c: ControlComparison | PairsOfModels) -> str:
    """Return which algorithms were better than the control, worse, and not different."""
    control, (better, worse, others) = c.control, c.sides()
    the_control = f"{noun_before('control', control)}{control} in {criterion(c)}"
    if not better and not worse:
        of_others = spell_count(len(others), f"other {c.noun}")
        none = (
            f"{'neither' if len(others) == 2 else 'none'} of the {of_others} differed significantly"
        )
        tests = f"{_closest(s)}; {_describe_tests(c)}"
        return f"{_over(c)}, {none} from {the_control} ({tests})."
    sides = [
        (better, f"{_was(better)} significantly better than"),
        (worse, f"{_was(worse)} significantly worse than"),
        (others, "did not differ significantly from"),
    ]
    clauses = [f"{_joined(s.with_p(names, control))} {verb}" for names, verb in sides if names]
    first, *rest = clauses
    return join_sentences(
        f"{_over(c)}, {first} {the_control}.", *(f"{clause} {control}." for clause in rest)
    )


def _wins(s: _Claim, c: OnWins) -> str:
    rows = list(c.pairs.frame.itertuples())
    differing = [row for row in rows if row.separated]

    def counted(row: Any) -> str:
        return f"({row.wins} to {row.losses}, {s.p_phrase(s.ps(row.first, [row.second]))})"

    if differing:
        won = "won significantly more often than"
        differed = _joined([f"{row.first} {won} {row.second} {counted(row)}" for row in differing])
    else:
        (row,) = rows
        names = f"{row.first} and {row.second}"
        differed = f"{names} did not differ significantly in wins {counted(row)}"
    return join_sentences(
        f"{_over(c)}, {differed}. Wins were compared by the {s.test}.", _definition_of_win(c)
    )


def _definition_of_win(c: Comparison) -> str:
    return f"A win was {c.win}." if isinstance(c, WinsComparison) else ""


# -- no test ------------------------------------------------------------------------------------


def _too_few(c: Comparison) -> str:
    smallest = f"smallest attainable {smallest_attainable(c)}"
    tests = f"{c.test_name}, {level(c)}"
    return f"With {c.least.counted}, no difference could be significant ({smallest}; {tests})."


def _identical(c: Comparison) -> str:
    same = "differed by rounding errors only" if rounding_only(c) else "was identical"
    results = f"The {criterion(c)} of {join_names(c.order, MANY)}"
    return f"{results} {same} {everywhere(c)}, so no test was possible."


def _one_algorithm(c: Comparison) -> str:
    if not c.results.algorithms:
        return "There was no algorithm to compare."
    only = f"There was only one algorithm ({c.results.algorithms[0]})"
    return f"{only}, so no comparison was possible."


def _unnamed_instances(c: Comparison) -> str:
    return "The instances had no identifiers, so no paired test was possible."


def _one_number(c: Comparison) -> str:
    return "There was one result per algorithm, so no test was possible."


def _refused(c: Comparison) -> str:
    assert isinstance(c, FoldPairComparison)  # no other kind refuses its test
    names, data = f"{c.first} and {c.second}", f"{c.dataset_label} ({c.counted})"
    return f"{names} could not be compared by the {c.test_name} on {data}."


# claim without a test -> its sentences
_UNTESTED: dict[str, Callable[[Comparison], str]] = {
    "too few": _too_few,
    "identical": _identical,
    "one algorithm": _one_algorithm,
    "unnamed cases": _unnamed_instances,
    "one number": _one_number,
    "test refused": _refused,
}


def _published_decisions(c: PublishedDecisions, n: int) -> str:
    pairs = format_count(c.counted.n, "pair")
    by_decisions = "According to the published decisions"
    if not n:
        decided = f"{by_decisions}, none of {pairs} differed significantly."
    elif c.ordering is not None:
        prior = "our prior order" if c.settings.prior else "the published table"
        but = "except where a" if c.ordering.edges else "because no"
        listed = ", ".join(c.ordering.order)
        decided = (
            f"No order agrees with all published decisions. MultiTest gives {listed}."
            if contradicts_decisions(c)
            else f"The algorithms were ordered as in {prior}, {but} later algorithm was significantly"
            f" better according to the published decisions: {listed}."
        )
    else:
        table = c.pairs.frame
        named = table.loc[table["separated"], ["first", "second"]].itertuples(index=False)
        listed = join_names([f"{row.first} vs. {row.second}" for row in named], MANY)
        decided = f"{by_decisions}, {n} of {pairs} differed significantly: {listed}."
    return f"{decided} The decisions were taken as published, without a test."


# -- significant pairs, and groups without one --------------------------------------------------


def describe_differing(first: str, second: str, p: str, favoured: str) -> str:
    """Return the clause on two algorithms that differ, with the p-value and any favoured one."""
    evidence = ", ".join(filter(None, (p, favoured and f"in favour of {favoured}")))
    differed = f"{first} differed significantly from {second}"
    return f"{differed} ({evidence})" if evidence else differed


def describe_significant(
    beaten: dict[str, list[str]], differing: list[str], *, after_claim: bool
) -> str:
    """Return sentences on significant pairs, first those whose better algorithm is known."""
    clauses = [
        f"{name} was significantly better than {_joined(worse)}" for name, worse in beaten.items()
    ]
    opening = "Of the other pairs, " if after_claim else ""
    return f"{opening}{'. '.join([*clauses, *differing])}."


def describe_groups(groups: Sequence[Sequence[str]]) -> str:
    """Return a sentence on the groups without a significant difference."""
    is_single = len(groups) == 1
    subject = "The only group" if is_single else "The maximal groups"
    listed = _joined([format_set(group) for group in groups])
    return f"{subject} without a significant difference {_was(groups)} {listed}."
