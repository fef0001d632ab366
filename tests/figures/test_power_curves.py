"""Tests of power curves; expected values are those in the table, or simple sums."""

import itertools

import numpy as np
import pandas as pd
import pytest

from foldwise.figures import text, theme
from foldwise.figures.power_curves import BIASES, ITEMS, PowerCurves
from stats_core.core.errors import DataError
from tests.figures.drawn_figures import strict

PROCEDURES = ("Bonferroni", "Holm & co", "<b>Shaffer", "Bergmann-Hommel")


@pytest.fixture
def table():
    """A table with rejections 1 + position + bias / 10 and adjusted p = 0.8 - position / 100 - bias / 100."""
    rows = [
        (bias, name, 1 + place + bias / 10, 0.8 - place / 100 - bias / 100)
        for bias in range(11)
        for place, name in enumerate(PROCEDURES)
    ]
    return pd.DataFrame(rows, columns=list(BIASES.columns))


def line(fig, name, axis):
    (found,) = [t for t in fig.data if t.name == text.escape(name) and (t.yaxis or "y") == axis]
    return found


def labels(fig, axis):
    return [a for a in fig.layout.annotations if a.yref == axis]


def test_both_means_of_every_procedure_lie_on_their_panel_inside_the_axes(table, style):
    fig = PowerCurves(table=table.sample(frac=1, random_state=1)).figure(style)

    for axis, column in (("y", "rejected"), ("y2", "pvalue")):
        low, high = fig.layout["yaxis" + axis[1:]].range
        for name in PROCEDURES:
            wanted = table[table["procedure"] == name].sort_values("bias")
            found = line(fig, name, axis)
            assert list(found.x) == wanted["bias"].tolist()
            assert list(found.y) == wanted[column].tolist()
            assert low < min(found.y) <= max(found.y) < high
    # rejections reach from 1 to 5, adjusted p from 0.67 to 0.8 only
    assert fig.layout.yaxis.range[0] == 0
    assert 0.6 < fig.layout.yaxis2.range[0] < 0.67


def test_names_stand_in_the_order_of_the_line_ends_without_touching(table, every_style):
    table["pvalue"] = 0.5 - 1e-6 * table.groupby("bias").cumcount()  # ends that nearly meet
    fig = PowerCurves(table=table).figure(every_style)
    plot = fig.layout.height - fig.layout.margin.t - fig.layout.margin.b

    for axis, order in (("y", PROCEDURES), ("y2", PROCEDURES[::-1])):
        found, layout = labels(fig, axis), fig.layout["yaxis" + axis[1:]]
        per_px = (layout.range[1] - layout.range[0]) / np.ptp(layout.domain) / plot
        assert [a.text for a in found] == [text.escape(name) for name in order]
        for lower, upper in itertools.pairwise(found):
            assert (upper.y - lower.y) / per_px >= every_style.size
        # Plotly hides what stands outside the range
        assert layout.range[0] < found[0].y
        assert found[-1].y < layout.range[1]
        for label, shape in zip(
            found, [s for s in fig.layout.shapes if s.yref == axis], strict=True
        ):
            name = PROCEDURES[[text.escape(n) for n in PROCEDURES].index(label.text)]
            assert shape.y0 == line(fig, name, axis).y[-1]
            assert shape.y1 == label.y
    room = fig.layout.margin.r - found[0].xshift
    assert (
        max(text.text_width(name, every_style.size, every_style.serif) for name in PROCEDURES)
        <= room
    )


def test_procedures_differ_by_dash_without_colour_and_by_hue_with_it(table):
    grey = PowerCurves(table=table).figure(theme.paper())
    hued = PowerCurves(table=table).figure(theme.paper(colour=True))

    for axis in ("y", "y2"):
        assert len({line(grey, name, axis).line.dash for name in PROCEDURES}) == len(PROCEDURES)
        assert {line(grey, name, axis).line.color for name in PROCEDURES} == {"#000000"}
        assert len({line(hued, name, axis).line.color for name in PROCEDURES}) == len(PROCEDURES)


def test_a_missing_mean_is_a_gap_and_one_bias_is_enough(table, style):
    holed = table.drop(index=table.index[8])  # bias 2 of the first procedure
    holed.loc[holed.index[-4], "pvalue"] = np.nan  # bias 10 of the first procedure
    fig = PowerCurves(table=holed).figure(style)
    strict(fig)
    assert line(fig, "Bonferroni", "y").y[2] is None
    assert line(fig, "Bonferroni", "y2").y[10] is None
    assert len(labels(fig, "y2")) == len(PROCEDURES)  # beside the end at bias 9

    single = PowerCurves(table=table[table["bias"] == 0]).figure(style)
    strict(single)
    low, high = single.layout.xaxis.range
    assert low < 0 < high


def test_what_cannot_be_drawn_is_refused(table):
    style = theme.screen()
    with pytest.raises(DataError, match="Missing: rejected, pvalue"):
        PowerCurves(table=table[["bias", "procedure"]]).figure(style)
    with pytest.raises(DataError, match="Missing: rows"):
        PowerCurves(table=table.iloc[:0]).figure(style)
    with pytest.raises(DataError, match="Holm & co has two rows at bias 0"):
        PowerCurves(table=pd.concat([table, table.iloc[[1]]])).figure(style)


def test_words_name_the_largest_bias_and_stay_short(table):
    assert PowerCurves(table=table).alt.startswith(
        "Power of 4 procedures. Mean rejections at bias 10: Bergmann-Hommel 5, <b>Shaffer 4"
    )
    table["procedure"] = table["procedure"] + " with a very long name" * 20
    assert len(PowerCurves(table=table).alt) <= 300


@pytest.mark.parametrize(("largest", "is_log"), [(400, False), (200_000, True)])
def test_a_long_range_has_a_log_axis(largest, is_log):
    """The mark of the pilot is then at the logarithm of 100 instances."""
    sizes = [25, 100, largest]
    table = pd.DataFrame(
        {
            "instances": sizes,
            "pair": "a − b",
            "detectable": [0.2, 0.1, 0.01],
            "power": [0.1, 0.5, 0.9],
        }
    )
    fig = PowerCurves(table=table, curves=ITEMS, marked=100).draw(theme.screen())

    assert {tuple(trace.x) for trace in fig.data if trace.name.endswith("marks")} == {
        (2.0,) if is_log else (100.0,)
    }
    assert ("100,000" in fig.layout.xaxis.ticktext) == is_log
