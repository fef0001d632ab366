"""Tests of one data set with one or two algorithms, and of constant differences."""

import json
import re

import numpy as np
import pytest

from tests.report.report_cases import table_of_predictions
from tests.web.conftest import copied, page, texts, turn_to, upload

LEVELS = {"rf": 0.1, "svm": 0.13, "knn": 0.2}


def folds(*names, noise=True) -> bytes:
    """Return a CSV of ten folds of one data set; without noise, all differences are constant."""
    rows = [
        f"iris,{name},{fold},{LEVELS[name] + fold / 50 + noise * (fold * len(name) % 7) / 100:.3f}"
        for name in names
        for fold in range(10)
    ]
    return ("dataset,algorithm,fold,error\n" + "\n".join(rows) + "\n").encode()


def open_page(app, content):
    upload(app, ("mine.csv", content))
    turn_to(app, "Folds").run()
    assert not app.exception
    return app


def links(at):
    return {
        link.proto.label.replace("\\", ""): link.proto.page for link in at.main.get("page_link")
    }


def test_two_algorithms_are_asked_for_the_test_of_a_pair(app):
    open_page(app, folds("rf", "svm"))

    keys = {box.key for box in app.main.selectbox}
    assert "test" in keys
    assert not {"posthoc", "notation", "overlap"} & keys
    assert app.selectbox(key="test").help == "Recommended for this design: corrected t."
    assert "Tukey" not in texts(app)

    app.selectbox(key="test").set_value("sign test").run()
    assert "sign test" in texts(app)


def test_one_algorithm_shows_its_folds(app):
    open_page(app, folds("rf"))

    said = texts(app)
    assert "There is only one algorithm (rf), so no comparison is possible." in said
    assert "Tukey" not in said
    assert "Error of rf by fold" in said
    assert not {"posthoc", "notation", "test"} & {box.key for box in app.main.selectbox}
    assert len(app.get("plotly_chart")) == 1
    assert json.loads(app.get("plotly_chart")[0].proto.spec)["data"]


@pytest.mark.parametrize("page", ["Folds", "results"])
def test_differences_that_do_not_vary_lead_to_the_differences(app, page):
    upload(app, ("mine.csv", folds("rf", "svm", "knn", noise=False)))
    turn_to(app, page).run()

    assert not app.exception
    assert "The differences do not vary, so no test applies." in texts(app)


def test_a_test_that_cannot_decide_starts_a_sentence(app):
    upload(app, ("mine.csv", folds("rf", "svm", noise=False)))
    app.switch_page("pages/compare.py").run()

    assert "**rf and svm cannot be compared by the Nadeau-Bengio corrected t test.**" in texts(app)
    assert "Each of the 10 differences is \u22120.03, so" in texts(app)


def test_predictions_in_the_order_of_time_have_a_horizon(app):
    days = [f"2026-01-{day:02d}" for day in range(1, 31)]
    rows = [
        f"{m},{day},{i % 7}.5,{i % 7 + shift * (i % 3)}.1"
        for m, shift in (("a", 1), ("b", 2))
        for i, day in enumerate(days)
    ]
    upload(app, ("rain.csv", "\n".join(["model,date,true,predicted", *rows]).encode()))
    turn_to(app, "compare").run()
    assert "Diebold-Mariano test" in texts(app)
    before = texts(app)

    app.number_input(key="horizon").set_value(4).run()
    assert not app.exception
    assert texts(app) != before
    assert "Agreement of a and b" not in texts(app)  # numbers are not right or wrong


def test_three_models_on_one_test_set_have_a_matrix_and_a_plan_for_the_observed_difference(app):
    table = table_of_predictions({"a": range(2), "b": range(12), "c": range(1, 14)})
    upload(app, ("d.csv", table.to_csv(index=False).encode()))
    turn_to(app, "compare").run()
    assert any("Pair matrix" in said.value for said in app.markdown)
    assert copied(app)["copy_sentence"].startswith(
        "a is significantly better than b in error on d. "
    )

    turn_to(app, "plan").run()
    assert not app.exception
    field = app.number_input(key="litems")
    assert (field.value, field.proto.placeholder) == (
        None,
        "0.25",
    )  # 2 and 12 errors on 40 instances
    assert "If the true difference were exactly the observed one (0.25)" in texts(app)
    field.set_value(0.1).run()
    assert "at a difference of 0.1 in error" in texts(app)


@pytest.mark.parametrize(
    ("name", "most"),
    [("compare", 60), ("explore", 75), ("tradeoffs", 60)],  # five algorithms need more words
)
def test_a_sentence_is_copied_on_the_press_on_every_page(app, name, most):
    page(app, "thesis_counts.csv", name)

    assert not app.exception
    assert 10 < len(copied(app)["copy_sentence"].split()) <= most
    if name == "tradeoffs":
        assert (
            "The p-values on the page Results are from other tests: Wilcoxon signed-rank tests"
            in texts(app)
        )


ROWS = [
    (f"q{i}", m, int(i % (2 + 4 * k) > 0), 0.3 + 0.1 * (i % 7))
    for i in range(60)
    for k, m in enumerate(("a-1", "b", "c-3"))
]
MARKS = "\n".join(
    ["question,model,exact_match,f1", *(",".join(map(str, row)) for row in ROWS)]
).encode()


def test_a_file_of_items_is_called_a_test_set_of_models(app):
    """Its name is no data set, and its first measure opens although F1 is better known."""
    upload(app, ("llm.csv", MARKS))
    said = texts(app.switch_page("pages/results.py").run())

    assert app.session_state["measure"] == "exact_match"
    assert "on the test set" in said
    assert "on llm" not in said
    assert "3 models" in said
    assert "3 algorithms" not in said
    assert [
        box.label
        for box in app.switch_page("pages/plan.py").run().selectbox
        if box.key in ("a", "b")
    ] == ["First model", "Second model"]


def test_names_with_hyphens_stay_on_one_line_of_the_headline(app):
    upload(app, ("llm.csv", MARKS))
    app.switch_page("pages/results.py").run()
    (line,) = [block.value for block in app.markdown if block.value.startswith("# ")]

    assert ":gray[c\\-3]" in line
    assert "c-3" in str(copied(app))  # the sentence to copy is plain


def runs_of_items(n_algorithms=3, n=40, runs=3) -> bytes:
    """Return correct answers of each algorithm on the same instances in several runs."""
    rows = ["algorithm,seed,item,correct"]
    for position in range(n_algorithms):
        rows += [
            f"m{position},{run},{item},{int((item * 7 + position * (item + run)) % 11 > 3 * position)}"
            for run in range(runs)
            for item in range(n)
        ]
    return "\n".join(rows).encode()


def varied_folds(k=3) -> bytes:
    """Return errors of k algorithms on ten folds, with independent noise."""
    errors = np.random.default_rng(3).normal(np.arange(k) / 20 + 0.2, 0.03, (10, k))
    rows = [f"iris,m{j},{fold},{errors[fold, j]:.4f}" for j in range(k) for fold in range(10)]
    return "\n".join(["dataset,algorithm,fold,error", *rows]).encode()


OWN = "With the settings of this page ("


@pytest.mark.parametrize(
    ("content", "choice"),
    [
        (runs_of_items(3), None),
        (runs_of_items(2), None),
        (varied_folds(), None),
        (varied_folds(), ("posthoc", "paired t")),
        (folds("rf", "svm"), None),
        (folds("rf", "svm"), ("test", "sign test")),
    ],
    ids=["runs", "two on runs", "folds", "folds by t", "two", "two by signs"],
)
def test_explore_begins_with_the_verdict_of_results_and_labels_its_own(app, content, choice):
    upload(app, ("mine.csv", content))
    turn_to(app, "results").run()
    headline = next(part.value for part in app.markdown if str(part.value).startswith("# "))
    turn_to(app, "Folds").run()
    if choice is not None:
        key, option = choice
        app.selectbox(key=key).set_value(option).run()
    assert not app.exception
    said = texts(app)
    card = said.split("badge[")[1].split("**")[1]
    plain = re.sub(r":gray\[([^]]*)\]", r"\1", str(headline)).replace("\\", "").removeprefix("# ")
    assert card == plain
    claims = re.findall(r"^.* (?:is|are) significantly (?:better|worse) than .*$", said, re.M)
    assert all(card in claim or claim.startswith(OWN) for claim in claims if "badge[" not in claim)
    if choice is not None:  # the test by choice ignores the overlap of training sets
        parts = [str(part.value) for part in app.main if part.type in ("markdown", "caption")]
        own = next(at for at, text in enumerate(parts) if text.startswith(OWN.rstrip("(")))
        assert "so it is liberal if training sets overlap" in parts[own + 1]
