"""Methods paragraphs of comparisons on the folds of one data set."""

from collections.abc import Iterable

from stats_core.comparison.kinds.fold_pair import FoldPairComparison
from stats_core.comparison.kinds.folds import FoldsComparison
from stats_core.comparison.kinds.measure_pair import PairOnMeasures
from stats_core.comparison.kinds.measures import SeveralOnMeasures
from stats_core.comparison.on_folds import OnFolds
from stats_core.comparison.on_measures import OnMeasures
from stats_core.core.words import count, listed
from stats_core.data.settings import TUKEY
from stats_core.inference.families.corrections import usable_correction
from stats_core.inference.fold_tests import AS_IF_INDEPENDENT, PAIR_TESTS
from stats_core.papers.methods_words import Piece, adjusted, overlap, sentence

# test of pairs -> where it is published
PAPERS = {
    "corrected t": ("nadeau2003", "bouckaert2004"),
    "paired t": ("dietterich1998",),
    "5x2 cv F": ("alpaydin1999",),
    "5x2 cv t": ("dietterich1998",),
    "combined 5x2 cv t": ("alpaydin1999", "dietterich1998"),
    "Wilcoxon": ("wilcoxon1945", "pratt1959"),
    "sign test": ("demsar2006",),
    "sign flips": ("fisher1935", "phipson2010"),
    "McNemar": ("mcnemar1947", "dietterich1998"),
    "McNemar chi-square": ("mcnemar1947", "dietterich1998"),
}


def of_fold_pair(analysis: FoldPairComparison) -> Iterable[Piece]:
    """Describe the one test that decides between two algorithms."""
    name = _plain(analysis.test)
    yield Piece(f" The two were compared by the {name}", PAPERS[analysis.test])
    yield sentence(f", two-sided, at alpha {analysis.settings.alpha:g}")
    yield from _allowance(analysis, getattr(analysis.chosen.outcome, "factor", 1.0))
    yield sentence(f"The test assumes: {_clause(PAIR_TESTS[analysis.test].assumes)}")


def of_folds(analysis: FoldsComparison) -> Iterable[Piece]:
    """Describe the test of all at once, where there is one, and the test of pairs."""
    settings, k = analysis.settings, len(analysis.order)
    m = k * (k - 1) // 2
    first = _all_at_once(analysis)
    if first is not None:
        yield first
        yield sentence(" asked of all at once whether they differ")
    then = " The " if first is None else " Then the "
    if analysis.test == TUKEY:
        yield Piece(
            f"{then}{count(m, 'pair')} of algorithms were compared by Tukey's test", ("tukey1953",)
        )
        yield sentence(
            ", which pays for all pairs itself, so that alpha "
            f"{settings.alpha:g} bounded the chance of any false difference"
        )
    else:
        yield Piece(
            f"{then}{count(m, 'pair')} of algorithms were compared by the {_plain(analysis.test)}",
            PAPERS[analysis.test],
        )
        correction = usable_correction(settings.correction, k)
        yield from adjusted(correction, settings.alpha)
    yield from _allowance(analysis, _factor(analysis))


def of_pair_on_measures(analysis: PairOnMeasures) -> Iterable[Piece]:
    """Describe the paired Hotelling test and the tests of single measures after it."""
    yield Piece(
        " The vectors of measures were compared by the paired Hotelling T2 test",
        ("hotelling1931", "yildiz2011"),
    )
    yield sentence(f" at alpha {analysis.settings.alpha:g}")
    yield from _dimensions(analysis)
    yield from _shared_cases(analysis, analysis.hotelling.factor)
    yield sentence(
        "Each measure alone was then compared by a t test, with p-values adjusted over the "
        f"{count(len(analysis.measures), 'measure')}"
    )


def of_several_on_measures(analysis: SeveralOnMeasures) -> Iterable[Piece]:
    """Describe MANOVA, the paired Hotelling tests and the dimension of the means."""
    settings, k = analysis.settings, len(analysis.names)
    m = k * (k - 1) // 2
    yield Piece(
        " A multivariate analysis of variance with folds as blocks (Wilks' lambda by Rao's F)",
        ("rencher2002", "yildiz2011"),
    )
    yield sentence(" asked of all at once whether they differ")
    yield Piece(
        f" Then the {count(m, 'pair')} of algorithms were compared by paired Hotelling T2 tests",
        ("hotelling1931",),
    )
    correction = usable_correction(settings.correction, k)
    yield from adjusted(correction, settings.alpha, sided="")
    yield Piece(" In how many dimensions the means differ was tested after", ("mardia1979",))
    yield Piece(".")
    yield from _dimensions(analysis)
    yield from _shared_cases(analysis, analysis.manova.factor)


def _all_at_once(analysis: FoldsComparison) -> Piece | None:
    """Return the test of all algorithms that goes with the test of pairs."""
    omnibus = analysis.omnibus
    if omnibus is None:
        return None
    if omnibus is analysis.anova:
        return Piece(" An analysis of variance with folds as blocks", ("irsoy2012",))
    if omnibus is analysis.friedman:
        return Piece(" The Friedman test, over folds instead of data sets", ("friedman1937",))
    return Piece(" Cochran's Q test, on single cases", ("cochran1950",))


def _factor(analysis: FoldsComparison) -> float:
    """Return the overlap factor of the test of pairs."""
    if analysis.test == TUKEY:
        return analysis.raw.factor
    return analysis.anova.factor if analysis.test == "corrected t" else 1.0


def _allowance(analysis: OnFolds, factor: float) -> Iterable[Piece]:
    """Say what was done about training sets that overlap."""
    if factor != 1:
        yield overlap(factor, analysis.unit)
        yield Piece(".")
    elif analysis.design in ("bootstrap", "common test set"):
        yield sentence(
            f"No correction for the dependence of {analysis.unit}s is defined for this design"
        )
    elif analysis.test in AS_IF_INDEPENDENT or analysis.test == TUKEY:
        yield sentence(
            f"Results of different {analysis.unit}s were taken as independent, though training "
            "sets may share cases; that rejects too easily"
        )


def _shared_cases(analysis: OnMeasures, factor: float) -> Iterable[Piece]:
    if factor != 1:
        yield overlap(factor)
        yield Piece(".")
    else:
        yield sentence("Folds were taken as independent")


def _dimensions(analysis: OnMeasures) -> Iterable[Piece]:
    """Say how many dimensions the measures have, if fewer than their number."""
    space = analysis.space
    if space.constant:
        verb = "was" if len(space.constant) == 1 else "were"
        yield sentence(
            f"Within a fold {listed(space.constant, 4)} {verb} the same for every algorithm, so all "
            f"degrees of freedom used {count(space.dimension, 'dimension')} for "
            f"{count(len(analysis.measures), 'measure')}"
        )


def _plain(key: str) -> str:
    """Return the name of a test without the authors, who are cited."""
    return PAIR_TESTS[key].name.split(" (")[0].removeprefix("McNemar's test, ") + (
        " version of McNemar's test" if key.startswith("McNemar") else ""
    )


def _clause(text: str) -> str:
    """Let a sentence go on after a colon."""
    return text[:1].lower() + text[1:].removesuffix(".")
