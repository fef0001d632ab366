"""Accessibility check by axe-core of every page, sample, theme and width.

``python -m benchmarks.axe`` fetches axe-core (MPL 2.0, so it is not part of this repository) by npm
and prints each finding once, with its first location. Page names, ``--sample`` and ``--width``
restrict what is visited; ``--opened`` opens every tab and expander, too. The exit code is 1 if
there is a finding in markup of the app, not of Streamlit.
"""

import argparse
import csv
import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import product
from pathlib import Path

from playwright.sync_api import Browser, Page, sync_playwright

from tests.websocket_clients import serve

ROOT = Path(__file__).parents[1]
VERSION = "axe-core@4.14.1"
PAGES = ("overview", "data", "pair", "one_data_set", "multivariate", "curves", "many_data_sets")
PAGES += ("ordering", "lab", "export", "map", "help")
#: Rule, and a part of the element that identifies markup of Streamlit itself.
STREAMLITS = [("presentation-role-conflict", "stFileUploaderDropzone")]
THEMES = ("light", "dark")
WIDTHS = (1440, 1024, 390)  # px
FOLDED = "[data-testid=stExpander] details:not([open]) > summary"
WAIT = 120_000  # milliseconds, timeout of each state
ASK = """async () => (await axe.run(document, {resultTypes: ['violations']})).violations
    .flatMap(v => v.nodes.map(n => [v.id, v.impact, n.target.join(' '), n.failureSummary, n.html]))"""


@contextmanager
def chromium() -> Iterator[Browser]:
    """Start the Chromium or Chrome that is installed, or that CHROMIUM names."""
    names = (os.environ.get("CHROMIUM"), "chromium", "google-chrome")
    path = next(filter(None, (shutil.which(name) for name in names if name)), None)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=["--no-sandbox"])
        yield browser
        browser.close()


def fetched() -> str:
    """Return the source of axe-core."""
    with tempfile.TemporaryDirectory() as folder:
        command = ["npm", "pack", "--silent", VERSION, "--pack-destination", folder]
        subprocess.run(command, check=True, capture_output=True)
        (packed,) = Path(folder).iterdir()
        with tarfile.open(packed) as archive:
            return archive.extractfile("package/axe.min.js").read().decode()


def settled(page: Page) -> None:
    """Wait until the script has run and all figures are drawn."""
    page.locator("h1").first.wait_for(timeout=WAIT)
    page.locator("[data-testid=stApp][data-test-script-state=notRunning]").wait_for(timeout=WAIT)
    page.locator("[data-testid=stSkeleton]").first.wait_for(state="detached", timeout=WAIT)
    page.wait_for_function(
        "() => [...document.querySelectorAll('.js-plotly-plot')].every(p => p._fullLayout)", timeout=WAIT
    )


def asked(page: Page, axe: str) -> list[list[str]]:
    """Return the findings of axe-core on the current state of a page."""
    settled(page)
    page.evaluate(axe)
    return page.evaluate(ASK)


def states(page: Page, opened: bool) -> Iterator[str]:
    """Bring a page into each state: as it opens, and with `opened` every tab unfolded."""
    yield "as it opens"
    tabs = page.locator("[data-testid=stMain] [role=tab]")
    for position in range(max(tabs.count(), 1) if opened else 0):
        name = "unfolded"
        if tabs.count():
            tab = tabs.nth(position)
            name = tab.inner_text()
            tab.evaluate("tab => tab.click()")  # the tab may be scrolled out of view
            settled(page)
        for _ in range(page.locator(FOLDED).count()):
            if page.locator(FOLDED).count():
                page.locator(FOLDED).first.evaluate("head => head.click()")
                settled(page)
        yield name


def ours(finding: list[str]) -> bool:
    """Return whether a finding concerns markup of the app, not of Streamlit."""
    rule, *_, element = finding
    return not any(rule == known and part in element for known, part in STREAMLITS)


def main(given: list[str]) -> int:
    """Print every finding once, with its location."""
    asks = options(given)
    axe, kinds, looks = fetched(), set(), 0
    with serve("-m", "foldwise.web.launcher") as server, chromium() as browser:
        tabs = {theme: browser.new_page(color_scheme=theme) for theme in THEMES}
        for sample, name, width, theme in product(asks.sample, asks.pages, asks.width, THEMES):
            page, path_of_page = tabs[theme], "" if name == "overview" else name
            page.set_viewport_size({"width": width, "height": 900})
            page.goto(f"{server}/{path_of_page}?sample={sample}")
            settled(page)
            for state in states(page, asks.opened):
                for finding in asked(page, axe):
                    kind = (ours(finding), *finding[:3])
                    if kind not in kinds:
                        tell(finding, f"{theme}, {width} px, {sample}, {name}, {state}")
                    kinds.add(kind)
                looks += 1
    n_ours = sum(mine for mine, *_ in kinds)
    print(f"{looks} looks, {len(kinds)} findings, {n_ours} of them ours")
    return 1 if n_ours else 0


def options(given: list[str]) -> argparse.Namespace:
    """Return the parsed options; by default everything is visited."""
    with (ROOT / "sample_results" / "catalog.csv").open(encoding="utf-8") as file:
        samples = [row["file"] for row in csv.DictReader(file)]
    parser = argparse.ArgumentParser(prog="python -m benchmarks.axe")
    parser.add_argument("pages", nargs="*", default=PAGES, metavar="page")
    parser.add_argument("--sample", action="append", choices=samples)
    parser.add_argument("--width", action="append", type=int)
    parser.add_argument("--opened", action="store_true")
    asks = parser.parse_args(given)
    asks.sample, asks.width = asks.sample or samples, asks.width or list(WIDTHS)
    return asks


def tell(finding: list[str], where: str) -> None:
    """Print a finding with its owner, rule, impact, element and location."""
    rule, weight, selector, why, element = finding
    owner = "ours" if ours(finding) else "Streamlit's"
    print(f"{owner}: {rule} ({weight}), {where}\n    {selector}\n    {element[:300]}")
    print(f"    {' '.join(why.split())}", flush=True)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
