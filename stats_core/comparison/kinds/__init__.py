"""Registry of the kinds of comparison."""

from stats_core.comparison.kinds.average_ranks import RanksComparison
from stats_core.comparison.kinds.control import ControlComparison
from stats_core.comparison.kinds.fold_pair import FoldPairComparison
from stats_core.comparison.kinds.folds import FoldsComparison
from stats_core.comparison.kinds.incomplete import PresentComparison
from stats_core.comparison.kinds.instances import CasesComparison
from stats_core.comparison.kinds.measure_pair import PairOnMeasures
from stats_core.comparison.kinds.published_summaries import (
    PublishedDecisions,
    PublishedRanks,
    PublishedWins,
)
from stats_core.comparison.kinds.several_measures import SeveralOnMeasures
from stats_core.comparison.kinds.trainings import TrainingsComparison
from stats_core.comparison.kinds.two_algorithms import TwoComparison
from stats_core.comparison.kinds.untested import UntestedComparison
from stats_core.comparison.kinds.wins import WinsComparison
from stats_core.comparison.result import Comparison

# key of a kind -> its class; texts, tables and figures are registered under the same keys
KINDS: dict[str, type[Comparison]] = {
    one.kind: one
    for one in (
        RanksComparison,
        PresentComparison,
        ControlComparison,
        TwoComparison,
        FoldsComparison,
        FoldPairComparison,
        SeveralOnMeasures,
        PairOnMeasures,
        WinsComparison,
        CasesComparison,
        TrainingsComparison,
        UntestedComparison,
        PublishedRanks,
        PublishedWins,
        PublishedDecisions,
    )
}
