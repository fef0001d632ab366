"""Tests of the page Trade-offs: costs, tests, corrections, tabs, and error messages."""

import re
from zlib import crc32

import pytest

from foldwise.web.texts import page_text
from stats_core.data.costs import COST_SCALES
from stats_core.data.settings import Settings
from stats_core.inference.multiplicity.adjust import FAMILY_WISE
from stats_core.ordering.one_sided_evidence import FAMILIES
from stats_core.ordering.order import OrderRules, order_of
from stats_core.report.order_text import order_verdict
from tests.samples import shipped
from tests.web.conftest import HOLES, open_section, page, select, specs, texts, upload

FOLDS, COUNTS, AVERAGES = "uci38_5x2.csv", "twoclass_counts.csv", "demsar_2006_auc.csv"
SECTIONS = ["Costs", "Validation and test"]
VIEWS = [
    "Order",
    *SECTIONS,
    "order_steps",
    "order_parts",
]  # the last two are expanders of the order
TESTS = [
    "corrected t",
    "paired t",
    "5x2 cv F",
    "5x2 cv t",
    "combined 5x2 cv t",
    "Wilcoxon",
    "sign test",
    "sign flips",
]
SETS = ("iris", "wine", "vote", "heart", "glass", "sonar", "wdbc", "zoo")
HOSTILE = (
    "<b>x</b>",
    "a_b*",
    "$x^2$ [l](http://a.b)",
    "\N{LATIN SMALL LETTER U WITH DIAERESIS}ber",
    "n" * 45,
)
HARD = "optdigits"  # a data set of the sample on which tests override the cost


@pytest.fixture(scope="module")
def sample():
    """The results of the default sample."""
    return shipped(FOLDS)


def ordering(app, file=FOLDS, **asked):
    """Open a sample on the page with settings in the address; return the app after the run."""
    app.query_params |= asked
    return page(app, file, "tradeoffs")


def open_view(app, view):
    """Open an expander for the next run; the order itself is always shown."""
    if view in SECTIONS:
        open_section(app, "otab", view)
    elif view != "Order":
        app.session_state[view] = True


def headline(results, test="", alpha=0.05, dataset=None, **rules):
    """Return the headline of the library on the order with these settings."""
    if dataset is not None:
        results = results.select(datasets=[dataset])
    settings = Settings(measure="error", test=test, alpha=alpha)
    return order_verdict(order_of(results, settings, OrderRules(**rules))).headline


def noise(*key):
    """Return a small number that depends only on `key`."""
    return crc32(repr(key).encode()) % 50 / 1000


def small(rows="", header="dataset,algorithm,fold,error,train_s"):
    """Return a CSV with an expensive good and a cheap bad algorithm, and with further rows."""
    lines = [
        f"{name},{who},{fold},{error + noise(name, who, fold):.3f},{cost}"
        for name in SETS
        for who, error, cost in (("cheap", 0.5, 1), ("dear", 0.1, 9))
        for fold in range(1, 11)
    ]
    return "\n".join([header, *lines, *rows.split("\n")]).strip().encode()


def more(name, cost="3", error=0.3, sets=SETS):
    """Return the rows of one more algorithm."""
    return "\n".join(
        f"{set_},{name},{fold},{error + noise(set_, name, fold):.3f},{cost}"
        for set_ in sets
        for fold in range(1, 11)
    )


def brought(app, content, name="mine.csv"):
    """Upload a file and open the page; return the app after the run."""
    upload(app, (name, content))
    return app.switch_page("pages/tradeoffs.py").run()


# ---- every tab, every setting ----


@pytest.mark.parametrize(
    ("view", "scope"),
    [
        *((view, "all") for view in VIEWS),
        *((view, "two algorithms on one") for view in VIEWS),
        ("Order", "one"),
        ("order_parts", "one"),
        ("order_steps", "two algorithms"),
        ("Costs", "two algorithms"),
    ],
)
def test_every_tab(app, view, scope):
    asked, results = {"ocost": "train_s"}, shipped(FOLDS)
    open_view(app, view)
    if "one" in scope:
        asked["oset"] = HARD
    if "two" in scope:
        asked["out"] = results.algorithms[2:]
        results = results.select(algorithms=results.algorithms[:2])
    ordering(app, **asked)

    assert not app.exception
    assert headline(results, dataset=asked.get("oset"), cost="train_s") in texts(app)
    assert app.get("plotly_chart") or app.dataframe


@pytest.mark.parametrize(
    ("view", "file"),
    [
        *((view, COUNTS) for view in VIEWS),
        ("Order", AVERAGES),
        ("Validation and test", AVERAGES),
        ("order_parts", "garcia_herrera_2008_accuracy.csv"),
        ("Costs", "thesis_counts.csv"),
    ],
)
def test_every_tab_of_other_samples(app, view, file):
    open_view(app, view)
    ordering(app, file, prior=["C4.5"])

    assert not app.exception
    assert re.search(r"(Ordered by|Ordered as you entered).*, (because|except where) ", texts(app))
    if view in ("Order", "Costs"):
        assert specs(app)


@pytest.mark.parametrize("cost", ["predict_s", "size", "train_s", "test_error"])
def test_every_cost(app, sample, cost):
    ordering(app, ocost=cost)

    assert not app.exception
    assert headline(sample, cost=cost) in texts(app)


@pytest.mark.parametrize("cost", ["test_error", "weights", "own order"])
def test_every_tab_by_what_is_no_cost_column(app, cost):
    ordering(app, ocost=cost, otab_costs="true", prior=["SVM (RBF)", "SVM (linear)"])

    assert not app.exception
    assert "Order by each cost" in texts(app)


@pytest.mark.parametrize("test", TESTS)
def test_every_test_decides(app, sample, test):
    ordering(app, ocost="train_s", oset=HARD)
    assert app.selectbox(key="otest").options == TESTS

    select(app, "otest", test)

    assert not app.exception
    assert headline(sample, test, dataset=HARD, cost="train_s") in texts(app)


@pytest.mark.parametrize("family", FAMILIES)
def test_every_family_of_tests_gives_its_own_headline(app, sample, family):
    ordering(app, ocost="train_s", oset=HARD)

    select(app, "ofamily", FAMILIES[family])

    assert not app.exception
    assert headline(sample, dataset=HARD, cost="train_s", family=family) in texts(app)
    sided = "Two-sided" if "two-sided" in FAMILIES[family] else "One-sided"
    assert app.selectbox(key="otest").label == f"{sided} test"


@pytest.mark.parametrize("scale", COST_SCALES)
def test_every_scale_of_costs(app, sample, scale):
    ordering(app, ocost="train_s")

    select(app, "oscale", COST_SCALES[scale])

    assert headline(sample, cost="train_s", scale=scale) in texts(app)
    assert COST_SCALES[scale] in texts(app)


@pytest.mark.parametrize("post_hoc", FAMILY_WISE)
def test_every_post_hoc(app, sample, post_hoc):
    ordering(app, ocost="train_s")
    assert app.selectbox(key="opost").options == list(FAMILY_WISE.values())

    select(app, "opost", FAMILY_WISE[post_hoc])

    assert not app.exception
    assert headline(sample, cost="train_s", post_hoc=post_hoc) in texts(app)


def test_settings_without_effect_are_not_asked_for(app):
    ordering(app, ocost="train_s", oset=HARD)

    assert "oscale" not in {box.key for box in app.selectbox}
    assert app.selectbox(key="opost").label == "Post-hoc test of the groups"
    keys = {widget.key for widget in (*app.selectbox, *app.get("button_group"))}
    assert not keys & {"compare", "correction"}  # Ordering has its own


def test_the_measure_is_no_cost_of_itself(app):
    ordering(app)
    assert "error" not in app.selectbox(key="ocost").options

    select(app, "measure", "test_error")

    assert "error" in app.selectbox(key="ocost").options
    assert "test_error" not in app.selectbox(key="ocost").options


def test_undivided_belongs_to_the_one_test_that_has_it(app, sample):
    ordering(app, ocost="train_s", oset=HARD, otest="5x2 cv F")
    app.toggle(key="undivided").set_value(True).run()
    assert headline(sample, "5x2 cv F", dataset=HARD, cost="train_s", undivided=True) in texts(app)

    select(app, "otest", "paired t")
    assert not app.exception
    assert "undivided" not in {toggle.key for toggle in app.toggle}
    assert headline(sample, "paired t", dataset=HARD, cost="train_s") in texts(app)


@pytest.mark.parametrize("file", [COUNTS, "thesis_counts.csv", AVERAGES])
def test_undivided_is_not_offered_where_no_such_test_runs(app, file):
    ordering(app, file, undivided="true", prior=["C4.5"])

    assert "undivided" not in {toggle.key for toggle in app.toggle}
    assert re.search(r"(Ordered by|Ordered as you entered).*, (because|except where) ", texts(app))


def test_another_level_gives_other_sentences(app, sample):
    ordering(app, ocost="train_s", oset=HARD)
    assert headline(sample, dataset=HARD, cost="train_s") in texts(app)

    app.segmented_control(key="alpha").set_value("0.01").run()

    said = texts(app)
    assert headline(sample, alpha=0.01, dataset=HARD, cost="train_s") in said
    assert "α = 0.01" in said
    assert headline(sample, dataset=HARD, cost="train_s") not in said


# ---- weights and an order of one's own ----


def test_weights_move_the_order(app, sample):
    costs = ("predict_s", "size", "train_s")
    ordering(app, ocost="weights")
    assert headline(sample, weights=tuple((name, 1.0) for name in costs)) in texts(app)

    for key, value in (("w1", 0.0), ("w2", 0.0), ("w3", 5.0)):
        app.number_input(key=key).set_value(value).run()
    assert headline(sample, cost="train_s") in texts(app)

    app.number_input(key="w3").set_value(0.0).run()
    assert "All weights are 0, so equal weights are used." in texts(app)
    assert not app.exception


def test_weights_last_from_page_to_page(app, sample):
    ordering(app, ocost="weights")
    app.number_input(key="w3").set_value(20.0).run()
    weights = (("predict_s", 1.0), ("size", 1.0), ("train_s", 20.0))
    assert headline(sample, weights=weights) in texts(app)

    app.switch_page("pages/results.py").run()
    assert headline(sample, weights=weights) in texts(app)
    app.switch_page("pages/tradeoffs.py").run()
    assert app.number_input(key="w3").value == 20.0


def test_a_link_brings_an_order_of_ones_own(app, sample):
    mine = list(shipped(FOLDS).algorithms[::-1])
    ordering(app, ocost="own order", prior=mine)

    assert headline(sample, prior=tuple(mine)) in texts(app)
    assert "An order needs a cost" not in texts(app)


def test_the_alphabetical_order_is_used_only_on_request(app):
    ordering(app, AVERAGES)

    assert app.selectbox(key="ocost").value == "own order"
    assert "A prior order is needed" in texts(app)
    assert "Ordered by" not in texts(app)

    next(b for b in app.button if b.label == "Use alphabetical order").click().run()
    assert re.search(r"Ordered as you entered, because .*: C4.5, ", texts(app))


def test_names_of_other_results_in_a_typed_order_are_left_out(app):
    ordering(app, AVERAGES, prior=["C4.5+m", "SVM (RBF)", "C4.5"])

    assert not app.exception
    table = app.get("arrow_data_frame")[0] if not app.dataframe else app.dataframe[0]
    assert list(table.value["algorithm"])[:2] == ["C4.5+m", "C4.5"]


# ---- risk ----


def test_risk_at_a_theta(app):
    ordering(app, COUNTS, ds="pima")
    app.toggle(key="orisk").set_value(True).run()
    assert "The order uses expected cost (θ = 0.5)" in texts(app)
    results = shipped(COUNTS)
    rules = {"theta": 0.9, "cost": results.costs[0]}

    app.number_input(key="otheta").set_value(0.9).run()

    assert not app.exception
    assert "The order uses expected cost (θ = 0.9)" in texts(app)
    assert headline(results, **rules) in texts(app)


def test_risk_is_not_compared_with_a_measure(app):
    ordering(app, COUNTS, otab_validation_and_test="true")
    app.toggle(key="orisk").set_value(True).run()

    assert "Under More, switch off Order by expected cost." in texts(app)


# ---- what cannot be ordered, and what can only with words ----


def test_one_number_per_cell_is_ordered_over_data_sets_only(app):
    ordering(app, AVERAGES, prior=["C4.5"])
    assert "There is one result per algorithm and data set" in texts(app)
    assert re.search(r"Ordered as you entered, because .*: C4.5, ", texts(app))

    select(app, "oset", "adult (sample)")

    assert not app.exception
    assert "The results cannot be ordered with the current settings." in texts(app)
    assert "Provide the result of every fold." in texts(app)


def test_a_missing_cost_is_named_with_what_to_do(app):
    brought(app, small(more("rip", cost="")))

    said = texts(app)
    assert "The results cannot be ordered with the current settings." in said
    assert (
        "rip has no train_s on some data sets, for example glass. Add the cost, or exclude rip."
        in said
    )

    app.multiselect(key="out").set_value(["rip"]).run()
    assert ": dear, cheap." in texts(app)


@pytest.mark.parametrize("tab", ["Order", "Costs"])
def test_a_cost_missing_somewhere_leaves_the_other_costs(app, tab):
    rows = more("rip", cost=",4").split("\n")
    content = small(header="dataset,algorithm,fold,error,train_s,predict_s").decode().split("\n")
    lines = [content[0], *(f"{line},{line[-1]}" for line in content[1:]), *rows]
    open_view(app, tab)
    app.query_params["ocost"] = "predict_s"
    app.session_state["cost_weights"] = True
    brought(app, "\n".join(lines).encode())

    assert not app.exception
    assert ": dear, rip, cheap." in texts(app)
    if tab == "Costs":
        why = "An order by train_s needs the cost of every algorithm on every data set. rip has no train_s"
        assert texts(app).count(why) == 2
        assert f"cost train_s: {why}" in texts(app)
        assert f"weight 0.0 to 1.0: {why}" in texts(app)


def test_a_tie_in_cost_says_who_and_how(app):
    brought(app, small(more("also", cost="9", error=0.1)))

    assert "Algorithms of equal cost are ordered by name: {also, dear}." in texts(app)


def test_negative_costs_are_refused_in_words(app):
    upload(app, ("mine.csv", small(more("rip", cost="-1"))))
    next(b for b in app.button if b.label.startswith("No, keep the negative")).click().run()
    app.switch_page("pages/tradeoffs.py").run()

    assert not app.exception
    assert "Costs must be nonnegative, but rip has negative costs." in texts(app)


def test_without_a_cost_column_the_order_is_typed(app):
    content = "\n".join(line.rsplit(",", 1)[0] for line in small().decode().split("\n"))
    brought(app, content.encode())

    assert app.selectbox(key="ocost").value == "own order"
    assert "A prior order is needed" in texts(app)
    app.switch_page("pages/results.py").run()
    assert "## Cost-aware order" not in texts(app)

    app.switch_page("pages/tradeoffs.py").run()
    app.session_state["_prior"] = ("dear", "cheap")
    app.run()
    assert ": dear, cheap." in texts(app)
    app.switch_page("pages/results.py").run()
    assert "## Cost-aware order\n" in texts(app)


def test_one_algorithm_is_not_an_order(app):
    content = "\n".join(line for line in small().decode().split("\n") if ",dear," not in line)
    brought(app, content.encode())

    assert "An order needs at least two algorithms." in texts(app)
    assert "mine.csv has 1 algorithm." in texts(app)


def test_leaving_out_all_but_one_is_told_the_same(app):
    ordering(app)
    app.multiselect(key="out").set_value(list(app.multiselect(key="out").options)[1:]).run()

    assert not app.exception
    assert "An order needs at least two algorithms." in texts(app)


def test_holes_wait_for_a_choice(app):
    brought(app, HOLES, "holes_accuracy.csv")
    assert page_text("data_views.complete") in texts(app)
    assert "1 of 36 cells" in texts(app)

    app.radio(key="hole_choice").set_value("sets").run()

    assert not app.exception
    assert "A prior order is needed" in texts(app)


def test_a_file_that_cannot_be_read_gives_no_order(app):
    brought(app, b"dataset,a,b\nx,1,oops\n", "bad.csv")

    assert not app.exception
    assert "What do these columns mean?" in texts(app)
    assert "Ordered by" not in texts(app)


@pytest.mark.parametrize("view", VIEWS)
def test_hostile_names_are_text(app, view):
    rows = "\n".join(more(name, cost=str(place)) for place, name in enumerate(HOSTILE, 2))
    open_view(app, view)
    brought(app, small(rows))

    assert not app.exception
    shown = "\n".join(str(part.value) for part in [*app.markdown, *app.caption])
    assert "<b>x" not in shown.replace("\\<", "")
    assert "](http" not in shown
    assert "a_b*" not in shown
    for name in HOSTILE:
        assert name in texts(app)
    for spec in specs(app):
        notes = [note.get("text", "") for note in spec["layout"].get("annotations", [])]
        assert not any("<b>x" in note for note in notes)


def test_many_algorithms_leave_every_tab_usable(app):
    rows = "\n".join(
        more(f"a{place}", cost=str(place), error=0.2 + place / 100) for place in range(24)
    )
    brought(app, small(rows))
    assert "and 14 more" in texts(app)
    app.session_state["order_steps"] = app.session_state["order_parts"] = True
    app.session_state["otab_costs"] = app.session_state["otab_validation_and_test"] = True
    assert not app.run().exception


# ---- steps ----


def test_stepping_changes_picture_and_sentence(app):
    ordering(app, ocost="train_s", oset=HARD, otest="5x2 cv F")
    assert "**Final order.**" in texts(app)
    final = specs(app)[1]

    app.button(key="step_Start").click().run()
    first = texts(app).replace("**", "")
    assert "Step 1 of 8. " in first
    assert "5-NN is the cheapest of these and takes rank 1." in first
    assert specs(app)[1] != final

    app.button(key="step_Next").click().run()
    assert "Step 2 of 8. " in texts(app).replace("**", "")
    app.button(key="step_Back").click().run()
    assert texts(app).replace("**", "") == first
    app.button(key="step_End").click().run()
    assert specs(app)[1] == final


def test_another_order_starts_at_its_end(app):
    ordering(app, ocost="train_s", oset=HARD)
    app.button(key="step_Start").click().run()

    select(app, "ocost", "size")

    assert "Final order" in texts(app)


def test_a_graph_without_arrows_says_so(app):
    ordering(app, ocost="train_s")

    assert "There are no arrows, because" in texts(app)


# ---- costs, validation and test ----


def test_order_by_each_cost_level_and_scale(app):
    app.session_state["cost_weights"] = app.session_state["cost_scales"] = True
    ordering(app, otab_costs="true", ocost="train_s")

    said = texts(app)
    for part in ("Order by each cost", "Order by weights of predict_s and size"):
        assert part in said
    assert "Order by significance level (α = 0.05 selected)" in said
    assert "The orders differ." in said
    select(app, "wfirst", "size")
    assert "Order by weights of size and predict_s" in texts(app)


def test_an_algorithm_keeps_its_symbol_in_all_figures(app):
    app.session_state["cost_weights"] = True
    ordering(app, otab_costs="true", ocost="train_s")

    symbols = [
        {
            trace["name"]: trace["marker"]["symbol"]
            for trace in spec["data"]
            if trace.get("name", "").endswith(" marks")
        }
        for spec in specs(app)[
            2:
        ]  # after the figure of cost and error, which marks dominated ones, and the graph
    ]
    assert len(symbols) == 3
    assert symbols[0] == symbols[1] == symbols[2]


def test_validation_and_test_are_compared(app):
    ordering(app, otab_validation_and_test="true", ocost="train_s")

    said = texts(app)
    assert app.selectbox(key="other_measure").value == "test_error"
    assert "Ordering by error and ordering by test error give the same final order." in said
    table = next(frame.value for frame in app.dataframe if "same order" in frame.value)
    alike = int((table["same order"] == "yes").sum())
    assert f"The two orders are the same on {alike} of 38 data sets" in said


def test_one_measure_has_nothing_to_be_compared_with(app):
    ordering(app, AVERAGES, otab_validation_and_test="true", prior=["C4.5"])

    assert (
        "demsar_2006_auc.csv has one measure (AUC). Add a column with a second measure, such as test_error."
        in texts(app)
    )


# ---- the page Results ----


def test_results_say_which_to_choose(app, sample):
    page(app, FOLDS, "results")
    assert "Cost-aware order by" not in texts(app)

    app.session_state["oelsewhere"] = True
    ordering(app)
    app.switch_page("pages/results.py").run()
    assert "Cost-aware order by prediction time" in texts(app)
    assert "In error alone, Multivariate tree is significantly worse than" in texts(app)
    assert headline(sample, cost="predict_s") in texts(app)


def test_results_follow_what_was_chosen(app, sample):
    ordering(app, ocost="size")
    select(app, "otest", "paired t")

    app.switch_page("pages/results.py").run()

    assert "Cost-aware order by size" in texts(app)
    assert headline(sample, "paired t", cost="size") in texts(app)


def test_results_survive_what_was_switched_on_for_another_test(app, sample):
    ordering(app, ocost="size", otest="5x2 cv F")
    app.toggle(key="undivided").set_value(True).run()
    app.switch_page("pages/results.py").run()
    assert headline(sample, "5x2 cv F", cost="size", undivided=True) in texts(app)

    app.switch_page("pages/tradeoffs.py").run()
    select(app, "otest", "paired t")
    app.switch_page("pages/results.py").run()

    assert headline(sample, "paired t", cost="size") in texts(app)
