"""Tests and intervals for two algorithms on the same folds, data sets or instances."""

from stats_core.inference.paired.cv52 import Cv52Result, cv52_combined_t, cv52_f, cv52_t
from stats_core.inference.paired.mcnemar import CochranQResult, McNemarResult, cochran_q, mcnemar
from stats_core.inference.paired.paired_intervals import (
    EffectSizes,
    effect_sizes,
    hodges_lehmann_interval,
    sign_interval,
)
from stats_core.inference.paired.sign_flip import sign_flip_test
from stats_core.inference.paired.signed_ranks import SignTestResult, WilcoxonResult, sign_test, wilcoxon
from stats_core.inference.paired.t_tests import (
    TTestResult,
    at_most,
    conservative_df,
    corrected_df,
    corrected_t,
    overlap_factor,
    paired_t,
)

__all__ = [
    "Cv52Result",
    "EffectSizes",
    "McNemarResult",
    "CochranQResult",
    "SignTestResult",
    "TTestResult",
    "WilcoxonResult",
    "at_most",
    "cochran_q",
    "conservative_df",
    "corrected_t",
    "cv52_combined_t",
    "cv52_f",
    "cv52_t",
    "effect_sizes",
    "hodges_lehmann_interval",
    "mcnemar",
    "corrected_df",
    "overlap_factor",
    "paired_t",
    "sign_flip_test",
    "sign_interval",
    "sign_test",
    "wilcoxon",
]
