"""Conversion of results to plain data for JSON."""

import json
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from math import isinf, isnan
from typing import Any

import numpy as np
import pandas as pd

from stats_core.core.messages import Message
from stats_core.core.result_types import Method


def to_plain(value: Any) -> Any:
    """Return a result as dicts, lists, strings, finite numbers, booleans and None; TypeError for other types.

    NaN becomes None, and infinities become "Infinity" and "-Infinity".

    Examples
    --------
    >>> to_plain({"p": np.float64(0.5), "df": (1, 9), "low": np.nan, "high": np.inf})
    {'p': 0.5, 'df': [1, 9], 'low': None, 'high': 'Infinity'}
    """
    match value:
        case None | str() | bool() | int():
            return value
        case Message() | Method():
            return str(value)
        case float():
            return _float_to_plain(float(value))
        case np.generic():
            return to_plain(value.item())
        case pd.DataFrame():
            return _table_to_plain(value)
        case pd.Series():
            return _plain_series(value)
        case pd.Index():
            return _labels(value)
        case np.ndarray() | list() | tuple():
            return [to_plain(item) for item in value]
        case Mapping():
            return {str(key): to_plain(item) for key, item in value.items()}
    if value is pd.NA:
        return None
    if is_dataclass(value):
        return {field.name: to_plain(getattr(value, field.name)) for field in fields(value)}
    raise TypeError(f"no JSON form: {type(value).__name__}")


def _float_to_plain(value: float) -> float | str | None:
    """Return a finite number, None for NaN, or the name of an infinity.

    Examples
    --------
    >>> _float_to_plain(0.05), _float_to_plain(float("nan")), _float_to_plain(float("-inf"))
    (0.05, None, '-Infinity')
    """
    if isnan(value):
        return None
    if isinf(value):
        return "Infinity" if value > 0 else "-Infinity"
    return value


def _table_to_plain(table: pd.DataFrame) -> list | dict:
    """Return a table as records if its rows have no names, else as labels and values.

    Examples
    --------
    >>> _table_to_plain(pd.DataFrame({"first": ["a"], "p": [0.2]}))
    [{'first': 'a', 'p': 0.2}]
    >>> _table_to_plain(pd.DataFrame({"a": [0.2]}, index=["iris"]))
    {'rows': ['iris'], 'columns': ['a'], 'values': [[0.2]]}
    """
    rows = [to_plain(row) for row in table.itertuples(index=False, name=None)]
    columns = [str(name) for name in table.columns]
    if isinstance(table.index, pd.RangeIndex):
        return [dict(zip(columns, row, strict=True)) for row in rows]
    return {"rows": _labels(table.index), "columns": columns, "values": rows}


def _plain_series(series: pd.Series) -> dict:
    values = [to_plain(value) for value in series]
    if isinstance(series.index, pd.MultiIndex):
        return {"rows": _labels(series.index), "values": values}
    return dict(zip(_labels(series.index), values, strict=True))


def _labels(index: pd.Index) -> list:
    """Return row labels as strings; a label of several levels, such as (repetition, fold), becomes a list."""
    if isinstance(index, pd.MultiIndex):
        return [[str(part) for part in label] for label in index]
    return [str(label) for label in index]


def dump_json(value: Any, indent: int | None, margin: str = "") -> str:
    """Return plain data as JSON; each list of scalars is on one line, and everything is if `indent` is None.

    Lines after the first start with `margin`. NaN and infinite numbers raise ValueError.

    Examples
    --------
    >>> print(dump_json({"df": [1, 9], "table": [{"p": 0.5}]}, 2))
    {
      "df": [1, 9],
      "table": [
        {
          "p": 0.5
        }
      ]
    }
    """
    nested = isinstance(value, list) and any(isinstance(item, dict | list) for item in value)
    if indent is None or not value or not (nested or isinstance(value, dict)):
        return json.dumps(value, allow_nan=False)
    inner = margin + " " * indent
    if isinstance(value, dict):
        ends = "{}"
        items = [f"{json.dumps(key)}: {dump_json(v, indent, inner)}" for key, v in value.items()]
    else:
        ends = "[]"
        items = [dump_json(item, indent, inner) for item in value]
    body = f",\n{inner}".join(items)
    return f"{ends[0]}\n{inner}{body}\n{margin}{ends[1]}"
