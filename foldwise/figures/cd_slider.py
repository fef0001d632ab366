"""The significance level slider of critical-difference diagrams."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import plotly.graph_objects as go

from foldwise.figures.cd_parts import DiagramLayout
from foldwise.figures.cd_traces import TraceList
from foldwise.figures.slider import put_slider, slider_step
from foldwise.figures.theme import Style

#: Properties of a trace that depend on the level.
_MOVES = ("x", "y", "customdata", "hovertext", "base", "width")
_SHOWN = "Level shown: \N{GREEK SMALL LETTER ALPHA} = "


def draw_levels(fig: go.Figure, at: Mapping[float, TraceList], chosen: float) -> list[int]:
    """Draw all traces that depend on the level, as at the chosen one; return their indices.

    Traces that occur at other levels only are added empty.
    """
    first = len(fig.data)
    for name, trace in _slots(at).items():
        fig.add_trace(at[chosen].traces.get(name) or {**trace, **dict.fromkeys(_moving(trace), ())})
    return list(range(first, len(fig.data)))


def of_one_level(fig: go.Figure, layout: DiagramLayout) -> list[str]:
    """Return the update keys of elements for the chosen level only: note, ruler label and band."""
    roles = [item.role for item in layout.texts]
    texts = [f"annotations[{i}]" for i, role in enumerate(roles) if role in ("ruler", "note")]
    bands = [f"shapes[{i}]" for i in range(len(fig.layout.shapes))]
    return [f"{element}.visible" for element in texts + bands]


def add_slider(
    fig: go.Figure,
    at: Mapping[float, TraceList],
    chosen: float,
    places: Sequence[int],
    fixed: Sequence[str],
    style: Style,
) -> None:
    """Add a slider below the diagram, with a step for each level and the chosen one marked."""
    slots = _slots(at)
    steps = []
    for level, trace_list in at.items():
        level_traces = [trace_list.traces.get(name, {}) for name in slots]
        trace_update = {key: [_plain(trace.get(key)) for trace in level_traces] for key in _MOVES}
        layout_update = dict.fromkeys(fixed, level == chosen)
        steps.append(slider_step(level, level == chosen, [trace_update, layout_update, list(places)]))
    put_slider(fig, steps, list(at).index(chosen), _SHOWN, style)


def _slots(traces_by_level: Mapping[float, TraceList]) -> dict[str, dict[str, Any]]:
    """Return one trace for each name drawn at any level, with hover targets last."""
    slots: dict[str, dict[str, Any]] = {}
    for trace_list in traces_by_level.values():
        slots |= {name: trace for name, trace in trace_list.traces.items() if name not in slots}
    return dict(sorted(slots.items(), key=lambda item: "targets" in item[0]))


def _moving(trace: Mapping[str, Any]) -> list[str]:
    return [key for key in _MOVES if key in trace]


def _plain(values: Any) -> list:
    return [] if values is None else list(values)
