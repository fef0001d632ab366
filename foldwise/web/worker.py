"""Start of a worker process, which ends with its server even before it has loaded the library."""

import ctypes
import os
import select
import signal
import sys
from contextlib import suppress

_PR_SET_PDEATHSIG = 1  # option of prctl (Linux)


def end_with_parent() -> None:
    """Let Linux kill this process when the thread that started it ends; elsewhere, do nothing."""
    with suppress(AttributeError, OSError, TypeError):
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)


def _end_if_server_is_gone() -> None:
    """End this process if the other end of standard input is closed."""
    with suppress(AttributeError):  # Windows
        (hang_up := select.poll()).register(sys.stdin, 0)
        if hang_up.poll(0):
            os._exit(0)


if __name__ == "__main__":
    end_with_parent()
    _end_if_server_is_gone()
    from foldwise.web import job_queue

    job_queue.load_library()
    job_queue.work(*map(int, sys.argv[1:3]), reads=sys.argv[3:] == ["reads"])
