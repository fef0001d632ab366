"""scikit-learn's cv_results_: one row per candidate, one column per split."""

import re
from collections.abc import Iterator

from stats_core.reading.evidence import STRONG, Hypothesis
from stats_core.reading.hypotheses.reasons import because, evidence
from stats_core.reading.profile import Profile

SPLIT = re.compile(r"split(\d+)_(test_.+)")


def propose(profile: Profile) -> Iterator[Hypothesis]:
    """Propose candidates in rows and splits in columns."""
    splits = [name for name in profile.numbers if SPLIT.fullmatch(name)]
    if len(splits) < 2:
        return
    roles = dict.fromkeys(profile.columns, "ignore") | dict.fromkeys(splits, "resample")
    names = [n for n, role in profile.named.items() if role == "algorithm"]
    names = names or [n for n in profile.columns if n == "params"]
    roles |= {n: r for n, r in profile.named.items() if r == "dataset"}
    roles |= dict.fromkeys(names[:1], "algorithm")
    yield Hypothesis(
        layout="grid search",
        roles=roles,
        reasons=dict.fromkeys(splits, because("column of a split")),
        evidence=(evidence(3 * STRONG, "columns of splits", columns=len(splits)),),
    )
