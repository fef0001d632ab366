"""Comparison on resampled data sets."""

from collections.abc import Callable

import numpy as np
import pandas as pd

from stats_core.comparison.result import Comparison

COMMON = ("results", "settings", "higher_is_better", "scores", "advice")  # fields of every kind


def resampled_scores(
    comparison: Comparison,
    compare: Callable[[dict], Comparison],
    places: np.ndarray,
    columns: np.ndarray | None = None,
) -> Comparison:
    """Return the comparison on the given rows of the averages, with the same settings."""
    scores = comparison.scores.iloc[places]
    if columns is not None:
        values = np.take_along_axis(scores.to_numpy(), columns, axis=1)
        scores = pd.DataFrame(values, scores.index, scores.columns)
    if scores.index.has_duplicates:
        scores = scores.set_axis(
            [f"{name} {position}" for position, name in enumerate(scores.index)]
        )
    fields = {name: getattr(comparison, name) for name in COMMON}
    return compare({**fields, "scores": scores})
