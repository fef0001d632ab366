"""Best thresholds, calibration and tests of losses on one test set."""

from collections.abc import Sequence
from itertools import combinations

import numpy as np
import pandas as pd

from stats_core.comparison.kinds.instances_base import (
    measures_on_cases,
    pair_tests,
    values_on_cases,
)
from stats_core.core.result_types import labeled_matrix
from stats_core.curves.best_threshold import USUAL, best_thresholds
from stats_core.curves.reliability import calibration_bins
from stats_core.data.instance_table import CaseTable
from stats_core.data.measures import LOSSES
from stats_core.inference.multiplicity.corrections import adjust_by_nearest, usable_correction


def thresholds_wished(table: CaseTable, wish: tuple, alpha: float) -> pd.DataFrame | None:
    """Which threshold is best for each model, for a wish or for each usual one?"""
    if table.score is None or table.positive is None or len({*table.truth}) < 2:
        return None
    return best_thresholds(table, [wish] if wish else USUAL.items(), level=1 - alpha)


def calibration_rows(table: CaseTable) -> pd.DataFrame | None:
    """Return one row per calibration bin and model; None unless scores are probabilities."""
    if not table.probabilities:
        return None
    bins = pd.concat(calibration_bins(table), names=["algorithm", "bin"]).reset_index()
    return bins.assign(bin=bins["bin"] + 1)


def losses_tested(
    table: CaseTable, names: Sequence[str], alpha: float, correction: str
) -> pd.DataFrame | None:
    """Do two models differ in Brier score, or in log loss?"""
    if not set(LOSSES) <= set(measures_on_cases(table)) or len(names) < 2:
        return None
    used, rows = usable_correction(correction, len(names)), []
    for measure in LOSSES:
        values = values_on_cases(table, measure)
        if not np.isfinite(values[list(names)]).all():
            continue
        tests = pair_tests(table, measure, names, 1 - alpha)
        raw = np.ones((len(names),) * 2)
        for (i, j), test in zip(combinations(range(len(names)), 2), tests.values(), strict=True):
            raw[i, j] = raw[j, i] = test.pvalue
        adjusted = adjust_by_nearest(labeled_matrix(raw, list(names)), used)
        for (a, b), test in tests.items():
            rows.append(
                {
                    "loss": measure, "first": a, "second": b, "of first": values[a],
                    "of second": values[b], "estimate": test.estimate, "low": test.low,
                    "high": test.high, "p": test.pvalue, "p adjusted": adjusted.loc[a, b],
                }
            )  # fmt: skip
    return pd.DataFrame(rows) if rows else None
