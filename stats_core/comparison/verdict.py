"""What an analysis says, in two sentences."""

from stats_core.comparison.analyse import (
    Comparison,
    ControlComparison,
    FoldPairComparison,
    FoldsComparison,
    PairOnMeasures,
    RanksComparison,
    SeveralOnMeasures,
    TwoComparison,
    WinsComparison,
)
from stats_core.comparison.kinds.cases import CasesComparison
from stats_core.comparison.verdict_cases import verdict_of_cases
from stats_core.comparison.verdict_datasets import (
    leaders,
    verdict_of_control,
    verdict_of_ranks,
    verdict_of_two,
)
from stats_core.comparison.verdict_folds import disagreement, verdict_of_folds, verdict_of_pair
from stats_core.comparison.verdict_measures import (
    verdict_of_pair_on_measures,
    verdict_of_several_on_measures,
)
from stats_core.comparison.verdict_wins import verdict_of_wins
from stats_core.comparison.verdict_words import Verdict
from stats_core.core.checks import check_kind
from stats_core.core.words import listed, number, score_digits

__all__ = ["Verdict", "disagreement", "leaders", "verdict"]


def verdict(analysis: Comparison) -> Verdict:
    """What do the results say?

    Parameters
    ----------
    analysis : Comparison
        From `analyse`.

    Returns
    -------
    Verdict
        Headline, numbers and notes; "not separated" is never written as "equal".

    Raises
    ------
    SettingError
        Not an analysis.

    Examples
    --------
    The 30 x 5 table of Garcia and Herrera (2008) at 0.05 with Holm: "C4.5 leads;
    NaiveBayes and CN2 are not separated from it."
    """
    match check_kind(analysis, Comparison, "analysis", "Use `analyse`"):
        case RanksComparison():
            return verdict_of_ranks(analysis)
        case WinsComparison():
            return verdict_of_wins(analysis)
        case ControlComparison():
            return verdict_of_control(analysis)
        case TwoComparison():
            return verdict_of_two(analysis)
        case FoldsComparison():
            return verdict_of_folds(analysis)
        case FoldPairComparison():
            return verdict_of_pair(analysis)
        case PairOnMeasures():
            return verdict_of_pair_on_measures(analysis)
        case SeveralOnMeasures():
            return verdict_of_several_on_measures(analysis)
        case CasesComparison():
            return verdict_of_cases(analysis)
        case _:
            return _untested(analysis)


def _untested(analysis: Comparison) -> Verdict:
    results = analysis.results
    if len(results.algorithms) < 2:
        return Verdict(
            badge="Limited",
            headline="One algorithm cannot be compared.",
            detail=f"These results have {listed(results.algorithms) or 'no algorithm'} only. "
            "Add a second one, or leave fewer out.",
            notes=results.choices,
        )
    return Verdict(
        badge="Limited",
        headline="One number for each algorithm: nothing can be tested.",
        detail=f"{_best_on_one_dataset(analysis)} Whether that is more than chance shows only in "
        "the results of every fold, or over two or more data sets.",
        notes=results.choices,
    )


def _best_on_one_dataset(analysis: Comparison) -> str:
    averages = analysis.scores.iloc[0].dropna()
    if averages.empty:
        return "No algorithm has a complete result."
    name = averages.idxmax() if analysis.higher_is_better else averages.idxmin()
    return (
        f"{name} has the best average {analysis.settings.measure}, "
        f"{number(averages[name], score_digits(analysis.scores))}."
    )
