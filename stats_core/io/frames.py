"""Data frames as tables: what their index, levels and types say is kept, not guessed from text."""

from collections.abc import Iterable, Mapping, Sequence
from os import PathLike
from typing import Any

import numpy as np
import pandas as pd

from stats_core.io import vocabulary
from stats_core.io.mapping import NUMBERED, UNNAMED
from stats_core.io.mapping import Mapping as ColumnMapping
from stats_core.io.problems import data_error

_KEYS = ("dataset", "algorithm", "fold", "repetition", "instance")
_ONE_SCALE = 10  # largest ratio of the means of columns that hold the same measure
_CLEAR = 4.0  # ratio of variances of mean ranks, columns to rows
_NOT_ALGORITHMS = (
    vocabulary.role_in_name,
    vocabulary.names_measure,
    vocabulary.known_cost,
    vocabulary.is_spread,
    vocabulary.is_descriptive,
    vocabulary.is_setting,
    vocabulary.is_bookkeeping,
    vocabulary.names_summary,
    vocabulary.is_true_label,
)


def flattened(source: Any, measure: str, roles: Mapping[str, str]) -> Any:
    """Return a pandas frame with one level of columns, also for labelled series and arrays.

    Measures remain columns; other levels become levels of the index. Without measures the
    algorithms remain columns. Other objects are unchanged.
    """
    source = collected(source)
    if hasattr(source, "dims") and hasattr(source, "to_series"):  # an array of xarray
        source = source.to_series()
    if isinstance(source, pd.Series) and isinstance(source.index, pd.MultiIndex):
        source = source.to_frame(measure or UNNAMED if source.name is None else source.name)
    if isinstance(source, pd.DataFrame) and source.columns.nlevels > 1:
        return _stacked(source, measure, roles)
    return source


def is_lazy(source: Any) -> bool:
    """Return whether a source is a query that gives a data frame, as of polars."""
    others = (str, bytes, bytearray, memoryview, PathLike, Mapping, list, tuple, np.ndarray)
    if isinstance(source, (*others, pd.DataFrame, pd.Series)):
        return False
    import narwhals

    return isinstance(narwhals.from_native(source, pass_through=True), narwhals.LazyFrame)


def collected(source: Any) -> Any:
    """Return the data frame of a query, other objects unchanged."""
    if not is_lazy(source):
        return source
    import narwhals

    return narwhals.from_native(source).collect().to_native()


def with_positions(frame: pd.DataFrame, mapping: ColumnMapping) -> pd.DataFrame:
    """Return a frame without unnamed times or fractions as index, unless rows are data sets."""
    kind = getattr(frame.index.dtype, "kind", "O")
    are_names = frame.index.names != [None] or mapping.rows == "datasets"
    is_period = isinstance(frame.index, pd.PeriodIndex)
    return frame if are_names or not (kind in "Mmf" or is_period) else frame.reset_index(drop=True)


def is_labelled(source: Any) -> bool:
    """Return whether a source is a series or an array with several labels for each value."""
    is_array = hasattr(source, "dims") and hasattr(source, "to_series") and len(source.dims) > 1
    is_series = isinstance(source, pd.Series) and isinstance(source.index, pd.MultiIndex)
    return is_series or is_array


def _stacked(frame: pd.DataFrame, measure: str, roles: Mapping[str, str]) -> pd.DataFrame:
    """Return a frame with one of several levels of columns; raise DataError if it is unclear."""
    labels = [frame.columns.get_level_values(i).map(str) for i in range(frame.columns.nlevels)]
    names = _names_of_levels(frame, labels, measure, roles)
    stays = "measure" if "measure" in names else "algorithm"
    across = [i for i, name in enumerate(names) if stays in (name, _role_of(name, roles))][:1]
    if not across:
        raise data_error("levels of columns", names=names)
    columns: Iterable[str] = labels[across[0]]
    if names[across[0]] in roles:  # so that there is a column with the role that the caller sets
        columns, across, stays = [measure or UNNAMED] * frame.shape[1], [], "measure"
    moved = [i for i in range(len(names)) if i not in across]
    pieces: dict[tuple[str, ...], dict[str, pd.Series]] = {}
    for position, column in enumerate(columns):
        key = tuple(labels[i][position] for i in moved)
        own = pieces.setdefault(key, {})
        if column in own:
            raise data_error("repeated column name", "", 1, column, n=2)
        own[column] = frame.iloc[:, position]
    are_positions = not names_of_index(frame)
    stacked = []
    for key, own in pieces.items():
        piece = pd.DataFrame(own)
        levels = (
            []
            if are_positions
            else [frame.index.get_level_values(i) for i in range(frame.index.nlevels)]
        )
        constants = [
            pd.Index([label] * len(frame), name=names[i])
            for i, label in zip(moved, key, strict=True)
        ]
        if constants or levels:
            piece.index = pd.MultiIndex.from_arrays([*constants, *levels])
        stacked.append(piece)
    return pd.concat(stacked).rename_axis(columns=None if stays == "measure" else "algorithm")


def _names_of_levels(
    frame: pd.DataFrame, labels: Sequence[pd.Index], measure: str, roles: Mapping[str, str]
) -> list[str]:
    """Return the names of the levels of columns: "measure", and likely roles of unknown ones.

    pandas leaves the level of values unnamed when it pivots or unstacks several.
    """
    names = [
        f"level {i + 1}" if name is None else str(name)
        for i, name in enumerate(frame.columns.names)
    ]
    of_measures = [
        i
        for i, level in enumerate(labels)
        if _role_of(names[i], roles) not in _KEYS and _are_measures(level.unique(), measure)
    ]
    unnamed = [i for i, name in enumerate(frame.columns.names) if name is None]
    if of_measures or len(unnamed) == 1:
        names[(of_measures or unnamed)[0]] = "measure"
    roles_there = {_role_of(name, roles) for name in [*names, *frame.index.names]}
    unknown = [i for i, name in enumerate(names) if name != "measure" and not _role_of(name, roles)]
    down = {_role_of(name, roles) for name in frame.index.names}
    if len(unknown) == 1 and "algorithm" not in roles_there:
        names[unknown[0]] = "algorithm"
    elif len(unknown) == 1 and "algorithm" in down and "dataset" not in roles_there:
        names[unknown[0]] = "dataset"
    return names


def _are_measures(labels: Iterable[str], measure: str) -> bool:
    """Return whether labels are those of measures: the one of the caller, or all by name."""
    labels = list(labels)
    spelled = {vocabulary.spelling(label) for label in labels}
    if measure and vocabulary.spelling(measure) in spelled:
        return True
    kinds = [vocabulary.known_measure(each) is not None for each in labels]
    return any(kinds) and all(
        is_measure or vocabulary.known_cost(label) or vocabulary.is_spread(label)
        for is_measure, label in zip(kinds, labels, strict=True)
    )


def _role_of(name: Any, roles: Mapping[str, str]) -> str:
    """Return the role of an index or a level, as the caller says or by its name; "" if unknown."""
    if name is None:
        return ""
    return roles.get(str(name)) or vocabulary.role_in_name(str(name)) or ""


def roles_of(frame: pd.DataFrame, mapping: ColumnMapping) -> dict[str, str]:
    """Return the roles that the structure of a pandas frame sets, by column; {} if it sets none.

    A frame of numbers has one column per algorithm, as documented, if its rows have names, its
    columns are named as algorithms or by numbers, or the caller says what the rows are. Names of
    columns that mean something else leave the layout open.
    """
    names = [str(name) for name in frame.columns]
    if (
        len(names) < 2
        or len(set(names)) < len(names)
        or not all(map(_is_numeric, dict(frame.items()).values()))
    ):
        return {}
    across = _role_of(frame.columns.name, {})
    if across not in ("", "algorithm", "dataset", "measure") or set(mapping.roles) & set(names):
        return {}
    index = [name for name in names_of_index(frame)]
    down = {name: _role_of(name, mapping.roles) for name in index}
    are_numbers = not any(isinstance(name, str) for name in frame.columns)
    if "algorithm" in down.values():
        is_wide = across == "dataset" or (are_numbers and len(index) == 1)
    else:
        is_wide = across != "dataset" and (
            across == "algorithm" or are_numbers or _columns_are_algorithms(frame, names, mapping)
        )
        is_wide &= bool(index or mapping.rows or are_numbers or across)
    is_turned = not (is_wide or mapping.rows or across) and _rows_are_models(frame, names, index)
    if not (is_wide or is_turned):
        return {}
    roles = dict.fromkeys(names, "result")
    unnamed = [own for own, name in zip(index, frame.index.names, strict=False) if name is None]
    usual = "" if len(index) > 1 else "algorithm" if is_turned else "dataset"
    if len(unnamed) == 1 and (role := NUMBERED.get(mapping.rows, usual)):
        roles[unnamed[0]] = role
    return roles


def _rows_are_models(frame: pd.DataFrame, names: Sequence[str], index: Sequence[str]) -> bool:
    """Return whether unnamed rows have names of models, and columns neither these nor measures."""
    if len(index) != 1 or frame.index.name is not None or not frame.index.is_unique:
        return False
    labels = [str(label) for label in frame.index]
    others = any(
        means(name) for name in names for means in (*_NOT_ALGORITHMS, vocabulary.known_measure)
    )
    return bool(vocabulary.model_among(labels)) and not others and not vocabulary.model_among(names)


def _columns_are_algorithms(
    frame: pd.DataFrame, names: Sequence[str], mapping: ColumnMapping
) -> bool:
    """Return whether neither names nor numbers speak against columns of algorithms."""
    if any(means(name) for name in names for means in _NOT_ALGORITHMS) and not mapping.rows:
        return False
    if any(map(vocabulary.known_measure, names)) or vocabulary.class_columns(names):
        return False
    if vocabulary.names_dates(names) or (vocabulary.names_folds(names) and not mapping.rows):
        return False
    labels = [str(label) for label in frame.index.get_level_values(0).unique()]
    are_models = bool(mapping.rows or vocabulary.model_among(names))
    rows_are_models = bool(vocabulary.model_among(labels))
    if mapping.measure_name and (are_models or not rows_are_models):
        return True  # the caller says that all numbers are of one measure
    numbers = frame.apply(pd.to_numeric, errors="coerce").to_numpy(dtype=float, na_value=np.nan)
    if not _on_one_scale(numbers):
        return False
    if are_models:
        return True
    if rows_are_models or len(frame) < len(names):
        return False
    stems = {vocabulary.normalized_name(label.rstrip("0123456789")) for label in labels}
    return stems <= {*vocabulary.WORDS["numbered data sets"]} or not _rows_are_alike(numbers)


def _on_one_scale(numbers: np.ndarray) -> bool:
    """Return whether columns have means of one magnitude, and whole numbers only if all have."""
    present = ~np.isnan(numbers)
    if not present.any(axis=0).all():
        return False
    sizes = np.nanmean(np.abs(numbers), axis=0)
    whole = np.array(
        [
            bool((column == np.round(column))[own].all())
            for column, own in zip(numbers.T, present.T, strict=True)
        ]
    )
    return bool(sizes.max() <= _ONE_SCALE * sizes.min()) and bool(whole.all() or not whole.any())


def _rows_are_alike(numbers: np.ndarray) -> bool:
    """Return whether columns differ far more than rows, as if these were the algorithms."""
    ranks = pd.DataFrame(numbers).stack().rank().unstack()
    of_columns, of_rows = (float(ranks.mean(axis=axis).var()) for axis in (0, 1))
    return of_columns > _CLEAR * max(of_rows, 1e-12)


def _is_numeric(column: pd.Series) -> bool:
    """Return whether a column holds numbers or truth values, also as objects."""
    if pd.api.types.is_numeric_dtype(column.dtype) and column.dtype.kind != "c":
        return True
    return column.dtype == object and pd.api.types.infer_dtype(column, skipna=True) in (
        "floating",
        "integer",
        "mixed-integer-float",
        "boolean",
        "decimal",
    )


def names_of_index(frame: pd.DataFrame) -> list[str]:
    """Return the names of the columns that hold the index; [] for one of unnamed integers.

    An unnamed one is named "row", others "row 2" and so on. A name that a column has is
    followed by "(index)".
    """
    if frame.index.names == [None] and pd.api.types.is_integer_dtype(frame.index.dtype):
        return []
    used = {str(name) for name in frame.columns}
    names: list[str] = []
    for level, name in enumerate(frame.index.names):
        own = ("row" if not level else f"row {level + 1}") if name is None else str(name)
        while own in used:
            own = f"{own} (index)" if name is not None else f"{own} "
        used.add(own)
        names.append(own)
    return names


def check_rows(frame: pd.DataFrame, roles: Mapping[str, str], mapping: ColumnMapping) -> None:
    """Raise DataError if names of the index of a wide frame are repeated unequally often."""
    if mapping.rows or not roles or frame.index.nlevels > 1 or not names_of_index(frame):
        return
    counts = frame.index.value_counts(sort=False)
    if counts.nunique() > 1:
        raise data_error("repeated row", name=str(counts.idxmax()), n=int(counts.max()))


def pandas_shape(native: Any) -> pd.DataFrame:
    """Return the numbers of a narwhals frame in a pandas frame; other columns are empty."""
    import narwhals

    columns = {}
    for name, kind in native.schema.items():
        if kind == narwhals.Boolean or kind.is_numeric():
            whole = native[name].cast(narwhals.Int64) if kind == narwhals.Boolean else native[name]
            columns[name] = whole.cast(narwhals.Float64).to_numpy()
        else:
            columns[name] = np.full(len(native), None, dtype=object)
    return pd.DataFrame(columns)


def truths_as_numbers(column: Any) -> Any:
    """Return a column of pandas or narwhals of truth values as 1 and 0, others unchanged."""
    if hasattr(column, "to_native"):
        import narwhals

        return column.cast(narwhals.Int64) if column.dtype == narwhals.Boolean else column
    if isinstance(column, pd.Series):
        if pd.api.types.is_bool_dtype(column.dtype):
            return column.astype("Int64")
        if column.dtype == object and pd.api.types.infer_dtype(column, skipna=True) == "boolean":
            return column.map(
                lambda value: value if value is None else int(value), na_action="ignore"
            )
    return column


def records(source: Any) -> bool:
    """Return whether a source is a list of dicts that are rows."""
    return (
        isinstance(source, list)
        and bool(source)
        and all(
            isinstance(each, Mapping)
            and each
            and all(
                value is None or np.isscalar(value) or value is pd.NA for value in each.values()
            )
            for each in source
        )
    )
