"""Tests of the figure of error rates, and of the bands of power curves."""

import pandas as pd
import pytest

from foldwise.figures.power_curves import PowerCurves
from foldwise.figures.simulation_figures import COLUMNS, ErrorRates
from stats_core.core.errors import DataError
from tests.figures.drawn_figures import strict

# world, procedure; family, its error, above; the same of a pair
ROWS = [
    ("none differs", "Holm & co", 0.04, 0.005, False, 0.01, 0.002, False),
    ("none differs", "<b>paired t", 0.6, 0.01, True, 0.05, 0.01, False),
    ("one pair does not", "Holm & co", 0.0, 0.007, False, 0.0, 0.007, False),
    ("one pair does not", "<b>paired t", 0.05, 0.006, False, 0.05, 0.006, False),
]
TABLE = pd.DataFrame(ROWS, columns=list(COLUMNS))


def test_every_rate_has_its_mark_and_those_above_are_filled(every_style):
    fig = ErrorRates(table=TABLE, alpha=0.05).figure(every_style)
    strict(fig)

    for axis, rate in (("x", "family"), ("x2", "pair")):
        marks = [t for t in fig.data if t.mode == "markers" and t.xaxis == axis]
        assert [x for t in marks for x in t.x] == TABLE[rate].tolist()
        fills = pd.Series([colour for t in marks for colour in t.marker.color])
        above = TABLE[f"{rate} above"]
        assert fills[~above].nunique() == 1
        assert not set(fills[above]) & set(fills[~above])
        for first, second in zip(marks[0].y, marks[1].y, strict=True):
            assert round(first) == round(second)  # one row
            assert abs(first - second) > 0.1
        (line,) = [t for t in fig.data if t.name == "alpha" and t.xaxis == axis]
        assert list(line.x) == [0.05, 0.05]
        low, high = fig.layout[axis.replace("x", "xaxis")].range
        assert low < 0 < (TABLE[rate] + 2 * TABLE[f"{rate} se"]).max() < high
    assert fig.layout.xaxis.title.text == "family-wise error rate"
    assert fig.layout.xaxis2.title.text == "error rate per pair"
    assert list(fig.layout.yaxis.ticktext) == ["Holm &amp; co", "&lt;b&gt;paired t"]


def test_one_pair_has_one_error_rate(style):
    one = TABLE[TABLE["world"] == "one pair does not"]

    fig = ErrorRates(table=one, alpha=0.05).figure(style)

    assert fig.layout.xaxis.title.text == "type I error rate"
    assert {t.xaxis for t in fig.data} == {"x"}
    assert "Left" not in ErrorRates(table=one, alpha=0.05).caption(style)


def test_words_and_refusals():
    said = ErrorRates(table=TABLE, alpha=0.05).alt
    assert "family-wise error rate <b>paired t 0.6, error rate per pair none" in said
    with pytest.raises(DataError, match="Missing: pair above"):
        ErrorRates(table=TABLE.drop(columns="pair above"), alpha=0.05)


def test_power_curves_have_bands_of_two_standard_errors(style):
    rows = [(0, "Holm", 2.0, 0.4, 0.3), (5, "Holm", 0.5, 0.3, 0.4)]
    table = pd.DataFrame(rows, columns=["bias", "procedure", "rejected", "pvalue", "rejected se"])

    fig = PowerCurves(table=table).figure(style)

    (band,) = [t for t in fig.data if t.fill == "toself"]
    assert list(band.x) == [0, 5, 5, 0]
    assert list(band.y) == pytest.approx([2.6, 1.3, 0.0, 1.4])
