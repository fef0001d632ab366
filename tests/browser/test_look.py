"""Tests of what only a browser shows: colours, line breaks, and values that widgets keep."""

import re

from playwright.sync_api import expect

from tests.browser.conftest import DARK, INK, LIGHT, settle, shoot, until

FOLDS = "dataset,algorithm,fold,{measure}\n" + "".join(
    f"iris,{name},{fold},{0.1 + fold * len(name) % 7 / 50:.3f}\n"
    for name in ("http://x.y", "www.foo.org", "me@mail.org")
    for fold in range(10)
)


def bring(page, text):
    page.get_by_test_id("stFileUploaderDropzoneInput").set_input_files(
        [{"name": "mine.csv", "mimeType": "text/csv", "buffer": text.encode()}]
    )
    expect(page.get_by_role("heading", name="mine.csv")).to_be_visible()
    settle(page)


def luminance(colour: str) -> float:
    """Return the relative luminance of a colour such as "rgb(255, 0, 0)", as defined by WCAG 2.2."""
    shares = [int(part) / 255 for part in re.findall(r"\d+", colour)[:3]]
    parts = [s / 12.92 if s <= 0.04045 else ((s + 0.055) / 1.055) ** 2.4 for s in shares]
    return 0.2126 * parts[0] + 0.7152 * parts[1] + 0.0722 * parts[2]


def test_the_chosen_segment_can_be_read_and_figures_follow_the_theme(visit, page):
    sidebar = visit("/?sample=uci38_5x2.csv").get_by_test_id("stSidebar")
    chosen, box = (
        sidebar.get_by_role("radio", name="0.05"),
        sidebar.locator("summary", has_text="α ="),
    )
    until(page, box.click, lambda wait: expect(chosen).to_be_visible(timeout=wait))
    for scheme, page_ground in (("light", "rgb(255, 255, 255)"), ("dark", "rgb(14, 17, 23)")):
        page.emulate_media(color_scheme=scheme)
        expect(page.locator(".stApp")).to_have_css("background-color", page_ground)
        settle(page)
        page.wait_for_function(f"{INK} === '{LIGHT if scheme == 'light' else DARK}'")
        page.wait_for_function("document.documentElement.scrollWidth <= window.innerWidth")
        page.wait_for_function("document.getAnimations().length === 0")
        text, tint, ground = chosen.evaluate(
            "e => [getComputedStyle(e).color, getComputedStyle(e).backgroundColor,"
            " getComputedStyle(document.querySelector('[data-testid=stSidebar]')).backgroundColor]"
        )
        over, under = (
            [float(n) for n in re.findall(r"[\d.]+", colour)] for colour in (tint, ground)
        )
        share = over[3] if len(over) > 3 else 1
        mixed = [
            round(share * o + (1 - share) * u) for o, u in zip(over[:3], under[:3], strict=True)
        ]
        light, dark = sorted((luminance(text), luminance(f"rgb{tuple(mixed)}")), reverse=True)

        assert (light + 0.05) / (dark + 0.05) >= 4.5, scheme


def test_links_of_a_refusal_stand_on_one_line(visit):
    page = visit("/explore?sample=demsar_2006_auc.csv", width=1024)
    middles = []
    for name in ("Open other results", "Example files", "Open an example"):
        box = page.get_by_test_id("stMain").get_by_text(name, exact=True).first.bounding_box()
        middles.append(box["y"] + box["height"] / 2)

    assert max(middles) - min(middles) < 2


def test_widgets_forget_what_belongs_to_other_results_and_a_broken_file_changes_nothing(visit):
    page = visit("/data?sample=uci38_5x2.csv&compare=Against+a+control&control=SVM+(linear)")
    page.get_by_test_id("stSidebar").locator("summary", has_text="α =").click()
    control, measure = (page.get_by_role("combobox", name=name) for name in ("Control", "Measure"))
    expect(control).to_have_value("SVM (linear)")
    expect(measure).to_have_value("error")
    several = "".join(
        f"d{i},{name},{fold},{0.7 + fold / 50}\n"
        for i in range(4)
        for name in "xyz"
        for fold in range(5)
    )
    bring(page, f"dataset,algorithm,fold,accuracy\n{several}")

    expect(measure).to_have_value("accuracy")
    expect(control).to_have_value("x")

    page.get_by_test_id("stFileUploaderDropzoneInput").set_input_files(
        [{"name": "x.csv", "mimeType": "text/csv", "buffer": b"PK\x03\x04nonsense"}]
    )
    expect(
        page.get_by_text("The file must be a complete zip or tar file", exact=False)
    ).to_be_visible()
    expect(page.get_by_role("heading", name="mine.csv")).to_be_visible()
    shoot(page, "broken_file")


def test_addresses_in_names_are_no_links(visit):
    page = visit("/data")
    bring(page, FOLDS.format(measure="error"))
    page.get_by_role("link", name="Explore", exact=True).click()
    settle(page)

    expect(page.get_by_role("heading", name="Order by mean error on iris")).to_be_visible()
    targets = page.get_by_test_id("stMain").locator("a").evaluate_all("all => all.map(a => a.href)")
    assert not [t for t in targets if "x.y" in t or "foo.org" in t or t.startswith("mailto")]
