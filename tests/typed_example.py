"""What type checkers know of the library; `./fw lint` checks this file with mypy, and nothing runs it."""

from typing import assert_type

import pandas as pd
import plotly.graph_objects as go

import foldwise as fw


def notebook(table: pd.DataFrame) -> None:
    """Use the names that completion offers, and one that it does not."""
    shown = fw.compare(table, measure="accuracy", rows="folds")
    assert_type(shown, fw.ComparisonDisplay)
    assert_type(shown.verdict.headline, str)
    assert_type(shown.groups, tuple[tuple[str, ...], ...])
    assert_type(shown.plot(), go.Figure)
    assert_type(shown.plot.cd(dark=True), go.Figure)
    assert_type(fw.cd_diagram({"rf": 1.0, "svm": 2.0}, groups=[]), go.Figure)
    statistic, pvalue = fw.wilcoxon([1.0], [2.0], alternative="less")
    assert_type(pvalue, float)
    fw.stats.quade(table, higher_is_better=True)
    fw.power.mcnemar_power(100, 0.1, 0.05)
    fw.compare(table, rows="cells")  # type: ignore[arg-type]
    fw.compare(table, pair=("rf", "svm"), dataset="iris", test="corrected t", margin=0.01)
    fw.compare(shown, correction="bonferoni")  # type: ignore[arg-type]
    assert_type(fw.gate(table, table, fail_if="inferior", cluster="document").passed, bool)
    fw.gate(table, table, fails_if="inferior")  # type: ignore[call-arg]
    assert_type(fw.to_text(shown), str)
    assert_type(fw.order_of(shown).ordering.order, tuple[str, ...])
    fw.stats.leave_one_out(shown)
    fw.power.power_of(shown)
    shown.plot.violin()  # type: ignore[attr-defined]
    assert fw.no_such_name  # type: ignore[attr-defined]
