"""Suggestion of columns that may define clusters of instances, such as patients."""

import re
from collections.abc import Mapping

import pandas as pd

from stats_core.core.messages import Message, message
from stats_core.data.row_checks import number_labels
from stats_core.io.cell_numbers import EMPTY
from stats_core.io.parse_layout import columns_with_role
from stats_core.io.vocabulary import WORDS

LEAST = 10  # fewest groups in a column whose name does not suggest clusters


def told_as_cluster(name: str) -> bool:
    """Return whether a column name suggests clusters, such as patients or sites.

    Examples
    --------
    >>> told_as_cluster("Patient_ID"), told_as_cluster("patience")
    (True, False)
    """
    words = re.findall(r"[a-z]+", re.sub(r"(?<=[a-z])(?=[A-Z])", " ", name).lower())
    return any(word.rstrip("s") in WORDS["clusters"] or word in WORDS["clusters"] for word in words)


def suggested_clusters(frame: pd.DataFrame, roles: Mapping[str, str]) -> list[Message]:
    """Return a note on the unused column that most likely defines clusters."""
    instance_columns = columns_with_role(roles, "instance")
    if len(instance_columns) != 1 or columns_with_role(roles, "cluster"):
        return []
    labels, case_index = number_labels(
        frame, [*columns_with_role(roles, "dataset"), *instance_columns]
    )
    n, candidates = len(labels), []
    for name in columns_with_role(roles, "ignore"):
        texts, named_so = frame[name], told_as_cluster(name)
        groups = texts.nunique()
        if (
            not (2 if named_so else LEAST) <= groups <= n / 1.2
            or texts.str.lower().isin(EMPTY).any()
        ):
            continue
        if not named_so and pd.to_numeric(texts, errors="coerce").notna().any():
            continue
        if len(set(zip(case_index.tolist(), texts, strict=True))) == n:
            candidates.append((not named_so, -groups, name))
    return [
        message("clusters suggested", column=name, n=-n_, cases=n)
        for _, n_, name in sorted(candidates)[:1]
    ]
