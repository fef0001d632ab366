"""All pairs in one square: effects above the diagonal, adjusted p-values below."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from figures import text, theme
from figures.theme import Style
from stats_core.wording import p_text

_UP, _DOWN = "\N{BLACK UP-POINTING TRIANGLE}", "\N{BLACK DOWN-POINTING TRIANGLE}"


def pair_matrix(
    effects: pd.DataFrame,
    pvalues: pd.DataFrame,
    *,
    alpha: float,
    style: Style,
    order: Sequence[str],
    wins: pd.DataFrame | None = None,
    effect_name: str = "difference",
) -> go.Figure:
    """Draw every pair twice: how large the difference is, and how sure.

    Parameters
    ----------
    effects : DataFrame
        Effect of the row over the column, turned so that **positive means the row is better**
        whatever the direction of the measure.
    pvalues : DataFrame
        Adjusted p-values, symmetric.
    alpha : float
        A pair differs if its adjusted p-value is at most this.
    style : Style
        Surface and width.
    order : sequence of str
        Algorithms from best to worst; rows and columns follow it.
    wins : DataFrame, optional
        Strings such as ``"24/3/11"``, row against column, for hover.
    effect_name : str
        What the effect is, for hover.

    Returns
    -------
    Figure
        Upper triangle: the effect with a triangle up (row better) or down (row worse) and a
        tint if the pair differs, else a signed grey number. Lower triangle: p, bold and
        tinted if the pair differs. Cells carry ``[row, column]``.
    """
    order = [str(name) for name in order]
    k = len(order)
    sizes = _Sizes.of(style, k)
    data = _Data(
        order,
        _aligned(effects, order),
        _aligned(pvalues, order),
        alpha,
        wins,
        effect_name,
    )
    margin, height, shown = _frame(order, sizes, style)
    fig = theme.figure(style, height, margin=margin, bargap=0)
    _cells(fig, data, sizes, style)
    if sizes.detail != "tint":
        _labels(fig, data, sizes, style)
    _axes(fig, order, shown, sizes, style)
    return fig


@dataclass(frozen=True, slots=True)
class _Sizes:
    detail: str  # "text", "glyph" or "tint"
    cell: float
    font: float
    names: float

    @property
    def names_columns(self) -> bool:
        """Whether columns are wide enough for names; if not, they stand in the order of the rows."""
        return self.detail != "tint"

    @staticmethod
    def of(style: Style, k: int) -> _Sizes:
        roomy = k <= (8 if style.width < 480 else 12)
        detail = "text" if roomy else "glyph" if k <= 30 else "tint"
        cell = style.px(46, 20) if roomy else max(style.px(22, 13) if k <= 30 else 14, 8)
        if style.printed:
            cell = min(cell, 0.75 * style.width / k)
        names = min(style.tick_size, max(cell * 0.75, style.px(9, 8)))
        font = style.px(12, 8 if style.width < 480 else 9.3) if roomy else 0.62 * cell
        return _Sizes(detail, cell, font, names)


@dataclass(frozen=True, slots=True)
class _Data:
    order: list[str]
    effects: np.ndarray
    pvalues: np.ndarray
    alpha: float
    wins: pd.DataFrame | None
    effect_name: str

    @property
    def places(self) -> int:
        upper = self.effects[np.triu_indices(len(self.order), 1)]
        return text.decimals(upper.tolist())

    def differs(self, row: int, column: int) -> bool:
        return bool(self.pvalues[row, column] <= self.alpha)

    def pairs(self) -> list[tuple[int, int]]:
        k = len(self.order)
        return [(i, j) for i in range(k) for j in range(k)]


def _aligned(table: pd.DataFrame, order: list[str]) -> np.ndarray:
    named = table.set_axis([str(n) for n in table.index], axis=0)
    named = named.set_axis([str(n) for n in table.columns], axis=1)
    return named.loc[order, order].to_numpy(dtype=float)


def _frame(
    order: list[str], sizes: _Sizes, style: Style
) -> tuple[dict[str, float], float, dict[str, str]]:
    """Return margins, height and the printed names; columns turn upright if they are narrow."""
    k = len(order)
    shown = text.shorten(order, 0.25 * style.width, sizes.names, serif=style.serif)
    widest = max(text.width(s, sizes.names, style.serif) for s in shown.values())
    left = widest + style.px(16, 10)
    upright = _upright(widest, left, k, style)
    top = (widest if upright else sizes.names) + style.px(12, 8) if sizes.names_columns else 4
    right = bottom = style.px(6, 4)
    margin = {"l": left, "r": right, "t": top, "b": bottom}
    return margin, top + k * sizes.cell + bottom, shown


def _upright(widest: float, left: float, k: int, style: Style) -> bool:
    room = (min(style.width, 820) if not style.printed else style.width) - left
    return widest > room / k - 4


def _cells(fig: go.Figure, data: _Data, sizes: _Sizes, style: Style) -> None:
    """Draw one bar per cell: bars come back from a click, heat map cells do not."""
    pairs = data.pairs()
    gap = 0.02 if sizes.detail == "text" else 0.04
    fig.add_bar(
        x=[j for _, j in pairs],
        y=[1 - gap] * len(pairs),
        base=[i - 0.5 + gap / 2 for i, _ in pairs],
        width=[1 - gap] * len(pairs),
        customdata=[[data.order[i], data.order[j]] for i, j in pairs],
        hovertext=[_hover(data, i, j) for i, j in pairs],
        hoverinfo="text",
        name="pairs",
        marker={"color": [_fill(data, i, j, style) for i, j in pairs], "line": {"width": 0}},
        unselected={"marker": {"opacity": 1}},
    )


def _fill(data: _Data, row: int, column: int, style: Style) -> str:
    if row == column:
        return "rgba(0,0,0,0)" if style.printed else style.blank
    if not data.differs(row, column):
        return "rgba(0,0,0,0)"
    if row > column:
        return _light(style)
    return style.tint if data.effects[row, column] >= 0 else style.tint_worse


def _light(style: Style) -> str:
    """Return the tint of a small p-value, lighter than the tint of an effect."""
    if style.printed and not style.colour:
        return "#F0F0F0"
    return "#122536" if style.dark else "#EAF1F8"


def _hover(data: _Data, row: int, column: int) -> str:
    if row == column:
        return f"<b>{text.escape(data.order[row])}</b>"
    first, second = min(row, column), max(row, column)
    a, b = data.order[first], data.order[second]
    effect, p = data.effects[first, second], data.pvalues[first, second]
    verdict = "differ" if data.differs(first, second) else "not separated"
    lines = [
        f"<b>{text.escape(a)} vs {text.escape(b)}</b>: {verdict}",
        f"{text.escape(data.effect_name)} {text.signed(effect, data.places + 1)}",
        f"p adjusted {text.p_hover(float(p))}",
    ]
    if data.wins is not None:
        lines.append(f"W/T/L {text.escape(data.wins.loc[a, b])}")
    return "<br>".join([*lines, "Click: open the pair"])


def _labels(fig: go.Figure, data: _Data, sizes: _Sizes, style: Style) -> None:
    x, y, words, inks = [], [], [], []
    for i, j in data.pairs():
        word = _word(data, i, j, sizes, style)
        if i == j or not word:
            continue
        x.append(j)
        y.append(i + 0.07 * sizes.font / sizes.cell)  # centres the digits, not the line
        words.append(word)
        inks.append(style.ink if data.differs(i, j) else style.faint)
    fig.add_scatter(
        x=x,
        y=y,
        text=words,
        mode="text",
        textposition="middle center",
        textfont={"size": sizes.font, "color": inks},
        name="labels",
        hoverinfo="skip",
        cliponaxis=False,
    )


def _word(data: _Data, row: int, column: int, sizes: _Sizes, style: Style) -> str:
    effect, differs = data.effects[row, column], data.differs(row, column)
    if sizes.detail == "glyph":
        return (_UP if effect >= 0 else _DOWN) if differs and row < column else ""
    if row > column:
        p = text.escape(p_text(float(data.pvalues[row, column]), data.alpha))
        p = p.replace("0.", ".", 1) if style.printed and style.width < 480 else p
        return f"<b>{p}</b>" if differs else p
    if np.isnan(effect):
        return "n/a"
    if not differs:
        return text.signed(effect, data.places)
    return f"{_UP if effect >= 0 else _DOWN} {abs(effect):.{data.places}f}"


def _axes(
    fig: go.Figure, order: list[str], shown: dict[str, str], sizes: _Sizes, style: Style
) -> None:
    k = len(order)
    axis = {
        "tickmode": "array",
        "tickvals": list(range(k)),
        "ticktext": [text.escape(shown[name]) for name in order],
        "tickfont": {"size": sizes.names, "color": style.ink},
        "showline": False,
        "ticks": "",
        "ticklabelstandoff": 3,
        "fixedrange": True,
    }
    widest = max(text.width(s, sizes.names, style.serif) for s in shown.values())
    upright = _upright(widest, fig.layout.margin.l, k, style)
    fig.update_xaxes(side="top", range=[-0.5, k - 0.5], tickangle=-90 if upright else 0, **axis)
    if not sizes.names_columns:
        fig.update_xaxes(showticklabels=False)
    fig.update_yaxes(range=[k - 0.5, -0.5], **axis)


def alt_matrix(
    effects: pd.DataFrame,
    pvalues: pd.DataFrame,
    *,
    alpha: float,
    order: Sequence[str],
    measure: str = "",
    over: str = "",
) -> str:
    """Return the alternative text of the matrix, at most 300 characters."""
    order = [str(name) for name in order]
    k = len(order)
    data = _Data(order, _aligned(effects, order), _aligned(pvalues, order), alpha, None, "")
    upper = [(i, j) for i in range(k) for j in range(i + 1, k)]
    differ = sum(data.differs(i, j) for i, j in upper)
    i, j = max(upper, key=lambda c: np.nan_to_num(abs(data.effects[c])))
    head = "Pair matrix" + (f" of {measure}" if measure else "") + f" for {k} algorithms"
    head += f" on {over}" if over else ""
    largest = f"{text.plain(order[i])} vs {text.plain(order[j])}"
    largest += f", {abs(data.effects[i, j]):.{data.places}f}"
    return text.clip(
        f"{head}. {differ} of {len(upper)} pairs differ; largest {largest}. "
        "Table below holds every value."
    )
