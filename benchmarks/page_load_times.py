"""Load times of the app: first paint after the start of the server, and large pages.

``python -m benchmarks.page_load_times`` prints seconds, and each as a ratio to the same step of an
app that shows one heading (the least Streamlit itself needs on this machine).
"""

import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pandas as pd
from playwright.sync_api import Browser, Page

from benchmarks.axe import chromium
from benchmarks.click_times import predictions
from tests.websocket_clients import serve

IDLE = "[data-testid=stApp][data-test-script-state=notRunning]"
BUSY = "[data-testid=stApp][data-test-script-state=running]"
ALGORITHMS, DATASETS = 60, 120


@contextmanager
def data_page(browser: Browser) -> Iterator[Page]:
    """Open the app on the page Data, after the plotting library was loaded."""
    with serve("-m", "foldwise.web.launcher") as address, browser.new_page() as page:
        page.set_viewport_size({"width": 1440, "height": 1400})
        page.goto(address)
        page.locator(".js-plotly-plot").first.wait_for()
        page.get_by_role("link", name="Data", exact=True).first.click()
        yield page


def bring(page: Page, name: str, content: bytes, until: str) -> None:
    """Upload a file and wait for a text."""
    file = {"name": name, "mimeType": "text/csv", "buffer": content}
    page.get_by_test_id("stFileUploaderDropzoneInput").set_input_files([file])
    page.get_by_text(until).wait_for(timeout=60_000)
    page.locator(IDLE).wait_for()


def first_paint(browser: Browser, *command: str) -> dict[str, float]:
    """Return the seconds from the start of the server to first paint and heading."""
    began = time.perf_counter()
    with serve(*command) as address, browser.new_page() as page:
        page.goto(address)
        page.locator("[data-testid=stApp]").wait_for()
        painted = time.perf_counter() - began
        page.locator("h1").first.wait_for()
        heading = time.perf_counter() - began
    return {"first paint": painted, "heading": heading}


def large_upload(browser: Browser) -> dict[str, float]:
    """Return the seconds to open the page of many algorithms, and after a change of alpha."""
    values = np.random.default_rng(1).random((DATASETS, ALGORITHMS))
    names = [f"algorithm with a rather long name, variant {i}" for i in range(ALGORITHMS)]
    table = pd.DataFrame(values + np.linspace(0, 0.4, ALGORITHMS), columns=names)
    table.index = [f"data set {i}" for i in range(DATASETS)]
    content = (table / 2).to_csv(index_label="dataset").encode()
    with data_page(browser) as page:
        bring(page, "large.csv", content, f"{DATASETS} data sets, {ALGORITHMS} algorithms")
        began = time.perf_counter()
        page.get_by_role("link", name="Many data sets").first.click()
        page.get_by_role("heading", name="Many data sets").wait_for()
        page.locator(".js-plotly-plot").first.wait_for()
        page.locator(IDLE).wait_for()
        opened = time.perf_counter() - began
        began = time.perf_counter()
        page.get_by_test_id("stButtonGroup").get_by_text("0.01").first.click()
        page.locator(BUSY).wait_for()
        page.locator(IDLE).wait_for()
        changed = time.perf_counter() - began
    return {"60 x 120, page opened": opened, "60 x 120, alpha changed": changed}


def curves_page(browser: Browser) -> dict[str, float]:
    """Return the seconds of the page Curves: first view, and a step of the slider."""
    with data_page(browser) as page:
        bring(page, "scores.csv", predictions(folds=30, cases=5000), "750,000 predictions")
        began = time.perf_counter()
        page.get_by_role("link", name="Curves").first.click()
        page.get_by_role("heading", name="Curves", exact=True).wait_for()
        painted = time.perf_counter() - began
        page.locator(".js-plotly-plot").first.wait_for(timeout=60_000)
        page.locator(IDLE).wait_for()
        complete = time.perf_counter() - began
        page.wait_for_timeout(1000)
        steps = []
        for step in range(1, 6):
            began = time.perf_counter()
            page.get_by_role("slider").first.press("ArrowRight")
            page.get_by_text(f"At theta 0.{50 + step}").first.wait_for()
            steps.append(time.perf_counter() - began)
            page.locator(IDLE).wait_for()
            page.wait_for_timeout(500)
    return {
        "30 folds x 5 x 5,000 scores, first paint": painted,
        "30 folds x 5 x 5,000 scores, complete": complete,
        "30 folds x 5 x 5,000 scores, slider": float(np.median(steps)),
    }


def main() -> None:
    """Print the load times."""
    with tempfile.TemporaryDirectory() as folder, chromium() as browser:
        bare = Path(folder) / "bare.py"
        bare.write_text("import streamlit as st\nst.title('x')\n", encoding="utf-8")
        least = first_paint(browser, "-m", "streamlit", "run", str(bare))
        ours = first_paint(browser, "-m", "foldwise.web.launcher")
        for step, seconds in ours.items():
            print(f"{step}: {seconds:.2f} s, {seconds / least[step]:.2f} x a bare app")
        for step, seconds in (large_upload(browser) | curves_page(browser)).items():
            print(f"{step}: {seconds:.2f} s")


if __name__ == "__main__":
    main()
