"""The worker process of `job_queue`: reads calls from standard input and writes their results."""

import os
import pickle
import sys
from collections.abc import Callable
from functools import partial
from inspect import signature
from time import process_time
from typing import Any

from foldwise.web.memory_release import release_memory
from stats_core.comparison import analyse  # noqa: F401 - loaded before the first call
from stats_core.core.error_boundary import error_boundary
from stats_core.core.errors import FoldwiseError
from stats_core.io import read  # noqa: F401

NICE = 5  # low priority, so that page runs come first
SO_FAR, DONE = "so far", "done"  # first element of every message


def main(megabytes: int) -> None:
    """Run calls until standard input ends."""
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # output of libraries must not mix with the messages
    _limit_memory(megabytes)
    if hasattr(os, "nice"):
        os.nice(NICE)

    def tell(*message: Any) -> None:
        pickle.dump(message, answers, protocol=5)
        answers.flush()

    while True:
        try:
            call = pickle.load(sys.stdin.buffer)  # trusted: written by our own server
        except EOFError:
            return
        start = process_time()
        try:
            with error_boundary("This"):
                if _tells(call):
                    call = partial(call, progress=partial(tell, SO_FAR))
                outcome = pickle.dumps((True, call()), protocol=5)
        except FoldwiseError as error:
            outcome = pickle.dumps((False, error), protocol=5)
        tell(DONE, outcome, process_time() - start)
        del call, outcome
        release_memory()


def _tells(call: Callable) -> bool:
    """Return whether a call accepts a progress callback."""
    try:
        return "progress" in signature(call).parameters
    except ValueError:  # some C functions have no signature
        return False


def _limit_memory(megabytes: int) -> None:
    try:
        import resource
    except ImportError:  # Windows
        return
    resource.setrlimit(resource.RLIMIT_DATA, (megabytes * 1_000_000,) * 2)


if __name__ == "__main__":
    main(int(sys.argv[1]))
