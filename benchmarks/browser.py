"""Measurements in Chromium: accessibility, load times, and figures as Plotly draws them.

* ``python -m benchmarks.browser axe`` (or ``python -m benchmarks axe``) fetches axe-core (MPL 2.0, so it is not part of this repository) by
  npm. It opens every expander of every page and tab of every sample, prints one line for each, and
  each finding once, with its first location. Of the popovers of a sample, one with each label is
  opened. The samples in `CROSSED`, one for each kind of comparison, are checked at all widths in
  both themes, the others at 1440 px in the light theme. Rules that depend on markup alone are
  checked once per page load, those in `LOOKS` at every width and theme. Page names, ``--sample``
  and ``--width`` restrict what is visited; named samples are checked at all widths and in both
  themes. ``--start SAMPLE`` continues a run that was interrupted. The exit code is 1 if there is a
  finding in markup of the app, not of Streamlit, or if a page could not be checked.
* ``python -m benchmarks.browser words`` prints the number of visible words on every page and tab, without figures, tables, code and
  the preview of the article.
  Page names and ``--sample`` restrict what is visited.
* ``python -m benchmarks.browser layout`` prints the y coordinate of the first figure of every sample and width on the page Results (or the
  pages named), the words before it, and the pixels by which the page is wider than the window.
  Options as for ``axe``. The exit code is 1 if a figure of Results begins below its limit, or if a
  page is too wide.
* ``python -m benchmarks.browser loading`` prints the seconds from the start of the server to first paint, also as a ratio to an app
  that shows one heading (the least Streamlit itself needs on this machine).
* ``python -m benchmarks.browser figures FOLDER`` writes one PNG at 192 dpi for every figure of four analyses of the samples: rendered
  by Foldwise on the left, by Plotly in Chromium on the right. It also writes a contact sheet for
  each kind of analysis of 2, 5, 8, 16 and 40 generated algorithms with long names, with four
  columns: light page, dark page, print in colour and in grey. It prints the texts that overlap or
  leave a figure. Kinds of analysis after the folder restrict the sheets.

The environment variable CHROMIUM may name the browser.
"""

import argparse
import base64
import csv
import io
import json
import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from itertools import chain, product
from pathlib import Path

import numpy as np
import plotly.graph_objects as go
from PIL import Image
from playwright.sync_api import Browser, Page, sync_playwright
from playwright.sync_api import Error as PlaywrightError
from plotly.offline import get_plotlyjs

from benchmarks.benchmark_row import Row
from benchmarks.speed import PANEL, figures_of
from foldwise.figures import theme
from foldwise.rendering.figure_files import draw_for_print
from foldwise.rendering.from_plotly import export
from stats_core.data.settings import Settings
from tests.figures.drawn_figures import faults_of_text
from tests.figures.sample_figures import GENERATED, generated
from tests.websocket_clients import serve

ROOT = Path(__file__).parents[1]
VERSION = "axe-core@4.14.1"
PAGES = ("results", "compare", "explore", "tradeoffs", "plan", "export", "data", "help")
#: Rule, and a part of the element that identifies markup of Streamlit itself -> reason
STREAMLITS = {
    (
        "presentation-role-conflict",
        "stFileUploaderDropzone",
    ): "the drop zone has a label and the role presentation"
}
#: Samples checked at all widths and in both themes: one for each kind of comparison
CROSSED = ("graded.csv", "vehicle_scores.csv.gz", "two_models.csv", "demsar_2006_auc.csv")
#: Theme -> background of the app
GROUNDS = {"light": "rgb(255, 255, 255)", "dark": "rgb(14, 17, 23)"}
WIDTHS = (1440, 1024, 390)  # px
SIDEBAR = 768  # px, narrower windows open without the sidebar
FOLDED = "[data-testid=stExpander] details:not([open]) > summary"
WAIT = 180_000  # milliseconds, timeout of each state
POPOVERS, POPOVER = "[data-testid=stPopover] button", "[data-testid=stPopoverBody]"
TABS = "[data-testid=stMain] [role=tab]"
LABELS = """buttons => buttons.filter(button => !button.disabled && button.checkVisibility())
    .map(button => button.querySelector('p').textContent)"""
COUNT = """() => {
    const words = part => (part.innerText.match(/[\\p{L}\\p{N}][\\p{L}\\p{N}.,'\u2212-]*/gu) || []).length;
    const main = document.querySelector('[data-testid=stMain]');
    const kinds = ['stPlotlyChart', 'stDataFrame', 'stCode', 'stIconMaterial'].map(kind => `[data-testid=${kind}]`);
    const skipped = [...main.querySelectorAll([...kinds, '[data-baseweb=select]', '[class*=st-key-preview_]'])]
        .filter(part => part.checkVisibility());
    return skipped.reduce((total, part) => total - words(part), words(main));
}"""
DRAWN = """!document.querySelector('[data-stale=true]') && document.getAnimations().every(a => a.playState !== 'running')
    && [...document.querySelectorAll('.js-plotly-plot')].every(plot => plot._fullLayout)"""
#: Rules whose result depends on colours and sizes
LOOKS = ("color-contrast", "link-in-text-block", "scrollable-region-focusable", "target-size")
ASK = """async ([part, rules]) => (await axe.run(part ?? document, {resultTypes: ['violations'], ...(rules && {runOnly: rules})})).violations
    .flatMap(v => v.nodes.map(n => [v.id, v.impact, n.target.join(' '), n.failureSummary, n.html]))"""


@contextmanager
def chromium() -> Iterator[Browser]:
    """Yield a running Chromium or Chrome: the one named by the variable CHROMIUM, else an installed one."""
    names = (os.environ.get("CHROMIUM"), "chromium", "google-chrome")
    path = next(filter(None, (shutil.which(name) for name in names if name)), None)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=["--no-sandbox"])
        yield browser
        browser.close()


def fetch_axe() -> str:
    """Return the source of axe-core."""
    with tempfile.TemporaryDirectory() as folder:
        command = ["npm", "pack", "--silent", VERSION, "--pack-destination", folder]
        subprocess.run(command, check=True, capture_output=True)
        (packed,) = Path(folder).iterdir()
        with tarfile.open(packed) as archive:
            return archive.extractfile("package/axe.min.js").read().decode()


def visit(page: Page, server: str, name: str, sample: str, width: int, height: int = 900) -> None:
    """Open a page with a sample in a window of this size, and wait until it is complete."""
    page.set_viewport_size({"width": width, "height": height})
    page.goto(f"{server}/{'' if name == 'results' else name}{sample and f'?sample={sample}'}")
    wait_until_idle(page)


def wait_until_idle(page: Page) -> None:
    """Wait until the script has run, nothing is faded as outdated, and all figures are drawn."""
    page.locator("h1").first.wait_for(timeout=WAIT)
    page.locator(IDLE).wait_for(timeout=WAIT)
    page.locator("[data-testid=stSkeleton]").first.wait_for(state="detached", timeout=WAIT)
    page.wait_for_function(f"() => {DRAWN}", timeout=WAIT)


def states(page: Page) -> Iterator[str]:
    """Bring a page into each state to be checked, with its expanders open; yield the name of the state."""
    tabs = page.locator(TABS)
    for position in range(max(tabs.count(), 1)):
        name = "as it opens"
        if tabs.count():
            tab = tabs.nth(position)
            name = tab.inner_text()
            tab.evaluate("tab => tab.click()")  # the tab may be scrolled out of view
            wait_until_idle(page)
        for _ in range(page.locator(FOLDED).count()):
            page.evaluate(
                "folded => document.querySelectorAll(folded).forEach(head => head.click())", FOLDED
            )
            wait_until_idle(page)
            if not page.locator(FOLDED).count():
                break
        yield name


def is_ours(finding: list[str]) -> bool:
    """Return whether a finding concerns markup of the app, not of Streamlit."""
    rule, *_, element = finding
    return not any(rule == name and part in element for name, part in STREAMLITS)


def check_state(page: Page, theme: str, width: int, rules: list[str] | None) -> list[list[str]]:
    """Return the findings of axe-core in a theme and at a width, by default of all its rules."""
    page.set_viewport_size({"width": width, "height": 900})
    page.emulate_media(color_scheme=theme)
    page.wait_for_function(
        f"getComputedStyle(document.querySelector('.stApp')).backgroundColor === '{GROUNDS[theme]}'"
    )
    for _ in range(2):  # what is found while the page changes may be gone a moment later
        wait_until_idle(page)
        if not (faults := page.evaluate(ASK, [None, rules])):
            break
    return faults


def check_popovers(
    page: Page, theme: str, seen: set[tuple]
) -> Iterator[tuple[str, list[list[str]]]]:
    """Yield the label of each popover not `seen` in this theme, and the findings of axe-core in the open popover."""
    buttons = page.locator(POPOVERS)
    for label in buttons.evaluate_all(LABELS):
        if (label, theme) not in seen:
            seen.add((label, theme))
            buttons.filter(has_text=label).first.evaluate("button => button.click()")
            page.locator(POPOVER).wait_for()
            wait_until_idle(page)
            yield f"popover {label}, {theme}", page.evaluate(ASK, [POPOVER, None])
            for _ in range(5):  # a click during a redraw is lost
                page.mouse.click(1, 1)  # Escape closes it only while it has the focus
                with suppress(PlaywrightError):
                    page.locator(POPOVER).wait_for(state="detached", timeout=3000)
                    break
            else:
                raise PlaywrightError(f"The popover {label} stays open.")


def visit_page(
    page: Page, server: str, where: tuple
) -> Iterator[tuple[str, list[list[str]] | None]]:
    """Yield the states of a page with their findings of axe-core, None for a page that could not be checked."""
    sample, name, widths, themes, seen = where
    try:
        page.emulate_media(color_scheme=themes[0], reduced_motion="reduce")
        visit(page, server, name, sample, widths[0])
        for state in states(page):
            begin = f"{sample or 'start'}, {name}, {state}"
            for number, (theme, width) in enumerate(product(themes, widths)):
                yield (
                    f"{begin}, {width} px, {theme}",
                    check_state(page, theme, width, list(LOOKS) if number else None),
                )
            for label, faults in check_popovers(page, theme, seen):
                yield f"{begin}, {label}", faults
            themes = themes[::-1]  # a change of theme reruns the page
    except PlaywrightError as error:
        print(str(error)[:300])
        yield f"{sample}, {name}, {widths[0]} px", None


def visits(options: argparse.Namespace) -> Iterator[tuple]:
    """Yield the page loads to be checked, as sample, page, widths, themes and popovers seen; first those without results."""
    for sample in options.sample:
        crossed = options.crossed or sample in CROSSED
        widths, themes = (
            (options.width, list(GROUNDS)) if crossed else ([WIDTHS[0]], list(GROUNDS)[:1])
        )
        narrow, wide = (
            [width for width in widths if (width < SIDEBAR) is small] for small in (True, False)
        )
        pages = [
            name
            for name in options.pages
            if name != "help" or sample == CROSSED[0] or options.crossed
        ]
        loads = [
            ("", name)
            for name in ("results", "data")
            if sample == CROSSED[0] and not options.crossed
        ]
        loads += [(sample, name) for name in pages]
        seen: set[tuple] = set()
        yield from (
            (*load, some, themes, seen) for load in loads for some in (wide, narrow) if some
        )


def axe_rows(arguments: Sequence[str] = ()) -> Iterator[Row]:
    """Print the states checked and every finding once; yield the numbers of findings of the app and of failed pages."""
    options, axe = parse_options(arguments), fetch_axe()
    kinds: dict[tuple, bool] = {}
    n_states, failed, began = 0, 0, time.perf_counter()
    with (
        serve("-m", "foldwise.web.launcher") as server,
        chromium() as browser,
        browser.new_page() as page,
    ):
        page.set_default_timeout(WAIT)
        page.add_init_script(axe)
        for where, findings in chain.from_iterable(
            visit_page(page, server, load) for load in visits(options)
        ):
            n_states, failed = n_states + 1, failed + (findings is None)
            outcome = (
                "not checked"
                if findings is None
                else f"{len(findings)} findings"
                if findings
                else "clean"
            )
            print(f"{time.perf_counter() - began:6.0f} s  {where}: {outcome}", flush=True)
            for finding in findings or ():
                kind = (is_ours(finding), *finding[:3])
                if kind not in kinds:
                    print_finding(finding, where)
                kinds[kind] = is_ours(finding)
    print(
        f"{len(kinds) - sum(kinds.values())} findings in markup of Streamlit: {', '.join(STREAMLITS.values())}"
    )
    yield Row(f"findings of axe-core in {n_states} states", sum(kinds.values()), 0, unit="")
    yield Row("pages that could not be checked", failed, 0, unit="")


def print_words(arguments: list[str]) -> None:
    """Print the number of visible words on every page and tab."""
    options = parse_options(arguments)
    with (
        serve("-m", "foldwise.web.launcher") as server,
        chromium() as browser,
        browser.new_page() as page,
    ):
        for sample, name in product(options.sample, options.pages):
            visit(page, server, name, sample, 1440)
            tabs = page.locator(TABS)
            for tab in tabs.all() or [None]:
                if tab is not None:
                    tab.click()
                    page.wait_for_timeout(500)
                    wait_until_idle(page)
                opened = "" if tab is None else tab.inner_text()
                print(
                    f"{page.evaluate(COUNT):5} {sample}, {name}, {opened}".rstrip(", "), flush=True
                )


# ---- layout

#: Width in px -> largest y coordinate of the first figure of Results; narrower windows have their
#: first screen
LOWEST = {1440: 330}
HEIGHTS = {390: 844}
MEASURE = """() => {
    const main = document.querySelector("[data-testid=stMain]"), plot = main.querySelector(".js-plotly-plot")
    let words = 0
    for (const block of main.querySelectorAll("h1, h2, h3, p, li, label, button")) {
        if (block.querySelector("h1, h2, h3, p, li, label, button") || !block.checkVisibility()) continue
        if (plot && !(block.compareDocumentPosition(plot) & Node.DOCUMENT_POSITION_FOLLOWING)) continue
        words += block.innerText.split(/\\s+/).filter(Boolean).length
    }
    const y = plot ? Math.round(plot.getBoundingClientRect().y + main.scrollTop) : null
    return [y, words, Math.max(main.scrollWidth - main.clientWidth, document.documentElement.scrollWidth - innerWidth)]
}"""


def print_layout(arguments: list[str]) -> int:
    """Print the position of the first figure and the excess width of each page; return 1 if a limit is exceeded."""
    options, n_missed = parse_options(arguments, pages=("results",)), 0
    with (
        serve("-m", "foldwise.web.launcher") as server,
        chromium() as browser,
        browser.new_page() as page,
    ):
        for name, sample, width in product(options.pages, options.sample, options.width):
            height = HEIGHTS.get(width, 900)
            visit(page, server, name, sample, width, height)
            top, words, wider = page.evaluate(MEASURE)
            missed = wider > 0 or (
                name == "results" and top is not None and top > LOWEST.get(width, height - 1)
            )
            n_missed += missed
            print(
                f"{name:10}{sample:32}{width:6} px: figure at {top}, {words} words before, {wider} px too wide{' *' * missed}"
            )
    return 1 if n_missed else 0


def parse_options(arguments: list[str], pages: Sequence[str] = PAGES) -> argparse.Namespace:
    """Return the parsed options; by default `pages`, all samples and all widths."""
    with (ROOT / "sample_results" / "catalog.csv").open(encoding="utf-8") as file:
        samples = [row["file"] for row in csv.DictReader(file)]
    parser = argparse.ArgumentParser(prog="python -m benchmarks.browser")
    parser.add_argument("pages", nargs="*", default=pages, metavar="page")
    parser.add_argument("--sample", action="append", choices=samples)
    parser.add_argument("--width", action="append", type=int)
    parser.add_argument("--start", default=samples[0], choices=samples, help="first sample")
    options = parser.parse_args(arguments)
    options.crossed = bool(options.sample)
    options.sample = options.sample or samples[samples.index(options.start) :]
    options.width = options.width or list(WIDTHS)
    return options


def print_finding(finding: list[str], where: str) -> None:
    """Print a finding with its owner, rule, impact, element and location."""
    rule, weight, selector, why, element = finding
    owner = "app" if is_ours(finding) else "Streamlit"
    print(f"{owner}: {rule} ({weight}), {where}\n    {selector}\n    {element[:300]}")
    print(f"    {' '.join(why.split())}", flush=True)


# ---- load times

IDLE = "[data-testid=stApp][data-test-script-state=notRunning]"


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


def measure_loading() -> None:
    """Print the load times."""
    with tempfile.TemporaryDirectory() as folder, chromium() as browser:
        bare = Path(folder) / "bare.py"
        bare.write_text("import streamlit as st\nst.title('x')\n", encoding="utf-8")
        least = first_paint(browser, "-m", "streamlit", "run", str(bare))
        ours = first_paint(browser, "-m", "foldwise.web.launcher")
        for step, seconds in ours.items():
            print(f"{step}: {seconds:.2f} s, {seconds / least[step]:.2f} x a bare app")


# ---- figures

DPI = 192
ANALYSES = (
    ("uci38_5x2.csv", Settings()),
    ("uci38_5x2.csv", Settings(dataset="australian")),
    ("twoclass_scores.csv.gz", Settings(dataset="acceptors", measure="auc")),
    ("twoclass_counts.csv", Settings(dataset="donors", measures=("fpr", "tpr"))),
)


@contextmanager
def plotly_page() -> Iterator[Page]:
    """Yield a page of Chromium with Plotly."""
    with chromium() as browser:
        page = browser.new_page()
        page.set_content("<div></div>")
        page.add_script_tag(content=get_plotlyjs())
        yield page


def by_chromium(page: Page, figure, dpi: int = DPI) -> Image.Image:
    """Return a figure rendered by Plotly in Chromium."""
    size = {"width": figure.layout.width, "height": figure.layout.height}
    data_url = page.evaluate(
        "([spec, options]) => Plotly.toImage(spec, options)",
        [json.loads(figure.to_json()), {"format": "png", "scale": dpi / 96, **size}],
    )
    return Image.open(io.BytesIO(base64.b64decode(data_url.partition(",")[2])))


def compare_figures(folder: Path) -> None:
    """Save an image of each figure as printed next to its rendering in Chromium."""
    folder.mkdir(parents=True, exist_ok=True)
    specs = {spec.name: spec for file, settings in ANALYSES for spec in figures_of(file, settings)}
    with plotly_page() as page:
        for name, spec in specs.items():
            figure = draw_for_print(spec, PANEL)
            images = Image.open(io.BytesIO(export(figure, "png", DPI))), by_chromium(page, figure)
            left, right = (np.asarray(image.convert("RGB")) for image in images)
            height = max(len(left), len(right))
            both = [
                np.pad(array, ((0, height - len(array)), (0, 40), (0, 0)))
                for array in (left, right)
            ]
            Image.fromarray(np.hstack(both)).save(folder / f"{name}.png")
    print(f"{len(specs)} pictures in {folder}")


COUNTS = (2, 5, 8, 16, 40)
SURFACES = (
    theme.screen(),
    theme.screen(dark=True),
    theme.paper(6.75, colour=True),
    theme.paper(3.25),
)


def contact_sheets(folder: Path, kinds: Sequence[str]) -> None:
    """Write a contact sheet of each kind of analysis and number of algorithms; print overlapping or clipped texts."""
    folder.mkdir(parents=True, exist_ok=True)
    n_faults = 0
    with plotly_page() as page:
        for kind, k in product(kinds, COUNTS):
            rows = []
            for spec, style in product(generated(kind, k), SURFACES):
                faults = faults_of_text(spec, style)
                n_faults += len(faults)
                for fault in faults:
                    print(f"{kind}, {k}, {spec.name}, {style.template}: {fault}", flush=True)
                figure = go.Figure(spec.figure(style))
                figure.update_layout(
                    width=figure.layout.width or style.width, paper_bgcolor=style.page
                )
                rows.append(by_chromium(page, figure, 96))
            montage([rows[i : i + len(SURFACES)] for i in range(0, len(rows), len(SURFACES))]).save(
                folder / f"sheet_{kind.replace(' ', '_')}_{k}.png"
            )
    print(f"{n_faults} overlapping or clipped texts")


def montage(rows: Sequence[Sequence[Image.Image]], space: int = 16) -> Image.Image:
    """Return one image that shows the given ones in rows and columns."""
    widths = [max(image.width for image in column) + space for column in zip(*rows, strict=True)]
    heights = [max(image.height for image in row) + space for row in rows]
    sheet = Image.new("RGB", (sum(widths) + space, sum(heights) + space), "#BBBBBB")
    for i, row in enumerate(rows):
        for j, image in enumerate(row):
            sheet.paste(image.convert("RGB"), (space + sum(widths[:j]), space + sum(heights[:i])))
    return sheet


def main(arguments: list[str]) -> int:
    """Run one of the measurements; return the exit code."""
    match arguments:
        case ["axe", *rest]:
            rows = list(axe_rows(rest))
            print(*rows, sep="\n")
            return int(not all(row.met for row in rows))
        case ["words", *rest]:
            print_words(rest)
        case ["layout", *rest]:
            return print_layout(rest)
        case ["loading"]:
            measure_loading()
        case ["figures", folder]:
            compare_figures(Path(folder))
            contact_sheets(Path(folder), tuple(GENERATED))
        case ["figures", folder, *kinds]:
            contact_sheets(Path(folder), kinds)
        case _:
            print(__doc__)
            return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
