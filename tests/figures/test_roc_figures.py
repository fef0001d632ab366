"""Tests of the figures of ROC curves by fold, and of areas per fold with their intervals."""

import numpy as np
import pandas as pd
import pytest
from scipy.stats import norm
from shapely import LineString, Point
from shapely import box as rectangle

from foldwise.figures import text, theme
from foldwise.figures.auc_histogram import AucHistogram
from foldwise.figures.roc import RocCurves, first_crossing
from tests.figures.conftest import STYLES
from tests.figures.drawn_figures import strict, texts

HOSTILE = "<b>svm & %{x}"
NAMES = ["knn", HOSTILE, "mdt", "random forest", "決定木", "mlp", "nb", "lda", *"pqrstuvwxyz"]
METHODS = ["Hanley-McNeil", "DeLong", "Agarwal", "Cortes-Mohri"]


def curve(power, points=21, jitter=0.0):
    """Return a curve from (0, 0) to (1, 1) with thresholds, of which the first is infinite."""
    x = np.linspace(0, 1, points)
    y = np.clip(x**power + jitter * x * (1 - x), 0, 1)
    threshold = np.concatenate([[np.inf], np.linspace(0.97, 0.03, points - 1)])
    return pd.DataFrame({"x": x, "y": y, "threshold": threshold})


def power_of(place):
    return 0.1 + 0.2 * place if place < 4 else 0.8 + 0.01 * place


def example(algorithms, folds=3, points=21):
    """Return fold curves, averages and operating points of some algorithms."""
    fold_curves, averages, marks = {}, {}, {}
    for place, name in enumerate(NAMES[:algorithms]):
        tables = {
            f"1.{fold + 1}": curve(power_of(place), points, 0.05 * (fold - 1) / folds)
            for fold in range(folds)
        }
        y = np.mean([table["y"] for table in tables.values()], axis=0)
        spread = np.full(points, 0.02 if folds > 1 else np.nan)
        fold_curves[name] = tables
        averages[name] = pd.DataFrame(
            {"x": tables["1.1"]["x"], "y": y, "low": y - spread, "high": y + spread}
        )
        marks[name] = pd.DataFrame([table.iloc[6][["x", "y"]] for table in tables.values()])
        marks[name].index = list(tables)
    return fold_curves, averages, marks


def draw(style, algorithms=2, folds=3, **options):
    fold_curves, averages, marks = example(algorithms, folds)
    given = {"kind": "roc", "marks": marks, **options}
    return RocCurves(folds=fold_curves, averages=averages, **given).draw(style)


def traces(fig, ending):
    return [t for t in fig.data if t.name.endswith(ending)]


def texts_of(fig):
    return " ".join(filter(None, texts(fig)))


# The figure as a whole


@pytest.mark.parametrize(
    ("algorithms", "folds", "kind"),
    [(1, 1, "roc"), (2, 4, "pr"), (3, 1, "sensitivity"), (5, 4, "roc"), (12, 4, "pr")],
)
def test_every_figure_is_valid_json_without_nan(style, algorithms, folds, kind):
    fig = draw(style, algorithms, folds, kind=kind, baseline=0.3, lit=NAMES[:1])

    assert strict(fig)["data"]


@pytest.mark.parametrize(
    ("style", "size"),
    [(theme.screen(), (None, 520)), (theme.paper(), (312, 300))],  # sizes of UX.md, F10
)
def test_the_size_is_the_promised_one(style, size):
    fig = draw(style)

    assert (fig.layout.width, fig.layout.height) == size
    assert fig.layout.xaxis.range == fig.layout.yaxis.range == (0, 1)
    assert (fig.layout.yaxis.scaleanchor, fig.layout.yaxis.scaleratio) == ("x", 1)


def test_the_plot_of_a_printed_figure_is_square():
    for options in ({}, {"lines": [(0.5, 0.3, "one rather long label")]}):
        fig = draw(theme.paper(), **options)
        margin = fig.layout.margin
        side = fig.layout.height - margin.t - margin.b

        assert side <= fig.layout.width - margin.l - margin.r + 1


def test_an_unknown_kind_is_refused(style):
    with pytest.raises(ValueError, match="roc, pr or sensitivity"):
        draw(style, kind="ROC")


def test_nothing_to_draw_leaves_the_empty_square(style):
    fig = RocCurves(folds={}, averages={}, kind="roc").draw(style)

    assert [t.name for t in fig.data] == ["guessing"]
    assert texts(fig) == []


# Folds


def test_curves_of_one_algorithm_are_one_trace_with_holes_between_folds():
    fig = draw(STYLES["light"], 1)
    (folds,) = traces(fig, " folds")

    assert folds.mode == "lines"
    assert len(folds.x) == 3 * 21 + 2
    assert [place for place, x in enumerate(folds.x) if x is None] == [21, 43]
    assert [folds.y[21], folds.y[43]] == [None, None]
    assert {row[0] for row in folds.customdata if row[0]} == {"1.1", "1.2", "1.3"}
    assert (folds.line.width, folds.opacity) == (0.8, 0.35)  # UX.md, F10


def test_points_carry_fold_and_threshold():
    table = pd.DataFrame(
        {"x": [0, 0.08, 1], "y": [0, 0.87, 1], "threshold": [np.inf, 0.41, 1.23456e-7]}
    )
    fig = RocCurves(folds={"knn": {"2": table}}, averages={}, kind="roc").draw(STYLES["light"])
    (folds,) = traces(fig, " folds")

    expected = [["2", "above all scores"], ["2", 0.41], ["2", 1.235e-7]]
    assert [list(row) for row in folds.customdata] == expected
    assert set(folds.text) == {"knn, fold 2"}
    assert folds.hovertemplate == (
        "<b>%{text}</b><br>threshold %{customdata[1]}<br>fpr %{x:.3~g}, tpr %{y:.3~g}<extra></extra>"
    )


@pytest.mark.parametrize(
    ("kind", "axes"),
    [("pr", "recall %{x:.3~g}, precision"), ("sensitivity", "specificity %{x:.3~g}, sensitivity")],
)
def test_hover_names_the_axes(kind, axes):
    assert axes in traces(draw(STYLES["light"], kind=kind), " folds")[0].hovertemplate


@pytest.mark.parametrize(
    ("score", "shown"), [(1e-310, 0), (-350.25, -350.2), (0, 0), (1e300, 1e300)]
)
def test_any_score_can_be_a_threshold(score, shown):
    table = pd.DataFrame({"x": [0, 1], "y": [0, 1], "threshold": [np.inf, score]})
    fig = RocCurves(folds={"knn": {"1": table}}, averages={}, kind="roc").draw(STYLES["light"])

    assert traces(fig, " folds")[0].customdata[1][1] == pytest.approx(shown)


def test_a_hole_interrupts_a_curve():
    table = pd.DataFrame({"x": [0, 0.5, 1], "y": [1, np.nan, 0.3], "threshold": [3.0, 2.0, 1.0]})
    (folds,) = traces(
        RocCurves(folds={"knn": {"1": table}}, averages={}, kind="pr").draw(STYLES["light"]),
        " folds",
    )

    assert list(folds.y) == [1, None, 0.3]


def test_more_than_three_algorithms_show_folds_of_the_lit_only():
    assert len(traces(draw(STYLES["light"], 3), " folds")) == 3
    assert traces(draw(STYLES["light"], 4), " folds") == []
    (lit,) = traces(draw(STYLES["light"], 4, lit=["mdt"]), " folds")

    assert lit.name == "mdt folds"
    assert len(traces(draw(STYLES["light"], 4, lit=["mdt"]), " marks")) == 1


def test_print_shows_folds_only_if_asked():
    assert traces(draw(theme.paper()), " folds") == []
    assert len(traces(draw(theme.paper(), show_folds=True), " folds")) == 2
    assert traces(draw(STYLES["light"], show_folds=False), " folds") == []


def test_selected_folds_stand_out(style):
    fig = draw(style, 1, show_folds=True, selected=["1.2", "gone"], unit="run")
    others, chosen = traces(fig, " folds")

    assert {row[0] for row in chosen.customdata} == {"1.2"}
    assert {row[0] for row in others.customdata if row[0]} == {"1.1", "1.3"}
    assert chosen.opacity == 1 > others.opacity
    marks = {tuple(t.customdata): t.opacity for t in traces(fig, " marks")}
    assert marks == {("1.2",): 1, ("1.1", "1.3"): 0.25}
    said = str([[[] if t.text is None else list(t.text), t.hovertext] for t in fig.data])
    assert "knn, run 1.2" in said
    assert "mean of 3 runs" in said
    assert "fold" not in said
    assert len(traces(draw(style, 1, show_folds=True, selected=["gone"]), " folds")) == 1


@pytest.mark.parametrize("algorithms", [1, 5])
def test_the_folds_of_an_algorithm_share_a_trace(algorithms):
    """With one trace per fold, thirty folds would take Plotly and the browser thirty times as long."""
    few, many = (draw(STYLES["light"], algorithms, folds) for folds in (3, 30))

    assert len(many.data) == len(few.data)


# Averages, bands and marks


def test_averages_and_bands():
    fig = draw(STYLES["light"], 2)
    average = next(t for t in fig.data if t.name == "knn")
    _, averages, _ = example(2)

    np.testing.assert_allclose(average.y, averages["knn"]["y"])
    assert average.line.width == 2.4
    assert average.hovertext[10].startswith("<b>knn, vertical average</b><br>fpr 0.5, tpr 0.93")
    assert average.hovertext[10].endswith(
        "one standard error: 0.913 to 0.953<br>Click: select the algorithm"
    )
    assert list(average.customdata[0]) == ["knn"]
    assert traces(fig, " band")[0].fillcolor == "rgba(18,123,190,0.15)"


def test_print_has_hairlines_instead_of_a_fill():
    band = traces(draw(theme.paper(), 2), " band")[0]

    assert (band.fill, band.line.width) == ("none", 0.5)
    assert list(band.x).count(None) == 1
    assert traces(draw(theme.paper(), 5), " band") == []
    assert [t.name for t in traces(draw(theme.paper(), 5, lit=["knn"]), " band")] == ["knn band"]


def test_one_fold_has_no_band(style):
    assert traces(draw(style, 2, folds=1), " band") == []


def test_a_band_narrower_than_its_line_is_neither_drawn_nor_promised(style):
    averages = {"knn": curve_with_band(0.02), "mdt": curve_with_band(0.001)}
    spec = RocCurves(averages=averages, kind="roc")

    assert [t.name for t in traces(spec.draw(style), " band")] == ["knn band"]
    assert "Band: " in spec.caption(style)
    assert "Band: " not in RocCurves(averages={"mdt": averages["mdt"]}, kind="roc").caption(style)


def curve_with_band(half):
    x = np.linspace(0, 1, 21)
    return pd.DataFrame(
        {"x": x, "y": np.sqrt(x), "low": np.sqrt(x) - half, "high": np.sqrt(x) + half}
    )


def test_names_are_never_markup(style):
    fig = draw(style, 2, show_folds=True)
    shown = [part for t in fig.data for part in (t.hovertext, t.text) if part is not None]
    flat = [item for part in shown for item in ([part] if isinstance(part, str) else part) if item]

    assert text.escape(HOSTILE) in texts(fig)
    assert not any("<b>svm" in word for word in [*texts(fig), *flat])
    assert all("svm" not in (t.hovertemplate or "") for t in fig.data)
    assert any("&lt;b&gt;svm &amp; %{x}, fold 1.1" in item for item in flat)


# Colour


def test_algorithms_differ_by_colour_dash_and_symbol():
    fig = draw(STYLES["light"], 5, colours=dict.fromkeys(NAMES, "#654321") | {"knn": "#123456"})
    averages = [t for t in fig.data if t.name in [text.escape(name) for name in NAMES[:5]]]

    assert averages[0].line.color == "#123456"
    assert len({t.line.dash for t in averages}) == 5
    assert len({t.marker.symbol for t in traces(fig, " mean")}) == 5


def test_print_has_no_colour_by_default():
    fig = draw(theme.paper(), 5, colours=dict.fromkeys(NAMES, "#D55E00"), lit=["knn"])
    lines = [t.line.color for t in fig.data if t.line.color]
    marks = [t.marker.color for t in fig.data if t.marker.color]

    assert {colour.upper() for colour in (*lines, *marks)} <= {"#000000", "#666666", "#FFFFFF"}


def test_lit_algorithms_keep_their_strength(style):
    fig = draw(style, 3, lit=["mdt"])
    strengths = {t.name: t.opacity for t in fig.data}

    assert strengths["mdt"] == 1
    assert strengths["knn"] == 0.25


# Words


def test_the_first_crossing_is_found():
    # y = x against y = 0.75 - x / 2: they meet at x = 1/2
    line = pd.DataFrame({"x": [0, 1], "y": [0.0, 1.0]})
    falling = pd.DataFrame({"x": [1, 0], "y": [0.25, 0.75]})
    # one with y = x from 0.1 to 0.3, above it before, below it after: the middle is 0.2
    touching = pd.DataFrame({"x": [0, 0.1, 0.3, 1], "y": [0.2, 0.1, 0.3, 0.5]})

    assert first_crossing(line, falling) == pytest.approx(0.5)
    assert first_crossing(line, touching) == pytest.approx(0.2)
    assert np.isnan(first_crossing(line, line))
    assert np.isnan(first_crossing(curve(0.2), curve(0.5)))


def test_the_figure_in_words():
    averages = {
        "knn": pd.DataFrame({"x": [0, 0.2, 1], "y": [0, 0.8, 0.9]}),
        "mdt": pd.DataFrame({"x": [0, 0.2, 1], "y": [0.1, 0.8, 1]}),
    }
    areas = {"knn": 0.91, "mdt": 0.904}

    said = RocCurves(averages=averages, kind="roc", areas=areas).alt
    assert (
        "Mean AUC knn 0.91, mdt 0.90. The curves cross at FPR 0.2." not in said
    )  # they only touch
    assert "Mean AUC knn 0.91, mdt 0.90. The curves do not cross." in said
    averages["knn"].loc[2, "y"] = 1.1
    said = RocCurves(averages=averages, kind="roc", areas=areas).alt
    assert "Mean AUC knn 0.91, mdt 0.90. The curves cross at FPR 0.2." in said
    assert "cross at recall 0.2" in RocCurves(averages=averages, kind="pr", areas=areas).alt
    averages["nb"] = averages["knn"]
    assert "cross" not in RocCurves(averages=averages, kind="roc", areas=areas).alt


def test_words_fit_and_leave_out_what_is_unknown():
    endless = {f"{'gradient boosted trees ' * 5}{i}": 0.9 for i in range(30)}

    assert len(RocCurves(averages={}, kind="roc", areas=endless).alt) <= 300
    assert "more" in RocCurves(averages={}, kind="roc", areas=endless).alt
    assert "nan" not in RocCurves(averages={}, kind="pr", areas={"knn": np.nan, "mdt": 0.5}).alt


def test_folds_of_any_algorithm_can_be_asked_for():
    asked = draw(STYLES["light"], 5, detailed=["knn", "mdt"])
    assert len(traces(asked, " folds")) == 2
    assert {t.opacity for t in traces(asked, "knn")} == {
        t.opacity for t in traces(draw(STYLES["light"], 5), "knn")
    }
    assert traces(draw(STYLES["light"], 2, detailed=[]), " folds") == []


def caption_of(kind, average, band, n_folds, **about):
    averages = {name: curve(0.2).assign(low=np.nan, high=np.nan) for name in ("rf", "knn")}
    given = {"average": average, "band": band, "n_folds": n_folds, **about}
    return RocCurves(averages=averages, kind=kind, **given).caption(STYLES["light"])


def test_the_caption_names_those_whose_folds_are_drawn():
    about = ("roc", "vertical average", "", 10)
    assert "Thin: single folds of rf." in caption_of(*about, detailed=["rf"])
    assert "Thin" not in caption_of(*about, detailed=[])


def test_captions():
    one = caption_of("pr", "vertical average", "one standard error", 1)
    assert one.startswith("One curve per model, from one test set.")

    said = caption_of("pr", "vertical average", "one standard error", 2)
    assert "Results of 2 folds per algorithm. Lines: vertical average." in said
    assert "Band" not in caption_of("roc", "vertical average", "", 10)
    assert (
        caption_of("roc", "", "", 10)
        == "Results of 10 folds per algorithm. Dotted: random guessing."
    )


# F11


def areas_of(algorithms, folds=10):
    rng = np.random.default_rng(7)
    values = np.clip(0.93 - 0.01 * np.arange(algorithms) + rng.normal(0, 0.02, (folds, 1)), 0, 1)
    labels = [f"1.{fold + 1}" for fold in range(folds)]
    return pd.DataFrame(values, index=labels, columns=NAMES[:algorithms])


def interval_table(middle, half=0.03):
    halves = half * np.array([1.0, 0.9, 3.0, 1.5])
    return pd.DataFrame({"low": middle - halves, "high": middle + halves}, index=METHODS)


def draw_areas(style, algorithms=2, folds=10, **options):
    values = areas_of(algorithms, folds)
    tables = {name: interval_table(values[name].iloc[0]) for name in values}
    return AucHistogram(values=values, intervals=tables, measure="AUC", **options).draw(style)


@pytest.mark.parametrize(("algorithms", "folds"), [(1, 1), (2, 100), (8, 10), (12, 2)])
def test_rows_of_areas_are_valid_json_without_nan(style, algorithms, folds):
    assert strict(draw_areas(style, algorithms, folds))["data"]


def test_each_interval_is_a_bar_with_caps_in_the_order_of_its_table(style):
    fig = draw_areas(style)
    values = areas_of(2)
    bars = [t for t in fig.data if t.type == "bar" and t.name in METHODS]

    assert [t.name for t in bars] == [*METHODS, *METHODS]
    for bar in bars:
        expected = interval_table(values[bar.customdata[0][0]].iloc[0]).loc[bar.name]
        first, last = fig.layout.xaxis.range
        low, high = max(expected["low"], first), min(expected["high"], last)
        assert bar.width[0] == pytest.approx(high - low)
        assert bar.x[0] == pytest.approx((low + high) / 2)
        assert bar.y[0] == style.px(3, 1.8)
        (ends,) = (
            t for t in traces(fig, f"{bar.name} ends") if t.customdata[0][0] == bar.customdata[0][0]
        )
        inside = expected["low"] >= first, expected["high"] <= last
        assert [end == "line-ns" for end in ends.marker.symbol] == list(inside)


def test_a_method_is_named_once_in_the_figure(style):
    named = texts(draw_areas(style, 8))
    assert all(named.count(method) == 1 for method in METHODS)


def test_names_of_intervals_do_not_overlap(every_style):
    fig = draw_areas(every_style)
    heights = sorted(note.y for note in fig.layout.annotations if note.text in METHODS)
    size = next(note.font.size for note in fig.layout.annotations if note.text in METHODS)

    assert min(np.diff(heights)) >= size
    wide = max(text.text_width(method, size, every_style.serif) for method in METHODS)
    assert fig.layout.margin.r > wide + every_style.px(8, 5)


def test_hover_of_an_interval():
    values = pd.DataFrame({HOSTILE: [0.80, 0.90, 0.95, 1.0]}, index=list("1234"))
    table = pd.DataFrame({"low": [0.88], "high": [1.0], "clipped_high": [True]}, index=["DeLong"])
    fig = AucHistogram(values=values, intervals={HOSTILE: table}, measure="AUC").draw(
        STYLES["light"]
    )
    bar = next(t for t in fig.data if t.name == "DeLong")

    # 0.90, 0.95 and 1.0 lie between 0.88 and 1
    assert bar.hovertext[0] == (
        "<b>&lt;b&gt;svm &amp; %{x}, DeLong</b><br>0.88 to 1.00, width 0.12<br>contains 3 of 4 folds<br>cut at 1.00"
    )
    assert tuple(traces(fig, " ends")[0].marker.symbol) == ("line-ns", "triangle-right")


def test_intervals_beyond_the_axis_end_in_arrowheads(style):
    values = areas_of(1)
    table = pd.DataFrame(
        {"low": [0.9, 0.9, -40.0, 0.1, 5.0], "high": [0.95, 0.95, 1.0, 0.11, 6.0]},
        index=list("abcde"),
    )
    fig = AucHistogram(values=values, intervals={"knn": table}, measure="AUC").draw(style)
    low, high = fig.layout.xaxis.range

    assert low > 0
    assert 1 <= high < 5
    assert [t.marker.symbol[0] for t in traces(fig, "c ends")] == ["triangle-left"]
    assert traces(fig, "c ends")[0].x[0] == low
    for outside, edge, arrow in (("d", low, "triangle-left"), ("e", high, "triangle-right")):
        (ends,) = traces(fig, f"{outside} ends")
        assert (tuple(ends.x), tuple(ends.marker.symbol)) == ((edge, edge), (arrow, arrow))


def test_intervals_with_a_hole_are_left_out(style):
    values = areas_of(1)
    table = interval_table(0.9)
    table.loc["DeLong", "low"] = np.nan
    fig = AucHistogram(values=values, intervals={"knn": table}, measure="AUC").draw(style)

    assert "DeLong" not in texts(fig)
    assert texts(fig).count("Agarwal") == 1


def test_without_intervals_there_are_plain_rows(style):
    fig = AucHistogram(
        values=1 - areas_of(3), intervals={}, measure="error", higher_is_better=False
    ).draw(style)

    assert fig.layout.xaxis.title.text == "error, lower is better"
    assert traces(fig, " ends") == []
    assert [t.name for t in fig.data if t.type == "bar"] == [text.escape(n) for n in NAMES[:3]]


def test_printed_intervals_have_no_colour():
    fig = draw_areas(theme.paper(), colours=dict.fromkeys(NAMES, "#D55E00"))
    fills = {t.marker.color for t in fig.data if isinstance(t.marker.color, str)}

    assert fills <= {"#000000", "#BDBDBD", "#E4E4E4"}


@pytest.mark.parametrize("values", [pd.DataFrame({"a": [0.9, np.nan]}), pd.DataFrame({"a": []})])
def test_holes_in_areas_are_refused(values):
    with pytest.raises(ValueError, match="all values must be finite"):
        AucHistogram(values=values, intervals={"a": interval_table(0.9)}, measure="AUC").draw(
            STYLES["light"]
        )


def test_areas_in_words():
    values = pd.DataFrame({"knn": [0.87, 0.93]}, index=list("12"))
    table = pd.DataFrame({"low": [0.88], "high": [0.94]}, index=["Hanley-McNeil"])

    said = AucHistogram(values=values, intervals={"knn": table}, measure="AUC").alt
    assert "knn: fold range 0.870 to 0.930, intervals Hanley-McNeil 0.88 to 0.94." in said
    many = areas_of(12)
    many.columns = [f"{name * 40}{place}" for place, name in enumerate(many)]
    assert len(AucHistogram(values=many, intervals={}, measure="AUC").alt) <= 300


def test_the_caption_names_the_methods():
    ends = pd.DataFrame({"low": [0.5, 0.6], "high": [0.9, 0.8]}, index=["Agarwal", "DeLong"])
    values = areas_of(3)
    intervals = {name: ends for name in values}

    one = AucHistogram(values=values, intervals=intervals, measure="AUC")
    assert "(Agarwal, DeLong)" in one.caption(theme.paper())
    none = AucHistogram(values=values, intervals={}, measure="AUC")
    assert "interval" not in none.caption(theme.paper())


def crowded(kind, algorithms):
    """Return average curves; the two best have areas above 0.95."""
    t = np.linspace(-5, 9, 200)[::-1]
    averages = {}
    for place, name in enumerate(NAMES[:algorithms]):
        fpr, tpr = norm.sf(t), norm.sf(t - 3.6 + 0.35 * place)
        x, y = {
            "roc": (fpr, tpr),
            "pr": (tpr, 0.3 * tpr / (0.3 * tpr + 0.7 * fpr)),
            "sensitivity": (1 - fpr[::-1], tpr[::-1]),
        }[kind]
        averages[name] = pd.DataFrame({"x": x, "y": y, "low": np.nan, "high": np.nan})
    return averages


@pytest.mark.parametrize("algorithms", [2, 5])
@pytest.mark.parametrize("kind", ["roc", "pr", "sensitivity"])
def test_where_areas_are_large_the_corner_is_drawn_larger_and_clear_of_all_else(
    kind, algorithms, style
):
    averages = crowded(kind, algorithms)
    fig = RocCurves(
        folds={}, averages=averages, kind=kind, baseline=0.3 if kind == "pr" else None
    ).draw(style)
    (frame,), (inset,) = traces(fig, "corner"), traces(fig, "inset")[:1]
    size, side = np.ptp(frame.x), np.ptp(inset.x)
    assert side > 1.2 * size, "larger"
    key = traces(fig, " key")
    for name, table in averages.items():
        whole = next(t for t in fig.data if t.name == text.escape(name))
        (part,) = traces(fig, f"{text.escape(name)} inset")
        assert (part.line.color, part.line.dash) == (whole.line.color, whole.line.dash)
        x = np.interp(part.x, inset.x[:2], frame.x[:2])
        y = np.interp(part.y, (min(inset.y), max(inset.y)), (min(frame.y), max(frame.y)))
        drawn = LineString(table[["x", "y"]])
        assert max(drawn.distance(Point(at)) for at in zip(x, y, strict=True)) < 1e-6
        taken = rectangle(min(inset.x), min(inset.y), max(inset.x), max(inset.y))
        assert not drawn.intersects(taken)
        for sample in key:
            at = np.array([sample.x[:2], sample.y[:2]], dtype=float).T
            assert not LineString(at).intersects(taken)
            assert not LineString(at).intersects(drawn)
    caption = RocCurves(averages=averages, kind=kind).caption(style)
    assert caption.endswith("Inset: enlargement of the framed corner.")


def test_there_is_no_inset_where_curves_have_room(style):
    assert traces(draw(style, 4), "corner") == []


def test_the_inset_has_the_bands_marks_and_cost_line_of_the_corner(style):
    names = [f"a{i}" for i in range(7)]
    curves = dict(zip(names, crowded("roc", 7).values(), strict=False))
    curves = {
        name: table.assign(low=table["y"] - 0.02, high=table["y"] + 0.02)
        for name, table in curves.items()
    }
    marks = {
        name: pd.DataFrame({"x": [0.05, 0.06], "y": [0.95, 0.96]}, index=["1", "2"])
        for name in names
    }
    lines = [(2.0, 0.85, "equal cost")]
    spec = RocCurves(
        averages=curves, kind="roc", marks=marks, theta=0.5, lines=lines, lit=names, detailed=names
    )
    fig = spec.draw(style)
    (frame,), (inset,) = traces(fig, "corner"), traces(fig, "inset")[:1]
    size, left = np.ptp(frame.x), min(inset.x)

    for name in names:
        for part in ("band", "mean"):
            assert traces(fig, f"{name} {part} inset"), part
        mean = traces(fig, f"{name} mean inset")[0]
        assert (mean.x[0] - left) / np.ptp(inset.x) == pytest.approx(0.055 / size)
        assert len(traces(fig, f"{name} symbols")) == 2, "along the curve and in the inset"
    assert len({(t.line.dash, t.marker.symbol) for t in traces(fig, " key")}) == 7
    assert traces(fig, "equal cost inset")
    caption = spec.caption(style)
    assert "at θ = 0.5" in caption
    assert "Straight line: points whose expected cost at θ equals the lowest" in caption


def test_of_many_algorithms_those_without_a_colour_are_thin_and_unnamed(style):
    curves = {f"a{i}": table for i, table in enumerate(crowded("roc", 8).values())} | {
        "b": crowded("roc", 1)["knn"]
    }
    spec = RocCurves(averages=curves, kind="roc", colours=theme.colours(list(curves), ["b"]))
    fig = spec.draw(style)
    widths = {t.name: t.line.width for t in fig.data if t.meta == "algorithm" and t.name in curves}

    assert {name for name, width in widths.items() if width < widths["b"]} == set(curves) - {"b"}
    assert "a1" not in texts(fig)
    assert "Grey: other algorithms." in spec.caption(style)


def test_names_and_cost_lines_keep_off_the_ticks_at_every_width():
    """Boxes of labels, placed for 520 px and for about half as much, begin right of the axis."""
    curve = pd.DataFrame({"x": [0.0, 0.03, 0.08, 1.0], "y": [0.0, 0.7, 0.95, 1.0]}).assign(
        low=np.nan, high=np.nan
    )
    lower = curve.assign(y=[0.0, 0.4, 0.7, 1.0])
    fig = RocCurves(
        kind="roc",
        averages={"a long name of it": curve, "b": lower},
        n_folds=1,
        lines=[(40.0, 0.6, "equal cost")],
    ).draw(theme.screen())
    side = fig.layout.height - fig.layout.margin.t - fig.layout.margin.b
    notes = {note.text: note for note in fig.layout.annotations}

    assert "equal cost" in notes
    for words, note in notes.items():
        half = text.text_width(words, note.font.size or theme.screen().size, False) / 2
        for scale in (1, 0.54):
            assert note.x * side * scale + (note.ax or 0) + (note.xshift or 0) - half > 0, (
                words,
                scale,
            )
