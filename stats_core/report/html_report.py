"""Report as one self-contained HTML page."""

from collections.abc import Sequence
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING

import pandas as pd

from stats_core.comparison.cards import method_card
from stats_core.comparison.result import Comparison, HasComparison
from stats_core.ordering.order import Order
from stats_core.report import methods_text, report_content
from stats_core.report.methods_text import JMLR
from stats_core.report.report_content import ReportFigure
from stats_core.report.tables.table import ResultTable

if TYPE_CHECKING:
    from jinja2 import Template

_LONG = 40  # characters from which text is allowed to wrap
_WIDE = 110  # characters per line; wider tables are printed smaller
_WHOLE = 15  # maximum rows of a table kept on one page


def to_html(
    analysis: Comparison | HasComparison,
    *,
    order: Order | None = None,
    figures: Sequence[ReportFigure] = (),
    script: str = "",
    repeat: str = "",
    notes: Sequence[str] = (),
    number_style: str = JMLR,
) -> str:
    r"""Return the report on an analysis as one self-contained HTML page.

    Parameters
    ----------
    analysis : Comparison
        From `analyse`.
    order : Order, optional
        From `order_of`, if the algorithms were also ordered.
    figures : sequence of ReportFigure
        Their HTML fragments are inserted unchanged; figures without one are omitted.
    script : str
        JavaScript that the fragments need, inserted once.
    repeat : str
        The Python file of `to_script`, shown at the end.
    notes : sequence of str
        Sentences that follow the findings.
    number_style : {"JMLR", "APA"}
        "p = 0.032" or "p = .032" in sentences and captions.

    Returns
    -------
    str
        A page without external resources: verdict, methods, results, figures, tables, analysis
        steps, detectable differences, choices, references, versions. Names are escaped.

    Raises
    ------
    SettingError
        The number style is unknown.

    Examples
    --------
    >>> from stats_core.comparison.analyse import analyse
    >>> from stats_core.io.read import read_results
    >>> results = read_results(("acc.csv", b"dataset,<b>,svm\niris,0.9,0.8\nwine,0.7,0.6\n"))
    >>> page = to_html(analyse(results))
    >>> "&lt;b&gt; and svm" in page, "<b>,svm" in page
    (True, False)
    """
    from markupsafe import Markup, escape

    figures = [figure for figure in figures if figure.html]
    return _template(number_style).render(
        report=report_content.build_report(analysis, order=order, figures=figures, notes=notes),
        style=Markup(_file("report.css")),
        script=Markup(
            script.replace("</script", r"\x3C/script").replace("<!--", r"\x3C!--")
        ),  # would end the element
        repeat=escape(repeat),
    )


def table_to_html(table: ResultTable) -> str:
    """Return a table as an HTML element, with the best values in bold and the second best underlined.

    Examples
    --------
    >>> from stats_core.report.tables.table import ResultTable
    >>> cells = pd.DataFrame({"svm": ["0.1"], "<b>": ["0.2"]}, index=["iris"])
    >>> html = table_to_html(ResultTable(name="t", title="T", frame=cells, best={"iris": (["svm"], [])}))
    >>> "<b>0.1</b>" in html, "&lt;b&gt;" in html
    (True, True)
    """
    return _template(JMLR, "{{ write_cells(table, False) }}").render(table=table.filled()).strip()


@cache
def _file(name: str) -> str:
    return files(__package__).joinpath(name).read_text(encoding="utf-8")


@cache
def _template(number_style: str, page: str = "") -> "Template":
    """Return the template of a page, by default of the report, whose filters write numbers in the given style."""
    from jinja2 import Environment, StrictUndefined
    from markupsafe import Markup

    def styled(value: object) -> object:
        is_text = isinstance(value, str) and not isinstance(value, Markup)
        return methods_text.in_number_style(str(value), number_style) if is_text else value

    environment = Environment(autoescape=True, undefined=StrictUndefined, finalize=styled)
    environment.globals["LONG"] = _LONG
    environment.filters |= {
        "kind": lambda node: type(node).__name__,
        "size_classes": _size_classes,
        "cited_as": method_card.cited_as,
        "reference": method_card.reference_text,
    }
    return environment.from_string(_file("table.html") + (page or _file("report.html")))


def _size_classes(texts: pd.DataFrame) -> str:
    """Return the CSS classes of a table, each after a blank: "wide" for wide text, "whole" for few rows; else ""."""
    columns = [texts.index.map(str), *(texts[name] for name in texts)]
    letters = sum(max(map(len, column), default=0) for column in columns)
    return (" wide" if letters > _WIDE else "") + (" whole" if len(texts) <= _WHOLE else "")
