"""Tests of exported reports and figures, opened in a browser."""

import io
import re
import zipfile

import pytest

from foldwise.cli.main import main
from tests.reports.test_scenarios import LEADING
from tests.samples import SAMPLES

FEW = ("irsoy 2", "irsoy 4", "thesis 3", "thesis 6")  # between them, every kind of figure
OPENED = [
    pytest.param(name, marks=[] if name.startswith(FEW) else [pytest.mark.slow]) for name in LEADING
]


@pytest.mark.parametrize("name", OPENED)
def test_a_report_opens_without_network_and_without_errors(own_page, tmp_path, name):
    sample, words = LEADING[name]
    assert main(["report", str(SAMPLES / sample), *words, "-o", str(tmp_path), "--no-pdf"]) == 0
    page, asked, errors = own_page, [], []
    page.on("request", lambda request: asked.append(request.url))
    page.on(
        "console", lambda message: errors.append(message.text) if message.type == "error" else 0
    )
    page.on("pageerror", lambda error: errors.append(str(error)))

    page.goto((tmp_path / "report.html").as_uri())
    page.wait_for_selector(".main-svg")

    assert errors == []
    assert [url for url in asked if not url.startswith(("file:", "data:", "blob:"))] == []
    drawn = page.locator(".plotly-graph-div").count()
    assert page.locator(".plotly-graph-div:has(.main-svg)").count() == drawn > 0
    wide = page.evaluate("document.documentElement.scrollWidth - window.innerWidth")
    assert wide <= 1


@pytest.mark.slow  # tests/web/test_export.py downloads every figure
def test_figures_come_as_one_zip(visit):
    page = visit("/export?sample=demsar_2006_auc.csv&etab=Figures")
    with page.expect_download() as waiting:
        page.get_by_role("button", name=re.compile(r"Download \d+ figures \(zip\)")).click()
    content = waiting.value.path().read_bytes()
    archive = zipfile.ZipFile(io.BytesIO(content))
    names = archive.namelist()

    pdfs = [name for name in names if name.endswith(".pdf")]
    assert len(pdfs) >= 3
    assert all(archive.read(name).startswith(b"%PDF") for name in pdfs)
    assert len([name for name in names if name.startswith("data/")]) == len(pdfs)


def test_the_latex_report_comes_as_one_zip(visit):
    page = visit("/export?sample=demsar_2006_auc.csv&etab=Report")
    with page.expect_download() as waiting:
        page.get_by_role("button", name="LaTeX (zip)").click()
    names = zipfile.ZipFile(io.BytesIO(waiting.value.path().read_bytes())).namelist()

    assert {"report.tex", "results.tex", "references.bib", "repeat.py"} <= set(names)
