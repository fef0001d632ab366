"""Trained models on the cases of one test set: Cochran's Q and McNemar, by hand and in words."""

from dataclasses import replace

import pandas as pd
import pytest
from scipy import stats

from stats_core.comparison.analyse import analyse
from stats_core.comparison.decide import NO_PAIR
from stats_core.comparison.kinds.cases import can_test_cases, compare_cases, compare_pair_on_cases
from stats_core.comparison.verdict import verdict
from stats_core.core.errors import DesignError
from stats_core.data.results import Results
from stats_core.data.settings import Settings
from stats_core.inference.paired import cochran_q
from stats_core.papers.methods_text import methods_paragraph
from stats_core.papers.report_tables import report_tables
from stats_core.papers.to_latex import to_latex
from tests.papers.report_cases import predictions


@pytest.fixture
def three():
    """b errs on ten cases on which a does not, c on these and one more."""
    return predictions(a=range(2), b=range(12), c=range(1, 14))


def test_two_are_mcnemars_test_of_the_cases_on_which_they_disagree(three):
    found = compare_pair_on_cases(
        three, Settings(measure="error", dataset="d", pair=("b", "a"), correction="holm")
    )
    (row,) = found.details().to_dict("records")

    assert (row["first"], row["second"], row["only first"], row["only second"]) == ("a", "b", 10, 0)
    assert row["p adjusted"] == pytest.approx(2 * 0.5**10)  # ten disagreements, all one way
    said = verdict(found)
    assert said.badge == "Decided"
    assert said.headline == "This trained a errs less than this trained b on d."
    assert "Error 0.0500 against 0.3000: difference −0.2500" in said.detail
    assert "a alone is right on 10 cases, b alone on 0 (McNemar, exact, p 0.002, 40 cases)" in (
        said.detail
    )
    assert "not of the learning algorithms" in str(said.notes[0])


def test_several_are_cochrans_q_then_mcnemar_with_the_correction(three):
    found = analyse(three, Settings(measure="error", correction="bonferroni"))

    assert found.cochran.statistic == pytest.approx(cochran_q(found.correct).statistic)
    alone = {("a", "b"): (10, 0), ("a", "c"): (12, 1), ("b", "c"): (2, 1)}  # by hand
    for row in found.details().to_dict("records"):
        b, c = alone[row["first"], row["second"]]
        assert (row["only first"], row["only second"]) == (b, c)
        p = stats.binomtest(b, b + c).pvalue
        assert row["p adjusted"] == pytest.approx(min(1, 3 * p))
        assert row["estimate"] == pytest.approx((b - c) / 40)
        assert row["low"] < row["estimate"] < row["high"]
    said = verdict(found)
    assert said.headline == "a leads 3 trained models on d."
    assert "2 of 3 pairs differ (Cochran's Q p <0.001, then Bonferroni on McNemar)" in said.detail


def test_what_is_not_shown_is_not_said():
    alike = analyse(predictions(a=[0], b=[1], c=[2]))
    two = analyse(predictions(a=[0], b=[1]))
    close = predictions(a=range(3), b=range(3), c=range(7))
    unsure = analyse(close, Settings(correction="bonferroni", alpha=0.05))

    assert verdict(alike).badge == verdict(two).badge == "Not separated"
    assert "not evidence that they are equal" in verdict(alike).detail
    assert unsure.cochran.pvalue < 0.05 < unsure.pairs()["p adjusted"].min()
    assert verdict(unsure).badge == NO_PAIR


def test_cases_need_names_one_test_set_and_a_measure_that_counts_them(three):
    plain = analyse(three, Settings(measure="error"))
    folds = pd.DataFrame({"algorithm": list("ab"), "error": [0.1, 0.2]})

    assert can_test_cases(three, "d")
    by_f = {"results": plain.results, "settings": replace(plain.settings, measure="f")}
    assert compare_cases(by_f) is None
    unnamed = {"results": Results.from_frame(folds), "settings": plain.settings}
    assert compare_cases(unnamed) is None
    settings = Settings(measure="f", dataset="d", pair=("a", "b"))
    with pytest.raises(DesignError, match="The measure is f"):
        compare_pair_on_cases(three, settings)


def test_the_report_says_what_was_tested_on_the_cases(three):
    for settings in (Settings(), Settings(pair=("a", "b"))):
        analysis = analyse(three, settings)
        said = methods_paragraph(analysis)
        tables = {table.name: table for table in report_tables(analysis)}

        assert "Nothing was tested" not in said
        assert "one number for each algorithm" not in said
        assert "by the exact version of McNemar's test [@mcnemar1947; @dietterich1998]" in said
        assert ("Cochran's Q [@cochran1950]" in said) == (len(analysis.adjusted) > 2)
        assert list(tables["pairs"].frame["p adjusted"]) == list(analysis.pairs()["p adjusted"])
        assert len(tables["pairs"].frame) == len(analysis.tests)
        assert to_latex(analysis).results.count("McNemar") >= 2
