import io
import re
import shutil
import subprocess
import sys
import threading
from pathlib import Path

import pandas as pd
import plotly.graph_objects as go
import pytest
from PIL import Image

from foldwise.figures import render, theme
from foldwise.figures.cd_diagram import cd_diagram

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def figure():
    ranks = pd.Series({"svr": 1.4, "svl": 1.9, "mlp": 2.7})
    return cd_diagram(ranks, [("svr", "svl")], style=theme.paper())


@pytest.mark.usefixtures("browser")
def test_a_pdf_has_the_width_of_a_column_and_its_fonts(figure):
    pdf = render.export(figure, "pdf")
    assert pdf.startswith(b"%PDF")
    box = re.search(rb"/MediaBox\s*\[\s*0 0 ([\d.]+) ([\d.]+)", pdf)
    assert float(box.group(1)) == pytest.approx(3.25 * 72, abs=0.5)
    assert float(box.group(2)) == pytest.approx(figure.layout.height * 0.75, abs=1)
    assert b"LiberationSerif" in pdf
    assert b"/FontFile2" in pdf
    assert b"/Type3" not in pdf


@pytest.mark.usefixtures("browser")
def test_an_svg_keeps_text_as_text(figure):
    svg = render.export(figure, "svg").decode()
    assert svg.startswith("<svg")
    assert ">svr</text>" in svg


@pytest.mark.usefixtures("browser")
def test_a_png_carries_its_resolution(figure):
    image = Image.open(io.BytesIO(render.export(figure, "png", dpi=300)))
    assert image.width == 975
    assert image.info["dpi"] == pytest.approx((300, 300), abs=0.1)


def test_concurrent_callers_each_get_their_own_figure(browser):
    wrong = []

    def work(worker):
        for turn in range(2):
            tag = f"figure{worker}x{turn}"
            fig = go.Figure(go.Bar(y=[1]), layout={"title": {"text": tag}})
            if f">{tag}<" not in browser.render(fig, "svg", 312, 220).decode():
                wrong.append(tag)

    threads = [threading.Thread(target=work, args=(i,)) for i in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []


def test_a_browser_that_died_is_replaced(browser, figure):
    render.export(figure, "svg")
    dead = browser._session
    dead._kill()
    assert render.export(figure, "svg").startswith(b"<svg")
    assert browser._session is not dead


@pytest.mark.usefixtures("browser")
def test_the_browser_ends_with_the_process():
    code = (
        "import plotly.graph_objects as go; from foldwise.figures import render; r = render.renderer();"
        "r.render(go.Figure(), 'svg', 100, 100);"
        "print(r._session._browser.subprocess.pid)"
    )
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", code], cwd=ROOT, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    assert not Path(f"/proc/{int(done.stdout)}").exists()


def test_without_a_browser_it_says_what_is_missing(monkeypatch, figure):
    monkeypatch.setenv("CHROMIUM", "/nowhere/chromium")
    assert render.available() == (False, "PDF, SVG and PNG need Chrome or Chromium on the server.")
    with pytest.raises(render.RenderError, match="need Chrome or Chromium on the server"):
        render.Renderer().render(figure, "pdf", 100, 100)


def test_the_environment_names_the_browser(monkeypatch, tmp_path):
    mine = tmp_path / "my chrome"
    mine.touch(mode=0o755)
    monkeypatch.delenv("CHROMIUM", raising=False)
    monkeypatch.setenv("BROWSER_PATH", str(mine))
    assert render.find_browser() == mine
    monkeypatch.setenv("CHROMIUM", "/nowhere")
    assert render.find_browser() is None


def test_a_figure_without_a_size_is_refused():
    with pytest.raises(ValueError, match="must have a width and a height"):
        render.export(go.Figure(), "pdf")
    sized = go.Figure(layout={"width": 10, "height": 10})
    with pytest.raises(ValueError, match="must be pdf, svg or png; got 'gif'"):
        render.export(sized, "gif")


@pytest.mark.skipif(
    shutil.which("pdftotext") is None, reason="pdftotext (poppler) is not installed"
)
def test_a_pdf_is_whole_to_its_edges(tmp_path):
    """Words in the corners of a figure stand in the corners of the page."""
    fig = go.Figure(layout={"width": 312, "height": 96, "margin": dict.fromkeys("lrtb", 0)})
    fig.update_layout(
        xaxis_visible=False,
        yaxis_visible=False,
        annotations=[
            {"text": word, "x": x, "y": y, "xref": "paper", "yref": "paper", "showarrow": False}
            | {"xanchor": ("left", "right")[x], "yanchor": ("bottom", "top")[y], "borderpad": 0}
            for word, x, y in (("first", 0, 1), ("last", 1, 0))
        ],
    )
    (tmp_path / "corners.pdf").write_bytes(render.export(fig, "pdf"))
    done = subprocess.run(
        ["pdftotext", "-bbox", "corners.pdf", "-"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=True,
    )
    found = re.findall(
        r'xMin="([\d.]+)" yMin="([\d.]+)" xMax="([\d.]+)" yMax="([\d.]+)">(\w+)<', done.stdout
    )
    boxes = {word: [float(side) for side in sides] for *sides, word in found}

    assert boxes["first"][0] < 3
    assert boxes["first"][1] < 3
    assert 234 - boxes["last"][2] < 3
    assert 72 - boxes["last"][3] < 4
