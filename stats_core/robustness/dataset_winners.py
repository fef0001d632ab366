"""Who wins on each data set: by averages, or by a test on the folds."""

from collections import Counter
from dataclasses import dataclass
from itertools import combinations

import numpy as np
import pandas as pd

from stats_core.core.errors import DesignError, FoldwiseError
from stats_core.core.significance import significant
from stats_core.core.validation import tie_groups
from stats_core.data.results import Results
from stats_core.data.settings import TUKEY, Settings
from stats_core.inference.anova import tukey
from stats_core.inference.fold_pairs import (
    fold_data,
    fold_pairs,
    max_df,
    test_pairs_on_folds,
)
from stats_core.inference.fold_tests import PAIR_TESTS, advised_test
from stats_core.inference.multiplicity.corrections import (
    adjust_by_nearest,
    fallback_correction,
)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Winners:
    """Where the row algorithm wins over the column.

    Attributes
    ----------
    datasets : tuple of str
        The data sets that were decided.
    better : array of bool, data set x row x column
        Whether the row wins.
    skipped : dict of str to str
        Data sets that could not be decided, with the reason.
    tests : dict of str to int
        Keys of the tests used, each with its number of data sets; empty if averages decide.
    stood_in : tuple of str
        The data sets on which Shaffer stands in for Bergmann-Hommel.
    """

    datasets: tuple[str, ...]
    better: np.ndarray
    skipped: dict[str, str]
    tests: dict[str, int]
    stood_in: tuple[str, ...] = ()


def winners_by_average(results: Results, measure: str) -> Winners:
    """Who has the better average on each data set?

    Parameters
    ----------
    results : Results
    measure : str

    Returns
    -------
    Winners
        Equal averages (within 1e-9 of the largest there) have no winner. A data set with a
        failed run is left out, or, if failures rank worst, the failure loses to any result.

    Examples
    --------
    >>> import pandas as pd
    >>> table = pd.DataFrame({"algorithm": ["a", "b"], "error": [0.1, 0.2]})
    >>> winners_by_average(Results.from_frame(table), "error").better[0].tolist()
    [[False, True], [False, False]]
    """
    averages = results.averages(measure)
    skipped = {}
    if results.failures != "worst rank":
        holes = averages.isna().sum(axis=1)
        decided = results.failures == "present"
        skipped = {
            name: f"{missing} of {averages.shape[1]} averages of {measure} are missing."
            f"{'' if decided else ' Choose what to do with the missing cells.'}"
            for name, missing in holes[holes > 0].items()
        }
    kept = averages.drop(index=list(skipped))
    better = _better(kept.to_numpy(), results.direction(measure))
    return Winners(datasets=tuple(kept.index), better=better, skipped=skipped, tests={})


def winners_by_test(
    results: Results,
    measure: str,
    *,
    test: str = "",
    correction: str = "bonferroni",
    alpha: float = 0.05,
    overlap: bool = True,
    test_fraction: float | None = None,
) -> Winners:
    """Who has the better mean on each data set, where a test on its folds rejects?

    Parameters
    ----------
    results : Results
    measure : str
    test, correction, alpha, overlap, test_fraction
        As `set_wins`.

    Returns
    -------
    Winners
        A data set is left out if its design or its data do not allow the test.

    Examples
    --------
    >>> import pandas as pd
    >>> table = pd.DataFrame({"algorithm": list("ab") * 4, "fold": list("11223344"),
    ...                       "error": [0.1, 0.2, 0.1, 0.3, 0.2, 0.3, 0.1, 0.2]})
    >>> winners_by_test(Results.from_frame(table), "error", test="paired t").better[0].tolist()
    [[False, True], [False, False]]
    """
    layers, skipped, stood_in = {}, {}, []
    tests: Counter[str] = Counter()
    folds = Settings(measure=measure, test_fraction=test_fraction)
    for dataset in results.datasets:
        try:
            shared = fold_data(results, dataset, folds)
            used = test or _advised(shared, overlap=overlap)
            pvalues = every_pair(results, shared, measure, used, overlap=overlap)
        except FoldwiseError as error:
            skipped[dataset] = str(error)
            continue
        if used != TUKEY:  # which pays for all pairs itself
            pvalues = adjust_by_nearest(pvalues, correction)
            if fallback_correction(pvalues):
                stood_in.append(dataset)
        tests[used] += 1
        means = shared["matrix"].to_numpy().mean(axis=0)
        better = _better(means[None], results.direction(measure))[0]
        layers[dataset] = significant(pvalues.to_numpy(), alpha) & better
    return Winners(
        datasets=tuple(layers),
        better=np.array(list(layers.values()), dtype=bool),
        skipped=skipped,
        tests=dict(tests),
        stood_in=tuple(stood_in),
    )


def _better(averages: np.ndarray, direction: str) -> np.ndarray:
    """Return data set x row x column: whether the row's average is better and not tied."""
    values = -averages if direction == "higher" else averages
    largest = np.abs(np.nan_to_num(values)).max(axis=1)
    places = tie_groups(values, largest)
    return places[:, :, None] < places[:, None, :]


def _advised(shared: dict, *, overlap: bool) -> str:
    return advised_test(shared["test_fraction"] if overlap else None, len(shared["matrix"]))


def every_pair(
    results: Results, shared: dict, measure: str, test: str, *, overlap: bool
) -> pd.DataFrame:
    """Return the p-value of every pair of algorithms on the folds of one data set.

    Parameters
    ----------
    results : Results
    shared : dict
        From `fold_data`.
    measure : str
    test : str
        One of `PAIR_TESTS`, whose p-values are unadjusted, or "Tukey".
    overlap : bool
        Whether Tukey allows for training sets that overlap.

    Returns
    -------
    DataFrame, algorithm x algorithm

    Raises
    ------
    DesignError, DegenerateError
        The design or the data do not allow the test.
    """
    matrix = shared["matrix"]
    if test == TUKEY:
        fraction = shared["test_fraction"] if overlap else None
        most = max_df(Settings(), len(matrix), fraction)
        return tukey(matrix, test_fraction=fraction, max_df=most).pvalues
    pairs = fold_pairs(results, shared, measure, combinations(matrix.columns, 2))
    if reason := PAIR_TESTS[test].refuses(next(iter(pairs.values()))):
        raise DesignError(f"{PAIR_TESTS[test].name}: {reason}. Choose another test.")
    return test_pairs_on_folds(pairs, test, 0.95)[0].pvalues  # the level is that of intervals
