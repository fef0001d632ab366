"""Confusion matrices side by side."""

import numpy as np

from foldwise.figures import theme
from foldwise.figures.confusion import confusion_drawing, datasets_with_confusion
from foldwise.figures.registry import drawings
from foldwise.rendering.figure_files import StylePanel, draw_for_print, smallest_font
from stats_core.comparison.analyse import analyse
from stats_core.io.read import read_results
from tests.samples import shipped


def labels(n, name="class number {}", models=2):
    rng = np.random.default_rng(0)
    true = rng.permutation(np.arange(200) % n)
    rows = [
        [name.format(t), *(name.format((t + (rng.random() < 0.2)) % n) for _ in range(models))]
        for t in true
    ]
    head = ",".join(["id,true", *(f"m{i}" for i in range(models))])
    text = "\n".join([head, *(f"{i},{','.join(row)}" for i, row in enumerate(rows))])
    return read_results(("d.csv", text.encode()))


def test_numbers_of_all_cells_are_those_of_the_matrices():
    figure = confusion_drawing(shipped("vehicle_scores.csv.gz"), "vehicle")
    written = [
        int(label)
        for trace in figure.figure(theme.screen()).data
        if trace.name == "numbers"
        for label in trace.text
    ]
    assert sum(written) == 5 * 846  # every instance of every classifier
    assert len(figure.data) == 5 * 4


def test_the_alternative_text_names_the_most_frequent_confusion():
    alt = confusion_drawing(shipped("vehicle_scores.csv.gz"), "vehicle").alt
    assert "Random forest opel as saab 101" in alt  # counted in the file with pandas


def test_long_names_and_many_classes_are_drawn_and_too_many_are_not():
    drawing = confusion_drawing(labels(20), "d")
    for panel in (StylePanel(width_in=3.3), StylePanel(width_in=7, colour=True, serif=False)):
        assert smallest_font(draw_for_print(drawing, panel)) >= 5
    assert datasets_with_confusion(labels(20)) == ["d"]
    assert datasets_with_confusion(labels(21)) == []


def test_two_models_of_two_classes_fit_in_one_row():
    for panel in (StylePanel(width_in=3.3), StylePanel(width_in=7, colour=True, serif=False)):
        draw_for_print(confusion_drawing(labels(2), "d"), panel)
    figure = confusion_drawing(labels(2), "d").figure(theme.screen())
    assert figure.layout.height > 100
    assert {axis.domain[1] - axis.domain[0] for axis in figure.select_yaxes()} == {
        1
    }  # one row, over the whole plot


def test_several_classes_have_confusion_matrices_among_the_figures_and_two_have_curves():
    for n, expected in ((3, True), (2, False)):
        results = labels(n)
        names = [one.name for one in drawings(analyse(results), results=results)]
        assert ("confusion_d" in names) == expected
