"""Ranks on every data set: where the average ranks come from."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from figures import text, theme
from figures.theme import Style
from stats_core.similar_sets import similarity_order

_BLUES = ("#08306B", "#08519C", "#2171B5", "#4292C6", "#88BEDC", "#C6DBEF", "#EDF4FB")
_GREYS = ("#252525", "#525252", "#737373", "#969696", "#BDBDBD", "#D9D9D9", "#F4F4F4")
#: Beyond this many cells one image replaces single cells; hover and clicks per cell stay off.
_MOST_CELLS = 6000


@dataclass(frozen=True, slots=True)
class _Group:
    label: str
    start: int  # its rows are start to end - 1
    end: int


def rank_map(
    ranks: pd.DataFrame,
    values: pd.DataFrame,
    *,
    style: Style,
    groups: pd.Series | None = None,
    concordance: pd.Series | None = None,
) -> go.Figure:
    """Draw the rank of every algorithm on every data set, similar data sets together.

    Parameters
    ----------
    ranks : DataFrame
        Data sets by algorithms, 1 is best, ties share a mean rank, NaN is a hole.
    values : DataFrame
        The measured values of the same shape, for hover.
    style : Style
        Surface and width.
    groups : Series by data set, optional
        Its group: numbered ones stand in the order of their numbers, named ones as they come.
        Data sets without one stand last.
    concordance : Series by group, optional
        Kendall's W, printed beside the name of the group.

    Returns
    -------
    Figure
        Algorithms from left to right by average rank, which stands above them, and above
        every group the average ranks within it. Seven steps of
        one hue from best to worst, half steps for ties; holes carry a cross. Cells carry
        ``[data set, algorithm]``.
    """
    ranks, parts = _arranged(ranks, groups, concordance)
    values = values.reindex(index=ranks.index, columns=ranks.columns)
    sizes = _Sizes.of(ranks, parts, style)
    places = _places(len(ranks), parts, sizes)
    fig = theme.figure(style, sizes.height, margin=sizes.margin, bargap=0)
    if ranks.size <= _MOST_CELLS:
        _cells(fig, ranks, values, places, sizes.row, style)
    else:
        _image(fig, ranks, places, parts, style)
    _averages(fig, ranks, places, parts, sizes, style)
    _numbers(fig, ranks, places, sizes, style)
    _axes(fig, ranks, places, parts, sizes, style)
    return fig


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


def _arranged(
    ranks: pd.DataFrame, groups: pd.Series | None, concordance: pd.Series | None
) -> tuple[pd.DataFrame, list[_Group]]:
    """Sort the columns by average rank and the rows by group and similarity."""
    ranks = ranks[ranks.mean().sort_values(kind="stable").index]
    if groups is None:
        return ranks.iloc[similarity_order(ranks)], []
    names = groups.dropna().unique().tolist()
    if not any(isinstance(name, str) for name in names):
        names.sort()
    groups = groups.reindex(ranks.index)
    tables, parts, start = [], [], 0
    for name in [*names, None]:
        part = ranks[groups.isna() if name is None else groups.eq(name)]
        if len(part):
            tables.append(part.iloc[similarity_order(part)])
            parts.append(_Group(_label(name, concordance), start, start + len(part)))
            start += len(part)
    return pd.concat(tables), parts


def _label(name: object, concordance: pd.Series | None) -> str:
    if name is None:
        return "no group"
    label = name if isinstance(name, str) else f"group {name:g}"
    w = float("nan") if concordance is None else concordance.get(name, float("nan"))
    return label if np.isnan(w) else f"{label}, W {w:.2f}"


def _places(count: int, parts: list[_Group], sizes: _Sizes) -> list[float]:
    """Return the height of every row, counted in rows; each group leaves room for its head."""
    if not parts:
        return list(range(count))
    head = sizes.head / sizes.row
    return [i + n * head for n, part in enumerate(parts, 1) for i in range(part.start, part.end)]


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
    groups: list[str]
    average: float  # height of the row of average ranks
    head: float  # the same above a group, with room for the hairline
    turned: bool  # whether they stand upright

    @staticmethod
    def of(ranks: pd.DataFrame, parts: list[_Group], style: Style) -> _Sizes:
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
        groups = _short([part.label for part in parts], 0.35 * style.width, size, style)
        labels = ["average rank", *groups]
        label = max(text.width(s, size, style.serif) for s in labels)
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
        head = average + style.px(6, 4)
        height = top + count * row + average + len(parts) * head + margin["b"]
        names = (columns, rows, groups)
        text_sizes = (numbers, heads, upright)
        return _Sizes(row, margin, height, named, *text_sizes, *names, average, head, turned)


def _short(labels: list[str], room: float, size: float, style: Style) -> list[str]:
    shown = text.shorten(labels, room, size, serif=style.serif)
    return [shown[label] for label in labels]


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
    fig: go.Figure,
    ranks: pd.DataFrame,
    values: pd.DataFrame,
    places: list[float],
    row: float,
    style: Style,
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
        base=[places[i] - 0.48 for i, _ in grid],
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
            y=[places[i] for i, _ in holes],
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


def _image(
    fig: go.Figure,
    ranks: pd.DataFrame,
    places: list[float],
    parts: list[_Group],
    style: Style,
) -> None:
    """Draw one image per group."""
    count, k = ranks.shape
    steps = 2 * (len(_ramp(style)) - 1)
    scale = [[s / steps, _colour(1 + s / steps * (k - 1), k, style)] for s in range(steps + 1)]
    for part in parts or [_Group("", 0, count)]:
        fig.add_heatmap(
            z=ranks.to_numpy(dtype=float)[part.start : part.end],
            x=list(range(k)),
            y=places[part.start : part.end],
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


def _averages(
    fig: go.Figure,
    ranks: pd.DataFrame,
    places: list[float],
    parts: list[_Group],
    sizes: _Sizes,
    style: Style,
) -> None:
    """Print the average ranks above the cells and above each group, hairlines between."""
    half = sizes.average / sizes.row / 2
    blocks = [(-0.5 - half, ranks)]
    for part in parts:
        middle = places[part.start] - 0.5 - half
        line = middle - sizes.head / 2 / sizes.row
        blocks.append((middle, ranks.iloc[part.start : part.end]))
        fig.add_shape(
            type="line",
            xref="paper",
            x0=0,
            x1=1,
            y0=line,
            y1=line,
            line={"width": style.px(1, 0.6), "color": style.leader},
        )
    for y, block in blocks:
        for j, mean in enumerate(block.mean()):
            fig.add_annotation(
                text="" if np.isnan(mean) else f"{mean:.2f}",
                x=j,
                y=y,
                xanchor="center",
                yanchor="middle",
                textangle=-90 if sizes.turned else 0,
                font={"size": sizes.heads, "color": style.ink},
            )


def _numbers(
    fig: go.Figure, ranks: pd.DataFrame, places: list[float], sizes: _Sizes, style: Style
) -> None:
    """Print the ranks inside the cells where they fit."""
    k = ranks.shape[1]
    words: list[tuple[int, float, str, str]] = []
    lower = 0.07 * sizes.numbers / sizes.row  # centres the digits, not the line
    if sizes.numbers:
        for i, row in enumerate(ranks.to_numpy(dtype=float)):
            for j, rank in enumerate(row):
                if not np.isnan(rank):
                    ink = _ink_on(_colour(rank, k, style))
                    words.append((j, places[i] + lower, f"{rank:g}", ink))
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


def _axes(
    fig: go.Figure,
    ranks: pd.DataFrame,
    places: list[float],
    parts: list[_Group],
    sizes: _Sizes,
    style: Style,
) -> None:
    k = ranks.shape[1]
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
    heads = [places[part.start] - 0.5 - above / 2 for part in parts]
    names = [text.escape(sizes.rows[str(n)]) for n in ranks.index] if sizes.named else []
    size = min(style.tick_size, max(0.85 * sizes.row, 8)) if sizes.named else style.tick_size
    fig.update_yaxes(
        range=[places[-1] + 0.5, -0.5 - above],
        tickvals=[-0.5 - above / 2, *heads, *places[: len(names)]],
        ticktext=["average rank", *(text.escape(label) for label in sizes.groups), *names],
        tickfont={"size": size, "color": style.ink},
        **shared,
    )
