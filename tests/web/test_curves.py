"""Tests of the tabs Curves and Thresholds of the page Explore, and of the threshold shared by all pages."""

import gzip
import json
import re

import numpy as np
import pandas as pd
import pytest

from stats_core.comparison.analyse import analyse
from stats_core.core.formatting import label_tests
from stats_core.curves.curve_comparison import curves_of_folds
from stats_core.curves.threshold_sweep import sweep_curves
from stats_core.curves.thresholds import at_threshold
from stats_core.data.settings import Settings
from stats_core.io.read import read_results
from stats_core.report.paper_sentence import copied_sentence, paper_sentence
from stats_core.report.verdict import verdict
from tests.report.report_cases import table_of_predictions
from tests.web.conftest import (
    APP,
    copied,
    open_section,
    page,
    select,
    specs,
    texts,
    turn_to,
    upload,
)

SAMPLE = "twoclass_scores.csv.gz"
TABS = ["Curves", "Areas", "Thresholds", "Agreement of tests"]
SECTIONS = ["Areas", "Agreement of tests"]  # of the tab Curves


def scores(n=60, folds=4, seed=1, **columns) -> pd.DataFrame:
    """Return scores of two algorithms on folds; those of "sharp" separate the classes better than those of "dull"."""
    rng = np.random.default_rng(seed)
    rows = []
    for fold in range(folds):
        label = rng.integers(0, 2, n)
        for name, gap in (("sharp", 2.0), ("dull", 0.5)):
            score = 1 / (1 + np.exp(-(rng.normal(size=n) + gap * (2 * label - 1))))
            rows.append(
                pd.DataFrame({"algorithm": name, "fold": fold, "true": label, "score": score})
            )
    return pd.concat(rows).assign(**columns)


def as_file(table: pd.DataFrame, name: str = "preds.csv"):
    return name, table.to_csv(index=False).encode()


@pytest.mark.parametrize("tab", TABS)
@pytest.mark.parametrize("kept", ["all", "two"])
def test_every_tab(app, tab, kept):
    if tab in SECTIONS:
        open_section(app, "ctab", tab)
    if kept == "two":
        app.query_params["out"] = [
            "QDA",
            "SVM (linear)",
            "SVM (degree 2)",
            "Random forest",
            "10-NN",
        ]
    page(app, SAMPLE, "Thresholds" if tab == "Thresholds" else "Curves")

    assert not app.exception


@pytest.mark.parametrize(
    ("kind", "average"),
    [
        ("ROC", "vertical average"),
        ("ROC", "hull of folds"),
        ("Precision-recall", "threshold average"),
        ("Precision-recall", "hull of folds"),
        ("Sensitivity-specificity", "vertical average"),
        ("Sensitivity-specificity", "threshold average"),
    ],
)
def test_every_curve(app, kind, average):
    app.query_params |= {"kind": kind, "average": average}
    page(app, SAMPLE, "Curves")

    assert not app.exception
    assert len(specs(app)[0]["data"]) > 7


def test_the_visitor_chooses_whose_folds_are_drawn(app):
    """Of seven algorithms, no folds are drawn at first, and there is no switch without effect."""
    app.query_params["kind"] = "ROC"
    page(app, SAMPLE, "Curves")
    assert "Folds" not in [toggle.label for toggle in app.toggle]
    assert not [t for t in specs(app)[0]["data"] if (t.get("name") or "").endswith(" folds")]
    assert "thin ones" not in texts(app)

    app.multiselect(key="folds_of").set_value(["Random forest", "QDA"]).run()
    drawn = [t["name"] for t in specs(app)[0]["data"] if (t.get("name") or "").endswith(" folds")]
    assert sorted(drawn) == ["QDA folds", "Random forest folds"]
    assert "Thin: single folds of" in texts(app)


def test_the_two_areas_differ_before_anything_is_typed(app):
    """On acceptors, the two best areas are both 0.995 to three decimals."""
    open_section(app, "ctab", "Areas")
    page(app, SAMPLE, "Curves")
    app.session_state["sample_size"] = True
    app.run()
    first, second = (app.number_input(key=f"size{i}").value for i in (1, 2))
    assert first != second
    assert "two different areas" not in texts(app)
    assert "positive and" in texts(app)

    app.number_input(key="size2").set_value(first).run()
    assert "Planning needs two different areas" in texts(app)
    assert "first" not in texts(app).partition("two different areas")[0].rpartition("The two")[2]


def rates(app):
    """Return the table of rates at the threshold."""
    return next(frame.value for frame in app.dataframe if "fpr" in frame.value)


def predictions_of_two_models(n=120):
    """Return one row per instance of a test set, with the scores of two models."""
    rng = np.random.default_rng(0)
    label = np.arange(n) % 2
    noise = rng.normal(size=(2, n))
    probabilities = 1 / (1 + np.exp(-(noise + np.outer([1.5, 0.8], 2 * label - 1))))
    return pd.DataFrame(
        {"id": range(n), "y_true": label, "sharp": probabilities[0], "dull": probabilities[1]}
    )


@pytest.mark.slow
def test_no_text_of_any_page_states_a_threshold_that_was_replaced(app):
    table = predictions_of_two_models()
    upload(app, as_file(table))
    turn_to(app, "Curves").run()
    app.slider(key="theta").set_value(0.3).run()
    stated = ""
    for name in ("results", "compare", "Curves", "Thresholds", "Confusion", "export"):
        is_tab = name[0].isupper()
        app.query_params["look"] = name if is_tab else "Folds"
        turn_to(app, "explore" if is_tab else name).run()
        words = texts(app) + " ".join(str(each) for each in copied(app))
        assert not app.exception, name
        assert "at least 0.5" not in words, name
        stated += words
        if name == "Confusion":
            drawn = [trace.get("text", ()) for spec in specs(app) for trace in spec["data"]]
            numbers = {str(text) for texts_of in drawn for text in np.atleast_1d(texts_of)}
            negatives = table.loc[table["y_true"] == 0, "sharp"]
            assert str((negatives >= 0.3).sum()) in numbers
            assert str((negatives >= 0.5).sum()) not in numbers
    assert "at least 0.3" in stated


def test_the_verdict_concerns_the_area_below_the_chosen_curve(app):
    app.query_params["out"] = ["QDA", "SVM (linear)", "SVM (degree 2)", "Random forest", "10-NN"]
    page(app, SAMPLE, "Curves")
    headline = app.subheader[0].value if app.subheader else texts(app)
    assert "AUC-PR" not in headline
    select(app, "kind", "Precision-recall").run()
    assert "in AUC-PR" in texts(app)
    assert not app.exception


@pytest.mark.parametrize("measure", ["error", "auc"])
@pytest.mark.parametrize("theta", [0.3, 0.5])
def test_sentences_state_a_threshold_that_was_set_if_the_measure_depends_on_it(measure, theta):
    results = at_threshold(read_results(as_file(scores())), theta)
    comparison = analyse(results, Settings(measure=measure))
    for sentence in (paper_sentence(comparison), copied_sentence(comparison)):
        assert ("a score of at least 0.3" in sentence) == (theta == 0.3 and measure == "error")


def test_the_card_of_thresholds_answers_for_thresholds(app):
    """Folds are compared at each threshold; the card names the ranges of those won, as the table counts them."""
    upload(app, as_file(scores()))
    turn_to(app, "Thresholds").run()
    assert not app.exception
    card = texts(app).split("badge[")[1].split("\n")[0]
    assert "sharp has a significantly lower expected cost than dull at thresholds" in card
    assert "AUC" not in card
    data = curves_of_folds(read_results(as_file(scores())), "preds")
    counts = ("tp", "fp", "tn", "fn")
    swept = sweep_curves(data, ("dull", "sharp"), measures=counts, test_fraction=0.25)
    assert swept.won_at()["less by second"].iloc[0] in card


def opposed() -> pd.DataFrame:
    """Return scores of "ranks", which orders instances well but calls most positive, and of "calls", which does not."""
    table, rng = scores(), np.random.default_rng(2)
    shifts = {"sharp": ("ranks", 2.0, 3.0), "dull": ("calls", 1.0, 0.0)}
    for old, (new, gap, shift) in shifts.items():
        rows = table["algorithm"] == old
        values = rng.normal(size=rows.sum()) + gap * (2 * table.loc[rows, "true"] - 1) + shift
        table.loc[rows, ["algorithm", "score"]] = [[new, 1 / (1 + np.exp(-v))] for v in values]
    return table


@pytest.mark.parametrize("tab", ["Folds", "Curves", "compare", "results"])
def test_two_measures_that_favour_opposite_algorithms_are_on_the_cards_of_both(app, tab):
    upload(app, as_file(opposed()))
    turn_to(app, tab).run()
    assert not app.exception
    words = texts(app)
    mine, other = ("ranks", "calls") if tab == "Curves" else ("calls", "ranks")
    claim = r"(?::gray\[)?{}\]? is significantly better than (?::gray\[)?{}\]?"
    assert re.search(claim.format(mine, other) + " in", words)
    named = "(error|Brier score)" if tab == "Curves" else "AUC"
    assert re.search(f"In {named}, " + claim.format(other, mine), words)


def test_theta_is_one_number_for_all_pages(app):
    app.query_params["out"] = ["QDA", "SVM (linear)", "SVM (degree 2)", "Random forest", "10-NN"]
    page(app, SAMPLE, "Curves")
    before = rates(app)
    app.slider(key="theta").set_value(0.8).run()
    after = rates(app)

    assert "a false positive costs 4 times as much as a false negative" in texts(app)
    assert (after["fpr"] < before["fpr"]).all()
    app.switch_page("pages/compare.py").run()
    assert "Instances with a score of at least 0.8" in texts(app)


def test_a_link_to_a_page_without_slider_names_the_threshold(app):
    app.query_params |= {"theta": "0.3", "sample": SAMPLE}
    app.run()

    assert "Instances with a score of at least 0.3" in texts(app)


def test_results_without_scores_have_no_tab_of_curves(app):
    page(app, "twoclass_counts.csv", "Curves")

    assert not app.exception
    assert [tab.label for tab in app.tabs] == ["Folds", "Several measures"]


def test_averages_are_told_that_curves_need_scores(app):
    page(app, "garcia_herrera_2008_accuracy.csv", "Curves")

    assert "This page needs results per fold or predictions with scores." in texts(app)
    assert "has one result per algorithm and data set" in texts(app)


def test_labels_without_scores_have_no_tab_of_curves(app):
    table = scores()
    table["predicted"] = (table["score"] > 0.5).astype(int)
    upload(app, as_file(table.drop(columns="score")))
    turn_to(app, "Curves").run()

    assert not app.exception
    assert [tab.label for tab in app.tabs] == ["Folds", "Several measures", "Confusion"]


def test_a_fold_of_one_class_is_named_and_the_others_are_used(app):
    table = scores()
    table.loc[table["fold"] == 2, "true"] = 0
    upload(app, as_file(table))
    turn_to(app, "Curves").run()

    assert not app.exception
    assert "Fold 2 of preds has no positive instance, so it has no curve." in texts(app)
    assert "sharp is significantly better than dull in AUC on preds." in texts(app)


def test_the_positive_class_can_be_changed(app):
    upload(app, as_file(scores()))
    assert "The positive class is 1" in texts(app)
    app.selectbox(key="positive").set_value("0").run()

    assert "The positive class is 0" in texts(app)
    assert "below chance" in texts(app)
    assert any("specify this on Data" in warning.value for warning in app.warning)
    app.selectbox(key="score_way").set_value("lower").run()
    assert "below chance" not in texts(app)
    assert "The scores were reversed" in texts(app)


def test_scores_of_three_classes_ask_for_one(app):
    table = scores()
    table["true"] = table["true"].map({0: "a", 1: "b"}).where(table.index % 3 > 0, "c")
    upload(app, as_file(table))

    assert "Which class do high scores indicate?" in texts(app)
    next(button for button in app.button if button.label == "b").click().run()
    assert "The positive class is b" in texts(app)
    assert "compared with all other classes" in texts(app)


def test_decision_values_get_a_named_scale(app):
    table = scores()
    table["score"] = np.log(table["score"] / (1 - table["score"]))
    upload(app, as_file(table))
    turn_to(app, "Curves").run()
    select(app, "scale", "share of cases")

    assert not app.exception


def test_one_test_set_is_compared_by_its_cases(app):
    open_section(app, "ctab", "Areas")
    upload(app, as_file(one_test_set()))
    turn_to(app, "Curves").run()

    assert not app.exception
    assert "Test: DeLong" in texts(app)


def test_the_heading_of_areas_names_the_tests_that_were_made(app):
    """With several training runs on one test set, pairs are tested by a t test instead of DeLong's."""
    table = pd.concat([scores(folds=1).assign(fold=fold) for fold in (1, 2, 3)])
    table["score"] = (table["score"] + 0.01 * table["fold"] * (table.index % 7)) / 1.3
    table["instance"] = table.groupby(["algorithm", "fold"]).cumcount()
    open_section(app, "ctab", "Areas")
    upload(app, as_file(table))
    turn_to(app, "Curves").run()

    said = texts(app)
    assert "Test: two-way t test, 60 instances." in said
    heading = said.index("## Pairwise tests of AUC")
    own = said.index("## DeLong test for one run")
    assert "DeLong" not in said[heading:own]


def one_test_set() -> pd.DataFrame:
    """Return the scores of two algorithms on the instances of one test set."""
    table = scores(folds=1).drop(columns="fold")
    return table.assign(instance=table.groupby("algorithm").cumcount())


def answer(table: pd.DataFrame, measure: str):
    """Return the comparison by one area, and its headline."""
    results = read_results(as_file(table))
    comparison = analyse(results, Settings(measure=measure, dataset=results.datasets[0]))
    return comparison, verdict(comparison).headline


@pytest.mark.parametrize("design", [scores, one_test_set])
@pytest.mark.parametrize("kind", ["ROC", "Precision-recall"])
@pytest.mark.parametrize("tab", TABS)
def test_the_statements_of_each_tab_are_on_its_measure_and_name_its_test(app, tab, kind, design):
    """The card answers for the chosen curve or for costs, and Areas for each area."""
    table, of_card = design(), {"ROC": "auc", "Precision-recall": "auc_pr"}[kind]
    app.query_params["kind"] = kind
    if tab in SECTIONS:
        open_section(app, "ctab", tab)
    upload(app, as_file(table))
    turn_to(app, "Thresholds" if tab == "Thresholds" else "Curves").run()
    assert not app.exception

    words = texts(app).replace(":gray[AUC-PR]", "AUC-PR")
    card = words.split("badge[")[1].split("\n")[0]
    if tab == "Thresholds":
        assert "expected cost" in card
        assert "AUC" not in card
        return
    comparison, headline = answer(table, of_card)
    assert headline in card
    assert f"{label_tests(comparison.test_name)}, {comparison.counted}." in words
    if tab == "Areas":
        for measure, name in {"auc": "AUC", "auc_pr": "AUC-PR"}.items():
            comparison, headline = answer(table, measure)
            section = words.split(f"## Pairwise tests of {name}\n")[1]
            assert headline in section.split("## ")[0]
            assert f"{label_tests(comparison.test_name)}, {comparison.counted}." in words


def test_every_page_works_from_predictions_alone(app):
    content = gzip.compress(as_file(scores())[1])
    upload(app, ("preds.csv.gz", content))
    for name in ("results", "compare", "Folds", "Several measures", "Curves", "results"):
        turn_to(app, name).run()
        assert not app.exception, name
    assert APP.exists()


def test_models_on_one_test_set_are_compared_with_a_control(app):
    table = table_of_predictions({"a": range(2), "b": range(12), "c": range(1, 14)})
    app.query_params.update(compare="Against a control", control="b")
    upload(app, as_file(table))
    turn_to(app, "results").run()

    assert not app.exception
    assert (
        "a is significantly better than b in error on d. c does not differ significantly from b."
        in texts(app)
    )
    assert "Against the control" in [tab.label for tab in app.tabs]
    app.segmented_control(key="compare").set_value("All pairs").run()
    assert "a is significantly better than b and c in error on d." in texts(app)


def two_models(n=200, seed=3) -> tuple[str, bytes]:
    """Return the scores of two models on one test set."""
    rng = np.random.default_rng(seed)
    label = rng.integers(0, 2, n)
    table = {
        name: 1 / (1 + np.exp(-(rng.normal(size=n) + gap * (2 * label - 1))))
        for name, gap in (("a", 2), ("b", 1))
    }
    return as_file(pd.DataFrame({"y_true": label, **table}), "test set.csv")


def test_the_headline_of_thresholds_is_about_costs_and_tables_are_folded(app):
    upload(app, two_models())
    turn_to(app, "Thresholds").run()

    assert not app.exception
    assert "a has a lower expected cost than b at thresholds" in texts(app)
    assert "AUC" not in texts(app)
    assert not app.dataframe
    first = json.loads(app.get("plotly_chart")[0].proto.spec)["layout"]["annotations"]
    assert [one["text"] for one in first if one.get("name") == "side"] == [
        "↓ a better",
        "↑ b better",
    ]
    assert "Data set" not in [box.label for box in app.main.selectbox], "there is only one"


def test_a_pair_on_one_test_set_has_figures_of_answers_and_scores_and_no_open_table(app):
    upload(app, two_models())
    turn_to(app, "compare").run()

    assert not app.exception
    assert "Correct and wrong answers" in texts(app)
    panels = [one["text"] for one in specs(app)[1]["layout"]["annotations"]]
    assert panels == ["<b>(a) score, positive class</b>", "<b>(b) score, negative class</b>"]
    assert not app.dataframe
    assert {"Tests", "Instances"} <= {box.label for box in app.expander}
