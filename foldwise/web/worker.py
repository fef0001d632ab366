"""Start of a worker process, which ends with its server even before it has loaded the library."""

import gc
import os
import select
import sys
from contextlib import suppress

from foldwise.web.parent_process import end_with_parent


def _end_if_server_is_gone() -> None:
    """End this process if the other end of standard input is closed."""
    with suppress(AttributeError):  # Windows
        (hang_up := select.poll()).register(sys.stdin, 0)
        if hang_up.poll(0):
            os._exit(0)


def load_library() -> None:
    """Import what most calls need."""
    from stats_core.comparison import analyse  # noqa: F401 - imported early, so that no computation waits for it
    from stats_core.io import read  # noqa: F401 - as above


def load_readers() -> None:
    """Import and warm what reading needs, so that no forked process has to."""
    from stats_core.io import read
    from stats_core.report import varied_verdicts  # noqa: F401 - previews compare what they read

    with suppress(ImportError):
        import pyarrow.feather
        import pyarrow.parquet  # noqa: F401 - as above
    read.read_results(("first.csv", b"dataset,algorithm,accuracy\na,x,0.5\na,y,0.4\n"))
    gc.freeze()


if __name__ == "__main__":
    gc.disable()  # collections take a fifth of loading the libraries
    end_with_parent()
    _end_if_server_is_gone()
    from foldwise.web import job_queue

    is_reader = sys.argv[3:] == ["reads"]
    (load_readers if is_reader else load_library)()
    gc.enable()
    job_queue.work(*map(int, sys.argv[1:3]), reads=is_reader)
