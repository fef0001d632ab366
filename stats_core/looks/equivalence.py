"""Two algorithms with a region of practical equivalence: three probabilities."""

from stats_core.comparison.kinds.fold_pair import FoldPairComparison
from stats_core.comparison.kinds.two import TwoComparison
from stats_core.inference.bayes.bayesian import PosteriorOutcome, bayesian_signed_rank, correlated_t


def equivalence(
    comparison: TwoComparison | FoldPairComparison, rope: float
) -> tuple[PosteriorOutcome, str]:
    """How probable is it that each of the two is better by more than does not matter?

    Parameters
    ----------
    comparison : TwoComparison or FoldPairComparison
        Over data sets, or on the folds of one, where training sets that overlap are allowed for.
    rope : float
        Differences up to this do not matter.

    Returns
    -------
    PosteriorOutcome, str
        And the key of the method's card.

    Examples
    --------
    See the page Pair.
    """
    if isinstance(comparison, TwoComparison):
        differences = comparison.scores[comparison.first] - comparison.scores[comparison.second]
        return bayesian_signed_rank(differences, rope=rope), "bayesian_signed_rank"
    found = correlated_t(comparison.differences, rope=rope, test_fraction=comparison.test_fraction)
    return found, "correlated_t"
