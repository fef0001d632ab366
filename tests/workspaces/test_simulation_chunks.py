"""Tests of chunks on disk: simulations that continue, do not mix, and stay within the budget."""

import numpy as np

from foldwise.workspaces.store import (
    ChunkFolder,
    Store,
    Workspace,
    WorkspaceChunks,
    WorkspaceLimits,
)
from stats_core.power.simulation import run_simulation
from tests.power.killed import Uniform


def test_a_simulation_goes_on_from_its_folder_and_not_from_that_of_another(tmp_path):
    work, other = Uniform(draws=45, seed=5), Uniform(draws=45, seed=6)
    kept = ChunkFolder(tmp_path, work.key)
    wanted = run_simulation(work, kept=kept)
    assert list(kept) == [0, 1, 2, 3, 4]
    (tmp_path / work.key / "3.npz").write_bytes(b"half of it")
    del kept[1]

    told = []
    found = run_simulation(work, kept=lambda key: ChunkFolder(tmp_path, key), progress=told.append)

    assert found == wanted
    assert [(one.done, one.total) for one in told] == [(4, 5), (5, 5)]
    assert run_simulation(other, kept=lambda key: ChunkFolder(tmp_path, key)) != wanted
    assert len(list(tmp_path.iterdir())) == 2
    assert not list(tmp_path.glob("*/*.part"))
    np.testing.assert_array_equal(kept[0]["draws"], 10)


def test_a_workspace_keeps_chunks_within_the_budget_and_files_come_first(tmp_path):
    limits = WorkspaceLimits(path=tmp_path / "kept.sqlite3", session_mb=1, store_mb=2)
    store = Store(limits)
    link = store.save(Workspace(files=(("a.csv", b"x" * 100),))).link
    chunks, large = WorkspaceChunks(limits, link), {"sum": np.zeros(75_000)}  # 0.6 MB

    chunks.save("one", {0: large})
    chunks.save("two", {0: large})
    assert (list(chunks.load("one")), list(chunks.load("two"))) == ([], [0])
    chunks.save("two", {1: large})  # not even alone
    assert list(chunks.load("two")) == [0]

    store.save(Workspace(files=(("b.csv", b"y" * 1_900_000),)))
    assert chunks.load("two") == {}
    chunks.save("two", {0: {"sum": np.zeros(3)}})
    store.delete(link)
    assert chunks.load("two") == {}
    chunks.save("two", {0: large})  # of a workspace that is gone: no error, nothing kept
    assert chunks.load("two") == {}
