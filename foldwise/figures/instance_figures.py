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
        pairs, short, height = (
            list(self.bands)[:_MOST],
            list[Mapping[str, str]](),
            style.px(270, 150),
        )

        def titles(room: float) -> list[str]:
            room = (room - 5 * style.size) / 2
            short.extend(text.shorten(pair, room, style.size, serif=style.serif) for pair in pairs)
            return [
                " \N{MINUS SIGN} ".join(names[name] for name in pair)
                for names, pair in zip(short, pairs, strict=True)
            ]

        fig, subplots, _ = add_panels(len(pairs), titles, style, left=5, height=height, shared=True)
        ends = np.concatenate(
            [self.bands[pair][["low", "high"]].to_numpy().ravel() for pair in pairs]
        )
        low, high = padded_range(min(0.0, float(ends.min())), max(0.0, float(ends.max())))
        row = 1.5 * style.size / (height - 8.8 * style.size) * (high - low)  # of a label
        axis = value_axis(low - row, high + row, 5)
        for pair, names, subplot in zip(pairs, short, subplots, strict=True):
            self._draw_panel(fig, pair, subplot, style)
            labels = side_labels(*(names[name] for name in pair), upright=True)
            for label, y, side in zip(labels, (0, 1), ("bottom", "top"), strict=True):
                at = {
                    "refs": "x domain, y domain",
                    "anchor": f"left, {side}",
                    "shift": (style.px(4, 3), None),
                }
                traces.add_text(
                    fig, text.escape(label), 0, y, style.size, name="side", **at, **subplot
                )
            fig.update_yaxes(**axis, **subplot)
        fig.update_xaxes(title="threshold θ", range=[0, 1], fixedrange=True)
        return fig.update_yaxes(title=figure_text("instance_figures.axis_risks"), col=1)

    def _draw_panel(
        self, fig: go.Figure, pair: tuple[str, str], subplot: dict[str, int], style: Style
    ) -> None:
        """Draw the difference of one pair and its band; the line is thick where the band excludes zero."""
        band, thin = self.bands[pair], style.px(1.2, 0.7)
        thetas = band.index.to_list()
        low, high, difference = (band[column].to_list() for column in ("low", "high", "difference"))
        hidden = {"colour": None, "width": 0, "showlegend": False, **subplot}
        traces.add_line(fig, thetas, low, "low", **hidden)
        traces.add_line(fig, thetas, high, "band", fill="tonexty", fillcolor=_BAND, **hidden)
        traces.add_line(fig, [0, 1], [0, 0], "no difference", style.leader, thin, **subplot)
        if self.theta is not None:
            reach = [min(0, *low), max(0, *high)]
            traces.add_line(
                fig, [self.theta, self.theta], reach, "theta", style.hairline, thin, **subplot
            )
        head = " \N{MINUS SIGN} ".join(map(text.escape, pair))
        hover_text = [
            f"<b>{head}, θ = {theta:.2f}</b><br>{middle:.4f} [{a:.4f}, {b:.4f}]"
            for theta, a, b, middle in zip(thetas, low, high, difference, strict=True)
        ]
        options = {"hover_text": hover_text, "showlegend": False, **subplot}
        traces.add_line(fig, thetas, difference, "difference", style.ink, thin, **options)
        thick = [
            value if a > 0 or b < 0 else None
            for value, a, b in zip(difference, low, high, strict=True)
        ]
        traces.add_line(
            fig, thetas, thick, "away from 0", style.accent, style.px(3, 1.6), **subplot
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
        parts = [
            f"{a} \N{MINUS SIGN} {b} {int(((band['low'] > 0) | (band['high'] < 0)).sum())} of {len(band)}"
            for (a, b), band in list(self.bands.items())[:_MOST]
        ]
        level = format_percent(self.level)
        return text.truncate_text(
            figure_text("instance_figures.alt_risks", level=level, counts=", ".join(parts))
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
            self._draw_panel(fig, name, colour, subplot, style)
        fig.update_xaxes(title="predicted probability", range=[0, 1], fixedrange=True)
        fig.update_yaxes(range=[0, 1], fixedrange=True)
        return fig.update_yaxes(title="observed share", col=1)

    def _draw_panel(
        self, fig: go.Figure, name: str, colour: str, subplot: dict[str, int], style: Style
    ) -> None:
        """Draw the observed shares of one model with their intervals, and the diagonal."""
        table = self.bins[name]
        traces.add_line(
            fig, [0, 1], [0, 1], "calibrated", style.leader, style.px(1.2, 0.7), **subplot
        )
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
                f"<b>{text.escape(name)}</b><br>predicted {row['said']:.3f}, observed {row['found']:.3f} "
                f"[{row['low']:.3f}, {row['high']:.3f}]<br>{int(row['cases']):,} instances"
                for _, row in table.iterrows()
            ],
            mode="lines+markers",
            marker={"color": colour, "size": style.px(7, 4)},
            error_y=error,
            showlegend=False,
            cliponaxis=False,
            **subplot,
        )

    def caption(self, style: Style) -> str:
        """Return the caption."""
        counts = pd.concat(list(self.bins.values()))["cases"]
        sizes = {"low": int(counts.min()), "high": int(counts.max())}
        return self.describe(
            "instance_figures.caption_calibration", drawn=_MOST, n=len(self.bins), **sizes
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
            n_off = int(((table["low"] > table["said"]) | (table["high"] < table["said"])).sum())
            parts.append(f"{name} {n_off} of {len(table)}")
        return text.truncate_text(
            figure_text("instance_figures.alt_calibration", counts=", ".join(parts))
        )


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
        left = (
            2
            + max(text.text_width(word, style.tick_size, style.serif) for word in _MARKS)
            / style.size
        )
        height = style.px(270, 165)
        fig, subplots, room = add_panels(
            len(pairs), (), style, left=left, height=height, shared=True
        )
        room = max(min(room - style.size, height - 5 * style.size), 4 * style.size)
        short = text.shorten([*firsts, *seconds], room, style.size, serif=style.serif)
        for first, second, counts, subplot in zip(
            firsts, seconds, pairs.to_numpy(), subplots, strict=True
        ):
            self._draw_panel(fig, (first, second), counts, subplot, style)
            fig.update_xaxes(
                title=text.escape(short[second]),
                **names_axis([0, 1], _MARKS, [-0.5, 1.5]),
                **subplot,
            )
            fig.update_yaxes(**names_axis([0, 1], _MARKS, [1.5, -0.5]), **subplot)
        fig.update_yaxes(title=text.escape(short[firsts[0]]), col=1)
        fig.for_each_xaxis(lambda axis: axis.title.update(standoff=style.px(4, 3)))
        fig.for_each_yaxis(lambda axis: axis.title.update(standoff=style.px(4, 3)))
        return fig.update_layout(bargap=0, barmode="overlay")

    def _draw_panel(
        self,
        fig: go.Figure,
        pair: tuple[str, str],
        counts: np.ndarray,
        subplot: dict[str, int],
        style: Style,
    ) -> None:
        """Draw the four cells of one pair with their counts and shares."""
        shares = counts / counts.sum()
        greys = [theme.mix(style.page, style.leader, 0.1 + 0.4 * share) for share in shares]
        fills = [greys[0], style.tint, style.tint_worse, greys[3]]
        names = [text.escape(name) for name in pair]
        about = [
            figure_text(f"instance_figures.hover_{key}", first=names[0], second=names[1])
            for key in _CELLS
        ]
        labels = [
            f"<b>{n:,}</b><br>{100 * share:.1f}%" for n, share in zip(counts, shares, strict=True)
        ]
        hover = [f"{words}: {label}" for words, label in zip(about, labels, strict=True)]
        x, y = [0, 1, 0, 1], [0, 0, 1, 1]
        size = {"width": 0.97, "height": 0.97}
        traces.add_cells(fig, [*zip(x, y, strict=True)], "cells", fills, hover, **size, **subplot)
        traces.add_cell_text(fig, x, y, "counts", labels, style.size, style.ink, **subplot)

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
        return text.truncate_text(
            figure_text("instance_figures.alt_agreement", pairs=" ".join(pairs))
        )


@cached_figure
def agreement_drawing(comparison: CasesComparison) -> AgreementTables | None:
    """Return the 2 x 2 tables of the control, or else the best model, and each other model; None without answers."""
    if not comparison.has_one_answer:
        return None
    named = comparison.control or comparison.order[0]
    pairs = [(named, other) for other in comparison.order if other != named]
    return AgreementTables(
        name=f"agreement_{comparison.dataset}",
        title=figure_text("instance_figures.title_agreement", dataset=comparison.dataset_label),
        counts=pd.DataFrame({pair: comparison.agreement(*pair) for pair in pairs}).T.rename_axis(
            ["first", "second"]
        ),
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
        counts, high = self.counts.to_list(), 1.15 * float(self.counts.max())
        axis = value_axis(0, high, 5)
        left = 1.5 * style.size + max(
            text.text_width(f"{max(counts):,}", style.tick_size, style.serif), 3 * style.size
        )
        margin = {"l": left, "r": style.px(14, 8), "t": style.px(8, 5), "b": 3.4 * style.size}
        fig = theme.new_figure(style, style.px(300, 170), margin=margin)
        labels = [f"{n:,}" for n in counts]
        hover = [
            figure_text("instance_figures.hover_difficulty", n=n, right=i)
            for i, n in enumerate(counts)
        ]
        at = list(self.counts.index)
        traces.add_areas(fig, at, counts, "instances", style.leader, hover, width=0.8)
        if len(at) <= 12:
            for x, count, label in zip(at, counts, labels, strict=True):
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
        fig.update_xaxes(title=title, **value_axis(-0.6, at[-1] + 0.6, min(len(at) + 1, 13)))
        return fig.update_yaxes(title="instances", **axis)

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
        values = {
            "none": counts.iloc[0],
            "every": counts.iloc[-1],
            "n": counts.sum(),
            "models": len(counts) - 1,
        }
        return figure_text("instance_figures.alt_difficulty", **values)


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
        clusters, names = (
            list(dict.fromkeys(self.table.index.get_level_values(i))) for i in (0, 1)
        )
        clusters, names = clusters[:_MOST_CLUSTERS], names[:_MOST]
        short = text.shorten(
            list(map(str, clusters)), 0.25 * style.width, style.tick_size, serif=style.serif
        )
        labels = [text.shortened_markup(short[str(cluster)]) for cluster in clusters]
        left = (
            1.2
            + max(text.text_width(name, style.tick_size, style.serif) for name in short.values())
            / style.size
        )
        places, height = (
            list(range(len(clusters))),
            1.45 * style.size * len(clusters) + 7 * style.size,
        )
        fig, subplots, _ = add_panels(
            len(names), list(map(str, names)), style, left=left, height=height, shared=True
        )
        hues = traces.mark_colours(names, self.colours, style)
        for name, hue, subplot in zip(names, hues, subplots, strict=True):
            rows = self.table.xs(name, level="algorithm").loc[clusters]
            bars = [*zip(rows["low"], rows["high"], places, strict=True)]
            paths = [((low, y), (high, y)) for low, high, y in bars]
            traces.add_paths(
                fig, paths, "interval", hue, style.px(1.6, 0.8), cliponaxis=None, **subplot
            )
            hover = [
                figure_text(
                    "instance_figures.hover_cluster",
                    name=text.escape(name),
                    cluster=text.escape(cluster),
                    row=row,
                )
                for cluster, row in zip(clusters, rows.to_dict("records"), strict=True)
            ]
            marks = (rows["value"].to_list(), places, "accuracy", style.px(7, 4), "circle", hue)
            traces.add_points(fig, *marks, hover_text=hover, showlegend=False, **subplot)
            fig.update_yaxes(**names_axis(places, labels, [len(clusters) - 0.5, -0.5]), **subplot)
        return fig.update_xaxes(title="accuracy", **value_axis(0, 1, 3))

    def caption(self, style: Style) -> str:
        """Return the caption."""
        n, models = (self.table.index.get_level_values(i).nunique() for i in (0, 1))
        sizes = self.table["instances"]
        values = {"n": n, "models": models, "clusters": _MOST_CLUSTERS, "most": _MOST}
        return self.describe(
            "instance_figures.caption_clusters", low=sizes.min(), high=sizes.max(), **values
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
    name = f"risk_differences_{table.dataset}"
    title = figure_text("instance_figures.title_risks", dataset=table.dataset_label)
    numbers = {"bands": risks.bands, "level": risks.confidence_level, "data": risks.to_frame()}
    return RiskDifferences(name=name, title=title, theta=theta, counted=_sizes(table), **numbers)


@cached_figure
def calibration_drawing(
    table: CaseTable, bins: Mapping[str, pd.DataFrame], colours: Colours = None
) -> ReliabilityDiagram:
    """Return the figure of reliability diagrams, from the bins of each model."""
    name, title = f"calibration_{table.dataset}", f"Calibration on {table.dataset_label}"
    clustered = len(table.trainings) > 1 or table.cluster is not None
    facts = {"clustered": clustered, "counted": _sizes(table)}
    return ReliabilityDiagram(name=name, title=title, bins=bins, colours=colours, **facts)


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
