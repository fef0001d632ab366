"""Tests of the figures of differences on two measures and of discriminant loadings."""

import re

import numpy as np
import pandas as pd
import pytest
from scipy.stats import ttest_1samp

from foldwise import difference_ellipse
from foldwise.figures import text
from foldwise.figures.difference_ellipse import DifferenceEllipse
from foldwise.figures.fold_histogram import first_drawing, projected_drawing
from foldwise.figures.loadings import Loadings, formula
from stats_core.comparison.analyse import analyse
from stats_core.data.settings import Settings
from tests.figures.conftest import STYLES
from tests.figures.drawn_figures import trace
from tests.samples import shipped

PAIR = {"first": "qda", "second": "<b>svm", "rejects": True}
SHAPE = np.array([[4e-5, -3e-5], [-3e-5, 2e-4]])
LONG = "gradient_boosted_trees_with_early_stopping_x1"


def gaps(n, seed=3, columns=("fpr", "tpr"), scale=1.0):
    values = np.random.default_rng(seed).normal((-0.013, -0.05), (0.006, 0.012), (n, 2))
    return pd.DataFrame(scale * values, columns=list(columns), index=[f"<{i}>" for i in range(n)])


def words(fig):
    return {note.text for note in fig.layout.annotations}


def rim(fig):
    region = trace(fig, "region")
    return np.column_stack([region.x, region.y]).astype(float)


@pytest.mark.parametrize("unit", [np.ones(2), np.array([1e4, 1e-5])], ids=["rates", "mixed units"])
def test_the_rim_satisfies_the_quadratic_form(style, unit):
    table, shape = gaps(10) * unit, SHAPE * np.outer(unit, unit)
    away = rim(difference_ellipse(table, shape, **PAIR, style=style)) - table.mean().to_numpy()

    form = np.einsum("ni,ni->n", away, np.linalg.solve(shape, away.T).T)
    np.testing.assert_allclose(form, 1, rtol=1e-9)
    np.testing.assert_allclose(away[0], away[-1], atol=1e-9 * unit.max())


def test_a_singular_region_is_its_segment(style):
    table, way = gaps(10), np.array([0.01, 0.02])
    fig = difference_ellipse(table, np.outer(way, way), **PAIR, style=style)
    away = rim(fig) - table.mean().to_numpy()

    np.testing.assert_allclose(away[:, 1], 2 * away[:, 0], atol=1e-9)
    assert np.abs(away[:, 0]).max() == pytest.approx(0.01)


@pytest.mark.parametrize("shape", [np.zeros((2, 2)), np.full((2, 2), np.nan)])
def test_without_a_region_only_the_mean_remains(style, shape):
    table = gaps(3)
    fig = difference_ellipse(table, shape, **PAIR, style=style)

    assert "region" not in {t.name for t in fig.data}
    assert "95%" not in words(fig)
    assert (trace(fig, "mean").x[0], trace(fig, "mean").y[0]) == tuple(table.mean())


@pytest.mark.parametrize("n", [2, 100])
@pytest.mark.parametrize("sign", [-1, 1])
def test_origin_folds_and_region_are_in_view(style, n, sign):
    table = sign * gaps(n)
    fig = difference_ellipse(table, SHAPE, **PAIR, style=style)
    every = np.concatenate([table.to_numpy(), rim(fig), np.zeros((1, 2))])

    for axis, values in zip((fig.layout.xaxis, fig.layout.yaxis), every.T, strict=True):
        low, high = axis.range
        assert low < values.min() <= values.max() < high
        assert 0 in axis.tickvals
    ring = trace(fig, "no difference")
    assert (ring.x, ring.y) == ((0,), (0,))
    assert ring.marker.opacity == 1
    assert "no difference" in words(fig)


def test_a_vast_region_does_not_squeeze_the_folds(style):
    table = gaps(3)
    fig = difference_ellipse(table, np.eye(2), **PAIR, style=style)

    for axis, column in zip((fig.layout.xaxis, fig.layout.yaxis), table, strict=True):
        low, high = axis.range
        assert high - low < 10 * np.ptp([*table[column], 0])
        assert low < 0 < high


def test_identical_folds_are_drawn(style):
    fig = difference_ellipse(0 * gaps(10), np.zeros((2, 2)), **PAIR, style=style)

    assert np.isfinite([*fig.layout.xaxis.range, *fig.layout.yaxis.range]).all()
    assert len(trace(fig, "folds").x) == 10


@pytest.mark.parametrize("share", [0.05, 0.5, 0.9])
def test_the_same_error_line_has_its_slope_and_stays_in_the_frame(style, share):
    fig = difference_ellipse(gaps(10), SHAPE, **PAIR, style=style, positive_share=share)
    x, y = (np.array(v) for v in (trace(fig, "same error").x, trace(fig, "same error").y))

    np.testing.assert_allclose(share * y, (1 - share) * x, atol=1e-12)
    assert x[0] < 0 < x[1]
    (x0, x1), (y0, y1) = fig.layout.xaxis.range, fig.layout.yaxis.range
    assert (x.min() >= x0 - 1e-12, x.max() <= x1 + 1e-12) == (True, True)
    assert (y.min() >= y0 - 1e-12, y.max() <= y1 + 1e-12) == (True, True)
    assert "same error" in words(fig)


@pytest.mark.parametrize(
    ("columns", "share"),
    [(("tpr", "fpr"), 0.2), (("fp", "fn"), 0.2), (("fpr", "tpr"), None), (("fpr", "tpr"), 1.0)],
)
def test_other_measures_have_no_same_error_line(columns, share):
    fig = difference_ellipse(
        gaps(10, columns=columns), SHAPE, **PAIR, style=STYLES["light"], positive_share=share
    )

    assert "same error" not in {t.name for t in fig.data} | words(fig)


def test_the_chip_says_what_the_test_says(style):
    outside = difference_ellipse(gaps(10), SHAPE, **PAIR, style=style, level="99%")
    inside = difference_ellipse(gaps(10), SHAPE, **{**PAIR, "rejects": False}, style=style)

    assert {"origin outside the region: significant", "99%"} <= words(outside)
    assert {"origin inside the region: not significant", "95%"} <= words(inside)


def test_folds_carry_their_label_and_selected_ones_their_strength(style):
    fig = difference_ellipse(gaps(3), SHAPE, **PAIR, style=style, selected=["<1>", "gone"])
    lit, others = trace(fig, "folds"), trace(fig, "other folds")

    assert (lit.customdata, lit.opacity) == (("<1>",), 1)
    assert (others.customdata, others.opacity) == (("<0>", "<2>"), 0.25)
    assert lit.hovertext[0].startswith("<b>fold &lt;1&gt;</b><br>FPR ")
    assert lit.marker.symbol == "circle-open"
    gone = difference_ellipse(gaps(3), SHAPE, **PAIR, style=style, selected=["gone"])
    assert trace(gone, "folds").customdata == ("<0>", "<1>", "<2>")


def test_names_are_never_markup(style):
    fig = difference_ellipse(gaps(3, columns=("a<i>", "b&c")), SHAPE, **PAIR, style=style)

    assert fig.layout.xaxis.title.text == "a&lt;i&gt;, qda \N{MINUS SIGN} &lt;b&gt;svm"
    assert fig.layout.yaxis.title.text == "b&amp;c, qda \N{MINUS SIGN} &lt;b&gt;svm"
    assert "a&lt;i&gt; " in trace(fig, "folds").hovertext[0]


@pytest.mark.parametrize("measure", ["fpr", "決定木の真陽性率", LONG])
def test_long_names_are_cut_and_still_differ(every_style, measure):
    pair = {**PAIR, "first": LONG, "second": LONG[:-1] + "2"}
    fig = difference_ellipse(gaps(3, columns=(measure, "y")), SHAPE, **pair, style=every_style)
    title = fig.layout.xaxis.title.text
    first, second = title.rsplit(", ", 1)[1].split(" \N{MINUS SIGN} ")

    assert drawn_width(title, every_style) <= every_style.width
    assert first != second
    assert fig.layout.margin.l + fig.layout.margin.r < 0.35 * every_style.width


def drawn_width(words, style):
    return text.text_width(words, style.size, style.serif)


def test_ticks_are_round_and_have_true_minus_signs(style):
    fig = difference_ellipse(gaps(10), SHAPE, **PAIR, style=style)
    tiny = difference_ellipse(1e-9 * gaps(10), 1e-18 * SHAPE, **PAIR, style=style)

    assert all(re.fullmatch(r"0|−?0\.\d+", label) for label in fig.layout.yaxis.ticktext)
    for shown in (fig, tiny):
        axis = shown.layout.yaxis
        read = [float(label.replace("−", "-")) for label in axis.ticktext]
        np.testing.assert_allclose(read, axis.tickvals, rtol=1e-9, atol=1e-15)


@pytest.mark.parametrize("name", ["qda", LONG * 5])
def test_the_difference_in_words_ends_with_the_verdict(name):
    said, inside = (
        DifferenceEllipse(
            differences=gaps(10), shape=SHAPE, first=name, second="svm", rejects=rejects
        ).alt
        for rejects in (True, False)
    )

    assert "FPR \N{MINUS SIGN}0.0" in said or len(name) > 3
    assert said.endswith("The origin lies outside the ellipse.")
    assert inside.endswith("The origin lies inside the ellipse.")
    assert len(said) <= 300


SHARES = pd.Series({"M1": 0.731, "M2": 0.269})


def components(n, seed=1, names=None):
    values = np.random.default_rng(seed).normal(size=(n, 2))
    values /= np.linalg.norm(values, axis=0)
    return pd.DataFrame(values, columns=["M1", "M2"], index=names or [f"m{i}" for i in range(n)])


@pytest.mark.parametrize("n", [2, 5, 12])
def test_bars_are_signed_and_the_largest_of_the_first_is_on_top(style, n):
    table = components(n)
    fig = Loadings(table=table, shares=SHARES).draw(style)
    first, second = fig.data
    order = list(first.customdata)

    assert list(np.abs(first.x)) == sorted(np.abs(table["M1"]))  # axes count upwards
    assert list(second.customdata) == order
    for bars, component in ((first, "M1"), (second, "M2")):
        np.testing.assert_array_equal(bars.x, table.loc[order, component])
        for said, value in zip(bars.text, bars.x, strict=True):
            assert float(said.replace("\N{MINUS SIGN}", "-")) == pytest.approx(value, abs=0.005)
            assert said[0] == ("+" if value > 0 else "\N{MINUS SIGN}") or float(said) == 0
    assert list(fig.layout.yaxis.ticktext) == order
    assert {"M1 (73%)", "M2 (27%)"} == words(fig)


def test_equal_loadings_keep_their_order():
    table = pd.DataFrame({"M1": [0.5, -0.5, 0.5, 0.5]}, index=list("abcd"))

    assert list(
        Loadings(table=table, shares=SHARES).draw(STYLES["light"]).data[0].customdata
    ) == list("dcba")


def test_negative_bars_differ_without_colour(style):
    (bars,) = Loadings(table=components(6)[["M1"]], shares=SHARES).draw(style).data
    fills = {value > 0: fill for value, fill in zip(bars.x, bars.marker.color, strict=True)}
    strength = {sign: float(fill.rsplit(",", 1)[1][:-1]) for sign, fill in fills.items()}

    assert strength[True] - strength[False] > 0.5
    assert len({fill.rsplit(",", 1)[0] for fill in fills.values()}) == 1


@pytest.mark.parametrize("sign", [-1, 1])
@pytest.mark.parametrize("names", [["fp", "fn"], [LONG, "決定木の真陽性率"]])
def test_numbers_have_room_at_the_ends_of_bars(every_style, sign, names):
    table = sign * components(2, names=names).abs()
    fig = Loadings(table=table, shares=SHARES).draw(every_style)
    inner = every_style.width - fig.layout.margin.l - fig.layout.margin.r
    for bars, axis in zip(fig.data, (fig.layout.xaxis, fig.layout.xaxis2), strict=True):
        low, high = axis.range
        width = inner * (axis.domain[1] - axis.domain[0])
        for value, said in zip(bars.x, bars.text, strict=True):
            room = (high - value if value > 0 else value - low) / (high - low) * width
            assert room >= text.text_width(said, bars.textfont.size, every_style.serif)
        assert low < 0 < high


def test_measures_are_never_markup(style):
    table = components(2, names=["a<i>", "b&c"])
    fig = Loadings(table=table, shares=SHARES).draw(style)

    assert set(fig.layout.yaxis.ticktext) == {"a&lt;i&gt;", "b&amp;c"}
    assert any(said.startswith("<b>a&lt;i&gt; on M1: ") for said in fig.data[0].hovertext)


def test_a_missing_share_is_not_printed():
    table = components(3)
    shares = pd.Series({"M1": np.nan})

    assert words(Loadings(table=table, shares=shares).draw(STYLES["light"])) == {"M1", "M2"}
    assert " nan" not in Loadings(table=table, shares=shares).alt


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ({"tp": 0.05, "fn": -0.68, "fp": 0.73}, "M1 = 0.73 fp − 0.68 fn + 0.05 tp"),
        ({"a": -0.8, "b": 0.6}, "M1 = −0.80 a + 0.60 b"),
        ({"a": 1.0, "b": 0.0049, "c": -0.0049}, "M1 = 1.00 a"),
        ({"a": 0.0}, "M1 = 0"),
    ],
)
def test_a_component_reads_as_a_formula(values, expected):
    assert formula(pd.Series(values, name="M1")) == expected


def test_a_formula_has_eight_terms_and_says_that_there_are_more():
    eight = formula(pd.Series({f"m{i}": 0.3 for i in range(8)}, name="M1"))
    nine = formula(pd.Series({f"m{i}": 0.3 for i in range(9)}, name="M1"))

    assert (eight.count("0.30"), "…" in eight) == (8, False)
    assert (nine.count("0.30"), nine.endswith(" + …")) == (8, True)


def test_loadings_in_words():
    table = pd.DataFrame({"M1": [0.05, 0.73, -0.68]}, index=["tp", "fp", "fn"])
    endless = table.set_axis([f"{LONG}{LONG}{LONG}{i}" for i in range(3)])

    assert Loadings(table=table, shares=SHARES).alt.endswith(
        "M1 explains 73% of the variance. Largest loadings: FP, FN."
    )
    assert len(Loadings(table=endless, shares=SHARES).alt) <= 300


def test_no_other_direction_has_a_larger_t_than_the_projected_differences():
    """The square of t along the discriminant direction is T2, the maximum over all directions."""
    settings = Settings(measures=("fpr", "tpr"), dataset="pima", pair=("Decision tree", "LDA"))
    analysis = analyse(shipped("twoclass_counts.csv"), settings)
    drawing = projected_drawing(analysis)
    gaps = analysis.differences
    t2 = len(gaps) * gaps.mean() @ np.linalg.solve(gaps.cov(), gaps.mean())

    assert len(drawing.data) == len(gaps)
    assert ttest_1samp(drawing.data["difference"], 0).statistic ** 2 == pytest.approx(t2)
    assert ttest_1samp(gaps, 0).statistic.max() ** 2 < t2


def test_folds_on_the_first_learned_measure_are_weighted_sums_of_the_measures():
    settings = Settings(measures=("fpr", "tpr"), dataset="pima")
    analysis = analyse(shipped("twoclass_counts.csv"), settings)
    drawing = first_drawing(analysis, measure="M1")
    means = drawing.data.mean()
    weighted = pd.Series(
        {
            name: analysis.cloud(name).mean() @ analysis.learned.loadings["M1"]
            for name in analysis.names
        }
    )

    np.testing.assert_allclose(
        means - means.mean(), (weighted - weighted.mean())[means.index], atol=1e-9
    )
    assert list(drawing.shown) == list(means.sort_values().index[:8])
