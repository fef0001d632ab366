"""Tests of the slider of equivalence margins in the figure of pairwise differences."""

from dataclasses import replace

import pytest

from foldwise.figures import differences, theme
from stats_core.comparison.analyse import analyse
from stats_core.data.settings import Settings
from stats_core.report.effect_text import BESIDE
from tests.figures.sample_figures import UCI, read

DRAWN = {
    "all pairs": (differences.intervals_drawing, Settings(margin=0.005)),
    "the best": (differences.from_best_drawing, Settings(margin=0.005)),
    "a control": (differences.intervals_drawing, Settings(margin=0.01, control="C4.5")),
    "on folds": (differences.fold_intervals_drawing, Settings(margin=0.05, dataset="australian")),
}


@pytest.mark.parametrize("kind", DRAWN)
def test_the_slider_moves_the_band_and_the_answers(kind):
    draw, settings = DRAWN[kind]
    analysis = analyse(read(UCI), settings)
    drawing, pairs = draw(analysis), analysis.pairs.frame
    fig = drawing.figure(theme.screen())
    rows = [name.replace("<br>", "") for name in fig.layout.yaxis.ticktext]
    (slider,) = fig.layout.sliders
    assert slider.steps[slider.active].label == f"{settings.margin:g}, chosen"
    assert {"x": list(fig.data[0].x)} == {"x": slider.steps[slider.active].args[0]["x"][0]}
    for step in slider.steps:
        width = float(step.label.removesuffix(", chosen"))
        (band,), words = step.args[0]["x"], step.args[1]
        assert (min(band), max(band)) == (-width, width)
        said = list(words.values())[2:]
        for a, b, place in zip(
            pairs["first"], pairs["second"], analysis.equivalence.results_at(width), strict=True
        ):
            label = f"{a} \N{MINUS SIGN} {b}"
            if kind == "the best":
                label = b if a == analysis.order[0] else a
            if kind == "a control":
                label = a
            if kind != "the best" or analysis.order[0] in (a, b):
                assert said[rows.index(label)] == BESIDE[place]
        if step.label.endswith("chosen"):
            drawn = [one.text for one in fig.layout.annotations]
            assert drawn[-len(words) :] == list(words.values())
    assert drawing.moved
    assert drawing.caption(theme.screen()).endswith(drawing.moved)

    on_page = drawing.fixed()
    plain = on_page.figure(theme.screen())
    assert not plain.layout.sliders
    column = len(drawing.table) + 1  # with its heading
    assert [one.text for one in plain.layout.annotations][-column:] == [
        one.text for one in fig.layout.annotations
    ][-column:]
    assert "slider" not in on_page.caption(theme.screen())


def test_paper_has_the_chosen_region_only():
    analysis = analyse(read(UCI), Settings(margin=0.005))
    drawing, plain = (
        differences.from_best_drawing(analysis),
        differences.from_best_drawing(analyse(read(UCI), replace(analysis.settings, margin=None))),
    )
    printed = drawing.figure(theme.paper())
    assert not printed.layout.sliders
    assert "not known" not in str(printed.layout.annotations)
    assert drawing.caption(theme.paper()) == plain.caption(theme.paper())
    assert not plain.figure(theme.screen()).layout.sliders, "no region is chosen"


@pytest.mark.parametrize(
    ("selected", "whole"),
    [
        (("C4.5",), {"C4.5"}),
        (("5-NN", "C4.5"), {"C4.5", "5-NN"}),
        ((), None),
        (("SVM (degree 2)",), None),
    ],
)
def test_intervals_of_algorithms_that_are_not_selected_fade(selected, whole):
    drawing = differences.from_best_drawing(
        analyse(read(UCI), Settings())
    )  # SVM (degree 2) is the best
    fig = drawing.with_selected(selected).figure(theme.screen())

    others = list(fig.layout.yaxis.ticktext)
    bars = {
        others[trace.y[i]]: trace.opacity
        for trace in fig.data
        if trace.name in ("light", "heavy")
        for i in range(0, len(trace.y), 3)
    }
    assert bars == {name: 1 if whole is None or name in whole else theme.FADED for name in others}
