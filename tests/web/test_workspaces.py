"""Tests of workspaces: uploads and choices stored under a link, undone, or lost with the session."""

import os
import signal
import sqlite3
import sys
import time
from pathlib import Path
from urllib.parse import parse_qs

import pytest
from streamlit.runtime.memory_uploaded_file_manager import MemoryUploadedFileManager
from streamlit.testing.v1 import AppTest

from foldwise.web import choices, layout
from foldwise.workspaces import store as workspace_store
from foldwise.workspaces.store import Store, Workspace, WorkspaceLimits
from tests.web.conftest import APP, HOLES, WIDE, page, texts, turn_to, upload
from tests.websocket_clients import served, visitor


@pytest.fixture
def path(tmp_path, monkeypatch):
    """The path of the file of workspaces in a test."""
    found = tmp_path / "kept.sqlite3"
    monkeypatch.setenv("FOLDWISE_WORKSPACES", str(found))
    return found


@pytest.fixture
def mine(app, path):
    """A session whose upload is stored."""
    return upload(app, ("mine_accuracy.csv", WIDE))


def visit(name="results", user=None, **query):
    """Return a new session at an address, after its first run."""
    at = AppTest.from_file(str(APP), default_timeout=60)
    at.query_params.update(query)
    if user:
        at.user = {"is_logged_in": True, "sub": user, "iss": "https://id", "email": f"{user}@x.org"}
    return turn_to(at, name).run()


def link(at):
    """Return the secret part of the address."""
    said = at.query_params["w"]
    return said if isinstance(said, str) else said[0]


def test_an_upload_is_there_again_under_its_link(mine, path):
    assert "They are deleted 30 days after the last visit" in texts(mine)

    again = visit(w=link(mine))

    assert not again.exception
    assert "a is significantly better than b and c in accuracy" in texts(again)
    assert link(again) == link(mine)
    assert "sample" not in texts(again)


def test_settings_and_reading_are_there_again(app, path):
    upload(app, ("mine_accuracy.csv", HOLES))
    app.radio(key="hole_choice").set_value("sets").run()
    app.segmented_control(key="alpha").set_value("0.01").run()
    app.selectbox(key="correction").set_value("Holm").run()
    app.multiselect(key="out").set_value(["c"]).run()

    again = visit(w=link(app))

    assert again.segmented_control(key="alpha").value == "0.01"
    assert again.multiselect(key="out").value == ["c"]
    assert again.session_state["_holes"] == "sets"
    assert "11 data sets" in texts(again)
    assert not again.button(key="undo").disabled
    again.button(key="undo").click().run()
    assert again.multiselect(key="out").value == []
    assert again.selectbox(key="correction").value == "Holm"
    again.button(key="undo").click().run()
    again.button(key="undo").click().run()
    assert again.segmented_control(key="alpha").value == "0.05"
    assert again.session_state["_holes"] == "sets"


def test_an_address_with_settings_of_its_own_decides(mine):
    mine.segmented_control(key="alpha").set_value("0.01").run()

    assert visit(w=link(mine), correction="Holm").segmented_control(key="alpha").value == "0.05"


def test_a_colleague_sees_the_view_and_changes_nothing(mine, path):
    before = Store(WorkspaceLimits(path=path)).open(link(mine))

    colleague = visit("data", v=before.view, alpha="0.01")
    colleague.multiselect(key="out").set_value(["c"]).run()

    assert "This workspace is read-only." in texts(colleague)
    assert "w" not in colleague.query_params
    assert Store(WorkspaceLimits(path=path)).open(link(mine)) == before
    colleague.session_state["workspace"] = True
    next(b for b in colleague.run().button if b.label == "Keep a copy").click().run()
    kept = Store(WorkspaceLimits(path=path)).open(link(colleague))
    assert kept.files == before.files
    assert kept.choices["settings"]["out"] == ["c"]
    assert kept.choices["settings"]["alpha"] == "0.01"


def test_the_copied_link_only_shows(mine, path):
    mine.session_state["copy_link"] = True
    mine.run()

    (address,) = [code.value for code in mine.code if "v=" in code.value]
    assert link(mine) not in address
    assert Store(WorkspaceLimits(path=path)).open(link(mine)).view in address


def test_a_link_that_opens_nothing_says_so(path):
    at = visit(w="no-such-link")
    assert "The workspace of this link was not found on this server." in texts(at)
    assert "deleted" not in texts(at)
    assert "The workspace of this link was not found" not in texts(at.run())


def test_the_link_of_a_deleted_workspace_says_so(mine, path):
    store, view = (
        Store(WorkspaceLimits(path=path)),
        Store(WorkspaceLimits(path=path)).open(link(mine)).view,
    )
    store.delete(link(mine))

    for address in ({"w": link(mine)}, {"v": view}):
        assert "The workspace of this link was deleted by its owner." in texts(visit(**address))
    mine.segmented_control(key="alpha").set_value("0.01").run()
    assert "The workspace was deleted in another session. Changes are lost" in texts(mine)
    assert "Files are kept for this visit only." in texts(mine)
    assert store.open(link(mine)) is None
    mine.session_state["workspace"] = True
    next(b for b in mine.run().button if b.label == "Duplicate").click().run()
    assert store.open(link(mine)).choices["settings"]["alpha"] == "0.01"


def test_the_link_of_an_expired_workspace_says_so(mine, path):
    long_ago = Store(WorkspaceLimits(path=path), now=lambda: time.time() + 31 * 86_400)
    assert long_ago.delete_expired(at_once=True) == 1

    assert "deleted after 30 days without a visit" in texts(visit(w=link(mine)))
    assert "The workspace was deleted, because it was not visited." in texts(mine.run())


def test_a_setting_that_the_results_lack_is_said_though_they_hide_pages(path):
    at = visit(sample="garcia_herrera_2008_accuracy.csv", out="no such name")
    assert "explore" in at.session_state["_hidden_pages"]
    assert "no such name" in texts(at)


def test_rename_duplicate_download_delete(mine, path):
    mine.session_state["workspace"] = True
    mine.run()
    (name,) = [box for box in mine.text_input if box.label == "Name"]
    name.set_value("my first").run()
    first = link(mine)
    next(b for b in mine.button if b.label == "Duplicate").click().run()
    second = link(mine)

    store = Store(WorkspaceLimits(path=path))
    assert store.open(first).name == "my first"
    assert store.open(second).name == "my first (copy)"
    next(b for b in mine.button if b.label == "Delete").click().run()
    assert store.open(second) is None
    assert store.open(first) is not None
    assert "were deleted" in "".join(one.value for one in mine.success)
    assert "w" not in mine.query_params
    assert not mine.exception


def test_a_downloaded_workspace_is_opened_again(mine, path, monkeypatch):
    from foldwise.workspaces.store import pack

    mine.multiselect(key="out").set_value(["c"]).run()
    file = pack(Store(WorkspaceLimits(path=path)).open(link(mine)))
    monkeypatch.setenv("FOLDWISE_WORKSPACES", "off")

    there = AppTest.from_file(str(APP), default_timeout=60)
    upload(there, ("mine.foldwise", file))

    assert not there.exception
    assert there.multiselect(key="out").value == ["c"]
    assert "12 data sets, 3 algorithms" in texts(there)
    upload(there, ("mine.foldwise", file[:100]))
    assert "The file cannot be opened as a workspace of Foldwise" in texts(there)


@pytest.mark.parametrize(
    "hostile", [{"out": ["x"]}, {"alpha": "x"}, {"correction": 3}, {"hi": 1}, {"out": 1}]
)
def test_choices_of_a_hostile_file_open_no_hole(path, hostile):
    from foldwise.workspaces.store import Workspace, pack

    choices = {"settings": hostile, "mapping": {"roles": 1}, "about": {"_prior": {}, "_holes": "x"}}
    file = pack(Workspace(name="n", files=(("mine_accuracy.csv", WIDE),), choices=choices))
    there = AppTest.from_file(str(APP), default_timeout=60)

    upload(there, ("mine.foldwise", file))

    assert not there.exception
    assert "12 data sets, 3 algorithms" in texts(there)


def test_an_upload_that_the_server_let_go_of_is_said(mine, monkeypatch):
    monkeypatch.setattr(MemoryUploadedFileManager, "get_files", lambda *_, **__: [])

    upload(mine, ("other.csv", WIDE))

    assert not mine.exception
    assert "The server no longer has one of these files. Upload the files again." in texts(mine)
    assert mine.session_state["_uploads"] == (("mine_accuracy.csv", WIDE),)


def test_what_is_turned_off_writes_nothing(app, tmp_path, monkeypatch):
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.delenv("XDG_DATA_HOME", raising=False)
    monkeypatch.chdir(tmp_path)

    upload(app, ("mine_accuracy.csv", WIDE))

    assert "deleted from this server at the end of your session" in texts(app)
    assert "w" not in app.query_params
    assert list(tmp_path.rglob("*")) == []


def test_a_visit_without_an_upload_writes_no_workspace(path):
    visit()
    visit("data")

    assert not path.exists()


def test_the_last_choice_is_taken_back(app):
    page(app, "uci38_5x2.csv", "results")
    assert app.button(key="undo").disabled
    app.segmented_control(key="alpha").set_value("0.01").run()
    app.multiselect(key="out").set_value(["SVM (RBF)"]).run()
    app.switch_page("pages/compare.py").run()

    app.button(key="undo").click().run()
    assert app.multiselect(key="out").value == []
    assert app.segmented_control(key="alpha").value == "0.01"
    app.button(key="undo").click().run()
    assert app.segmented_control(key="alpha").value == "0.05"
    assert app.button(key="undo").disabled


def test_starting_again_forgets_choices_and_can_be_taken_back(mine):
    mine.multiselect(key="out").set_value(["c"]).run()
    mine.segmented_control(key="alpha").set_value("0.01").run()
    mine.session_state["workspace"] = True
    mine.run()

    next(b for b in mine.button if b.label == "Reset").click().run()
    assert mine.multiselect(key="out").value == []
    assert mine.segmented_control(key="alpha").value == "0.05"
    assert "mine_accuracy" in texts(mine)
    assert not mine.button(key="undo").disabled
    mine.button(key="undo").click().run()
    assert mine.multiselect(key="out").value == ["c"]
    assert mine.segmented_control(key="alpha").value == "0.01"


def test_what_belongs_to_a_user_is_invisible_to_others(path):
    ann = visit("data", user="ann")
    upload(ann, ("mine_accuracy.csv", WIDE))
    token = link(ann)

    assert "deleted 30 days after the last visit" in texts(ann)
    assert "mine_accuracy" in texts(visit("data", user="ann", w=token))
    bob = visit("data", user="bob", w=token)
    assert "The workspace of this link was not found on this server." in texts(bob)
    assert "mine_accuracy" not in texts(bob)
    labels = [b.label for b in visit("data", user="ann").button]
    assert "Open mine\\_accuracy\\.csv" in labels
    assert not [b for b in visit("data", user="bob").button if "mine" in b.label]


@pytest.mark.parametrize("installed", [True, False])
def test_who_is_not_signed_in_sees_nothing(path, monkeypatch, installed):
    monkeypatch.setattr(layout, "find_spec", lambda _: installed or None)
    at = AppTest.from_file(str(APP), default_timeout=60)
    at.user = {"is_logged_in": False}
    at.run()

    assert [b.label for b in at.button] == ["Sign in"] * installed
    assert ["foldwise[login]" in one.value for one in at.error] == [True] * (not installed)
    assert not at.sidebar.children


# what is at the path of the file -> what the page says
UNUSABLE = {
    "folder": (Path.mkdir, "This server cannot write its workspaces."),
    "no database": (
        lambda path: path.write_bytes(b"no database" * 1000),
        "The file of workspaces on this server is damaged.",
    ),
    "newer version": (
        lambda path: sqlite3.connect(path).execute("PRAGMA user_version = 2"),
        "The workspaces of this server belong to another version of Foldwise.",
    ),
}


@pytest.mark.unforeseen
@pytest.mark.parametrize("state", UNUSABLE)
def test_a_file_that_cannot_be_used_is_said_before_an_upload_and_heals_after_it(app, path, state):
    spoil, why = UNUSABLE[state]
    spoil(path)

    empty = texts(visit("data"))
    assert "Files are kept for this visit only." in empty
    assert why in empty
    linked = visit(w="x", alpha="0.01")
    assert (
        f"The workspace of this link cannot be opened now. {why} Foldwise has not deleted the workspace."
        in texts(linked)
    )
    assert link(linked) == "x"  # for a reload
    upload(app, ("mine_accuracy.csv", WIDE))
    assert not app.exception
    assert f"{why} Your files are not saved." in texts(app)
    assert "Files are kept for this visit only." in texts(app)
    assert "12 data sets, 3 algorithms" in texts(app)
    assert "w" not in app.query_params

    app.multiselect(key="out").set_value(["c"]).run()
    path.rmdir() if path.is_dir() else path.unlink()
    app.run()
    assert "They are deleted 30 days after the last visit" in texts(app)
    assert "not saved" not in texts(app)
    assert visit(w=link(app)).multiselect(key="out").value == ["c"]


def test_a_file_that_is_removed_or_replaced_gets_what_the_session_has(mine, path):
    """Nothing is chosen in between: the next run is enough."""
    token = link(mine)
    path.unlink()
    mine.run()
    assert "mine_accuracy" in texts(visit(w=token))

    other = path.with_name("other")
    Store(WorkspaceLimits(path=other)).save(Workspace(name="other"))
    path.write_bytes(other.read_bytes())
    mine.segmented_control(key="alpha").set_value("0.01").run()
    assert visit(w=token).segmented_control(key="alpha").value == "0.01"
    assert link(mine) == token


@pytest.mark.unforeseen
def test_what_a_lock_prevents_is_made_up_for(mine, path, monkeypatch):
    monkeypatch.setattr(workspace_store, "BUSY", 0.05)
    choices._store.cache_clear()
    mine.session_state["workspace"] = True
    mine.run()
    holder = sqlite3.connect(path, isolation_level=None)
    holder.execute("BEGIN IMMEDIATE")

    mine.multiselect(key="out").set_value(["c"]).run()
    assert (
        "Another program has locked the workspaces of this server. Your last changes are not saved."
        in texts(mine)
    )
    assert "They are deleted 30 days after the last visit" in texts(mine)  # the files are stored
    next(box for box in mine.text_input if box.label == "Name").set_value("my first").run()
    next(b for b in mine.button if b.label == "Delete").click().run()
    assert "The workspace was not deleted. Another program has locked" in texts(mine)
    assert visit(w=link(mine)).multiselect(key="out").value == []  # can be opened
    holder.close()

    mine.run()
    assert "not saved" not in texts(mine)
    stored = Store(WorkspaceLimits(path=path)).open(link(mine))
    assert (stored.name, stored.choices["settings"]["out"]) == ("my first", ["c"])


def worker_ids(pid):
    """Return the process ids of the workers of a server."""
    children = [
        int(child)
        for file in Path(f"/proc/{pid}/task").glob("*/children")
        for child in file.read_text().split()
    ]
    return [
        child
        for child in children
        if b"foldwise.web.worker" in Path(f"/proc/{child}/cmdline").read_bytes()
    ]


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="finds processes in /proc")
def test_two_servers_share_a_store_and_one_that_is_killed_loses_nothing(path):
    """As behind a proxy: this process is the second server, and first a worker and then the server is killed.

    Both are packing figures for a visitor, who reloads the page in between.

    The first request of a server that has not run the app before may be the address of any page.
    """
    kept = {"FOLDWISE_WORKSPACES": str(path)}
    with served("-m", "streamlit", "run", "app.py", **kept) as (address, process):
        store = Store(WorkspaceLimits(path=path))
        with visitor(address) as mine:
            assert mine.open("explore", sample="uci38_5x2.csv", alpha="0.01") == []
            assert not any(message.HasField("page_not_found") for message in mine.said)
            assert [one.heading.body for one in mine.elements("heading")][:1] == ["Explore"]
            assert "α = 0.01" in mine.texts().replace("\\", "").replace("\u00a0", " ")
            assert mine.elements("plotly_chart")
            assert "alpha=0.01" in (
                mine.address() or mine.query
            )  # a run that writes no address leaves it
            assert mine.upload("mine_accuracy.csv", WIDE) == []
            token = parse_qs(mine.address())["w"][0]
            mine.open("export", w=token, alpha="0.01", etab="Figures")
            label = next(
                b.download_button.label
                for b in mine.elements("download_button")
                if "(zip)" in str(b)
            )
            mine.press(label, until="Drawing ...")
            for worker in worker_ids(process.pid):
                os.kill(worker, signal.SIGKILL)
            mine.wait_for("stopped from outside")
            mine.press(label, until="Drawing ...")
        with visitor(address) as reloaded:  # while the figures are drawn for the session before
            assert reloaded.open("export", w=token) == []
            assert "α = 0.01" in reloaded.texts().replace("\\", "").replace("\u00a0", " ")
            process.kill()
            process.communicate()  # until the workers have ended, too

        again = visit(w=token)
        assert not again.exception
        assert "a is significantly better than b and c in accuracy" in texts(again)
    found = store.open(token)
    assert found.files == (("mine_accuracy.csv", WIDE),)
    assert found.choices["settings"]["alpha"] == "0.01"
