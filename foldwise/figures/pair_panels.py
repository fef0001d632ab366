"""Panels that compare two algorithms on one data set in several measures."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import plotly.graph_objects as go

from foldwise.figures import text, theme
from foldwise.figures.pair_panel_data import CurvePanel, HistogramPanel, Panel, ScatterPanel
from foldwise.figures.pair_panel_layout import PanelGrid, View, draw_frame, panel_grid
from foldwise.figures.pair_panel_traces import draw_panel, panel_axes
from foldwise.figures.theme import Style
from foldwise.figures.threshold_axes import draw_key, looks
from stats_core.core.errors import SettingError

__all__ = [
    "CurvePanel",
    "HistogramPanel",
    "Panel",
    "ScatterPanel",
    "alt_pair_panels",
    "caption_pair_panels",
    "pair_panels",
]

_MOST_PANELS = 12


def pair_panels(
    panels: Sequence[Panel],
    *,
    first: str,
    second: str,
    style: Style,
    colours: Mapping[str, str] | None = None,
    symbols_of: Mapping[str, str] | None = None,
) -> go.Figure:
    """Draw the panels of a pair side by side, with one legend for both algorithms.

    Parameters
    ----------
    panels : sequence of HistogramPanel, CurvePanel or ScatterPanel
        One to twelve panels, lettered (a), (b) and so on.
    first, second : str
        The two algorithms. In histograms the first is drawn above the axis, the second below.
    style : Style
        Surface. Its width decides the number of panels per row, at most three.
    colours, symbols_of : mapping, optional
        Colour and marker per algorithm, as on all pages.

    Returns
    -------
    Figure
        Points of scatter panels carry the label of their fold.

    Raises
    ------
    SettingError
        With no panel, more than twelve, or two algorithms of the same name.
    """
    _check(panels, first, second)
    styles = looks([first, second], style, colours, symbols_of)
    frame, views = _laid_out(panels, (first, second), style)
    fig = theme.new_figure(style, frame.height, margin=frame.margin, barmode="overlay", bargap=0)
    draw_frame(fig, views, frame, style)
    for index, (panel, view) in enumerate(zip(panels, views, strict=True)):
        draw_panel(fig, panel, view, index, styles, style)
    draw_key(fig, frame.key, styles, style)
    # Aligned with the titles.
    fig.update_layout(legend={"xref": "container", "x": 0.01})
    return fig


def _laid_out(
    panels: Sequence[Panel], names: tuple[str, str], style: Style
) -> tuple[PanelGrid, list[View]]:
    """Return sizes and axes, with enough room for wide numbers at the left of plots."""
    frame = panel_grid(panels, names, style)
    views = [panel_axes(panel, names, frame, style) for panel in panels]
    numbers = [word for view in views for word in view.y_ticks[1]]
    widest = max(
        (text.text_width(number, frame.small, style.serif) for number in numbers), default=0.0
    )
    frame = panel_grid(panels, names, style, widest)
    return frame, [panel_axes(panel, names, frame, style) for panel in panels]


def _check(panels: Sequence[Panel], first: str, second: str) -> None:
    if not 1 <= len(panels) <= _MOST_PANELS:
        raise SettingError(
            f"A case has one to {_MOST_PANELS} panels. {len(panels)} arrived. Choose among them."
        )
    if first == second:
        raise SettingError(
            f'A case compares two algorithms. Both are "{first}". Choose another one.'
        )


def alt_pair_panels(panels: Sequence[Panel], first: str, second: str) -> str:
    """Return the alternative text of the figure, at most 300 characters.

    Examples
    --------
    >>> panel = HistogramPanel(label="error", values=None, note="t test p 0.41, accepts")
    >>> alt_pair_panels([panel], "knn", "mdt")
    'Case of knn and mdt in 1 panel: (a) error, t test p 0.41, accepts.'
    """
    a, b = (text.truncate_text(text.plain_text(name), 60) for name in (first, second))
    count = len(panels)
    parts = [
        ", ".join(
            filter(
                None,
                (f"({_letter(index)}) {text.plain_text(panel.label)}", text.plain_text(panel.note)),
            )
        )
        for index, panel in enumerate(panels)
    ]
    head = f"Case of {a} and {b} in {count} panel{'s' * (count > 1)}: "
    return text.fit_alt_text(head, parts, "; ", ".", f"{head}{parts[0]}")


def _letter(index: int) -> str:
    return "abcdefghijkl"[index]


def caption_pair_panels(panels: Sequence[Panel], first: str, second: str) -> str:
    """Return the caption sentences on the marks.

    Only marks that occur in `panels` are explained.
    """
    sentences, unit = [], panels[0].unit
    if any(isinstance(panel, HistogramPanel) for panel in panels):
        sentences.append(
            f"Histograms count {unit}s, {text.plain_text(first)} above the axis and "
            f"{text.plain_text(second)} below it; triangles are means."
        )
    if any(isinstance(panel, CurvePanel) for panel in panels):
        several = any(
            len(curve_panel.folds[first]) > 1
            for curve_panel in panels
            if isinstance(curve_panel, CurvePanel)
        )
        sentences.append(
            f"Thick curves are averages over {unit}s." if several else "One curve of each."
        )
    if any(isinstance(panel, ScatterPanel) and panel.ellipses for panel in panels):
        sentences.append(f"Each mark is a {unit}; ellipses describe the spread of {unit}s.")
    elif points := [panel.points[first] for panel in panels if isinstance(panel, ScatterPanel)]:
        sentences.append(
            f"Each mark is a {unit}." if len(points[0]) > 1 else "Each mark is a model."
        )
    return " ".join(sentences)
