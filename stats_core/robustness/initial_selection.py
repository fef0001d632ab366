"""Where a look at results begins: with the best and the runner-up, on a data set like the others."""

from collections.abc import Sequence

import pandas as pd

from stats_core.data.results import Results
from stats_core.inference.ranks import rank_rows


def best_first(results: Results, measure: str) -> tuple[str, ...]:
    """Who did best, who is the runner-up, and who comes then?

    Parameters
    ----------
    results : Results
        Missing cells count as the worst.
    measure : str
        Decides what is better.

    Returns
    -------
    tuple of str
        All algorithms by their average rank over the data sets; on one data set by their mean.
        Equal ones stay in the order of the data. A description, not a test.

    Examples
    --------
    >>> import pandas as pd
    >>> rows = [("d", "a", 0.3), ("d", "b", 0.1), ("d", "c", 0.2)]
    >>> table = pd.DataFrame(rows, columns=["dataset", "algorithm", "error"])
    >>> best_first(Results.from_frame(table.assign(fold=1)), "error")
    ('b', 'c', 'a')
    """
    if len(results.algorithms) < 2:
        return results.algorithms
    return tuple(_ranks(results, measure).mean().sort_values(kind="stable").index)


def typical_dataset(results: Results, measure: str, among: Sequence[str]) -> str:
    """Which data set orders the algorithms most as all of them do on average?

    Parameters
    ----------
    results : Results
        Missing cells count as the worst.
    measure : str
        Decides what is better.
    among : sequence of str
        The data sets to choose from, at least one.

    Returns
    -------
    str
        The one whose ranks have the largest correlation with the average ranks (Spearman's rho);
        the first of equal ones, and the first of all where nothing orders the algorithms.

    Examples
    --------
    >>> import pandas as pd
    >>> rows = [(d, a, x) for d, xs in {"u": (3, 2, 1), "v": (1, 2, 3), "w": (1, 2, 4)}.items()
    ...         for a, x in zip("abc", xs)]
    >>> table = pd.DataFrame(rows, columns=["dataset", "algorithm", "error"])
    >>> typical_dataset(Results.from_frame(table.assign(fold=1)), "error", ("u", "v", "w"))
    'v'
    """
    if len(results.algorithms) < 2:
        return among[0]
    ranks = _ranks(results, measure)
    average = ranks.mean().rank()
    varied = ranks.loc[list(among)]
    varied = varied[varied.nunique(axis=1) > 1]
    if average.nunique() < 2 or varied.empty:
        return among[0]
    return str(varied.T.corrwith(average).idxmax())


def _ranks(results: Results, measure: str) -> pd.DataFrame:
    """Return the ranks of the algorithms on each data set, 1 is best."""
    higher = results.direction(measure) == "higher"
    return rank_rows(results.averages(measure), higher_is_better=higher, missing="worst")
