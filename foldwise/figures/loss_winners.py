"""Winners and mean risks over a sweep of thresholds."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from foldwise.figures import text, theme, traces
from foldwise.figures.axis_parts import names_axis, tick_axis, ticks
from foldwise.figures.spec import Colours, FigureSpec, cached_figure, colors_of, figure_text
from foldwise.figures.theme import MARKERS, Style
from foldwise.figures.traces import (
    SeriesStyle,
    algorithm_marker,
    draw_line,
    draw_marks,
    series_styles,
    with_gaps,
)
from stats_core.comparison.cards import method_card
from stats_core.core.errors import SettingError
from stats_core.core.formatting import format_count, format_number, measure_name, p_phrase
from stats_core.curves.curve_comparison import DataCurves
from stats_core.curves.threshold_sweep import Sweep

#: Least text size in print, in px.
_LEAST = 8.0
#: Each line has a symbol at every sixth theta, shifted from line to line.
_MARKED = 6
#: Largest shares of the width for text at the left and at the right of the plot.
_MOST_LEFT, _MOST_RIGHT = 0.26, 0.31
#: Text sizes in px beside the rows in print; the first that fits on both sides is used.
_PRINT_SIZES = (9.33, 8.0)
#: Height of a row of the legend, in text sizes.
_PITCH = 1.25
_MOST_PAIRS = 10  # largest number of pairs in a sweep; more are counted by algorithm


@dataclass(frozen=True, kw_only=True, eq=False)
class LossWinners(FigureSpec):
    """Winner at each threshold theta, with the mean risk of each algorithm below.

    Cells and risk lines carry their theta as ``customdata``.

    Attributes
    ----------
    winners : DataFrame
        One column per theta, ascending. Either one row per pair, a cell being the name of the
        winner or ``""`` if no difference is shown; or one row per algorithm, a cell being the
        number of algorithms it wins over. The dtype tells the two apart.
    risks : DataFrame
        Mean total risk, theta by algorithm, the algorithms in the order of the data. Values
        that are not finite interrupt the line.
    tallies : DataFrame, optional
        Per row of `winners` the columns ``text``, printed at the right, and ``hover``.
    hover : DataFrame, optional
        Hover text of each cell of `winners` below theta and lambda, plain, with line breaks
        between lines.
    theta : float, optional
        The current threshold; its column is framed.
    colours, symbols_of : mapping, optional
        Colour and marker per algorithm, as on all pages.
    algorithms : sequence of str
        All algorithms; default colours follow their positions.
    rule : str
        The rule by which an algorithm wins, for the caption.
    data : DataFrame, optional
        The numbers of the figure.

    Raises
    ------
    SettingError
        If `winners` has no cell, or `risks` has other thetas.
    """

    zoom: ClassVar[str] = "x"
    how_to_read: ClassVar[str] = figure_text("loss_winners.how_to_read")
    winners: pd.DataFrame
    risks: pd.DataFrame
    tallies: pd.DataFrame | None = None
    hover: pd.DataFrame | None = None
    theta: float | None = None
    symbols_of: Mapping[str, str] | None = None
    algorithms: Sequence[str] = ()
    rule: str = "risk"
    data: pd.DataFrame | None = None

    def __post_init__(self) -> None:
        winners, risks = self.winners, self.risks
        if not winners.size:
            rows, columns = winners.shape
            raise SettingError(figure_text("loss_winners.no_cells", rows=rows, columns=columns))
        if [float(theta) for theta in winners.columns] != [float(theta) for theta in risks.index]:
            raise SettingError(figure_text("loss_winners.other_thresholds"))

    @property
    def counts(self) -> bool:
        """Whether the cells of `winners` are numbers of wins instead of names."""
        return all(pd.api.types.is_numeric_dtype(dtype) for dtype in self.winners.dtypes)

    def draw(self, style: Style) -> go.Figure:
        """Return the Plotly figure."""
        plot = SweepPlot(self, style)
        plot.draw_axes()
        plot.draw_cells()
        plot.draw_tallies()
        plot.draw_risks()
        if self.theta is not None:
            plot.fig.add_shape(
                type="rect",
                name="theta",
                xref="x",
                yref="paper",
                line={"color": style.second, "width": style.px(1, 0.6)},
                x0=self.theta - plot.half,
                x1=self.theta + plot.half,
                y0=0,
                y1=1,
            )
        return plot.fig

    def caption(self, style: Style) -> str:
        """Return the caption sentences on cells, bold numbers and the risk lines."""
        return self.describe(
            "loss_winners.caption",
            counts=self.counts,
            by_risk=self.rule == "risk",
            tallies=self.tallies is not None,
        )

    @property
    def alt(self) -> str:
        """Alternative text, at most 300 characters.

        Examples
        --------
        >>> table = pd.DataFrame([["knn", "", "mdt"]], ["knn / mdt"], [0.0, 0.5, 1.0])
        >>> LossWinners(winners=table, risks=pd.DataFrame(index=table.columns)).alt
        'Threshold sweep of 1 pair at 3 thresholds. knn wins at 1 of 3 thresholds, mdt at 1.'
        """
        rows, count = self.winners.shape
        if self.counts:
            totals = self.winners.sum(axis=1).sort_values(ascending=False, kind="stable")
            parts = [f"{text.short_name(name, 60)} {int(total)}" for name, total in totals.items()]
            head = figure_text("loss_winners.alt_counts", k=rows, n=count)
            return text.fit_alt_text(head, parts, ", ", ".", head.strip())
        parts = []
        for label, row in self.winners.iterrows():
            start = f"{text.short_name(label, 60)}: " if rows > 1 else ""
            parts.append(start + _wins_phrase(row))
        head = figure_text("loss_winners.alt_pairs", k=rows, n=count)
        return text.fit_alt_text(head, parts, ". ", ".", head.strip(), more=", ")


def _wins_phrase(row: pd.Series) -> str:
    """Return at how many thresholds each algorithm of a pair wins, in words."""
    wins = row[row.notna() & (row != "")].value_counts(sort=False)
    phrases = [
        figure_text(
            "loss_winners.alt_next" if position else "loss_winners.alt_first",
            name=text.short_name(name, 60),
            wins=number,
            n=len(row),
        )
        for position, (name, number) in enumerate(wins.items())
    ]
    return ", ".join(phrases or [figure_text("loss_winners.never")])


@cached_figure
def sweep_drawing(
    data: DataCurves,
    sweep: Sweep,
    *,
    theta: float = 0.5,
    algorithms: Sequence[str] = (),
    colours: Colours = None,
) -> LossWinners:
    """Return the figure of winners at each threshold, by pair for at most `_MOST_PAIRS` pairs, else by algorithm."""
    of_pairs = len(sweep.pairs) <= _MOST_PAIRS
    winners = sweep.winners
    if not of_pairs:
        wins = [(sweep.winners == name).sum() for name in sweep.names]
        winners = pd.DataFrame(wins, index=list(sweep.names))
    names = list(algorithms or data.names)
    return LossWinners(
        name=f"sweep_{data.dataset}_{'_'.join(sweep.measures)}",
        title=figure_text(
            "loss_winners.title",
            dataset=data.dataset_label,
            measures=[measure_name(measure) for measure in sweep.measures],
        ),
        tested=figure_text(
            "loss_winners.tested",
            pairs=len(sweep.pairs),
            alpha=f"{sweep.alpha:g}",
            counted=f"{format_count(len(data.folds), data.unit)} of {data.dataset_label}",
        ),
        papers=method_card.method_card("sweep").papers,
        winners=winners,
        risks=sweep.risks,
        theta=min(sweep.thetas, key=lambda other: abs(other - theta)),
        colours=colours,
        symbols_of={name: MARKERS[i % len(MARKERS)] for i, name in enumerate(names)},
        algorithms=names,
        rule=sweep.rule,
        data=sweep.to_frame(),
        tallies=_tallies(sweep) if of_pairs else None,
        hover=_cell_texts(sweep) if of_pairs else None,
    )


def _tallies(sweep: Sweep) -> pd.DataFrame:
    """Return text and hover text on the numbers of thresholds won, one row per pair."""
    tally = sweep.tally().set_index(["first", "second"])
    rows = []
    for a, b in sweep.pairs:
        ahead = (a, b) if tally.at[(a, b), "wins"] >= tally.at[(b, a), "wins"] else (b, a)
        wins, losses, ties, p = tally.loc[ahead, ["wins", "losses", "ties", "p"]]
        name, verdict = ahead[0], p_phrase(p, sweep.alpha)
        hover = figure_text(
            "loss_winners.hover_tally",
            winner=name,
            p=verdict,
            wins=int(wins),
            losses=int(losses),
            ties=int(ties),
        )
        rows.append({"text": f"{name} {wins:.0f} : {losses:.0f}, {verdict}", "hover": hover})
    return pd.DataFrame(rows, index=sweep.winners.index)


def _cell_texts(sweep: Sweep) -> pd.DataFrame:
    """Return the hover text of each cell: winner and risks, or the reason for a tie."""
    table = sweep.reasons.copy()
    for (a, b), label in zip(sweep.pairs, sweep.winners.index, strict=True):
        for theta, winner in sweep.winners.loc[label].items():
            if winner:
                risks = sweep.risks.loc[theta]
                table.at[label, theta] = figure_text(
                    "loss_winners.hover_winner",
                    winner=winner,
                    p=p_phrase(sweep.pvalues.at[label, theta], sweep.alpha),
                    first=a,
                    first_risk=format_number(risks[a], 4),
                    second=b,
                    second_risk=format_number(risks[b], 4),
                )
    return table


def loss_words(theta: float) -> str:
    """Return a threshold with its ratio of losses as text.

    Examples
    --------
    >>> loss_words(0.8), loss_words(1.0)
    ('θ = 0.8, λ = 4', 'θ = 1, λ = ∞')
    """
    return f"θ = {theta:.6g}, λ = {_ratio(theta, 3)}"


def _ratio(theta: float, digits: int) -> str:
    """Return lambda = theta / (1 - theta) as text."""
    return "∞" if theta >= 1 else f"{theta / (1 - theta):.{digits}g}"


class SweepPlot:
    """Threshold-sweep figure while it is drawn, with shortened texts and sizes in px."""

    def __init__(self, spec: LossWinners, style: Style) -> None:
        """Compute texts, sizes and styles of a sweep, and create its empty figure."""
        self.spec, self.style = spec, style
        self.thetas = thetas = [float(theta) for theta in spec.winners.columns]
        self.half = min(np.diff(thetas), default=0.05) / 2  # half the width of a column
        self.labels = [str(label) for label in spec.winners.index]
        self.winners = spec.winners.to_numpy(dtype=int if spec.counts else object)
        columns = [str(name) for name in spec.risks.columns]
        self.risks = spec.risks.set_axis(thetas).set_axis(columns, axis=1)
        self._shorten()
        self._lay_out()
        names = list(self.risks.columns)
        if not spec.counts:
            winners = {name for name in self.winners.ravel() if isinstance(name, str)}
            names += sorted(winners - set(names) - {""})
        colours = colors_of(spec.colours, spec.algorithms or names, (), style)
        self.styles = series_styles(names, style, colours, spec.symbols_of)
        self.fig = theme.new_figure(style, self.height, margin=self.margin, bargap=0)

    def _shorten(self) -> None:
        """Set shortened row labels, tallies and legend texts."""
        style, tallies = self.style, self.spec.tallies
        shown: dict[str, dict[str, str]] = {}
        if tallies is not None:
            labels = [str(label) for label in tallies.index]
            every = tallies.set_axis(labels).astype(str).to_dict("index")
            shown = {label: every[label] for label in self.labels if label in every}
        self.hovers = {label: row.get("hover", "") for label, row in shown.items()}
        full = {label: row["text"] for label, row in shown.items()}
        left, right = _MOST_LEFT * style.width, _MOST_RIGHT * style.width
        sizes = (style.tick_size, *_PRINT_SIZES) if style.printed else (style.tick_size,)
        fitting = (
            size
            for size in sizes
            if text.widest(self.labels, size, style.serif) <= left
            and text.widest(full.values(), size, style.serif) <= right
        )
        self.size = size = next(fitting, sizes[-1])  # of the text next to the rows and curves
        names = list(self.risks.columns)
        self.rows = {label: self._cut_names(label, names, left) for label in self.labels}
        self.key = text.shorten(names, 0.7 * right, size, serif=style.serif)
        self.tallies = {
            label: self._cut_names(words, names, right) for label, words in full.items()
        }

    def _cut_names(self, words: str, names: Sequence[str], room: float) -> str:
        """Return a text shortened to `room` px in its algorithm names, or as a whole if it contains none."""
        size, serif = self.size, self.style.serif
        longest_first = sorted(names, key=len, reverse=True)
        pattern = "|".join(re.escape(name) for name in longest_first)
        if text.text_width(words, size, serif) <= room or not re.search(pattern, words):
            return text.shorten([words], room, size, serif=serif)[words]
        others, count = re.subn(pattern, "", words)
        room_per_name = (room - text.text_width(others, size, serif)) / count
        shown = text.shorten(names, room_per_name, size, serif=serif)
        return re.sub(pattern, lambda match: shown[match[0]], words)

    def _lay_out(self) -> None:
        """Set margins, heights and positions in px."""
        style, count = self.style, len(self.labels)
        # height of a cell
        fitting = style.px(1100, 640) / count
        self.row = min(style.px(24, 13), max(fitting, style.px(14, 9)))
        # height of the risk curves, with room for a legend of eight names
        n_named = min(self.risks.shape[1], len(MARKERS))
        least = style.px(190, 104)
        self.curves = max(least, (n_named + 0.2) * _PITCH * self.size) if n_named else 0.0
        spacing = style.px(18, 11) if self.curves else 0.0
        risks = self.risks.to_numpy(dtype=float)
        highest = float(risks[np.isfinite(risks)].max(initial=0.0))
        self.top = 1.06 * highest or 1.0  # of the risk axis
        self.risk_ticks = ticks(0.0, self.top, 5)
        # line and symbol next to the curves
        key = style.px(34, 22) if self.curves else style.px(8, 4)
        self.margin = {
            "l": self._left_margin(),
            "r": self._right_margin(key),
            "t": style.px(6, 4),
            "b": style.px(4, 3) + 2.75 * style.tick_size + style.px(6, 3),
        }
        plot = style.width - self.margin["l"] - self.margin["r"]
        # ends of the theta axis
        self.span = (self.thetas[0] - 1.15 * self.half, self.thetas[-1] + 1.15 * self.half)
        share = 2 * self.half / (self.span[1] - self.span[0])
        self.column = share * (plot - key)  # width of a cell
        above_cells = self.curves + spacing
        height = above_cells + count * self.row
        self.height = height + self.margin["t"] + self.margin["b"]
        self.base = above_cells / height  # lower end of the cells as a share of the plot height
        self.key_left = 1 - key / plot  # left end of the legend as a share of the plot width

    def _left_margin(self) -> float:
        """Return the room for the labels of rows, the risk axis and "lambda"."""
        style, size = self.style, self.style.tick_size
        _, risk_labels = self.risk_ticks
        risk_width = text.widest(risk_labels, size, style.serif)
        axis_width = risk_width + 1.5 * style.size + style.px(8, 6)
        rows_width = text.widest(self.rows.values(), self.size, style.serif)
        lambda_width = text.widest(["lambda"], size, style.serif)
        return max(rows_width, axis_width, lambda_width) + style.px(14, 9)

    def _right_margin(self, key: float) -> float:
        """Return the room for tallies and names, beyond the `key` px for symbols."""
        style = self.style
        tally_width = text.widest(self.tallies.values(), self.size, style.serif)
        name_width = text.widest(self.key.values(), self.size, style.serif)
        beyond_cells = tally_width + style.px(8, 4) - key
        beyond_curves = name_width + style.px(5, 3)
        return max(beyond_cells, beyond_curves) + style.px(9, 6)

    def draw_axes(self) -> None:
        """Configure the axes: theta and lambda, rows, mean risk."""
        style, count = self.style, len(self.labels)
        thetas = self._theta_ticks()
        grey = f'<span style="color:{style.second}">{{}}</span>'
        theta_labels = [f"{theta:.6g}<br>{grey.format(_ratio(theta, 2))}" for theta in thetas]
        row_labels = [text.escape(self.rows[label]) for label in self.labels]
        self.fig.update_layout(
            xaxis={
                **tick_axis(thetas, theta_labels, list(self.span)),
                "domain": [0, self.key_left],
                "anchor": "y" if self.curves else "y2",
                "tickangle": 0,
            },
            xaxis2={
                "range": [0, 1],
                "domain": [self.key_left, 1],
                "visible": False,
                "fixedrange": True,
            },
            yaxis={
                **tick_axis(*self.risk_ticks, [0, self.top]),
                "domain": [0, self.curves / (self.height - self.margin["t"] - self.margin["b"])],
                "title": {"text": "mean expected cost", "standoff": 4},
                "visible": self.curves > 0,
            },
            yaxis2={
                **names_axis(list(range(count)), row_labels, [count - 0.5, -0.5]),
                "domain": [self.base, 1],
                "tickfont": {"size": self.size},
                "ticklabelstandoff": 4,
            },
        )
        traces.add_text(
            self.fig,
            f"θ<br>{grey.format('λ')}",
            0,
            0,
            style.tick_size,
            style.ink,
            refs="paper, paper",
            anchor="right, top",
            shift=(-style.px(8, 5), -style.px(8.5, 7.5)),
            align="right",
        )

    def _theta_ticks(self) -> list[float]:
        """Return the thetas with tick labels: multiples of a round step whose labels do not touch, else both ends."""
        size, per_px = self.style.tick_size, 2 * self.half / self.column
        for step in (0.05, 0.1, 0.2, 0.25, 0.5, 1.0):
            multiples = [
                theta for theta in self.thetas if abs(theta / step - round(theta / step)) < 1e-6
            ]
            labels = [f"{theta:.6g}" for theta in multiples]
            labels += [_ratio(theta, 2) for theta in multiples]
            room = text.widest(labels, size, self.style.serif) + 0.7 * size
            room *= self.style.px(1.9, 1)  # a window may be half as wide as the layout
            if multiples and min(np.diff(multiples), default=math.inf) >= room * per_px:
                return multiples
        return [self.thetas[0], self.thetas[-1]]

    def draw_cells(self) -> None:
        """Draw the cells, over bars that receive hover and clicks."""
        cells = list(np.ndindex(self.winners.shape))
        traces.add_areas(
            self.fig,
            [self.thetas[j] for _, j in cells],
            [1.0] * len(cells),
            "cells",
            "rgba(0,0,0,0)",
            [self._hover(i, j) for i, j in cells],
            base=[i - 0.5 for i, _ in cells],
            width=[2 * self.half] * len(cells),
            yaxis="y2",
            customdata=[self.thetas[j] for _, j in cells],
            meta="theta",
        )
        size = min(self.style.px(11, 6.2), 0.84 * self.column, 0.66 * self.row)
        if self.spec.counts:
            self._draw_numbers(size)
            return
        for name, series in self.styles.items():
            won = [cell for cell in cells if self.winners[cell] == name]
            self._marks(won, text.escape(name), algorithm_marker(series, size, self.style))
        self._dots([cell for cell in cells if not _is_name(self.winners[cell])], "no difference")

    def _hover(self, row: int, column: int) -> str:
        """Return the hover text of a cell: its threshold, the result, and the effect of a click."""
        label, cell = self.labels[row], self.winners[row, column]
        if self.spec.hover is not None:
            lines = str(self.spec.hover.iat[row, column]).split("\n")
        elif self.spec.counts:
            others = len(self.labels) - 1
            lines = [figure_text("loss_winners.hover_counts", row=label, wins=cell, others=others)]
        elif _is_name(cell):
            lines = [f"{label}: {cell} wins"]
        else:
            lines = [figure_text("loss_winners.hover_none", row=label)]
        head = f"<b>{loss_words(self.thetas[column])}</b>"
        escaped = [text.escape(line) for line in lines]
        return "<br>".join([head, *escaped, traces.click_hint("theta")])

    def _dots(self, cells: Sequence[tuple[int, int]], name: str) -> None:
        """Draw a small dot in each of `cells`, which have no winner."""
        dot = {
            "symbol": "circle",
            "size": self.style.px(2.4, 1.4),
            "color": self.style.faint,
            "opacity": 1,
        }
        self._marks(cells, name, dot)

    def _marks(
        self, cells: Sequence[tuple[int, int]], name: str, marker: Mapping[str, Any]
    ) -> None:
        if not cells:
            return
        self.fig.add_scatter(
            x=[self.thetas[column] for _, column in cells],
            y=[row for row, _ in cells],
            yaxis="y2",
            name=name,
            marker=marker,
            mode="markers",
            hoverinfo="skip",
            cliponaxis=False,
        )

    def _draw_numbers(self, size: float) -> None:
        """Draw numbers of wins, the largest per column bold; scaled marks in narrow columns."""
        table, style = self.winners, self.style
        self._dots([(row, column) for row, column in np.argwhere(table <= 0).tolist()], "no wins")
        cells = [(row, column) for row, column in np.argwhere(table > 0).tolist()]
        if not cells:
            return
        digit_width = text.text_width(str(table.max()), 1.0, style.serif, bold=True)
        font_size = min(style.tick_size, 0.8 * self.row, (self.column - 2.5) / digit_width)
        if font_size < _LEAST:
            most = float(table.max())
            sizes = [max(size * np.sqrt(table[cell] / most), 1.0) for cell in cells]
            marker = {
                "symbol": "circle",
                "size": sizes,
                "color": style.ink,
                "opacity": 1,
                "line": {"width": 0},
            }
            self._marks(cells, "wins", marker)
            return
        bold = [table[row, column] == table[:, column].max() for row, column in cells]
        labels = [
            f"<b>{table[cell]}</b>" if is_bold else str(table[cell])
            for cell, is_bold in zip(cells, bold, strict=True)
        ]
        traces.add_cell_text(
            self.fig,
            [self.thetas[column] for _, column in cells],
            [row + 0.07 * font_size / self.row for row, _ in cells],  # centres the digits
            "wins",
            labels,
            font_size,
            [style.ink if is_bold else style.second for is_bold in bold],
            yaxis="y2",
        )

    def draw_tallies(self) -> None:
        """Write the tally of each row at its right."""
        for position, label in enumerate(self.labels):
            tally = self.tallies.get(label)
            if not tally:
                continue
            hover = self.hovers[label]
            lines = [f"<b>{text.escape(label)}</b>", *map(text.escape, hover.split("\n"))]
            traces.add_text(
                self.fig,
                text.escape(tally),
                self.key_left,
                position,
                self.size,
                self.style.ink,
                name="tally",
                hovertext="<br>".join(lines) if hover.strip("\n") else None,
                refs="paper, y2",
                anchor="left, middle",
                shift=(self.style.px(8, 4), None),
            )

    def draw_risks(self) -> None:
        """Draw the mean risk of each algorithm over theta, with a legend."""
        if not self.curves:
            return
        names = list(self.risks.columns)
        # Grey lines first, so that they never cover a coloured one.
        for name in sorted(names, key=lambda column: self.styles[column].own):
            series, values = self.styles[name], with_gaps(self.risks[name])
            first_marked = (1 + names.index(name)) % _MARKED
            marked = range(first_marked, len(values), _MARKED)
            symbols = traces.LineSymbols(marked, self.style.px(7, 4.6)) if series.own else None
            draw_line(
                self.fig,
                self.thetas,
                values,
                series,
                self.style,
                width=self._width(series),
                name=text.escape(name),
                symbols=symbols,
                **traces.line_click_mode(self.style),
                customdata=self.thetas,
                meta="theta",
                hover_text=[
                    _risk_hover(name, theta, value)
                    for theta, value in zip(self.thetas, values, strict=True)
                ],
            )
        self._draw_key()

    def _width(self, series: SeriesStyle) -> float:
        return self.style.px(2, 0.9) if series.own else self.style.px(1, 0.5)

    def _draw_key(self) -> None:
        """Draw the legend, sorted by decreasing mean risk.

        If not all fit, only those with a colour of their own are listed, as many as fit.
        """
        style, pitch = self.style, _PITCH * self.size
        means = self.risks.replace([np.inf, -np.inf], np.nan).mean()
        names = list(means.sort_values(ascending=False, kind="stable", na_position="last").index)
        if len(names) * pitch > self.curves:
            names = [name for name in names if self.styles[name].own][: int(self.curves / pitch)]
        start, end = style.px(8, 4) / style.px(34, 22), 1.0
        axes: traces.Axes = {"xaxis": "x2", "yaxis": "y"}
        for position, name in enumerate(names):
            series = self.styles[name]
            y = self.top - (position + 0.5) * pitch * (self.top / self.curves)
            draw_line(
                self.fig,
                [start, end],
                [y, y],
                series,
                style,
                width=self._width(series),
                name="key",
                **axes,
            )
            middle, size = (start + end) / 2, style.px(8, 5)
            draw_marks(
                self.fig, [middle], [y], series, size, style, name="key", cliponaxis=None, **axes
            )
            traces.add_text(
                self.fig,
                text.escape(self.key[name]),
                1,
                y,
                self.size,
                style.ink,
                name="key",
                refs="paper, y",
                anchor="left, middle",
                shift=(style.px(5, 3), None),
            )


def _risk_hover(name: str, theta: float, risk: float | None) -> str:
    """Return the hover text of a point of a risk line."""
    shown = "undefined" if risk is None else f"{risk:.4g}"
    return (
        f"<b>{text.escape(name)}, {loss_words(theta)}</b><br>"
        f"mean expected cost {shown}<br>{traces.click_hint('theta')}"
    )


def _is_name(cell: object) -> bool:
    return isinstance(cell, str) and cell != ""
