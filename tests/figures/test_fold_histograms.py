import re

import numpy as np
import pandas as pd
import pytest

from foldwise.figures import text, theme
from foldwise.figures.fold_histogram import Bins, FoldHistogram, Numbers
from tests.figures.drawn_figures import named, texts

MINUS = "\N{MINUS SIGN}"


def table(folds, algorithms, seed=0, scale=1.0, shift=6.0):
    rng = np.random.default_rng(seed)
    names = ["qda", "<b>svm & co", "lda", "rf", "knn", "c4.5", "mlp", "nb"][:algorithms]
    names += [f"algorithm {i}" for i in range(algorithms - len(names))]
    values = np.round(rng.normal(shift, scale, (folds, algorithms)), 3)
    return pd.DataFrame(values, [f"2.{i + 1}" for i in range(folds)], names)


def caption_of(values, style=None, **about):
    return FoldHistogram(values=values, **about).caption(style or theme.screen())


@pytest.fixture
def pair():
    return pd.DataFrame({"qda": [5.15, 6.42, 6.44, 5.9], "<b>svm": [6.22, 6.05, 6.55, 5.9]}, list("1234"))


def draw(values, style, higher=False, **options):
    measure = options.pop("measure", "error (%)")
    return FoldHistogram(values=values, measure=measure, higher_is_better=higher, **options).draw(style)


def bars(fig, name=None):
    return [t for t in fig.data if t.type == "bar" and name in (None, t.name)]


def labels(traces):
    return sorted(label for t in traces for label in t.customdata)


@pytest.mark.parametrize(
    ("values", "width"),
    [
        ([5.0, 7.05], 0.2),
        ([0.0, 13.0], 1.0),
        ([0.0, 14.0], 2.0),
        ([0.0, 28.0], 2.5),
        ([0.0, 34.9], 2.5),
        ([0.0, 35.0], 5.0),
        ([-3.1, 3.1], 0.5),
        ([0.812, 0.9], 0.01),
        ([20000.0, 26000.0], 500.0),
    ],
)
def test_bins_are_the_narrowest_of_which_fourteen_suffice(values, width):
    edges = Bins.of(np.array(values)).edges
    np.testing.assert_allclose(np.diff(edges), width)
    assert len(edges) - 1 <= 14
    assert edges[0] <= min(values) < edges[1]
    assert edges[-2] <= max(values) < edges[-1]
    multiples = edges / width
    np.testing.assert_allclose(multiples, np.round(multiples))


def test_a_value_on_an_edge_belongs_to_the_bin_above():
    values = np.array([0.1, 0.3, 0.1 + 0.2, 0.7, 100 * 0.29 / 100, 1.1])
    bins = Bins.of(values)
    assert bins.width == 0.1
    assert list(bins.index(values)) == [0, 2, 2, 6, 1, 10]
    percent = np.array([25.0, 100 * 0.29, 100 * 0.57 - 28, 38.0])
    assert list(Bins.of(percent).index(percent)) == [0, 4, 4, 13]


def test_bins_of_any_numbers_hold_every_value():
    rng = np.random.default_rng(1)
    for power in range(-9, 10, 3):
        for shift in (0, 1, -30):
            values = (rng.normal(size=40) + shift) * 10.0**power
            bins = Bins.of(values)
            index = bins.index(values)
            assert len(bins.edges) <= 15
            assert (values >= bins.edges[index] * (1 - 1e-9) - 1e-15).all()
            assert (values <= bins.edges[index + 1] + 1e-9 * abs(values)).all()


@pytest.mark.parametrize(
    ("form", "folds"), [("facing", 1), ("facing", 30), ("rows", 10), ("rows", 60), ("overlaid", 2), ("overlaid", 60)]
)
def test_there_is_one_brick_per_fold_and_it_carries_its_label(form, folds, style):
    values = table(folds, 2)
    fig = draw(values, style, form=form)
    heights = [abs(h) / n for t in bars(fig) for h, n in zip(t.y, counted(t), strict=True)]
    if min(heights) < style.px(4, 2.4):
        assert all(t.customdata is None for t in bars(fig))
        assert caption_of(values, measure="m", form=form, style=style).startswith("Bars: numbers of folds")
    else:
        assert labels(bars(fig)) == sorted([*values.index] * 2)
        assert caption_of(values, measure="m", form=form, style=style).startswith("One box")


def counted(trace):
    """Folds in each bar, from its hover where it holds several."""
    found = [re.search(r"bin .*: (\d+)<br>", said) for said in trace.hovertext]
    plain = trace.customdata is None
    return [int(hit.group(1)) if plain and hit else 1 for hit in found]


def test_flat_bricks_are_bars(style):
    """Thirty equal folds of 44 px (26 in print) would be bricks of 1.5 px, with edges of 0.8."""
    values = pd.DataFrame({"a": [0.1] * 30, "b": [0.9] * 30}, [str(i) for i in range(30)])
    drawn = bars(draw(values, style, form="rows"))
    assert [len(t.x) for t in drawn] == [1, 1]


def test_ticks_have_one_number_of_decimals(style):
    """Edges at 0.15, 0.16 ... 0.24: "0.20", not "0.2" beside "0.19"."""
    values = pd.DataFrame({"a": np.linspace(0.15, 0.239, 20), "b": np.linspace(0.16, 0.22, 20)})
    axis = draw(values, style, form="rows").layout.xaxis
    assert axis.tickformat == ",.2f"


@pytest.mark.parametrize("form", ["facing", "rows"])
def test_bricks_stand_in_bins_all_algorithms_share(form, style):
    values = table(10, 2)
    fig = draw(values, style, form=form)
    edges = Bins.of(values.to_numpy()).edges
    middles = (edges[1:] + edges[:-1]) / 2
    for trace, name in zip(bars(fig), values.columns, strict=True):
        for x, fold in zip(trace.x, trace.customdata, strict=True):
            assert np.isclose(middles, x).any()
            assert x - trace.width / 2 <= values[name][fold] + 1e-9 < x + trace.width / 2 + 1e-9
        assert trace.width == pytest.approx(edges[1] - edges[0])


@pytest.mark.parametrize("form", ["facing", "rows", "overlaid"])
def test_bricks_of_a_bin_lie_on_each_other_without_gaps(form, style):
    for trace in bars(draw(table(30, 2), style, form=form)):
        for x in set(trace.x):
            stack = [(b, y) for b, y, at in zip(trace.base, trace.y, trace.x, strict=True) if at == x]
            for (base, height), (above, _) in zip(stack, stack[1:], strict=False):
                assert base + height == pytest.approx(above)


def test_facing_stacks_grow_apart(pair, style):
    first, second = bars(draw(pair, style))
    assert min(first.y) > 0 > max(second.y)
    assert min(first.base) > max(second.base)


def test_links_are_solid_where_the_first_is_better_and_dashed_where_the_second_is(pair, style):
    fig = draw(pair, style)
    ((solid,), (dashed,), (equal,)) = (named(fig, n) for n in ("qda better", "&lt;b&gt;svm better", "equal values"))
    assert solid.line.dash == "solid"
    assert dashed.line.dash not in (None, "solid", equal.line.dash)
    assert list(solid.x) == [5.15, 6.22, None, 6.44, 6.55, None]
    assert list(dashed.x) == [6.42, 6.05, None]
    assert list(equal.x) == [5.9, 5.9, None]
    turned = draw(pair, style, higher=True)
    assert list(named(turned, "qda better")[0].x) == [6.42, 6.05, None]


def test_ticks_stand_at_the_values_and_carry_the_fold(pair, style):
    for form in ("facing", "rows"):
        ticks = named(draw(pair, style, form=form), "folds")
        assert [list(t.x) for t in ticks] == [list(pair["qda"]), list(pair["<b>svm"])]
        assert all(list(t.customdata) == list(pair.index) for t in ticks)


def test_means_are_marked_and_printed(pair, style):
    facing = draw(pair, style)
    np.testing.assert_allclose(named(facing, "means")[0].x, pair.mean())
    assert {"mean 5.98", "mean 6.18"} <= set(texts(facing))
    assert {"mean", "5.98", "6.18"} <= set(texts(draw(pair, style, form="rows")))
    overlaid = draw(pair, style, form="overlaid")
    assert [t.name for t in bars(overlaid)] == ["qda, mean 5.98", "&lt;b&gt;svm, mean 6.18"]


def test_hover_names_fold_value_and_bin(pair, style):
    fig = draw(pair, style)
    hover = dict(zip(bars(fig)[0].customdata, bars(fig)[0].hovertext, strict=True))
    assert hover["2"] == ("<b>qda, fold 2</b>: 6.42%<br>bin 6.4\N{EN DASH}6.6: 2<br>Click: select the fold")
    low = draw(-pair, style, measure="score")
    assert f"bin {MINUS}6.6 to {MINUS}6.4: 2" in " ".join(bars(low)[0].hovertext)


def test_names_never_become_markup(style):
    values = table(4, 2).rename(index={"2.1": "<i>1"})
    for form in ("facing", "rows", "overlaid"):
        fig = draw(values, style, form=form, measure="a <b>measure</b>")
        everything = [*texts(fig), fig.layout.xaxis.title.text, *(fig.layout.yaxis.ticktext or ())]
        everything += [t.name for t in fig.data]
        everything += [h for t in fig.data for h in t.hovertext or ()]
        for string in everything:
            assert "<b>svm" not in string
            assert "<i>" not in string
            assert "<b>measure" not in string
        assert "<i>1" in labels(bars(fig))


def test_automatic_form_follows_the_number_of_algorithms(style):
    assert named(draw(table(10, 2), style), "qda better")
    for k in (1, 3, 8):
        fig = draw(table(10, k), style)
        assert len(bars(fig)) == k
        assert "mean" in texts(fig)
    assert len(bars(draw(table(10, 3), style, form="overlaid"))) == 3
    assert not named(draw(table(10, 3), style, form="facing"), "qda better")


def test_many_algorithms_are_strips_of_ticks(style):
    k = 34
    values = table(10, k)
    fig = draw(values, style)
    assert not bars(fig)
    ticks = named(fig, "folds")
    assert len(ticks) == k
    assert all(list(t.customdata) == list(values.index) for t in ticks)
    assert not any("bin" in h for h in ticks[0].hovertext)
    plot = fig.layout.height - fig.layout.margin.t - fig.layout.margin.b
    assert (plot - 5) / k <= 22.1
    assert min(np.diff(sorted(fig.layout.yaxis.tickvals))) >= 1.2 * fig.layout.yaxis.tickfont.size


@pytest.mark.parametrize("form", ["facing", "rows", "overlaid"])
def test_beyond_sixty_folds_bins_are_ordinary_bars(form, style):
    values = table(100, 2)
    fig = draw(values, style, form=form)
    for trace, name in zip(bars(fig), values.columns, strict=True):
        index = Bins.of(values.to_numpy()).index(values[name].to_numpy())
        held = np.unique(index, return_counts=True)[1]
        assert trace.customdata is None
        heights = np.abs(trace.y)
        np.testing.assert_allclose(heights / heights.sum() * len(values), held)
    if form != "overlaid":
        assert labels(named(fig, "folds")) == sorted([*values.index] * 2)


@pytest.mark.parametrize("form", ["facing", "rows", "overlaid"])
def test_selected_folds_keep_their_strength_and_the_others_fade(form, style):
    values = table(10, 2)
    fig = draw(values, style, form=form, selected={"2.3", "2.7"})
    marks = bars(fig) + named(fig, "folds")
    assert {t.opacity for t in marks} == {1, 0.25}
    for trace in marks:
        expected = {"2.3", "2.7"}
        assert (set(trace.customdata) <= expected) is (trace.opacity == 1)
        assert trace.unselected.marker.opacity == 1
    for trace in fig.data:
        if trace.name.endswith(" better"):
            assert trace.opacity in (1, 0.25)
    assert named(fig, "means")[0].opacity is None


def test_bars_of_many_folds_fade_in_part():
    values = table(100, 1)
    whole = draw(values, theme.screen())
    fig = draw(values, theme.screen(), selected=["2.3"])
    lit, dim = bars(fig)
    assert (lit.opacity, dim.opacity, len(lit.x)) == (1, 0.25, 1)
    assert sum(lit.y) + sum(dim.y) == pytest.approx(sum(bars(whole)[0].y))


def test_an_unknown_fold_dims_nothing(pair, style):
    assert {t.opacity for t in bars(draw(pair, style, selected=["99"]))} == {1}


@pytest.mark.parametrize(("k", "form"), [(2, "facing"), (2, "overlaid"), (3, "rows"), (9, "rows")])
def test_equal_values_are_one_column_in_words(k, form, style):
    values = pd.DataFrame(0.0, [str(i) for i in range(10)], [f"a{i}" for i in range(k)])
    fig = draw(values, style, form=form)
    assert "all 10 folds 0.00" in texts(fig)
    assert len({x for t in bars(fig) for x in t.x} | {0.0}) == 1
    low, high = fig.layout.xaxis.range
    assert low < 0 < high


def test_values_equal_but_for_the_last_binary_digit_are_equal(style):
    values = pd.DataFrame({"a": [0.3, 0.1 + 0.2], "b": [0.3, 0.3]}, ["1", "2"])
    assert "all 2 folds 0.30" in texts(draw(values, style))


def test_print_without_colour_is_black_white_and_grey():
    values, paper = table(10, 2), theme.paper()
    mine = {"qda": "#FF0000", "<b>svm & co": "#00FF00"}
    first, second = bars(draw(values, paper, colours=mine))
    assert (first.marker.color, first.marker.line.color) == ("#000000", "#FFFFFF")
    assert (second.marker.color, second.marker.line.color) == ("#FFFFFF", "#000000")
    rows = bars(draw(table(10, 8), paper, colours=mine))
    assert {t.marker.color for t in rows} == {"#BDBDBD"}
    first, second = bars(draw(values, paper, form="overlaid", colours=mine))
    assert first.marker.color == "#BDBDBD"
    assert (second.marker.color, second.marker.pattern.shape) == ("rgba(0,0,0,0)", "/")


def test_colours_are_kept_on_the_screen():
    mine = {"qda": "#56B4E9", "<b>svm & co": "#D55E00"}
    for dark, light in ((False, ["#BBE1F6", "#EEBF99"]), (True, ["#2B526B", "#5E300E"])):
        fig = draw(table(10, 2), theme.screen(dark=dark), colours=mine)
        assert [t.marker.line.color for t in bars(fig)] == list(mine.values())
        assert [t.marker.color for t in bars(fig)] == light
    given = [t.marker.line.color for t in bars(draw(table(10, 8), theme.screen(dark=True)))]
    assert given == list(theme.PALETTE_DARK)


def test_bricks_stay_countable_whatever_their_colour():
    for dark in (False, True):
        for trace in bars(draw(table(10, 8), theme.screen(dark=dark))):
            assert trace.marker.line.width > 0
            assert trace.marker.line.color != trace.marker.color


def test_marks_have_full_strength_of_their_own(style):
    for values in (table(10, 2), table(10, 3), table(10, 12)):
        for trace in draw(values, style).data:
            if trace.type == "scatter" and "markers" in trace.mode:
                assert trace.marker.opacity == 1
                assert isinstance(trace.marker.size, int | float)


LONG = ["a model with a name of forty-five characters.", "决策树与随机森林以及支持向量机的比较研究方法论", "Ü"]


@pytest.mark.parametrize(
    ("form", "scale"), [("facing", 1e-7), ("facing", 4000.0), ("rows", 0.01), ("rows", 1e13), ("overlaid", 1.0)]
)
def test_no_text_leaves_the_figure(form, scale, every_style):
    values = table(10, 2, scale=scale, shift=-scale).set_axis(LONG[:2], axis=1)
    if form == "rows":
        values = values.assign(**{LONG[2]: values[LONG[0]] - scale})
    measure = "the mean logarithm of the likelihood of all held-out folds together (nats)"
    check_text(draw(values, every_style, form=form, measure=measure), every_style)


@pytest.mark.parametrize(("folds", "k"), [(1, 2), (100, 8), (10, 34)])
@pytest.mark.few(3)
def test_no_text_leaves_the_figure_whatever_the_numbers(folds, k, style):
    check_text(draw(table(folds, k), style), style)
    check_text(draw(table(folds, k, scale=0.002, shift=1e6), style, measure="loss"), style)


def check_text(fig, style):
    margin = fig.layout.margin
    plot = style.width - margin.l - margin.r
    assert plot > 0.4 * style.width
    low, high = fig.layout.xaxis.range

    def wide(string, size):
        for mark, entity in (("\n", "<br>"), ("<", "&lt;"), (">", "&gt;"), ("&", "&amp;")):
            string = string.replace(entity, mark)
        return text.text_width(string, size, style.serif)

    for name in fig.layout.yaxis.ticktext:
        size = fig.layout.yaxis.tickfont.size
        assert size >= 8
        assert wide(name, size) + 4 <= margin.l
    for note in fig.layout.annotations:
        x = margin.l + plot * ((note.x - low) / (high - low) if note.xref == "x" else note.x)
        x += note.xshift or 0
        width = wide(note.text, note.font.size)
        left = x - width * {"left": 0, "center": 0.5, "right": 1}[note.xanchor or "center"]
        assert left >= 0
        assert left + width <= style.width + 0.5
        if note.xref == "x" and note.text.startswith("mean"):
            assert margin.l - 0.5 <= left
            assert left + width <= margin.l + plot + 0.5
        if note.xref == "paper":
            assert left > margin.l + plot
    title = fig.layout.xaxis.title.text
    middle = margin.l + plot / 2
    assert wide(title, style.size) / 2 <= min(middle, style.width - middle)
    for trace in bars(fig):
        if fig.layout.showlegend:
            assert margin.l + 45 + wide(trace.name, style.size) <= style.width
    for trace in fig.data:
        heights = [y for y in trace.y if y is not None]
        room = fig.layout.height - margin.t - margin.b
        assert min(heights) > -margin.b if trace.type == "bar" else min(heights) >= -1
        if trace.type == "scatter":
            assert max(heights) <= room + 1


@pytest.mark.parametrize("folds", [1, 30, 100])
def test_facing_keeps_its_height_and_its_marks_inside(folds):
    for style, height in ((theme.screen(), 255), (theme.paper(), 176)):
        fig = draw(table(folds, 2), style)
        assert fig.layout.height == height
        room = height - fig.layout.margin.t - fig.layout.margin.b
        for note in fig.layout.annotations:
            assert 0.6 * style.size <= note.y <= room - 0.5 * style.size
        for trace in bars(fig):
            ends = [b + y for b, y in zip(trace.base, trace.y, strict=True)]
            assert 0 < min(ends) < max(ends) + 1e-9 < room


def test_rows_are_as_high_as_specified():
    assert draw(table(10, 8), theme.screen()).layout.height == pytest.approx(595, abs=20)
    assert draw(table(10, 8), theme.paper()).layout.height == pytest.approx(359, abs=20)


@pytest.mark.parametrize("hole", [np.nan, np.inf])
def test_holes_are_refused(hole):
    values = table(3, 2)
    values.iloc[1, 1] = hole
    with pytest.raises(ValueError, match="finite"):
        draw(values, theme.screen())
    with pytest.raises(ValueError, match="finite"):
        draw(values.iloc[:0], theme.screen())
    with pytest.raises(ValueError, match="form"):
        draw(table(3, 2), theme.screen(), form="stacked")


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
    long = FoldHistogram(values=many, measure=LONG[1] * 9, higher_is_better=True).alt
    assert len(long) <= 300
    assert long.endswith(" more.")


def test_the_caption_states_the_bins(pair):
    assert caption_of(pair, measure="error (%)") == (
        "One box per fold (n = 4), in bins of 0.2 points. Triangles: means. Lines join the two results of a fold. "
        "Solid: qda better. Dashed: <b>svm better. Dotted: ties."
    )
    rows = caption_of(table(100, 3, scale=0.1, shift=0.5), measure="auc")
    assert rows == "Bars: numbers of folds (n = 100), in bins of 0.05. Triangles: means."
    assert caption_of(table(10, 9), measure="auc") == "One tick per fold (n = 10). Triangles: means."
    assert "Lines" not in caption_of(pair, measure="m", form="overlaid")
