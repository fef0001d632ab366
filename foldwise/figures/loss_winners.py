"""Winners and mean risks over a sweep of cost thresholds."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from foldwise.figures import text, theme, traces
from foldwise.figures.axis_parts import names_axis, tick_axis, ticks
from foldwise.figures.theme import Style
from foldwise.figures.traces import SeriesStyle, algorithm_marker, draw_line, draw_marks, looks, with_gaps
from stats_core.core.errors import SettingError

#: Least text size in print, in px.
_LEAST = 8.0


def draw_cells(
    fig: go.Figure,
    sweep: SweepData,
    frame: SweepAxes,
    drawn: Mapping[str, SeriesStyle],
    hover: pd.DataFrame | None,
    style: Style,
) -> None:
    """Draw the content of each cell, over bars that take hover and clicks."""
    _targets(fig, sweep, hover)
    size = min(style.px(11, 6.2), 0.84 * frame.column, 0.66 * frame.row)
    if sweep.counts:
        _numbers(fig, sweep, frame, size, style)
    else:
        _symbols(fig, sweep, drawn, size, style)


def _targets(fig: go.Figure, sweep: SweepData, hover: pd.DataFrame | None) -> None:
    rows, columns = sweep.winners.shape
    grid = [(i, j) for i in range(rows) for j in range(columns)]
    traces.add_areas(
        fig,
        [sweep.thetas[j] for _, j in grid],
        [1.0] * len(grid),
        "cells",
        "rgba(0,0,0,0)",
        [_hover(sweep, hover, i, j) for i, j in grid],
        base=[i - 0.5 for i, _ in grid],
        width=[2 * sweep.half] * len(grid),
        yaxis="y2",
        customdata=[sweep.thetas[j] for _, j in grid],
        meta="theta",
    )


def _hover(sweep: SweepData, hover: pd.DataFrame | None, row: int, column: int) -> str:
    lines = [_said(sweep, row, column)]
    if hover is not None:
        lines = str(hover.iat[row, column]).split("\n")
    head = f"<b>{loss_words(sweep.thetas[column])}</b>"
    return "<br>".join([head, *(text.escape(line) for line in lines), traces.click_hint("theta")])


def _said(sweep: SweepData, row: int, column: int) -> str:
    label, cell = sweep.winners.index[row], sweep.winners.iat[row, column]
    if sweep.counts:
        return f"{label} wins over {int(cell)} of {len(sweep.winners) - 1} others"
    return f"{label}: {cell} wins" if _named(cell) else f"{label}: no difference shown"


def _named(cell: object) -> bool:
    return isinstance(cell, str) and cell != ""


def _symbols(fig: go.Figure, sweep: SweepData, styles: Mapping[str, SeriesStyle], size: float, style: Style) -> None:
    table = sweep.winners.to_numpy(dtype=object)
    cells = [(i, j) for i in range(table.shape[0]) for j in range(table.shape[1])]
    for name, marker_style in styles.items():
        won_cells = [(i, j) for i, j in cells if table[i, j] == name]
        if won_cells:
            _marks(fig, sweep, won_cells, text.escape(name), algorithm_marker(marker_style, size, style))
    blank = [(i, j) for i, j in cells if not _named(table[i, j])]
    if blank:
        _marks(fig, sweep, blank, "no difference", _dot(style))


def _dot(style: Style) -> dict[str, object]:
    """Return the marker of a cell without a winner."""
    return {"symbol": "circle", "size": style.px(2.4, 1.4), "color": style.faint, "opacity": 1}


def _marks(fig: go.Figure, sweep: SweepData, cells: list[tuple[int, int]], name: str, mark) -> None:
    fig.add_scatter(
        x=[sweep.thetas[j] for _, j in cells],
        y=[i for i, _ in cells],
        yaxis="y2",
        mode="markers",
        name=name,
        marker=mark,
        hoverinfo="skip",
        cliponaxis=False,
    )


def _numbers(fig: go.Figure, sweep: SweepData, frame: SweepAxes, size: float, style: Style) -> None:
    """Print numbers of wins, the highest per column bold, or scaled marks in narrow columns."""
    table = sweep.winners.to_numpy(dtype=int)
    cells = [(i, j) for i, j in np.argwhere(table > 0).tolist()]
    blank = [(i, j) for i, j in np.argwhere(table <= 0).tolist()]
    if blank:
        _marks(fig, sweep, blank, "no wins", _dot(style))
    if not cells:
        return
    digit_width = text.text_width(str(table.max()), 1.0, style.serif, bold=True)
    font_size = min(style.tick_size, 0.8 * frame.row, (frame.column - 2.5) / digit_width)
    if font_size < _LEAST:
        most = float(table.max())
        sizes = [max(size * np.sqrt(table[i, j] / most), 1.0) for i, j in cells]
        mark = {"symbol": "circle", "size": sizes, "color": style.ink, "opacity": 1}
        _marks(fig, sweep, cells, "wins", mark | {"line": {"width": 0}})
        return
    best = table.max(axis=0)
    bold = [table[i, j] == best[j] for i, j in cells]
    traces.add_cell_text(
        fig,
        [sweep.thetas[j] for _, j in cells],
        [i + 0.07 * font_size / frame.row for i, _ in cells],  # centres the digits, not the line
        "wins",
        [f"<b>{table[cell]}</b>" if b else str(table[cell]) for cell, b in zip(cells, bold, strict=True)],
        font_size,
        [style.ink if b else style.second for b in bold],
        yaxis="y2",
    )


def draw_tallies(fig: go.Figure, sweep: SweepData, frame: SweepAxes, style: Style) -> None:
    """Print the tally of each row at its right."""
    for position, label in enumerate(sweep.winners.index):
        if not sweep.tallies.get(label):
            continue
        hover_lines = [text.escape(line) for line in sweep.told.get(label, "").split("\n")]
        fig.add_annotation(
            text=text.escape(sweep.tallies[label]),
            name="tally",
            xref="paper",
            yref="y2",
            x=frame.key,
            y=position,
            xanchor="left",
            yanchor="middle",
            xshift=style.px(8, 4),
            hovertext="<br>".join([f"<b>{text.escape(label)}</b>", *hover_lines]) if any(hover_lines) else None,
            font={"size": sweep.size, "color": style.ink},
        )


#: Each line has a symbol at every sixth theta, shifted from line to line.
_MARKED = 6


def draw_risks(
    fig: go.Figure, sweep: SweepData, frame: SweepAxes, drawn: Mapping[str, SeriesStyle], style: Style
) -> None:
    """Draw the mean risk of every algorithm over theta, and the legend beside it."""
    if not frame.curves:
        return
    names = list(sweep.risks.columns)
    # Grey lines first, so that they never cover a coloured one.
    for name in sorted(names, key=lambda column: drawn[column].own):
        _curve(fig, sweep, name, drawn[name], names.index(name), style)
    _key(fig, sweep, frame, drawn, style)


def _curve(fig: go.Figure, sweep: SweepData, name: str, line_style: SeriesStyle, position: int, style: Style) -> None:
    values = with_gaps(sweep.risks[name])
    draw_line(
        fig,
        sweep.thetas,
        values,
        line_style,
        style,
        width=_width(line_style, style),
        name=text.escape(name),
        marked=range((1 + position) % _MARKED, len(values), _MARKED) if line_style.own else None,
        size=style.px(7, 4.6),
        **traces.line_click_mode(style),
        customdata=sweep.thetas,
        meta="theta",
        said=[
            f"<b>{text.escape(name)}, {loss_words(theta)}</b><br>"
            f"mean risk {'undefined' if value is None else f'{value:.4g}'}<br>{traces.click_hint('theta')}"
            for theta, value in zip(sweep.thetas, values, strict=True)
        ],
    )


def _width(line_style: SeriesStyle, style: Style) -> float:
    return style.px(2, 0.9) if line_style.own else style.px(1, 0.5)


def _key(fig: go.Figure, sweep: SweepData, frame: SweepAxes, styles: Mapping[str, SeriesStyle], style: Style) -> None:
    """Draw the legend: line, symbol and name of each algorithm, the highest risk on top.

    If not all fit, only those with a colour of their own are listed.
    """
    names = _by_risk(sweep)
    pitch = 1.25 * sweep.size
    if len(names) * pitch > frame.curves:
        names = [name for name in names if styles[name].own][: int(frame.curves / pitch)]
    per_px = frame.top / frame.curves
    start, end = style.px(8, 4) / style.px(34, 22), 1.0
    for position, name in enumerate(names):
        line_style = styles[name]
        y = frame.top - (position + 0.5) * pitch * per_px
        axes = {"xaxis": "x2", "yaxis": "y"}
        draw_line(fig, [start, end], [y, y], line_style, style, width=_width(line_style, style), name="key", **axes)
        draw_marks(
            fig, [(start + end) / 2], [y], line_style, style.px(8, 5), style, name="key", **axes, cliponaxis=None
        )
        fig.add_annotation(
            text=text.escape(sweep.key[name]),
            name="key",
            xref="paper",
            yref="y",
            x=1,
            y=y,
            xanchor="left",
            yanchor="middle",
            xshift=style.px(5, 3),
            font={"size": sweep.size, "color": style.ink},
        )


def _by_risk(sweep: SweepData) -> list[str]:
    """Return the algorithms by their mean risk over all thetas, highest first."""
    means = sweep.risks.replace([np.inf, -np.inf], np.nan).mean()
    return list(means.sort_values(ascending=False, kind="stable", na_position="last").index)


def loss_winners(
    winners: pd.DataFrame,
    risks: pd.DataFrame,
    *,
    style: Style,
    tallies: pd.DataFrame | None = None,
    hover: pd.DataFrame | None = None,
    theta: float | None = None,
    colours: Mapping[str, str] | None = None,
    symbols_of: Mapping[str, str] | None = None,
) -> go.Figure:
    """Draw the winner at every threshold theta, and the mean risk of every algorithm below.

    Parameters
    ----------
    winners : DataFrame
        One column per theta, ascending. Either one row per pair, a cell being the name of the
        winner or ``""`` if no difference is shown; or one row per algorithm, a cell being the
        number of algorithms it wins over. The dtype tells the two apart.
    risks : DataFrame
        Mean total risk, theta by algorithm, the algorithms in the order of the data. Values
        that are not finite leave a gap.
    style : Style
        Surface and width.
    tallies : DataFrame, optional
        Per row of `winners` the columns ``text``, printed at the right, and ``hover``.
    hover : DataFrame, optional
        Hover text of each cell of `winners` below theta and lambda, plain, with line breaks
        between lines.
    theta : float, optional
        The current threshold; its column is framed.
    colours, symbols_of : mapping, optional
        Colour and marker per algorithm, as on all pages.

    Returns
    -------
    Figure
        Cells and risk lines carry their theta as ``customdata``.

    Raises
    ------
    SettingError
        If `winners` has no cell, or `risks` has other thetas.
    """
    _check(winners, risks)
    sweep = SweepData.of(winners, risks, tallies, style)
    names = [str(name) for name in risks.columns]
    if not sweep.counts:
        known = {str(name) for row in winners.to_numpy() for name in row if isinstance(name, str)}
        names += sorted(known - set(names) - {""})
    styles = looks(names, style, colours, symbols_of)
    frame = sweep_axes(sweep, style)
    fig = theme.new_figure(style, frame.height, margin=frame.margin, bargap=0)
    _draw_axes(fig, sweep, frame, style)
    draw_cells(fig, sweep, frame, styles, hover, style)
    draw_tallies(fig, sweep, frame, style)
    draw_risks(fig, sweep, frame, styles, style)
    _draw_current(fig, sweep, theta, style)
    return fig


def _check(winners: pd.DataFrame, risks: pd.DataFrame) -> None:
    if not winners.size:
        raise SettingError(
            "A sweep needs at least one row and one threshold. `winners` has "
            f"{winners.shape[0]} rows and {winners.shape[1]} columns. Pass the table of a sweep."
        )
    if [float(theta) for theta in winners.columns] != [float(theta) for theta in risks.index]:
        raise SettingError(
            "The columns of `winners` and the index of `risks` must be the same thresholds. "
            f"They are {len(winners.columns)} and {len(risks.index)} that differ. "
            "Take both from the same sweep."
        )


def alt_loss_winners(winners: pd.DataFrame) -> str:
    """Return the alternative text of the sweep, at most 300 characters.

    Examples
    --------
    >>> table = pd.DataFrame([["knn", "", "mdt"]], ["knn / mdt"], [0.0, 0.5, 1.0])
    >>> alt_loss_winners(table)
    'Threshold sweep of 1 pair at 3 thresholds. knn wins at 1 of 3 thresholds, mdt at 1.'
    """
    rows, count = winners.shape
    if _are_win_counts(winners):
        totals = winners.sum(axis=1).sort_values(ascending=False, kind="stable")
        parts = [f"{_short(name)} {int(total)}" for name, total in totals.items()]
        head = f"Threshold sweep of {rows} algorithms at {count} thresholds. Wins in all: "
        return text.fit_alt_text(head, parts, ", ", ".", head.strip())
    parts = []
    for label, row in winners.iterrows():
        wins = row[row.notna() & (row != "")].value_counts(sort=False)
        phrases = [f"{_short(name)} at {number}" for name, number in wins.items()]
        if phrases:
            first, *others = phrases
            winner, _, number = first.rpartition(" at ")
            phrases = [f"{winner} wins at {number} of {count} thresholds", *others]
        else:
            phrases = ["no difference shown at any threshold"]
        parts.append((f"{_short(label)}: " if rows > 1 else "") + ", ".join(phrases))
    head = f"Threshold sweep of {rows} pair{'s' * (rows > 1)} at {count} thresholds. "
    return text.fit_alt_text(head, parts, "; ", ".", head.strip())


def _short(name: object) -> str:
    return text.truncate_text(text.plain_text(name), 60)


def caption_loss_winners(*, counts: bool = False, rule: str = "risk") -> str:
    """Return the caption sentences on cells, bold numbers and the risk lines."""
    lower = "a significantly lower" if rule == "risk" else "the lower"
    if counts:
        cells = "Each number counts the algorithms that the row wins over at that threshold"
        most = " The most wins of a column are bold."
    else:
        cells, most = "A symbol names the winner of the pair at that threshold", ""
    return (
        f"{cells}: the multivariate test rejects and the winner has {lower} risk; a dot means "
        f"that no difference is shown.{most} Below, the mean risk theta fp + "
        "(1 \N{MINUS SIGN} theta) fn, which weights a false positive lambda = theta / "
        "(1 \N{MINUS SIGN} theta) times as much as a false negative. Neighbouring thresholds share their cases, so "
        "counts over thresholds describe and are no independent evidence."
    )


#: Largest shares of the width for text at the left and at the right of the plot.
_MOST_LEFT, _MOST_RIGHT = 0.26, 0.31
#: Text sizes in px beside the rows in print; the first that fits on both sides is used.
_PRINT_SIZES = (9.33, 8.0)


@dataclass(frozen=True, slots=True, kw_only=True)
class SweepData:
    """The tables and strings of a threshold sweep figure."""

    # winners: row x theta; risks: theta x algorithm; labels are strings, thetas floats
    winners: pd.DataFrame
    risks: pd.DataFrame
    thetas: list[float]  # ascending
    half: float  # half the width of a column
    size: float  # of the text beside the rows and curves, in px
    # rows, tallies, key: text of row labels, of tallies, and of the legend of risk curves; not
    # escaped
    rows: dict[str, str]
    tallies: dict[str, str]
    told: dict[str, str]  # hover text of each tally
    key: dict[str, str]
    counts: bool  # whether cells are numbers of wins

    @classmethod
    def of(cls, winners: pd.DataFrame, risks: pd.DataFrame, tallies: pd.DataFrame | None, style: Style) -> SweepData:
        """Return the data with all strings shortened to the available width."""
        thetas = [float(theta) for theta in winners.columns]
        counts = _are_win_counts(winners)
        winners = winners.set_axis([str(label) for label in winners.index]).set_axis(thetas, axis=1)
        risks = risks.set_axis(thetas).set_axis([str(column) for column in risks.columns], axis=1)
        tally_texts, hover_texts = {}, {}
        if tallies is not None:
            tally_table = tallies.set_axis([str(label) for label in tallies.index])
            labels = [str(label) for label in winners.index if str(label) in tally_table.index]
            tally_texts = {label: str(tally_table.at[label, "text"]) for label in labels}
            if "hover" in tally_table:
                hover_texts = {label: str(tally_table.at[label, "hover"]) for label in labels}
        size = _size(list(winners.index), list(tally_texts.values()), style)
        left, right = _MOST_LEFT * style.width, _MOST_RIGHT * style.width
        return cls(
            winners=winners,
            risks=risks,
            thetas=thetas,
            half=min(np.diff(thetas), default=0.05) / 2,
            size=size,
            rows=text.shorten(list(winners.index), left, size, serif=style.serif),
            tallies={
                label: _cut_name(words, list(risks.columns), right, size, style) for label, words in tally_texts.items()
            },
            told=hover_texts,
            key=text.shorten(list(risks.columns), 0.7 * right, size, serif=style.serif),
            counts=counts,
        )


def _size(rows: list[str], tallies: list[str], style: Style) -> float:
    """Return the largest text size at which no text beside the rows needs shortening."""
    if not style.printed:
        return style.tick_size
    for size in (style.tick_size, *_PRINT_SIZES):
        left, right = (max(_text_widths(strings, size, style), default=0.0) for strings in (rows, tallies))
        if left <= _MOST_LEFT * style.width and right <= _MOST_RIGHT * style.width:
            return size
    return _PRINT_SIZES[-1]


def _cut_name(tally: str, names: Sequence[str], room: float, size: float, style: Style) -> str:
    """Return a tally that fits: the name at its start is shortened, its numbers are not."""
    if text.text_width(tally, size, style.serif) <= room:
        return tally
    name = max((candidate for candidate in names if tally.startswith(candidate)), key=len, default=tally)
    suffix = tally.removeprefix(name)
    name_room = room - text.text_width(suffix, size, style.serif)
    return text.shorten([name], name_room, size, serif=style.serif)[name] + suffix


def _are_win_counts(winners: pd.DataFrame) -> bool:
    """Return whether the cells of `winners` are numbers of wins rather than names."""
    return all(pd.api.types.is_numeric_dtype(dtype) for dtype in winners.dtypes)


@dataclass(frozen=True, slots=True, kw_only=True)
class SweepAxes:
    """Geometry of a sweep figure: margins and heights in px, other positions on the axes."""

    margin: dict[str, float]
    height: float
    row: float  # row, column: size of a cell in px
    column: float
    curves: float  # height of the risk curves in px
    base: float  # lower end of the cells as a share of the plot height
    span: tuple[float, float]  # ends of the theta axis
    key: float  # left end of the legend as a share of the plot width
    top: float  # upper end of the risk axis
    risk_ticks: tuple[list[float], list[str]]


def sweep_axes(sweep: SweepData, style: Style) -> SweepAxes:
    """Return the geometry of a sweep figure."""
    count = len(sweep.winners)
    largest_height = style.px(1100, 640)
    row = min(style.px(24, 13), max(largest_height / count, style.px(14, 9)))
    curves = style.px(190, 104) if sweep.risks.shape[1] else 0.0
    gap = style.px(18, 11) if curves else 0.0
    finite = sweep.risks.to_numpy(dtype=float)
    finite = finite[np.isfinite(finite)]
    top = 1.06 * float(finite.max(initial=0.0)) or 1.0
    risk_ticks = ticks(0.0, top, style.px(5, 3))
    size = style.tick_size
    label_width = max(_text_widths(sweep.rows.values(), sweep.size, style))
    axis_width = max(_text_widths(risk_ticks[1], size, style)) + 1.5 * style.size + style.px(8, 6)
    left = max(label_width, axis_width, *_text_widths(["lambda"], size, style)) + style.px(14, 9)
    key = style.px(34, 22) if curves else style.px(8, 4)  # line and symbol beside the curves
    tally_width = max(_text_widths(sweep.tallies.values(), sweep.size, style), default=0.0)
    name_width = max(_text_widths(sweep.key.values(), sweep.size, style), default=0.0)
    right = max(tally_width + style.px(8, 4) - key, name_width + style.px(5, 3)) + style.px(9, 6)
    margin = {"l": left, "r": right, "t": style.px(6, 4), "b": style.px(4, 3) + 2.75 * size + style.px(6, 3)}
    plot = style.width - left - right
    low, high = sweep.thetas[0] - 1.15 * sweep.half, sweep.thetas[-1] + 1.15 * sweep.half
    height = curves + gap + count * row
    return SweepAxes(
        margin=margin,
        height=height + margin["t"] + margin["b"],
        row=row,
        column=2 * sweep.half / (high - low) * (plot - key),
        curves=curves,
        base=(curves + gap) / height,
        span=(low, high),
        key=1 - key / plot,
        top=top,
        risk_ticks=risk_ticks,
    )


def _text_widths(words: Sequence[str], size: float, style: Style) -> list[float]:
    """Return the width of every string in px."""
    return [text.text_width(word, size, style.serif) for word in words]


def loss_words(theta: float) -> str:
    """Return a threshold with its loss ratio.

    Examples
    --------
    >>> loss_words(0.8), loss_words(1.0)
    ('theta 0.8, lambda 4', 'theta 1, lambda ∞')
    """
    return f"theta {theta:.6g}, lambda {_ratio(theta, 3)}"


def _ratio(theta: float, digits: int) -> str:
    """Return lambda = theta / (1 - theta) as text."""
    if theta >= 1:
        return "∞"
    return f"{theta / (1 - theta):.{digits}g}"


def _draw_axes(fig: go.Figure, sweep: SweepData, frame: SweepAxes, style: Style) -> None:
    """Set the axes: theta with lambda below it, the rows, and the mean risk."""
    size = style.tick_size
    positions = _theta_ticks(sweep, frame, style)
    grey = f'<span style="color:{style.second}">{{}}</span>'
    fig.update_layout(
        xaxis={
            **tick_axis(
                positions, [f"{theta:.6g}<br>{grey.format(_ratio(theta, 2))}" for theta in positions], list(frame.span)
            ),
            "domain": [0, frame.key],
            "anchor": "y" if frame.curves else "y2",
            "tickangle": 0,
        },
        xaxis2={"range": [0, 1], "domain": [frame.key, 1], "visible": False, "fixedrange": True},
        yaxis={
            **tick_axis(frame.risk_ticks[0], frame.risk_ticks[1], [0, frame.top]),
            "domain": [0, frame.curves / (frame.height - frame.margin["t"] - frame.margin["b"])],
            "title": {"text": "mean risk", "standoff": 4},
            "visible": frame.curves > 0,
        },
        yaxis2={
            **names_axis(
                list(range(len(sweep.winners))),
                [text.escape(sweep.rows[label]) for label in sweep.winners.index],
                [len(sweep.winners) - 0.5, -0.5],
            ),
            "domain": [frame.base, 1],
            "tickfont": {"size": sweep.size},
            "ticklabelstandoff": 4,
        },
    )
    fig.add_annotation(
        text=f"theta<br>{grey.format('lambda')}",
        xref="paper",
        yref="paper",
        x=0,
        y=0,
        align="right",
        xanchor="right",
        yanchor="top",
        xshift=-style.px(8, 5),
        yshift=-style.px(8.5, 7.5),
        font={"size": size, "color": style.ink},
    )


def _theta_ticks(sweep: SweepData, frame: SweepAxes, style: Style) -> list[float]:
    """Return the thetas to label: round multiples with enough distance between labels."""
    per_px = 2 * sweep.half / frame.column
    for step in (0.05, 0.1, 0.2, 0.25, 0.5, 1.0):
        chosen = [theta for theta in sweep.thetas if abs(theta / step - round(theta / step)) < 1e-6]
        labels = [f"{theta:.6g}" for theta in chosen] + [_ratio(theta, 2) for theta in chosen]
        room = max(_text_widths(labels, style.tick_size, style), default=0.0) + 0.7 * style.tick_size
        room *= style.px(1.9, 1)  # a window may be half as wide as the layout
        if chosen and min(np.diff(chosen), default=math.inf) >= room * per_px:
            return chosen
    return [sweep.thetas[0], sweep.thetas[-1]]


def _draw_current(fig: go.Figure, sweep: SweepData, theta: float | None, style: Style) -> None:
    """Draw a frame around the column of the current threshold."""
    if theta is None:
        return
    fig.add_shape(
        type="rect",
        name="theta",
        xref="x",
        yref="paper",
        x0=theta - sweep.half,
        x1=theta + sweep.half,
        y0=0,
        y1=1,
        line={"color": style.second, "width": style.px(1, 0.6)},
    )
