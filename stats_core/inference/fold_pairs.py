"""The folds of one data set, pair by pair: what the tests need, and their answers."""

from collections.abc import Iterable

import numpy as np
import pandas as pd

from stats_core.core.errors import DegenerateError, MissingCells
from stats_core.core.result_types import (
    Method,
    PairedResult,
    PairwiseResult,
    labeled_matrix,
)
from stats_core.data.results import Results
from stats_core.data.settings import Settings, select, tested_share
from stats_core.data.shared_instances import correct_cases
from stats_core.inference.fold_tests import (
    PAIR_TESTS,
    FoldPair,
    advised_test,
    redundant,
    run_pair_test,
)
from stats_core.inference.paired import (
    Cv52Result,
    McNemarResult,
    SignTestResult,
    WilcoxonResult,
    conservative_df,
)
from stats_core.inference.paired.vectorized_pairs import T_TESTS, pairs_by_t


def fold_matrix(results: Results, dataset: str, measure: str) -> pd.DataFrame:
    """Return one measure on one data set, fold x algorithm, refusing holes."""
    matrix = results.matrix(dataset, measure)
    holes = matrix.isna()
    if holes.to_numpy().any():
        repetition, fold = matrix.index[holes.any(axis=1)][0]
        raise MissingCells(
            f"Tests on folds need every algorithm's result in every fold. On {dataset}, "
            f"{int(holes.to_numpy().sum())} of {matrix.size} are missing for {measure}, first in "
            f"repetition {repetition}, fold {fold}.",
            "leave out those folds, or the algorithms or data sets they belong to",
        )
    return matrix


def resampling_unit(design: str) -> str:
    """Return what one result of each algorithm comes from, by the design.

    Examples
    --------
    >>> resampling_unit("5x2"), resampling_unit("common test set")
    ('fold', 'training set')
    """
    return {
        "common test set": "training set",
        "bootstrap": "bootstrap sample",
        "holdout": "partition",
        "seeds": "run",
    }.get(design, "fold")


def fold_data(results: Results, dataset: str, settings: Settings) -> dict:
    """Return the matrix of folds of one data set and how the folds were made.

    Of the settings only `measure`, `test_fraction` and what is left out count.
    """
    results = select(results, settings)
    return {
        "dataset": dataset,
        "matrix": fold_matrix(results, dataset, settings.measure),
        "design": results.design_of(dataset),
        "design_label": results.label_of(dataset),
        "test_fraction": tested_share(results, dataset, settings),
    }


def possible_tests(results: Results, dataset: str, settings: Settings) -> tuple[str, ...]:
    """Which tests of a pair do design, measure and data of a data set allow, the recommended one first?

    Examples
    --------
    >>> table = pd.DataFrame({"algorithm": list("aabb"), "fold": list("1212"), "error": 0.1})
    >>> possible_tests(Results.from_frame(table), "results", Settings())[:2]
    ('corrected t', 'paired t')
    """
    measure = settings.measure or results.measures[0]
    one = results.matrix(dataset, measure).iloc[:, 0]
    cases = results.predictions
    pair = FoldPair(
        x=one,
        y=one,
        measure=measure,
        design=results.design_of(dataset),
        label=results.label_of(dataset),
        test_fraction=tested_share(results, dataset, settings),
        correct=cases if cases is not None and "instance" in cases else None,
    )
    n = len(one)
    advised = advised_test(pair.test_fraction, n, settings.df)
    others = (
        key
        for key, test in PAIR_TESTS.items()
        if key != advised and not redundant(key, n) and not test.refuses(pair)
    )
    return (advised, *others)


def max_df(
    settings: Settings, n_results: int, test_fraction: float | None, measures: int = 1
) -> int | None:
    """Return `max_df` of tests that correct for overlap; None where it is not corrected.

    Of the settings only `df` counts.

    Examples
    --------
    >>> max_df(Settings(), 100, 0.1), max_df(Settings(df="published"), 100, 0.1)
    (9, None)
    """
    if test_fraction is None or settings.df == "published":
        return None
    return conservative_df(n_results, measures)


def fold_pairs(
    results: Results, shared: dict, measure: str, pairs: Iterable[tuple[str, str]]
) -> dict[tuple[str, str], FoldPair]:
    """Return pairs of columns of a matrix of folds with what the tests need to know about them."""
    cases = correct_cases(results, shared["dataset"])
    if cases is not None and cases.empty:
        cases = None
    common = {
        "measure": measure,
        "design": shared["design"],
        "label": shared["design_label"],
        "test_fraction": shared["test_fraction"],
    }
    matrix = shared["matrix"]
    return {
        (a, b): FoldPair(
            x=matrix[a],
            y=matrix[b],
            correct=None if cases is None else cases[[a, b]],
            **common,
        )
        for a, b in pairs
    }


def run_fold_pair_tests(
    pairs: dict[tuple[str, str], FoldPair], key: str, confidence: float | pd.DataFrame
) -> tuple[PairwiseResult, pd.DataFrame, pd.DataFrame]:
    """Ask one test about every pair; return the outcome and the intervals of row minus column.

    `confidence` is one number, or one for each pair, algorithm x algorithm.
    """
    names = list(dict.fromkeys(name for pair in pairs for name in pair))
    k = len(names)
    rows, columns = np.triu_indices(k, 1)
    if isinstance(confidence, pd.DataFrame):
        levels = confidence.loc[names, names].to_numpy()
    else:
        levels = np.full((k, k), confidence)
    statistics, pvalues = np.zeros((k, k)), np.ones((k, k))
    low, high = np.full((k, k), np.nan), np.full((k, k), np.nan)
    one, n = next(iter(pairs.values())), 0
    matrix = np.column_stack([_column(pairs, name) for name in names])
    quick = key in T_TESTS and len(matrix) > 1 and len(pairs) == len(rows)
    quick = quick and not PAIR_TESTS[key].refuses(one)
    by_t = pairs_by_t(matrix, key, one.test_fraction) if quick else None
    if by_t is not None:
        n = len(matrix)
        statistics[rows, columns], statistics[columns, rows] = by_t.statistic, -by_t.statistic
        pvalues[rows, columns] = pvalues[columns, rows] = by_t.pvalue
        low[rows, columns], high[rows, columns] = by_t.interval(levels[rows, columns])
        low[columns, rows], high[columns, rows] = -high[rows, columns], -low[rows, columns]
    else:
        place = {name: i for i, name in enumerate(names)}
        for (a, b), pair in pairs.items():
            i, j = place[a], place[b]
            said = run_pair_test(pair, key, confidence=levels[i, j])
            if said.outcome is None:
                raise DegenerateError(f"{a} and {b}: {said.reason}")
            n = said.outcome.n
            statistics[i, j], statistics[j, i] = _both_ways(said.outcome)
            pvalues[i, j] = pvalues[j, i] = said.outcome.pvalue
            low[i, j], high[i, j] = said.low, said.high
            low[j, i], high[j, i] = -said.high, -said.low
    row, column = np.unravel_index(pvalues.argmin(), pvalues.shape)
    outcome = PairwiseResult(
        about=f"all pairs of {k} algorithms",
        statistic=float(statistics[row, column]),
        pvalue=float(pvalues[row, column]),
        method=Method(PAIR_TESTS[key].name, ("unadjusted",)),
        n=n,
        statistics=labeled_matrix(statistics, names),
        pvalues=labeled_matrix(pvalues, names),
    )
    return outcome, labeled_matrix(low, names), labeled_matrix(high, names)


def _column(pairs: dict[tuple[str, str], FoldPair], name: str) -> np.ndarray:
    """Return the results of one algorithm."""
    found = next((a, pair) for (a, b), pair in pairs.items() if name in (a, b))
    first, pair = found
    return (pair.x if first == name else pair.y).to_numpy(dtype=float)


def _both_ways(outcome: PairedResult) -> tuple[float, float]:
    """Return the statistic of first against second, and of second against first."""
    match outcome:
        case WilcoxonResult():
            size = outcome.rank_biserial
        case SignTestResult():
            size = outcome.wins - outcome.losses
        case McNemarResult():
            size = outcome.only_first - outcome.only_second
        case Cv52Result(df=(10, 5)):
            return outcome.statistic, outcome.statistic
        case _:
            size = outcome.statistic
    return size, -size
