"""Reports with their figures: one HTML file, or a folder of LaTeX."""

import io
import zipfile
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import plotly.graph_objects as go
from plotly.offline import get_plotlyjs

from foldwise.figure_specs.figure_registry import drawings
from foldwise.figure_specs.figure_spec import FigureSpec
from foldwise.figure_specs.figure_zip import figure_file, file_stems
from foldwise.figure_specs.print_style import StylePanel
from foldwise.figures.theme import screen
from foldwise.figures.traces import without_offers
from stats_core.comparison.result import Comparison
from stats_core.ordering.order import Order
from stats_core.report.html_report import to_html
from stats_core.report.latex_report import to_latex
from stats_core.report.report_tables import ReportFigure, report_tables
from stats_core.report.reproduce import to_json
from stats_core.report.text_report import table_to_csv

Progress = Callable[[int, int], object]


def html_report(
    analysis: Comparison,
    drawings: Sequence[FigureSpec],
    *,
    order: Order | None = None,
    script: str = "",
    width: int = 900,
    notes: Sequence[str] = (),
) -> str:
    """Return one HTML file that holds everything, figures interactive, without a network."""
    style = screen(width=width)
    figures = [
        ReportFigure(
            name=stem,
            title=one.title,
            caption=one.caption(style),
            alt=one.alt,
            html=_fragment(one.build(style)),
            papers=one.papers,
        )
        for one, stem in zip(drawings, file_stems(drawings), strict=True)
    ]
    drawer = get_plotlyjs() if figures else ""
    return to_html(
        analysis, order=order, figures=figures, script=drawer, repeat=script, notes=notes
    )


def html_with_figures(
    analysis: Comparison, *, script: str = "", notes: Sequence[str] = (), **look: Any
) -> str:
    """Draw the figures anew, with `look` as for `drawings`, and return `html_report` of them."""
    found = drawings(analysis, **look)
    return html_report(analysis, found, order=look.get("order"), script=script, notes=notes)


def latex_with_figures(
    analysis: Comparison,
    panel: StylePanel,
    *,
    script: str = "",
    notes: Sequence[str] = (),
    **look: Any,
) -> bytes:
    """Draw the figures anew, with `look` as for `drawings`, and return `latex_files` as a zip."""
    found, order = drawings(analysis, **look), look.get("order")
    return zip_files(latex_files(analysis, found, panel, order=order, script=script, notes=notes))


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
    """Return the files of a report in LaTeX: document, section, bibliography, figures, tables."""
    files: dict[str, bytes] = {}
    figures = []
    for done, (one, stem) in enumerate(zip(drawings, file_stems(drawings), strict=True), 1):
        figures.append(_latex_figure(one, stem, panel, files, pdf=pdf))
        if progress is not None:
            progress(done, len(drawings))
    made = to_latex(analysis, order=order, figures=figures, notes=notes)
    files["report.tex"] = made.document.encode()
    files["results.tex"] = made.results.encode()
    files["references.bib"] = made.bibliography.encode()
    files["analysis.json"] = to_json(analysis).encode()
    if script:
        files["repeat.py"] = script.encode()
    for table in report_tables(analysis, order=order):
        files[f"tables/{table.name}.csv"] = table_to_csv(table.data).encode()
    return files


def zip_files(files: Mapping[str, bytes]) -> bytes:
    """Return files as one zip."""
    whole = io.BytesIO()
    with zipfile.ZipFile(whole, "w", zipfile.ZIP_DEFLATED) as archive:
        for path, content in files.items():
            archive.writestr(path, content)
    return whole.getvalue()


def _latex_figure(
    one: FigureSpec, stem: str, panel: StylePanel, files: dict[str, bytes], *, pdf: bool
) -> ReportFigure:
    """Return a figure as PDF or as TikZ; its file joins `files`."""
    said: dict[str, Any] = {
        "name": stem,
        "title": one.title,
        "caption": one.caption(panel.style),
        "alt": one.alt,
        "papers": one.papers,
    }
    if pdf:
        files[f"figures/{stem}.pdf"] = figure_file(one, panel, "pdf")
        return ReportFigure(**said, file=f"{stem}.pdf")
    files[f"figures/{stem}.tex"] = figure_file(one, panel, "tikz")
    return ReportFigure(**said, tikz=files[f"figures/{stem}.tex"].decode())


def _fragment(figure: go.Figure) -> str:
    """Return a figure as HTML that needs the script of the page."""
    figure = without_offers(figure).update_layout(width=None)
    return figure.to_html(
        full_html=False,
        include_plotlyjs=False,
        config={"displayModeBar": False, "responsive": True},
    )
