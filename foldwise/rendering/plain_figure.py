"""A read-only view of a Plotly figure as plain values, much faster than Plotly's own objects."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import plotly.graph_objects as go

# containers of other values; an absent container is read as an empty one
_PARTS = frozenset(
    "annotationdefaults error_x error_y font layout legend line margin marker pad pattern "
    "template textfont tickfont title".split()
)


class PlainFigure:
    """A part of a figure with attribute access; unset properties are None, as in Plotly.

    Examples
    --------
    >>> axis = PlainFigure({"title": {"text": "error"}, "range": [0, 1]})
    >>> axis.title.text, axis["range"], axis.dtick, axis.tickfont.size
    ('error', [0, 1], None, None)
    """

    __slots__ = ("_found",)

    def __init__(self, found: dict[str, Any]) -> None:
        self._found = found

    def __getattr__(self, name: str) -> Any:
        """Return a value, a nested part, or a tuple of parts."""
        value = self._found.get(name)
        if isinstance(value, dict) or (value is None and name in _PARTS):
            return PlainFigure(value or {})
        if name in ("annotations", "shapes"):
            return tuple(map(PlainFigure, value or ()))
        return value

    __getitem__ = __getattr__

    def __iter__(self) -> Iterator[str]:
        """Yield the names of the properties that are set."""
        return iter(self._found)


class FigureValues:
    """The traces and the layout of a figure as plain values.

    Examples
    --------
    >>> plain_figure = FigureValues(go.Figure(go.Bar(y=[1, 2]), layout={"width": 300}))
    >>> plain_figure.data[0].type, plain_figure.layout.width, plain_figure.layout.margin.l
    ('bar', 300, None)
    """

    def __init__(self, figure: go.Figure) -> None:
        self.data = tuple(PlainFigure(trace.to_plotly_json()) for trace in figure.data)
        self.layout = PlainFigure(figure.layout.to_plotly_json())
