"""Two algorithms on the same folds, data sets or cases: is one better?"""

from stats_core.inference.paired.cases import McNemarOutcome, QOutcome, cochran_q, mcnemar
from stats_core.inference.paired.cv52 import Cv52Outcome, cv52_combined_t, cv52_f, cv52_t
from stats_core.inference.paired.effect import EffectSizes, effect_sizes
from stats_core.inference.paired.flips import sign_flip_test
from stats_core.inference.paired.intervals import hodges_lehmann_interval, sign_interval
from stats_core.inference.paired.signed import SignOutcome, WilcoxonOutcome, sign_test, wilcoxon
from stats_core.inference.paired.t_tests import (
    TOutcome,
    at_most,
    conservative_df,
    corrected_df,
    corrected_t,
    overlap_factor,
    paired_t,
)

__all__ = [
    "Cv52Outcome",
    "EffectSizes",
    "McNemarOutcome",
    "QOutcome",
    "SignOutcome",
    "TOutcome",
    "WilcoxonOutcome",
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
