"""Time of exporting twenty figures as one zip, compared with matplotlib's simplest figure.

The lower bound is the time in which matplotlib draws and saves a single line twenty times. The
figures are those of three analyses of the samples at 3.5 inches.
"""

import io
from collections.abc import Iterator
from pathlib import Path

from matplotlib.figure import Figure

from benchmarks.benchmark_row import Row, seconds
from foldwise.figures.registry import drawings
from foldwise.figures.spec import FigureSpec
from foldwise.rendering.figure_files import StylePanel, bundle
from stats_core.comparison.analyse import analyse
from stats_core.data.settings import Settings
from stats_core.io.read import read_results
from stats_core.ordering.order import order_of

SAMPLES = Path(__file__).parent.parent / "sample_results"
N = 20
BUDGET = 3.0  # seconds for all figures
PANEL = StylePanel()


def figures_of(file: str, settings: Settings) -> list[FigureSpec]:
    """Return the figures of one analysis of a sample."""
    results = read_results(SAMPLES / file)
    analysis = analyse(results, settings)
    order = order_of(analysis.results, analysis.settings) if results.costs else None
    return drawings(analysis, order=order, results=results)


def plain(count: int) -> None:
    """Save a figure of a single line by matplotlib, repeatedly."""
    for _ in range(count):
        figure = Figure(figsize=(3.5, 2))
        figure.subplots().plot([0, 1], [0, 1])
        figure.savefig(io.BytesIO(), format="pdf")


def rows() -> Iterator[Row]:
    """Yield the time of one zip of twenty figures in each format."""
    chosen = [
        *figures_of("uci38_5x2.csv", Settings()),
        *figures_of("twoclass_scores.csv.gz", Settings(dataset="acceptors", measure="auc")),
        *figures_of("twoclass_counts.csv", Settings(dataset="donors", measures=("fpr", "tpr"))),
    ][:N]
    plain(1)
    limit = seconds(lambda: plain(len(chosen)), 1)
    for fmt in ("pdf", "svg", "png", "tikz"):
        took = seconds(lambda fmt=fmt: bundle(chosen, PANEL, [fmt]), 1)
        yield Row(f"{len(chosen)} figures as {fmt}", took, BUDGET, limit, "a line by matplotlib")
