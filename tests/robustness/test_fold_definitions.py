"""What other programs print for two algorithms on folds, by their own formulas."""

import numpy as np
import pytest
from scipy import stats

from stats_core.comparison.analyse import analyse
from stats_core.data.settings import Settings
from stats_core.robustness.other_definitions import COLUMNS, other_definitions
from tests.breast_cancer_data import runs
from tests.comparison.test_folds import folds
from tests.conftest import load_oracles

PAIR = ("tree", "logreg")


def table_of(scheme, **settings):
    analysis = analyse(folds(scheme), Settings(pair=PAIR, **settings))
    return analysis, other_definitions(analysis)


def rows_of(table, who):
    return table[table["who prints it"].str.contains(who, regex=False)]


@pytest.mark.parametrize("scheme", ["cv10", "rcv10x10", "cv5x2"])
def test_one_row_of_each_question_is_used_and_all_programs_are_named(scheme):
    _, table = table_of(scheme)

    assert list(table) == COLUMNS
    assert (table.groupby("question")["used here"].sum() == 1).all()
    named = " ".join(table["who prints it"])
    for program in ("Weka", "scikit-learn", "baycomp", "correctR", "correctipy", "mlxtend"):
        assert program in named
    assert ("5x2 cv F, tree vs logreg" in set(table["question"])) == (scheme == "cv5x2")


@pytest.mark.parametrize("scheme", ["cv10", "rcv10x10"])
def test_the_programs_print_what_their_code_computes(scheme):
    analysis, table = table_of(scheme)
    d = analysis.differences.to_numpy()
    n, ratio = len(d), analysis.test_fraction / (1 - analysis.test_fraction)
    t = d.mean() / np.sqrt((1 / n + ratio) * d.var(ddof=1))
    # Weka: FProbability(t^2, 1, n - 1); scikit-learn: t.sf(abs(t), n - 1); correctipy: no root
    weka = stats.f.sf(t**2, 1, n - 1)
    example = stats.t.sf(abs(t), n - 1)
    no_root = d.mean() / (d.std(ddof=1) * (1 / n + ratio))

    assert rows_of(table, "Weka")["p"].tolist() == [pytest.approx(weka)]
    assert rows_of(table, "scikit-learn")["p"].iloc[0] == pytest.approx(example)
    assert rows_of(table, "correctipy")[["statistic", "p"]].iloc[0].tolist() == [
        pytest.approx(no_root),
        pytest.approx(stats.t.sf(abs(no_root), n - 1)),
    ]
    plain = stats.ttest_rel(*runs(scheme, "error")[list(PAIR)].T.to_numpy())
    assert rows_of(table, "mlxtend")["p"].iloc[0] == pytest.approx(plain.pvalue)
    conservative = table[table["definition"].str.contains("conservative")]
    assert len(conservative) == (scheme == "rcv10x10")
    for _, row in conservative.iterrows():
        assert row["p"] == pytest.approx(2 * stats.t.sf(abs(t), 9))
        assert row["used here"]


@pytest.mark.parametrize(("scheme", "key"), [("cv10", "cv10"), ("rcv10x10", "10x10cv")])
def test_baycomp_takes_the_share_from_the_number_of_folds(scheme, key):
    """tests/reference: p of the corrected t with n_test/n_train = 1/9, checked against baycomp."""
    oracle = load_oracles("D_bc")[f"error.nadeau_bengio_corrected_t.{key}"]
    expected = {frozenset(pair.split("|")): one["p"] for pair, one in oracle["expected"].items()}
    _, table = table_of(scheme)

    assert rows_of(table, "baycomp")["p"].tolist() == [
        pytest.approx(expected[frozenset(PAIR)], rel=1e-9)
    ]


def test_the_published_test_is_marked_where_it_is_chosen():
    _, table = table_of("rcv10x10", test="corrected t")

    used = table[table["used here"] & table["question"].str.startswith("Corrected t")]
    assert used["who prints it"].str.contains("Weka").all()
