"""The engine: the same numbers wherever chunks are computed, and nothing lost on the way."""

import sys
from concurrent.futures import ThreadPoolExecutor
from types import ModuleType

import numpy as np
import pytest

from stats_core.core.errors import SettingError
from stats_core.power import simulation
from stats_core.power.simulation import Processes, choose_workers, run_simulation, so_far
from tests.power.killed import SEED, Uniform

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
    with pytest.raises(SettingError, match="1 or more processes. It is 0"), choose_workers(0):
        pass
    with pytest.raises(SettingError, match="Dask"), choose_workers(scheduler="tcp://127.0.0.1:1"):
        pass
