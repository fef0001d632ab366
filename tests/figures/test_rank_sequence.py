"""Tests of figures of several comparisons: rank diagrams and differences."""

import numpy as np
import pandas as pd
import pytest

from foldwise.figures import rank_sequence, registry, theme
from foldwise.figures.rank_sequence import DifferencesByGroup, RankSequence
from foldwise.figures.registry import drawings
from stats_core.comparison.analyse import analyse
from stats_core.data.results import Results
from stats_core.data.settings import Settings
from tests.figures.drawn_figures import named, strict, texts


def made(k, panels, name="a{}"):
    """Return diagrams of random ranks of k algorithms; the two best of each panel do not differ significantly."""
    rng = np.random.default_rng(k)
    names, labels = [name.format(i) for i in range(k)], [f"{10 * i}%" for i in range(panels)]
    ranks = pd.DataFrame({label: rng.permutation(k) + 1.0 for label in labels}, index=names)
    groups = {label: [tuple(ranks[label].nsmallest(2).index)] for label in labels}
    return RankSequence(
        ranks=ranks, groups=groups, by="noise", tests="Holm", colours=theme.colours(names)
    )


@pytest.mark.parametrize(("k", "panels"), [(3, 2), (8, 4), (16, 8)])
def test_diagrams_share_the_axis_and_follow_each_other(k, panels, style):
    spec = made(k, panels)
    fig = spec.figure(style)
    axes = named(fig, "axis")
    assert len(axes) == panels
    assert len({(axis.x[0], axis.x[1]) for axis in axes}) == 1
    heights = [axis.y[0] for axis in axes]
    labels = [note for note in fig.layout.annotations if note.name == "label"]
    assert [note.text for note in labels] == [f"<b>noise = {label}</b>" for label in spec.ranks]
    for note, y in zip(labels, heights, strict=True):
        assert note.y < y
    bars = [min(value for value in bar.y if value is not None) for bar in named(fig, "groups")]
    ends = [*(note.y for note in labels[1:]), fig.layout.height]
    assert all(y < bar < end for y, bar, end in zip(heights, bars, ends, strict=True))
    strict(fig)


@pytest.mark.parametrize(("panels", "columns"), [(3, 1), (6, 2), (12, 2)])
def test_wide_print_has_two_columns_of_diagrams(panels, columns):
    wide, narrow = (made(8, panels).figure(theme.paper(inches)) for inches in (6.75, 3.25))
    starts = [axis.x[0] for axis in named(wide, "axis")]
    assert len({*starts}) == columns
    assert starts == sorted(starts)
    assert wide.layout.width == theme.paper(6.75).width
    assert wide.layout.height == pytest.approx(narrow.layout.height / columns, rel=0.02)
    low, high = wide.layout.xaxis.range
    assert all(low <= x <= high for trace in wide.data for x in trace.x if x is not None)


def test_every_name_is_in_every_diagram_in_its_colour():
    spec = made(5, 3)
    fig = spec.figure(theme.screen())
    hues = [note.font.color for note in fig.layout.annotations if note.text == "a2"]
    assert hues == [spec.colours["a2"]] * 3


def test_long_names_leave_room_for_the_axis(style):
    fig = made(6, 3, "a rather long name of an algorithm, number {}").figure(style)
    (start, end), (low, high) = named(fig, "axis")[0].x[:2], fig.layout.xaxis.range
    total = high - low + fig.layout.margin.l + fig.layout.margin.r
    assert end - start >= 0.35 * total


def test_differences_have_one_panel_per_group_with_common_axes(style):
    rows = pd.DataFrame(
        {
            "difference": [-1.0, 2.0],
            "low": [-2.0, 1.0],
            "high": [0.5, 3.0],
            "differs": [False, True],
        }
    )
    data = pd.concat({label: rows.set_axis(["svm", "rf"]) for label in ("x", "y", "z")})
    spec = DifferencesByGroup(
        data=data, first="knn", measure="error", higher_is_better=False, total=5
    )
    fig = spec.figure(style)
    dots = named(fig, "difference")
    assert [list(trace.x) for trace in dots] == [[-1.0, 2.0]] * 3
    assert len({trace.xaxis for trace in dots}) == 3
    assert len({tuple(axis.range) for axis in fig.select_xaxes()}) == 1
    assert [note for note in texts(fig) if note.startswith("<b>")] == [
        f"<b>group = {label}</b>" for label in "xyz"
    ]
    assert "first 3 of 5" in spec.caption(style)
    assert spec.alt.endswith("x 1, y 1, z 1.")
    strict(fig)


@pytest.fixture
def results():
    """Error and AUC of three algorithms on 24 data sets in two groups."""
    rng = np.random.default_rng(0)
    rows = [
        (f"d{d}", name, 0.2 + shift + rng.normal(0, 0.01), 0.8 - shift + rng.normal(0, 0.01))
        for d in range(24)
        for name, shift in (("a", 0.0), ("b", 0.03), ("c", 0.06))
    ]
    table = pd.DataFrame(rows, columns=["dataset", "algorithm", "error", "auc"])
    kinds = pd.DataFrame(
        {"kind": [("s", "t")[d % 2] for d in range(24)]}, index=[f"d{d}" for d in range(24)]
    )
    return Results.from_frame(table, groups=kinds)


def test_the_main_figure_is_made_without_the_others(results, monkeypatch):
    analysis = analyse(results)
    (first, *_) = drawings(analysis)
    monkeypatch.setattr(registry.pair_matrix, "matrix_of_pairs", None)  # of the third figure

    assert registry.main_drawing(analysis).name == first.name


def test_groups_and_measures_are_drawn_on_request(results):
    analysis = analyse(results)
    before = [spec.name for spec in drawings(analysis)]
    specs = {spec.name: spec for spec in drawings(analysis, by=("kind", "measure"))}
    assert [*before, "ranks_by_kind", "differences_by_kind", "ranks_by_measure"] == list(specs)
    assert [label.lower() for label in specs["ranks_by_measure"].ranks] == ["error", "auc"]
    half = analyse(results.select(datasets=[f"d{d}" for d in range(0, 24, 2)]))
    drawn = specs["ranks_by_kind"].ranks["s"]
    assert drawn.to_dict() == half.friedman.average_ranks[drawn.index].to_dict()
    row = specs["differences_by_kind"].data.loc[("s", "b")]
    pair = half.pairs.frame.set_index(["first", "second"]).loc[("a", "b")]
    assert (row["difference"], row["low"], row["high"]) == (
        pair["estimate"],
        pair["low"],
        pair["high"],
    )


def test_differences_from_the_control_are_drawn_by_group_and_by_measure(results, style):
    analysis = analyse(results, Settings(control="c"))
    by_kind, by_measure = (
        one for one in drawings(analysis, by=("kind", "measure")) if "_by_" in one.name
    )
    assert (by_kind.name, by_kind.first) == ("differences_by_kind", "c")
    assert set(by_kind.data.index.get_level_values(1)) == {"a", "b"}
    assert (by_kind.data["difference"] > 0).all()
    assert by_measure.name == "differences_by_measure"
    assert (by_measure.data.loc["error", "difference"] > 0).all()
    assert (by_measure.data.loc["AUC", "difference"] < 0).all()
    fig = by_measure.figure(style)
    assert len({tuple(axis.range) for axis in fig.select_xaxes()}) == 2
    titles = [note for note in texts(fig) if note.startswith("<b>")]
    assert ["lower is better" in titles[0], "higher is better" in titles[1]] == [True, True]
    assert "24 data sets each" in by_measure.caption(style)


def test_one_group_or_two_algorithms_give_no_sequence(results):
    analysis = analyse(results)
    assert rank_sequence.sequence_drawings(analysis, {"s": analysis}, "kind") == []
    pair = analyse(results.select(algorithms=["a", "b"]))
    assert rank_sequence.sequence_drawings(pair, {"s": pair, "t": pair}, "kind") == []
