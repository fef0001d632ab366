"""Traces of the panels of a pair: bars of folds, curves, points with ellipses."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from foldwise.figures import text, traces
from foldwise.figures.axis_parts import ticks
from foldwise.figures.fold_histogram_parts import Bins, Numbers, fill_and_edge
from foldwise.figures.pair_panel_data import CurvePanel, HistogramPanel, Panel, ScatterPanel
from foldwise.figures.pair_panel_layout import PanelGrid, View, axis_names
from foldwise.figures.theme import Style
from foldwise.figures.threshold_axes import SeriesStyle, algorithm_marker, draw_line
from stats_core.core.formatting import format_count

_THIN = 0.35  # opacity of the curves of single folds on the screen
_UNIT = (0.0, 1.0)


def panel_axes(panel: Panel, names: tuple[str, str], frame: PanelGrid, style: Style) -> View:
    """Return the axes of a panel."""
    if isinstance(panel, HistogramPanel):
        return _histogram_view(panel, names, frame, style)
    if isinstance(panel, CurvePanel):
        numbers = ticks(0.0, 1.0, 5 if frame.plot > 140 else 2)
        return View(
            x=_UNIT,
            y=_UNIT,
            x_ticks=numbers,
            y_ticks=numbers,
            x_title=panel.x_title,
            y_title=panel.y_title,
            square=True,
        )
    return _scatter_view(panel, frame, style)


def draw_panel(
    fig: go.Figure,
    panel: Panel,
    view: View,
    place: int,
    drawn: Mapping[str, SeriesStyle],
    style: Style,
) -> None:
    """Draw one panel into its axes."""
    if isinstance(panel, HistogramPanel):
        _histogram(fig, panel, view, place, drawn, style)
    elif isinstance(panel, CurvePanel):
        _curves(fig, panel, place, drawn, style)
    else:
        _scatter(fig, panel, place, drawn, style)


def _defined(panel: HistogramPanel, name: str) -> pd.Series:
    """Return the finite values of one algorithm."""
    column = panel.values.set_axis([str(label) for label in panel.values.columns], axis=1)[name]
    column = column.astype(float)
    return column[np.isfinite(column)]


def _bins(panel: HistogramPanel, names: Iterable[str]) -> Bins | None:
    """Return the bins shared by both algorithms, None without values."""
    all_values = np.concatenate([_defined(panel, name).to_numpy() for name in names])
    return Bins.of(all_values) if len(all_values) else None


def _counts(panel: HistogramPanel, name: str, bins: Bins) -> np.ndarray:
    values = _defined(panel, name).to_numpy()
    return np.bincount(bins.index(values), minlength=len(bins.edges) - 1)


def _histogram_view(
    panel: HistogramPanel, names: tuple[str, str], frame: PanelGrid, style: Style
) -> View:
    bins = _bins(panel, names)
    if bins is None:
        empty = ([], [])
        return View(
            x=_UNIT, y=(-1, 1), x_ticks=empty, y_ticks=empty, x_title="", y_title=f"{panel.unit}s"
        )
    most_up, most_down = (int(_counts(panel, name, bins).max()) for name in names)
    # The means with their numbers are drawn beyond the bars.
    end_room = 1.3 * frame.small + style.px(16, 10)
    folds_per_px = (most_up + most_down) / (frame.side - 2 * end_room)
    low, high = float(bins.edges[0]), float(bins.edges[-1])
    pad = 2.5 * bins.width if bins.constant else 0.05 * (high - low)
    x = (low - pad, high + pad)
    numbers = _round(x, frame, style)
    if bins.constant:
        middle = (low + high) / 2
        numbers = ([middle], [f"{middle:.4g}".replace("-", "\N{MINUS SIGN}")])
    step = max(1, math.ceil(2.2 * frame.small * folds_per_px))
    counts = [i for i in range(-most_down, most_up + 1) if i % step == 0]
    return View(
        x=x,
        y=(-most_down - end_room * folds_per_px, most_up + end_room * folds_per_px),
        x_ticks=numbers,
        y_ticks=([float(i) for i in counts], [str(abs(i)) for i in counts]),
        x_title=panel.label,
        y_title=f"{panel.unit}s",
    )


def _round(
    span: tuple[float, float], frame: PanelGrid, style: Style
) -> tuple[list[float], list[str]]:
    """Return as many ticks as fit side by side below a panel, and their labels."""
    for most in (5, 4, 3, 2, 1):
        positions, labels = ticks(*span, most)
        total_width = sum(text.text_width(word, frame.small, style.serif) for word in labels)
        if total_width + 0.9 * frame.small * len(labels) <= frame.plot:
            return positions, labels
    return positions[:1], labels[:1]


def _histogram(
    fig: go.Figure,
    panel: HistogramPanel,
    view: View,
    index: int,
    styles: Mapping[str, SeriesStyle],
    style: Style,
) -> None:
    """Draw the bars of the first algorithm upwards, those of the second downwards."""
    bins = _bins(panel, styles)
    axes = axis_names(index)
    if bins is None:
        fig.add_annotation(
            text="no values", x=0.5, y=0, xref=axes["xaxis"], yref=axes["yaxis"], name="empty"
        )
        return
    numbers = _numbers(panel, styles)
    for (name, bar_style), direction in zip(styles.items(), (1, -1), strict=True):
        counts = _counts(panel, name, bins)
        occupied = np.flatnonzero(counts)
        fill, edge = fill_and_edge(bar_style.fill, style)
        fig.add_bar(
            x=[bins.middle(int(i)) for i in occupied],
            y=[direction * int(counts[i]) for i in occupied],
            width=bins.width,
            name=text.escape(name),
            marker={"color": fill, "line": {"width": style.px(0.7, 0.6), "color": edge}},
            hovertext=[
                f"<b>{text.escape(name)}</b><br>{text.escape(panel.label)} {bins.name(int(i))}: "
                f"{format_count(int(counts[i]), panel.unit)}"
                for i in occupied
            ],
            hoverinfo="text",
            **axes,
        )
        _mean(fig, _defined(panel, name), direction, int(counts.max()), view, numbers, axes, style)
    traces.add_line(fig, list(view.x), [0, 0], "baseline", style.ink, style.px(1, 0.7), **axes)


def _numbers(panel: HistogramPanel, names: Iterable[str]) -> Numbers:
    """Return the format of the means, from folds with both values or else from all."""
    columns = {name: _defined(panel, name) for name in names}
    both = pd.DataFrame(columns).dropna()
    if both.empty:
        both = pd.concat(columns.values()).to_frame()
    return Numbers.of(both, panel.label)


def _mean(
    fig: go.Figure,
    values: pd.Series,
    direction: int,
    tallest: int,
    view: View,
    numbers: Numbers,
    axes: Mapping[str, str],
    style: Style,
) -> None:
    """Draw a triangle at the mean, beyond the tallest bar, with its number."""
    if values.empty:
        return
    mean = float(values.mean())
    room = view.y[1] - tallest if direction > 0 else -view.y[0] - tallest
    share = (mean - view.x[0]) / (view.x[1] - view.x[0])
    fig.add_scatter(
        x=[mean],
        y=[direction * (tallest + style.px(0.26, 0.3) * room)],
        mode="markers+text",
        text=[numbers.say(mean)],
        textposition=_side(direction, share),
        textfont={"size": style.px(style.tick_size, 8.0), "color": style.ink},
        name="mean",
        marker={
            "symbol": "triangle-down" if direction > 0 else "triangle-up",
            "size": style.px(8, 5.5),
            "color": style.ink,
            "opacity": 1,
            "line": {"width": 0},
        },
        hovertext=[f"mean {numbers.full(mean)}"],
        hoverinfo="text",
        cliponaxis=False,
        **axes,
    )


def _side(direction: int, share: float) -> str:
    """Return the text position of a number at its triangle, turned inwards near the edges."""
    horizontal = "right" if share < 0.2 else "left" if share > 0.8 else "center"
    return f"{'top' if direction > 0 else 'bottom'} {horizontal}"


def _curves(
    fig: go.Figure, panel: CurvePanel, index: int, styles: Mapping[str, SeriesStyle], style: Style
) -> None:
    """Draw fold curves thin and their average thick; in print the average only."""
    axes = axis_names(index)
    if panel.label.strip().upper() == "ROC":
        traces.add_line(
            fig, [0, 1], [0, 1], "diagonal", style.leader, style.px(1, 0.6), dash="dot", **axes
        )
    for name, line_style in styles.items():
        average = panel.averages.get(name)
        folds = panel.folds.get(name, ())
        if len(folds) and not (style.printed and average is not None):
            x, y = _joined(folds)
            fig.add_scatter(
                x=x,
                y=y,
                mode="lines",
                name=f"{text.escape(name)} folds",
                line={
                    "color": line_style.colour,
                    "width": style.px(0.8, 0.4),
                    "dash": line_style.dash,
                },
                opacity=style.px(_THIN, 1.0),
                hoverinfo="skip",
                **axes,
            )
    for name, line_style in styles.items():
        if (average := panel.averages.get(name)) is not None:
            x, y = _joined([average])
            draw_line(
                fig,
                x,
                y,
                line_style,
                style,
                width=style.px(2.4, 1.1),
                name=text.escape(name),
                said=f"<b>{text.escape(name)}</b><br>average over {panel.unit}s",
                **axes,
            )


def _joined(tables: Sequence[pd.DataFrame]) -> tuple[list[float | None], list[float | None]]:
    """Return several lines as one with gaps between them and at missing points."""
    x: list[float | None] = []
    y: list[float | None] = []
    for table in tables:
        for x_value, y_value in table[["x", "y"]].to_numpy(dtype=float).tolist():
            defined = math.isfinite(x_value) and math.isfinite(y_value)
            x.append(x_value if defined else None)
            y.append(y_value if defined else None)
        x.append(None)
        y.append(None)
    return x[:-1], y[:-1]


def _scatter_view(panel: ScatterPanel, frame: PanelGrid, style: Style) -> View:
    tables = [*panel.points.values(), *panel.ellipses.values()]
    all_points = np.concatenate(
        [table[["x", "y"]].to_numpy(dtype=float) for table in tables] or [np.zeros((0, 2))]
    )
    all_points = all_points[np.isfinite(all_points).all(axis=1)]
    if not len(all_points):
        all_points = np.array([[0.0, 0.0], [1.0, 1.0]])
    low, high = all_points.min(axis=0), all_points.max(axis=0)
    pad = np.where(high > low, 0.07 * (high - low), 0.05 * np.maximum(np.abs(high), 1e-3))
    x, y = zip((low - pad).tolist(), (high + pad).tolist(), strict=True)
    return View(
        x=x,
        y=y,
        x_ticks=_round(x, frame, style),
        y_ticks=ticks(*y, 5 if frame.side > 140 else 3),
        x_title=panel.x_title,
        y_title=panel.y_title,
    )


def _scatter(
    fig: go.Figure, panel: ScatterPanel, index: int, styles: Mapping[str, SeriesStyle], style: Style
) -> None:
    """Draw the folds of both algorithms as marks, with their ellipses."""
    axes = axis_names(index)
    for name, line_style in styles.items():
        if (ring := panel.ellipses.get(name)) is not None:
            x, y = _joined([ring])
            draw_line(
                fig,
                x,
                y,
                line_style,
                style,
                width=style.px(1.6, 0.8),
                name=f"{text.escape(name)} ellipse",
                **axes,
            )
    for name, line_style in styles.items():
        table = panel.points.get(name)
        if table is None:
            continue
        table = table[np.isfinite(table[["x", "y"]].astype(float)).all(axis=1)]
        fig.add_scatter(
            x=table["x"].astype(float).tolist(),
            y=table["y"].astype(float).tolist(),
            mode="markers",
            name=text.escape(name),
            customdata=[str(label) for label in table.index],
            hovertext=[
                f"<b>{text.escape(name)}, {panel.unit} {text.escape(label)}</b><br>"
                f"{text.escape(panel.x_title)} {x:.4g}, {text.escape(panel.y_title)} {y:.4g}"
                for label, x, y in zip(table.index, table["x"], table["y"], strict=True)
            ],
            hoverinfo="text",
            marker=algorithm_marker(line_style, style.px(8, 4.5), style),
            unselected={"marker": {"opacity": 1}},
            cliponaxis=False,
            **axes,
        )
