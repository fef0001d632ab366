"""Two means over one axis, a line for each procedure: power as a bias grows, plans as they grow."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from foldwise.figures import text, theme
from foldwise.figures.axis_parts import enable_zoom, tick_axis, ticks
from foldwise.figures.label_placement import spread_apart
from foldwise.figures.theme import Style
from foldwise.figures.threshold_axes import SeriesStyle, draw_line, looks, with_gaps
from stats_core.core.errors import DataError


@dataclass(frozen=True, slots=True, kw_only=True)
class Curves:
    """Which columns are drawn: along the axis, one line for each, and in the panels from the top."""

    along: str
    title: str
    line: str
    panels: tuple[tuple[str, str], tuple[str, str]]

    @property
    def columns(self) -> tuple[str, ...]:
        """All of them."""
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
#: A line carries its symbol at every third bias, each line at others.
_MARKED = 3
#: Names take at most this share of the width.
_MOST_RIGHT = 0.36


@dataclass(frozen=True, slots=True, kw_only=True)
class _Panel:
    """One of the two means, bias x procedure, and its axis."""

    means: pd.DataFrame
    errors: pd.DataFrame | None
    title: str
    axis: str
    low: float
    high: float

    def ticks(self) -> tuple[list[float], list[str]]:
        """Return the places to label and what to print there."""
        return ticks(self.low, self.high, 4)


@dataclass(frozen=True, slots=True, kw_only=True)
class _PowerFrame:
    """Sizes in px: the margins, a panel, the gap between the two, the widest tick label."""

    margin: dict[str, float]
    panel: float
    gap: float
    tick: float

    @property
    def plot(self) -> float:
        """Height of both panels with the gap."""
        return 2 * self.panel + self.gap

    def domain(self, place: int) -> list[float]:
        """Return where a panel lies, as shares of the plot's height; 0 is the upper one."""
        bottom = (1 - place) * (self.panel + self.gap)
        return [bottom / self.plot, (bottom + self.panel) / self.plot]


def power_curves(table: pd.DataFrame, *, style: Style, curves: Curves = BIASES) -> go.Figure:
    """Draw how much each procedure rejects, above its mean adjusted p-values, over the bias.

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
        print without colour, and its name beside the right end. A mean that is missing is a gap.

    Raises
    ------
    DataError
        A column is missing, there are no rows, or a procedure has two rows for one bias.

    References
    ----------
    Demsar, JMLR 7 (2006), section 4; Garcia and Herrera, JMLR 9 (2008), Fig. 4 and 5.
    """
    _check(table, curves)
    panels = [_panel(table, curves, place) for place in range(2)]
    names = list(panels[0].means.columns)
    drawn = looks(names, style)
    words = text.shorten(names, _MOST_RIGHT * style.width, style.size, serif=style.serif)
    frame = _frame(panels, list(words.values()), style)
    height = frame.plot + frame.margin["t"] + frame.margin["b"]
    fig = theme.new_figure(style, height, margin=frame.margin)
    _bias_axis(fig, panels[0].means, curves.title, frame, style)
    for place, panel in enumerate(panels):
        _value_axis(fig, panel, frame.domain(place), frame, style)
        for name in names:
            _band(fig, panel, name, drawn[name], style)
        for number, name in enumerate(names):
            _curve(fig, panel, name, drawn[name], number, curves.title, style)
        _names(fig, panel, words, frame, style)
    return enable_zoom(lambda _: fig)(style)


def _check(table: pd.DataFrame, curves: Curves) -> None:
    lacking = [column for column in curves.columns if column not in table]
    if lacking or table.empty:
        found = f"Missing: {', '.join(lacking)}" if lacking else "There are no rows"
        raise DataError(
            [
                f"Power curves need the columns {', '.join(curves.columns)} and at least one row. "
                f"{found}. Pass one row per {curves.along} and {curves.line}."
            ]
        )
    twice = table[table.duplicated([curves.along, curves.line])]
    if len(twice):
        place, name = twice[[curves.along, curves.line]].iloc[0]
        raise DataError(
            [
                f"Power curves need one row per {curves.along} and {curves.line}. "
                f"{name} has two at {curves.along} {place:g}. Average over draws first."
            ]
        )


def _wide(table: pd.DataFrame, column: str, curves: Curves = BIASES) -> pd.DataFrame:
    """Return one column as bias x procedure, procedures in the order they arrived."""
    order = list(dict.fromkeys(table[curves.line]))
    means = table.pivot(index=curves.along, columns=curves.line, values=column)[order]
    means = means.astype(float).set_axis([str(name) for name in order], axis=1)
    return means.replace([np.inf, -np.inf], np.nan)


def _panel(table: pd.DataFrame, curves: Curves, place: int) -> _Panel:
    """Return a panel with room for its bands; it begins at 0 unless all lies in its upper half."""
    column, title = curves.panels[place]
    means = _wide(table, column, curves)
    error = f"{column} se"
    errors = _wide(table, error, curves) if error in table else None
    band = 0.0 if errors is None else 2 * errors.fillna(0.0)
    drawn = np.concatenate([means - band, means + band])
    finite = drawn[np.isfinite(drawn)]
    least, most = (float(finite.min()), float(finite.max())) if len(finite) else (0.0, 0.0)
    low = 0.0 if least <= most / 2 else least
    pad = 0.06 * (most - low) or 0.06 * most or 1.0
    return _Panel(
        means=means,
        errors=errors,
        title=title,
        axis=f"y{place + 1}" if place else "y",
        low=low - pad if low else 0.0,
        high=most + pad,
    )


def _frame(panels: list[_Panel], words: list[str], style: Style) -> _PowerFrame:
    tick = max(_widest(panel.ticks()[1], style.tick_size, style) for panel in panels)
    margin = {
        "l": tick + 1.5 * style.size + style.px(14, 9),
        "r": _widest(words, style.size, style) + style.px(24, 16),
        "t": style.px(8, 5),
        "b": 3.3 * style.size,
    }
    room = 1.3 * style.size * (len(words) + 1)  # every name has a line of its own
    return _PowerFrame(
        margin=margin, panel=max(style.px(190, 104), room), gap=style.px(24, 14), tick=tick
    )


def _widest(words: list[str], size: float, style: Style) -> float:
    return max((text.text_width(word, size, style.serif) for word in words), default=0.0)


def _bias_axis(
    fig: go.Figure, means: pd.DataFrame, title: str, frame: _PowerFrame, style: Style
) -> None:
    low, high = float(means.index.min()), float(means.index.max())
    pad = 0.02 * (high - low) or 0.5
    room = style.width - frame.margin["l"] - frame.margin["r"]
    places, words = ticks(low - pad, high + pad, max(min(10, room / (4 * style.size)), 2))
    fig.update_layout(
        xaxis={
            **tick_axis(places, words, [low - pad, high + 0.25 * pad]),
            "anchor": "y2",
            "title": {"text": title, "standoff": 4},
        }
    )


def _value_axis(
    fig: go.Figure, panel: _Panel, domain: list[float], frame: _PowerFrame, style: Style
) -> None:
    places, words = panel.ticks()
    narrower = frame.tick - _widest(words, style.tick_size, style)
    fig.update_layout(
        {
            f"yaxis{panel.axis[1:]}": {
                "range": [panel.low, panel.high],
                "domain": domain,
                "anchor": "x",
                "tickmode": "array",
                "tickvals": places,
                "ticktext": words,
                # the titles of both panels stand in one line
                "title": {"text": panel.title, "standoff": 4 + narrower},
                "fixedrange": True,
            }
        }
    )


def _band(fig: go.Figure, panel: _Panel, name: str, look: SeriesStyle, style: Style) -> None:
    """Draw two standard errors to either side of a procedure, not below 0."""
    if panel.errors is None:
        return
    means, reach = panel.means[name].dropna(), 2 * panel.errors[name]
    reach = reach[means.index].fillna(0)
    fig.add_scatter(
        x=[*means.index, *means.index[::-1]],
        y=[*(means + reach), *(means - reach).clip(lower=0)[::-1]],
        mode="lines",
        name=f"{text.escape(name)} band",
        fill="toself",
        fillcolor=look.colour if style.colour else style.leader,
        line={"width": 0},
        opacity=0.22,
        hoverinfo="skip",
        yaxis=panel.axis,
    )


def _curve(
    fig: go.Figure,
    panel: _Panel,
    name: str,
    look: SeriesStyle,
    number: int,
    along: str,
    style: Style,
) -> None:
    """Draw one procedure, the `number`-th, on one panel."""
    biases, values = list(panel.means.index), with_gaps(panel.means[name])
    draw_line(
        fig,
        biases,
        values,
        look,
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


def _names(
    fig: go.Figure, panel: _Panel, words: dict[str, str], frame: _PowerFrame, style: Style
) -> None:
    """Write every name beside the right end of its curve, joined to it by a leader."""
    ends = panel.means.ffill().iloc[-1].dropna().sort_values(kind="stable")
    per_px = (panel.high - panel.low) / frame.panel
    pad = 0.65 * style.size  # half a line of text
    inner = frame.panel - 2 * pad
    wished = np.clip((ends.to_numpy() - panel.low) / per_px - pad, 0.0, inner)
    spots = spread_apart(wished.tolist(), 1.25 * style.size, 0.0, inner)
    for name, spot in zip(ends.index, spots, strict=True):
        y = panel.low + (spot + pad) * per_px
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
            text=text.escape(words[name]),
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
    said = [
        f"{text.truncate_text(text.plain_text(name), 40)} {value:.3g}"
        for name, value in last.items()
    ]
    count = means.shape[1]
    return text.truncate_text(
        f"Power of {count} procedure{'s' * (count != 1)}. Mean rejections at bias "
        f"{means.index[-1]:g}: {text.join_escaped(said, 6)}."
    )


def caption_power_curves() -> str:
    """Return what the lines mean, for the caption."""
    return (
        "Mean number of rejected hypotheses (above) and mean adjusted p-value (below) of every "
        "procedure over random draws of data sets. The larger the bias, the more the draws "
        "prefer data sets on which one of two algorithms is better."
    )
