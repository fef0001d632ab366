"""Two panels of means along one axis, a line per procedure: power by bias, or plans by size."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from foldwise.figures import text, theme
from foldwise.figures.axis_parts import enable_zoom, tick_axis, ticks
from foldwise.figures.label_placement import spread_apart
from foldwise.figures.theme import Style
from foldwise.figures.traces import SeriesStyle, draw_line, looks, with_gaps
from stats_core.core.errors import DataError


@dataclass(frozen=True, slots=True, kw_only=True)
class Curves:
    """The columns to draw: x axis, one line per value, and one per panel from the top."""

    along: str
    title: str
    line: str
    panels: tuple[tuple[str, str], tuple[str, str]]

    @property
    def columns(self) -> tuple[str, ...]:
        """All columns that the table must contain."""
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
    panels=(("pair rejected", "share of draws"), ("pair pvalue", "mean adjusted p")),
)
PLANS = Curves(
    along="trainings",
    title="trainings",
    line="way",
    panels=(("half_width", "half-width"), ("chance", "chance of a decision")),
)
COLUMNS = BIASES.columns
#: Each line has a symbol at every third bias, shifted from line to line.
_MARKED = 3
#: Largest share of the width for names.
_MOST_RIGHT = 0.36


@dataclass(frozen=True, slots=True, kw_only=True)
class _Panel:
    """The means of one panel, bias x procedure, with its axis."""

    means: pd.DataFrame
    errors: pd.DataFrame | None
    title: str
    axis: str
    low: float
    high: float

    def ticks(self) -> tuple[list[float], list[str]]:
        """Return tick positions and labels."""
        return ticks(self.low, self.high, 4)


@dataclass(frozen=True, slots=True, kw_only=True)
class _PowerFrame:
    """Sizes in px: margins, panel height, gap between panels, widest tick label."""

    margin: dict[str, float]
    panel: float
    gap: float
    tick: float

    @property
    def plot(self) -> float:
        """Height of both panels with the gap, in px."""
        return 2 * self.panel + self.gap

    def domain(self, place: int) -> list[float]:
        """Return the domain of a panel as shares of the plot height; panel 0 is the upper one."""
        bottom = (1 - place) * (self.panel + self.gap)
        return [bottom / self.plot, (bottom + self.panel) / self.plot]


def power_curves(table: pd.DataFrame, *, style: Style, curves: Curves = BIASES) -> go.Figure:
    """Draw rejections (upper panel) and mean adjusted p-values (lower) of procedures by bias.

    Parameters
    ----------
    table : DataFrame
        One row per bias and procedure: ``bias``, ``procedure`` and the two means, ``rejected``
        (number of rejected hypotheses) and ``pvalue`` (adjusted). With their standard errors,
        ``rejected se`` and ``pvalue se``, bands reach two of them to either side.
    style : Style
        Surface and width.
    curves : Curves
        Other columns, such as those of `PAIR` or `PLANS`.

    Returns
    -------
    Figure
        Two panels over one axis of biases. In both, each procedure has its line, dashed in
        print without colour, and its name beside the right end. Missing means are gaps.

    Raises
    ------
    DataError
        A column is missing, there are no rows, or a procedure has two rows for one bias.

    References
    ----------
    Demsar, JMLR 7 (2006), section 4; Garcia and Herrera, JMLR 9 (2008), Fig. 4 and 5.
    """
    _check(table, curves)
    panels = [_panel(table, curves, index) for index in range(2)]
    names = list(panels[0].means.columns)
    styles = looks(names, style)
    short_names = text.shorten(names, _MOST_RIGHT * style.width, style.size, serif=style.serif)
    frame = _frame(panels, list(short_names.values()), style)
    height = frame.plot + frame.margin["t"] + frame.margin["b"]
    fig = theme.new_figure(style, height, margin=frame.margin)
    _bias_axis(fig, panels[0].means, curves.title, frame, style)
    for index, panel in enumerate(panels):
        _value_axis(fig, panel, frame.domain(index), frame, style)
        for name in names:
            _band(fig, panel, name, styles[name], style)
        for number, name in enumerate(names):
            _curve(fig, panel, name, styles[name], number, curves.title, style)
        _names(fig, panel, short_names, frame, style)
    return enable_zoom(lambda _: fig)(style)


def _check(table: pd.DataFrame, curves: Curves) -> None:
    lacking = [column for column in curves.columns if column not in table]
    if lacking or table.empty:
        problem = f"Missing: {', '.join(lacking)}" if lacking else "There are no rows"
        raise DataError(
            [
                f"Power curves need the columns {', '.join(curves.columns)} and at least one row. "
                f"{problem}. Pass one row per {curves.along} and {curves.line}."
            ]
        )
    duplicates = table[table.duplicated([curves.along, curves.line])]
    if len(duplicates):
        x, name = duplicates[[curves.along, curves.line]].iloc[0]
        raise DataError(
            [
                f"Power curves need one row per {curves.along} and {curves.line}. "
                f"{name} has two at {curves.along} {x:g}. Average over draws first."
            ]
        )


def _wide(table: pd.DataFrame, column: str, curves: Curves = BIASES) -> pd.DataFrame:
    """Return one column as a table bias x procedure, procedures in order of appearance."""
    order = list(dict.fromkeys(table[curves.line]))
    means = table.pivot(index=curves.along, columns=curves.line, values=column)[order]
    means = means.astype(float).set_axis([str(name) for name in order], axis=1)
    return means.replace([np.inf, -np.inf], np.nan)


def _panel(table: pd.DataFrame, curves: Curves, index: int) -> _Panel:
    """Return a panel with room for its bands; its axis starts at 0 unless all means are high."""
    column, title = curves.panels[index]
    means = _wide(table, column, curves)
    error = f"{column} se"
    errors = _wide(table, error, curves) if error in table else None
    band = 0.0 if errors is None else 2 * errors.fillna(0.0)
    extremes = np.concatenate([means - band, means + band])
    finite = extremes[np.isfinite(extremes)]
    smallest, largest = (float(finite.min()), float(finite.max())) if len(finite) else (0.0, 0.0)
    low = 0.0 if smallest <= largest / 2 else smallest
    pad = 0.06 * (largest - low) or 0.06 * largest or 1.0
    return _Panel(
        means=means,
        errors=errors,
        title=title,
        axis=f"y{index + 1}" if index else "y",
        low=low - pad if low else 0.0,
        high=largest + pad,
    )


def _frame(panels: list[_Panel], names: list[str], style: Style) -> _PowerFrame:
    tick = max(_widest(panel.ticks()[1], style.tick_size, style) for panel in panels)
    margin = {
        "l": tick + 1.5 * style.size + style.px(14, 9),
        "r": _widest(names, style.size, style) + style.px(24, 16),
        "t": style.px(8, 5),
        "b": 3.3 * style.size,
    }
    room = 1.3 * style.size * (len(names) + 1)  # one line of text per name
    return _PowerFrame(margin=margin, panel=max(style.px(190, 104), room), gap=style.px(24, 14), tick=tick)


def _widest(names: list[str], size: float, style: Style) -> float:
    return max((text.text_width(name, size, style.serif) for name in names), default=0.0)


def _bias_axis(fig: go.Figure, means: pd.DataFrame, title: str, frame: _PowerFrame, style: Style) -> None:
    low, high = float(means.index.min()), float(means.index.max())
    pad = 0.02 * (high - low) or 0.5
    room = style.width - frame.margin["l"] - frame.margin["r"]
    positions, labels = ticks(low - pad, high + pad, max(min(10, room / (4 * style.size)), 2))
    fig.update_layout(
        xaxis={
            **tick_axis(positions, labels, [low - pad, high + 0.25 * pad]),
            "anchor": "y2",
            "title": {"text": title, "standoff": 4},
        }
    )


def _value_axis(fig: go.Figure, panel: _Panel, domain: list[float], frame: _PowerFrame, style: Style) -> None:
    positions, labels = panel.ticks()
    slack = frame.tick - _widest(labels, style.tick_size, style)
    fig.update_layout(
        {
            f"yaxis{panel.axis[1:]}": {
                "range": [panel.low, panel.high],
                "domain": domain,
                "anchor": "x",
                "tickmode": "array",
                "tickvals": positions,
                "ticktext": labels,
                # aligns the titles of both panels
                "title": {"text": panel.title, "standoff": 4 + slack},
                "fixedrange": True,
            }
        }
    )


def _band(fig: go.Figure, panel: _Panel, name: str, line_style: SeriesStyle, style: Style) -> None:
    """Draw two standard errors on either side of a procedure, clipped at 0."""
    if panel.errors is None:
        return
    means, half_width = panel.means[name].dropna(), 2 * panel.errors[name]
    half_width = half_width[means.index].fillna(0)
    fig.add_scatter(
        x=[*means.index, *means.index[::-1]],
        y=[*(means + half_width), *(means - half_width).clip(lower=0)[::-1]],
        mode="lines",
        name=f"{text.escape(name)} band",
        fill="toself",
        fillcolor=line_style.colour if style.colour else style.leader,
        line={"width": 0},
        opacity=0.22,
        hoverinfo="skip",
        yaxis=panel.axis,
    )


def _curve(
    fig: go.Figure, panel: _Panel, name: str, line_style: SeriesStyle, number: int, along: str, style: Style
) -> None:
    """Draw one procedure in a panel; `number` shifts its symbols against those of other lines."""
    biases, values = list(panel.means.index), with_gaps(panel.means[name])
    draw_line(
        fig,
        biases,
        values,
        line_style,
        style,
        width=style.px(2, 0.9),
        name=text.escape(name),
        marked=range(number % _MARKED, len(biases), _MARKED),
        size=style.px(7, 4.6),
        yaxis=panel.axis,
        said=[
            f"<b>{text.escape(name)}</b><br>{along} {bias:,g}<br>"
            f"{panel.title} {'undefined' if value is None else f'{value:.4g}'}"
            for bias, value in zip(biases, values, strict=True)
        ],
    )


def _names(fig: go.Figure, panel: _Panel, short_names: dict[str, str], frame: _PowerFrame, style: Style) -> None:
    """Write each name beside the right end of its curve, connected by a leader line."""
    ends = panel.means.ffill().iloc[-1].dropna().sort_values(kind="stable")
    per_px = (panel.high - panel.low) / frame.panel
    pad = 0.65 * style.size  # half a line of text
    inner = frame.panel - 2 * pad
    preferred = np.clip((ends.to_numpy() - panel.low) / per_px - pad, 0.0, inner)
    positions = spread_apart(preferred.tolist(), 1.25 * style.size, 0.0, inner)
    for name, position in zip(ends.index, positions, strict=True):
        y = panel.low + (position + pad) * per_px
        fig.add_shape(
            type="line",
            name="leader",
            xref="paper",
            xsizemode="pixel",
            xanchor=1,
            x0=style.px(4, 2),
            x1=style.px(14, 10),
            yref=panel.axis,
            y0=ends[name],
            y1=y,
            line={"color": style.leader, "width": style.px(1, 0.6)},
        )
        fig.add_annotation(
            text=text.escape(short_names[name]),
            name="procedure",
            xref="paper",
            yref=panel.axis,
            x=1,
            y=y,
            xanchor="left",
            yanchor="middle",
            xshift=style.px(17, 12),
            font={"size": style.size, "color": style.ink},
        )


def alt_power_curves(table: pd.DataFrame) -> str:
    """Return the alternative text of the figure, at most 300 characters.

    Examples
    --------
    >>> rows = [(0, "Holm", 2.0, 0.4), (5, "Holm", 3.5, 0.3)]
    >>> alt_power_curves(pd.DataFrame(rows, columns=list(COLUMNS)))
    'Power of 1 procedure. Mean rejections at bias 5: Holm 3.5.'
    """
    means = _wide(table, "rejected")
    last = means.iloc[-1].sort_values(ascending=False, kind="stable").dropna()
    parts = [f"{text.truncate_text(text.plain_text(name), 40)} {value:.3g}" for name, value in last.items()]
    count = means.shape[1]
    return text.truncate_text(
        f"Power of {count} procedure{'s' * (count != 1)}. Mean rejections at bias "
        f"{means.index[-1]:g}: {text.join_escaped(parts, 6)}."
    )


def caption_power_curves() -> str:
    """Return the caption sentences on both panels."""
    return (
        "Mean number of rejected hypotheses (above) and mean adjusted p-value (below) of every "
        "procedure over random draws of data sets. The larger the bias, the more the draws "
        "prefer data sets on which one of two algorithms is better."
    )
