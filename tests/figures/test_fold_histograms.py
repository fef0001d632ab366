"""Tests of histograms and rainclouds of results per fold."""

import math

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from foldwise.figures import text, theme
from foldwise.figures.fold_histogram import FoldHistogram
from foldwise.figures.fold_rows import Numbers
from foldwise.figures.histogram_bins import Bins, shared_axes
from foldwise.figures.raincloud import Raincloud
from foldwise.rendering.from_plotly import scene_from_figure
from foldwise.rendering.scene import SceneText
from tests.figures.drawn_figures import named, texts

MINUS = "\N{MINUS SIGN}"
KINDS = (FoldHistogram, Raincloud)


def table(folds, algorithms, seed=0, scale=1.0, shift=6.0):
    rng = np.random.default_rng(seed)
    names = ["qda", "<b>svm & co", "lda", "rf", "knn", "c4.5", "mlp", "nb"][:algorithms]
    names += [f"algorithm {i}" for i in range(algorithms - len(names))]
    decimals = 3 - math.floor(math.log10(scale))  # of numbers that differ, whatever their scale
    values = np.round(rng.normal(shift, scale, (folds, algorithms)), decimals)
    return pd.DataFrame(values, [f"2.{i + 1}" for i in range(folds)], names)


def with_far(folds, algorithms):
    """Return a table in which the last algorithm is far from the others."""
    values = table(folds, algorithms)
    return values.assign(**{values.columns[-1]: values.iloc[:, -1] + 60})


@pytest.fixture
def pair():
    return pd.DataFrame(
        {"qda": [5.15, 6.42, 6.44, 5.9], "<b>svm": [6.22, 6.05, 6.55, 5.9]}, list("1234")
    )


def draw(values, style, kind=FoldHistogram, **options):
    options = {"measure": "error (%)", "higher_is_better": False, **options}
    return kind(values=values, **options).draw(style)


def caption_of(values, kind=FoldHistogram, **options):
    return kind(values=values, **{"measure": "m", **options}).caption(theme.screen())


def bars(fig):
    return [t for t in fig.data if t.type == "bar"]


def bins_of(values):
    return Bins.of(list(values.to_numpy().T))


@pytest.mark.parametrize(
    ("values", "width"),
    [
        ([5.0, 7.05], 0.25),
        ([0.0, 14.0], 2.0),
        ([0.0, 35.0], 5.0),
        ([-3.1, 3.1], 0.5),
        ([0.812, 0.9], 0.01),
        ([20000.0, 26000.0], 500.0),
    ],
)
def test_two_results_span_at_least_eight_round_bins(values, width):
    bins = Bins.of([np.array(values)])
    np.testing.assert_allclose(np.diff(bins.edges), width)
    assert len(bins.edges) - 1 >= 8
    assert bins.edges[0] <= min(values) < bins.edges[1]
    assert bins.edges[-2] <= max(values) < bins.edges[-1]
    multiples = bins.edges / width
    np.testing.assert_allclose(multiples, np.round(multiples))


@pytest.mark.parametrize("k", [1, 2, 8, 40])
@pytest.mark.parametrize(("folds", "least"), [(5, 2), (10, 4), (30, 5), (100, 8), (1000, 16)])
def test_bins_follow_the_spread_within_algorithms(folds, least, k):
    """Algorithms up to three standard deviations apart do not widen the bins."""
    values = table(folds, k) + np.linspace(0, 3, k)
    bins = bins_of(values)
    occupied = [len(set(bins.index(column))) for column in values.to_numpy().T]
    assert least <= np.median(occupied) <= 30
    assert 8 <= len(bins.edges) - 1 <= 100


def test_a_hundred_folds_of_distant_algorithms_are_not_blocks():
    for distance in (3, 5, 8, 30):
        values = table(100, 8) + distance * np.arange(8)
        spec = FoldHistogram(values=values, measure="m")
        columns = values.to_numpy().T
        assert min(len(set(bins.index(columns[i]))) for axis, bins in spec.axes for i in axis) >= 6


def test_an_outlying_fold_does_not_widen_the_bins():
    values = table(100, 1)
    values.iloc[0] = 26.0
    bins = bins_of(values)
    assert len(set(bins.index(values.iloc[1:, 0].to_numpy()))) >= 8


def test_tied_results_have_no_empty_bins_between_them():
    values = (table(30, 3) * 2).round() / 2
    bins = bins_of(values)
    assert bins.width == 0.5


def test_a_value_on_an_edge_belongs_to_the_bin_above():
    values = np.array([0.1, 0.3, 0.1 + 0.2, 0.7, 100 * 0.29 / 100, 1.1])
    bins = Bins.of([values])
    assert bins.width == 0.1
    assert list(bins.index(values)) == [0, 2, 2, 6, 1, 10]


def test_bins_of_any_numbers_hold_every_value():
    rng = np.random.default_rng(1)
    for power in range(-9, 10, 3):
        for shift in (0, 1, -30):
            values = (rng.normal(size=40) + shift) * 10.0**power
            bins = Bins.of([values])
            index = bins.index(values)
            assert (values >= bins.edges[index] * (1 - 1e-9) - 1e-15).all()
            assert (values <= bins.edges[index + 1] + 1e-9 * abs(values)).all()


def test_an_algorithm_far_from_the_others_has_its_own_axis():
    columns = list(table(30, 5).to_numpy().T)
    assert shared_axes(columns) == [[0, 1, 2, 3, 4]]
    columns[1] = columns[1] + 60
    columns[3] = columns[3] - 100
    assert shared_axes(columns) == [[0, 2, 4], [1], [3]]


def test_evenly_spread_algorithms_share_an_axis():
    assert shared_axes([np.linspace(0, 1, 50) + i for i in range(30)]) == [list(range(30))]


@pytest.mark.parametrize("kind", KINDS)
def test_the_caption_names_algorithms_with_their_own_axis(kind, style):
    values = with_far(30, 4)
    fig = draw(values, style, kind)
    assert fig.layout.xaxis2.range[0] > fig.layout.xaxis.range[1]
    assert "rf has its own axis" in caption_of(values, kind)
    assert "of its own" not in caption_of(table(30, 4), kind)


def test_bars_hold_the_number_of_folds(style):
    values = with_far(100, 3)
    fig = draw(values, style)
    spec = FoldHistogram(values=values, measure="m")
    positions = [i for axis, _ in spec.axes for i in axis]
    all_bins = [bins for axis, bins in spec.axes for _ in axis]
    for trace, position, bins in zip(bars(fig), positions, all_bins, strict=True):
        expected = np.bincount(bins.index(values.iloc[:, position].to_numpy()))
        heights = np.array(trace.y) / sum(trace.y) * 100
        np.testing.assert_allclose(heights, expected[expected > 0])
        np.testing.assert_allclose(trace.x, [bins.middle(i) for i in np.flatnonzero(expected)])
        assert trace.width == pytest.approx(bins.width)


@pytest.mark.parametrize("folds", [2, 5, 10, 30, 100, 1000])
@pytest.mark.parametrize("k", [1, 2, 9])
def test_every_histogram_has_a_count_axis_with_three_ticks(folds, k, style):
    fig = draw(table(folds, k), style)
    for axis in fig.select_yaxes():
        counts = np.array(list(map(int, axis.ticktext)))
        rows = np.split(counts, np.flatnonzero(counts == 0)[1:])
        assert min(map(len, rows)) >= 3
        heights = np.array(axis.tickvals)
        assert (
            np.diff(heights[counts == 0]).size == 0
            or abs(np.diff(heights[:3])).min() > 0.9 * axis.tickfont.size
        )
        assert axis.title.text == "folds"
        unit = (heights[1] - heights[0]) / (counts[1] - counts[0])
        tallest = max(max(trace.y) for trace in bars(fig)) / unit
        assert counts.max() >= tallest - 1e-9


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(("scale", "shift"), [(1.0, 6.0), (1e-7, 0.0), (0.002, 1e6)])
def test_every_axis_of_values_has_three_ticks(kind, scale, shift, style):
    for axis in draw(table(30, 3, scale=scale, shift=shift), style, kind).select_xaxes():
        low, high = axis.range
        assert np.floor(high / axis.dtick) - np.ceil(low / axis.dtick) + 1 >= 3


@pytest.mark.parametrize("kind", KINDS)
def test_folds_are_marked_at_their_results_and_carry_their_labels(kind, pair, style):
    folds = named(draw(pair, style, kind), "folds")
    assert [list(t.x) for t in folds] == [list(pair["qda"]), list(pair["<b>svm"])]
    assert all(list(t.customdata) == list(pair.index) and t.meta == "fold" for t in folds)


@pytest.mark.parametrize("kind", KINDS)
def test_means_are_marked_and_printed(kind, pair, style):
    fig = draw(pair, style, kind)
    np.testing.assert_allclose(named(fig, "means")[0].x, pair.mean())
    words = " ".join(texts(fig))
    assert "mean" in words
    assert "5.98" in words
    assert "6.18" in words


def test_hover_names_fold_value_and_bin(pair, style):
    fold = named(draw(pair, style), "folds")[0]
    hover = dict(zip(fold.customdata, fold.hovertext, strict=True))
    assert hover["2"] == (
        "<b>qda, fold 2</b>: 6.42%<br>bin 6.4\N{EN DASH}6.5: 2<br>Click: select the fold"
    )
    low = named(draw(-pair, style, measure="score"), "folds")[0]
    assert f"bin {MINUS}6.5 to {MINUS}6.4: 2" in " ".join(low.hovertext)


@pytest.mark.parametrize("kind", KINDS)
def test_names_never_become_markup(kind, style):
    fig = draw(table(10, 2).rename(index={"2.1": "<i>1"}), style, kind, measure="a <b>measure</b>")
    everything = [*texts(fig), fig.layout.xaxis.title.text, *(t.name for t in fig.data)]
    everything += [h for t in fig.data for h in t.hovertext or ()]
    for string in everything:
        assert "<b>svm" not in string
        assert "<i>" not in string
        assert "<b>measure" not in string


@pytest.mark.parametrize("kind", KINDS)
def test_selected_folds_keep_their_strength_and_the_others_fade(kind, style):
    fig = draw(table(10, 2), style, kind, selected={"2.3", "2.7"})
    for trace in named(fig, "folds"):
        assert (set(trace.customdata) <= {"2.3", "2.7"}) is (trace.opacity == 1)
    assert {t.opacity for t in named(fig, "folds")} == {1, 0.25}
    assert named(fig, "means")[0].opacity is None
    assert {
        t.opacity for t in named(draw(table(10, 2), style, kind, selected=["99"]), "folds")
    } == {1}


def test_bars_fade_in_part():
    whole = draw(table(100, 1), theme.screen())
    lit, dim = bars(draw(table(100, 1), theme.screen(), selected=["2.3"]))
    assert (lit.opacity, dim.opacity) == (1, 0.25)
    assert sum(lit.y) == pytest.approx(sum(bars(whole)[0].y) / 100)
    assert sum(lit.y) + sum(dim.y) == pytest.approx(sum(bars(whole)[0].y))


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("k", [1, 2, 9])
def test_equal_values_can_be_drawn(kind, k, style):
    values = pd.DataFrame(0.0, [str(i) for i in range(10)], [f"a{i}" for i in range(k)])
    fig = draw(values, style, kind)
    low, high = fig.layout.xaxis.range
    assert low < 0 < high
    if kind is FoldHistogram:
        assert texts(fig).count("all 10 folds 0.00") == k
        assert {x for t in bars(fig) for x in t.x} == {0.0}
    else:
        assert not [t for t in fig.data if t.name.startswith("density")]


def test_values_equal_but_for_the_last_binary_digit_are_equal(style):
    values = pd.DataFrame({"a": [0.3, 0.1 + 0.2], "b": [0.3, 0.3]}, ["1", "2"])
    assert "all 2 folds 0.30" in texts(draw(values, style))


def test_zero_is_the_middle_of_the_axis_if_it_has_a_label(style):
    for kind in KINDS:
        fig = draw(table(30, 1, shift=1.0), style, kind, zero="no difference")
        assert fig.layout.xaxis.range[0] == pytest.approx(-fig.layout.xaxis.range[1])
        assert list(named(fig, "no difference")[0].x) == [0, 0]
        assert "no difference" in texts(fig)


def test_print_without_colour_is_grey():
    mine = {"qda": "#FF0000", "<b>svm & co": "#00FF00"}
    for trace in bars(draw(table(10, 2), theme.paper(), colours=mine)):
        assert (trace.marker.color, trace.marker.line.color) == ("#BDBDBD", "#000000")
    drawn = draw(table(10, 2), theme.paper(), Raincloud, colours=mine)
    assert "FF0000" not in drawn.to_json()


def test_colours_are_kept_on_the_screen():
    mine = {"qda": "#56B4E9", "<b>svm & co": "#D55E00"}
    for dark, light in ((False, ["#BBE1F6", "#EEBF99"]), (True, ["#2B526B", "#5E300E"])):
        fig = draw(table(10, 2), theme.screen(dark=dark), colours=mine)
        assert [t.marker.line.color for t in bars(fig)] == list(mine.values())
        assert [t.marker.color for t in bars(fig)] == light
        cloud = draw(table(10, 2), theme.screen(dark=dark), Raincloud, colours=mine)
        assert [t.fillcolor for t in cloud.data if t.name.startswith("density")] == light


@pytest.mark.parametrize("folds", [8, 30, 100])
def test_densities_are_those_of_scipy_and_end_at_the_extreme_results(folds, style):
    values = table(folds, 3)
    outlines = [t for t in draw(values, style, Raincloud).data if t.name.startswith("density")]
    for trace, name in zip(outlines, values, strict=True):
        x, y = np.array(trace.x), np.array(trace.y) - min(trace.y)
        assert (x.min(), x.max()) == (values[name].min(), values[name].max())
        inner = slice(1, -2)  # without the baseline
        expected = stats.gaussian_kde(values[name])(x[inner])
        np.testing.assert_allclose(y[inner] / y.max(), expected / expected.max(), atol=1e-9)


def test_fewer_than_eight_folds_have_neither_density_nor_box(style):
    fig = draw(table(7, 3), style, Raincloud)
    assert {t.name for t in fig.data} <= {"folds", "means", "names"}
    assert "too few for densities" in caption_of(table(7, 3), Raincloud)
    assert [t for t in draw(table(8, 3), style, Raincloud).data if t.name == "boxes"]


def test_boxes_show_quartiles_median_and_whiskers(style):
    values = pd.DataFrame({"a": [*range(11), 40.0]}, [str(i) for i in range(12)])
    fig = draw(values, style, Raincloud)
    (box,), (median,), (whiskers,) = (named(fig, name) for name in ("boxes", "medians", "whiskers"))
    assert {x for x in box.x if x is not None} == {2.75, 8.25}
    assert median.x[0] == 5.5
    assert [x for x in whiskers.x if x is not None] == [0, 2.75, 8.25, 10]


LONG = [
    "a model with a name of forty-five characters.",
    "决策树与随机森林以及支持向量机的比较研究方法论",
    "Ü",
]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    ("folds", "k", "scale"), [(1, 2, 1.0), (10, 3, 1e-7), (30, 16, 4000.0), (100, 40, 0.01)]
)
def test_no_text_leaves_the_figure_or_overlaps(kind, folds, k, scale, every_style):
    values = with_far(folds, k) * scale
    values.columns = [*LONG[: min(k, 3)], *values.columns[3:]]
    measure = "the mean logarithm of the likelihood of all held-out folds together (nats)"
    fig = draw(values, every_style, kind, measure=measure)
    fig.update_layout(width=every_style.width)
    scene = scene_from_figure(fig)
    found = []
    for item in [part for part in scene.parts if isinstance(part, SceneText)]:
        across, up, down = item.width, 0.7 * item.size, 0.2 * item.size
        left, top, right, bottom = item.x, item.y - up, item.x + across, item.y + down
        if item.angle:  # the title of the count axis is read from below
            left, top, right, bottom = item.x - up, item.y - across, item.x + down, item.y
        assert left >= -0.5
        assert right <= scene.width + 0.5
        assert top >= -0.5
        assert bottom <= scene.height + 0.5
        found.append((left, top, right, bottom))
    for i, (left, top, right, bottom) in enumerate(found):
        for other in found[:i]:
            assert left >= other[2] or right <= other[0] or top >= other[3] or bottom <= other[1]


@pytest.mark.parametrize("hole", [np.nan, np.inf])
@pytest.mark.parametrize("kind", KINDS)
def test_holes_are_refused(kind, hole):
    values = table(3, 2)
    values.iloc[1, 1] = hole
    with pytest.raises(ValueError, match="finite"):
        draw(values, theme.screen(), kind)
    with pytest.raises(ValueError, match="finite"):
        draw(values.iloc[:0], theme.screen(), kind)


@pytest.mark.parametrize(
    ("values", "measure", "printed"),
    [
        ([5.15, 6.42, 6.44], "error (%)", "6.00"),
        ([0.0, 100.0], "error (%)", "50.0"),
        ([0.9512, 0.9533, 0.9571], "accuracy", "0.9539"),
        ([24000.0, 27000.0], "cost", "25,500"),
        ([-0.001, 0.001, 0.0], "gain", "0.0000"),
        ([-4e-8, -2e-8], "time (s)", f"{MINUS}3e{MINUS}08"),
        ([0.9637, 0.9637], "accuracy", "0.9637"),
    ],
)
def test_means_have_the_digits_their_standard_error_supports(values, measure, printed):
    frame = pd.DataFrame({"a": values})
    assert Numbers.of(frame, measure).say(float(np.mean(values))) == printed


def test_the_histogram_in_words(pair):
    assert FoldHistogram(values=pair, measure="error (%)", higher_is_better=False).alt == (
        "Histogram of error (%) for 2 algorithms on 4 folds, lower is better. "
        "qda: mean 5.98, range 5.15 to 6.44. <b>svm: mean 6.18, range 5.90 to 6.55."
    )
    many = table(10, 34).rename(columns={"qda": LONG[0], "lda": LONG[1] * 3})
    long = Raincloud(values=many, measure=LONG[1] * 9, higher_is_better=True).alt
    assert len(long) <= 300
    assert long.endswith(" more.")
    assert long.startswith("Raincloud of")


def test_the_caption_states_folds_bins_and_what_is_left_out(pair):
    assert caption_of(pair, measure="error (%)") == (
        "Histograms of 4 folds per algorithm. Bin width: 0.1 points (Rice's rule within algorithms). "
        "Ticks: folds. Triangles: means."
    )
    assert caption_of(table(10, 9), total=12).endswith("9 of 12 algorithms are drawn.")
    assert text.plain_text("<b>svm") in caption_of(pair.assign(**{"<b>svm": pair["<b>svm"] + 90}))
