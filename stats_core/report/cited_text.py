"""Text of methods paragraphs with the publications it cites."""

from collections.abc import Iterable
from dataclasses import dataclass

from stats_core.comparison.cards.method_card import method_card
from stats_core.data.results import Results
from stats_core.inference.multiplicity.corrections import LOGICAL, SYMMETRIC

_RESAMPLING = {
    "5x2": "5 x 2-fold cross-validation",
    "leave-one-out": "leave-one-out cross-validation",
    "holdout": "random partitions",
    "seeds": "runs with other seeds",
    "bootstrap": "bootstrap samples",
    "common test set": "training sets that share one test set",
}


@dataclass(frozen=True, slots=True)
class CitedText:
    """A piece of text and the publications cited after it.

    Attributes
    ----------
    text : str
        Begins with a blank where one belongs.
    keys : tuple of str
        Of `REFERENCES`.
    """

    text: str
    keys: tuple[str, ...] = ()

    @property
    def marked(self) -> str:
        """The text with its citation as a mark.

        Examples
        --------
        >>> CitedText(" Holm's procedure", ("holm1979",)).marked
        " Holm's procedure [@holm1979]"
        """
        if not self.keys:
            return self.text
        return f"{self.text} [{'; '.join(f'@{key}' for key in self.keys)}]"


def ending_sentence(text: str) -> CitedText:
    """Return text that ends a sentence, with a leading blank if it starts a new one."""
    return CitedText(f"{text}." if text[:1] in ",:;) " else f" {text}.")


def cite_test(before: str, key: str, after: str = "") -> CitedText:
    """Return text that names a test by its card, citing its publications.

    Examples
    --------
    >>> cite_test(" They were compared by the", "wilcoxon").text
    ' They were compared by the Wilcoxon signed-rank test'
    """
    card = method_card(key)
    return CitedText(f"{before} {card.phrase}{after}", card.papers)


def adjustment_text(
    correction: str, alpha: float, bounds: str = "family", *, sided: str = ", two-sided", source: str = ""
) -> Iterable[CitedText]:
    """Yield text on the adjustment of the p-values of a family; continues a sentence."""
    if correction == "none":
        consequence = f", so that alpha {alpha:g} held for each comparison alone"
        yield ending_sentence(
            f"{sided}, and p-values were not adjusted for being many{consequence if bounds == 'each' else ''}"
        )
        return
    yield cite_test(f"{sided}, and p-values adjusted by", correction)
    yield error_control_text(alpha, bounds, _needs(correction, source))


def _needs(correction: str, source: str) -> str:
    """Return the assumption that a correction adds; continues a sentence."""
    if correction in LOGICAL:
        symmetric = "; it assumes that the differences of each pair are symmetric about their median"
        return symmetric if source in SYMMETRIC else ""
    assumption = "; it takes for granted that the tests do not depend on each other negatively"
    return assumption if method_card(correction).assumes else ""


def error_control_text(alpha: float, bounds: str, needs: str = "") -> CitedText:
    """Return text on the error rate bounded by alpha; continues or ends a sentence."""
    if bounds == "nothing":
        return ending_sentence(f", at alpha {alpha:g}{needs}")
    weak = (
        " only if no algorithms differ (weak control of the family-wise error rate)" if bounds == "global null" else ""
    )
    return ending_sentence(f", so that alpha {alpha:g} bounded the chance of any false difference{weak}{needs}")


def critical(difference: float) -> CitedText:
    """Return text on the critical difference of average ranks; continues a sentence.

    Examples
    --------
    >>> critical(1.0365).text
    ', by which average ranks differ significantly if they are 1.036 or more apart'
    """
    return CitedText(f", by which average ranks differ significantly if they are {difference:.3f} or more apart")


def family_text(name: str, alpha: float, comparisons: int, *, adjusted: bool) -> Iterable[CitedText]:
    """Yield a sentence on the hypotheses that share the level; nothing without tests."""
    if comparisons == 1:
        yield ending_sentence("The decision rests on one hypothesis, so its p-value was not adjusted")
    elif comparisons and adjusted:
        yield ending_sentence(f"The family of hypotheses that shared alpha {alpha:g} was {name}")
    elif comparisons:
        yield ending_sentence(f"The family of hypotheses was {name}")


def resampling_text(design: str, label: str) -> str:
    """Return the name of a resampling design for a sentence.

    Examples
    --------
    >>> resampling_text("r x k-fold", "10 x 10-fold"), resampling_text("holdout", "holdout")
    ('10 x 10-fold cross-validation', 'random partitions')
    """
    if design in ("k-fold", "r x k-fold"):
        return f"{label} cross-validation"
    return _RESAMPLING.get(design, "its folds")


def overlap_text(factor: float, unit: str = "fold") -> CitedText:
    """Return text on overlapping training sets and the variance factor used."""
    return CitedText(
        f" Training sets of different {unit}s share cases; for that the variance of a "
        f"mean was multiplied by {factor:.4g}",
        method_card("overlap_factor").papers,
    )


def ranking_text() -> Iterable[CitedText]:
    """Yield text on the ranks and the omnibus test over data sets."""
    yield ending_sentence(
        "On each data set the algorithms were ranked, 1 for the best, ties sharing the mean of their ranks"
    )
    yield from friedman_text(" asked whether the average ranks differ by more than chance")


def friedman_text(asked: str) -> Iterable[CitedText]:
    """Yield text on the omnibus test of average ranks and what it asked."""
    yield CitedText(" The Friedman test", method_card("friedman").papers)
    yield CitedText(" in the form of Iman and Davenport", method_card("iman_davenport").papers)
    yield ending_sentence(asked)


def cite_source(said: str, source: str) -> CitedText:
    """Return text that names the test over data sets behind the p-values."""
    return cite_test(f"{said} by" if source == "ranks" else f"{said} by the", source)


def origin(results: Results, *, by_fold: bool = False) -> CitedText:
    """Return the sentence on how the results of an algorithm were obtained."""
    single_dataset = len(results.datasets) == 1
    if results.design == "single":
        sets_text = "it" if single_dataset else "each data set"
        return ending_sentence(f"There was one number for each algorithm on {sets_text}")
    resampling = resampling_text(results.design, results.design_label)
    if single_dataset:
        return ending_sentence(f"Results came from {resampling} and were paired by fold")
    if by_fold:
        return ending_sentence(f"Results on each data set came from {resampling} and were paired by fold")
    return ending_sentence(f"The result on a data set was the mean over {resampling}")
