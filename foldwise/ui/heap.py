"""What nobody needs any more goes back to the system, which otherwise sees the most there ever was."""

import ctypes
import gc
from collections.abc import Callable
from functools import cache


def give_back() -> None:
    """Collect garbage, and give free pages back where the C library can (glibc)."""
    gc.collect()
    _trim()(0)


@cache
def _trim() -> Callable[[int], int]:
    try:
        return ctypes.CDLL(None).malloc_trim
    except (AttributeError, OSError, TypeError):  # another C library, or Windows
        return lambda kept: 0
