"""Shared fixtures, reference values and hypothesis profiles."""

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
# Cases of a second and more of processor time while both cores are busy, or of a second of
# waiting for a browser, one a line: seconds and ID
SLOW_CASES = Path(__file__).parent / "slow_cases.txt"
# Those that no test has, if all tests are collected
UNKNOWN_SLOW_CASES = pytest.StashKey[set[str]]()

# The same examples at every run, so that a red run can be repeated and a green one means the same
# anywhere; more of them where the slow tests run, too. New examples are looked for with
# HYPOTHESIS_PROFILE=search.
settings.register_profile(
    "same",
    max_examples=8,
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.register_profile("all", settings.get_profile("same"), max_examples=100)
settings.register_profile("search", settings.get_profile("all"), derandomize=False)


def pytest_configure(config):
    """Choose the hypothesis profile by the environment, or by whether slow tests run."""
    usual = "same" if config.option.markexpr else "all"
    settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", usual))
    gc.disable()  # all that collection makes stays


def pytest_collection_finish():
    """Exclude loaded modules from garbage collection, since each AppTest run collects garbage."""
    gc.freeze()
    gc.set_threshold(20_000, 20, 20)  # tests make little garbage
    gc.enable()


@pytest.hookimpl(wrapper=True)
def pytest_collect_file():
    """Search test modules for tests but not for doctests, since their docstrings have no examples."""
    return [found for found in (yield) if type(found) is pytest.Module]


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config, items):
    """Mark the slow cases, and run tests with a browser or a server first, in one process.

    That process waits while others compute. Otherwise, each process would start a browser and a
    server of its own.
    """
    lines = SLOW_CASES.read_text(encoding="utf-8").splitlines()
    slow = {line.partition(" ")[2] for line in lines}
    for item in items:
        if item.nodeid in slow:
            item.add_marker(pytest.mark.slow)
    is_whole = config.args == config.getini("testpaths")
    config.stash[UNKNOWN_SLOW_CASES] = slow - {item.nodeid for item in items} if is_whole else set()
    items.sort(key=lambda item: {"browser", "server"}.isdisjoint(getattr(item, "fixturenames", ())))


@pytest.fixture(autouse=True)
def nothing_unforeseen(request):
    """The log records of unexpected errors; they fail the test unless it is marked `unforeseen`."""
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
    """A table and its reference values from other programs."""

    scores: pd.DataFrame
    oracles: dict

    def expected(self, key):
        """Return the reference value of a key."""
        return self.oracles[key]["expected"]

    def assert_close(self, actual, key, field=None):
        """Assert that a number, or a matrix by its "first|second" pairs, equals a reference value within tolerance."""
        oracle = self.oracles[key]
        expected = oracle["expected"] if field is None else oracle["expected"][field]
        rel, absolute = oracle["tolerance"]["rel"], oracle["tolerance"]["abs"]
        if isinstance(expected, dict):
            names = [tuple(pair.split("|")) for pair in expected]
            actual = [actual.loc[pair] if len(pair) == 2 else actual[pair[0]] for pair in names]
            expected = list(expected.values())
        np.testing.assert_allclose(actual, expected, rtol=rel, atol=absolute)


def load_oracles(name):
    """Return the reference values of a file, by key."""
    document = json.loads((REFERENCE / f"{name}.json").read_text(encoding="utf-8"))
    return {oracle["key"]: oracle for oracle in document["oracles"]}


def load_reference(name):
    """Return a stored table with its reference values."""
    scores = pd.read_csv(REFERENCE / f"{name}.csv", index_col=0)
    return Reference(scores, load_oracles(name))


@pytest.fixture(scope="session")
def garcia_herrera():
    """Garcia and Herrera 2008: accuracy of 5 algorithms on 30 data sets."""
    return load_reference("A_gh2008")


@pytest.fixture(scope="session")
def demsar():
    """Demsar 2006: AUC of 4 algorithms on 14 data sets, as printed."""
    return load_reference("C_demsar2006")


@pytest.fixture
def rng():
    """A random number generator with a fixed seed, created for each test."""
    return np.random.default_rng(20061)


@pytest.fixture(scope="session")
def browser():
    """The installed Chromium, controlled by Playwright."""
    path = os.environ.get("CHROMIUM") or shutil.which("chromium") or shutil.which("google-chrome")
    assert path, "The browser tests need Chromium; ./fw test installs one."
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=path, args=_FLAGS)
        yield chromium
        chromium.close()
