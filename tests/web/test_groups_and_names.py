"""Tests of groups of data sets and of displayed names on the pages."""

import json

import pytest
import streamlit as st

from foldwise.web.settings_registry import TYPED
from tests.web.conftest import select, texts, upload

LONG = ("ForestClassifier(depth=1, jobs=4)", "ForestClassifier(depth=9, jobs=4)", "SVC(C=1)")


def tagged() -> bytes:
    lines = ["dataset,algorithm,error,domain,n_instances"]
    lines += [
        f'd{i},"{name}",{0.2 + 0.05 * j * (i % 2) + (i * 7 + j) % 5 / 200},{"image" if i % 2 else "text"},{i * i + 10}'
        for i in range(16)
        for j, name in enumerate(LONG)
    ]
    return "\n".join(lines).encode()


@pytest.fixture
def typed(monkeypatch):
    """Displayed names that a stand-in for st.data_editor enters, by name in the file."""
    names = {}
    draw = st.data_editor

    def with_names(table, **options):
        edited = draw(table, **options)
        if "displayed name" in edited:
            rows = zip(edited["name"], edited["displayed name"], strict=True)
            edited = edited.assign(
                **{"displayed name": [names.get(name, shown) for name, shown in rows]}
            )
        return edited

    monkeypatch.setattr(st, "data_editor", with_names)
    return names


def opened(app):
    upload(app, ("error.csv", tagged()))
    assert not app.exception
    app.session_state["names"] = True
    return app.run()


def test_only_one_group_on_every_page(app):
    upload(app, ("error.csv", tagged()))
    select(app, "only", "domain = image")

    app.switch_page("pages/results.py").run()

    assert not app.exception
    assert "over 8 data sets" in texts(app)


def test_the_same_by_group_on_many_data_sets(app):
    upload(app, ("error.csv", tagged()))
    app.switch_page("pages/results.py").run()
    app.session_state["tab"], app.session_state["sensitivity_by_group"] = "Sensitivity", True
    app.run()

    assert not app.exception
    assert "Each of the 2 groups is tested at α = 0.05" in texts(app)
    assert "## Average ranks by domain" in [part.value for part in app.markdown]
    select(app, "groupby", "n_instances")
    assert "Each of the 3 groups is tested at α = 0.05" in texts(app)


def test_ranks_by_each_measure_are_drawn_below_each_other(app):
    app.switch_page("pages/results.py")
    app.query_params.update(sample="twoclass_counts.csv", tab="Other measures")
    app.run()

    assert not app.exception
    assert "## Average ranks by measure" in [part.value for part in app.markdown]


def test_without_tags_nothing_is_asked(app):
    app.run()

    assert "only" not in {box.key for box in app.selectbox}


def test_long_names_are_shortened_everywhere_and_choices_follow(app):
    opened(app)
    app.multiselect(key="out").set_value([LONG[0]]).run()

    app.button(key="shorten").click().run()

    assert not app.exception
    assert app.session_state["out"] == ["Forest(depth=1)"]
    assert app.query_params["short"] == "1"
    app.switch_page("pages/results.py").run()
    assert "SVC" in texts(app)
    assert "Classifier" not in texts(app)


def test_typed_names_hold_and_go_back(app, typed):
    opened(app)
    typed[LONG[2]] = "svm"
    app.run()

    assert app.session_state[TYPED] == {"algorithms": {LONG[2]: "svm"}}
    assert "svm" in app.multiselect(key="out").options
    assert json.loads(app.query_params["rename"]) == ["algorithms", LONG[2], "svm"]
    typed.clear()
    app.button(key="unshorten").click().run()
    assert LONG[2] in app.multiselect(key="out").options


def test_two_alike_are_refused(app, typed):
    opened(app)
    typed.update({LONG[0]: "same", LONG[1]: "same"})
    app.run()

    assert 'would both become "same"' in texts(app)
    assert LONG[0] in app.multiselect(key="out").options


def test_a_link_opens_names(app):
    app.query_params["rename"] = ['["algorithms", "C4.5", "tree"]', "nonsense"]
    app.query_params["sample"] = "garcia_herrera_2008_accuracy.csv"
    app.run()

    assert not app.exception
    assert "tree" in texts(app)
    assert "C4.5" not in texts(app)


def test_other_files_forget_names(app):
    opened(app)
    app.button(key="shorten").click().run()

    upload(app, ("other.csv", tagged().replace(b"d0", b"e0")))

    assert "short" not in app.query_params
    assert LONG[0] in app.multiselect(key="out").options
