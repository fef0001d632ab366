"""Exhaustive sets of hypotheses: which equalities can all be true while the rest are false."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
import pandas as pd

from stats_core.core.errors import DataError, DesignError
from stats_core.core.significance import significant
from stats_core.core.validation import check_probability, check_pvalues
from stats_core.inference.multiplicity.shaffer import tie_levels

LARGEST_LISTED = 6  # algorithms: 202 sets, what a reader can still look through

Pair = tuple


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ExhaustiveSets:
    """All exhaustive sets of pairwise hypotheses, and those that Bergmann-Hommel retains.

    Attributes
    ----------
    alpha : float
        Level for the whole family.
    table : DataFrame, one row per exhaustive set, by size
        `size`: number of hypotheses. `blocks`: the groups of equal algorithms. `pairs`: the
        hypotheses. `smallest_p` among them, and `bound`, alpha / size. `accepted`: whether
        smallest_p > bound, so that all of them may be true.
    retained, rejected : tuple of pairs
        The acceptance set, which is the union of the accepted sets, and all other pairs.
    """

    alpha: float
    table: pd.DataFrame
    retained: tuple[Pair, ...]
    rejected: tuple[Pair, ...]

    def to_frame(self) -> pd.DataFrame:
        """Return the table of sets."""
        return self.table


def count_exhaustive_sets(k: int) -> int:
    """Return the number of exhaustive sets of the pairs of k algorithms.

    References
    ----------
    Garcia and Herrera, JMLR 9 (2008), Table 1.

    Examples
    --------
    >>> [count_exhaustive_sets(k) for k in range(4, 10)]
    [14, 51, 202, 876, 4139, 21146]
    """
    if k < 1:
        raise DesignError(f"`k` must be a number of algorithms. It is {k}. Count them.")
    row = [1]  # of the Bell triangle: each row starts with the end of the last
    for _ in range(k - 1):
        following = [row[-1]]
        for value in row:
            following.append(following[-1] + value)
        row = following
    return row[-1] - 1


def exhaustive_sets(names: Sequence, pvalues: pd.DataFrame, alpha: float) -> ExhaustiveSets:
    """Return the exhaustive sets of equalities, and which of them the data retain.

    Notes
    -----
    The rejected pairs are those with `adjust_pairs(pvalues, "bergmann_hommel_plain")` <= alpha.

    References
    ----------
    Bergmann and Hommel 1988; Garcia and Herrera, JMLR 9 (2008), section 2.1, Tables 1 and 4.

    Examples
    --------
    >>> import pandas as pd
    >>> p = pd.DataFrame([[1, 0.01, 0.02], [0.01, 1, 0.3], [0.02, 0.3, 1]],
    ...                  index=list("abc"), columns=list("abc"))
    >>> found = exhaustive_sets("abc", p, 0.05)
    >>> found.table[["pairs", "accepted"]].to_records(index=False).tolist()[1:3]
    [((('a', 'c'),), False), ((('b', 'c'),), True)]
    >>> found.rejected
    (('a', 'b'), ('a', 'c'))
    """
    check_probability(alpha, "alpha")
    table = _check_names(list(names), check_pvalues(pvalues))
    rows = [_describe(blocks, table, alpha) for blocks in _partitions(list(table.index))]
    rows = sorted((row for row in rows if row["size"]), key=lambda row: row.pop("order"))
    sets = pd.DataFrame(rows)
    may_hold = {pair for pairs in sets.loc[sets["accepted"], "pairs"] for pair in pairs}
    pairs = list(combinations(table.index, 2))
    return ExhaustiveSets(
        alpha=alpha,
        table=sets,
        retained=tuple(pair for pair in pairs if pair in may_hold),
        rejected=tuple(pair for pair in pairs if pair not in may_hold),
    )


def _partitions(items: list) -> Iterator[list[tuple]]:
    """Yield every partition of the items into blocks, each in the order of the items."""
    if not items:
        yield []
        return
    *others, last = items
    for blocks in _partitions(others):
        for i, block in enumerate(blocks):
            yield [*blocks[:i], (*block, last), *blocks[i + 1 :]]
        yield [*blocks, (last,)]


def _describe(blocks: list[tuple], table: pd.DataFrame, alpha: float) -> dict:
    position = {name: i for i, name in enumerate(table.index)}
    inside = [pair for block in blocks for pair in combinations(block, 2)]
    pairs = tuple(sorted(inside, key=lambda pair: (position[pair[0]], position[pair[1]])))
    smallest = min((table.loc[pair] for pair in pairs), default=1.0)
    size = len(pairs)
    return {
        "order": (size, [(position[first], position[second]) for first, second in pairs]),
        "size": size,
        "blocks": tuple(blocks),
        "pairs": pairs,
        "smallest_p": float(smallest),
        "bound": alpha / max(size, 1),
        "accepted": not significant(size * smallest, alpha),
    }


def _check_names(names: list, table: pd.DataFrame) -> pd.DataFrame:
    if not 2 <= len(names) <= LARGEST_LISTED:
        raise DesignError(
            f"Exhaustive sets are listed for 2 to {LARGEST_LISTED} algorithms. There are "
            f"{len(names)}. Choose fewer algorithms, or look at the adjusted p-values only."
        )
    if set(names) != set(table.index) or len(set(names)) != len(names):
        raise DataError(
            [
                "`names` must be the algorithms of `pvalues`, each once. They are "
                f"{', '.join(map(str, names))}. Pass all names of the table."
            ]
        )
    return _level_ties(table.loc[names, names])


def _level_ties(table: pd.DataFrame) -> pd.DataFrame:
    """Give p-values that are equal up to rounding one value, the larger."""
    rows, columns = np.triu_indices(len(table), 1)
    levels, values = tie_levels(table.to_numpy()[rows, columns])
    matrix = np.ones(table.shape)
    matrix[rows, columns] = matrix[columns, rows] = values[levels]
    return pd.DataFrame(matrix, index=table.index, columns=table.columns)
