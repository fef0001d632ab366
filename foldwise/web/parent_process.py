"""The end of a process with its parent."""

import ctypes
import signal
from contextlib import suppress

_PR_SET_PDEATHSIG = 1  # option of prctl (Linux)


def end_with_parent() -> None:
    """Let Linux kill this process when the thread that started it ends; elsewhere, do nothing."""
    with suppress(AttributeError, OSError, TypeError):
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
