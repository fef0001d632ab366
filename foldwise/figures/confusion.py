"""Confusion matrices of several algorithms, side by side."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import product
from typing import ClassVar

import pandas as pd
import plotly.graph_objects as go

from foldwise.figures import rank_map, text, traces
from foldwise.figures.axis_parts import add_panels, names_axis
from foldwise.figures.spec import FigureSpec, cached_figure, figure_text
from foldwise.figures.theme import Style
from stats_core.core.formatting import format_count, format_percent
from stats_core.data import class_measures
from stats_core.data.results import Results

_MOST = 6  # largest number of panels
_MOST_CLASSES = 20


@dataclass(frozen=True, kw_only=True, eq=False)
class ConfusionMatrices(FigureSpec):
    """Confusion matrices of the first six algorithms; shades are shares of the instances of each true class.

    Attributes
    ----------
    matrices : mapping of algorithm to DataFrame, true x predicted class
        Numbers of instances.
    """

    how_to_read: ClassVar[str] = figure_text("confusion.how_to_read")
    matrices: Mapping[str, pd.DataFrame]

    def draw(self, style: Style) -> go.Figure:
        """Return the Plotly figure."""
        names = list(self.matrices)[:_MOST]
        labels = list(next(iter(self.matrices.values())).index)
        k = len(labels)

        def words(room: float) -> list[str]:
            return list(text.shorten(labels, room, style.tick_size, serif=style.serif).values())

        rows = words(7 * style.size)
        widest = max(text.text_width(label, style.tick_size, style.serif) for label in rows)
        row_height = max(style.px(26, 13), 1.5 * style.size)
        fig, subplots, room = add_panels(
            len(names),
            names,
            style,
            left=widest / style.size + 3,
            height=k * row_height + 6 * style.size,
            shared=True,
        )
        is_flat = widest < 0.95 * room / k
        columns = rows if is_flat else words(2.8 * style.size)
        positions = list(range(k))
        across = names_axis(positions, list(map(text.escape, columns)), [-0.5, k - 0.5])
        down = names_axis(positions, list(map(text.escape, rows)), [k - 0.5, -0.5])
        for name, subplot in zip(names, subplots, strict=True):
            row = subplot["row"]
            col = subplot["col"]
            self._draw_panel(fig, name, row, col, style)
            fig.update_xaxes(**across, tickangle=0 if is_flat else -90, row=row, col=col)
            fig.update_yaxes(**down, row=row, col=col)
            if is_flat:
                fig.update_xaxes(title="predicted class", row=row, col=col)
        return fig.update_yaxes(title="true class", col=1)

    def _draw_panel(self, fig: go.Figure, name: str, row: int, col: int, style: Style) -> None:
        """Draw the cells of one algorithm, with the number of instances in each cell that is not empty."""
        table = self.matrices[name]
        shares = table.div(table.sum(axis=1).where(lambda sizes: sizes > 0, 1), axis=0).to_numpy()
        counts = table.to_numpy()
        labels = [text.escape(label) for label in table.index]
        cells = list(product(range(len(labels)), repeat=2))
        fills = [rank_map.shade(2 - shares[cell], 2, style) for cell in cells]
        hover_text = [
            f"<b>{text.escape(name)}</b><br>true {labels[i]}, predicted {labels[j]}: {counts[i, j]:,} "
            f"({format_percent(float(shares[i, j]))} of {labels[i]})"
            for i, j in cells
        ]
        at = [(j, i) for i, j in cells]
        traces.add_cells(
            fig, at, text.escape(name), fills, hover_text, width=0.96, height=0.96, row=row, col=col
        )
        filled = [(cell, fill) for cell, fill in zip(cells, fills, strict=True) if counts[cell]]
        shown = [f"{counts[cell]}" for cell, _ in filled]
        inks = [rank_map.ink_on(fill) for _, fill in filled]
        x = [j for (_, j), _ in filled]
        y = [i for (i, _), _ in filled]
        traces.add_cell_text(
            fig, x, y, "numbers", shown, style.tick_size, inks, showlegend=False, row=row, col=col
        )

    def caption(self, style: Style) -> str:
        """Return the caption."""
        return figure_text(
            "confusion.caption", counted=self.counted, drawn=_MOST, n=len(self.matrices)
        )

    @property
    def data(self) -> pd.DataFrame:
        """The numbers of instances of all algorithms, one row per true class."""
        return pd.concat(dict(self.matrices), names=["algorithm", "true"]).reset_index()

    @property
    def alt(self) -> str:
        """Alternative text, at most 300 characters: the most frequent confusion of each algorithm drawn."""
        parts = []
        for name, table in list(self.matrices.items())[:_MOST]:
            is_wrong = table.index.to_numpy()[:, None] != table.columns.to_numpy()
            wrong = table.where(is_wrong, 0).stack()
            true, predicted = wrong.idxmax()
            parts.append(f"{name} {true} as {predicted} {int(wrong.max())}")
        return text.truncate_text(figure_text("confusion.alt", parts=", ".join(parts)))


def datasets_with_confusion(results: Results, least: int = 2) -> list[str]:
    """Return the data sets with predicted classes, at least `least` and at most 20."""
    return [
        name
        for name, n in class_measures.class_counts(results).items()
        if least <= n <= _MOST_CLASSES
    ]


@cached_figure(at_every_level=True)
def confusion_drawing(results: Results, dataset: str) -> ConfusionMatrices | None:
    """Return the figure of confusion matrices, None if there are no predictions."""
    matrices = class_measures.confusion_matrices(results, dataset)
    if not matrices or not next(iter(matrices.values())).size:
        return None
    counted = format_count(int(next(iter(matrices.values())).to_numpy().sum()), "prediction")
    name = f"confusion_{dataset}"
    title = figure_text("confusion.title", dataset=results.dataset_label(dataset))
    return ConfusionMatrices(name=name, title=title, matrices=matrices, counted=counted)
