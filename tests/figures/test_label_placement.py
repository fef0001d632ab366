"""Tests of the placement of labels."""

import itertools
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from foldwise.figures import theme
from foldwise.figures.label_placement import (
    Box,
    Candidates,
    PlacementBoard,
    Plane,
    annotation_at,
    candidate_positions,
    even_path,
    join_points,
    pack_rows,
    points_along,
    spread_apart,
    text_size,
)

STYLE = theme.screen()
GRID = np.array([(x, y) for x in range(20, 181, 20) for y in range(20, 81, 20)], dtype=float)
SIZE = (20.0, 10.0)


def grid(cost=0.0):
    return Candidates.of(GRID, (0, 0), SIZE, cost)


def test_the_cheapest_place_is_taken_and_the_first_of_several():
    assert PlacementBoard(200, 100).put(grid()).at.tolist() == [20, 20]
    cost = np.ones(len(GRID))
    cost[[7, 9]] = 0
    assert PlacementBoard(200, 100).put(grid(cost)).at.tolist() == GRID[7].tolist()


def test_labels_keep_clear_of_each_other_and_of_words_that_stand():
    board = PlacementBoard(200, 100, clearance=3)
    board.take(Box(10, 10, 40, 90))
    found = []
    while (label := board.put(grid())) is not None:
        found.append(label.box)
    assert len(found) == 16  # every other column of the grid right of what stands
    assert not any(box.overlaps(Box(10, 10, 40, 90), 3) for box in found)
    assert not any(a.overlaps(b, 3) for i, a in enumerate(found) for b in found[i + 1 :])


def test_a_soft_board_always_finds_a_place_and_prefers_free_ones():
    board = PlacementBoard(200, 100, outside=1000, touching=60)
    spots = Candidates.of(np.array([[100, 50], [104, 50], [-5, 50]]), (0, 0), SIZE)
    middles = [board.put(spots).at.tolist() for _ in range(3)]
    assert middles == [[100, 50], [100, 50], [100, 50]]  # touching twice is still less than outside
    board.draw(np.array([[100.0, 50.0]]), cost=1000)
    assert board.put(spots).at.tolist() == [-5, 50]


@given(st.data())
def test_nothing_drawn_is_ever_covered(data):
    points = np.array(data.draw(st.lists(st.tuples(*[st.floats(0, 100)] * 2), min_size=1)))
    gap = data.draw(st.sampled_from([0.0, 2.5, 8.0]))
    board = PlacementBoard(200, 100)
    board.draw(points, clearance=gap)
    board.draw({"mine": GRID, "yours": np.array([[190.0, 90.0]])})
    label = board.put(grid(), "mine")
    if label is not None:
        away = np.maximum(label.box.array[:2] - points, points - label.box.array[2:]).max(axis=1)
        assert away.min() >= gap - 1e-9
        assert not label.box.overlaps(Box(190, 90, 190, 90))
    assert board.put(grid(), "yours") is None  # every place covers a point of mine


@given(st.lists(st.tuples(st.floats(0, 200), st.floats(0, 100)), min_size=1), st.floats(1, 60))
def test_room_is_what_is_free_around_a_label(points, most):
    board = PlacementBoard(200, 100)
    board.draw(np.array(points))
    room = board.room(grid(), most)
    for found, box in zip(room, grid().boxes(), strict=True):
        away = np.maximum(box[:2] - points, points - box[2:]).max(axis=1).min()
        assert min(max(away, 0), most) - 2 <= found <= max(min(away, most), 0) + 1e-9


def test_a_label_is_clear_in_a_narrow_window_too():
    """At half the width, the point moves to x = 49, and the first label extends from 30 to 50."""
    spots = Candidates.of(np.array([[80.0, 50.0], [80.0, 20.0]]), (0, 0), SIZE)
    for squeezes, y in (((1.0,), 50), ((1.0, 0.5), 20)):
        board = PlacementBoard(200, 100, squeezes=squeezes)
        board.draw(np.array([[98.0, 50.0]]))
        assert board.put(spots).at[1] == y


def test_leaders_cross_neither_lines_nor_labels():
    board = PlacementBoard(200, 100)
    board.draw(points_along(np.array([[0.0, 50.0], [200.0, 50.0]])), cost=1)
    spots, order = candidate_positions(np.array([[100.0, 30.0]]), SIZE, [2, 40], led=2)
    led = order[:, 1] == 1
    np.testing.assert_array_equal(spots.led, led)
    costs = board._costs(spots, 1.0, None)
    crossing = led & (spots.offset[:, 1] > 20)
    assert (costs[crossing] > 0).all()
    assert (costs[led & (spots.offset[:, 1] <= 0) & np.isfinite(costs)] == 0).all()
    first = board.put(Candidates.of(np.array([100.0, 30.0]), (60, 0), SIZE, led=True))
    assert first.led
    on_the_way = Candidates.of(np.array([130.0, 30.0]), (0, 0), SIZE)
    assert board.put(on_the_way) is None


def test_a_note_stands_where_its_label_has_its_place():
    plane = Plane(x=(-1, 1), y=(0, 0.5), width=200, height=100)
    spots, _ = candidate_positions(plane.px(np.array([[0.0, 0.25]])), text_size("a<b", STYLE), [5])
    label = PlacementBoard(200, 100).put(spots)
    note = annotation_at("a<b", label, plane, STYLE, name="x")
    assert (note["x"], note["y"], note["text"], note["name"]) == (0.0, 0.25, "a&lt;b", "x")
    middle = label.box.array.reshape(2, 2).mean(axis=0)
    assert (100 + note["ax"], 50 - note["ay"]) == pytest.approx(tuple(middle))
    assert note["arrowcolor"] == "rgba(0,0,0,0)"
    led = annotation_at("a", replace(label, led=True), plane, STYLE)
    assert led["arrowcolor"] == STYLE.leader


def test_points_of_an_even_path_are_equally_far_along_the_line():
    corner = np.array([[0.0, 0.0], [3.0, 0.0], [3.0, 3.0]])  # 6 long, so steps of 1.5
    expected = [[0, 0], [1.5, 0], [3, 0], [3, 1.5], [3, 3]]

    np.testing.assert_allclose(even_path(corner, 5), expected)
    assert even_path(corner[:1], 5).tolist() == [[0, 0]]


def test_points_along_a_line_leave_no_gap_a_letter_slips_through():
    line = np.array([[0, 0], [0, 0], [30, 40], [30, 40], [30, 140]], dtype=float)
    steps = np.hypot(*np.diff(points_along(line, 3), axis=0).T)
    assert steps.max() <= 3
    line[1] = np.nan  # the line is interrupted
    assert points_along(line, 3)[:2].tolist() == [[0, 0], [30, 40]]
    assert points_along(line)[-1].tolist() == [30, 140]
    assert points_along(np.empty((0, 2))).shape == (0, 2)
    assert join_points([]).shape == (0, 2)


@given(st.lists(st.floats(0, 500), min_size=1, max_size=30).map(sorted), st.floats(0.1, 40))
def test_spread_keeps_order_and_distance_and_leaves_what_is_apart(positions, separation):
    found = spread_apart(positions, separation, 0.0, 500.0)
    fits = separation * (len(found) - 1) <= 500
    least = separation if fits else 500 / (len(found) - 1)
    assert all(b - a >= least - 1e-6 for a, b in itertools.pairwise(found))
    assert min(found) >= -1e-9
    assert max(found) <= 500 + 1e-6
    gap = min((b - a for a, b in itertools.pairwise(positions)), default=1.0)
    assert spread_apart(positions, gap, 0.0, 500.0) == pytest.approx(positions, abs=1e-6)
    assert np.mean(spread_apart(positions, separation)) == pytest.approx(np.mean(positions))


def test_spread_is_least_squares():
    assert spread_apart([10, 10, 10, 50], 6, 0, 100) == pytest.approx([4, 10, 16, 50])
    assert spread_apart([0, 0, 0], 6, 0, 100) == pytest.approx([0, 6, 12])


def test_intervals_in_one_row_are_apart():
    assert pack_rows([(0, 10), (5, 40), (36, 60), (67, 80)], 27) == [0, 1, 2, 0]
    assert pack_rows([(0, 10), (36, 60)], 27) == [0, 1]
    assert pack_rows([(0, 10), (37, 60)], 27) == [0, 0]
