"""Boxes that enlarge: which figures let a visitor zoom, and what their ticks do then."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping

import plotly.graph_objects as go

from foldwise.figures.theme import Style
from stats_core.core.errors import SettingError

_TICKS = 6  # of an axis whose step was fixed
_FINEST = 8  # decimals


def enable_zoom(
    build: Callable[[Style], go.Figure], axes: str = "xy"
) -> Callable[[Style], go.Figure]:
    """Let a figure be enlarged by a box on the screen; a double click shows it whole again.

    Parameters
    ----------
    build : callable
        Style in, figure out.
    axes : {"xy", "x", "y"}
        Which of its axes are continuous; names stay where they are.

    Returns
    -------
    callable
        The same for print, where nothing moves.

    Examples
    --------
    >>> from foldwise.figures.theme import new_figure, paper, screen
    >>> drawn = enable_zoom(lambda style: new_figure(style, 200))
    >>> drawn(screen()).layout.dragmode, drawn(paper()).layout.dragmode
    ('zoom', False)
    """

    def built(style: Style) -> go.Figure:
        fig = build(style)
        if not style.printed:
            fig.update_layout(dragmode="zoom", modebar={"bgcolor": "rgba(0,0,0,0)"})
            fig.for_each_xaxis(_free if "x" in axes else _fix)
            fig.for_each_yaxis(_free if "y" in axes else _fix)
        return fig

    return built


def free_axes(fig: go.Figure) -> list[str]:
    """Return the axes of a figure that a visitor can zoom, such as ``["xaxis", "yaxis"]``; none of several panels."""
    axes = [*fig.select_xaxes(), *fig.select_yaxes()]
    free = [one.plotly_name for one in axes if one.fixedrange is False and one.range is not None]
    return free if can_zoom(fig) and len(free) == len({name[0] for name in free}) else []


def crop_axes(fig: go.Figure, ranges: Mapping[str, tuple[float, float]]) -> go.Figure:
    """Return a printed figure with less of its axes: nothing is drawn beyond them, ticks are found anew.

    Parameters
    ----------
    fig : Figure
    ranges : mapping of axis to (float, float)
        As `free_axes` names them; their ends, low before high, as they run.

    Raises
    ------
    SettingError
        A range without length.
    """
    fig = go.Figure(fig)
    for name, (low, high) in ranges.items():
        if low >= high:
            raise SettingError(
                f"A part of an axis must begin before it ends. {low:g} to {high:g} arrived. "
                "Choose a smaller beginning or a larger end."
            )
        axis = fig.layout[name]
        ends = (high, low) if axis.range[0] > axis.range[1] else (low, high)
        axis.update(range=ends, tickmode="auto", dtick=None, tickvals=None, ticktext=None)
        axis.update(nticks=_TICKS, tickformat=None)
    fig.update_traces(cliponaxis=True, selector={"type": "scatter"})
    return fig


def can_zoom(fig: go.Figure) -> bool:
    """Tell whether a figure lets a visitor zoom."""
    return fig.layout.dragmode == "zoom"


def _fix(axis) -> None:
    axis.fixedrange = True


def _free(axis) -> None:
    """Let an axis zoom and find ticks where it then is; axes without a line stay.

    How many fit along x, the width of the window tells: too many would be turned, over the title.
    """
    if axis.visible is False:
        axis.fixedrange = True
        return
    axis.fixedrange = False
    if axis.tickmode == "array" and _say_where(axis.ticktext or (), axis.tickvals or ()):
        count = len(axis.tickvals) + 1 if axis.plotly_name.startswith("y") else None
        axis.update(tickmode="auto", nticks=count, tickvals=None, ticktext=None)
        axis.tickformatstops = _stops("")
    elif axis.dtick is not None:
        form = axis.tickformat or ""
        axis.update(dtick=None, tickmode="auto", nticks=_TICKS, tickformat=None)
        axis.tickformatstops = _stops(form)


def _stops(form: str) -> list[dict]:
    """Return formats by the step between ticks, each with the decimals that such a step needs."""
    unit = "%" if form.endswith("%") else "f"
    spared = 2 if unit == "%" else 0
    stops = [
        {
            "dtickrange": [0.99 * 10.0**-places, 9.9 * 10.0**-places],
            "value": f".{max(places - spared, 0)}{unit}",
        }
        for places in range(1, _FINEST + 1)
    ]
    return [*stops, {"dtickrange": [0.99, None], "value": f",.0{unit}"}]


def _say_where(words: Iterable, places: Iterable) -> bool:
    """Tell whether ticks say their own places, as those of logarithms do not; others may replace them."""
    try:
        said = [float(str(word).translate({0x2212: "-", ord(","): None})) for word in words]
    except ValueError:
        return False
    return all(math.isclose(a, b, abs_tol=1e-9) for a, b in zip(said, places, strict=True))
