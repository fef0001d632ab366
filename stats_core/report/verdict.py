"""Verdict on a comparison as text; `verdict_claims` has the sentences on claims."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import pandas as pd

from stats_core.comparison import conclusion_scope, result
from stats_core.comparison.decide import (
    DECIDED,
    LIMITED,
    NOT_SEPARATED,
    Decision,
    decide,
    reported_pair,
)
from stats_core.comparison.kinds import strata
from stats_core.comparison.result import Comparison, HasComparison, comparison_of
from stats_core.core import formatting
from stats_core.core.messages import IN_PAPER, TO_USER, Audience, Message, message
from stats_core.core.validation import significant
from stats_core.report import effect_text, verdict_claims

_ADVICE = {"one algorithm": "Add an algorithm.", "pairs only": "Report the rule."}
SHOWN = 4  # maximum number of names in a headline on the screen


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """Verdict on a comparison as text.

    Attributes
    ----------
    badge : str
        As decided, see `Decision`; orders have some of their own.
    headline : str
        Claim with its criterion, at most 25 words when names are short.
    size : str
        Size of the difference: with badge and headline at most 45 words when names are short.
    numbers : str
        Further numbers: standing, tests, number of differing pairs, equivalence.
    notes : tuple of Message or str
        Choices and warnings the reader must know.
    advice : str
        Advice to the user; left out in a paper.
    full : str
        The headline with every name that is claimed, for a paper; "" where it is the same.
    """

    badge: str
    headline: str
    size: str = ""
    numbers: str = ""
    notes: tuple[Message | str, ...] = ()
    advice: str = ""
    full: str = ""

    def __str__(self) -> str:
        """Return the headline."""
        return self.headline

    @property
    def detail(self) -> str:
        """Effect size and test results as text."""
        return f"{self.size} {self.numbers}".strip()

    @property
    def sentences(self) -> str:
        """Headline, detail, advice and notes as one paragraph for the user."""
        return self.said(TO_USER)

    def said(self, voice: Audience = IN_PAPER) -> str:
        """Return the verdict as one paragraph for an audience (user or paper)."""
        notes = [note.said(voice) if isinstance(note, Message) else note for note in self.notes]
        advice = "" if voice.in_paper else self.advice
        first = (self.full if voice.in_paper else "") or self.headline
        parts = (first, self.detail, advice, *notes)
        return " ".join(part for part in parts if part)


def verdict(comparison: Comparison | HasComparison) -> Verdict:
    r"""Return the verdict on a comparison: headline, numbers and notes.

    Parameters
    ----------
    comparison : Comparison
        From `analyse`.

    Returns
    -------
    Verdict
        Headline, numbers and notes; "no significant difference" is never written as "equal".

    Raises
    ------
    SettingError
        Not a comparison.

    Examples
    --------
    >>> import stats_core as fw
    >>> rows = "".join(f"set{i},0.9{i},0.8{i}\n" for i in range(6))
    >>> results = fw.read_results(("accuracy.csv", f"dataset,rf,svm\n{rows}".encode()))
    >>> fw.verdict(fw.analyse(results)).headline
    'rf is significantly better than svm in accuracy over 6 data sets.'
    """
    comparison = comparison_of(comparison)
    decision = decide(comparison)
    headline, size, numbers = _headline_parts(comparison, decision, SHOWN)
    advice = _ADVICE.get(decision.claim, "")
    return Verdict(
        badge=decision.badge,
        headline=headline,
        full=verdict_claims.describe_claim(comparison, decision, formatting.MANY).headline,
        size=size,
        numbers=f"{numbers} {effect_text.describe_equivalence(comparison)}".strip(),
        advice=advice,
        notes=(*_notes(comparison), *_opposite_benchmarks(comparison)),
    )


def _notes(c: Comparison) -> tuple[Message, ...]:
    """Return the notes of a comparison, first the meaning of the false discovery rate if pairs differ by it."""
    discoveries = c.guarantee.bounds == result.FDR and c.pairs.differing
    return (*([message(result.FDR, alpha=c.settings.alpha)] if discoveries else []), *c.notes)


def _opposite_benchmarks(c: Comparison) -> list[Message]:
    """Return a note on benchmarks whose difference has the opposite sign of that over all instances; [] if none."""
    stratified = strata.stratified_of(c)
    if stratified is None:
        return []
    agrees = stratified.pooled["estimate"] * stratified.macro["estimate"] >= 0
    if agrees and not stratified.opposite:
        return []
    ahead, behind = stratified.ahead_first(c.higher_is_better)
    about = {
        "measure": c.measure_name,
        "opposite": tuple(stratified.opposite),
        "agrees": bool(agrees),
    }
    return [message("opposite benchmarks", ahead=ahead, behind=behind, **about)]


def headline(comparison: Comparison) -> str:
    """Return the headline of a comparison."""
    return verdict_claims.describe_claim(comparison, decide(comparison), SHOWN).headline


def _headline_parts(c: Comparison, d: Decision, most: int) -> tuple[str, str, str]:
    """Return headline, effect size and numbers, naming at most `most` algorithms."""
    headline, size, numbers = verdict_claims.describe_claim(c, d, most)
    if not size:
        size, contradiction = effect_text.describe_effect(c, replace(d, size=reported_pair(c, d)))
        numbers = f"{numbers} {contradiction}".strip()
    return headline, f"{size} {effect_text.needs_more_sets(c, d)}".strip(), numbers


def among_all(own: Comparison, every: Comparison) -> Verdict | None:
    r"""Return the verdict on one pair among all pairs, adjusted for all comparisons.

    None if `every` does not compare the pair, or differs from `own` in scope other than the
    algorithms.

    Examples
    --------
    >>> from stats_core import Settings, analyse, read_results
    >>> rows = "".join(f"set{i},0.9{i},0.8{i},0.7{i}\n" for i in range(5))
    >>> results = read_results(("acc.csv", f"dataset,rf,svm,knn\n{rows}".encode()))
    >>> own = analyse(results, Settings(pair=("rf", "knn")))
    >>> print(among_all(own, analyse(results)).headline)
    rf is significantly better than knn in accuracy over 5 data sets.
    """
    pair, tested = own.order[:2], every.pairs.decisions
    row = tested[tested["first"].isin(pair) & tested["second"].isin(pair)]
    differ_in = ["algorithms"]
    if every.results.failures == "present":  # a pair is tested on the data sets that it shares
        differ_in.append("datasets")
    if not len(row) or not conclusion_scope.may_cite(own, every, naming=differ_in):
        return None
    claim = decide(every)
    first, second = _better_first(every, row.iloc[0])
    differ = bool(row["separated"].iloc[0])
    minuend = str(own.pairs.decisions["first"].iloc[0])
    size, contradiction = effect_text.describe_effect(
        every, replace(claim, size=(first, second)), first=minuend
    )
    badge = LIMITED if claim.badge == LIMITED else DECIDED if differ else NOT_SEPARATED
    pairs = f"{formatting.format_count(len(tested), 'pair')} of {formatting.format_count(len(every.order), 'algorithm')}"
    tests = f"{formatting.capitalize_first(verdict_claims.name_tests(every))}, {pairs}."
    p = effect_text.describe_pvalue(every, first, second)
    if p not in size:  # an effect is written with its p-value
        tests = f"{tests[:-1]}: {p}."
    return Verdict(
        badge=badge,
        headline=verdict_claims.pair_among_all(every, first, second, describe_scope(own)),
        size=size,
        numbers=" ".join(
            part
            for part in (tests, contradiction, effect_text.no_difference_possible(every))
            if part
        ),
        notes=(if_chosen_beforehand(own), *_notes(every)),
    )


def if_chosen_beforehand(own: Comparison) -> str:
    """Return a sentence on the pair's unadjusted test, which is valid only for a pair chosen beforehand."""
    headline, size, numbers = _headline_parts(own, decide(own), SHOWN)
    undecided = own.obstacle or not significant(own.least.pvalue, own.settings.alpha)
    return verdict_claims.if_chosen_beforehand(
        own, f"{headline} {size}".strip() if undecided else size or numbers
    )


def _better_first(family_comparison: Comparison, row: pd.Series) -> tuple[str, str]:
    first, second = row["first"], row["second"]
    return (second, first) if family_comparison.beats.loc[second, first] else (first, second)


def describe_scope(comparison: Comparison) -> str:
    """Return measure, units compared and any control as in the headline: "in error over 38 data sets".

    Examples
    --------
    >>> import pandas as pd
    >>> from stats_core import Results, analyse
    >>> table = pd.DataFrame({"dataset": list("uuuvvv"), "algorithm": list("abcabc"),
    ...                       "error": [0.1, 0.2, 0.3, 0.1, 0.3, 0.2]})
    >>> describe_scope(analyse(Results.from_frame(table)))
    'in error over 2 data sets'
    """
    control = comparison.settings.control
    against = f" against {control}" if control else ""
    return f"{verdict_claims.where(comparison)}{against}"


def describe_datasets(names: Sequence[str]) -> str:
    """Return the name of one data set, or the number of several: "on iris", "over 38 data sets"."""
    return f"on {names[0]}" if len(names) == 1 else f"over {len(names)} data sets"
