"""The last wall: what nobody foresaw becomes a sentence, and a full entry in the log."""

import logging
import secrets
from collections.abc import Iterator
from contextlib import contextmanager

from stats_core.core.errors import FoldwiseError, InternalError

_LOG = logging.getLogger("foldwise")


@contextmanager
def error_boundary(doing: str) -> Iterator[None]:
    """Turn what is raised without purpose into one sentence with a reference.

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
        short = isinstance(error, MemoryError)
        raise InternalError(doing, reference, out_of_memory=short) from error
