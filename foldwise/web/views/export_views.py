"""Views of the page Export: article, figures, report, files and script."""

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any, Literal, TypedDict

import plotly.graph_objects as go
import streamlit as st

from foldwise.figures import payload, rank_sequence, registry
from foldwise.figures.registry import ShowOptions
from foldwise.figures.spec import FigureSpec
from foldwise.figures.theme import LEAST_POINTS
from foldwise.rendering import figure_files, report_files
from foldwise.rendering.figure_files import VENUES, StylePanel
from foldwise.web import browser, cache, choices, components, inputs, session
from foldwise.web.cache import cached
from foldwise.web.settings_registry import linked
from foldwise.web.texts import page_text
from foldwise.web.views import simulation_views
from stats_core.comparison.cards import method_card
from stats_core.comparison.kinds import measure_vectors
from stats_core.comparison.result import Comparison
from stats_core.core.errors import FoldwiseError
from stats_core.core.formatting import format_count
from stats_core.core.result_types import cached as cached_with
from stats_core.data.settings import Settings, tags_with_groups
from stats_core.ordering.order import Order
from stats_core.report import (
    latex_report,
    latex_table,
    methods_text,
    report_content,
    reproduce,
    text_report,
)
from stats_core.report.methods_text import JMLR, NUMBER_STYLES, CitedText
from stats_core.report.paper_sentence import paper_sentence, results_paragraph
from stats_core.report.references import bibtex
from stats_core.report.tables import table_registry
from stats_core.report.tables.table import ResultTable

ARTICLE = "Article"
READABLE = 920  # px, width of text
EVERYTHING = "all data sets"
ONE_MEASURE = "sidebar measure"
OWN = "other width"
FONTS = ("Times-like", "Arial-like")
INKS = ("grey", "colour")
TWO_COLUMNS = 930  # px; wider pairs of figures are stacked
HEAD = 60  # px, height of the title above a figure
DRAWN = 0.2  # estimated seconds to render a figure in one format
BUILT = 0.05  # estimated seconds to build a figure without rendering it
FIGURES = 12  # approximate number in a report
PAPER_FORMATS = ("PDF", "SVG", "PNG", "TikZ")
FORMATS = (*PAPER_FORMATS, "HTML")


def choose_subject(context: session.Context) -> Settings:
    """Draw widgets for the scope of the export; return the settings."""
    goal = inputs.current_threshold_goal()
    folds = inputs.datasets_with_folds(context)
    if len(context.results.datasets) < 2 or not folds:
        choice = folds[0] if folds else ""
    else:
        choice = inputs.page_option("Data sets", "eset", [EVERYTHING, *folds], width=220)
    if choice in ("", EVERYTHING):
        return replace(inputs.settings_over_datasets(context), wish=goal)
    settings = replace(context.settings, dataset=choice, wish=goal)
    presets = measure_vectors.presets_of(context.results)
    if presets:
        together = inputs.page_option(
            "Measures",
            "etogether",
            [ONE_MEASURE, *presets],
            width=220,
            name_of=inputs.measures_name,
        )
        if together != ONE_MEASURE:
            settings = replace(settings, measures=presets[together])
    return settings


def choose_venue() -> tuple[float, str]:
    """Draw the selectbox for the venue; return figure width in inches and number style."""
    venue = inputs.page_option("Venue", "evenue", [*VENUES, OWN], width=210)
    width = VENUES.get(venue)
    if width is None:
        width = st.number_input("Width (in)", 2.0, 20.0, 5.0, 0.25, key="ewidth", width=110)
    return float(width), venue if venue in NUMBER_STYLES else JMLR


def article(context: session.Context, analysis: Comparison, order: Order | None) -> None:
    """Draw main figure, text, main table and references of an article, with copy buttons."""
    with components.row():
        width, numbers = choose_venue()
    spelled = latex_report.latex_name_replacer(report_content.names_in(analysis), numbers)
    sentence = cached((context.key, numbers), paper_sentence, analysis, number_style=numbers)
    figure_options = _figure_options(context, order)
    spec = _main_drawing(context, analysis, figure_options)
    if spec is not None:
        _main_figure(spec, width, numbers, spelled)
    _part("Result", sentence, latex_report.text_with_citations([CitedText(sentence)], spelled))
    _preview("result", sentence)
    pieces = methods_text.methods_pieces(analysis, order, number_style=numbers)
    methods = _with_names(pieces)
    _part("Methods", methods, latex_report.text_with_citations(pieces, spelled))
    _preview("methods", methods)
    for table in table_registry.main_table(analysis, late=True):
        is_cut = components.is_cut(table)
        _main_table(table if is_cut else table_registry.main_table(analysis)[0], numbers, spelled)
        about = _key(context, analysis, figure_options)
        components.download_rest(
            table, _in_worker(about, partial(report_files.main_table_csv, analysis))
        )
    keys = sorted({*methods_text.cited_keys(pieces), *(() if spec is None else spec.papers)})
    if keys:
        references = [method_card.reference_text(key) for key in keys]
        _part("References", "\n".join(references), bibtex(keys), kinds=("text", "BibTeX"))
        _preview("references", *references)


def _part(title: str, text: str, code: str, kinds: tuple[str, str] = ("text", "LaTeX")) -> None:
    """Draw the heading of an article's part, with buttons that copy text and LaTeX."""
    width: Literal["stretch"] | int = "stretch" if title == "Table" else READABLE
    with st.container(
        horizontal=True, vertical_alignment="center", key=f"part_{title.lower()}", width=width
    ):
        st.markdown(f"## {title}", width="stretch")
        for kind, words in zip(kinds, (text, code), strict=True):
            browser.copy_button(f"Copy {kind}", words, f"copy_{title.lower()}_{kind.lower()}")


def _preview(part: str, *paragraphs: str) -> None:
    """Draw text of the article as a preview, in a frame."""
    with st.container(border=True, width=READABLE, key=f"preview_{part}"):
        st.markdown("\n\n".join(map(components.escape, paragraphs)))


def _main_figure(
    spec: FigureSpec, width: float, numbers: str, spelled: Callable[[object], str]
) -> None:
    """Draw a figure at its print size with its caption and a download as PDF."""
    font, ink = st.session_state.get("efont", FONTS[0]), st.session_state.get("eink")
    panel = StylePanel(width_in=width, serif=font == FONTS[0], colour=ink == INKS[1])
    stem = figure_files.file_stems([spec])[0]
    described = report_files.report_figure(spec, stem, panel.style, file=f"{stem}.pdf")
    caption = methods_text.in_number_style(f"{described.title}. {described.caption}", numbers)
    _part(
        "Figure", caption, latex_report.figure_block(described, spelled), kinds=("caption", "LaTeX")
    )
    _print_sized(spec, figure_files.draw_for_print(spec, panel), f"article_{spec.name}")
    components.download(
        "PDF", partial(figure_files.figure_file, spec, panel, "pdf"), f"{stem}.pdf", "article_pdf"
    )
    _preview("figure", caption)


def _main_table(table: ResultTable, numbers: str, spelled: Callable[[object], str]) -> None:
    """Draw a table, or the first page of a long one, with its caption."""
    caption = methods_text.in_number_style(f"{table.title}. {table.caption}".strip(), numbers)
    titled = _with_caption(table, caption)
    as_csv, as_latex = _sources_of(titled)
    _part("Table", as_csv, as_latex, kinds=("CSV", "LaTeX"))
    page = components.page_of(titled, 1)
    numbered = components.listens(titled)  # row numbers would be a column without a header
    st.dataframe(
        page.styled,
        column_config=page.columns,
        alt=caption,
        placeholder="",
        key="article_table",
        hide_index=numbered or None,
    )
    _preview("table", caption)


@cached_with
def _with_caption(table: ResultTable, caption: str) -> ResultTable:
    return replace(table, caption=caption)


@cached_with
def _sources_of(table: ResultTable) -> tuple[str, str]:
    """Return a table, or the first rows of a long one, as CSV and as LaTeX."""
    table = table.shortened(components.MOST_COPIED).filled()
    return text_report.table_to_csv(table.data), latex_table.table_to_latex(table)


def style_panel() -> tuple[StylePanel, str]:
    """Draw widgets for the print style of all figures; return it with the number style."""
    with components.row():
        width, numbers = choose_venue()
        more = components.options()
    with more:
        font = inputs.page_option("Font", "efont", FONTS, width=130)
        points = st.number_input("Font size (pt)", 6.0, 14.0, 8.0, 0.5, key="epoints", width=110)
        colour = inputs.page_option("Colour", "eink", INKS, width=110)
        title = st.toggle("Titles", **linked("etitle", in_session=False))
    panel = StylePanel(
        width_in=width,
        serif=font == FONTS[0],
        points=float(points),
        colour=colour == INKS[1],
        title=title,
    )
    return panel, numbers


class PrintOptions(TypedDict):
    """How the figures of a zip are drawn."""

    panel: StylePanel
    formats: tuple[str, ...]
    dpi: int


def figure_list(context: session.Context, analysis: Comparison, order: Order | None) -> None:
    """Draw all figures in print style, with a button that downloads the ticked ones as a zip."""
    style, _ = style_panel()
    figure_options = _figure_options(context, order)
    specs = _drawings(context, analysis, figure_options)
    missing = registry.missing_drawings(analysis, order=order, results=context.raw)
    with components.row():
        formats = st.pills(
            "Formats", FORMATS, selection_mode="multi", default=PAPER_FORMATS, key="eformats"
        )
        dpi = 300
        if "PNG" in formats:
            dpi = st.number_input("PNG dpi", 72, 1200, 300, 50, key="edpi", width=120)
    container = st.container()
    choice = _thumbnails(specs, style)
    with container:
        names = [spec.name for spec in choice]
        how: PrintOptions = {
            "panel": style,
            "formats": tuple(map(str.lower, formats)),
            "dpi": int(dpi),
        }
        simulated = _simulated(context)
        call = partial(
            figure_files.redraw_and_zip,
            analysis,
            names,
            **how,
            **figure_options,
            simulated=simulated,
        )
        _zip(names, how, _key(context, analysis, figure_options), call)
    if missing:
        reasons = [
            f"{components.escape(name)}: {components.escape(why)}" for name, why in missing.items()
        ]
        with st.expander("Omitted figures", key="missing_figures"):
            st.caption("  \n".join(reasons))


def _figure_options(context: session.Context, order: Order | None) -> ShowOptions:
    """Return keyword arguments of figures other than the analysis."""
    theta, _ = inputs.current_threshold(context.read)
    colours = None
    if session.families():
        colours = components.palette(context.results.algorithms, context.highlight)
    return {
        "order": order,
        "results": context.raw,
        "highlight": context.highlight,
        "colours": colours,
        "theta": inputs.NEUTRAL if theta is None else theta,
        "by": (*tags_with_groups(context.results), rank_sequence.MEASURE),
    }


def _simulated(context: session.Context) -> tuple[object, ...]:
    """Return the latest results of simulations, which reports and exports include."""
    latest = simulation_views.last_results(context.key, context.settings)
    return tuple(part.result for _, part in latest)


def _drawings(
    context: session.Context, analysis: Comparison, figure_options: ShowOptions
) -> list[FigureSpec]:
    key = _key(context, analysis, figure_options)
    simulated = _simulated(context)
    return cached(key, partial(registry.drawings, analysis, **figure_options, simulated=simulated))


def _main_drawing(
    context: session.Context, analysis: Comparison, figure_options: ShowOptions
) -> FigureSpec | None:
    key = _key(context, analysis, figure_options)
    return cached(key, partial(registry.main_drawing, analysis, **figure_options))


def _key(
    context: session.Context, analysis: Comparison, figure_options: ShowOptions
) -> tuple[Any, ...]:
    """Return the cache key of the figures."""
    order = figure_options["order"]
    rules = None if order is None else order.rules
    key = f"{inputs.selection_key(context)}/{sorted(session.families().items())}"
    simulated = simulation_views.last_results(context.key, context.settings)
    key += str([(query, part.draws) for query, part in simulated])
    return key, analysis.settings, rules, figure_options["highlight"], figure_options["theta"]


def _thumbnails(specs: list[FigureSpec], style: StylePanel) -> list[FigureSpec]:
    """Draw every figure at its print size with a checkbox; return the ticked ones."""
    choice = []
    figures = [figure_files.draw_for_print(spec, style) for spec in specs]
    with st.container(horizontal=True, gap="large"):
        for column in _columns(figures):
            with st.container(width=max(figures[i].layout.width for i in column) + 2):
                choice += [i for i in column if _thumbnail(specs[i], figures[i], style)]
    return [specs[i] for i in sorted(choice)]


def _columns(figures: list[go.Figure]) -> list[list[int]]:
    """Return figure indices by page column, balancing the columns' heights."""
    widest = max((figure.layout.width for figure in figures), default=0)
    columns: list[list[int]] = [[] for _ in range(2 if 2 * widest <= TWO_COLUMNS else 1)]
    heights = [0.0] * len(columns)
    for i, figure in enumerate(figures):
        shorter = heights.index(min(heights))
        columns[shorter].append(i)
        heights[shorter] += figure.layout.height + HEAD
    return [column for column in columns if column]


def _thumbnail(spec: FigureSpec, figure: go.Figure, style: StylePanel) -> bool:
    """Draw a figure with a checkbox; return whether it is ticked."""
    with st.container(key=f"sheet_{spec.name}"):
        size = f"{style.width_in:g} x {figure.layout.height / 96:.1f} in"
        ticked = st.checkbox(
            f"{components.escape(spec.title)} ({size})", True, key=f"take_{spec.name}"
        )
        if (points := figure_files.smallest_font(figure)) < LEAST_POINTS:
            st.caption(f":orange[{page_text('export_views.small_text', points=points)}]")
        _print_sized(spec, figure, f"thumb_{spec.name}")
    return ticked


def _print_sized(spec: FigureSpec, figure: go.Figure, key: str) -> None:
    """Draw a figure at its print size."""
    st.plotly_chart(
        payload.compact_figure(figure, speaks=False),
        theme=None,
        width="content",
        key=key,
        alt=spec.alt,
        config={"staticPlot": True, "displayModeBar": False},
    )


def _zip(names: list[str], how: PrintOptions, about: tuple, call: Callable[[], bytes]) -> None:
    """Draw the download button of a zip, which is created on the click."""
    contents = (*about, tuple(names), *how.values())
    if st.session_state.get(session.BUNDLE, (None,))[0] != contents:
        cost = DRAWN * len(names) * len(how["formats"])
        st.session_state[session.BUNDLE] = (
            contents,
            cache.DownloadCall(call, key=("bundle", *contents), cost=cost),
        )
    content = st.session_state[session.BUNDLE][1]
    label = f"Download {format_count(len(names), 'figure')} (zip)"
    options = {"type": "primary", "disabled": not (names and how["formats"]), "on_click": "rerun"}
    if components.download(label, content, "foldwise_figures.zip", "take_zip", **options):
        content.show_progress("Drawing ...")


def report(
    context: session.Context, analysis: Comparison, order: Order | None, why_none: str
) -> None:
    """Draw download buttons for the report, the reason for a missing order, and the paragraph of results."""
    style, numbers = style_panel()
    notes = (page_text("export_views.no_order", why=why_none),) if why_none else ()
    figure_options = _figure_options(context, order)
    options: dict[str, Any] = {
        "script": _script(context, analysis),
        "notes": notes,
        "number_style": numbers,
        **figure_options,
        "simulated": _simulated(context),
    }
    about = (*_key(context, analysis, figure_options), style, numbers, why_none)
    with st.container(horizontal=True):
        html = _in_worker(
            about, partial(report_files.html_report, analysis, **options), BUILT * FIGURES
        )
        components.download(
            "HTML (one file)", html, "foldwise_report.html", "report_html", type="primary"
        )
        latex = _in_worker(
            about, partial(report_files.latex_files, analysis, style, **options), DRAWN * FIGURES
        )
        components.download(
            "LaTeX (zip)",
            lambda: figure_files.zip_files(latex()),
            "foldwise_report.zip",
            "report_latex",
            help=page_text("export_views.latex"),
        )
    components.caption(*notes)
    with st.expander("Results", key="report_results"):
        components.paragraph(results_paragraph(analysis, order=order, number_style=numbers))


def _in_worker(about: tuple, call: partial, drawn: float = 0.0) -> Callable[[], Any]:
    """Return the download callback of a report or table.

    Its content depends on `about` only, and `drawn` is the estimated time for figures in seconds.
    """
    cost = drawn + cache.robustness_seconds(call) + cache.instances_seconds(call)
    return cache.DownloadCall(call, key=(cache.qualified_name(call), *about), cost=cost)


def _with_names(pieces: tuple[CitedText, ...]) -> str:
    """Return the pieces of a paragraph as text with author-year citations."""
    words = (
        f"{piece.text} ({'; '.join(map(method_card.cited_as, piece.keys))})"
        if piece.keys
        else piece.text
        for piece in pieces
    )
    return "".join(words).strip()


def files(context: session.Context, analysis: Comparison, order: Order | None) -> None:
    """Draw downloads: tables, data, script, and provenance."""
    script, about = (
        _script(context, analysis),
        _key(context, analysis, _figure_options(context, order)),
    )
    with st.container(horizontal=True):
        components.download(
            "All tables (zip)",
            _in_worker(about, partial(report_files.table_files, analysis, order=order)),
            "foldwise_tables.zip",
            "tables_zip",
            type="primary",
        )
        components.download(
            "Results (CSV)", lambda: context.results.to_csv(), "foldwise_results.csv", "results_csv"
        )
        name = "foldwise_repeat.py"
        components.download("Script (Python)", lambda: script, name, f"take_{name}")
        components.download(
            "All numbers (JSON)",
            _in_worker(about, partial(reproduce.to_json, analysis)),
            "analysis.json",
            "take_analysis.json",
        )
    _origin(analysis)
    with st.expander("Script", key="script"):
        st.markdown(page_text("export_views.script"))
        st.code(script, language="python")
    for table in report_content.report_tables(analysis, order=order, late=True):
        components.show_table(table)


def _origin(analysis: Comparison) -> None:
    """Draw the provenance: files, checksum, software versions, recorded choices."""
    results = analysis.results
    lines = [
        f"**Files.** {components.escape(results.source)}",
        f"**sha256.** {results.digest or 'none'}",
        f"**Versions.** {', '.join(f'{name} {at}' for name, at in reproduce.versions().items())}",
    ]
    if results.choices:
        lines.append(f"**Choices.** {components.escape(' '.join(map(str, results.choices)))}")
    st.markdown("  \n".join(lines))


def _script(context: session.Context, analysis: Comparison) -> str:
    """Return the script that reproduces the analysis, or a comment on why there is none."""
    try:
        return reproduce.to_script(
            analysis, session.file_names(), mapping=choices.known_mapping(context.source_key)
        )
    except FoldwiseError as error:
        return f"# {error}"
