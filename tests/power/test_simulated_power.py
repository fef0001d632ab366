"""Tests of simulated power: the decisions of the library in every draw; stopped and parallel simulations."""

import sys
from concurrent.futures import ThreadPoolExecutor
from types import ModuleType

import numpy as np
import pytest

from stats_core.core.errors import DesignError, SettingError
from stats_core.data.results import Results
from stats_core.data.settings import Settings
from stats_core.inference.multiplicity.adjust import adjust_control, adjust_pairs
from stats_core.inference.pairwise import pairwise
from stats_core.inference.ranks import exact_rank_pairs, nemenyi, post_hoc_z, rank_rows
from stats_core.power import simulation
from stats_core.power.simulated_power import (
    TESTS,
    Blocks,
    Experiments,
    all_procedures,
    compared_pairs,
    draw_sets,
    power_of,
)
from stats_core.power.simulation import Processes, choose_workers, run_simulation, so_far
from tests.power.killed import SEED, Uniform
from tests.samples import shipped


def library(scores, one, control):
    """Return the adjusted p-values of one experiment by the functions of the library."""
    ranks = rank_rows(scores, higher_is_better=True)
    if one.test == "nemenyi":
        table = nemenyi(ranks.mean(), len(scores)).pvalues
    elif one.test == "z":
        table = post_hoc_z(ranks.mean(), len(scores)).pvalues
    elif one.test == "ranks":
        table = exact_rank_pairs(ranks).pvalues
    else:
        table = pairwise(scores, one.test).pvalues
    if control is not None:
        name = scores.columns[control]
        return adjust_control(table[name].drop(name), one.correction).to_numpy()
    if one.correction != "nemenyi":
        table = adjust_pairs(table, one.correction)
    return table.to_numpy()[np.triu_indices(len(table), 1)]


@pytest.mark.parametrize("control", [None, 2])
def test_every_procedure_decides_every_draw_as_the_library_does(control):
    """Published accuracies are rounded to two digits, so that there are ties and zeros."""
    scores = shipped("garcia_herrera_2008_accuracy.csv").averages("accuracy").round(2)
    blocks = Blocks.of(scores, higher_is_better=True)
    first, second = compared_pairs(scores.shape[1], control)
    sets = np.array(
        [np.random.default_rng(i).choice(len(scores), 9, replace=False) for i in range(8)]
    )
    drawn = Experiments(
        ranks=blocks.ranks[sets],
        steps=blocks.steps[:, first, second][sets],
        patterns=blocks.patterns()[sets],
        first=first,
        second=second,
    )
    procedures = all_procedures(scores.shape[1], control=control is not None, tests=TESTS)

    found = drawn.adjusted(procedures)

    assert len(found) == len(procedures) > 20
    for one, adjusted in found.items():
        for place, chosen in enumerate(sets):
            wanted = library(scores.iloc[chosen], one, control)
            np.testing.assert_allclose(adjusted[place], wanted, rtol=1e-11, err_msg=one.name)


def test_a_bias_draws_data_sets_in_proportion_to_their_weights():
    lead = np.array([-0.2, 0.0, 0.1, 0.3])
    noise = np.random.default_rng(3).gumbel(size=(40_000, 4))
    weights = 1 / (1 + np.exp(-10 * lead))

    first = draw_sets(lead, 10.0, noise, 1)[:, 0]

    shares = np.bincount(first, minlength=4) / len(first)
    np.testing.assert_allclose(shares, weights / weights.sum(), atol=0.012)  # 5 standard errors
    two = draw_sets(lead, 10.0, noise[:100], 2)
    assert (two[:, 0] != two[:, 1]).all()


def test_the_frame_holds_means_and_errors_of_what_was_drawn():
    results = shipped("garcia_herrera_2008_accuracy.csv")
    asked = {"procedures": ["holm on z", "bonferroni on z"], "biases": [0.0, 15.0], "draws": 300}

    found = power_of(results, Settings(measure="accuracy"), seed=1, **asked)

    work = power_of.simulation(results, Settings(measure="accuracy"), seed=1, **asked)
    drawn = []
    for number, size in enumerate(
        (50, 200, 50)
    ):  # a small chunk, the rest of a whole one, what is left
        rng = np.random.default_rng(np.random.SeedSequence(1, spawn_key=(number,)))
        drawn.append(draw_sets(work.lead, 0.0, rng.gumbel(size=(size, 30)), 10))
    sets = np.concatenate(drawn)
    scores = results.averages("accuracy")
    holm = next(one for one in found.procedures if one.correction == "holm")
    p = np.array([library(scores.iloc[chosen], holm, None) for chosen in sets])
    row = found.frame.iloc[0]
    assert (row["procedure"], found.draws) == (holm.name, 300)
    assert row["rejected"] == pytest.approx((p <= 0.05).sum(axis=1).mean(), rel=1e-12)
    assert row["rejected se"] == pytest.approx(
        (p <= 0.05).sum(axis=1).std(ddof=1) / np.sqrt(300), rel=1e-9
    )
    assert row["pvalue"] == pytest.approx(p.mean(), rel=1e-12)
    wide = found.frame.pivot(index="bias", columns="procedure", values="rejected")
    assert (wide[holm.name] >= wide[found.procedures[1].name]).all()
    assert (
        found.frame["pair rejected"].is_monotonic_increasing or wide.iloc[1].ge(wide.iloc[0]).all()
    )


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ({"n_sets": 30}, "must be below the number of data sets to draw from"),
        ({"biases": [1.0, 0.0]}, "must be increasing numbers"),
        ({"procedures": ["holm on luck"]}, "luck"),
        ({"procedures": ["finner"]}, "finner"),
        ({"pair": ("C4.5", "C4.5")}, "two different algorithms"),
        ({"draws": 1}, "at least 2"),
    ],
)
def test_what_cannot_be_simulated_is_refused(asked, said):
    with pytest.raises(SettingError, match=said):
        power_of(shipped("garcia_herrera_2008_accuracy.csv"), **asked)


def test_holes_and_one_data_set_are_refused():
    results = shipped("garcia_herrera_2008_accuracy.csv")
    with pytest.raises(DesignError, match="there are 5 algorithms and 1 data set"):
        power_of(results, Settings(dataset=results.datasets[0]))
    # one result is taken away
    frame = results.frame.iloc[1:]
    with pytest.raises(DesignError, match="1 of 150 results is missing"):
        power_of(Results.from_frame(frame, directions={"accuracy": "higher"}))


WORK = Uniform(draws=45, seed=SEED)


class Stop(Exception):
    pass


def test_chunks_are_the_children_of_the_seed_whatever_computes_them():
    children = np.random.SeedSequence(SEED).spawn(5)
    sizes = [10, 10, 10, 10, 5]
    drawn = [
        np.random.default_rng(child).random(n) for child, n in zip(children, sizes, strict=True)
    ]

    n, mean = run_simulation(WORK)

    assert n == 45
    assert mean == pytest.approx(np.concatenate(drawn).mean(), rel=1e-15)
    with ThreadPoolExecutor(3) as threads:
        assert run_simulation(WORK, executor=threads) == (n, mean)


def test_a_simulation_that_was_stopped_goes_on_and_shows_what_it_has():
    kept, seen = {}, []

    def stop_after_two(progress):
        seen.append((progress.done, progress.total, progress.so_far()[0]))
        if progress.done == 2:
            raise Stop

    with pytest.raises(Stop):
        run_simulation(WORK, kept=kept, progress=stop_after_two)
    first = {number: float(sums["sum"]) for number, sums in kept.items()}
    assert seen == [(1, 5, 10), (2, 5, 20)]
    assert so_far(WORK, kept)[0] == 20
    rest = []
    found = run_simulation(WORK, kept=kept, progress=lambda progress: rest.append(progress.done))

    assert rest == [3, 4, 5]
    assert {number: float(kept[number]["sum"]) for number in first} == first
    assert found == run_simulation(WORK)
    # more draws of the same seed take whole chunks over, not the one that was smaller
    more = Uniform(draws=60, seed=SEED)
    told = []
    assert run_simulation(
        more, kept=kept, progress=lambda progress: told.append(progress.done)
    ) == run_simulation(more)
    assert told == [5, 6]
    assert more.key == WORK.key != Uniform(draws=60, seed=SEED + 1).key


def test_a_process_that_is_killed_loses_nothing(tmp_path, monkeypatch):
    monkeypatch.setattr(simulation, "_SOON", 0)  # or this process would do it all
    # a test of the app leaves its script behind, which every new process would run first
    monkeypatch.setitem(sys.modules, "__main__", ModuleType("__main__"))
    marker = tmp_path / "killed"
    fatal = Uniform(draws=45, seed=SEED, marker=str(marker))

    with Processes(1) as pool:
        found = run_simulation(fatal, executor=pool)

    assert marker.exists()
    assert found == run_simulation(WORK)


def test_dask_workers_find_the_same():
    distributed = pytest.importorskip("distributed")
    with distributed.LocalCluster(n_workers=1, processes=False, dashboard_address=None) as cluster:
        with choose_workers(scheduler=cluster.scheduler_address) as executor:
            assert run_simulation(WORK, executor=executor) == run_simulation(WORK)


def test_workers_that_cannot_be_had_are_refused():
    with pytest.raises(SettingError, match="must be at least 1, but is 0"), choose_workers(0):
        pass
    with pytest.raises(SettingError, match="Dask"), choose_workers(scheduler="tcp://127.0.0.1:1"):
        pass
