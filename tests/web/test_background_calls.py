"""Tests of long computations outside the server process, which can be cancelled."""

import io
import os
import signal
import time
import zipfile
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from queue import Queue
from types import SimpleNamespace
from weakref import WeakValueDictionary

import numpy as np
import pytest
from streamlit.runtime import caching
from streamlit.testing.v1 import AppTest

from foldwise.web import cache
from foldwise.web.job_queue import CANCELLED, Job, JobCancelled, JobQueue, limits
from foldwise.web.views import comparison_views
from stats_core.comparison.analyse import analyse
from stats_core.io.read import read_results
from stats_core.report.reproduce import to_json
from stats_core.report.robustness_text import describe_leave_one_out
from stats_core.robustness import variations
from stats_core.robustness.leave_one_out import leave_one_out
from stats_core.robustness.other_measures import decided_otherwise
from tests.web.conftest import answered, texts, turn_to, upload

pytestmark = pytest.mark.usefixtures("workers")


@pytest.fixture
def everything_is_long(monkeypatch):
    monkeypatch.setattr(cache, "HERE", -1.0)
    monkeypatch.setattr(cache, "PACES", {})


@pytest.fixture
def jobs(monkeypatch):
    """A list of the names of the submitted functions."""
    taken, submit = [], JobQueue.submit

    def note(self, call, cost=0.0):
        taken.append(call.func.__name__)
        return submit(self, call, cost)

    monkeypatch.setattr(JobQueue, "submit", note)
    return taken


def table():
    values = np.random.default_rng(3).uniform(size=(6, 3, 10, 2)).round(4)
    rows = [
        f"d{d},{name},{f},{error},{other}\n"
        for d, of_set in enumerate(values)
        for name, folds in zip(("rf", "svm", "nb"), of_set, strict=True)
        for f, (error, other) in enumerate(folds)
    ]
    return "folds.csv", ("dataset,algorithm,fold,error,fpr\n" + "".join(rows)).encode()


def test_all_that_may_take_long_can_be_done_elsewhere(app, everything_is_long, jobs):
    upload(app, table())
    app.query_params |= {"tab": "Sensitivity", "ltab": "Power"}
    app.session_state["mtab_over_data_sets"] = app.session_state["view_agreement"] = True
    app.session_state["power_of"], app.session_state["sruns"] = "cost-aware orders", 50
    app.session_state["_prior"] = ("nb", "rf", "svm")
    for page in ("results", "Several measures", "Folds", "tradeoffs", "plan"):
        turn_to(app, page).run()
        assert not app.exception, page
    assert "run_part" not in jobs  # nothing is simulated before it is asked for
    next(button for button in app.button if button.label == "Start").click().run()

    assert "The prior order 1-2-3" in texts(answered(app))
    assert set(jobs) >= {
        *(
            "read_results",
            "analyse_and_word",
            "repeated",
            "dimension_tests",
            "agreement",
            "evidence_over",
        ),
        "run_part",
    }
    assert cache.JOB not in app.session_state


def test_the_card_says_the_number_at_once_or_when_it_is_there(app, monkeypatch):
    """Computed in the background, the number is the same, and the page is shown before."""
    known = describe_leave_one_out(leave_one_out(analyse(read_results(table()))))
    upload(app, table())
    assert known in texts(app.switch_page("pages/results.py").run())

    del app.session_state["_memory"]
    monkeypatch.setattr(comparison_views, "AT_ONCE", -1.0)
    app.run()
    assert "Leave-one-out is running" in texts(app)
    assert known not in texts(app)
    _, job = app.session_state[comparison_views.JOB]
    assert job.done.wait(60)
    app.run()
    assert known in texts(app)
    app.segmented_control(key="alpha").set_value("0.01").run()  # the runs hold at every level
    assert "Leave-one-out is running" not in texts(app)


def test_a_very_long_analysis_starts_on_a_click(app, monkeypatch):
    monkeypatch.setattr(comparison_views, "AT_ONCE", -1.0)
    monkeypatch.setattr(cache, "UNASKED", 0.0)
    upload(app, table())
    app.switch_page("pages/results.py").run()
    assert comparison_views.JOB not in app.session_state
    assert "Leave-one-out is running" not in texts(app)

    next(
        button for button in app.button if button.label.startswith("Leave-one-out: start")
    ).click().run()
    _, job = app.session_state[comparison_views.JOB]
    assert job.done.wait(60)
    app.run()
    assert describe_leave_one_out(leave_one_out(analyse(read_results(table())))) in texts(app)


def test_a_result_is_kept_for_a_session_that_went_on_meanwhile(app, monkeypatch):
    monkeypatch.setattr(comparison_views, "AT_ONCE", -1.0)
    upload(app, table())
    app.switch_page("pages/results.py").run()
    _, job = app.session_state[comparison_views.JOB]
    assert job.done.wait(60)
    del app.session_state[comparison_views.JOB]  # as if another page had begun a job
    app.run()
    assert describe_leave_one_out(leave_one_out(analyse(read_results(table())))) in texts(app)


def test_a_check_that_ends_without_an_answer_is_said(app, monkeypatch):
    def cancelled(self, call, cost=0.0):
        job = Job(call, limits(), long=False)
        job.cancel()
        return job

    monkeypatch.setattr(comparison_views, "AT_ONCE", -1.0)
    upload(app, table())
    monkeypatch.setattr(JobQueue, "submit", cancelled)
    app.switch_page("pages/results.py").run()
    app.run()
    assert f"The leave-one-out analysis was not completed. {CANCELLED}" in texts(app)


@pytest.fixture
def sessions(monkeypatch):
    """Jobs of the session that creates a download, in place of those of a page."""
    monkeypatch.setattr(cache, "_session_jobs", lambda: own[-1])
    monkeypatch.setattr(cache, "_renamed", lambda: False)
    monkeypatch.setattr(cache, "RELOAD", 0.0)
    own = [cache.Jobs()]
    return own


def test_a_download_is_made_elsewhere_once_it_is_asked_for(sessions, everything_is_long, jobs):
    analysis = analyse(read_results(table()))

    asked = cache.DownloadCall(partial(to_json, analysis), key=("report",), cost=0.0)
    assert jobs == []

    asked.show_progress("Drawing ...")  # the page and the button share one job
    assert asked() == to_json(analysis)
    assert asked() == asked()
    assert jobs == ["to_json"]


def test_a_broken_file_is_refused_as_ever(app, everything_is_long, jobs):
    upload(app, ("a.csv", b"PK\x03\x04rest"))

    assert any("zip file" in one.value for one in app.error)
    tried = list(jobs)
    assert tried[-1:] == ["read_results"]
    app.run()
    assert jobs == tried  # a refusal is known, too


def test_a_broken_file_leaves_the_open_results_after_a_slow_reading(app, monkeypatch):
    monkeypatch.setattr(cache, "PATIENCE", 30.0)
    upload(app, table())
    (key,) = (key for key in app.session_state["_memory"] if key[0].endswith("read_results"))
    cache._note_pace(key[0], seconds=60.0, cost=0.02)

    upload(app, ("a.csv", b"PK\x03\x04rest"))

    assert any("zip file" in one.value for one in app.error)
    assert app.session_state["_uploads"] == (table(),)


def test_what_was_cancelled_waits_until_it_is_asked_for(app, everything_is_long, jobs):
    upload(app, table())
    app.switch_page("pages/results.py").run()
    key = next(key for key in app.session_state["_memory"] if key[0].endswith("analyse"))
    del app.session_state["_memory"]
    app.session_state[cache.STOPPED] = key, JobCancelled(CANCELLED)
    jobs.clear()
    app.run()
    assert not app.exception
    assert CANCELLED in texts(app)
    assert "analyse_and_word" not in jobs

    next(button for button in app.button if button.label == "Try again").click().run()

    assert CANCELLED not in texts(app)
    assert "analyse_and_word" in jobs


def worker_of(job):
    """Return the process id of the worker of a job, once it runs."""
    while job._worker is None:
        time.sleep(0.001)
    return job._worker._process.pid


@pytest.mark.unforeseen
def test_a_page_whose_worker_is_killed_says_so_and_tries_again(
    app, everything_is_long, monkeypatch
):
    upload(app, table())
    submit, submitted = JobQueue.submit, Queue()

    def submit_slow(self, call, cost=0.0):
        submitted.put(job := submit(self, partial(time.sleep, 60), cost))
        return job

    monkeypatch.setattr(JobQueue, "submit", submit_slow)
    with ThreadPoolExecutor(1) as pool:
        run = pool.submit(turn_to(app, "results").run)
        os.kill(worker_of(submitted.get(timeout=60)), signal.SIGKILL)
        run.result()
    assert not app.exception
    assert "stopped from outside" in texts(app)

    monkeypatch.setattr(JobQueue, "submit", submit)
    next(button for button in app.button if button.label == "Try again").click().run()
    assert "stopped from outside" not in texts(app)
    assert "rf" in texts(app)


@pytest.mark.unforeseen
def test_a_download_whose_worker_is_killed_is_made_at_the_next_click(sessions):
    analysis = analyse(read_results(table()))
    asked = cache.DownloadCall(partial(time.sleep, 60), key=("report",), cost=60.0)
    with ThreadPoolExecutor(1) as pool:
        answer = pool.submit(asked)
        while asked._job is None:
            time.sleep(0.001)
        os.kill(worker_of(asked._job), signal.SIGKILL)
        with pytest.raises(JobCancelled, match="stopped from outside"):
            answer.result()

    asked._call = partial(to_json, analysis)
    assert asked() == to_json(analysis)


def test_two_sessions_share_the_job_of_a_download_until_both_have_left(sessions):
    calls = []
    for _ in range(2):
        sessions.append(cache.Jobs())
        calls.append(
            cache.DownloadCall(partial(time.sleep, 60), key=("report", "same results"), cost=60.0)
        )
    with ThreadPoolExecutor(2) as pool:
        answers = [pool.submit(call) for call in calls]
        while None in (jobs := [call._job for call in calls]):
            time.sleep(0.001)
        assert jobs[0] is jobs[1]
        cache._release(sessions[1])
        assert not jobs[0].done.is_set(), "the other session still waits for it"
        cache._release(sessions[2])
        for answer in answers:
            with pytest.raises(JobCancelled):
                answer.result()


def test_the_jobs_of_a_visitor_who_leaves_are_cancelled(monkeypatch):
    def page():
        from foldwise.web import cache

        cache.session_job("slot", "key", lambda: len, 1.0)

    monkeypatch.setattr(cache, "RELOAD", 0.5)
    submit = JobQueue.submit
    monkeypatch.setattr(
        JobQueue, "submit", lambda self, call, cost: submit(self, partial(time.sleep, 60), cost)
    )
    visit = AppTest.from_function(page).run()
    job = visit.session_state["slot"][1]
    worker_of(job)
    assert visit.run().session_state["slot"][1] is job
    assert not job.done.is_set()

    caching.clear_session_resource_cache("test session id")
    assert not job.done.is_set(), "a reloaded page may join it"
    assert job.done.wait(60)
    with pytest.raises(JobCancelled):
        job.result()
    assert job._worker._process.wait(60) == -signal.SIGKILL
    assert (
        visit.run().session_state["slot"][1] is not job
    )  # after a connection was lost, a visitor returns


def test_two_parts_of_a_page_that_wait_for_the_same_result_share_a_job(monkeypatch):
    def page():
        import streamlit as st

        from foldwise.web import cache

        for slot, key in st.session_state.get("keys", {"line": "runs", "tab": "runs"}).items():
            cache.session_job(slot, key, lambda: len, 1.0)

    queued = SimpleNamespace(submit=lambda call, cost: Job(call, limits(), long=False))
    monkeypatch.setattr(cache, "shared_queue", lambda: queued)
    visit = AppTest.from_function(page).run()
    job = visit.session_state["line"][1]
    assert visit.session_state["tab"][1] is job

    visit.session_state["keys"] = {"tab": "other"}
    visit.run()
    assert not job.done.is_set(), "the line still waits for it"
    visit.session_state["keys"] = {"line": "other"}
    visit.run()
    assert job.done.is_set()
    assert visit.session_state["line"][1] is visit.session_state["tab"][1]


def test_two_sessions_that_wait_for_the_same_result_share_a_job(monkeypatch):
    def page():
        from foldwise.web import cache

        cache.session_job("slot", "shared", lambda: len, 1.0)

    submitted = []
    monkeypatch.setattr(
        JobQueue,
        "submit",
        lambda self, call, cost: submitted.append(call) or Job(call, limits(), long=False),
    )
    sessions = [WeakValueDictionary() for _ in range(2)]
    monkeypatch.setattr(cache, "_session_jobs", lambda: sessions[now])
    visits = []
    for now in range(2):  # noqa: B007 - read by the function above
        visits.append(AppTest.from_function(page).run())
    job = visits[0].session_state["slot"][1]
    assert visits[1].session_state["slot"][1] is job
    assert len(submitted) == 1

    cache.leave(job)  # the second session cancels
    assert not job.done.is_set()
    monkeypatch.setattr(cache, "RELOAD", 0.0)
    cache._release(sessions[0])  # the first visitor leaves
    assert job.done.wait(60)
    visits[1].run()
    assert visits[1].session_state["slot"][1] is not job


def test_a_sample_that_another_session_computes_is_waited_for_with_progress(monkeypatch):
    def page():
        import time

        import streamlit as st

        from foldwise.web import cache

        cache.cached("sample:slow", time.sleep, 60, doing="Waiting ...", cost=lambda call: 60.0)
        st.markdown("Done.")

    monkeypatch.setattr(cache, "SAMPLES", cache.SessionCache(10_000))
    monkeypatch.setattr(
        cache, "_session_jobs", lambda: cache.st.session_state.setdefault("jobs", cache.Jobs())
    )
    monkeypatch.setattr(cache, "PATIENCE", 0.01)
    visits = [AppTest.from_function(page, default_timeout=60) for _ in range(2)]
    with ThreadPoolExecutor(2) as pool:
        runs = [pool.submit(visit.run) for visit in visits]
        key = ("time.sleep", "sample:slow")
        while (job := cache.RUNNING.get(key)) is None or len(job.slots) < 2 or job._worker is None:
            time.sleep(0.001)
        job._end(True, None)
        for run in runs:
            assert "Done." in texts(run.result())
    job._worker.kill()


def test_a_session_with_names_of_its_own_shares_no_job(monkeypatch):
    def page():
        from foldwise.web import cache

        cache.session_job("slot", "named", lambda: len, 1.0)

    monkeypatch.setattr(
        JobQueue, "submit", lambda self, call, cost: Job(call, limits(), long=False)
    )
    sessions = [WeakValueDictionary() for _ in range(2)]
    monkeypatch.setattr(cache, "_session_jobs", lambda: sessions[-1])
    jobs = []
    for names in ({}, {"algorithms": {"rf": "Random forest"}}):
        visit = AppTest.from_function(page)
        visit.session_state[cache.TYPED] = names
        jobs.append(visit.run().session_state["slot"][1])
        sessions.pop()
    assert jobs[0] is not jobs[1]


def test_a_file_whose_reading_was_cancelled_is_read_when_asked(app, everything_is_long, jobs):
    upload(app, table())
    (key,) = (key for key in app.session_state["_memory"] if key[0].endswith("read_results"))
    del app.session_state["_memory"]
    app.session_state[cache.STOPPED] = key, JobCancelled(CANCELLED)
    assert CANCELLED in texts(app.run())
    jobs.clear()

    next(button for button in app.button if button.label == "Try again").click().run()

    assert not app.exception
    assert app.session_state["_uploads"] == (table(),)
    assert jobs.count("read_results") == 1


def test_what_one_took_tells_where_the_next_is_done(monkeypatch):
    monkeypatch.setattr(cache, "PACES", {})

    cache.cached("any", busy, 0.3, doing="Busy ...", cost=lambda call: 0.001)
    (pace,) = cache.PACES.values()
    assert 300 <= pace

    cache._note_pace("other", 4.0, 1.0)
    cache._note_pace("other", 0.1, 1.0)
    assert cache.PACES["other"] == 2.0  # forgotten by and by


def packed(n_files):
    with zipfile.ZipFile(file := io.BytesIO(), "w") as archive:
        for number in range(n_files):
            archive.writestr(f"run_{number}.csv", b"accuracy\n")
    return file.getvalue()


@pytest.mark.parametrize(
    ("row", "rows", "seconds"),
    [  # CPU seconds of `read_results` on one core of 2.9 GHz
        (b"set-1,method 3,7,0.6137\n", 100_000, 0.25),
        (b"b1,m3,7,901,1,0.6137\n", 150_000, 0.20),
        (b"d17" + b",0.71" * 12 + b"\n", 10_000, 0.51),
        (b"q17" + b",1" * 400 + b"\n", 1_500, 3.8),
        (b"17,1" + b",0.7131" * 3 + b"\n", 100_000, 0.99),
        (b"d1" + b" & 0.713 $\\pm$ 0.01" * 8 + b" \\\\\n", 1_500, 0.27),
        (b"| d1 |" + b" 0.713 |" * 70 + b"\n", 200, 0.21),
        (b"d1" + b"    0.713" * 8 + b"\n", 2_000, 0.37),
        (b"<td>0.713</td>\n", 20_000, 0.12),
        (b'{"dataset": "a", "algorithm": "b", "accuracy": 0.713}\n', 13_000, 0.21),
        (packed(200), 1, 3.5),
    ],
    ids="folds predictions wide items columns latex markdown aligned html json zip".split(),
)
def test_the_estimate_for_reading_counts_cells_and_files(row, rows, seconds):
    assert seconds / 3 < cache.reading_seconds((("any name", row * rows),)) < 3 * seconds


def busy(seconds):
    end = time.thread_time() + seconds
    while time.thread_time() < end:
        pass


@pytest.mark.parametrize(
    ("algorithms", "datasets", "folds", "seconds"),
    [  # CPU seconds of `analyse`, and of the verdict for many algorithms, on one core of 2.9 GHz
        *((2, 1, 20_000, 0.9), (2, 1, 100_000, 4.8), (20, 1, 5_000, 1.9), (20, 1, 20_000, 8.2)),
        *(
            (1_000, 1, 2, 3.0),
            (50, 200, 20, 0.5),
            (2, 20_000, 1, 0.2),
            (50, 2_000, 1, 1.1),
            (200, 200, 1, 1.7),
        ),
        *((200, 20, 1, 5.0), (500, 30, 1, 1.6)),
    ],
)
def test_the_estimate_for_a_comparison_counts_algorithms_data_sets_and_folds(
    algorithms, datasets, folds, seconds
):
    sizes = {
        "algorithms": range(algorithms),
        "datasets": range(datasets),
        "n_rows": algorithms * datasets * folds,
    }
    assert cache.comparison_seconds(partial(analyse, SimpleNamespace(**sizes))) > seconds / 3


def test_repeated_comparisons_are_estimated_from_one_and_need_no_question():
    """Of 40 algorithms on 112 data sets of 30 folds, and of 50 on 2,000, the longest took 1.1 CPU seconds."""
    comparison = analyse(read_results(table()))
    once = cache.comparison_seconds(partial(analyse, comparison.results))
    assert cache.robustness_seconds(partial(to_json, comparison)) == once
    assert cache.repetition_seconds(partial(to_json, comparison)) == cache.AGAIN * once
    for algorithms, datasets, folds in ((40, 112, 30), (50, 2_000, 1)):
        n_rows = algorithms * datasets * folds
        sizes = {"algorithms": range(algorithms), "datasets": range(datasets), "n_rows": n_rows}
        assert (
            cache.AGAIN * cache.comparison_seconds(partial(analyse, SimpleNamespace(**sizes)))
            < cache.UNASKED
        )


@pytest.mark.parametrize(
    ("algorithms", "datasets", "folds", "instances", "seconds"),
    [  # CPU seconds of `decided_otherwise` with one other measure, on one core of 2.9 GHz
        *(
            (5, 8, 10, 0, 0.016),
            (20, 29, 10, 0, 0.07),
            (40, 112, 30, 0, 0.07),
            (179, 121, 1, 0, 0.7),
        ),
        *((5, 1, 1, 25_000, 0.25), (2, 1, 100_000, 0, 3.4)),
    ],
)
def test_the_estimate_for_other_measures(
    monkeypatch, algorithms, datasets, folds, instances, seconds
):
    results = SimpleNamespace(
        datasets=range(datasets),
        n_rows=algorithms * datasets * folds,
        predictions=range(instances) if instances else None,
    )
    comparison = SimpleNamespace(results=results, order=range(algorithms))
    monkeypatch.setattr(cache, "distinct_measures", lambda *about: ["auc"])
    estimate = cache.other_measures_seconds(partial(decided_otherwise, comparison))
    assert seconds / 3 < estimate < 3 * seconds


def test_the_estimate_for_other_measures_counts_the_comparisons_that_are_made(monkeypatch):
    comparison, made = analyse(read_results(table())), []
    estimate = cache.other_measures_seconds(partial(decided_otherwise, comparison))
    monkeypatch.setattr(
        variations,
        "analyse",
        lambda results, settings: made.append(settings) or analyse(results, settings),
    )
    decided_otherwise(comparison)
    assert estimate == pytest.approx(0.012 * len(made), rel=0.1)
    assert len(made) == len(comparison.results.measures) - 1 == 1
