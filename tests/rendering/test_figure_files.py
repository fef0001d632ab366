"""Tests of figures as files, and of the zip that contains them."""

import io
import re
import shutil
import subprocess
import zipfile

import plotly.graph_objects as go
import pytest

from foldwise.figures import axis_parts, theme
from foldwise.figures.cd_diagram import cd_drawing
from foldwise.rendering.figure_files import (
    StylePanel,
    bundle,
    draw_for_print,
    figure_file,
    file_stems,
    shortened_names,
    smallest_font,
)
from foldwise.rendering.from_plotly import PrintedFigure, scene_from_figure
from foldwise.rendering.scene import Disc, SceneText
from stats_core.core.errors import SettingError
from stats_core.data.settings import Settings
from tests.figures.sample_figures import UCI, SimpleFigure, made

PANEL = StylePanel()


def contents(data):
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


@pytest.fixture(scope="module")
def figures():
    return made(UCI, with_order=True)[2]


def test_file_names_are_safe_and_never_alike():
    names = ["../../etc/x", "a b", "A.b", "\u00c9t\u00e9 1", "\u6570\u636e", "a b", "x" * 200]
    stems = file_stems([SimpleFigure(name=name) for name in names])
    assert stems == ["etc_x", "a_b", "A_b_2", "Ete_1", "figure", "a_b_3", "x" * 80]


def test_every_form_is_in_the_zip(figures):
    figures = figures[:3]  # of each figure every form is made in test_registry.py
    found = contents(bundle(figures, PANEL, ["pdf", "svg", "png", "html", "tikz"]))
    endings = {".pdf": b"%PDF", ".svg": b"<?xml", ".png": b"\x89PNG", ".tex": b"% ", ".html": b"<!"}
    for stem in file_stems(figures):
        for ending, begin in endings.items():
            assert found[f"figures/{stem}{ending}"].startswith(begin), stem + ending
    assert "figures/plotly.min.js" in found
    assert sum(name.startswith("data/") for name in found) == len(figures)


def test_numbers_captions_and_other_files_go_along():
    other = SimpleFigure(name="scores", alt="Other bars.")
    drawings = [SimpleFigure(), other]
    steps = []
    made_of = bundle(
        drawings,
        PANEL,
        [],
        progress=lambda done, total: steps.append((done, total)),
        extra={"report.html": b"<p>"},
    )
    found = contents(made_of)
    assert steps == [(1, 2), (2, 2)]
    assert set(found) == {"data/scores.csv", "data/scores_2.csv", "captions.txt", "report.html"}
    assert found["data/scores.csv"].decode().splitlines() == [
        ",svm,'=knn",
        "'=1+1,0.9,0.7",
        "b,0.8,0.6",
    ]
    said = found["captions.txt"].decode()
    for words in (
        "Title: Scores",
        "Caption: Two bars.",
        "Other bars. The table is in data/scores_2.csv.",
        "Size: 3.5 × 2.08 in",
    ):
        assert words in said


@pytest.mark.skipif(shutil.which("pdftotext") is None, reason="pdftotext is not installed")
def test_pdfs_hold_their_text_as_text_at_the_width(tmp_path, figures):
    """pdftotext finds the name of every algorithm; 3.5 in are 252 pt."""
    found = contents(bundle(figures[:2], PANEL, ["pdf"]))
    path = tmp_path / "ranks.pdf"
    path.write_bytes(found["figures/ranks_error.pdf"])
    done = subprocess.run(["pdftotext", path, "-"], capture_output=True, text=True, check=True)
    for name in figures[0].data.index:
        assert set(name.split()) <= set(done.stdout.split())  # long names have two lines
    width = re.search(rb"/MediaBox\s*\[\s*0 0 ([\d.]+)", found["figures/ranks_error.pdf"])
    assert float(width.group(1)) == pytest.approx(252, abs=0.5)


def test_html_of_one_figure_needs_no_other_file():
    page = figure_file(SimpleFigure(title="<b>&"), PANEL, "html").decode()
    assert "<title>&lt;b&gt;&amp;</title>" in page
    assert "<script src=" not in page
    assert len(page) > 3_000_000  # plotly.js is in it
    assert "Two bars." in page


def test_html_in_a_zip_shares_the_script_that_is_in_it():
    found = contents(bundle([SimpleFigure()], PANEL, ["html"]))
    (script,) = re.findall(r'<script src="([^"]+)"', found["figures/scores.html"].decode())
    assert f"figures/{script}" in found


def test_a_title_stands_above_and_the_figure_keeps_its_size(figures):
    for one in figures:
        bare, titled = draw_for_print(one, PANEL), draw_for_print(one, StylePanel(title=True))
        more = titled.layout.height - bare.layout.height
        assert 10 < more < 50
        assert titled.layout.margin.t - bare.layout.margin.t == pytest.approx(more, abs=0.5)
        assert bare.layout.title.text is None
        assert titled.layout.title.text


def test_test_level_and_number_stand_below_a_figure_and_inside_it(figures):
    told = [one for one in figures if one.tested]
    assert 0 < len(told) < len(figures), "a map of ranks has no test"
    for one in told:
        assert re.search(r"\u03b1 = 0.05(, \d+ data sets)?$", one.tested)
        bare, lined = draw_for_print(one, PANEL), draw_for_print(one, StylePanel(tested=True))
        words = {w.text for w in scene_from_figure(bare).parts if isinstance(w, SceneText)}
        scene = scene_from_figure(lined)
        parts = [w for w in scene.parts if isinstance(w, SceneText)]
        added = [w for w in parts if w.text in one.tested and w.text not in words]
        assert " ".join(w.text for w in added) == one.tested
        lowest = max(w.y for w in parts if w not in added)
        assert all(lowest < w.y - 0.7 * w.size and w.y <= scene.height for w in added)
        assert all(0 <= w.x and w.x + w.width <= scene.width for w in added)


def test_print_keeps_what_is_selected_only_if_asked():
    analysis = made(UCI)[0]
    one = cd_drawing(analysis, selected=("SVM (RBF)",))
    behind = [
        any(
            trace.opacity == theme.FADED
            for trace in draw_for_print(one, StylePanel(keeps=keeps)).data
        )
        for keeps in (True, False)
    ]
    assert behind == [True, False]


def test_a_part_of_the_axes_is_printed_with_ticks_of_its_own():
    analysis, _, drawn = made(UCI, Settings(pair=("5-NN", "C4.5")))
    one = next(drawing for drawing in drawn if drawing.name.startswith("scatter"))
    assert axis_parts.free_axes(one.figure(theme.screen())) == ["xaxis", "yaxis"]
    part = axis_parts.crop_axes(
        one.figure(theme.paper()), {"xaxis": (0.1, 0.15), "yaxis": (0.1, 0.15)}
    )
    ticks = [words for _, words in PrintedFigure(part).axes["x"].ticks()]
    assert len(ticks) >= 3
    assert len({len(words) for words in ticks}) == 1, "equal decimals"
    discs = [one for one in scene_from_figure(part).parts if isinstance(one, Disc)]
    inside = analysis.scores[["5-NN", "C4.5"]].map(lambda error: 0.1 <= error <= 0.15).all(axis=1)
    assert len(discs) == inside.sum() > 0
    with pytest.raises(SettingError, match="must be above its beginning"):
        axis_parts.crop_axes(one.figure(theme.paper()), {"xaxis": (0.2, 0.1)})


def test_text_has_the_points_of_the_panel(figures):
    """9 pt are 12 px; by default, text has 8 pt."""
    figure = draw_for_print(figures[0], StylePanel(points=9))
    assert figure.layout.template.layout.font.size == 12
    assert figure.layout.template.layout.xaxis.tickfont.size == 12
    assert smallest_font(figure) == 9
    assert StylePanel(width_in=3.25).style == theme.paper()


def test_a_long_title_is_cut_after_three_lines_and_is_never_markup():
    figure = draw_for_print(SimpleFigure(title="<b>word " * 80), StylePanel(title=True))
    lines = figure.layout.title.text.split("<br>")
    assert len(lines) == 3
    assert lines[0].startswith("&lt;b&gt;word")
    assert "\u2026" in lines[-1]


def test_the_smallest_text_is_found_wherever_it_stands():
    """8 px are 6 pt, and 4 px are 3 pt."""
    font = {"size": 12}
    figure = go.Figure(go.Scatter(x=[1], y=[1], mode="markers+text", text=["p"], textfont=font))
    figure.update_layout(font_size=16, xaxis_tickfont_size=14, yaxis_tickfont_size=14)
    assert smallest_font(figure) == 9
    figure.update_traces(text=["p", "q"], textfont={"size": [12, 8]})
    assert smallest_font(figure) == 6
    figure.add_annotation(text="small", font_size=4)
    assert smallest_font(figure) == 3
    figure.update_annotations(visible=False)
    figure.update_traces(mode="markers")
    figure.update_layout(xaxis_visible=False, yaxis_tickfont_size=7)
    assert smallest_font(figure) == 5.25


def test_names_that_were_cut_are_told():
    table = SimpleFigure().data.rename(columns={"svm": "a very long name of an algorithm"})
    figure = go.Figure().add_annotation(text="a very\u2026gorithm").add_annotation(text="=knn")
    assert shortened_names(figure, table.columns) == ["a very long name of an algorithm"]


@pytest.mark.parametrize("fields", [{"width_in": 0.5}, {"points": 40.0}])
def test_a_panel_that_cannot_be_printed_is_refused(fields):
    with pytest.raises(SettingError, match="must lie between"):
        StylePanel(**fields)


def test_unknown_formats_are_refused():
    with pytest.raises(SettingError, match="but contains eps"):
        bundle([SimpleFigure()], PANEL, ["pdf", "eps"])
