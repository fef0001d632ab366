"""Report as one self-contained HTML page."""

from collections.abc import Sequence
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING

import pandas as pd

from stats_core.comparison.cards import method_card
from stats_core.comparison.result import Comparison
from stats_core.core.formatting import capitalize_first, format_count, join_names, measure_name
from stats_core.core.messages import IN_PAPER
from stats_core.data.missing import remaining_missing
from stats_core.data.settings import DFS, OVERLAPS, describe_group
from stats_core.ordering.order import Order
from stats_core.report import methods_text, order_text, power_text, report_content, reproduce, text_report
from stats_core.report.methods_text import JMLR
from stats_core.report.report_content import ReportFigure
from stats_core.report.tables.table import ResultTable
from stats_core.report.text_report import report_text

if TYPE_CHECKING:
    from jinja2 import Template

_LONG = 40  # characters from which text is allowed to wrap
_WIDE = 110  # characters per line; wider tables are printed smaller
_WHOLE = 15  # maximum rows of a table kept on one page


def to_html(
    analysis: Comparison,
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

    Examples
    --------
    >>> from stats_core.comparison.analyse import analyse
    >>> from stats_core.io.read import read_results
    >>> results = read_results(("acc.csv", b"dataset,<b>,svm\niris,0.9,0.8\nwine,0.7,0.6\n"))
    >>> page = to_html(analyse(results))
    >>> "&lt;b&gt; and svm" in page, "<b>,svm" in page
    (True, False)
    """
    import markupsafe

    content, html_figures = (
        report_content.build_content(analysis, order),
        [figure for figure in figures if figure.html],
    )
    keys = report_content.with_papers(content.references, html_figures)
    return _template(number_style).render(
        title=f"{_what(analysis)} of {format_count(len(analysis.results.algorithms), 'algorithm')}",
        style=markupsafe.Markup(_file("report.css")),
        script=markupsafe.Markup(_inside_script(script)),
        repeat=markupsafe.escape(repeat),
        compared=text_report.comparison_line(analysis),
        verdict=content.verdict,
        robustness=content.robustness,
        order_verdict=content.order_verdict,
        methods=content.methods,
        cited={key: method_card.cited_as(key) for key in keys},
        results=" ".join([content.results, *notes]),
        figures=html_figures,
        tables=[_rows(table.printed()) for table in content.tables],
        chain=content.chain,
        detectable=power_text.describe_detectable(content.seen),
        seen=content.seen,
        choices=_choices(analysis, order),
        references=[(key, method_card.reference_text(key)) for key in sorted(keys)],
        versions=reproduce.versions(),
        digest=analysis.results.digest,
    )


@cache
def _file(name: str) -> str:
    return files(__package__).joinpath(name).read_text(encoding="utf-8")


@cache
def _template(number_style: str) -> "Template":
    """Return the report template, whose filters write numbers in the given style."""
    from jinja2 import Environment, StrictUndefined
    from markupsafe import Markup

    def styled(value: object) -> object:
        is_text = isinstance(value, str) and not isinstance(value, Markup)
        return methods_text.in_number_style(str(value), number_style) if is_text else value

    environment = Environment(autoescape=True, undefined=StrictUndefined, finalize=styled)
    return environment.from_string(_file("report.html"))


def _what(analysis: Comparison) -> str:
    measures = join_names([*map(measure_name, analysis.together)], 6) or analysis.measure_name
    return capitalize_first(measures)


def _inside_script(script: str) -> str:
    """Return a script with sequences escaped that would end its HTML element early."""
    return script.replace("</script", r"\x3C/script").replace("<!--", r"\x3C!--")


def _rows(table: ResultTable) -> dict:
    """Return the template variables of a table."""
    texts, numeric = table.texts, table.numeric
    summary_from = len(texts) - table.summary if table.summary else len(texts)
    rows = []
    for position, (label, row) in enumerate(texts.iterrows()):
        best, second = table.best.get(label, ((), ()))
        cells = []
        for name, text in row.items():
            mark = "best" if name in best else "second" if name in second else ""
            kind = "number" if numeric[name] else "long" if len(text) > _LONG else ""
            cells.append({"text": text, "mark": mark if text else "", "kind": kind})
        rows.append({"label": label, "cells": cells, "sums": position == summary_from})
    return {
        "name": table.name,
        "title": table.title,
        "caption": table.caption,
        "looks": _column_classes(texts),
        "index_name": texts.index.name or "",
        "columns": [{"name": name, "number": numeric[name]} for name in texts],
        "rows": rows,
    }


def _column_classes(texts: pd.DataFrame) -> str:
    """Return the CSS class of a table by its width."""
    columns = [texts.index.map(str), *(texts[name] for name in texts)]
    letters = sum(max(map(len, column), default=0) for column in columns)
    return (" wide" if letters > _WIDE else "") + (" whole" if len(texts) <= _WHOLE else "")


def _choices(analysis: Comparison, order: Order | None) -> list[tuple[str, str]]:
    """Return the settings and the properties of the results as (name, text)."""
    settings, results = analysis.settings, analysis.results
    win = getattr(analysis, "win", "")
    by_fold = len(results.datasets) == 1
    missing = [choice.said(IN_PAPER) for choice in results.choices]
    missing = missing or [f"{count}." for count in remaining_missing(results, analysis.measures_compared)]
    values = {
        "files": results.source,
        "layout": f"{results.layout}, {format_count(results.n_rows, 'result')}, {results.design_label}",
        "measure": "" if analysis.together else analysis.measure_label,
        "measures": join_names([*map(measure_name, analysis.together)], 9),
        "win": win,
        "alpha": f"{settings.alpha:g}",
        "pairs": analysis.test_name,
        "control": settings.control,
        "region": "" if settings.region is None else f"±{settings.region:g}",
        "test": getattr(analysis, "test", ""),
        "overlap": OVERLAPS[settings.overlap] if by_fold or win else "",
        "df": DFS[settings.df] if settings.df != "conservative" else "",
        "order": "" if order is None else order_text.describe_order_method(order),
        "algorithms": join_names(settings.without_algorithms, 9),
        "group": describe_group(settings),
        "datasets": join_names(settings.without_datasets, 9),
        "missing": " ".join(missing) or "none",
        "notes": " ".join(note.said(IN_PAPER) for note in results.notes),
    }
    return [(report_text(f"choices.{key}"), value) for key, value in values.items() if value]
