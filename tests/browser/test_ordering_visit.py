"""Tests of the pages Trade-offs and Plan in a browser: steps, a typed order, Cancel, links and files."""

import re
import sys
from urllib.parse import quote_plus

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import settle, shoot, until, workers_of
from tests.samples import shipped
from tests.websocket_clients import served

PLOT = ".js-plotly-plot"
HARD = (
    "/tradeoffs?sample=uci38_5x2.csv&ocost=train_s&oset=optdigits"  # tests override the cost here
)


def order_said(page):
    """Return the headline of the order."""
    return (
        page.locator(".st-key-verdict")
        .get_by_text(re.compile("Ordered |Ordered as you entered"))
        .first.inner_text()
    )


def test_arrow_keys_and_buttons_step_through_the_order(visit):
    page = visit(HARD)
    plot = page.locator(PLOT).nth(1)  # below the plane of costs
    expect(page.get_by_text("Final order.")).to_be_visible()
    drawn = "(plot) => JSON.stringify([plot.layout, plot.data])"
    final = plot.evaluate(drawn)

    def expect_drawn(relation, other):
        now = f"({drawn})(document.querySelectorAll('{PLOT}')[1])"
        page.wait_for_function(f"(other) => {now} {relation} other", arg=other)

    page.get_by_role("button", name="Start").click()
    expect(page.get_by_text("Step 1 of 8.", exact=False)).to_be_visible()
    expect_drawn("!==", final)
    settle(page)
    first = plot.evaluate(drawn)

    page.keyboard.press("ArrowRight")
    expect(page.get_by_text("Step 2 of 8.", exact=False)).to_be_visible()
    expect_drawn("!==", first)
    shoot(page, "ordering_step")

    page.keyboard.press("ArrowLeft")
    expect(page.get_by_text("Step 1 of 8.", exact=False)).to_be_visible()
    expect_drawn("===", first)
    page.get_by_role("button", name="End").click()
    expect(page.get_by_text("Final order.")).to_be_visible()


def test_a_changed_place_sorts_the_table_and_the_order(visit):
    page = visit("/tradeoffs?sample=garcia_herrera_2008_accuracy.csv&opost=none")
    expect(page.get_by_text("A prior order is needed", exact=False)).to_be_visible()
    table = page.get_by_test_id("stDataFrame").first
    typed = page.locator("#portal input, #portal textarea").first

    def open_last_place():
        box = table.bounding_box()
        page.keyboard.press("Escape")
        page.mouse.click(box["x"] + 60, box["y"] + 5.5 * 35)
        page.keyboard.press("Enter")

    until(page, open_last_place, lambda ms: expect(typed).to_be_visible(timeout=ms))
    typed.fill("0.5")
    page.keyboard.press("Enter")
    expect(page).to_have_url(re.compile("prior=NaiveBayes&"))
    settle(page)

    names = re.findall(r"prior=([^&]+)", page.url)
    assert names[0] == "NaiveBayes"
    assert len(names) == 5
    assert "Ordered as you entered" in order_said(page)
    expect(page.get_by_text("A prior order is needed", exact=False)).to_have_count(0)
    shoot(page, "own_order")


@pytest.mark.slow
def test_cancel_stops_a_long_simulation(visit):
    page = visit("/plan?sample=uci38_5x2.csv&ltab=Power&power_of=cost-aware+orders")
    page.get_by_role("button", name="Start").click()
    expect(page.get_by_text("The prior order 1-2-3", exact=False)).to_be_visible()
    page.get_by_label("Runs").fill("20000")
    page.get_by_label("Runs").press("Enter")
    page.get_by_role("button", name="Cancel").click()

    expect(page.get_by_text("The simulation was stopped.")).to_be_visible()
    expect(page.get_by_role("button", name="Continue")).to_be_visible()


@pytest.mark.slow
@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="counts processes in /proc")
def test_cancel_ends_the_process_of_a_leave_one_out_analysis_which_can_be_started_again(own_page):
    rows = [
        ",".join(f"{0.5 + (7 * i * j + i + j) % 9973 / 30000:.5f}" for j in range(40))
        for i in range(3000)  # so that the analysis takes longer than the page
    ]
    table = "\n".join(
        [
            f"dataset,{','.join(f'a{j}' for j in range(40))}",
            *(f"s{i},{row}" for i, row in enumerate(rows)),
        ]
    )
    page, cancel = own_page, own_page.get_by_role("button", name="Cancel")
    with served("-m", "foldwise.web.launcher") as (address, process):
        page.goto(f"{address}/data")
        settle(page)
        file = {"name": "large_accuracy.csv", "mimeType": "text/csv", "buffer": table.encode()}
        page.get_by_test_id("stFileUploaderDropzoneInput").set_input_files([file])
        expect(page.get_by_text("3,000 data sets, 40 algorithms")).to_be_visible()
        page.get_by_role("link", name="Results", exact=True).click()
        settle(page)
        page.get_by_role("tab", name="Sensitivity").click()
        expect(page.get_by_text("checking ...")).to_be_visible()
        before = len(workers_of(process.pid))

        cancel.last.click()
        again = page.get_by_role("button", name="Try again")
        expect(again).to_be_visible()
        expect(
            page.get_by_text("was not completed. The computation was cancelled.")
        ).to_be_visible()
        assert len(workers_of(process.pid)) == before - 1
        again.click()
        expect(page.get_by_text("checking ...")).to_be_visible()
        expect(cancel).to_have_count(1)


def test_a_copied_link_brings_back_tab_cost_and_order(visit):
    asked = "ocost=own+order&otab_costs=true&oset=optdigits"
    prior = "&".join(
        f"prior={quote_plus(name)}" for name in reversed(shipped("uci38_5x2.csv").algorithms)
    )
    page = visit(f"/tradeoffs?sample=uci38_5x2.csv&{asked}&{prior}")
    said = order_said(page)
    page.get_by_role("button", name="Copy link").click()
    link = page.get_by_test_id("stCode").filter(has_text="/tradeoffs?").inner_text().strip()
    for part in (*asked.split("&"), *prior.split("&")):
        assert part in link

    page.goto(link)
    expect(page.locator(".st-key-verdict")).to_contain_text(said)
    expect(page.get_by_text("Order by each cost")).to_be_visible()
    expect(page.get_by_role("combobox", name="Cost", exact=True)).to_have_value("own order")


@pytest.mark.slow
def test_the_graph_is_saved_as_tikz_and_pdf(visit):
    page = visit(HARD)
    page.get_by_role("button", name="Save").nth(1).click()
    files = {}
    for kind in ("TikZ", "PDF"):
        with page.expect_download() as download:
            page.get_by_role("button", name=kind, exact=True).click()
        files[kind] = download.value.path().read_bytes()

    assert files["PDF"].startswith(b"%PDF")
    tikz = files["TikZ"].decode()
    assert "\\begin{tikzpicture}" in tikz
    for name in ("5-NN", "C4.5", "SVM (RBF)"):
        assert name in tikz
