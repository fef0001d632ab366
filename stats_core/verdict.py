"""What an analysis says, in two sentences."""

from dataclasses import dataclass
from functools import singledispatch
from math import inf

from stats_core.analyse import (
    CORRECTIONS,
    SOURCES,
    Analysis,
    RanksAnalysis,
    TwoAnalysis,
    smallest_pvalue,
)
from stats_core.wording import count, interval, listed, number, p_phrase, score_digits


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """The answer in words.

    Attributes
    ----------
    badge : {"Decided", "Not separated", "Limited"}
        "Decided" if the headline names a difference, "Limited" if holes, an assumption or too
        little data stand in the way.
    headline : str
        One sentence, at most 20 words when names are short.
    detail : str
        The numbers behind it.
    notes : tuple of str
        Choices and warnings the reader must know.
    """

    badge: str
    headline: str
    detail: str
    notes: tuple[str, ...] = ()

    @property
    def sentences(self) -> str:
        """Headline, detail and notes as one paragraph."""
        return " ".join(part for part in (self.headline, self.detail, *self.notes) if part)


@singledispatch
def verdict(analysis: Analysis) -> Verdict:
    """What do the results say?

    Parameters
    ----------
    analysis : Analysis
        From `analyse`.

    Returns
    -------
    Verdict
        Headline, numbers and notes; "not separated" is never written as "equal".

    Examples
    --------
    The 30 x 5 table of Garcia and Herrera (2008) at 0.05 with Holm: "C4.5 leads;
    NaiveBayes and CN2 are not separated from it."
    """
    results = analysis.results
    if len(results.algorithms) < 2:
        return Verdict(
            badge="Limited",
            headline="One algorithm cannot be compared.",
            detail=f"These results have {listed(results.algorithms) or 'no algorithm'} only. "
            "Add a second one, or leave fewer out.",
            notes=results.choices,
        )
    best = _best_on_one_dataset(analysis)
    return Verdict(
        badge="Limited",
        headline="One data set: its averages are shown, not tested.",
        detail=f"{best} Whether that is more than chance is a question for tests on folds, "
        "which this version does not have yet. With two or more data sets it compares them all.",
        notes=results.choices,
    )


@verdict.register
def _(analysis: RanksAnalysis) -> Verdict:
    if analysis.smallest_pvalue > analysis.settings.alpha:
        return _too_few_datasets(analysis)
    separated = int(analysis.pairs()["separated"].sum())
    rejected = analysis.omnibus.pvalue <= analysis.settings.alpha
    if rejected and separated:
        badge, (headline, detail) = "Decided", _leaders(analysis, separated)
    elif rejected:
        badge, (headline, detail) = "Not separated", _differ_without_pair(analysis)
    elif separated:
        badge, (headline, detail) = "Decided", _pairs_without_omnibus(analysis, separated)
    else:
        badge, (headline, detail) = "Not separated", _nothing(analysis)
    return Verdict(badge=badge, headline=headline, detail=detail, notes=_notes(analysis))


@verdict.register
def _(analysis: TwoAnalysis) -> Verdict:
    settings, test = analysis.settings, analysis.wilcoxon
    n_pairs = test.n - test.n_zero
    if n_pairs and 2.0 ** (1 - n_pairs) > settings.alpha:
        return _too_few_pairs(analysis, n_pairs)
    digits = score_digits(analysis.scores)
    better, worse = analysis.better, analysis.worse
    wins, ties, losses = analysis.record(better)
    numbers = (
        f"Typical difference {analysis.first} \u2212 {analysis.second} {number(test.estimate, digits)} "
        f"{interval(*analysis.interval, digits)} (Wilcoxon, "
        f"{p_phrase(test.pvalue, settings.alpha)}, {count(test.n, 'data set')}; "
        f"{better} wins {wins}, ties {ties}, loses {losses})."
    )
    if n_pairs == 0:
        return Verdict(
            badge="Not separated",
            headline=f"{analysis.first} and {analysis.second} have the same "
            f"{settings.measure} on every data set; there is nothing to test.",
            detail="",
            notes=analysis.results.choices,
        )
    if test.pvalue <= settings.alpha:
        return Verdict(
            badge="Decided",
            headline=f"{better} is better than {worse} over {count(test.n, 'data set')}.",
            detail=numbers,
            notes=analysis.results.choices,
        )
    ruled = max(abs(bound) for bound in analysis.interval)
    reach = f" A true difference up to {number(ruled, digits)} is not ruled out."
    return Verdict(
        badge="Not separated",
        headline=f"The data do not separate {analysis.first} and {analysis.second}.",
        detail=numbers + (reach if ruled < inf else ""),
        notes=analysis.results.choices,
    )


def leaders(analysis: RanksAnalysis) -> list[str]:
    """Return the best ranked algorithm and all that are not separated from it, best first."""
    best, *others = analysis.order
    return [best, *(name for name in others if not analysis.separated(best, name))]


def _leaders(analysis: RanksAnalysis, separated: int) -> tuple[str, str]:
    k = len(analysis.order)
    ahead = leaders(analysis)
    one_group = any(set(ahead) <= set(group) for group in analysis.groups)
    what = f"on {analysis.settings.measure}"
    if len(ahead) == 1:
        headline = f"{ahead[0]} leads {k} algorithms {what}."
    elif one_group and len(ahead) < k:
        headline = f"{listed(ahead, 3)} lead {k} algorithms {what}; the data cannot separate these."
    else:
        verb = "is" if len(ahead) == 2 else "are"
        headline = f"{ahead[0]} leads; {listed(ahead[1:], 3)} {verb} not separated from it."
    ranks = analysis.friedman.average_ranks
    first, last = number(ranks[ahead[0]]), number(ranks[ahead[-1]])
    places = {1: first, 2: f"{first} and {last}"}.get(len(ahead), f"{first} to {last}")
    noun = "Average rank" if len(ahead) == 1 else "Average ranks"
    detail = (
        f"{noun} {places} over {count(analysis.friedman.n, 'data set')}. "
        f"{separated} of {_pairs(analysis)} differ ({_omnibus(analysis)}, then {_post(analysis)})."
    )
    return headline, detail


def _differ_without_pair(analysis: RanksAnalysis) -> tuple[str, str]:
    closest = analysis.pairs().iloc[0]
    return (
        "The algorithms differ, but no single pair can be named.",
        f"{_omnibus(analysis)}; smallest adjusted "
        f"{p_phrase(closest['p adjusted'], analysis.settings.alpha)} ({closest['first']}, "
        f"{closest['second']}; {_post(analysis)}). The first test looks at all at once and sees "
        "what no pair shows alone.",
    )


def _pairs_without_omnibus(analysis: RanksAnalysis, separated: int) -> tuple[str, str]:
    verb = "differs" if separated == 1 else "differ"
    return (
        f"Overall no difference is shown, though {count(separated, 'pair')} {verb}.",
        f"{_omnibus(analysis)}. {_post(analysis, capital=True)} guards the family by itself, so "
        "the pairs stand; papers that follow Demsar stop at the first test. State which you "
        "follow.",
    )


def _nothing(analysis: RanksAnalysis) -> tuple[str, str]:
    return (
        f"The data do not separate these {len(analysis.order)} algorithms.",
        f"{_omnibus(analysis)}, {count(analysis.friedman.n, 'data set')}. "
        "This is not evidence that they are equal.",
    )


def _too_few_datasets(analysis: RanksAnalysis) -> Verdict:
    settings, n, k = analysis.settings, analysis.friedman.n, len(analysis.order)
    needed = next(
        size for size in range(n + 1, 1000) if smallest_pvalue(k, size, settings) <= settings.alpha
    )
    return Verdict(
        badge="Limited",
        headline=f"{count(n, 'data set')} are too few to decide.",
        detail=f"Even if {analysis.order[0]} won every one, {_post(analysis)} could not fall below "
        f"{p_phrase(analysis.smallest_pvalue, settings.alpha)} (alpha {settings.alpha:g}). "
        f"It takes at least {needed}.",
        notes=_notes(analysis),
    )


def _too_few_pairs(analysis: TwoAnalysis, n: int) -> Verdict:
    settings = analysis.settings
    needed = next(size for size in range(n, 100) if 2.0 ** (1 - size) <= settings.alpha)
    kind = "data sets that differ" if analysis.wilcoxon.n_zero else "data sets"
    return Verdict(
        badge="Limited",
        headline=f"{n} {kind} are too few to decide.",
        detail=f"Even if {analysis.better} won every one, the Wilcoxon test could not fall below "
        f"{p_phrase(2.0 ** (1 - n), settings.alpha)} (alpha {settings.alpha:g}). "
        f"It takes at least {needed}.",
        notes=analysis.results.choices,
    )


def _notes(analysis: RanksAnalysis) -> tuple[str, ...]:
    return (*analysis.results.choices, *analysis.omnibus.warnings)


def _pairs(analysis: RanksAnalysis) -> str:
    k = len(analysis.order)
    return count(k * (k - 1) // 2, "pair")


def _omnibus(analysis: RanksAnalysis) -> str:
    return f"Iman-Davenport {p_phrase(analysis.omnibus.pvalue, analysis.settings.alpha)}"


def _post(analysis: RanksAnalysis, *, capital: bool = False) -> str:
    settings = analysis.settings
    if settings.correction == "nemenyi":
        return "Nemenyi"
    source = SOURCES[settings.source]
    if settings.correction == "none":
        return f"{'Unadjusted' if capital else 'unadjusted'} p from {source}"
    return f"{CORRECTIONS[settings.correction]} on {source}"


def _best_on_one_dataset(analysis: Analysis) -> str:
    averages = analysis.scores.iloc[0].dropna()
    if averages.empty:
        return "No algorithm has a complete result."
    name = averages.idxmax() if analysis.higher_is_better else averages.idxmin()
    return (
        f"{name} has the best average {analysis.settings.measure}, "
        f"{number(averages[name], score_digits(analysis.scores))}."
    )
