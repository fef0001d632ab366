from dataclasses import dataclass, field
from functools import cache

import pandas as pd
import plotly.graph_objects as go

from foldwise.figures.registry import drawings
from foldwise.figures.spec import FigureSpec
from stats_core.comparison.analyse import analyse
from stats_core.data.settings import Settings
from stats_core.ordering.order import order_of
from tests.samples import shipped

UCI, CURVES, COUNTS = "uci38_5x2.csv", "twoclass_scores.csv.gz", "twoclass_counts.csv"


@cache
def read(file):
    return shipped(file)


def made(file, settings=Settings(), *, with_order=False):  # noqa: B008 frozen
    """Return the analysis of a sample, its order by cost, and its drawings."""
    results = read(file)
    analysis = analyse(results, settings)
    order = order_of(analysis.results, analysis.settings) if with_order else None
    return analysis, order, drawings(analysis, order=order, results=results)


@dataclass(frozen=True, kw_only=True, eq=False)
class SimpleFigure(FigureSpec):
    """Two bars, and a table of two rows."""

    name: str = "scores"
    title: str = "Scores"
    how_to_read: str = "Each bar."
    alt: str = "Bars."
    data: pd.DataFrame = field(
        default_factory=lambda: pd.DataFrame({"svm": [0.9, 0.8], "=knn": [0.7, 0.6]}, index=["=1+1", "b"])
    )

    def draw(self, style):
        """Return the bars."""
        fig = go.Figure(go.Bar(x=["a", "b"], y=[1, 2]))
        return fig.update_layout(width=style.width, height=200, margin={"t": 10})

    def caption(self, style):
        """Return the caption."""
        return "Two bars."
