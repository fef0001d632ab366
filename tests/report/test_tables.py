"""Tests of headings and formats of columns, which columns.toml defines, and of names, which stay unchanged."""

from functools import partial

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from stats_core.comparison.analyse import analyse
from stats_core.core.formatting import ABOVE_ZERO, format_number
from stats_core.core.messages import read_texts
from stats_core.data.settings import Settings
from stats_core.io.read import read_results
from stats_core.report.analysis_steps import variance_factor
from stats_core.report.report_content import build_report
from stats_core.report.tables.instance_tables import both_forms
from stats_core.report.tables.table import _FORMS, best_and_second, df_text, make_table
from stats_core.report.tables.table_registry import tables_of
from tests.report.report_cases import KINDS, case, tables_in


def table(**columns):
    return make_table("by_measure", pd.DataFrame(columns), case("pair on folds")[0])


def test_columns_have_the_heads_and_forms_of_their_keys():
    shown = table(
        **{
            "low": [-0.5],
            "high": [-ABOVE_ZERO],
            "p adjusted": [0.00002],
            "p raw": [0.0321],
            "T2": [7.126],
        }
    )

    assert list(shown.frame) == [
        "95% CI lower limit",
        "95% CI upper limit",
        "adjusted p",
        "unadjusted p",
        "T²",
    ]
    assert shown.texts.iloc[0].tolist() == ["−0.50", "< 0", "< 0.001", "0.032", "7.13"]
    assert shown.frame.index.name == "no."


def test_heads_of_intervals_have_the_level_of_the_table():
    frame = pd.DataFrame({"low": [0.1], "high": [np.inf]})
    shown = make_table("delong", frame, alpha=0.01, pairs=1, training="fold 1", dataset="d")

    assert list(shown.frame) == ["99% CI lower limit", "99% CI upper limit"]
    assert shown.texts.iloc[0, 1] == "∞"


def test_all_statistics_of_a_column_have_as_many_decimals():
    assert table(statistic=[47.0, 23.0]).texts["test statistic"].tolist() == ["47", "23"]
    assert table(statistic=[47.0, 2.34567]).texts["test statistic"].tolist() == ["47.000", "2.346"]


def test_names_of_the_data_stay_as_they_are():
    frame = pd.DataFrame({"low": [0.25], "p": [0.5]}, index=["d"])
    own = dict.fromkeys(frame, partial(format_number, digits=3))
    shown = make_table(
        "contrasts", frame, case("ranks")[0], index="algorithm", own=own, bold={"p": [True]}
    )

    assert shown.texts.loc["d"].to_dict() == {"low": "0.250", "p": "0.500"}
    assert shown.best == {"d": (["p"], [])}


def test_every_form_is_known():
    columns = read_texts("report/tables/columns.toml")

    assert {form for _, *forms in columns.values() for form in forms} <= set(_FORMS)
    assert not any(head != head.strip() for head, *_ in columns.values())


@pytest.mark.parametrize("kind", KINDS)
def test_no_two_heads_of_a_table_are_the_same(kind):
    for shown in tables_of(case(kind)[0]):
        assert shown.frame.columns.is_unique, shown.name
        assert "  " not in shown.caption + shown.title
        assert shown.caption.endswith(".")


def test_the_main_table_of_a_report_comes_first():
    assert [found.name for found in tables_in(build_report(case("ranks")[0]))[:2]] == [
        "pairs",
        "scores",
    ]
    assert tables_in(build_report(case("two")[0]))[0].name == "tests"


def test_instances_are_counted_by_who_is_right():
    analysis = case("cases of two")[0]  # of 40, a errs on the first two and b on the first twelve

    assert analysis.agreement("b", "a").to_list() == [28, 0, 10, 2]  # both, only b, only a, neither
    exact, approximate = both_forms(analysis).frame["p"]
    assert exact == pytest.approx(stats.binomtest(0, 10).pvalue)
    assert approximate == pytest.approx(stats.chi2.sf((10 - 1) ** 2 / 10, 1))


def test_the_variance_of_overlapping_folds_is_larger():
    analysis = case("folds, order")[0]  # 10 x 10 folds: 1 + 100 (1/9)

    assert variance_factor(analysis) == pytest.approx(1 + 100 / 9)
    assert (
        variance_factor(analyse(analysis.results, Settings(dataset="pima", test="Wilcoxon"))) == 1
    )


def test_degrees_of_freedom_are_one_text():
    assert [df_text(df) for df in (None, 9, 2.5, (3, 87.0))] == ["", "9", "2.5", "3, 87"]


def test_a_count_of_the_exact_mcnemar_test_is_whole_beside_a_chi_square():
    """The exact test counts the 4 instances that only the worse model answers correctly; the chi-square has decimals."""
    marks = [(1, 1)] * 50 + [(1, 0)] * 9 + [(0, 1)] * 4 + [(0, 0)] * 17
    text = "item,a,b\n" + "".join(f"{i},{a},{b}\n" for i, (a, b) in enumerate(marks))
    table = both_forms(analyse(read_results(("d.csv", text.encode()))))

    assert table.texts["test statistic"].tolist() == ["4", "1.231"]  # (|9 - 4| - 1)^2 / 13


def test_the_best_two_of_each_row_share_marks_with_ties_and_missing_values_have_none():
    scores = pd.DataFrame(
        [[0.9, 0.9, 0.5], [0.3, 0.2, np.nan], [0.4, 0.4, 0.4], [np.nan] * 3],
        list("uvwx"),
        list("abc"),
    )

    assert best_and_second(scores, True) == {"u": (["a", "b"], ["c"]), "v": (["a"], [])}
    by_column = best_and_second(scores, {"a": True, "b": False, "c": True}, by_column=True)
    assert by_column == {"u": (["a", "c"], []), "w": ([], ["a", "b"]), "v": (["b"], [])}
