"""Sentences for a paper on the comparison of several algorithms."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, NamedTuple

from stats_core.comparison.decide import Decision, decide
from stats_core.comparison.result import Comparison, Standing
from stats_core.core.formatting import MANY, capitalize_first, format_count, join_names, p_phrase
from stats_core.core.messages import IN_PAPER, Message, read_macros
from stats_core.report import latex_report
from stats_core.report.effect_text import describe_effect, describe_equivalence, needs_more_sets
from stats_core.report.methods_text import compared_on, methods_pieces
from stats_core.report.references import bibtex
from stats_core.report.verdict import headline_parts, verdict

# claims that `paper.jinja` writes
CLAIMS = ("best", "leads", "behind", "few", "contested", "circle", "nothing", "no pair", "pairs only")
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

    def ps(self, first: str, others: Sequence[str]) -> list[_P]:
        """Return the p-values that decide about pairs of one with each of the others."""
        return [self._p(first, name) for name in others]

    def ps_of_all(self, names: Sequence[str]) -> list[_P]:
        """Return the p-values of pairs of one of these and one of the others."""
        return [self._p(a, b) for a in names for b in self.c.order if b not in names]

    def _p(self, first: str, second: str) -> _P:
        rows, names = self.c.tested(), (first, second)
        pvalues = rows.loc[rows["first"].isin(names) & rows["second"].isin(names), "p adjusted"]
        return _P(float(pvalues.iloc[0]), self.c.published_p(first, second))

    def p_phrase(self, values: Sequence[_P]) -> str:
        """Return a p-value as text, or for several the largest as a bound."""
        return _format_pvalue(self.c, max(values), self.adjusted, most=len(values) > 1)

    def smallest(self, values: Sequence[_P]) -> str:
        """Return the smallest of several p-values as text."""
        return _format_pvalue(self.c, min(values), f"smallest {self.adjusted}")

    def beaten_by(self, first: str) -> list[str]:
        """Return the algorithms that one is significantly better than."""
        return [name for name in self.c.order if self.c.beats.loc[first, name]]

    def better_than(self, first: str) -> list[str]:
        """Return the algorithms that are significantly better than one."""
        return [name for name in self.c.order if self.c.beats.loc[name, first]]

    def any_apart(self, names: Sequence[str]) -> bool:
        """Return whether any two of the algorithms differ significantly."""
        return any({*pair} <= {*names} for pair in self.d.apart)

    def against(self, first: str, others: Sequence[str]) -> str:
        """Return algorithms with their values and the p-values of their tests against `first`."""
        pvalues = self.ps(first, others)
        if len(others) > _NAMED:
            return f"{join_names(others, MANY, last='or')} ({self.smallest(pvalues)})"
        labels = [f"{name} ({self.by.of(name)}; {self.p_phrase([p])})" for name, p in zip(others, pvalues, strict=True)]
        return _joined(labels, "or")

    def rest(self, some: Sequence[str]) -> str:
        """Return the names of all other algorithms, or their number."""
        others = [name for name in self.c.order if name not in some]
        if len(others) <= _NAMED:
            return join_names(others)
        how_many = _WORDS[len(others)] if len(others) < len(_WORDS) else f"{len(others):,}"
        return f"the other {how_many} {self.c.noun}s"


def _format_pvalue(c: Comparison, p: _P, name: str = "p", *, most: bool = False) -> str:
    """Return a p-value as text, with the published one if it differs."""
    alpha = c.settings.alpha
    text = p_phrase(p.value, alpha, name, at_most=most)
    if p.published is None:
        return text
    return f"{text}; published df: {p_phrase(p.published, alpha, at_most=most)}"


def describe_claim(c: Comparison, d: Decision) -> str:
    """Return the sentences on a claim about several algorithms; "" for other kinds."""
    by = c.ordered_by
    if by is None or len(c.order) < 3 or c.decided_elsewhere or d.claim not in CLAIMS:
        return ""
    claim = _Claim(c=c, d=d, by=by)
    text = getattr(_macros(), f"claim_{d.claim.replace(' ', '_')}")(claim).strip()
    size = [] if d.size is None or d.claim in ("nothing", "no pair") else describe_effect(c, d)
    return " ".join(part for part in (text, *size, needs_more_sets(c, d), _macros().overall(claim)) if part)


@cache
def _macros() -> Any:
    return read_macros(
        "report/paper.jinja", describe_tests=describe_tests, describe_omnibus=_describe_omnibus, joined=_joined
    )


def describe_tests(c: Comparison) -> str:
    """Return the tests with the omnibus p-value and the significance level."""
    alpha = c.settings.alpha
    level = f"\N{GREEK SMALL LETTER ALPHA} = {alpha:g}"
    if c.first_test is None:
        return f"{c.test_name}, {level}"
    return f"{_describe_omnibus(c)}, then {c.test_name}, {level}"


def _describe_omnibus(c: Comparison) -> str:
    """Return the omnibus test with its p-value."""
    assert c.first_test is not None
    p = _P(float(c.first_test.outcome.pvalue), c.first_test.published)
    return f"{c.first_test.name}, {_format_pvalue(c, p)}"


def _joined(parts: Sequence[str], last: str = "and") -> str:
    """Join parts that contain semicolons in brackets."""
    return parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])} {last} {parts[-1]}"


BESIDE = ("beside",)  # codes of notes on tests that do not decide


def paper_sentence(comparison: Comparison) -> str:
    r"""Return the result of a comparison as sentences for a paper.

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
    claim = describe_claim(comparison, decision)
    first = (
        [claim]
        if claim
        else [verdict_text.full or verdict_text.headline, *headline_parts(comparison, decision, MANY)[1:]]
    )
    return " ".join(part for part in (*first, describe_equivalence(comparison), *notes) if part)


def latex_block(comparison: Comparison) -> str:
    r"""Return LaTeX to paste into a paper: result, methods, caption and references.

    Examples
    --------
    >>> from stats_core.comparison.analyse import analyse
    >>> from stats_core.io.read import read_results
    >>> results = read_results(("acc.csv", b"dataset,rf_2,svm\niris,0.9,0.8\nwine,0.7,0.6\n"))
    >>> print(latex_block(analyse(results)).splitlines()[0])
    % The result
    """
    pieces, spelled = methods_pieces(comparison), latex_report.latex_name_replacer(comparison)
    keys = dict.fromkeys(key for piece in pieces for key in piece.keys)
    parts = [
        "% The result",
        latex_report.latex_prose(spelled(paper_sentence(comparison))),
        "",
        "% Methods",
        latex_report.text_with_citations(pieces, spelled),
        "",
        "% Caption",
        rf"\caption{{{latex_report.latex_prose(spelled(paper_caption(comparison)))}}}",
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
        tests = f"Tests: {describe_tests(comparison)}."
    else:
        tests = "Nothing was tested."
    return f"Comparison of {algorithms}{compared_on(comparison)} by {by}. {tests}"
