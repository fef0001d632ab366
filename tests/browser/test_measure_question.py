"""Tests of the question about the measure, answered in a browser by keys and by clicks."""

from playwright.sync_api import expect

from tests.browser.conftest import settle

WIDE = "dataset,rf,svm,knn\n" + "".join(f"d{i},{i}.5,{9 - i}.1,{i * i}.7\n" for i in range(6))
HIGHER, LOWER = "Measure (higher is better)", "Measure (lower is better)"


def bring(page):
    """Upload the table; return the input field for its measure."""
    page.get_by_test_id("stFileUploaderDropzoneInput").set_input_files(
        [{"name": "t.csv", "mimeType": "text/csv", "buffer": WIDE.encode()}]
    )
    expect(page.get_by_text("What do the numbers measure, and are")).to_be_visible()
    settle(page)
    return page.get_by_test_id("stForm").get_by_label("Measure", exact=True)


def test_a_measure_is_named_by_enter_by_clicks_and_by_choice(visit):
    for measure, better, keys, button in (
        ("Accuracy (%)", HIGHER, "Enter", ""),
        ("RMSE", LOWER, "Tab", "Read the table"),
    ):
        page = visit("/data")
        name = bring(page)
        name.click()
        page.keyboard.type(measure)
        name.press(keys)
        if button:
            page.get_by_role("button", name=button).click()
        expect(page.get_by_text(f"measure {measure}.")).to_be_visible()
        expect(page.get_by_text(better)).to_be_visible()

    page = visit("/data")
    bring(page)
    page.get_by_test_id("stButtonGroup").get_by_text("log loss").click()
    expect(page.get_by_text("measure log loss.")).to_be_visible()


def test_the_message_about_a_name_leaves_the_buttons_where_they_are(visit):
    page = visit("/data", width=390, height=844)
    name = bring(page)
    lower = page.get_by_role("button", name="Lower is better")

    def apart():
        return lower.bounding_box()["y"] - name.bounding_box()["y"]

    before = apart()
    name.fill("niceness")
    name.press("Enter")
    expect(page.get_by_text("The direction of niceness is not known.")).to_be_visible()
    settle(page)
    assert abs(apart() - before) < 2
    lower.click()
    expect(page.get_by_text("measure niceness.")).to_be_visible()
    expect(page.get_by_text(LOWER)).to_be_visible()
