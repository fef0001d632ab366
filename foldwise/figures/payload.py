"""A figure as it is sent to the browser: of many marks nothing that all have, or that the server knows."""

import base64
from collections.abc import Sequence
from os.path import commonprefix
from typing import Any

import numpy as np
import plotly.graph_objects as go

MANY = 300  # marks of one trace; fewer are sent as they are drawn
_WHERE = ("x", "y", "base", "width", "z")


class Sent(go.Figure):
    """A figure whose form for the browser is made once."""

    def __init__(self, drawn: go.Figure, spec: dict[str, Any]):
        self._drawn, self._spec = drawn, spec

    @property
    def data(self) -> tuple:
        """The traces as they are drawn."""
        return self._drawn.data

    def to_dict(self) -> dict[str, Any]:
        """Return what Streamlit sends."""
        return self._spec


def compact_figure(drawn: go.Figure, *, speaks: bool = True) -> go.Figure:
    """Return a figure as the browser needs it: the same to the eye and to the pointer, in fewer bytes.

    Notes
    -----
    Traces of `MANY` marks say what all their words share once, as a template, and leave out what
    marks stand for: `stands_for` looks it up by the place of a mark. Places are sent in single
    precision, which no screen can show. A figure of few marks is sent as it is.
    """
    made = vars(drawn).setdefault("_sent", {})
    if speaks not in made:
        made[speaks] = _made(drawn, speaks) if any(map(_has_many, drawn.data)) else drawn
    return made[speaks]


def _made(drawn: go.Figure, speaks: bool) -> Sent:
    spec = drawn.to_dict()
    for place, trace in enumerate(spec["data"]):
        if not speaks:
            trace |= {"hoverinfo": "skip"}
            for key in ("hovertext", "hovertemplate", "customdata"):
                trace.pop(key, None)
        elif is_light(drawn, place):
            _say_once(trace)
        _pack(trace)
    return Sent(drawn, spec)


def _has_many(trace: Any) -> bool:
    return trace.type in ("bar", "scatter") and len(trace.y if trace.y is not None else ()) >= MANY


def is_light(drawn: go.Figure, place: int) -> bool:
    """Tell whether the marks of a trace are sent without what they stand for.

    A slider brings marks of its own, and a template says what they stand for.
    """
    trace = drawn.data[place]
    if drawn.layout.sliders or not _has_many(trace) or trace.hovertemplate:
        return False
    return isinstance(trace.hovertext, tuple | np.ndarray)


def stands_for(drawn: go.Figure, point: dict[str, Any]) -> Any:
    """Return what a clicked mark stands for, from the figure or from the browser that was sent it."""
    trace, place = point["curve_number"], point.get("point_index")
    if place is None or not is_light(drawn, trace):
        return point.get("customdata")
    known = drawn.data[trace].customdata
    return None if known is None else known[place]


def _say_once(trace: dict[str, Any]) -> None:
    """Write what all marks say as the template of the trace, and keep what differs, line by line."""
    lines = [said.split("<br>") for said in trace["hovertext"]]
    if len(set(map(len, lines))) > 1:
        lines = [[said] for said in trace["hovertext"]]
    parts, rest = [], []
    for words in zip(*lines, strict=True):
        start, own, end = _shared(words)
        start, end = start.replace("%{", "%&#123;"), end.replace("%{", "%&#123;")
        parts.append(f"{start}%{{customdata[{len(rest)}]}}{end}" if any(own) else start)
        rest += [own] if any(own) else []
    trace["hovertemplate"] = "<br>".join(parts) + "<extra></extra>"
    trace["customdata"] = [list(own) for own in zip(*rest, strict=True)]
    del trace["hovertext"]


def _shared(words: Sequence[str]) -> tuple[str, list[str], str]:
    """Return how all begin, what is between, and how all end."""
    start = commonprefix(words)
    rest = [word[len(start) :] for word in words]
    end = commonprefix([word[::-1] for word in rest])[::-1]
    return start, [word[: len(word) - len(end)] for word in rest], end


def _pack(trace: dict[str, Any]) -> None:
    """Send long lists of numbers in single precision, as bytes."""
    for key in _WHERE:
        values = trace.get(key)
        if (
            isinstance(values, list | tuple)
            and len(values) >= MANY
            and all(map(_is_number, values))
        ):
            numbers = np.array(values, dtype="<f4")  # None becomes NaN, which is a gap, too
            trace[key] = {"dtype": "f4", "bdata": base64.b64encode(numbers.tobytes()).decode()}


def _is_number(value: Any) -> bool:
    return value is None or (isinstance(value, int | float) and not isinstance(value, bool))
