"""Shared fixtures: reference values and hypothesis profiles."""

import gc
import json
import logging
import os
import shutil
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import HealthCheck, settings

_FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
REFERENCE = Path(__file__).parent / "reference"
MAX_CASES = 2  # of one test that run without the slow tests: the first and the last

# The same examples at every run, so that a red run can be repeated and a green one means the same
# anywhere; more of them where the slow tests run, too. New examples are looked for with
# HYPOTHESIS_PROFILE=search.
settings.register_profile(
    "same", max_examples=8, deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow]
)
settings.register_profile("all", settings.get_profile("same"), max_examples=100)
settings.register_profile("search", settings.get_profile("all"), derandomize=False)


def pytest_configure(config):
    """Choose the examples: those of the environment, or by whether slow tests run."""
    usual = "same" if "not slow" in config.option.markexpr else "all"
    settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", usual))
    gc.disable()  # all that collection makes stays


def pytest_collection_finish():
    """Exclude loaded modules from garbage collection: each AppTest run collects garbage."""
    gc.freeze()
    gc.set_threshold(20_000, 20, 20)  # tests make little garbage
    gc.enable()


@pytest.hookimpl(wrapper=True)
def pytest_collect_file():
    """Search modules of tests for tests only: their docstrings have no examples."""
    return [found for found in (yield) if type(found) is pytest.Module]


@pytest.hookimpl(trylast=True)
def pytest_generate_tests(metafunc):
    """Leave all cases of a test but some, spread evenly, to the slow tests: `few` says how many."""
    cases = metafunc._calls
    if cases and "not slow" in metafunc.config.option.markexpr:
        mark = metafunc.definition.get_closest_marker("few")
        places = np.linspace(0, len(cases) - 1, mark.args[0] if mark else MAX_CASES).round().astype(int)
        cases[:] = [cases[place] for place in np.unique(places)]


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items):
    """Put what needs a browser or a server first, and so in one process.

    That process goes on waiting while others compute. Each process would start a browser and a server of its own.
    """
    items.sort(key=lambda item: {"browser", "server"}.isdisjoint(getattr(item, "fixturenames", ())))


@pytest.fixture(autouse=True)
def nothing_unforeseen(request):
    """Fail a test in which the last wall caught a mistake, unless the test makes one on purpose."""
    caught = []
    handler = logging.Handler()
    handler.emit = caught.append
    logger = logging.getLogger("foldwise")
    logger.addHandler(handler)
    yield caught
    logger.removeHandler(handler)
    if "unforeseen" not in request.keywords:
        assert not caught, caught[0].exc_info


@dataclass(frozen=True)
class Reference:
    """A table and the numbers other programs give for it."""

    scores: pd.DataFrame
    oracles: dict

    def expected(self, key):
        """Return the expected value of one oracle."""
        return self.oracles[key]["expected"]

    def assert_close(self, actual, key, field=None):
        """Compare a number, or a matrix by its "first|second" pairs, within the stated tolerance."""
        oracle = self.oracles[key]
        expected = oracle["expected"] if field is None else oracle["expected"][field]
        rel, absolute = oracle["tolerance"]["rel"], oracle["tolerance"]["abs"]
        if isinstance(expected, dict):
            names = [tuple(pair.split("|")) for pair in expected]
            actual = [actual.loc[pair] if len(pair) == 2 else actual[pair[0]] for pair in names]
            expected = list(expected.values())
        np.testing.assert_allclose(actual, expected, rtol=rel, atol=absolute)


def load_oracles(name):
    """Return the expected numbers of one file, by key."""
    document = json.loads((REFERENCE / f"{name}.json").read_text(encoding="utf-8"))
    return {oracle["key"]: oracle for oracle in document["oracles"]}


def load_reference(name):
    """Return a stored table with its oracles, by key."""
    scores = pd.read_csv(REFERENCE / f"{name}.csv", index_col=0)
    return Reference(scores, load_oracles(name))


@pytest.fixture(scope="session")
def garcia_herrera():
    """Garcia and Herrera 2008, 30 x 5, accuracy."""
    return load_reference("A_gh2008")


@pytest.fixture(scope="session")
def demsar():
    """Demsar 2006, 14 x 4, AUC as printed."""
    return load_reference("C_demsar2006")


@pytest.fixture
def rng():
    """A generator of its own for each test."""
    return np.random.default_rng(20061)


@pytest.fixture(scope="session")
def browser():
    """The Chromium that is there."""
    path = os.environ.get("CHROMIUM") or shutil.which("chromium") or shutil.which("google-chrome")
    assert path, "The browser tests need Chromium; ./fw test installs one."
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=path, args=_FLAGS)
        yield chromium
        chromium.close()
