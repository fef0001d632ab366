"""Checks that pairwise differences over data sets are symmetric, as Wilcoxon assumes."""

from collections.abc import Iterable, Sequence

import pandas as pd

from stats_core.comparison.kinds.folds_base import CHECK_LEVEL
from stats_core.core.errors import DegenerateError
from stats_core.core.formatting import MANY, join_names
from stats_core.core.messages import Audience, Message, message, message_text
from stats_core.core.significance import significant
from stats_core.inference.assumptions import LEAST, symmetric_differences
from stats_core.inference.multiplicity.adjust import adjust_family

_MOST = 10_000_000  # limit of algorithm pairs x squared data sets, about two seconds

COLUMNS = ["first", "second", "statistic", "p", "p adjusted", "asymmetric"]


def symmetry_of(scores: pd.DataFrame, pairs: Iterable[Sequence[str]]) -> pd.DataFrame | None:
    """Are the differences of each pair over data sets symmetric?

    Examples
    --------
    >>> import numpy as np
    >>> skewed = np.arange(20.0) ** 3
    >>> table = pd.DataFrame({"a": skewed, "b": np.zeros(20), "c": np.arange(20.0)})
    >>> symmetry_of(table, [("a", "b"), ("b", "c")])["asymmetric"].tolist()
    [True, False]
    """
    all_pairs, n = list(pairs), len(scores)
    if n < LEAST or len(all_pairs) * n**2 > _MOST:
        return None
    rows = []
    for first, second in all_pairs:
        try:
            check = symmetric_differences(scores[first], scores[second])
        except DegenerateError:
            continue
        rows.append((first, second, check.statistic, check.pvalue))
    table = pd.DataFrame(rows, columns=COLUMNS[:4])
    if table.empty:
        return None
    adjusted = adjust_family(table["p"].to_numpy(), "holm")
    return table.assign(
        **{"p adjusted": adjusted, "asymmetric": significant(adjusted, CHECK_LEVEL)}
    )


def not_symmetric(found: pd.DataFrame | None) -> tuple[Message, ...]:
    """Return a note on the pairs with asymmetric differences, if any."""
    if found is None or not found["asymmetric"].any():
        return ()
    asymmetric_pairs = found.loc[found["asymmetric"], ["first", "second"]].itertuples(
        index=False, name=None
    )
    return (message("not symmetric", pairs=tuple(asymmetric_pairs), of=len(found)),)


@message_text("not symmetric")
def _not_symmetric(voice: Audience, pairs: tuple[tuple[str, str], ...], of: int) -> str:
    differences = join_names([f"{a} − {b}" for a, b in pairs], MANY if voice.in_paper else 3)
    by = "Holm-adjusted p" if of > 1 else "p"
    holm = " with Holm" if of > 1 else ""
    return (
        f"The differences {differences} are not symmetric over data sets (triples test, {by} ≤ "
        f"{CHECK_LEVEL:g}). The Wilcoxon test assumes symmetry, so a small p may be due to "
        f"asymmetry instead of a median difference other than 0. The sign test{holm} does not "
        "assume it."
    )
