"""Kinds of comparison that `analyse` can return, and the registry `KINDS` of their classes."""

from stats_core.comparison.kinds.benchmarks import BenchmarksComparison
from stats_core.comparison.kinds.control import ControlComparison
from stats_core.comparison.kinds.datasets import RanksComparison, TwoComparison
from stats_core.comparison.kinds.fold_comparisons import FoldsComparison
from stats_core.comparison.kinds.fold_pair import FoldPairComparison
from stats_core.comparison.kinds.incomplete_datasets import PresentComparison
from stats_core.comparison.kinds.instances import CasesComparison, TrainingsComparison
from stats_core.comparison.kinds.measure_vectors import PairOnMeasures, SeveralOnMeasures
from stats_core.comparison.kinds.published_summaries import (
    PublishedDecisions,
    PublishedRanks,
    PublishedWins,
    UntestedComparison,
)
from stats_core.comparison.kinds.wins import WinsComparison
from stats_core.comparison.result import Comparison

# key of a kind -> its class; texts, tables and figures are registered under the same keys
KINDS: dict[str, type[Comparison]] = {
    comparison_class.kind: comparison_class
    for comparison_class in (
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
        BenchmarksComparison,
        UntestedComparison,
        PublishedRanks,
        PublishedWins,
        PublishedDecisions,
    )
}
