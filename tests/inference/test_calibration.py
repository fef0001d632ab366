"""Tests of simulated error rates: the same decisions as the library, stored samples, and published rates."""

import numpy as np
import pytest

from benchmarks import calibration, simulated_error_rates, vectorized_tests
from benchmarks.calibration import (
    COMMON,
    DESIGNS,
    TESTED,
    Population,
    drawn,
    file_of,
    one_measure,
    rows_of,
    two_measures,
)
from benchmarks.simulated_error_rates import FIVE_BY_TWO
from stats_core.data.settings import Settings
from tests.monte_carlo import draws, share

PAIR, FAMILY = "a pair", "any of six pairs"
RESULTS = {"5x2": 10, "10-fold": 10, "10 x 10-fold": 100, "bootstrap x 10": 10, COMMON: 20}


def made(rng, design, samples=20, apart=0.0):
    """Return random results, sample x fold x algorithm; the first algorithm is shifted by `apart`."""
    x = rng.normal(0.3, 0.05, size=(samples, RESULTS.get(design, 30), 4))
    x[:, :, 0] += apart
    return x


@pytest.mark.parametrize("design", [*DESIGNS, COMMON])
@pytest.mark.parametrize("apart", [0.0, 0.2])
def test_simulated_tests_decide_as_the_library_does(rng, design, apart):
    calibration.check_one_measure(made(rng, design, 1, apart), design)


def test_a_design_that_the_library_judges_otherwise_stops_it(rng, monkeypatch):
    monkeypatch.setitem(TESTED, "10-fold", (0.999, ""))
    with pytest.raises(SystemExit, match="10-fold: the simulation and stats_core disagree"):
        calibration.check_one_measure(made(rng, "10-fold", 1, 0.2), "10-fold")


def test_the_published_test_rejects_more_than_the_conservative_one(rng):
    for design, apart in (
        ("10 x 10-fold", 0.05),
        ("30 partitions, 10% tested", 0.05),
        ("bootstrap x 30", 0.12),
    ):
        x = made(rng, design, 200, apart)
        default, published, *_ = one_measure(x, design).items()
        assert "df = J - 1" in published[0]
        assert published[1][PAIR].mean() > default[1][PAIR].mean()
    # with ten results the published test is the default, and is not listed twice
    assert [
        name for name in one_measure(made(rng, "10-fold"), "10-fold") if "corrected" in name
    ] == ["corrected t (Nadeau-Bengio, df = J - 1), Bergmann-Hommel"]


def test_rows_sum_up_each_procedure_over_populations(rng):
    x = made(rng, "5x2", apart=0.5)
    rates = one_measure(x, "5x2")
    now, tukey, by_f = rows_of("5x2", {"one, nearest": rates, "spambase, naive bayes": rates})

    assert now["procedure"].endswith("df = J - 1), Bergmann-Hommel (default)")
    assert (tukey["procedure"], by_f["procedure"]) == ("Tukey, 27 df", "5x2 cv F, Bergmann-Hommel")
    # three of six pairs differ by ten standard deviations
    assert float(now["a pair"].split(" ")[0]) >= 0.5
    assert now["a pair, worst of the others"].endswith("one, nearest")
    assert now["any of six pairs"] == "1.000 ± 0.000"
    assert tukey["a pair"] == ""  # Tukey's test is of all at once
    assert list(now) == list(tukey) == list(by_f)


def test_samples_that_were_kept_are_not_drawn_again(rng, tmp_path):
    population = Population("one, nearest", np.zeros((1, 4, 1)), np.zeros(1, dtype=int), None)
    wrong = rng.random((100, 20, 4, 3))
    file = file_of(tmp_path, population.name, COMMON, 0)
    np.save(file, wrong)

    found = drawn(population, COMMON, 200, tmp_path, only_stored=True)

    assert file.name == "one-nearest,_20_trainings,_one_test_set_0.npy"
    np.testing.assert_allclose(found, wrong)
    assert drawn(population, "5x2", 200, tmp_path, only_stored=True) is None


@pytest.mark.parametrize("design", ["5x2", "10 x 10-fold"])
def test_measures_are_judged_as_the_library_does(rng, monkeypatch, design):
    x = rng.normal(0.3, 0.05, size=(2, RESULTS[design], 4, 3))
    x[:, :, 0, 0] += 0.1
    vectors = calibration.two_errors(x)

    calibration.check_two_measures(vectors, design)
    rows = list(rows_of(design, {"one, nearest": two_measures(vectors, design)}))
    assert [row["procedure"] for row in rows] == {
        "5x2": ["residual df 9 (default)"],
        "10 x 10-fold": ["residual df 8 (default)", "residual df 99"],
    }[design]

    monkeypatch.setitem(TESTED, design, (0.3, ""))
    wrong = calibration._measure_pvalues(vectors, design, capped=True)
    monkeypatch.undo()
    monkeypatch.setattr(calibration, "_measure_pvalues", lambda *_, **__: wrong)
    with pytest.raises(SystemExit, match="disagree"):
        calibration.check_two_measures(vectors, design)


@draws(300, 2000)
def test_unlike_variances_inflate_tukeys_error_and_not_that_of_the_corrected_t(draws):
    """Eight algorithms, one with ten times the variance: Tukey .126 (table in docs/methods.md)."""
    row = simulated_error_rates.variance_row(
        FIVE_BY_TWO, 8, 10, False, draws, np.random.default_rng(3)
    )

    assert row["Tukey"] == share(0.126, draws)
    assert row["corrected t"] <= share(0.05, draws).expected + 0.03
    alike = simulated_error_rates.variance_row(
        FIVE_BY_TWO, 3, 1, False, draws, np.random.default_rng(4)
    )
    assert alike["Tukey"] == share(0.05, draws)


@draws(300, 2000)
def test_noisy_algorithms_inflate_average_ranks_and_skewed_ones_wilcoxon(draws):
    """Ten algorithms on 8 data sets: .094; three algorithms on 40 data sets: .078 (table in docs/methods.md)."""
    rng, skewed = np.random.default_rng(5), "one skewed, 3 times the spread"

    by_ranks = simulated_error_rates.dataset_row(
        "half of them with 10 times the spread", 10, 8, draws, rng
    )
    by_wilcoxon = simulated_error_rates.dataset_row(skewed, 3, 40, draws, rng)

    assert by_ranks["pairwise tests of average ranks with Bergmann-Hommel adjustment"] == share(
        0.094, draws
    )
    assert by_wilcoxon["Wilcoxon signed-rank tests with Bergmann-Hommel adjustment"] == share(
        0.078, draws
    )
    assert by_wilcoxon["sign tests with Holm adjustment"] <= share(0.05, draws).expected + 0.03
    # its median of differences is 0, so that the sign test has its level: c of P(E - c > Z) = 1/2
    x = simulated_error_rates.POPULATIONS[skewed][0](rng, 2000, 40, 2)
    assert np.mean(x[..., 0] > x[..., 1]) == share(0.5, x[..., 0].size)


def test_simulations_that_the_library_judges_otherwise_stop(rng, monkeypatch):
    x = rng.normal(size=(1, 10, 3))
    x[..., 0] += 5
    true = np.ones(3, dtype=bool)
    monkeypatch.setattr(
        simulated_error_rates, "dataset_decisions", lambda *_: np.zeros((3, 1), dtype=bool)
    )
    with pytest.raises(SystemExit, match="the simulation and stats_core disagree"):
        simulated_error_rates.check_datasets(x, true)
    results = simulated_error_rates.fold_results(x[0], FIVE_BY_TWO)
    with pytest.raises(SystemExit, match="5x2, 3 algorithms: .* disagree"):
        simulated_error_rates.check_decisions(
            "5x2, 3 algorithms", results, Settings(measure="error"), true, False
        )
    with pytest.raises(SystemExit, match="Wilcoxon: .* disagree"):
        vectorized_tests.check("Wilcoxon", [0.04], [0.05])
