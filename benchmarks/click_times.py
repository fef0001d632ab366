"""Server CPU time of a click on every page and tab, for samples and large tables.

``python -m benchmarks.click_times [table ...]`` prints for each seconds of CPU when it is opened,
left as it is, and at another level of significance, and the kilobytes that it sends at first.
"""

import sys
from collections.abc import Iterable, Iterator
from contextlib import suppress
from itertools import count
from math import isnan, nan
from operator import itemgetter
from pathlib import Path

import numpy as np
import pandas as pd
from streamlit.logger import set_log_level
from streamlit.runtime.pages_manager import PagesManager
from streamlit.testing.v1 import AppTest, app_test

from benchmarks.benchmark_row import Row
from benchmarks.benchmark_row import cpu as spent
from foldwise.web import cache

ROOT = Path(__file__).parents[1]
TABS = {  # page -> session key of its tabs, "" without tabs
    "overview": "",
    "one_data_set": "view",
    "pair": "more",
    "multivariate": "mtab",
    "curves": "ctab",
    "many_data_sets": "tab",
    "ordering": "otab",
    "lab": "ltab",
    "export": "etab",
    "data": "",
}
SAMPLES = ("uci38_5x2.csv", "twoclass_counts.csv", "twoclass_scores.csv.gz")
WITHOUT_LEVEL = ("data", "curves")
SMALL, LARGE = (0.12, 0.25), (0.5, 1.0)  # seconds of CPU: unchanged, at another level
MOST = 1_000  # kilobytes sent at first


def averages() -> bytes:
    """Return a CSV file of 121 data sets x 179 algorithms."""
    rng = np.random.default_rng(2014)
    values = rng.normal(size=(121, 179)) + np.linspace(-2, -1, 179) + rng.normal(size=(121, 1))
    table = pd.DataFrame(1 / (1 + np.exp(-values))).add_prefix("algorithm ")
    return table.rename_axis("dataset").to_csv(float_format="%.5f").encode()


def folds() -> bytes:
    """Return a CSV file of 112 data sets x 40 algorithms x 30 folds, two measures and a cost."""
    rng = np.random.default_rng(112)
    shape = (112, 40, 30)
    places = np.indices(shape).reshape(3, -1)
    skill = np.linspace(-0.3, 0.3, 40)[:, None]
    logit = rng.normal(-1.5, 0.7, (112, 1, 1)) + skill + rng.normal(0, 0.3, shape)
    error = 1 / (1 + np.exp(-logit))
    table = pd.DataFrame(
        {
            "dataset": [f"set{i}" for i in places[0]],
            "algorithm": [f"algorithm{i}" for i in places[1]],
            "fold": places[2] + 1,
            "error": error.ravel().round(5),
            "auc": (1 - error * rng.uniform(0.5, 1, shape)).ravel().round(5),
            "train_time": rng.gamma(2.0, np.geomspace(1, 50, 40)[:, None], shape).ravel().round(3),
        }
    )
    return table.to_csv(index=False).encode()


def many_measures() -> bytes:
    """Return a CSV file of 112 algorithms x 30 folds on one data set, two measures."""
    rng = np.random.default_rng(30)
    values = rng.beta(2, 20, (112, 30, 2)) + np.linspace(0, 0.2, 112)[:, None, None]
    places = np.indices((112, 30)).reshape(2, -1)
    table = pd.DataFrame({"algorithm": [f"a{i}" for i in places[0]], "fold": places[1] + 1})
    table["fpr"], table["tpr"] = values[..., 0].ravel(), 1 - values[..., 1].ravel()
    return table.round(5).to_csv(index=False).encode()


def predictions(folds: int = 10, cases: int = 100_000) -> bytes:
    """Return a CSV file of scores of 5 algorithms; 5 million if nothing else is asked for."""
    rng = np.random.default_rng(5)
    fold, case = (indices.ravel() for indices in np.indices((folds, cases)))
    label = (rng.random(len(fold)) < 0.3).astype(int)
    tables = [
        pd.DataFrame({"algorithm": name, "fold": fold, "instance": fold * cases + case})
        .assign(true=label)
        .assign(score=1 / (1 + np.exp(-rng.normal(gap * (2 * label - 1)))))
        for name, gap in zip("abcde", (0.6, 0.8, 1.0, 1.1, 1.2), strict=True)
    ]
    return pd.concat(tables).to_csv(index=False, float_format="%.5f").encode()


TABLES = {
    "179 x 121": ("averages_error.csv", averages),
    "40 x 112 x 30": ("folds.csv", folds),
    "112 x 30 folds": ("measures.csv", many_measures),
    "5 M predictions": ("scores.csv", predictions),
}
sent = [0]  # bytes sent in the last run


class _Warm(PagesManager):
    """Page manager in the state after the first run: pages are defined by `st.navigation`."""

    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        PagesManager.uses_pages_directory = False


class _Counting(app_test.LocalScriptRunner):
    """Script runner that counts the bytes sent."""

    def run(self, *args, **kwargs):
        tree = super().run(*args, **kwargs)
        sent[0] = sum(message.ByteSize() for message in self.forward_msgs())
        return tree


def opened(table: str) -> AppTest:
    """Return the app with a sample or a large table open."""
    set_log_level("ERROR")  # hide the warning that there is no browser
    app_test.PagesManager, app_test.LocalScriptRunner = _Warm, _Counting
    cache.HERE = float("inf")  # no worker processes, so that all CPU time is counted
    app = AppTest.from_file(str(ROOT / "app.py"), default_timeout=900)
    if table in SAMPLES:
        app.query_params["sample"] = table
        return app.run()
    name, make = TABLES[table]
    app.run()
    app.switch_page("pages/data.py").run()
    return app.file_uploader(key="uploader").set_value([(name, make(), "text/csv")]).run()


def levels(app: AppTest, start: list[int]) -> Iterator[None]:
    """Set significance levels that were not used before, one after another."""
    app.segmented_control(key="alpha").set_value("other").run()
    for number in count(start[0]):
        start[0] += 1
        app.number_input(key="level").set_value(0.02 + 0.0001 * number).run()
        yield


def views(app: AppTest, page: str) -> Iterator[tuple[str, float]]:
    """Open a page and each of its tabs; yield the tab and CPU seconds."""
    took = spent(app.switch_page(f"pages/{page}.py").run)
    key, labels = TABS[page], [tab.label for tab in app.tabs]
    yield (labels[0] if key and labels else ""), took
    if not key or key not in app.session_state:
        return
    for label in labels[1:]:
        app.session_state[key] = label
        yield label, spent(app.run)
    app.session_state[key] = labels[0]


def every(table: str) -> Iterator[tuple[str, float, float, float, float]]:
    """Yield page and tab, seconds at first, unchanged and at another level, and kilobytes."""
    app, counter = opened(table), [1]
    for page in TABS:
        for tab, first in views(app, page):
            if app.exception:
                raise RuntimeError(f"{table}, {page}, {tab}: {app.exception[0].message}")
            kilobytes, same, at_other_level = sent[0] / 1000, spent(app.run, 2), nan
            if page not in WITHOUT_LEVEL:
                with suppress(KeyError):  # the page has no significance level for these results
                    steps = levels(app, counter)
                    next(steps)
                    at_other_level = min(spent(lambda steps=steps: next(steps)) for _ in range(2))
            yield f"{page} {tab}".strip(), first, same, at_other_level, kilobytes


def rows(tables: Iterable[str]) -> Iterator[Row]:
    """Yield the slowest and the largest page or tab of each table."""
    for table in tables:
        same_most, level_most = SMALL if table in SAMPLES else LARGE
        measurements = list(every(table))
        for position, label, most, unit in (
            (2, "unchanged", same_most, "s"),
            (3, "another level", level_most, "s"),
            (4, "sent", MOST, "kB"),
        ):
            finite = [entry for entry in measurements if not isnan(entry[position])]
            worst = max(finite, key=itemgetter(position))
            yield Row(f"{table}, {label}: {worst[0]}"[:50], worst[position], most, unit=unit)


def main(asked: list[str]) -> None:
    """Print the times of every page and tab."""
    print(f"{'':58}{'opened':>8}{'same':>8}{'level':>8}{'kB':>7}")
    for table in asked or (*SAMPLES, *TABLES):
        limits = SMALL if table in SAMPLES else LARGE
        for view, first, same, at_other_level, sent_first in every(table):
            missed = same > limits[0] or at_other_level > limits[1] or sent_first > MOST
            print(
                f"{table:25}{view:33}{first:8.2f}{same:8.3f}{at_other_level:8.3f}{sent_first:7.0f}{' *' * missed}",
                flush=True,
            )


if __name__ == "__main__":
    main(sys.argv[1:])
