"""The server process: imports the libraries first, then starts Streamlit.

Streamlit collects garbage after every run of a page. The 190,000 objects of libraries, which never
become garbage, took half the time of a click; `gc.freeze` excludes them. This must happen before
the first session, since frozen objects are not collected. The memory of ended sessions is released
regularly.
"""

import sys
import threading
from time import sleep

from streamlit.web import cli

from foldwise.paths import installed_path
from foldwise.web import layout  # noqa: F401 - imports the modules of all pages
from foldwise.web.background_calls import job_queue
from foldwise.web.job_queue import freeze_gc

REST = 60.0  # seconds without work after which a worker process is killed
EVERY = 15.0  # seconds between clean-ups


def main(options: list[str]) -> None:
    """Run the app until it is stopped; `options` as for ``streamlit run``."""
    freeze_gc()
    threading.Thread(target=_tidy, daemon=True).start()
    cli.main(["run", str(installed_path("app.py")), *options], prog_name="streamlit")


def _tidy() -> None:
    """Kill idle worker processes and release the memory of closed pages, periodically."""
    while True:
        sleep(EVERY)
        job_queue().close(REST)
        freeze_gc()


if __name__ == "__main__":
    main(sys.argv[1:])
