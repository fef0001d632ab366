"""Levels: marks where they were put, filled where they are above, a line where they should end."""

import pandas as pd
import pytest

from foldwise.figures import theme
from foldwise.figures.level_dots import COLUMNS, alt_level_dots, level_dots
from foldwise.figures.power_curves import power_curves
from stats_core.core.errors import DataError
from tests.figures.drawn import strict

ROWS = [
    ("none differs", "Holm & co", 0.04, 0.005, False),
    ("none differs", "<b>paired t", 0.3, 0.01, True),
    ("one pair does not", "Holm & co", 0.0, 0.007, False),
    ("one pair does not", "<b>paired t", 0.05, 0.006, False),
]
TABLE = pd.DataFrame(ROWS, columns=list(COLUMNS))


def test_every_level_has_its_mark_and_those_above_are_filled(every_style):
    fig = level_dots(TABLE, alpha=0.05, style=every_style)
    strict(fig)

    marks = [t for t in fig.data if t.mode == "markers"]
    assert [list(t.x) for t in marks] == [[0.04, 0.3], [0.0, 0.05]]
    fills = [colour for t in marks for colour in t.marker.color]
    assert len({fills[0], fills[2], fills[3]}) == 1
    assert fills[1] != fills[0]
    for first, second in zip(marks[0].y, marks[1].y, strict=True):
        assert round(first) == round(second)  # one row
        assert abs(first - second) > 0.1
    (line,) = [t for t in fig.data if t.name == "alpha"]
    assert list(line.x) == [0.05, 0.05]
    low, high = fig.layout.xaxis.range
    assert low < 0 < 0.32 < high
    assert list(fig.layout.yaxis.ticktext) == ["Holm &amp; co", "&lt;b&gt;paired t"]


def test_words_and_refusals():
    assert "paired t 0.3" in alt_level_dots(TABLE, 0.05)
    with pytest.raises(DataError, match="Missing: above"):
        level_dots(TABLE.drop(columns="above"), alpha=0.05, style=theme.screen())


def test_power_curves_have_bands_of_two_standard_errors(style):
    rows = [(0, "Holm", 2.0, 0.4, 0.3), (5, "Holm", 0.5, 0.3, 0.4)]
    table = pd.DataFrame(rows, columns=["bias", "procedure", "rejected", "pvalue", "rejected se"])

    fig = power_curves(table, style=style)

    (band,) = [t for t in fig.data if t.fill == "toself"]
    assert list(band.x) == [0, 5, 5, 0]
    assert list(band.y) == pytest.approx([2.6, 1.3, 0.0, 1.4])
