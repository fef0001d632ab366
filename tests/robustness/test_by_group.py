"""The same analysis on each group of data sets, side by side; only one group."""

import numpy as np
import pandas as pd
import pytest

from stats_core.comparison.analyse import analyse
from stats_core.comparison.decide import DECIDED, LIMITED
from stats_core.core.errors import SettingError
from stats_core.data.results import Results
from stats_core.data.settings import Settings, select
from stats_core.ordering.order import OrderRules, order_of
from stats_core.report.methods_text import methods_paragraph
from stats_core.report.report_tables import report_tables
from stats_core.report.reproduce import to_script
from stats_core.report.tables.group_tables import tables_by_group
from stats_core.report.text_report import to_text
from stats_core.robustness.by_group import EVERY, by_group


def tagged(rng, *, sizes=(8, 10, 1), untagged=1, names="abc", costs=True, folds=1):
    """Data sets in groups g0, g1 ...; in g0 the algorithms differ, in the others they do not."""
    rows, tags = [], {}
    groups = [f"g{k}" for k, n in enumerate(sizes) for _ in range(n)] + [""] * untagged
    for i, group in enumerate(groups):
        tags[f"d{i}"] = group
        for j, name in enumerate(names):
            for fold in range(folds):
                gap = 0.1 * j if group == "g0" else 0.0
                rows.append(
                    (f"d{i}", name, str(fold), 0.2 + gap + rng.uniform(0, 0.02), float(3 - j))
                )
    frame = pd.DataFrame(rows, columns=["dataset", "algorithm", "fold", "error", "time"])
    return Results.from_frame(
        frame, costs=["time"] if costs else [], groups=pd.DataFrame({"kind": pd.Series(tags)})
    )


def test_each_row_is_the_analysis_of_its_data_sets(rng):
    results = tagged(rng)
    found = by_group(results, None, "kind")

    assert found.table["data sets"].to_dict() == {EVERY: 20, "g0": 8, "g1": 10, "g2": 1}
    assert found.untagged == ("d19",)
    for value in ("g0", "g1"):
        alone = analyse(results, Settings(only=("kind", value)))
        row = found.table.loc[value]
        assert row["first test p"] == pytest.approx(alone.omnibus.pvalue)
        assert row["pairs separated"] == alone.pairs()["separated"].sum()
        assert row["average"] == pytest.approx(alone.scores[row["best"]].mean())
        assert row["average rank"] == pytest.approx(alone.friedman.average_ranks.min())
    assert found.table.loc["g0", "badge"].startswith(DECIDED)
    assert found.table.loc["g2", "badge"] == LIMITED
    assert found.table.loc["g2", "verdict"] == "1 data set: a test over data sets needs two."


def test_holm_over_groups_counts_the_groups_with_a_test(rng):
    table = by_group(tagged(rng), None, "kind").table

    raw = table.loc[["g0", "g1"], "first test p"].astype(float)
    adjusted = table["p Holm over groups"].astype(float)
    assert adjusted["g0"] == pytest.approx(min(1, 2 * raw["g0"]))
    assert adjusted["g1"] == pytest.approx(max(raw["g1"], adjusted["g0"]))
    assert adjusted[[EVERY, "g2"]].isna().all()


def test_orders_by_cost_stand_side_by_side(rng):
    results = tagged(rng, folds=4)
    found = by_group(results, None, "kind", rules=OrderRules())

    assert by_group(results, None, "kind").orders == {}
    for value in ("g0", "g1"):
        part = select(results, Settings(only=("kind", value)))
        assert found.orders[value].ordering.order == order_of(part).ordering.order
    table = tables_by_group(found)[1]
    assert list(table.frame) == [EVERY, "g0", "g1", "g2"]
    assert "in each group)" in table.caption


def test_without_a_cost_there_is_no_order(rng):
    found = by_group(tagged(rng, costs=False), None, "kind", rules=OrderRules())

    assert found.orders == {}
    assert [table.name for table in tables_by_group(found)] == ["by_group"]


def test_the_table_says_what_alpha_does_not_bound(rng):
    (table,) = tables_by_group(by_group(tagged(rng), Settings(alpha=0.01), "kind"))

    assert "3 groups are 3 families, each tested at 0.01; nothing bounds" in table.caption
    assert "In no group: d19." in table.caption
    assert table.texts.loc["g0", "pairs separated"] == "1 of 3"
    assert table.texts.loc["g2", "first test p"] == ""
    assert not table.texts.map(lambda text: "nan" in text.lower()).to_numpy().any()


def test_the_region_that_does_not_matter_holds_in_every_group(rng):
    found = by_group(tagged(rng), Settings(region=1e-9), "kind")
    (table,) = tables_by_group(found)

    more = found.table.loc["g0", "by more"]
    assert 0 < more <= found.table.loc["g0", "pairs separated"]
    assert table.texts.loc["g0", "±1e-09"] == f"{more:.0f} by more, 0 equivalent"
    assert "pairs shown to differ by more than that" in table.caption


def test_two_algorithms_have_one_test_per_group(rng):
    table = by_group(tagged(rng, names="ab"), None, "kind").table

    assert table.loc["g0", "pairs"] == 1
    assert table.loc["g0", "first test p"] == pytest.approx(2 / 2**8)


def test_what_is_left_out_is_left_out_of_every_group(rng):
    settings = Settings(without_datasets=("d0",), without_algorithms=("c",), control="a")
    table = by_group(tagged(rng), settings, "kind").table

    assert table["data sets"].to_dict() == {EVERY: 19, "g0": 7, "g1": 10, "g2": 1}
    assert table.loc["g0", "pairs"] == 1


def test_missing_cells_are_told_in_every_row(rng):
    results = tagged(rng)
    rows = results.frame
    rows.loc[rows["dataset"] == "d0", "error"] = np.nan
    table = by_group(results.with_rows(rows), None, "kind").table

    assert "missing" in table.loc["g0", "verdict"]
    assert table.loc["g1", "badge"] != LIMITED


def test_an_unknown_tag_is_refused(rng):
    with pytest.raises(SettingError, match='There is no "x". They have kind'):
        by_group(tagged(rng), None, "x")


def test_only_one_group(rng):
    results = tagged(rng)
    analysis = analyse(results, Settings(only=("kind", "g1"), without_datasets=("d8",)))

    assert analysis.results.datasets == tuple(f"d{i}" for i in range(9, 18))
    assert "on the 9 data sets with kind = g1 by error" in methods_paragraph(analysis)
    assert to_text(analysis).startswith("9 data sets with kind = g1, 3 algorithms")
    assert "only=('kind', 'g1',)" in to_script(analysis, ["x.csv"])


@pytest.mark.parametrize(
    ("only", "said"),
    [
        (("kind", "x"), 'There is no "x"; there are g0, g1 and g2'),
        (("x", "g1"), 'There is no "x". They have kind'),
        (("kind",), "`only` must name a tag and its value"),
    ],
)
def test_a_group_that_there_is_not(rng, only, said):
    with pytest.raises(SettingError, match=said):
        analyse(tagged(rng), Settings(only=only))


def test_a_report_has_the_tables_of_every_tag(rng):
    results = tagged(rng)
    analysis = analyse(results)
    ordered = [table.name for table in report_tables(analysis, order_of(results))]

    assert report_tables(analysis)[-1].name == "by_group"
    assert ordered[-2:] == ["by_group", "orders_by_group"]
    one = report_tables(analyse(results, Settings(only=("kind", "g1"))))
    assert "by_group" not in [table.name for table in one]


def test_the_methods_name_other_names_once_and_the_script_gives_them_again(rng):
    results = tagged(rng).rename(algorithms={"a": "svm"}, datasets={"d0": "iris"})
    analysis = analyse(results)

    assert methods_paragraph(analysis).count("svm for a") == 1
    script = to_script(analysis, ["x.csv"])
    assert "results = results.rename(algorithms={'a': 'svm'}, datasets={'d0': 'iris'})" in script
