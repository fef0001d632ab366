"""Difference of two algorithms on every data set, with intervals from the folds."""

import numpy as np
import pandas as pd

from stats_core.comparison.kinds.two_algorithms import TwoComparison
from stats_core.core.errors import FoldwiseError
from stats_core.inference.fold_pairs import fold_data, fold_pairs
from stats_core.inference.fold_tests import advised_test, run_pair_test
from stats_core.inference.pairwise import count_wins


def by_dataset(analysis: TwoComparison) -> pd.DataFrame:
    """How large is the difference on each data set, and what do its folds not rule out?

    Examples
    --------
    See the page Pair, on all data sets.
    """
    rows = {name: _row(analysis, name) for name in analysis.scores.index}
    table = pd.DataFrame.from_dict(rows, orient="index").rename_axis("dataset")
    differences = analysis.scores[analysis.first] - analysis.scores[analysis.second]
    table.insert(0, "difference", differences)
    return table.sort_values("difference", kind="stable")


def _row(analysis: TwoComparison, dataset: str) -> dict:
    row = {"low": np.nan, "high": np.nan, "p": np.nan, "wins": ""}
    results = analysis.results
    if results.design_of(dataset) == "single":
        return row
    names = (analysis.first, analysis.second)
    try:
        shared = fold_data(results, dataset, analysis.settings)
        (pair,) = fold_pairs(results, shared, analysis.settings.measure, [names]).values()
    except FoldwiseError:
        return row
    key = advised_test(pair.test_fraction, len(pair.x), analysis.settings.df)
    answer = run_pair_test(pair, key, confidence=1 - analysis.settings.alpha)
    wins, ties = count_wins(
        shared["matrix"][list(names)], higher_is_better=analysis.higher_is_better
    )
    first, second = names
    row["wins"] = f"{wins.loc[names]}/{ties.loc[names]}/{wins.loc[second, first]}"
    if answer.outcome is not None:
        row |= {"low": answer.low, "high": answer.high, "p": answer.outcome.pvalue}
    return row
