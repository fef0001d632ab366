"""What an analysis says, in two sentences."""

from stats_core._check import check_kind
from stats_core._verdict_cases import verdict_of_cases
from stats_core._verdict_datasets import (
    leaders,
    verdict_of_control,
    verdict_of_ranks,
    verdict_of_two,
)
from stats_core._verdict_folds import disagreement, verdict_of_folds, verdict_of_pair
from stats_core._verdict_measures import (
    verdict_of_pair_on_measures,
    verdict_of_several_on_measures,
)
from stats_core._verdict_wins import verdict_of_wins
from stats_core._verdict_words import Verdict
from stats_core.analyse import (
    Analysis,
    ControlAnalysis,
    FoldPairAnalysis,
    FoldsAnalysis,
    PairOnMeasures,
    RanksAnalysis,
    SeveralOnMeasures,
    TwoAnalysis,
    WinsAnalysis,
)
from stats_core.on_cases import CasesAnalysis
from stats_core.wording import listed, number, score_digits

__all__ = ["Verdict", "disagreement", "leaders", "verdict"]


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

    Raises
    ------
    SettingError
        Not an analysis.

    Examples
    --------
    The 30 x 5 table of Garcia and Herrera (2008) at 0.05 with Holm: "C4.5 leads;
    NaiveBayes and CN2 are not separated from it."
    """
    match check_kind(analysis, Analysis, "analysis", "Use `analyse`"):
        case RanksAnalysis():
            return verdict_of_ranks(analysis)
        case WinsAnalysis():
            return verdict_of_wins(analysis)
        case ControlAnalysis():
            return verdict_of_control(analysis)
        case TwoAnalysis():
            return verdict_of_two(analysis)
        case FoldsAnalysis():
            return verdict_of_folds(analysis)
        case FoldPairAnalysis():
            return verdict_of_pair(analysis)
        case PairOnMeasures():
            return verdict_of_pair_on_measures(analysis)
        case SeveralOnMeasures():
            return verdict_of_several_on_measures(analysis)
        case CasesAnalysis():
            return verdict_of_cases(analysis)
        case _:
            return _untested(analysis)


def _untested(analysis: Analysis) -> Verdict:
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


def _best_on_one_dataset(analysis: Analysis) -> str:
    averages = analysis.scores.iloc[0].dropna()
    if averages.empty:
        return "No algorithm has a complete result."
    name = averages.idxmax() if analysis.higher_is_better else averages.idxmin()
    return (
        f"{name} has the best average {analysis.settings.measure}, "
        f"{number(averages[name], score_digits(analysis.scores))}."
    )
