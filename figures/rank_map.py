"""Ranks on every data set: where the average ranks come from."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd
import plotly.graph_objects as go
from scipy.cluster import hierarchy

from figures import text, theme
from figures.theme import Style

_BLUES = ("#08306B", "#08519C", "#2171B5", "#4292C6", "#88BEDC", "#C6DBEF", "#EDF4FB")
_GREYS = ("#252525", "#525252", "#737373", "#969696", "#BDBDBD", "#D9D9D9", "#F4F4F4")
#: Beyond this many cells one image replaces single cells; hover and clicks per cell stay off.
_MOST_CELLS = 6000
#: Beyond this many data sets they are grouped by their best algorithm, not by similarity.
_MOST_CLUSTERED = 2000


def rank_map(ranks: pd.DataFrame, values: pd.DataFrame, *, style: Style) -> go.Figure:
    """Draw the rank of every algorithm on every data set, similar data sets together.

    Parameters
    ----------
    ranks : DataFrame
        Data sets by algorithms, 1 is best, ties share a mean rank, NaN is a hole.
    values : DataFrame
        The measured values of the same shape, for hover.
    style : Style
        Surface and width.

    Returns
    -------
    Figure
        Algorithms from left to right by average rank, which stands above them. Seven steps of
        one hue from best to worst, half steps for ties; holes carry a cross. Cells carry
        ``[data set, algorithm]``.
    """
    ranks = _arranged(ranks)
    values = values.reindex(index=ranks.index, columns=ranks.columns)
    sizes = _Sizes.of(ranks, style)
    fig = theme.figure(style, sizes.height, margin=sizes.margin, bargap=0)
    if ranks.size <= _MOST_CELLS:
        _cells(fig, ranks, values, sizes.row, style)
    else:
        _image(fig, ranks, style)
    _words(fig, ranks, sizes, style)
    _axes(fig, ranks, sizes, style)
    return fig


def similarity_order(ranks: pd.DataFrame) -> list[int]:
    """Return the rows of `ranks` in an order that puts similar rankings side by side.

    Average linkage on Euclidean distance, the leaves of small trees turned so that
    neighbours are as close as possible. A hole counts as the mean rank.
    """
    if len(ranks) < 3:
        return list(range(len(ranks)))
    filled = ranks.to_numpy(dtype=float, copy=True)
    filled[np.isnan(filled)] = (ranks.shape[1] + 1) / 2
    if len(ranks) > _MOST_CLUSTERED:
        return np.lexsort((*filled.T[::-1], filled.argmin(axis=1))).tolist()
    tree = hierarchy.linkage(filled, "average", optimal_ordering=len(ranks) < 200)
    return hierarchy.leaves_list(tree).tolist()


def alt_rank_map(ranks: pd.DataFrame) -> str:
    """Return the alternative text of the map, at most 300 characters."""
    average = ranks.mean().sort_values(kind="stable")
    first = ranks.eq(ranks.min(axis=1), axis=0).sum()
    leader = first.idxmax()
    words = (
        f"Rank heat map for {ranks.shape[1]} algorithms on {len(ranks)} data sets. "
        f"Best average rank {text.plain(average.index[0])} {average.iloc[0]:.2f}, worst "
        f"{text.plain(average.index[-1])} {average.iloc[-1]:.2f}. {text.plain(leader)} is first "
        f"on {first[leader]} of {len(ranks)} data sets. Table below holds every value."
    )
    return text.clip(words)


def _arranged(ranks: pd.DataFrame) -> pd.DataFrame:
    average = ranks.mean().sort_values(kind="stable")
    columns = ranks[average.index]
    return columns.iloc[similarity_order(columns)]


@dataclass(frozen=True, slots=True)
class _Sizes:
    row: float
    margin: dict[str, float]
    height: float
    named: bool
    numbers: float  # text size in the cells, 0 for none
    heads: float
    upright: bool
    columns: dict[str, str]
    rows: dict[str, str]
    average: float  # height of the row of average ranks
    turned: bool  # whether they stand upright

    @staticmethod
    def of(ranks: pd.DataFrame, style: Style) -> _Sizes:
        count, k = ranks.shape
        most = style.px(1100, 800)
        row = min(style.px(24, 13), max(most / (count + 1), style.px(1.0, 0.7)))
        named = row >= style.px(11, 8.4)
        # Small rows lower the text with them, but never under six points.
        size = min(style.tick_size, max(0.85 * row, 8)) if named else style.tick_size
        rows = text.shorten(
            [str(n) for n in ranks.index], 0.28 * style.width, size, serif=style.serif
        )
        widest = max(text.width(s, size, style.serif) for s in rows.values()) if named else 0
        label = text.width("average rank", size, style.serif)
        left = max(widest, label) + style.px(16, 10)
        total = style.width if style.printed else min(style.width, 820)
        column = (total - left - 8) / k
        heads = min(style.tick_size, max(0.9 * column, 8))
        columns = text.shorten(
            [str(n) for n in ranks.columns], 0.3 * style.width, heads, serif=style.serif
        )
        head = max(text.width(s, heads, style.serif) for s in columns.values())
        upright = head > column - 4
        widest_mean = text.width("00.00"[k < 10 :], heads, style.serif)
        turned = widest_mean > column - 3
        average = max(1.5 * style.tick_size, widest_mean + 6 if turned else 0.0)
        numbers = _number_size(ranks, row, column, style)
        top = (head if upright else heads) + style.px(12, 8)
        margin = {"l": left, "r": style.px(8, 6), "t": top, "b": style.px(6, 4)}
        height = top + count * row + average + margin["b"]
        return _Sizes(
            row, margin, height, named, numbers, heads, upright, columns, rows, average, turned
        )


def _number_size(ranks: pd.DataFrame, row: float, column: float, style: Style) -> float:
    """Return the text size of the ranks in the cells, 0 if the widest does not fit."""
    if row < style.px(22, 9.4) or column < style.px(22, 11):
        return 0.0
    every = pd.unique(ranks.to_numpy(dtype=float).ravel())
    one = max((text.width(f"{r:g}", 1.0, style.serif) for r in every if r == r), default=0.5)
    size = min(style.tick_size, 0.7 * row, (column - 2) / one)
    return size if size >= 8 else 8.0 if row >= 9.4 and 8 * one <= column - 1 else 0.0


def _ramp(style: Style) -> tuple[str, ...]:
    """Return the steps from best to worst; on a dark ground the best is the brightest."""
    if style.printed and not style.colour:
        return _GREYS
    return _BLUES[::-1] if style.dark else _BLUES


def _colour(rank: float, k: int, style: Style) -> str:
    """Return the colour of a rank, to the half step."""
    ramp = _ramp(style)
    place = round(2 * (rank - 1) / max(k - 1, 1) * (len(ramp) - 1)) / 2
    below = min(int(place), len(ramp) - 2)
    share = place - below
    low, high = (_rgb(ramp[below]), _rgb(ramp[below + 1]))
    mixed = [round(a + share * (b - a)) for a, b in zip(low, high, strict=True)]
    return "#{:02X}{:02X}{:02X}".format(*mixed)


def _rgb(colour: str) -> tuple[int, int, int]:
    return int(colour[1:3], 16), int(colour[3:5], 16), int(colour[5:7], 16)


def _ink_on(colour: str) -> str:
    """Return black or white, whichever reads better."""
    linear = [(c / 255) ** 2.2 for c in _rgb(colour)]
    luminance = 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]
    return "#FFFFFF" if luminance < 0.18 else "#111111"


def _cells(
    fig: go.Figure, ranks: pd.DataFrame, values: pd.DataFrame, row: float, style: Style
) -> None:
    """Draw one bar per cell: bars come back from a click, heat map cells do not."""
    count, k = ranks.shape
    grid = [(i, j) for i in range(count) for j in range(k)]
    table = ranks.to_numpy(dtype=float)
    hole = {(i, j): bool(np.isnan(table[i, j])) for i, j in grid}
    fills = [style.blank if hole[c] else _colour(table[c], k, style) for c in grid]
    fig.add_bar(
        x=[j for _, j in grid],
        y=[0.96] * len(grid),
        base=[i - 0.48 for i, _ in grid],
        width=[0.97] * len(grid),
        customdata=[[str(ranks.index[i]), str(ranks.columns[j])] for i, j in grid],
        hovertext=[_hover(ranks, values, i, j) for i, j in grid],
        hoverinfo="text",
        name="ranks",
        marker={
            "color": fills,
            "line": {"width": 0},
        },
        unselected={"marker": {"opacity": 1}},
    )
    holes = [c for c in grid if hole[c]]
    if holes:
        fig.add_scatter(
            x=[j for _, j in holes],
            y=[i for i, _ in holes],
            mode="markers",
            name="holes",
            marker={
                "symbol": "x-thin-open",
                "size": min(style.px(9, 5), max(0.6 * row, 2)),
                "color": style.faint,
                "opacity": 1,
                "line": {"width": style.px(1.2, 0.7), "color": style.faint},
            },
            hoverinfo="skip",
        )


def _image(fig: go.Figure, ranks: pd.DataFrame, style: Style) -> None:
    k = ranks.shape[1]
    steps = 2 * (len(_ramp(style)) - 1)
    scale = [[s / steps, _colour(1 + s / steps * (k - 1), k, style)] for s in range(steps + 1)]
    fig.add_heatmap(
        z=ranks.to_numpy(dtype=float),
        x=list(range(k)),
        y=list(range(len(ranks))),
        zmin=1,
        zmax=k,
        colorscale=scale,
        showscale=False,
        hoverinfo="skip",
        name="ranks",
    )


def _hover(ranks: pd.DataFrame, values: pd.DataFrame, row: int, column: int) -> str:
    name, algorithm = ranks.index[row], ranks.columns[column]
    title = f"<b>{text.escape(name)}, {text.escape(algorithm)}</b>"
    rank, value = ranks.iat[row, column], values.iat[row, column]
    if np.isnan(rank):
        return f"{title}<br>no value"
    lines = [title, f"rank {rank:g} ({value:.4g})"]
    tied = [c for c in ranks.columns if c != algorithm and ranks.at[name, c] == rank]
    if tied:
        lines.append(f"tie with {text.listed((text.escape(c) for c in tied), 3)}")
    return "<br>".join([*lines, "Click: select the data set"])


def _words(fig: go.Figure, ranks: pd.DataFrame, sizes: _Sizes, style: Style) -> None:
    """Print the average ranks above the cells, and the ranks inside where they fit."""
    k = ranks.shape[1]
    above = -0.5 - sizes.average / sizes.row / 2
    for j, mean in enumerate(ranks.mean()):
        fig.add_annotation(
            text=f"{mean:.2f}",
            x=j,
            y=above,
            xanchor="center",
            yanchor="middle",
            textangle=-90 if sizes.turned else 0,
            font={"size": sizes.heads, "color": style.ink},
        )
    words: list[tuple[int, float, str, str]] = []
    lower = 0.07 * sizes.numbers / sizes.row  # centres the digits, not the line
    if sizes.numbers:
        for i, row in enumerate(ranks.to_numpy(dtype=float)):
            for j, rank in enumerate(row):
                if not np.isnan(rank):
                    ink = _ink_on(_colour(rank, k, style))
                    words.append((j, i + lower, f"{rank:g}", ink))
    if not words:
        return
    fig.add_scatter(
        x=[w[0] for w in words],
        y=[w[1] for w in words],
        text=[w[2] for w in words],
        textfont={"size": sizes.numbers, "color": [w[3] for w in words]},
        mode="text",
        textposition="middle center",
        hoverinfo="skip",
        name="numbers",
        cliponaxis=False,
    )


def _axes(fig: go.Figure, ranks: pd.DataFrame, sizes: _Sizes, style: Style) -> None:
    count, k = ranks.shape
    shared = {
        "tickmode": "array",
        "showline": False,
        "ticks": "",
        "ticklabelstandoff": 3,
        "fixedrange": True,
    }
    fig.update_xaxes(
        side="top",
        range=[-0.5, k - 0.5],
        tickvals=list(range(k)),
        ticktext=[text.escape(sizes.columns[str(n)]) for n in ranks.columns],
        tickangle=-90 if sizes.upright else 0,
        tickfont={"size": sizes.heads, "color": style.ink},
        **shared,
    )
    above = sizes.average / sizes.row
    names = [text.escape(sizes.rows[str(n)]) for n in ranks.index] if sizes.named else []
    size = min(style.tick_size, max(0.85 * sizes.row, 8)) if sizes.named else style.tick_size
    fig.update_yaxes(
        range=[count - 0.5, -0.5 - above],
        tickvals=[-0.5 - above / 2, *range(len(names))],
        ticktext=["average rank", *names],
        tickfont={"size": size, "color": style.ink},
        **shared,
    )
