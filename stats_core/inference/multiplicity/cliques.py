"""Groups of algorithms without significant differences: cliques, underlines and compact letter displays."""

from collections.abc import Sequence
from string import ascii_letters

import numpy as np
import pandas as pd

from stats_core.core.errors import DataError
from stats_core.core.validation import check_probability, check_pvalues, significant


def cliques(pvalues: pd.DataFrame, alpha: float) -> list[tuple]:
    """Return the maximal groups of algorithms without a significant difference.

    Parameters
    ----------
    pvalues : DataFrame, algorithm x algorithm
        Adjusted p-values, symmetric.
    alpha : float
        A pair differs if its p-value is at most alpha.

    Returns
    -------
    list of tuple
        Every maximal clique of the graph that joins pairs with p > alpha, singletons included;
        members in the order of `pvalues`, groups by the positions of their members. A group may
        skip an algorithm that lies between its members in rank.

    Raises
    ------
    DataError, SettingError
        The matrix is not square, symmetric and within [0, 1]; alpha outside (0, 1).

    Notes
    -----
    Two algorithms share a group exactly if they do not differ significantly.

    Examples
    --------
    >>> import pandas as pd
    >>> p = pd.DataFrame([[1, 0.5, 0.01], [0.5, 1, 0.2], [0.01, 0.2, 1]],
    ...                  index=list("abc"), columns=list("abc"))
    >>> cliques(p, 0.05)
    [('a', 'b'), ('b', 'c')]
    """
    import networkx as nx  # imported late: it takes 0.2 s

    check_probability(alpha, "alpha")
    table = check_pvalues(pvalues)
    names = list(table.index)
    is_equal = ~significant(table.to_numpy(), alpha)
    graph = nx.Graph()
    graph.add_nodes_from(range(len(names)))
    graph.add_edges_from(np.argwhere(np.triu(is_equal, 1)).tolist())
    groups = sorted(sorted(group) for group in nx.find_cliques(graph))
    return [tuple(names[i] for i in group) for group in groups]


def split_levels(
    pvalues: pd.DataFrame | pd.Series, low: float = 0.001, high: float = 0.2
) -> list[float]:
    """Return the levels alpha in (low, high] at which groups of `cliques`, or differences from a control, change.

    Levels are ascending, and rounded up to three significant digits. `pvalues` are adjusted: a
    symmetric table, or one per algorithm compared with the control. Raises SettingError for `low`
    or `high` outside (0, 1).

    Notes
    -----
    A pair differs at every level not below its adjusted p-value, and each pair that differs splits a
    group. Adjusted p-values of one procedure therefore give the groups at all levels.

    Examples
    --------
    >>> import pandas as pd
    >>> p = pd.DataFrame([[1, 0.5, 0.01234], [0.5, 1, 0.05], [0.01234, 0.05, 1]],
    ...                  index=list("abc"), columns=list("abc"))
    >>> split_levels(p)
    [0.0124, 0.05]
    """
    check_probability(low, "low")
    check_probability(high, "high")
    levels = set()
    for p in pvalues.to_numpy().ravel():
        if low < p <= high:
            levels.add(_up(float(p)))
    return sorted(level for level in levels if level <= high)


def _up(p: float) -> float:
    """Return p rounded up to three significant digits."""
    rounded = float(f"{p:.3g}")
    if rounded >= p:
        return rounded
    unit = 10.0 ** (np.floor(np.log10(p)) - 2)
    return float(f"{rounded + unit:.3g}")


def underlines(order: Sequence, pvalues: pd.DataFrame, alpha: float) -> list[tuple]:
    """Return the runs of consecutive algorithms that the published procedure underlines.

    Parameters
    ----------
    order : sequence of str
        The algorithms from best to worst.
    pvalues : DataFrame, algorithm x algorithm
        Adjusted p-values, symmetric.
    alpha : float
        A pair differs if its p-value is at most alpha.

    Returns
    -------
    list of tuple
        The underlined runs of two or more neighbours, that of the best algorithm first.

    Raises
    ------
    DataError, SettingError
        As `cliques`; `order` does not name the algorithms of `pvalues`.

    Notes
    -----
    Compare first and last; underline if they do not differ, else drop either end and repeat.
    This underlines the longest runs whose two ends do not differ significantly, regardless of the algorithms
    between, so a run may contain a pair that differs: see `cliques` for groups without such a pair.

    References
    ----------
    Irsoy, Yildiz and Alpaydin, IEEE/ACM TCBB 9 (2012), section IV.B.

    Examples
    --------
    >>> import pandas as pd
    >>> p = pd.DataFrame([[1, 0.01, 0.5], [0.01, 1, 0.2], [0.5, 0.2, 1]],
    ...                  index=list("abc"), columns=list("abc"))
    >>> underlines("abc", p, 0.05), cliques(p, 0.05)
    ([('a', 'b', 'c')], [('a', 'c'), ('b', 'c')])
    """
    check_probability(alpha, "alpha")
    names = list(order)
    table = check_pvalues(pvalues)
    if set(names) != set(table.index) or len(names) != len(table):
        raise DataError.of("order lacks algorithms")
    is_equal = ~significant(table.loc[names, names].to_numpy(), alpha)
    runs = []
    reached = 0
    for first in range(len(names)):
        last = int(np.flatnonzero(is_equal[first]).max(initial=first))
        if last > max(first, reached):
            runs.append(tuple(names[first : last + 1]))
            reached = last
    return runs


def compact_letters(groups: Sequence[tuple]) -> pd.Series:
    """Return the letters of each algorithm in a compact letter display of the groups of `cliques`.

    Algorithms that differ significantly share no letter. From the 53rd group on, the letter is the
    number in brackets.

    References
    ----------
    Piepho, J. Comput. Graph. Stat. 13 (2004) 456.

    Examples
    --------
    >>> compact_letters([("a1", "a2"), ("a2", "a3")]).to_dict()
    {'a1': 'a', 'a2': 'ab', 'a3': 'b'}
    """
    letters: dict[object, str] = {}
    for index, group in enumerate(groups):
        letter = ascii_letters[index] if index < len(ascii_letters) else f"({index + 1})"
        for name in group:
            letters[name] = letters.get(name, "") + letter
    return pd.Series(letters, dtype=str)
