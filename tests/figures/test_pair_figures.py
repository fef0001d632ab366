import inspect
import re

import numpy as np
import pandas as pd
import pytest

from foldwise import differences, pair_matrix, scatter
from foldwise.figures import text, theme
from foldwise.figures.differences import Differences
from foldwise.figures.instance_figures import AgreementTables
from foldwise.figures.pair_matrix import PairMatrix, matrix_of_pairs
from foldwise.figures.scatter import Scatter
from stats_core.comparison.analyse import analyse
from stats_core.data.results import Results
from stats_core.data.settings import Settings
from tests.figures.drawn_figures import named, texts, trace
from tests.report.report_cases import predictions


def caption_matrix(effects, pvalues, *, style, **fields):
    return PairMatrix(effects=effects, pvalues=pvalues, **fields).caption(style)


MINUS = "\N{MINUS SIGN}"


@pytest.fixture
def table():
    """Differences with intervals and wins on four data sets, one without an interval."""
    return pd.DataFrame(
        {
            "difference": [0.5, -2.0, 1.5, 0.0],
            "low": [-0.5, -3.0, 1.0, np.nan],
            "high": [1.5, -1.0, 2.0, np.nan],
            "wins": ["6/0/4", "1/0/9", "9/1/0", "5/0/5"],
        },
        index=["iris", "<b>wine", "glass", "vote"],
    )


def draw(table, style, higher=True):
    return differences(
        table,
        first="qda",
        second="svm & co",
        measure="error (%)",
        higher_is_better=higher,
        style=style,
    )


def test_rows_are_sorted_best_for_the_first_on_top(table, style):
    dots = trace(draw(table, style), "difference")
    assert list(dots.x) == [1.5, 0.5, 0.0, -2.0]
    assert list(dots.customdata) == ["glass", "iris", "vote", "<b>wine"]
    turned = trace(draw(table, style, higher=False), "difference")
    assert list(turned.x) == [-2.0, 0.0, 0.5, 1.5]


def test_the_side_of_the_better_follows_the_direction(table, style):
    assert "qda better →" in texts(draw(table, style))
    assert "← svm &amp; co better" in texts(draw(table, style))
    assert "← qda better" in texts(draw(table, style, higher=False))
    assert "no difference" in texts(draw(table, style))


def test_an_interval_that_excludes_zero_is_heavier(table, style):
    fig = draw(table, style)
    clear, unclear = trace(fig, "heavy"), trace(fig, "light")
    assert list(clear.x) == [1.0, 2.0, None, -3.0, -1.0, None]
    assert list(unclear.x) == [-0.5, 1.5, None]
    assert clear.line.width > unclear.line.width


def test_hollow_dots_have_no_interval(table, style):
    dots = trace(draw(table, style), "difference")
    assert list(dots.marker.symbol) == ["circle", "circle", "circle-open", "circle"]
    assert dots.marker.opacity == 1


def test_data_sets_and_wins_stand_beside_the_rows(table, style):
    fig = draw(table, style)
    assert list(fig.layout.yaxis.ticktext) == ["glass", "iris", "vote", "&lt;b&gt;wine"]
    assert {"W/T/L", "9/1/0", "1/0/9"} <= set(texts(fig))
    hover = trace(fig, "difference").hovertext
    assert "1.5 [1.0, 2.0]" in hover[0]
    assert "svm &amp; co better" in hover[3]
    assert all(h.count("<br>") <= 4 for h in hover)


def test_shortened_names_at_the_ends_differ():
    first, second, third = (
        f"gradient boosting with {n} trees, learning rate 0.1" for n in (5, 50, 500)
    )
    options = {"first": first, "second": second, "measure": "error", "higher_is_better": False}
    table = pd.DataFrame({"difference": [0.1]}, index=[third])
    ends = [
        words
        for words in texts(Differences(table=table, row="x", **options).draw(theme.paper()))
        if "better" in words
    ]
    assert len(ends) == 2
    for words, own in zip(ends, ("5 ", "50 "), strict=True):
        assert own in words, words


def test_wins_and_intervals_may_be_missing(style):
    bare = pd.DataFrame({"difference": [1.0, -1.0]}, index=["a", "b"])
    fig = draw(bare, style)
    assert "W/T/L" not in texts(fig)
    assert not any(t.name == "light" for t in fig.data)


def test_a_long_pair_keeps_both_its_names():
    names = [("RandomForestClassifier", "LogisticRegression"), ("RandomForestClassifier", "SVC")]
    pairs = pd.DataFrame(
        {"difference": [0.02, 0.01], "low": [0.01, 0.0], "high": [np.inf, 0.02]},
        index=pd.MultiIndex.from_tuples(names, names=["first", "second"]),
    )
    fig = draw(pairs, theme.paper())
    first, second = fig.layout.yaxis.ticktext
    assert re.fullmatch(f"R.*r {MINUS}<br>L.*n", first)
    assert re.fullmatch(f"R.*r {MINUS}<br>S.*C", second)


def test_an_interval_without_a_bound_ends_in_an_arrowhead_at_the_frame(style):
    ends = {"low": [-np.inf, 0.0, -np.inf, np.nan], "high": [0.07, np.inf, np.inf, np.nan]}
    table = pd.DataFrame({"difference": [0.02, 0.01, 0.0, -0.01], **ends}, index=list("abcd"))
    fig = draw(table, style)
    low, high = fig.layout.xaxis.range
    lines = [value for value in trace(fig, "light").x if value is not None]
    assert sorted(lines) == [low, low, 0.0, 0.07, high, high]
    arrows = {each.marker.symbol: each for each in named(fig, "light arrows")}
    assert {symbol: (set(each.x), len(each.y)) for symbol, each in arrows.items()} == {
        "triangle-left": ({low}, 2),
        "triangle-right": ({high}, 2),
    }
    assert list(trace(fig, "difference").marker.symbol).count("circle-open") == 1
    options = {"first": "a", "second": "b", "measure": "error", "higher_is_better": False}
    caption = Differences(table=table, row="pair", **options).caption(theme.screen())
    assert caption.endswith("Arrowheads: the interval is unbounded. Hollow dots: no interval.")


def test_many_data_sets_are_dots_only(style):
    many = pd.DataFrame(
        {"difference": np.linspace(-1, 1, 200)}, index=[f"d{i}" for i in range(200)]
    )
    many["low"], many["high"] = many["difference"] - 1, many["difference"] + 1
    fig = draw(many, style)
    assert len(fig.layout.yaxis.ticktext) == 0
    assert {t.name for t in fig.data} == {"no difference", "difference"}
    assert fig.layout.height < 520


def test_zero_is_always_in_view(style):
    far = pd.DataFrame({"difference": [5.0, 6.0]}, index=["a", "b"])
    low, high = draw(far, style).layout.xaxis.range
    assert low < 0 < high


def test_scatter_splits_points_by_who_is_better(style):
    a = pd.Series({"iris": 0.9, "wine": 0.7, "vote": 0.5, "hole": np.nan})
    b = pd.Series({"iris": 0.8, "wine": 0.75, "vote": 0.5, "hole": 0.1})
    options = {"names": ("rf", "a<b"), "measure": "accuracy", "style": style}
    fig = scatter(a, b, higher_is_better=True, **options)
    assert list(trace(fig, "rf better").customdata) == ["iris"]
    assert list(trace(fig, "a&lt;b better").customdata) == ["wine"]
    assert list(trace(fig, "equal values").customdata) == ["vote"]
    above = next(n for n in fig.layout.annotations if n.x == 0 and n.y == 1)
    assert above.text == "rf better: 1"
    lower = scatter(a, b, higher_is_better=False, **options)
    above = next(n for n in lower.layout.annotations if n.x == 0 and n.y == 1)
    assert above.text == "a&lt;b better: 1"
    assert "equal" in texts(fig)


def test_scatter_has_equal_axes(style):
    a, b = pd.Series([1.0, 2.0, 5.0]), pd.Series([3.0, 3.0, 3.0])
    fig = scatter(a, b, names=("a", "b"), measure="m", higher_is_better=True, style=style)
    assert fig.layout.xaxis.range == fig.layout.yaxis.range
    assert fig.layout.xaxis.dtick == fig.layout.yaxis.dtick
    assert fig.layout.yaxis.scaleanchor == "x"
    diagonal = trace(fig, "equal")
    assert diagonal.x == diagonal.y


def test_scatter_of_constant_values_still_draws(style):
    same = pd.Series([1.0, 1.0])
    fig = scatter(same, same, names=("a", "b"), measure="m", higher_is_better=True, style=style)
    low, high = fig.layout.xaxis.range
    assert low < 1 < high


@pytest.fixture
def pairs():
    order = ["rf", "a<b", "knn"]
    effects = pd.DataFrame([[0, -0.5, 2.0], [0.5, 0, 1.0], [-2.0, -1.0, 0]], order, order)
    p = pd.DataFrame([[1, 0.04, 0.0001], [0.04, 1, 0.2], [0.0001, 0.2, 1]], order, order)
    return effects, p, order


def cell(fig, row, column):
    labels = trace(fig, "labels")
    place = [i for i in range(len(labels.x)) if (round(labels.y[i]), labels.x[i]) == (row, column)]
    return labels.text[place[0]], labels.textfont.color[place[0]]


def test_the_matrix_has_effects_above_and_p_below(pairs, style):
    effects, p, order = pairs
    fig = pair_matrix(effects, p, alpha=0.05, style=style, order=order)
    assert cell(fig, 0, 1) == ("▼ 0.5", style.ink)
    assert cell(fig, 0, 2) == ("▲ 2.0", style.ink)
    assert cell(fig, 1, 2) == ("+1.0", style.faint)
    zero = "" if style.width < 480 else "0"
    assert cell(fig, 1, 0) == (f"<b>{zero}.040</b>", style.ink)
    assert cell(fig, 2, 0) == (f"<b>&lt;{zero}.001</b>", style.ink)
    assert cell(fig, 2, 1) == (f"{zero}.200", style.faint)


def test_cells_that_differ_are_tinted_and_come_back_from_a_click(pairs, style):
    effects, p, order = pairs
    bars = trace(pair_matrix(effects, p, alpha=0.05, style=style, order=order), "pairs")
    fill = {tuple(c): f for c, f in zip(bars.customdata, bars.marker.color, strict=True)}
    assert fill["rf", "knn"] == style.tint
    assert fill["rf", "a<b"] == style.tint_worse
    assert fill["a<b", "knn"] == "rgba(0,0,0,0)"
    assert bars.marker.opacity is None
    assert bars.unselected.marker.opacity == 1


def test_hover_speaks_of_the_better_first_and_the_wins(pairs, style):
    effects, p, order = pairs
    wins = pd.DataFrame("2/0/8", order, order)
    fig = pair_matrix(
        effects, p, alpha=0.05, style=style, order=order, wins=wins, effect_name="gap"
    )
    words = trace(fig, "pairs").hovertext[2]
    assert words.startswith("<b>rf vs a&lt;b</b>: significant difference<br>gap ")
    assert f"{MINUS}0.50" in words
    assert "W/T/L 2/0/8" in words


def test_a_p_near_alpha_is_never_rounded_onto_it(pairs):
    effects, p, order = pairs
    p.iloc[2, 1] = p.iloc[1, 2] = 0.05004
    fig = pair_matrix(effects, p, alpha=0.05, style=theme.screen(), order=order)
    assert cell(fig, 2, 1)[0] == "0.05004"


def matrix(k, p):
    order = [f"a{i}" for i in range(k)]
    gaps = np.subtract.outer(np.arange(k, 0, -1), np.arange(k, 0, -1)) / 3
    return order, pd.DataFrame(gaps, order, order), pd.DataFrame(p, order, order)


@pytest.mark.parametrize(
    ("k", "width"),
    [(3, 2), (8, 2), (8, 3.5), (12, 3.5), (12, 7.16), (20, 2), (20, 7.16), (30, 3.5), (60, 2)],
)
def test_no_text_is_under_six_points_and_none_is_printed_over_another(k, width):
    """Six points are 8 px; named rows and columns have at least the height or width of their text."""
    order, effects, p = matrix(k, 0.001)
    style = theme.paper(width)
    fig = pair_matrix(effects, p, alpha=0.05, style=style, order=order)
    plot_x = style.width - fig.layout.margin.l - fig.layout.margin.r
    plot_y = fig.layout.height - fig.layout.margin.t - fig.layout.margin.b
    size = fig.layout.yaxis.tickfont.size
    assert size >= 8
    assert plot_y / k >= size
    if fig.layout.xaxis.showticklabels is not False and fig.layout.xaxis.tickangle:
        assert plot_x / k >= size
    for labels in (t for t in fig.data if t.name == "labels"):
        assert labels.textfont.size >= 8
        words = [word.replace("<b>", "").replace("</b>", "") for word in labels.text]
        assert max(text.text_width(w, labels.textfont.size, True) for w in words) <= plot_x / k


def test_numbers_of_eight_algorithms_fit_in_a_column():
    order, effects, p = matrix(8, 1.0)
    fig = pair_matrix(effects / 10, p, alpha=0.05, style=theme.paper(3.25), order=order)
    labels = trace(fig, "labels").text
    assert "&gt;.999" in labels
    assert "+.03" in labels
    fig = pair_matrix(effects, p, alpha=0.05, style=theme.paper(3.25), order=order)
    assert "+0.3" in trace(fig, "labels").text, "some effects are larger than 1"


def test_a_matrix_without_a_differing_pair_says_so(style):
    order, effects, p = matrix(16, 0.8)
    options = {"alpha": 0.05, "style": style, "order": order}
    fig = pair_matrix(effects, p, **options)
    assert [a.text for a in fig.layout.annotations] == [
        "No pair differs significantly (\N{GREEK SMALL LETTER ALPHA} = 0.05)."
    ]
    assert "No pair differs significantly." in caption_matrix(effects, p, **options)
    p.iloc[0, 1] = p.iloc[1, 0] = 0.01
    assert not pair_matrix(effects, p, **options).layout.annotations


def test_the_caption_explains_what_is_drawn():
    order, effects, p = matrix(3, 0.001)
    small = caption_matrix(effects, p, alpha=0.05, style=theme.paper(), order=order, tests="Holm")
    assert small == (
        "Above the diagonal: difference, positive (▲) if the row is better, negative (▼) if the column is better. Below the diagonal: adjusted "
        "p. Bold and shaded: significant (adjusted p ≤ 0.05, Holm)."
    )
    order, effects, p = matrix(60, 0.001)
    about = {"alpha": 0.05, "order": order, "total": 179}
    large = caption_matrix(effects, p, style=theme.paper(), **about)
    assert "bold" not in large
    assert "above the diagonal, the row is better." in large
    assert large.endswith(
        "60 best of 179 algorithms are drawn. Columns are in the order of the rows."
    )
    assert "blue if the row" in caption_matrix(-effects, p, style=theme.screen(), **about)


@pytest.mark.parametrize(("k", "drawn"), [(8, "number"), (16, "glyph"), (60, "")])
def test_large_matrices_show_less_in_a_cell(k, drawn):
    order = [f"a{i}" for i in range(k)]
    effects = pd.DataFrame(
        np.subtract.outer(np.arange(k, 0, -1), np.arange(k, 0, -1)), order, order
    )
    p = pd.DataFrame(0.001, order, order)
    fig = pair_matrix(effects, p, alpha=0.05, style=theme.screen(), order=order)
    words = [t.text for t in fig.data if t.name == "labels"]
    if not drawn:
        assert words == []
    else:
        assert (words[0][0] == "▲") is (drawn == "glyph")
    assert len(trace(fig, "pairs").x) == k * k - k


def test_alternative_texts(table, pairs):
    effects, p, order = pairs
    assert PairMatrix(effects=effects, pvalues=p, alpha=0.05, order=order, measure="error").alt == (
        "Pair matrix of error for 3 algorithms. 2 of 3 pairs differ significantly. Largest difference: 2.0 (rf and knn)."
    )
    assert Differences(
        table=table, first="qda", second="svm", measure="error", higher_is_better=False
    ).alt == (
        "Differences in error between qda and svm on 4 data sets. qda is better on 1, svm is better on 2, "
        "and both have the same result on 1. 2 of 3 intervals exclude zero."
    )
    a, b = pd.Series([1.0, 2.0]), pd.Series([2.0, 2.0])
    words = Scatter(first=a, second=b, names=("a", "b"), measure="m", higher_is_better=True).alt
    assert "a is better on 0, b is better on 1, and both have the same result on 1." in words


def test_a_cell_is_coloured_for_whom_its_own_test_favours():
    """a has the best average rank, but the test of the pair, and therefore the cell, favours b."""
    scores = pd.DataFrame({"a": [0.3] * 12, "b": [0.301] * 7 + [0.1] * 5, "c": [0.31] * 12})
    scores += np.linspace(0, 1e-4, 36).reshape(12, 3)
    long = scores.rename_axis("dataset").reset_index().astype({"dataset": str})
    long = long.melt("dataset", var_name="algorithm", value_name="error")
    results = Results.from_frame(long, directions={"error": "lower"})
    found = analyse(results, Settings(alpha=0.5, correction="none"))
    assert found.order[:2] == ["a", "b"]
    assert found.beats.loc["b", "a"]

    bars = trace(matrix_of_pairs(found).figure(theme.screen()), "pairs")
    colours = dict(zip(map(tuple, bars.customdata), bars.marker.color, strict=True))

    assert colours["a", "b"] == theme.screen().tint_worse
    assert colours["a", "c"] == theme.screen().tint


def test_differences_that_do_not_matter_are_a_band_that_is_named(table):
    names = {"first": "a", "second": "b", "measure": "error", "higher_is_better": False}
    fig = differences(table, **names, style=theme.screen(), region=0.25)

    band = trace(fig, "equivalence margin: ±0.25")
    assert (min(band.x), max(band.x)) == (-0.25, 0.25)
    assert "equivalence margin: ±0.25" in texts(fig)
    assert fig.data[0] is band  # behind everything else
    assert "equivalence margin" not in str(differences(table, **names, style=theme.screen()))


def test_a_drawing_function_takes_the_required_attributes_in_order():
    a, b = pd.Series([1.0, 2.0]), pd.Series([2.0, 3.0])
    options = {"measure": "m", "higher_is_better": True}
    by_position = scatter(a, b, ("a", "b"), **options, style=theme.screen())

    assert by_position == Scatter(first=a, second=b, names=("a", "b"), **options).draw(
        theme.screen()
    )
    assert list(inspect.signature(scatter).parameters)[:3] == ["first", "second", "names"]
    with pytest.raises(ValueError, match="longer"):
        scatter(a, b, ("a", "b"), "m", True, "too many", style=theme.screen())


def test_the_agreement_of_two_models_is_drawn_as_counted(style):
    counts = pd.DataFrame(
        {"both": [710, 1], "only first": [60, 0], "only second": [27, 2], "neither": [203, 0]},
        index=pd.MultiIndex.from_tuples(
            [("gpt", "<b>llama"), ("gpt", "c")], names=["first", "second"]
        ),
    )
    spec = AgreementTables(counts=counts, counted="1,000 test instances")
    fig = spec.draw(style)
    texts = [list(trace.text) for trace in named(fig, "counts")]

    assert texts[0] == [
        "<b>710</b><br>71.0%",
        "<b>60</b><br>6.0%",
        "<b>27</b><br>2.7%",
        "<b>203</b><br>20.3%",
    ]
    assert texts[1][2] == "<b>2</b><br>66.7%"
    assert (fig.layout.xaxis.title.text, fig.layout.yaxis.title.text) == ("&lt;b&gt;llama", "gpt")
    # panels side by side share the axis of the first model, whose texts would cover their
    # neighbour's cells
    side_by_side = fig.layout.yaxis2.domain == fig.layout.yaxis.domain
    assert (fig.layout.yaxis2.title.text, fig.layout.yaxis2.showticklabels) == (
        (None, False) if side_by_side else ("gpt", None)
    )
    assert "only gpt 60, only <b>llama 27" in spec.alt
    assert spec.data.shape == (2, 6)
    assert "1,000 test instances" in spec.caption(style)


def test_the_matrix_of_one_test_set_has_the_differences_in_error_of_the_models():
    models = predictions(
        a=range(2), b=range(12), c=range(1, 14)
    )  # 2, 12 and 13 errors on 40 instances
    found = analyse(models)
    matrix = matrix_of_pairs(found)

    assert matrix.order == ["a", "b", "c"]
    assert matrix.effects.loc["a", ["b", "c"]].tolist() == pytest.approx(
        [10 / 40, 11 / 40]
    )  # the row is better
    assert matrix.pvalues.equals(found.adjusted.loc[found.order, found.order])
    assert matrix.beats.loc["a", "b"]
    assert not matrix.beats.loc["b", "a"]
    assert "error" in matrix.alt


def test_the_matrix_over_data_sets_computes_intervals_only_for_its_table(rng, style, monkeypatch):
    scores = pd.DataFrame(
        rng.normal(size=(30, 4)).round(3), columns=list("abcd"), index=[f"d{i}" for i in range(30)]
    )
    results = Results.from_frame(
        scores.rename_axis("dataset")
        .reset_index()
        .melt("dataset", var_name="algorithm", value_name="error")
    )
    analysis = analyse(results, Settings(source="wilcoxon"))
    with monkeypatch.context() as patch:
        patch.setattr("stats_core.inference.pair_intervals.pair_intervals", pytest.fail)
        drawing = matrix_of_pairs(analysis)
        fig = drawing.figure(style)
    pairs = analysis.pairs.frame.set_index(["first", "second"])

    assert fig.data
    pd.testing.assert_frame_equal(drawing.data, pairs)
    signs = {
        pair: 1 if drawing.effects.loc[pair] == -estimate else 0
        for pair, estimate in pairs["estimate"].items()
    }
    assert {*signs.values()} == {1}  # of an error, lower is better
