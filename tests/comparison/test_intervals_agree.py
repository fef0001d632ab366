"""Tests that intervals agree with decisions, for every kind of comparison, correction and test."""

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from foldwise.figures import differences, theme
from stats_core.comparison.analyse import analyse
from stats_core.comparison.result import Comparison
from stats_core.core.errors import FoldwiseError
from stats_core.data.results import Results
from stats_core.data.settings import Settings
from stats_core.inference.multiplicity.adjust import CONTROL_CORRECTIONS, CORRECTIONS
from stats_core.report.effect_text import interval_words
from stats_core.report.methods_text import methods_paragraph
from stats_core.report.tables.table_registry import tables_of
from stats_core.report.verdict import verdict
from tests.report.report_cases import KINDS as CASES
from tests.report.report_cases import case

GUARANTEES = {"selection-adjusted", "simultaneous", "unadjusted"}
METHODS = {
    "selection-adjusted": "adjusted for selection",
    "simultaneous": "simultaneous",
    "unadjusted": "not adjusted",
}


def on_offer(comparison: Comparison) -> Iterator[Comparison]:
    """Yield the comparison, and its analyses by other corrections, tests and levels that are not refused."""
    now = comparison.settings
    corrections = CONTROL_CORRECTIONS if now.control else CORRECTIONS
    others = [replace(now, correction=key) for key in corrections]
    others += [settings for _, settings in comparison.alternatives()]
    others += [replace(now, alpha=0.3), replace(now, alpha=0.3, correction="holm")]
    yield comparison
    for settings in others:
        try:
            yield analyse(comparison.results, settings)
        except FoldwiseError:
            continue


def check(comparison: Comparison) -> int:
    """Assert that an interval excludes zero exactly if its pair differs; return the number of intervals."""
    pairs, s = comparison.pairs.frame, comparison.settings
    at = (comparison.kind, s.correction, s.source, s.test, s.control, s.alpha)
    shown = pairs[pairs["low"].notna() & pairs["high"].notna()]
    inside = (shown["low"] <= 0) & (shown["high"] >= 0)
    separated = shown["separated"].astype(bool)

    assert (shown["low"] <= shown["high"]).all(), at
    assert (separated != inside).all(), at
    return len(shown)


def check_label(comparison: Comparison) -> None:
    """Assert that tables of pairs, the sentence and the methods name what the intervals guarantee."""
    pairs = comparison.pairs.with_guarantees()
    shown = pairs[pairs["low"].notna()]
    tables = [table for table in tables_of(comparison) if "pairs" in table.name]
    # the stratified tests beside tests over data sets have intervals of their own
    said = " ".join(table.caption for table in tables if table.name != "pairs_over_instances")
    if len(pairs) < 2 or shown.empty:
        return
    guarantees = {*comparison.pairs.guarantees(shown["separated"])}
    assert {*shown["interval"]} == guarantees
    methods = methods_paragraph(comparison)
    for guarantee in GUARANTEES & {*comparison.pairs.guarantees()}:
        assert not said or guarantee in said, said
        assert comparison.settings.correction == "nemenyi" or METHODS[guarantee] in methods, methods
    for guarantee in GUARANTEES - {*comparison.pairs.guarantees()}:
        assert guarantee not in said, said
    assert not said or interval_words(comparison) in said, said
    sentence = verdict(comparison).size
    for guarantee in GUARANTEES:
        if f"{guarantee} 95% CI [" in sentence:
            low = float(sentence.split("95% CI [")[1].split(",")[0].replace("−", "-"))
            at = (shown[["low", "high"]].abs() - abs(low)).abs().min(axis=1).idxmin()
            assert shown.loc[at, "interval"] == guarantee, sentence


# kinds without intervals, and those that take long, are left to their own tests
SHOWN = [name for name in CASES if not name.startswith(("wins", "thresholds", "untested", "one "))]
SHOWN = [name for name in SHOWN if not {"measures", "decisions", "order"} & {*name.split()}]


@pytest.mark.parametrize("name", SHOWN)
def test_intervals_agree_with_decisions_on_every_kind(name):
    for comparison in on_offer(case(name)[0]):
        check(comparison)
        check_label(comparison)


@pytest.mark.parametrize("name", ["ranks", "folds by Wilcoxon", "cases", "control"])
def test_hover_and_caption_of_figures_name_the_guarantee_of_each_interval(name):
    comparison = case(name)[0]
    drawing = differences.of_models_drawing(comparison)
    rows = drawing.table
    for row in rows[rows["low"].notna()].itertuples():
        excludes = row.low > 0 or row.high < 0
        assert row.interval == interval_words(comparison, [excludes])
    shown = " ".join(
        str(text)
        for trace in drawing.draw(theme.screen()).data
        for text in np.atleast_1d(trace.hovertext)
    )
    for guarantee in comparison.pairs.guarantees(rows["differs"]):
        assert f"{guarantee} 95% CI" in shown
        assert guarantee in drawing.caption(theme.screen())
    chosen = f"{comparison.order[0]} was chosen as the best on the same data"
    assert (chosen in drawing.caption(theme.screen())) == (not comparison.settings.control)


@pytest.mark.parametrize("name", ["benchmarks of two", "cases of two"])
def test_a_caption_of_one_pair_says_nothing_of_a_choice_or_of_one_run(name):
    caption = differences.of_models_drawing(case(name)[0]).caption(theme.screen())
    assert "chosen as the best" not in caption
    assert "1 run" not in caption


def rounded(seed: int, n: int, noun: str) -> Results:
    """Return rounded errors of four algorithms, with ties; c and d have larger errors than a and b."""
    rng = np.random.default_rng(seed)
    table = pd.DataFrame(rng.normal(0.5, 0.1, (n, 4)) + [0, 0, 0.1, 0.2], columns=list("abcd"))
    table["d"] = table["d"].where(rng.random(n) > 0.2, table["c"])
    long = table.round(1).rename_axis(noun).reset_index().melt(noun, var_name="algorithm")
    return Results.from_frame(
        long.rename(columns={"value": "error"}), directions={"error": "lower"}
    )


TESTS = ("", "Wilcoxon", "sign test")
# by the control: Holm's intervals are the pair's own, the others are simultaneous or unadjusted
BY_NATURE = {"": ("holm", "bonferroni", "none"), "b": ("holm", "bonferroni_dunn")}


@pytest.mark.parametrize("seed", range(12))
def test_intervals_agree_with_decisions_where_results_tie(seed):
    """The number of data sets or folds, and therefore the decisions, depend on the seed."""
    over, folds = rounded(seed, 6 + seed, "dataset"), rounded(seed, 8 + seed, "fold")
    asked = [
        *((over, Settings(source=source)) for source in ("wilcoxon", "sign", "ranks")),
        *((over, Settings(control="b", source=source)) for source in ("wilcoxon", "ranks")),
        *((folds, Settings(test=test)) for test in ("", "corrected t", "Wilcoxon")),
        *(
            (folds, Settings(pair=pair, test=test))
            for pair in (("a", "b"), ("a", "d"))
            for test in TESTS
        ),
    ]
    shown = 0
    for results, settings in asked:
        for key in BY_NATURE.get(settings.control, ("holm",)):
            shown += check(analyse(results, replace(settings, correction=key)))
    assert shown > 50
