"""Two algorithms fold by fold: a line from one result to the other, or one against the other."""

from __future__ import annotations

from collections.abc import Collection
from typing import Literal

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from figures import text, theme
from figures.theme import Style

Form = Literal["automatic", "slopes", "scatter"]
#: With more folds lines would hide each other: one algorithm is drawn against the other.
MOST_SLOPES = 60
FADED = 0.25
_DASH = {"first": "solid", "second": "dash", "tie": "dot"}


def paired_folds(
    values: pd.DataFrame,
    *,
    measure: str,
    higher_is_better: bool,
    style: Style,
    form: Form = "automatic",
    selected: Collection[str] = (),
) -> go.Figure:
    """Draw the two results of every fold.

    Parameters
    ----------
    values : DataFrame
        One row per fold, the index its label; two columns, the first and the second algorithm.
    measure : str
        What was measured, for the axis.
    higher_is_better : bool
        Its direction; it decides which lines are solid.
    style : Style
        Surface and width.
    form : {"automatic", "slopes", "scatter"}
        Lines up to 60 folds, above that the first upwards against the second, or as asked.
    selected : collection of str
        Folds that keep full strength while the others fade.

    Returns
    -------
    Figure
        Lines are solid where the first is better, dashed where the second is, dotted where both
        have the same result. Marks carry the label of their fold.
    """
    first, second = values.columns
    advantage = (values[first] - values[second]) * (1 if higher_is_better else -1)
    better = np.select([advantage > 0, advantage < 0], ["first", "second"], "tie")
    chosen = {str(label) for label in selected} & {str(label) for label in values.index}
    table = pd.DataFrame(
        {
            "x": values[first].to_numpy(dtype=float),
            "y": values[second].to_numpy(dtype=float),
            "better": better,
            "label": [str(label) for label in values.index],
        }
    )
    table["lit"] = table["label"].isin(chosen) if chosen else True
    table["hover"] = _hovers(table, first, second)
    if form == "scatter" or (form == "automatic" and len(values) > MOST_SLOPES):
        return _scatter(table, first, second, measure, style)
    return _slopes(table, first, second, measure, style)


def _hovers(table: pd.DataFrame, first: str, second: str) -> list[str]:
    places = text.decimals((table["x"] - table["y"]).tolist())
    names = {"first": first, "second": second}
    lines = []
    for row in table.itertuples():
        gap = f"{abs(row.x - row.y):.{places}f}"
        verdict = (
            "the same result"
            if row.better == "tie"
            else f"{text.escape(names[row.better])} better by {gap}"
        )
        lines.append(
            f"<b>fold {text.escape(row.label)}</b><br>{text.escape(first)} "
            f"{text.minus(row.x, places)}, {text.escape(second)} {text.minus(row.y, places)}<br>"
            f"{verdict}<br>Click: select the fold"
        )
    return lines


def _slopes(table: pd.DataFrame, first: str, second: str, measure: str, style: Style) -> go.Figure:
    ends = pd.concat([table["x"], table["y"]])
    low, high = _reach(ends)
    label = style.px(46, 34)
    margin = {"l": style.px(58, 40), "r": label, "t": 2.2 * style.size, "b": style.px(10, 6)}
    fig = theme.figure(style, style.px(255, 176), margin=margin)
    for lit in (False, True):
        for better, dash in _DASH.items():
            part = table[(table["lit"] == lit) & (table["better"] == better)]
            if len(part):
                _lines(fig, part, dash, 1.0 if lit else FADED, style)
    fig.add_scatter(
        x=[0, 1],
        y=[table["x"].mean(), table["y"].mean()],
        mode="lines+markers",
        name="means",
        hovertext=[f"<b>mean</b><br>{text.escape(first)}", f"<b>mean</b><br>{text.escape(second)}"],
        hoverinfo="text+y",
        line={"color": style.ink, "width": style.px(4.5, 2.6)},
        marker={"size": style.px(10, 6), "opacity": 1, "symbol": "diamond"},
        cliponaxis=False,
    )
    _name_extremes(fig, table, style)
    room = (style.width - margin["l"] - margin["r"]) / 2
    short = text.shorten([first, second], room, style.size, serif=style.serif)
    for x, name, anchor in ((0, first, "left"), (1, second, "right")):
        fig.add_annotation(
            text=text.escape(short[name]),
            x=x,
            xanchor=anchor,
            xref="x",
            y=1,
            yref="paper",
            yanchor="bottom",
            yshift=style.px(8, 5),
            font={"size": style.size},
        )
    fig.update_xaxes(range=[-0.02, 1.02], visible=False, fixedrange=True)
    fig.update_yaxes(range=[low, high], title=text.escape(measure), nticks=6, fixedrange=True)
    return fig


def _lines(fig: go.Figure, part: pd.DataFrame, dash: str, opacity: float, style: Style) -> None:
    """Draw the lines of some folds as one trace; each is clicked at its two ends."""
    x = [v for _ in range(len(part)) for v in (0, 1, None)]
    y = [v for row in part.itertuples() for v in (row.x, row.y, None)]
    fig.add_scatter(
        x=x,
        y=y,
        mode="lines+markers",
        name={"solid": "first better", "dash": "second better", "dot": "tie"}[dash],
        opacity=opacity,
        line={"color": style.second, "width": style.px(1.2, 0.6), "dash": dash},
        marker={"size": style.px(6, 3.2), "opacity": 1, "color": style.second},
        customdata=[v for label in part["label"] for v in (label, label, None)],
        hovertext=[v for said in part["hover"] for v in (said, said, None)],
        hoverinfo="text",
        connectgaps=False,
        cliponaxis=False,
        unselected={"marker": {"opacity": 1}},
    )


def _name_extremes(fig: go.Figure, table: pd.DataFrame, style: Style) -> None:
    """Write the folds with the largest difference either way beside their right ends."""
    difference = table["y"] - table["x"]
    extremes = list(dict.fromkeys([difference.idxmax(), difference.idxmin()]))
    places = [float(table.loc[i, "y"]) for i in extremes]
    low, high = fig.layout.yaxis.range or _reach(pd.concat([table["x"], table["y"]]))
    near = len(places) == 2 and abs(places[0] - places[1]) < 0.09 * (high - low)
    for i, shift in zip(extremes, (6, -6) if near else (0, 0), strict=False):
        fig.add_annotation(
            text=f"fold {text.escape(table.loc[i, 'label'])}",
            x=1,
            xref="x",
            xanchor="left",
            xshift=style.px(7, 5),
            y=float(table.loc[i, "y"]),
            yref="y",
            yshift=shift if table.loc[extremes[0], "y"] >= table.loc[extremes[-1], "y"] else -shift,
            font={"size": style.tick_size * 0.9, "color": style.second},
        )


def _scatter(table: pd.DataFrame, first: str, second: str, measure: str, style: Style) -> go.Figure:
    margin = {"l": style.px(58, 40), "r": style.px(14, 8), "t": style.px(10, 6)}
    margin["b"] = 3.2 * style.size
    fig = theme.figure(style, style.px(255, 176), margin=margin)
    low, high = _reach(pd.concat([table["x"], table["y"]]))
    fig.add_scatter(
        x=[low, high],
        y=[low, high],
        mode="lines",
        name="equal",
        line={"color": style.leader, "width": style.px(1.2, 0.7)},
        hoverinfo="skip",
    )
    symbols = {"first": "circle", "second": "circle-open", "tie": "x-thin-open"}
    for lit in (False, True):
        for better, symbol in symbols.items():
            part = table[(table["lit"] == lit) & (table["better"] == better)]
            if part.empty:
                continue
            fig.add_scatter(
                x=part["y"].to_list(),
                y=part["x"].to_list(),
                mode="markers",
                name=better,
                customdata=part["label"].to_list(),
                hovertext=part["hover"].to_list(),
                hoverinfo="text",
                opacity=1.0 if lit else FADED,
                marker={
                    "symbol": symbol,
                    "color": style.ink,
                    "size": style.px(7, 4.2),
                    "opacity": 1,
                    "line": {"width": style.px(1.2, 0.7), "color": style.ink},
                },
                unselected={"marker": {"opacity": 1}},
                cliponaxis=False,
            )
    room = 0.7 * style.width
    short = text.shorten([first, second], room / 2, style.size, serif=style.serif)
    axis = {"range": [low, high], "nticks": 5, "fixedrange": True}
    fig.update_xaxes(title=f"{text.escape(short[second])}: {text.escape(measure)}", **axis)
    fig.update_yaxes(title=text.escape(short[first]), **axis)
    return fig


def _reach(values: pd.Series) -> tuple[float, float]:
    low, high = float(values.min()), float(values.max())
    pad = 0.06 * (high - low) or 0.05 * abs(high) or 0.5
    return low - pad, high + pad


def alt_paired_folds(values: pd.DataFrame, *, measure: str, higher_is_better: bool) -> str:
    """Return the alternative text of the figure, at most 300 characters."""
    first, second = values.columns
    advantage = (values[first] - values[second]) * (1 if higher_is_better else -1)
    a, b = text.plain(first), text.plain(second)
    ties = int((advantage == 0).sum())
    same = f", the same result in {ties}" if ties else ""
    return text.clip(
        f"{measure} of {a} and {b} joined fold by fold. {a} better in "
        f"{int((advantage > 0).sum())}, {b} better in {int((advantage < 0).sum())} of "
        f"{len(values)} folds{same}. Table below holds every value."
    )
