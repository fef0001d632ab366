"""The process behind `desk`: reads calls from standard input, writes what came out."""

import os
import pickle
import sys

from stats_core.comparison import analyse  # noqa: F401 - loaded before the first call
from stats_core.core.errors import FoldwiseError
from stats_core.core.wall import wall
from stats_core.reading import reading  # noqa: F401


def main(megabytes: int) -> None:
    """Answer calls until there are no more."""
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # what a library prints goes elsewhere
    _limit_memory(megabytes)
    while True:
        try:
            function, arguments = pickle.load(sys.stdin.buffer)  # from the server, our own
        except EOFError:
            return
        try:
            with wall("This"):
                outcome = pickle.dumps((True, function(*arguments)), protocol=5)
        except FoldwiseError as error:
            outcome = pickle.dumps((False, error), protocol=5)
        answers.write(outcome)
        answers.flush()
        del function, arguments, outcome


def _limit_memory(megabytes: int) -> None:
    try:
        import resource
    except ImportError:  # Windows
        return
    resource.setrlimit(resource.RLIMIT_DATA, (megabytes * 1_000_000,) * 2)


if __name__ == "__main__":
    main(int(sys.argv[1]))
