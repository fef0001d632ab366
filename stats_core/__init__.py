"""Foldwise: honest comparison of learning algorithms from per-fold results.

>>> import stats_core as fw
>>> fw.critical_difference(k=5, n_datasets=30, alpha=0.05)
1.1136092236789705
"""

from stats_core.adjust import adjust_family, adjust_pairs
from stats_core.advise import Advice, advise
from stats_core.agreement import Agreement, Rule, agreement
from stats_core.analyse import (
    Analysis,
    FoldPairAnalysis,
    FoldsAnalysis,
    PairOnMeasures,
    RanksAnalysis,
    Settings,
    SeveralOnMeasures,
    TwoAnalysis,
    analyse,
)
from stats_core.anova import anova, tukey
from stats_core.assumptions import (
    differences_qq,
    equal_variances,
    normal_differences,
    normal_qq,
    normality,
    sphericity,
)
from stats_core.cliques import cliques, compact_letters, underlines
from stats_core.curves import pr_auc, roc_auc
from stats_core.effective import EffectiveSpace, effective_space
from stats_core.errors import (
    DataError,
    DegenerateError,
    DesignError,
    FoldwiseError,
    NeedsMapping,
    Problem,
    SettingError,
)
from stats_core.findings import Finding, findings
from stats_core.fold_tests import PAIR_TESTS, FoldPair, PairAnswer, advised_test, answer
from stats_core.hotelling import hotelling_paired, hotelling_two_sample, pairwise_hotelling
from stats_core.learned import (
    learned_crossfit,
    learned_groups,
    learned_measures,
    learned_permutation,
)
from stats_core.manova import manova, manova_dimension
from stats_core.measures import MEASURES, confusion_measures
from stats_core.multinormal import box_m, distances_qq, mardia
from stats_core.over_measures import Wins, dimensions, wins
from stats_core.paired import (
    cochran_q,
    corrected_t,
    cv52_combined_t,
    cv52_f,
    cv52_t,
    effect_sizes,
    hodges_lehmann_interval,
    mcnemar,
    overlap_factor,
    paired_t,
    sign_flip_test,
    sign_test,
    wilcoxon,
)
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
from stats_core.shuffles import shuffled_hotelling, shuffled_manova
from stats_core.verdict import Verdict, verdict

__all__ = [
    "Advice",
    "Agreement",
    "Analysis",
    "DataError",
    "DegenerateError",
    "DesignError",
    "EffectiveSpace",
    "Finding",
    "FoldPair",
    "FoldPairAnalysis",
    "FoldsAnalysis",
    "FoldwiseError",
    "MEASURES",
    "Mapping",
    "NeedsMapping",
    "PAIR_TESTS",
    "PairAnswer",
    "PairOnMeasures",
    "Problem",
    "RanksAnalysis",
    "Results",
    "Rule",
    "SettingError",
    "Settings",
    "SeveralOnMeasures",
    "TwoAnalysis",
    "Verdict",
    "Wins",
    "adjust_family",
    "adjust_pairs",
    "advise",
    "advised_test",
    "agreement",
    "analyse",
    "anova",
    "answer",
    "box_m",
    "cliques",
    "cochran_q",
    "compact_letters",
    "confusion_measures",
    "corrected_t",
    "count_wins",
    "critical_difference",
    "cv52_combined_t",
    "cv52_f",
    "cv52_t",
    "describe_columns",
    "differences_qq",
    "dimensions",
    "distances_qq",
    "effect_sizes",
    "effective_space",
    "equal_variances",
    "findings",
    "friedman",
    "hodges_lehmann_interval",
    "hotelling_paired",
    "hotelling_two_sample",
    "iman_davenport",
    "learned_crossfit",
    "learned_groups",
    "learned_measures",
    "learned_permutation",
    "manova",
    "manova_dimension",
    "mardia",
    "mcnemar",
    "nemenyi",
    "normal_differences",
    "normal_qq",
    "normality",
    "overlap_factor",
    "paired_t",
    "pairwise",
    "pairwise_hotelling",
    "post_hoc_z",
    "pr_auc",
    "rank_rows",
    "read_results",
    "roc_auc",
    "sensitivity",
    "shuffled_hotelling",
    "shuffled_manova",
    "sign_flip_test",
    "sign_test",
    "sphericity",
    "table_to_csv",
    "table_to_latex",
    "to_text",
    "tukey",
    "underlines",
    "verdict",
    "wilcoxon",
    "wins",
]
