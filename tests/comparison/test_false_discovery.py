"""Tests of comparisons by Benjamini-Hochberg: what alpha controls, in values and in texts."""

import numpy as np
import pandas as pd
import pytest

from stats_core.comparison.analyse import analyse
from stats_core.comparison.decide import DECIDED, LIMITED
from stats_core.core.errors import SettingError
from stats_core.data.results import Results
from stats_core.data.settings import TUKEY, Settings
from stats_core.inference.pairwise import smallest_control_pvalue, smallest_pvalue
from stats_core.ordering.order import OrderRules, order_of
from stats_core.report.analysis_steps import describe_steps
from stats_core.report.methods_text import methods_paragraph
from stats_core.report.verdict import verdict
from tests.report.report_cases import predictions
from tests.samples import shipped

FDR, BH = "false discovery rate", "benjamini_hochberg"
ITEMS = {"a": range(2), "b": range(12), "c": range(1, 14)}  # wrong instances


def comparison_of(name):
    uci = shipped("uci38_5x2.csv")
    if name == "instances":
        return analyse(predictions(**ITEMS), Settings(correction=BH))
    if name == "control of instances":
        return analyse(predictions(**ITEMS), Settings(correction=BH, control="a"))
    options = {
        "data sets": {},
        "control": {"control": "C4.5"},
        "one data set": {"dataset": "nursery"},
    }
    return analyse(uci, Settings(correction=BH, **options[name]))


@pytest.mark.parametrize(
    "name", ["data sets", "control", "one data set", "instances", "control of instances"]
)
def test_every_text_names_the_error_rate_that_alpha_controls(name):
    found = comparison_of(name)
    words, methods = verdict(found), methods_paragraph(found)

    assert (found.guarantee.bounds, words.badge) == (FDR, DECIDED)
    assert found.test_name.endswith(f"Benjamini-Hochberg adjustment for the {FDR}")
    assert (
        f"Benjamini and Hochberg's procedure [@benjamini1995; @benjamini2001], which controls the {FDR}"
        in methods
    )
    said = " ".join(
        [words.sentences, methods, *(f"{step.test} {step.why}" for step in describe_steps(found))]
    )
    assert "expected proportion of false differences among the significant ones is at most 5%" in (
        words.sentences
    )
    assert "family-wise" not in said
    assert not any(
        BH == settings.correction and "correction" in label
        for label, settings in found.alternatives()
    )


def test_intervals_of_significant_pairs_have_a_false_coverage_rate_of_alpha():
    """Expected: significant pairs at alpha R / m (Benjamini and Yekutieli 2005), so they exclude 0 exactly then."""
    found = comparison_of("one data set")
    pairs = found.pairs.frame
    excludes = (pairs["low"] > 0) | (pairs["high"] < 0)
    assert 0 < excludes.sum() < len(pairs)
    assert excludes.tolist() == pairs["separated"].tolist()


def test_average_ranks_and_tukey_do_not_control_the_false_discovery_rate():
    uci = shipped("uci38_5x2.csv")
    by_ranks = analyse(uci, Settings(correction=BH, source="ranks"))
    assert (by_ranks.guarantee.bounds, verdict(by_ranks).badge) == ("global null", LIMITED)
    assert "only if no algorithms differ (weak control" in methods_paragraph(by_ranks)
    assert (
        analyse(uci, Settings(correction=BH, dataset="nursery", test=TUKEY)).guarantee.bounds
        == "nothing"
    )


def test_the_default_controls_the_family_wise_error_rate_and_does_not_vary_it():
    found = analyse(shipped("uci38_5x2.csv"), Settings())
    assert found.guarantee.bounds == "family"
    assert BH not in {settings.correction for _, settings in found.alternatives()}


@pytest.mark.parametrize(("correction", "factor"), [(BH, 1), ("hochberg", 1), ("holm", 28)])
def test_all_pairs_can_reach_their_unadjusted_p_value(correction, factor):
    """If each algorithm is better than the next on all ten data sets, all 28 pairs have p = 2 / 2^10."""
    scores = np.add.outer(np.linspace(0, 1e-3, 10), np.arange(8.0))
    settings = Settings(source="wilcoxon", correction=correction)
    assert smallest_pvalue(8, 10, settings) == pytest.approx(factor * 2.0**-9)
    assert (
        smallest_control_pvalue(8, 10, Settings(source="wilcoxon", correction=BH, control="a"))
        == 2.0**-9
    )
    table = pd.DataFrame(scores, columns=list("abcdefgh")).rename_axis("dataset").reset_index()
    long = table.melt("dataset", var_name="algorithm", value_name="error")
    adjusted = analyse(Results.from_frame(long, directions={"error": "lower"}), settings).adjusted
    assert adjusted.to_numpy()[np.triu_indices(8, 1)] == pytest.approx(factor * 2.0**-9)


def test_an_order_is_not_adjusted_for_the_false_discovery_rate():
    with pytest.raises(SettingError, match="`post_hoc` must be one of"):
        order_of(shipped("uci38_5x2.csv"), rules=OrderRules(post_hoc=BH))
