"""The same comparison without each data set in turn, where that is quick."""

from collections.abc import Callable, Iterator

from stats_core.comparison.base import Comparison

COMMON = ("results", "settings", "higher_is_better", "scores", "advice")  # held by every kind
MOST_LEFT_IN = 20  # algorithms that are ranked anew without each data set
MOST_RUNS = 60  # runs on ranks without a data set, about 4 ms each


def quickly_left_out(comparison: Comparison) -> bool:
    """Tell whether leaving out each data set in turn takes a moment only."""
    n, k = comparison.scores.shape
    of_pairs = 0 if comparison.settings.source == "ranks" else k * (k - 1) / 40
    return k <= MOST_LEFT_IN and n * (1 + of_pairs) <= MOST_RUNS


def left_out_each(
    comparison: Comparison, compare: Callable[[dict], Comparison]
) -> Iterator[tuple[str, Comparison]]:
    """Yield the comparison without each data set, by the same settings."""
    kept = {name: getattr(comparison, name) for name in COMMON}
    for name in comparison.scores.index:
        yield str(name), compare({**kept, "scores": comparison.scores.drop(index=name)})
