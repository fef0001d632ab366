"""Return of unused memory to the operating system."""

import ctypes
import gc
from collections.abc import Callable
from functools import cache


def release_memory() -> None:
    """Collect garbage and return free pages to the system, if the C library can (glibc)."""
    gc.collect()
    _trim()(0)


def freeze_gc() -> None:
    """Collect garbage, return free pages, and exclude the remaining objects from collections.

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
