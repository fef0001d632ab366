"""How long twenty figures take as one zip of PDFs, against Plotly's own export of each.

``python -m benchmarks.export`` prints seconds, and each as a ratio to `plotly.io.to_image`, which
starts a browser for every figure. The figures are those of three analyses of the samples; both
sides draw the same Plotly figures at 3.5 inches.
"""

import time
from collections.abc import Callable
from pathlib import Path

import plotly.io as pio

from foldwise.figures.render import find_browser, renderer
from foldwise.gallery import Drawing, drawings
from foldwise.gallery.bundle import StylePanel, bundle, draw
from stats_core.comparison.analyse import analyse
from stats_core.data.settings import Settings
from stats_core.ordering.order import order_of
from stats_core.reading.reading import read_results

SAMPLES = Path(__file__).parent.parent / "sample_results"
N = 20
BUDGET = 20.0  # seconds for all of them
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


def one_by_one(chosen: list[Drawing]) -> None:
    """Let Plotly export each figure on its own."""
    for one in chosen:
        pio.to_image(draw(one, PANEL), format="pdf")


def main() -> None:
    """Print the table."""
    chosen = [
        *figures_of("uci38_5x2.csv", Settings()),
        *figures_of("twoclass_scores.csv.gz", Settings(dataset="acceptors", measure="auc")),
        *figures_of("twoclass_counts.csv", Settings(dataset="donors", measures=("fpr", "tpr"))),
    ][:N]
    print(f"{len(chosen)} figures as PDF, browser {find_browser()}")
    cold = seconds(lambda: bundle(chosen, PANEL, ["pdf"]))
    warm = seconds(lambda: bundle(chosen, PANEL, ["pdf"]))
    renderer().close()
    plain = seconds(lambda: one_by_one(chosen))
    print(f"{'':28}{'seconds':>8}{'ratio':>8}")
    for what, took in (
        ("one zip, browser starts", cold),
        ("one zip, browser runs", warm),
        ("plotly.io, one by one", plain),
    ):
        print(f"{what:28}{took:8.1f}{took / plain:8.2f}")
    print(f"budget {BUDGET:g} s: {'kept' if cold <= BUDGET else 'exceeded'}")


if __name__ == "__main__":
    main()
