"""Where rows, columns and names of a rank map lie."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from foldwise.figures import text, theme, traces
from foldwise.figures.axis_parts import names_axis
from foldwise.figures.label_placement import add_annotations
from foldwise.figures.theme import PX_PER_INCH, Style
from stats_core.robustness.similar_datasets import similarity_order


@dataclass(frozen=True, slots=True)
class Group:
    """Rows that stand together below a head."""

    label: str
    start: int  # its rows are start to end - 1
    end: int


def width_for_names(ranks: pd.DataFrame, parts: list[Group], style: Style) -> float:
    """Return the least width in inches, to a quarter, at which every algorithm is named."""
    inches = math.ceil(4 * style.width / PX_PER_INCH) / 4
    while inches < 40:
        wider = replace(style, width=round(inches * PX_PER_INCH))
        if RankMapSizes.of(ranks, parts, wider).every == 1:
            break
        inches += 0.25
    return inches


def sort_rows_and_columns(
    ranks: pd.DataFrame, groups: pd.Series | None, concordance: pd.Series | None
) -> tuple[pd.DataFrame, list[Group]]:
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
            parts.append(Group(_label(name, concordance), start, start + len(part)))
            start += len(part)
    return pd.concat(tables), parts


def _label(name: object, concordance: pd.Series | None) -> str:
    if name is None:
        return "no group"
    label = name if isinstance(name, str) else f"group {name:g}"
    w = float("nan") if concordance is None else concordance.get(name, float("nan"))
    return label if np.isnan(w) else f"{label}, W {w:.2f}"


def row_positions(count: int, parts: list[Group], sizes: RankMapSizes) -> list[float]:
    """Return the height of every row, counted in rows; each group leaves room for its head."""
    if not parts:
        return list(range(count))
    head = sizes.head / sizes.row
    return [i + n * head for n, part in enumerate(parts, 1) for i in range(part.start, part.end)]


@dataclass(frozen=True, slots=True)
class RankMapSizes:
    """Sizes in px, and the strings to print."""

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
    every: int  # of so many algorithms one is named, for want of room

    @staticmethod
    def of(ranks: pd.DataFrame, parts: list[Group], style: Style) -> RankMapSizes:
        """Return the sizes that ranks, in the order of `sort_rows_and_columns`, have in a style."""
        count, k = ranks.shape
        most = style.px(1100, 800)
        row = min(style.px(24, 13), max(most / (count + 1), style.px(1.0, 0.7)))
        named = row >= style.px(11, 8.4)
        # Small rows lower the text with them, but never under six points.
        size = min(style.tick_size, max(0.85 * row, 8)) if named else style.tick_size
        rows = text.shorten(
            [str(n) for n in ranks.index], 0.28 * style.width, size, serif=style.serif
        )
        widest = max(text.text_width(s, size, style.serif) for s in rows.values()) if named else 0
        groups = _short([part.label for part in parts], 0.35 * style.width, size, style)
        labels = ["average rank", *groups]
        label = max(text.text_width(s, size, style.serif) for s in labels)
        left = max(widest, label) + style.px(16, 10)
        total = style.width if style.printed else min(style.width, 820)
        column = (total - left - 8) / k
        heads = min(style.tick_size, max(0.9 * column, 8))
        high = style.px(0.3, 0.46) * style.width
        every = [str(n) for n in ranks.columns]
        columns = text.column_headers(every, column, high, heads, serif=style.serif)
        head = max(text.text_width(s, heads, style.serif) for s in columns.values())
        upright = head > column - 4
        widest_mean = text.text_width("00.00"[k < 10 :], heads, style.serif)
        turned = widest_mean > column - 3
        # Upright text is as wide as its line is high; on the screen a page stretches.
        every = max(math.ceil(1.05 * heads / column - 1e-9), 1) if style.printed else 1
        average = max(1.5 * style.tick_size, widest_mean + 6 if turned else 0.0)
        numbers = _number_size(ranks, row, column, style)
        top = (head if upright else text.row_height(columns.values(), heads, heads)) + style.px(
            12, 8
        )
        margin = {"l": left, "r": style.px(8, 6), "t": top, "b": style.px(6, 4)}
        head = average + style.px(6, 4)
        height = top + count * row + average + len(parts) * head + margin["b"]
        names = (columns, rows, groups)
        text_sizes = (numbers, heads, upright)
        return RankMapSizes(
            row, margin, height, named, *text_sizes, *names, average, head, turned, every
        )


def _short(labels: list[str], room: float, size: float, style: Style) -> list[str]:
    shown = text.shorten(labels, room, size, serif=style.serif)
    return [shown[label] for label in labels]


def _number_size(ranks: pd.DataFrame, row: float, column: float, style: Style) -> float:
    """Return the text size of the ranks in the cells, 0 if the widest does not fit."""
    if row < style.px(22, 9.4) or column < style.px(22, 11):
        return 0.0
    every = pd.unique(ranks.to_numpy(dtype=float).ravel())
    one = max((text.text_width(f"{r:g}", 1.0, style.serif) for r in every if r == r), default=0.5)
    size = min(style.tick_size, 0.7 * row, (column - 2) / one)
    return size if size >= 8 else 8.0 if row >= 9.4 and 8 * one <= column - 1 else 0.0


_BLUES = ("#08306B", "#08519C", "#2171B5", "#4292C6", "#88BEDC", "#C6DBEF", "#EDF4FB")
_GREYS = ("#252525", "#525252", "#737373", "#969696", "#BDBDBD", "#D9D9D9", "#F4F4F4")
#: Beyond this many cells one image replaces single cells; hover and clicks per cell stay off.
_MOST_CELLS = 6000


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
    ranks, parts = sort_rows_and_columns(ranks, groups, concordance)
    values = values.reindex(index=ranks.index, columns=ranks.columns)
    sizes = RankMapSizes.of(ranks, parts, style)
    places = row_positions(len(ranks), parts, sizes)
    fig = theme.new_figure(style, sizes.height, margin=sizes.margin, bargap=0)
    if ranks.size <= _MOST_CELLS:
        _cells(fig, ranks, values, places, sizes.row, style)
    else:
        _image(fig, ranks, places, parts, style)
    _averages(fig, ranks, places, parts, sizes, style)
    _numbers(fig, ranks, places, sizes, style)
    _axes(fig, ranks, places, parts, sizes, style)
    return fig


def alt_rank_map(ranks: pd.DataFrame, *, what: str = "rank") -> str:
    """Return the alternative text of the map, at most 300 characters; `what` as for the caption."""
    best, worst = ("Best", "worst") if what == "rank" else ("Lowest", "highest")
    average = ranks.mean().sort_values(kind="stable")
    first = ranks.eq(ranks.min(axis=1), axis=0).sum()
    leader = first.idxmax()
    words = (
        f"{what.capitalize()} heat map for {ranks.shape[1]} algorithms on {len(ranks)} data sets. "
        f"{best} average {what} {text.plain_text(average.index[0])} {average.iloc[0]:.2f}, {worst} "
        f"{text.plain_text(average.index[-1])} {average.iloc[-1]:.2f}. {text.plain_text(leader)} is first "
        f"on {first[leader]} of {len(ranks)} data sets."
    )
    return text.truncate_text(words)


def caption_rank_map(
    ranks: pd.DataFrame,
    *,
    style: Style,
    groups: pd.Series | None = None,
    concordance: pd.Series | None = None,
    total: int = 0,
    what: str = "rank",
) -> str:
    """Return what cells, crosses and left-out names mean, for the caption.

    Examples
    --------
    >>> from foldwise.figures.theme import screen
    >>> table = pd.DataFrame({"rf": [1, 1], "nb": [2, 2]})
    >>> caption_rank_map(table, style=screen(), what="cost-aware rank")
    'Each cell is the cost-aware rank of an algorithm on a data set; the darkest is rank 1. Algorithms by average cost-aware rank, lowest left; similar data sets stand next to each other.'
    """
    ranks, parts = sort_rows_and_columns(ranks, groups, concordance)
    k = ranks.shape[1]
    best = "lightest" if style.dark else "darkest"
    first, left = ("best", "best") if what == "rank" else ("rank 1", "lowest")
    said = [
        f"Each cell is the {what} of an algorithm on a data set; the {best} is {first}. "
        f"Algorithms by average {what}, {left} left; similar data sets stand next to each other."
    ]
    if total > k:
        said.append(
            f"Only the {k} best of {total:,} algorithms are drawn, with their {what}s among "
            "themselves."
        )
    if parts:
        said.append("Above each group stand the averages within it.")
    if ranks.isna().to_numpy().any():
        said.append("A cross: no value.")
    sizes = RankMapSizes.of(ranks, parts, style)
    if sizes.every > 1:
        said.append(
            f"For want of room one of every {sizes.every} algorithms is named; a width of "
            f"{width_for_names(ranks, parts, style):g} in names all."
        )
    return " ".join(said)


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
    colours = {rank: _colour(rank, k, style) for rank in np.unique(table[~np.isnan(table)])}
    fills = [style.blank if hole[c] else colours[table[c]] for c in grid]
    traces.add_areas(
        fig,
        [j for _, j in grid],
        [0.96] * len(grid),
        "ranks",
        fills,
        _hovers(ranks, values),
        base=[places[i] - 0.48 for i, _ in grid],
        width=[0.97] * len(grid),
        customdata=[[str(ranks.index[i]), str(ranks.columns[j])] for i, j in grid],
        meta="data set",
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
    fig: go.Figure, ranks: pd.DataFrame, places: list[float], parts: list[Group], style: Style
) -> None:
    """Draw one image per group."""
    count, k = ranks.shape
    steps = 2 * (len(_ramp(style)) - 1)
    scale = [[s / steps, _colour(1 + s / steps * (k - 1), k, style)] for s in range(steps + 1)]
    for part in parts or [Group("", 0, count)]:
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


def _hovers(ranks: pd.DataFrame, values: pd.DataFrame) -> list[str]:
    """Say what is in each cell, row by row."""
    names = [text.escape(name) for name in ranks.columns]
    found = []
    for dataset, row, measured in zip(
        ranks.index, ranks.to_numpy(dtype=float), values.to_numpy(dtype=float), strict=True
    ):
        head = f"<b>{text.escape(dataset)}, "
        tied = {rank: np.flatnonzero(row == rank) for rank in row[~np.isnan(row)]}
        for place, (name, rank, value) in enumerate(zip(names, row, measured, strict=True)):
            title = f"{head}{name}</b>"
            if np.isnan(rank):
                found.append(f"{title}<br>no value")
                continue
            lines = [title, f"rank {rank:g} ({value:.4g})"]
            others = [names[other] for other in tied[rank] if other != place]
            if others:
                lines.append(f"tie with {text.join_escaped(others, 3)}")
            found.append("<br>".join([*lines, traces.click_hint("data set")]))
    return found


def _averages(
    fig: go.Figure,
    ranks: pd.DataFrame,
    places: list[float],
    parts: list[Group],
    sizes: RankMapSizes,
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
    look = {
        "xanchor": "center",
        "yanchor": "middle",
        "textangle": -90 if sizes.turned else 0,
        "font": {"size": sizes.heads, "color": style.ink},
    }
    add_annotations(
        fig,
        (
            {"text": "" if np.isnan(mean) else f"{mean:.2f}", "x": j, "y": y, **look}
            for y, block in blocks
            for j, mean in enumerate(block.mean())
            if not j % sizes.every
        ),
    )


def _numbers(
    fig: go.Figure, ranks: pd.DataFrame, places: list[float], sizes: RankMapSizes, style: Style
) -> None:
    """Print the ranks inside the cells where they fit."""
    k = ranks.shape[1]
    words: list[tuple[int, float, str, str]] = []
    lower = 0.07 * sizes.numbers / sizes.row  # centres the digits, not the line
    if sizes.numbers:
        table = ranks.to_numpy(dtype=float)
        inks = {
            rank: _ink_on(_colour(rank, k, style)) for rank in np.unique(table[~np.isnan(table)])
        }
        for i, row in enumerate(table):
            for j, rank in enumerate(row):
                if not np.isnan(rank):
                    words.append((j, places[i] + lower, f"{rank:g}", inks[rank]))
    if not words:
        return
    traces.add_cell_text(
        fig,
        [w[0] for w in words],
        [w[1] for w in words],
        "numbers",
        [w[2] for w in words],
        sizes.numbers,
        [w[3] for w in words],
    )


def _axes(
    fig: go.Figure,
    ranks: pd.DataFrame,
    places: list[float],
    parts: list[Group],
    sizes: RankMapSizes,
    style: Style,
) -> None:
    k = ranks.shape[1]
    shown = [text.shortened_markup(sizes.columns[str(n)]) for n in ranks.columns[:: sizes.every]]
    fig.update_xaxes(
        side="top",
        tickangle=-90 if sizes.upright else 0,
        tickfont={"size": sizes.heads, "color": style.ink},
        ticklabelstandoff=3,
        **names_axis(list(range(0, k, sizes.every)), shown, [-0.5, k - 0.5]),
    )
    above = sizes.average / sizes.row
    heads = [places[part.start] - 0.5 - above / 2 for part in parts]
    names = [text.escape(sizes.rows[str(n)]) for n in ranks.index] if sizes.named else []
    size = min(style.tick_size, max(0.85 * sizes.row, 8)) if sizes.named else style.tick_size
    at = [-0.5 - above / 2, *heads, *places[: len(names)]]
    names = ["average rank", *(text.escape(label) for label in sizes.groups), *names]
    fig.update_yaxes(
        tickfont={"size": size, "color": style.ink},
        ticklabelstandoff=3,
        **names_axis(at, names, [places[-1] + 0.5, -0.5 - above]),
    )
