"""Tests of the page Help: templates, glossary and methods."""

import re
from pathlib import Path

import pytest

import stats_core
from foldwise.figures import glossary_pictures
from foldwise.rendering import example_files
from foldwise.web.settings_registry import SETTINGS
from foldwise.web.views import help_views
from foldwise.web.views.help_views import GLOSSARY
from stats_core import Settings, analyse, read_results
from stats_core.comparison.cards.method_card import CHAPTERS, method_title
from stats_core.ordering.multitest import multitest
from tests.web.conftest import TABS_OF_EXPLORE, texts, turn_to, upload, words_in_sight

ROOT = Path(__file__).parents[2]
# the glossary of the specification, section 5
WORDS = (
    "Significance level (α),Adjusted p-value,ANOVA,Area under the curve (AUC),Average rank,Bergmann-Hommel procedure,Block,"
    "Clique (group),Contour,Control,Correction,Cost,Critical difference (CD),Effect size,Family of comparisons,"
    "Fold,Friedman test,Missing result,Hotelling's T²,Confidence interval,Discriminant measure,Loss ratio (λ),MANOVA,"
    "MultiTest,Nemenyi test,No significant difference,Pairing,p-value,Threshold (θ),Wilcoxon signed-rank test,"
    "Power,Type I error,Hodges-Lehmann estimate,Rank-biserial correlation,Holm's procedure,Shaffer's procedure,"
    "Family-wise error rate,Null hypothesis"
).split(",")
FIRST = "10 folds"
TEMPLATES = [
    *((kind, costs, FIRST) for kind in example_files.KINDS for costs in (False, True)),
    *(
        (kind, place % 2 == 0, design)
        for kind in example_files.WITH_FOLDS
        for place, design in enumerate(example_files.DESIGNS)
        if design != FIRST
    ),
]


def open_help(app, **address):
    """Open Help at an address; return the app after the run."""
    app.query_params |= address
    app.switch_page("pages/help.py").run()
    assert not app.exception
    return app


# ---------------------------------------------------------------- which file


@pytest.mark.parametrize(("kind", "costs", "design"), TEMPLATES)
def test_templates_are_read_without_a_question(kind, costs, design):
    results = read_results(*example_files.example_file(kind, costs=costs, design=design).files)

    assert results.algorithms == ("bayes", "forest", "svm")
    assert len(results.missing) == 0
    assert results.costs == (("train_s",) if costs else ())
    expected = {"averages": "single", "predictions": "k-fold"}
    assert results.design == expected.get(kind, example_files.DESIGNS[design])
    for measure in results.measures:
        found = analyse(results, Settings(measure=measure))
        assert found.omnibus.n == len(results.datasets)


def test_templates_of_random_partitions_tell_the_share_that_is_tested():
    made = example_files.example_file("folds", costs=False, design="10 random partitions")
    results = read_results(*made.files)

    assert results.test_fraction("heart") == pytest.approx(1 / 3)  # 60 of 180 cases


def test_counts_of_a_fold_are_of_the_same_cases():
    frame = read_results(*example_files.example_file("counts", costs=False).files).frame
    same = frame.assign(
        positives=frame["tp"] + frame["fn"], all=frame[["tp", "fp", "tn", "fn"]].sum(axis=1)
    )

    assert (same["positives"] == 20).all()
    assert (same["all"] == 60).all()


@pytest.mark.parametrize("costs", [False, True])
@pytest.mark.parametrize("kind", example_files.KINDS)
def test_a_template_opens_the_pages_it_names_and_no_others(app, kind, costs):
    made = example_files.example_file(kind, costs=costs)
    upload(app, *made.files)

    for use in made.pages:
        turn_to(app, use.tab or Path(use.page).stem).run()
        assert not app.exception
        refused = "Open other results" in {link.proto.label for link in app.get("page_link")}
        opened = app.session_state["look"] == use.tab if use.tab and not refused else not refused
        assert opened == use.applies, use
        assert (Path(use.page).stem in app.session_state["_hidden_pages"]) == refused
    turn_to(app, "help").run()
    assert "measure" not in {box.key for box in app.selectbox}  # only pages with results use it
    by_scores = ["Explore: Curves", "Explore: Thresholds"]
    assert [use.title for use in made.pages if not use.applies] == {
        "averages": ["Explore: Folds", "Explore: Several measures", *by_scores],
        "folds": by_scores,
        "counts": by_scores,
        "predictions": [],
    }[kind]


def test_every_page_of_the_bar_with_results_is_named():
    app = (ROOT / "app.py").read_text("utf-8")
    bar = re.findall(r'_page\(\s*"(\w+)", "([\w -]+)"(?![^()]*hidden)', app)
    uses = example_files.example_file("counts", costs=True).pages
    named = {use.page: use.title.split(":")[0] for use in uses}

    assert list(named.items()) == [
        (f"pages/{name}.py", title) for name, title in bar if title != "Export"
    ]
    assert [use.tab for use in uses if use.tab] == list(TABS_OF_EXPLORE)


@pytest.fixture(scope="module")
def prepared():
    """The variables set by the preparation for scikit-learn, with a part of the data."""
    pytest.importorskip("sklearn")
    names = {}
    exec(example_files.example_preparation(), names)
    names["X"], names["y"] = names["X"][:150, :4], names["y"][:150]
    return names


@pytest.mark.parametrize(("kind", "costs", "design"), TEMPLATES)
def test_the_lines_for_scikit_learn_write_such_a_file(
    prepared, tmp_path, monkeypatch, kind, costs, design
):
    monkeypatch.chdir(tmp_path)
    exec(example_files.example_file(kind, costs=costs, design=design).code, dict(prepared))
    results = read_results(*sorted(tmp_path.glob("*.csv")))

    assert results.datasets == ("breast cancer",)
    assert results.algorithms == ("bayes", "tree")
    assert len(results.missing) == 0
    expected = {"averages": "single", "predictions": "k-fold"}
    assert results.design == expected.get(kind, example_files.DESIGNS[design])
    if costs:
        assert results.costs
    folds = results.frame.groupby("algorithm").size()["tree"]
    count = {"averages": 1, "predictions": 10}
    rows = {"10 folds": 10, "3 times 10 folds": 30, "5 times 2 folds": 10}
    assert folds == count.get(kind, rows.get(design, 10))


def test_the_file_is_shown_with_what_it_allows(app):
    open_help(app, htab="Example files")
    assert "template_accuracy.csv" in texts(app)
    assert "Explore: Curves (needs other results): needs one score per instance" in texts(app)
    assert "6 data sets, 3 algorithms, one result per algorithm and data set" in texts(app)

    app.radio(key="record").set_value(example_files.KINDS["predictions"]).run()
    app.segmented_control(key="spent").set_value("Yes").run()

    assert not app.exception
    assert "template_predictions.csv" in texts(app)
    assert "template_costs.csv" in texts(app)
    assert len(app.get("download_button")) == 2
    assert "cross_val_predict" in app.code[0].value
    assert list(app.dataframe[0].value.columns) == [
        *("dataset", "algorithm", "fold", "instance", "true", "score")
    ]


def test_folds_are_asked_about_only_where_there_are_some(app):
    open_help(app, htab="Example files", record="Numbers per fold", folding="5 times 2 folds")
    assert "6 data sets, 3 algorithms, 5 × 2-fold cross-validation" in texts(app)
    assert "n_repeats=5" in app.code[0].value

    app.radio(key="record").set_value(example_files.KINDS["averages"]).run()
    assert "folding" not in [control.key for control in app.segmented_control]


def test_everything_about_files_is_one_click_away(app):
    open_help(app, htab="Example files")
    app.session_state["formats"] = True
    app.run()

    assert "Recognised names" in texts(app)
    assert "](bad-input.md)" not in texts(app)


# ---------------------------------------------------------------- glossary


def test_the_words_of_the_specification_are_there():
    assert not set(WORDS) - set(GLOSSARY)
    assert len(WORDS) == 38


def test_every_word_has_a_formula_a_picture_or_a_table_and_is_short():
    for word, term in GLOSSARY.items():
        assert term.formula or term.picture or term.table, word
        assert term.text.endswith((".", "?")), word
        assert len(re.findall(r"[.?](\s|$)", f"{term.text} {term.more}")) <= 4, word


def test_links_of_words_lead_to_tabs_that_exist():
    for word, term in GLOSSARY.items():
        page, _, query = term.page
        code = (ROOT / page).read_text(encoding="utf-8")
        for name in set(re.findall(r"\w+_views", code)):
            code += (ROOT / "foldwise" / "web" / "views" / f"{name}.py").read_text(encoding="utf-8")
        for key, tab in query.items():
            if tab == "true":  # a section, named after its label
                assert SETTINGS[key].default is False, word
                key, _, tab = key.partition("_")
                tab = tab.replace("_", " ").capitalize()
            assert f'"{key}"' in code, word
            assert f'"{tab}"' in code, word


def test_every_picture_belongs_to_a_word():
    assert {term.picture for term in GLOSSARY.values() if term.picture} == set(
        glossary_pictures.PICTURES
    )


@pytest.mark.parametrize("dark", [False, True])
def test_pictures_fit_their_card(dark):
    for name in glossary_pictures.PICTURES:
        drawn = help_views.glossary_picture(name, dark)
        assert len(drawn.data) + len(drawn.layout.shapes) > 0, name
        assert drawn.layout.height <= 440, name


def test_pictures_show_what_their_words_say():
    low, high = (
        stats_core.corrected_t(first, glossary_pictures.FOREST, test_fraction=0.1)
        for first in (glossary_pictures.SVM, glossary_pictures.BAYES)
    )
    assert low.low < 0 < low.high  # no significant difference
    assert high.low > 0  # the interval leaves out zero
    gap = stats_core.critical_difference(4, 10, 0.05)
    near = (glossary_pictures.RANKS.values[:, None] - glossary_pictures.RANKS.values) < gap
    assert near[2, 0]
    assert near[3, 1]
    assert not near[3, 0]  # groups abc and bcd, as drawn
    points = glossary_pictures.points_of_two()
    tested = stats_core.hotelling_paired(points["forest"], points["bayes"], test_fraction=0.1)
    assert tested.pvalue < 0.05  # origin outside


def test_the_order_drawn_is_that_of_multitest():
    import pandas as pd

    names = list(glossary_pictures.BY_COST)
    better = pd.DataFrame(False, index=names, columns=names)
    for cheaper, costlier in glossary_pictures.BETTER:
        better.loc[costlier, cheaper] = True

    assert multitest(names, better).order == glossary_pictures.ORDER


def boxes_of(app):
    """Return the expanders of the page by label without Markdown escapes."""
    return {box.label.replace("\\", ""): box for box in app.main.expander}


def test_all_words_are_listed_by_letter(app):
    open_help(app, htab="Glossary")
    control, listed = app.segmented_control(key="letter"), []
    for letter in control.options:
        app.segmented_control(key="letter").set_value(letter).run()
        listed += boxes_of(app)
        assert not any(box.proto.expanded for box in app.main.expander), letter
        assert not app.get("plotly_chart")  # formulas and pictures of all words take seconds
        assert words_in_sight(app) <= 120, letter

    assert listed == list(GLOSSARY)


def test_a_search_opens_the_best_match(app):
    open_help(app, htab="Glossary")
    app.text_input(key="term").set_value("  TUKEY ").run()
    assert "based on the studentized range" in texts(app)
    assert boxes_of(app)["Tukey's test"].proto.expanded

    app.text_input(key="term").set_value("test").run()
    *found, rest = boxes_of(app)
    assert len(found) == help_views.MOST_CARDS
    assert all("test" in word.lower() for word in found)
    assert rest == f"Other matches ({len(help_views.matching_words('test')) - len(found)})"
    assert "**Type I error.**" in texts(app)
    assert words_in_sight(app) <= 120

    app.text_input(key="term").set_value("zzz").run()
    assert "No match" in texts(app)


@pytest.mark.parametrize("word", GLOSSARY)
def test_a_search_for_a_word_finds_it_first(word):
    assert help_views.matching_words(word.lower())[0] == word


def test_a_link_to_a_word_opens_its_entry(app):
    open_help(app, term="clique")

    assert [word for word, box in boxes_of(app).items() if box.proto.expanded] == ["Clique (group)"]
    assert "maximal set of algorithms" in texts(app)
    assert len(app.get("plotly_chart")) == 1


def test_a_link_to_an_unknown_letter_opens_the_first(app):
    open_help(app, htab="Glossary", letter="All")

    assert app.segmented_control(key="letter").value == "A"


def test_pictures_of_words_are_drawn_once(app):
    open_help(app, term="calibration")
    drawn = help_views.glossary_picture.cache_info().misses
    app.run()

    assert help_views.glossary_picture.cache_info().misses == drawn > 0


# ---------------------------------------------------------------- methods


def test_no_word_says_more_than_a_test_shows():
    said = " ".join(f"{term.text} {term.more}" for term in GLOSSARY.values())

    assert not re.search(r"no pair of which differs|ends do not differ", said)
    assert "not evidence of equality" in said


FORMULAS = [
    *(formula for chapter in CHAPTERS for card in chapter.cards for formula in card.formulas),
    *(term.formula for term in GLOSSARY.values() if term.formula),
]


def test_formulas_are_balanced():
    for latex in FORMULAS:
        bare = re.sub(r"\\[{}]", "", latex)
        assert bare.count("{") == bare.count("}"), latex
        assert latex.count(r"\left") - latex.count(r"\leftarrow") == latex.count(r"\right"), latex
        assert latex.count(r"\begin") == latex.count(r"\end"), latex
        assert "$" not in latex
        assert r"\operatorname" not in latex  # GitHub refuses it


@pytest.mark.parametrize("chapter", CHAPTERS, ids=lambda chapter: chapter.title)
def test_methods_are_shown_by_question(app, chapter):
    open_help(app, htab="Methods", question=chapter.title)
    headings = [box.label for box in app.main.expander if box.label != "Introduction"]

    assert f"## {chapter.title}" in texts(app)
    assert len(headings) == len(chapter.cards)
    for card, heading in zip(chapter.cards, headings, strict=True):
        assert heading.replace("\\", "") == method_title(card)
        assert card.definition in texts(app)
        assert card.reference in texts(app)
    assert len(app.latex) == sum(bool(card.formulas) for card in chapter.cards)
    assert words_in_sight(app) <= 120


def test_a_method_is_found_in_all_questions(app):
    open_help(app, htab="Methods")
    app.text_input(key="method").set_value("Nadeau").run()
    headings = [box.label for box in app.main.expander]
    assert "Overlap factor" in headings
    assert "Friedman test" not in headings

    app.text_input(key="method").set_value("bergmann").run()
    assert "## Adjustment for multiple comparisons" in texts(app)
    assert "uses the logical relations among the hypotheses" in texts(app)
    app.text_input(key="method").set_value("zzz").run()
    assert "No match" in texts(app)
