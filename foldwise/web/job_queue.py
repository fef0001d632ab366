"""Job queue: calls in worker processes with progress, limits and cancellation."""

import ctypes
import errno
import gc
import logging
import mmap
import os
import pickle
import queue
import re
import select
import signal
import subprocess
import sys
import threading
import traceback
import weakref
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, fields
from functools import cache, partial
from inspect import signature
from io import BytesIO
from pathlib import Path
from time import monotonic, process_time
from typing import IO, Any

from foldwise.web.parent_process import end_with_parent
from foldwise.web.texts import page_text
from stats_core.core.errors import FoldwiseError, SettingError, error_boundary
from stats_core.data.results import Results


def release_memory() -> None:
    """Collect garbage and return free memory to the operating system (glibc)."""
    gc.collect()
    _trim()(0)


def freeze_gc() -> None:
    """Collect garbage, return free memory, and exclude the remaining objects from later collections.

    Streamlit collects garbage after every run of a page: without this, each click would traverse
    the cached objects of all sessions.
    """
    gc.unfreeze()
    release_memory()
    gc.freeze()


@cache
def _trim() -> Callable[[int], int]:
    try:
        return ctypes.CDLL(None).malloc_trim
    except (AttributeError, OSError, TypeError):  # another C library, or Windows
        return lambda pad: 0


VARIABLE = "FOLDWISE_WORK"
CANCELLED = page_text("job_queue.cancelled")
WORKER = ("-m", "foldwise.web.worker")  # arguments of Python
_TRIES = 20  # attempts to pickle a call whose objects other sessions modify
LONG = 5.0  # seconds; longer jobs leave one worker to short ones
_NICE = 5  # low priority of workers, so that page runs come first
_LOG = logging.getLogger("foldwise")
_SECRET = re.compile("secret|token|passw|credential|_key", re.IGNORECASE)  # names of variables
# first element of every message of a worker
_SO_FAR, _DONE, _ENDED = "so far", "done", "ended"
_SERVER_GONE = errno.EPIPE  # exit code of a worker
_OUT_OF_TIME = getattr(signal, "SIGXCPU", None)  # signal at the limit of CPU time


class JobCancelled(FoldwiseError):
    """Raised when a job is cancelled or exceeds its limits."""


@dataclass(frozen=True, kw_only=True)
class JobLimits:
    """Limits of a single job in seconds and megabytes, and number of jobs at once."""

    seconds: int = 300
    megabytes: int = 4_000
    at_once: int = max(2, (os.cpu_count() or 2) - 1)


def limits() -> JobLimits:
    """Return the job limits, from the environment variable if set; raise SettingError for an invalid entry."""
    names = {field.name for field in fields(JobLimits)}
    values: dict[str, int] = {}
    for text in os.environ.get(VARIABLE, "").split():
        name, _, value = text.partition("=")
        if name not in names or not value.isdigit() or int(value) < 1:
            raise SettingError(
                page_text("job_queue.variable", variable=VARIABLE, entry=text, names=sorted(names))
            )
        values[name] = int(value)
    return JobLimits(**values)


class Reading(partial):
    """A call on bytes of a visitor, which runs in a process without bytes of other visitors."""


class ReaderEnded(Exception):
    """Raised when the process that reads an upload has ended without an answer; its worker goes on."""

    def __init__(self, code: int) -> None:
        super().__init__(code)
        self.code = code


class Worker:
    """Worker process that runs one call at a time, with the library already imported.

    With `reads`, each call runs in a process of its own, since a fault in a parser could write
    memory of the process into the answer, and with it bytes of an earlier visitor. The worker forks
    that process and never has the call itself.
    """

    def __init__(self, job_limits: JobLimits, *, reads: bool = False) -> None:
        self.reads, self.is_reusable = reads, not reads or hasattr(os, "fork")
        sizes = [str(job_limits.megabytes), str(job_limits.seconds)]
        command = [sys.executable, *WORKER, *sizes, *(["reads"] if reads else [])]
        self._process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env=_environment_of_readers() if reads else None,
        )
        self.kill = weakref.finalize(
            self, _end, self._process
        )  # also after garbage collection of the worker

    def make(self, call: Callable, tell: Callable) -> tuple[bool, Any, float]:
        """Run a call and pass its progress to `tell`; return (succeeded, value or error, seconds).

        Raises EOFError, OSError or UnpicklingError if the process is killed, and ReaderEnded if only
        the process that reads an upload is.
        """
        self._oom_kills = _oom_kills()
        requests, answers = self._process.stdin, self._process.stdout
        assert requests is not None
        assert answers is not None
        requests.write(_pickled(call))
        requests.flush()
        while True:
            kind, *message = pickle.load(answers)  # trusted: written by our own process
            if kind == _ENDED:
                raise ReaderEnded(*message)
            if kind == _DONE:
                outcome, seconds = message
                return *_AnswerReader(BytesIO(outcome), call).load(), seconds
            tell(*message)

    def is_alive(self) -> bool:
        """Return whether the process runs."""
        return self._process.poll() is None

    def why_ended(self, code: int | None = None) -> str:
        """Return the key of the text on why the process ended during a call, and log it.

        `code` is the exit code of a process that read an upload, None if the worker itself ended.
        """
        if code is None:
            with suppress(subprocess.TimeoutExpired):  # it has closed its pipes, so it ends now
                self._process.wait(10)
            code = self._process.returncode
        before, after = self._oom_kills, _oom_kills()
        if code == errno.ENOMEM:
            why = "too_large"
        elif _OUT_OF_TIME is not None and code == -_OUT_OF_TIME:
            why = "too_long"
        elif code in (-signal.SIGTERM, -signal.SIGINT):
            why = "stopped"
        elif code == -9:  # SIGKILL, which Windows lacks
            why = (
                "killed"
                if None in (before, after)
                else "out_of_memory"
                if before != after
                else "stopped"
            )
        else:
            why = "crashed"
        _LOG.warning("%s", page_text("job_queue.log", pid=self._process.pid, code=code, why=why))
        return why


def _oom_kills() -> int | None:
    """Return how many processes Linux has killed for lack of memory since it started, None if unknown."""
    with suppress(OSError, StopIteration):
        lines = Path("/proc/vmstat").read_text(encoding="ascii").splitlines()
        return next(int(line.split()[1]) for line in lines if line.startswith("oom_kill "))
    return None


def _environment_of_readers() -> dict[str, str]:
    """Return the environment without secrets, for one thread: others do not survive a fork."""
    plain = {name: value for name, value in os.environ.items() if not _SECRET.search(name)}
    return plain | dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"), "1")


def _end(process: subprocess.Popen) -> None:
    """Kill a process and close its pipes."""
    process.kill()
    process.wait()
    for pipe in (process.stdin, process.stdout):
        with suppress(OSError):  # unsent data may be lost
            pipe.close()  # type: ignore[union-attr] # workers have both pipes


class Job:
    """One call in a worker process, created by `JobQueue.submit`.

    Attributes
    ----------
    long : bool
        Whether it is expected to take so long that others must not wait for it.
    so_far : tuple of (int, int) or None
        Units of work done, and in total; None if the call does not report progress.
    seconds : float
        CPU time used, 0 until it is done.
    done : Event
        Event that is set when the job ends.
    slots : set of (int, str)
        The sessions that wait for it, each with the place.
    keepers : dict of callables
        Called with the result as soon as there is one, even if their sessions wait no longer.
    """

    def __init__(self, call: Callable, job_limits: JobLimits, *, long: bool) -> None:
        self._call, self._limits, self.long = call, job_limits, long
        self.reads = isinstance(call, Reading)
        self.keepers: dict[int, Callable[[Any], object]] = {}
        self.so_far: tuple[int, int] | None = None
        self.seconds = 0.0
        self._worker: Worker | None = None
        self._outcome: tuple[bool, Any] | None = None
        self.done = threading.Event()
        self.slots: set[tuple[int, str]] = set()
        self._lock = threading.Lock()

    def work(self, worker: Worker) -> bool:
        """Run the call on a worker within the limits; return whether the worker is reusable."""
        with self._lock:
            if self.done.is_set():
                return True
            self._worker = worker
        late = threading.Timer(self._limits.seconds, self.fail, [self._ended("too_long")])
        late.start()
        try:
            answered, value, self.seconds = worker.make(self._call, self._tell)
            if answered and not self.done.is_set():
                for keep in list(self.keepers.values()):
                    keep(value)
            return self._end(answered, value)
        except ReaderEnded as end:
            return self.done.is_set() or self._end(False, self._ended(worker.why_ended(end.code)))
        except (EOFError, OSError, pickle.UnpicklingError):  # the process has ended
            if not self.done.is_set():
                self.fail(self._ended(worker.why_ended()))
            return False
        finally:
            late.cancel()

    def _ended(self, why: str) -> JobCancelled:
        """Return the error of a job whose process has ended."""
        of_file = "reading_" if self.reads else ""
        values = {"megabytes": self._limits.megabytes, "seconds": self._limits.seconds}
        return JobCancelled(page_text(f"job_queue.{of_file}{why}", **values))

    def cancel(self) -> None:
        """Cancel the job, running or queued."""
        self.fail(JobCancelled(CANCELLED))

    def leave(self, session: int, slot: str = "") -> None:
        """Let a session, or one place in it, wait no longer; cancel the job if no other waits."""
        self.slots -= {
            (waits, at) for waits, at in self.slots if waits == session and slot in ("", at)
        }
        if not self.slots:
            self.cancel()

    def fail(self, why: Exception) -> None:
        """Set an exception as the outcome and kill the process, unless the job has finished."""
        if self._end(False, why) and self._worker is not None:
            self._worker.kill()

    def result(self) -> Any:
        """Return the result or raise the exception of a finished job."""
        assert self._outcome is not None
        answered, value = self._outcome
        if answered:
            return value
        raise value

    def _tell(self, n_done: int, total: int) -> None:
        self.so_far = n_done, total

    def _end(self, answered: bool, value: Any) -> bool:
        """Set the outcome unless the job has finished; return whether it was set."""
        with self._lock:
            if self.done.is_set():
                return False
            self._outcome = answered, value
            self.done.set()
            return True


class JobQueue:
    """Queue with a limited number of concurrent jobs; first in, first out, but short jobs may overtake long ones."""

    def __init__(self, fixed_limits: JobLimits | None = None) -> None:
        self._fixed_limits = fixed_limits
        self._queue: list[Job] = []
        self._idle: list[tuple[Worker, float]] = []  # with the time since when each is idle
        self._running: list[Job] = []
        # Linux kills workers when the thread that started them ends, so this thread lasts
        self._starter = ThreadPoolExecutor(1)
        self._keeps_reader = False
        self._lock = threading.Lock()

    @property
    def _limits(self) -> JobLimits:
        return self._fixed_limits or limits()

    def submit(self, call: Callable[[], Any], cost: float = 0.0) -> Job:
        """Add a picklable call that takes about `cost` seconds to the queue; return its job."""
        job = Job(call, self._limits, long=cost > LONG)
        with self._lock:
            self._queue.append(job)
        self._next()
        return job

    def position_of(self, job: Job) -> int:
        """Return the job's position in the queue, from 1; 0 if it does not wait."""
        with self._lock:
            return self._queue.index(job) + 1 if job in self._queue else 0

    def _next(self) -> None:
        with self._lock:
            self._queue = [job for job in self._queue if not job.done.is_set()]
            begun = [job for job in list(self._queue) if self._begins(job)]
        for job in begun:
            threading.Thread(target=self._run, args=(job,), daemon=True).start()

    def _begins(self, job: Job) -> bool:
        """Start a job if a worker is free, the last one for short jobs only; return whether it was started."""
        most = self._limits.at_once
        long = sum(other.long for other in self._running)
        if len(self._running) >= most or (job.long and long >= max(1, most - 1)):
            return False
        self._queue.remove(job)
        self._running.append(job)
        return True

    def _run(self, job: Job) -> None:
        """Run a job on an idle or a new worker, then start the next jobs."""
        worker, reusable = None, False
        try:
            worker = self._idle_worker(reads=job.reads)
            worker = worker or self._starter.submit(self._new_worker, reads=job.reads).result()
            reusable = job.work(worker) and worker.is_reusable
        except Exception as error:  # reported by the page that waits for the job
            job.fail(error)
        finally:
            with self._lock:
                self._running.remove(job)
                if worker is not None and reusable:
                    self._idle.append((worker, monotonic()))
            if worker is not None and not reusable:
                worker.kill()
                if worker.reads and self._keeps_reader:
                    self.keep_reader()
            self._next()

    def _new_worker(self, *, reads: bool) -> Worker:
        return Worker(self._limits, reads=reads)

    def _idle_worker(self, *, reads: bool) -> Worker | None:
        """Take the idle worker of a kind that was used last, None if there is none."""
        with self._lock:
            self._idle = [entry for entry in self._idle if entry[0].is_alive()]
            fit = [entry for entry in self._idle if entry[0].reads == reads]
            if not fit:
                return None
            self._idle.remove(fit[-1])
            return fit[-1][0]

    def keep_reader(self) -> None:
        """Keep a worker ready that reads uploads, so that no visitor waits for its start."""
        self._keeps_reader = True
        self._starter.submit(self._add_reader)

    def _add_reader(self) -> None:
        with self._lock:
            missing = not any(worker.reads for worker, _ in self._idle)
        if missing:
            worker = self._new_worker(reads=True)
            with self._lock:
                self._idle.append((worker, monotonic()))

    def close(self, rested: float = 0.0) -> None:
        """Kill the workers idle for at least `rested` seconds, but for one kept to read uploads."""
        with self._lock:
            since = monotonic() - rested
            readers = [entry for entry in self._idle if entry[0].reads and self._keeps_reader]
            ended = [
                entry for entry in self._idle if entry[1] <= since and entry not in readers[-1:]
            ]
            self._idle = [entry for entry in self._idle if entry not in ended]
        for worker, _ in ended:
            worker.kill()


@cache
def shared_queue() -> JobQueue:
    """Return the job queue of the server process."""
    return JobQueue()


def _pickled(call: Callable) -> bytes:
    """Return a pickled call, retrying if other sessions modify its objects meanwhile."""
    for _ in range(_TRIES):
        with suppress(RuntimeError):  # a dictionary was modified during pickling
            return pickle.dumps(call, protocol=5)
    return pickle.dumps(call, protocol=5)


def _results_of(call: Callable) -> Results | None:
    """Return the results that a call is about; None if it has none."""
    subjects = (getattr(argument, "results", argument) for argument in getattr(call, "args", ()))
    return next((each for each in subjects if isinstance(each, Results)), None)


class _AnswerWriter(pickle.Pickler):
    """Pickler of an answer, with a reference in place of the results that the call is about."""

    def __init__(self, file: BytesIO, call: Callable) -> None:
        super().__init__(file, protocol=5)
        self._results = _results_of(call)

    def persistent_id(self, thing: Any) -> str | None:
        """Return the reference to the results, None for other objects."""
        return "results" if thing is self._results and thing is not None else None


class _AnswerReader(pickle.Unpickler):
    """Reader of an answer, whose references become the results of the call."""

    def __init__(self, file: BytesIO, call: Callable) -> None:
        super().__init__(file)
        self._results = _results_of(call)

    def persistent_load(self, reference: Any) -> Results | None:
        """Return the results that the call is about."""
        return self._results


def work(megabytes: int, seconds: int, *, reads: bool) -> None:
    """Run calls from standard input until it closes: main function of a worker process."""
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # output of libraries must not mix with the messages
    limit_memory(megabytes)
    _write_no_core_files()

    def tell(*message: Any) -> None:
        pickle.dump(message, answers, protocol=5)
        answers.flush()

    if reads and hasattr(os, "fork"):
        _fork_for_each_call(answers, seconds)
    _give_way()
    _work_in_this_process(tell)


def _work_in_this_process(tell: Callable) -> None:
    """Run calls from standard input, one after the other."""
    calls: queue.SimpleQueue[Callable] = queue.SimpleQueue()
    threading.Thread(target=_listen, args=(calls,), daemon=True).start()
    while True:
        call = calls.get()
        start = process_time()
        outcome = _pickled_outcome(call, tell)
        tell(_DONE, outcome, process_time() - start)
        del call, outcome
        release_memory()


def _fork_for_each_call(answers: IO[bytes], seconds: int) -> None:
    """Run each call from standard input in a child process, and tell the server how it ended if it failed.

    If the child ended in the middle of a message, this process ends in the same way, since nothing
    can read on behind it.
    """
    worker, is_within = os.getpid(), mmap.mmap(-1, 1)  # a message; shared with the child

    def tell(*message: Any) -> None:
        is_within[0] = 1
        pickle.dump(message, answers, protocol=5)
        answers.flush()
        is_within[0] = 0

    def load_call() -> Callable:
        call = pickle.load(sys.stdin.buffer)  # trusted: written by our own server
        is_within[0] = 0
        return call

    (requests := select.poll()).register(0, select.POLLIN)
    while True:
        requests.poll()
        is_within[0] = 1
        child = os.fork()
        if not child:
            end_with_parent()
            if os.getppid() == worker:
                _answer_one_call(load_call, tell, seconds)
            os._exit(0)
        code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        if code and is_within[0]:
            _end_with_code(code)
        if code:
            tell(_ENDED, code)


def _answer_one_call(load_call: Callable, tell: Callable, seconds: int) -> None:
    """Run the call at standard input within a limit of CPU time, and end this process."""
    with suppress(ImportError):
        import resource

        resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds + 1))
    _give_way()
    start = process_time()
    code = _SERVER_GONE
    try:
        call = load_call()
        threading.Thread(target=_end_when_server_is_gone, daemon=True).start()
        tell(_DONE, _pickled_outcome(call, tell), process_time() - start)
        code = 0
    except MemoryError:
        code = errno.ENOMEM
    except EOFError:
        pass
    except Exception:
        traceback.print_exc()
        code = 1
    os._exit(code)


def _give_way() -> None:
    """Lower the priority of this process, so that page runs come first."""
    if hasattr(os, "nice"):
        os.nice(_NICE)


def _end_when_server_is_gone() -> None:
    """End this process when standard input closes, which Linux does at once by a signal."""
    (hang_up := select.poll()).register(0, 0)
    hang_up.poll()
    os._exit(0)


def _end_with_code(code: int) -> None:
    """End this process as a child has ended: with its exit code or by its signal."""
    if code < 0:
        with suppress(OSError):  # SIGKILL cannot be handled
            signal.signal(-code, signal.SIG_DFL)
        os.kill(os.getpid(), -code)
    os._exit(code)


def _listen(calls: queue.SimpleQueue[Callable]) -> None:
    """Put calls from standard input into a queue; end the process, even during a call, when the server is gone."""
    code = 0
    try:
        while True:
            calls.put(pickle.load(sys.stdin.buffer))  # trusted: written by our own server
    except MemoryError:
        code = errno.ENOMEM
    except EOFError:
        pass
    except Exception:
        traceback.print_exc()
        code = 1
    os._exit(code)


def _pickled_outcome(call: Callable, tell: Callable) -> bytes:
    """Return the pickled outcome of a call: whether it succeeded, and its value or error."""
    try:
        with error_boundary("This"):
            writer = _AnswerWriter(answer := BytesIO(), call)
            if _tells(call):
                call = partial(call, progress=partial(tell, _SO_FAR))
            writer.dump((True, call()))
            return answer.getvalue()
    except FoldwiseError as error:
        return pickle.dumps((False, error), protocol=5)


def _tells(call: Callable) -> bool:
    """Return whether a function accepts a progress callback."""
    try:
        return "progress" in signature(call).parameters
    except ValueError:  # some C functions have no signature
        return False


def _write_no_core_files() -> None:
    """Let a crash leave no file with memory of this process behind."""
    with suppress(ImportError):  # Windows
        import resource

        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def limit_memory(megabytes: int) -> None:
    """Let allocations of this process beyond a limit raise a `MemoryError`; processes that it starts can set their own."""
    try:
        import resource
    except ImportError:  # Windows
        return
    _, most = resource.getrlimit(resource.RLIMIT_DATA)
    resource.setrlimit(resource.RLIMIT_DATA, (megabytes * 1_000_000, most))
