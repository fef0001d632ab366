"""Verdict on a comparison as text; sentences are in `verdict.jinja`."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

import pandas as pd

from stats_core.comparison import conclusion_scope, result
from stats_core.comparison.decide import (
    DECIDED,
    FEW,
    LIMITED,
    NOT_SEPARATED,
    Decision,
    decide,
    reported_pair,
)
from stats_core.comparison.kinds import (
    BenchmarksComparison,
    CasesComparison,
    ControlComparison,
    FoldPairComparison,
    FoldsComparison,
    PairOnMeasures,
    PresentComparison,
    PublishedDecisions,
    PublishedRanks,
    PublishedWins,
    RanksComparison,
    SeveralOnMeasures,
    TrainingsComparison,
    TwoComparison,
    UntestedComparison,
    WinsComparison,
    strata,
)
from stats_core.comparison.result import Comparison, HasComparison, comparison_of
from stats_core.core import formatting
from stats_core.core.messages import IN_PAPER, TO_USER, Audience, Message, message, read_macros
from stats_core.core.validation import significant
from stats_core.power import detectable
from stats_core.report import effect_text

_PART = "\x1f"  # between headline, size and numbers of a claim
_ADVICE = {"one algorithm": "Add an algorithm.", "pairs only": "Report the rule."}
SHOWN = 4  # maximum number of names in a headline on the screen


@dataclass(frozen=True, slots=True, kw_only=True)
class _Macros:
    """Macros of `verdict.jinja` for a kind of comparison.

    Attributes
    ----------
    claims : str or None
        Macro of the claims that the kind writes itself; None if it has only those of every kind.
    sizes : str
        Macro of the results of the leaders, or of the difference of two algorithms.
    tally : str or None
        Macro of wins, ties and losses of two algorithms.
    """

    claims: str | None
    sizes: str
    tally: str | None = None


_ON_INSTANCES = _Macros(claims="claim_of_cases", sizes="sizes_of_cases")
_MACROS: dict[type[Comparison], _Macros] = {
    RanksComparison: _Macros(claims=None, sizes="sizes_of_ranks"),
    PresentComparison: _Macros(claims=None, sizes="sizes_of_present"),
    ControlComparison: _Macros(claims="claim_of_control", sizes="sizes_of_control"),
    TwoComparison: _Macros(claims=None, sizes="sizes_of_two", tally="tally_of_two"),
    FoldsComparison: _Macros(claims=None, sizes="sizes_of_folds"),
    FoldPairComparison: _Macros(claims="claim_of_fold_pair", sizes="sizes_of_fold_pair"),
    SeveralOnMeasures: _Macros(claims=None, sizes="sizes_of_measures"),
    PairOnMeasures: _Macros(claims="claim_of_pair_on_measures", sizes="sizes_of_pair_on_measures"),
    WinsComparison: _Macros(claims="claim_of_wins", sizes="sizes_of_wins"),
    CasesComparison: _ON_INSTANCES,
    TrainingsComparison: _ON_INSTANCES,
    BenchmarksComparison: _Macros(claims="claim_of_benchmarks", sizes="sizes_of_benchmarks"),
    UntestedComparison: _Macros(claims=None, sizes="sizes_of_untested"),
    PublishedRanks: _Macros(claims=None, sizes="sizes_of_ranks"),
    PublishedWins: _Macros(claims="claim_of_wins", sizes="sizes_of_published_wins"),
    PublishedDecisions: _Macros(
        claims="claim_of_published_decisions", sizes="sizes_of_published_decisions"
    ),
}


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
        full=_worded(comparison, decision, formatting.MANY)[0],
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
    return _worded(comparison, decide(comparison), SHOWN)[0]


def _headline_parts(c: Comparison, d: Decision, most: int) -> tuple[str, str, str]:
    """Return headline, effect size and numbers, naming at most `most` algorithms."""
    headline, size, numbers = _worded(c, d, most)
    if not size:
        size, contradiction = effect_text.describe_effect(c, replace(d, size=reported_pair(c, d)))
        numbers = f"{numbers} {contradiction}".strip()
    return headline, f"{size} {effect_text.needs_more_sets(c, d)}".strip(), numbers


def _worded(c: Comparison, d: Decision, max_names: int) -> tuple[str, str, str]:
    """Return headline, effect size ("" if it is left to `describe_effect`) and numbers from `verdict.jinja`."""
    own = _MACROS[type(c)].claims
    text = "" if own is None else _macro(own)(c, d.claim, d.separated)
    text = text or _macro(f"claim_{d.claim}")(c, d, max_names)
    headline, size, numbers = (" ".join(part.split()) for part in text.split(_PART))
    if isinstance(c, BenchmarksComparison) and len(c.order) > 2 and not c.obstacle:
        headline = f"{headline} {_macro('sizes_decide')(c, c.weights_decide()).strip()}".strip()
    return headline, size, numbers


def _macro(name: str) -> Any:
    """Return a macro of `verdict.jinja`; AttributeError if there is none of this name."""
    return getattr(_macros(), name.replace(" ", "_"))


@cache
def _macros() -> Any:
    """Return the macros of `verdict.jinja` with the functions that they call; cached."""
    functions = (
        describe_scope,
        effect_text.ci,
        effect_text.estimate_label,
        effect_text.published_p_phrase,
        effect_text.pvalue_name,
        effect_text.smallest_pvalue,
        result.everywhere,
        result.rounding_only,
        significant,
    )
    return read_macros(
        "report/verdict.jinja",
        **{function.__name__: function for function in functions},
        sizes=_sizes,
        tally=_tally,
        ahead_by_measure=ahead_by_measure,
        detectable=detectable.detectable,
        best_average=_best_average,
        better_than=lambda c, first: [name for name in c.order if c.beats.loc[name, first]],
        directed=lambda c, pairs: all(c.beats.loc[pair] for pair in pairs),
        in_every=in_every,
        part=_PART,
        FEW=FEW,
    )


def in_every(pairs: Sequence[tuple[str, str]]) -> str:
    """Return the algorithm that all pairs share, "" if there is none."""
    return next(iter(set.intersection(*map(set, pairs))), "")


def _sizes(c: Comparison, near: Sequence[str]) -> str:
    """Return a sentence with the results of the leading algorithms or their differences; "" if none."""
    return _macro(_MACROS[type(c)].sizes)(c, list(near)).strip()


def _tally(c: Comparison) -> str:
    """Return a sentence with wins, ties and losses of two algorithms; "" if not applicable."""
    tally = _MACROS[type(c)].tally
    return "" if tally is None else _macro(tally)(c)


def ahead_by_measure(c: PairOnMeasures) -> dict[str, list[tuple[str, str, str, str]]]:
    """Return for each of two algorithms the measures on which its mean is better.

    Each is a tuple of texts: "higher" or "lower", the measure, the algorithm's mean and the
    other's.
    """
    ahead: dict[str, list[tuple[str, str, str, str]]] = {c.first: [], c.second: []}
    means, digits = c.means, formatting.score_digits(c.means)
    for measure in c.measures:
        a, b = means.loc[c.first, measure], means.loc[c.second, measure]
        if a == b:
            continue
        higher = c.results.direction(measure) == "higher"
        winner = c.first if (a > b) == higher else c.second
        best, other = (a, b) if winner == c.first else (b, a)
        word = "higher" if higher else "lower"
        ahead[winner].append(
            (
                word,
                formatting.measure_name(measure),
                formatting.format_number(best, digits),
                formatting.format_number(other, digits),
            )
        )
    return ahead


def _best_average(c: Comparison) -> tuple[str, float] | None:
    """Return the algorithm with the best average on the first data set, and that average; None if undefined."""
    averages = c.scores.iloc[0].dropna() if len(c.scores) else pd.Series(dtype=float)
    if averages.empty:
        return None
    name = averages.idxmax() if c.higher_is_better else averages.idxmin()
    return name, averages[name]


def describe_tests(c: Comparison) -> str:
    """Return the pairwise tests with the p-value of the omnibus test in brackets."""
    return _macro("tests")(c)


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
    tests = f"{formatting.capitalize_first(describe_tests(every))}, {pairs}."
    p = effect_text.describe_pvalue(every, first, second)
    if p not in size:  # an effect is written with its p-value
        tests = f"{tests[:-1]}: {p}."
    return Verdict(
        badge=badge,
        headline=_macro("pair_among_all")(every, first, second, row.iloc[0], own),
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
    return _macro("if_chosen_beforehand")(
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
    return f"{_macro('where')(comparison).strip()}{against}"


def describe_datasets(names: Sequence[str]) -> str:
    """Return the name of one data set, or the number of several: "on iris", "over 38 data sets"."""
    return f"on {names[0]}" if len(names) == 1 else f"over {len(names)} data sets"
