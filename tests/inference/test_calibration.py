"""The calibration judges as the library does, and knows how to read what it kept."""

import numpy as np
import pytest

from benchmarks import calibration_measures as on_measures
from benchmarks.calibration import TESTED, advised, check, drawn, file_of, former, rows_of
from benchmarks.calibration_data import COMMON, DESIGNS, Population

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


def test_what_was_advised_before_rejects_more(rng):
    for design in ("10 x 10-fold", "30 partitions, 10 % tested", "bootstrap x 30"):
        x = made(rng, design, 200, 0.04)
        assert former(x, design).pairs.mean() > advised(x, design).pairs.mean()
    assert former(made(rng, "10-fold"), "10-fold") is None
    assert former(made(rng, COMMON), COMMON) is None


def test_rows_sum_up_each_procedure_over_populations(rng):
    x = made(rng, "5x2", apart=0.5)
    before, now = rows_of("5x2", {"one, nearest": x, "spambase, naive bayes": x})

    assert before["procedure"] == "5x2 cv F, Bergmann-Hommel (before)"
    assert now["procedure"] == "corrected t, 9 df, Tukey, 27 df (now)"
    # three of six pairs differ by ten standard deviations
    assert float(now["a pair"].split(" ")[0]) >= 0.5
    assert now["a pair, worst of the others"].endswith("one, nearest")
    assert now["one of six pairs"] == "1.000 ± 0.000"


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
    assert [row["residual df"] for row in rows] == {
        "5x2": ["9 (now)"],
        "10 x 10-fold": ["99 (before)", "8 (now)"],
    }[design]

    monkeypatch.setitem(TESTED, design, (0.3, ""))
    off = on_measures.judged(vectors, design, capped=True)
    monkeypatch.undo()
    monkeypatch.setattr(on_measures, "judged", lambda *_, **__: off)
    with pytest.raises(SystemExit, match="disagree"):
        on_measures.check(vectors, design)
