"""Tests of the panels that compare two algorithms on one data set."""

import itertools

import numpy as np
import pandas as pd
import pytest

from foldwise import pair_panels
from foldwise.figures import text, theme
from foldwise.figures.pair_panels import CurvePanel, HistogramPanel, PairPanels, ScatterPanel
from stats_core.core.errors import SettingError
from tests.figures.conftest import STYLES
from tests.figures.drawn_figures import strict

A, B = "knn", "<b>svm & co"
ESCAPED = "&lt;b&gt;svm &amp; co"


def histogram(folds=10, note="t test p = 0.41, accepts", label="error"):
    rng = np.random.default_rng(folds)
    values = rng.normal(0.06, 0.01, (folds, 2))
    table = pd.DataFrame(values, [str(i + 1) for i in range(folds)], [A, B])
    return HistogramPanel(label=label, values=table, note=note)


def curve(power):
    x = np.linspace(0, 1, 30)
    return pd.DataFrame({"x": x, "y": x**power})


def roc(label="ROC", **more):
    settings = {
        "folds": {A: [curve(0.2), curve(0.25)], B: [curve(0.3), curve(0.4)]},
        "averages": {A: curve(0.22), B: curve(0.35)},
        "x_title": "fpr",
        "y_title": "tpr",
    }
    return CurvePanel(label=label, **(settings | more))


def cloud(**more):
    rng = np.random.default_rng(1)
    points = {
        name: pd.DataFrame(0.1 * rng.random((10, 2)) + i, range(1, 11), ["x", "y"])
        for i, name in enumerate((A, B))
    }
    ring = pd.DataFrame({"x": [0.0, 2.0, 0.0], "y": [0.0, 1.0, 0.0]})
    settings = {"points": points, "ellipses": {A: ring}, "x_title": "fpr <i>", "y_title": "tpr"}
    return ScatterPanel(label="(fpr, tpr)", **(settings | more))


def five():
    return [histogram(), roc(), histogram(label="AUC", note=""), cloud(), roc("PR", note="x" * 400)]


def draw(panels, style, **more):
    return pair_panels(panels, first=A, second=B, style=style, **more)


def named(fig, name, axis="x"):
    return [t for t in fig.data if t.name == name and (t.xaxis or "x") == axis]


def test_every_panel_has_its_letter_and_its_note(style):
    fig = draw(five(), style)
    titles = [a.text for a in fig.layout.annotations if a.name == "title"]
    notes = [a.text.replace("<br>", " ") for a in fig.layout.annotations if a.name == "note"]

    assert titles == [
        "<b>(a) error</b>",
        "<b>(b) ROC</b>",
        "<b>(c) AUC</b>",
        "<b>(d) (fpr, tpr)</b>",
        "<b>(e) PR</b>",
    ]
    assert notes[0] == "t test p = 0.41, accepts"
    assert len(notes) == 2
    assert "…" in notes[1]


@pytest.mark.parametrize(
    ("style", "columns"),
    [
        (theme.screen(), 3),
        (theme.screen(width=482), 2),
        (theme.paper(3.25), 2),
        (theme.paper(6.75), 3),
        (theme.screen(width=200), 1),
    ],
)
def test_as_many_panels_in_a_row_as_fit(style, columns):
    layout = draw(five(), style).layout
    tops = [round(layout[f"yaxis{i}"].domain[1], 6) for i in ("", 2, 3, 4, 5)]
    rows = [list(group) for _, group in itertools.groupby(tops)]
    assert [len(row) for row in rows] == ([columns] * 5)[: 5 // columns] + (
        [5 % columns] if 5 % columns else []
    )
    assert sorted(tops, reverse=True) == tops


@pytest.mark.parametrize("count", [1, 5, 12])
def test_panels_and_words_never_overlap(every_style, count):
    panels = list(itertools.islice(itertools.cycle(five()), count))
    fig = draw(panels, every_style)
    margin, layout = fig.layout.margin, fig.layout
    width = every_style.width - margin.l - margin.r
    height = layout.height - margin.t - margin.b
    boxes = []
    for i in range(count):
        number = str(i + 1) if i else ""
        (x0, x1), (y0, y1) = layout[f"xaxis{number}"].domain, layout[f"yaxis{number}"].domain
        # The title of the axis and its numbers stand below the plot.
        below = 2.2 * every_style.size
        boxes.append((x0 * width, y0 * height - below, x1 * width, y1 * height))
    for note in layout.annotations:
        if note.name not in ("title", "note"):
            continue
        lines = [text_of(line) for line in note.text.split("<br>")]
        wide = max(
            text.text_width(w, note.font.size, every_style.serif, note.name == "title")
            for w in lines
        )
        left, top = note.x * width + note.xshift, note.y * height + note.yshift
        boxes.append((left, top - 1.2 * note.font.size * len(lines), left + wide, top))
        assert left >= -margin.l
        assert left + wide <= width + margin.r + 0.5
    for a, b in itertools.combinations(boxes, 2):
        apart = a[2] <= b[0] + 0.5 or b[2] <= a[0] + 0.5 or a[3] <= b[1] + 0.5 or b[3] <= a[1] + 0.5
        assert apart, (a, b)


def text_of(words):
    plain = words.replace("<b>", "").replace("</b>", "")
    return plain.replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&")


def test_bars_count_the_folds_upwards_and_downwards_in_shared_bins(style):
    panel = histogram()
    fig = draw([panel], style)
    (up,) = (t for t in named(fig, "knn") if t.type == "bar")
    (down,) = (t for t in named(fig, ESCAPED) if t.type == "bar")

    assert sum(up.y) == 10
    assert sum(down.y) == -10
    assert min(up.y) > 0 > max(down.y)
    assert up.width == down.width
    for bars, name in ((up, A), (down, B)):
        values = panel.values[name].to_numpy()
        # No value lies on an edge: they have more digits.
        held = [int((np.abs(values - x) < up.width / 2).sum()) for x in bars.x]
        np.testing.assert_array_equal(np.abs(bars.y), held)
    low, high = fig.layout.yaxis.range
    assert low < min(down.y)
    assert max(up.y) < high


def test_triangles_stand_at_the_means_beyond_the_bars(style):
    panel = histogram()
    fig = draw([panel], style)
    first, second = named(fig, "mean")
    assert first.x[0] == pytest.approx(panel.values[A].mean())
    assert second.x[0] == pytest.approx(panel.values[B].mean())
    assert (first.marker.symbol, second.marker.symbol) == ("triangle-down", "triangle-up")
    bars = [t for t in fig.data if t.type == "bar"]
    assert first.y[0] > max(bars[0].y)
    assert second.y[0] < min(bars[1].y)
    assert first.text[0].startswith("0.0")


def test_undefined_values_are_left_out(style):
    panel = histogram()
    panel.values.iloc[0, 0] = np.nan
    panel.values.iloc[1, 1] = np.inf
    fig = draw([panel], style)
    (up,) = (t for t in named(fig, "knn") if t.type == "bar")
    assert sum(up.y) == 9
    strict(fig)


def test_no_value_and_equal_values_are_panels_too(style):
    empty = HistogramPanel(label="error", values=pd.DataFrame({A: [np.nan], B: [np.nan]}))
    constant = HistogramPanel(label="error", values=pd.DataFrame({A: [0.5] * 4, B: [0.5] * 4}))
    fig = draw([empty, constant], style)
    assert "no values" in [a.text for a in fig.layout.annotations]
    (bar,) = (t for t in named(fig, "knn", "x2") if t.type == "bar")
    assert (bar.x, bar.y) == ((0.5,), (4,))
    strict(fig)


def test_one_algorithm_without_values_leaves_the_other(style):
    panel = HistogramPanel(label="error", values=pd.DataFrame({A: [0.1, 0.2], B: [np.nan] * 2}))
    fig = draw([panel], style)
    assert len(named(fig, "mean")) == 1
    strict(fig)


@pytest.mark.parametrize("folds", [1, 2, 300])
def test_any_number_of_folds(style, folds):
    fig = draw([histogram(folds)], style)
    (up,) = (t for t in named(fig, "knn") if t.type == "bar")
    assert sum(up.y) == folds
    assert len(fig.layout.yaxis.tickvals) <= 30
    strict(fig)


def test_curves_of_folds_are_one_trace_with_gaps_and_print_has_the_average_alone(style):
    fig = draw([roc()], style)
    thin = named(fig, "knn folds")
    if style.printed:
        assert thin == []
    else:
        assert len(thin) == 1
        assert list(thin[0].x).count(None) == 1
        assert len(thin[0].x) == 61
    (average,) = (t for t in named(fig, "knn") if not t.showlegend)
    np.testing.assert_allclose(average.y, curve(0.22)["y"])
    assert len(named(fig, "diagonal")) == 1
    assert fig.layout.yaxis.scaleanchor == "x"


def test_without_averages_print_has_the_folds(style):
    fig = draw([roc("PR", averages={})], style)
    assert len(named(fig, "knn folds")) == 1
    assert named(fig, "diagonal") == []


def test_marks_carry_their_fold_and_all_of_them_and_the_ellipses_are_in_view(style):
    fig = draw([cloud()], style)
    (marks,) = (t for t in named(fig, ESCAPED) if t.mode == "markers")
    assert list(marks.customdata) == [str(i) for i in range(1, 11)]
    assert marks.hovertext[0].startswith(f"<b>{ESCAPED}, fold 1</b><br>fpr &lt;i&gt; ")
    low, high = fig.layout.xaxis.range
    assert low < 0 < 2 < high  # the ring reaches from 0 to 2
    assert len(named(fig, "knn ellipse")) == 1
    assert named(fig, f"{ESCAPED} ellipse") == []


def test_no_point_at_all_is_a_figure(style):
    none = pd.DataFrame({"x": [np.nan], "y": [0.5]})
    fig = draw([cloud(points={A: none}, ellipses={})], style)
    strict(fig)
    (marks,) = (t for t in named(fig, "knn") if t.mode == "markers" and t.customdata is not None)
    assert marks.customdata == ()


def test_the_key_names_both_algorithms_once(style):
    fig = draw(five(), style)
    assert [t.name for t in fig.data if t.showlegend] == ["knn", ESCAPED]


def test_print_without_colour_is_black_and_white():
    style = theme.paper()
    fig = draw(five(), style, colours={A: "#FF0000", B: "#00FF00"})
    inks = {"#000000", "#FFFFFF", style.leader}
    for trace in fig.data:
        assert trace.marker.color in {None, *inks}
        if trace.type == "scatter":
            assert trace.line.color in {None, *inks}
    first, second = (t for t in fig.data if t.showlegend)
    assert first.line.dash != second.line.dash
    assert first.marker.color != second.marker.color


def test_algorithms_keep_the_look_of_other_pages():
    fig = draw([cloud()], theme.screen(), colours={A: "#123456"}, symbols_of={A: "star"})
    (marks,) = (t for t in named(fig, "knn") if t.customdata is not None)
    assert (marks.marker.color, marks.marker.symbol) == ("#123456", "star")


def test_text_in_print_has_six_points_or_more():
    for style in (STYLES["column"], STYLES["page"]):
        layout = draw(five(), style).layout
        found = [a.font.size for a in layout.annotations]
        found += [layout.xaxis.tickfont.size, layout.yaxis.title.font.size, layout.legend.font.size]
        assert min(found) >= 8


def test_long_names_are_shortened_in_the_key(style):
    names = [f"{letter} name that goes on and on {'and on ' * 20}" for letter in "ab"]
    values = pd.DataFrame([[0.1, 0.2]], ["1"], names)
    fig = pair_panels(
        [HistogramPanel(label="error", values=values)], first=names[0], second=names[1], style=style
    )
    shown = [t.name for t in fig.data if t.showlegend]
    assert len(set(shown)) == 2
    assert all(text.text_width(s, style.size, style.serif) <= 0.36 * style.width for s in shown)


def test_impossible_cases_are_refused():
    with pytest.raises(SettingError, match="1 to 12 panels, but got 0"):
        draw([], STYLES["light"])
    with pytest.raises(SettingError, match='Both are "knn"'):
        pair_panels([histogram()], first=A, second=A, style=STYLES["light"])


def test_the_case_in_words():
    def case(panels, first=A):
        return PairPanels(panels=panels, first=first, second=B)

    assert case([histogram(), roc()]).alt == (
        "knn and <b>svm & co, 2 panels: (a) error, t test p = 0.41, accepts. (b) ROC."
    )
    assert len(case(five() * 2, "n" * 200).alt) <= 300
    caption = case(five()).caption(theme.screen())
    assert "knn above the axis and <b>svm & co below" in caption
    assert "Gaussian contours" in caption
    assert "Gaussian contours" not in case([histogram(), cloud(ellipses={})]).caption(
        theme.screen()
    )


def test_the_table_holds_the_histograms_or_without_any_the_points():
    panels = [histogram(), cloud(), roc()]

    pd.testing.assert_frame_equal(
        PairPanels(panels=panels, first=A, second=B).data["error"], histogram().values
    )
    points = PairPanels(panels=panels[1:], first=A, second=B).data
    pd.testing.assert_frame_equal(points[A], cloud().points[A], check_names=False)
    assert PairPanels(panels=panels[2:], first=A, second=B).data.empty
