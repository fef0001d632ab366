"""Speed of the app: CPU time of a click on every page and tab, and waiting times of many users.

``python -m benchmarks.app_speed clicks [table ...]`` prints for each page and tab of samples and
large tables the CPU seconds of opening it, of a rerun without a change, of another significance
level and of another pair, and the kilobytes sent on opening.

``python -m benchmarks.app_speed ratios FOLDER [table ...]`` measures the first three (by default on
the samples only) here and in another checkout of the repository at the same time, and prints both
values, their ratios (this checkout to the other), and the median ratios.

``python -m benchmarks.app_speed users [--users 50] [--seconds 60] [--after 60] [--pause 3] [--busy
60] [--processes 1]`` starts a server and connects users without a browser; with ``--addresses URL
...`` they share servers that run already. Each user opens a sample and clicks: another page, tab or
pair, sometimes another significance level, with pauses to read. There are four phases: a single
user (at most a minute), all users while figures are drawn at first, all users again, and all users
while one more repeatedly uploads a file of about 10 MB and requests long computations: stability,
all measures together, an order. The output has in each phase the times of clicks (p50 and p95, also
as ratios to the single user), errors and CPU seconds per run of a page, and the memory of the
server and its processes at the start, at its peak, and some time after all users have left.
"""

import argparse
import os
import random
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, nullcontext, suppress
from functools import cache as cache_once
from functools import partial
from itertools import count, product
from math import inf, isnan, nan
from operator import itemgetter
from pathlib import Path
from statistics import quantiles

import numpy as np
import pandas as pd
from streamlit.logger import set_log_level
from streamlit.runtime.pages_manager import PagesManager
from streamlit.testing.v1 import AppTest, app_test
from websockets.exceptions import WebSocketException

from benchmarks.benchmark_row import Row
from benchmarks.benchmark_row import cpu as spent
from foldwise.figures.registry import drawings
from foldwise.figures.theme import screen
from foldwise.web import cache
from stats_core import Settings, analyse
from stats_core.core.errors import FoldwiseError
from stats_core.io.read import read_results
from tests.websocket_clients import served, visitor

ROOT = Path(__file__).parents[1]
TABS = {  # page -> session key of its tabs, "" without tabs
    "results": "tab",
    "compare": "",
    "explore": "look",
    "tradeoffs": "",
    "plan": "ltab",
    "export": "etab",
    "data": "",
}
SAMPLES = ("uci38_5x2.csv", "twoclass_counts.csv", "twoclass_scores.csv.gz")
WITHOUT_LEVEL = ("data",)
SMALL, LARGE = (0.12, 0.25), (0.5, 1.0)  # seconds of CPU: unchanged, at another level
MOST = 1_000  # kilobytes sent at first
DRAWING = 0.3  # seconds of CPU per figure


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


def predictions() -> bytes:
    """Return a CSV file of scores of 5 algorithms, 5 million rows."""
    rng = np.random.default_rng(5)
    fold, case = (indices.ravel() for indices in np.indices((10, 100_000)))
    label = (rng.random(len(fold)) < 0.3).astype(int)
    tables = [
        pd.DataFrame({"algorithm": name, "fold": fold, "instance": fold * 100_000 + case})
        .assign(true=label)
        .assign(score=1 / (1 + np.exp(-rng.normal(shift * (2 * label - 1)))))
        for name, shift in zip("abcde", (0.6, 0.8, 1.0, 1.1, 1.2), strict=True)
    ]
    return pd.concat(tables).to_csv(index=False, float_format="%.5f").encode()


def items(algorithms: int = 5) -> bytes:
    """Return a CSV file of 10^6 items, right or wrong by each of some models."""
    chance = np.linspace(0.5, 0.8, algorithms)
    right = (np.random.default_rng(6).random((1_000_000, algorithms)) < chance).astype(int)
    return pd.DataFrame(right).add_prefix("model ").rename_axis("item").to_csv().encode()


def many_rows(key: str, rows: int, algorithms: int) -> bytes:
    """Return a CSV file of errors, algorithm by algorithm, on many data sets or folds."""
    rng = np.random.default_rng(7)
    values = rng.beta(2, 20, (algorithms, rows)) + np.linspace(0, 0.2, algorithms)[:, None]
    places = np.indices(values.shape).reshape(2, -1)
    table = pd.DataFrame(
        {"algorithm": [f"a{i}" for i in places[0]], key: [f"{key}{i}" for i in places[1]]}
    )
    return table.assign(error=values.ravel().round(5)).to_csv(index=False).encode()


TABLES = {
    "179 x 121": ("averages_error.csv", averages),
    "40 x 112 x 30": ("folds.csv", folds),
    "112 x 30 folds": ("measures.csv", many_measures),
    "5 M predictions": ("scores.csv", predictions),
    "10^6 items x 5": ("items.csv", items),
    "2,000 x 50": ("error.csv", partial(many_rows, "dataset", 2_000, 50)),
    "20,000 folds x 20": ("folds.csv", partial(many_rows, "fold", 20_000, 20)),
    "10^5 folds x 2": ("folds.csv", partial(many_rows, "fold", 100_000, 2)),
}
sent = [0]  # bytes sent in the last run


class _Warm(PagesManager):
    """Page manager in the state after the first run, with pages defined by `st.navigation`."""

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
    """Return the app under test with a sample or a large table open."""
    set_log_level("ERROR")  # hide the warning that there is no browser
    app_test.PagesManager, app_test.LocalScriptRunner = _Warm, _Counting
    cache.HERE = float("inf")  # no worker processes, so that all CPU time is counted
    app = AppTest.from_file(str(ROOT / "app.py"), default_timeout=900)
    if table not in TABLES:
        app.query_params["sample"] = table
        return app.run()
    name, make = TABLES[table]
    app.run()
    app.switch_page("pages/data.py").run()
    return app.file_uploader(key="uploader").set_value([(name, make(), "text/csv")]).run()


def levels(app: AppTest, start: list[int]) -> Iterator[None]:
    """Set one unused significance level after another, without end; yield after each."""
    app.segmented_control(key="alpha").set_value("other").run()
    for number in count(start[0]):
        start[0] += 1
        app.number_input(key="level").set_value(0.02 + 0.0001 * number).run()
        yield


def views(app: AppTest, page: str) -> Iterator[tuple[str, float]]:
    """Open a page and each of its tabs; yield tab and CPU seconds."""
    took = spent(app.switch_page(f"pages/{page}.py").run)
    key, labels = TABS[page], [tab.label for tab in app.tabs]
    yield (labels[0] if key and labels else ""), took
    if not key or key not in app.session_state:
        return
    for label in labels[1:]:
        app.session_state[key] = label
        yield label, spent(app.run)
    app.session_state[key] = labels[0]


def time_of_another_pair(app: AppTest) -> float:
    """Choose another second algorithm; return CPU seconds, NaN where no other can be chosen."""
    with suppress(KeyError):
        second = app.selectbox(key="b")
        others = [name for name in second.options if name != second.value]
        if others:
            return spent(second.set_value(others[-1]).run)
    return nan


def every(table: str) -> Iterator[tuple[str, float, float, float, float, float]]:
    """Yield for each page and tab its name, the CPU seconds of four actions, and the kilobytes sent on opening.

    The actions: open it, run it unchanged, set another level, choose another pair; NaN if there is
    no level or pair to choose. Raises RuntimeError if a page fails.
    """
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
            yield (
                f"{page} {tab}".strip(),
                first,
                same,
                at_other_level,
                time_of_another_pair(app),
                kilobytes,
            )


def click_rows(tables: Iterable[str]) -> Iterator[Row]:
    """Yield for each table the slowest page or tab of each action except opening, and the one that sends most."""
    for table in tables:
        same_most, level_most = LARGE if table in TABLES else SMALL
        measurements = list(every(table))
        for position, label, most, unit in (
            (2, "unchanged", same_most, "s"),
            (3, "another level", level_most, "s"),
            (4, "another pair", level_most, "s"),
            (5, "sent", MOST, "kB"),
        ):
            finite = [entry for entry in measurements if not isnan(entry[position])]
            if finite:
                worst = max(finite, key=itemgetter(position))
                yield Row(f"{table}, {label}: {worst[0]}"[:50], worst[position], most, unit=unit)


def print_clicks(tables: list[str]) -> None:
    """Print the times of every page and tab."""
    print(f"{'':58}{'opened':>8}{'same':>8}{'level':>8}{'pair':>8}{'kB':>7}")
    for table in tables or (*SAMPLES, *TABLES):
        same_most, level_most = LARGE if table in TABLES else SMALL
        for view, first, *clicks, sent_first in every(table):
            same, at_other_level, other_pair = clicks
            missed = (
                same > same_most
                or at_other_level > level_most
                or other_pair > level_most
                or sent_first > MOST
            )
            print(
                f"{table:25}{view:33}{first:8.2f}{same:8.3f}{at_other_level:8.3f}{other_pair:8.3f}{sent_first:7.0f}"
                f"{' *' * missed}",
                flush=True,
            )


def print_ratios(folder: str, tables: list[str]) -> None:
    """Print CPU seconds of every page and tab here and in another checkout, measured at the same time, with ratios."""
    heads = [f"{label:>8}{'other':>8}{'ratio':>7}" for label in ("opened", "same", "level")]
    print(f"{'':58}{''.join(heads)}")
    ratios = []
    for table in tables or SAMPLES:
        command = [sys.executable, "-m", "benchmarks.app_speed", "clicks", table]
        options = {"stdout": subprocess.PIPE, "stderr": subprocess.DEVNULL, "text": True}
        running = [
            subprocess.Popen(command, cwd=checkout, **options) for checkout in (ROOT, folder)
        ]
        here, other = (
            {
                line[25:58]: [float(value) for value in line[58:].split()[:3]]
                for line in process.communicate()[0].splitlines()[1:]
            }
            for process in running
        )
        for view in [view for view in here if view in other]:
            pairs = list(zip(here[view], other[view], strict=True))
            ratios.append([ours / theirs for ours, theirs in pairs])
            columns = "".join(
                f"{ours:8.3f}{theirs:8.3f}{ours / theirs:7.2f}" for ours, theirs in pairs
            )
            print(f"{table:25}{view}{columns}", flush=True)
    medians = "".join(f"{median:23.2f}" for median in np.nanmedian(ratios, axis=0))
    print(f"{'median ratio':58}{medians}")


def figure_rows() -> Iterator[Row]:
    """Yield for each sample the CPU time of the figure that is slowest to draw on a page."""
    style = screen()
    for path in sorted((ROOT / "sample_results").glob("*.csv*")):
        times = {}
        with suppress(FoldwiseError):  # not a table of results
            results = read_results(path)
            for settings in (Settings(), Settings(dataset=results.datasets[0])):
                with suppress(FoldwiseError):
                    times |= {
                        each.name: spent(partial(each.draw, style), 2)
                        for each in drawings(analyse(results, settings))
                    }
        if times:
            slowest = max(times, key=times.__getitem__)
            yield Row(f"{path.name}: {slowest}"[:50], times[slowest], DRAWING)


# ---- many users

VISITED = ("uci38_5x2.csv", "twoclass_counts.csv", "garcia_herrera_2008_accuracy.csv")
PAGES = ("", "compare", "explore", "tradeoffs", "plan", "data")
LEVELS = ("0.01", "0.05", "0.10")
CLICKED = {  # page -> parameter, and its values; without any, the algorithms of the sample
    "": ("tab", ("Why this test", "All pairs", "Ranks", "Wins")),
    "compare": ("b", ()),
    "explore": ("look", ("Folds", "Several measures")),
}
ENDS = "--server.disconnectedSessionTTL=1"
LONG = (
    ("", {"tab": "Sensitivity"}),
    ("explore", {"look": "Several measures", "mtab_over_data_sets": "true"}),
    ("tradeoffs", {"prior": [f"a{a}" for a in range(20)]}),
)


def large(seed: int) -> bytes:
    """Return a CSV file of about 10 MB: results per fold by 40 measures, determined by the seed."""
    measures = [f"measure{m}" for m in range(39)]
    rows = [",".join(["dataset", "algorithm", "fold", "error", *measures])]
    for d, a, f in product(range(150), range(20), range(10)):
        values = [
            (d * 31 + a * 17 + f * 7 + m * 3 + seed) % 997 / 1000 + a / 100 for m in range(40)
        ]
        rows.append(f"d{d},a{a},{f}," + ",".join(f"{value:.5f}" for value in values))
    return "\n".join(rows).encode()


def usage(process: subprocess.Popen) -> tuple[float, float]:
    """Return the resident megabytes and the CPU seconds of a process with its descendants, from /proc."""
    rows = {}
    for path in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError):  # it has ended
            rows[int(path.parent.name)] = [
                *map(int, path.read_text().rpartition(")")[2].split()[1:])
            ]
    ours = {process.pid}
    while children := {pid for pid, fields in rows.items() if fields[0] in ours} - ours:
        ours |= children
    memory, spent_ticks = zip(
        *((rows[pid][20], sum(rows[pid][10:14])) for pid in ours & rows.keys()), strict=True
    )
    return sum(memory) * os.sysconf("SC_PAGE_SIZE") / 1e6, sum(spent_ticks) / os.sysconf(
        "SC_CLK_TCK"
    )


@cache_once
def algorithms_in(sample: str) -> tuple[str, ...]:
    """Return the algorithms of a sample."""
    return read_results(ROOT / "sample_results" / sample).algorithms


def act_as_user(
    addresses: list[str], number: int, end: float, pause: float
) -> tuple[list[float], list[str]]:
    """Simulate one user until `end`: pages, tabs, pairs, levels; return seconds of each click, and errors."""
    choose, took, wrong = random.Random(number), [], []
    sample = VISITED[number % len(VISITED)]
    parameters, page = {"sample": sample}, ""
    time.sleep(choose.uniform(0, min(pause, max(0.0, end - time.monotonic()))))
    try:
        with visitor(addresses[number % len(addresses)]) as browser:
            wrong += browser.open(
                "", **parameters
            )  # the first run of a session does not count as a click
            while time.monotonic() < end:
                time.sleep(choose.expovariate(1 / pause))
                if choose.random() < 0.1:
                    parameters["alpha"] = choose.choice(LEVELS)
                elif page in CLICKED and choose.random() < 0.5:  # stay on the page
                    key, values = CLICKED[page]
                    parameters[key] = choose.choice(values or algorithms_in(sample))
                else:
                    page = choose.choice(PAGES)
                start = time.monotonic()
                wrong += [f"{page}: {error}" for error in browser.open(page, **parameters)]
                took.append(time.monotonic() - start)
    except (OSError, TimeoutError, WebSocketException) as error:  # the connection broke off
        wrong.append(f"{page}: {error!r}")
    return took, wrong


def long_job(address: str, end: float) -> list[float]:
    """Upload large files and request long computations until `end`; return how long each took, in seconds."""
    took = []
    while time.monotonic() < end:
        content, start = large(len(took)), time.monotonic()
        with visitor(address) as browser:
            wrong = browser.upload("large.csv", content)
            took.append(time.monotonic() - start)
            for page, parameters in LONG:
                start = time.monotonic()
                wrong += browser.open(page, **parameters)
                took.append(time.monotonic() - start)
        if wrong:
            print(f"the long job: {wrong[0]}")
    return took


@contextmanager
def sampled(read: Callable[[], float]) -> Iterator[list[float]]:
    """Yield a list to which a value is added every second until the end of the block."""
    values, over = [read()], threading.Event()

    def watch() -> None:
        while not over.wait(1):
            values.append(read())

    thread = threading.Thread(target=watch)
    thread.start()
    try:
        yield values
    finally:
        over.set()
        thread.join()
        values.append(read())


def turn(
    addresses: list[str], users: int, seconds: float, *, pause: float, busy: bool = False
) -> tuple[list[float], list[str], list[float]]:
    """Simulate several users at once; return the seconds of each click, errors, and the seconds of each long job."""
    end = time.monotonic() + seconds
    with ThreadPoolExecutor(users + 1) as pool:
        job = pool.submit(long_job, addresses[0], end) if busy else None
        visits = list(
            pool.map(lambda number: act_as_user(addresses, number, end, pause), range(users))
        )
        long = job.result() if job else []
    wrong = [error for _, errors in visits for error in errors]
    for error, times in Counter(wrong).items():
        print(f"went wrong {times} times: {error}")
    return [second for took, _ in visits for second in took], wrong, long


def p50_and_p95(took: list[float]) -> tuple[float, float]:
    """Return the median and the 95th percentile."""
    percentiles = quantiles(took, n=20, method="inclusive")
    return percentiles[9], percentiles[18]


def print_users(arguments: list[str]) -> None:
    """Print the rows of `visitors`."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--users", type=int, default=50)
    parser.add_argument("--seconds", type=float, default=60, help="of each phase")
    parser.add_argument("--after", type=float, default=60, help="seconds until memory is measured")
    parser.add_argument("--pause", type=float, default=3, help="seconds a user reads, on average")
    parser.add_argument(
        "--busy", type=float, default=60, help="seconds of the phase with long jobs, 0 for none"
    )
    parser.add_argument(
        "--processes", type=int, default=1, help="processes of the server that is started"
    )
    parser.add_argument(
        "--addresses", nargs="+", help="servers that run already, such as http://localhost:8501"
    )
    for row in visitors(**vars(parser.parse_args(arguments))):
        print(row, flush=True)


def visit_all(addresses: Iterable[str]) -> None:
    """Open each page of each sample once, so that everything is imported."""
    for address in addresses:
        with visitor(address) as browser:
            for sample, page in product(VISITED, PAGES):
                browser.open(page, sample=sample)


def visitors(
    users: int = 50,
    seconds: float = 30,
    after: float = 60,
    pause: float = 3.0,
    busy: float = 0,
    processes: int = 1,
    addresses: Sequence[str] | None = None,
) -> Iterator[Row]:
    """Yield for each phase times of clicks, errors and CPU time per run of a page, then the memory of the server."""
    several = [f"--processes={processes}"] if processes > 1 else []
    start = (
        nullcontext(("", None))
        if addresses
        else served("-m", "foldwise.web.launcher", *several, ENDS)
    )
    with start as (address, process):
        addresses, measure = (
            addresses or [address],
            partial(usage, process) if process else lambda: (nan, nan),
        )
        visit_all(addresses)
        alone: tuple[float, float] | None = None
        with sampled(lambda: measure()[0]) as memory:
            for label, many, lasts, with_jobs in (
                ("one user", 1, min(60, seconds), False),
                (f"{users} users, figures drawn at first", users, seconds, False),
                (f"{users} users, warm", users, seconds, False),
                (f"{users} users and long jobs", users, busy, True),
            ):
                if not lasts:
                    continue
                before = measure()[1]
                took, wrong, long = turn(addresses, many, lasts, pause=pause, busy=with_jobs)
                spent_now, times = measure()[1] - before, p50_and_p95(took)
                alone = alone or times
                for name, value, most, peer in zip(
                    ("p50", "p95"), times, (1, 3), alone, strict=True
                ):
                    yield Row(
                        f"{label}: {name}", value, inf if with_jobs else most, peer, "one user"
                    )
                yield Row(f"{label}: errors", len(wrong), 0, unit="")
                yield Row(f"{label}: CPU per run", spent_now / (len(took) + many), SMALL[0])
                if long:
                    yield Row(f"{label}: longest job", max(long), inf)
            time.sleep(after)
        yield Row(
            f"{users} users: memory at most", max(memory), inf, memory[0], "at the start", "MB"
        )
        label = f"{users} users: MB {after:g} s after all have left"
        yield Row(label, memory[-1], 1.5, memory[0], "at the start", unit="MB", of_peer=True)


if __name__ == "__main__":
    match sys.argv[1:]:
        case ["clicks", *tables]:
            print_clicks(tables)
        case ["ratios", folder, *tables]:
            print_ratios(folder, tables)
        case ["users", *options]:
            print_users(options)
        case _:
            sys.exit(__doc__)
