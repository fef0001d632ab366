"""Foldwise: honest comparison of learning algorithms from per-fold results.

>>> import stats_core as fw
>>> fw.critical_difference(k=5, n_datasets=30, alpha=0.05)
1.1136092236789705
"""

from stats_core.comparison.advise import Advice, advise
from stats_core.comparison.analyse import (
    CasesComparison,
    Comparison,
    FoldPairComparison,
    FoldsComparison,
    PairOnMeasures,
    RanksComparison,
    SeveralOnMeasures,
    TwoComparison,
    WinsComparison,
    analyse,
)
from stats_core.comparison.chain import Chain, chain
from stats_core.comparison.kinds.control import ControlComparison, dunn_difference
from stats_core.comparison.order_words import order_verdict
from stats_core.comparison.over_measures import dimensions, wins
from stats_core.comparison.verdict import Verdict, verdict
from stats_core.core.errors import (
    DataError,
    DegenerateError,
    DesignError,
    FoldwiseError,
    NeedsMapping,
    Problem,
    SettingError,
)
from stats_core.curves.auc_intervals import (
    AucInterval,
    auc_interval,
    auc_interval_from_errors,
    auc_interval_of,
    expected_auc,
)
from stats_core.curves.auc_size import auc_sample_size, detectable_auc, hanley_mcneil_se
from stats_core.curves.curve_shapes import (
    crossings,
    dominates,
    hull_in_pr,
    roc_hull,
    threshold_average,
    vertical_average,
)
from stats_core.curves.curves import (
    FoldCurves,
    fold_areas,
    fold_curves,
    partial_auc,
    pr_auc,
    pr_curve,
    roc_auc,
    roc_curve,
)
from stats_core.curves.delong import DeLongOutcome, delong, delong_covariance, delong_variance
from stats_core.curves.losses import cost_envelope, iso_cost_slope, loss_ratio, risk, theta_of
from stats_core.curves.on_curves import DataCurves, curves_on
from stats_core.curves.over_sweeps import over_data_sets
from stats_core.curves.sweep import THETAS, Sweep, sweep
from stats_core.curves.thresholds import at_threshold, raw_thresholds
from stats_core.data.costs import average_cost, combined_costs, cost_table, prior_order
from stats_core.data.measures import MEASURES, confusion_measures
from stats_core.data.results import Results
from stats_core.data.settings import Settings
from stats_core.inference.anova import anova, tukey
from stats_core.inference.assumptions import (
    differences_qq,
    equal_variances,
    normal_differences,
    normal_qq,
    normality,
    sphericity,
)
from stats_core.inference.bayes.bayesian import bayesian_signed_rank, correlated_t
from stats_core.inference.contrasts import contrast_estimation, contrast_estimators
from stats_core.inference.exact_friedman import exact_friedman
from stats_core.inference.families.adjust import adjust_family, adjust_pairs
from stats_core.inference.families.adjust_control import adjust_control, rom_constants
from stats_core.inference.families.bergmann_hommel import bergmann_hommel
from stats_core.inference.families.cliques import cliques, compact_letters, underlines
from stats_core.inference.families.exhaustive import (
    ExhaustiveSets,
    count_exhaustive_sets,
    exhaustive_sets,
)
from stats_core.inference.families.shaffer import shaffer_factors
from stats_core.inference.families.step_table import StepTable, step_table
from stats_core.inference.families.underlined_best import best_of_underlines
from stats_core.inference.families.win_counts import Wins, sign_matrix
from stats_core.inference.fold_tests import PAIR_TESTS, FoldPair, PairAnswer, advised_test, answer
from stats_core.inference.incomplete import shuffled_skillings_mack, skillings_mack
from stats_core.inference.multivariate.effective import EffectiveSpace, effective_space
from stats_core.inference.multivariate.hotelling import (
    hotelling_paired,
    hotelling_two_sample,
    pairwise_hotelling,
)
from stats_core.inference.multivariate.learned import (
    learned_crossfit,
    learned_groups,
    learned_measures,
    learned_permutation,
)
from stats_core.inference.multivariate.manova import manova, manova_dimension
from stats_core.inference.multivariate.multinormal import box_m, distances_qq, mardia
from stats_core.inference.multivariate.shuffles import shuffled_hotelling, shuffled_manova
from stats_core.inference.omnibus import friedman_aligned, kendall_w, quade
from stats_core.inference.paired import (
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
from stats_core.inference.pairwise import count_wins, pairwise
from stats_core.inference.ranks import (
    critical_difference,
    friedman,
    iman_davenport,
    nemenyi,
    post_hoc_z,
    rank_rows,
)
from stats_core.looks.agreement import Agreement, Rule, agreement
from stats_core.looks.every_omnibus import every_omnibus
from stats_core.looks.findings import Finding, findings
from stats_core.looks.other_definitions import other_definitions
from stats_core.looks.sensitivity import sensitivity
from stats_core.looks.set_wins import set_wins
from stats_core.looks.similar_sets import SimilarSets, similar_sets
from stats_core.looks.stability import Stability, stability
from stats_core.ordering.changes import OrderChanges, order_changes
from stats_core.ordering.evidence import Evidence, evidence, evidence_over
from stats_core.ordering.multitest import Ordering, SecondPass, multi2test, multitest
from stats_core.ordering.order import Order, OrderRules, order_of
from stats_core.ordering.sensitivity import (
    OrderPaths,
    order_by_alpha,
    order_by_cost,
    order_by_scale,
    order_by_weight,
)
from stats_core.papers.report import table_to_csv, table_to_latex, to_text
from stats_core.papers.reproduce import comparison_table, to_json, to_script
from stats_core.power.detectable import Detectable, detectable
from stats_core.power.order_simulation import simulate_multi2test, simulate_multitest
from stats_core.reading.reading import Mapping, describe_columns, read_results

__all__ = [
    "Advice",
    "Agreement",
    "AucInterval",
    "CasesComparison",
    "Chain",
    "Comparison",
    "ControlComparison",
    "DataCurves",
    "DataError",
    "DeLongOutcome",
    "DegenerateError",
    "DesignError",
    "Detectable",
    "EffectiveSpace",
    "Evidence",
    "ExhaustiveSets",
    "Finding",
    "FoldCurves",
    "FoldPair",
    "FoldPairComparison",
    "FoldsComparison",
    "FoldwiseError",
    "MEASURES",
    "Mapping",
    "NeedsMapping",
    "Order",
    "OrderChanges",
    "OrderPaths",
    "OrderRules",
    "Ordering",
    "PAIR_TESTS",
    "PairAnswer",
    "PairOnMeasures",
    "Problem",
    "RanksComparison",
    "Results",
    "Rule",
    "SecondPass",
    "SettingError",
    "Settings",
    "SeveralOnMeasures",
    "SimilarSets",
    "Stability",
    "StepTable",
    "Sweep",
    "THETAS",
    "TwoComparison",
    "Verdict",
    "Wins",
    "WinsComparison",
    "adjust_control",
    "adjust_family",
    "adjust_pairs",
    "advise",
    "advised_test",
    "agreement",
    "analyse",
    "anova",
    "answer",
    "at_threshold",
    "auc_interval",
    "auc_interval_from_errors",
    "auc_interval_of",
    "auc_sample_size",
    "average_cost",
    "bayesian_signed_rank",
    "bergmann_hommel",
    "best_of_underlines",
    "box_m",
    "chain",
    "cliques",
    "cochran_q",
    "combined_costs",
    "compact_letters",
    "comparison_table",
    "confusion_measures",
    "contrast_estimation",
    "contrast_estimators",
    "corrected_t",
    "correlated_t",
    "cost_envelope",
    "cost_table",
    "count_exhaustive_sets",
    "count_wins",
    "critical_difference",
    "crossings",
    "curves_on",
    "cv52_combined_t",
    "cv52_f",
    "cv52_t",
    "delong",
    "delong_covariance",
    "delong_variance",
    "describe_columns",
    "detectable",
    "detectable_auc",
    "differences_qq",
    "dimensions",
    "distances_qq",
    "dominates",
    "dunn_difference",
    "effect_sizes",
    "effective_space",
    "equal_variances",
    "every_omnibus",
    "evidence",
    "evidence_over",
    "exact_friedman",
    "exhaustive_sets",
    "expected_auc",
    "findings",
    "fold_areas",
    "fold_curves",
    "friedman",
    "friedman_aligned",
    "hanley_mcneil_se",
    "hodges_lehmann_interval",
    "hotelling_paired",
    "hotelling_two_sample",
    "hull_in_pr",
    "iman_davenport",
    "iso_cost_slope",
    "kendall_w",
    "learned_crossfit",
    "learned_groups",
    "learned_measures",
    "learned_permutation",
    "loss_ratio",
    "manova",
    "manova_dimension",
    "mardia",
    "mcnemar",
    "multi2test",
    "multitest",
    "nemenyi",
    "normal_differences",
    "normal_qq",
    "normality",
    "order_by_alpha",
    "order_by_cost",
    "order_by_scale",
    "order_by_weight",
    "order_changes",
    "order_of",
    "order_verdict",
    "other_definitions",
    "over_data_sets",
    "overlap_factor",
    "paired_t",
    "pairwise",
    "pairwise_hotelling",
    "partial_auc",
    "post_hoc_z",
    "pr_auc",
    "pr_curve",
    "prior_order",
    "quade",
    "rank_rows",
    "raw_thresholds",
    "read_results",
    "risk",
    "roc_auc",
    "roc_curve",
    "roc_hull",
    "rom_constants",
    "sensitivity",
    "set_wins",
    "shaffer_factors",
    "shuffled_hotelling",
    "shuffled_manova",
    "shuffled_skillings_mack",
    "sign_flip_test",
    "sign_matrix",
    "sign_test",
    "similar_sets",
    "simulate_multi2test",
    "simulate_multitest",
    "skillings_mack",
    "sphericity",
    "stability",
    "step_table",
    "sweep",
    "table_to_csv",
    "table_to_latex",
    "theta_of",
    "threshold_average",
    "to_json",
    "to_script",
    "to_text",
    "tukey",
    "underlines",
    "verdict",
    "vertical_average",
    "wilcoxon",
    "wins",
]
