"""The server's process: libraries first, then Streamlit.

Streamlit looks for garbage after every run of a page. Set aside, the 190,000 objects of libraries,
which never are garbage, are passed over: they took half of a click. That must be done before there is
a session, since what is set aside stays. Every minute what has ended goes back to the system.
"""

import sys
import threading
from time import sleep

from streamlit.web import cli

from foldwise.places import place
from foldwise.ui import frame  # noqa: F401 - loads what pages need
from foldwise.ui.heap import set_aside
from foldwise.ui.work import desk

REST = 60.0  # seconds without work after which a process ends
EVERY = 15.0  # seconds between two looks at what ended


def main(options: list[str]) -> None:
    """Run the app until it is stopped; `options` as for ``streamlit run``."""
    set_aside()
    threading.Thread(target=_tidy, daemon=True).start()
    cli.main(["run", str(place("app.py")), *options], prog_name="streamlit")


def _tidy() -> None:
    """Let go of what ended: processes without work, and pages that nothing is on."""
    while True:
        sleep(EVERY)
        desk().close(REST)
        set_aside()


if __name__ == "__main__":
    main(sys.argv[1:])
