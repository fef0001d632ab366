"""Tests that bytes of a visitor are read in processes of their own, which cannot hurt the server."""

import ctypes
import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from foldwise.web import cache, job_queue, session
from foldwise.web.job_queue import JobCancelled, JobLimits, JobQueue, Reading
from foldwise.web.views import start_views
from foldwise.workspaces import store
from stats_core.core.errors import DataError, InternalError
from stats_core.io import read
from tests.web.conftest import WIDE, texts, upload

pytestmark = pytest.mark.usefixtures("workers")
ROOT = Path(__file__).parents[2]
FOLDS = b"dataset,algorithm,fold,error\n" + b"".join(
    b"d%d,%s,%d,0.%d\n" % (d, name, fold, 10 + 7 * d + 3 * fold + len(name))
    for d in range(3)
    for name in (b"x", b"yy")
    for fold in range(3)
)


START = """
import sys
from foldwise.web.worker import end_with_parent
end_with_parent()
from foldwise.web.job_queue import work
work(*map(int, sys.argv[1:3]), reads=sys.argv[3:] == ["reads"])
"""


@pytest.fixture
def new(monkeypatch):
    """A function that returns a queue with one worker for uploads, which loads no library."""
    monkeypatch.setattr(job_queue, "WORKER", ("-c", START))
    made = []

    def queue(**limits):
        made.append(JobQueue(JobLimits(at_once=1, **limits)))
        return made[-1]

    yield queue
    for one in made:
        one._keeps_reader = False
        one.close()


@pytest.fixture
def reader(new):
    """A queue that keeps its worker for uploads."""
    queue = new(megabytes=1_000)
    queue.keep_reader()
    return queue


def answered(queue, function, *arguments):
    """Return the result of a reader in a process of the queue."""
    job = queue.submit(Reading(function, *arguments))
    assert job.done.wait(200)  # a busy machine is slow, not wrong
    return job.result()


def test_each_upload_is_read_in_a_new_process_of_a_worker_that_stays(reader):
    processes = {answered(reader, os.getpid) for _ in range(3)}
    workers = {answered(reader, os.getppid) for _ in range(3)}

    assert len(processes) == 3
    assert len(workers) == 1
    assert not processes & workers


def test_a_process_that_reads_uploads_knows_no_secrets(new, monkeypatch):
    monkeypatch.setenv("OIDC_CLIENT_SECRET", "hidden")
    monkeypatch.setenv("FOLDWISE_BUDGET", "folds=77")
    queue = new()

    assert answered(queue, os.getenv, "OIDC_CLIENT_SECRET") is None
    assert answered(queue, os.getenv, "FOLDWISE_BUDGET") == "folds=77"


CRASH = (ctypes.string_at, 0)  # reads memory that is not there
SPIN = (exec, "while True: pass")


class TooLarge:
    """An upload that does not fit into the memory of the process that reads it."""

    def __reduce__(self):
        return exec, ("raise MemoryError",)


@pytest.mark.unforeseen
@pytest.mark.parametrize(
    ("call", "text"),
    [
        (CRASH, "the file is probably damaged. Export the file again, or save it as CSV."),
        ((os.abort,), "the file is probably damaged"),
        ((len, TooLarge()), "Reading exceeded the memory limit of 1,000 MB"),
    ],
    ids="segfault abort memory".split(),
)
def test_a_reader_that_dies_says_so_and_the_next_upload_is_read(reader, call, text):
    with pytest.raises(JobCancelled, match=text):
        answered(reader, *call)
    assert answered(reader, abs, -1) == 1


@pytest.mark.unforeseen
def test_a_worker_outlives_the_crash_of_a_reader_but_not_in_the_middle_of_an_answer(reader):
    before = answered(reader, os.getppid)
    with pytest.raises(JobCancelled):
        answered(reader, *CRASH)
    assert answered(reader, os.getppid) == before

    with pytest.raises(JobCancelled, match="probably damaged"):
        answered(reader, exec, HALF_A_MESSAGE)
    assert answered(reader, os.getppid) != before


HALF_A_MESSAGE = """
import ctypes, gc, pickle
from foldwise.web import job_queue
def dump(message, file, protocol):
    file.write(bytes([128, 5, 149]))
    file.flush()
    ctypes.string_at(0)
job_queue.pickle.dump = dump
"""


@pytest.mark.unforeseen
def test_memory_and_time_of_a_reader_are_limited(new):
    with pytest.raises(InternalError, match="too little memory"):
        answered(new(megabytes=800), bytes, 2_000_000_000)
    with pytest.raises(JobCancelled, match="Reading exceeded the limit of 1 seconds"):
        answered(new(seconds=1), time.sleep, 600)


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no limit of processor time")
@pytest.mark.unforeseen
def test_the_limit_of_processor_time_holds_without_the_server(new, monkeypatch):
    """The server's own timer starts nothing, as if the server were busy."""
    monkeypatch.setattr(
        job_queue.threading, "Timer", lambda *_: threading.Thread(target=lambda: None)
    )
    monkeypatch.setattr(threading.Thread, "cancel", lambda self: None, raising=False)

    with pytest.raises(JobCancelled, match="Reading exceeded the limit of 1 seconds"):
        answered(new(seconds=1), *SPIN)


def test_a_cancelled_reader_is_gone_and_another_is_ready(reader):
    job = reader.submit(Reading(time.sleep, 60))
    while job._worker is None:
        time.sleep(0.01)
    worker = job._worker._process
    job.cancel()

    assert worker.wait(60) == -signal.SIGKILL
    assert answered(reader, os.getppid) != worker.pid


def test_one_reader_is_kept_while_others_rest(reader):
    before = answered(reader, os.getppid)
    while not reader._idle:
        time.sleep(0.01)
    reader.close()
    assert answered(reader, os.getppid) == before


SERVER = """
import sys, time
from foldwise.web import job_queue
job_queue.WORKER = "-c", sys.argv[1]
queue = job_queue.JobQueue(job_queue.JobLimits(at_once=1))
queue.submit(job_queue.Reading(exec, sys.argv[2]))
time.sleep(600)
"""
ANNOUNCE = """
import os, sys, time
sys.stderr.write(f"{os.getpid()} {os.getppid()}\\n")
sys.stderr.flush()
time.sleep(600)
"""


@pytest.mark.skipif(
    not sys.platform.startswith("linux"), reason="elsewhere, a suspended process ends later"
)
def test_a_suspended_reader_ends_with_its_killed_server():
    """The processes share the error output of the server, so it is open until they have ended."""
    with subprocess.Popen(
        [sys.executable, "-c", SERVER, START, ANNOUNCE], cwd=ROOT, stderr=subprocess.PIPE, text=True
    ) as server:
        child, worker = map(int, server.stderr.readline().split())
        assert child != worker
        for process in (child, worker):
            os.kill(process, signal.SIGSTOP)
        server.kill()
        assert server.stderr.read() == ""


@pytest.mark.skipif(
    not sys.platform.startswith("linux"), reason="elsewhere, a suspended process ends later"
)
def test_a_worker_suspended_while_it_loads_the_library_ends_with_its_killed_server():
    code = "import time\nfrom foldwise.web.job_queue import *\n"
    code += "w = Worker(JobLimits())\nprint(w._process.pid, flush=True)\ntime.sleep(600)"
    with subprocess.Popen(
        [sys.executable, "-c", code],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as server:
        worker = int(server.stdout.readline())
        while b"numpy" not in Path(f"/proc/{worker}/maps").read_bytes():
            time.sleep(0.001)
        os.kill(worker, signal.SIGSTOP)
        server.kill()
        assert server.stderr.read() == ""


@pytest.fixture
def nothing_is_read_here(monkeypatch):
    """Let every reader of files fail in this process, and let small files take as long as they need."""

    def refuse(*_):
        raise AssertionError("bytes of a visitor are parsed in the server")

    start_views.example()  # of a sample
    monkeypatch.setattr(read, "_load", refuse)
    monkeypatch.setattr(store, "_read_member", refuse)
    monkeypatch.setattr(cache, "PATIENCE", 60.0)


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("folds.csv", FOLDS),
        ("wide.csv", WIDE),  # which asks a question, with previews and columns
        ("refused.csv", b"PK\x03\x04rest"),
        ("mine.foldwise", store.pack(store.Workspace(name="mine", files=(("a.csv", FOLDS),)))),
    ],
    ids="results question refused workspace".split(),
)
def test_no_byte_of_an_upload_is_parsed_in_the_server(app, nothing_is_read_here, name, content):
    upload(app, (name, content))
    assert not app.exception
    opened = app.session_state[session.UPLOADS] if name != "refused.csv" else ()
    assert bool(opened) == (name != "refused.csv")
    for page in ("data", "results"):
        app.switch_page(f"pages/{page}.py").run()
        assert not app.exception


@pytest.mark.unforeseen
def test_a_file_that_crashes_the_reader_is_refused_and_what_was_open_stays(app, monkeypatch):
    monkeypatch.setattr(cache, "PATIENCE", 60.0)
    upload(app, ("folds.csv", FOLDS))
    monkeypatch.setattr(cache, "read_results", crash_on)
    upload(app, ("bad.feather", b"ARROW1"))

    assert not app.exception
    assert "the file is probably damaged" in texts(app)
    assert app.session_state[session.UPLOADS] == (("folds.csv", FOLDS),)
    assert app.file_uploader


def crash_on(*sources, mapping):
    ctypes.string_at(0)


@pytest.mark.unforeseen
@pytest.mark.parametrize("error", [KeyError("x"), RecursionError(), UnicodeError()], ids=repr)
def test_whatever_opening_raises_is_a_sentence_beside_the_upload_box(app, monkeypatch, error):
    def fail(*_):
        raise error

    monkeypatch.setattr(session, "open_uploads", fail)
    upload(app, ("folds.csv", FOLDS))

    assert not app.exception
    assert "Opening these files failed" in texts(app)
    assert app.file_uploader


@pytest.mark.unforeseen
def test_whatever_a_page_raises_is_a_sentence_and_in_the_log(app, monkeypatch, nothing_unforeseen):
    from foldwise.web import layout

    upload(app, ("folds.csv", FOLDS))
    for error in (ZeroDivisionError("in a page"), DataError("expected elsewhere")):
        monkeypatch.setattr(layout.session, "digest", raising(error))
        app.run()
        assert not app.exception
        assert "This page failed" in texts(app)
        assert str(error) in str(nothing_unforeseen[-1].exc_info)


def raising(error):
    """Return a function that raises an error."""

    def fail(*_):
        raise error

    return fail
