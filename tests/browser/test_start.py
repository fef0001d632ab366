"""Tests of a visitor's first steps: opening results, copying the answer, and editing the list of algorithms."""

import json
import re

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import settle, until

TABLE = "dataset,rf,svm,knn\n" + "".join(
    f"d{i},{0.9 - i / 100:.3f},{0.88 - (i * 7 % 5) / 100:.3f},{0.5 + i / 90:.3f}\n"
    for i in range(14)
)
SAMPLE = "/?sample=demsar_2006_auc.csv"
PASTE = """(text) => {
    const data = new DataTransfer()
    data.setData("text/plain", text)
    document.body.dispatchEvent(new ClipboardEvent("paste", { clipboardData: data, bubbles: true }))
}"""

DRAG = """([kind, text]) => {
    const data = new DataTransfer()
    data.items.add(new File([text], "results.csv"))
    const event = new DragEvent(kind, { dataTransfer: data, bubbles: true, cancelable: true })
    return !document.querySelector("h1").dispatchEvent(event)
}"""


def answer(page):
    """Return the headline of the page Results."""
    return page.locator(".st-key-answer h1")


def test_a_table_pasted_anywhere_is_opened_and_its_question_answered(visit):
    page = visit()
    preview = page.get_by_role("heading", name="Preview")
    until(
        page,
        lambda: page.evaluate(PASTE, TABLE),
        lambda wait: expect(preview).to_be_visible(timeout=wait),
    )
    page.get_by_test_id("stForm").get_by_label("Measure", exact=True).fill("accuracy")
    page.get_by_role("button", name="Higher is better").click()

    expect(answer(page)).to_contain_text("accuracy")
    expect(page.get_by_text("14 data sets / 3 algorithms")).to_be_visible()


def test_a_file_dropped_anywhere_is_opened_and_the_page_says_so_while_it_is_dragged(visit):
    page = visit()
    hint = "getComputedStyle(document.body, '::after').content"
    drag = lambda kind: page.evaluate(DRAG, [kind, TABLE])  # noqa: E731

    until(
        page,
        lambda: drag("dragover"),
        lambda wait: page.wait_for_function(f"{hint}.includes('Drop')", timeout=wait),
    )
    assert drag("dragleave") is False
    assert page.evaluate(hint) == "none"
    assert drag("dragover") is drag("drop") is True  # the browser must not open the file itself

    expect(page.get_by_role("heading", name="Preview")).to_be_visible()
    assert page.evaluate(hint) == "none"


def test_a_file_dropped_on_another_page_does_not_replace_the_app(visit):
    page = visit(SAMPLE)
    page.wait_for_function(
        DRAG, arg=["drop", TABLE]
    )  # true once the browser must not open the file


def test_a_selection_is_shown_after_a_reload_and_the_sentence_copied_on_the_press(visit):
    selected = json.dumps(["pair", ["C4.5", "C4.5+m"], ""])
    page = visit(f"{SAMPLE}&sel={selected.replace('+', '%2B')}")
    chip = page.locator(".st-key-chip")
    expect(chip).to_contain_text("C4.5+m")
    page.reload()
    settle(page)
    expect(chip).to_contain_text("C4.5+m")

    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    button = page.get_by_role("button", name="Copy sentence")
    button.click()

    expect(page.get_by_role("button", name="Copied")).to_be_visible()
    assert "14 data sets" in page.evaluate("navigator.clipboard.readText()")
    expect(button).to_be_visible()  # again


def test_algorithms_are_left_out_renamed_and_starred_in_their_list(visit):
    page = visit(SAMPLE)
    listed = page.locator("[data-testid=stSidebar] li")
    expect(listed).to_have_count(4)

    page.get_by_role("button", name="Leave out C4.5+cf", exact=True).click()
    expect(page).to_have_url(re.compile(r"out=C4\.5%2Bcf"))
    settle(page)
    page.get_by_role(
        "button", name="Select C4.5", exact=True
    ).hover()  # the pen is drawn in the row under the pointer
    page.get_by_role("button", name="Rename C4.5", exact=True).click()
    page.get_by_role("textbox", name="Rename C4.5", exact=True).fill("plain")
    page.keyboard.press("Enter")
    expect(answer(page)).to_contain_text("plain")
    settle(page)
    page.get_by_role("button", name="Use plain as the control").click()

    expect(page).to_have_url(re.compile("control=plain"))
    expect(page.get_by_role("button", name="Use plain as the control")).to_have_attribute(
        "aria-pressed", "true"
    )
    settle(page)
    page.get_by_role("button", name="Use C4.5+m+cf as the control").click()
    expect(page).to_have_url(re.compile(r"control=C4\.5%2Bm%2Bcf"))


def test_figures_fit_a_narrow_window_cut_tables_say_so_and_the_menu_closes(visit):
    page = visit(width=390, height=844)
    table = TABLE.replace("rf", "Random forest of 500 trees").replace(
        "svm", "Support vector machine (RBF)"
    )
    page.get_by_test_id("stFileUploaderDropzoneInput").set_input_files(
        [{"name": "mine_accuracy.csv", "mimeType": "text/csv", "buffer": table.encode()}]
    )
    expect(answer(page)).to_contain_text("Random forest")  # not the example of the start page
    page.get_by_role("tab", name="All pairs", exact=True).evaluate("tab => tab.click()")
    expect(page.locator("[class*=st-key-figure_pairs] .js-plotly-plot")).to_be_visible()
    expect(page.locator("[data-cut]", has=page.get_by_test_id("stDataFrame")).first).to_be_visible()
    page.wait_for_function(
        """() => [...document.querySelectorAll("[class*=st-key-figure_]")].every((box) =>
            box.dataset.room !== "scrolls" && box.scrollWidth <= box.clientWidth && box.querySelector(".js-plotly-plot"))"""
    )
    assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")

    page.get_by_test_id("stExpandSidebarButton").click()
    page.get_by_test_id("stSidebar").get_by_role("link", name="Compare", exact=True).click()
    expect(page.get_by_role("heading", name="Compare", exact=True)).to_be_visible()
    expect(page.get_by_test_id("stExpandSidebarButton")).to_be_visible()


@pytest.mark.parametrize(
    "address",
    [
        "tradeoffs?sample=uci38_5x2.csv",
        "export?sample=uci38_5x2.csv",
        "export?etab=Figures&sample=demsar_2006_auc.csv",  # of the few figures of a small table
    ],
)
def test_the_first_figure_is_on_the_first_screen_of_a_phone(visit, address):
    page = visit(f"/{address}", width=390, height=844)
    expect(page.get_by_test_id("stMain").locator(".js-plotly-plot").first).to_be_visible()
    page.wait_for_function(
        "document.querySelector('[data-testid=stMain] .js-plotly-plot').getBoundingClientRect().y < 600"
    )
