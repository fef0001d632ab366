"""Text of the verdict on a comparison: headline, effect size and numbers."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import pandas as pd

from stats_core.comparison.conclusion_scope import may_cite
from stats_core.comparison.decide import DECIDED, FEW, LIMITED, NOT_SEPARATED, Decision, decide, first_said
from stats_core.comparison.result import Comparison, everywhere, rounding_only
from stats_core.core.formatting import (
    MANY,
    capitalize_first,
    format_count,
    join_names,
    p_phrase,
    p_text,
    published_p_phrase,
)
from stats_core.core.messages import IN_PAPER, TO_USER, Audience, Message
from stats_core.core.significance import significant
from stats_core.core.validation import check_kind
from stats_core.report.effect_text import describe_effect, describe_equivalence, no_difference_possible
from stats_core.report.kind_headlines import describe_sizes, describe_tally, word_claim

SHOWN = 4  # maximum number of names in a headline on the screen


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """Verdict of a comparison in words.

    Attributes
    ----------
    badge : str
        As decided, see `Decision`; orders have some of their own.
    headline : str
        One sentence, at most 20 words when names are short.
    size : str
        Size of the difference: with badge and headline at most 45 words when names are short.
    numbers : str
        Further numbers: standing, tests, number of differing pairs, equivalence.
    notes : tuple of Note
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

    @property
    def detail(self) -> str:
        """Effect size and numbers."""
        return f"{self.size} {self.numbers}".strip()

    @property
    def sentences(self) -> str:
        """Headline, detail, advice and notes as one paragraph for the user."""
        return self.said(TO_USER)

    def said(self, voice: Audience = IN_PAPER) -> str:
        """Return the verdict as one paragraph, for the user or for a paper."""
        notes = [note.said(voice) if isinstance(note, Message) else note for note in self.notes]
        advice = "" if voice.in_paper else self.advice
        first = (self.full if voice.in_paper else "") or self.headline
        parts = (first, self.detail, advice, *notes)
        return " ".join(part for part in parts if part)


def verdict(comparison: Comparison) -> Verdict:
    """What do the results say?

    Parameters
    ----------
    comparison : Comparison
        From `analyse`.

    Returns
    -------
    Verdict
        Headline, numbers and notes; "not separated" is never written as "equal".

    Raises
    ------
    SettingError
        Not a comparison.

    Examples
    --------
    The 30 x 5 table of Garcia and Herrera (2008) at 0.05 with Holm: "C4.5 leads;
    NaiveBayes and CN2 are not separated from it."
    """
    check_kind(comparison, Comparison, "comparison", "Use `analyse`")
    decision = decide(comparison)
    headline, size, numbers = headline_parts(comparison, decision, SHOWN)
    advice = ADVICE.get(decision.claim, "")
    return Verdict(
        badge=decision.badge,
        headline=headline,
        full=_worded(comparison, decision, MANY)[0],
        size=size,
        numbers=f"{numbers} {describe_equivalence(comparison)}".strip(),
        advice=advice,
        notes=comparison.notes,
    )


def headline(comparison: Comparison) -> str:
    """Return the headline of a comparison."""
    return _worded(comparison, decide(comparison), SHOWN)[0]


def headline_parts(c: Comparison, d: Decision, most: int) -> tuple[str, str, str]:
    """Return headline, size and numbers of a claim, naming at most `most` algorithms."""
    headline, size, numbers = _worded(c, d, most)
    if not size:
        size, level = describe_effect(c, d)
        numbers = f"{numbers} {level}".strip()
    return headline, size, numbers


def _worded(c: Comparison, d: Decision, max_names: int) -> tuple[str, str, str]:
    """Return `headline_parts` without the interval of the deciding difference."""
    headline, size, numbers = word_claim(c, d.claim, d.separated) or WORDS[d.claim](c, d, max_names)
    if d.apart and c.scope == "test set":
        headline = f"On this test set, over training sets: {headline}"
    if preface := first_said(c, d):
        headline = f"{preface} {headline}"
    return headline, size, numbers


def _too_few(c: Comparison, _: Decision, max_names: int) -> tuple[str, str, str]:
    least, alpha = c.least, c.settings.alpha
    assert least.counted is not None
    verb = "is" if least.counted.n == 1 else "are"
    about_pair = " about these two alone" if c.settings.pair else ""
    needed = f"It takes at least {least.needed}." if least.needed else ""
    return (
        f"{least.counted} {verb} too few to decide{about_pair}.",
        f"{least.extreme}, {least.test} cannot reach a p-value below {p_text(least.pvalue, alpha)} "
        f"(alpha {alpha:g}). {needed or f'More {least.counted.several} alone do not help.'}",
        "",
    )


def _leads(c: Comparison, d: Decision, max_names: int) -> tuple[str, str, str]:
    k = len(c.order)
    if len(d.ahead) == 1:
        headline = f"{d.ahead[0]} leads {k} {c.noun}s {c.where}."
    else:
        subject = "these two are" if len(d.ahead) == 2 else "these are"
        headline = (
            f"{join_names(d.ahead, max_names)} lead {k} {c.noun}s {c.where}; {subject} not separated from each other."
        )
    return headline, "", _numbers(c, d, d.ahead)


def _behind(c: Comparison, d: Decision, max_names: int) -> tuple[str, str, str]:
    """Return the text for algorithms worse than all others, which are the majority."""
    others_ahead = [name for name in c.order if name not in d.behind]
    reference = (
        join_names(others_ahead, FEW) if len(others_ahead) <= FEW else f"the other {len(others_ahead)} {c.noun}s"
    )
    verb = "is" if len(d.behind) == 1 else "are"
    claim = f"{join_names(d.behind, max_names)} {verb} worse than {reference} {c.where}"
    covers_all = {*d.ahead, *d.behind} == {*c.order}
    tail = "these are not separated" if covers_all else f"of these, {d.near[0]} {c.tops}"
    return f"{claim}; {tail}.", "", _numbers(c, d, d.near)


def _few(c: Comparison, d: Decision, max_names: int) -> tuple[str, str, str]:
    """Return the text that lists the few pairs that differ."""
    beats = c.beats
    labels = [f"{a} {c.ahead} {b}" if beats.loc[a, b] else f"{a} differs from {b}" for a, b in d.apart]
    n_other = len(c.tested()) - len(d.apart)
    others = "the other pair is" if n_other == 1 else f"the other {n_other:,} pairs are"
    return f"{join_names(labels)} {c.where}; {others} not separated.", "", _numbers(c, d, ())


def _best(c: Comparison, d: Decision, max_names: int) -> tuple[str, str, str]:
    first, others = d.near[0], d.near[1:]
    near = f"{join_names(others, max_names)} {'is' if len(others) == 1 else 'are'}"
    if len(others) == len(c.order) - 1:
        near = "no other is separated from it"
    else:
        near = f"{near} not separated from it"
    return f"{first} {c.tops} {c.where}; {near}.", "", _numbers(c, d, d.near)


def _contested(c: Comparison, d: Decision, max_names: int) -> tuple[str, str, str]:
    """Return the text if pairwise tests find an algorithm better than the first."""
    first = d.near[0]
    better = [name for name in c.order if c.beats.loc[name, first]]
    headline = f"{first} {c.tops} {c.where}, yet the tests of pairs find {join_names(better, max_names)} better."
    return headline, "", _numbers(c, d, ())


def _circle(c: Comparison, d: Decision, max_names: int) -> tuple[str, str, str]:
    headline = f"None of {len(c.order)} {c.noun}s leads: each is worse than some other."
    return headline, "", _numbers(c, d, ())


def _numbers(c: Comparison, d: Decision, near: Sequence[str]) -> str:
    """Return results of the algorithms and the number of pairs that differ."""
    return f"{describe_sizes(c, list(near))} {describe_significant_pairs(c, d.separated)}".strip()


def _better(c: Comparison, _: Decision, max_names: int) -> tuple[str, str, str]:
    first, second = c.order
    return (f"{first} is better than {second} {c.where}.", describe_sizes(c, [first]), describe_tally(c))


def _differ(c: Comparison, decision: Decision, max_names: int) -> tuple[str, str, str]:
    total = format_count(len(c.tested()), "pair")
    verb = "differs" if decision.separated == 1 else "differ"
    headline = f"{decision.separated} of {total} {verb} {c.where}."
    if decision.named and len(c.tested()) > len(decision.named):
        headline = _few(c, decision, max_names)[0]
    return (headline, "", f"{capitalize_first(describe_tests(c))}, {c.counted}. {describe_sizes(c, [])}".strip())


def _pairs_only(c: Comparison, decision: Decision, max_names: int) -> tuple[str, str, str]:
    """Return the text if pairs differ while the omnibus test does not reject."""
    n, first = decision.separated, c.first_test
    assert first is not None
    guard = {
        "family": f"{capitalize_first(c.post)} guards the family by itself, so the pairs stand.",
        "global null": f"{capitalize_first(c.post)} bounds the chance of any false difference only if no "
        "algorithms differ, so some may differ by chance alone.",
        "each": "The pairs are not adjusted for being many, so some differ by chance alone.",
        "nothing": "On such results the test of pairs rejects too easily, so some may differ by chance alone.",
    }[c.guarantee.bounds]
    return (
        f"Overall no difference is shown, though {format_count(n, 'pair')} {'differs' if n == 1 else 'differ'}.",
        guard,
        f"{capitalize_first(first.said(c.settings.alpha))}; papers that follow Demsar stop at the first test. "
        f"{_named(c, decision)}{describe_sizes(c, list(decision.near))}".strip(),
    )


def _named(c: Comparison, d: Decision) -> str:
    """Return a sentence with the pairs that differ if they are few."""
    if not d.named:
        return ""
    labels = [f"{a} {c.ahead} {b}" if c.beats.loc[a, b] else f"{a} and {b}" for a, b in d.named]
    subject = "The pair that differs" if len(labels) == 1 else "The pairs that differ"
    return f"{subject}: {join_names(labels)}. "


def _no_pair(c: Comparison, _: Decision, max_names: int) -> tuple[str, str, str]:
    """Return the text if the omnibus test rejects while no pair differs."""
    closest, alpha, first = c.tested().iloc[0], c.settings.alpha, c.first_test
    assert first is not None
    return (
        f"The {c.noun}s differ, but no single pair can be named.",
        f"{capitalize_first(first.said(alpha))}; smallest adjusted "
        f"{p_phrase(closest['p adjusted'], alpha)}{published_of(c, closest)} "
        f"({closest['first']}, {closest['second']}; {c.post}). The first test looks at all at once and sees what no pair shows alone.",
        describe_sizes(c, []),
    )


def _nothing(c: Comparison, _: Decision, max_names: int) -> tuple[str, str, str]:
    closest = c.tested().iloc[0]
    if len(c.order) == 2:
        names = f"{closest['first']} and {closest['second']}"
        return (f"The data do not separate {names} {c.where}, at this level.", describe_sizes(c, []), describe_tally(c))
    return (
        f"The data do not separate these {len(c.order)} {c.noun}s {c.where}, at this level.",
        f"Smallest adjusted {p_phrase(closest['p adjusted'], c.settings.alpha)}"
        f"{published_of(c, closest)} "
        f"({closest['first']}, {closest['second']}; {describe_tests(c)}), {c.counted}. "
        "This is not evidence that they are equal.",
        "",
    )


def _one_algorithm(c: Comparison, _: Decision, max_names: int) -> tuple[str, str, str]:
    return (
        "One algorithm cannot be compared.",
        f"These results have {join_names(c.results.algorithms) or 'no algorithm'} only.",
        "",
    )


def _one_number(c: Comparison, _: Decision, max_names: int) -> tuple[str, str, str]:
    return (
        "One number for each algorithm: nothing can be tested.",
        f"{describe_sizes(c, [])} Whether that is more than chance shows only in the results of every fold, "
        "or over two or more data sets.",
        "",
    )


def _unnamed_cases(c: Comparison, _: Decision, max_names: int) -> tuple[str, str, str]:
    return (
        "The cases have no names, so no two algorithms can be compared on them.",
        f"{describe_sizes(c, [])} Tests on cases need to know which rows of two algorithms are the same case.",
        'Add a column "case" with a name for every case, the same for all algorithms.',
    )


def _identical(c: Comparison, _: Decision, max_names: int) -> tuple[str, str, str]:
    measures = f"({', '.join(c.together)})" if c.together else c.settings.measure
    algorithms = join_names(c.order) if len(c.order) == 2 else f"all {len(c.order)} {c.noun}s"
    predicate = "differs by rounding errors only" if rounding_only(c) else "is identical"
    sentence = f"The {measures} of {algorithms} {predicate} {everywhere(c)}"
    return f"{sentence}, so there is nothing to test.", "", ""


ADVICE = {"one algorithm": "Add a second one, or leave fewer out.", "pairs only": "State which you follow."}
WORDS = {
    "one algorithm": _one_algorithm,
    "one number": _one_number,
    "unnamed cases": _unnamed_cases,
    "identical": _identical,
    "too few": _too_few,
    "leads": _leads,
    "behind": _behind,
    "few": _few,
    "best": _best,
    "contested": _contested,
    "circle": _circle,
    "better": _better,
    "differ": _differ,
    "pairs only": _pairs_only,
    "no pair": _no_pair,
    "nothing": _nothing,
}


def published_of(c: Comparison, row: pd.Series) -> str:
    """Return the p-value of a pair with the published df as text, if it differs."""
    return published_p_phrase(c.published_p(row["first"], row["second"]), c.settings.alpha, ", ")


def describe_significant_pairs(c: Comparison, separated: int) -> str:
    """Return a sentence with the number of differing pairs and the tests."""
    return (
        f"{separated:,} of {format_count(len(c.tested()), 'pair')} "
        f"{'differs' if separated == 1 else 'differ'} ({describe_tests(c)})."
    )


def describe_tests(c: Comparison) -> str:
    """Return the tests with the omnibus p-value: "Iman-Davenport p 0.012, then Holm on ranks"."""
    if c.first_test is None:
        return c.post
    return f"{c.first_test.said(c.settings.alpha)}, then {c.post}"


_NAMES = 4  # maximum number of algorithms in a headline


def among_all(own: Comparison, every: Comparison) -> Verdict | None:
    r"""What do the tests of all pairs decide about one pair?

    Examples
    --------
    >>> from stats_core import Settings, analyse, read_results
    >>> rows = "".join(f"set{i},0.9{i},0.8{i},0.7{i}\n" for i in range(5))
    >>> results = read_results(("acc.csv", f"dataset,rf,svm,knn\n{rows}".encode()))
    >>> own = analyse(results, Settings(pair=("rf", "knn")))
    >>> print(among_all(own, analyse(results)).headline)
    rf is significantly better than knn in accuracy over 5 data sets (adjusted p < 0.001).
    """
    pair, tested = own.order[:2], every.tested()
    row = tested[tested["first"].isin(pair) & tested["second"].isin(pair)]
    if not len(row) or not may_cite(own, every, naming=["algorithms"]):
        return None
    claim = decide(every)
    first, second = _better_first(every, row.iloc[0])
    differ = bool(row["separated"].iloc[0])
    size, level = describe_effect(every, replace(claim, size=(first, second)))
    badge = LIMITED if claim.badge == LIMITED else DECIDED if differ else NOT_SEPARATED
    pairs = f"{format_count(len(tested), 'pair')} of {format_count(len(every.order), 'algorithm')}"
    tests = f"{capitalize_first(describe_tests(every))}, {pairs}."
    return Verdict(
        badge=badge,
        headline=_headline(every, first, second, row.iloc[0]),
        size=size,
        numbers=" ".join(part for part in (tests, level, no_difference_possible(every)) if part),
        notes=(if_chosen_beforehand(own), *every.notes),
    )


def if_chosen_beforehand(own: Comparison) -> str:
    """Return the result of the pair's own test, for a pair chosen beforehand.

    It has no headline of its own, as the decision of the family is the headline.
    """
    if own.obstacle or not significant(own.least.pvalue, own.settings.alpha):
        return f"If chosen beforehand: {' '.join(headline_parts(own, decide(own), _NAMES)[:2]).strip()}"
    row = own.tested().iloc[0]
    p = p_phrase(row["p"] if pd.notna(row["p"]) else row["p adjusted"], own.settings.alpha)
    size, _ = describe_effect(own, replace(decide(own), size=(row["first"], row["second"])))
    parts = (
        f"If chosen beforehand: unadjusted {p}{published_of(own, row)} ({own.post}).",
        size or describe_sizes(own, list(own.order)),
        describe_tally(own),
    )
    return " ".join(part for part in parts if part)


def _better_first(family_comparison: Comparison, row: pd.Series) -> tuple[str, str]:
    first, second = row["first"], row["second"]
    return (second, first) if family_comparison.beats.loc[second, first] else (first, second)


def _headline(family_comparison: Comparison, first: str, second: str, row: pd.Series) -> str:
    scope_text = scope_said(family_comparison)
    kind = "adjusted " if family_comparison.guarantee.adjusted else "unadjusted "
    p = f"{kind}{p_phrase(row['p adjusted'], family_comparison.settings.alpha)}"
    p += published_of(family_comparison, row)
    if not row["separated"]:
        return f"{first} and {second} do not differ significantly {scope_text} ({p})."
    if family_comparison.beats.loc[first, second]:
        return f"{first} is significantly better than {second} {scope_text} ({p})."
    return f"{first} and {second} differ significantly {scope_text} ({p})."


def scope_said(comparison: Comparison) -> str:
    """Return measure and data sets of a comparison as text: "in error over 38 data sets".

    Examples
    --------
    >>> import pandas as pd
    >>> from stats_core import Results, analyse
    >>> table = pd.DataFrame({"dataset": list("uuuvvv"), "algorithm": list("abcabc"),
    ...                       "error": [0.1, 0.2, 0.3, 0.1, 0.3, 0.2]})
    >>> scope_said(analyse(Results.from_frame(table)))
    'in error over 2 data sets'
    """
    measures, control = comparison.measures_compared, comparison.settings.control
    against = f" against {control}" if control else ""
    datasets_text = datasets_said(comparison.results.datasets)
    return f"in {join_names(measures, len(measures))} {datasets_text}{against}"


def datasets_said(names: Sequence[str]) -> str:
    """Return one name or the number of data sets as text: "on iris", "over 38 data sets"."""
    return f"on {names[0]}" if len(names) == 1 else f"over {len(names)} data sets"
