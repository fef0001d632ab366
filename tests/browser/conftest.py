"""Fixtures and helpers of the browser tests, which use a real server and a real browser."""

import os
from contextlib import contextmanager
from pathlib import Path

import pytest
from playwright.sync_api import Error, Page, expect

from tests.websocket_clients import serve

SCREENSHOTS = Path(__file__).parent / "screenshots"
LONG = 60_000  # milliseconds until a state must have come; a busy machine is slow, not wrong
expect.set_options(timeout=LONG)
# colour of texts on the axes of a figure, on a light and on a dark page
INK, LIGHT, DARK = (
    "document.querySelector('.xtick text')?.style.fill",
    "rgb(31, 41, 55)",
    "rgb(232, 234, 237)",
)


@contextmanager
def opened(browser):
    """Open a browser tab without animations, and close it at the end of the block."""
    tab = browser.new_page(reduced_motion="reduce")
    tab.set_default_timeout(LONG)
    yield tab
    tab.close()


@pytest.fixture
def own_page(browser):
    """A browser tab that only one test uses."""
    with opened(browser) as tab:
        yield tab


@pytest.fixture(scope="session")
def shared_tab(browser):
    """One tab for all tests that visit the app, since loading its scripts takes longer than most visits."""
    with opened(browser) as tab:
        yield tab


@pytest.fixture
def page(shared_tab):
    """The shared tab at the size of a desktop; page, local storage and colour scheme are reset after the test."""
    shared_tab.set_viewport_size({"width": 1440, "height": 900})
    yield shared_tab
    shared_tab.evaluate("localStorage.clear()")
    shared_tab.goto("about:blank")
    shared_tab.emulate_media(color_scheme="null")


@pytest.fixture(scope="session")
def server():
    """The address of an app started by the launcher."""
    with serve("-m", "foldwise.web.launcher") as address:
        yield address


@pytest.fixture
def visit(page: Page, server):
    """A function that opens a path of the app and waits until it is drawn; requests to other hosts fail the test."""
    outside = []

    def hear(request):
        outside.append(request.url)

    page.on("request", hear)

    def open_page(path="/", width=1440, height=900):
        page.set_viewport_size({"width": width, "height": height})
        page.goto(server + path)
        settle(page)
        return page

    yield open_page
    page.remove_listener("request", hear)
    foreign = [url for url in outside if not url.startswith((server, "data:", "blob:"))]
    assert foreign == [], "the app must not fetch anything from elsewhere"


def workers_of(pid):
    """Return the ids of the processes below a launcher that run calls."""
    return [child for child, is_reader in _descendants(pid) if not is_reader]


def _descendants(pid, parent=b""):
    """Yield each worker below a process, and whether it only forks those that read."""
    for file in Path(f"/proc/{pid}/task").glob("*/children"):
        for child in map(int, file.read_text().split()):
            command = Path(f"/proc/{child}/cmdline").read_bytes()
            reads = command.endswith(b"\0reads\0")
            if b"foldwise.web.worker" in command:
                yield child, reads and parent != command
            yield from _descendants(child, command)


def settle(page: Page):
    """Wait until the script has run and no placeholder is left."""
    page.locator("h1").first.wait_for(timeout=LONG)
    page.locator("[data-testid=stApp][data-test-script-state=notRunning]").wait_for(timeout=LONG)
    page.locator("[data-testid=stSkeleton]").first.wait_for(state="detached", timeout=LONG)


def until(page: Page, act, seen):
    """Repeat `act` until `seen` succeeds, since input during a redraw is lost; return what `seen` returns."""
    for _ in range(10):
        settle(page)
        try:
            act()
            return seen(10_000)
        except (Error, AssertionError) as error:
            missed = error
    raise missed


def click_in_figure(page: Page, plot, place, seen):
    """Click at a position in a figure, given by a JavaScript function of the plot, until `seen` succeeds."""

    def click():
        plot.scroll_into_view_if_needed()
        at = plot.evaluate(place)
        page.mouse.move(at["x"] - 40, at["y"] - 40)
        page.mouse.move(at["x"], at["y"])
        page.wait_for_function(
            "(plot) => plot._hoverdata?.length", arg=plot.element_handle(), timeout=10_000
        )
        page.wait_for_timeout(
            200
        )  # Plotly handles movements every 50 ms, and takes a click for one on the last mark
        page.mouse.click(at["x"], at["y"])

    until(page, click, seen)


def at_mark(trace, index):
    """Return a JavaScript function that returns screen position and customdata of one mark of a trace."""
    return f"""(plot) => {{
        const trace = plot._fullData.find({trace}), at = ({index})(trace);
        const x = plot._fullLayout[trace.xaxis.replace("x", "xaxis")];
        const y = plot._fullLayout[trace.yaxis.replace("y", "yaxis")];
        const box = plot.getBoundingClientRect();
        return {{
            x: box.left + x._offset + x.d2p(trace.x[at]),
            y: box.top + y._offset + y.d2p(trace.y[at]),
            data: trace.customdata[at],
        }};
    }}"""


def shoot(page: Page, name: str):
    """Save a screenshot if the environment variable FOLDWISE_SCREENSHOTS is set."""
    if os.environ.get("FOLDWISE_SCREENSHOTS"):
        SCREENSHOTS.mkdir(exist_ok=True)
        page.screenshot(path=SCREENSHOTS / f"{name}.png")
