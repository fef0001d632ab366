"""Tests of every page with every sample, and of typical visits."""

import csv

import pytest

from foldwise.figures.theme import PALETTE
from foldwise.web import cache
from foldwise.web.layout import unfit_pages
from foldwise.web.session import Context, RunContext
from foldwise.web.views.help_views import GLOSSARY
from stats_core import read_results
from tests.samples import SAMPLES
from tests.web.conftest import (
    HOLES,
    TABS_OF_EXPLORE,
    WIDE,
    answered,
    select,
    specs,
    texts,
    turn_to,
    upload,
    words_in_sight,
)
from tests.web.conftest import page as page_of_sample

PAGES = ["data", "results", "compare", *TABS_OF_EXPLORE, "tradeoffs", "plan", "export", "help"]
ODD = b"task,who,fold,error\n" + b"".join(
    f"t{i},{name},1,{0.1 + j / 10 + i / 100}\n".encode()
    for i in range(8)
    for j, name in enumerate("xyz")
)
with (SAMPLES / "catalog.csv").open(encoding="utf-8", newline="") as file:
    FILES = [row["file"] for row in csv.DictReader(file)]


# Three samples between them open every page; of the others those where they differ.
OPENED = {
    "uci38_5x2.csv": PAGES,
    "twoclass_scores.csv.gz": PAGES,
    "two_models.csv": PAGES,
    "twoclass_counts.csv": ["results", "Several measures", "tradeoffs"],
    "thesis_counts.csv": ["results", "compare", "Several measures"],
    "thesis_scores.csv.gz": ["results", "Curves", "Thresholds"],
    "graded.csv": ["tradeoffs"],
    "binary16_scores.csv.gz": ["Curves", "Thresholds"],
    "vehicle_scores.csv.gz": ["data", "results", "compare", "Several measures", "export"],
    "heart_regression.csv": ["data", "results", "compare", "Several measures", "plan", "export"],
    "letter_retrieval.csv": ["data", "results", "compare", "plan", "export"],
    "garcia_herrera_2008_accuracy.csv": ["results"],
    "demsar_2006_auc.csv": ["data", "results", "tradeoffs"],
}


def test_every_sample_is_opened():
    assert set(OPENED) == set(FILES)


@pytest.mark.parametrize(
    ("file", "page"), [(file, page) for file, pages in OPENED.items() for page in pages]
)
def test_every_page_runs_with_every_kind_of_sample(app, page, file):
    app.query_params["sample"] = file
    turn_to(app, page).run()

    assert not app.exception
    assert len(main_headings(app)) == 1
    if page in TABS_OF_EXPLORE:
        assert page not in [tab.label for tab in app.tabs] or app.session_state["look"] == page


def main_headings(app):
    """Return the headings of the first level: the title of a page, or the answer on Results."""
    return [
        *(one.value for one in app.title),
        *(one.value for one in app.markdown if one.value.startswith("# ")),
    ]


def refused(app):
    """Return whether the page states that it needs other results."""
    return "Open other results" in {link.proto.label for link in app.get("page_link")}


def test_a_question_about_a_file_stands_on_the_start_screen(app):
    app.run()
    app.file_uploader(key="uploader").set_value([("odd.csv", ODD, "text/csv")]).run()
    assert 'Which column is the algorithm? The guess is "who".' in texts(app)

    next(button for button in app.button if (button.key or "").startswith("apply_")).click().run()
    assert not app.exception
    assert "8 data sets" in texts(app)
    assert len(specs(app)) == 2


def test_upload_changes_results_and_verdict(app):
    app.query_params["sample"] = "uci38_5x2.csv"
    app.run()
    assert "Example data: Eight classifiers on 38 UCI data sets" in texts(app)
    upload(app, ("mine_accuracy.csv", WIDE))

    assert not app.exception
    assert "12 data sets, 3 algorithms" in texts(app)
    app.switch_page("pages/results.py").run()
    assert "a is significantly better than b and c" in texts(app)
    assert "Example data" not in texts(app)


def test_direction_of_a_wide_table_can_be_corrected(app):
    upload(app, ("mine_accuracy.csv", WIDE))
    app.session_state["edit"] = True
    app.run()
    apply = next(b.key for b in app.button if (b.key or "").startswith("apply_"))
    name = next(w for w in app.text_input if (w.key or "").startswith("measure_"))
    assert name.value == "accuracy"
    way = next(w for w in app.segmented_control if (w.key or "").startswith("way_"))
    way.set_value("lower").run()
    app.button(key=apply).click().run()
    assert 'The direction of "accuracy" cannot be lower' in texts(app)

    name.set_value("Misses").run()
    app.button(key=apply).click().run()
    app.switch_page("pages/results.py").run()
    assert app.selectbox(key="measure").label == "Measure (lower is better)"
    assert app.selectbox(key="measure").value == "Misses"


def test_alpha_and_correction_change_the_verdict(app):
    app.query_params["sample"] = "garcia_herrera_2008_accuracy.csv"
    app.run()
    assert "C4.5 has the lowest average rank" in texts(app) or "significantly better than" in texts(
        app
    )
    before = texts(app)

    app.segmented_control(key="alpha").set_value("0.01").run()
    assert texts(app) != before
    app.selectbox(key="correction").set_value("Nemenyi").run()

    assert "Nemenyi" in texts(app)
    notes = [a.get("text", "") for a in specs(app)[0]["layout"]["annotations"]]
    assert any("CD = " in note for note in notes)


def test_sign_tests_offer_no_correction_that_uses_the_logic_of_equalities(app):
    app.query_params["sample"] = "garcia_herrera_2008_accuracy.csv"
    app.switch_page("pages/results.py").run()
    select(app, "source", "sign test")

    box = app.selectbox(key="sign_correction")
    assert (box.value, "imply a = c" in box.help) == ("recommended", True)
    assert not {"Bergmann-Hommel", "Shaffer", "Nemenyi"} & set(box.options)
    assert "sign tests with Holm adjustment" in texts(app)
    assert not app.exception

    select(app, "source", "Wilcoxon")
    assert app.selectbox(key="correction").value == "recommended"
    assert "all pairs · Wilcoxon signed-rank tests with Bergmann-Hommel adjustment" in texts(app)


def test_an_address_with_sign_tests_and_a_correction_they_do_not_allow_takes_holm(app):
    app.query_params["sample"] = "garcia_herrera_2008_accuracy.csv"
    app.query_params["source"], app.query_params["correction"] = "sign test", "Shaffer"
    app.switch_page("pages/results.py").run()

    assert "sign tests with Holm adjustment" in texts(app)


def test_no_ruler_without_a_single_critical_difference(app):
    app.query_params["sample"] = "uci38_5x2.csv"
    app.run()

    notes = [a.get("text", "") for a in specs(app)[0]["layout"]["annotations"]]
    assert not any("CD = " in note for note in notes)


def test_leaving_out_all_but_two_leads_to_wilcoxon(app):
    app.query_params["sample"] = "demsar_2006_auc.csv"
    app.run()

    app.multiselect(key="out").set_value(["C4.5+m", "C4.5+cf"]).run()

    assert "one pair · Wilcoxon" in texts(app)
    app.session_state["tab"] = "Differences"
    app.run()
    assert not app.exception
    tests = next(table.value for table in app.dataframe if "test statistic" in table.value)
    assert {"Wilcoxon", "sign test"} <= set(tests.index)
    assert "correction" not in {box.key for box in app.selectbox}  # one pair, one test


def test_missing_cells_wait_for_a_choice(app):
    upload(app, ("holes_accuracy.csv", HOLES))
    assert "is missing on 1 of 12 data sets (1 of 36 cells). Choose a treatment" in texts(app)
    app.switch_page("pages/results.py").run()
    assert (
        "is missing on 1 of 12 data sets (1 of 36 cells). Choose a treatment of missing results."
        in texts(app)
    )

    app.switch_page("pages/data.py").run()
    app.radio(key="hole_choice").set_value("sets").run()
    app.switch_page("pages/results.py").run()

    assert "1 of 12 data sets was left out" in texts(app)
    assert not app.exception


def test_a_broken_file_is_explained_and_what_was_open_is_not_lost(app, monkeypatch):
    monkeypatch.setattr(cache, "PATIENCE", 60.0)  # a busy machine is slow, not wrong
    upload(app, ("good_accuracy.csv", WIDE))
    upload(app, ("bad_error.csv", b"dataset,a,b\nx,0.1,oops\ny,0.2,0.1\nz,0.3,0.4\n"))

    assert not app.exception
    assert len(app.error) == 1
    assert 'The cell contains "oops"' in texts(app)
    assert "12 data sets, 3 algorithms" in texts(app)
    app.switch_page("pages/results.py").run()
    assert "a is significantly better than b and c" in texts(app)


def test_hostile_names_are_text_everywhere(app):
    hostile = "<img src=x onerror=alert(1)>,![x](http://a.b/c),$\\alpha$ **b** [l](x)"
    rows = "".join(f"d{i},{0.1 + i / 50},{0.5 + i / 90},{0.9 - i / 99}\n" for i in range(10))
    upload(app, ("hostile.csv", f"dataset,{hostile}\n{rows}".encode()))
    assert not app.exception

    for page in PAGES:
        turn_to(app, page).run()
        assert not app.exception
        shown = "\n".join(str(element.value) for element in [*app.markdown, *app.caption])
        assert "![x](http" not in shown
        assert "<img" not in shown.replace("\\<", "")
        for spec in specs(app):
            for note in spec["layout"].get("annotations", []):
                assert "<img" not in note.get("text", "") + note.get("hovertext", "")


def test_a_link_reproduces_the_view(app):
    app.query_params["sample"] = "garcia_herrera_2008_accuracy.csv"
    app.query_params["alpha"] = "0.01"
    app.query_params["correction"] = "Bonferroni"
    app.query_params["out"] = "CN2"
    app.run()

    assert "None of the other 4 pairs" in texts(app)
    assert app.segmented_control(key="alpha").value == "0.01"
    assert "Bonferroni" in texts(app)


def test_a_link_may_name_any_level(app):
    app.query_params |= {"sample": "uci38_5x2.csv", "alpha": "0.03"}
    app.run()

    assert app.number_input(key="level").value == 0.03


def test_a_link_says_what_it_lost(app):
    app.query_params |= {"sample": "uci38_5x2.csv", "out": "svr2", "alpha": "7"}
    app.run()

    said = texts(app)
    assert 'The algorithm "svr2"' in said
    assert 'The significance level "7"' in said
    assert not app.exception


@pytest.mark.parametrize(
    ("lost", "said"),
    [
        ({"sample": "none.csv"}, 'The example "none.csv"'),
        ({"src": "3f9a00000000"}, "not on the server (3f9a00000000)"),
        ({"w": "nobody"}, "The workspace of this link was not found on this server."),
    ],
)
def test_a_link_to_results_that_are_gone_says_so_on_the_start_screen(app, lost, said):
    app.query_params |= lost
    app.run()

    assert said in texts(app)
    assert len(app.file_uploader) == 1
    assert not app.exception


def test_leaving_out_all_but_one_data_set_leads_to_its_folds(app):
    app.query_params["sample"] = "twoclass_counts.csv"
    app.run()
    names = list(app.multiselect(key="outset").options)
    app.multiselect(key="outset").set_value(names[1:]).run()
    assert not app.exception
    assert "in error on acceptors" in main_headings(app)[0]

    assert [tab.label for tab in app.tabs] == ["Why this test"]


def test_glossary_can_be_searched(app):
    app.switch_page("pages/help.py").run()

    app.text_input(key="term").set_value("clique").run()

    assert "maximal set of algorithms" in texts(app)
    assert "Hotelling" not in texts(app)


def test_sixty_algorithms_on_a_hundred_and_twenty_data_sets(app):
    import numpy as np
    import pandas as pd

    values = np.random.default_rng(1).random((120, 60)) + np.linspace(0, 0.4, 60)
    names = [f"algorithm with a rather long name, variant {i}" for i in range(60)]
    table = pd.DataFrame(values / 2, columns=names, index=[f"set {i}" for i in range(120)])
    upload(app, ("large_error.csv", table.to_csv(index_label="dataset").encode()))

    for page in PAGES:
        turn_to(app, page).run()
        assert not app.exception
    assert "60 algorithms" in texts(app.switch_page("pages/results.py").run())


@pytest.mark.parametrize(
    ("tab", "sample"),
    [
        ("Why this test", "garcia_herrera_2008_accuracy.csv"),
        ("All pairs", "uci38_5x2.csv"),
        ("Ranks", "demsar_2006_auc.csv"),
        ("Wins", "uci38_5x2.csv"),
        ("Wins", "garcia_herrera_2008_accuracy.csv"),
        ("Sensitivity", "garcia_herrera_2008_accuracy.csv"),
        ("Sensitivity", "demsar_2006_auc.csv"),
        ("Other measures", "uci38_5x2.csv"),
        ("Other software", "uci38_5x2.csv"),
        ("Other software", "demsar_2006_auc.csv"),
    ],
)
def test_every_tab_over_data_sets(app, tab, sample):
    app.query_params |= {"tab": tab, "sample": sample}
    app.switch_page("pages/results.py").run()

    assert not app.exception
    assert app.session_state["tab"] == tab
    assert "Bergmann-Hommel" in texts(app)


TWO = {"sample": "demsar_2006_auc.csv", "out": ["C4.5+m", "C4.5+cf"]}
CONTROL = {"sample": "uci38_5x2.csv", "compare": "Against a control", "control": "SVM (RBF)"}


@pytest.mark.parametrize(
    ("settings", "tab"),
    [
        (TWO, "Differences"),
        (TWO, "Sensitivity"),
        (TWO, "Other software"),
        (CONTROL, "Against the control"),
        ({"holes": "present"}, "All pairs"),
    ],
)
def test_every_tab_of_other_comparisons_over_data_sets(app, settings, tab):
    if "holes" in settings:
        upload(app, ("holes_accuracy.csv", HOLES))
        app.radio(key="hole_choice").set_value("present").run()
    app.query_params |= {**settings, "tab": tab}
    app.switch_page("pages/results.py").run()

    assert not app.exception
    assert app.session_state["tab"] == tab


def test_many_algorithms_show_the_best_and_say_so(app):
    rows = ["dataset," + ",".join(f"a{i}" for i in range(101))]
    rows += [
        f"d{j}," + ",".join(f"{((i * 37 + j * 11) % 101 + i) / 1000}" for i in range(101))
        for j in range(9)
    ]
    upload(app, ("many_error.csv", ("\n".join(rows) + "\n").encode()))
    app.session_state["correction"] = "Bergmann-Hommel"
    app.switch_page("pages/results.py")
    for tab, said in {
        "Why this test": "The diagram shows the best 60 of 101",
        "Sensitivity": "at most 100 algorithms (here: 101)",
    }.items():
        app.query_params["tab"] = tab
        app.run()

        assert not app.exception
        assert said in texts(app), tab


def test_a_control_is_compared_with_the_others(app):
    app.query_params |= CONTROL
    app.run()

    assert not app.exception
    assert "worse than SVM (RBF)" in texts(app)
    assert "against SVM (RBF)" in texts(app)


def test_families_share_a_colour(app):
    app.query_params["sample"] = "uci38_5x2.csv"
    app.run()
    app.session_state["_families"] = {
        "SVM (linear)": "kernel",
        "SVM (RBF)": "kernel",
        "C4.5": "tree",
    }
    app.run()

    assert not app.exception
    shown = str(specs(app)[0])
    assert PALETTE[0] in shown
    assert PALETTE[1] in shown


# results -> the pages that are hidden, and the tabs of Explore
FIT = {
    "demsar_2006_auc.csv": ({"explore"}, []),
    "thesis_counts.csv": (set(), ["Folds", "Several measures"]),
    "two_models.csv": (set(), ["Curves", "Thresholds", "Confusion"]),
    "vehicle_scores.csv.gz": (set(), ["Folds", "Several measures", "Confusion"]),
    "heart_regression.csv": (set(), ["Folds", "Several measures"]),
    "letter_retrieval.csv": ({"explore"}, []),
    "a pair": (set(), ["Folds"]),
    "one algorithm": ({"compare", "tradeoffs", "plan"}, ["Folds"]),
    "ranks": ({"compare", "explore", "tradeoffs", "plan"}, []),
}


@pytest.mark.parametrize("file", FIT)
def test_the_bar_hides_exactly_the_pages_that_need_other_results(app, file, monkeypatch):
    monkeypatch.setattr(cache, "SAMPLES", cache.SessionCache(10_000_000))  # no test ran a plan
    files = {
        "a pair": ("two.csv", b"algorithm,fold,error\n" + rows_of_two()),
        "one algorithm": (
            "one.csv",
            b"algorithm,fold,error\n" + rows_of_two()[: len(rows_of_two()) // 2],
        ),
        "ranks": ("ranks.csv", b"algorithm,average rank,N\na,1.2,20\nb,2.1,20\nc,2.7,20\n"),
    }
    if file in files:
        upload(app, files[file])
    else:
        app.query_params["sample"] = file
    app.switch_page("pages/results.py").run()
    hidden, tabs = FIT[file]
    assert (app.session_state["_hidden_pages"] if hidden else set()) == hidden
    for page in ("results", "compare", "explore", "tradeoffs", "plan"):
        turn_to(app, page).run()
        assert not app.exception
        assert refused(app) == (page in hidden), page
        if page == "explore":
            assert [tab.label for tab in app.tabs] == tabs


def test_averages_fit_the_pages_over_data_sets_only():
    averages = read_results(("mine_accuracy.csv", WIDE))

    assert unfit_pages(RunContext()) == frozenset()
    assert unfit_pages(Context(read=averages, raw=averages, results=averages)) == {"explore"}


def rows_of_two():
    return b"".join(
        f"{name},{fold},{0.1 + i / 10 + (fold + i) % 3 / 100:.3f}\n".encode()
        for i, name in enumerate("ab")
        for fold in range(1, 6)
    )


def test_a_setting_that_a_page_has_no_use_for_is_not_shown_there_and_not_lost(app):
    app.query_params["sample"] = "uci38_5x2.csv"
    app.run()
    select(app, "correction", "Holm")
    app.switch_page("pages/tradeoffs.py").run()
    assert "correction" not in {box.key for box in app.selectbox}
    app.switch_page("pages/results.py").run()

    assert app.selectbox(key="correction").value == "Holm"
    assert "all pairs · Wilcoxon signed-rank tests with Holm adjustment" in texts(app)


def test_the_map_marks_where_the_results_lie_and_leads_to_its_page(app):
    app.query_params |= {
        "sample": "demsar_2006_auc.csv",
        "htab": "Example files",
        "files_map_of_cases": "true",
    }
    app.switch_page("pages/help.py").run()

    said = texts(app)
    assert said.count("Your results") == 1
    cited = (
        "\n".join(caption.help for caption in app.caption).replace("\u00a0", " ").replace("\\", "")
    )
    assert all(f"Scenario {number}:" in cited for number in range(1, 5))
    assert all(f"Case {number}:" in cited for number in range(1, 7))
    assert "Explore: Several measures needs other results." in cited
    assert not app.exception


def test_a_word_is_explained_where_it_stands(app):
    app.session_state["explain_Hull"] = True
    app.query_params |= {"sample": "twoclass_scores.csv.gz", "ctab_areas": "true"}
    turn_to(app, "Curves").run()

    assert GLOSSARY["Hull"].text in texts(app)


def cross_validated():
    """Return a file of 8 data sets, 5 algorithms and 10 folds with long names, as of cross_validate."""
    names = ["RandomForest(n=100)", "GradientBoosting", "SVC_rbf", "kNN, k=5", "GaussianNB"]
    rows = [
        f'"data set <{i}>","{name}",{fold},{0.8 + i / 50 - j / 60 + ((7 * i + 3 * j + 5 * fold) % 11) / 100:.3f},1.{j}'
        for i in range(8)
        for j, name in enumerate(names)
        for fold in range(10)
    ]
    return "\n".join(["dataset,estimator,split,test_accuracy,fit_time", *rows]).encode()


@pytest.mark.parametrize("tab", ["Why this test", "Wins", "Sensitivity"])
def test_the_results_of_an_own_file_are_short(app, tab):
    upload(app, ("cross_validate.csv", cross_validated()))
    app.query_params["tab"] = tab
    turn_to(app, "results").run()

    assert not app.exception
    assert app.session_state["tab"] == tab
    assert words_in_sight(app) <= 150


def test_what_the_file_cannot_support_is_named_at_the_end(app):
    """On Results, pages that are hidden; on Explore, tabs."""
    folds = cross_validated()
    averages = b"dataset,a,b,c\n" + b"".join(
        b"d%d,0.%d1,0.%d2,0.53\n" % (i, i + 1, 9 - i) for i in range(8)
    )

    def links(name):
        turn_to(app, name).run()
        assert not app.exception
        return [
            part.proto.label
            for part in app.main.get("page_link")
            if "which file" in part.proto.label
        ]

    upload(app, ("averages_accuracy.csv", averages))
    assert links("results") == [
        "Explore needs results per fold or scores per instance: which file?"
    ]
    upload(app, ("cross_validate.csv", folds))
    assert links("results") == []
    assert links("explore") == [
        "Several measures needs a second measure. Curves and Thresholds need scores per instance: which file?"
    ]


def statistics_line(app):
    """Return the label of the box of statistics in the sidebar."""
    labels = [box.label for box in app.sidebar.get("expander") if "\u03b1" in box.label]
    assert len(labels) == 1, labels
    return labels[0].replace("\\", "").replace("\u00a0", " ")


LINES = {
    ("graded.csv", "results", ""): "Wilcoxon",
    ("graded.csv", "compare", ""): "Wilcoxon",
    ("graded.csv", "tradeoffs", ""): "corrected t test, Holm · average ranks, Bergmann-Hommel",
    ("graded.csv", "plan", "Sample size"): "paired t, Bonferroni",
    ("graded.csv", "plan", "Power"): "procedures",
    ("graded.csv", "plan", "Type I error"): "Wilcoxon",
    ("graded.csv", "export", ""): "Wilcoxon",
    ("graded.csv", "data", ""): "",
    ("two_models.csv", "results", ""): "McNemar",
    ("two_models.csv", "compare", ""): "McNemar",
    ("two_models.csv", "Curves", ""): "DeLong",
    ("two_models.csv", "Thresholds", ""): "pointwise confidence intervals",
    ("two_models.csv", "plan", ""): "exact McNemar",
}


@pytest.mark.parametrize(("sample", "name", "tab"), LINES)
def test_the_line_of_statistics_names_what_the_page_uses(app, sample, name, tab):
    if tab:
        app.query_params["ltab"] = tab
    page_of_sample(app, sample, name)
    if name == "plan":
        answered(app)

    assert not app.exception
    pairs = "one pair" if sample == "two_models.csv" else "all pairs"
    assert statistics_line(app).startswith(f"α = 0.05 · {pairs}")
    assert LINES[sample, name, tab] in statistics_line(app)


def test_the_line_of_statistics_is_the_box_with_the_controls(app):
    page_of_sample(app, "graded.csv", "results")
    app.session_state["compare"] = "Against a control"
    app.run()

    (box,) = [box for box in app.sidebar.get("expander") if "\u03b1" in box.label]
    control = app.selectbox(key="control").value
    assert f"against {control}" in statistics_line(app)
    assert {"Comparisons", "Significance level"} <= {part.label for part in box.get("button_group")}
    assert app.session_state["_context"].settings.control == control
    turn_to(app, "data").run()
    assert "Wilcoxon" not in statistics_line(app)


def test_a_page_that_the_file_cannot_support_says_what_it_needs_and_links_to_the_results(app):
    app.query_params["sample"] = "demsar_2006_auc.csv"
    turn_to(app, "explore").run()
    assert "This page needs results per fold or predictions with scores." in texts(app)
    assert "Results" in [link.proto.label for link in app.get("page_link")]


def test_one_measure_has_no_tab_of_other_measures(app):
    """The agreement of two adjustments is then under Sensitivity."""
    rows = [
        f"d{d},{a},{f},{0.5 + 0.01 * d + 0.02 * k + 0.001 * (f * k % 3)}"
        for d in range(8)
        for k, a in enumerate("abc")
        for f in (1, 2, 3)
    ]
    upload(app, ("x.csv", "\n".join(["dataset,algorithm,fold,accuracy", *rows]).encode()))
    app.switch_page("pages/results.py").run()

    labels = [tab.label for tab in app.tabs]
    assert "Sensitivity" in labels
    assert "Other measures" not in labels
    app.query_params |= {"tab": "Sensitivity", "sensitivity_agreement": "true"}
    assert not app.run().exception
    assert app.session_state["sensitivity_agreement"]


def test_the_explanation_is_below_its_figure(app):
    """A popover would cover the figure."""
    app.query_params["sample"] = "demsar_2006_auc.csv"
    app.switch_page("pages/results.py").run()

    (box, *_) = [box for box in app.expander if box.label == "Explanation and numbers"]
    assert "evidence of equal performance" in " ".join(block.value for block in box.markdown)
