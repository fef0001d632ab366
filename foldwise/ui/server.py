"""The server's process: libraries first, then Streamlit.

Streamlit looks for garbage after every run of a page. Set aside, the 190,000 objects of libraries,
which never are garbage, are passed over: they took half of a click. That must be done before there is
a session, since what is set aside stays.
"""

import gc
import sys

from streamlit.web import cli

from foldwise.places import place
from foldwise.ui import frame  # noqa: F401 - loads what pages need


def main(options: list[str]) -> None:
    """Run the app until it is stopped; `options` as for ``streamlit run``."""
    gc.collect()
    gc.freeze()
    cli.main(["run", str(place("app.py")), *options], prog_name="streamlit")


if __name__ == "__main__":
    main(sys.argv[1:])
