"""Smaller JSON of figures for the browser: shared hover text once, numbers in binary form."""

import base64
from collections.abc import Mapping, Sequence
from os.path import commonprefix
from typing import Any

import numpy as np
import plotly.graph_objects as go

from stats_core.core.result_types import cached

MANY = 300  # marks of one trace; traces with fewer are sent unchanged
_WHERE = ("x", "y", "base", "width", "z")


class Sent(go.Figure):
    """Figure whose JSON form for the browser is prepared in advance."""

    def __init__(self, drawn: go.Figure, spec: dict[str, Any]):
        self._drawn, self._spec = drawn, spec

    @property
    def data(self) -> tuple[Any, ...]:
        """Traces of the original figure."""
        return self._drawn.data

    def to_dict(self) -> dict[str, Any]:
        """Return the prepared JSON specification."""
        return self._spec

    def with_lines(self, lines: Mapping[int, dict[str, Any]]) -> "Sent":
        """Return the figure with properties of the outlines of the marks of some traces changed."""
        traces = list(self._spec["data"])
        for index, changed in lines.items():
            marker = traces[index].get("marker", {})
            outline = marker.get("line", {}) | changed
            traces[index] = traces[index] | {"marker": marker | {"line": outline}}
        return Sent(self._drawn, self._spec | {"data": traces})


@cached
def compact_figure(drawn: go.Figure, *, speaks: bool = True) -> Sent:
    """Return a visually identical figure with a JSON payload that is prepared once, and smaller if a trace is long.

    Notes
    -----
    Traces of at least `MANY` marks send the shared part of their hover text once, as a template, and
    omit customdata: `stands_for` looks it up by the index of a mark. Coordinates are sent in single
    precision, which suffices for any screen. Unless `speaks`, the marks of the smaller figure have
    neither hover text nor customdata.
    """
    spec = drawn.to_dict()
    if not any(_has_many(trace) for trace in drawn.data):
        return Sent(drawn, spec)
    for position, trace in enumerate(spec["data"]):
        if not speaks:
            trace |= {"hoverinfo": "skip"}
            for key in ("hovertext", "hovertemplate", "customdata"):
                trace.pop(key, None)
        elif is_light(drawn, position):
            _say_once(trace)
        _pack(trace)
    return Sent(drawn, spec)


def _has_many(trace: Any) -> bool:
    n_marks = 0 if trace.y is None else len(trace.y)
    return trace.type in ("bar", "scatter") and n_marks >= MANY


def is_light(drawn: go.Figure, index: int) -> bool:
    """Return whether a trace's marks are sent without customdata.

    Figures with sliders replace their marks, and traces with a hover template need their
    customdata.
    """
    trace = drawn.data[index]
    if drawn.layout.sliders or not _has_many(trace) or trace.hovertemplate:
        return False
    return isinstance(trace.hovertext, tuple | np.ndarray)


def stands_for(drawn: go.Figure, point: dict[str, Any]) -> Any:
    """Return the customdata of a clicked mark, looked up in the original figure if it was not sent."""
    trace, index = point["curve_number"], point.get("point_index")
    if index is None or not is_light(drawn, trace):
        return point.get("customdata")
    customdata = drawn.data[trace].customdata
    return None if customdata is None else customdata[index]


def _say_once(trace: dict[str, Any]) -> None:
    """Replace hover texts by a template with their common parts, in place."""
    lines = [hover_text.split("<br>") for hover_text in trace["hovertext"]]
    if len({len(line) for line in lines}) > 1:
        lines = [[hover_text] for hover_text in trace["hovertext"]]
    parts: list[str] = []
    columns: list[list[str]] = []
    for line in zip(*lines, strict=True):
        start, differing, end = _shared(line)
        start, end = _escape_template(start), _escape_template(end)
        if any(differing):
            parts.append(f"{start}%{{customdata[{len(columns)}]}}{end}")
            columns.append(differing)
        else:
            parts.append(start)
    trace["hovertemplate"] = "<br>".join(parts) + "<extra></extra>"
    trace["customdata"] = [list(differing) for differing in zip(*columns, strict=True)]
    del trace["hovertext"]


def _escape_template(words: str) -> str:
    """Return text in which Plotly finds no variable of a template."""
    return words.replace("%{", "%&#123;")


def _shared(strings: Sequence[str]) -> tuple[str, list[str], str]:
    """Return the common prefix, the differing middles, and the common suffix of strings."""
    start = commonprefix(strings)
    tails = [word[len(start) :] for word in strings]
    reversed_end = commonprefix([word[::-1] for word in tails])
    middles = [word[: len(word) - len(reversed_end)] for word in tails]
    return start, middles, reversed_end[::-1]


def _pack(trace: dict[str, Any]) -> None:
    """Encode long numeric lists as single-precision bytes, in place."""
    for key in _WHERE:
        values = trace.get(key)
        if not isinstance(values, list | tuple) or len(values) < MANY:
            continue
        if all(_is_number(value) for value in values):
            numbers = np.array(values, dtype="<f4")  # None becomes NaN, which also leaves a gap
            trace[key] = {"dtype": "f4", "bdata": base64.b64encode(numbers.tobytes()).decode()}


def _is_number(value: Any) -> bool:
    if value is None:
        return True
    return isinstance(value, int | float) and not isinstance(value, bool)
