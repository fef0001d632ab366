# ruff: noqa: F401 - the names of the package
"""Tests and intervals for two algorithms on the same folds, data sets or instances."""

from stats_core.inference.paired.proportions import (
    CochranQResult,
    McNemarResult,
    cochran_q,
    conditional_odds_ratio,
    mcnemar,
    newcombe_interval,
    wilson_interval,
)
from stats_core.inference.paired.signed_ranks import (
    EffectSizes,
    SignTestResult,
    WilcoxonResult,
    effect_sizes,
    hodges_lehmann_interval,
    sign_flip_test,
    sign_interval,
    sign_test,
    wilcoxon,
)
from stats_core.inference.paired.t_tests import (
    Cv52Result,
    TTestResult,
    at_most,
    conservative_df,
    corrected_df,
    corrected_t,
    cv52_combined_t,
    cv52_f,
    cv52_t,
    overlap_factor,
    paired_t,
)
