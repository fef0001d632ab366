"""Results sentences and paragraphs for a paper; sentences are in `paper.jinja`."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache
from math import isfinite
from typing import Any, NamedTuple

import pandas as pd

from stats_core.comparison import conclusion_scope, result
from stats_core.comparison.decide import Decision, decide, reported_pair
from stats_core.comparison.result import Comparison, Standing
from stats_core.core.formatting import (
    MANY,
    format_number,
    format_set,
    join_names,
    measure_name,
    p_phrase,
    spell_count,
)
from stats_core.core.messages import IN_PAPER, Message, read_macros
from stats_core.core.result_types import TestResult
from stats_core.core.validation import significant
from stats_core.curves import thresholds
from stats_core.data import measures
from stats_core.ordering.order import Order
from stats_core.report import effect_text, methods_text, order_text
from stats_core.report.claim_phrases import ahead_by_measure, in_every
from stats_core.report.methods_text import JMLR
from stats_core.report.verdict import Verdict, verdict

_NAMED = 4  # maximum number of algorithms listed; more become "the other six algorithms"
_FEWER = 2  # that of a sentence to copy
_OMNIBUS = ("Iman-Davenport", "Skillings-Mack", "Cochran's Q")
_LISTED = 12  # maximum number of pairs and groups listed


class _P(NamedTuple):
    """A p-value; `published` is that with the published degrees of freedom, None if these do not differ."""

    value: float
    published: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Claim:
    """A comparison `c` and its decision `d`, worded for a paper.

    `by` holds the values that order the algorithms, `named` the maximum number of algorithms listed.
    """

    c: Comparison
    d: Decision
    by: Standing | None
    named: int = _NAMED

    @property
    def over(self) -> str:
        """Opening phrase naming the data sets or folds compared."""
        return str(_macros().over(self.c))

    @property
    def measure(self) -> str:
        """Measure compared, or several measures as a vector."""
        return (
            f"({', '.join(map(measure_name, self.c.together))})"
            if self.c.together
            else self.c.measure_name
        )

    @property
    def test(self) -> str:
        """Name of the pairwise test and the significance level."""
        return f"{self.c.test_name}, {_level(self.c)}"

    def effect(self, first: str, second: str) -> str:
        """Return the phrase of two algorithms' difference with interval and p-value, or only p without an interval."""
        if effect_text.why_no_interval(self.c, first, second):
            return effect_text.describe_pvalue(self.c, first, second)
        pair = replace(self.d, size=(first, second))
        phrase, _ = effect_text.describe_effect(self.c, pair, form="phrase", label="bare")
        return phrase or effect_text.describe_pvalue(self.c, first, second)

    def pair_values(self, *names: str) -> str:
        """Return the two values of a pair, "0.24 vs. 0.29; ", or "" if they are not known."""
        means = (
            getattr(self.c, "matrix", pd.DataFrame()).mean() if self.by is None else self.by.values
        )
        if not {*names} <= {*means.index}:
            return ""
        return f"{' vs. '.join(format_number(means[name], self.c.digits) for name in names)}; "

    def measured(self, names: Sequence[str]) -> list[str]:
        """Return names with the values that order them, the first with a label; names alone if no values do."""
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
    def directed(self) -> bool:
        """Whether the better algorithm of each significant pair is known."""
        return all(self.c.beats.loc[pair] for pair in self.d.apart)

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
            float(self.c.adjusted_pvalues.at[first, second]), self.c.published_p(first, second)
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

    def beaten_by(self, first: str) -> list[str]:
        """Return the algorithms that `first` is significantly better than."""
        return [name for name in self.c.order if self.c.beats.loc[first, name]]

    def better_than(self, first: str) -> list[str]:
        """Return the algorithms significantly better than `first`."""
        return [name for name in self.c.order if self.c.beats.loc[name, first]]

    def any_apart(self, names: Sequence[str]) -> bool:
        """Return whether any two of the algorithms differ significantly."""
        return any({*pair} <= {*names} for pair in self.d.apart)

    def against(self, first: str, others: Sequence[str]) -> str:
        """Return algorithms with values and p-values against `first`; of more than `named`, the smallest p only."""
        pvalues = self.ps(first, others)
        if len(others) > self.named:
            return f"{join_names(others, MANY, last='or')} ({self.smallest(pvalues)})"
        assert self.by is not None  # of the claim "best"
        labels = [
            f"{name} ({self.by.of(name)}; {self.p_phrase([p])})"
            for name, p in zip(others, pvalues, strict=True)
        ]
        return _joined(labels, "or")

    def rest(self, some: Sequence[str]) -> str:
        """Return the algorithms not in `some`, by name or as a number."""
        others = [name for name in self.c.order if name not in some]
        if len(others) <= self.named:
            return join_names(others)
        return f"the other {spell_count(len(others), self.c.noun)}"


def _format_pvalue(c: Comparison, p: _P, name: str = "p") -> str:
    """Return a p-value as text, with its published form if that differs."""
    alpha = c.settings.alpha
    published = effect_text.published_p_phrase(p.value, p.published, alpha)
    return f"{p_phrase(p.value, alpha, name)}{published}"


def describe_claim(c: Comparison, d: Decision, *, brief: bool = False) -> str:
    """Return the sentences on a claim; "" if `paper.jinja` has none for it. If `brief`, they have one effect and the test."""
    claim = _Claim(c=c, d=d, by=c.ordered_by, named=_FEWER if brief else _NAMED)
    name = _macro_name(c, d)
    write = getattr(_macros(), name, None)
    if write is None:
        return ""
    parts = [write(claim).strip()]
    if _is_tested(c, d) and len(c.order) > 2 and name != "wins":
        if brief:
            parts += _first_effect_and_test(claim, parts[0])
        else:
            parts += [
                *_effects(c, d),
                effect_text.needs_more_sets(c, d),
                _macros().overall(claim).strip(),
            ]
    return " ".join(part for part in parts if part)


def _is_tested(c: Comparison, d: Decision) -> bool:
    """Return whether the comparison has tests of its own."""
    return not (c.obstacle or d.claim == "too few" or c.decided_elsewhere)


def _macro_name(c: Comparison, d: Decision) -> str:
    """Return the name of the macro of a claim, which `paper.jinja` need not have."""
    if c.decided_elsewhere and d.claim != "one algorithm":
        return "published_decisions"
    if _is_tested(c, d):
        pair = len(c.order) == 2
        if c.shape.wins and (d.apart or pair):
            return "wins"
        if c.shape.control:
            return "sides"
        if pair:
            return "pair"
    return f"claim_{d.claim.replace(' ', '_')}"


def _first_effect_and_test(claim: _Claim, written: str) -> list[str]:
    """Return sentences on the first effect and, unless named there or in `written`, the tests."""
    c = claim.c
    untold = "" if c.test_name in written else c.test_name
    effects = _effects(c, claim.d, untold, label="bare")[:1]
    if any(c.test_name in part for part in (written, *effects)):
        return effects
    return [*effects, _macros().tests(c).strip()]


def _effects(
    c: Comparison, d: Decision, tests: str = "", *, label: effect_text.Label = "full"
) -> list[str]:
    """Return sentences on the reported difference and on the differences named as not significant, if at most four.

    The sentences name `tests`, and label the estimate as `effect_text.estimate_label` does.
    """
    size = reported_pair(c, d)
    named = [(d.near[0], name) for name in d.near[1:]] if d.claim == "best" else []
    if c.shape.control:
        rows = c.tested()
        others = set(rows.loc[~rows["separated"].astype(bool), "first"])
        named = [(name, c.settings.control) for name in c.order if name in others]
    pairs = [size, *(pair for pair in named if {*pair} != {*(size or ())} and len(named) <= _NAMED)]
    options: dict[str, Any] = {"form": "in_paper", "tests": tests, "label": label}
    return [
        text
        for pair in pairs
        for text in effect_text.describe_effect(c, replace(d, size=pair), **options)
    ]


@cache
def _macros() -> Any:
    """Return the macros of `paper.jinja` with the functions that they call; cached."""
    return read_macros(
        "report/paper.jinja",
        ahead_by_measure=ahead_by_measure,
        describe_tests=describe_tests,
        pair_tests=lambda c: f"{c.test_name}, {_level(c)}",
        in_every=in_every,
        describe_omnibus=_describe_omnibus,
        everywhere=result.everywhere,
        ci=effect_text.ci,
        joined=_joined,
        is_significant=significant,
        rounding_only=result.rounding_only,
        smallest_pvalue=effect_text.smallest_pvalue,
        why_no_interval=effect_text.why_no_interval,
    )


def describe_tests(c: Comparison) -> str:
    """Return a phrase on the tests used, the omnibus p-value and the significance level."""
    omnibus = [] if c.first_test is None else [_describe_omnibus(c)]
    return f"{'; '.join([*omnibus, c.test_name])}, {_level(c)}"


def _level(c: Comparison) -> str:
    return f"\N{GREEK SMALL LETTER ALPHA} = {c.settings.alpha:g}"


def _describe_omnibus(c: Comparison) -> str:
    """Return the omnibus test with its p-value."""
    assert c.first_test is not None
    outcome = c.first_test.outcome
    p = _P(float(outcome.pvalue), c.first_test.published)
    name = c.first_test.name + (" test" if c.first_test.name in _OMNIBUS else "")
    return ", ".join(filter(None, (name, _statistic(outcome), _format_pvalue(c, p))))


def _statistic(outcome: TestResult) -> str:
    """Return an omnibus statistic with its degrees of freedom as text; "" if infinite, undefined or absent.

    Examples
    --------
    >>> from stats_core.inference.ranks import friedman
    >>> frame = pd.DataFrame({"a": [1, 2, 1], "b": [2, 1, 2], "c": [3, 3, 3]})
    >>> _statistic(friedman(frame, higher_is_better=False))
    'χ²(2) = 4.67'
    """
    df = getattr(outcome, "df", ())
    if not isinstance(df, tuple) or not all(map(isfinite, (outcome.statistic, *df))):
        return ""
    name = "χ²" if len(df) == 1 else "F"
    return f"{name}({', '.join(f'{n:.4g}' for n in df)}) = {format_number(outcome.statistic, 1 if outcome.statistic >= 10 else 2)}"


def _joined(parts: Sequence[str], last: str = "and") -> str:
    """Return parts joined by commas, the last one by the word `last`."""
    return parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])} {last} {parts[-1]}"


def copied_sentence(comparison: Comparison) -> str:
    """Return claim, effect, p-value, test and any threshold that was set, without cautions for the methods."""
    claim = _claim_or_verdict(comparison, brief=True)
    stated = [note.said(IN_PAPER) for note in _set_threshold(comparison)]
    return methods_text.readable_measures(" ".join([claim, *stated]), comparison)


def _claim_or_verdict(comparison: Comparison, *, brief: bool = False) -> str:
    """Return claim and equivalence of a comparison as sentences; the verdict if `paper.jinja` has none on the claim."""
    claim = describe_claim(comparison, decide(comparison), brief=brief)
    if not claim:
        summary = verdict(comparison)
        claim = f"{summary.full or summary.headline} {summary.size}".strip()
    return f"{claim} {effect_text.describe_equivalence(comparison)}".strip()


def paper_sentence(comparison: Comparison, *, number_style: str = JMLR) -> str:
    r"""Return the result of a comparison as sentences for a paper.

    Parameters
    ----------
    comparison : Comparison
        From `analyse`.
    number_style : {"JMLR", "APA"}
        "p = 0.032" or "p = .032".

    Returns
    -------
    str
        Claim, effect, tests and cautions. Choices about the data are in the methods.

    Raises
    ------
    SettingError
        The number style is unknown.

    Examples
    --------
    >>> from stats_core.comparison.analyse import analyse
    >>> from stats_core.io.read import read_results
    >>> results = read_results(("acc.csv", b"dataset,rf,svm\niris,0.9,0.8\nwine,0.7,0.6\n"))
    >>> print(paper_sentence(analyse(results)).split(" (")[0])
    With 2 data sets, no difference could be significant
    """
    notes = [
        note.said(IN_PAPER) if isinstance(note, Message) else note for note in _cautions(comparison)
    ]
    notes += [note.said(IN_PAPER) for note in _set_threshold(comparison)]
    text = " ".join(filter(None, [_claim_or_verdict(comparison), *notes]))
    return methods_text.in_number_style(
        methods_text.readable_measures(text, comparison), number_style
    )


def _set_threshold(comparison: Comparison) -> list[Message]:
    """Return the statement of the threshold if it was set and a compared measure depends on it."""
    stated = thresholds.threshold_message(comparison.results)
    is_set = thresholds.threshold_used(comparison.results) != thresholds.USUAL
    free = {*measures.AREAS, *measures.LOSSES}  # of thresholds
    depends = not {*comparison.measures_compared} <= free
    return [stated] if stated is not None and is_set and depends else []


def _cautions(comparison: Comparison) -> list[Message | str]:
    """Return the notes except those on other tests and on choices, which belong to the methods."""
    return [
        note
        for note in comparison.notes
        if note not in comparison.results.choices
        and not (isinstance(note, Message) and note.code == "beside")
    ]


def results_paragraph(
    analysis: Comparison, order: Order | None = None, *, number_style: str = JMLR
) -> str:
    """Return a paragraph for a paper's results section, on the comparison and, if given, the order.

    Raises SettingError for an unknown number style.
    """
    ordered = (
        None
        if order is None
        else order_text.order_verdict(
            order, conclusion_scope.pairwise_comparison(order, analysis), in_paper=True
        )
    )
    return describe_results(analysis, ordered, number_style=number_style)


def describe_results(
    analysis: Comparison, ordered: Verdict | None, *, number_style: str = JMLR
) -> str:
    """Return `results_paragraph`, given the verdict on the order."""
    parts = [paper_sentence(analysis), _pairs_named(analysis), _groups_named(analysis)]
    if ordered is not None:
        parts.append(ordered.said())
    return methods_text.in_number_style(" ".join(part for part in parts if part), number_style)


def _pairs_named(comparison: Comparison) -> str:
    """Return a sentence on the significant pairs that the claim does not name; "" if there are none, or too many pairs differ."""
    tested = comparison.tested()
    separated = tested["separated"].astype(bool)
    claimed = (
        comparison.claim == "better"
        or comparison.shape.control
        or len(comparison.order) == 2
        or bool(decide(comparison).named)
    )
    if claimed or not 0 < separated.sum() <= _LISTED:
        return ""
    pairs = comparison.pairs()  # with intervals, which take long for many pairs
    in_claim = _pairs_of_claim(comparison)
    rows = [
        row
        for row in pairs[pairs["separated"].astype(bool)].to_dict("records")
        if {row["first"], row["second"]} not in in_claim
    ]
    return _describe_pairs(comparison, rows, after_claim=bool(in_claim)) if rows else ""


def _describe_pairs(comparison: Comparison, rows: list[dict], *, after_claim: bool) -> str:
    """Return a sentence on significant pairs, the algorithm favoured by the test first."""
    alpha, beats = comparison.settings.alpha, comparison.beats
    name_of_p = effect_text.pvalue_name(comparison)
    beaten: dict[str, list[str]] = {}
    others: list[str] = []
    for row in rows:
        first, second, p_adjusted = row["first"], row["second"], row["p adjusted"]
        p = "" if pd.isna(p_adjusted) else p_phrase(p_adjusted, alpha, name_of_p)
        ahead, behind = bool(beats.loc[first, second]), bool(beats.loc[second, first])
        if behind or (ahead and row["estimate"] == 0):  # the test contradicts the estimate
            favoured = first if ahead else second
            others.append(str(_macros().differing(first, second, p, favoured)))
        elif ahead:
            beaten.setdefault(first, []).append(f"{second} ({p})" if p else second)
        else:
            others.append(str(_macros().differing(first, second, p, "")))
    return str(_macros().significant([*beaten.items()], others, after_claim))


def _pairs_of_claim(comparison: Comparison) -> list[set[str]]:
    """Return the pairs that the sentence on the claim names as significantly different."""
    decision, beats, order = decide(comparison), comparison.beats, comparison.order
    if decision.claim == "leads":
        better, worse = decision.ahead, [name for name in order if name not in decision.ahead]
    elif decision.claim == "behind":
        better, worse = [name for name in order if name not in decision.behind], decision.behind
    elif decision.claim == "best":
        better, worse = decision.near[:1], order
    elif decision.claim == "contested":
        better, worse = order, decision.near[:1]
    else:
        return []
    return [{a, b} for a in better for b in worse if beats.loc[a, b]]


def _is_in_claim(comparison: Comparison, groups: list[tuple[str, ...]]) -> bool:
    """Return whether the claim says that the algorithms of the only group do not differ."""
    decision = decide(comparison)
    others = [name for name in comparison.order if name not in decision.behind]
    alike = {"leads": decision.ahead, "behind": others}.get(decision.claim, ())
    return len(groups) == 1 and {*groups[0]} == {*alike}


def _groups_named(comparison: Comparison) -> str:
    """Return a sentence naming the groups without a significant difference; "" if none, too many or too large ones."""
    groups = [group for group in comparison.groups if len(group) > 1 and len(comparison.order) > 2]
    if (
        not groups
        or len(groups) > _LISTED
        or _is_in_claim(comparison, groups)
        or max(map(len, groups)) > min(_LISTED, len(comparison.order) - 1)
    ):
        return ""
    return _macros().groups([format_set(group) for group in groups])
