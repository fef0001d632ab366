"""Sentences for a paper on the comparison of several algorithms."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from stats_core.comparison.decide import Decision, decide
from stats_core.comparison.result import Comparison, Standing
from stats_core.core.formatting import MANY, capitalize_first, format_count, join_names, p_phrase
from stats_core.core.messages import IN_PAPER, Message
from stats_core.report.effect_text import describe_effect, describe_equivalence, preface
from stats_core.report.latex_report import latex_name_replacer, text_with_citations
from stats_core.report.latex_table import latex_prose
from stats_core.report.methods_text import compared_on, methods_pieces
from stats_core.report.references import bibtex
from stats_core.report.verdict import headline_parts, verdict

_NAMED = 4  # maximum number of algorithms listed; more become "the other six algorithms"
_WORDS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine")


class _P(NamedTuple):
    """A p-value and its value with the published degrees of freedom, None if the same."""

    value: float
    published: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Claim:
    """A comparison with its decision and the values that order its algorithms."""

    c: Comparison
    d: Decision
    by: Standing

    @property
    def over(self) -> str:
        """Opening phrase with the data sets or folds compared."""
        if self.c.scope == "data sets":
            return f"Over {self.c.counted}"
        return f"On {self.c.results.datasets[0]} ({self.c.counted})"

    @property
    def adjusted(self) -> str:
        """Name of the p-values: adjusted or unadjusted."""
        return "adjusted p" if self.c.guarantee.adjusted else "unadjusted p"

    def p(self, first: str, second: str) -> _P:
        """Return the p-value that decides about a pair."""
        rows, names = self.c.tested(), (first, second)
        pvalues = rows.loc[rows["first"].isin(names) & rows["second"].isin(names), "p adjusted"]
        return _P(float(pvalues.iloc[0]), self.c.published_p(first, second))

    def p_phrase(self, *values: _P, name: str = "") -> str:
        """Return a p-value as text, or for several the largest as a bound."""
        return _said(self.c, max(values), name or self.adjusted, most=len(values) > 1)

    def smallest(self, *values: _P) -> str:
        """Return the smallest of several p-values as text."""
        return self.p_phrase(min(values), name=f"smallest {self.adjusted}")

    def against(self, first: str, others: Sequence[str]) -> str:
        """Return algorithms with their values and the p-values of their tests against `first`."""
        pvalues = [self.p(first, name) for name in others]
        if len(others) > _NAMED:
            return f"{join_names(others, MANY, last='or')} ({self.smallest(*pvalues)})"
        labels = [f"{name} ({self.by.of(name)}; {self.p_phrase(p)})" for name, p in zip(others, pvalues, strict=True)]
        return _joined(labels, "or")

    def rest(self, some: Sequence[str]) -> str:
        """Return the names of all other algorithms, or their number."""
        others = [name for name in self.c.order if name not in some]
        if len(others) <= _NAMED:
            return join_names(others)
        how_many = _WORDS[len(others)] if len(others) < len(_WORDS) else f"{len(others):,}"
        return f"the other {how_many} {self.c.noun}s"


def _said(c: Comparison, p: _P, name: str = "p", *, most: bool = False) -> str:
    """Return a p-value as text, with the published one if it differs."""
    alpha = c.settings.alpha
    text = p_phrase(p.value, alpha, name, at_most=most)
    if p.published is None:
        return text
    return f"{text}; published df: {p_phrase(p.published, alpha, at_most=most)}"


def claim_said(c: Comparison, d: Decision) -> str:
    """Return the sentences on a claim about several algorithms; "" for other kinds."""
    by = c.ordered_by
    if by is None or len(c.order) < 3 or c.decided_elsewhere or d.claim not in CLAIMS:
        return ""
    claim = _Claim(c=c, d=d, by=by)
    size = [] if d.size is None or d.claim in ("nothing", "no pair") else describe_effect(c, d)
    range_sentence = f"The {by.name} ranged from {by.range}."
    parts = (preface(c, d), *CLAIMS[d.claim](claim), *size, _overall(claim), range_sentence)
    return " ".join(part for part in parts if part)


def _overall(s: _Claim) -> str:
    """Return a sentence with the number of differing pairs and the tests."""
    if not s.d.separated:
        return f"Tests: {tests_said(s.c)}."
    return f"Overall, {_of_pairs(s)} differed significantly ({tests_said(s.c)})."


def _of_pairs(s: _Claim) -> str:
    return f"{s.d.separated:,} of {format_count(len(s.c.tested()), 'pair')}"


def tests_said(c: Comparison) -> str:
    """Return the tests with the omnibus p-value and the significance level."""
    alpha = c.settings.alpha
    level = f"\N{GREEK SMALL LETTER ALPHA} = {alpha:g}"
    if c.first_test is None:
        return f"{c.test_name}, {level}"
    first = _said(c, _P(float(c.first_test.outcome.pvalue), c.first_test.published))
    return f"{c.first_test.name}, {first}, then {c.test_name}, {level}"


def _joined(parts: Sequence[str], last: str = "and") -> str:
    """Join parts that contain semicolons in brackets."""
    return parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])} {last} {parts[-1]}"


def _verb(names: Sequence[str]) -> str:
    return "was" if len(names) == 1 else "were"


def _best(s: _Claim) -> list[str]:
    first, others = s.d.near[0], list(s.d.near[1:])
    opening = f"{s.over}, {first} had the {s.by.best} {s.by.name} ({s.by.of(first)})"
    if len(others) == len(s.c.order) - 1:
        least = s.smallest(*(s.p(first, name) for name in others))
        return [f"{opening}, but did not differ significantly from any other {s.c.noun} ({least})."]
    sentences = [f"{opening}."]
    if others:
        sentences = [f"{opening}, but did not differ significantly from {s.against(first, others)}."]
    beaten = [name for name in s.c.order if s.c.beats.loc[first, name]]
    if beaten:
        covers_all = {*beaten, *s.d.near} == {*s.c.order}
        others_text = s.rest(s.d.near) if covers_all else join_names(beaten, MANY)
        p = s.p_phrase(*(s.p(first, name) for name in beaten))
        sentences.append(f"{first} was significantly better than {others_text} ({p}).")
    return sentences


def _apart(s: _Claim, names: Sequence[str], others: Sequence[str], word: str) -> str:
    """Return a sentence that each of `some` is better or worse than each of `rest`."""
    p = s.p_phrase(*(s.p(a, b) for a in names for b in others))
    return (
        f"{s.over}, {_joined(s.by.valued(names))} {_verb(names)} significantly {word} than "
        f"{s.rest(names)} in {s.c.settings.measure} ({p})."
    )


def _leads(s: _Claim) -> list[str]:
    ahead, others = list(s.d.ahead), [name for name in s.c.order if name not in s.d.ahead]
    return [_apart(s, ahead, others, "better"), *_alike(s, ahead)]


def _behind(s: _Claim) -> list[str]:
    behind, others = list(s.d.behind), [name for name in s.c.order if name not in s.d.behind]
    first = s.d.near[0]
    return [
        _apart(s, behind, others, "worse"),
        f"{first} had the {s.by.best} {s.by.name} ({s.by.of(first)}).",
        *_alike(s, others),
    ]


def _alike(s: _Claim, names: Sequence[str]) -> list[str]:
    """Return a sentence if no two of the named algorithms differ."""
    pairs = {frozenset((a, b)) for i, a in enumerate(names) for b in names[:i]}
    if not pairs or pairs & {frozenset(pair) for pair in s.d.apart}:
        return []
    if len(names) == 2:
        return [f"{names[0]} and {names[1]} did not differ significantly."]
    return [f"No two of {join_names(names, MANY)} differed significantly."]


def _few(s: _Claim) -> list[str]:
    labels = []
    for a, b in s.d.apart:
        directed = s.c.beats.loc[a, b]
        verb = "was significantly better than" if directed else "differed significantly from"
        labels.append(f"{a} {verb} {b} ({s.p_phrase(s.p(a, b))})")
    others = len(s.c.tested()) - len(labels)
    ending = "The other pair did not differ significantly."
    if others > 1:
        ending = f"None of the other {others:,} pairs differed significantly."
    return [f"{s.over}, in {s.c.settings.measure}, {_joined(labels)}.", ending]


def _contested(s: _Claim) -> list[str]:
    first = s.d.near[0]
    better = [name for name in s.c.order if s.c.beats.loc[name, first]]
    p = s.p_phrase(*(s.p(first, name) for name in better))
    return [
        f"{s.over}, {first} had the {s.by.best} {s.by.name} ({s.by.of(first)}), but in pairwise tests "
        f"{_joined(s.by.valued(better))} {_verb(better)} significantly better than {first} ({p})."
    ]


def _circle(s: _Claim) -> list[str]:
    return [
        f"{s.over}, each of {len(s.c.order)} {s.c.noun}s was significantly worse than another one in "
        f"{s.c.settings.measure}."
    ]


def _closest(s: _Claim) -> str:
    row = s.c.tested().iloc[0]
    return f"{s.smallest(s.p(row['first'], row['second']))}, {row['first']} and {row['second']}"


def _nothing(s: _Claim) -> list[str]:
    return [
        f"{s.over}, no two of {len(s.c.order)} {s.c.noun}s differed significantly in "
        f"{s.c.settings.measure} ({_closest(s)})."
    ]


def _no_pair(s: _Claim) -> list[str]:
    return [
        f"{s.over}, the {len(s.c.order)} {s.c.noun}s differed significantly in {s.c.settings.measure} "
        f"({_first(s)}), but no two of them did ({_closest(s)})."
    ]


def _pairs_only(s: _Claim) -> list[str]:
    return [
        f"{s.over}, the test of all {s.c.noun}s at once found no significant difference in "
        f"{s.c.settings.measure} ({_first(s)}), but {_of_pairs(s)} differed significantly."
    ]


def _first(s: _Claim) -> str:
    """Return the omnibus test with its p-value."""
    first = s.c.first_test
    assert first is not None
    return f"{first.name}, {_said(s.c, _P(float(first.outcome.pvalue), first.published))}"


CLAIMS: dict[str, Callable[[_Claim], list[str]]] = {
    "best": _best,
    "leads": _leads,
    "behind": _behind,
    "few": _few,
    "contested": _contested,
    "circle": _circle,
    "nothing": _nothing,
    "no pair": _no_pair,
    "pairs only": _pairs_only,
}


BESIDE = ("beside",)  # codes of notes on tests that do not decide


def paper_sentence(comparison: Comparison) -> str:
    r"""What does a paper print of this comparison?

    Examples
    --------
    >>> from stats_core.comparison.analyse import analyse
    >>> from stats_core.io.read import read_results
    >>> results = read_results(("acc.csv", b"dataset,rf,svm\niris,0.9,0.8\nwine,0.7,0.6\n"))
    >>> print(paper_sentence(analyse(results)).split(". ")[0])
    2 data sets are too few to decide
    """
    verdict_text, decision = verdict(comparison), decide(comparison)
    notes = [
        note.said(IN_PAPER) if isinstance(note, Message) else note
        for note in verdict_text.notes
        if not (isinstance(note, Message) and note.code in BESIDE)
    ]
    claim = claim_said(comparison, decision)
    first = (
        [claim]
        if claim
        else [verdict_text.full or verdict_text.headline, *headline_parts(comparison, decision, MANY)[1:]]
    )
    return " ".join(part for part in (*first, describe_equivalence(comparison), *notes) if part)


def latex_block(comparison: Comparison) -> str:
    r"""What can be pasted into a paper: sentence, methods, caption and references, as LaTeX?

    Examples
    --------
    >>> from stats_core.comparison.analyse import analyse
    >>> from stats_core.io.read import read_results
    >>> results = read_results(("acc.csv", b"dataset,rf_2,svm\niris,0.9,0.8\nwine,0.7,0.6\n"))
    >>> print(latex_block(analyse(results)).splitlines()[0])
    % The result
    """
    pieces, spelled = methods_pieces(comparison), latex_name_replacer(comparison)
    keys = dict.fromkeys(key for piece in pieces for key in piece.keys)
    parts = [
        "% The result",
        latex_prose(spelled(paper_sentence(comparison))),
        "",
        "% Methods",
        text_with_citations(pieces, spelled),
        "",
        "% Caption",
        rf"\caption{{{latex_prose(spelled(paper_caption(comparison)))}}}",
        "",
        "% For the .bib file",
        bibtex(keys).strip(),
    ]
    return "\n".join(parts).rstrip() + "\n"


def paper_caption(comparison: Comparison) -> str:
    """Return a caption with algorithms, data sets, measure and tests."""
    algorithms = format_count(len(comparison.results.algorithms), "algorithm")
    by = join_names(comparison.together, MANY) or comparison.measure_label
    if comparison.decided_elsewhere:
        tests = f"{capitalize_first(comparison.test_name)}."
    elif comparison.guarantee.comparisons:
        tests = f"Tests: {tests_said(comparison)}."
    else:
        tests = "Nothing was tested."
    return f"Comparison of {algorithms}{compared_on(comparison)} by {by}. {tests}"
