"""The calibration judges as the library does, and knows how to read what it kept."""

import numpy as np
import pytest

from benchmarks import calibration_measures as on_measures
from benchmarks import simulated_sets, simulated_variances
from benchmarks.calibration import COMMON, DESIGNS, TESTED, Population, check, default, drawn, file_of, others, rows_of
from tests.monte_carlo import draws, share

RESULTS = {"5x2": 10, "10-fold": 10, "10 x 10-fold": 100, "bootstrap x 10": 10, COMMON: 20}


def made(rng, design, samples=20, apart=0.0):
    """Results of four algorithms; the first differs by `apart`."""
    x = rng.normal(0.3, 0.05, size=(samples, RESULTS.get(design, 30), 4))
    x[:, :, 0] += apart
    return x


@pytest.mark.parametrize("design", [*DESIGNS, COMMON])
@pytest.mark.parametrize("apart", [0.0, 0.2])
def test_it_judges_as_the_library_does(rng, design, apart):
    check(made(rng, design, 1, apart), design)


def test_a_design_that_the_library_judges_otherwise_stops_it(rng, monkeypatch):
    monkeypatch.setitem(TESTED, "10-fold", (0.999, ""))
    with pytest.raises(SystemExit, match="10-fold: the calibration and stats_core disagree"):
        check(made(rng, "10-fold", 1, 0.2), "10-fold")


def test_the_published_test_rejects_more_than_the_conservative_one(rng):
    for design, apart in (("10 x 10-fold", 0.05), ("30 partitions, 10% tested", 0.05), ("bootstrap x 30", 0.12)):
        x = made(rng, design, 200, apart)
        published = next(others(x, design))
        assert "df = J - 1" in published.procedure
        assert published.pairs.mean() > default(x, design).pairs.mean()
    # with ten results the published test is the default, and is not listed twice
    assert "df = J - 1" in default(made(rng, "10-fold"), "10-fold").procedure
    assert not [one for one in others(made(rng, "10-fold"), "10-fold") if "corrected" in one.procedure]


def test_rows_sum_up_each_procedure_over_populations(rng):
    x = made(rng, "5x2", apart=0.5)
    now, tukey, by_f = rows_of("5x2", {"one, nearest": x, "spambase, naive bayes": x})

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

    found = drawn(population, COMMON, 200, tmp_path, only_kept=True)

    assert file.name == "one-nearest,_20_trainings,_one_test_set_0.npy"
    np.testing.assert_allclose(found, wrong)
    assert drawn(population, "5x2", 200, tmp_path, only_kept=True) is None


@pytest.mark.parametrize("design", ["5x2", "10 x 10-fold"])
def test_measures_are_judged_as_the_library_does(rng, monkeypatch, design):
    x = rng.normal(0.3, 0.05, size=(2, RESULTS[design], 4, 3))
    x[:, :, 0, 0] += 0.1
    vectors = on_measures.two_errors(x)

    on_measures.check(vectors, design)
    rows = list(on_measures.rows_of(design, {"one, nearest": vectors}))
    assert [row["residual df"] for row in rows] == {"5x2": ["9 (now)"], "10 x 10-fold": ["99 (before)", "8 (now)"]}[
        design
    ]

    monkeypatch.setitem(TESTED, design, (0.3, ""))
    off = on_measures.judged(vectors, design, capped=True)
    monkeypatch.undo()
    monkeypatch.setattr(on_measures, "judged", lambda *_, **__: off)
    with pytest.raises(SystemExit, match="disagree"):
        on_measures.check(vectors, design)


@draws(300, 2000)
def test_unlike_variances_inflate_tukeys_error_and_not_that_of_the_corrected_t(draws):
    """Eight algorithms, one with ten times the variance: Tukey .126, table of docs/methods.md."""
    row = simulated_variances.row("5x2", 8, 10, False, draws, np.random.default_rng(3))

    assert row["Tukey"] == share(0.126, draws)
    assert row["corrected t"] <= share(0.05, draws).expected + 0.03
    alike = simulated_variances.row("5x2", 3, 1, False, draws, np.random.default_rng(4))
    assert alike["Tukey"] == share(0.05, draws)


@draws(300, 2000)
def test_noisy_algorithms_inflate_average_ranks_and_skewed_ones_wilcoxon(draws):
    """Ten algorithms on 8 data sets .094; three on 40 .078: table of docs/methods.md."""
    worlds = {world.name: world for world in simulated_sets.WORLDS}
    rng = np.random.default_rng(5)
    noisy = worlds["half of them with 10 times the spread"]
    skewed = worlds["one skewed, 3 times the spread"]

    by_ranks = simulated_sets.simulate(noisy, 10, 8, draws, rng)
    by_wilcoxon = simulated_sets.simulate(skewed, 3, 40, draws, rng)

    assert by_ranks["Bergmann-Hommel on average ranks"] == share(0.094, draws)
    assert by_wilcoxon["Bergmann-Hommel on Wilcoxon"] == share(0.078, draws)
    assert by_wilcoxon["Holm on sign test"] <= share(0.05, draws).expected + 0.03
    # its median of differences is 0, so that the sign test has its level: c of P(E - c > Z) = 1/2
    x = skewed.draw(rng, 2000, 40, 2)
    assert np.mean(x[..., 0] > x[..., 1]) == share(0.5, x[..., 0].size)


def test_simulations_that_the_library_judges_otherwise_stop(rng, monkeypatch):
    x = rng.normal(size=(1, 10, 3))
    x[..., 0] += 5
    true = np.ones(3, dtype=bool)
    monkeypatch.setattr(simulated_sets, "wrong", lambda *_: np.zeros((3, 1), dtype=bool))
    with pytest.raises(SystemExit, match="the simulation and stats_core disagree"):
        simulated_sets.check(x, true)
    with pytest.raises(SystemExit, match="10-fold, 3 algorithms: .* disagree"):
        simulated_variances.check(x, "10-fold", true, np.array([False]))
