"""Tests of trained models on the cases of one test set: Cochran's Q and McNemar's test, by hand and in texts."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from scipy import stats
from sklearn import metrics
from statsmodels.formula.api import ols
from statsmodels.stats.anova import anova_lm
from statsmodels.stats.multitest import multipletests
from statsmodels.stats.proportion import proportion_confint

from foldwise.figures.instance_figures import clusters_drawing, difficulty_drawing
from foldwise.figures.registry import drawings
from foldwise.figures.theme import paper, screen
from stats_core.comparison.analyse import analyse
from stats_core.comparison.decide import DECIDED, NO_PAIR, NOT_SEPARATED, decide
from stats_core.comparison.kinds.instances import (
    can_test_cases,
    compare_cases,
    compare_pair_on_cases,
    instance_test_for,
    omnibus_on_instances,
    pair_tests,
)
from stats_core.comparison.result import Inputs
from stats_core.core.errors import DesignError
from stats_core.data.predictions import case_table
from stats_core.data.results import Results
from stats_core.data.settings import Settings
from stats_core.inference.clusters import cr2_error
from stats_core.inference.paired import cochran_q, newcombe_interval
from stats_core.inference.paired.instance_tests import swap_test
from stats_core.io.mapping import Mapping
from stats_core.io.read import read_results
from stats_core.report.latex_report import to_latex
from stats_core.report.methods_text import methods_paragraph, readable_measures
from stats_core.report.paper_sentence import paper_sentence
from stats_core.report.report_content import report_tables
from stats_core.report.tables.table_registry import tables_of
from stats_core.report.verdict import verdict
from tests.data.test_class_measures import LABELS, random_predictions
from tests.inference.test_proportions import marks
from tests.report.report_cases import predictions, read, table_of_predictions


@pytest.fixture
def three():
    """Predictions of three models: a errs on cases 0 and 1, b on cases 0 to 11, c on cases 1 to 13."""
    return predictions(a=range(2), b=range(12), c=range(1, 14))


def test_two_are_mcnemars_test_of_the_cases_on_which_they_disagree(three):
    found = compare_pair_on_cases(
        three, Settings(measure="error", dataset="d", pair=("b", "a"), correction="holm")
    )
    (row,) = found.pairs.frame.to_dict("records")

    assert (row["first"], row["second"], row["only first"], row["only second"]) == ("a", "b", 10, 0)
    assert row["p adjusted"] == pytest.approx(2 * 0.5**10)  # ten disagreements, all one way
    said = verdict(found)
    assert said.badge == DECIDED
    assert said.headline == "The model a has significantly lower error than the model b on d."
    assert "Difference in error, a − b: −0.2500, 95% CI [" in said.size
    assert said.size.endswith("p = 0.002.")
    assert "The error is 0.0500 (a) and 0.3000 (b)." in said.numbers
    assert "Only a is correct on 10 instances, and only b on 0." in said.numbers
    assert "applies to these models" in str(said.notes[0])


def test_several_are_cochrans_q_then_mcnemar_with_the_correction(three):
    found = analyse(three, Settings(measure="error", correction="bonferroni"))

    assert found.omnibus.statistic == pytest.approx(cochran_q(found.correct).statistic)
    alone = {("a", "b"): (10, 0), ("a", "c"): (12, 1), ("b", "c"): (2, 1)}  # by hand
    for row in found.pairs.frame.to_dict("records"):
        b, c = alone[row["first"], row["second"]]
        assert (row["only first"], row["only second"]) == (b, c)
        p = stats.binomtest(b, b + c).pvalue
        assert row["p adjusted"] == pytest.approx(min(1, 3 * p))
        assert row["estimate"] == pytest.approx((c - b) / 40)  # of error
        assert row["low"] < row["estimate"] < row["high"]
    said = verdict(found)
    assert said.headline == "a is significantly better than b and c in error on d."
    assert (
        "2 of 3 pairs differ significantly. Tests: exact McNemar tests with Bonferroni adjustment (Cochran's Q test: p < 0.001)"
        in said.detail
    )


@pytest.mark.parametrize("correction", ["", "hommel"])
def test_with_a_control_only_its_pairs_are_tested_and_adjusted(three, correction):
    found = analyse(three, Settings(measure="error", control="b", correction=correction))
    rows = found.pairs.frame.set_index("first")

    raw = [
        stats.binomtest(10, 10).pvalue,
        stats.binomtest(1, 3).pvalue,
    ]  # disagreements, counted by hand
    adjusted = multipletests(raw, method=correction or "holm")[1]  # statsmodels
    assert list(rows.loc[["a", "c"], "p adjusted"]) == pytest.approx(list(adjusted))
    assert set(rows["second"]) == {"b"}
    assert (found.groups, found.guarantee.comparisons) == ((), 2)
    assert list(rows.loc[["a", "c"], "verdict"]) == ["better", "no significant difference"]
    assert found.sides() == (["a"], [], ["c"])
    assert rows.loc["a", "estimate"] == pytest.approx(-10 / 40)
    assert rows.loc["a", "high"] < 0 < rows.loc["c", "high"]
    said = verdict(found)
    assert (
        said.headline
        == "a is significantly better than b in error on d. c does not differ significantly from b."
    )
    assert "with Hommel" in said.numbers if correction else "with Holm adjustment" in said.numbers
    methods = methods_paragraph(found)
    assert "b was the control. The other" in methods
    assert "The other two models were compared with b in error with the exact version" in methods
    assert [len(table.frame) for table in report_tables(found) if table.name == "pairs"] == [2]
    figures = {drawing.title: drawing for drawing in drawings(found)}
    assert list(figures["Differences from b"].table.index) == list(rows.index)
    assert list(figures["Correct and wrong answers on d"].counts.index) == [("b", "a"), ("b", "c")]


@pytest.mark.parametrize("measure", ["auc", "f", "brier"])
def test_a_control_is_used_for_every_measure_of_instances(measure):
    found, every = (
        analyse(scored(), Settings(measure=measure, control=name)) for name in ("c", "")
    )

    pairs = found.pairs.frame
    assert list(pairs["second"]) == ["c", "c"]
    raw = every.pairs.frame.set_index(["first", "second"])["p"]
    assert list(pairs["p"]) == pytest.approx(
        [raw.get((name, "c"), raw.get(("c", name))) for name in pairs["first"]]
    )
    assert list(pairs["p adjusted"]) == pytest.approx(
        list(multipletests(pairs["p"], method="holm")[1])
    )
    losses = found.losses()
    assert set(losses["second"]) == {"c"}
    brier = losses[losses["loss"] == "brier"]
    assert list(brier["p adjusted"]) == pytest.approx(
        list(multipletests(brier["p"], method="holm")[1])
    )


def test_a_control_is_used_after_several_training_runs():
    found = analyse(read("trainings"), Settings(control="b"))

    assert (found.kind, list(found.pairs.frame["second"])) == ("trainings", ["b", "b"])
    assert verdict(found).headline.startswith("a is significantly better than b in")


def test_a_control_is_dropped_where_instances_are_not_tested_with_it(three):
    pair = analyse(three, Settings(control="b", pair=("a", "b"), correction="finner"))
    wrong = [{"a": range(2 + fold), "b": range(12 - fold % 2), "c": range(13)} for fold in range(4)]
    runs = [table_of_predictions(models).assign(fold=fold) for fold, models in enumerate(wrong)]
    varied = read_results(("d.csv", pd.concat(runs).to_csv(index=False).encode()))
    by_test = analyse(varied, Settings(control="b", test="paired t", correction="finner"))

    assert (pair.kind, pair.settings.control, len(pair.tests)) == ("cases", "", 1)
    assert (by_test.kind, by_test.settings.control, by_test.correction) == (
        "folds",
        "",
        "bergmann_hommel",
    )
    with pytest.raises(DesignError, match="b"):
        analyse(
            predictions(a=[0], b=[1], c=[2], d=[3]),
            Settings(control="b", without_algorithms=("b",)),
        )


@pytest.mark.parametrize(
    ("cells", "alpha", "set_to_zero"),
    [
        ((0, 11, 0, 289), 0.001, True),  # p = 2 / 2^11 = 0.00098, Newcombe's interval includes 0
        ((40, 5, 0, 5), 0.05, True),  # p = 2 / 2^5 = 0.0625, Newcombe's interval excludes 0
        ((36, 12, 2, 0), 0.05, False),
    ],
)
def test_newcombes_interval_excludes_zero_exactly_if_the_exact_test_rejects(
    cells, alpha, set_to_zero
):
    found = analyse(marks(cells), Settings(alpha=alpha))
    test = next(iter(found.tests.values()))
    ends = newcombe_interval(*cells, confidence_level=1 - alpha)

    assert ((ends[0] > 0) != (test.pvalue <= alpha)) == set_to_zero
    assert test.pvalue == pytest.approx(stats.binomtest(cells[1], cells[1] + cells[2]).pvalue)
    assert (found.turned_interval("a", "b")[0] > 0) == (test.pvalue <= alpha)
    for text in (tables_of(found, "pairs")[0].caption, methods_paragraph(found)):
        assert ("with the end closer to 0 set to 0 if it disagree" in text) == set_to_zero


def test_what_is_not_shown_is_not_said():
    alike = analyse(predictions(a=[0], b=[1], c=[2]))
    two = analyse(predictions(a=[0], b=[1]))
    close = predictions(a=range(3), b=range(3), c=range(7))
    unsure = analyse(close, Settings(correction="bonferroni", alpha=0.05))

    assert verdict(alike).badge == verdict(two).badge == NOT_SEPARATED
    assert "95% CI [" in verdict(alike).size
    assert unsure.omnibus.pvalue < 0.05 < unsure.pairs.frame["p adjusted"].min()
    assert verdict(unsure).badge == NO_PAIR


def test_cases_need_names_one_test_set_and_a_measure_that_comes_from_them(three):
    plain = analyse(three, Settings(measure="error"))
    folds = pd.DataFrame({"algorithm": list("ab"), "error": [0.1, 0.2]})

    assert can_test_cases(three, "d")
    unnamed = Inputs.of(Results.from_frame(folds), plain.settings)
    assert compare_cases(unnamed) is None
    settings = Settings(measure="error", dataset="results", pair=("a", "b"))
    with pytest.raises(DesignError, match="results has no such predictions for error"):
        compare_pair_on_cases(Results.from_frame(folds), settings)


@pytest.mark.parametrize(
    ("measure", "way", "first"),
    [
        ("error", "mcnemar", True),
        ("auc", "delong", True),
        ("f", "swaps", False),
        ("auc_pr", "swaps", False),
    ],
)
def test_every_measure_of_scored_cases_is_tested(measure, way, first):
    found = analyse(scored(), Settings(measure=measure, correction="holm"))
    pairs = found.pairs.frame

    assert (found.kind, found.way, found.first_test is not None) == ("cases", way, first)
    means = found.scores.loc["d"]
    for row in pairs.to_dict("records"):  # in the units of the measure, the better one first
        assert row["estimate"] == pytest.approx(means[row["first"]] - means[row["second"]])
        assert (row["estimate"] <= 0) != found.higher_is_better or row["estimate"] == 0
        assert (row["low"] > 0 or row["high"] < 0) == (row["p"] <= 0.05)
    said = verdict(found)
    assert "no test is possible" not in said.sentences
    assert f"{measure} in {measure}" not in said.headline
    assert f"in {readable_measures(measure, found)} " in methods_paragraph(found)
    assert found.results.design_label == "one test set"


def test_clusters_are_swapped_together_and_named():
    table = case_table(scored(), "d")
    clustered = replace(table, cluster=np.arange(120) // 6)

    assert (instance_test_for(clustered, "error"), instance_test_for(clustered, "auc")) == (
        "clusters",
        "areas of clusters",
    )
    names = ("a", "b", "c")
    for measure in ("error", "auc"):
        tests = pair_tests(clustered, measure, names, 0.95)
        assert {test.n for test in tests.values()} == {20}
        assert omnibus_on_instances(clustered, measure, names) is None


def scored(n=120):
    """Return scores of three models on `n` cases of one test set; those of c are random."""
    rng = np.random.default_rng(3)
    positive = rng.random(n) < 0.4
    blocks = [
        pd.DataFrame(
            {
                "dataset": "d",
                "algorithm": name,
                "instance": np.arange(n),
                "true": positive.astype(int),
                "score": 1 / (1 + np.exp(-(sharp * (2.0 * positive - 1) + rng.normal(size=n)))),
            }
        )
        for name, sharp in (("a", 1.2), ("b", 1.0), ("c", 0.0))
    ]
    return read_results(("d.csv", pd.concat(blocks).to_csv(index=False).encode()))


def test_the_report_says_what_was_tested_on_the_cases(three):
    for settings in (Settings(), Settings(pair=("a", "b"))):
        analysis = analyse(three, settings)
        said = methods_paragraph(analysis)
        tables = {table.name: table for table in report_tables(analysis)}

        assert "No test was possible" not in said
        assert "one number for each algorithm" not in said
        assert "with the exact version of McNemar's test [@mcnemar1947; @dietterich1998]" in said
        assert ("Cochran's Q test [@cochran1950]" in said) == (len(analysis.adjusted) > 2)
        column = "adjusted p" if len(analysis.tests) > 1 else "p"
        assert list(tables["pairs"].frame[column]) == list(analysis.pairs.frame["p adjusted"])
        assert len(tables["pairs"].frame) == len(analysis.tests)
        assert to_latex(analysis).results.count("McNemar") >= 2


@pytest.mark.parametrize("wide", [False, True])
def test_a_column_of_patients_makes_clusters_when_it_is_said_to(wide):
    rows = scored().predictions.astype({"true": str, "algorithm": str})
    table = rows[["algorithm", "instance", "true", "score"]].assign(dataset="d")
    if wide:
        table = table.pivot(index=["instance", "true"], columns="algorithm", values="score")
        table = table.add_suffix("_score").reset_index()
        table["instance"] = [f"c{i}" for i in table["instance"]]
        table["patient"] = [f"p{i // 4}" for i in range(len(table))]
    else:
        table["patient"] = [f"p{i // 4}" for i in table["instance"].astype(int)]
    results = read_results(
        ("d.csv", table.to_csv(index=False).encode()), mapping=Mapping(roles={"patient": "cluster"})
    )
    found = analyse(results, Settings(measure="error"))

    assert (found.way, found.n_clusters, str(found.counted)) == (
        "clusters",
        30,
        "30 clusters of instances",
    )


def test_disagreements_name_instances_and_clusters():
    table = b"question_id,document,model,correct\n" + b"".join(
        f"q{i},{'xy'[i % 2]},{model},{int(i % divisor > 0)}\n".encode()
        for i in range(24)
        for model, divisor in (("a", 8), ("b", 3))
    )
    found = analyse(read_results(("qa.csv", table), mapping=Mapping(roles={"document": "cluster"})))
    rows = found.disagreements("a", "b")
    clusters = found.by_cluster("a", "b")

    wrong = {
        name: {i for i in range(24) if not i % divisor} for name, divisor in (("a", 8), ("b", 3))
    }
    assert set(rows["instance"]) == {f"q{i}" for i in wrong["a"] ^ wrong["b"]}
    assert set(rows.loc[rows["correct"] == "a", "instance"]) == {
        f"q{i}" for i in wrong["b"] - wrong["a"]
    }
    assert dict(zip(rows["instance"], rows["cluster"], strict=True))["q3"] == "y"
    assert clusters["only first"].to_dict() == {"x": 3, "y": 4}  # multiples of 3, without 0 of both
    assert clusters["instances"].tolist() == [12, 12]
    assert found.agreement("a", "b").sum() == 24


def test_items_are_listed_by_difficulty_and_clusters_by_accuracy():
    rows = [
        (f"q{i}", "xyz"[i % 3], model, int(i % divisor > 0))
        for i in range(24)
        for model, divisor in (("a", 8), ("b", 3), ("c", 2))
    ]
    table = pd.DataFrame(rows, columns=["question_id", "document", "model", "correct"])
    mapping = Mapping(roles={"document": "cluster"})
    found = analyse(read_results(("qa.csv", table.to_csv(index=False).encode()), mapping=mapping))
    hardest, clusters = found.by_difficulty(), found.cluster_accuracies()

    assert hardest["right"].tolist() == sorted(table.groupby("question_id")["correct"].sum())
    assert hardest["instance"].iloc[0] == "q0"  # a multiple of 8, 3 and 2
    assert clusters.index[0] == (
        "x",
        found.order[0],
    )  # all multiples of 3, so that b is always wrong
    for (cluster, model), row in clusters.iterrows():
        marks_of_cluster = table[(table["document"] == cluster) & (table["model"] == model)][
            "correct"
        ]
        low, high = proportion_confint(
            marks_of_cluster.sum(), len(marks_of_cluster), method="wilson"
        )
        assert (row["value"], row["low"], row["high"]) == pytest.approx(
            (marks_of_cluster.mean(), low, high)
        )
    for drawing in (difficulty_drawing(found), clusters_drawing(found)):
        for style in (screen(), paper(3.25)):
            assert drawing.figure(style).data
        assert drawing.caption(screen()).endswith(".")
    assert "(24 test instances, 3 clusters of 8 instances)" in clusters_drawing(found).caption(
        screen()
    )
    assert difficulty_drawing(found).alt.startswith("Of 24 instances, no model answers 1 correctly")
    assert clusters_drawing(analyse(marks([5, 3, 2, 4]))) is None


def test_disagreements_quote_the_texts_of_instances():
    rows = [
        (f"q{i}", f"<b>Question</b> {i}\n of *many*, all in words", m, int(i % d > 0))
        for i in range(24)
        for m, d in (("a", 8), ("b", 3))
    ]
    table = pd.DataFrame(rows, columns=["question_id", "question", "model", "correct"])
    found = analyse(read_results(("qa.csv", table.to_csv(index=False).encode())))
    texts = found.disagreements("a", "b").set_index("instance")["text"]

    assert texts["q3"] == "<b>Question</b> 3 of *many*, all in words"
    assert len(texts) == len(found.disagreements("a", "b")) > 5
    assert "text" not in analyse(marks([5, 3, 2, 4])).disagreements("a", "b")


def test_variance_components_of_runs_are_those_of_the_analysis_of_variance():
    rng = np.random.default_rng(4)
    items = rng.normal(0, 1, 40)
    rows = []
    for model, shift in (("a", 0.3), ("b", 0.0)):
        for seed in range(3):
            right = (items * (model == "a") + rng.normal(0, 1, 40) + shift > 0).astype(int)
            rows += [(f"q{i}", model, seed, right[i]) for i in range(40)]
    table = pd.DataFrame(rows, columns=["question_id", "model", "seed", "correct"])
    (row,) = analyse(
        read_results(("qa.csv", table.to_csv(index=False).encode()))
    ).pairs.frame.to_dict("records")

    wide = table.pivot(index=["question_id", "seed"], columns="model", values="correct")
    data = wide.eval("a - b").rename("d").reset_index()
    anova = anova_lm(ols("d ~ C(question_id)", data).fit())["mean_sq"]
    assert row["variance runs"] == pytest.approx(anova["Residual"])
    assert row["variance items"] == pytest.approx((anova["C(question_id)"] - anova["Residual"]) / 3)
    assert row["variance items"] > 0


@pytest.mark.parametrize(
    ("measure", "loss"),
    [
        ("logloss", lambda true, p: -np.log(p[np.arange(len(true)), true])),
        ("brier", lambda true, p: ((p - np.eye(4)[true]) ** 2).sum(axis=1)),
        (
            "top2_accuracy",
            lambda true, p: (
                (np.argsort(-p, axis=1)[:, :2] == true[:, None]).any(axis=1).astype(float)
            ),
        ),
    ],
)
def test_scores_of_several_classes_are_tested_by_their_value_for_each_instance(measure, loss):
    table = (
        random_predictions(0).drop(columns="fold").assign(patient=np.tile(np.arange(90) // 3, 2))
    )
    shares = [f"prob_{label}" for label in LABELS]
    true = pd.Categorical(table["true"], LABELS).codes
    values = loss(true.astype(int), table[shares].to_numpy()).reshape(2, 90)
    for mapping, clusters in (
        (Mapping(roles={"patient": "ignore"}), None),
        (Mapping(roles={"patient": "cluster"}), np.arange(90) // 3),
    ):
        results = read_results(("d.csv", table.to_csv(index=False).encode()), mapping=mapping)
        found = analyse(results, Settings(measure=measure))
        expected = swap_test("mean", np.ones(90), *values, clusters=clusters)
        assert found.values[["a", "b"]].to_numpy() == pytest.approx(values.mean(axis=1), abs=1e-12)
        sign, test = found.turned("a", "b")
        assert (sign * test.estimate, test.pvalue) == pytest.approx(
            (expected.estimate, expected.pvalue)
        )
        assert found.models().loc["a", "standard error"] == pytest.approx(
            cr2_error(
                (values[0] - values[0].mean()) / 90, np.arange(90) if clusters is None else clusters
            ).for_intervals
        )


def test_macro_auc_is_tested_on_one_test_set_and_over_training_runs():
    table = random_predictions(1).drop(columns="fold")
    scores = [
        block[[f"prob_{label}" for label in LABELS]].to_numpy()
        for _, block in table.groupby("algorithm")
    ]
    true = pd.Categorical(table["true"][:90], LABELS).codes.astype(int)
    found = analyse(
        read_results(("d.csv", table.to_csv(index=False).encode())), Settings(measure="macro_auc")
    )
    expected = [metrics.roc_auc_score(true, score, multi_class="ovr") for score in scores]
    assert found.values[["a", "b"]].to_numpy() == pytest.approx(expected, abs=1e-12)
    assert found.way == "swaps"
    assert (
        verdict(found).headline
        == "The model a has significantly higher macro AUC than the model b on the test set."
    )

    again = table.assign(**{f"prob_{label}": 0.25 for label in LABELS})
    runs = pd.concat([table.assign(fold=1), again.assign(fold=2)])
    both = analyse(
        read_results(("d.csv", runs.to_csv(index=False).encode())), Settings(measure="macro_auc")
    )
    assert both.values[["a", "b"]].to_numpy() == pytest.approx(
        (np.array(expected) + 0.5) / 2, abs=1e-12
    )
    assert both.way == "two-way"


def test_one_algorithm_without_scores_leaves_the_tests_of_labels():
    table = random_predictions(1).drop(columns="fold")
    table.loc[table["algorithm"] == "b", [f"prob_{label}" for label in LABELS]] = np.nan
    results = read_results(("d.csv", table.to_csv(index=False).encode()))
    assert analyse(results, Settings(measure="macro_f1")).n_cases == 90


def results_of(table):
    return read_results(("d.csv", table.to_csv(index=False).encode()))


def partly_scored(rng, share):
    """Return predictions of two models, the first with scores for a share of the instances."""
    truth = rng.integers(0, 2, size=80)
    rows = []
    for name in "ab":
        score = np.clip(0.5 + (truth - 0.5) * 0.5 + rng.normal(0, 0.25, size=80), 0, 1).round(3)
        rows.append(
            pd.DataFrame(
                {"instance": range(80), "true": truth, "algorithm": name, "score": score}
            ).assign(predicted=(score >= 0.5).astype(int))
        )
    rows[0].loc[rng.random(80) >= share, "score"] = np.nan
    return pd.concat(rows)


@pytest.mark.parametrize("share", [0, 0.3, 0.95, 1])
@pytest.mark.parametrize("measure", ["error", "accuracy", "f", "mcc"])
def test_measures_of_labels_need_no_scores(rng, measure, share):
    table = partly_scored(rng, share)
    found = analyse(results_of(table), Settings(measure=measure))
    of_labels = analyse(results_of(table.drop(columns="score")), Settings(measure=measure))

    assert (found.n_cases, found.cases.left_out) == (80, 0)
    (test,), (expected,) = found.tests.values(), of_labels.tests.values()
    assert test.pvalue == pytest.approx(expected.pvalue, rel=1e-12)
    assert (test.low, test.high) == pytest.approx((expected.low, expected.high))
    frame = found.results.frame.set_index("algorithm")[measure]
    assert found.values.to_dict() == pytest.approx(frame.to_dict())
    n_scored = 80 - int(table["score"].isna().sum())
    said = [note["n"] for note in found.notes if note.code == "cases without scores"]
    assert said == ([80 - n_scored] if 0 < n_scored < 80 else [])


@pytest.mark.parametrize("measure", ["auc", "brier"])
def test_measures_of_scores_leave_out_the_instances_without_a_score(rng, measure):
    table = partly_scored(rng, 0.6)
    found = analyse(results_of(table), Settings(measure=measure))
    missing = set(table.loc[table["score"].isna(), "instance"])
    rest = table[~table["instance"].isin(missing)]
    expected = analyse(results_of(rest), Settings(measure=measure))

    assert found.n_cases == 80 - len(missing)
    assert found.tests["a", "b"].pvalue == pytest.approx(expected.tests["a", "b"].pvalue)
    (note,) = (note for note in found.notes if note.code == "cases left out")
    assert str(note) == (
        f"{len(missing)} instances without a score of every algorithm are left out."
    )
    of_errors = analyse(results_of(table), Settings(measure="error"))
    assert len(of_errors.scored.cases) == found.n_cases
    assert of_errors.losses()["p"].notna().all()


@pytest.mark.parametrize("kind", ["answers", "scores", "benchmarks"])
def test_identical_answers_are_not_tested(kind):
    rng = np.random.default_rng(2)
    table = pd.DataFrame({"question_id": range(40), "value": rng.integers(0, 2, 40)})
    if kind == "scores":
        table["value"] = rng.random(40)
    if kind == "benchmarks":
        table["benchmark"] = np.arange(40) % 2
    table = pd.concat([table.assign(model=model) for model in "ab"])
    name = "score" if kind == "scores" else "correct"
    mapping = Mapping(directions={"score": "higher"} if kind == "scores" else {})
    text = table.rename(columns={"value": name}).to_csv(index=False).encode()
    found = analyse(read_results(("t.csv", text), mapping=mapping))

    said = verdict(found)
    assert said.headline.startswith("a and b have the same ")
    assert said.headline.endswith("on all 40 instances, so no test is possible.")
    assert "p >" not in said.sentences
    assert (decide(found).badge, found.pairs.frame["p"].tolist()) == (NOT_SEPARATED, [1.0])
    assert "so no test was possible" in paper_sentence(found)
