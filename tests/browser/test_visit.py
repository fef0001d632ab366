"""Tests of typical visits in a real browser."""

import io
import json
import re

import pytest
from PIL import Image
from playwright.sync_api import expect

from tests.browser.conftest import (
    DARK,
    INK,
    LIGHT,
    at_mark,
    click_in_figure,
    serve,
    settle,
    shoot,
    until,
)

WIDE = "dataset,rf,svm,<b>knn</b>\n" + "".join(
    f"d{i},{0.9 - i / 100:.3f},{0.88 - (i * 7 % 5) / 100:.3f},{0.5 + i / 90:.3f}\n"
    for i in range(14)
)
PLOT = ".js-plotly-plot"


def test_a_first_visit_leads_to_the_answer_above_the_fold_and_its_slider_takes_keys(visit):
    page = visit()
    expect(page.get_by_role("heading", name="Compare learning algorithms")).to_be_visible()
    expect(page.get_by_test_id("stFileUploader")).to_be_visible()
    for name in ("Compare", "Explore", "Trade-offs", "Plan", "Export"):
        expect(page.get_by_role("link", name=name, exact=True)).to_have_count(0)
    shoot(page, "start")
    page.locator(".st-key-start_datasets").get_by_role("button").click()

    expect(page.get_by_text("SVM (degree 2) has the lowest average rank for error")).to_be_visible()
    plot = page.locator(PLOT).first
    expect(plot).to_be_visible()
    # asked of the page as a whole: the figure is drawn anew while leave-one-out proceeds
    page.wait_for_function(
        f"() => document.querySelector('{PLOT}')?.getBoundingClientRect().y < 560"
    )
    expect(page.get_by_role("link", name="Explore", exact=True)).to_be_visible()
    shoot(page, "results")

    slider = page.locator(".st-key-level_slider").get_by_role("slider")
    expect(slider).to_have_attribute("aria-valuetext", "0.05")
    expect(page.get_by_text("α = 0.05", exact=False).first).to_be_visible()
    settle(page)
    bars = '(plot) => JSON.stringify(plot.data.find((t) => t.name === "groups").x)'
    chosen = plot.evaluate(bars)
    slider.press("Home")
    expect(page).to_have_url(re.compile("alpha="))
    page.wait_for_function(
        f"(chosen) => ({bars})(document.querySelector('{PLOT}')) !== chosen", arg=chosen
    )
    expect(slider).not_to_have_attribute("aria-valuetext", "0.05")


def choose_level(page):
    """Choose the significance level 0.01 in the sidebar."""
    page.get_by_test_id("stSidebar").locator("summary", has_text="α =").click()
    page.get_by_test_id("stSidebar").get_by_text("0.01", exact=True).click()


def test_upload_see_the_diagram_change_alpha_and_export(visit):
    page = visit("/data")
    page.get_by_test_id("stFileUploaderDropzoneInput").set_input_files(
        [{"name": "mine_accuracy.csv", "mimeType": "text/csv", "buffer": WIDE.encode()}]
    )
    expect(page.get_by_text("14 data sets, 3 algorithms")).to_be_visible()
    shoot(page, "data_uploaded")

    page.get_by_role("button", name="Results", exact=True).click()
    settle(page)
    expect(page.locator(PLOT).first).to_be_visible()
    expect(page.locator(PLOT).first.get_by_text("<b>knn</b>")).to_be_visible()
    expect(page).to_have_url(re.compile("src=[0-9a-f]{12}"))

    choose_level(page)
    settle(page)
    expect(page.get_by_text("α = 0.01", exact=False).first).to_be_visible()
    expect(page).to_have_url(re.compile("alpha=0.01"))

    page.get_by_role("button", name="Save").first.click()
    preview = page.get_by_test_id("stPopoverBody").get_by_role("img")
    expect(preview).to_be_visible()
    assert preview.bounding_box()["width"] == 312, "3.25 in, at their true size"
    files = {}
    for kind in ("PDF", "SVG", "PNG"):
        with page.expect_download() as download:
            page.get_by_role("button", name=kind, exact=True).click()
        assert download.value.suggested_filename == f"foldwise_ranks_accuracy_3.25in.{kind.lower()}"
        files[kind] = download.value.path().read_bytes()
    assert files["PDF"].startswith(b"%PDF")
    assert b"&lt;b&gt;knn" in files["SVG"]
    picture = Image.open(io.BytesIO(files["PNG"]))
    assert picture.width == 975
    assert picture.info["dpi"] == pytest.approx((300, 300), abs=0.1)
    with page.expect_download() as download:
        page.get_by_role("button", name="Data (CSV)").click()
    assert download.value.path().read_text().startswith("algorithm,average rank")


@pytest.mark.slow  # tests/web/test_workspaces.py starts a cold server, too
def test_a_cold_server_opens_a_link_and_a_workspace_is_there_after_a_reload(page, tmp_path):
    """The server is started without the launcher, so nothing has run the app before."""
    kept = {"FOLDWISE_WORKSPACES": str(tmp_path / "kept.sqlite3")}
    with serve("-m", "streamlit", "run", "app.py", **kept) as address:
        page.goto(f"{address}/explore?sample=two_models.csv&look=Curves")
        settle(page)
        expect(page.get_by_role("tab", name="Curves")).to_have_attribute("aria-selected", "true")
        expect(page.get_by_text("Page not found")).to_have_count(0)

        page.goto(f"{address}/data")
        settle(page)
        page.get_by_test_id("stFileUploaderDropzoneInput").set_input_files(
            [{"name": "mine_accuracy.csv", "mimeType": "text/csv", "buffer": WIDE.encode()}]
        )
        expect(page.get_by_text("14 data sets, 3 algorithms")).to_be_visible()
        choose_level(page)
        expect(page).to_have_url(re.compile("alpha=0.01"))
        expect(page).to_have_url(re.compile("w=[^&]{32}"))
        settle(page)
        token = re.search("w=([^&]+)", page.url)[1]

        page.goto(f"{address}/?w={token}")
        expect(page.get_by_text("α = 0.01", exact=False).first).to_be_visible()
        expect(page.get_by_text("mine_accuracy.csv", exact=False).first).to_be_visible()
        page.get_by_role("button", name="Undo").click()
        expect(page.get_by_text("α = 0.05", exact=False).first).to_be_visible()


def test_a_click_on_a_name_fades_others_in_all_figures_moves_none_and_a_second_one_opens_the_pair(
    visit,
):
    page = visit("/?sample=graded.csv")
    name = page.locator(f"{PLOT} text.name-of-mark").filter(has_text="Naive Bayes").first
    expect(name).to_be_visible()
    settle(page)
    place = name.bounding_box()
    x, y = place["x"] + place["width"] / 2, place["y"] + place["height"] / 2
    ground = page.locator(f"{PLOT} .nsewdrag").first
    corner = ground.bounding_box()
    page.mouse.move(corner["x"] + 2, corner["y"] + 2)
    assert ground.evaluate("ground => getComputedStyle(ground).cursor") == "default"
    page.mouse.move(x, y)
    assert name.evaluate("name => getComputedStyle(name).cursor") == "pointer"
    expect(page.locator(f"{PLOT} text.pointed")).to_have_text(
        ["Naive Bayes", "Naive Bayes"]
    )  # in both figures

    page.mouse.click(x, y)
    expect(page.locator(".st-key-chip")).to_contain_text("Naive Bayes")
    settle(page)
    differences = page.locator("[class*=st-key-figure_from_best]")
    faded = differences.locator("text.name-of-mark.faded")
    named = differences.locator("text.name-of-mark")
    expect(faded).to_have_count(named.count() - 1)
    assert name.bounding_box() == place

    heading = page.get_by_role("heading", name="Compare", exact=True)
    until(
        page, lambda: page.mouse.click(x, y), lambda ms: expect(heading).to_be_visible(timeout=ms)
    )


def test_clicks_and_keys_select_in_a_figure_and_tables_can_be_copied(visit):
    page = visit("/?sample=uci38_5x2.csv")
    plot = page.locator(PLOT).first
    expect(plot).to_be_visible()
    chip = page.locator(".st-key-chip")
    bar = at_mark('(t) => t.name === "member targets"', "() => 1")
    group = ", ".join(plot.evaluate(bar)["data"])

    click_in_figure(
        page,
        plot,
        bar,
        lambda ms: expect(chip).to_contain_text(f"Selected: group {group}", timeout=ms),
    )
    shoot(page, "selected")

    chip.get_by_role("button").click()
    expect(chip).to_have_count(0)

    stop = plot.locator("[role=button][tabindex]")
    expect(stop).to_have_count(1)
    selects = "Selected: algorithm SVM (degree 2)"
    until(
        page,
        lambda: [stop.press(key) for key in ("End", "Home", "Enter")],
        lambda ms: expect(chip).to_contain_text(selects, timeout=ms),
    )
    page.wait_for_function(
        f"() => document.activeElement.closest('{PLOT}') && document.activeElement.textContent === 'SVM (degree 2)'"
    )

    settle(page)
    page.get_by_role("tab", name="All pairs").click()
    settle(page)
    page.get_by_role("button", name="Copy", exact=True).first.click()
    settle(page)
    expect(
        page.get_by_text(
            "algorithm A,algorithm B,difference,95% CI lower limit,95% CI upper limit,adjusted p",
            exact=False,
        )
    ).to_be_visible()
    page.get_by_role("tab", name="LaTeX").click()
    expect(page.get_by_text("\\toprule", exact=False).first).to_be_visible()
    shoot(page, "pairs")


def test_a_click_on_a_fold_lights_it_in_all_figures_and_what_is_enlarged_stays_so(visit):
    page = visit("/compare?sample=uci38_5x2.csv&ds=iris&more_interval_and_tests=true")
    plots = page.locator(PLOT)  # the matrix of all pairs has no folds
    expect(plots).to_have_count(4)
    chip = page.locator(".st-key-chip")
    mark = at_mark('(t) => t.name === "folds"', "() => 3")
    fold = plots.nth(3).evaluate(mark)["data"]
    ranges = "(plot) => [plot._fullLayout.xaxis.range, plot._fullLayout.yaxis.range]"
    whole = plots.nth(3).evaluate(ranges)
    part = enlarge(page, plots.nth(3), ranges)
    assert part != whole

    click_in_figure(
        page,
        plots.nth(3),
        mark,
        lambda ms: expect(chip).to_contain_text(f"Selected: fold {fold}", timeout=ms),
    )
    faded = "(plots) => plots.slice(1).every((p) => p._fullData.some((t) => t.opacity === 0.25))"
    page.wait_for_function(f"() => ({faded})([...document.querySelectorAll('{PLOT}')])")
    page.wait_for_function(
        f"(part) => JSON.stringify(({ranges})([...document.querySelectorAll('{PLOT}')][3])) === JSON.stringify(part)",
        arg=part,
    )
    shoot(page, "selected_fold")

    chip.get_by_role("button").click()
    expect(chip).to_have_count(0)
    settle(page)
    figure = plots.nth(3).locator(".nsewdrag").first
    until(
        page,
        lambda: figure.dblclick(position={"x": 5, "y": 5}),
        lambda ms: page.wait_for_function(
            f"([plot, whole]) => JSON.stringify(({ranges})(plot)) === JSON.stringify(whole)",
            arg=[plots.nth(3).element_handle(), whole],
            timeout=ms,
        ),
    )


def enlarge(page, plot, ranges):
    """Zoom into a figure by dragging a box over it; return the axis ranges after that."""
    plot.scroll_into_view_if_needed()
    box, before = plot.locator(".nsewdrag").first.bounding_box(), plot.evaluate(ranges)
    place = [(box["x"] + k * box["width"], box["y"] + k * box["height"]) for k in (0.05, 0.95)]
    page.mouse.move(*place[0])
    page.mouse.down()
    page.mouse.move(*place[1], steps=4)
    page.mouse.up()
    page.wait_for_function(
        f"([plot, before]) => JSON.stringify(({ranges})(plot)) !== JSON.stringify(before)",
        arg=[plot.element_handle(), before],
    )
    page.wait_for_function(  # a click right after it would count as the second of two, which resets
        "(plot) => Date.now() - plot._mouseDownTime > plot._context.doubleClickDelay",
        arg=plot.element_handle(),
    )
    return plot.evaluate(ranges)


MAIN = "document.querySelector('[data-testid=stMain]')"


def test_back_and_forward_restore_tab_selection_and_scroll_position(visit):
    page = visit("/?sample=uci38_5x2.csv")
    name = page.get_by_role("button", name="Select SVM (RBF)")
    until(page, name.click, lambda ms: expect(page).to_have_url(re.compile("sel="), timeout=ms))
    page.get_by_role("tab", name="All pairs").click()
    expect(page).to_have_url(re.compile("tab=All"))
    settle(page)
    page.wait_for_function(f"() => {MAIN}.scrollHeight > 2000")
    page.evaluate(f"{MAIN}.scrollTop = 600")
    page.get_by_role("link", name="Explore", exact=True).click()
    heading = page.get_by_role("heading", name="Explore", exact=True)
    expect(heading).to_be_visible()
    settle(page)
    page.wait_for_function(f"() => {MAIN}.scrollTop === 0")
    until(page, name.click, lambda ms: expect(page).not_to_have_url(re.compile("sel="), timeout=ms))
    settle(page)

    page.go_back()  # to Explore with the selection
    expect(name).to_have_attribute("aria-pressed", "true")
    expect(heading).to_be_visible()
    settle(page)
    page.go_back()
    expect(page.get_by_role("tab", name="All pairs")).to_have_attribute("aria-selected", "true")
    expect(name).to_have_attribute("aria-pressed", "true")
    page.wait_for_function(f"() => {MAIN}.scrollTop === 600")
    page.go_forward()
    expect(heading).to_be_visible()
    page.wait_for_function(f"() => {MAIN}.scrollTop === 0")


def test_another_page_opens_at_its_top(visit):
    """Also if its content replaces that of the page before at once, as here, where nothing is redrawn."""
    page = visit("/?sample=uci38_5x2.csv")
    page.wait_for_function(f"() => {MAIN}.scrollHeight > 1200")
    places = page.evaluate(
        f"""["/?sample=other", "/explore"].map((address) => {{
            {MAIN}.scrollTop = 200;
            history.replaceState(history.state, "", address);
            return {MAIN}.scrollTop;
        }})"""
    )
    assert places == [200, 0]


def check_buttons_beside_titles(page):
    """Assert that the Save button of every figure is beside the title of the figure."""
    saves = page.get_by_role("button", name="Save")
    expect(saves.first).to_be_visible()
    for i in range(saves.count()):
        save = saves.nth(i)
        title = save.locator("xpath=preceding::h2[1]")
        beside, left = save.bounding_box(), title.bounding_box()
        assert beside["x"] >= left["x"] + left["width"]
        assert left["y"] - 12 <= beside["y"] <= left["y"] + left["height"]


def test_the_answer_to_a_clicked_pair_is_in_sight(visit):
    page = visit("/compare?sample=uci38_5x2.csv")
    plot, frame = page.locator(PLOT).first, page.locator("[class*=st-key-figure_pairs]")
    said = page.locator(".st-key-verdict")
    expect(plot).to_be_visible()
    for width, height, row, shown in (
        (1440, 900, 4, True),
        (1024, 900, 2, False),
        (390, 844, 4, True),
    ):
        page.set_viewport_size({"width": width, "height": height})
        settle(page)
        page.wait_for_function("document.documentElement.scrollWidth <= window.innerWidth")
        page.wait_for_function(
            "(box) => box.scrollHeight <= box.clientHeight", arg=frame.element_handle()
        )
        cell = f"""(plot) => {{
            const box = plot.getBoundingClientRect(), {{xaxis, yaxis}} = plot._fullLayout;
            return {{
                x: box.left + xaxis._offset + xaxis._length * 0.5 / 8,
                y: box.top + yaxis._offset + yaxis._length * {row + 0.5} / 8,
            }};
        }}"""

        def check(ms, shown=shown):
            (expect(said).to_contain_text if shown else expect(said).not_to_contain_text)(
                "Logistic regression", timeout=ms
            )

        click_in_figure(page, plot, cell, check)
        expect(said).to_be_in_viewport(ratio=0.95)
        if width == 1024:
            check_buttons_beside_titles(page)


def test_a_narrow_window_offers_the_list_of_data_sets(visit):
    page = visit("/explore?sample=uci38_5x2.csv", width=1024)
    check_buttons_beside_titles(page)
    for width, row in ((1024, 3), (390, 5)):
        page.set_viewport_size({"width": width, "height": 900})
        expect(page.locator(".st-key-dataset_list")).to_be_hidden()
        page.wait_for_function("document.documentElement.scrollWidth <= window.innerWidth")
        before = page.url
        page.get_by_role("button", name="All data sets").click()
        table = page.get_by_test_id("stPopoverBody").get_by_test_id("stDataFrame")
        expect(table).to_be_visible()

        until(
            page,
            lambda table=table, row=row: table.click(position={"x": 15, "y": row * 35 + 15}),
            lambda ms, before=before: expect(page).not_to_have_url(before, timeout=ms),
        )
        expect(page).to_have_url(re.compile("ds="))
        expect(table).to_have_count(0)
        settle(page)


def test_a_second_click_on_a_cell_leads_to_its_pair(visit):
    page = visit("/explore?sample=twoclass_counts.csv&view_all_pairs=true&ds=pima")
    plot = page.locator(PLOT).nth(2)
    expect(plot).to_be_visible()
    link = page.get_by_role("button", name="Compare ").first
    cell = """(plot) => {
        const box = plot.getBoundingClientRect(), { _size: size, xaxis, yaxis } = plot._fullLayout;
        return {x: box.left + size.l + xaxis.l2p(3), y: box.top + size.t + yaxis.l2p(1)};
    }"""

    click_in_figure(page, plot, cell, lambda ms: expect(link).to_be_visible(timeout=ms))
    settle(page)
    words = link.inner_text().split("Compare ")[1]
    shoot(page, "selected_pair")
    heading = page.get_by_role("heading", name="Compare", exact=True)
    click_in_figure(page, plot, cell, lambda ms: expect(heading).to_be_visible(timeout=ms))
    settle(page)
    first, second = words.removesuffix(" on pima").split(" and ")
    said = page.locator(".st-key-verdict")
    for word in (first, second, "pima"):
        expect(said).to_contain_text(word)


@pytest.mark.slow
def test_one_click_from_results_to_what_error_hides(visit):
    page = visit("/?sample=twoclass_counts.csv")
    page.get_by_test_id("stExpander").get_by_text("Exploratory findings").click()
    link = page.get_by_role("button", name="but not in error")
    expect(link).to_be_visible()
    first, second = link.inner_text().split(": ")[1].split(" differ ")[0].split(" and ")
    link.click()
    expect(page.get_by_role("heading", name="Explore", exact=True)).to_be_visible()
    settle(page)

    said = page.locator(".st-key-verdict")
    expect(said).to_contain_text(
        f"{first} and {second} differ significantly in (FPR, TPR) on german"
    )
    expect(
        page.locator(PLOT).nth(1).get_by_text("origin outside the region: significant")
    ).to_be_visible()
    shoot(page, "err_differently")


def test_a_curve_lights_up_and_theta_moves_the_marks_is_set_by_a_click_and_follows_to_the_pair(
    visit,
):
    left_out = "&out=".join(["QDA", "SVM+(linear)", "SVM+(degree+2)", "Random+forest"])
    page = visit(f"/explore?look=Curves&sample=twoclass_scores.csv.gz&ds=pima&out={left_out}")
    plot = page.locator(PLOT).first
    expect(plot).to_be_visible()
    marks = """(plot) => plot._fullData.filter((t) => t.mode === "markers").map((t) => t.x[0])"""
    before = plot.evaluate(marks)
    page.get_by_role("slider").first.press("PageUp")
    expect(page.get_by_text("Rates at θ = 0.60")).to_be_visible()

    plot.scroll_into_view_if_needed()
    at = plot.evaluate(at_mark('(t) => t.meta === "algorithm"', "(t) => t.x.length >> 1"))
    page.mouse.move(at["x"] - 9, at["y"])
    page.mouse.move(at["x"], at["y"], steps=3)
    faded = "(plot) => plot.querySelectorAll('.trace[style*=\"opacity: 0.15\"]').length"
    page.wait_for_function(faded, arg=plot.element_handle())
    page.mouse.move(1, 1, steps=3)
    page.wait_for_function(f"(plot) => !({faded})(plot)", arg=plot.element_handle())

    moved = f"(before) => JSON.stringify(({marks})(document.querySelector('{PLOT}'))) !== before"
    page.wait_for_function(moved, arg=json.dumps(before, separators=(",", ":")))
    settle(page)
    page.get_by_role("tab", name="Thresholds").click()
    settle(page)
    column = at_mark(
        "(t) => (t.customdata || []).includes(0.8)", "(t) => [...t.customdata].indexOf(0.8)"
    )
    slider = page.get_by_role("slider").first

    def is_set(ms):
        expect(slider).to_have_value("0.8", timeout=ms)

    click_in_figure(page, plot, column, is_set)
    shoot(page, "sweep")
    settle(page)
    page.get_by_role("link", name="Compare", exact=True).first.click()
    page.get_by_role("button", name="Details").first.click()
    said = page.get_by_text("Instances with a score of at least 0.8", exact=False)
    expect(said).to_be_visible()
    expect(page).to_have_url(re.compile("theta=0.8"))


@pytest.mark.slow  # tests/web/test_background_calls.py reads a file in another process
@pytest.mark.parametrize("cases", [4_500, 90_000])
def test_a_large_file_of_predictions_is_read(visit, cases):
    rows = "".join(
        f"{a},{f},{i % 2},0.{(i * 7919 + f) % 999:03d}\n"
        for a in ("one", "other")
        for f in range(10)
        for i in range(cases)
    )
    page = visit("/data")
    page.get_by_test_id("stFileUploaderDropzoneInput").set_input_files(
        [
            {
                "name": "large.csv",
                "mimeType": "text/csv",
                "buffer": f"algorithm,fold,true,score\n{rows}".encode(),
            }
        ]
    )
    expect(page.get_by_text(f"Read {20 * cases:,} predictions", exact=False)).to_be_visible()


@pytest.mark.slow
def test_a_pair_is_saved_as_pdf(visit):
    page = visit("/compare?sample=twoclass_counts.csv&ds=pima&a=LDA&b=Random+forest")
    page.get_by_role("button", name="Save").first.click()
    with page.expect_download() as download:
        page.get_by_role("button", name="PDF").click()

    content = download.value.path().read_bytes()
    assert content.startswith(b"%PDF")
    assert "pairs_pima_error" in download.value.suggested_filename


@pytest.mark.slow
def test_a_deep_link_keeps_its_settings(visit):
    page = visit("/?sample=garcia_herrera_2008_accuracy.csv&correction=Nemenyi&alpha=0.10")

    expect(page.get_by_text("α = 0.1 · all pairs · average ranks, Nemenyi")).to_be_visible()
    expect(page.locator(PLOT).get_by_text("CD = 1.004", exact=False)).to_be_visible()
    page.get_by_role("link", name="Trade-offs").first.click()
    expect(page.get_by_role("heading", name="Trade-offs", exact=True)).to_be_visible()
    expect(page).to_have_url(re.compile("sample=garcia_herrera_2008_accuracy.csv"))
    page.get_by_role("link", name="Results").first.click()
    expect(page.locator(PLOT).get_by_text("CD = 1.004", exact=False)).to_be_visible()


@pytest.mark.parametrize(
    "path",
    [
        "/",
        "/?sample=uci38_5x2.csv",
        "/data?sample=uci38_5x2.csv",
        "/compare?sample=uci38_5x2.csv",
        "/explore?sample=uci38_5x2.csv",
        "/explore?sample=twoclass_scores.csv.gz&look=Curves",
        "/tradeoffs?sample=uci38_5x2.csv",
        "/plan?sample=uci38_5x2.csv",
        "/help",
        "/help?letter=C",
    ],
)
@pytest.mark.slow  # tests/browser/test_look.py has one page in both themes
def test_every_page_leaves_a_picture(visit, page, path):
    visit(path, width=1440, height=1200)
    page_name, _, query = path.strip("/").partition("?")
    name = (
        query.rpartition("look=")[2].lower()
        if "look=" in query
        else page_name or ("results" if query else "start")
    )
    for width, theme, ground in (
        (1440, "light", "rgb(255, 255, 255)"),
        (1024, "dark", "rgb(14, 17, 23)"),
    ):
        page.emulate_media(color_scheme=theme)
        page.set_viewport_size({"width": width, "height": 1200})
        expect(page.locator(".stApp")).to_have_css("background-color", ground)
        page.wait_for_function("document.documentElement.scrollWidth <= window.innerWidth")
        page.wait_for_function(
            f"{INK} !== '{DARK if theme == 'light' else LIGHT}'"
        )  # figures follow the theme
        shoot(page, f"{name}_{width}_{theme}")
