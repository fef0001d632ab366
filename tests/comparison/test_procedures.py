"""Tests of procedures side by side: published tables, the procedure that decides, and disagreements."""

import numpy as np
import pytest

from stats_core.comparison.analyse import analyse
from stats_core.data.settings import Settings
from stats_core.io.read import read_results
from stats_core.report.tables.procedure_tables import procedures_of
from stats_core.report.tables.table_registry import tables_of
from tests.inference.test_adjust import GARCIA_HERRERA_TABLE_5
from tests.report.report_cases import case

SIDE_BY_SIDE = [
    *("ranks", "ranks by Nemenyi", "ranks by Wilcoxon", "ranks unadjusted", "published ranks"),
    *("folds by F", "several on measures"),
]


@pytest.fixture(scope="module")
def published():
    """The analysis of the average ranks in Table 2 of Garcia and Herrera."""
    ranks = "C4.5,2.1 1-NN,3.25 NaiveBayes,2.2 Kernel,4.33333333333 CN2,3.11666666667"
    rows = "".join(f"{row},30\n" for row in ranks.split())
    read = read_results(("ranks.csv", f"algorithm,average rank,datasets\n{rows}".encode()))
    return analyse(read, Settings(correction="bergmann_hommel"))


def test_the_tables_of_garcia_and_herrera(published):
    side, steps, acceptance = tables_of(published, "procedures", "steps", "acceptance")

    rows = side.frame.set_index(["algorithm A", "algorithm B"])
    columns = ["Bonferroni", "Holm", "Shaffer", "Bergmann-Hommel"]
    for pair, printed in GARCIA_HERRERA_TABLE_5.items():
        found = rows.loc[pair if pair in rows.index else pair[::-1], columns].astype(float)
        digits = 4 if printed[0] > 1e-4 else 8  # ranks have six digits here
        np.testing.assert_allclose(found, printed, atol=0.6 * 10.0**-digits, rtol=0)
    bold = [name for names, _ in side.best.values() for name in names]
    assert [bold.count(name) for name in columns] == [4, 5, 6, 8]
    levels = [name for names, _ in steps.best.values() for name in names]
    assert [levels.count(name) for name in columns[:3]] == [4, 5, 6]
    kept = acceptance.frame[acceptance.frame["retained"] == "yes"]  # Table 4, in bold
    together = {
        frozenset(frozenset(b.split(", ")) for b in label[1:-1].split("} {"))
        for label in kept.index
    }
    alike, other = frozenset({"C4.5", "NaiveBayes"}), frozenset({"1-NN", "CN2"})
    assert together == {frozenset({alike}), frozenset({other}), frozenset({alike, other})}


@pytest.mark.parametrize("name", SIDE_BY_SIDE)
def test_the_procedure_that_decides_stands_there_as_it_decides(name):
    comparison, _ = case(name)
    found = procedures_of(comparison)
    decides = comparison.pairs.frame.set_index(["first", "second"])
    if found.chosen == "none":
        assert "none" not in found.table
        return

    there = found.table.set_index(["first", "second"])[found.chosen]

    np.testing.assert_array_equal(there, decides.loc[there.index, "p adjusted"])
    assert found.separated[found.chosen].sum() == decides["separated"].sum()


def test_pairs_on_which_procedures_disagree_are_named_with_who_separates_them(published):
    said = procedures_of(published).note

    assert dict(said["disagree"])[("C4.5", "CN2")] == ("bergmann_hommel",)
    assert "Significant only with Bergmann-Hommel: C4.5 vs. CN2" in str(said)
    strict = analyse(published.results, Settings(alpha=1e-12))
    assert not procedures_of(strict).note["disagree"]
    assert "same decisions on all 10 pairs" in str(procedures_of(strict).note)


def test_tests_that_are_adjusted_by_nature_have_no_procedures():
    assert procedures_of(case("folds by Tukey")[0]) is None
    assert not tables_of(case("folds by Tukey")[0], "procedures", "steps", "acceptance")
