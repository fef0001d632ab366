import pytest

from stats_core.comparison.analyse import analyse
from stats_core.data.settings import Settings
from stats_core.io.read import read_results
from stats_core.robustness.group_evidence import best_first, typical_dataset
from tests.samples import SAMPLES


@pytest.mark.parametrize("measure", ["error", "precision"])
def test_the_best_two_are_those_of_the_comparison(measure):
    results = read_results(SAMPLES / "twoclass_counts.csv")

    assert list(best_first(results, measure)) == analyse(results, Settings(measure=measure)).order
    one = results.select(datasets=["donors"])
    assert list(best_first(one, measure)) == analyse(one, Settings(measure=measure)).order


def test_the_typical_data_set_has_the_largest_correlation_with_the_average():
    results = read_results(SAMPLES / "uci38_5x2.csv")
    ranks = results.averages("error").rank(axis=1)
    rho = ranks.T.corrwith(ranks.mean(), method="spearman")

    among = [name for name in results.datasets if name != rho.idxmax()]
    assert typical_dataset(results, "error", results.datasets) == rho.idxmax()
    assert typical_dataset(results, "error", among) == rho[among].idxmax()
