"""The claim of several algorithms as sentences for a paper: names, values, p-values, in the past tense."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from stats_core.comparison.claims import Decision, first_said
from stats_core.comparison.decide import decide
from stats_core.comparison.effect_text import describe_effect, describe_equivalence
from stats_core.comparison.performance_values import Standing
from stats_core.comparison.result import Comparison
from stats_core.comparison.verdict import headline_parts, verdict
from stats_core.core.formatting import MANY, capitalize_first, format_count, join_names, p_said
from stats_core.core.messages import IN_PAPER, Message
from stats_core.report.latex_report import latex_name_replacer, text_with_citations
from stats_core.report.latex_table import latex_prose
from stats_core.report.methods_text import compared_on, methods_pieces
from stats_core.report.references import bibtex

_NAMED = 4  # algorithms named one by one where the others are "the other six algorithms"
_WORDS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine")


class _P(NamedTuple):
    """A p-value, and what it is with the published degrees of freedom; None where that is the same."""

    value: float
    published: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Claim:
    """A comparison, what may be claimed of it, and what its algorithms are ordered by."""

    c: Comparison
    d: Decision
    by: Standing

    @property
    def over(self) -> str:
        """Where it was compared, as the beginning of a sentence."""
        if self.c.scope == "data sets":
            return f"Over {self.c.counted}"
        return f"On {self.c.results.datasets[0]} ({self.c.counted})"

    @property
    def adjusted(self) -> str:
        """What a p-value is called."""
        return "adjusted p" if self.c.guarantee.adjusted else "unadjusted p"

    def p(self, first: str, second: str) -> _P:
        """Return the p-value that decides about two."""
        rows, two = self.c.tested(), (first, second)
        found = rows.loc[rows["first"].isin(two) & rows["second"].isin(two), "p adjusted"]
        return _P(float(found.iloc[0]), self.c.published_p(first, second))

    def p_said(self, *values: _P, name: str = "") -> str:
        """Write a p-value, or of several the largest as a bound."""
        return _said(self.c, max(values), name or self.adjusted, most=len(values) > 1)

    def smallest(self, *values: _P) -> str:
        """Write the smallest of several p-values."""
        return self.p_said(min(values), name=f"smallest {self.adjusted}")

    def against(self, first: str, others: Sequence[str]) -> str:
        """Name algorithms with their values and the p-values of their tests against another."""
        found = [self.p(first, one) for one in others]
        if len(others) > _NAMED:
            return f"{join_names(others, MANY, last='or')} ({self.smallest(*found)})"
        said = [
            f"{one} ({self.by.of(one)}; {self.p_said(p)})"
            for one, p in zip(others, found, strict=True)
        ]
        return _joined(said, "or")

    def rest(self, some: Sequence[str]) -> str:
        """Name all others than some, or say how many they are."""
        others = [name for name in self.c.order if name not in some]
        if len(others) <= _NAMED:
            return join_names(others)
        how_many = _WORDS[len(others)] if len(others) < len(_WORDS) else f"{len(others):,}"
        return f"the other {how_many} {self.c.noun}s"


def _said(c: Comparison, p: _P, name: str = "p", *, most: bool = False) -> str:
    """Write a p-value with the published one where that is another."""
    alpha = c.settings.alpha
    said = p_said(p.value, alpha, name, most=most)
    if p.published is None:
        return said
    return f"{said}; published df: {p_said(p.published, alpha, most=most)}"


def claim_said(c: Comparison, d: Decision) -> str:
    """Say what is claimed of several algorithms, with the numbers it rests on; "" of other kinds."""
    by = c.ordered_by
    if by is None or len(c.order) < 3 or c.decided_elsewhere or d.claim not in CLAIMS:
        return ""
    claim = _Claim(c=c, d=d, by=by)
    size = [] if d.size is None or d.claim in ("nothing", "no pair") else describe_effect(c, d)
    ranged = f"The {by.name} ranged from {by.range}."
    parts = (first_said(c, d), *CLAIMS[d.claim](claim), *size, _overall(claim), ranged)
    return " ".join(part for part in parts if part)


def _overall(s: _Claim) -> str:
    """Say how many pairs differ, by which tests."""
    if not s.d.separated:
        return f"Tests: {tests_said(s.c)}."
    return f"Overall, {_of_pairs(s)} differed significantly ({tests_said(s.c)})."


def _of_pairs(s: _Claim) -> str:
    return f"{s.d.separated:,} of {format_count(len(s.c.tested()), 'pair')}"


def tests_said(c: Comparison) -> str:
    """Name the tests, with the p of the first, and the level."""
    alpha = c.settings.alpha
    level = f"\N{GREEK SMALL LETTER ALPHA} = {alpha:g}"
    if c.first_test is None:
        return f"{c.post}, {level}"
    first = _said(c, _P(float(c.first_test.outcome.pvalue), c.first_test.published))
    return f"{c.first_test.name}, {first}, then {c.post}, {level}"


def _joined(said: Sequence[str], last: str = "and") -> str:
    """Join parts that hold semicolons in brackets."""
    return said[0] if len(said) == 1 else f"{', '.join(said[:-1])} {last} {said[-1]}"


def _verb(some: Sequence[str]) -> str:
    return "was" if len(some) == 1 else "were"


def _best(s: _Claim) -> list[str]:
    first, others = s.d.near[0], list(s.d.near[1:])
    had = f"{s.over}, {first} had the {s.by.best} {s.by.name} ({s.by.of(first)})"
    if len(others) == len(s.c.order) - 1:
        least = s.smallest(*(s.p(first, one) for one in others))
        return [f"{had}, but did not differ significantly from any other {s.c.noun} ({least})."]
    said = [f"{had}."]
    if others:
        said = [f"{had}, but did not differ significantly from {s.against(first, others)}."]
    beaten = [name for name in s.c.order if s.c.beats.loc[first, name]]
    if beaten:
        whole = {*beaten, *s.d.near} == {*s.c.order}
        rest = s.rest(s.d.near) if whole else join_names(beaten, MANY)
        p = s.p_said(*(s.p(first, one) for one in beaten))
        said.append(f"{first} was significantly better than {rest} ({p}).")
    return said


def _apart(s: _Claim, some: Sequence[str], rest: Sequence[str], word: str) -> str:
    """Say that each of some is better, or worse, than each of the rest."""
    p = s.p_said(*(s.p(a, b) for a in some for b in rest))
    return (
        f"{s.over}, {_joined(s.by.valued(some))} {_verb(some)} significantly {word} than "
        f"{s.rest(some)} in {s.c.settings.measure} ({p})."
    )


def _leads(s: _Claim) -> list[str]:
    ahead, rest = list(s.d.ahead), [name for name in s.c.order if name not in s.d.ahead]
    return [_apart(s, ahead, rest, "better"), *_alike(s, ahead)]


def _behind(s: _Claim) -> list[str]:
    behind, rest = list(s.d.behind), [name for name in s.c.order if name not in s.d.behind]
    first = s.d.near[0]
    return [
        _apart(s, behind, rest, "worse"),
        f"{first} had the {s.by.best} {s.by.name} ({s.by.of(first)}).",
        *_alike(s, rest),
    ]


def _alike(s: _Claim, some: Sequence[str]) -> list[str]:
    """Say that no two of some differ, where that is so."""
    pairs = {frozenset((a, b)) for i, a in enumerate(some) for b in some[:i]}
    if not pairs or pairs & {frozenset(pair) for pair in s.d.apart}:
        return []
    if len(some) == 2:
        return [f"{some[0]} and {some[1]} did not differ significantly."]
    return [f"No two of {join_names(some, MANY)} differed significantly."]


def _few(s: _Claim) -> list[str]:
    said = []
    for a, b in s.d.apart:
        sided = s.c.beats.loc[a, b]
        verb = "was significantly better than" if sided else "differed significantly from"
        said.append(f"{a} {verb} {b} ({s.p_said(s.p(a, b))})")
    others = len(s.c.tested()) - len(said)
    left = "The other pair did not differ significantly."
    if others > 1:
        left = f"None of the other {others:,} pairs differed significantly."
    return [f"{s.over}, in {s.c.settings.measure}, {_joined(said)}.", left]


def _contested(s: _Claim) -> list[str]:
    first = s.d.near[0]
    better = [name for name in s.c.order if s.c.beats.loc[name, first]]
    p = s.p_said(*(s.p(first, one) for one in better))
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
    """Name the test of all at once with its p-value."""
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


BESIDE = ("beside",)  # codes of notes about tests that do not decide


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
    said, found = verdict(comparison), decide(comparison)
    notes = [
        note.said(IN_PAPER) if isinstance(note, Message) else note
        for note in said.notes
        if not (isinstance(note, Message) and note.code in BESIDE)
    ]
    claim = claim_said(comparison, found)
    first = (
        [claim]
        if claim
        else [said.full or said.headline, *headline_parts(comparison, found, MANY)[1:]]
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
    """Say what is compared, on what, by which measure, and how it was tested."""
    what = format_count(len(comparison.results.algorithms), "algorithm")
    by = join_names(comparison.together, MANY) or comparison.measure_label
    if comparison.decided_elsewhere:
        tested = f"{capitalize_first(comparison.post)}."
    elif comparison.guarantee.comparisons:
        tested = f"Tests: {tests_said(comparison)}."
    else:
        tested = "Nothing was tested."
    return f"Comparison of {what}{compared_on(comparison)} by {by}. {tested}"
