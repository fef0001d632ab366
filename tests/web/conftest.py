"""Fixtures and helpers that run the app in this process, without a browser."""

import functools
import gc
import io
import json
import re
from pathlib import Path

import pytest
from streamlit.components.v2 import manifest_scanner
from streamlit.runtime.pages_manager import PagesManager
from streamlit.testing.v1 import AppTest, local_script_runner
from streamlit.testing.v1.element_tree import Block

from foldwise.web import cache, job_queue
from foldwise.web.views import dataset_views, simulation_views

APP = Path(__file__).parents[2] / "app.py"
WIDE = b"dataset,a,b,c\n" + b"".join(
    f"d{i},{0.9 - i / 100:.3f},{0.5 + (i % 3) / 100:.3f},{0.2 + i / 50:.3f}\n".encode()
    for i in range(12)
)
HOLES = WIDE.replace(b"d3,0.870,", b"d3,,")
TABS_OF_EXPLORE = ("Folds", "Several measures", "Curves", "Thresholds")
scan_once = functools.cache(manifest_scanner.scan_component_manifests)


@pytest.fixture(autouse=True)
def _without_workspaces(monkeypatch):
    """Switch workspaces off, except in tests that set their folder."""
    monkeypatch.setenv("FOLDWISE_WORKSPACES", "off")


@pytest.fixture(autouse=True)
def _without_records_of_other_tests(monkeypatch):
    """Estimate the seconds of calls afresh, whatever those of earlier tests took."""
    monkeypatch.setattr(cache, "PACES", {})


@pytest.fixture(autouse=True, scope="module")
def _collected():
    """Exclude what earlier tests cached from garbage collection, since each AppTest run collects garbage."""
    gc.freeze()


class ThisProcess:
    """Replaces a worker process: runs calls in this process, but pickles calls and results."""

    def make(self, call, tell):
        job_queue._pickled(call)
        outcome = job_queue._pickled_outcome(call, lambda _, *done: tell(*done))
        return *job_queue._AnswerReader(io.BytesIO(outcome), call).load(), 0.0


@pytest.fixture(scope="module")
def workers():
    """Let jobs run in worker processes, which end after the last test of a module, but for a reader."""
    job_queue.shared_queue().keep_reader()
    yield
    job_queue.shared_queue().close()


@pytest.fixture(autouse=True)
def _jobs_at_once(request, monkeypatch):
    """Run each job in this process when it is submitted, except in tests with `workers`; use fewer resamples."""

    def submit(self, call, cost=0.0):
        job = job_queue.Job(call, job_queue.limits(), long=False)
        job.work(ThisProcess())
        return job

    if "workers" not in request.fixturenames:
        monkeypatch.setattr(job_queue.JobQueue, "submit", submit)
        monkeypatch.setattr(dataset_views, "RESAMPLES", 20)
        monkeypatch.setattr(cache, "HERE", 0.2)  # less work makes a job


@pytest.fixture(autouse=True)
def _as_the_warm_server(monkeypatch):
    """Let AppTest look for pages and components once, as the server does.

    Otherwise, AppTest searches every installed package for components in each run, and runs the
    files in pages/ alone, without `st.navigation`.
    """
    monkeypatch.setattr(manifest_scanner, "scan_component_manifests", scan_once)
    start = PagesManager.__init__

    def initialise(self, *args, **kwargs):
        start(self, *args, **kwargs)
        PagesManager.uses_pages_directory = False

    monkeypatch.setattr(PagesManager, "__init__", initialise)
    resolve = AppTest._resolve_page_hash

    def page_hash(
        at, path
    ):  # before the first run, AppTest takes /results, which leads on, for the page Results
        return resolve(at, path) if at._registered_pages or Path(path).name != "results.py" else ""

    monkeypatch.setattr(AppTest, "_resolve_page_hash", page_hash)


@pytest.fixture(autouse=True)
def _waited_for(monkeypatch):
    """Wait for the end of a run without AppTest's check every millisecond, which slows the run."""

    def wait(runner, timeout):
        runner._script_thread.join(timeout)
        assert runner.script_stopped(), f"The page took more than {timeout} seconds."

    monkeypatch.setattr(local_script_runner, "require_widgets_deltas", wait)


@pytest.fixture
def app():
    """The app, before its first run."""
    return AppTest.from_file(str(APP), default_timeout=60)


def upload(at, *files):
    """Upload files on the Data page; return the app after the run."""
    at.switch_page("pages/data.py").run()
    at.file_uploader(key="uploader").set_value([(name, data, "text/csv") for name, data in files])
    return at.run()


def texts(at):
    """Return all texts of a page as one text without Markdown escapes."""
    parts = [*at.title, *at.markdown, *at.caption, *at.error, *at.warning, *at.text]
    return (
        "\n".join(str(part.value) for part in parts)
        .replace("\\", "")
        .replace("\u2060", "")
        .replace("\u00a0", " ")
    )


def words_in_sight(at):
    """Return the number of words visible outside figures and tables, without closed boxes and the sidebar."""
    plain = re.sub(r":material/\w+:|:[a-z-]+\[|<[^>]*>", " ", " ".join(_in_sight(at.main)))
    return len(re.findall(r"[^\W_][\w.,'\u2212-]*", plain.replace("\\", "")))


def _in_sight(block):
    """Yield every text in a block, except in closed boxes."""
    for part in block.children.values():
        proto = part.proto
        if isinstance(part, Block):
            box = getattr(proto, part.type, proto)
            yield getattr(box, "label", "")
            if part.type != "popover" and getattr(box, "expanded", True):
                yield from _in_sight(part)
        elif part.type == "bidi_component":
            data = json.loads(proto.json or "{}")
            yield data.get("label", "") if isinstance(data, dict) else ""
        else:
            yield from (
                getattr(proto, name, "")
                for name in ("body", "label")
                if part.type not in ("html", "code")
            )


def specs(at):
    """Return the Plotly figures of a page as dictionaries."""
    return [json.loads(chart.proto.spec) for chart in at.get("plotly_chart")]


def copied(at):
    """Return the texts of the copy buttons of a page, by key."""
    buttons = [
        part.proto
        for part in at.get("bidi_component")
        if part.proto.component_name == "foldwise_copy"
    ]
    return {button.id.rpartition("-")[2]: json.loads(button.json)["text"] for button in buttons}


def select(at, key, value):
    """Choose an option of a select box by its key; return the app after the run."""
    at.selectbox(key=key).set_value(value)
    return at.run()


def open_section(app, tab, name):
    """Name the section with this label in the address of the next run, so that it is open."""
    app.query_params[f"{tab}_{name.lower().replace(' ', '_')}"] = "true"


def page(app, sample, name):
    """Open a sample on a page; return the app after the run."""
    app.query_params["sample"] = sample
    return turn_to(app, name).run()


def turn_to(at, name):
    """Turn to a page, or to a tab of the page Explore; return the app before the run."""
    if name in TABS_OF_EXPLORE:
        at.query_params["look"] = name
        name = "explore"
    return at.switch_page(f"pages/{name}.py")


def answered(app):
    """Start a simulation, and run the app until it has all its draws; return the app."""
    if starts := [
        button
        for button in app.button
        if (button.key or "").startswith("go_on") and button.label == "Start"
    ]:
        starts[0].click()
        app.run()
    while any(button.label == "Cancel" for button in app.button):
        _, job = app.session_state[simulation_views.JOB]
        assert job.done.wait(60)
        app.run()
    return app
