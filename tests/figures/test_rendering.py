"""Tests of printed figures: complete files, fonts, and the same positions as in Plotly."""

import base64
import io
import json
import math
import re
import shutil
import subprocess
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from urllib.parse import unquote
from xml.etree import ElementTree

import numpy as np
import pandas as pd
import plotly.graph_objects as go
import pytest
from PIL import Image
from plotly.offline import get_plotlyjs
from scipy.ndimage import distance_transform_edt

from foldwise import cd_diagram, differences
from foldwise.figures import theme
from foldwise.figures.ordering_graph import OrderingGraph
from foldwise.rendering.from_plotly import export, scene_from_figure
from foldwise.rendering.scene import SceneText
from stats_core.data.settings import Settings
from tests.figures.sample_figures import COUNTS, CURVES, UCI, made

HOSTILE = [
    r"a_b & 100% {x} \cmd $y$ #1 ~ ^",
    "naïve Bayes (ß) Łódź",
    "随机森林",
    "α-β½ R² → ∞ ≤",
    "}\\end{tikzpicture}\\input{secret}",
    "^^5cinput <b>",
]
# every picture on a page of its own size
DOCUMENT = r"""\pdfcompresslevel=0\pdfobjcompresslevel=0
\documentclass{article}\usepackage{tikz}\newsavebox{\figurebox}\begin{document}
\hoffset=-1in \voffset=-1in
%s
\end{document}"""
PAGE = r"""\begin{lrbox}{\figurebox}%%
%s%%
\end{lrbox}\pdfpagewidth=\wd\figurebox
\pdfpageheight=\dimexpr\ht\figurebox+\dp\figurebox\relax
\shipout\box\figurebox"""
PAIR = ("LDA", "QDA")
ANALYSES = [
    (UCI, Settings()),
    (UCI, Settings(control="SVM (RBF)")),
    (UCI, Settings(pair=("5-NN", "C4.5"))),
    (UCI, Settings(dataset="australian")),
    (COUNTS, Settings(dataset="donors", measures=("fpr", "tpr"))),
    (COUNTS, Settings(dataset="donors", measures=("fpr", "tpr"), pair=PAIR)),
    (COUNTS, Settings(measures=("fpr", "tpr"))),
    (CURVES, Settings(dataset="acceptors", pair=PAIR)),
]


@cache
def figures(place):
    """Return the figures of an analysis in the style of a printed column, by name."""
    if place == len(ANALYSES):  # arrows
        edges = [("a", "b"), ("a", "d"), ("b", "c")]
        return {"graph": OrderingGraph(prior=list("abcd"), edges=edges).draw(theme.paper())}
    file, settings = ANALYSES[place]
    found = made(file, settings, with_order=place == 0)[2]
    return {one.name: one.figure(theme.paper()) for one in found}


@pytest.fixture(scope="module")
def figure():
    ranks = pd.Series({"SVM (RBF)": 1.4, "SVM (linear)": 1.9, "Neural network": 2.7})
    return cd_diagram(ranks, groups=[("SVM (RBF)", "SVM (linear)")], style=theme.paper())


def test_a_pdf_has_the_width_of_a_column_and_its_fonts(figure):
    pdf = export(figure, "pdf")
    box = re.search(rb"/MediaBox\s*\[\s*0 0 ([\d.]+) ([\d.]+)", pdf)
    assert float(box.group(1)) == pytest.approx(3.25 * 72, abs=0.5)
    assert float(box.group(2)) == pytest.approx(figure.layout.height * 0.75, abs=1)
    assert b"/FontFile2" in pdf
    assert b"/Type3" not in pdf


def test_an_svg_keeps_text_as_text_and_holds_its_letters(figure):
    svg = export(figure, "svg").decode()
    assert ">SVM (RBF)</text>" in svg
    assert "@font-face" in svg
    ElementTree.fromstring(svg)


def test_a_png_carries_its_resolution(figure):
    image = Image.open(io.BytesIO(export(figure, "png", dpi=300)))
    assert image.width == 975
    assert image.info["dpi"] == pytest.approx((300, 300), abs=0.1)


def test_the_same_figure_is_the_same_file_from_many_threads(figure):
    for form in ("pdf", "svg", "png", "tikz"):
        with ThreadPoolExecutor(4) as pool:
            assert len(set(pool.map(lambda _, form=form: export(figure, form), range(4)))) == 1


def test_a_leader_line_ends_at_the_box_of_its_label():
    note = {
        "text": "abcdefgh",
        "x": 0.1,
        "y": 0.5,
        "xref": "paper",
        "yref": "paper",
        "ax": 60,
        "ay": 0,
        "arrowhead": 0,
    }
    figure = go.Figure(
        layout={"annotations": [{**note, "showarrow": True}], "width": 300, "height": 100}
    )
    parts = scene_from_figure(figure.update_layout(template=theme.paper().template)).parts
    (label,) = [part for part in parts if isinstance(part, SceneText) and part.text == "abcdefgh"]
    ends = [
        x
        for part in parts
        if hasattr(part, "rings")
        for ring in part.rings
        for x, y in ring
        if len(ring) == 2
    ]
    assert ends
    assert max(ends) <= label.x + 0.5


def test_what_cannot_be_printed_is_refused():
    size = {"width": 100, "height": 80}
    with pytest.raises(ValueError, match="must have a width and a height"):
        export(go.Figure(), "pdf")
    with pytest.raises(ValueError, match="`fmt` must be"):
        export(go.Figure(layout=size | {"template": theme.paper().template}), "gif")
    axes = {"xaxis_range": [0, 1], "yaxis_range": [0, 1], "template": theme.paper().template}
    for trace, said in (
        (go.Box(y=[1, 2]), "type box"),
        (go.Scatter(x=[0], y=[0], mode="markers", marker_symbol="bowtie"), "`symbol` must be"),
        (go.Scatter(x=[0, 1], y=[0, 1], line_shape="spline"), "`shape` must be"),
    ):
        with pytest.raises(ValueError, match=said):
            scene_from_figure(go.Figure(trace, layout={**size, **axes}))


def test_what_is_outside_a_panel_is_cut_only_where_the_figure_says_so():
    def far(clip):
        trace = go.Scatter(x=[0, 5], y=[0, 5], mode="lines", cliponaxis=clip)
        figure = go.Figure(trace, layout={"width": 100, "height": 80, "margin": {}})
        figure.update_layout(template=theme.paper().template, xaxis_range=[0, 1])
        return scene_from_figure(figure.update_layout(yaxis_range=[0, 1])).parts[1].clip

    assert far(False) is None
    assert far(True) == (8, 8, 92, 72)


@pytest.fixture(scope="session")
def drawn_by_plotly(browser):
    """A function that returns a figure as drawn by Plotly itself, as SVG and as PNG at 192 dpi."""
    page = browser.new_page()
    page.set_content("<div id=here></div>")
    page.add_script_tag(content=get_plotlyjs())

    def both(figure):
        spec = json.loads(figure.to_json())
        size = {"width": figure.layout.width, "height": figure.layout.height}
        run = "([spec, options]) => Plotly.toImage(spec, options)"
        svg = page.evaluate(run, [spec, {"format": "svg", **size}])
        png = page.evaluate(run, [spec, {"format": "png", "scale": 2, **size}])
        return unquote(svg.partition(",")[2]), base64.b64decode(png.partition(",")[2])

    yield both
    page.close()


def matrix_of(transform):
    """Return the 3 x 3 matrix of an SVG transform."""
    whole = np.eye(3)
    for name, said in re.findall(r"(\w+)\(([^)]*)\)", transform or ""):
        a = [float(part) for part in re.split(r"[ ,]+", said.strip())]
        step = np.eye(3)
        if name == "translate":
            step[:2, 2] = a[0], (a[1] if len(a) > 1 else 0)
        elif name == "rotate":
            c, s = math.cos(math.radians(a[0])), math.sin(math.radians(a[0]))
            step[:2, :2] = [[c, -s], [s, c]]
            if len(a) == 3:
                at = np.array(a[1:])
                step[:2, 2] = at - step[:2, :2] @ at
        whole = whole @ step
    return whole


def words_of(svg):
    """Yield each text of an SVG by Plotly, the share of its width left of the anchor, and the anchor's position."""

    def walk(element, matrix):
        """Yield text, share and position of every text in an element."""
        matrix = matrix @ matrix_of(element.get("transform"))
        if element.tag.endswith("}text"):
            style = element.get("style") or ""
            size = float(re.search(r"font-size: ([\d.]+)px", style)[1])
            lines = [one for one in element if "line" in (one.get("class") or "")]
            for line in lines or [element]:
                down = float((line.get("dy") or "0em").removesuffix("em")) * size
                if lines:
                    down += float((element.get("dy") or "0em").removesuffix("em")) * size
                place = [float(element.get("x") or 0), float(element.get("y") or 0) + down, 1]
                share = {"middle": 0.5, "end": 1.0}.get(element.get("text-anchor"), 0.0)
                yield "".join(line.itertext()).strip(), share, (matrix @ place)[:2]
        for child in element:
            yield from walk(child, matrix)

    yield from walk(ElementTree.fromstring(svg), np.eye(3))


def place_of(words, share):
    angle = math.radians(words.angle)
    along = share * words.width
    return np.array([words.x + along * math.cos(angle), words.y + along * math.sin(angle)])


def far_off(ink, other):
    """Return the share of dark pixels that are more than two pixels from any ink of the other picture."""
    return float((distance_transform_edt(other >= 225)[ink < 140] > 2.3).mean())


@pytest.mark.parametrize("place", range(len(ANALYSES) + 1))
def test_everything_stands_where_plotly_puts_it(place, drawn_by_plotly):
    """Texts are within one px, to which browsers round, and ink is within two dots of 1/192 in."""
    for name, figure in figures(place).items():
        svg, png = drawn_by_plotly(figure)
        ours = [part for part in scene_from_figure(figure).parts if isinstance(part, SceneText)]
        theirs = [found for found in words_of(svg) if found[0]]
        assert len(ours) == len(theirs), name
        for said, share, at in theirs:
            near = [place_of(one, share) - at for one in ours if one.text.strip() == said]
            assert near, (name, said)
            # Plotly rounds to whole pixels, also the rooms of panels: up to 1.21 px were measured
            assert min(np.abs(gap).max() for gap in near) < 1.25, (name, said)
        mine = np.array(Image.open(io.BytesIO(export(figure, "png", 192))).convert("L"))
        other = np.array(Image.open(io.BytesIO(png)).convert("L"))
        assert mine.shape == other.shape
        assert max(far_off(mine, other), far_off(other, mine)) < 0.02, name


@pytest.mark.skipif(shutil.which("pdftotext") is None, reason="pdftotext is not installed")
def test_a_pdf_is_whole_to_its_edges(tmp_path):
    """Texts in two corners of a figure are in the corners of the page."""
    figure = go.Figure(layout={"width": 312, "height": 96, "margin": dict.fromkeys("lrtb", 0)})
    figure.update_layout(
        template=theme.paper().template,
        xaxis_visible=False,
        yaxis_visible=False,
        annotations=[
            {"text": word, "x": x, "y": y, "xref": "paper", "yref": "paper", "showarrow": False}
            | {"xanchor": ("left", "right")[x], "yanchor": ("bottom", "top")[y], "borderpad": 0}
            for word, x, y in (("first", 0, 1), ("last", 1, 0))
        ],
    )
    (tmp_path / "corners.pdf").write_bytes(export(figure, "pdf"))
    done = subprocess.run(
        ["pdftotext", "-bbox", "corners.pdf", "-"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=True,
    )
    found = re.findall(r'xMin="([-\d.]+)" yMin="([-\d.]+)" xMax="([-\d.]+)"', done.stdout)
    (first_left, first_top, _), (_, _, last_right) = [tuple(map(float, f)) for f in found]
    assert first_left == pytest.approx(0, abs=0.5)
    assert first_top == pytest.approx(0, abs=1.5)
    assert last_right == pytest.approx(234, abs=0.5)


@pytest.mark.skipif(shutil.which("pdflatex") is None, reason="pdflatex is not installed")
def test_tikz_compiles_whatever_the_names_are_and_has_the_size_of_the_pdf(tmp_path):
    ranks = pd.Series(np.linspace(1.2, 5.7, len(HOSTILE)), index=HOSTILE)
    hostile = cd_diagram(ranks, groups=[tuple(HOSTILE[:3])], style=theme.paper())
    every = [hostile, *figures(0).values(), *figures(7).values()]
    sources = [export(figure, "tikz").decode() for figure in every]
    assert all("^^5c" not in line for line in sources[0].splitlines() if line[0] != "%")
    pages = "\n".join(PAGE % source for source in sources)
    (tmp_path / "all.tex").write_text(DOCUMENT % pages)
    done = subprocess.run(
        ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "all.tex"],
        cwd=tmp_path,
        capture_output=True,
        timeout=120,
        check=False,
    )
    log = done.stdout.decode("latin-1")
    assert done.returncode == 0, log[-2000:]
    assert "Missing character" not in log
    boxes = re.findall(rb"/MediaBox \[0 0 ([\d.]+) ([\d.]+)\]", (tmp_path / "all.pdf").read_bytes())
    assert len(boxes) == len(every)
    for (width, height), figure in zip(boxes, every, strict=True):
        assert float(width) == pytest.approx(234, abs=0.6)
        assert float(height) == pytest.approx(0.75 * figure.layout.height, abs=0.6)


def test_long_names_on_paper_go_on_in_another_line_and_none_is_cut():
    names = ["HistGradientBoostingClassifier", "K-Nearest Neighbors (k = 5, weighted)"]
    names += ["deep_residual_network_50_pretrained", "SVM-RBF"]
    paper = theme.paper(3.5)
    table = pd.DataFrame({"difference": [0.1, 0.2], "low": 0.0, "high": 0.3}, index=names[2:])
    two = {"first": names[0], "second": names[1], "measure": "error", "higher_is_better": False}
    for figure in (
        cd_diagram(pd.Series([1.0, 2.0, 3.0, 4.0], names), groups=[names[:2]], style=paper),
        differences(table, **two, style=paper),
    ):
        scene = scene_from_figure(figure)
        words = [part for part in scene.parts if isinstance(part, SceneText)]
        said = "".join("".join(part.text.split()) for part in words)

        assert all(part.x >= 0 and part.x + part.width <= scene.width for part in words)
        shown = names if figure.layout.xaxis.title.text is None else [*names[2:], *names[:2]]
        assert all("".join(name.split()) in said for name in shown)
