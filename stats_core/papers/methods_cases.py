"""The methods of comparisons on the cases of one test set, in words for a paper."""

from collections.abc import Iterable

from stats_core.comparison.kinds.cases import CasesComparison
from stats_core.core.words import count
from stats_core.papers.methods_words import Piece, adjusted, sentence


def of_cases(analysis: CasesComparison) -> Iterable[Piece]:
    """Say how trained classifiers were compared on the cases of one test set."""
    cases, alpha = count(len(analysis.correct), "case"), analysis.settings.alpha
    if analysis.cochran is None:
        yield Piece(
            f" The two were compared on the {cases} of the test set by McNemar's exact test",
            ("mcnemar1947", "dietterich1998"),
        )
        yield sentence(f", two-sided, at alpha {alpha:g}")
    else:
        yield Piece(f" On the {cases} of the test set, Cochran's Q", ("cochran1950",))
        yield Piece(
            " asked whether the shares of cases classified correctly differ by more than chance; "
            f"the {count(len(analysis.tests), 'pair')} were compared by McNemar's exact test",
            ("mcnemar1947", "dietterich1998"),
        )
        yield from adjusted(analysis.correction, alpha)
    yield sentence(
        "This speaks of these trained models on the population of the cases; how results vary with "
        "training was not seen"
    )
