"""Tests of the wins table and of the graph of the sign test."""

import itertools
from itertools import permutations

import numpy as np
import pandas as pd
import pytest

from foldwise import sign_test_graph, wins_table
from foldwise.figures import ordering_graph, text, theme
from foldwise.figures.ordering_graph import MOST_ARROWS
from foldwise.figures.sign_test_graph import SignTestGraph
from foldwise.figures.wins_table import WinsTable
from tests.figures.conftest import STYLES
from tests.figures.drawn_figures import strict, trace

LONG = "a rather long name of number {}"
NAMES = ["svr", "<b>mlp", "c45 & co"]


@pytest.fixture
def wins():
    return pd.DataFrame([[0, 20, 31], [12, 0, 25], [4, 11, 0]], NAMES, NAMES)


@pytest.fixture
def differs():
    """A table in which svr and c45, and mlp and c45, differ significantly."""
    table = pd.DataFrame(False, NAMES, NAMES)
    for a, b in (("svr", "c45 & co"), ("<b>mlp", "c45 & co")):
        table.loc[a, b] = table.loc[b, a] = True
    return table


@pytest.fixture
def total():
    return pd.Series([34, 30, 13], NAMES)


def traces(fig):
    return {t.name for t in fig.data}


def written(fig):
    """Return the printed numbers by (row, column); column 3 contains the totals."""
    numbers = trace(fig, "numbers")
    columns = sorted(set(numbers.x))
    return {
        (round(y), columns.index(x)): word
        for x, y, word in zip(numbers.x, numbers.y, numbers.text, strict=True)
    }


def said(fig, row, column):
    bars = trace(fig, "cells")
    places = [i for i in range(len(bars.x)) if list(bars.customdata[i]) == [row, column]]
    return bars.hovertext[places[0]]


def test_counts_stand_row_over_column_and_bold_where_the_row_wins(wins, differs, total, style):
    fig = wins_table(wins, differs, total, style=style)

    assert written(fig) == {
        **{(0, 1): "20", (0, 2): "<b>31</b>", (0, 3): "34"},
        **{(1, 0): "12", (1, 2): "<b>25</b>", (1, 3): "30"},
        **{(2, 0): "4", (2, 1): "11", (2, 3): "13"},
    }
    assert list(fig.layout.yaxis.ticktext) == ["svr", "&lt;b&gt;mlp", "c45 &amp; co"]
    assert list(fig.layout.xaxis.ticktext) == [*fig.layout.yaxis.ticktext, "any win"]
    strict(fig)


def test_one_way_of_a_pair_is_enough_to_differ(wins, differs, total):
    upper = pd.DataFrame(np.triu(differs), NAMES, NAMES)
    for table in (upper, upper.T):
        assert written(wins_table(wins, table, total, style=STYLES["light"]))[0, 2] == "<b>31</b>"


def test_rows_and_columns_follow_the_order(wins, differs, total, style):
    fig = wins_table(wins, differs, total, style=style, order=NAMES[::-1])

    assert written(fig)[2, 0] == "<b>31</b>"
    assert [written(fig)[i, 3] for i in range(3)] == ["13", "30", "34"]


@pytest.mark.parametrize(("n_sets", "most"), [(None, 34), (38, 38)])
def test_bars_are_proportional_to_the_numbers(wins, differs, total, style, n_sets, most):
    fig = wins_table(wins, differs, total, style=style, n_sets=n_sets)
    lengths = []
    for name in ("bars", "bold bars"):
        bars = trace(fig, name)
        lengths += [b - a for a, b in zip(bars.x[::3], bars.x[1::3], strict=True)]

    numbers = [20, 12, 4, 11, 34, 30, 13, 31, 25]  # cells, totals, then the bold ones
    np.testing.assert_allclose(lengths, 0.72 * np.array(numbers) / most)
    assert trace(fig, "bars").line.width == style.px(2, 1.3)


def test_a_count_of_zero_has_no_bar(wins, differs, total):
    wins.loc["c45 & co", "svr"] = 0
    fig = wins_table(wins, differs, total, style=STYLES["light"])
    assert len(trace(fig, "bars").x) == 3 * 6
    assert written(fig)[2, 0] == "0"


def test_a_click_gives_row_and_column_and_hover_lists_data_sets_as_text(wins, differs, total):
    won = {("svr", "<b>mlp"): ["<i>iris", "wine"] + [f"data set {i}" for i in range(18)]}
    hover = pd.DataFrame("sign test p < 0.001", NAMES, NAMES)
    fig = wins_table(
        wins, differs, total, style=STYLES["light"], n_sets=38, won=won, hover=hover, order=NAMES
    )

    assert said(fig, "svr", "<b>mlp") == (
        "<b>svr over &lt;b&gt;mlp</b>: 20 of 38<br>&lt;b&gt;mlp over svr: 12, no significant difference<br>"
        "&lt;i&gt;iris, wine, data set 0, data set 1, data set 2 and 15 more<br>"
        "sign test p &lt; 0.001<br>Click: select the pair (click again: open)"
    )
    assert ", significant difference<br>" in said(fig, "c45 & co", "svr")
    clicks = [tuple(c) for c in trace(fig, "cells").customdata]
    assert sorted(clicks) == sorted(permutations(NAMES, 2))
    assert all(h.count("<br>") <= 4 for h in trace(fig, "cells").hovertext)
    assert "34 of 38" in trace(fig, "total").hovertext[0]
    assert "no data set" in said(fig, "c45 & co", "svr")


def made(k, n=38, name="alg{}"):
    rng = np.random.default_rng(k)
    names = [name.format(i) for i in range(k)]
    upper = np.triu(rng.integers(0, n, (k, k)), 1)
    wins = pd.DataFrame(upper + np.triu(n - upper, 1).T, names, names)
    differs = (wins - wins.T).abs() > n / 3
    return wins, differs, wins.max(axis=1)


@pytest.mark.parametrize(
    ("k", "name"), [(2, "a{}"), (8, LONG), (12, LONG), (13, "a{}"), (30, LONG), (60, "a{}")]
)
def test_numbers_are_readable_or_replaced_by_marks(k, name, style):
    wins, differs, total = made(k, name=name)
    fig = wins_table(wins, differs, total, style=style)
    numbers = trace(fig, "numbers")

    assert numbers.textfont.size >= 8
    assert ("bars" in traces(fig)) == (k <= 12)
    if k <= 12:
        assert "wins" not in traces(fig)
    column = (fig.layout.width or 820) - fig.layout.margin.l - fig.layout.margin.r
    column /= fig.layout.xaxis.range[1] + 0.5
    if "wins" not in traces(fig):
        assert text.text_width("38", numbers.textfont.size, style.serif, bold=True) < column
        assert len(numbers.text) == k * k
    else:
        bold = (differs & (wins > wins.T)).to_numpy().sum()
        assert len(trace(fig, "wins").x) == bold
        assert len(numbers.text) == k
    assert min(fig.layout.xaxis.tickfont.size, fig.layout.yaxis.tickfont.size) >= 8
    assert fig.layout.height < 1200


def test_of_many_algorithms_no_wins_are_dots_and_totals_are_numbers():
    wins, differs, total = made(40, n=6)
    wins.iloc[-1], total.iloc[-1] = 0, 0
    spec, style = WinsTable(wins=wins, differs=differs, total=total), theme.paper(3.25)
    labels = trace(spec.figure(style), "numbers").text
    assert list(labels).count("\u00b7") == (wins.to_numpy() == 0).sum() - 40
    assert labels[-1] == "0"
    assert "Dots: no wins." in spec.caption(style)
    assert spec.caption(style).endswith("Columns are in the order of the rows.")
    assert spec.figure(style).layout.margin.t < 50, "columns have no names"


def alt_wins_table(wins, differs, total, **fields):
    return WinsTable(wins=wins, differs=differs, total=total, **fields).alt


def test_the_table_in_words(wins, differs, total):
    assert alt_wins_table(wins, differs, total, measure="error", over="38 data sets") == (
        "Wins table of error for 3 algorithms on 38 data sets. Most data sets with a win: svr (34). "
        "Significantly more wins: svr over c45 & co, 31, <b>mlp over c45 & co, 25."
    )
    assert "Significantly more wins: none." in alt_wins_table(wins, differs & False, total)
    assert len(alt_wins_table(*made(40, name="a rather long name of number {}"))) <= 300
    table = WinsTable(wins=wins, differs=differs, total=total)
    assert (
        "data sets on which the row algorithm wins against the column algorithm"
        in table.caption(STYLES["light"])
    )


@pytest.fixture
def better(wins, differs):
    return differs & (wins > wins.T)


def heads(fig, name="differ"):
    """Return position and direction of the tip of every arrowhead, by (worse, better)."""
    tips = trace(fig, f"{name}: arrowheads")
    return {
        tuple(edge): (x, y, angle)
        for edge, x, y, angle in zip(
            tips.customdata, tips.x, tips.y, tips.marker.angle, strict=True
        )
    }


def test_an_arrow_leads_from_the_worse_to_the_better(better, style):
    fig = sign_test_graph(NAMES, better, style=style)
    nodes = trace(fig, "nodes")
    at = dict(zip(nodes.customdata, nodes.x, strict=True))

    assert set(heads(fig)) == {("c45 & co", "svr"), ("c45 & co", "<b>mlp")}
    assert at["svr"] < at["<b>mlp"] < at["c45 & co"]
    for (_, winner), (x, y, angle) in heads(fig).items():
        radius = nodes.marker.size / 2
        assert np.hypot(x - at[winner], y) == pytest.approx(radius)  # touches the node
        assert abs(angle) == 180  # down
        assert x > at[winner]
    strict(fig)


def test_an_arrow_against_the_order_points_right(better, style):
    fig = sign_test_graph(NAMES[::-1], better, style=style)
    nodes = trace(fig, "nodes")
    at = dict(zip(nodes.customdata, nodes.x, strict=True))
    assert all(x < at[winner] for (_, winner), (x, _, _) in heads(fig).items())


def test_arcs_carry_their_pair_and_nodes_their_name(better, wins, style):
    hover = wins.map(lambda n: f"{n} wins & more\np <0.01")
    fig = sign_test_graph(NAMES, better, style=style, hover=hover)
    edges = trace(fig, "edges")
    words = dict(zip(map(tuple, edges.customdata), edges.hovertext, strict=True))

    assert words["c45 & co", "svr"] == (
        "<b>svr better than c45 &amp; co</b><br>31 wins &amp; more<br>p &lt;0.01"
        "<br>Click: select the pair (click again: open)"
    )
    nodes = dict(zip(trace(fig, "nodes").customdata, trace(fig, "nodes").hovertext, strict=True))
    assert "worse than svr, &lt;b&gt;mlp" in nodes["c45 & co"]
    assert "better than c45 &amp; co" in nodes["svr"]
    assert edges.marker.color == "rgba(0,0,0,0)"


def test_a_selected_algorithm_keeps_its_arrows_and_the_others_step_back(better, style):
    fig = sign_test_graph(NAMES, better, style=style, focus="svr")

    assert set(heads(fig)) == {("c45 & co", "svr")}
    assert set(heads(fig, "others")) == {("c45 & co", "<b>mlp")}
    assert trace(fig, "others").line.color == style.hairline
    fills = trace(fig, "nodes").marker.color
    assert len({fills[0], fills[1], fills[2]}) == 3  # selected, untouched, met
    with pytest.raises(ValueError, match="unknown `focus`"):
        sign_test_graph(NAMES, better, style=style, focus="nobody")


def test_without_a_difference_there_are_nodes_only(better, style):
    fig = sign_test_graph(NAMES, better & False, style=style)

    assert traces(fig) == {"nodes"}
    assert "no significant difference from any other" in trace(fig, "nodes").hovertext[0]
    assert fig.layout.height < sign_test_graph(NAMES, better, style=style).layout.height


@pytest.mark.parametrize("k", [1, 9, 10, 21])
def test_many_arrows_are_those_of_one_or_in_print_of_as_many_as_have_room(k, style):
    names = [f"algorithm {i}" for i in range(k)]
    above = pd.DataFrame(np.triu(np.ones((k, k), dtype=bool), 1), names, names)
    fig = sign_test_graph(names, above, style=style)
    drawn, pairs = set(heads(fig)) if k > 1 else set(), k * (k - 1) // 2

    least = pairs if pairs <= MOST_ARROWS else k - 1
    assert least <= len(drawn) == len(heads(fig) if k > 1 else ())
    assert (len(drawn) > least) == (style.printed and pairs > MOST_ARROWS)
    assert "others" not in traces(fig)
    if pairs > MOST_ARROWS:
        filled = {name for edge in drawn for name in edge} if style.printed else {"algorithm 0"}
        assert all(filled & set(edge) for edge in drawn)
        fig = sign_test_graph(names, above, style=style, focus="algorithm 3")
        assert all("algorithm 3" in edge for edge in heads(fig))
    assert min(a.font.size for a in fig.layout.annotations) >= 8


def test_everything_drawn_lies_in_the_frame(style):
    names = [f"a{i}" for i in range(9)]
    above = pd.DataFrame(np.triu(np.ones((9, 9), dtype=bool), 1), names, names)
    fig = sign_test_graph(names, above, style=style)
    low, high = fig.layout.yaxis.range
    assert fig.layout.height == round(high - low)
    for part in fig.data:
        y = np.array([v for v in part.y if v is not None], dtype=float)
        x = np.array([v for v in part.x if v is not None], dtype=float)
        assert low < y.min()
        assert y.max() < high
        assert x.min() >= 0
        assert x.max() <= fig.layout.xaxis.range[1]


def test_arrows_have_tracks_of_their_own_and_longer_ones_lie_above(style):
    names = list("abcdefgh")
    edges = [(worse, better) for i, better in enumerate(names) for worse in names[i + 1 :]]
    layout = ordering_graph.graph_layout(names, edges, style)
    for one, other in itertools.combinations(edges, 2):
        (low, high), (start, end) = (sorted(map(names.index, edge)) for edge in (one, other))
        if start < high and low < end:
            assert layout.tracks[one] != layout.tracks[other]
        if low <= start and end <= high:
            assert layout.tracks[one] > layout.tracks[other]


def test_arrows_carry_their_p(better, style):
    p = pd.DataFrame(0.0123, better.index, better.columns)
    fig = sign_test_graph(NAMES, better, style=style, pvalues=p)
    labels = [a.text for a in fig.layout.annotations if (a.name or "").startswith("label ")]
    assert labels == ["0.012"] * len(heads(fig))


def test_both_ways_are_refused(better):
    with pytest.raises(ValueError, match="contradictory pair"):
        sign_test_graph(NAMES, better | better.T, style=STYLES["light"])


def alt_sign_test_graph(order, better, **fields):
    return SignTestGraph(order=order, better=better, **fields).alt


def caption_sign_test_graph(order, better, **fields):
    return SignTestGraph(order=order, better=better, **fields).caption(STYLES["light"])


def test_the_graph_in_words(better):
    assert alt_sign_test_graph(NAMES, better, measure="error", over="38 data sets") == (
        "Sign-test graph of error for 3 algorithms on 38 data sets. 2 of 3 pairs differ significantly: "
        "svr better than c45 & co, <b>mlp better than c45 & co."
    )
    assert "0 of 3 pairs differ significantly." in alt_sign_test_graph(NAMES, better & False)
    caption = SignTestGraph(order=NAMES, better=better).caption(STYLES["light"])
    assert "significantly better" in caption


def test_the_caption_says_which_arrows_are_left_out():
    """Each of 25 algorithms is better than all after it: 300 arrows, 24 of which start or end at the first."""
    names = [f"a{i}" for i in range(25)]
    better = pd.DataFrame(np.triu(np.ones((25, 25), dtype=bool), 1), names, names)
    said = caption_sign_test_graph(order=names, better=better, total=179)
    assert "Only the 25 best of 179 algorithms are drawn." in said
    assert "Of 300 arrows, only the 24 that start or end at a0 (filled) are drawn." in said
    assert "Of 300 arrows, only the 24" in caption_sign_test_graph(
        order=names, better=better, focus="a24"
    )
    fig = sign_test_graph(names, better, style=STYLES["light"])
    nodes = next(t for t in fig.data if t.name == "nodes")
    assert [
        n for n, c in zip(names, nodes.marker.color, strict=True) if c != nodes.marker.color[1]
    ] == ["a0"]
    assert "No pair differs" in caption_sign_test_graph(
        order=names[:3], better=better.iloc[:3, :3] & False
    )
