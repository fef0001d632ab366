"""The steps of a chain of tests on one measure: over data sets, and on the folds of one."""

from dataclasses import dataclass

from stats_core.comparison.base import Comparison
from stats_core.comparison.kinds.control import ControlComparison
from stats_core.comparison.kinds.fold_pair import FoldPairComparison
from stats_core.comparison.kinds.folds import FoldsComparison
from stats_core.comparison.kinds.ranks import RanksComparison
from stats_core.comparison.kinds.two import TwoComparison
from stats_core.comparison.on_folds import OnFolds, least_pvalue
from stats_core.core.words import count, p_phrase, p_text
from stats_core.data.results import Results
from stats_core.data.settings import SOURCES, TUKEY
from stats_core.inference.families.corrections import (
    CONTROL_CORRECTIONS,
    CORRECTIONS,
    replaced,
    usable_correction,
)
from stats_core.inference.fold_tests import AS_IF_INDEPENDENT, DISCRETE, OVERLAP, PAIR_TESTS

DEMSAR = "Demsar, JMLR 7 (2006) 1"
GARCIA = "Garcia and Herrera, JMLR 9 (2008) 2677"
IRSOY = "Irsoy, Yildiz and Alpaydin, IEEE/ACM TCBB 9 (2012)"
THESIS = "Aslan's thesis (2009)"
_NADEAU = "Nadeau and Bengio, Mach. Learn. 52 (2003) 239"
_BOUCKAERT = "Bouckaert and Frank, PAKDD 2004"
_ALPAYDIN = "Alpaydin, Neural Comput. 11 (1999) 1885"
_DIETTERICH = "Dietterich, Neural Comput. 10 (1998) 1895"
_CHECK_LEVEL = 0.05
_BY_NORMAL = ("corrected t", "paired t", "5x2 cv F", "5x2 cv t", "combined 5x2 cv t")


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """One link of a chain of tests.

    Attributes
    ----------
    question : str
        What the step answers.
    test : str
        The test, or what is done where nothing is tested.
    why : str
        Why this one, in one sentence.
    reference : str
        Where that is argued.
    papers : str
        What the papers do instead, "" where they do the same.
    fails : str
        What does not hold here, and what is done about it; "" if nothing is known to fail.
    advised : bool
        Whether it is one of the tests that `Advice.test` names.
    """

    question: str
    test: str
    why: str
    reference: str
    papers: str = ""
    fails: str = ""
    advised: bool = False


# of each correction: why it is chosen, where it comes from
_ADJUSTED = {
    "bergmann_hommel": (
        "It pays only for pairs whose equalities can hold together, so it finds most among "
        "procedures that hold whatever the dependence.",
        f"Bergmann and Hommel 1988; {GARCIA}",
    ),
    "shaffer": (
        "It pays for as many pairs as can be equal at once, nearly as sharp as Bergmann-Hommel and "
        "quick.",
        f"Shaffer 1986; {GARCIA}",
    ),
    "holm": ("The simplest that holds whatever the dependence.", "Holm 1979"),
    "hommel": ("Sharper than Holm where tests are not opposed.", "Hommel 1988"),
    "hochberg": ("Sharper than Holm where tests are not opposed.", "Hochberg 1988"),
    "bonferroni": ("One level for every pair.", "Dunn 1961"),
    "nemenyi": ("One critical difference for all pairs.", f"Nemenyi 1963; {DEMSAR}"),
    "finner": ("Sharper than Holm where comparisons are not opposed.", "Finner 1993"),
    "rom": ("Sharper than Hochberg where comparisons are not opposed.", "Rom 1990"),
    "li": ("It finds much where the largest p is small.", "Li 2008"),
    "bonferroni_dunn": ("One critical difference from the control.", f"Dunn 1961; {DEMSAR}"),
    "none": ("By your choice; with many pairs some differ by chance alone.", DEMSAR),
}
# where the tests of two on folds come from that are never advised; the others from Dietterich
_CHOSEN = {
    "combined 5x2 cv t": _ALPAYDIN,
    "Wilcoxon": "Wilcoxon 1945",
    "sign test": "Dixon and Mood 1946",
    "sign flips": "Fisher 1935, section 21",
}


def over_ranks(analysis: RanksComparison) -> list[Step]:
    """Several algorithms over data sets (scenario 4 of Irsoy et al.)."""
    settings = analysis.settings
    why, reference = _ADJUSTED[settings.correction]
    nemenyi = f"{IRSOY} take Nemenyi's test, which finds less. "
    papers = (
        "The thesis takes the sign test of wins with Bonferroni, with Nemenyi's test beside it."
    )
    if settings.correction != "nemenyi":
        papers = nemenyi + papers
    return [
        averages(analysis.results),
        _all_ranks(analysis),
        Step(
            question="Which pairs differ?",
            test=_by(CORRECTIONS, settings.correction, settings.source),
            why=why,
            reference=reference,
            papers=papers,
            fails=_cannot(analysis, analysis.smallest_pvalue),
            advised=True,
        ),
        groups(),
    ]


def with_control(analysis: ControlComparison) -> list[Step]:
    """All against one, over data sets."""
    settings = analysis.settings
    why, reference = _ADJUSTED[settings.correction]
    by = _by(CONTROL_CORRECTIONS, settings.correction, settings.source)
    return [
        averages(analysis.results),
        _all_ranks(analysis),
        Step(
            question=f"Which differ from {analysis.control}?",
            test=f"each against {analysis.control} by {by}",
            why=f"{count(len(analysis.adjusted), 'comparison')} instead of all pairs. {why}",
            reference=f"{DEMSAR}, section 3.2.2; {reference}",
            papers=f"{IRSOY} and the thesis compare all pairs, also where one algorithm is new.",
            fails=_cannot(analysis, analysis.smallest_pvalue),
            advised=True,
        ),
    ]


def two_over_datasets(analysis: TwoComparison) -> list[Step]:
    """Two algorithms over data sets (scenario 3 of Irsoy et al.)."""
    n = analysis.wilcoxon.n - analysis.wilcoxon.n_zero
    return [
        averages(analysis.results),
        Step(
            question="Is one of the two better in general?",
            test="Wilcoxon signed-rank test",
            why="Differences on different data sets are not on one scale and not normal; their "
            "ranks can be compared.",
            reference=f"{DEMSAR}, section 3.1.3; {IRSOY}, section IV.C",
            papers="The thesis counts wins by a test on each data set and takes the sign test, "
            "which finds less.",
            fails=_cannot(analysis, min(1.0, 2.0 ** (1 - n))),
            advised=True,
        ),
    ]


def pair_on_folds(analysis: FoldPairComparison) -> list[Step]:
    """Two algorithms on one data set (scenario 1, case 1 of the thesis)."""
    why, reference, papers = _pair_test(analysis.test)
    least = least_pvalue(analysis.test, analysis.n_folds) if analysis.test in DISCRETE else 0.0
    return [
        resampling(analysis),
        Step(
            question="Is one of the two better on this data set?",
            test=PAIR_TESTS[analysis.test].name,
            why=why,
            reference=reference,
            papers=papers,
            fails=_joined(
                _not_independent(analysis),
                _not_normal(analysis),
                _no_answer(analysis),
                _cannot(analysis, least),
            ),
            advised=True,
        ),
    ]


def several_on_folds(analysis: FoldsComparison) -> list[Step]:
    """Several algorithms on one data set (scenario 2, case 2 of the thesis)."""
    steps = [resampling(analysis)]
    if analysis.omnibus is not None:
        steps.append(_all_on_folds(analysis))
    steps.append(_tukey(analysis) if analysis.test == TUKEY else _each_pair(analysis))
    return [*steps, groups()]


def averages(results: Results) -> Step:
    """Say what one result is over data sets."""
    return Step(
        question="What is one result?",
        test=f"the average on a data set ({results.design_label})",
        why="Each data set counts once, whatever its number of folds; folds of one data set are "
        "not independent of one another.",
        reference=f"{DEMSAR}, section 3.1; {IRSOY}, section IV.C",
    )


def resampling(analysis: OnFolds) -> Step:
    """Say how the results of one data set came about."""
    return Step(
        question="What is one result?",
        test=f"one {analysis.unit} ({analysis.design_label})",
        why="Paired results on the same folds show how much both training and test sets change a "
        "difference.",
        reference=f"{_DIETTERICH}; {IRSOY}, section III",
        papers=_papers_runs(analysis.design),
        fails=" ".join(map(str, analysis.design_notes())),
    )


def _papers_runs(design: str) -> str:
    thesis = "The thesis has 30 training sets from 30 folds and tests them on one test set."
    return thesis if design == "5x2" else f"{IRSOY} work on 5 x 2 folds. {thesis}"


def groups() -> Step:
    """Say how pairs without a difference are put together."""
    return Step(
        question="Which belong together?",
        test="maximal groups without a separated pair",
        why="Every pair that is not separated is in a group, and no separated pair is.",
        reference="Piepho, J. Comput. Graph. Stat. 13 (2004) 456",
        papers=f"{IRSOY}, section IV.B, underline from the ends inwards and do not look inside a "
        "group once it is accepted.",
    )


def _all_ranks(analysis: RanksComparison | ControlComparison) -> Step:
    return Step(
        question="Do the algorithms differ at all?",
        test="Iman-Davenport",
        why="Errors on different data sets are not on one scale, their ranks are; F is less "
        "conservative than Friedman's chi-square.",
        reference=f"Iman and Davenport 1980; {DEMSAR}, section 3.2.2",
        papers=f"{IRSOY} take Friedman's test and name this F as the improved statistic; the "
        "thesis runs an analysis of variance on each data set and counts the wins.",
        fails=" ".join(map(str, analysis.omnibus.warnings)),
        advised=True,
    )


def _all_on_folds(analysis: FoldsComparison) -> Step:
    if analysis.omnibus is not analysis.anova:
        ranks = analysis.omnibus is analysis.friedman
        return Step(
            question="Do the algorithms differ at all?",
            test="Friedman over folds" if ranks else "Cochran's Q",
            why="It goes with the test of pairs: both use "
            + ("ranks only." if ranks else "single cases."),
            reference="Friedman 1937" if ranks else "Cochran 1950",
            papers=f"{IRSOY} and the thesis take the analysis of variance.",
            advised=True,
        )
    return Step(
        question="Do the algorithms differ at all?",
        test="analysis of variance with folds as blocks",
        why="All ran on the same folds, so folds explain a part of the variation.",
        reference=f"{THESIS}, section 4.2; Montgomery, Design and Analysis of Experiments",
        papers=f"{IRSOY} do not block (equation 6); the thesis blocks. Both take folds as "
        "independent.",
        fails=_joined(*map(str, analysis.failed_assumptions())),
        advised=True,
    )


def _tukey(analysis: FoldsComparison) -> Step:
    overlap = ", corrected for overlap" if analysis.raw.factor != 1 else ""
    return Step(
        question="Which pairs differ?",
        test=f"{TUKEY}{overlap}",
        why="It uses the error of all algorithms and guards all pairs by itself."
        + (" Training sets share cases, which one factor allows for." if overlap else ""),
        reference=f"Tukey 1953; {_NADEAU}" if overlap else "Tukey 1953",
        papers=f"{IRSOY} take the 5x2 cv F test of each pair and name no adjustment there."
        + (" The thesis takes Tukey's test without that factor." if overlap else ""),
        advised=True,
    )


def _each_pair(analysis: FoldsComparison) -> Step:
    key, k = analysis.test, len(analysis.order)
    why, reference, _ = _pair_test(key)
    correction = usable_correction(analysis.settings.correction, k)
    adjusted, source = _ADJUSTED[correction]
    by = "unadjusted" if correction == "none" else f"adjusted by {CORRECTIONS[correction]}"
    first = (
        "" if analysis.omnibus is not None else "run an unblocked analysis of variance first and "
    )
    papers = (
        f"{IRSOY} {first}take the 5x2 cv F test of each pair and name no adjustment there; the "
    )
    papers += "thesis takes a blocked analysis of variance, then Tukey's test."
    return Step(
        question="Which pairs differ?",
        test=f"{key} for each pair, {by}",
        why=f"{why} {adjusted}",
        reference=f"{reference}; {source}",
        papers=papers,
        fails=_joined(
            _not_independent(analysis),
            replaced(analysis.settings.correction, k),
            _cannot(analysis, analysis.smallest_pvalue),
        ),
        advised=True,
    )


def _pair_test(key: str) -> tuple[str, str, str]:
    """Return why a test of two on folds is taken, where it comes from, and what papers do."""
    thesis = "The thesis takes the paired t test on k folds."
    other = (
        f"{IRSOY} take the 5x2 cv F test on 5 x 2 folds; the thesis the paired t test on k folds"
    )
    if key == "5x2 cv F":
        return ("It is made for 5 x 2 folds and does not depend on their order.", _ALPAYDIN, thesis)
    if key == "corrected t":
        return (
            "Training sets share cases, so plain t rejects too easily; the share that is tested "
            "says by how much.",
            f"{_NADEAU}; {_BOUCKAERT}",
            f"{other}, uncorrected.",
        )
    if key == "paired t":
        return (
            "No correction is defined here, or you chose to do without.",
            f"{_DIETTERICH}, section 3.4",
            f"{IRSOY} take the 5x2 cv F test on 5 x 2 folds; the thesis does the same as here.",
        )
    reference = _CHOSEN.get(key, _DIETTERICH)
    return (f"By your choice. {PAIR_TESTS[key].assumes}", reference, f"{other}.")


def _by(known: dict[str, str], correction: str, source: str) -> str:
    """Name a correction with the source of its p-values, as verdicts do."""
    if correction == "nemenyi":
        return "Nemenyi"
    if correction == "none":
        return f"unadjusted p from {SOURCES[source]}"
    return f"{known[correction]} on {SOURCES[source]}"


def _not_independent(analysis: OnFolds) -> str:
    if analysis.test not in AS_IF_INDEPENDENT or analysis.test_fraction is None:
        return ""
    return f"This test {OVERLAP}; the corrected t test stands beside it."


def _not_normal(analysis: FoldPairComparison) -> str:
    check, flips = analysis.normality, analysis.answer("sign flips").outcome
    if analysis.test not in _BY_NORMAL or check is None or flips is None:
        return ""
    if check.pvalue > _CHECK_LEVEL:
        return ""
    return (
        f"Normality of the differences is doubtful ({p_phrase(check.pvalue)}); the sign-flip test, "
        f"which does without it, says {p_phrase(flips.pvalue, analysis.settings.alpha)}."
    )


def _no_answer(analysis: FoldPairComparison) -> str:
    return "" if analysis.chosen.outcome is not None else analysis.chosen.reason


def _cannot(analysis: Comparison, smallest: float) -> str:
    """Say that no difference could be significant, where that is so."""
    alpha = analysis.settings.alpha
    if smallest <= alpha:
        return ""
    return (
        f"No difference can be significant, however large: p cannot fall below "
        f"{p_text(smallest, alpha)} (alpha {alpha:g})."
    )


def _joined(*sentences: str) -> str:
    return " ".join(sentence for sentence in sentences if sentence)
