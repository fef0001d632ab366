"""Foldwise: honest comparison of learning algorithms from per-fold results.

>>> import stats_core as fw
>>> fw.critical_difference(k=5, n_datasets=30, alpha=0.05)
1.1136092236789705
"""

from stats_core.adjust import adjust_pairs
from stats_core.advise import Advice, advise
from stats_core.analyse import Analysis, RanksAnalysis, Settings, TwoAnalysis, analyse
from stats_core.cliques import cliques
from stats_core.errors import (
    DataError,
    DegenerateError,
    DesignError,
    FoldwiseError,
    NeedsMapping,
    Problem,
    SettingError,
)
from stats_core.measures import MEASURES, confusion_measures
from stats_core.paired import hodges_lehmann_interval, sign_test, wilcoxon
from stats_core.pairwise import count_wins, pairwise
from stats_core.ranks import (
    critical_difference,
    friedman,
    iman_davenport,
    nemenyi,
    post_hoc_z,
    rank_rows,
)
from stats_core.reading import Mapping, describe_columns, read_results
from stats_core.report import table_to_csv, table_to_latex, to_text
from stats_core.results import Results
from stats_core.sensitivity import sensitivity
from stats_core.verdict import Verdict, verdict

__all__ = [
    "Advice",
    "Analysis",
    "DataError",
    "DegenerateError",
    "DesignError",
    "FoldwiseError",
    "MEASURES",
    "Mapping",
    "NeedsMapping",
    "Problem",
    "RanksAnalysis",
    "Results",
    "SettingError",
    "Settings",
    "TwoAnalysis",
    "Verdict",
    "adjust_pairs",
    "advise",
    "analyse",
    "cliques",
    "confusion_measures",
    "count_wins",
    "critical_difference",
    "describe_columns",
    "friedman",
    "hodges_lehmann_interval",
    "iman_davenport",
    "nemenyi",
    "pairwise",
    "post_hoc_z",
    "rank_rows",
    "read_results",
    "sensitivity",
    "sign_test",
    "table_to_csv",
    "table_to_latex",
    "to_text",
    "verdict",
    "wilcoxon",
]
