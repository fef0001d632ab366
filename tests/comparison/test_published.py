"""Tests of analyses of published average ranks, wins and decisions."""

import numpy as np
import pandas as pd
import pytest

from stats_core.comparison.analyse import analyse
from stats_core.core.errors import DataError, DesignError, SettingError
from stats_core.data.settings import Settings
from stats_core.inference.paired import sign_test
from stats_core.inference.ranks import (
    friedman,
    friedman_of_ranks,
    iman_davenport,
    iman_davenport_of_ranks,
)
from stats_core.io.mapping import Mapping
from stats_core.io.read import read_results
from stats_core.ordering.order import order_of
from stats_core.report.verdict import verdict
from tests.samples import shipped

# Garcia and Herrera, JMLR 9 (2008), Table 2: average ranks over 30 data sets
GARCIA = (
    "algorithm,average rank\nC4.5,2.100\n1-NN,3.250\nNaiveBayes,2.200\nKernel,4.333\nCN2,3.117\n"
)
# Demsar, JMLR 7 (2006), Table 6: over 14 data sets
DEMSAR = "algorithm,average rank\nC4.5,3.143\nC4.5+m,2.000\nC4.5+cf,2.893\nC4.5+m+cf,1.964\n"
ONES = "row beats column,svm,rf,nb\nsvm,0,0,1\nrf,0,0,1\nnb,0,0,0\n"


def published(text, settings=None, **said):
    """Return the comparison of a published table, given as CSV text."""
    results = read_results(("t.csv", text.encode()), mapping=Mapping(**said))
    return analyse(results, settings)


@pytest.mark.parametrize("correction", ["bergmann_hommel", "shaffer", "holm", "nemenyi"])
def test_printed_ranks_decide_as_the_full_table_does(correction):
    settings = Settings(correction=correction, source="ranks")
    full = analyse(shipped("garcia_herrera_2008_accuracy.csv"), settings)
    found = published(GARCIA, settings, n_datasets=30)

    assert found.kind == "published ranks"
    assert found.order == full.order
    assert found.groups == full.groups
    names = list(found.beats)
    pd.testing.assert_frame_equal(found.beats, full.beats.loc[names, names])
    one, other = (c.pairs.frame.set_index(["first", "second"]) for c in (found, full))
    pd.testing.assert_series_equal(one["p adjusted"], other["p adjusted"].loc[one.index], atol=2e-3)
    assert verdict(found).badge == verdict(full).badge


def test_statistics_of_printed_ranks_are_those_of_the_papers():
    found = published(GARCIA, n_datasets=30)  # printed: 39.647 and 14.309
    assert found.friedman.statistic == pytest.approx(39.647, abs=0.02)
    assert found.omnibus.statistic == pytest.approx(14.309, abs=0.01)

    found = published(DEMSAR, Settings(correction="nemenyi", alpha=0.10), n_datasets=14)
    assert found.friedman.statistic == pytest.approx(9.28, abs=0.01)
    assert found.omnibus.statistic == pytest.approx(3.69, abs=0.01)
    assert found.critical_difference == pytest.approx(1.12, abs=0.01)
    apart = {
        frozenset(pair)
        for pair in found.pairs.decisions.query("separated")[["first", "second"]].to_numpy()
    }
    assert apart == {frozenset(("C4.5", "C4.5+m")), frozenset(("C4.5", "C4.5+m+cf"))}


def test_ranks_without_ties_give_the_statistics_of_the_table():
    rng = np.random.default_rng(3)
    scores = pd.DataFrame(rng.random((12, 4)), columns=list("abcd"))
    full, f = (test(scores, higher_is_better=False) for test in (friedman, iman_davenport))
    alone = friedman_of_ranks(full.average_ranks, 12, digits=12)

    assert alone.statistic == pytest.approx(full.statistic)
    assert alone.kendall_w == pytest.approx(full.kendall_w)
    assert iman_davenport_of_ranks(full.average_ranks, 12).pvalue == pytest.approx(f.pvalue)
    same = pd.Series({"a": 1.0, "b": 2.0, "c": 3.0})
    assert iman_davenport_of_ranks(same, 3).pvalue == pytest.approx(1 / 36)


def test_ties_only_make_the_statistic_larger():
    scores = pd.DataFrame({"a": [1, 1, 1, 2], "b": [1, 2, 3, 2], "c": [2, 2, 3, 3]})
    full = friedman(scores, higher_is_better=False)

    assert friedman_of_ranks(full.average_ranks, 4).statistic < full.statistic


def test_ranks_that_do_not_add_up_or_lack_data_sets_are_refused():
    with pytest.raises(DataError, match="The average ranks of 2 algorithms must sum"):
        friedman_of_ranks(pd.Series({"a": 1.2, "b": 1.2}), 5)
    with pytest.raises(DesignError, match="at least 2 data sets"):
        friedman_of_ranks(pd.Series({"a": 1.2, "b": 1.8}), 1)


def test_pairs_that_more_decimals_could_turn_are_named():
    table = "algorithm,average rank\na,1.6\nb,2.0\nc,2.4\n"
    found = published(table, Settings(correction="none"), n_datasets=12)

    assert found.near_by_rounding == ("a and c",)
    assert "near by rounding" in {note.code for note in verdict(found).notes}
    assert not published(GARCIA, n_datasets=30).near_by_rounding


def test_ranks_hold_for_all_that_were_ranked_and_for_no_other_test():
    with pytest.raises(DesignError, match="Include all of these"):
        published(GARCIA, Settings(without_algorithms=("CN2",)), n_datasets=30)
    with pytest.raises(DesignError, match="The Wilcoxon and sign tests need results on"):
        published(GARCIA, Settings(source="wilcoxon"), n_datasets=30)
    with pytest.raises(DesignError, match="An order by cost needs results"):
        order_of(read_results(("t.csv", GARCIA.encode()), mapping=Mapping(n_datasets=30)))


def test_wins_give_the_sign_test_of_each_pair():
    table = "row beats column,svm,rf,nb\nsvm,,9/4/7,17/1/2\nrf,7/4/9,,15/2/3\nnb,2/1/17,3/2/15,\n"
    found = published(table)
    rows = found.pairs.frame.set_index(["first", "second"])

    for (a, b), row in rows.iterrows():
        signs = [1] * row["wins"] + [0] * row["ties"] + [-1] * row["losses"]
        alone = sign_test(signs, [0] * len(signs))
        assert row["p"] == pytest.approx(alone.pvalue), (a, b)
    assert found.correction == "holm"
    assert rows.loc[("svm", "nb"), "p adjusted"] == pytest.approx(3 * rows.loc[("svm", "nb"), "p"])
    assert verdict(found).headline.startswith("svm wins significantly more often than nb (17 to 2)")
    assert found.groups == (("svm", "rf"), ("nb",))
    two = published(table, Settings(pair=("rf", "nb")))
    assert two.guarantee.bounds == "one"


def test_decisions_are_ordered_by_multitest_and_nothing_is_tested():
    found = published(ONES)

    assert found.order == ["svm", "rf", "nb"]
    assert published(ONES, Settings(prior=("nb", "rf", "svm"))).order == ["rf", "svm", "nb"]
    assert found.groups == (("svm", "rf"), ("nb",))
    assert "without a test" in verdict(found).sentences
    assert "order of the table" in verdict(found).sentences
    with pytest.raises(SettingError, match="The order must name every algorithm exactly"):
        published(ONES, Settings(prior=("nb", "rf")))
    left = published(ONES, Settings(without_algorithms=("svm",), prior=("nb", "svm", "rf")))
    assert left.order == ["rf", "nb"]


def test_decisions_without_sides_give_groups_only():
    found = published("differ,a,b,c\na,0,0,1\nb,0,0,0\nc,1,0,0\n")

    assert found.ordering is None
    assert found.groups == (("a", "b"), ("b", "c"))
    assert not found.beats.to_numpy().any()
    assert (
        verdict(found).headline
        == "1 of 3 pairs differs significantly according to the published decisions."
    )
