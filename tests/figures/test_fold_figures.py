"""Tests of figures of paired folds, of differences with intervals, and of residuals."""

import html

import numpy as np
import pandas as pd
import pytest
from scipy.stats import gaussian_kde

from foldwise import difference_interval
from foldwise.figures import text, theme
from foldwise.figures.difference_interval import DifferenceInterval
from foldwise.figures.fold_histogram import FoldHistogram
from foldwise.figures.paired_folds import PairedFolds
from foldwise.figures.qq import NormalQQ
from foldwise.figures.raincloud import Raincloud, density
from tests.figures.drawn_figures import texts, trace

MINUS = "\N{MINUS SIGN}"
PAIR = {"first": "qda", "second": "<b>svm", "measure": "error", "higher_is_better": False}


@pytest.fixture
def values():
    return pd.DataFrame(
        {"qda": [6.0, 5.0, 7.0, 6.5], "<b>svm": [6.5, 4.0, 7.0, 9.0]}, index=["1", "2", "3", "4"]
    )


@pytest.fixture
def intervals():
    return pd.DataFrame(
        {"estimate": [-0.5, -0.5], "low": [-2.0, -1.2], "high": [1.0, 0.2]},
        index=["corrected t", "paired t"],
    )


def lines(fig):
    """Return the labels of the folds drawn with each dash."""
    return {
        t.line.dash: sorted({label for label in t.customdata if label})
        for t in fig.data
        if t.customdata is not None and "lines" in t.mode
    }


def test_lines_are_solid_where_the_first_is_better(values, style):
    lower = PairedFolds(values=values, measure="error", higher_is_better=False).draw(style)
    higher = PairedFolds(values=values, measure="accuracy", higher_is_better=True).draw(style)

    assert lines(lower) == {"solid": ["1", "4"], "dash": ["2"], "dot": ["3"]}
    assert lines(higher) == {"solid": ["2"], "dash": ["1", "4"], "dot": ["3"]}


def test_a_line_joins_the_two_results_of_its_fold(values, style):
    fig = PairedFolds(values=values, measure="error", higher_is_better=False).draw(style)
    solid = trace(fig, "first better")

    ends = [(x, y) for x, y in zip(solid.x, solid.y, strict=True) if x in (0, 1, None)]
    assert ends == [(0, 6.0), (1, 6.5), (None, None), (0, 6.5), (1, 9.0), (None, None)]
    assert "<b>fold 1</b>" in solid.hovertext[0]
    assert "qda better by 0.5" in solid.hovertext[0]
    assert list(trace(fig, "means").y) == [6.125, 6.625]


def test_a_line_can_be_clicked_along_its_way(values, style):
    fig = PairedFolds(values=values, measure="error", higher_is_better=False).draw(style)
    dashed = trace(fig, "second better")
    along = [i for i, x in enumerate(dashed.x) if x is not None and 0 < x < 1]

    assert along
    for i in along:
        assert dashed.y[i] == pytest.approx(5.0 - dashed.x[i])
        assert dashed.customdata[i] == "2"
        assert dashed.marker.size[i] == 0
    assert dashed.marker.opacity == 1
    assert dashed.marker.size[0] > 0


def test_folds_that_all_differ_alike_are_not_named(style):
    same = pd.DataFrame({"a": [5.0] * 3, "b": [5.0] * 3}, index=["1", "2", "3"])
    fig = PairedFolds(values=same, measure="error", higher_is_better=False).draw(style)
    low, high = fig.layout.yaxis.range

    assert not [t for t in texts(fig) if t.startswith("fold")]
    assert low < 5 < high


def test_a_selected_fold_is_named_instead_of_the_extremes(values, style):
    fig = PairedFolds(values=values, measure="error", higher_is_better=False, selected=["3"]).draw(
        style
    )

    assert [t for t in texts(fig) if t.startswith("fold")] == ["fold 3"]


def test_names_at_the_right_ends_do_not_meet(every_style):
    close = pd.DataFrame({"a": [1.0, 9.0, 5.0], "b": [5.0, 5.0, 5.0]}, index=["1", "2", "<3>"])
    fig = PairedFolds(values=close, measure="error", higher_is_better=False).draw(every_style)
    places = sorted(a.y for a in fig.layout.annotations if a.yref == "y")
    low, high = fig.layout.yaxis.range
    margin = fig.layout.margin
    per_px = (high - low) / (fig.layout.height - margin.t - margin.b)

    assert len(places) == 3
    assert np.diff(places).min() / per_px > every_style.tick_size


@pytest.mark.parametrize(
    ("scale", "shown"), [(1.0, "6.5"), (1e5, "650,000"), (1e-5, f"6.5e{MINUS}5"), (1e8, "6.5e8")]
)
@pytest.mark.parametrize("form", ["slopes", "scatter"])
def test_numbers_at_the_axis_have_no_unit_prefixes(scale, shown, form):
    values = pd.DataFrame({"a": [5.0, 6.0], "b": [7.0, 6.2]}) * scale
    fig = PairedFolds(values=values, measure="error", higher_is_better=False, form=form).draw(
        theme.screen(width=482)
    )
    axis = fig.layout.yaxis

    assert shown in axis.ticktext
    assert len(set(axis.ticktext)) == len(axis.tickvals)


def test_the_axis_says_the_direction_where_there_is_room(values):
    names = ("<auc>", "area under the precision-recall curve, macro")
    style = theme.screen(width=482)
    brief, long = (
        PairedFolds(values=values, measure=name, higher_is_better=True).draw(style)
        for name in names
    )

    assert brief.layout.yaxis.title.text == "&lt;auc&gt;, higher is better"
    assert "…" in long.layout.yaxis.title.text


def test_the_two_most_extreme_folds_are_named(values, style):
    fig = PairedFolds(values=values, measure="error", higher_is_better=False).draw(style)

    assert {"fold 4", "fold 2"} <= set(texts(fig))
    assert "&lt;b&gt;svm" in texts(fig)


def test_many_folds_are_drawn_against_each_other(style):
    rng = np.random.default_rng(1)
    many = pd.DataFrame(rng.normal(size=(80, 2)), columns=["a", "b"])
    fig = PairedFolds(values=many, measure="auc", higher_is_better=True).draw(style)
    shown = [t for t in fig.data if t.customdata is not None]

    assert trace(fig, "equal").x == trace(fig, "equal").y
    assert sum(len(t.x) for t in shown) == 80
    first = trace(fig, "first better")
    assert all(y > x for x, y in zip(first.x, first.y, strict=True))
    assert {trace(fig, n).marker.symbol for n in ("first better", "second better")} == {
        "circle",
        "circle-open",
    }
    assert f"a better: {len(first.x)}" in texts(fig)
    assert "equal" in texts(fig)


def test_each_side_of_the_diagonal_is_named_after_who_is_better(values, style):
    for higher, above in ((True, "qda better: 1"), (False, "&lt;b&gt;svm better: 1")):
        fig = PairedFolds(
            values=values, measure="error", higher_is_better=higher, form="scatter"
        ).draw(style)
        top = next(a for a in fig.layout.annotations if "better" in a.text and a.y > a.x)
        assert top.text == above


def test_words_at_the_diagonal_lie_on_no_mark(every_style):
    """Many marks are in the upper left corner, the preferred position of a label."""
    rng = np.random.default_rng(2)
    table = pd.DataFrame({"a": 0.12 + 0.04 * rng.random(100), "b": 0.01 + 0.05 * rng.random(100)})
    table.loc[99] = [0.02, 0.17]
    fig = PairedFolds(values=table, measure="error", higher_is_better=False, form="scatter").draw(
        every_style
    )
    margin, layout = fig.layout.margin, fig.layout
    plot = (every_style.width - margin.l - margin.r, layout.height - margin.t - margin.b)
    low, high = layout.xaxis.range
    marks = (table[["b", "a"]].to_numpy() - low) / (high - low) * plot
    words = [a for a in layout.annotations if "better" in a.text]
    assert len(words) == 2
    for note in words:
        x, y = note.x * plot[0], note.y * plot[1]
        wide, tall = (
            text.text_width(note.text, every_style.size, every_style.serif),
            1.25 * every_style.size,
        )
        left = x if note.xanchor == "left" else x - wide
        under = y - tall if note.yanchor == "top" else y
        inside = (marks > (left, under)) & (marks < (left + wide, under + tall))
        assert not inside.all(axis=1).any()


def test_the_caption_says_what_lines_and_marks_are(values):
    about = {"measure": "error", "higher_is_better": False}
    said = PairedFolds(values=values, **about).caption(theme.paper())
    assert said.startswith("One line per fold (n = 4). Solid: qda better. Dashed: <b>svm better.")
    many = pd.concat([values] * 20)
    said = PairedFolds(values=many, **about).caption(theme.paper())
    assert "Filled: qda better." in said


@pytest.mark.parametrize("form", ["slopes", "scatter"])
def test_selected_folds_keep_their_strength(values, style, form):
    fig = PairedFolds(
        values=values, measure="error", higher_is_better=False, form=form, selected=["2", "x"]
    ).draw(style)
    strength = {
        label: t.opacity for t in fig.data if t.customdata is not None for label in t.customdata
    }

    assert strength["2"] == 1
    assert {strength[label] for label in ("1", "3", "4")} == {0.25}


def test_paired_folds_in_words(values):
    words = PairedFolds(values=values, measure="error", higher_is_better=False).alt

    assert words.endswith("qda is better on 2 of 4 folds, <b>svm on 1, ties on 1.")
    long = values.set_axis(["x" * 200, "y " * 100], axis=1)
    words = PairedFolds(values=long, measure="m " * 150, higher_is_better=False).alt
    assert words.endswith(" on 1, ties on 1.")
    assert len(words) <= 300


def test_every_fold_is_a_circle_and_equal_ones_are_stacked(intervals, style):
    differences = pd.Series([-0.5, -0.5, 1.0, 0.0], index=["1", "2", "3", "4"])
    fig = difference_interval(differences, intervals, **PAIR, style=style)
    folds = trace(fig, "folds")

    assert list(folds.x) == [-0.5, -0.5, 1.0, 0.0]
    assert folds.y[0] < folds.y[1]
    assert list(folds.customdata) == ["1", "2", "3", "4"]
    assert "qda better" in folds.hovertext[0]
    assert "the same result" in folds.hovertext[3]


def test_the_sides_follow_the_direction(intervals, style):
    differences = pd.Series([-0.5, 1.0], index=["1", "2"])
    lower = difference_interval(differences, intervals, **PAIR, style=style)
    higher = difference_interval(
        differences, intervals, **{**PAIR, "higher_is_better": True}, style=style
    )

    assert "← qda better" in texts(lower)
    assert "qda better →" in texts(higher)
    assert "&lt;b&gt;svm better →" in texts(lower)
    assert "no difference" in texts(lower)


def test_bars_are_the_intervals_and_the_first_is_heavier(intervals, style):
    fig = difference_interval(
        pd.Series([-0.5, 1.0], index=["1", "2"]), intervals, **PAIR, style=style
    )
    first, second = trace(fig, "interval 1"), trace(fig, "interval 2")

    assert (list(first.x), list(second.x)) == ([-2.0, 1.0], [-1.2, 0.2])
    assert first.line.width > second.line.width
    assert list(fig.layout.yaxis.ticktext) == ["corrected t", "paired t"]
    assert list(trace(fig, "estimate 1").x) == [-0.5]


def test_an_interval_without_end_has_an_arrow_and_none_has_no_bar(intervals, style):
    intervals.loc["corrected t", ["low", "high"]] = [-np.inf, np.inf]
    intervals.loc["paired t", ["low", "high"]] = np.nan
    fig = difference_interval(
        pd.Series([-0.5, 1.0], index=["1", "2"]), intervals, **PAIR, style=style
    )
    low, high = fig.layout.xaxis.range

    assert list(trace(fig, "interval 1").marker.symbol) == ["triangle-left", "triangle-right"]
    assert list(trace(fig, "interval 1").x) == [low, high]
    assert f"({MINUS}\N{INFINITY}, \N{INFINITY})" in trace(fig, "interval 1").hovertext[0]
    assert np.isfinite([low, high]).all()
    assert not [t for t in fig.data if t.name == "interval 2"]


def test_an_interval_open_on_one_side_keeps_its_other_end(intervals, style):
    intervals.loc["corrected t", "low"] = -np.inf
    fig = difference_interval(
        pd.Series([-0.5, 1.0], index=["1", "2"]), intervals, **PAIR, style=style
    )
    bar = trace(fig, "interval 1")

    assert list(bar.marker.symbol) == ["triangle-left", "line-ns"]
    assert bar.x[1] == 1.0
    assert bar.marker.opacity == 1


def test_a_test_without_an_estimate_draws_nothing(intervals, style):
    intervals.loc["paired t"] = np.nan
    fig = difference_interval(
        pd.Series([-0.5, 1.0], index=["1", "2"]), intervals, **PAIR, style=style
    )

    assert not [t for t in fig.data if t.name in ("interval 2", "estimate 2")]
    assert list(fig.layout.yaxis.ticktext) == ["corrected t", "paired t"]


def test_hover_of_an_interval_tells_test_and_folds(intervals):
    fig = difference_interval(
        pd.Series([-0.5, 1.0], index=["1", "2"]),
        intervals.rename({"corrected t": "<t>"}),
        **PAIR,
        style=theme.screen(),
    )

    assert trace(fig, "estimate 1").hovertext[0] == (
        f"<b>difference {MINUS}0.500 [{MINUS}2.000, 1.000]</b><br>&lt;t&gt;<br>2 folds"
    )


def test_the_height_follows_the_tests(intervals):
    differences = pd.Series([-0.5, 1.0, 0.1, 0.2], index=list("1234"))
    heights = [
        difference_interval(
            differences, pd.concat([intervals] * n)[:n], **PAIR, style=each
        ).layout.height
        for each in (theme.screen(), theme.paper(6.75))
        for n in (1, 2, 4)
    ]

    assert heights == [96, 124, 180, 72, 92, 132]


def test_the_axis_title_has_room_below_the_ticks_in_larger_print(intervals):
    """Ticks of 3 px, two lines of text, and gaps need about three times the text size."""
    style = theme.paper(7, serif=False, points=9)
    fig = difference_interval(
        pd.Series([-0.5, 1.0], index=["1", "2"]), intervals, **PAIR, style=style
    )
    assert fig.layout.margin.b >= 3 * style.size == 36


def test_what_zero_means_gets_a_line_of_its_own_where_a_side_is_in_the_way(intervals):
    differences = pd.Series([-0.5, 1.0], index=["1", "2"])

    def lifted(**changes):
        fig = difference_interval(
            differences, intervals, **{**PAIR, **changes}, style=theme.screen()
        )
        side = next(a for a in fig.layout.annotations if "better" in a.text)
        return side.yshift, fig.layout.height

    assert lifted() == (0, 124)
    shift, height = lifted(first="x" * 45, second="y" * 45)
    assert shift > theme.screen().size
    assert height > 124


def overlaps(xs, ys, size):
    x, y = np.asarray(xs), np.asarray(ys)
    apart = np.hypot(x[:, None] - x, y[:, None] - y)
    return int((apart[np.triu_indices(len(x), 1)] < 0.98 * size).sum())


@pytest.mark.parametrize("n", [10, 400])
def test_circles_do_not_hide_each_other(intervals, n):
    differences = pd.Series(np.random.default_rng(n).normal(size=n).round(1))
    style = theme.screen()
    fig = difference_interval(differences, intervals[:1], **PAIR, style=style)
    folds, (low, high) = trace(fig, "folds"), fig.layout.xaxis.range
    width = style.width - fig.layout.margin.l - fig.layout.margin.r
    places = (np.array(folds.x) - low) / (high - low) * width

    if n <= 100:
        assert overlaps(places, folds.y, folds.marker.size) == 0
    assert len(set(zip(folds.x, folds.y, strict=True))) == n
    assert max(folds.y) + folds.marker.size / 2 <= fig.layout.yaxis.range[1]


def test_identical_results_still_draw(intervals, style):
    intervals[:] = 0.0
    fig = difference_interval(pd.Series([0.0] * 10), intervals, **PAIR, style=style)
    low, high = fig.layout.xaxis.range

    assert low < 0 < high
    assert len(set(trace(fig, "folds").y)) == 10


@pytest.mark.parametrize("scale", [1e-9, 1e9])
def test_numbers_below_have_room(intervals, every_style, scale):
    differences = pd.Series([-0.5, 1.0]) * scale
    fig = difference_interval(differences, intervals * scale, **PAIR, style=every_style)
    axis, (low, high) = fig.layout.xaxis, fig.layout.xaxis.range
    width = every_style.width - fig.layout.margin.l - fig.layout.margin.r
    steps = np.diff(axis.tickvals) / (high - low) * width

    assert "0" in axis.ticktext
    assert (
        max(text.text_width(t, every_style.tick_size, every_style.serif) for t in axis.ticktext)
        < steps.min()
    )


def test_zero_is_always_in_view_and_a_wide_interval_does_not_squeeze_the_folds(intervals, style):
    differences = pd.Series([5.0, 5.1], index=["1", "2"])
    intervals.loc["corrected t", ["low", "high"]] = [-1000.0, 1000.0]
    low, high = difference_interval(differences, intervals, **PAIR, style=style).layout.xaxis.range

    assert low < 0 < high
    assert high - low < 50


def test_selected_differences_keep_their_strength(intervals, style):
    fig = difference_interval(
        pd.Series([-0.5, 1.0], index=["1", "2"]), intervals, **PAIR, style=style, selected=["2"]
    )

    assert (trace(fig, "folds").opacity, list(trace(fig, "folds").customdata)) == (1, ["2"])
    assert trace(fig, "other folds").opacity == 0.25


@pytest.mark.parametrize("n", [1, 1000])
def test_any_number_of_folds_stays_low(intervals, style, n):
    differences = pd.Series(np.zeros(n), index=[str(i) for i in range(n)])
    fig = difference_interval(differences, intervals, **PAIR, style=style)

    assert fig.layout.height < 300


def words_of_interval(differences, intervals, **about):
    return DifferenceInterval(differences=differences, intervals=intervals, **about).alt


def test_the_interval_in_words(intervals):
    differences = pd.Series([-0.5, 1.0], index=["1", "2"])
    includes = words_of_interval(differences, intervals, **PAIR)
    intervals.loc["corrected t", "high"] = -0.1
    excludes = words_of_interval(differences, intervals, **PAIR)

    assert includes.endswith("The interval includes zero.")
    assert excludes.endswith("The interval excludes zero.")
    assert "qda better in 1" in includes
    long = {**PAIR, "first": "x" * 300, "measure": "y " * 200}
    words = words_of_interval(differences, intervals, **long)
    assert words.endswith("The interval excludes zero.")
    assert len(words) <= 300
    intervals.loc["corrected t", "low"] = np.nan
    assert "nterval" not in words_of_interval(differences, intervals, **PAIR)


@pytest.fixture
def residuals():
    """A table for a Q-Q plot in which one of three points is outside the band."""
    return pd.DataFrame(
        {
            "expected": [-1.0, 0.0, 1.0],
            "observed": [-1.1, 0.0, 3.0],
            "low": [-2.0, -0.5, 0.2],
            "high": [-0.2, 0.5, 2.0],
        },
        index=["1", "2", "<7>"],
    )


def test_points_outside_the_band_are_ringed_and_named(residuals, style):
    fig = NormalQQ(panels={"error": residuals}, notes={"error": "W 0.9, p = 0.2"}).draw(style)
    rings = trace(fig, "outside")

    assert (list(rings.x), list(rings.y)) == ([1.0], [3.0])
    assert list(rings.text) == ["&lt;7&gt;"]
    assert "W 0.9, p = 0.2" in texts(fig)
    assert trace(fig, "residuals").hovertext[2].endswith("observed 3.00, outside")
    assert list(trace(fig, "residuals").customdata) == ["1", "2", "<7>"]


def test_names_of_points_differ_from_those_of_other_algorithms(residuals):
    labels = [f"gradient boosting with {n} trees, learning rate 0.1, 7" for n in (1, 2, 3)]
    rings = trace(
        NormalQQ(panels={"error": residuals.set_axis(labels)}, notes={}).draw(theme.paper()),
        "outside",
    )
    (label,) = rings.text
    assert label.endswith(", 7")
    assert "3" in label


def test_of_neighbours_outside_one_is_named(style):
    """Two points outside the band are close together, and one is far from both."""
    table = pd.DataFrame(
        {"expected": [0.0, 0.1, 5.0, 10.0], "observed": [2.0, 2.2, 5.0, 16.0]},
        index=["1", "2", "3", "4"],
    ).assign(low=lambda t: t["expected"] - 1, high=lambda t: t["expected"] + 1)
    rings = trace(NormalQQ(panels={"error": table}, notes={}).draw(style), "outside")

    assert len(rings.x) == 3
    assert list(rings.text) == ["", "2", "4"]


def test_without_a_point_outside_there_are_no_rings(residuals, style):
    residuals.loc["<7>", "observed"] = 1.0
    fig = NormalQQ(panels={"error": residuals}, notes={}).draw(style)

    assert not [t for t in fig.data if t.name == "outside"]


def test_crowds_outside_are_coloured_not_ringed(style):
    n = 40
    table = pd.DataFrame(
        {"expected": np.linspace(-2, 2, n), "observed": 9.0, "low": -1.0, "high": 1.0},
        index=[str(i) for i in range(n)],
    )
    fig = NormalQQ(panels={"error": table}, notes={}).draw(style)

    assert not [t for t in fig.data if t.name == "outside"]
    assert set(trace(fig, "residuals").marker.color) == {style.accent}


def test_panels_are_small_multiples(residuals, style):
    fig = NormalQQ(panels={"a": residuals, "<b>": residuals}, notes={}).draw(style)

    assert {"a", "&lt;b&gt;"} <= set(texts(fig))
    assert len([t for t in fig.data if t.name == "residuals"]) == 2


def test_residuals_in_words(residuals):
    words = NormalQQ(panels={"error on bc": residuals}).alt

    assert words.endswith("1 of 3 points is outside the envelope.")


@pytest.mark.parametrize("name", ["x" * 45, "決定木"])
def test_long_names_keep_every_figure_in_its_frame(name, intervals, every_style):
    values = pd.DataFrame({name: [0.1, 0.2], "b": [0.3, 0.1]}, index=["1", "2"])
    slopes = PairedFolds(values=values, measure="error", higher_is_better=False).draw(every_style)
    interval = difference_interval(
        values[name] - values["b"],
        intervals,
        first=name,
        second="b",
        measure="error",
        higher_is_better=False,
        style=every_style,
    )

    for fig in (slopes, interval):
        assert fig.layout.margin.l + fig.layout.margin.r < 0.5 * every_style.width
    title = interval.layout.xaxis.title.text
    assert (
        text.text_width(html.unescape(title), every_style.size, every_style.serif)
        < every_style.width
    )


@pytest.fixture(scope="module")
def many():
    """Results of 5,000 folds, of which "7" is neither the best nor the worst."""
    rng = np.random.default_rng(1)
    values = pd.DataFrame(
        rng.normal(0.8, 0.02, (5_000, 2)), columns=["a", "b"], index=map(str, range(1, 5_001))
    )
    values.loc["7"] = 0.8001, 0.8
    return values


def marks(fig):
    """Return the labels of all folds drawn as marks, and their x."""
    traces = [t for t in fig.data if t.meta == "fold"]
    return [label for t in traces for label in t.customdata], np.concatenate([t.x for t in traces])


@pytest.mark.parametrize("kind", [FoldHistogram, Raincloud])
def test_of_many_folds_an_even_selection_is_drawn_with_the_extremes_and_those_selected(
    many, kind, style
):
    spec = kind(values=many, measure="accuracy", selected=("7",))
    labels, x = marks(spec.draw(style))

    assert 4_000 <= len(labels) <= 4_002  # 2,000 per algorithm, and the selected fold
    assert labels.count("7") == 2
    assert {many["a"].idxmin(), many["a"].idxmax(), many["b"].idxmin(), many["b"].idxmax()} <= set(
        labels
    )
    drawn = x[: len(x) // 2]
    assert abs(np.median(drawn) - np.median(many)) < 0.001
    assert "an even selection of 2,000 of the 5,000 folds" in spec.caption(style)
    assert f"mean {many['a'].mean():.4f}" in trace(spec.draw(style), "means").hovertext[0]
    assert "selection" not in kind(values=many.iloc[:2_000], measure="accuracy").caption(style)


def test_counts_and_axes_of_a_scatter_plot_are_of_all_folds(many, style):
    spec = PairedFolds(values=many, measure="accuracy", higher_is_better=True, selected=("7",))
    fig = spec.draw(style)

    assert len(marks(fig)[0]) <= 2_001
    assert "7" in marks(fig)[0]
    assert f"a better: {(many['a'] > many['b']).sum()}" in texts(fig)
    assert fig.layout.xaxis.range[0] < many.min().min()
    assert "2,000 of the 5,000 folds" in spec.caption(style)


def test_of_many_differences_an_even_selection_is_stacked(many, intervals, style):
    differences = many["a"] - many["b"]
    spec = DifferenceInterval(
        differences=differences, intervals=intervals / 100, **PAIR | {"first": "a"}
    )
    labels, x = marks(spec.draw(style))

    assert len(labels) == 2_000
    assert (x.min(), x.max()) == (differences.min(), differences.max())
    assert np.quantile(x, [0.1, 0.9]) == pytest.approx(
        np.quantile(differences, [0.1, 0.9]), abs=2e-4
    )


def test_of_many_points_of_a_qq_plot_those_outside_and_both_ends_remain(style):
    expected = np.linspace(-3.5, 3.5, 10_000) ** 3 / 12
    table = pd.DataFrame(
        {"expected": expected, "observed": expected, "low": expected - 1, "high": expected + 1}
    )
    table.index = table.index.astype(str)
    table.loc["4321", "observed"] += 2
    points = trace(NormalQQ(panels={"a": table}).draw(style), "residuals")

    assert len(points.x) <= 2_001
    assert "4321" in points.customdata
    assert (points.x[0], points.x[-1]) == (expected[0], expected[-1])


def test_the_density_of_many_results_is_that_of_all():
    values = np.random.default_rng(1).normal(size=2_500)
    x, y = density(values)

    assert y == pytest.approx(gaussian_kde(values)(x), abs=1e-3)
