"""Tests of contours of folds on several measures."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from shapely import Polygon, contains_xy

from foldwise.figures import text, theme, traces
from foldwise.figures.clouds import Contours, is_apart, largest_place
from foldwise.figures.pair_panels import gaussian_contours
from foldwise.figures.traces import ellipse, gaussian_radius
from foldwise.rendering.from_plotly import export
from tests.figures.drawn_figures import named


def cloud(seed, names=("fpr", "tpr"), n=10):
    rng = np.random.default_rng(seed)
    values = 0.1 * rng.random((n, len(names))) + 0.3 * rng.random(len(names))
    return pd.DataFrame(values, columns=list(names), index=[str(i + 1) for i in range(n)])


@pytest.fixture
def folds():
    return {"qda": cloud(1), "<b>svm": cloud(2)}


def spread(folds):
    return {name: np.cov(table.to_numpy(), rowvar=False) for name, table in folds.items()}


def test_ellipses_satisfy_their_quadratic_form():
    matrix, centre = np.array([[2.0, 0.6], [0.6, 0.5]]), np.array([3.0, -1.0])
    points = ellipse(centre, matrix, 1.7) - centre
    form = np.einsum("ni,ij,nj->n", points, np.linalg.inv(matrix), points)

    np.testing.assert_allclose(form, 1.7**2, rtol=1e-9)
    np.testing.assert_allclose(points[0], points[-1], atol=1e-12)


def test_radii_hold_their_share_of_a_gaussian(rng):
    distances = np.linalg.norm(rng.standard_normal((200_000, 2)), axis=1)

    for level in (0.5, 0.9):
        assert (distances < gaussian_radius(level)).mean() == pytest.approx(level, abs=0.005)


def test_a_singular_covariance_is_a_segment_and_none_a_point():
    line = ellipse(np.zeros(2), np.array([[1.0, 1.0], [1.0, 1.0]]))

    np.testing.assert_allclose(line[:, 0], line[:, 1], atol=1e-9)
    assert np.ptp(line[:, 0]) == pytest.approx(2)
    assert np.ptp(ellipse(np.ones(2), np.zeros((2, 2)))) == 0


def test_contours_are_drawn_for_each_algorithm_and_level(folds, style):
    fig = Contours(folds=folds, covariances=spread(folds)).draw(style)
    inner, outer = (named(fig, f"qda {level}%")[0] for level in (50, 90))

    assert np.ptp(outer.x) / np.ptp(inner.x) == pytest.approx(np.sqrt(4.605 / 1.386), rel=1e-3)
    assert outer.customdata[0] == ["qda"]
    (marks,) = named(fig, "qda")
    assert list(marks.customdata) == [str(i) for i in range(1, 11)]
    assert "fold 1" in marks.hovertext[0]
    assert "&lt;b&gt;svm" in {note.text for note in fig.layout.annotations}
    (means,) = named(fig, "means")
    assert means.customdata[0] == ["qda"]
    assert means.x[0] == pytest.approx(folds["qda"]["fpr"].mean())


def test_all_contours_lie_in_the_window(folds, style):
    fig = Contours(folds=folds, covariances=spread(folds)).draw(style)
    (x0, x1), (y0, y1) = fig.layout.xaxis.range, fig.layout.yaxis.range

    for level in ("50%", "90%"):
        for trace in named(fig, f"qda {level}"):
            assert x0 < min(trace.x) <= max(trace.x) < x1
            assert y0 < min(trace.y) <= max(trace.y) < y1


def test_iso_error_lines_have_the_slope_of_the_class_skew(folds, style):
    share = 0.2
    fig = Contours(folds=folds, covariances=spread(folds), iso="error", positive_share=share).draw(
        style
    )
    lines = named(fig, "iso-error")
    errors = []
    for line in lines:
        slope = (line.y[1] - line.y[0]) / (line.x[1] - line.x[0])
        assert slope == pytest.approx((1 - share) / share)
        errors.append(share * (1 - line.y[0]) + (1 - share) * line.x[0])

    assert 2 <= len(lines) <= 8
    np.testing.assert_allclose(np.diff(errors), np.diff(errors)[0])
    assert any("error" in note.text for note in fig.layout.annotations)


def test_iso_f_curves_hold_one_f(style):
    folds = {"a": 0.5 + cloud(3, ("recall", "precision"))}
    fig = Contours(folds=folds, covariances=spread(folds), iso="F").draw(style)

    for curve in named(fig, "iso-F"):
        x, y = np.array(curve.x), np.array(curve.y)
        f = 2 * x * y / (x + y)
        np.testing.assert_allclose(f, f[0])


def test_selected_folds_and_lit_algorithms_keep_their_strength(folds, style):
    fig = Contours(folds=folds, covariances=spread(folds), selected=["3"], lit=["qda"]).draw(style)
    strength = {
        (t.name, label): t.opacity
        for t in fig.data
        if t.customdata is not None and isinstance(t.customdata[0], str)
        for label in t.customdata
    }

    assert strength["qda", "3"] == 1
    assert strength["qda", "4"] == 0.25
    assert strength["&lt;b&gt;svm", "3"] == 0.25
    assert named(fig, "&lt;b&gt;svm 90%")[0].opacity == 0.25
    order = [t.customdata[0] if t.name == "qda" else t.name for t in fig.data]
    assert order.index("3") > order.index("qda 90%"), "what is selected lies on top"


@pytest.mark.parametrize("p", [3, 5])
def test_more_measures_are_a_triangle_of_panels(style, p):
    names = ["tp", "fp", "tn", "fn", "error"][:p]
    folds = {"a": cloud(1, names), "b": cloud(2, names)}
    fig = Contours(folds=folds, covariances=spread(folds)).draw(style)

    assert len(named(fig, "means")) == p * (p - 1) // 2


@pytest.mark.parametrize("k", [1, 34])
def test_any_number_of_algorithms(style, k):
    folds = {f"algorithm {i}": cloud(i) for i in range(k)}
    fig = Contours(folds=folds, covariances=spread(folds)).draw(style)

    (means,) = named(fig, "means")
    assert [name for (name,) in means.customdata] == list(folds)


def test_of_many_algorithms_only_those_with_a_colour_have_contours_and_names(style):
    folds = {f"algorithm {i}": cloud(i) for i in range(34)}
    hues = theme.colours(list(folds), ("algorithm 3",))
    spec = Contours(folds=folds, covariances=spread(folds), colours=hues)
    fig = spec.draw(style)

    assert {t.name for t in fig.data if t.name.endswith("%")} == {
        "algorithm 3 50%",
        "algorithm 3 90%",
    }
    assert {note.text for note in fig.layout.annotations} == {"algorithm 3"}
    assert [name for (name,) in named(fig, "other means")[0].customdata] == [
        n for n in folds if n != "algorithm 3"
    ]
    assert "contours of the highlighted algorithms contain" in spec.caption(style)
    nobody = replace(spec, colours=theme.colours(list(folds)))
    assert not [t.name for t in nobody.draw(style).data if t.name.endswith("%")]
    assert "contours" not in nobody.caption(style)


def test_contours_in_words(folds):
    spec = Contours(folds=folds, covariances=spread(folds))

    assert "Means: qda (" in spec.alt
    assert len(spec.alt) <= 300
    assert "contain 50% and 90% of the folds" in spec.caption(theme.screen())


def test_rates_stay_between_zero_and_one(style):
    """The contours of these folds extend below an fpr of 0 and above a tpr of 1."""
    rng = np.random.default_rng(4)
    values = np.column_stack([np.abs(rng.normal(0, 0.05, 30)), 1 - np.abs(rng.normal(0, 0.05, 30))])
    folds = {"ada": pd.DataFrame(values, columns=["fpr", "tpr"])}
    layout = Contours(folds=folds, covariances=spread(folds)).draw(style).layout
    assert layout.xaxis.range[0] == pytest.approx(-0.02, abs=0.02)
    assert layout.yaxis.range[1] == pytest.approx(1.02, abs=0.02)
    speed = {"ada": folds["ada"].set_axis(["seconds", "tpr"], axis=1)}
    assert (
        Contours(folds=speed, covariances=spread(speed)).draw(style).layout.xaxis.range[0] < -0.03
    )


def test_names_lie_on_no_mark_and_on_no_other_name(every_style):
    folds = {f"a{i}": 0.4 + 0.5 * cloud(i, n=60) for i in range(4)}
    fig = Contours(folds=folds, covariances=spread(folds)).draw(every_style)
    margin, layout = fig.layout.margin, fig.layout
    plot = (every_style.width - margin.l - margin.r, layout.height - margin.t - margin.b)
    low, high = np.array([layout.xaxis.range, layout.yaxis.range]).T
    marks = (np.concatenate([t.to_numpy() for t in folds.values()]) - low) / (high - low) * plot
    boxes = []
    for note in (n for n in layout.annotations if n.text in folds):
        x, y = (np.array([note.x, note.y]) - low) / (high - low) * plot
        wide, tall = (
            text.text_width(note.text, every_style.size, every_style.serif),
            1.25 * every_style.size,
        )
        left = x - {"left": 0, "center": wide / 2, "right": wide}[note.xanchor]
        under = y - {"bottom": 0, "middle": tall / 2, "top": tall}[note.yanchor]
        boxes.append((left, under, left + wide, under + tall))
        inside = (marks > (left, under)) & (marks < (left + wide, under + tall))
        assert not inside.all(axis=1).any()
    assert len(boxes) == 4
    for i, a in enumerate(boxes):
        for b in boxes[:i]:
            assert a[0] >= b[2] or b[0] >= a[2] or a[1] >= b[3] or b[1] >= a[3]


def test_means_lie_on_top_with_an_edge_of_the_ground(folds, every_style):
    fig = Contours(folds=folds, covariances=spread(folds)).draw(every_style)
    order = [t.name for t in fig.data]
    assert order.index("halo") > order.index("&lt;b&gt;svm 90%")
    assert named(fig, "halo")[0].marker.line.color in ("#FFFFFF", "#0E1117")


def test_both_axes_have_one_number_of_decimals(folds, style):
    layout = Contours(folds=folds, covariances=spread(folds)).draw(style).layout
    for axis in (layout.xaxis, layout.yaxis):
        assert len({len(word.partition(".")[2]) for word in axis.ticktext}) == 1


def lattice():
    """Return 40 folds of two algorithms with few values; three folds of a and five of b are at one position."""
    values = np.array([[0.1 * (i % 4), 0.2 * (i // 4 % 5)] for i in range(40)])
    index = [str(i + 1) for i in range(40)]
    first = pd.DataFrame(values, columns=["fpr", "tpr"], index=index)
    second = first + 0.013
    first.iloc[:3] = second.iloc[:5] = [0.9, 0.9]
    second.iloc[5] += 1e-5  # nobody could tell it apart
    return {"a": first, "b": second}


def test_folds_at_one_place_are_one_mark_around_those_of_others(every_style):
    folds = lattice()
    fig = Contours(folds=folds, covariances=spread(folds), form="together").draw(every_style)
    marks = [t for t in fig.data if t.name in folds and t.meta in ("fold", "algorithm")]
    rings = {}
    for trace in marks:
        for x, y, size, said in zip(
            trace.x, trace.y, trace.marker.size, trace.hovertext, strict=True
        ):
            if (round(x, 3), round(y, 3)) == (0.9, 0.9):
                rings[trace.name] = (size, list(fig.data).index(trace), said)
            if trace.meta == "algorithm":
                assert "folds of" in said
                assert "Click: select the algorithm" in said

    assert sum(len(trace.x) for trace in marks) < 60
    # a alone is three marks large; what b has around it are five more
    assert (rings["b"][0] / rings["a"][0]) ** 2 == pytest.approx(8 / 3, rel=0.01)
    assert rings["b"][1] < rings["a"][1], "the smaller lies on top"
    assert "3 folds of a here" in rings["a"][2]
    ends = fig.layout.xaxis.range, fig.layout.yaxis.range
    assert largest_place(folds, ends) == 5
    assert max(max(trace.marker.size) for trace in marks) <= 26


def test_one_fold_stays_a_fold_and_carries_the_noun_of_the_design(style):
    folds = {"a": cloud(1)}
    fig = Contours(folds=folds, covariances=spread(folds), unit="run").draw(style)
    (marks,) = named(fig, "a")

    assert list(marks.marker.size) == [style.px(8, 4.5)] * 10
    assert "a, run 3" in marks.hovertext[2]
    assert "Click: select the run" in marks.hovertext[2]
    assert "% of runs" in named(fig, "a 90%")[0].hovertext
    assert "fold" not in str(traces.without_offers(fig).to_plotly_json()).replace("'fold'", "")


def test_regions_of_means_are_outlines_that_click_and_lie_in_the_window(folds, style):
    shapes = {name: 9 * shape for name, shape in spread(folds).items()}
    spec = Contours(
        folds=folds, covariances=spread(folds), regions=shapes, level="99%", widened=True
    )
    fig = spec.draw(style)
    (outline,) = named(fig, "qda region")
    points = np.array([outline.x, outline.y], dtype=float).T
    away = points[np.isfinite(points).all(axis=1)] - folds["qda"].mean().to_numpy()
    form = np.einsum("ni,ij,nj->n", away, np.linalg.inv(shapes["qda"]), away)

    assert form.max() == pytest.approx(1, rel=1e-2)
    assert outline.fill is None
    assert outline.line.width > named(fig, "qda 50%")[0].line.width
    assert outline.customdata[0] == ["qda"]
    assert "99% confidence region of the mean" in outline.hovertext
    assert fig.layout.xaxis.range[1] > np.nanmax(points[:, 0])
    assert "99% confidence regions of the means (corrected" in spec.caption(style)
    assert "regions" not in replace(spec, regions=None).caption(style)


def test_contours_are_cut_at_zero_and_one_and_the_caption_says_so(style):
    values = np.random.default_rng(4).normal(0.97, 0.02, (30, 2)).clip(0, 1)
    folds = {"ada": pd.DataFrame(values, columns=["recall", "precision"])}
    spec = Contours(folds=folds, covariances=spread(folds))
    (ring,) = named(spec.draw(style), "ada 90%")
    points = np.array([ring.x, ring.y], dtype=float)

    assert np.nanmax(points, axis=1).tolist() == pytest.approx([1, 1])
    assert "are cut at 0 and 1" in spec.caption(style)
    seconds = {"ada": folds["ada"].set_axis(["seconds", "size"], axis=1)}
    free = Contours(folds=seconds, covariances=spread(seconds))
    assert max(named(free.draw(style), "ada 90%")[0].x) > 1
    assert "cut" not in free.caption(style)


def test_an_algorithm_that_stretches_the_axes_has_its_own(every_style):
    folds = {f"a{i}": 0.1 * cloud(i) for i in range(4)} | {"far": 0.4 + cloud(9)}
    spec = Contours(folds=folds, covariances=spread(folds))
    fig = spec.draw(every_style)
    ranges = [axis.range for axis in fig.select_xaxes() if axis.visible is not False]

    assert spec.stretching == ["far"]
    assert len(set(ranges[:4])) == 1
    assert ranges[4] != ranges[0]
    assert ranges[4][0] < folds["far"]["fpr"].min() <= folds["far"]["fpr"].max() < ranges[4][1]
    assert [note.text for note in fig.layout.annotations] == [
        "a0",
        "a1",
        "a2",
        "a3",
        "far (own axes)",
    ]
    assert "Separate axes: far." in spec.caption(every_style)


def test_each_algorithm_has_a_panel_on_the_same_axes(every_style):
    folds = {f"a{i}": cloud(i) for i in range(7)}
    assert is_apart(folds, spread(folds))
    fig = Contours(folds=folds, covariances=spread(folds), iso="error", positive_share=0.3).draw(
        every_style
    )
    used = [axis for axis in fig.select_xaxes() if axis.visible is not False]
    titles = [note.text for note in fig.layout.annotations]
    columns = len({round(axis.domain[0], 6) for axis in used})

    assert titles == list(folds)
    assert len(used) == 7
    assert columns == {980: 3, 648: 4}.get(every_style.width, 2)
    assert len({axis.range for axis in used}) == 1
    assert sum(axis.showticklabels for axis in used) == columns
    assert [len(trace.x) for trace in named(fig, "other means")] == [6] * 7
    assert not named(fig, "iso-error")
    if every_style.printed:
        assert b"tikzpicture" in export(fig, "tikz")


def test_few_clouds_get_panels_only_where_they_overlap():
    far = {f"a{i}": cloud(1) + i for i in range(4)}
    near = {f"a{i}": cloud(1) + i / 1000 for i in range(4)}

    assert not is_apart(far, spread(far))
    assert is_apart(near, spread(near))
    assert not is_apart(dict(list(near.items())[:2]), spread(near))


def test_contours_contain_their_shares_of_a_gaussian():
    draws = np.random.default_rng(0).multivariate_normal([1, 2], [[2, 1], [1, 3]], 20_000)
    table = gaussian_contours(pd.DataFrame(draws), ["seconds", "size"]).to_numpy()
    ends = np.flatnonzero(np.isnan(table).any(axis=1))
    for ring, level in zip(
        (table[: ends[0]], table[ends[0] + 1 : ends[1]]), (0.5, 0.9), strict=True
    ):
        assert contains_xy(Polygon(ring), *draws.T).mean() == pytest.approx(level, abs=0.01)
