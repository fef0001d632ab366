"""Tests of the store of workspaces: acknowledged changes, access, and expiry."""

import os
import signal
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import pytest

from foldwise.workspaces.store import DAY, Store, Workspace, WorkspaceLimits, WorkspaceSaveError, limits
from stats_core.core.errors import SettingError

ROOT = Path(__file__).parents[2]
FILES = (("a.csv", b"dataset,rf,svm\n1,2,3\n"), ("b.csv", b"x" * 1000))
MINE = Workspace(name="mine", files=FILES, choices={"settings": {"alpha": "0.01"}})


@pytest.fixture
def path(tmp_path):
    return tmp_path / "kept" / "workspaces.sqlite3"


@pytest.fixture
def store(path):
    return Store(WorkspaceLimits(path=path))


def test_what_is_saved_is_opened_again_by_another_process(store, path):
    saved = store.save(MINE)

    found = Store(WorkspaceLimits(path=path)).open(saved.link)

    assert found == saved
    assert found == replace(MINE, link=saved.link, view=saved.view)
    assert len(saved.link) >= 22
    assert saved.link != saved.view


def test_nobody_but_the_owner_of_the_process_may_read_the_file(path, store):
    assert path.stat().st_mode & 0o077 == 0
    assert path.parent.stat().st_mode & 0o077 == 0


def test_a_link_to_look_at_changes_nothing(store):
    saved = store.save(MINE)

    seen = store.open(saved.view)

    assert (seen.link, seen.files) == ("", FILES)
    assert not store.choose(saved.view, {})
    store.rename(saved.view, "other")
    store.delete(saved.view)
    assert store.open(saved.link) == saved


def test_choices_and_name_are_changed_alone(store):
    saved = store.save(MINE)

    assert store.choose(saved.link, {"mapping": None})
    store.rename(saved.link, "n" * 500)

    found = store.open(saved.link)
    assert (found.choices, found.name, found.files) == ({"mapping": None}, "n" * 80, FILES)


def test_what_belongs_to_a_user_is_invisible_to_others(store):
    saved = store.save(replace(MINE, owner="ann"))

    for other in ("bob", ""):
        assert store.open(saved.link, other) is None
        assert not store.choose(saved.link, {}, other)
        store.delete(saved.link, other)
        assert store.of(other) == []
        with pytest.raises(WorkspaceSaveError, match="another user"):
            store.save(replace(saved, owner=other))
    assert store.open(saved.link, "ann") == saved
    assert store.of("ann") == [(saved.link, "mine")]


def test_delete_leaves_nothing_on_the_disk(store, path):
    secret = b"a name that nobody else has"
    saved = store.save(replace(MINE, name=secret.decode()))
    assert secret in path.read_bytes()

    store.delete(saved.link)

    assert store.open(saved.link) is None
    assert not store.choose(saved.link, {})
    assert not [file for file in path.parent.iterdir() if secret in file.read_bytes()]


def test_what_nobody_visits_is_forgotten(path):
    time = [0.0]
    store = Store(WorkspaceLimits(path=path, days=10), now=lambda: time[0])
    visited, other = store.save(MINE), store.save(MINE)

    time[0] = 9 * DAY
    assert store.open(visited.view)
    time[0] = 18 * DAY

    assert store.open(other.link) is None
    assert store.open(visited.link) == visited


def test_limits_of_size_keep_what_was_there(path):
    store = Store(WorkspaceLimits(path=path, workspace_mb=1, store_mb=2))
    large = replace(MINE, files=(("a.csv", b"x" * 900_000),))
    kept = [store.save(large), store.save(large)]

    with pytest.raises(WorkspaceSaveError, match="limit of 2 MB"):
        store.save(large)
    with pytest.raises(WorkspaceSaveError, match="size is 1.1 MB, and a workspace is limited to 1 MB"):
        store.save(replace(kept[0], files=(("a.csv", b"x" * 1_100_000),)))
    assert [store.open(one.link) for one in kept] == kept


def test_a_disk_that_refuses_is_said(tmp_path):
    (tmp_path / "file").write_text("")

    with pytest.raises(WorkspaceSaveError, match="the server cannot write workspaces"):
        Store(WorkspaceLimits(path=tmp_path / "file" / "workspaces.sqlite3"))


def test_two_processes_write_into_one_file(path):
    def write(place):
        mine = Store(WorkspaceLimits(path=path))
        return [mine.save(replace(MINE, name=f"{place}/{step}")) for step in range(5)]

    with ThreadPoolExecutor(4) as pool:
        saved = [one for many in pool.map(write, range(4)) for one in many]

    found = Store(WorkspaceLimits(path=path))
    assert [found.open(one.link) for one in saved] == saved


WRITER = """
import sys
from foldwise.workspaces.store import WorkspaceLimits
from foldwise.workspaces.store import Store, Workspace
store = Store(WorkspaceLimits(path=sys.argv[1]))
for step in range(10_000):
    files = ((f"{step}.csv", bytes([step % 251]) * 200_000),)
    saved = store.save(Workspace(name="upload", files=files))
    store.choose(saved.link, {"step": step})
    print(saved.link, step, flush=True)
"""


@pytest.mark.parametrize("acknowledged", [1, 7])
def test_nothing_acknowledged_is_lost_when_the_process_is_killed(path, acknowledged):
    """The process is killed while it saves uploads and choices."""
    writer = subprocess.Popen([sys.executable, "-c", WRITER, str(path)], cwd=ROOT, stdout=subprocess.PIPE, text=True)
    said = [writer.stdout.readline() for _ in range(acknowledged)]
    os.kill(writer.pid, signal.SIGKILL)
    said += writer.communicate()[0].splitlines(keepends=True)

    store = Store(WorkspaceLimits(path=path))
    whole = [line.split() for line in said if line.endswith("\n")]
    assert len(whole) >= acknowledged
    for link, step in whole:
        found = store.open(link)
        assert found.choices == {"step": int(step)}
        assert found.files == ((f"{step}.csv", bytes([int(step) % 251]) * 200_000),)


def test_where_workspaces_are_kept(tmp_path):
    file = tmp_path / "foldwise.toml"
    file.write_text('workspaces = "/srv/kept.sqlite3"\ndays = 7\n')

    assert limits({}, file) == WorkspaceLimits(path=Path("/srv/kept.sqlite3"), days=7)
    assert limits({"FOLDWISE_WORKSPACES": "OFF"}, file) == WorkspaceLimits(path=None, days=7)
    assert limits({"XDG_DATA_HOME": "/data"}).path == Path("/data/foldwise/workspaces.sqlite3")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("days = 0", 'days must be a whole number of at least 1, but its value is "0"'),
        ('workspace_mb = "much"', 'workspace_mb must be a whole number of at least 1. Its value is "much"'),
        ("hours = 3", 'the unknown setting "hours"'),
        ("days", "cannot be read as a TOML file"),
    ],
)
def test_a_configuration_that_cannot_hold(tmp_path, text, said):
    file = tmp_path / "foldwise.toml"
    file.write_text(text)

    with pytest.raises(SettingError, match=said):
        limits({}, file)
