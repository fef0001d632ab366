"""Reports with figures: one HTML file, or a folder of LaTeX."""

from collections.abc import Sequence
from typing import Any

from plotly.offline import get_plotlyjs

from foldwise.figures.registry import drawings
from foldwise.figures.spec import FigureSpec
from foldwise.figures.theme import screen
from foldwise.rendering import figure_files
from foldwise.rendering.figure_files import Progress, StylePanel, figure_file, zip_files
from stats_core.comparison.result import Comparison
from stats_core.ordering.order import Order
from stats_core.report.html_report import to_html
from stats_core.report.latex_report import to_latex
from stats_core.report.report_content import ReportFigure, report_tables
from stats_core.report.reproduce import to_json
from stats_core.report.text_report import table_to_csv


def html_report(
    analysis: Comparison,
    drawings: Sequence[FigureSpec],
    *,
    order: Order | None = None,
    script: str = "",
    width: int = 900,
    notes: Sequence[str] = (),
) -> str:
    """Return a self-contained HTML report with interactive figures."""
    style = screen(width=width)
    figures = [
        ReportFigure(
            name=stem,
            title=spec.title,
            caption=spec.caption(style),
            alt=spec.alt,
            html=figure_files.html_fragment(spec.figure(style), width=None),
            papers=spec.papers,
        )
        for spec, stem in zip(drawings, figure_files.file_stems(drawings), strict=True)
    ]
    drawer = get_plotlyjs() if figures else ""
    return to_html(analysis, order=order, figures=figures, script=drawer, repeat=script, notes=notes)


def html_with_figures(analysis: Comparison, *, script: str = "", notes: Sequence[str] = (), **styling: Any) -> str:
    """Build the figures with options of `drawings` and return `html_report` of them."""
    specs = drawings(analysis, **styling)
    return html_report(analysis, specs, order=styling.get("order"), script=script, notes=notes)


def latex_with_figures(
    analysis: Comparison, panel: StylePanel, *, script: str = "", notes: Sequence[str] = (), **styling: Any
) -> bytes:
    """Build the figures with options of `drawings` and return `latex_files` as a zip."""
    specs, order = drawings(analysis, **styling), styling.get("order")
    return zip_files(latex_files(analysis, specs, panel, order=order, script=script, notes=notes))


def latex_files(
    analysis: Comparison,
    drawings: Sequence[FigureSpec],
    panel: StylePanel,
    *,
    order: Order | None = None,
    script: str = "",
    pdf: bool = True,
    progress: Progress | None = None,
    notes: Sequence[str] = (),
) -> dict[str, bytes]:
    """Return the files of a LaTeX report: document, section, bibliography, figures, tables."""
    files: dict[str, bytes] = {}
    figures = []
    for n_done, (spec, stem) in enumerate(zip(drawings, figure_files.file_stems(drawings), strict=True), 1):
        figures.append(_latex_figure(spec, stem, panel, files, pdf=pdf))
        if progress is not None:
            progress(n_done, len(drawings))
    report = to_latex(analysis, order=order, figures=figures, notes=notes)
    files["report.tex"] = report.document.encode()
    files["results.tex"] = report.results.encode()
    files["references.bib"] = report.bibliography.encode()
    files["analysis.json"] = to_json(analysis).encode()
    if script:
        files["repeat.py"] = script.encode()
    for table in report_tables(analysis, order=order):
        files[f"tables/{table.name}.csv"] = table_to_csv(table.data).encode()
    return files


def _latex_figure(
    spec: FigureSpec, stem: str, panel: StylePanel, files: dict[str, bytes], *, pdf: bool
) -> ReportFigure:
    """Return a figure as PDF or TikZ, and add its file to `files`."""
    fields: dict[str, Any] = {
        "name": stem,
        "title": spec.title,
        "caption": spec.caption(panel.style),
        "alt": spec.alt,
        "papers": spec.papers,
    }
    if pdf:
        files[f"figures/{stem}.pdf"] = figure_file(spec, panel, "pdf")
        return ReportFigure(**fields, file=f"{stem}.pdf")
    files[f"figures/{stem}.tex"] = figure_file(spec, panel, "tikz")
    return ReportFigure(**fields, tikz=files[f"figures/{stem}.tex"].decode())
