"""Run the app in this process, without a browser."""

import functools
import gc
import json
import pickle
import re
from pathlib import Path

import pytest
from streamlit.components.v2 import manifest_scanner
from streamlit.runtime.pages_manager import PagesManager
from streamlit.testing.v1 import AppTest
from streamlit.testing.v1.element_tree import Block

from foldwise.web import cache, job_queue
from foldwise.web.views import dataset_views, simulation_views

APP = Path(__file__).parents[2] / "app.py"
WIDE = b"dataset,a,b,c\n" + b"".join(
    f"d{i},{0.9 - i / 100:.3f},{0.5 + (i % 3) / 100:.3f},{0.2 + i / 50:.3f}\n".encode() for i in range(12)
)
HOLES = WIDE.replace(b"d3,0.870,", b"d3,,")
TABS_OF_EXPLORE = ("Folds", "Several measures", "Curves", "Thresholds")
scan_once = functools.cache(manifest_scanner.scan_component_manifests)


@pytest.fixture(autouse=True)
def _without_workspaces(monkeypatch):
    """Write nothing, unless a test is about what is written."""
    monkeypatch.setenv("FOLDWISE_WORKSPACES", "off")


@pytest.fixture(autouse=True, scope="module")
def _collected():
    """Exclude what earlier tests cached from garbage collection, as the server does: each AppTest run collects."""
    gc.freeze()


class ThisProcess:
    """A worker without a process of its own. What it is sent and gives back is pickled, too."""

    def make(self, call, tell):
        job_queue._pickled(call)
        outcome = job_queue._pickled_outcome(call, lambda _, *done: tell(*done))
        return *pickle.loads(outcome), 0.0


@pytest.fixture(scope="module")
def workers():
    """Let jobs run in worker processes, and end these after the last test of a module."""
    yield
    job_queue.shared_queue().close()


@pytest.fixture(autouse=True)
def _jobs_at_once(request, monkeypatch):
    """Run each job in this process when it is submitted, except in tests with `workers`; resample less."""

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
    """Make AppTest look once at what the server looks at once.

    At pages/, which `st.navigation` overrules for good: AppTest looks again before every run and
    would run the page files bare. And at every installed package, in search of components.
    """
    monkeypatch.setattr(manifest_scanner, "scan_component_manifests", scan_once)
    start = PagesManager.__init__

    def initialise(self, *args, **kwargs):
        start(self, *args, **kwargs)
        PagesManager.uses_pages_directory = False

    monkeypatch.setattr(PagesManager, "__init__", initialise)


@pytest.fixture
def app():
    """The app on its first page."""
    return AppTest.from_file(str(APP), default_timeout=60)


def upload(at, *files):
    """Open the Data page and bring files."""
    at.switch_page("pages/data.py").run()
    at.file_uploader(key="uploader").set_value([(name, data, "text/csv") for name, data in files])
    return at.run()


def texts(at):
    """Everything the page says, as one text without Markdown escapes."""
    parts = [*at.title, *at.markdown, *at.caption, *at.error, *at.warning, *at.text]
    return "\n".join(str(part.value) for part in parts).replace("\\", "").replace("\u2060", "").replace("\u00a0", " ")


def words_in_sight(at):
    """How many words a visitor sees beside figures and tables: what is folded or in the sidebar is not counted."""
    plain = re.sub(r":material/\w+:|:[a-z-]+\[|<[^>]*>", " ", " ".join(_in_sight(at.main)))
    return len(re.findall(r"[^\W_][\w.,'\u2212-]*", plain.replace("\\", "")))


def _in_sight(block):
    """Every text of a block and what is in it, without what is folded."""
    for part in block.children.values():
        proto = part.proto
        if isinstance(part, Block):
            box = getattr(proto, part.type, proto)
            yield getattr(box, "label", "")
            if part.type != "popover" and getattr(box, "expanded", True):
                yield from _in_sight(part)
        elif part.type == "bidi_component":
            yield json.loads(proto.json or "{}").get("label", "")
        else:
            yield from (getattr(proto, name, "") for name in ("body", "label") if part.type not in ("html", "code"))


def specs(at):
    """The Plotly figures on the page."""
    return [json.loads(chart.proto.spec) for chart in at.get("plotly_chart")]


def copied(at):
    """The texts that the copy buttons of the page copy, by key."""
    buttons = [part.proto for part in at.get("bidi_component") if part.proto.component_name == "foldwise_copy"]
    return {button.id.rpartition("-")[2]: json.loads(button.json)["text"] for button in buttons}


def select(at, key, value):
    """Choose an option of a select box by its key and run."""
    at.selectbox(key=key).set_value(value)
    return at.run()


def page(app, sample, name):
    """Open a sample on a page."""
    app.query_params["sample"] = sample
    return turn_to(app, name).run()


def turn_to(at, name):
    """Turn to a page, or to a tab of the page Explore."""
    if name in TABS_OF_EXPLORE:
        at.query_params["look"] = name
        name = "explore"
    return at.switch_page(f"pages/{name}.py")


def answered(app):
    """Start a simulation, and look until it has all its draws."""
    if starts := [
        button for button in app.button if (button.key or "").startswith("go_on") and button.label == "Start"
    ]:
        starts[0].click()
        app.run()
    while any(button.label == "Cancel" for button in app.button):
        _, job = app.session_state[simulation_views.JOB]
        assert job.done.wait(60)
        app.run()
    return app
