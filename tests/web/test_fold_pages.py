"""Tests of the pages Compare and Explore on one data set, and of links to it."""

import json

import pytest

from stats_core.comparison.analyse import analyse
from stats_core.data.settings import Settings
from stats_core.io.read import read_results
from stats_core.robustness.algorithm_standing import datasets_by_difference
from tests.samples import SAMPLES
from tests.web.conftest import open_section, page, select, specs, texts, turn_to, upload

ROWS = [
    f"donors,{name},{fold},{0.1 + i / 10 + (fold * (i + 3) % 7) / 100:.3f}"
    for i, name in enumerate(["qda", "svm2", "rf"])
    for fold in range(1, 11)
]
ONE = ("dataset,algorithm,fold,error\n" + "\n".join(ROWS)).encode()
TWO = ("dataset,algorithm,fold,error\n" + "\n".join(ROWS[:20])).encode()


def pair_on(app, sample, dataset):
    """Open the page Compare on one data set of a sample; return the app after the run."""
    app.query_params["ds"] = dataset
    return page(app, sample, "compare")


def section(app, label):
    """Return the expander with this label."""
    return next(box for box in app.expander if box.label == label)


def test_one_data_set_has_a_verdict_on_results(app):
    upload(app, ("donors.csv", ONE))
    app.switch_page("pages/results.py").run()

    assert "# qda is significantly better than svm2 and rf in error on donors." in texts(app)
    assert "Nadeau-Bengio corrected t test with Bergmann-Hommel adjustment" in texts(app)
    assert len(specs(app)) == 2  # differences from the best, folds
    assert not app.exception


def test_two_algorithms_on_one_data_set_get_the_corrected_t(app):
    upload(app, ("pair.csv", TWO))
    app.switch_page("pages/results.py").run()

    assert "qda is significantly better than svm2 in error on donors." in texts(app)
    assert "Nadeau-Bengio corrected t test" in texts(app)
    turn_to(app, "Folds").run()
    assert "qda is significantly better than svm2" in texts(app)


def test_the_results_of_two_algorithms_are_listed_by_fold(app):
    upload(app, ("pair.csv", TWO))
    app.switch_page("pages/compare.py")
    app.session_state["fold_by_fold"] = True
    app.run()

    assert not app.exception
    table = next(table.value for table in app.dataframe if "difference" in table.value)
    assert list(table.index) == [str(fold) for fold in range(1, 11)]


def test_a_region_is_said_once_and_answered_on_every_page(app):
    upload(app, ("pair.csv", TWO))
    app.switch_page("pages/compare.py")
    app.session_state["more_interval_and_tests"] = True
    app.run()
    assert "A non-significant difference is not evidence of equivalence." in texts(app)

    app.number_input(key="region").set_value(0.5).run()
    assert "qda and svm2 differ significantly but are equivalent within ±0.5." in texts(app)
    assert "Posterior probability that the mean difference lies in each interval." in texts(app)
    app.switch_page("pages/results.py").run()
    assert "qda and svm2 differ significantly but are equivalent within ±0.5." in texts(app)


def test_a_link_holds_the_region(app):
    app.query_params["sample"] = "garcia_herrera_2008_accuracy.csv"
    app.query_params["region"] = "0.02"
    app.query_params["tab"] = "All pairs"
    app.switch_page("pages/results.py").run()

    assert "3 differ by more" in texts(app)
    assert "nor probabilities of equivalence" in texts(app)
    assert not app.exception


def test_the_test_of_a_pair_can_be_chosen(app):
    pair_on(app, "uci38_5x2.csv", "pima")
    assert "(Nadeau-Bengio corrected t test)" in texts(app)
    before = texts(app)

    select(app, "test", "paired t")

    assert "(paired t test)" in texts(app)
    assert texts(app) != before
    assert len(specs(app)) == 3  # all pairs, folds, folds of the pair


def test_swap_turns_the_difference_around(app):
    pair_on(app, "twoclass_counts.csv", "pima")
    first, second = app.selectbox(key="a").value, app.selectbox(key="b").value
    app.button(key="swap").click().run()

    assert (app.selectbox(key="a").value, app.selectbox(key="b").value) == (second, first)
    assert f"Difference in mean error, {second} \u2212 {first}:" in texts(app)


def test_pages_open_on_the_best_two_and_where_algorithms_differ_most(app):
    page(app, "uci38_5x2.csv", "compare")
    results = read_results(SAMPLES / "uci38_5x2.csv")
    best = analyse(results, Settings(measure="error")).order

    assert [app.selectbox(key=key).value for key in "ab"] == best[:2]
    assert app.selectbox(key="a").options == best
    listed = next(
        part.proto
        for part in app.get("bidi_component")
        if part.proto.component_name == "foldwise_list"
    )
    assert {item["name"] for item in json.loads(listed.json)["items"] if item["selected"]} == set(
        best[:2]
    )
    assert app.selectbox(key="ds").value == "all data sets"
    turn_to(app, "Folds").run()
    assert (
        app.selectbox(key="ds").value
        == datasets_by_difference(results, "error", results.datasets)[0]
    )


def test_a_pair_never_has_the_same_algorithm_twice(app):
    page(app, "twoclass_counts.csv", "compare")
    first, second = app.selectbox(key="a").value, app.selectbox(key="b").value
    assert set(app.selectbox(key="b").options) == set(app.selectbox(key="a").options) - {first}

    select(app, "a", second)
    assert (app.selectbox(key="a").value, app.selectbox(key="b").value) == (second, first)
    assert not app.exception


def test_an_address_with_the_same_algorithm_twice_is_mended(app):
    app.query_params |= {"a": "Random forest", "b": "Random forest"}
    page(app, "twoclass_counts.csv", "compare")

    assert app.selectbox(key="a").value == "Random forest"
    assert app.selectbox(key="b").value != "Random forest"
    assert "Random forest" not in app.query_params.get("b", [])


def test_a_pair_on_all_data_sets_shows_each_with_its_interval(app):
    page(app, "uci38_5x2.csv", "compare")

    assert "Wilcoxon" in texts(app)
    names = [trace.get("name") for trace in specs(app)[1]["data"]]
    assert "light" in names


def test_averages_have_no_folds_but_a_pair_over_data_sets(app):
    page(app, "garcia_herrera_2008_accuracy.csv", "compare")
    assert "Wilcoxon" in texts(app)
    turn_to(app, "Folds").run()

    assert "This page needs results per fold or predictions with scores." in texts(app)


def test_tests_that_do_not_apply_stay_with_their_reason(app):
    app.query_params["more_interval_and_tests"] = "true"
    pair_on(app, "twoclass_counts.csv", "pima")
    table = next(frame.value for frame in app.dataframe if "applicability" in frame.value)

    assert (
        "not applicable: needs 5 repetitions of 2-fold cross-validation, not 10 × 10-fold cross-validation"
        in set(table["applicability"])
    )
    assert table.loc["conservative corrected t test", "applicability"] == "used for the decision"
    assert len(table) == 11  # the published corrected t test beside it
    assert "without the limit on degrees of freedom" in texts(app)


def test_walking_through_the_data_sets(app):
    app.query_params["ds"] = "acceptors"
    page(app, "twoclass_counts.csv", "Folds")
    app.button(key="walk1").click().run()

    assert app.selectbox(key="ds").value == "breast"
    assert "on breast" in texts(app)


@pytest.mark.parametrize(
    ("tab", "sample"),
    [
        ("Order", "twoclass_scores.csv.gz"),
        ("Order", "thesis_counts.csv"),
        ("All pairs", "uci38_5x2.csv"),
        ("All pairs", "thesis_counts.csv"),
        ("Assumptions", "uci38_5x2.csv"),
        ("Assumptions", "twoclass_scores.csv.gz"),
        ("Agreement", "uci38_5x2.csv"),
        ("Agreement", "thesis_counts.csv"),
    ],
)
def test_every_tab_of_one_data_set(app, sample, tab):
    if tab != "Order":
        open_section(app, "view", tab)
    page(app, sample, "Folds")

    assert not app.exception
    assert tab == "Order" or section(app, tab).children


@pytest.mark.parametrize(
    ("sample", "name", "sections"),
    [
        (
            "twoclass_scores.csv.gz",
            "Folds",
            ["view_all_pairs", "view_assumptions", "view_agreement"],
        ),
        (
            "twoclass_counts.csv",
            "Folds",
            ["view_assumptions"],
        ),  # the axis of the residuals needs smaller steps
        (
            "twoclass_scores.csv.gz",
            "Several measures",
            [
                f"mtab_{name}"
                for name in (
                    "tests",
                    "means",
                    "cliques",
                    "discriminant_measures",
                    "assumptions",
                    "over_data_sets",
                )
            ],
        ),
        ("twoclass_scores.csv.gz", "Curves", ["ctab_areas", "ctab_agreement_of_tests"]),
        (
            "uci38_5x2.csv",
            "compare",
            ["more_interval_and_tests", "more_by_measure", "more_normality"],
        ),
    ],
)
def test_all_sections_of_a_page_can_be_open(app, sample, name, sections):
    app.query_params |= dict.fromkeys(sections, "true")
    if name == "compare":
        app.query_params["ds"] = "pima"
    page(app, sample, name)

    assert not app.exception
    assert {key: app.session_state[key] for key in sections} == dict.fromkeys(sections, True)


def test_disagreeing_notations_are_both_drawn(app):
    page(app, "uci38_5x2.csv", "Folds")
    select(app, "ds", "bupa")
    select(app, "posthoc", "5x2 cv F")
    assert len(specs(app)) == 2
    app.session_state["underlines"] = True
    app.run()

    assert "does not test pairs inside accepted groups" in texts(app)
    assert len(specs(app)) == 3


def test_overlap_can_be_ignored_as_in_the_papers(app):
    app.query_params["ds"] = "acceptors"
    page(app, "twoclass_counts.csv", "Folds")
    assert "Without the correction for overlap" in texts(app)
    assert not [box for box in app.selectbox if box.key in ("overlap", "df")]

    select(app, "posthoc", "Tukey")
    assert app.selectbox(key="df").options == ["at most 9 (conservative)", "J − 1 (as published)"]
    select(app, "overlap", "ignored (as published)")

    said = [str(part.value) for part in app.main if part.type in ("markdown", "caption")]
    own = next(at for at, text in enumerate(said) if text.startswith("With the settings of this"))
    assert said[own + 1].startswith("The overlap of training sets is ignored, by your choice")


def test_letters_are_a_third_notation(app):
    page(app, "twoclass_counts.csv", "Folds")
    select(app, "ds", "breast")
    select(app, "notation", "letters")

    assert not app.exception
    figure = specs(app)[0]
    words = {word for trace in figure["data"] for word in trace.get("text") or ()}
    assert {"a", "ab", "b"} <= words | {note["text"] for note in figure["layout"]["annotations"]}


def test_agreement_counts_decisions_and_lists_their_pairs(app):
    open_section(app, "view", "Agreement")
    app.session_state["agreement_pairs"] = True
    page(app, "twoclass_counts.csv", "Folds")

    assert "1,470 decisions" in texts(app)
    tables = [frame.value for frame in app.dataframe]
    (counts,) = (table for table in tables if "total" in table)
    assert list(counts.index)[-1] == "total"
    assert "repetition" in tables[-1]


def test_missing_folds_can_be_left_out(app):
    holes = ONE.replace(ROWS[3].encode(), b"donors,qda,4,")
    upload(app, ("holes.csv", holes))
    turn_to(app, "Folds").run()
    assert (
        "1 error value of qda is missing (1 of 30 results). Choose a treatment of missing results."
        in texts(app)
    )

    app.switch_page("pages/data.py").run()
    app.radio(key="hole_choice").set_value("folds").run()
    turn_to(app, "Folds").run()

    assert "1 of 10 folds was left out" in texts(app)


def test_an_unknown_share_of_test_cases_is_asked_for(app):
    rows = [
        f"{name},{run},{0.1 + i / 10 + (run * (i + 3) % 7) / 100:.3f}"
        for i, name in enumerate(["qda", "svm2"])
        for run in range(1, 13)
    ]
    upload(app, ("runs.csv", ("algorithm,run,error\n" + "\n".join(rows)).encode()))
    app.switch_page("pages/compare.py").run()
    assert "paired t test" in texts(app)
    assert "not known" in texts(app)

    app.number_input(key="fraction").set_value(0.3).run()

    assert "conservative corrected t test" in texts(app)


def test_hostile_names_stay_text(app):
    hostile = ONE.replace(b"qda", b"<b>q$x$_d</b>").replace(b"donors", b"[d](x)")
    upload(app, ("x.csv", hostile))
    for name in ("compare", "Folds"):
        turn_to(app, name).run()
        assert not app.exception
        assert "<b>q$x$_d</b>" in texts(app)


def test_other_measures_show_their_order_and_what_changes(app):
    page(app, "twoclass_scores.csv.gz", "Folds")
    app.session_state["other_measures"] = True
    app.run()

    assert not app.exception
    assert "Measures that disagree on" in texts(app)


CASES = "instance,y,a,b,c\n" + "".join(
    f"{case},{case % 2},{case % 2},{(case + (case < 12)) % 2},{case % 2}\n" for case in range(40)
)


def test_one_test_set_with_named_cases_is_tested_by_mcnemar(app):
    """Of 40 cases, a errs on none and b on twelve, so p is 2^-11."""
    upload(app, ("cases.csv", CASES.encode()))
    app.switch_page("pages/compare.py").run()
    select(app, "b", "b")

    assert not app.exception
    assert "a is significantly better than b in error on the test set." in texts(app)
    assert "If the pair was chosen beforehand" in texts(app)
    assert "The result applies to these models on one test set." in texts(app)
    app.switch_page("pages/results.py").run()
    assert not app.exception
    assert "Cochran's Q test: p < 0.001" in texts(app)
    assert "nothing can be tested" not in texts(app)


def test_what_would_change_it_says_what_changes(app):
    app.query_params["sample"] = "uci38_5x2.csv"
    app.run()
    app.session_state["change"] = True
    app.run()

    (table,) = app.table
    row = table.value.set_index("setting").loc["correction Holm"]
    assert row["pairs that change"].replace("\\", "") == (
        "2 pairs no longer significant: Logistic regression vs Neural network and Neural network vs SVM (degree 2)"
    )
    assert "does not differ significantly from SVM (RBF)" in row["new headline"].replace("\\", "")


def test_effect_sizes_say_whose_interval_they_have(app):
    app.query_params["more_interval_and_tests"] = "true"
    pair_on(app, "uci38_5x2.csv", "pima")
    select(app, "test", "5x2 cv F")

    assert (
        "The confidence intervals of the effect sizes are based on the Nadeau-Bengio corrected t test, and "
        "the interval of the mean difference is based on the 5x2 cv F test."
    ) in texts(app)


def test_marks_of_several_models_are_explored_by_item_and_cluster(app):
    rows = [
        f"q{i},doc {i // 5},{model},{int(i % divisor > 0)}\n"
        for i in range(120)
        for model, divisor in (("a", 8), ("b", 3), ("c", 2))
    ]
    upload(app, ("marks.csv", ("question_id,document,model,correct\n" + "".join(rows)).encode()))
    app.switch_page("pages/explore.py").run()

    assert not app.exception
    assert "Instances by difficulty" in texts(app)
    assert len(specs(app)) == 1
    app.query_params["look"] = app.session_state["look"] = "Clusters"
    app.run()
    assert not app.exception
    assert "Accuracy by cluster on the test set" in texts(app)


def test_marks_show_the_table_of_two_models_their_disagreements_and_a_plan(app):
    marks = "question_id,question,model,correct\n" + "".join(
        f"q{i},<b>What</b> is {i} times {i}?,{model},{int(i % divisor > 0)}\n"
        for i in range(120)
        for model, divisor in (("a", 8), ("b", 3))
    )
    upload(app, ("marks.csv", marks.encode()))
    app.switch_page("pages/results.py").run()

    assert not app.exception
    assert len(specs(app)) == 2  # differences from the best, 2 x 2 table
    assert "Correct and wrong answers on the test set" in texts(app)
    assert "has 80% power to detect a difference of" in texts(app)
    app.session_state["tab"] = "Disagreements"
    app.run()
    assert not app.exception
    assert "Instances on which a and b disagree" in texts(app)
    assert "<b>What</b> is 3 times 3?" in app.dataframe[0].value["text"].tolist()
    app.switch_page("pages/plan.py").run()
    assert not app.exception
    assert (
        "instances are needed for 80% power, averaged over the differences in accuracy that are "
        "compatible with the pilot. If the true difference were exactly the observed one (0.208)"
    ) in texts(app)
