"""How long twenty figures take as one zip of PDFs, SVGs and PNGs, beside matplotlib's plainest figure.

``python -m benchmarks.export`` prints seconds, and each as a ratio to the physical limit of the
painter: twenty times one line drawn and saved by matplotlib alone. The figures are those of three
analyses of the samples at 3.5 inches.
"""

import io
import time
from collections.abc import Callable
from pathlib import Path

from matplotlib.figure import Figure

from foldwise.gallery import Drawing, drawings
from foldwise.gallery.bundle import StylePanel, bundle, draw
from stats_core.comparison.analyse import analyse
from stats_core.data.settings import Settings
from stats_core.ordering.order import order_of
from stats_core.reading.reading import read_results

SAMPLES = Path(__file__).parent.parent / "sample_results"
N = 20
BUDGET = 3.0  # seconds for all of them as PDF
PANEL = StylePanel()


def figures_of(file: str, settings: Settings) -> list[Drawing]:
    """Return the figures of one analysis of a sample."""
    results = read_results(SAMPLES / file)
    analysis = analyse(results, settings)
    order = order_of(analysis.results, analysis.settings) if results.costs else None
    return drawings(analysis, order=order, results=results)


def seconds(work: Callable[[], object]) -> float:
    """Return how long something takes."""
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def plain(count: int) -> None:
    """Let matplotlib save a single line, over and over."""
    for _ in range(count):
        figure = Figure(figsize=(3.5, 2))
        figure.subplots().plot([0, 1], [0, 1])
        figure.savefig(io.BytesIO(), format="pdf")


def main() -> None:
    """Print the table."""
    chosen = [
        *figures_of("uci38_5x2.csv", Settings()),
        *figures_of("twoclass_scores.csv.gz", Settings(dataset="acceptors", measure="auc")),
        *figures_of("twoclass_counts.csv", Settings(dataset="donors", measures=("fpr", "tpr"))),
    ][:N]
    plain(1)
    limit = seconds(lambda: plain(len(chosen)))
    built = seconds(lambda: [draw(one, PANEL) for one in chosen])
    print(f"{len(chosen)} figures, in which building them by Plotly takes {built:.1f} s")
    print(f"{'':28}{'seconds':>8}{'ratio':>8}")
    took = {"one line by matplotlib": limit}
    for fmt in ("pdf", "svg", "png", "tikz"):
        took[f"one zip of {fmt}"] = seconds(lambda fmt=fmt: bundle(chosen, PANEL, [fmt]))
    for what, spent in took.items():
        print(f"{what:28}{spent:8.1f}{spent / limit:8.2f}")
    print(f"budget {BUDGET:g} s: {'kept' if took['one zip of pdf'] <= BUDGET else 'exceeded'}")


if __name__ == "__main__":
    main()
