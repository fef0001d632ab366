"""Tests of clicks: the first selects a mark, and the second opens the page about it."""

import json
from functools import cache
from types import SimpleNamespace

import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest

from foldwise.figures import theme
from foldwise.figures.traces import CLICK_ACTIONS
from foldwise.web import components
from tests.web.conftest import APP, specs, texts, turn_to, upload
from tests.web.test_address import listed

UCI = "uci38_5x2.csv"
SCORES = "twoclass_scores.csv.gz"


class Clicked:
    """Replaces st.plotly_chart; once `armed`, reports a click on a mark of `kind` in a figure `start`."""

    def __init__(self, chart, start, kind):
        self.chart, self.start, self.kind, self.armed = chart, start, kind, False

    def __call__(self, drawn, *, key, on_select="ignore", **more):
        event = self.chart(drawn, key=key, on_select=on_select, **more)
        if not self.armed or not key.startswith(f"figure_{self.start}"):
            return event
        assert on_select == "rerun", f"{key} does not listen"
        self.armed = False
        for place, trace in enumerate(drawn.data):
            if trace.meta == self.kind:
                at = 1 if trace.type == "bar" else 0
                data = trace.customdata[at]
                data = data if isinstance(data, str | float) else list(data)
                points = [{"curve_number": place, "customdata": data}]
                return SimpleNamespace(selection=SimpleNamespace(points=points))
        raise AssertionError(f"{key} has no mark for {self.kind}")


@pytest.fixture
def click(monkeypatch, app):
    """A function that clicks on a mark of `kind` in a figure `start`, and returns the app."""

    def act(start, kind):
        once = Clicked(st.plotly_chart, start, kind)
        once.armed = True
        monkeypatch.setattr(components.st, "plotly_chart", once)
        app.run()
        monkeypatch.setattr(components.st, "plotly_chart", once.chart)
        assert not app.exception
        assert not once.armed
        return app

    return act


def opened(app: AppTest, page: str, **settings) -> AppTest:
    for name, value in settings.items():
        app.query_params[name] = value
    turn_to(app, page).run()
    assert not app.exception
    return app


@pytest.mark.parametrize(
    ("tab", "figure", "kind"),
    [
        ("All pairs", "pairs_", "pair"),
        ("Wins", "wins_", "pair"),
        ("Ranks", "rank_map_", "data set"),
    ],
)
def test_a_click_selects_and_a_second_opens_the_page_about_it(app, click, tab, figure, kind):
    opened(app, "results", sample=UCI, tab=tab)
    assert not [one for one in app.button if one.key == "chip"]
    click(figure, kind)
    assert app.button(key="chip").label.startswith(rf"Selected\: {kind}")
    way = app.button(key="chip_open").label.replace("\\", "")
    click(figure, kind)
    title = {"pair": "Compare", "data set": "Explore"}[kind]
    assert [one.value for one in app.title] == [title]
    if kind == "pair":
        first, second = way.removeprefix("Compare ").split(" on ")[0].split(" and ")
        assert {app.selectbox(key="a").value, app.selectbox(key="b").value} == {first, second}
        assert app.selectbox(key="ds").value == "all data sets"
        again = AppTest.from_file(str(APP), default_timeout=60)  # a colleague with the address
        for name, value in app.query_params.items():
            again.query_params[name] = value
        again.switch_page("pages/compare.py").run()
        assert [again.selectbox(key=key).value for key in "ab"] == [
            app.selectbox(key=key).value for key in "ab"
        ]
        assert texts(again) == texts(app)
    else:
        assert app.selectbox(key="ds").value == way.removeprefix("Open data set ")


def test_the_chip_opens_the_pair_with_the_control(app, click):
    opened(app, "results", sample=UCI, compare="Against a control", control="C4.5")
    click("control_", "pair")
    app.button(key="chip_open").click().run()
    assert not app.exception
    assert [one.value for one in app.title] == ["Compare"]
    assert app.selectbox(key="b").value == "C4.5"


@pytest.mark.parametrize("settings", [{}, {"compare": "Against a control", "control": "C4.5"}])
def test_every_diagram_of_ranks_has_the_level_slider_below_it(app, settings):
    opened(app, "results", sample=UCI, **settings)
    slider = app.select_slider(key="level_slider")
    usual = {"0.001", "0.01", "0.05", "0.1"}
    assert usual < set(slider.options), "the levels at which a difference appears are steps, too"
    assert app.session_state["_context"].settings.alpha == slider.value == 0.05

    slider.set_value(0.01).run()
    assert not app.exception
    assert app.session_state["_context"].settings.alpha == 0.01


def test_selected_algorithms_among_many_have_a_colour(app):
    names = [f"a{i}" for i in range(9)]  # more than there are colours
    rows = [f"d{d},{','.join(f'{0.5 + (d * i) % 7 / 20:g}' for i in range(9))}" for d in range(6)]
    upload(app, ("accuracy.csv", "\n".join([f"dataset,{','.join(names)}", *rows]).encode()))
    app.session_state["_selection"] = {"kind": "pair", "ids": ["a7", "a2"], "on": ""}
    app.run()

    colors = {name: row["color"] for name, row in listed(app).items()}
    assert (colors.pop("a7"), colors.pop("a2")) == theme.PALETTE[:2]
    assert set(colors.values()) == {theme.GREY}, "the others have none"


def test_what_is_selected_is_said_to_all_who_listen(app, click):
    opened(app, "results", sample=UCI)
    click("ranks_", "group")
    chip = app.button(key="chip").label.replace("\\", "")
    charts = [one.proto for one in app.get("plotly_chart")]
    assert any(chip in one.alt for one in charts)
    for one in charts:
        promised = any(trace.get("meta") in CLICK_ACTIONS for trace in json.loads(one.spec)["data"])
        assert promised == bool(one.selection_mode)
    app.button(key="chip").click().run()
    assert not [one for one in app.button if one.key == "chip"]
    assert "Selected" not in texts(app)


@pytest.mark.parametrize(
    ("page", "settings", "start", "kind"),
    [
        ("results", {"sample": UCI}, "ranks_", "group"),
        ("Thresholds", {"sample": SCORES, "ds": "pima"}, "sweep_", "theta"),
    ],
)
def test_a_selection_is_possible_by_name_without_a_click(app, page, settings, start, kind):
    opened(app, page, **settings)
    ids = [one.proto.id.split("figure_")[-1] for one in app.get("plotly_chart")]
    figure = next(one for one in ids if one.startswith(start))
    app.session_state[f"numbers_{figure}"] = True
    app.run()
    offered = app.selectbox(key=f"mark_{figure}")
    words = next(one for one in offered.options[::-1] if one.startswith(kind))
    offered.set_value(words).run()
    assert not app.exception
    assert app.selectbox(key=f"mark_{figure}").value == words
    if kind == "theta":
        assert float(words.split()[1]) == app.slider(key="theta").value
        return
    assert app.button(key="chip").label.replace("\\", "") == f"Selected: {words}"
    app.selectbox(key=f"mark_{figure}").set_value(None).run()
    assert not [one for one in app.button if one.key == "chip"]


def test_a_second_click_on_an_algorithm_compares_it_with_the_best(app, click):
    opened(app, "results", sample=UCI)
    click("from_best_", "algorithm")
    name = app.button(key="chip").label.replace("\\", "").removeprefix("Selected: algorithm ")
    assert (
        app.button(key="chip_open").label.replace("\\", "")
        == f"Compare {name} and SVM (degree 2) on all data sets"
    )
    click("from_best_", "algorithm")
    assert [one.value for one in app.title] == ["Compare"]
    assert [app.selectbox(key=key).value for key in "ab"] == [name, "SVM (degree 2)"]


ADDRESSES = [  # page, parameter, value: tab, data set, pair, selection, settings
    ("results", "tab", "Wins"),
    ("results", "alpha", "0.10"),
    ("results", "sel", json.dumps(["algorithm", ["SVM (RBF)"], ""])),
    ("compare", "a", "Multivariate tree"),
    ("compare", "ds", "iris"),
    ("compare", "sel", json.dumps(["data set", ["iris"], ""])),
    ("explore", "look", "Several measures"),
    ("explore", "ds", "zoo"),
    ("explore", "sel", json.dumps(["algorithm", ["SVM (RBF)"], "ringnorm"])),
    ("explore", "out", ["Multivariate tree"]),
    ("tradeoffs", "otab_costs", "true"),
    ("tradeoffs", "alpha", "0.01"),
    ("plan", "ltab", "Power"),
    ("export", "etab", "Figures"),
    ("export", "outset", ["iris"]),
    ("data", "measure", "test error"),
    ("help", "htab", "Methods"),
]


@pytest.fixture(scope="module")
def without_choices():
    """A function that returns what a page draws without choices, once for each page."""

    @cache
    def of(page):
        return drawn(opened(AppTest.from_file(str(APP), default_timeout=60), page, sample=UCI))

    return of


@pytest.mark.parametrize(("page", "key", "value"), ADDRESSES)
def test_an_address_shows_what_was_chosen_again_after_a_reload(
    app, without_choices, page, key, value
):
    first = AppTest.from_file(str(APP), default_timeout=60)
    opened(first, page, sample=UCI, **{key: value})
    assert drawn(first) != without_choices(page)

    opened(app, page, **first.query_params)
    assert drawn(app) == drawn(first)


def drawn(app):
    """Return the texts, figures and measure of a page."""
    return texts(app), specs(app), app.session_state["measure"]


def test_a_click_on_the_matrix_chooses_the_pair_to_compare(app, click):
    opened(app, "compare", sample=UCI)
    before = {app.selectbox(key=key).value for key in "ab"}
    click("pairs_", "pair")

    assert [one.value for one in app.title] == ["Compare"]
    chosen = [app.selectbox(key=key).value for key in "ab"]
    assert set(chosen) != before
    assert app.session_state["_selection"]["ids"] == chosen
    assert not [one for one in app.button if one.key == "chip"]  # the page is about this pair


def test_a_selected_pair_leads_from_its_row_to_its_page_or_back_to_all(app):
    opened(
        app,
        "results",
        sample=UCI,
        tab="All pairs",
        sel=json.dumps(["pair", ["SVM (RBF)", "SVM (linear)"], ""]),
    )
    assert (
        app.button(key="pair_of_pairs")
        .label.replace("\\", "")
        .startswith("Compare SVM (RBF) and SVM (linear)")
    )
    shown = next(frame.value for frame in app.dataframe if "adjusted p" in frame.value)
    assert {*shown[["algorithm A", "algorithm B"]].iloc[0]} == {"SVM (RBF)", "SVM (linear)"}

    app.button(key="all_pairs").click().run()
    assert not app.session_state["_selection"]


def test_a_row_of_a_data_set_leads_to_it(app, monkeypatch):
    opened(app, "results", sample=UCI, tab="Ranks")
    draw = st.dataframe

    def clicked(*given, key=None, **more):
        drawn = draw(*given, key=key, **more)
        if key is None or not key.startswith("table_scores"):
            return drawn
        assert more["on_select"] == "rerun"
        return SimpleNamespace(selection=SimpleNamespace(cells=[(1, "SVM (RBF)")]))

    monkeypatch.setattr(components.st, "dataframe", clicked)
    app.run()
    assert not app.exception
    chip = app.button(key="chip").label.replace("\\", "")
    way = next(one for one in app.button if (one.key or "").startswith("open_scores"))
    assert way.label.endswith(chip.split("data set ")[1])
    way.click().run()
    assert [one.value for one in app.title] == ["Explore"]
    assert app.session_state["look"] == "Folds"
    assert app.selectbox(key="ds").value == chip.split("data set ")[1]
