"""Tests of the address: it holds what is shown, and a reload, a shared link and Back show it again."""

import json
from types import SimpleNamespace

import pytest
from streamlit.testing.v1 import AppTest

from foldwise.web import choices
from foldwise.web.settings_registry import FAMILIES, SELECTION
from tests.web.conftest import APP, texts, turn_to

UCI = "uci38_5x2.csv"
PAPER = "garcia_herrera_2008_accuracy.csv"


def listed(at):
    """Return the rows of the list of algorithms by name."""
    lists = [
        part.proto
        for part in at.get("bidi_component")
        if part.proto.component_name == "foldwise_list"
    ]
    return {item["name"]: item for item in json.loads(lists[0].json)["items"]}


def with_address_of(at):
    """Return the app as a reload or a colleague with the address opens it."""
    again = AppTest.from_file(str(APP), default_timeout=60)
    for name in at.query_params:
        again.query_params[name] = at.query_params[name]
    return again.run()


@pytest.fixture
def back(app, monkeypatch):
    """A function that returns to an earlier address, as the browser does."""

    def go(address):
        app.query_params.clear()
        app.query_params.update(address)
        with monkeypatch.context() as patch:
            patch.setattr(
                choices, "get_script_run_ctx", lambda: SimpleNamespace(is_history_navigation=True)
            )
            app.run()
        assert not app.exception
        return app

    return go


def test_the_list_of_algorithms_is_the_same_under_its_address(app):
    app.query_params.update(sample=PAPER, out="CN2", rename='["algorithms", "C4.5", "my tree"]')
    app.run()
    app.session_state[FAMILIES] = {"my tree": "tree", "1-NN": "other", "CN2": "tree"}
    app.run()
    rows = listed(app)

    assert rows["CN2"]["out"]
    assert rows["my tree"]["color"] == rows["CN2"]["color"] != rows["1-NN"]["color"]
    assert listed(with_address_of(app)) == rows


def test_a_control_is_marked_in_the_list_at_once(app):
    app.query_params.update(sample=PAPER, compare="Against a control", control="C4.5")
    app.run()

    assert [name for name, row in listed(app).items() if row["control"]] == ["C4.5"]


@pytest.mark.parametrize(
    ("kind", "key", "name"), [("algorithm", "out", "C4.5"), ("data set", "outset", "Wine")]
)
def test_what_is_left_out_is_not_selected_any_more(app, kind, key, name):
    app.query_params.update(sample=PAPER, sel=json.dumps([kind, [name], ""]))
    app.run()
    assert app.button(key="chip").label.endswith(name.replace(".", r"\."))
    app.multiselect(key=key).set_value([name]).run()

    assert not [one for one in app.button if one.key == "chip"]
    assert "sel" not in app.query_params
    assert app.session_state[SELECTION] == {}


def test_explore_writes_the_data_set_that_it_opened(app):
    app.query_params["sample"] = UCI
    turn_to(app.run(), "explore").run()

    opened = app.selectbox(key="ds")
    assert opened.value != opened.options[0]
    assert app.query_params["ds"] == opened.value


def test_back_restores_names_colours_selection_and_sample(app, back):
    app.query_params["sample"] = PAPER
    app.run()
    before, colours = dict(app.query_params), listed(app)
    app.session_state["_typed_names"] = {"algorithms": {"C4.5": "my tree"}}
    app.session_state[FAMILIES] = {"my tree": "one", "CN2": "one"}
    app.session_state[SELECTION] = {"kind": "algorithm", "ids": ["C4.5"], "on": ""}
    app.run()
    after, grouped = {name: app.query_params[name] for name in app.query_params}, listed(app)
    assert json.loads(app.query_params["sel"]) == ["algorithm", ["my tree"], ""]
    assert grouped["my tree"]["color"] == grouped["CN2"]["color"]

    assert listed(back(before)) == colours
    assert not {"rename", "family", "sel"} & set(app.query_params)
    assert listed(back(after)) == grouped
    back({"sample": UCI})
    assert "38 data sets" in texts(app)
    assert not {"rename", "family", "sel"} & set(app.query_params)
