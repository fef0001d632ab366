"""Conversion of unexpected exceptions into an error with a log reference."""

import logging
import secrets
from collections.abc import Iterator
from contextlib import contextmanager

from stats_core.core.errors import FoldwiseError, InternalError

_LOG = logging.getLogger("foldwise")


@contextmanager
def error_boundary(doing: str) -> Iterator[None]:
    """Convert unexpected exceptions into an `InternalError` with a log reference.

    Examples
    --------
    >>> logging.getLogger("foldwise").addHandler(logging.NullHandler())
    >>> with error_boundary("Adding"):
    ...     1 + 1
    2
    """
    try:
        yield
    except FoldwiseError:
        raise
    except Exception as error:
        reference = secrets.token_hex(4)
        _LOG.exception("%s failed, reference %s", doing, reference)
        is_memory_error = isinstance(error, MemoryError)
        raise InternalError(doing, reference, out_of_memory=is_memory_error) from error
