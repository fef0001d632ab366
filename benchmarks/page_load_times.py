"""Load times of the app: first paint after the start of the server, and large pages.

``python benchmarks/page_load_times.py`` prints seconds, and each as a ratio to the same step of an
app that shows one heading (the least Streamlit itself needs on this machine).
"""

import os
import shutil
import subprocess
import sys
import tempfile
import time
import urllib.request
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pandas as pd
from playwright.sync_api import sync_playwright

ROOT = Path(__file__).parents[1]
FLAGS = ["--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking"]
IDLE = "[data-testid=stApp][data-test-script-state=notRunning]"
BUSY = "[data-testid=stApp][data-test-script-state=running]"
ALGORITHMS, DATASETS = 60, 120


@contextmanager
def serving(app: Path, port: int):
    """Run a server, from its first healthy answer until the end of the block."""
    command = [sys.executable, "-m", "streamlit", "run", str(app), "--server.headless=true"]
    server = subprocess.Popen(
        [*command, f"--server.port={port}"],
        cwd=ROOT,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        while not answers(port):
            time.sleep(0.02)
        yield
    finally:
        server.terminate()
        server.wait()


def answers(port: int) -> bool:
    """Return whether a server is healthy."""
    try:
        urllib.request.urlopen(f"http://localhost:{port}/_stcore/health", timeout=1)
    except OSError:
        return False
    return True


def first_paint(browser, app: Path, port: int) -> dict[str, float]:
    """Return the seconds from the start of the server to first paint and heading."""
    began = time.perf_counter()
    with serving(app, port), browser.new_page() as page:
        page.goto(f"http://localhost:{port}")
        page.locator("[data-testid=stApp]").wait_for()
        painted = time.perf_counter() - began
        page.locator("h1").first.wait_for()
        heading = time.perf_counter() - began
    return {"first paint": painted, "heading": heading}


def large_upload(browser, port: int) -> dict[str, float]:
    """Return the seconds to open the page of many algorithms, and after a change of alpha."""
    values = np.random.default_rng(1).random((DATASETS, ALGORITHMS))
    names = [f"algorithm with a rather long name, variant {i}" for i in range(ALGORITHMS)]
    table = pd.DataFrame(values + np.linspace(0, 0.4, ALGORITHMS), columns=names)
    table.index = [f"data set {i}" for i in range(DATASETS)]
    content = (table / 2).to_csv(index_label="dataset").encode()
    file = {"name": "large.csv", "mimeType": "text/csv", "buffer": content}
    with serving(ROOT / "app.py", port), browser.new_page() as page:
        page.set_viewport_size({"width": 1440, "height": 1400})
        page.goto(f"http://localhost:{port}")  # loads the plotting library
        page.locator(".js-plotly-plot").first.wait_for()
        page.get_by_role("link", name="Data", exact=True).first.click()
        page.get_by_test_id("stFileUploaderDropzoneInput").set_input_files([file])
        page.get_by_text(f"{DATASETS} data sets, {ALGORITHMS} algorithms").wait_for()
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


def scores() -> bytes:
    """Return a CSV file of predictions of 5 algorithms on 30 folds of 5,000 instances."""
    rng = np.random.default_rng(5)
    blocks = []
    for fold in range(30):
        label = (rng.random(5000) < 0.3).astype(int)
        for name, gap in (
            ("logistic", 0.8),
            ("forest", 1.1),
            ("svm", 1.0),
            ("knn", 0.6),
            ("boost", 1.2),
        ):
            score = 1 / (1 + np.exp(-(rng.normal(size=5000) + gap * (2 * label - 1))))
            blocks.append(
                pd.DataFrame(
                    {"algorithm": name, "fold": fold, "true": label, "score": score.round(6)}
                )
            )
    return pd.concat(blocks).to_csv(index=False).encode()


def curves_page(browser, port: int) -> dict[str, float]:
    """Return the seconds of the page Curves: first view, and a step of the slider."""
    file = {"name": "scores.csv", "mimeType": "text/csv", "buffer": scores()}
    with serving(ROOT / "app.py", port), browser.new_page() as page:
        page.set_viewport_size({"width": 1440, "height": 1500})
        page.goto(f"http://localhost:{port}")
        page.locator(".js-plotly-plot").first.wait_for()
        page.get_by_role("link", name="Data", exact=True).first.click()
        page.get_by_test_id("stFileUploaderDropzoneInput").set_input_files([file])
        page.get_by_text("750,000 predictions").wait_for(timeout=60_000)
        page.locator(IDLE).wait_for()
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
    path = os.environ.get("CHROMIUM") or shutil.which("chromium") or shutil.which("google-chrome")
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        bare = Path(folder) / "bare.py"
        bare.write_text("import streamlit as st\nst.title('x')\n", encoding="utf-8")
        browser = playwright.chromium.launch(executable_path=path, args=FLAGS)
        least = first_paint(browser, bare, 8701)
        ours = first_paint(browser, ROOT / "app.py", 8702)
        for step, seconds in ours.items():
            print(f"{step}: {seconds:.2f} s, {seconds / least[step]:.2f} x a bare app")
        for step, seconds in (large_upload(browser, 8703) | curves_page(browser, 8704)).items():
            print(f"{step}: {seconds:.2f} s")
        browser.close()


if __name__ == "__main__":
    main()
