"""Tests of the store of workspaces: acknowledged changes, access, and expiry."""

import os
import shutil
import signal
import sqlite3
import subprocess
import sys
import zlib
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from foldwise.workspaces import store as store_module
from foldwise.workspaces.store import (
    DAY,
    Store,
    Workspace,
    WorkspaceLimits,
    WorkspaceSaveError,
    limits,
)
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
    store.save(MINE)

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


class Clock:
    """A clock that a test sets, in days."""

    days = 100.0

    def __call__(self):
        return self.days * DAY


@pytest.fixture
def clock():
    return Clock()


def test_workspaces_without_a_visit_are_deleted_after_the_retention_period(path, clock):
    store = Store(WorkspaceLimits(path=path, days=10), now=clock)
    visited, other = store.save(MINE), store.save(MINE)

    clock.days = 109.5
    assert store.open(visited.view)  # by the way, it is noted that `other` is due
    clock.days = 110.4
    assert store.delete_expired() == 0
    clock.days = 110.6
    assert store.delete_expired() == 1

    assert store.open(other.link) is None
    assert (store.why_deleted(other.link), store.why_deleted(other.view)) == ("expired", "expired")
    assert store.open(visited.link) == visited
    assert store.why_deleted(visited.link) == ""


@pytest.mark.parametrize("jump", [31, 1000])
def test_a_clock_that_is_ahead_for_one_start_deletes_nothing(path, clock, jump):
    saved = Store(WorkspaceLimits(path=path), now=clock).save(MINE)

    for wrong in (jump, jump + 0.5):
        clock.days = 100 + wrong
        assert Store(WorkspaceLimits(path=path), now=clock).delete_expired() == 0
    for right in (1, 2, 3):
        clock.days = 100 + right
        assert Store(WorkspaceLimits(path=path), now=clock).delete_expired() == 0
    clock.days = 100 + jump + 1  # ahead again: what was noted the first time does not count
    assert Store(WorkspaceLimits(path=path), now=clock).delete_expired() == 0

    assert Store(WorkspaceLimits(path=path), now=clock).open(saved.link) == saved


def test_expired_workspaces_are_deleted_at_once_on_request(path, clock):
    store = Store(WorkspaceLimits(path=path), now=clock)
    store.save(MINE)
    clock.days = 130.5

    assert store.summary() == (1, sum(len(content) for _, content in FILES), 1)
    assert store.delete_expired(at_once=True) == 1
    assert store.summary() == (0, 0, 0)


def test_limits_of_size_keep_what_was_there(path):
    store = Store(WorkspaceLimits(path=path, workspace_mb=1, store_mb=2))
    large = replace(MINE, files=(("a.csv", b"x" * 900_000),))
    kept = [store.save(large), store.save(large)]

    with pytest.raises(WorkspaceSaveError, match="limit of 2 MB"):
        store.save(large)
    with pytest.raises(
        WorkspaceSaveError, match="size is 1.1 MB, and a workspace is limited to 1 MB"
    ):
        store.save(replace(kept[0], files=(("a.csv", b"x" * 1_100_000),)))
    assert [store.open(one.link) for one in kept] == kept


def test_choices_count_towards_the_limits(path):
    store = Store(WorkspaceLimits(path=path, workspace_mb=1, store_mb=2))
    large = {"settings": {"out": ["x" * 900_000]}}
    kept = [store.save(replace(MINE, choices=large)), store.save(MINE), store.save(MINE)]

    assert store.choose(kept[1].link, large)
    with pytest.raises(WorkspaceSaveError, match="limit of 2 MB"):
        store.choose(kept[2].link, large)
    with pytest.raises(WorkspaceSaveError, match="limited to 1 MB"):
        store.choose(kept[0].link, {"x": "y" * 1_100_000})
    with pytest.raises(WorkspaceSaveError, match="limited to 1 MB"):
        store.save(replace(MINE, choices={"x": "y" * 1_100_000}))
    assert store.open(kept[2].link) == kept[2]


@pytest.mark.parametrize("name", ["\ud800", "a\x1b[2J.csv", "a\0b", "\x9b"], ids=ascii)
def test_what_a_visitor_sends_is_refused_and_never_called_damage(store, name):
    """Nothing is logged: `nothing_unforeseen` would fail the test."""
    saved = store.save(MINE)
    for odd in (replace(MINE, name=name), replace(MINE, files=((name, b""),))):
        with pytest.raises(WorkspaceSaveError, match="control characters") as refusal:
            store.save(odd)
        assert refusal.value.code == ""
    store.rename(saved.link, f"my {name} table")
    assert store_module.is_plain(store.open(saved.link).name)
    for token in (name, f"{saved.link}{name}"):
        assert store.open(token) is None
        assert store.why_deleted(token) == ""


def test_a_link_in_use_is_not_called_a_failure_of_the_file(store):
    saved = store.save(MINE)

    with pytest.raises(WorkspaceSaveError, match="link of this workspace is in use") as refusal:
        store.save(replace(MINE, link="other", view=saved.view))
    assert refusal.value.code == ""


@pytest.mark.unforeseen
@pytest.mark.parametrize("content", [zlib.compress(bytes(50_000_000)), zlib.compress(b"x")[:-3]])
def test_stored_content_of_another_size_is_damage_and_never_unpacked_whole(store, path, content):
    saved = store.save(MINE)
    with closing(sqlite3.connect(path)) as base:
        base.execute("UPDATE contents SET content = ?", [content])
        base.commit()

    with pytest.raises(WorkspaceSaveError) as failure:
        store.open(saved.link)
    assert failure.value.code == "damaged"


@pytest.mark.unforeseen
def test_a_damaged_list_of_workspaces_is_known_before_an_upload(store, path):
    for _ in range(20):
        store.save(replace(MINE, choices={"x": "y" * 3_000}))
    store.check()
    content = path.read_bytes()
    path.write_bytes(content[:-40_000] + b"\xa5" * 40_000)

    with pytest.raises(WorkspaceSaveError) as failure:
        store.check()
    assert failure.value.code == "damaged"


def lock(path):
    """Lock the file as another program would; return what holds the lock."""
    base = sqlite3.connect(path, isolation_level=None)
    base.executescript("PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE")
    return base


def change(path, statement):
    with closing(sqlite3.connect(path)) as base:
        base.execute(statement)
        base.commit()


# what happens to the file -> the code of the error
ATTACKS = {
    "locked": (lock, "busy"),
    "no database": (lambda path: path.write_bytes(b"no database" * 1000), "damaged"),
    "truncated": (lambda path: os.truncate(path, path.stat().st_size // 2), "damaged"),
    "bad pages": (
        lambda path: path.write_bytes(path.read_bytes()[:4096] + b"\xa5" * 40_000),
        "damaged",
    ),
    "other tables": (
        lambda path: (path.unlink(), change(path, "CREATE TABLE other (x)")),
        "damaged",
    ),
    "newer version": (lambda path: change(path, "PRAGMA user_version = 2"), "other_version"),
    "other columns": (
        lambda path: change(path, "ALTER TABLE workspaces DROP COLUMN size"),
        "other_version",
    ),
    "folder": (lambda path: (path.unlink(), path.mkdir()), "not_written"),
    "folder is a file": (
        lambda path: (shutil.rmtree(path.parent), path.parent.write_bytes(b"")),
        "not_written",
    ),
}


@pytest.mark.unforeseen
@pytest.mark.parametrize("attack", ATTACKS)
def test_each_state_of_the_file_is_told_apart_and_nothing_is_changed(
    path, monkeypatch, nothing_unforeseen, attack
):
    monkeypatch.setattr(store_module, "BUSY", 0.05)
    spoil, code = ATTACKS[attack]
    store = Store(WorkspaceLimits(path=path))
    saved = store.save(replace(MINE, name="confidential"))
    holder = spoil(path)
    before = path.read_bytes() if path.is_file() else b""

    with pytest.raises(WorkspaceSaveError) as failure:
        store.save(MINE)
    assert failure.value.code == code
    assert str(path) not in str(failure.value)
    if attack == "locked":
        holder.close()
        assert store.open(saved.link)
        return
    with pytest.raises(WorkspaceSaveError) as failure:
        store.check()
    assert failure.value.code == code
    if attack != "folder is a file":  # as before the first upload
        with pytest.raises(WorkspaceSaveError, match=str(failure.value)):
            store.open(saved.link)
    assert (path.read_bytes() if path.is_file() else b"") == before
    (record, *_) = nothing_unforeseen
    line = record.getMessage()
    assert str(path) in line
    assert "\n" not in line
    assert not [text for text in ("confidential", saved.link, saved.view, "a.csv") if text in line]


@pytest.mark.unforeseen
def test_a_repeated_failure_is_logged_once_a_minute(path, nothing_unforeseen):
    path.mkdir(parents=True)
    store = Store(WorkspaceLimits(path=path))
    for _ in range(5):
        with pytest.raises(WorkspaceSaveError):
            store.save(MINE)

    assert len(nothing_unforeseen) == 1


@pytest.mark.unforeseen
@pytest.mark.skipif(sys.platform == "win32", reason="limits the size of files")
def test_a_full_disk_loses_nothing_of_what_is_stored(path):
    import resource

    store = Store(WorkspaceLimits(path=path))
    saved = store.save(MINE)
    _, most = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (path.stat().st_size, most))
    try:
        with pytest.raises(WorkspaceSaveError) as failure:
            store.save(replace(MINE, files=(("c.csv", os.urandom(100_000)),)))
        resource.setrlimit(resource.RLIMIT_FSIZE, (0, most))
        assert store.open(saved.link) == saved, "not even the index of the log can be created"
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (most, most))

    assert failure.value.code == "not_written"
    assert store.open(saved.link) == saved
    assert store.save(MINE)


@pytest.mark.unforeseen
def test_too_little_free_space_is_known_before_an_upload(store, monkeypatch):
    store.save(MINE)
    monkeypatch.setattr(
        shutil, "disk_usage", lambda _: shutil._ntuple_diskusage(10_000_000, 7_500_000, 2_500_000)
    )

    store.check(1_000_000)
    with pytest.raises(WorkspaceSaveError) as failure:
        store.check(2_000_000)
    assert "No space left on device" in failure.value.cause


def test_reading_changes_neither_the_file_nor_its_folder(store, path):
    saved = store.save(MINE)
    before = path.read_bytes(), path.stat().st_mtime_ns

    again = Store(WorkspaceLimits(path=path))
    again.check()
    assert again.open(saved.link) == saved
    assert again.has(saved.link)
    assert (again.of("ann"), again.chunks(saved.link, "x"), again.why_deleted("x")) == ([], {}, "")

    assert (path.read_bytes(), path.stat().st_mtime_ns) == before
    assert list(path.parent.iterdir()) == [path]


def test_a_store_without_a_file_is_empty_and_creates_none(store, path):
    store.check()

    assert store.open("x") is None
    assert store.delete_expired() == 0
    assert not path.parent.exists()


@pytest.mark.unforeseen
def test_a_workspace_is_opened_where_nothing_can_be_written(path, clock, monkeypatch):
    """The permission is simulated, since root has every permission; the mode of SQLite is the real one."""
    saved = Store(WorkspaceLimits(path=path), now=clock).save(MINE)
    monkeypatch.setattr(os, "access", lambda *_: False)
    monkeypatch.setattr(Store, "_writing", lambda self: self._raising_failures())
    store = Store(WorkspaceLimits(path=path), now=clock)
    path.with_name(f"{path.name}-shm").mkdir()  # SQLite cannot create it

    assert store.open(saved.link) == saved
    with pytest.raises(WorkspaceSaveError) as failure:
        store.check()
    assert failure.value.code == "not_written"


# the tables of version 0, and at first without chunks
OLD_SCHEMA = """
CREATE TABLE workspaces (
    link TEXT PRIMARY KEY, view TEXT UNIQUE NOT NULL, owner TEXT NOT NULL, name TEXT NOT NULL,
    used REAL NOT NULL, size INTEGER NOT NULL, files TEXT NOT NULL, choices TEXT NOT NULL
);
CREATE TABLE contents (
    link TEXT NOT NULL REFERENCES workspaces ON DELETE CASCADE, digest TEXT NOT NULL,
    content BLOB NOT NULL, PRIMARY KEY (link, digest)
);
CREATE INDEX by_owner ON workspaces (owner, used);
INSERT INTO workspaces VALUES ('l', 'v', '', 'mine', 8640000, 1, '[["a.csv", "d"]]', '{"settings": {}}');
"""


def test_a_file_of_an_earlier_version_is_read_and_then_updated(path, clock):
    path.parent.mkdir()
    with closing(sqlite3.connect(path)) as base:
        base.executescript(OLD_SCHEMA)
        base.execute("INSERT INTO contents VALUES ('l', 'd', ?)", [zlib.compress(b"x")])
        base.commit()
    store = Store(WorkspaceLimits(path=path), now=clock)
    old = Workspace(
        link="l", view="v", name="mine", files=(("a.csv", b"x"),), choices={"settings": {}}
    )

    assert store.open("l") == old
    assert store.why_deleted("x") == ""
    store.rename("l", "yours")

    assert store.open("l") == replace(old, name="yours")
    store.keep_chunks("l", "s", {0: b"x"})
    assert store.chunks("l", "s") == {0: b"x"}
    with closing(sqlite3.connect(path)) as base:
        assert base.execute("PRAGMA user_version").fetchone() == (1,)
        assert base.execute("PRAGMA journal_mode").fetchone() == ("wal",)


@pytest.mark.parametrize("owner", ["", "ann"])
def test_only_deleted_workspaces_are_called_deleted(store, owner):
    saved, other = (store.save(replace(MINE, owner=owner)) for _ in range(2))

    store.delete(saved.link, owner)

    assert (store.why_deleted(saved.link, owner), store.why_deleted(saved.view, "bob")) == (
        "deleted",
        "deleted",
    )
    assert store.why_deleted(saved.link, "bob") == ""
    assert (store.why_deleted(other.link, owner), store.why_deleted("unknown", owner)) == ("", "")


def test_a_store_whose_file_is_removed_starts_a_new_one(store, path):
    saved = store.save(MINE)
    shutil.rmtree(path.parent)

    assert not store.has(saved.link)
    assert not store.choose(saved.link, {})
    assert store.why_deleted(saved.link) == ""
    assert store.save(saved) == saved
    assert store.open(saved.link) == saved


@pytest.mark.unforeseen
def test_nothing_is_acknowledged_that_went_into_a_file_removed_meanwhile(store, path, monkeypatch):
    store.save(MINE)
    write = Store._write

    def remove_and_write(self, *values):
        path.rename(path.with_name("old"))
        path.write_bytes(b"")
        write(self, *values)

    monkeypatch.setattr(Store, "_write", remove_and_write)
    with pytest.raises(WorkspaceSaveError):
        store.save(MINE)
    monkeypatch.setattr(Store, "_write", write)
    assert store.save(MINE)


WRITER = """
import sys
from foldwise.workspaces.store import WorkspaceLimits
from foldwise.workspaces.store import Store, Workspace
store = Store(WorkspaceLimits(path=sys.argv[1]))
for step in range(int(sys.argv[2])):
    files = ((f"{step}.csv", bytes([step % 251]) * 200_000),)
    saved = store.save(Workspace(name="upload", files=files))
    store.choose(saved.link, {"step": step})
    print(saved.link, step, flush=True)
"""


def test_two_servers_that_write_at_once_lose_nothing_acknowledged(path):
    """Both create the file at first."""
    writers = [
        subprocess.Popen(
            [sys.executable, "-c", WRITER, str(path), "12"],
            cwd=ROOT,
            stdout=subprocess.PIPE,
            text=True,
        )
        for _ in range(2)
    ]
    lines = [line.split() for writer in writers for line in writer.communicate()[0].splitlines()]

    assert [writer.returncode for writer in writers] == [0, 0]
    store = Store(WorkspaceLimits(path=path))
    assert store.summary()[0] == len({link for link, _ in lines}) == 24
    assert [store.open(link).choices["step"] for link, _ in lines] == [
        int(step) for _, step in lines
    ]


@pytest.mark.parametrize("acknowledged", [1, 7])
def test_nothing_acknowledged_is_lost_when_the_process_is_killed(path, acknowledged):
    """The process is killed while it saves uploads and choices."""
    writer = subprocess.Popen(
        [sys.executable, "-c", WRITER, str(path), "10000"],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        text=True,
    )
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
        (
            'workspace_mb = "much"',
            'workspace_mb must be a whole number of at least 1, but its value is "much"',
        ),
        ("hours = 3", 'the unknown setting "hours"'),
        ("days", "cannot be read as a TOML file"),
    ],
)
def test_a_configuration_that_cannot_hold(tmp_path, text, said):
    file = tmp_path / "foldwise.toml"
    file.write_text(text)

    with pytest.raises(SettingError, match=said):
        limits({}, file)
