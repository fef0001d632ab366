"""Tests of the ordering graph, and of the chart of ranks along a setting."""

import itertools

import numpy as np
import pandas as pd
import pytest

from foldwise.figures import text, theme
from foldwise.figures.order_paths import OrderPathFigure
from foldwise.figures.ordering_graph import MOST_ARROWS, MOST_EDGES, OrderingGraph, graph_layout
from tests.figures.conftest import STYLES
from tests.figures.drawn_figures import named, strict, trace

# Table 1, Fig. 1 and Fig. 2 of Ulas, Yildiz and Alpaydin 2012: optdigits by training time.
PRIOR = ["5nn", "c45", "lnp", "mlp", "svr", "svl", "sv2", "mdt"]
EDGES = [
    *[("5nn", better) for better in ("svr", "svl", "sv2")],
    *[("c45", better) for better in ("lnp", "mlp", "svr", "svl", "sv2", "mdt")],
    *[("lnp", better) for better in ("mlp", "svr", "svl", "sv2")],
    *[("mlp", better) for better in ("svr", "svl", "sv2")],
]
ORDER = ["svr", "svl", "sv2", "5nn", "mlp", "lnp", "mdt", "c45"]
LONG = "a rather long name of algorithm number {} <b>"
HOSTILE = ["<b>x", "a_b*", "50% & $x$ #1 {y} ~^\\", "x" * 45, "λ=0.5", "随机森林", "naïve--…"]


def traces(fig):
    return {t.name for t in fig.data}


def heads(fig, name):
    """Return (cheaper, better) of every arrowhead of one kind."""
    if f"{name}: arrowheads" not in traces(fig):
        return set()
    return {tuple(edge) for edge in trace(fig, f"{name}: arrowheads").customdata}


def places_of(fig):
    """Return the rank written next to each node, by algorithm."""
    found = [a for a in fig.layout.annotations if (a.name or "").startswith("place of ")]
    return {a.name.removeprefix("place of "): a.text for a in found}


def fills(fig):
    nodes = trace(fig, "nodes")
    return dict(zip(nodes.customdata, nodes.marker.color, strict=True))


ENDS = ["end 0", "end 1"]  # names of the texts below or beside the first and the last node


def made(k, name="alg{}", share=0.4):
    """Return k algorithms, random edges, and the order that results from them."""
    rng = np.random.default_rng(k)
    names = [name.format(i) for i in range(k)]
    better = np.triu(rng.random((k, k)) < share, 1)
    edges = [(names[i], names[j]) for i, j in np.argwhere(better)]
    known, left, order = {*edges}, list(names), []
    while left:
        ready = [a for a in left if not any((a, b) in known for b in left)]
        order.append(ready[0])
        left.remove(ready[0])
    return names, edges, order


def test_the_final_state_has_white_nodes_with_their_places_and_all_arrows(every_style):
    graph = OrderingGraph(prior=PRIOR, edges=EDGES, taken=ORDER)
    fig = graph.draw(every_style)

    assert list(trace(fig, "nodes").customdata) == PRIOR
    assert {a.name: a.text for a in fig.layout.annotations if a.text in graph.ends} == dict(
        zip(ENDS, graph.ends, strict=True)
    )
    assert np.all(np.diff(trace(fig, "nodes").x) > 0)
    assert places_of(fig) == {name: f"{place}." for place, name in enumerate(ORDER, 1)}
    assert set(fills(fig).values()) == {"#0E1117" if every_style.dark else "#FFFFFF"}
    assert heads(fig, "better") == set(EDGES)
    assert "others" not in traces(fig)
    assert trace(fig, "better").line.color == every_style.ink
    strict(fig)


def test_arrows_touch_the_better_algorithm_from_the_upper_left(style):
    fig = OrderingGraph(prior=PRIOR, edges=EDGES, taken=ORDER).draw(style)
    nodes, tips = trace(fig, "nodes"), trace(fig, "better: arrowheads")
    at = dict(zip(nodes.customdata, nodes.x, strict=True))
    for edge, x, y, angle in zip(tips.customdata, tips.x, tips.y, tips.marker.angle, strict=True):
        assert np.hypot(x - at[edge[1]], y) == pytest.approx(nodes.marker.size / 2)
        assert x < at[edge[1]]
        assert y > 0
        assert abs(angle) == 180  # down


# Fig. 2 of the paper: what is free of outgoing arrows and what is taken, step by step.
STEPS = [
    ({"svr", "svl", "sv2", "mdt"}, "svr"),
    ({"svl", "sv2", "mdt"}, "svl"),
    ({"sv2", "mdt"}, "sv2"),
    ({"5nn", "mlp", "mdt"}, "5nn"),
    ({"mlp", "mdt"}, "mlp"),
    ({"lnp", "mdt"}, "lnp"),
    ({"mdt"}, "mdt"),
    ({"c45"}, "c45"),
]


@pytest.mark.parametrize("step", [0, 3, 7])
def test_a_step_shows_taken_candidates_and_chosen(step, style):
    free, chosen = STEPS[step]
    taken = ORDER[:step]
    fig = OrderingGraph(
        prior=PRIOR, edges=EDGES, taken=taken, candidates=free - {chosen}, chosen=chosen
    ).draw(style)

    primary = theme.PALETTE_DARK[0] if style.dark else theme.PALETTE[0]
    assert fills(fig)[chosen] == (primary if style.colour else style.ink)
    assert {n for n, c in fills(fig).items() if c == style.tint} == free - {chosen}
    assert {n for n, c in fills(fig).items() if c == style.blank} == set(taken)
    assert places_of(fig) == {n: f"{i}." for i, n in enumerate([*taken, chosen], 1)}
    grey = {edge for edge in EDGES if set(edge) & set(taken)}
    assert heads(fig, "others") == grey
    assert heads(fig, "better") == set(EDGES) - grey
    final = OrderingGraph(prior=PRIOR, edges=EDGES, taken=ORDER).draw(style)
    assert fig.layout.height == final.layout.height  # steps do not move the page


def test_sizes_follow_the_specification():
    """Figures are 700 px wide on the screen and 312 px in print, with nodes of radius 20 and 12 px."""
    screen = OrderingGraph(prior=PRIOR, edges=EDGES, taken=ORDER).draw(theme.screen())
    assert screen.layout.xaxis.range[1] + screen.layout.margin.r == 700
    assert trace(screen, "nodes").marker.size == 2 * 20
    column = OrderingGraph(prior=PRIOR, edges=EDGES, taken=ORDER).draw(theme.paper())
    assert column.layout.width == 312
    assert trace(column, "nodes").marker.size == 2 * 12


def test_places_can_be_left_out(style):
    fig = OrderingGraph(prior=PRIOR, edges=EDGES, taken=ORDER, places=False).draw(style)
    assert places_of(fig) == {}
    assert fig.layout.height < OrderingGraph(prior=PRIOR, edges=EDGES).draw(style).layout.height


# Made up: one group side by side at each end, two that skip others.
GROUPS = [
    ("svr", "svl", "sv2", "mdt"),
    ("5nn", "lnp", "mdt"),
    ("5nn", "mlp", "mdt"),
    ("5nn", "c45"),
]


def segments(fig, name):
    """Return (x0, x1, y) of every segment of a trace."""
    lines = trace(fig, name)
    return list(zip(lines.x[::3], lines.x[1::3], lines.y[::3], strict=True))


def test_underlines_cover_their_members_and_are_dotted_over_others(style):
    fig = OrderingGraph(prior=PRIOR, edges=EDGES, taken=ORDER, groups=GROUPS).draw(style)
    at = dict(zip(trace(fig, "nodes").customdata, trace(fig, "nodes").x, strict=True))
    solid, dotted = segments(fig, "groups"), segments(fig, "passed over")

    found = []
    for members in GROUPS:
        row = {
            y
            for x0, x1, y in solid
            if {n for n in PRIOR if any(a < at[n] < b for a, b, v in solid if v == y)}
            >= set(members)
        }
        assert row  # one row whose solid stretches lie below every member
        found.append(row)
    assert len(solid) == 1 + 3 + 3 + 1
    assert trace(fig, "passed over").line.dash == "dot"
    for x0, x1, y in dotted:
        passed = [n for n in PRIOR if x0 < at[n] < x1]
        assert passed
        assert not any(a < at[n] < b for n in passed for a, b, v in solid if v == y)
    targets = trace(fig, "group targets")
    assert {tuple(members) for members in targets.customdata} == {
        tuple(n for n in PRIOR if n in members) for members in GROUPS
    }
    assert "no significant difference" in targets.hovertext[0]


def test_overlapping_groups_take_rows_of_their_own(style):
    fig = OrderingGraph(prior=PRIOR, edges=EDGES, groups=GROUPS).draw(style)
    spans = sorted(
        (y, x0, x1) for name in ("groups", "passed over") for x0, x1, y in segments(fig, name)
    )
    for (y, _, end), (other, start, _) in zip(spans, spans[1:], strict=False):
        assert y != other or start >= end
    overlapping = [("5nn", "c45", "lnp"), ("lnp", "mlp")]
    fig = OrderingGraph(prior=PRIOR, edges=EDGES, groups=overlapping).draw(style)
    assert len({y for _, _, y in segments(fig, "groups")}) == 2
    assert not named(fig, "members")  # dots only where a group has a gap


def test_a_selected_algorithm_keeps_its_arrows(style):
    fig = OrderingGraph(prior=PRIOR, edges=EDGES, taken=ORDER, selected="mlp").draw(style)

    mine = {edge for edge in EDGES if "mlp" in edge}
    assert heads(fig, "better") == mine
    assert heads(fig, "others") == set(EDGES) - mine
    assert trace(fig, "better").line.width > trace(fig, "others").line.width
    widths = trace(fig, "nodes").marker.line.width
    assert widths[PRIOR.index("mlp")] == max(widths) > min(widths)


def test_hover_is_text_and_a_click_gives_the_pair(style):
    edge = ("a<i>", "b & c")
    fig = OrderingGraph(
        prior=["a<i>", "b & c"],
        edges=[edge],
        chosen="b & c",
        candidates=["a<i>"],
        hover={edge: "5x2 F one-sided, p adjusted <0.001\nerror 8.1% against 5.2%"},
        node_hover={"b & c": "error 5.2%, 3 s & more"},
    ).draw(style)
    edges = trace(fig, "edges")
    assert {tuple(pair) for pair in edges.customdata} == {edge}
    assert edges.hovertext[0] == (
        "<b>a&lt;i&gt; to b &amp; c</b><br>5x2 F one-sided, p adjusted &lt;0.001<br>"
        "error 8.1% against 5.2%<br>Click: select the pair (click again: open)"
    )
    said = dict(zip(trace(fig, "nodes").customdata, trace(fig, "nodes").hovertext, strict=True))
    assert said["b & c"] == (
        "<b>b &amp; c</b> rank 1 in the cost-aware order, placed in this step<br>error 5.2%, 3 s &amp; more<br>"
        "significantly better than the cheaper a&lt;i&gt;<br>Click: select the algorithm"
    )
    assert "no arrow to a remaining algorithm" in said["a<i>"]
    assert "more expensive and significantly better: b &amp; c" in said["a<i>"]


def boxes(fig, style):
    """Return left, right, lower and upper end of each label on an arrow, by its name."""
    found = {}
    for a in fig.layout.annotations:
        if (a.name or "").startswith("label "):
            wide = text.text_width(
                text.plain_text(a.text.replace("&lt;", "<")), a.font.size, style.serif
            )
            left = a.x - (wide / 2 if a.xanchor == "center" else 0)
            found[a.name] = (left, left + wide, a.y - a.font.size / 2, a.y + a.font.size / 2)
    return found


@pytest.mark.parametrize("k", [5, 8, 12, 16, 40])
def test_every_arrow_has_its_label_on_it_and_clear_of_all_others(k, style):
    names, edges, order = (PRIOR, EDGES, ORDER) if k == 8 else made(k, "a{}")
    fig = OrderingGraph(
        prior=names, edges=edges, taken=order, labels=dict.fromkeys(edges, "<0.001")
    ).draw(style)
    drawn, found = heads(fig, "better"), boxes(fig, style)
    assert found.keys() == {f"label {a} to {b}" for a, b in drawn}
    layout = graph_layout(names, edges, style, labels=dict.fromkeys(edges, "<0.001"))
    ways = {}
    for edge in drawn:
        points = np.array(layout.route(edge).points)
        fine = np.linspace(0, len(points) - 1, 600)
        ways[edge] = [np.interp(fine, np.arange(len(points)), points[:, i]) for i in (0, 1)]
    for name, (left, right, low, high) in found.items():
        crossing = {
            f"label {a} to {b}"
            for (a, b), (x, y) in ways.items()
            if ((left < x) & (x < right) & (low < y) & (y < high)).any()
        }
        assert crossing <= {name}
        for other, (x0, x1, y0, y1) in found.items():
            assert other == name or x1 <= left or right <= x0 or y1 <= low or high <= y0
        nodes = trace(fig, "nodes")
        assert all(
            y + nodes.marker.size / 2 < low or x + nodes.marker.size / 2 < left
            for x, y in zip(nodes.x, nodes.y, strict=True)
        )


def test_arrows_begin_inside_their_node(style):
    layout = graph_layout(PRIOR, EDGES, style)
    for edge in EDGES:
        x, y = layout.route(edge).points[0]
        assert np.hypot(x - layout.at[edge[0]][0], y) < layout.radius


def area(a, style):
    """Return the left, right and lower end of an annotation."""
    written = a.text.replace("&lt;", "<").replace("&gt;", ">")
    lines = written.split("<br>")
    wide, tall = (
        max(text.text_width(line, a.font.size, style.serif) for line in lines),
        1.2 * a.font.size * len(lines),
    )
    if a.textangle == -90:
        wide, tall = a.font.size, wide
    left = a.x + (a.xshift or 0) - {"left": 0, "center": wide / 2, "right": wide}[a.xanchor]
    return left, left + wide, a.y - {"middle": tall / 2, "bottom": 0, "top": tall}[a.yanchor]


@pytest.mark.parametrize(
    ("k", "name"), [(1, "alg{}"), (2, LONG), (8, LONG), (20, "alg{}"), (21, LONG), (60, LONG)]
)
def test_any_number_of_algorithms_fits(k, name, style):
    names, edges, order = made(k, name)
    half = k // 2
    groups = [names[: half + 1], names[::3]]
    fig = OrderingGraph(
        prior=names, edges=edges, taken=order[:half], chosen=order[half], groups=groups
    ).draw(style)
    strict(fig)
    drawn = heads(fig, "better") | heads(fig, "others")
    few = k <= MOST_EDGES and len(edges) <= MOST_ARROWS
    assert drawn == {edge for edge in edges if few or order[half] in edge}
    low, high = fig.layout.yaxis.range
    assert fig.layout.height == round(high - low)
    width, first = (
        fig.layout.xaxis.range[1] + fig.layout.margin.r,
        fig.layout.xaxis.range[0] - fig.layout.margin.l,
    )
    for part in fig.data:
        for values, (start, end) in ((part.x, (first, width)), (part.y, (low, high))):
            inside = np.array([v for v in values if v is not None], dtype=float)
            assert ((inside >= start) & (inside <= end)).all()
    for a in fig.layout.annotations:
        left, right, bottom = area(a, style)
        assert a.font.size >= 8
        assert left >= min(first, 0) - 1
        assert right <= width + 1
        assert bottom >= low - 1


def test_upright_names_do_not_overlap(style):
    names, edges, order = made(20, "long name {}", share=0.1)
    fig = OrderingGraph(prior=names, edges=edges, taken=order).draw(style)
    upright = [a for a in fig.layout.annotations if a.textangle == -90 and a.name is None]
    assert [a.text for a in upright] == names
    assert all(
        b.x - a.x >= 0.9 * a.font.size - 1e-6 for a, b in zip(upright, upright[1:], strict=False)
    )


@pytest.mark.parametrize("k", [21, 40, 60])
def test_a_list_has_every_name_in_full_in_a_row_of_its_own(k, style):
    names, edges, order = made(k, "long name {}")
    fig = OrderingGraph(prior=names, edges=edges, taken=order).draw(style)
    assert [a.name for a in fig.layout.annotations if a.name in ENDS] == ENDS
    rows = [a for a in fig.layout.annotations if a.name is None]
    assert [a.text for a in rows] == names
    assert all(a.y - b.y >= 1.2 * a.font.size for a, b in zip(rows, rows[1:], strict=False))
    assert len(places_of(fig)) == k


def test_with_many_the_most_arrows_of_one_are_shown_unless_another_is_selected(style):
    names, edges, order = made(30)
    fig = OrderingGraph(prior=names, edges=edges, taken=order).draw(style)
    ends = [name for edge in edges for name in edge]
    busiest = max(names, key=ends.count)
    of_one, drawn = {edge for edge in edges if busiest in edge}, heads(fig, "better")
    assert drawn > of_one if style.printed else drawn == of_one
    fig = OrderingGraph(prior=names, edges=edges, taken=order, selected=names[2]).draw(style)
    assert heads(fig, "better") == {edge for edge in edges if names[2] in edge}


def test_hostile_names_are_text(style):
    fig = OrderingGraph(prior=HOSTILE, edges=[(HOSTILE[0], HOSTILE[2])], taken=HOSTILE).draw(style)
    strict(fig)
    written = " ".join(a.text for a in fig.layout.annotations)
    written = written.replace("<br>", "")  # between the lines of a name
    assert "<" not in written
    assert "&lt;b&gt;x" in written
    assert list(trace(fig, "nodes").customdata) == HOSTILE


@pytest.mark.parametrize(
    ("options", "match"),
    [
        ({"prior": []}, "It is empty"),
        ({"prior": ["a", "b", "a"]}, "'a' is repeated"),
        ({"edges": [("b", "a")]}, "from a cheaper to a more expensive"),
        ({"edges": [("a", "z")]}, "from a cheaper to a more expensive"),
        ({"chosen": "z"}, "`chosen` must be an algorithm"),
        ({"selected": "z"}, "`selected` must be an algorithm"),
        ({"taken": ["z"]}, "`taken` must be an algorithm"),
        ({"candidates": ["z"]}, "`candidates` must be an algorithm"),
        ({"taken": ["a"], "chosen": "a"}, "'a' is in `taken` twice"),
        ({"taken": ["a", "a"]}, "'a' is in `taken` twice"),
    ],
)
def test_what_contradicts_itself_is_refused(options, match):
    prior, edges = options.pop("prior", ["a", "b"]), options.pop("edges", [])
    with pytest.raises(ValueError, match=match):
        OrderingGraph(prior=prior, edges=edges, **options).draw(STYLES["light"])


def alt_ordering_graph(prior, edges, order, **fields):
    return OrderingGraph(prior=prior, edges=edges, order=order, **fields).alt


def caption_ordering_graph(prior, edges=(), **fields):
    return OrderingGraph(prior=prior, edges=edges, **fields).caption(STYLES["light"])


def test_the_graph_in_words():
    assert alt_ordering_graph(PRIOR, EDGES, ORDER, cost="training time") == (
        "Ordering graph of 8 algorithms, cheapest by training time first. In 16 of 28 pairs, the "
        "more expensive algorithm is significantly better. Cost-aware order: 1 svr, 2 svl, 3 sv2, 4 5nn, 5 mlp, "
        "6 lnp, 7 mdt, 8 c45."
    )
    names, edges, order = made(60, "a rather long name of number {}")
    alt = alt_ordering_graph(names, edges, order)
    assert len(alt) <= 300
    assert f"Cost-aware order: 1 {order[0]}, 2" in alt
    names = [f"a{i:02}" for i in range(25)]
    edges = [("a03", name) for name in names[4:]] + [("a00", "a01")]
    groups = [("a00", "a02"), ("a10", "a11")]
    caption = caption_ordering_graph(cost="training time", prior=names, edges=edges, groups=groups)
    assert "sorted by training time, from the cheapest (top) to the most expensive" in caption
    assert "Of 22 arrows, only the 21 that start or end at a03 (marked) are drawn." in caption
    assert "nderlined" not in caption
    assert "dotted" not in caption_ordering_graph(PRIOR, cost="training time")


def test_the_caption_explains_only_what_is_drawn():
    bare = caption_ordering_graph(cost="time", prior=PRIOR)
    assert "There are no arrows" in bare
    assert "nderlined" not in bare
    beside = caption_ordering_graph(cost="time", prior=["a", "b"], groups=[("a", "b")])
    assert "Underlined: groups" in beside
    assert "dotted" not in beside


def test_a_block_of_underlines_is_left_out(style):
    """Groups of two that overlap need too many rows for 20 algorithms."""
    names = [f"a{i:03}" for i in range(20)]
    groups = list(itertools.combinations(names, 2))
    fig = OrderingGraph(prior=names, edges=[], taken=names, groups=groups).draw(style)
    assert "groups" not in traces(fig)
    assert "not underlined" in caption_ordering_graph(cost="time", prior=names, groups=groups)
    assert (
        fig.layout.height
        == OrderingGraph(prior=names, edges=[], taken=names).draw(style).layout.height
    )


def test_names_and_outlines_of_nodes_have_the_colour_of_their_algorithm(style):
    colours = theme.colours(PRIOR, dark=style.dark)
    fig = OrderingGraph(prior=PRIOR, edges=EDGES, taken=ORDER, colours=colours).draw(style)
    expected = [colours[name] if style.colour else style.ink for name in PRIOR]
    assert list(trace(fig, "nodes").marker.line.color) == expected
    written = {a.text: a.font.color for a in fig.layout.annotations}
    assert [written[name] for name in PRIOR] == expected


def test_of_many_the_one_with_most_arrows_is_marked(style):
    names = [f"a{i:03}" for i in range(60)]
    edges = [("a050", "a051"), ("a050", "a052"), ("a000", "a059")]
    fig = OrderingGraph(prior=names, edges=edges, taken=names).draw(style)
    assert heads(fig, "better") == set(
        edges if style.printed else edges[:2]
    )  # print has room for two columns
    fills = dict(zip(names, trace(fig, "nodes").marker.color, strict=True))
    assert [n for n in names if fills[n] != fills["a000"]] == ["a050"]


@pytest.fixture
def places():
    """Ranks at three alphas: equal in the first two rows, with two neighbours exchanged in the third."""
    rows = [[4, 8, 6, 5, 1, 2, 3, 7], [4, 8, 6, 5, 1, 2, 3, 7], [4, 8, 6, 5, 2, 1, 3, 7]]
    return pd.DataFrame(rows, index=[0.001, 0.05, 0.2], columns=PRIOR)


def names_at(fig, side):
    found = [a for a in fig.layout.annotations if a.name == f"name at the {side}"]
    return {a.y: a.text for a in found}


def test_lines_follow_the_places_with_the_best_on_top(places, style):
    fig = OrderPathFigure(places=places, x_title="alpha").draw(style)

    assert list(trace(fig, "svr").y) == [1, 1, 2]
    assert list(trace(fig, "svr").x) == [0.001, 0.05, 0.2]
    assert list(fig.layout.yaxis.range) == [8.5, 0.5]
    assert names_at(fig, "left") == {place: name for place, name in enumerate(ORDER, 1)}
    assert names_at(fig, "right")[1] == "svl"
    assert names_at(fig, "right")[2] == "svr"
    assert list(fig.layout.yaxis.ticktext) == [str(i) for i in range(1, 9)]
    assert fig.layout.xaxis.title.text == "alpha"
    strict(fig)


def test_heights_follow_the_specification(places):
    """The height per algorithm is about 26 px on the screen, with at most 520 px in all, and 11 px in print."""
    for style, row in ((theme.screen(), 26), (theme.paper(), 11)):
        fig = OrderPathFigure(places=places, x_title="alpha").draw(style)
        margin = fig.layout.margin
        assert fig.layout.height - margin.t - margin.b == pytest.approx(8 * row, abs=1)
    many = pd.DataFrame([range(1, 41)] * 2, index=[0, 1], columns=[f"a{i}" for i in range(40)])
    fig = OrderPathFigure(places=many, x_title="weight").draw(theme.screen())
    assert fig.layout.height - fig.layout.margin.t - fig.layout.margin.b == pytest.approx(
        520, abs=1
    )


def test_lines_are_told_apart_without_colour(places):
    plain = OrderPathFigure(places=places, x_title="alpha").draw(theme.paper())
    symbols = {trace(plain, f"{name} marks").marker.symbol for name in PRIOR}
    assert len(symbols) == len(PRIOR)
    assert len({trace(plain, name).line.dash for name in PRIOR}) == 6  # the theme's dashes
    assert {trace(plain, name).line.color for name in PRIOR} == {"#000000"}
    fig = OrderPathFigure(places=places, x_title="alpha").draw(theme.screen())
    assert trace(fig, "c45").line.color == theme.PALETTE[1]
    inks = {a.text: a.font.color for a in fig.layout.annotations if a.name == "name at the left"}
    assert inks["c45"] == theme.PALETTE[1]
    assert inks["svr"] == theme.PALETTE[4]


def test_more_than_eight_are_grey_but_for_the_highlighted(style):
    names = [f"a{i}" for i in range(12)]
    table = pd.DataFrame([range(1, 13), range(12, 0, -1)], index=["validation", "test"])
    table.columns = names
    hues = theme.colours(names, ["a3"], style.dark)
    fig = OrderPathFigure(places=table, x_title="part", colours=hues).draw(style)
    others = trace(fig, "other algorithms")
    assert {name for name, _ in others.customdata} == set(names) - {"a3"}
    assert list(others.y[:6]) == [1, 12, None, 2, 11, None]
    assert others.hovertext[4] == "<b>a1</b> rank 11<br>part test"
    assert trace(fig, "a3").line.width > others.line.width
    assert "a3 marks" in traces(fig)
    if style.colour:
        assert trace(fig, "a3").line.color == hues["a3"] != theme.GREY
        assert others.line.color == theme.GREY
    assert list(fig.layout.xaxis.ticktext) == ["validation", "test"]


def test_a_logarithmic_axis_keeps_its_values_in_words(places, style):
    fig = OrderPathFigure(places=places, x_title="alpha", log=True, marked=0.01).draw(style)
    assert list(trace(fig, "svr").x) == pytest.approx([-3, np.log10(0.05), np.log10(0.2)])
    ticks = dict(zip(fig.layout.xaxis.ticktext, fig.layout.xaxis.tickvals, strict=True))
    assert ticks["0.001"] == pytest.approx(-3)
    assert ticks["0.1"] == pytest.approx(-1)
    (line,) = fig.layout.shapes
    assert line.x0 == line.x1 == pytest.approx(-2)
    assert "0.01" in [a.text for a in fig.layout.annotations if a.name == "marked"]
    assert "alpha 0.05" in trace(fig, "svr").hovertext[1]


def test_the_value_in_use_is_marked(places, style):
    (line,) = OrderPathFigure(places=places, x_title="alpha", marked=0.05).draw(style).layout.shapes
    assert line.x0 == line.x1 == 0.05
    texts = places.set_axis(["time", "space", "both"])
    (line,) = (
        OrderPathFigure(places=texts, x_title="cost", marked="space").draw(style).layout.shapes
    )
    assert line.x0 == 1
    assert not OrderPathFigure(places=places, x_title="alpha").draw(style).layout.shapes


def test_hover_names_algorithm_place_and_value(places, style):
    table = places.rename(columns={"svr": "<b>svr"})
    added = pd.DataFrame("3 & 4\np <0.01", index=table.index, columns=table.columns)
    fig = OrderPathFigure(places=table, x_title="<alpha>", hover=added).draw(style)
    line = trace(fig, "&lt;b&gt;svr")
    assert line.hovertext[2] == (
        "<b>&lt;b&gt;svr</b> rank 2<br>&lt;alpha&gt; 0.2<br>3 &amp; 4<br>p &lt;0.01"
    )
    assert [list(point) for point in line.customdata] == [
        ["<b>svr", 0.001],
        ["<b>svr", 0.05],
        ["<b>svr", 0.2],
    ]
    assert "&lt;b&gt;svr" in names_at(fig, "left").values()
    assert fig.layout.xaxis.title.text == "&lt;alpha&gt;"


@pytest.mark.parametrize(("k", "name"), [(1, LONG), (8, "a{}"), (20, LONG), (60, LONG)])
def test_names_of_paths_fit_their_margins(k, name, style):
    rng = np.random.default_rng(k)
    rows = [rng.permutation(k) + 1 for _ in range(5)]
    table = pd.DataFrame(
        rows, index=np.linspace(0, 1, 5), columns=[name.format(i) for i in range(k)]
    )
    fig = OrderPathFigure(places=table, x_title="weight", marked=0.0).draw(style)
    strict(fig)
    margin = fig.layout.margin
    pitch = (fig.layout.height - margin.t - margin.b) / k
    for side, room in (("left", margin.l), ("right", margin.r)):
        found = [a for a in fig.layout.annotations if a.name == f"name at the {side}"]
        assert len({a.text for a in found}) == k
        for a in found:
            written = a.text.replace("&lt;", "<").replace("&gt;", ">")
            assert text.text_width(written, a.font.size, style.serif) + abs(a.xshift) <= room
            assert 8 <= a.font.size <= pitch + 0.1
    assert margin.l + margin.r < 0.75 * style.width
    low, high = fig.layout.xaxis.range
    for part in fig.data:
        at = [x for x in part.x if x is not None]
        assert low < min(at)
        assert max(at) < high


def test_a_single_value_has_marks_only(style):
    table = pd.DataFrame([[2, 1]], index=[0.05], columns=["a", "b"])
    fig = OrderPathFigure(places=table, x_title="alpha", marked=0.05).draw(style)
    strict(fig)
    assert list(trace(fig, "a marks").y) == [2]
    assert list(fig.layout.xaxis.ticktext) == ["0.05"]


@pytest.mark.parametrize(
    ("change", "options", "match"),
    [
        (lambda t: t.iloc[:0], {}, "is empty"),
        (lambda t: t.replace(8, 7), {}, "every rank from 1 to 8 once"),
        (lambda t: t.astype(float).replace(8, np.nan), {}, "every rank from 1 to 8 once"),
        (lambda t: t.iloc[::-1], {}, "increasing numbers or distinct strings"),
        (lambda t: t.set_axis(["a", "b", "a"]), {}, "increasing numbers or distinct strings"),
        (lambda t: t.set_axis([0.0, 0.1, 0.2]), {"log": True}, "needs positive numbers"),
        (lambda t: t.set_axis(["a", "b", "c"]), {"log": True}, "needs positive numbers"),
        (lambda t: t, {"marked": 0.5}, "`marked` must be in"),
        (lambda t: t, {"marked": "test"}, "`marked` must be in"),
        (lambda t: t.set_axis(["a", "b", "c"]), {"marked": "d"}, "`marked` must be in"),
    ],
)
def test_places_that_cannot_be_drawn_are_refused(places, change, options, match):
    with pytest.raises(ValueError, match=match):
        OrderPathFigure(places=change(places), x_title="alpha", **options).draw(STYLES["light"])


def path_alt(places, **fields):
    return OrderPathFigure(places=places, **fields).alt


def test_the_paths_in_words(places):
    assert path_alt(places[["svr", "svl"]], x_title="alpha") == (
        "Ranks of 2 algorithms in the cost-aware order at 3 values of alpha. Order at 0.001: 1 svr, 2 svl. "
        "Order at 0.2: 1 svl, 2 svr."
    )
    names = [f"a rather long name of number {i}" for i in range(60)]
    table = pd.DataFrame([range(1, 61)] * 2, index=["a" * 80, "b" * 80], columns=names)
    assert len(path_alt(table, x_title="x" * 200)) <= 300
