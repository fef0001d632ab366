"""Test that a report computes, describes and tabulates each comparison once."""

import sys
from collections import Counter

import stats_core as fw
from foldwise.figures.registry import drawings
from foldwise.rendering.report_files import html_report
from stats_core.comparison.kinds.datasets import RanksComparison
from stats_core.power.detectable import detectable
from stats_core.report.analysis_steps import chain_of
from tests.samples import shipped


def test_a_page_asks_for_each_fact_once(monkeypatch):
    asked = Counter()

    def counted(real):
        def asking(*args, **options):
            asked[real.__name__] += 1
            return real(*args, **options)

        return asking

    every = [
        module
        for name, module in sys.modules.items()
        if name.startswith(("stats_core", "foldwise"))
    ]
    for real in (fw.analyse, fw.verdict, chain_of, detectable):
        for module in every:  # wherever it was imported by name
            if getattr(module, real.__name__, None) is real:
                monkeypatch.setattr(module, real.__name__, counted(real))
    monkeypatch.setattr(
        RanksComparison, "_with_intervals", counted(RanksComparison._with_intervals)
    )

    comparison = fw.analyse(shipped("garcia_herrera_2008_accuracy.csv", "accuracy"))
    page = html_report(comparison, drawings(comparison))

    assert isinstance(comparison, RanksComparison)
    assert "Iman-Davenport" in page
    once = dict.fromkeys(["analyse", "verdict", "chain_of", "detectable"], 1)
    assert asked == once | {"_with_intervals": 2}  # of the pair in the verdict, and of all pairs
