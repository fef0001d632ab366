"""Results of scikit-learn's cv_results_: one row per candidate, one column per split."""

import re
from collections.abc import Iterator

from stats_core.io.problems import role_reason
from stats_core.io.profile import Profile
from stats_core.io.scoring import STRONG, LayoutHypothesis, observed

SPLIT = re.compile(r"split(\d+)_(test_.+)")


def match_grid_search(profile: Profile) -> Iterator[LayoutHypothesis]:
    """Propose candidates in rows and splits in columns."""
    splits = [name for name in profile.numbers if SPLIT.fullmatch(name)]
    if len(splits) < 2:
        return
    roles = dict.fromkeys(profile.columns, "ignore") | dict.fromkeys(splits, "resample")
    names = [n for n, role in profile.named.items() if role == "algorithm"]
    names = names or [n for n in profile.columns if n == "params"]
    roles |= {n: r for n, r in profile.named.items() if r == "dataset"}
    roles |= dict.fromkeys(names[:1], "algorithm")
    yield LayoutHypothesis(
        layout="grid search",
        roles=roles,
        reasons=dict.fromkeys(splits, role_reason("column of a split")),
        evidence=(observed(3 * STRONG, "columns of splits", columns=len(splits)),),
    )
