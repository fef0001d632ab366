import numpy as np
import pandas as pd
import pytest

from foldwise import cd_diagram_control, rank_map
from foldwise.figures import theme
from foldwise.figures.cd_diagram import CDControlDiagram
from foldwise.figures.rank_map import RankMap
from stats_core.robustness.similar_datasets import similarity_order
from tests.figures.drawn_figures import trace


@pytest.fixture
def ranks():
    return pd.DataFrame(
        {"c": [3, 3, 3, 1.0], "a<": [1.5, 1, 2, 2], "b": [1.5, 2, 1, np.nan]},
        index=["iris", "wine", "vote", "<i>hole"],
    )


def test_algorithms_stand_in_the_order_of_their_average_rank(ranks, style):
    fig = rank_map(ranks, ranks / 10, style=style)
    assert list(fig.layout.xaxis.ticktext) == ["b", "a&lt;", "c"]
    assert [a.text for a in fig.layout.annotations] == ["1.50", "1.62", "2.50"]


@pytest.mark.parametrize(("n", "thinned"), [(300, False), (2_000, False), (9_000, True)])
@pytest.mark.parametrize("width", [3.25, 6.5])
def test_a_printed_map_fits_on_a_page_of_9_inches(n, thinned, width):
    names = [f"an algorithm with a long name, number {i}" for i in range(25)]
    ranks = np.random.default_rng(1).permuted(np.tile(np.arange(1.0, 26), (n, 1)), axis=1)
    many, style = pd.DataFrame(ranks, columns=names), theme.paper(width)
    drawing = RankMap(name="map", title="Map", ranks=many, values=many, total=25)

    fig = drawing.draw(style)
    drawn = len(trace(fig, "ranks").z)
    assert fig.layout.height <= 9 * 96
    assert (drawn < n) == thinned
    assert drawn > 1_500 or not thinned
    assert (f"One of every {n // drawn} data sets is drawn." in drawing.caption(style)) == thinned


def test_holes_carry_a_cross_and_no_rank(ranks, style):
    fig = rank_map(ranks, ranks / 10, style=style)
    rows = list(fig.layout.yaxis.ticktext)[1:]
    holes = trace(fig, "holes")
    assert [(rows[y], x) for x, y in zip(holes.x, holes.y, strict=True)] == [("&lt;i&gt;hole", 0)]
    bars = trace(fig, "ranks")
    place = [list(c) for c in bars.customdata].index(["<i>hole", "b"])
    assert bars.marker.color[place] == style.blank
    assert bars.hovertext[place] == "<b>&lt;i&gt;hole, b</b><br>missing result"


def test_ties_have_half_steps_and_are_named(ranks, style):
    bars = trace(rank_map(ranks, ranks / 10, style=style), "ranks")
    cells = [list(c) for c in bars.customdata]
    tied = cells.index(["iris", "b"])
    assert "tie with a&lt;" in bars.hovertext[tied]
    assert "rank 1.5 (0.15)" in bars.hovertext[tied]
    colours = {
        bars.marker.color[cells.index(c)] for c in (["iris", "b"], ["vote", "b"], ["wine", "b"])
    }
    assert len(colours) == 3


def test_print_is_grey(ranks):
    bars = trace(rank_map(ranks, ranks, style=theme.paper()), "ranks")
    assert all(c[1:3] == c[3:5] == c[5:7] for c in bars.marker.color)


def test_similar_data_sets_are_neighbours():
    ranks = pd.DataFrame([[1, 2, 3], [3, 2, 1], [1, 2, 3], [3, 2, 1.0]])
    order = similarity_order(ranks)
    assert abs(order.index(0) - order.index(2)) == 1
    assert abs(order.index(1) - order.index(3)) == 1


@pytest.mark.parametrize(
    ("rows", "kind"), [(1, "bar"), (2, "bar"), (250, "bar"), (5000, "heatmap")]
)
def test_any_number_of_data_sets(rows, kind):
    rng = np.random.default_rng(0)
    ranks = pd.DataFrame(rng.random((rows, 8))).rank(axis=1)
    fig = rank_map(ranks, ranks, style=theme.screen())
    assert trace(fig, "ranks").type == kind
    assert fig.layout.height < 6000
    assert sorted(similarity_order(ranks)) == list(range(rows))


GROUPED = pd.DataFrame(
    [[1, 2, 3], [3, 2, 1], [1, 3, 2], [2, 2, 2.0]],
    index=["iris", "wine", "vote", "even"],
    columns=["rf", "svm", "<b>"],
)


def test_groups_have_a_head_with_their_own_averages(style):
    """Expected in group 1: rf (1 + 1) / 2, svm and <b> (2 + 3) / 2; overall: rf 7/4, <b> 8/4, svm 9/4."""
    groups = pd.Series({"wine": 2, "iris": 1, "vote": 1})
    w = pd.Series({1: 0.75, 2: np.nan})
    fig = rank_map(GROUPED, GROUPED, style=style, groups=groups, concordance=w)
    axis = fig.layout.yaxis
    standing = [t for _, t in sorted(zip(axis.tickvals, axis.ticktext, strict=True))]
    assert standing[:2] == ["average rank", "group 1, W = 0.75"]
    assert set(standing[2:4]) == {"iris", "vote"}
    assert standing[4:] == ["group 2", "wine", "no group", "even"]
    printed = [a.text for a in fig.layout.annotations]
    assert printed[:6] == ["1.75", "2.00", "2.25", "1.00", "2.50", "2.50"]
    assert len(fig.layout.shapes) == 3


def test_cells_of_groups_stay_apart_and_inside_the_figure(style):
    groups = pd.Series({"wine": "speech", "iris": "<i>", "vote": "<i>", "even": "speech"})
    fig = rank_map(GROUPED, GROUPED, style=style, groups=groups)
    bars = trace(fig, "ranks")
    base = {c[0]: y for c, y in zip(bars.customdata, bars.base, strict=True)}
    ordered = sorted(base, key=base.get)
    assert set(ordered[:2]) == {"wine", "even"}  # "speech" is named first
    steps = np.diff([base[name] for name in ordered])
    assert steps[0] == pytest.approx(1)
    assert steps[1] > 1.3
    assert steps[2] == pytest.approx(1)
    bottom, top = fig.layout.yaxis.range
    assert top < min(base.values())
    assert bottom > max(base.values()) + 0.96
    assert "&lt;i&gt;" in fig.layout.yaxis.ticktext
    plain = rank_map(GROUPED, GROUPED, style=style)
    assert fig.layout.height > plain.layout.height


def test_an_image_per_group():
    rng = np.random.default_rng(0)
    ranks = pd.DataFrame(rng.random((1200, 8))).rank(axis=1)
    groups = pd.Series(np.repeat([1, 2], [1000, 200]))
    fig = rank_map(ranks, ranks, style=theme.screen(), groups=groups)
    images = [t for t in fig.data if t.type == "heatmap"]
    assert [len(t.y) for t in images] == [1000, 200]
    assert images[1].y[0] > images[0].y[-1] + 1


def caption_rank_map(ranks, *, style, **fields):
    return RankMap(ranks=ranks, values=ranks, **fields).caption(style)


def test_names_of_many_algorithms_stand_apart_on_paper_and_the_caption_says_so():
    """A width of 3.5 in is 336 px, under 6 px for each of 60 columns; text of 6 pt is 8 px high."""
    rng = np.random.default_rng(0)
    names = [f"alg{i:02}" for i in range(60)]
    ranks = pd.DataFrame(rng.random((10, 60)), columns=names).rank(axis=1)
    style = theme.paper(3.5)
    fig = rank_map(ranks, ranks, style=style)
    axis = fig.layout.xaxis
    plot = style.width - fig.layout.margin.l - fig.layout.margin.r
    assert np.diff(axis.tickvals).min() * plot / 60 >= 8
    assert len(axis.ticktext) == len(axis.tickvals) == len(fig.layout.annotations)
    said = caption_rank_map(ranks, style=style, total=179)
    assert "the 60 best of 179 algorithms are drawn, ranked among themselves" in said
    assert "One of every" in said
    wide = theme.paper(20)
    assert len(rank_map(ranks, ranks, style=wide).layout.xaxis.tickvals) == 60
    assert "One of every" not in caption_rank_map(ranks, style=wide)


def test_the_caption_speaks_of_crosses_and_groups_only_where_there_are_some(ranks):
    said = caption_rank_map(ranks, style=theme.screen(dark=True))
    assert "lightest: best" in said
    assert "Crosses: missing results." in said
    plain = caption_rank_map(ranks.iloc[:3], style=theme.paper(), groups=None)
    assert "Cross" not in plain
    assert "group" not in plain
    groups = pd.Series({"iris": 1, "wine": 1, "vote": 2})
    assert "within the group" in caption_rank_map(ranks, style=theme.paper(), groups=groups)


def test_the_map_in_words(ranks):
    assert RankMap(ranks=ranks, values=ranks).alt == (
        "Rank heat map for 3 algorithms on 4 data sets. Lowest average rank: b (1.50). Highest: c (2.50). "
        "a< has the lowest rank on 2 of 4 data sets."
    )


RANKS = pd.Series({"rf": 1.5, "<b>": 2.0, "knn": 2.9, "nb": 3.6})
P = pd.Series({"rf": 0.5, "knn": 0.03, "nb": 0.001})


def test_filled_dots_differ_from_the_control_and_hollow_ones_do_not(style):
    fig = cd_diagram_control(RANKS, "<b>", P, 0.05, style=style)
    assert sorted(trace(fig, "significant difference").customdata) == [
        ["knn", "<b>"],
        ["nb", "<b>"],
    ]
    assert list(trace(fig, "no significant difference").customdata) == [["rf", "<b>"]]
    assert list(trace(fig, "control").customdata) == ["<b>"]
    assert trace(fig, "control").marker.symbol == "diamond"
    assert trace(fig, "control").marker.color == (style.accent,)
    assert (
        trace(fig, "significant difference").marker.color
        != trace(fig, "no significant difference").marker.color
    )
    assert (
        "&lt;b&gt;</b>: significant difference" in trace(fig, "significant difference").hovertext[0]
    )


def test_the_band_never_covers_a_dot_that_differs(style):
    fig = cd_diagram_control(RANKS, "<b>", P, 0.05, style=style, critical_difference=(1.2, "x"))
    (band,), dots = fig.layout.shapes, trace(fig, "significant difference")
    assert band.x1 < min(dots.x) - dots.marker.size / 2


def test_no_band_and_no_ruler_without_a_single_difference(style):
    fig = cd_diagram_control(RANKS, "<b>", P, 0.05, style=style)
    assert not fig.layout.shapes
    assert not any(t.name == "critical difference" for t in fig.data)


def test_the_control_in_list_form():
    fig = cd_diagram_control(RANKS, "knn", P, 0.05, style=theme.paper(), form="list")
    assert len({*trace(fig, "control").y, *trace(fig, "no significant difference").y}) > 1


def test_a_slider_shows_who_differs_from_the_control_at_other_levels():
    about = {"critical_difference": (1.2, "x"), "levels": [0.001, 0.05, 0.2]}
    fig = cd_diagram_control(RANKS, "<b>", P, 0.05, style=theme.screen(), **about)
    (slider,) = fig.layout.sliders
    for level, step in zip((0.001, 0.05, 0.2), slider.steps, strict=True):
        moved, seen, places = step.args
        names = [fig.data[i].name for i in places]
        filled = (
            moved["customdata"][names.index("significant difference")]
            if "significant difference" in names
            else []
        )
        assert {pair[0] for pair in filled} == {name for name, p in P.items() if p <= level}
        assert seen["shapes[0].visible"] == (level == 0.05), "the band is of one level"
    assert not cd_diagram_control(
        RANKS, "<b>", P, 0.05, style=theme.paper(), **about
    ).layout.sliders


def test_the_control_in_words():
    fields = {"average_ranks": RANKS, "control": "<b>", "pvalues": P, "alpha": 0.05}
    assert CDControlDiagram(**fields, over="9 data sets").alt == (
        "Average ranks of 4 algorithms on 9 data sets. <b>: 2.00. Significantly worse than <b>: 2, "
        "significantly better: 0, no significant difference: 1."
    )
