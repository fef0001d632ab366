"""Files of reports with figures: one HTML file, or a LaTeX folder."""

from collections.abc import Sequence
from typing import Any, TypedDict, Unpack

from plotly.offline import get_plotlyjs

from foldwise.figures import registry, theme
from foldwise.figures.spec import FigureSpec
from foldwise.figures.theme import Style
from foldwise.rendering import figure_files
from foldwise.rendering.figure_files import StylePanel
from stats_core.comparison.result import Comparison
from stats_core.ordering.order import Order
from stats_core.report import latex_report, latex_table, report_content, reproduce, text_report
from stats_core.report.html_report import to_html
from stats_core.report.methods_text import JMLR
from stats_core.report.report_content import ReportFigure
from stats_core.report.tables import table_registry

Specs = Sequence[FigureSpec] | None


def html_report(
    analysis: Comparison,
    specs: Specs = None,
    *,
    script: str = "",
    width: int = 900,
    notes: Sequence[str] = (),
    number_style: str = JMLR,
    **styling: Any,
) -> str:
    """Return a self-contained HTML report with interactive figures; SettingError for an unknown number style.

    The figures are `specs`, by default those of `drawings` with the options `styling`.
    """
    specs = registry.drawings(analysis, **styling) if specs is None else specs
    style = theme.screen(width=width)
    figures = [
        report_figure(
            spec, stem, style, html=figure_files.html_fragment(spec.figure(style), width=None)
        )
        for spec, stem in zip(specs, figure_files.file_stems(specs), strict=True)
    ]
    drawer = get_plotlyjs() if figures else ""
    order = styling.get("order")
    return to_html(
        analysis,
        order=order,
        figures=figures,
        script=drawer,
        repeat=script,
        notes=notes,
        number_style=number_style,
    )


def latex_files(
    analysis: Comparison,
    panel: StylePanel,
    specs: Specs = None,
    *,
    script: str = "",
    pdf: bool = True,
    notes: Sequence[str] = (),
    number_style: str = JMLR,
    **styling: Any,
) -> dict[str, bytes]:
    """Return the files of a LaTeX report: document, section, bibliography, figures (PDF or TikZ), tables, JSON, script.

    The figures are `specs`, by default those of `drawings` with the options `styling`. SettingError
    for an unknown number style.
    """
    specs = registry.drawings(analysis, **styling) if specs is None else specs
    order = styling.get("order")
    files = {}
    figures = []
    for spec, stem in zip(specs, figure_files.file_stems(specs), strict=True):
        name = f"{stem}.pdf" if pdf else f"{stem}.tex"
        content = files[f"figures/{name}"] = figure_files.figure_file(
            spec, panel, "pdf" if pdf else "tikz"
        )
        shown: FigureContent = {"file": name} if pdf else {"tikz": content.decode()}
        figures.append(report_figure(spec, stem, panel.style, **shown))
    report = latex_report.to_latex(
        analysis, order=order, figures=figures, notes=notes, number_style=number_style
    )
    files |= {name: text.encode() for name, text in report.files.items()}
    files["analysis.json"] = reproduce.to_json(analysis).encode()
    if script:
        files["repeat.py"] = script.encode()
    for table in report_content.report_tables(analysis, order=order):
        files[f"tables/{table.name}.csv"] = text_report.table_to_csv(table.data).encode()
    return files


def main_table_csv(analysis: Comparison) -> bytes:
    """Return all rows of the main table as CSV."""
    return text_report.table_to_csv(table_registry.main_table(analysis)[0].data).encode()


def table_files(analysis: Comparison, *, order: Order | None = None) -> bytes:
    """Return a zip file with all tables as CSV and as LaTeX."""
    files = {}
    for table in report_content.report_tables(analysis, order=order):
        files[f"{table.name}.csv"] = text_report.table_to_csv(table.data).encode()
        files[f"{table.name}.tex"] = latex_table.table_to_latex(table).encode()
    return figure_files.zip_files(files)


class FigureContent(TypedDict, total=False):
    """One of the forms in which a report contains a figure, see `ReportFigure`."""

    html: str
    tikz: str
    file: str


def report_figure(
    spec: FigureSpec, stem: str, style: Style, **content: Unpack[FigureContent]
) -> ReportFigure:
    """Return a figure for a report, with its texts and one of `html`, `tikz` or `file` as `content`."""
    return ReportFigure(
        name=stem,
        title=spec.title,
        caption=spec.caption(style),
        alt=spec.alt,
        papers=spec.papers,
        **content,
    )
