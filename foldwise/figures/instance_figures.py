"""Figures of one test set: agreement of models, risk differences over theta, and calibration."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from foldwise.figures import text, theme, traces
from foldwise.figures.axis_parts import (
    add_panels,
    names_axis,
    padded_range,
    side_labels,
    value_axis,
)
from foldwise.figures.spec import Colours, FigureSpec, cached_figure, colors_of, figure_text
from foldwise.figures.theme import Style
from stats_core.comparison.kinds.instances import CasesComparison
from stats_core.core.formatting import format_count, format_percent
from stats_core.curves.trained_models import RiskBands
from stats_core.data.predictions import CaseTable

_MOST = 6  # largest number of panels
_MOST_CLUSTERS = 30  # rows
_BAND = "rgba(140,140,140,0.28)"
_MARKS = ["correct", "wrong"]
_CELLS = ("both", "first", "second", "neither")
_MINUS = " \N{MINUS SIGN} "

Cell = tuple[int, int]  # row and column of a subplot


@dataclass(frozen=True, kw_only=True, eq=False)
class RiskDifferences(FigureSpec):
    """Risk difference of each of the first six pairs as a function of theta, with its pointwise confidence band.

    Attributes
    ----------
    bands : mapping of pair to DataFrame by theta
        Columns `difference`, `low` and `high`.
    level : float
        Confidence level of the bands at each theta.
    theta : float, optional
        The current threshold.
    data : DataFrame
        The numbers of all pairs.
    """

    zoom: ClassVar[str] = "xy"
    how_to_read: ClassVar[str] = figure_text("instance_figures.how_to_read_risk_differences")
    bands: Mapping[tuple[str, str], pd.DataFrame]
    level: float
    theta: float | None = None
    data: pd.DataFrame

    def draw(self, style: Style) -> go.Figure:
        """Return the Plotly figure."""
        pairs = list(self.bands)[:_MOST]
        height = style.px(270, 150)
        short_names: list[tuple[str, str]] = []

        def titles(room: float) -> list[str]:
            name_room = (room - 5 * style.size) / 2
            for pair in pairs:
                short = text.shorten(pair, name_room, style.size, serif=style.serif)
                first, second = pair
                short_names.append((short[first], short[second]))
            return [_MINUS.join(names) for names in short_names]

        fig, subplots, _ = add_panels(len(pairs), titles, style, left=5, height=height, shared=True)
        ends = pd.concat([self.bands[pair][["low", "high"]] for pair in pairs]).to_numpy()
        low, high = padded_range(min(0.0, float(ends.min())), max(0.0, float(ends.max())))
        label_height = 1.5 * style.size / (height - 8.8 * style.size) * (high - low)
        axis = value_axis(low - label_height, high + label_height, 5)
        for pair, names, subplot in zip(pairs, short_names, subplots, strict=True):
            cell = subplot["row"], subplot["col"]
            self._draw_panel(fig, pair, cell, style)
            below, above = side_labels(*names, upright=True)
            _write_side(fig, below, 0, "bottom", cell, style)
            _write_side(fig, above, 1, "top", cell, style)
        fig.update_yaxes(**axis)
        fig.update_xaxes(title="threshold θ", range=[0, 1], fixedrange=True)
        return fig.update_yaxes(title=figure_text("instance_figures.axis_risks"), col=1)

    def _draw_panel(self, fig: go.Figure, pair: tuple[str, str], cell: Cell, style: Style) -> None:
        """Draw the difference of one pair and its band; the line is thick where the band excludes zero."""
        row, col = cell
        band = self.bands[pair]
        thin = style.px(1.2, 0.7)
        thetas = band.index.to_list()
        low = band["low"].to_list()
        high = band["high"].to_list()
        difference = band["difference"].to_list()
        traces.add_line(fig, thetas, low, "low", None, 0, showlegend=False, row=row, col=col)
        traces.add_line(
            fig,
            thetas,
            high,
            "band",
            None,
            0,
            fill="tonexty",
            fillcolor=_BAND,
            showlegend=False,
            row=row,
            col=col,
        )
        traces.add_line(fig, [0, 1], [0, 0], "no difference", style.leader, thin, row=row, col=col)
        if self.theta is not None:
            reach = [min(0, *low), max(0, *high)]
            traces.add_line(
                fig,
                [self.theta, self.theta],
                reach,
                "theta",
                style.hairline,
                thin,
                row=row,
                col=col,
            )
        head = _MINUS.join(map(text.escape, pair))
        points = zip(thetas, difference, low, high, strict=True)
        traces.add_line(
            fig,
            thetas,
            difference,
            "difference",
            style.ink,
            thin,
            hover_text=[
                f"<b>{head}, θ = {theta:.2f}</b><br>{middle:.4f} [{lower:.4f}, {upper:.4f}]"
                for theta, middle, lower, upper in points
            ],
            showlegend=False,
            row=row,
            col=col,
        )
        excludes_zero = (band["low"] > 0) | (band["high"] < 0)
        traces.add_line(
            fig,
            thetas,
            [
                value if excludes else None
                for value, excludes in zip(difference, excludes_zero, strict=True)
            ],
            "away from 0",
            style.accent,
            style.px(3, 1.6),
            row=row,
            col=col,
        )

    def caption(self, style: Style) -> str:
        """Return the caption."""
        omitted = max(len(self.bands) - _MOST, 0)
        return self.describe(
            "instance_figures.caption_risks", level=format_percent(self.level), omitted=omitted
        )

    @property
    def alt(self) -> str:
        """Alternative text, at most 300 characters."""
        parts = []
        for pair, band in list(self.bands.items())[:_MOST]:
            n_excluding = int(((band["low"] > 0) | (band["high"] < 0)).sum())
            parts.append(f"{_MINUS.join(pair)} {n_excluding} of {len(band)}")
        level = format_percent(self.level)
        alt = figure_text("instance_figures.alt_risks", level=level, counts=", ".join(parts))
        return text.truncate_text(alt)


def _write_side(
    fig: go.Figure, label: str, y: float, anchor: str, cell: Cell, style: Style
) -> None:
    """Write a side label at the lower or upper end of a panel."""
    row, col = cell
    traces.add_text(
        fig,
        text.escape(label),
        0,
        y,
        style.size,
        refs="x domain, y domain",
        anchor=f"left, {anchor}",
        shift=(style.px(4, 3), 0),
        name="side",
        row=row,
        col=col,
    )


@dataclass(frozen=True, kw_only=True, eq=False)
class ReliabilityDiagram(FigureSpec):
    """Reliability diagrams of the first six models: observed share of positives by predicted probability.

    Attributes
    ----------
    bins : mapping of algorithm to DataFrame
        One row per bin; columns `said` (mean predicted probability), `found` (observed share of
        positives), `low` and `high` (its interval) and `cases` (number of instances).
    colours : mapping, optional
        Colour per algorithm.
    clustered : bool
        Whether intervals use the effective number of instances, because predictions are dependent.
    """

    zoom: ClassVar[str] = "xy"
    how_to_read: ClassVar[str] = figure_text("instance_figures.how_to_read_calibration")
    bins: Mapping[str, pd.DataFrame]
    clustered: bool = False

    def draw(self, style: Style) -> go.Figure:
        """Return the Plotly figure."""
        names = list(self.bins)[:_MOST]
        colours = colors_of(self.colours, list(self.bins), (), style)
        fig, subplots, _ = add_panels(
            len(names), names, style, left=4, height=style.px(300, 160), shared=True
        )
        for name, subplot in zip(names, subplots, strict=True):
            colour = colours.get(name, style.ink) if style.colour else style.ink
            self._draw_panel(fig, name, colour, (subplot["row"], subplot["col"]), style)
        fig.update_xaxes(title="predicted probability", range=[0, 1], fixedrange=True)
        fig.update_yaxes(range=[0, 1], fixedrange=True)
        return fig.update_yaxes(title="observed share", col=1)

    def _draw_panel(self, fig: go.Figure, name: str, colour: str, cell: Cell, style: Style) -> None:
        """Draw the observed shares of one model with their intervals, and the diagonal."""
        table, (row, col) = self.bins[name], cell
        thin = style.px(1.2, 0.7)
        traces.add_line(fig, [0, 1], [0, 1], "calibrated", style.leader, thin, row=row, col=col)
        error = {
            "type": "data",
            "symmetric": False,
            "array": (table["high"] - table["found"]).to_list(),
            "arrayminus": (table["found"] - table["low"]).to_list(),
            "color": colour,
            "thickness": style.px(1.2, 0.7),
            "width": style.px(3, 2),
        }
        traces.add_line(
            fig,
            table["said"].to_list(),
            table["found"].to_list(),
            text.escape(name),
            colour,
            style.px(1.6, 0.9),
            hover_text=[
                f"<b>{text.escape(name)}</b><br>predicted {of_bin['said']:.3f}, observed {of_bin['found']:.3f} "
                f"[{of_bin['low']:.3f}, {of_bin['high']:.3f}]<br>{int(of_bin['cases']):,} instances"
                for of_bin in table.to_dict("records")
            ],
            mode="lines+markers",
            marker={"color": colour, "size": style.px(7, 4)},
            error_y=error,
            showlegend=False,
            cliponaxis=False,
            row=row,
            col=col,
        )

    def caption(self, style: Style) -> str:
        """Return the caption."""
        counts = pd.concat(list(self.bins.values()))["cases"]
        return self.describe(
            "instance_figures.caption_calibration",
            drawn=_MOST,
            n=len(self.bins),
            low=int(counts.min()),
            high=int(counts.max()),
        )

    @property
    def data(self) -> pd.DataFrame:
        """The bins of every model."""
        return pd.concat(dict(self.bins), names=["algorithm", "bin"]).reset_index()

    @property
    def alt(self) -> str:
        """Alternative text, at most 300 characters."""
        parts = []
        for name, table in list(self.bins.items())[:_MOST]:
            is_above = table["low"] > table["said"]
            is_below = table["high"] < table["said"]
            n_off = int((is_above | is_below).sum())
            parts.append(f"{name} {n_off} of {len(table)}")
        alt = figure_text("instance_figures.alt_calibration", counts=", ".join(parts))
        return text.truncate_text(alt)


@dataclass(frozen=True, kw_only=True, eq=False)
class AgreementTables(FigureSpec):
    """Two-by-two tables of correct and wrong answers of one model and each of up to six others.

    Cells in which only one model is correct are tinted, the others are the darker the more
    instances they hold.

    Attributes
    ----------
    counts : DataFrame
        One row per pair (index `first`, `second`): `both`, `only first`, `only second` and
        `neither` correct.
    """

    how_to_read: ClassVar[str] = figure_text("instance_figures.how_to_read_agreement")
    counts: pd.DataFrame

    def draw(self, style: Style) -> go.Figure:
        """Return the Plotly figure."""
        pairs = self.counts.iloc[:_MOST]
        firsts, seconds = (
            [str(name) for name in pairs.index.get_level_values(level)] for level in (0, 1)
        )
        left = 2 + text.widest(_MARKS, style.tick_size, style.serif) / style.size
        height = style.px(270, 165)
        fig, subplots, panel_width = add_panels(
            len(pairs), (), style, left=left, height=height, shared=True
        )
        panel_side = min(panel_width - style.size, height - 5 * style.size)
        room = max(panel_side, 4 * style.size)
        short = text.shorten([*firsts, *seconds], room, style.size, serif=style.serif)
        panels = zip(firsts, seconds, pairs.to_numpy(), subplots, strict=True)
        for first, second, counts, subplot in panels:
            row = subplot["row"]
            col = subplot["col"]
            self._draw_panel(fig, (first, second), counts, (row, col), style)
            fig.update_xaxes(title=text.escape(short[second]), row=row, col=col)
        fig.update_xaxes(**names_axis([0, 1], _MARKS, [-0.5, 1.5]))
        fig.update_yaxes(**names_axis([0, 1], _MARKS, [1.5, -0.5]))
        fig.update_yaxes(title=text.escape(short[firsts[0]]), col=1)
        fig.for_each_xaxis(lambda axis: axis.title.update(standoff=style.px(4, 3)))
        fig.for_each_yaxis(lambda axis: axis.title.update(standoff=style.px(4, 3)))
        return fig.update_layout(bargap=0, barmode="overlay")

    def _draw_panel(
        self, fig: go.Figure, pair: tuple[str, str], counts: np.ndarray, cell: Cell, style: Style
    ) -> None:
        """Draw the four cells of one pair with their counts and shares."""
        shares = counts / counts.sum()
        greys = [theme.mix(style.page, style.leader, 0.1 + 0.4 * share) for share in shares]
        fills = [greys[0], style.tint, style.tint_worse, greys[3]]
        first, second = map(text.escape, pair)
        about = [
            figure_text(f"instance_figures.hover_{key}", first=first, second=second)
            for key in _CELLS
        ]
        labels = [
            f"<b>{n:,}</b><br>{100 * share:.1f}%" for n, share in zip(counts, shares, strict=True)
        ]
        hover = [f"{words}: {label}" for words, label in zip(about, labels, strict=True)]
        positions, (row, col) = [(0, 0), (1, 0), (0, 1), (1, 1)], cell
        traces.add_cells(
            fig, positions, "cells", fills, hover, width=0.97, height=0.97, row=row, col=col
        )
        traces.add_cell_text(
            fig,
            [x for x, _ in positions],
            [y for _, y in positions],
            "counts",
            labels,
            style.size,
            style.ink,
            row=row,
            col=col,
        )

    def caption(self, style: Style) -> str:
        """Return the caption."""
        return figure_text(
            "instance_figures.caption_agreement",
            counted=self.counted,
            drawn=_MOST,
            n=len(self.counts),
        )

    @property
    def data(self) -> pd.DataFrame:
        """The counts of every pair."""
        return self.counts.reset_index()

    @property
    def alt(self) -> str:
        """Alternative text, at most 300 characters."""
        rows = self.data.iloc[:_MOST].itertuples(index=False, name=None)
        pairs = [figure_text("instance_figures.alt_pair", row=row) for row in rows]
        alt = figure_text("instance_figures.alt_agreement", pairs=" ".join(pairs))
        return text.truncate_text(alt)


@cached_figure
def agreement_drawing(comparison: CasesComparison) -> AgreementTables | None:
    """Return the 2 x 2 tables of the control, or else the best model, and each other model; None without answers."""
    if not comparison.has_one_answer:
        return None
    named = comparison.control or comparison.order[0]
    pairs = [(named, other) for other in comparison.order if other != named]
    counts = pd.DataFrame({pair: comparison.agreement(*pair) for pair in pairs}).T
    return AgreementTables(
        name=f"agreement_{comparison.dataset}",
        title=figure_text("instance_figures.title_agreement", dataset=comparison.dataset_label),
        counts=counts.rename_axis(["first", "second"]),
        counted=_sizes(comparison.cases),
    )


@dataclass(frozen=True, kw_only=True, eq=False)
class ItemDifficulty(FigureSpec):
    """Bars: numbers of instances that 0, 1, ... models answer correctly.

    Attributes
    ----------
    counts : Series by number of models
    """

    how_to_read: ClassVar[str] = figure_text("instance_figures.how_to_read_difficulty")
    counts: pd.Series

    def draw(self, style: Style) -> go.Figure:
        """Return the Plotly figure."""
        numbers_of_models = list(self.counts.index)
        counts = self.counts.to_list()
        widest = text.text_width(f"{max(counts):,}", style.tick_size, style.serif)
        left = 1.5 * style.size + max(widest, 3 * style.size)
        margin = {"l": left, "r": style.px(14, 8), "t": style.px(8, 5), "b": 3.4 * style.size}
        fig = theme.new_figure(style, style.px(300, 170), margin=margin)
        labels = [f"{n:,}" for n in counts]
        hover = [
            figure_text("instance_figures.hover_difficulty", n=n, right=i)
            for i, n in enumerate(counts)
        ]
        traces.add_areas(
            fig, numbers_of_models, counts, "instances", style.leader, hover, width=0.8
        )
        if len(counts) <= 12:
            for x, count, label in zip(numbers_of_models, counts, labels, strict=True):
                traces.add_text(
                    fig,
                    label,
                    x,
                    count,
                    style.tick_size,
                    style.ink,
                    anchor="center, bottom",
                    refs="x, y",
                )
        title = {"text": figure_text("instance_figures.axis_difficulty"), "standoff": 4}
        most = numbers_of_models[-1]
        fig.update_xaxes(title=title, **value_axis(-0.6, most + 0.6, min(len(counts) + 1, 13)))
        return fig.update_yaxes(title="instances", **value_axis(0, 1.15 * max(counts), 5))

    def caption(self, style: Style) -> str:
        """Return the caption."""
        return self.describe("instance_figures.caption_difficulty", models=len(self.counts) - 1)

    @property
    def data(self) -> pd.DataFrame:
        """The counts."""
        return self.counts.reset_index()

    @property
    def alt(self) -> str:
        """Alternative text, at most 300 characters."""
        counts = self.counts
        return figure_text(
            "instance_figures.alt_difficulty",
            none=counts.iloc[0],
            every=counts.iloc[-1],
            n=counts.sum(),
            models=len(counts) - 1,
        )


@dataclass(frozen=True, kw_only=True, eq=False)
class ClusterAccuracies(FigureSpec):
    """Accuracy with its interval in each of the hardest clusters, in one panel for each of the first six models.

    Attributes
    ----------
    table : DataFrame by cluster and algorithm
        Columns `value`, `low`, `high` and `instances`, hardest cluster first.
    level : str
        Confidence level as text.
    """

    how_to_read: ClassVar[str] = figure_text("instance_figures.how_to_read_clusters")
    table: pd.DataFrame
    level: str

    def draw(self, style: Style) -> go.Figure:
        """Return the Plotly figure."""
        clusters = self.table.index.unique("cluster").to_list()[:_MOST_CLUSTERS]
        names = self.table.index.unique("algorithm").to_list()[:_MOST]
        cluster_names = [str(cluster) for cluster in clusters]
        room = 0.25 * style.width
        short = text.shorten(cluster_names, room, style.tick_size, serif=style.serif)
        widest = text.widest(short.values(), style.tick_size, style.serif)
        fig, subplots, _ = add_panels(
            len(names),
            [str(name) for name in names],
            style,
            left=1.2 + widest / style.size,
            height=1.45 * style.size * len(clusters) + 7 * style.size,
            shared=True,
        )
        hues = traces.mark_colours(names, self.colours, style)
        for name, hue, subplot in zip(names, hues, subplots, strict=True):
            rows = self.table.xs(name, level="algorithm").loc[clusters]
            _draw_accuracies(fig, name, rows, hue, (subplot["row"], subplot["col"]), style)
        labels = [text.shortened_markup(short[name]) for name in cluster_names]
        places = list(range(len(clusters)))
        fig.update_yaxes(**names_axis(places, labels, [len(clusters) - 0.5, -0.5]))
        return fig.update_xaxes(title="accuracy", **value_axis(0, 1, 3))

    def caption(self, style: Style) -> str:
        """Return the caption."""
        sizes = self.table["instances"]
        return self.describe(
            "instance_figures.caption_clusters",
            low=sizes.min(),
            high=sizes.max(),
            n=len(self.table.index.unique("cluster")),
            models=len(self.table.index.unique("algorithm")),
            clusters=_MOST_CLUSTERS,
            most=_MOST,
        )

    @property
    def data(self) -> pd.DataFrame:
        """Accuracies of all clusters and models."""
        return self.table.reset_index()

    @property
    def alt(self) -> str:
        """Alternative text, at most 300 characters."""
        means = self.table["value"].groupby(level="cluster", sort=False).mean()
        rows = [f"{text.truncate_text(str(name), 40)} {value:.2f}" for name, value in means.items()]
        head = figure_text("instance_figures.alt_clusters", n=len(means))
        return text.fit_alt_text(head, rows, ", ", ".", head, " and ")


def _draw_accuracies(
    fig: go.Figure, name: object, rows: pd.DataFrame, hue: str, cell: Cell, style: Style
) -> None:
    """Draw the accuracies of one model by cluster, with their intervals."""
    row, col = cell
    places = list(range(len(rows)))
    intervals = [
        ((low, y), (high, y))
        for low, high, y in zip(rows["low"], rows["high"], places, strict=True)
    ]
    traces.add_paths(
        fig, intervals, "interval", hue, style.px(1.6, 0.8), cliponaxis=None, row=row, col=col
    )
    traces.add_points(
        fig,
        rows["value"].to_list(),
        places,
        "accuracy",
        style.px(7, 4),
        "circle",
        hue,
        hover_text=[
            figure_text(
                "instance_figures.hover_cluster",
                name=text.escape(name),
                cluster=text.escape(cluster),
                row=values,
            )
            for cluster, values in zip(rows.index, rows.to_dict("records"), strict=True)
        ],
        showlegend=False,
        row=row,
        col=col,
    )


@cached_figure
def difficulty_drawing(comparison: CasesComparison) -> ItemDifficulty:
    """Return the numbers of instances by the number of correct models."""
    counts = np.bincount(comparison.by_difficulty()["right"], minlength=len(comparison.names) + 1)
    return ItemDifficulty(
        name=f"difficulty_{comparison.dataset}",
        title=figure_text("instance_figures.title_difficulty", dataset=comparison.dataset_label),
        counts=pd.Series(counts, name="instances").rename_axis("correct models"),
        counted=_sizes(comparison.cases),
    )


@cached_figure
def clusters_drawing(
    comparison: CasesComparison, colours: Colours = None
) -> ClusterAccuracies | None:
    """Return the accuracies by cluster; None without clusters."""
    table = comparison.cluster_accuracies()
    if table is None:
        return None
    return ClusterAccuracies(
        name=f"clusters_{comparison.dataset}",
        title=figure_text("instance_figures.title_clusters", dataset=comparison.dataset_label),
        table=table,
        level=format_percent(1 - comparison.settings.alpha),
        colours=colours,
        counted=_sizes(comparison.cases),
    )


@cached_figure
def risks_drawing(
    table: CaseTable, risks: RiskBands, theta: float | None = None
) -> RiskDifferences:
    """Return the figure of risk differences over theta."""
    return RiskDifferences(
        name=f"risk_differences_{table.dataset}",
        title=figure_text("instance_figures.title_risks", dataset=table.dataset_label),
        bands=risks.bands,
        level=risks.confidence_level,
        theta=theta,
        data=risks.to_frame(),
        counted=_sizes(table),
    )


@cached_figure
def calibration_drawing(
    table: CaseTable, bins: Mapping[str, pd.DataFrame], colours: Colours = None
) -> ReliabilityDiagram:
    """Return the figure of reliability diagrams, from the bins of each model."""
    return ReliabilityDiagram(
        name=f"calibration_{table.dataset}",
        title=f"Calibration on {table.dataset_label}",
        bins=bins,
        colours=colours,
        clustered=len(table.trainings) > 1 or table.cluster is not None,
        counted=_sizes(table),
    )


def _sizes(table: CaseTable) -> str:
    """Return the numbers of instances, and of runs or answers, in words."""
    sizes = [format_count(len(table.cases), "test instance")]
    if table.runs_averaged:
        sizes.append("averages of runs")
    elif table.answers > 1:
        sizes.append(f"{table.answers} answers to each")
    elif table.n_runs > 1:
        sizes.append(format_count(table.n_runs, "run"))
    return ", ".join(sizes)


def has_risks(table: CaseTable) -> bool:
    """Return whether the models of a test set have risks at thresholds: scores, a positive class, and several models."""
    return table.score is not None and table.positive is not None and len(table.names) > 1
