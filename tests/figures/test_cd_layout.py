"""Tests of the layout of critical-difference diagrams for arbitrary ranks, groups and names."""

import itertools
import string

import networkx as nx
import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from foldwise.figures import text, theme
from foldwise.figures.cd_layout import axis_range, cd_layout, tick_values
from tests.figures.conftest import STYLES

ALPHABET = string.ascii_letters + string.digits + " -_.()<b>&/機械学習支持"


@st.composite
def cases(draw, most=60):
    """Draw average ranks with many ties, and maximal cliques of a random graph of the algorithms."""
    k = draw(st.integers(2, most))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    if draw(st.booleans()):
        names = [f"alg {i}" for i in range(k)]
    else:
        letters = list(ALPHABET)
        longest = draw(st.sampled_from([3, 12, 80]))
        names = [
            "".join(rng.choice(letters, size=rng.integers(1, longest + 1))) + f"{i}"
            for i in range(k)
        ]
    sets = draw(st.integers(1, 40))
    scores = rng.normal(size=(sets, k)) + draw(st.sampled_from([0, 1, 5])) * rng.normal(size=k)
    if draw(st.booleans()):
        scores = np.round(scores)
    ranks = pd.DataFrame(scores, columns=names).rank(axis=1).mean()
    groups = _cliques(rng, ranks, draw(st.sampled_from([0.0, 0.1, 0.4, 2.0])), draw(st.booleans()))
    return ranks, groups


def _cliques(rng, ranks, reach, noisy):
    graph = nx.Graph()
    graph.add_nodes_from(ranks.index)
    for a, b in itertools.combinations(ranks.index, 2):
        near = abs(ranks[a] - ranks[b]) < reach * len(ranks)
        if near and not (noisy and rng.random() < 0.15):
            graph.add_edge(a, b)
    return [tuple(group) for group in itertools.islice(nx.find_cliques(graph), 300)]


def lay_out(case, style, **options):
    ranks, groups = case
    return cd_layout(ranks, groups, style=style, **options)


def positions(layout):
    """Return the position at which the stem of each algorithm, or its row, crosses the bars."""
    along = 1 if layout.form == "list" else 0
    point = 0 if layout.form == "list" else 1
    return {leader.name: leader.points[point][along] for leader in layout.leaders}


def boxes(layout):
    """Yield each text and its rectangle, measured from the left edge of the figure."""
    for item in layout.texts:
        x = item.x + layout.left + (layout.plot if item.edge == "right" else 0.0)
        x -= {"left": 0.0, "center": item.width / 2, "right": item.width}[item.anchor]
        size = layout.measures.tick_size if item.role == "tick" else layout.measures.size
        # Letters reach 0.9 em from top to tail in the faces used.
        yield item, (x, item.y - 0.45 * size, x + item.width, item.y + 0.45 * size)


OPTIONS = st.fixed_dictionaries(
    {
        "style": st.sampled_from(list(STYLES.values())),
        "best": st.sampled_from(["left", "right"]),
        "form": st.sampled_from(["automatic", "automatic", "list"]),
        "critical_difference": st.sampled_from(
            [None, (0.02, "Nemenyi, α = 0.05"), (3.0, "Nemenyi, α = 0.05"), (70.0, "Nemenyi")]
        ),
    }
)


@given(case=cases(), options=OPTIONS)
def test_every_group_is_drawn_and_nothing_else(case, options):
    layout = lay_out(case, **options)
    drawn = {frozenset(bar.members) for bar in layout.bars}
    assert drawn == {frozenset(group) for group in case[1] if len(group) > 1}


@given(case=cases(), options=OPTIONS)
def test_solid_covers_members_only_and_dotted_joins_them(case, options):
    layout = lay_out(case, **options)
    place = positions(layout)
    along = 1 if layout.form == "list" else 0
    for bar in layout.bars:
        inside = {place[name] for name in bar.members}
        ends = []
        for stretch in bar.solid:
            low, high = sorted(point[along] for point in stretch)
            over = {n for n, at in place.items() if low - 1e-6 <= at <= high + 1e-6}
            assert over <= set(bar.members)
            ends.append((low, high))
        for stretch in bar.dotted:
            low, high = sorted(point[along] for point in stretch)
            passed = {n for n, at in place.items() if low + 1e-6 < at < high - 1e-6}
            assert passed
            assert not passed & set(bar.members)
            ends.append((low, high))
        # From the first member to the last without a break.
        ends.sort()
        assert ends[0][0] <= min(inside) + 1e-6
        assert ends[-1][1] >= max(inside) - 1e-6
        assert all(b[0] <= a[1] + 1e-6 for a, b in itertools.pairwise(ends))


@given(case=cases(), options=OPTIONS)
def test_members_have_dots_wherever_a_bar_is_broken(case, options):
    layout = lay_out(case, **options)
    for bar in layout.bars:
        if layout.dotted or layout.form == "list":
            assert len(bar.dots) == len(bar.members)


@given(case=cases(), options=OPTIONS)
def test_every_bar_can_be_seen_and_stems_hang_at_their_ranks(case, options):
    layout = lay_out(case, **options)
    for bar in layout.bars:
        x = [v for s in bar.solid + bar.dotted for v, _ in s]
        y = [v for s in bar.solid + bar.dotted for _, v in s]
        assert bar.dots or max(max(x) - min(x), max(y) - min(y)) >= 2.9
    if layout.form == "diagram":
        apart, stems = layout.measures.dot, positions(layout)
        ranks = {leader.name: leader.points[0][0] for leader in layout.leaders}
        crowded = {
            name
            for a, b in itertools.combinations(ranks, 2)
            # of almost equal rank, or next to a stem that was moved
            if min(abs(ranks[a] - ranks[b]), abs(stems[a] - stems[b])) < apart
            for name in (a, b)
        }
        moved = {name for name, x in ranks.items() if abs(stems[name] - x) > 1e-6}
        assert moved <= (crowded if layout.bars else set())


@pytest.mark.parametrize(("style", "hairline"), [(theme.paper(3.25), 1.3), (theme.screen(), 2.01)])
def test_only_bars_move_stems_of_equal_rank_and_by_a_hairline(style, hairline):
    ranks = pd.Series({"a": 1.5, "b": 1.5, "c": 3.0, "d": 3.0, "e": 4.0, "f": 6.0})
    groups = [("a", "b"), ("d", "e")]
    layout = cd_layout(ranks, groups, style=style, form="diagram")
    moved = {leader.name: leader.points[1][0] - leader.points[0][0] for leader in layout.leaders}
    assert [moved[name] for name in "abef"] == pytest.approx([0.0] * 4)
    assert -hairline < moved["c"] < 0 < moved["d"] < hairline
    assert layout.bars[1].solid[0][0][0] > positions(layout)["c"]


def test_marks_of_equal_rank_are_below_each_other_at_their_rank(style):
    layout = cd_layout(
        pd.Series({"a": 1.0, "b": 2.5, "c": 2.5, "d": 4.0}),
        (),
        style=style,
        form="diagram",
        dot_row=True,
    )
    marks = {name: (x, y) for name, x, y in layout.marks}
    assert marks["b"][0] == marks["c"][0]
    assert abs(marks["b"][1] - marks["c"][1]) >= layout.measures.dot


@given(case=cases(), options=OPTIONS)
def test_bars_never_touch_each_other(case, options):
    layout = lay_out(case, **options)
    across, along = (0, 1) if layout.form == "list" else (1, 0)
    lanes = {}
    for bar in layout.bars:
        every = bar.solid + bar.dotted
        values = [point[along] for s in every for point in s]
        lanes.setdefault(round(every[0][0][across], 3), []).append((min(values), max(values)))
    for lane in lanes.values():
        lane.sort()
        assert all(b[0] - a[1] >= 5 for a, b in itertools.pairwise(lane))
    apart = [b - a for a, b in itertools.pairwise(sorted(lanes))]
    assert all(gap >= layout.bar_width for gap in apart)


@given(case=cases(), options=OPTIONS)
def test_no_text_overlaps_another_or_leaves_the_figure(case, options):
    layout = lay_out(case, **options)
    placed = list(boxes(layout))
    for item, (x0, y0, x1, y1) in placed:
        assert x0 >= -0.5, item
        assert x1 <= layout.width + 0.5, item
        assert y0 >= -0.5, item
        assert y1 <= layout.height + 0.5, item
    for (first, a), (second, b) in itertools.combinations(placed, 2):
        apart = a[2] <= b[0] + 0.01 or b[2] <= a[0] + 0.01
        apart = apart or a[3] <= b[1] + 0.01 or b[3] <= a[1] + 0.01
        assert apart, (first, second)


@given(case=cases(), options=OPTIONS)
def test_nothing_drawn_leaves_the_figure(case, options):
    layout = lay_out(case, **options)
    points = [p for leader in layout.leaders for p in leader.points]
    points += [point for b in layout.bars for s in b.solid + b.dotted for point in s]
    points += [(x, y) for _, x, y in layout.marks + layout.targets]
    assert all(-layout.measures.bar <= x <= layout.plot + layout.measures.bar for x, _ in points)
    assert all(0 <= y <= layout.height for _, y in points)
    assert layout.plot >= 0.2 * layout.width


@given(case=cases(), options=OPTIONS)
def test_shown_names_are_distinct_and_listed_when_short(case, options):
    layout = lay_out(case, **options)
    shown = {item.name: item.string for item in layout.texts if item.role == "name"}
    assert set(shown) == set(case[0].index)
    assert len(set(shown.values())) == len(shown)
    joined = {name: "".join(string_.split()) for name, string_ in shown.items()}  # of lines
    cut = {name for name in shown if joined[name] != "".join(text.plain_text(name).split())}
    assert set(layout.shortened) == cut


@given(case=cases(most=24), style=st.sampled_from(list(STYLES.values())))
def test_the_other_side_is_the_mirror_image(case, style):
    left = lay_out(case, style, form="list")
    right = lay_out(case, style, form="list", best="right")
    start, end = left.axis_start, left.plot
    for (_, a, _), (_, b, _) in zip(left.marks, right.marks, strict=True):
        assert a - start == pytest.approx(end - b, abs=1e-6)


def test_ticks_are_round_and_the_ends_are_labelled_where_there_is_room():
    assert tick_values(1, 5, 400, 20) == [1, 2, 3, 4, 5]
    assert tick_values(1, 10, 100, 20) == [2, 4, 6, 8, 10]
    assert tick_values(7, 53, 100, 20) == [10, 20, 30, 40, 50]
    assert tick_values(7, 53, 75, 20) == [7, 20, 40, 53]


def test_the_axis_shows_all_ranks_of_few_algorithms():
    assert axis_range([2.1, 2.2, 4.3]) == (1, 3)
    assert axis_range([5.6] * 6 + [13.6] * 6) == (5, 14)
    assert axis_range([6.0] * 11) == (5, 7)


@pytest.mark.parametrize(
    ("ranks", "form"),
    [
        (pd.Series(np.linspace(1, 8, 8), list("abcdefgh")), "diagram"),
        (pd.Series([4.0] * 7, list("abcdefg")), "list"),
        (pd.Series(np.linspace(1, 30, 30), [f"a{i}" for i in range(30)]), "list"),
        (pd.Series([1.2, 1.8], ["a" * 80, "b" * 80]), "list"),
    ],
    ids=["plain", "all tied", "many", "long names"],
)
def test_the_list_takes_over_where_the_diagram_cannot_be_read(ranks, form):
    assert cd_layout(ranks, [], style=theme.paper()).form == form
    assert cd_layout(ranks, [], style=theme.paper(), form="diagram").form == "diagram"


def test_a_single_algorithm_is_refused():
    with pytest.raises(ValueError, match="too few algorithms: 1"):
        cd_layout(pd.Series({"a": 1.0}), [], style=theme.paper())


def test_ticks_stay_apart_on_the_narrowest_page():
    """In a window of 1024 px with a sidebar, a figure is 560 px wide, with unchanged margins."""
    ranks = pd.Series({f"gradient boosting with early stopping {i:02}": i + 1.0 for i in range(40)})
    layout = cd_layout(ranks, [], style=theme.screen())
    labels = sorted((t.x, t.width) for t in layout.texts if t.role == "tick")
    squeeze = (560 - layout.left - layout.right) / layout.plot
    assert len(labels) >= 2
    for (a, wide_a), (b, wide_b) in zip(labels, labels[1:], strict=False):
        assert squeeze * (b - a) > (wide_a + wide_b) / 2


def test_names_of_sixteen_characters_stay_on_one_line_in_a_column():
    ranks = pd.Series(np.linspace(1, 6, 6), [f"boosted trees {i:02}" for i in range(6)])
    layout = cd_layout(ranks, [], style=theme.paper(3.25))
    names = [item.string for item in layout.texts if item.role == "name"]
    assert layout.form == "diagram"
    assert sorted(names) == list(ranks.index)
