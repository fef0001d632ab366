"""Panels of means over a common x axis, one line per procedure."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from foldwise.figures import text, theme, traces
from foldwise.figures.axis_parts import LOGARITHMIC, log_ticks, tick_axis, ticks
from foldwise.figures.label_placement import add_annotations, spread_apart
from foldwise.figures.spec import FigureSpec, figure_text
from foldwise.figures.theme import Style
from foldwise.figures.traces import SeriesStyle, draw_line, series_styles, with_gaps
from stats_core.core.errors import DataError


@dataclass(frozen=True, slots=True, kw_only=True)
class Curves:
    """Columns of the table to draw.

    Attributes
    ----------
    along, title : str
        Column of the x axis, and its title.
    line : str
        Column that names the line of a row.
    panels : tuples of (str, str)
        Column of the means of each panel, and title of its y axis.
    named : bool
        Whether lines have their names at the right end; no, if the caption names the only line.
    """

    along: str
    title: str
    line: str
    panels: tuple[tuple[str, str], ...]
    named: bool = True

    @property
    def columns(self) -> tuple[str, ...]:
        """All required columns."""
        return (self.along, self.line, *(column for column, _ in self.panels))


BIASES = Curves(
    along="bias",
    title="bias",
    line="procedure",
    panels=(("rejected", "mean rejections"), ("pvalue", "mean adjusted p")),
)
PAIR = Curves(
    along="bias",
    title="bias",
    line="procedure",
    panels=(("pair rejected", "power"), ("pair pvalue", "mean adjusted p")),
)
GROWTH = Curves(
    along="more_sets",
    title="additional data sets",
    line="pair",
    panels=(("power", "power"),),
    named=False,
)
PLANS = Curves(
    along="trainings",
    title="runs",
    line="way",
    panels=(("half_width", "CI half-width"), ("power", "power")),
)
ITEMS = Curves(
    along="instances",
    title="instances",
    line="pair",
    panels=(("detectable", "detectable difference"), ("power", "power")),
    named=False,
)
#: Columns that are compared with the significance level.
_BY_LEVEL = ("pair rejected", "pair pvalue", "pvalue")
#: Each line has a symbol at every third bias, shifted from line to line.
_MARKED = 3
_LEVEL = "\N{GREEK SMALL LETTER ALPHA}"
#: Largest share of the width for names.
_MOST_RIGHT = 0.36


@dataclass(frozen=True, kw_only=True, eq=False)
class PowerCurves(FigureSpec):
    """Means of every procedure in panels, such as rejections and p-values by bias.

    In each panel each procedure has its line, dashed in print without colour, and its name next to
    the right end. Missing means are gaps.

    Attributes
    ----------
    table : DataFrame
        One row per bias and procedure: ``bias``, ``procedure`` and the means, ``rejected``
        (number of rejected hypotheses) and ``pvalue`` (adjusted). With their standard errors,
        ``rejected se`` and ``pvalue se``, bands extend two standard errors to either side.
    curves : Curves
        The columns drawn, such as those of `PAIR` or `PLANS`; by default those of `BIASES`.
    how_to_read, text_below, alt_text : str
        How to read the figure, its caption, and its alternative text if it is not about power.
    numbers_of : DataFrame, optional
        The numbers, if not `table`.
    alpha : float, optional
        The significance level, drawn as a dotted line in panels of power and of p-values.
    power : float, optional
        The requested power, drawn as a dotted line in panels of power.
    marked : float, optional
        The only position on the x axis at which lines have symbols; none if it is outside the
        curve.

    Raises
    ------
    DataError
        A column is missing, there are no rows, or a procedure has two rows for one bias.

    References
    ----------
    Demsar, JMLR 7 (2006), section 4; Garcia and Herrera, JMLR 9 (2008), Fig. 4 and 5.
    """

    zoom: ClassVar[str] = "xy"
    table: pd.DataFrame
    curves: Curves = BIASES
    how_to_read: str = ""
    alt_text: str = ""
    numbers_of: pd.DataFrame | None = None
    alpha: float | None = None
    power: float | None = None
    marked: float | None = None

    def __post_init__(self) -> None:
        """Raise DataError if columns or rows are missing, or if a procedure has two rows for one bias."""
        table, curves = self.table, self.curves
        lacking = [column for column in curves.columns if column not in table]
        if lacking or table.empty:
            needed = {"along": curves.along, "line": curves.line, "columns": curves.columns}
            raise DataError(
                [figure_text("power_curves.bad_columns", missing=lacking or ["rows"], **needed)]
            )
        duplicates = table[table.duplicated([curves.along, curves.line])]
        if len(duplicates):
            x, name = duplicates[[curves.along, curves.line]].iloc[0]
            raise DataError(
                [figure_text("power_curves.repeated", name=name, along=curves.along, x=x)]
            )

    def means(self, column: str) -> pd.DataFrame:
        """Return one column as a table, bias x procedure, with NaN in place of infinite means."""
        order = list(dict.fromkeys(self.table[self.curves.line]))
        means = self.table.pivot(index=self.curves.along, columns=self.curves.line, values=column)[
            order
        ]
        means = means.astype(float).set_axis([str(name) for name in order], axis=1)
        return means.replace([np.inf, -np.inf], np.nan)

    @property
    def logarithmic(self) -> bool:
        """Whether the x axis is logarithmic."""
        return (
            0
            < LOGARITHMIC * self.table[self.curves.along].min()
            <= self.table[self.curves.along].max()
        )

    def x_of(self, values: Iterable[float]) -> list[float]:
        """Return positions on the x axis, decimal logarithms if it is logarithmic."""
        return [math.log10(value) if self.logarithmic else float(value) for value in values]

    def draw(self, style: Style) -> go.Figure:
        """Return the Plotly figure."""
        panels = [_PowerPanel(self, index) for index in range(len(self.curves.panels))]
        names = list(panels[0].means.columns)
        styles = series_styles(names, style)
        short = text.shorten(names, _MOST_RIGHT * style.width, style.size, serif=style.serif)
        tick_width = max(
            text.widest(panel.ticks[1], style.tick_size, style.serif) for panel in panels
        )
        left = tick_width + 1.5 * style.size + style.px(14, 9)
        right = style.px(24, 16) + self.curves.named * text.widest(
            short.values(), style.size, style.serif
        )
        margin = {"l": left, "r": right, "t": style.px(8, 5), "b": 3.3 * style.size}
        # One line of text per name fits into a panel.
        height = max(style.px(190, 104), 1.3 * style.size * (len(names) + 2))
        spacing = style.px(24, 14)
        plot = len(panels) * (height + spacing) - spacing
        fig = theme.new_figure(style, plot + margin["t"] + margin["b"], margin=margin)
        low, high = self.x_of([panels[0].means.index.min(), panels[0].means.index.max()])
        pad = 0.02 * (high - low) or 0.5
        most = max(min(10, (style.width - left - right) / (4 * style.size)), 2)
        numbers = (log_ticks if self.logarithmic else ticks)(low - pad, high + pad, most)
        x_axis = tick_axis(*numbers, [low - pad, high + 0.25 * pad])
        fig.update_layout(
            xaxis={
                **x_axis,
                "anchor": panels[-1].axis,
                "title": {"text": self.curves.title, "standoff": 4},
            }
        )
        for index, panel in enumerate(panels):
            bottom = (len(panels) - 1 - index) * (height + spacing)
            y_axis = tick_axis(*panel.ticks, [panel.low, panel.high])
            slack = tick_width - text.widest(
                panel.ticks[1], style.tick_size, style.serif
            )  # aligns the titles of both panels
            title = {"text": panel.title, "standoff": 4 + slack}
            domain = [bottom / plot, (bottom + height) / plot]
            fig.update_layout(
                {
                    f"yaxis{panel.axis[1:]}": {
                        **y_axis,
                        "domain": domain,
                        "anchor": "x",
                        "title": title,
                    }
                }
            )
            for name, series in styles.items():
                if panel.errors is not None:
                    means = panel.means[name].set_axis(panel.x)
                    errors = panel.errors[name].fillna(0).set_axis(panel.x)
                    draw_band(fig, means, errors, series, style, yaxis=panel.axis)
            if panel.level is not None:
                pen = (style.ink, style.px(1.2, 0.7))
                traces.add_line(
                    fig,
                    x_axis["range"],
                    [panel.level] * 2,
                    "alpha",
                    *pen,
                    dash="dot",
                    yaxis=panel.axis,
                )
            for number, name in enumerate(names):
                panel.draw_line(fig, name, styles[name], number, style)
            if self.curves.named:
                panel.write_names(fig, short, height, style)
        return fig

    @property
    def data(self) -> pd.DataFrame:
        """Numbers drawn in the figure."""
        return self.table if self.numbers_of is None else self.numbers_of

    @property
    def alt(self) -> str:
        """Alternative text, at most 300 characters.

        Examples
        --------
        >>> rows = [(0, "Holm", 2.0, 0.4), (5, "Holm", 3.5, 0.3)]
        >>> PowerCurves(table=pd.DataFrame(rows, columns=list(BIASES.columns))).alt
        'Power of 1 procedure. Mean rejections at bias 5: Holm 3.5.'
        """
        if self.alt_text:
            return self.alt_text
        means = self.means(self.curves.panels[0][0])
        last = means.iloc[-1].sort_values(ascending=False, kind="stable").dropna()
        parts = [f"{text.short_name(name, 40)} {value:.3g}" for name, value in last.items()]
        values = {
            "n": means.shape[1],
            "bias": means.index[-1],
            "means": text.join_escaped(parts, 6),
        }
        return text.truncate_text(figure_text("power_curves.alt", **values))


def level_label(alpha: float) -> str:
    """Return the label of the line of a significance level."""
    return f"\N{GREEK SMALL LETTER ALPHA} = {alpha:g}"


def draw_band(
    fig: go.Figure,
    means: pd.Series,
    errors: pd.Series,
    series: SeriesStyle,
    style: Style,
    most: float | None = None,
    *,
    yaxis: str = "y",
) -> None:
    """Draw a band of two standard errors around a line, cut at 0 and at `most`; no upper limit if None."""
    defined = means.notna() & errors.notna()
    if not defined.any():
        return
    x = list(means.index[defined])
    middle = means[defined]
    half_width = 2 * errors[defined]
    low = (middle - half_width).clip(lower=0)
    high = (middle + half_width).clip(upper=most)
    traces.add_line(
        fig,
        [*x, *x[::-1]],
        [*high, *low[::-1]],
        f"{text.escape(means.name)} band",
        None,
        0,
        fill="toself",
        fillcolor=series.colour if style.colour else style.leader,
        opacity=0.22,
        yaxis=yaxis,
    )


class _PowerPanel:
    """Means of one panel, bias x procedure, with its axis.

    The axis starts at 0 unless all means are high.
    """

    def __init__(self, spec: PowerCurves, index: int) -> None:
        """Set means, standard errors, level and axis of one of the panels."""
        self.along = spec.curves.title
        self.marked = spec.marked
        self.axis = f"y{index + 1}" if index else "y"
        column, self.title = spec.curves.panels[index]
        self.means = spec.means(column)
        self.x = spec.x_of(self.means.index)
        self.errors = spec.means(f"{column} se") if f"{column} se" in spec.table else None
        band = 0.0 if self.errors is None else 2 * self.errors.fillna(0.0)
        extremes = np.concatenate([self.means - band, self.means + band])
        finite = extremes[np.isfinite(extremes)]
        self.level = (
            spec.alpha if column in _BY_LEVEL else spec.power if column == "power" else None
        )
        smallest, largest = (
            (float(finite.min()), float(finite.max())) if len(finite) else (0.0, 0.0)
        )
        if self.level is not None:
            smallest = min(smallest, self.level)
            largest = max(largest, self.level)
        low = 0.0 if smallest <= largest / 2 else smallest
        pad = 0.06 * (largest - low) or 0.06 * largest or 1.0
        self.low = low - pad if low else 0.0
        self.high = largest + pad
        self.ticks = ticks(self.low, self.high, 4)

    def draw_line(
        self, fig: go.Figure, name: str, series: SeriesStyle, number: int, style: Style
    ) -> None:
        """Draw one procedure; `number` offsets its symbols from those of other lines."""
        biases = list(self.means.index)
        values = with_gaps(self.means[name])
        marked = list(range(number % _MARKED, len(biases), _MARKED))
        if self.marked is not None:
            marked = [position for position, bias in enumerate(biases) if bias == self.marked]
        draw_line(
            fig,
            self.x,
            values,
            series,
            style,
            width=style.px(2, 0.9),
            name=text.escape(name),
            symbols=traces.LineSymbols(marked, style.px(7, 4.6)),
            yaxis=self.axis,
            hover_text=[
                f"<b>{text.escape(name)}</b><br>{self.along} {bias:,g}<br>"
                f"{self.title} {'undefined' if value is None else f'{value:.4g}'}"
                for bias, value in zip(biases, values, strict=True)
            ],
        )

    def write_names(
        self, fig: go.Figure, short: Mapping[str, str], height: float, style: Style
    ) -> None:
        """Write the names of the procedures and of the level at the right ends of their lines, with leader lines."""
        ends = self.means.ffill().iloc[-1].dropna()
        if self.level is not None:
            ends[_LEVEL], short = self.level, {**short, _LEVEL: level_label(self.level)}
        ends = ends.sort_values(kind="stable")
        per_px = (self.high - self.low) / height
        pad = 0.65 * style.size  # half a line of text
        inner = height - 2 * pad
        preferred = np.clip((ends.to_numpy() - self.low) / per_px - pad, 0.0, inner)
        positions = spread_apart(preferred.tolist(), 1.25 * style.size, 0.0, inner)
        line = {"color": style.leader, "width": style.px(1, 0.6)}
        leader = {
            "type": "line",
            "name": "leader",
            "xref": "paper",
            "xsizemode": "pixel",
            "xanchor": 1,
            "line": line,
        }
        at = {"xref": "paper", "yref": self.axis, "x": 1, "xanchor": "left", "yanchor": "middle"}
        shapes = list(fig.layout.shapes)
        notes = []
        for (name, end), position in zip(ends.items(), positions, strict=True):
            y = self.low + (position + pad) * per_px
            shapes.append(
                {
                    "x0": style.px(4, 2),
                    "x1": style.px(14, 10),
                    "yref": self.axis,
                    "y0": end,
                    "y1": y,
                    **leader,
                }
            )
            colour, kind = (style.second, "alpha") if name == _LEVEL else (style.ink, "procedure")
            font = {"size": style.size, "color": colour}
            words = text.escape(short[name])
            notes.append(
                {
                    **at,
                    "text": words,
                    "y": y,
                    "xshift": style.px(17, 12),
                    "font": font,
                    "name": kind,
                }
            )
        fig.update_layout(shapes=shapes)  # added singly, Plotly would copy all others each time
        add_annotations(fig, notes)
