"""The server's process: libraries first, then Streamlit.

Streamlit looks for garbage after every run of a page. Set aside, the 190,000 objects of libraries,
which never are garbage, are passed over: they took half of a click. That must be done before there is
a session, since what is set aside stays. Every minute what has ended goes back to the system.
"""

import sys
import threading
from time import sleep

from streamlit.web import cli

from foldwise.paths import installed_path
from foldwise.web import layout  # noqa: F401 - loads what pages need
from foldwise.web.background_calls import job_queue
from foldwise.web.memory_release import freeze_gc

REST = 60.0  # seconds without work after which a process ends
EVERY = 15.0  # seconds between two looks at what ended


def main(options: list[str]) -> None:
    """Run the app until it is stopped; `options` as for ``streamlit run``."""
    freeze_gc()
    threading.Thread(target=_tidy, daemon=True).start()
    cli.main(["run", str(installed_path("app.py")), *options], prog_name="streamlit")


def _tidy() -> None:
    """Let go of what ended: processes without work, and pages that nothing is on."""
    while True:
        sleep(EVERY)
        job_queue().close(REST)
        freeze_gc()


if __name__ == "__main__":
    main(sys.argv[1:])
