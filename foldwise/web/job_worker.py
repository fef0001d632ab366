"""The process behind `desk`: reads calls from standard input, writes what came out."""

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

NICE = 5  # a click comes first where both want a core
SO_FAR, DONE = "so far", "done"  # what an answer begins with


def main(megabytes: int) -> None:
    """Answer calls until there are no more."""
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # what a library prints goes elsewhere
    _limit_memory(megabytes)
    if hasattr(os, "nice"):
        os.nice(NICE)

    def tell(*said: Any) -> None:
        pickle.dump(said, answers, protocol=5)
        answers.flush()

    while True:
        try:
            call = pickle.load(sys.stdin.buffer)  # from the server, our own
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
    """Tell whether a call can say how far it is."""
    try:
        return "progress" in signature(call).parameters
    except ValueError:  # some functions in C do not say what they take
        return False


def _limit_memory(megabytes: int) -> None:
    try:
        import resource
    except ImportError:  # Windows
        return
    resource.setrlimit(resource.RLIMIT_DATA, (megabytes * 1_000_000,) * 2)


if __name__ == "__main__":
    main(int(sys.argv[1]))
