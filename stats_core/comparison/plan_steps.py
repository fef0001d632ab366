"""Steps of an analysis shared by several kinds of comparison."""

from collections.abc import Iterable
from dataclasses import dataclass

from stats_core.comparison.cards.bibliography import cite
from stats_core.comparison.cards.method_card import method_card, reference_of
from stats_core.data.results import Results

DEMSAR = cite("demsar2006")
IRSOY = cite("irsoy2012")
THESIS = cite("aslan2009")
MULTIVARIATE = cite("yildiz2011")
_DIETTERICH = cite("dietterich1998")


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """One step of an analysis.

    Attributes
    ----------
    question : str
        Question that the step answers.
    test : str
        The test, or the procedure if nothing is tested.
    why : str
        Why this one, in one sentence.
    reference : str
        Where that is argued.
    papers : str
        Choice of published papers, "" if it is the same.
    fails : str
        Assumptions that fail here, and their treatment; "" if none is known to fail.
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


def averages(results: Results) -> Step:
    """Return the step that describes averages over data sets."""
    return Step(
        question="What is one result?",
        test=f"the average on a data set ({results.design_label})",
        why="Each data set counts once, whatever its number of folds; folds of one data set are "
        "not independent of one another.",
        reference=f"{DEMSAR}, section 3.1; {IRSOY}, section IV.C",
    )


def folds(unit: str, design: str, label: str, fails: str) -> Step:
    """Return the step that describes results on folds of one data set."""
    thesis = "The thesis has 30 training sets from 30 folds and tests them on one test set."
    return Step(
        question="What is one result?",
        test=f"one {unit} ({label})",
        why="Paired results on the same folds show how much both training and test sets change a "
        "difference.",
        reference=f"{_DIETTERICH}; {IRSOY}, section III",
        papers=thesis if design == "5x2" else f"{IRSOY} work on 5 x 2 folds. {thesis}",
        fails=fails,
    )


def groups() -> Step:
    """Return the step that forms groups of pairs without a difference."""
    return Step(
        question="Which belong together?",
        test="maximal groups without a separated pair",
        why="Every pair that is not separated is in a group, and no separated pair is.",
        reference=reference_of("compact_letters"),
        papers=f"{IRSOY}, section IV.B, underline from the ends inwards and do not look inside a "
        "group once it is accepted.",
    )


def all_ranks(fails: str) -> Step:
    """Return the step of the omnibus test on ranks."""
    return Step(
        question="Do the algorithms differ at all?",
        test="Iman-Davenport",
        why=method_card("iman_davenport").why,
        reference=reference_of("iman_davenport"),
        papers=f"{IRSOY} take Friedman's test and name this F as the improved statistic; the "
        "thesis runs an analysis of variance on each data set and counts the wins.",
        fails=fails,
        advised=True,
    )


def joined(sentences: Iterable[object]) -> str:
    """Join sentences by blanks, skipping empty ones."""
    return " ".join(str(sentence) for sentence in sentences if sentence)
