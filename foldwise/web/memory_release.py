"""What nobody needs any more goes back to the system, which otherwise sees the most there ever was."""

import ctypes
import gc
from collections.abc import Callable
from functools import cache


def release_memory() -> None:
    """Collect garbage, and give free pages back where the C library can (glibc)."""
    gc.collect()
    _trim()(0)


def freeze_gc() -> None:
    """Collect all garbage, give pages back, and spare what is left until the next time.

    Streamlit collects after every run of a page: without this each click would search everything
    that is kept of all sessions.
    """
    gc.unfreeze()
    release_memory()
    gc.freeze()


@cache
def _trim() -> Callable[[int], int]:
    try:
        return ctypes.CDLL(None).malloc_trim
    except (AttributeError, OSError, TypeError):  # another C library, or Windows
        return lambda kept: 0
