"""What a click costs the server: each page on each sample, left as it is and at another level.

``python -m benchmarks.clicks`` prints seconds of CPU, and each as a ratio to the rerun of a page that
only has a heading and a sidebar (Help), the least that Streamlit and the frame need. Pages named
after the command are measured alone.
"""

import sys
import time
from collections.abc import Callable, Iterator
from itertools import count
from pathlib import Path

from streamlit.runtime.pages_manager import PagesManager
from streamlit.testing.v1 import AppTest, app_test

ROOT = Path(__file__).parents[1]
PAGES = ("overview", "one_data_set", "pair", "multivariate", "curves", "many_data_sets")
PAGES += ("ordering", "export", "data")
SAMPLES = ("uci38_5x2.csv", "twoclass_counts.csv", "twoclass_scores.csv.gz")
WITHOUT_LEVEL = ("data", "curves")
UNCHANGED, CHANGED = 0.12, 0.25  # targets in seconds of CPU


def spent(work: Callable[[], object]) -> float:
    """Return the seconds of CPU that something takes."""
    start = time.process_time()
    work()
    return time.process_time() - start


def least(work: Callable[[], object], times: int = 3) -> float:
    """Return the least of a few."""
    return min(spent(work) for _ in range(times))


class _Warm(PagesManager):
    """What a server knows after its first run: `st.navigation` names the pages, not the folder."""

    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        PagesManager.uses_pages_directory = False


app_test.PagesManager = _Warm


def opened(sample: str, page: str) -> AppTest:
    """Return the app with a sample and a page open."""
    app = AppTest.from_file(str(ROOT / "app.py"), default_timeout=300)
    app.query_params["sample"] = sample
    app.run()
    app.switch_page(f"pages/{page}.py").run()
    if app.exception:
        raise RuntimeError(f"{sample}, {page}: {app.exception[0].message}")
    return app


def levels(app: AppTest) -> Iterator[None]:
    """Take levels that nobody asked for before, one after another."""
    app.segmented_control(key="alpha").set_value("other").run()
    for place in count(1):
        app.number_input(key="level").set_value(0.02 + 0.0007 * place).run()
        yield


def main(pages: tuple[str, ...]) -> None:
    """Print the table."""
    limit = least(opened(SAMPLES[0], "help").run)
    print(f"{'':46}{'unchanged':>10}{'ratio':>7}{'level':>8}{'ratio':>7}")
    for sample in SAMPLES:
        for page in pages or PAGES:
            app = opened(sample, page)
            same, other = least(app.run), float("nan")
            if page not in WITHOUT_LEVEL:
                steps = levels(app)
                next(steps)
                other = least(lambda steps=steps: next(steps), 2)
            missed = " *" if same > UNCHANGED or other > CHANGED else ""
            print(
                f"{sample:25}{page:21}{same:10.3f}{same / limit:7.1f}"
                f"{other:8.3f}{other / limit:7.1f}{missed}",
                flush=True,
            )
    print(f"* more than {UNCHANGED} s unchanged or {CHANGED} s at another level")


if __name__ == "__main__":
    main(tuple(sys.argv[1:]))
