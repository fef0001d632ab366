"""Decision on the claim that a comparison supports."""

from stats_core.comparison.claims import (
    DECIDED,
    LIMITED,
    NO_PAIR,
    NOT_SEPARATED,
    OBSTACLES,
    Decision,
    claimed,
    undefeated,
)
from stats_core.comparison.result import Comparison, cached_method

__all__ = [
    "DECIDED",
    "LIMITED",
    "NOT_SEPARATED",
    "NO_PAIR",
    "OBSTACLES",
    "Decision",
    "decide",
    "undefeated",
]


@cached_method
def decide(comparison: Comparison) -> Decision:
    r"""What do the facts of a comparison allow to claim?

    Notes
    -----
    Pairwise tests decide wherever possible. An omnibus test that does not reject is reported with
    pairs that differ, and one that rejects with pairs that do not. Changes due to other data sets
    are computed elsewhere (`leave_one_out`, `replication`).

    Examples
    --------
    >>> from stats_core.comparison.analyse import analyse
    >>> from stats_core.io.read import read_results
    >>> decide(analyse(read_results(("acc.csv", b"dataset,rf,svm\niris,0.9,0.8\nwine,0.7,0.6\n")))).claim
    'too few'
    """
    return claimed(comparison)
