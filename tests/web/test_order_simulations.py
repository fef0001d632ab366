"""Tests of simulated orders on the page Plan, for given error rates."""

import pytest

from foldwise.web.views.simulation_views import TESTS as SIMULATED
from stats_core.inference.methods import PAIR_TESTS
from tests.web.conftest import answered, page, specs, texts


def simulated(app, **asked):
    """Run the simulation of orders with few runs and given settings; return the app."""
    app.query_params |= {"ltab": "Power", "power_of": "cost-aware orders"}
    app.session_state["sruns"] = 50
    for key, value in asked.items():
        app.session_state[key] = value
    return answered(page(app, "uci38_5x2.csv", "plan"))


def test_a_simulation_on_one_data_set(app):
    simulated(app)

    assert not app.exception
    assert "The prior order 1-2-3 has probability" in texts(app)
    assert "at λ = 0.1 is 3-2-1 (1.00)" in texts(app)  # Ulas et al. 2012, Fig. 4
    assert "0.7, 0.5, 0.3 at λ = 0.1 (cheapest first)" in texts(app)


@pytest.mark.parametrize(
    ("test", "family"),
    [
        *((test, "Holm") for test in SIMULATED),
        (SIMULATED[0], "Bonferroni"),
        (SIMULATED[-1], "none"),
    ],
)
def test_every_simulated_test(app, test, family):
    simulated(app, stest=test, sfamily_one=family)

    assert not app.exception
    assert f"{PAIR_TESTS[test].name}, one-sided" in texts(app)
    assert app.number_input(key="sfolds").disabled == ("5x2" in test)


@pytest.mark.parametrize("post_hoc", ["Nemenyi", "Holm", "Bonferroni"])
def test_a_simulation_on_many_data_sets(app, post_hoc):
    simulated(app, skind="many data sets", spost=post_hoc)

    assert not app.exception
    assert "at λ = 0.1 is 4-3-2-1 (1.00)" in texts(app)  # Ulas et al. 2012, Fig. 5
    assert "Multi2Test (30 data sets)" in texts(app)
    assert f"Friedman, {post_hoc}; 50 runs" in texts(app)


@pytest.mark.parametrize(
    ("slopes", "said"),
    [
        ("2, x", 'Found "2, x". Separate the numbers by commas, such as 2, 0, −2.'),
        ("3, 2, 1, 0, -1, -2, -3", "must have 2 to 6 numbers, one per classifier, but has 7."),
        ("2", "must have 2 to 6 numbers, one per classifier, but has 1."),
        ("", "must have 2 to 6 numbers, one per classifier, but has 0."),
        ("nan, 1", "Every number must be finite."),
        ("1e999, 0", "Every number must be finite."),
        ("9, 0", "Error rates must lie in [0, 1], but range from 0.5 to 1.4."),
    ],
)
def test_odd_rates_are_answered_in_words(app, slopes, said):
    simulated(app, slopes_one=slopes)

    assert not app.exception
    assert said in texts(app)
    assert "Which" not in [spec["layout"].get("title") for spec in specs(app)]


def test_a_lambda_that_is_too_large_is_answered_in_words(app):
    simulated(app, skind="many data sets", slambda=0.16)

    assert not app.exception
    assert "range from -0.03 to 1.03. Use a smaller λ" in texts(app)


def test_a_semicolon_separates_rates_too(app):
    simulated(app, slopes_one="2; 0; -2")

    assert "The prior order 1-2-3" in texts(app)


def test_simulations_are_kept_and_go_on(app):
    simulated(app)
    before = specs(app)[-1]
    answered(app.number_input(key="sruns").set_value(100).run())
    assert specs(app)[-1] != before
    assert "100 runs" in texts(app)

    app.number_input(key="sruns").set_value(50).run()

    assert specs(app)[-1] == before
    assert len([key for key in app.session_state["_memory"] if key[0] == "part"]) == 2
