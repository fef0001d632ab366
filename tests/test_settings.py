"""Every public function that takes settings honours all of them, or refuses."""

from pathlib import Path

from stats_core.data.settings import Settings, select
from stats_core.reading.reading import read_results

SAMPLES = Path(__file__).parents[1] / "sample_results"


def test_a_selection_of_everything_is_the_same_object():
    results = read_results(SAMPLES / "uci38_5x2.csv")

    assert select(results, Settings(without_algorithms=("none of them",))) is results
    assert select(results, Settings(without_algorithms=results.algorithms[:1])) is not results
