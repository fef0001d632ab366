"""Tests of the page Plan: simulations in parts, which can be cancelled and continued with the same numbers."""

import pytest
from streamlit.testing.v1 import AppTest

from foldwise.web import cache
from foldwise.web.session import SAMPLES
from foldwise.web.texts import page_text
from foldwise.web.views import simulation_views
from foldwise.workspaces.store import WorkspaceChunks, WorkspaceLimits
from stats_core.data.settings import OVERLAPS, Settings
from stats_core.io.read import read_results
from stats_core.power.error_rates import level_of
from stats_core.power.planning import plan_of
from stats_core.power.questions import SimulationQuestion, run_part
from stats_core.power.simulated_power import power_of
from stats_core.report.power_text import describe_simulation
from tests.samples import shipped
from tests.web.conftest import (
    APP,
    HOLES,
    WIDE,
    answered,
    page,
    select,
    specs,
    texts,
    turn_to,
    upload,
)

AUC = "demsar_2006_auc.csv"
TABS = {
    "Sample size": "would be needed for power 0.80, averaged over the differences between",
    "Power": "mean number of rejections among 10 pairs at sampling bias 0 and 20",
    "Type I error": "did not exceed 0.05 in the simulations",
    "Orders": "The prior order 1-2-3",
}


@pytest.fixture
def by_chunk(monkeypatch):
    """Limit each part of a simulation to one chunk."""
    monkeypatch.setattr(simulation_views, "SECONDS", 0.0)


def lab(app, tab, sample=AUC, **asked):
    """Open a tab and run its simulation to the end; return the app."""
    if tab == "Orders":
        tab, app.session_state["power_of"] = "Power", "cost-aware orders"
    app.query_params |= {"ltab": tab, **asked}
    return answered(page(app, sample, "plan"))


@pytest.mark.parametrize(
    ("sample", "tab"),
    [
        (AUC, "Power"),  # averages, from which no number of folds can be planned
        ("uci38_5x2.csv", "Sample size"),
    ],
)
def test_plan_opens_the_first_tab_that_the_results_allow(app, sample, tab):
    page(app, sample, "plan")

    assert [shown.label for shown in app.tabs if shown.selectbox] == [tab]


def test_nothing_runs_before_start_is_pressed(app, monkeypatch):
    monkeypatch.setattr(cache, "SAMPLES", cache.SessionCache(10_000_000))  # no test ran it before
    page(app, "graded.csv", "plan")

    assert [button.label for button in app.button if (button.key or "").startswith("go_on")] == [
        "Start"
    ]
    assert simulation_views.JOB not in app.session_state
    assert not specs(app)


def pressed(app, start):
    """Press the first button whose label begins with `start`; return the app after the run."""
    next(button for button in app.button if button.label.startswith(start)).click()
    return app.run()


def test_every_question_is_answered_and_leaves_with_the_others(app):
    app.session_state["sruns"] = 50
    for tab, said_there in TABS.items():
        lab(app, tab, "graded.csv")

        assert not app.exception
        assert said_there in texts(app)
        assert specs(app)

    app.query_params["etab"] = "Figures"
    app.switch_page("pages/export.py").run()
    assert not app.exception
    titles = " ".join(box.label for box in app.checkbox)
    for title in (
        "Power among 10",
        "Type I error rates of all",
        "Power by number of additional",
        "Precision and power",
    ):
        assert title in titles


def test_one_test_set_has_no_resampled_data_sets(app):
    for tab, said in (
        ("Type I error", "needs several data sets, or results per fold"),
        ("Power", "have 1 data set"),
    ):
        app.query_params["ltab"] = tab
        page(app, "two_models.csv", "plan")

        assert not app.exception
        assert said in texts(app)


def test_a_plan_of_instances_has_a_figure_and_is_exported(app):
    page(app, "two_models.csv", "plan")

    assert not app.exception
    assert "instances are needed for 80% power" in texts(app)
    assert len(specs(app)) == 1
    app.slider(key="lpower").set_value(0.9).run()
    assert "instances are needed for 90% power" in texts(app)
    app.query_params["etab"] = "Figures"
    app.switch_page("pages/export.py").run()
    assert any(box.label.startswith("Detectable difference and power") for box in app.checkbox)


def test_cancelled_it_goes_on_with_the_same_numbers(app, by_chunk, workers):
    lab(app, "Power")
    app.selectbox(key="ldraws").set_value("1,000").run()
    assert "250 simulations of" in texts(app) or "500 simulations of" in texts(
        app
    )  # what is there by now

    pressed(app, "Cancel")
    assert page_text("simulation_views.stopped") in texts(app)
    pressed(app, "Continue")
    answered(app)

    results = shipped(AUC)
    pair = app.selectbox(key="lfirst").value, app.selectbox(key="lsecond").value
    alone = power_of(results, Settings(measure="auc"), pair=pair, n_sets=7, draws=1000)
    assert describe_simulation(alone).headline in texts(app)
    app.session_state["script_power"] = True
    app.run()
    (script,) = [code.value for code in app.code if code.language == "python"]
    assert "draws=1000" in script


def test_a_level_that_is_not_kept_stands_below_the_verdict_once_it_was_seen(app):
    warned = "Use another procedure."
    app.session_state["ds"] = app.session_state["lset"] = "ada"
    page(app, "graded.csv", "Folds")
    select(app, "posthoc", "Tukey")
    assert warned not in texts(select(app, "overlap", OVERLAPS["ignored"]))
    lab(app, "Type I error", "graded.csv")
    assert warned in texts(answered(app.run()))

    turn_to(app, "Folds").run()
    assert warned in texts(app.run())
    assert warned not in texts(select(app, "overlap", OVERLAPS["corrected"]))
    assert not app.exception


def test_what_cannot_be_simulated_is_said(app):
    lab(app, "Sample size")
    assert "A plan needs at least 2 results on each data set" in texts(app)
    assert not [button for button in app.button if button.label == "Start"]
    assert simulation_views.LAST not in app.session_state

    upload(app, ("holes_accuracy.csv", HOLES))
    app.switch_page("pages/plan.py").run()
    assert page_text("data_views.complete") in texts(app)


def needed_for(results, app, power):
    """Return the headline of the plan on the page for this power, computed without the app."""
    pair = app.selectbox(key="a").value, app.selectbox(key="b").value
    plan = plan_of(
        results, Settings(measure=results.measures[0]), pair=pair, power=power, draws=250
    )
    return describe_simulation(plan).headline


def test_the_slider_of_power_moves_over_a_finished_plan(app, monkeypatch):
    lab(app, "Sample size", "graded.csv")
    results = shipped("graded.csv")
    assert needed_for(results, app, 0.8) in texts(app)
    monkeypatch.setattr(simulation_views.questions, "run_part", None)  # no new run

    app.slider(key="lpower").set_value(0.95).run()

    assert not app.exception
    assert needed_for(results, app, 0.95) != needed_for(results, app, 0.8)
    assert needed_for(results, app, 0.95) in texts(app)
    app.session_state["script_plan"] = True
    app.run()
    (script,) = [code.value for code in app.code if code.language == "python"]
    assert "power=0.95" in script


def reloaded(app):
    """Return a new session at the address of this one, as after a reload."""
    again = AppTest.from_file(str(APP), default_timeout=60)
    for name in app.query_params:
        again.query_params[name] = app.query_params[name]
    return again.switch_page("pages/plan.py").run()


@pytest.mark.parametrize("tab", TABS)
def test_a_finished_result_is_shown_again_after_a_reload_and_nothing_else_runs(
    app, tab, tmp_path, monkeypatch
):
    monkeypatch.setenv("FOLDWISE_WORKSPACES", str(tmp_path / "kept.sqlite3"))
    app.session_state["sruns"] = 300
    upload(app, ("mine, <b>.csv", (SAMPLES / "graded.csv").read_bytes()))
    app.query_params["ltab"] = "Power" if tab == "Orders" else tab
    if tab == "Orders":
        app.query_params["power_of"] = "cost-aware orders"
    elif tab == "Sample size":
        app.query_params |= {"ldifference": "0.02", "lmore_sets": "12", "lpower": "0.9"}
    app.switch_page("pages/plan.py").run()
    assert not specs(app)
    answered(app)
    assert specs(app)

    with monkeypatch.context() as patch:
        patch.setattr(simulation_views.questions, "run_part", None)
        again = reloaded(app)
        if tab == "Sample size":
            assert "a difference of 0.02 between" in texts(again)
        assert not again.exception
        assert specs(again) == specs(app)

        view = app.session_state["_workspace"].view  # of a link for others
        del app.query_params["w"]
        app.query_params["v"] = view
        assert specs(reloaded(app)) == specs(app)
        draws = "1,000" if tab != "Orders" else None
        if draws:  # not finished
            app.query_params["ldraws"] = draws
            assert [b.label for b in reloaded(app).button if (b.key or "").startswith("go_on")] == [
                "Start"
            ]


def test_chunks_outlive_the_session_in_the_workspace(app, tmp_path, monkeypatch):
    path = tmp_path / "kept.sqlite3"
    monkeypatch.setenv("FOLDWISE_WORKSPACES", str(path))
    upload(app, ("mine_accuracy.csv", WIDE))
    app.query_params["ltab"] = "Type I error"
    answered(app.switch_page("pages/plan.py").run())
    link = app.session_state["_workspace"].link

    stored = WorkspaceChunks(WorkspaceLimits(path=path), link)
    about = read_results(("mine_accuracy.csv", WIDE)), Settings(measure="accuracy")
    question = SimulationQuestion(name="level", results=about[0], settings=about[1], options={})
    again = run_part(question, draws=500, seconds=60, stored=stored)

    assert list(again.chunks) == [2]
    assert again.result.frame.equals(level_of(*about, draws=500).frame)
