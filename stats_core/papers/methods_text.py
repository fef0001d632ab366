"""What a paper says of an analysis: the methods with their references, and the results."""

from collections.abc import Iterable
from functools import singledispatch

from stats_core.comparison.base import Comparison
from stats_core.comparison.kinds.cases import CasesComparison
from stats_core.comparison.kinds.control import ControlComparison
from stats_core.comparison.kinds.fold_pair import FoldPairComparison
from stats_core.comparison.kinds.folds import FoldsComparison
from stats_core.comparison.kinds.measure_pair import PairOnMeasures
from stats_core.comparison.kinds.measures import SeveralOnMeasures
from stats_core.comparison.kinds.ranks import RanksComparison
from stats_core.comparison.kinds.two import TwoComparison
from stats_core.comparison.kinds.wins import WinsComparison
from stats_core.comparison.order_words import method_of, order_verdict
from stats_core.comparison.verdict import verdict
from stats_core.core.words import count, listed, p_phrase
from stats_core.data.results import Results
from stats_core.data.settings import TUKEY
from stats_core.ordering.order import Order
from stats_core.papers.methods_cases import of_cases
from stats_core.papers.methods_folds import (
    PAPERS,
    of_fold_pair,
    of_folds,
    of_pair_on_measures,
    of_several_on_measures,
)
from stats_core.papers.methods_wins import of_wins
from stats_core.papers.methods_words import Piece, adjusted, family, papers_of, resampling, sentence
from stats_core.papers.reproduce import versions
from stats_core.power.detectable import Detectable, detectable

__all__ = ["Piece", "methods_paragraph", "methods_pieces", "results_paragraph"]

_NAMED = 12  # algorithms and pairs named one by one
# what verdicts say to the user -> the same in a paper
_IN_A_PAPER = {
    ", by your choice": ", by our choice",
    "By your choice": "By our choice",
    "or you chose to": "or we chose to",
    " State which you follow.": "",
    "; see the permutation test under Assumptions": "",
    "your order": "our order",
    " Add a second one, or leave fewer out.": "",
}


def methods_paragraph(analysis: Comparison, order: Order | None = None) -> str:
    r"""How was it compared, in words for a paper?

    Parameters
    ----------
    analysis : Comparison
        From `analyse`.
    order : Order, optional
        From `order_of`, if the algorithms were also put in order.

    Returns
    -------
    str
        Past tense: what was compared, the tests in their order, the correction, alpha, the family
        of hypotheses, what was done about holes, which difference could have been seen, the
        software. References are marked as "[@demsar2006; @garcia2008]", keys of `REFERENCES`.

    Examples
    --------
    >>> from stats_core.comparison.analyse import analyse
    >>> from stats_core.reading.reading import read_results
    >>> results = read_results(b"dataset,rf,svm\niris,0.9,0.8\nwine,0.7,0.6\n")
    >>> print(methods_paragraph(analyse(results)).split(". ")[0])
    We compared 2 algorithms (rf and svm) on 2 data sets by score (higher is better)
    """
    return "".join(piece.marked for piece in methods_pieces(analysis, order)).strip()


def methods_pieces(analysis: Comparison, order: Order | None = None) -> tuple[Piece, ...]:
    """Return the methods paragraph as stretches of text, each with the references after it."""
    found = detectable(analysis)
    pieces = [
        *_compared(analysis),
        *_tests(analysis),
        *family(found.family, analysis.settings.alpha),
        *_ordered(order),
        *_holes(analysis),
        *_seen(found),
        *_software(),
    ]
    return tuple(Piece(in_a_paper(piece.text), piece.keys) for piece in pieces)


def results_paragraph(analysis: Comparison, order: Order | None = None) -> str:
    """What do the results say, in words for a paper?

    Parameters
    ----------
    analysis : Comparison
        From `analyse`.
    order : Order, optional
        From `order_of`.

    Returns
    -------
    str
        Present tense: the sentences of `verdict`, the pairs that differ, the groups, and the
        sentences of `order_verdict`.
    """
    parts = [verdict(analysis).said(), _pairs_named(analysis), _groups_named(analysis)]
    if order is not None:
        parts.append(order_verdict(order).sentences)
    return in_a_paper(" ".join(part for part in parts if part))


def in_a_paper(text: str) -> str:
    """Let the authors speak where a sentence of the program speaks to its user.

    Examples
    --------
    >>> in_a_paper("2 failed results ranked worst, by your choice.")
    '2 failed results ranked worst, by our choice.'
    """
    for said, written in _IN_A_PAPER.items():
        text = text.replace(said, written)
    return text


def _compared(analysis: Comparison) -> Iterable[Piece]:
    results = analysis.results
    datasets = results.datasets
    where = f"on {datasets[0]}" if len(datasets) == 1 else f"on {count(len(datasets), 'data set')}"
    by = analysis.measure_label
    if isinstance(analysis, (PairOnMeasures, SeveralOnMeasures, WinsComparison)):
        by = f"{listed(analysis.measures, 9)} together"
    names = listed(results.algorithms, _NAMED)
    yield sentence(
        f"We compared {count(len(results.algorithms), 'algorithm')} ({names}) {where} by {by}"
    )
    if isinstance(analysis, CasesComparison):
        yield sentence("Each was trained once and gave a prediction for every case of one test set")
    else:
        yield sentence(_results_used(results, by_fold=isinstance(analysis, WinsComparison)))
    settings = analysis.settings
    for gone, noun in (
        (settings.without_algorithms, "algorithm"),
        (settings.without_datasets, "data set"),
    ):
        if gone:
            verb = "was" if len(gone) == 1 else "were"
            plural = noun if len(gone) == 1 else f"{noun}s"
            yield sentence(f"The {plural} {listed(gone, _NAMED)} {verb} left out by our choice")


def _results_used(results: Results, *, by_fold: bool) -> str:
    """Say what one result of an algorithm on a data set is."""
    one = len(results.datasets) == 1
    if results.design == "single":
        what = "it" if one else "each data set"
        return f"There was one number for each algorithm on {what}"
    how = resampling(results.design, results.design_label)
    if one:
        return f"Results came from {how} and were paired by fold"
    if by_fold:
        return f"Results on each data set came from {how} and were paired by fold"
    return f"The result on a data set was the mean over {how}"


@singledispatch
def _tests(analysis: Comparison) -> Iterable[Piece]:
    """Describe the tests of one kind of analysis."""
    yield sentence("Nothing was tested")


@_tests.register
def _(analysis: RanksComparison) -> Iterable[Piece]:
    settings, k = analysis.settings, len(analysis.order)
    yield from _all_ranks()
    m = k * (k - 1) // 2
    if settings.correction == "nemenyi":
        yield Piece(
            f" The {count(m, 'pair')} of algorithms were then compared by Nemenyi's test",
            ("nemenyi1963", "demsar2006"),
        )
        yield sentence(
            f", which separates average ranks that are {analysis.critical_difference:.3f} or more "
            "apart"
        )
        return
    yield _by_source(f" The {count(m, 'pair')} of algorithms were then compared", settings.source)
    yield from adjusted(settings.correction, settings.alpha)


@_tests.register
def _(analysis: ControlComparison) -> Iterable[Piece]:
    settings, m = analysis.settings, len(analysis.adjusted)
    yield from _all_ranks()
    yield sentence(
        f"{analysis.control} was the control, which assumes that it was chosen before the results "
        "were seen"
    )
    yield _by_source(
        f" Each of the other {count(m, 'algorithm')} was compared with it", settings.source
    )
    yield from adjusted(settings.correction, settings.alpha)


@_tests.register
def _(analysis: TwoComparison) -> Iterable[Piece]:
    yield Piece(
        " The paired averages were compared by the Wilcoxon signed-rank test",
        ("wilcoxon1945", "demsar2006"),
    )
    if analysis.wilcoxon.n_zero:
        yield Piece(" with differences of zero by Pratt's rule", ("pratt1959",))
    exact = "exact" if "exact" in analysis.wilcoxon.method else "by its normal approximation"
    yield sentence(f", two-sided, {exact}, at alpha {analysis.settings.alpha:g}")
    yield Piece(
        f" Beside it stand the typical difference, {analysis.first} − {analysis.second}, with its "
        f"{100 * (1 - analysis.settings.alpha):.4g} % interval by Hodges and Lehmann",
        ("hodges1963",),
    )
    yield sentence(", and the sign test")


@_tests.register
def _(analysis: CasesComparison) -> Iterable[Piece]:
    return of_cases(analysis)


@_tests.register
def _(analysis: FoldPairComparison) -> Iterable[Piece]:
    return of_fold_pair(analysis)


@_tests.register
def _(analysis: FoldsComparison) -> Iterable[Piece]:
    return of_folds(analysis)


@_tests.register
def _(analysis: PairOnMeasures) -> Iterable[Piece]:
    return of_pair_on_measures(analysis)


@_tests.register
def _(analysis: SeveralOnMeasures) -> Iterable[Piece]:
    return of_several_on_measures(analysis)


@_tests.register
def _(analysis: WinsComparison) -> Iterable[Piece]:
    return of_wins(analysis)


def _all_ranks() -> Iterable[Piece]:
    yield sentence(
        "On each data set the algorithms were ranked, 1 for the best, ties sharing the mean of "
        "their ranks"
    )
    yield Piece(" The Friedman test", ("friedman1937",))
    yield Piece(" in the form of Iman and Davenport", ("iman1980", "demsar2006"))
    yield sentence(" asked whether the average ranks differ by more than chance")


def _by_source(said: str, source: str) -> Piece:
    how, keys = {
        "ranks": ("normal tests of the difference of average ranks", ("demsar2006",)),
        "wilcoxon": ("the Wilcoxon signed-rank test", ("wilcoxon1945", "pratt1959")),
        "sign": ("the sign test over data sets", ("demsar2006",)),
    }[source]
    return Piece(f"{said} by {how}", keys)


def _ordered(order: Order | None) -> Iterable[Piece]:
    if order is None:
        return
    yield Piece(
        " To choose among algorithms that tests do not separate, they were put in order, the "
        "cheaper first unless the costlier was better",
        ("yildiz2006", *(("ulas2012",) if order.second is not None else ())),
    )
    tests = {one.evidence.test for one in order.each.values()}
    procedures = [order.rules.family] if order.each else []
    if order.second is not None:
        procedures.append(order.second.post_hoc)
    keys = [key for test in sorted(tests) for key in PAPERS[test]]
    keys += [key for name in procedures for key in papers_of(name)]
    yield Piece(f": {method_of(order).removesuffix('.')}", tuple(dict.fromkeys(keys)))
    yield Piece(".")


def _holes(analysis: Comparison) -> Iterable[Piece]:
    results = analysis.results
    for choice in results.choices:
        yield sentence(str(choice).removesuffix("."))
    if not results.choices and not len(results.missing):
        yield sentence("No result was missing")


def _seen(found: Detectable) -> Iterable[Piece]:
    """Say which difference could have been found."""
    if found.family == "none":
        return
    yield Piece(f" {found.text.removesuffix('.')}", ("hoenig2001",) if found.can_reject else ())
    yield Piece(".")


def _software() -> Iterable[Piece]:
    known = versions()
    libraries = ", ".join(f"{name} {known[name]}" for name in ("numpy", "scipy", "pandas"))
    yield sentence(
        f"The computations were done with Foldwise {known['foldwise']} on Python "
        f"{known['python']} ({libraries})"
    )


def _pairs_named(analysis: Comparison) -> str:
    """Name the pairs that differ, if they are few."""
    kinds = (RanksComparison, CasesComparison, FoldsComparison, SeveralOnMeasures, WinsComparison)
    if not isinstance(analysis, kinds):
        return ""
    pairs = analysis.pairs()
    found = pairs[pairs["separated"]].to_dict("records")
    if not found or len(found) > _NAMED:
        return ""
    said = "; ".join(_pair_said(analysis, row) for row in found)
    noun = "pair that differs is" if len(found) == 1 else "pairs that differ are"
    raw = analysis.settings.correction == "none" and getattr(analysis, "test", "") != TUKEY
    with_p = f", with {'unadjusted' if raw else 'adjusted'} p," if len(analysis.pairs()) > 1 else ""
    return f"The {noun}{with_p} {said}."


def _pair_said(analysis: Comparison, row: dict) -> str:
    """Say who is before whom; where a pair's own test is against its ranks, whom it favours."""
    first, second = row["first"], row["second"]
    p = p_phrase(row["p adjusted"], analysis.settings.alpha)
    if isinstance(analysis, SeveralOnMeasures):
        return f"{first} and {second} ({p})"
    if isinstance(analysis, WinsComparison):
        return f"{first} over {second} ({p})"
    if isinstance(analysis, RanksComparison) and analysis.settings.source != "ranks":
        favours_first = analysis.beats.loc[first, second]
        if row["estimate"] == 0 or not favours_first:
            return f"{first} and {second} ({p}, in favour of {first if favours_first else second})"
    return f"{first} before {second} ({p})"


def _groups_named(analysis: Comparison) -> str:
    """Name the groups without a separated pair, if they are few."""
    groups = [group for group in getattr(analysis, "groups", ()) if len(group) > 1]
    if not groups or len(groups) > _NAMED or max(map(len, groups)) > _NAMED:
        return ""
    said = "; ".join("{" + ", ".join(group) + "}" for group in groups)
    noun = "group" if len(groups) == 1 else "groups"
    return f"Not separated within themselves: the {noun} {said}."
