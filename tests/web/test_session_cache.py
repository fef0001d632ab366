"""Tests of the session cache: its memory budget, the order of removal, and the end of sessions."""

import gc
import weakref
from functools import partial

import pandas as pd
import pytest
from streamlit.testing.v1 import AppTest

from foldwise.web import cache as remembered
from foldwise.web.cache import SessionCache, SharedBudget, deep_size, qualified_name
from foldwise.web.job_queue import JobCancelled
from stats_core.core.errors import SettingError
from stats_core.data.results import Results
from tests.web.conftest import APP, WIDE, texts, upload


class Thing:
    """An object of a given size, for tests of whether it is removed."""

    def __init__(self, size):
        self.content = "x" * size


def test_what_was_used_longest_ago_leaves_first():
    store = SessionCache(limit=100_000)
    for name in "abc":
        store.recall(name, lambda: Thing(30_000))
    store.begin_run()
    store.recall("a", pytest.fail)

    store.begin_run()
    store.recall("d", lambda: Thing(60_000))

    assert [name for name in "abcd" if name in store] == ["a", "d"]
    assert store.total_size < 100_000


def test_what_the_last_run_used_is_still_there_however_large_it_is():
    store = SessionCache(limit=1000)
    large = store.recall("curves", lambda: Thing(5000))

    store.begin_run()
    store.recall("new level", lambda: Thing(5000))

    assert store.recall("curves", pytest.fail) is large


def test_what_this_run_needs_stays_however_large_it_is():
    store = SessionCache(limit=1000)

    large = [store.recall(name, lambda: Thing(5000)) for name in "ab"]

    assert [store.recall(name, pytest.fail) for name in "ab"] == large


def test_what_two_entries_share_counts_once():
    store, frame = SessionCache(limit=10**9), pd.DataFrame({"x": range(100_000)})
    store.recall("one", lambda: [frame])
    once = store.total_size

    store.recall("other", lambda: (frame, "more"))

    assert 800_000 < once < 810_000
    assert store.total_size < once + 5000


def test_results_count_with_all_they_keep_until_the_last_entry_that_refers_to_them_leaves():
    results = Results.from_frame(pd.DataFrame({"algorithm": ["a"], "error": [1.0]}))
    store = SessionCache(limit=10**9)
    store.recall("read", lambda: results)
    vars(results)["more"] = "x" * 90_000
    store.recall("compared", lambda: [results])
    assert store.total_size > 90_000

    store.begin_run()
    store.begin_run()
    store.recall("compared", pytest.fail)
    store.limit = 80_000
    store.recall("new", lambda: "small")
    assert [name for name in ("read", "compared", "new") if name in store] == ["compared", "new"]
    assert store.total_size > 90_000

    store.begin_run()
    store.begin_run()
    store.recall("new", pytest.fail)
    store.recall("newer", lambda: "small, too")
    assert store.total_size < 1000


def test_of_all_sessions_the_one_that_ran_longest_ago_forgets():
    everyone = SharedBudget(lambda: 100_000)
    first, second, third = (SessionCache(10**9, everyone) for _ in range(3))
    for one in (second, first, third):
        one.begin_run()
        one.recall("a", lambda: Thing(40_000))

    assert [len(one) for one in (first, second, third)] == [1, 0, 1]
    third.recall("b", lambda: Thing(200_000))
    assert [len(one) for one in (first, second, third)] == [0, 0, 2]  # its own run needs both


def test_files_stay_and_leave_less_to_what_is_computed_of_them():
    everyone, file = SharedBudget(lambda: 100_000), b"x" * 50_000
    first, second = (SessionCache(100_000, everyone) for _ in range(2))
    first.hold([file, file])
    first.recall("a", lambda: [file, Thing(30_000)])
    first.begin_run()
    first.begin_run()
    first.recall("b", lambda: Thing(30_000))
    assert [name for name in "ab" if name in first] == ["b"]

    second.recall("c", lambda: Thing(60_000))

    assert len(first) == 0
    assert first.total_size == everyone.files(but=second) >= len(file)


def test_a_file_without_a_place_is_refused_with_both_numbers(app, monkeypatch):
    monkeypatch.setenv("FOLDWISE_SESSION_MB", "1")
    monkeypatch.setenv("FOLDWISE_MEMORY_MB", "1")
    large = WIDE + b"# " + b"x" * 600_000
    upload(app, ("mine_accuracy.csv", WIDE))

    upload(app, ("a.csv", large), ("b.csv", large))

    assert "The files are too large: 1 MB. This server accepts 1 MB per visitor." in texts(app)
    assert app.session_state["_uploads"] == (("mine_accuracy.csv", WIDE),)
    other = SessionCache(10**9, remembered.SESSIONS)
    other.hold([large])
    upload(app, ("a.csv", large))
    assert "The server is full: " in texts(app)
    del other


def test_what_was_open_before_leaves_where_both_have_no_place(app, monkeypatch):
    monkeypatch.setenv("FOLDWISE_SESSION_MB", "1")
    upload(app, ("mine_accuracy.csv", WIDE))
    app.session_state["_previous"] = (("before.csv", b"x" * 900_000),), "", None
    assert "_previous" in app.run().session_state
    app.session_state["_previous"] = (("before.csv", b"x" * 1_100_000),), "", None

    assert "_previous" not in app.run().session_state
    assert app.session_state["_uploads"] == (("mine_accuracy.csv", WIDE),)


def test_a_refusal_is_known_without_asking_again_and_a_stop_is_not():
    store, asked = SessionCache(limit=10_000), []

    def refuse():
        asked.append(1)
        raise SettingError("No.")

    def stop():
        asked.append(2)
        raise JobCancelled("Late.")

    for _ in range(2):
        with pytest.raises(SettingError, match="No."):
            store.recall("a", refuse)
        with pytest.raises(JobCancelled):
            store.recall("b", stop)

    assert asked == [1, 2, 2]


def test_what_fails_is_not_kept():
    store = SessionCache(limit=1000)
    with pytest.raises(ZeroDivisionError):
        store.recall("a", lambda: 1 / 0)

    assert store.recall("a", lambda: 1) == 1


def test_code_weighs_nothing_but_what_it_encloses():
    text = "x" * 50_000

    small, large = sorted(deep_size(lambda: text).values())

    assert small < 2000
    assert 50_000 <= large < 51_000


def test_uploads_stay_out_of_what_sessions_share_and_end_with_theirs(app):
    app.query_params["sample"] = "demsar_2006_auc.csv"  # what sessions share
    app.run()
    visit = AppTest.from_file(str(APP), default_timeout=60)
    upload(visit, ("mine_accuracy.csv", WIDE))
    visit.switch_page("pages/results.py").run()

    assert {key[1][:7] for key in remembered.SAMPLES} == {"sample:"}
    assert len(visit.session_state["_memory"]) > 3
    held = [weakref.ref(visit.session_state[key]) for key in ("_memory", "_context")]
    del visit
    gc.collect()
    assert [one() for one in held] == [None, None]


def test_what_a_visitor_typed_about_a_sample_is_not_shared(app):
    app.query_params["sample"] = "uci38_5x2.csv"
    app.session_state["_families"] = {"SVM (RBF)": "mine"}
    app.run()
    shared = set(remembered.SAMPLES)

    app.switch_page("pages/compare.py").run()

    assert set(remembered.SAMPLES) == shared
    assert len(app.session_state["_memory"]) > 3


def test_a_partial_has_the_name_of_the_function_it_calls():
    assert (
        qualified_name(partial(Results.rename, algorithms={}))
        == "stats_core.data.results.Results.rename"
    )
