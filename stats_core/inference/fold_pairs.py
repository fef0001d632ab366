"""The folds of one data set, pair by pair: what the tests need, and their answers."""

from collections.abc import Iterable

import numpy as np
import pandas as pd

from stats_core.core.errors import DegenerateError, MissingCells
from stats_core.core.outcomes import Method, PairedOutcome, PairwiseOutcome, square
from stats_core.data.results import Results
from stats_core.data.settings import Settings, select, tested_share
from stats_core.data.shared_cases import correct_cases
from stats_core.inference.fold_tests import PAIR_TESTS, FoldPair, advised_test, answer
from stats_core.inference.paired import Cv52Outcome, McNemarOutcome, SignOutcome, WilcoxonOutcome


def fold_matrix(results: Results, dataset: str, measure: str) -> pd.DataFrame:
    """Return one measure on one data set, fold x algorithm, refusing holes.

    Parameters
    ----------
    results : Results
    dataset, measure : str

    Returns
    -------
    DataFrame, (repetition, fold) x algorithm

    Raises
    ------
    DesignError
        A cell is missing.
    """
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


def unit_of(design: str) -> str:
    """Return what one result of each algorithm comes from, by the design.

    Examples
    --------
    >>> unit_of("5x2"), unit_of("common test set")
    ('fold', 'training set')
    """
    return {
        "common test set": "training set",
        "bootstrap": "bootstrap sample",
        "holdout": "partition",
        "seeds": "run",
    }.get(design, "fold")


def folds_of(results: Results, dataset: str, settings: Settings) -> dict:
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
    """Which tests of a pair do design, measure and data of a data set allow, the advised one first?

    Parameters
    ----------
    results : Results
        Holes do not matter.
    dataset : str
    settings : Settings
        Only `measure` and `test_fraction` count.

    Returns
    -------
    tuple of str
        Keys of `PAIR_TESTS`.

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
    advised = advised_test(pair.test_fraction)
    others = (key for key, test in PAIR_TESTS.items() if key != advised and not test.refuses(pair))
    return (advised, *others)


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


def pairs_on_folds(
    pairs: dict[tuple[str, str], FoldPair], key: str, confidence: float
) -> tuple[PairwiseOutcome, pd.DataFrame, pd.DataFrame]:
    """Ask one test about every pair; return the outcome and the intervals of row minus column."""
    names = list(dict.fromkeys(name for pair in pairs for name in pair))
    k = len(names)
    place = {name: i for i, name in enumerate(names)}
    statistics, pvalues = np.zeros((k, k)), np.ones((k, k))
    low, high = np.full((k, k), np.nan), np.full((k, k), np.nan)
    name, n = PAIR_TESTS[key].name, 0
    for (a, b), pair in pairs.items():
        said = answer(pair, key, confidence=confidence)
        if said.outcome is None:
            raise DegenerateError(f"{a} and {b}: {said.reason}")
        i, j, n = place[a], place[b], said.outcome.n
        statistics[i, j], statistics[j, i] = _both_ways(said.outcome)
        pvalues[i, j] = pvalues[j, i] = said.outcome.pvalue
        low[i, j], high[i, j], low[j, i], high[j, i] = said.low, said.high, -said.high, -said.low
    row, column = np.unravel_index(pvalues.argmin(), pvalues.shape)
    outcome = PairwiseOutcome(
        about=f"all pairs of {k} algorithms",
        statistic=float(statistics[row, column]),
        pvalue=float(pvalues[row, column]),
        method=Method(name, ("unadjusted",)),
        n=n,
        statistics=square(statistics, names),
        pvalues=square(pvalues, names),
    )
    return outcome, square(low, names), square(high, names)


def _both_ways(outcome: PairedOutcome) -> tuple[float, float]:
    """Return the statistic of first against second, and of second against first."""
    match outcome:
        case WilcoxonOutcome():
            size = outcome.rank_biserial
        case SignOutcome():
            size = outcome.wins - outcome.losses
        case McNemarOutcome():
            size = outcome.only_first - outcome.only_second
        case Cv52Outcome(df=(10, 5)):
            return outcome.statistic, outcome.statistic
        case _:
            size = outcome.statistic
    return size, -size
