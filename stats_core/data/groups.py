"""Groups of data sets by tag."""

import pandas as pd

from stats_core.core.errors import SettingError
from stats_core.core.formatting import join_names
from stats_core.data.results import Results
from stats_core.data.row_checks import natural_order

_MOST_VALUES = 8  # numeric tags with more values are divided into thirds


def groups_of(results: Results, tag: str) -> dict[str, tuple[str, ...]]:
    """Return the data sets of each group by one tag.

    Examples
    --------
    >>> table = pd.DataFrame({"dataset": list("uvw"), "algorithm": "a", "error": 0.1})
    >>> tags = pd.DataFrame({"domain": ["text", "image", "text"]}, index=list("uvw"))
    >>> groups_of(Results.from_frame(table, groups=tags), "domain")
    {'image': ('v',), 'text': ('u', 'w')}
    """
    return members(_group_names(results.tags, tag), results.datasets)


def members(names: pd.Series, datasets: tuple[str, ...]) -> dict[str, tuple[str, ...]]:
    """Return the data sets of each nonempty group, given the group of each data set."""
    known = names.reindex(list(datasets)).fillna("")
    return {value: tuple(known.index[known == value]) for value in natural_order(known[known != ""])}


def _group_names(tags: pd.DataFrame, tag: str) -> pd.Series:
    """Return the group of each data set, "" if none; many numbers are divided into thirds."""
    if tag not in tags:
        available = f"They have {join_names(list(tags))}." if len(tags.columns) else "They have no tags."
        raise SettingError(
            f'A tag of data sets must be one that the results have. There is no "{tag}". {available} '
            "Choose one of them, or give a column the role group."
        )
    values = tags[tag]
    filled = values[values != ""]
    numbers = pd.to_numeric(filled, errors="coerce")
    if filled.nunique() <= _MOST_VALUES or numbers.isna().any():
        return values
    cut = numbers.quantile([1 / 3, 2 / 3], interpolation="lower")
    third = (numbers > cut.iloc[0]).astype(int) + (numbers > cut.iloc[1])
    labels = {level: _span(numbers[third == level]) for level in third.unique()}
    return third.map(labels).reindex(values.index).fillna("")


def tags_with_groups(results: Results) -> list[str]:
    """Return the tags with two or more groups."""
    return [tag for tag in results.tags if len(groups_of(results, tag)) > 1]


def select_group(results: Results, only: tuple[str, ...]) -> tuple[str, ...]:
    """Return the data sets of one group, given as (tag, value); all data sets for ()."""
    if not only:
        return results.datasets
    if len(only) != 2:
        raise SettingError(
            f"`only` must name a tag and its value. It names {join_names(only) or 'nothing'}. Give both, or neither."
        )
    tag, value = only
    groups = members(_group_names(results.tags, tag), tuple(results.tags.index))
    if value not in groups:
        raise SettingError(
            f'`only` must name a value of {tag}. There is no "{value}"; there are '
            f"{join_names(list(groups), 12)}. Choose one of them."
        )
    selected = set(groups[value])
    return tuple(name for name in results.datasets if name in selected)


def _span(numbers: pd.Series) -> str:
    low, high = numbers.min(), numbers.max()
    return f"{low:.12g}" if low == high else f"{low:.12g} to {high:.12g}"
