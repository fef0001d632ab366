"""Groups of algorithms that the data do not separate."""

import networkx as nx
import numpy as np
import pandas as pd

from stats_core._check import check_probability, check_pvalues


def cliques(pvalues: pd.DataFrame, alpha: float) -> list[tuple]:
    """Which largest groups of algorithms contain no pair that differs?

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
        members in the order of `pvalues`, groups by their members' places. A group may pass
        over an algorithm that lies between its members in rank.

    Raises
    ------
    DataError, SettingError
        The matrix is not square, symmetric and within [0, 1]; alpha outside (0, 1).

    Notes
    -----
    Two algorithms share a group exactly if they are not separated.

    Examples
    --------
    >>> import pandas as pd
    >>> p = pd.DataFrame([[1, 0.5, 0.01], [0.5, 1, 0.2], [0.01, 0.2, 1]],
    ...                  index=list("abc"), columns=list("abc"))
    >>> cliques(p, 0.05)
    [('a', 'b'), ('b', 'c')]
    """
    check_probability(alpha, "alpha")
    table = check_pvalues(pvalues)
    graph = nx.Graph()
    graph.add_nodes_from(range(len(table)))
    graph.add_edges_from(np.argwhere(np.triu(table.to_numpy() > alpha, 1)))
    groups = sorted(sorted(int(i) for i in clique) for clique in nx.find_cliques(graph))
    return [tuple(table.index[i] for i in group) for group in groups]
