"""Heat map of ranks, algorithm by data set, with similar data sets adjacent."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from itertools import product

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from foldwise.figures import text, theme, traces
from foldwise.figures.axis_parts import names_axis
from foldwise.figures.cd_layout import NARROWEST, REFERENCE_WIDTH
from foldwise.figures.label_placement import add_annotations
from foldwise.figures.spec import MOST_NAMES, FigureSpec, cached_figure, figure_text
from foldwise.figures.theme import PX_PER_INCH, Style
from stats_core.comparison.kinds.control import ControlComparison
from stats_core.comparison.kinds.datasets import RanksComparison
from stats_core.comparison.kinds.incomplete_datasets import PresentComparison
from stats_core.core.formatting import capitalize_first
from stats_core.ordering.order import Order
from stats_core.robustness import similar_datasets
from stats_core.robustness.similar_datasets import SimilarSets

_BLUES = ("#08306B", "#08519C", "#2171B5", "#4292C6", "#88BEDC", "#C6DBEF", "#EDF4FB")
_GREYS = ("#252525", "#525252", "#737373", "#969696", "#BDBDBD", "#D9D9D9", "#F4F4F4")
#: With more cells one image replaces the bars; hover and clicks per cell are then unavailable.
_MOST_CELLS = 6000
_PAGE = 9.0 * PX_PER_INCH  # height of a printed page
_LOW_NAMES = 1.5 * PX_PER_INCH  # height of names of algorithms where data sets need the page
_LEAST_ROW = (
    0.32  # px, height of a row that printers of 300 dpi can draw; of lower rows some are omitted
)


@dataclass(frozen=True, kw_only=True, eq=False)
class RankMap(FigureSpec):
    """Heat map of the rank of every algorithm on every data set, similar data sets adjacent.

    Algorithms are sorted from left to right by average rank, which is printed above them; above
    every group of data sets stand the average ranks within it. Cells have seven shades of one hue
    from best to worst, and intermediate ones for ties. A cross marks a missing result. The
    customdata of a cell is ``[data set, algorithm]``. More than 6,000 cells have neither crosses,
    hover text nor customdata.

    Attributes
    ----------
    ranks : DataFrame
        Data sets by algorithms, 1 is best, ties share a mean rank, NaN is a missing result.
    values : DataFrame
        The measured values, data sets by algorithms, for hover.
    groups : Series by data set, optional
        Group of each data set: numbers are sorted, names keep their order of appearance. Data sets
        without a group come last.
    concordance : Series by group, optional
        Kendall's W, printed next to the name of the group.
    total : int
        Number of algorithms compared; `ranks` may hold only the best of them.
    what : {"rank", "cost-aware rank"}
        Kind of rank shown.
    how_to_read : str
        How to read the map.
    """

    ranks: pd.DataFrame
    values: pd.DataFrame
    groups: pd.Series | None = None
    concordance: pd.Series | None = None
    total: int = 0
    what: str = "rank"
    how_to_read: str = ""

    @property
    def data(self) -> pd.DataFrame:
        """The ranks."""
        return self.ranks

    @cached_property
    def _sorted(self) -> tuple[pd.DataFrame, list[_Group]]:
        """Ranks sorted by average rank (columns) and by similarity within groups (rows), and the groups."""
        ranks = self.ranks[self.ranks.mean().sort_values(kind="stable").index]
        if self.groups is None:
            return ranks.iloc[similar_datasets.similarity_order(ranks)], []
        names = self.groups.dropna().unique().tolist()
        if not any(isinstance(name, str) for name in names):
            names.sort()
        groups = self.groups.reindex(ranks.index)
        tables, parts, start = [], [], 0
        for name in [*names, None]:
            rows = ranks[groups.isna() if name is None else groups.eq(name)]
            if rows.empty:
                continue
            end = start + len(rows)
            tables.append(rows.iloc[similar_datasets.similarity_order(rows)])
            parts.append(_Group(self._group_label(name), slice(start, end)))
            start = end
        return pd.concat(tables), parts

    def _group_label(self, name: str | float | None) -> str:
        """Return the heading of a group; None for the data sets without one."""
        if name is None:
            return "no group"
        label = name if isinstance(name, str) else f"group {name:g}"
        if self.concordance is None or np.isnan(value := self.concordance.get(name, np.nan)):
            return label
        return f"{label}, W = {value:.2f}"

    def draw(self, style: Style) -> go.Figure:
        """Return the Plotly figure."""
        ranks, parts = self._sorted
        sizes = _Sizes(ranks, parts, style)
        row_y: list[float] = list(range(len(ranks)))  # each group leaves room for its heading
        for number, part in enumerate(parts, 1):
            row_y[part.rows] = [y + number * sizes.head / sizes.row for y in row_y[part.rows]]
        fig = theme.new_figure(style, sizes.height, margin=sizes.margin, bargap=0)
        if ranks.size <= _MOST_CELLS:
            self._draw_cells(fig, row_y, sizes.row, style)
        else:
            self._draw_image(fig, row_y, sizes.step, style)
        self._draw_averages(fig, row_y, sizes, style)
        self._draw_numbers(fig, row_y, sizes, style)
        self._draw_axes(fig, row_y, sizes, style)
        return fig

    def _draw_cells(self, fig: go.Figure, row_y: list[float], row: float, style: Style) -> None:
        """Draw the cells, with a cross where a rank is missing."""
        ranks = self._sorted[0]
        n_rows, k = ranks.shape
        table = ranks.to_numpy(dtype=float)
        grid = list(product(range(n_rows), range(k)))
        colours = {rank: shade(rank, k, style) for rank in np.unique(table[~np.isnan(table)])}
        traces.add_cells(
            fig,
            [(column, row_y[i]) for i, column in grid],
            "ranks",
            [colours.get(table[cell], style.blank) for cell in grid],
            self._hovers(),
            width=[0.97] * len(grid),
            height=0.96,
            customdata=[[str(ranks.index[i]), str(ranks.columns[j])] for i, j in grid],
            meta="data set",
        )
        missing = [cell for cell in grid if np.isnan(table[cell])]
        if missing:
            traces.add_points(
                fig,
                [column for _, column in missing],
                [row_y[i] for i, _ in missing],
                "holes",
                min(style.px(9, 5), max(0.6 * row, 2)),
                "x-thin-open",
                style.faint,
                edge=(style.px(1.2, 0.7), style.faint),
                cliponaxis=None,
            )

    def _draw_image(self, fig: go.Figure, row_y: list[float], every: int, style: Style) -> None:
        """Draw one heat map per group, or a single one without groups, of one of `every` data sets."""
        ranks, parts = self._sorted
        count, k = ranks.shape
        n_steps = 2 * (len(_ramp(style)) - 1)
        shares = [step / n_steps for step in range(n_steps + 1)]
        scale = [[share, shade(1 + share * (k - 1), k, style)] for share in shares]
        table = ranks.to_numpy(dtype=np.float32)
        for rows in [part.rows for part in parts] or [slice(0, count)]:
            fig.add_heatmap(
                z=table[rows][::every],
                y=row_y[rows][::every],
                zmin=1,
                zmax=k,
                colorscale=scale,
                x=list(range(k)),
                name="ranks",
                showscale=False,
                hoverinfo="skip",
            )

    def _hovers(self) -> list[str]:
        """Return the hover text of each cell, row by row."""
        ranks = self._sorted[0]
        values = self.values.reindex(index=ranks.index, columns=ranks.columns).to_numpy(dtype=float)
        names = [text.escape(name) for name in ranks.columns]
        rows = zip(ranks.index, ranks.to_numpy(dtype=float), values, strict=True)
        hover_texts = []
        for dataset, row, measured in rows:
            title = text.escape(dataset)
            tied = {rank: np.flatnonzero(row == rank) for rank in row[~np.isnan(row)]}
            for position, (name, rank, value) in enumerate(zip(names, row, measured, strict=True)):
                lines = [f"<b>{title}, {name}</b>"]
                if np.isnan(rank):
                    lines.append("missing result")
                else:
                    lines.append(f"rank {rank:g} ({value:.4g})")
                    others = [names[other] for other in tied[rank] if other != position]
                    if others:
                        lines.append(f"tie with {text.join_escaped(others, 3)}")
                    lines.append(traces.click_hint("data set"))
                hover_texts.append("<br>".join(lines))
        return hover_texts

    def _draw_averages(
        self, fig: go.Figure, row_y: list[float], sizes: _Sizes, style: Style
    ) -> None:
        """Write the average ranks above the heat map and above each group."""
        ranks, parts = self._sorted
        half = sizes.average / sizes.row / 2
        blocks = [(-0.5 - half, ranks)]
        for part in parts:
            y = row_y[part.rows.start] - 0.5 - half
            line = y - sizes.head / 2 / sizes.row
            blocks.append((y, ranks.iloc[part.rows]))
            fig.add_shape(
                type="line",
                xref="paper",
                x0=0,
                x1=1,
                y0=line,
                y1=line,
                line={"width": style.px(1, 0.6), "color": style.leader},
            )
        labels = []
        for y, block in blocks:
            averages = block.mean().iloc[:: sizes.every]
            for number, mean in enumerate(averages):
                label = {
                    "text": "" if np.isnan(mean) else f"{mean:.2f}",
                    "x": number * sizes.every,
                    "y": y,
                    "xanchor": "center",
                    "yanchor": "middle",
                    "textangle": -90 if sizes.turned else 0,
                    "font": {"size": sizes.heads, "color": style.ink},
                }
                labels.append(label)
        add_annotations(fig, labels)

    def _draw_numbers(
        self, fig: go.Figure, row_y: list[float], sizes: _Sizes, style: Style
    ) -> None:
        """Write the ranks in the cells if they fit."""
        table = self._sorted[0].to_numpy(dtype=float)
        cells = np.argwhere(~np.isnan(table)).tolist()
        if not sizes.numbers or not cells:
            return
        k = table.shape[1]
        inks = {rank: ink_on(shade(rank, k, style)) for rank in np.unique(table[~np.isnan(table)])}
        offset = 0.07 * sizes.numbers / sizes.row  # centres the digits, not the line
        shown = [table[i, j] for i, j in cells]
        traces.add_cell_text(
            fig,
            [j for _, j in cells],
            [row_y[i] + offset for i, _ in cells],
            "numbers",
            [f"{rank:g}" for rank in shown],
            sizes.numbers,
            [inks[rank] for rank in shown],
        )

    def _draw_axes(self, fig: go.Figure, row_y: list[float], sizes: _Sizes, style: Style) -> None:
        """Configure both axes, with the algorithms above, and groups and data sets at the left."""
        ranks, parts = self._sorted
        k = ranks.shape[1]
        named_columns = [str(name) for name in ranks.columns[:: sizes.every]]
        column_labels = [text.shortened_markup(sizes.columns[name]) for name in named_columns]
        at = list(range(0, k, sizes.every))
        columns = names_axis(at, column_labels, [-0.5, k - 0.5], sizes.heads)
        fig.update_xaxes(side="top", tickangle=-90 if sizes.upright else 0, **columns)
        above = sizes.average / sizes.row
        headings = [row_y[part.rows.start] - 0.5 - above / 2 for part in parts]
        datasets = [str(name) for name in ranks.index] if sizes.named else []
        dataset_labels = [text.escape(sizes.rows[name]) for name in datasets]
        group_labels = [text.escape(label) for label in sizes.groups]
        positions = [-0.5 - above / 2, *headings, *row_y[: len(datasets)]]
        labels = ["average rank", *group_labels, *dataset_labels]
        ends = [row_y[-1] + 0.5, -0.5 - above]
        fig.update_yaxes(**names_axis(positions, labels, ends, sizes.names))
        traces.add_names(fig, datasets, dataset_labels, style, "data set")

    @property
    def alt(self) -> str:
        """The alternative text, at most 300 characters."""
        ranks = self.ranks
        average = ranks.mean().sort_values(kind="stable")
        first = ranks.eq(ranks.min(axis=1), axis=0).sum()
        alt = self.describe(
            "rank_map.alt",
            kind=capitalize_first(self.what),
            k=ranks.shape[1],
            n=len(ranks),
            best=text.plain_text(average.index[0]),
            low=average.iloc[0],
            worst=text.plain_text(average.index[-1]),
            high=average.iloc[-1],
            leader=text.plain_text(first.idxmax()),
            first=first.max(),
        )
        return text.truncate_text(alt)

    def caption(self, style: Style) -> str:
        """Return the caption."""
        ranks, parts = self._sorted
        sizes = _Sizes(ranks, parts, style)
        return self.describe(
            "rank_map.caption",
            numbers=sizes.numbers,
            shade="lightest" if style.dark else "darkest",
            k=ranks.shape[1],
            n=len(ranks),
            groups=parts,
            missing=ranks.isna().to_numpy().any(),
            every=sizes.every,
            step=sizes.step,
        )


@cached_figure(at_every_level=True)
def rank_map_of(
    analysis: RanksComparison | ControlComparison | PresentComparison,
    *,
    groups: SimilarSets | None = None,
    dark: bool = False,
) -> RankMap:
    """Return the heat map of the ranks of the `MOST_NAMES` best algorithms, among each other, on each data set."""
    order = analysis.order[:MOST_NAMES]
    scores = analysis.scores[order]
    if isinstance(analysis, PresentComparison):
        how = "present"
        ranks = analysis.omnibus.ranks[order]
        scores = scores.loc[ranks.index]
        ranks = ranks.where(scores.notna()).rank(axis=1)
        ranks = ranks[ranks.notna().any(axis=1)]
    else:
        how = "complete"
        ranks = analysis.friedman.ranks[order].rank(axis=1)
    return RankMap(
        name=f"rank_map_{analysis.settings.measure}",
        title=figure_text("rank_map.title"),
        how_to_read=figure_text(f"rank_map.how_to_read_{how}", best="light" if dark else "dark"),
        ranks=ranks,
        values=scores,
        groups=None if groups is None else groups.labels,
        concordance=None if groups is None else groups.concordance,
        total=len(analysis.order),
    )


@cached_figure
def rank_map_of_order(order: Order, *, dark: bool = False) -> RankMap | None:
    """Return the heat map of the ranks averaged by an order, at most `MOST_NAMES` algorithms; None on one data set."""
    if order.second is None:
        return None
    ranked = order.second.friedman.ranks
    ranks = ranked[list(order.scores.index)[:MOST_NAMES]].rank(axis=1)  # only those drawn
    how = "order" if order.each else "untested_order"
    what = "cost-aware rank" if order.each else "rank"
    return RankMap(
        name=f"order_places_{order.settings.measure}",
        title=f"{capitalize_first(what)}s by data set",
        how_to_read=figure_text(f"rank_map.how_to_read_{how}", best="light" if dark else "dark"),
        ranks=ranks.rename_axis("data set"),
        values=ranks,
        total=ranked.shape[1],
        what=what,
    )


@dataclass(frozen=True, slots=True)
class _Group:
    """Range of consecutive rows with a common heading."""

    label: str
    rows: slice


class _Sizes:
    """Sizes in px and printed names of a rank map."""

    def __init__(self, ranks: pd.DataFrame, parts: list[_Group], style: Style) -> None:
        """Compute sizes and printed names for a style."""
        fitting = style.px(1100, 800) / (len(ranks) + 1)
        row = min(style.px(24, 13), max(fitting, style.px(1.0, 0.7)))
        names = style.px(0.3, 0.46) * style.width
        self._fit(ranks, parts, style, row, names)
        if not style.printed or self.height <= _PAGE:
            return
        self._fit_page(ranks, parts, style, names)
        if self.step > 1 and names > _LOW_NAMES:  # shorter names leave room for more data sets
            self._fit_page(ranks, parts, style, _LOW_NAMES)

    def _fit_page(
        self, ranks: pd.DataFrame, parts: list[_Group], style: Style, names: float
    ) -> None:
        """Compute sizes and printed names with rows so low that the map fits on one page."""
        self._fit(ranks, parts, style, self.row, names)
        low = self.row - (self.height - _PAGE) / len(ranks)
        self._fit(ranks, parts, style, max(low, 1e-3), names)

    def _fit(
        self, ranks: pd.DataFrame, parts: list[_Group], style: Style, row: float, high: float
    ) -> None:
        """Compute sizes and printed names for a height of rows and the most of the column names."""
        count, k = ranks.shape
        self.row = row
        self.named = row >= style.px(11, 8.4)
        # Text shrinks with small rows, but never below six points.
        size = min(style.tick_size, max(0.85 * row, 8)) if self.named else style.tick_size
        self.names = size
        datasets = [str(name) for name in ranks.index]
        self.rows = text.shorten(datasets, 0.28 * style.width, size, serif=style.serif)
        labels = [part.label for part in parts]
        short = text.shorten(labels, 0.35 * style.width, size, serif=style.serif)
        self.groups = [short[label] for label in labels]
        row_labels = ["average rank", *self.groups]
        if self.named:
            row_labels += self.rows.values()
        left = text.widest(row_labels, size, style.serif) + style.px(16, 10)
        width = style.width if style.printed else min(style.width, REFERENCE_WIDTH)
        column = (width - left - 8) / k
        self.numbers = _number_size(ranks, row, column, style)
        least = style.px(11, 8) if style.width < 480 else 8  # a narrow window scrolls
        self.heads = heads = min(style.tick_size, max(0.9 * column, least))
        narrowest_width = style.width if style.printed else min(style.width, NARROWEST)
        narrowest = (narrowest_width - left - 8) / k
        names = [str(name) for name in ranks.columns]
        self.columns = text.column_headers(names, narrowest, high, heads, serif=style.serif)
        head, self.upright = text.header_height(
            self.columns.values(), narrowest, heads, serif=style.serif
        )
        widest_mean = text.text_width("0.00" if k < 10 else "00.00", heads, style.serif)
        self.turned = widest_mean > column - 3  # whether average ranks are rotated
        # Every n-th algorithm is named. Rotated text is as wide as its line is high; on the screen
        # a page stretches.
        self.every = 1
        if style.printed:
            self.every = max(math.ceil(1.05 * heads / column - 1e-9), 1)
        # height of average ranks
        self.average = max(1.5 * style.tick_size, widest_mean + 6 if self.turned else 0.0)
        self.head = self.average + style.px(6, 4)  # height of a group heading with its hairline
        self.margin = {
            "l": left,
            "r": style.px(8, 6),
            "t": head + style.px(12, 8),
            "b": style.px(6, 4),
        }
        rows = count * row + self.average + len(parts) * self.head
        self.height = self.margin["t"] + rows + self.margin["b"]
        # every n-th data set is drawn
        self.step = math.ceil(_LEAST_ROW / row) if style.printed else 1


def _number_size(ranks: pd.DataFrame, row: float, column: float, style: Style) -> float:
    """Return the text size in px of ranks in cells, 0 if they do not fit."""
    if row < style.px(22, 9.4) or column < style.px(22, 11):
        return 0.0
    values = pd.unique(ranks.to_numpy(dtype=float).ravel())
    labels = [f"{rank:g}" for rank in values if not np.isnan(rank)]
    relative_width = text.widest(labels, 1.0, style.serif) if labels else 0.5
    size = min(style.tick_size, 0.7 * row, (column - 2) / relative_width)
    if size >= 8:
        return size
    fits_in_cell = row >= 9.4 and 8 * relative_width <= column - 1
    return 8.0 if fits_in_cell else 0.0


def _ramp(style: Style) -> tuple[str, ...]:
    """Return the colours from best to worst rank."""
    if style.printed and not style.colour:
        return _GREYS
    return _BLUES[::-1] if style.dark else _BLUES


def shade(rank: float, k: int, style: Style) -> str:
    """Return the colour of a rank, interpolated in steps of half a shade."""
    ramp = _ramp(style)
    share = (rank - 1) / max(k - 1, 1)
    position = round(2 * share * (len(ramp) - 1)) / 2
    index = min(int(position), len(ramp) - 2)
    return theme.mix(ramp[index], ramp[index + 1], position - index)


def ink_on(colour: str) -> str:
    """Return black or white, whichever is more legible on a colour."""
    linear = [(channel / 255) ** 2.2 for channel in theme.rgb(colour)]
    luminance = 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]
    return "#FFFFFF" if luminance < 0.18 else "#111111"
