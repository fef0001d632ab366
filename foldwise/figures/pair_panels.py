"""Panels that compare two algorithms on one data set in several measures."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from foldwise.figures import text, theme, traces
from foldwise.figures.axis_parts import tick_axis, ticks
from foldwise.figures.fold_histogram import Bins, Numbers, fill_and_edge
from foldwise.figures.theme import Style
from foldwise.figures.traces import SeriesStyle, algorithm_marker, draw_key, draw_line, key_height, looks
from stats_core.core.errors import SettingError
from stats_core.core.formatting import format_count


@dataclass(frozen=True, kw_only=True, eq=False)
class HistogramPanel:
    """The values of one measure over folds.

    Attributes
    ----------
    label : str
        The measure, such as ``"error"``.
    values : DataFrame
        Fold by algorithm, for the two algorithms of the pair. Undefined values are left out.
    note : str
        Result of the test, such as ``"t test p 0.41, accepts"``.
    unit : str
        Source of one value per algorithm, such as "fold".
    """

    label: str
    values: pd.DataFrame
    note: str = ""
    unit: str = "fold"


@dataclass(frozen=True, kw_only=True, eq=False)
class CurvePanel:
    """The curves of every fold in the unit square, and their averages.

    Attributes
    ----------
    label : str
        ``"ROC"`` or ``"PR"``; a diagonal is drawn for ROC.
    folds : mapping of algorithm to sequence of DataFrame
        Columns ``x`` and ``y`` per fold.
    averages : mapping of algorithm to DataFrame
        Columns ``x`` and ``y``.
    x_title, y_title, note : str
        Titles of the axes, and the result of the test.
    unit : str
        As for a histogram.
    """

    label: str
    folds: Mapping[str, Sequence[pd.DataFrame]]
    averages: Mapping[str, pd.DataFrame] = field(default_factory=dict)
    x_title: str
    y_title: str
    note: str = ""
    unit: str = "fold"


@dataclass(frozen=True, kw_only=True, eq=False)
class ScatterPanel:
    """The folds in two measures, with an ellipse per algorithm.

    Attributes
    ----------
    label : str
        The measures, such as ``"(fpr, tpr)"``.
    points : mapping of algorithm to DataFrame
        Columns ``x`` and ``y``, one row per fold, the index its label.
    ellipses : mapping of algorithm to DataFrame
        Columns ``x`` and ``y``: a closed line.
    x_title, y_title, note : str
        Titles of the axes, and the result of the test.
    unit : str
        As for a histogram.
    """

    label: str
    points: Mapping[str, pd.DataFrame]
    ellipses: Mapping[str, pd.DataFrame] = field(default_factory=dict)
    x_title: str
    y_title: str
    note: str = ""
    unit: str = "fold"


Panel = HistogramPanel | CurvePanel | ScatterPanel


#: Least width in px of a panel with its axis, on the screen and in print.
_LEAST = (240, 150)
_MOST_COLUMNS = 3
#: Largest number of lines of a note.
_MOST_LINES = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class View:
    """The axes of one panel."""

    x: tuple[float, float]  # x, y: ranges of the axes
    y: tuple[float, float]
    x_ticks: tuple[list[float], list[str]]  # x_ticks, y_ticks: positions and labels
    y_ticks: tuple[list[float], list[str]]
    x_title: str  # x_title, y_title: not escaped
    y_title: str
    square: bool = False  # whether both axes have the same scale


@dataclass(frozen=True, slots=True, kw_only=True)
class PanelGrid:
    """Sizes in px, and text shortened to fit."""

    margin: dict[str, float]
    height: float
    columns: int  # panels in a row
    plot: float  # plot, side: width and height of the plot of one panel
    side: float
    gap: float  # gap, foot: space left of a plot and below it
    foot: float
    # heads, tops: per row of panels: room above the plots, and top of the plots, from the
    # upper edge of the first
    heads: list[float]
    tops: list[float]
    size: float  # size, small: of text: titles; numbers and notes
    small: float
    titles: list[str]  # per panel, not escaped
    notes: list[list[str]]  # lines per panel, not escaped
    key: dict[str, str]  # legend text of each algorithm


def panel_grid(panels: Sequence[Panel], names: tuple[str, str], style: Style, numbers: float = 0.0) -> PanelGrid:
    """Return the sizes for `panels` with numbers `numbers` px wide at the left of the plots."""
    column = style.printed and style.width < 480
    size = 9.33 if column else style.size
    small = 8.0 if column else style.px(style.tick_size, 9.33)
    max_columns = int(style.width / style.px(*_LEAST))
    columns = min(len(panels), max(max_columns, 1), _MOST_COLUMNS)
    gap = max(2.6 * small, numbers) + 0.7 * small + 1.3 * size
    pad = style.px(10, 6)
    plot = (style.width - columns * (gap + pad)) / columns
    side = min(plot, style.px(260, 190))
    cell = plot + 0.6 * gap
    notes = [_wrapped(panel.note, cell, small, style) for panel in panels]
    titles = [f"({chr(97 + i)}) {text.plain_text(panel.label)}" for i, panel in enumerate(panels)]
    short = text.shorten(titles, cell, size, serif=style.serif, bold=True)
    foot = style.px(4, 3) + 1.4 * small + 1.9 * size
    key = text.shorten(list(names), 0.36 * style.width, style.size, serif=style.serif)
    legend_height = key_height(list(key.values()), style.width - gap, style) + style.px(6, 4)
    heads = [
        1.5 * size + 1.3 * small * max(map(len, notes[i : i + columns])) + style.px(8, 4)
        for i in range(0, len(panels), columns)
    ]
    tops = [i * (side + foot) + sum(heads[1 : i + 1]) for i in range(len(heads))]
    return PanelGrid(
        margin={"l": gap, "r": pad, "t": legend_height + heads[0], "b": foot},
        height=legend_height + heads[0] + tops[-1] + side + foot,
        columns=columns,
        plot=plot,
        side=side,
        gap=gap + pad,
        foot=foot,
        heads=heads,
        tops=tops,
        size=size,
        small=small,
        titles=[short[title] for title in titles],
        notes=notes,
        key=key,
    )


def _wrapped(note: str, room: float, size: float, style: Style) -> list[str]:
    """Return a note in lines that fit; the last line is shortened in the middle if necessary."""
    lines: list[str] = []
    words = text.plain_text(note).split()
    while words:
        count = 1
        while count < len(words) and _fits(words[: count + 1], room, size, style):
            count += 1
        if len(lines) == _MOST_LINES - 1:
            count = len(words)
        line = " ".join(words[:count])
        lines.append(text.shorten([line], room, size, serif=style.serif)[line])
        words = words[count:]
    return lines


def _fits(words: Sequence[str], room: float, size: float, style: Style) -> bool:
    return text.text_width(" ".join(words), size, style.serif) <= room


def axis_names(place: int) -> dict[str, str]:
    """Return the axis names of the traces of a panel."""
    number = str(place + 1) if place else ""
    return {"xaxis": f"x{number}", "yaxis": f"y{number}"}


def draw_frame(fig: go.Figure, views: Sequence[View], frame: PanelGrid, style: Style) -> None:
    """Set the axes of every panel, and write its title and note."""
    width = frame.columns * frame.plot + (frame.columns - 1) * frame.gap
    height = frame.tops[-1] + frame.side
    for index, view in enumerate(views):
        row, column = divmod(index, frame.columns)
        left, top = column * (frame.plot + frame.gap), height - frame.tops[row]
        number = str(index + 1) if index else ""
        x_axis = _axis(view.x, view.x_ticks, view.x_title, frame)
        y_axis = _axis(view.y, view.y_ticks, view.y_title, frame)
        x_axis["domain"] = [left / width, min((left + frame.plot) / width, 1.0)]
        y_axis["domain"] = [max((top - frame.side) / height, 0.0), min(top / height, 1.0)]
        x_axis["anchor"], y_axis["anchor"] = f"y{number}", f"x{number}"
        if view.square:
            x_axis |= {"constrain": "domain", "constraintoward": "left"}
            y_axis |= {"constrain": "domain", "scaleanchor": f"x{number}", "scaleratio": 1}
        fig.update_layout({f"xaxis{number}": x_axis, f"yaxis{number}": y_axis})
        _head(fig, frame, index, left / width, top / height, style)


def _axis(
    span: tuple[float, float], numbers: tuple[list[float], list[str]], title: str, frame: PanelGrid
) -> dict[str, Any]:
    return {
        **tick_axis(numbers[0], numbers[1], list(span)),
        "tickangle": 0,
        "tickfont": {"size": frame.small},
        "title": {"text": text.escape(title), "standoff": 3, "font": {"size": frame.size}},
    }


def _head(fig: go.Figure, frame: PanelGrid, index: int, x: float, y: float, style: Style) -> None:
    """Write the title of a panel in bold, and its note below, above the plot."""
    position = {
        "xref": "paper",
        "yref": "paper",
        "x": x,
        "y": y,
        "xanchor": "left",
        "xshift": -0.6 * frame.gap,
        "align": "left",
    }
    lines, head = frame.notes[index], frame.heads[index // frame.columns]
    if lines:
        fig.add_annotation(
            text="<br>".join(text.escape(line) for line in lines),
            name="note",
            yanchor="top",
            yshift=head - 1.5 * frame.size - style.px(2, 1),
            font={"size": frame.small, "color": style.second},
            **position,
        )
    fig.add_annotation(
        text=f"<b>{text.escape(frame.titles[index])}</b>",
        name="title",
        yanchor="top",
        yshift=head - style.px(2, 1),
        font={"size": frame.size, "color": style.ink},
        **position,
    )


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


def _laid_out(panels: Sequence[Panel], names: tuple[str, str], style: Style) -> tuple[PanelGrid, list[View]]:
    """Return sizes and axes, with enough room for wide numbers at the left of plots."""
    frame = panel_grid(panels, names, style)
    views = [panel_axes(panel, names, frame, style) for panel in panels]
    numbers = [word for view in views for word in view.y_ticks[1]]
    widest = max((text.text_width(number, frame.small, style.serif) for number in numbers), default=0.0)
    frame = panel_grid(panels, names, style, widest)
    return frame, [panel_axes(panel, names, frame, style) for panel in panels]


def _check(panels: Sequence[Panel], first: str, second: str) -> None:
    if not 1 <= len(panels) <= _MOST_PANELS:
        raise SettingError(f"A case has one to {_MOST_PANELS} panels. {len(panels)} arrived. Choose among them.")
    if first == second:
        raise SettingError(f'A case compares two algorithms. Both are "{first}". Choose another one.')


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
        ", ".join(filter(None, (f"({_letter(index)}) {text.plain_text(panel.label)}", text.plain_text(panel.note))))
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
            len(curve_panel.folds[first]) > 1 for curve_panel in panels if isinstance(curve_panel, CurvePanel)
        )
        sentences.append(f"Thick curves are averages over {unit}s." if several else "One curve of each.")
    if any(isinstance(panel, ScatterPanel) and panel.ellipses for panel in panels):
        sentences.append(f"Each mark is a {unit}; ellipses describe the spread of {unit}s.")
    elif points := [panel.points[first] for panel in panels if isinstance(panel, ScatterPanel)]:
        sentences.append(f"Each mark is a {unit}." if len(points[0]) > 1 else "Each mark is a model.")
    return " ".join(sentences)


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
    fig: go.Figure, panel: Panel, view: View, place: int, drawn: Mapping[str, SeriesStyle], style: Style
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


def _histogram_view(panel: HistogramPanel, names: tuple[str, str], frame: PanelGrid, style: Style) -> View:
    bins = _bins(panel, names)
    if bins is None:
        empty = ([], [])
        return View(x=_UNIT, y=(-1, 1), x_ticks=empty, y_ticks=empty, x_title="", y_title=f"{panel.unit}s")
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


def _round(span: tuple[float, float], frame: PanelGrid, style: Style) -> tuple[list[float], list[str]]:
    """Return as many ticks as fit side by side below a panel, and their labels."""
    for most in (5, 4, 3, 2, 1):
        positions, labels = ticks(*span, most)
        total_width = sum(text.text_width(word, frame.small, style.serif) for word in labels)
        if total_width + 0.9 * frame.small * len(labels) <= frame.plot:
            return positions, labels
    return positions[:1], labels[:1]


def _histogram(
    fig: go.Figure, panel: HistogramPanel, view: View, index: int, styles: Mapping[str, SeriesStyle], style: Style
) -> None:
    """Draw the bars of the first algorithm upwards, those of the second downwards."""
    bins = _bins(panel, styles)
    axes = axis_names(index)
    if bins is None:
        fig.add_annotation(text="no values", x=0.5, y=0, xref=axes["xaxis"], yref=axes["yaxis"], name="empty")
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


def _curves(fig: go.Figure, panel: CurvePanel, index: int, styles: Mapping[str, SeriesStyle], style: Style) -> None:
    """Draw fold curves thin and their average thick; in print the average only."""
    axes = axis_names(index)
    if panel.label.strip().upper() == "ROC":
        traces.add_line(fig, [0, 1], [0, 1], "diagonal", style.leader, style.px(1, 0.6), dash="dot", **axes)
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
                line={"color": line_style.colour, "width": style.px(0.8, 0.4), "dash": line_style.dash},
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
    all_points = np.concatenate([table[["x", "y"]].to_numpy(dtype=float) for table in tables] or [np.zeros((0, 2))])
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


def _scatter(fig: go.Figure, panel: ScatterPanel, index: int, styles: Mapping[str, SeriesStyle], style: Style) -> None:
    """Draw the folds of both algorithms as marks, with their ellipses."""
    axes = axis_names(index)
    for name, line_style in styles.items():
        if (ring := panel.ellipses.get(name)) is not None:
            x, y = _joined([ring])
            draw_line(
                fig, x, y, line_style, style, width=style.px(1.6, 0.8), name=f"{text.escape(name)} ellipse", **axes
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
