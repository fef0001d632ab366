"""Tests that the texts of all pages on pairs, orders and tests agree with the comparison."""

from itertools import product

import numpy as np
import pytest

from foldwise.web.settings_registry import SETTINGS
from stats_core.comparison.analyse import analyse
from stats_core.curves.curve_comparison import AVERAGES, BANDS
from stats_core.curves.thresholds import SCALES
from stats_core.data.costs import COST_SCALES
from stats_core.data.settings import ASKED_SOURCES, DFS, OVERLAPS, Settings
from stats_core.inference.multiplicity.adjust import CORRECTIONS
from stats_core.io.read import read_results
from stats_core.ordering.one_sided_evidence import FAMILIES
from stats_core.report.verdict import among_all, verdict
from tests.samples import shipped
from tests.web.conftest import page, texts, turn_to, upload


def sidebar_words(app):
    """Return all texts of the sidebar, with labels and values of its boxes."""
    boxes = [f"{box.label} {box.value}" for box in app.sidebar.selectbox]
    said = [*(caption.value for caption in app.sidebar.caption), *boxes]
    return " ".join(said).replace("\\", "").replace("\u00a0", " ")


@pytest.mark.parametrize("page_of", ["results", "compare", "Folds"])
@pytest.mark.parametrize("k", [3, 8, 31])
def test_the_sidebar_names_the_tests_that_were_made_and_no_other(app, page_of, k):
    """With 31 algorithms, Shaffer's procedure is used, since Bergmann-Hommel would take too long."""
    rng = np.random.default_rng(k)
    rows = [
        f"d{i},a{j:02},{fold},{0.2 + j / 100 + 0.01 * rng.normal():.4f}"
        for i, j, fold in product(range(15), range(k), range(3))
    ]
    content = "\n".join(["dataset,algorithm,fold,error", *rows])
    upload(app, ("many.csv", content.encode()))
    turn_to(app, page_of).run()
    results = read_results(("many.csv", content.encode()))
    dataset = "" if page_of != "Folds" else app.selectbox(key="ds").value
    used = analyse(results, Settings(dataset=dataset)).test_name
    said = sidebar_words(app)

    assert f"all pairs \u00b7 {used}" in said
    replaced = {"Bergmann-Hommel", "Hommel"} if k == 31 else set()
    assert ("computed for at most 30 algorithms (here: 31)" in said) == bool(replaced)
    others = {*CORRECTIONS.values()} - {"none"} - replaced
    assert not [one for one in others if one in said and one not in used]


def card(app):
    """Return the text of the verdict."""
    return (
        next(one.value for one in app.markdown if "-badge[" in one.value)
        .replace("\\", "")
        .replace("\u00a0", " ")
    )


@pytest.mark.parametrize("place", ["all data sets", "optdigits"])
@pytest.mark.parametrize(
    ("a", "b"),
    [
        ("SVM (degree 2)", "SVM (RBF)"),
        ("Multivariate tree", "Logistic regression"),
        ("C4.5", "SVM (degree 2)"),
    ],
)
def test_a_pair_of_several_algorithms_has_the_verdict_of_all_pairs(app, place, a, b):
    results = shipped("uci38_5x2.csv")
    dataset = "" if place == "all data sets" else place
    every = analyse(results, Settings(measure="error", dataset=dataset))
    app.query_params.update(a=a, b=b, ds=place)
    page(app, "uci38_5x2.csv", "compare")
    own = analyse(results, Settings(measure="error", dataset=dataset, pair=(a, b)))
    said = among_all(own, every)

    assert said.headline in card(app)
    assert said.size in card(app)
    assert str(said.notes[0]) in texts(app)
    assert verdict(own).size not in card(app)


def test_a_pair_with_the_control_has_the_verdict_of_the_comparisons_with_it(app):
    app.query_params.update(
        a="SVM (degree 2)", b="SVM (linear)", compare="Against a control", control="SVM (linear)"
    )
    page(app, "uci38_5x2.csv", "compare")

    assert "against SVM (linear) \u00b7" in sidebar_words(app)
    assert "7 pairs of 8 algorithms" in texts(app)

    app.selectbox(key="b").set_value("Multivariate tree").run()
    assert "28 pairs of 8 algorithms" in texts(app)


@pytest.mark.parametrize(
    "pair",
    [
        ("SVM (degree 2)", "SVM (RBF)"),
        ("SVM (RBF)", "SVM (degree 2)"),
        ("Multivariate tree", "SVM (degree 2)"),
        ("C4.5", "Multivariate tree"),
    ],
)
def test_an_address_that_leaves_out_the_first_of_the_names_means_it(app, pair):
    """The address omits the first option of a box, which is SVM (degree 2), the best algorithm, in both boxes."""
    for key, name in zip("ab", pair, strict=True):
        if name != "SVM (degree 2)":
            app.query_params[key] = name
    page(app, "uci38_5x2.csv", "compare")

    assert tuple(app.selectbox(key=key).value for key in "ab") == pair


def test_an_order_on_one_data_set_cites_the_pairs_there(app):
    """Regression test: the test over all 38 data sets was cited."""
    app.query_params.update(ocost="predict_s", oset="ringnorm")
    page(app, "uci38_5x2.csv", "tradeoffs")

    assert "In error alone, SVM (degree 2) is significantly worse than SVM (RBF)." in card(app)
    assert "the order contradicts a significant difference in error on ringnorm (" in texts(app)
    assert "38 data sets" not in texts(app).replace("38 data sets / 8 algorithms", "")


def test_results_and_the_order_agree_on_which_is_better(app):
    """Multivariate tree is last on Results but first on Trade-offs; the headline gives the reason."""
    app.query_params["ocost"] = "predict_s"
    page(app, "uci38_5x2.csv", "tradeoffs")
    said = card(app)

    assert "Ordered by prediction time, because" in said
    assert "In error alone, Multivariate tree is significantly worse than" in said
    assert "the order contradicts a significant difference in error over 38 data sets (" in texts(
        app
    )


def test_declared_defaults_are_options_of_the_library():
    """Defaults in settings.toml are labels; after a change of a label, every link would contain the setting."""
    labels = {
        "source": ASKED_SOURCES[""],
        "overlap": OVERLAPS["corrected"],
        "df": DFS["conservative"],
        "scale": next(iter(SCALES)),
        "average": AVERAGES[0],
        "band": BANDS[0],
        "ofamily": FAMILIES["holm"],
        "opost": next(iter(CORRECTIONS.values())),
        "oscale": next(iter(COST_SCALES.values())),
    }
    assert {key: SETTINGS[key].default for key in labels} == labels
