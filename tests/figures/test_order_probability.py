"""Tests of the figure of order probabilities; expected values are those in the table, or simple sums."""

import itertools
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from foldwise.figures import text, theme
from foldwise.figures.label_placement import Box
from foldwise.figures.order_probability import OTHERS, OrderProbability
from stats_core.core.errors import DataError
from tests.figures.drawn_figures import strict, unescaped

HOSTILE = {"1-2-3": "<b>a - c4.5", "2-3-1": "c_4.5*" + "x" * 45, "3-2-1": "Größe - 朝日"}


@pytest.fixture
def shares():
    """Probabilities of six orders, three of which never exceed 0.2; rows sum to 1."""
    index = pd.Index([step / 200 for step in range(21)], name="lambda")
    at = np.linspace(0, 1, 21)
    table = pd.DataFrame(
        {
            "3-2-1": np.clip(2 * at - 0.6, 0, 1),
            "1-2-3": np.clip(1 - 2.5 * at, 0, 1),
            "3-1-2": 0.05 * (at < 0.5),
            "1-3-2": 0.02 * (at < 0.2),
            "2-1-3": 0.0 * at,
        },
        index=index,
    )
    table["2-3-1"] = 1 - table.sum(axis=1)
    table.loc[0.0] = [0, 0.9, 0.05, 0.02, 0, 0.03]
    return table


@pytest.fixture
def halves():
    index = pd.MultiIndex.from_tuples([("1", "2"), ("1", "3"), ("2", "3")])
    return pd.Series([0.0227, 0.0133, 0.0225], index=index)


def errors(shares):
    return np.sqrt(shares * (1 - shares) / 1000)


def line(fig, name):
    (found,) = [trace for trace in fig.data if trace.name == text.escape(name)]
    return found


def notes(fig, kind):
    return [a for a in fig.layout.annotations if a.name == kind]


def plot_size(fig, style):
    margin = fig.layout.margin
    return style.width - margin.l - margin.r, fig.layout.height - margin.t - margin.b


def on_paper(fig, style, x, y):
    """Return the position of a point in px from the lower left corner of the plot."""
    (left, right), (low, high) = fig.layout.xaxis.range, fig.layout.yaxis.range
    width, height = plot_size(fig, style)
    return (x - left) / (right - left) * width, (y - low) / (high - low) * height


def name_box(fig, style, label):
    x, y = on_paper(fig, style, label.x, label.y)
    x, y = x + label.ax, y - label.ay
    half = text.text_width(unescaped(label.text), style.size, style.serif) / 2
    return Box(x - half, y - 0.5 * style.size, x + half, y + 0.5 * style.size)


def flag_box(fig, style, label):
    x, _ = on_paper(fig, style, label.x, 0)
    size = label.font.size
    wide = text.text_width(unescaped(label.text), size, style.serif)
    left, middle = x + label.xshift, label.yshift
    return Box(left, middle - 0.45 * size, left + wide, middle + 0.45 * size)


def test_orders_that_ever_exceed_a_fifth_have_lines_and_the_rest_is_summed(shares, every_style):
    fig = OrderProbability(probabilities=shares).draw(every_style)

    for name in ("3-2-1", "1-2-3", "2-3-1"):
        assert list(line(fig, name).x) == shares.index.tolist()
        assert list(line(fig, name).y) == shares[name].tolist()
    rest = shares[["3-1-2", "1-3-2", "2-1-3"]].sum(axis=1)
    np.testing.assert_allclose(line(fig, OTHERS).y, rest)
    assert not [trace for trace in fig.data if trace.name in ("3-1-2", "1-3-2", "2-1-3")]
    assert {a.text for a in notes(fig, "order")} == {"3-2-1", "1-2-3", "2-3-1", OTHERS}
    hues = {line(fig, name).line.color for name in ("3-2-1", "1-2-3", "2-3-1")}
    assert len(hues) == (3 if every_style.colour else 1)


def test_never_more_than_six_orders_have_lines(style):
    # eight orders, each 0.3 at a place of its own; the last two in the table are the lowest
    table = pd.DataFrame(np.eye(8) * np.linspace(0.37, 0.3, 8), columns=list("abcdefgh"))
    fig = OrderProbability(probabilities=table).draw(style)

    strict(fig)
    assert {trace.name for trace in fig.data if trace.hoverinfo == "text"} == {*"abcdef", OTHERS}
    np.testing.assert_allclose(line(fig, OTHERS).y, [0, 0, 0, 0, 0, 0, 0.31, 0.3])


def test_names_lie_in_the_plot_near_their_maximum_and_touch_nothing(shares, halves, every_style):
    for names in ({}, HOSTILE):
        table = shares.rename(columns=names)
        fig = OrderProbability(probabilities=table, half_power=halves).draw(every_style)
        width, height = plot_size(fig, every_style)
        found = notes(fig, "order")
        boxes = [name_box(fig, every_style, label) for label in found]
        for box in boxes:
            assert box.left >= 0
            assert box.right <= width
            assert box.bottom >= 0
            assert box.top <= height + 2
        assert not any(a.overlaps(b) for a, b in itertools.combinations(boxes, 2))
        assert len(found) == 4
        if names:
            continue
        for label in found:
            curve = line(fig, label.text)
            assert label.y == pytest.approx(np.interp(label.x, curve.x, curve.y), abs=0.02)
            assert label.y >= 0.55 * max(curve.y)


@pytest.mark.parametrize("window", [980, 760, 563])  # 563: what a page 1024 px wide leaves
def test_names_touch_neither_the_axis_nor_each_other_in_a_narrower_window(shares, halves, window):
    """The plot shrinks with the window, but the names and their distances do not."""
    fig = OrderProbability(probabilities=shares, half_power=halves).draw(theme.screen())
    squeezed = replace(theme.screen(), width=window)
    width, _ = plot_size(fig, squeezed)

    boxes = [name_box(fig, squeezed, label) for label in notes(fig, "order")]

    assert len(boxes) == 4
    assert all(0 <= box.left and box.right <= width for box in boxes)
    assert not any(a.overlaps(b) for a, b in itertools.combinations(boxes, 2))


def test_without_colour_orders_differ_by_dash_and_carry_a_mark_at_every_third_place(shares):
    fig = OrderProbability(probabilities=shares).draw(theme.paper())

    orders = ("3-2-1", "1-2-3", "2-3-1")
    assert len({line(fig, name).line.dash for name in orders}) == 3
    assert len({line(fig, f"{name} marks").marker.symbol for name in orders}) == 3
    for number, name in enumerate(orders):
        marks = line(fig, f"{name} marks")
        every_third = shares[name].iloc[number::3]
        assert dict(zip(marks.x, marks.y, strict=True)) == every_third[every_third > 0.02].to_dict()


def test_bands_reach_two_standard_errors_and_stay_within_zero_and_one(shares, style):
    wide = errors(shares).assign(**{"2-3-1": 0.3})
    fig = OrderProbability(probabilities=shares, standard_error=wide).draw(style)

    band = line(fig, "1-2-3 band")
    upper, lower = np.array(band.y[:21]), np.array(band.y[:20:-1])
    p, se = shares["1-2-3"].to_numpy(), wide["1-2-3"].to_numpy()
    np.testing.assert_allclose(upper, np.minimum(p + 2 * se, 1))
    np.testing.assert_allclose(lower, np.maximum(p - 2 * se, 0))
    assert list(band.x[:21]) == list(band.x[:20:-1]) == shares.index.tolist()
    capped = line(fig, "2-3-1 band").y
    assert min(capped) == 0
    assert max(capped) == 1
    bands = [trace.name for trace in fig.data if trace.name.endswith("band")]
    assert len(bands) == 3  # no runs are known for the sum of the others


def test_hover_says_order_place_share_and_two_standard_errors(shares):
    fig = OrderProbability(probabilities=shares, standard_error=errors(shares)).draw(theme.screen())
    # at 0.06 the share is 2 * 0.6 - 0.6 = 0.6; 2 sqrt(0.6 * 0.4 / 1000) = 0.031
    assert line(fig, "3-2-1").hovertext[12] == "<b>3-2-1 at lambda 0.06</b>: 0.60 ± 0.03"
    assert line(fig, OTHERS).hovertext[0] == "<b>other orders at lambda 0</b>: 0.07"
    bare = OrderProbability(probabilities=shares, x_title="a<b").draw(theme.screen())
    assert line(bare, "3-2-1").hovertext[12] == "<b>3-2-1 at a&lt;b 0.06</b>: 0.60"
    assert bare.layout.xaxis.title.text == "a&lt;b"


def test_vertical_lines_stand_at_half_power_with_labels_that_do_not_touch(shares, style):
    places = [0.0225, 0.0226, 0.0, 0.1, 0.0995, 0.05, np.nan, 0.2]
    index = pd.MultiIndex.from_tuples([(f"<i>{i}", f"name {i}") for i in range(8)])
    fig = OrderProbability(probabilities=shares, half_power=pd.Series(places, index=index)).draw(
        style
    )

    labels = notes(fig, "half power")
    assert [label.x for label in labels] == [0.0, 0.0225, 0.0226, 0.05, 0.0995, 0.1]
    assert labels[1].text == "name 0 over &lt;i&gt;0"
    boxes = [flag_box(fig, style, label) for label in labels]
    assert not any(a.overlaps(b) for a, b in itertools.combinations(boxes, 2))
    width, _ = plot_size(fig, style)
    assert all(box.right <= width + fig.layout.margin.r for box in boxes)
    assert all(box.top <= fig.layout.margin.t for box in boxes)
    upper = [s for s in fig.layout.shapes if s.ysizemode == "pixel"]
    for shape in upper:  # no line runs through the label of another
        x, _ = on_paper(fig, style, shape.x0, 0)
        assert not any(
            box.left < x < box.right and box.bottom < shape.y1 for box in boxes if box.left > 0
        )
    assert [s.x0 for s in upper] == [label.x for label in labels]


def test_gaps_single_rows_and_one_order_can_be_drawn(shares, style):
    holed = shares.copy()
    holed.iloc[3, 0] = np.nan
    fig = OrderProbability(probabilities=holed, standard_error=errors(holed)).draw(style)
    strict(fig)
    assert line(fig, "3-2-1").y[3] is None

    single = OrderProbability(probabilities=shares.iloc[[4]], standard_error=errors(shares)).draw(
        style
    )
    strict(single)
    low, high = single.layout.xaxis.range
    assert low < 0.02 < high
    alone = OrderProbability(probabilities=pd.DataFrame({"a-b": [1.0, 1.0]})).draw(style)
    assert [a.text for a in notes(alone, "order")] == ["a-b"]
    # nothing exceeds a fifth: the most frequent order has a line all the same
    even = pd.DataFrame([[0.1] * 9 + [0.1]], columns=[*"abcdefghij"])
    assert line(OrderProbability(probabilities=even).draw(style), "a").y == (0.1,)


def test_sizes_are_those_of_the_surface(shares, halves, style):
    fig = OrderProbability(probabilities=shares, half_power=halves).draw(style)
    low, high = (190, 230) if style.printed else (300, 345)
    assert low <= fig.layout.height <= high
    assert fig.layout.width == (style.width if style.printed else None)
    assert fig.layout.yaxis.range[0] < 0
    assert fig.layout.yaxis.range[1] > 1


def test_what_cannot_be_drawn_is_refused(shares):
    style = theme.screen()
    for wrong, said in (
        (shares.iloc[:0], "has 0 rows and 6 columns"),
        (shares.set_axis(list("aabcde"), axis=1), "one column"),
        (shares.iloc[::-1], "It starts with 0.1, 0.095"),
        (shares.rename({0.0: "none"}), "It starts with none, 0.005"),
        (100 * shares, "must be between 0 and 1"),
    ):
        with pytest.raises(DataError, match=said):
            OrderProbability(probabilities=wrong).draw(style)


def alt_of(table, **options):
    return OrderProbability(probabilities=table, **options).alt


def test_words_end_with_both_ends_and_stay_short(shares):
    said = alt_of(shares)
    assert said.startswith(
        "Probability of 6 orders for lambda 0 to 0.1. Most frequent: 1-2-3 from 0, 2-3-1 from "
    )
    assert said.endswith("Prior order with probability 0.90 at 0, reversed at 0.1.")
    certain = pd.DataFrame({"1-2": [1.0, 0.0], "2-1": [0.0, 1.0]}, index=[0, 0.1])
    assert alt_of(certain).endswith(
        "Prior order certain at 0, reversed at 0.1."  # the ending the figure's design asks for
    )
    other = alt_of(shares, prior="2-1-3")
    assert other.endswith("Prior order with probability 0.00 at 0, 3-2-1 at 0.1.")
    stays = alt_of(shares.iloc[:2])
    assert "still first with 0.88 at 0.005" in stays
    long = shares.rename(columns=lambda name: name + " and a very long name" * 30)
    assert len(alt_of(long)) <= 300
    full = OrderProbability(probabilities=shares, standard_error=errors(shares)).caption(
        theme.screen()
    )
    assert "two Monte Carlo standard errors" in full
    assert "other orders" in full
    assert OrderProbability(probabilities=certain, method="100 runs").caption(theme.screen()) == (
        "Proportion of simulations that give each order (best first). 100 runs."
    )
