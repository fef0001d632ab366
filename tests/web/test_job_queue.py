"""Tests of the job queue: separate processes, limits, and order of jobs."""

import ctypes
import gc
import os
import pickle
import signal
import subprocess
import sys
import time
from functools import partial
from itertools import chain, repeat
from pathlib import Path

import pytest

from foldwise.web import job_queue
from foldwise.web.job_queue import JobCancelled, JobLimits, JobQueue, Worker, limits
from stats_core.comparison.analyse import analyse
from stats_core.core.errors import InternalError, NeedsMapping, SettingError
from stats_core.io.read import read_results
from stats_core.robustness.leave_one_out import stability

pytestmark = pytest.mark.usefixtures("workers")
ROOT = Path(__file__).parents[2]
SOURCE = ("a.csv", b"dataset,algorithm,fold,error\n" + b"".join(
    b"d%d,%s,1,0.%d\n" % (d, a, 10 + d * 3 + len(a)) for d in range(8) for a in (b"x", b"yy", b"zzz")
))  # fmt: skip


START = """
import sys
from foldwise.web.worker import end_with_parent
end_with_parent()
from foldwise.web.job_queue import work
work(*map(int, sys.argv[1:3]), reads=sys.argv[3:] == ["reads"])
"""


@pytest.fixture(scope="module")
def new():
    """A function that returns a queue with limits, which tests share and which is closed at the end.

    Its workers import the library only when a call needs it, since most calls here do not.
    """
    started, job_queue.WORKER = (job_queue.WORKER, ("-c", START))
    made = {}

    def queue(**held):
        limits = JobLimits(**held)
        return made.setdefault(limits, JobQueue(limits))

    yield queue
    for one in made.values():
        one.close()
    job_queue.WORKER = started


def ended(job, seconds=60):
    assert job.done.wait(seconds)
    return job.result()


def test_results_and_refusals_come_back_from_another_process(new):
    desk = new(at_once=2)

    results = ended(desk.submit(partial(read_results, SOURCE)))
    assert results == read_results(SOURCE)
    assert len(ended(desk.submit(partial(analyse, results))).pairs.frame) == 3
    with pytest.raises(NeedsMapping) as asked:
        ended(desk.submit(partial(read_results, ("b.csv", b"set,rf,svm\na,1,2\nb,2,4\n"))))
    assert asked.value.options


def test_limits_of_time_and_memory_end_a_job_with_a_sentence(new):
    slow, large = new(seconds=1, at_once=1), new(megabytes=800, at_once=1)

    with pytest.raises(JobCancelled, match="limit of 1 seconds"):
        ended(slow.submit(partial(time.sleep, 60)))
    with pytest.raises(InternalError, match="too little memory"):
        ended(large.submit(partial(bytes, 2_000_000_000)))


_PAGE = """
from foldwise.web.job_queue import limit_memory
from stats_core.core.errors import InternalError, error_boundary
limit_memory(1000)
try:
    with error_boundary("This page"):
        bytes(5_000_000_000)
except InternalError as error:
    print(error)
print(len(bytes(50_000_000)))
"""


@pytest.mark.skipif(sys.platform != "linux", reason="the limit counts all data on Linux only")
def test_a_page_that_needs_more_memory_than_the_server_may_use_ends_with_a_sentence():
    said, size = subprocess.check_output(
        [sys.executable, "-c", _PAGE], text=True, cwd=ROOT
    ).splitlines()
    assert said.startswith("This page failed because of too little memory (reference ")
    assert size == "50000000"  # the process goes on


def test_a_second_job_waits_and_a_cancelled_one_makes_room(new):
    desk = new(at_once=1)
    first, second, third = (
        desk.submit(partial(time.sleep, 60)),
        *(desk.submit(partial(abs, -i)) for i in (2, 3)),
    )

    assert [desk.position_of(job) for job in (first, second, third)] == [0, 1, 2]
    second.cancel()
    time.sleep(0.2)
    first.cancel()

    assert ended(third) == 3
    with pytest.raises(JobCancelled, match="cancelled"):
        first.result()


def test_cancelling_what_is_done_leaves_its_process_to_others(new):
    desk = new(at_once=1)
    first = desk.submit(partial(abs, -1))
    assert ended(first) == 1

    second = desk.submit(partial(time.sleep, 0.3))
    first.cancel()

    assert ended(second) is None
    assert first.result() == 1


def test_a_process_without_work_ends_only_after_its_rest(new):
    desk = new(at_once=1)
    process = ended(desk.submit(os.getpid))
    desk.close(rested=60)
    assert ended(desk.submit(os.getpid)) == process

    while not desk._idle:  # an answer is there a moment before its process rests
        time.sleep(0.01)
    desk.close()
    assert ended(desk.submit(os.getpid)) != process


def worker_of(job):
    """Return the process id of the worker of a job, once it runs."""
    while job._worker is None:
        time.sleep(0.001)
    return job._worker._process.pid


# counts of processes killed by Linux for lack of memory, before and after -> what is said
OOM_KILLS = {
    (7, 7): "stopped from outside Foldwise, not for lack of memory",
    (7, 8): "The server ran out of memory, so the computation was stopped.",
    (None, None): "stopped from outside, perhaps for lack of memory",
}


@pytest.mark.unforeseen
@pytest.mark.parametrize("counts", OOM_KILLS)
def test_a_worker_killed_by_an_operator_is_told_apart_from_one_killed_for_lack_of_memory(
    new, monkeypatch, nothing_unforeseen, counts
):
    monkeypatch.setattr(job_queue, "_oom_kills", chain(counts, repeat(counts[-1])).__next__)
    desk = new(at_once=1)
    job = desk.submit(partial(time.sleep, 60))
    process = worker_of(job)
    os.kill(process, signal.SIGKILL)

    with pytest.raises(JobCancelled, match=OOM_KILLS[counts]):
        ended(job)
    assert ended(desk.submit(os.getpid)) != process
    (record,) = nothing_unforeseen
    assert (
        f"Worker process {process} ended during a computation with exit code -9"
        in record.getMessage()
    )


def terminate():
    os.kill(os.getpid(), signal.SIGTERM)
    time.sleep(60)


def lose_memory():
    raise MemoryError


class Large:
    """An object that does not fit into the memory of the process that reads it."""

    def __reduce__(self):
        return lose_memory, ()


@pytest.mark.unforeseen
@pytest.mark.parametrize(
    ("call", "text"),
    [
        (partial(len, Large()), "exceeded the memory limit of 4,000 MB"),
        (os.abort, "ended unexpectedly, perhaps for lack of memory"),
        (terminate, "stopped from outside Foldwise"),
    ],
)
def test_a_process_that_ends_by_itself_says_why(new, call, text):
    desk = new(at_once=1)

    with pytest.raises(JobCancelled, match=text):
        ended(desk.submit(call))
    assert ended(desk.submit(partial(abs, -1))) == 1


def test_an_idle_process_that_was_killed_is_replaced_silently(new):
    desk = new(at_once=1)
    process = ended(desk.submit(os.getpid))
    while not desk._idle:  # an answer is there a moment before its process rests
        time.sleep(0.001)
    os.kill(process, signal.SIGKILL)
    desk._idle[0][0]._process.wait()

    assert ended(desk.submit(os.getpid)) != process


def test_a_cancelled_job_ends_its_process_and_can_be_tried_again(new):
    desk = new(at_once=1)
    first = desk.submit(partial(time.sleep, 60))
    process = worker_of(first)
    first.cancel()

    with pytest.raises(JobCancelled, match="cancelled"):
        first.result()
    assert ended(desk.submit(os.getpid)) != process
    with pytest.raises(ProcessLookupError):
        os.kill(process, 0)


SERVER = """
import sys, time
from functools import partial
from itertools import chain, repeat
from foldwise.web.job_queue import JobLimits, JobQueue
from tests.web.test_job_queue import wait
desk = JobQueue(JobLimits(at_once=2, seconds=600))
jobs = [desk.submit(partial(wait, holds)) for holds in (False, True)]
while not all(job._worker for job in jobs):
    time.sleep(0.01)
print("submitted", flush=True)
time.sleep(600)
"""


def wait(holds_interpreter):
    """Wait for a minute, without letting other threads of Python run if the interpreter is held."""
    sys.stderr.write("started\n")
    (ctypes.PyDLL if holds_interpreter else ctypes.CDLL)(None).sleep(60)
    sys.stderr.write("ended\n")


@pytest.mark.skipif(
    not sys.platform.startswith("linux"), reason="elsewhere, a job in compiled code ends later"
)
@pytest.mark.parametrize("n_started", [0, 2])
def test_workers_end_during_a_job_when_their_server_is_killed(n_started):
    """The workers share the error output of the server, so it is open until they have ended."""
    with subprocess.Popen(
        [sys.executable, "-c", SERVER],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as server:
        assert server.stdout.readline() == "submitted\n"
        assert [server.stderr.readline() for _ in range(n_started)] == ["started\n"] * n_started
        server.kill()
        assert "ended" not in server.stderr.read()


def test_a_limit_that_is_none_is_refused(monkeypatch):
    monkeypatch.setenv("FOLDWISE_WORK", "seconds=0")

    with pytest.raises(SettingError, match="FOLDWISE_WORK has the invalid entry"):
        limits()


def test_every_refusal_travels_whole():
    with pytest.raises(NeedsMapping) as asked:
        read_results(("b.csv", b"set,rf,svm\na,1,2\nb,2,4\n"))
    again = pickle.loads(pickle.dumps(asked.value))

    assert str(again) == str(asked.value)
    assert again.options == asked.value.options


def test_a_job_tells_how_far_it_is_and_what_it_took(new):
    job = new(at_once=2).submit(partial(stability, analyse(read_results(SOURCE))))

    assert ended(job).runs["name"].tolist()
    assert job.so_far == (11, 11)  # eight data sets, three algorithms
    assert 0 < job.seconds


class Met:
    """An object that changes `facts` while it is pickled, as another session could."""

    def __init__(self, facts):
        self.facts = facts

    def __reduce__(self):
        self.facts["kept meanwhile"] = 3
        return int, (1,)


def test_the_results_of_a_call_do_not_come_back_as_a_copy(new):
    results = read_results(SOURCE)

    analysis = ended(new(at_once=2).submit(partial(analyse, results)))
    assert analysis.results is results
    assert analysis.scores.equals(analyse(results).scores)


def test_what_another_session_adds_to_is_sent_whole(new):
    facts = {}
    facts |= {"met": Met(facts), "other": 2}

    assert ended(new(at_once=1).submit(partial(dict, facts))) == {
        "met": 1,
        "other": 2,
        "kept meanwhile": 3,
    }


def test_long_jobs_leave_a_place_to_short_ones(new):
    desk = new(at_once=2)
    long = [desk.submit(partial(time.sleep, 60), cost=60) for _ in range(2)]

    assert ended(desk.submit(partial(abs, -1))) == 1
    assert [desk.position_of(job) for job in long] == [0, 1]
    for job in long:
        job.cancel()


def test_a_worker_that_nothing_refers_to_ends_its_process():
    worker = Worker(JobLimits(megabytes=1000))
    process = worker._process

    del worker
    gc.collect()

    assert process.returncode is not None
    assert process.stdin.closed
    assert process.stdout.closed


FREEZE = """
import gc, weakref
from foldwise.web.job_queue import freeze_gc

class Thing: pass

ring = [Thing()]
ring.append(ring)
gone, kept = weakref.ref(ring[0]), Thing()
del ring
freeze_gc()
assert gone() is None
assert gc.get_freeze_count() > 0
assert not any(thing is kept for thing in gc.get_objects())
"""


def test_freezing_collects_garbage_and_leaves_the_rest_out_of_collections():
    """It runs in a process of its own, since it collects the garbage of all tests before it otherwise."""
    done = subprocess.run([sys.executable, "-c", FREEZE], cwd=ROOT, capture_output=True, text=True)

    assert (done.returncode, done.stderr) == (0, "")
