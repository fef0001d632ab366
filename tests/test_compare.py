"""Tests of `foldwise.compare`: what users pass, what they get, and what errors tell them to pass."""

import io
import json
import re
import sys
from contextlib import redirect_stderr
from html import escape

import numpy as np
import pandas as pd
import plotly.graph_objects as go
import pyarrow as pa
import pytest
from scipy import stats
from sklearn.dummy import DummyClassifier
from sklearn.model_selection import KFold, cross_validate

import foldwise as fw
from foldwise.figures import registry
from stats_core.core.errors import FoldwiseError, SettingError

NAMES = ["nb", "rf", "svm"]
SCORES = pd.DataFrame(
    np.random.default_rng(0).normal([0.80, 0.82, 0.85], 0.02, (12, 3)).round(3),
    columns=NAMES,
    index=[f"set{i}" for i in range(12)],
)
LONG = (
    SCORES.rename_axis("dataset")
    .reset_index()
    .melt("dataset", var_name="model", value_name="accuracy")
)
FOLDS = {
    name: {
        "fit_time": np.arange(1.0, 6),
        "test_score": 0.7 + 0.05 * i + 0.01 * np.array([1, 3, 2, 5, 4]),
    }
    for i, name in enumerate(NAMES)
}
for name, steps in {"nb": [0, 1, 3, 0, 2], "rf": [1, 0, 0, 2, 0]}.items():
    FOLDS[name]["test_score"] += 0.01 * np.array(steps)


@pytest.fixture(scope="module")
def shown():
    return fw.compare(SCORES, measure="accuracy")


def test_natural_calls_give_the_same_comparison(tmp_path, shown):
    path = tmp_path / "accuracy.csv"
    SCORES.to_csv(path, index_label="dataset")
    expected = shown.pairs
    for data, options in [
        (SCORES.rename_axis(columns="accuracy"), {}),
        (LONG, {}),
        (LONG.sample(frac=1, random_state=1), {"measure": "acc"}),
        (pa.Table.from_pandas(LONG), {}),
        (SCORES.reset_index(names="dataset").to_dict("list"), {"measure": "accuracy"}),
        (SCORES.to_numpy(), {"algorithms": NAMES, "measure": "accuracy", "rows": "data sets"}),
        (SCORES.reset_index(drop=True), {"measure": "accuracy", "rows": "data sets"}),
        (path, {}),
        ([str(path)], {"measure": "accuracy", "higher_is_better": True}),
        (shown.results, {}),
    ]:
        pd.testing.assert_frame_equal(fw.compare(data, **options).pairs, expected)
    row = expected.iloc[0]
    assert row.p == pytest.approx(
        stats.wilcoxon(SCORES[row["first"]], SCORES[row["second"]]).pvalue
    )


def test_frames_of_polars_are_read():
    polars = pytest.importorskip("polars")
    assert fw.compare(polars.DataFrame(LONG.to_dict("list"))).groups == (("svm",), ("rf",), ("nb",))


def test_results_of_cross_validate_are_read_by_algorithm_and_by_data_set():
    folds = fw.compare(FOLDS, measure="accuracy")
    assert (folds.comparison.kind, folds.comparison.measure_name, folds.ranks) == (
        "folds",
        "accuracy",
        None,
    )
    x, y = (FOLDS[name]["test_score"] for name in ("svm", "nb"))
    own = fw.corrected_t(x, y, test_fraction=0.2)
    pairs = folds.pairs.set_index(["first", "second"])
    assert pairs.loc[("svm", "nb"), "p"] == pytest.approx(own.pvalue)

    nested = {
        f"set{i}": {name: {"test_score": cv["test_score"] + i / 100} for name, cv in FOLDS.items()}
        for i in range(7)
    }
    over = fw.compare(nested, measure="accuracy")
    assert (over.comparison.kind, over.comparison.counted.n, over.comparison.order) == (
        "ranks",
        7,
        ["svm", "rf", "nb"],
    )
    grid = {
        "params": [{"C": 1}, {"C": 9}],
        **{f"split{i}_test_score": [0.7 + i / 10, 0.8] for i in range(3)},
    }
    assert len(fw.compare(grid, measure="accuracy").pairs) == 1


def test_series_of_a_dict_are_paired_by_label():
    shuffled = SCORES.sample(frac=1, random_state=3)
    mixed = {"nb": SCORES["nb"], "rf": shuffled["rf"], "svm": SCORES["svm"][::-1]}
    expected = fw.compare(SCORES, measure="accuracy").pairs
    pd.testing.assert_frame_equal(fw.compare(mixed, measure="accuracy").pairs, expected)
    folds = {
        name: {"test_accuracy": pd.Series(cv["test_score"], list("abcde")[: len(cv["test_score"])])}
        for name, cv in FOLDS.items()
    }
    turned = {
        name: {key: series[::-1] if name == "rf" else series for key, series in cv.items()}
        for name, cv in folds.items()
    }
    pd.testing.assert_frame_equal(fw.compare(turned).pairs, fw.compare(folds).pairs)
    with pytest.raises(FoldwiseError, match="share only 11 of 13"):
        fw.compare(mixed | {"rf": SCORES["rf"].rename({SCORES.index[0]: "x"})}, measure="accuracy")


def _cross_validated(cv, **options):
    """Return what `cross_validate` of scikit-learn returns."""
    data = np.arange(40.0)[:, None], np.arange(40) % 2
    return cross_validate(DummyClassifier(), *data, cv=cv, **options)


def test_folds_of_other_schemes_are_not_paired():
    five, ten = _cross_validated(5), _cross_validated(10)
    for missing in ("raise", "present", "drop folds"):
        with pytest.raises(FoldwiseError, match='"rf" has 5 folds, but "svm" has 10') as caught:
            fw.compare({"rf": five, "svm": ten}, measure="accuracy", missing=missing)
        assert "missing=" not in str(caught.value)
    with pytest.raises(FoldwiseError, match='"rf" has 5 folds, but "svm" has 10'):
        fw.compare({"iris": {"rf": five, "svm": ten}}, measure="accuracy")
    first, same, other = (
        _cross_validated(KFold(10, shuffle=True, random_state=seed), return_indices=True)
        for seed in (0, 0, 1)
    )
    with pytest.raises(FoldwiseError, match='Fold 1 of "svm" has other test instances than'):
        fw.compare({"rf": first, "svm": other}, measure="accuracy")
    assert fw.compare({"rf": first, "svm": same}, measure="accuracy").comparison.counted.n == 10
    sizes = pd.DataFrame(
        {"algorithm": ["rf"] * 5 + ["svm"] * 10, "fold": [*range(5), *range(10)], "accuracy": 0.9}
    ).assign(n_train=36, n_test=[8] * 5 + [4] * 10)
    with pytest.raises(FoldwiseError, match="has 8 and 4 test instances"):
        fw.compare(sizes, missing="present")


@pytest.mark.parametrize("open_file", [io.StringIO, lambda text: io.BytesIO(text.encode())])
@pytest.mark.parametrize("said", [{"measure": "accuracy"}, {"measure": "x", "rows": "data sets"}])
def test_an_open_file_is_read_with_any_argument(open_file, said):
    said = {**said, "higher_is_better": True}
    found = fw.compare(open_file(SCORES.to_csv()), **said)
    assert found.pairs.equals(fw.compare(SCORES, **said).pairs)


def test_a_wrong_type_is_named_once():
    with pytest.raises(SettingError, match="must have the type bool, but has the type str"):
        fw.compare(SCORES, measure="score", higher_is_better="yes")


def test_arguments_settle_measure_direction_and_rows():
    unnamed = LONG.rename(columns={"accuracy": "foo"})
    assert fw.compare(unnamed, higher_is_better=True).comparison.order == ["svm", "rf", "nb"]
    assert fw.compare(unnamed, measure="foo", higher_is_better=False).comparison.order == [
        "nb",
        "rf",
        "svm",
    ]
    two = unnamed.assign(accuracy=LONG["accuracy"])
    assert fw.compare(two, measure="accuracy").comparison.measure_name == "accuracy"
    for rows, counted in [
        ("folds", "12 folds"),
        ("items", "12 instances"),
        ("data sets", "12 data sets"),
    ]:
        assert str(fw.compare(SCORES, measure="accuracy", rows=rows).comparison.counted) == counted
    assert (
        fw.compare(MANY, measure="accuracy", rows="data sets").comparison.guarantee.comparisons
        == 190
    )
    against = fw.compare(SCORES, measure="accuracy", control="rf", correction="finner", alpha=0.1)
    assert (len(against.pairs), against.groups, against.comparison.settings.alpha) == (2, (), 0.1)
    holes = SCORES.mask(SCORES == SCORES.iloc[0, 0])
    assert (
        fw.compare(holes, measure="accuracy", missing="drop data sets").comparison.counted.n == 11
    )


ARRAY = SCORES.to_numpy()
MANY = pd.DataFrame(np.random.default_rng(1).random((9, 20)), index=list("abcdefghi")).add_prefix(
    "model "
)
HOLES = SCORES.mask(SCORES == SCORES.iloc[0, 0])
WRONG = [
    (SCORES, {}, 'Pass the name as `measure`, for example `measure="accuracy"`'),
    (SCORES.rename_axis(columns="model"), {}, "Pass the name as `measure`"),
    (SCORES, {"measure": "score"}, "Pass `higher_is_better=True` or `higher_is_better=False`"),
    (
        SCORES,
        {"measure": "accuracy", "higher_is_better": False},
        "higher values are better by definition",
    ),
    (SCORES, {"measure": 5}, "`measure` must have the type str"),
    (LONG.rename(columns={"accuracy": "foo"}), {}, "Pass `higher_is_better=True`"),
    (LONG.assign(f1=0.5), {"measure": "auc"}, "Choose one of accuracy"),
    (
        fw.read_results("sample_results/demsar_2006_auc.csv"),
        {"higher_is_better": False},
        "Omit `higher_is_better`",
    ),
    (SCORES.reset_index(drop=True), {"measure": "accuracy"}, 'Pass `rows="folds"`'),
    (ARRAY, {}, "Pass them by column"),
    (ARRAY, {"algorithms": ["a", "b"]}, r"has shape \(12, 3\)"),
    (
        ARRAY,
        {"algorithms": NAMES, "measure": "accuracy", "rows": "cells"},
        "`rows` must be one of folds",
    ),
    (LONG, {"algorithms": NAMES}, "Omit `algorithms`"),
    (LONG, {"alpha": 5}, "`alpha` must lie strictly between 0 and 1"),
    (LONG, {"correction": "bonferoni"}, "`correction` must be one of bergmann_hommel"),
    (LONG, {"control": "zz"}, 'The control "zz" is not one of the algorithms'),
    (LONG, {"missing": "drop"}, "`missing` must be one of raise, drop data sets"),
    (HOLES, {"measure": "accuracy"}, 'Pass `missing="drop data sets"`'),
    (None, {}, "Pass a path, a data frame or a dict"),
    ([1, 2], {}, "Pass a path, a data frame or a dict"),
    ({"alpha": 0.05}, {}, "Put the results into a data frame"),
    ("nowhere.csv", {}, "Check the path"),
    (
        SCORES[["nb"]],
        {"measure": "accuracy"},
        r"Pass `roles`, or other fields as `mapping=Mapping\(...\)`",
    ),
]


@pytest.mark.parametrize(
    ("data", "options", "message"), WRONG, ids=[message[:30] for _, _, message in WRONG]
)
def test_a_wrong_argument_is_answered_in_one_line(data, options, message):
    with (
        redirect_stderr(io.StringIO()) as stderr,
        pytest.raises(FoldwiseError, match=message) as caught,
    ):
        fw.compare(data, **options)
    assert not re.search(r"\n|below|mistake of ours", str(caught.value))
    assert stderr.getvalue() == ""


@pytest.mark.parametrize(
    "function",
    [
        "analyse",
        "verdict",
        "to_text",
        "to_json",
        "to_html",
        "to_latex",
        "to_script",
        "drawings",
        "order_of",
    ],
)
def test_other_functions_name_what_they_take(function):
    with pytest.raises(
        FoldwiseError, match="must have the type .* but has the type DataFrame. Use `"
    ):
        getattr(fw, function)(SCORES)


def test_a_comparison_prints_three_lines_and_shows_itself(shown):
    assert str(shown).splitlines() == [
        "svm is significantly better than rf and nb in accuracy over 12 data sets.",
        "Wilcoxon signed-rank tests with Bergmann-Hommel adjustment over 12 data sets, α = 0.05.",
        "Groups without significant differences: {svm}, {rf}, {nb}.",
    ]
    assert len(repr(shown.comparison).splitlines()) == 3
    assert len(repr(fw.compare(FOLDS, measure="accuracy").comparison)) < 300
    page = shown._repr_html_()
    assert shown.verdict.headline in page
    assert page.count("<svg") == 1
    assert "@font-face" not in page
    assert (
        "<b>x"
        not in fw.compare(SCORES.rename(columns={"nb": "<b>x"}), measure="accuracy")._repr_html_()
    )


def test_notes_on_the_file_are_shown_everywhere():
    items = pd.DataFrame({"item": [*range(40)] * 2, "model": ["A"] * 40 + ["B"] * 40})
    items["correct"] = np.random.default_rng(0).integers(0, 2, 80)
    items["colour"] = [f"{i % 5}" for i in range(40)] * 2
    shown = fw.compare(items)
    notes = [str(note) for note in shown.results.notes if "colour" in str(note)]
    assert notes
    for note in notes:
        assert note in [str(each) for each in shown.verdict.notes]
        assert note in shown.summary()
        assert f"Note: {note}" in str(shown).splitlines()[3:]
        assert escape(note) in shown._repr_html_()


def test_tables_are_those_of_the_comparison(shown):
    assert list(shown.pairs)[:9] == [
        *("first", "second", "estimate", "ci_low", "ci_high"),
        *("statistic", "p", "p_adjusted", "significant"),
    ]
    frame = shown.to_frame()
    assert list(frame.index) == ["svm", "rf", "nb"]
    assert frame["average rank"].to_dict() == pytest.approx((-SCORES).rank(axis=1).mean().to_dict())
    assert frame["mean accuracy"]["nb"] == pytest.approx(SCORES["nb"].mean())
    assert frame["groups"].tolist() == ["a", "b", "c"]
    assert shown.ranks.index[0] == "svm"
    assert r"\begin{tabular}" in shown.to_latex()
    assert shown.summary().startswith("12 data sets, 3 algorithms")


def test_each_figure_is_drawn_by_its_method(shown):
    for display in (shown, fw.compare("sample_results/two_models.csv")):
        for name in display.plot.names:
            assert isinstance(getattr(display.plot, name)(dark=True), go.Figure), name
    assert shown.plot.names == ["cd", "best", "pairs", "intervals", "rank_map"]
    assert shown.plot() == shown.plot.cd() == shown.plot("cd")
    with pytest.raises(
        FoldwiseError,
        match='no figure "roc". Choose one of cd, best, pairs, intervals and rank_map',
    ):
        shown.plot.roc()
    with pytest.raises(FoldwiseError, match="no figures because it has no test"):
        fw.compare(LONG[LONG["model"] == "nb"]).plot()


def test_figures_of_scores_are_computed_once(monkeypatch):
    display, calls = fw.compare("sample_results/two_models.csv"), []
    monkeypatch.setattr(
        registry,
        "named_drawings",
        lambda *a, d=registry.named_drawings, **k: calls.append(k) or d(*a, **k),
    )
    first = display.plot.spec("roc")
    display.plot.specs(curves=True).clear()  # a copy
    assert display.plot.spec("roc") is first
    assert {"roc", "agreement"} < set(display.plot.names)
    assert len(calls) == 2  # with and without curves


def test_figures_and_reports_are_saved_without_a_browser(shown, tmp_path):
    for name, start in [
        ("cd.pdf", b"%PDF"),
        ("cd.svg", b"<?xml"),
        ("cd.png", b"\x89PNG"),
        ("cd.tex", b"%"),
    ]:
        assert shown.save(tmp_path / "figures" / name).read_bytes().startswith(start)
    assert (
        shown.save(tmp_path / "pairs.svg", width=7).read_bytes()
        != shown.save(tmp_path / "first.svg", width=7).read_bytes()
    )
    assert (
        shown.save(tmp_path / "any.svg", "pairs", width=7).read_bytes()
        == (tmp_path / "pairs.svg").read_bytes()
    )
    for name, message in [
        ("cd.jpg", "ends in .pdf, .svg, .png, .html or .tex"),
        ("roc.pdf", "no figure"),
        ("any.svg/x.pdf", "cannot be written"),
    ]:
        with pytest.raises(FoldwiseError, match=message):
            shown.save(tmp_path / name)
    page = shown.report(tmp_path / "report")
    assert page.name == "report.html"
    assert json.loads((page.parent / "analysis.json").read_text())["analysis"]["kind"] == "ranks"
    assert (page.parent / "figures" / "ranks_accuracy.pdf").exists()
    assert "kaleido" not in sys.modules


def test_a_diagram_is_drawn_from_plain_numbers():
    pvalues = [[1, 0.3, 0.01], [0.3, 1, 0.04], [0.01, 0.04, 1]]
    ranks = {"rf": 1.2, "svm": 1.9, "knn": 2.9}
    expected = fw.cd_diagram(
        pd.Series(ranks), groups=[("rf", "svm"), ("knn",)], pvalues=pvalues, alpha=0.05
    )
    assert fw.cd_diagram(ranks, pvalues) == expected
    turned = pd.DataFrame(pvalues, list(ranks), list(ranks)).iloc[::-1, ::-1]
    assert fw.cd_diagram(ranks, turned) == fw.cd_diagram(
        ranks, turned, groups=[("rf", "svm"), ("knn",)], alpha=0.05
    )
    for wrong, message in [
        ((ranks,), "Pass `pvalues`"),
        ((ranks, np.eye(2)), "must name the 2 algorithms"),
    ]:
        with pytest.raises(FoldwiseError, match=message):
            fw.cd_diagram(*wrong)
