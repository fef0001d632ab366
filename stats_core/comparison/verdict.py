"""What a comparison says, in two sentences: one set of words for every kind."""

from collections.abc import Sequence
from dataclasses import dataclass

from stats_core.comparison.base import Comparison
from stats_core.comparison.decide import LIMITED, NO_PAIR, Decision, decide, leaders
from stats_core.comparison.region_words import region_said
from stats_core.core.checks import check_kind
from stats_core.core.notes import IN_PAPER, TO_USER, Note, Voice
from stats_core.core.words import capital, count, listed, p_phrase

__all__ = ["LIMITED", "NO_PAIR", "Verdict", "leaders", "verdict"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """The answer in words.

    Attributes
    ----------
    badge : {"Decided", "Not separated", "No pair named", "By cost alone", "Limited"}
        As decided, see `Decision`; "By cost alone" is of orders only.
    headline : str
        One sentence, at most 20 words when names are short.
    detail : str
        The numbers behind it.
    notes : tuple of Note
        Choices and warnings the reader must know.
    advice : str
        What the user could do or has to state; a paper leaves it out.
    """

    badge: str
    headline: str
    detail: str
    notes: tuple[Note | str, ...] = ()
    advice: str = ""

    @property
    def sentences(self) -> str:
        """Headline, detail, advice and notes as one paragraph for the user."""
        return self.said(TO_USER)

    def said(self, voice: Voice = IN_PAPER) -> str:
        """Write the whole as one paragraph, for the user or for a paper."""
        notes = [note.said(voice) if isinstance(note, Note) else note for note in self.notes]
        advice = "" if voice.in_paper else self.advice
        parts = (self.headline, self.detail, advice, *notes)
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
    first, detail, advice = _told(comparison, decision)
    return Verdict(
        badge=decision.badge,
        headline=first,
        detail=" ".join(part for part in (detail, region_said(comparison)) if part),
        advice=advice,
        notes=comparison.notes,
    )


def headline(comparison: Comparison) -> str:
    """Return the headline of the verdict alone, without what its notes would have to compute."""
    return _told(comparison, decide(comparison))[0]


def _told(comparison: Comparison, decision: Decision) -> tuple[str, str, str]:
    own = comparison.told(decision.claim, decision.separated)
    first, detail, advice = own or WORDS[decision.claim](comparison, decision)
    if decision.separated and comparison.scope == "test set":
        first = f"On this test set, over training sets: {first}"
    return first, detail, advice


def _too_few(c: Comparison, _: Decision) -> tuple[str, str, str]:
    least, alpha = c.least, c.settings.alpha
    assert least.counted is not None
    verb = "is" if least.counted.n == 1 else "are"
    needed = f"It takes at least {least.needed}." if least.needed else ""
    return (
        f"{least.counted} {verb} too few to decide.",
        f"{least.extreme}, {least.test} could not fall below {p_phrase(least.pvalue, alpha)} "
        f"(alpha {alpha:g}). {needed or f'More {least.counted.several} alone do not help.'}",
        "",
    )


def _leads(c: Comparison, decision: Decision) -> tuple[str, str, str]:
    k = len(c.order)
    headline = f"None of {k} {c.noun}s leads: each is worse than some other."
    if decision.near:
        headline = leading(
            decision.near, k, one_group=decision.near == decision.ahead, what=c.where, noun=c.noun
        )
    detail = f"{c.sizes(list(decision.near))} {how_many(c, decision.separated)}"
    return headline, detail.strip(), ""


def _better(c: Comparison, _: Decision) -> tuple[str, str, str]:
    first, second = c.order
    return f"{first} is better than {second} {c.where}.", c.sizes([first]), ""


def _differ(c: Comparison, decision: Decision) -> tuple[str, str, str]:
    total = count(len(c.pairs()), "pair")
    verb = "differs" if decision.separated == 1 else "differ"
    headline = f"{decision.separated} of {total} {verb} {c.where}."
    return headline, f"{capital(chain_said(c))}, {c.counted}. {c.sizes([])}".strip(), ""


def _pairs_only(c: Comparison, decision: Decision) -> tuple[str, str, str]:
    """Pairs differ while the first test does not reject."""
    n, first = decision.separated, c.first_test
    assert first is not None
    guard = {
        "family": f"{capital(c.post)} guards the family by itself, so the pairs stand;",
        "each": "The pairs are not adjusted for being many, so some differ by chance alone;",
        "nothing": "On such results the test of pairs rejects too easily, so some may differ by "
        "chance alone;",
    }[c.guarantee.bounds]
    return (
        f"Overall no difference is shown, though {count(n, 'pair')} "
        f"{'differs' if n == 1 else 'differ'}.",
        f"{capital(first.said(c.settings.alpha))}. {guard} "
        f"papers that follow Demsar stop at the first test. {c.sizes(list(decision.near))}".strip(),
        "State which you follow.",
    )


def _no_pair(c: Comparison, _: Decision) -> tuple[str, str, str]:
    """The first test rejects while no pair does."""
    closest, alpha, first = c.pairs().iloc[0], c.settings.alpha, c.first_test
    assert first is not None
    return (
        f"The {c.noun}s differ, but no single pair can be named.",
        f"{capital(first.said(alpha))}; smallest adjusted "
        f"{p_phrase(closest['p adjusted'], alpha)} ({closest['first']}, {closest['second']}; "
        f"{c.post}). The first test looks at all at once and sees what no pair shows alone. "
        f"{c.sizes([])}".rstrip(),
        "",
    )


def _nothing(c: Comparison, _: Decision) -> tuple[str, str, str]:
    closest = c.pairs().iloc[0]
    if len(c.order) == 2:
        names = f"{closest['first']} and {closest['second']}"
        return f"The data do not separate {names} {c.where}.", c.sizes([]), ""
    return (
        f"The data do not separate these {len(c.order)} {c.noun}s {c.where}.",
        f"Smallest adjusted {p_phrase(closest['p adjusted'], c.settings.alpha)} "
        f"({closest['first']}, {closest['second']}; {chain_said(c)}), {c.counted}. "
        "This is not evidence that they are equal.",
        "",
    )


def _one_algorithm(c: Comparison, _: Decision) -> tuple[str, str, str]:
    return (
        "One algorithm cannot be compared.",
        f"These results have {listed(c.results.algorithms) or 'no algorithm'} only.",
        "Add a second one, or leave fewer out.",
    )


def _one_number(c: Comparison, _: Decision) -> tuple[str, str, str]:
    return (
        "One number for each algorithm: nothing can be tested.",
        f"{c.sizes([])} Whether that is more than chance shows only in the results of every fold, "
        "or over two or more data sets.",
        "",
    )


def _identical(c: Comparison, _: Decision) -> tuple[str, str, str]:
    first, second = c.order
    what = f"({', '.join(c.together)})" if c.together else c.settings.measure
    where = "on" if c.counted.noun == "data set" else "in"
    return (
        f"{first} and {second} have the same {what} {where} every {c.counted.noun}; there is nothing "
        "to test.",
        "",
        "",
    )


WORDS = {
    "one algorithm": _one_algorithm,
    "one number": _one_number,
    "identical": _identical,
    "too few": _too_few,
    "leads": _leads,
    "better": _better,
    "differ": _differ,
    "pairs only": _pairs_only,
    "no pair": _no_pair,
    "nothing": _nothing,
}


def how_many(c: Comparison, separated: int) -> str:
    """Say how many pairs differ, by which tests."""
    return (
        f"{separated:,} of {count(len(c.pairs()), 'pair')} "
        f"{'differs' if separated == 1 else 'differ'} ({chain_said(c)})."
    )


def chain_said(c: Comparison) -> str:
    """Name the tests with the p of the first: "Iman-Davenport p 0.012, then Holm on ranks"."""
    if c.first_test is None:
        return c.post
    return f"{c.first_test.said(c.settings.alpha)}, then {c.post}"


def leading(
    ahead: Sequence[str], k: int, *, one_group: bool, what: str, noun: str = "algorithm"
) -> str:
    """Say who leads k algorithms: the best and all that are not separated from it."""
    if len(ahead) == 1:
        return f"{ahead[0]} leads {k} {noun}s {what}."
    if one_group and len(ahead) < k:
        return f"{listed(ahead, 3)} lead {k} {noun}s {what}; the data cannot separate these."
    verb = "is" if len(ahead) == 2 else "are"
    return f"{ahead[0]} leads; {listed(ahead[1:], 3)} {verb} not separated from it."
