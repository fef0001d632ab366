"""Content of a report: sections of paragraphs, figures and tables, which `html_report` and `latex_report` write."""

from collections.abc import Sequence
from dataclasses import dataclass

from stats_core.comparison import conclusion_scope
from stats_core.comparison.result import Comparison, HasComparison, comparison_of
from stats_core.core.formatting import capitalize_first, format_count, join_names, measure_name
from stats_core.core.messages import IN_PAPER, Message
from stats_core.core.result_types import cached
from stats_core.data.missing import remaining_missing
from stats_core.data.settings import DFS, OVERLAPS, describe_group, tags_with_groups
from stats_core.ordering.order import Order, OrderRules
from stats_core.power import detectable
from stats_core.report import (
    analysis_steps,
    methods_text,
    order_text,
    paper_sentence,
    power_text,
    reproduce,
    robustness_text,
    text_report,
    varied_verdicts,
)
from stats_core.report.methods_text import CitedText
from stats_core.report.order_text import order_verdict
from stats_core.report.tables import order_tables, robustness_tables, table_registry
from stats_core.report.tables.table import ResultTable
from stats_core.report.text_report import report_text
from stats_core.report.verdict import Verdict, verdict
from stats_core.robustness.leave_one_out import leave_one_out

_MAIN_FIGURES = 2  # the other ones are in the appendix


@dataclass(frozen=True, slots=True)
class Paragraph:
    """Text with citations.

    Attributes
    ----------
    pieces : tuple of CitedText
        The text, continued from piece to piece.
    style : {"", "headline", "strong", "soft"}
        Emphasis of the paragraph.
    see : tuple of ReportFigure or ResultTable
        Figures and tables to which the end of the paragraph refers.
    """

    pieces: tuple[CitedText, ...]
    style: str = ""
    see: tuple["Node", ...] = ()


@dataclass(frozen=True, slots=True)
class VerdictCard:
    """Paragraphs in a frame, with a badge."""

    badge: str
    paragraphs: tuple[Paragraph, ...]


@dataclass(frozen=True, slots=True)
class Steps:
    """Numbered list; each item is a tuple of paragraphs."""

    items: tuple[tuple[Paragraph, ...], ...]


@dataclass(frozen=True, slots=True)
class Definitions:
    """List of names with their values."""

    items: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class Bibliography:
    """List of publications, by their keys in `REFERENCES`."""

    keys: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ReportFigure:
    """Figure of a report with caption and files.

    Attributes
    ----------
    name : str
        Start of its file names.
    title, caption : str
        Plain text; the caption says how to read it.
    file : str
        Name of its PDF in the folder figures/ next to the document, "" if there is none.
    tikz : str
        TikZ source, whose first line is a comment with the packages it needs; it is
        preferred to the PDF.
    html : str
        A fragment of HTML, inserted without escaping.
    alt : str
        For screen readers; the caption if empty.
    papers : tuple of str
        Keys of the publications that the caption cites.
    """

    name: str
    title: str
    caption: str = ""
    file: str = ""
    tikz: str = ""
    html: str = ""
    alt: str = ""
    papers: tuple[str, ...] = ()


Node = Paragraph | VerdictCard | Steps | Definitions | Bibliography | ReportFigure | ResultTable


@dataclass(frozen=True, slots=True)
class Section:
    """Heading with the content below it.

    Attributes
    ----------
    name : str
        Key of the heading in `report.toml`.
    nodes : tuple
        Paragraphs, lists, figures and tables, in order.
    appendix : bool
        Whether the section is an appendix.
    """

    name: str
    nodes: tuple[Node, ...]
    appendix: bool = False

    @property
    def heading(self) -> str:
        """Text of the heading."""
        return report_text(f"headings.{self.name}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """Content of a report, which writers turn into HTML or LaTeX.

    Attributes
    ----------
    title, subtitle : str
        Measures and number of algorithms, and a line on the design.
    page : tuple of Section
        All sections, for a stand-alone report.
    paper : tuple of Section
        The sections for a paper.
    keys : tuple of str
        Publications in the order in which text and captions cite them.
    names : tuple of str
        Names that files supplied, algorithms first.
    versions : mapping of str to str
        Versions of Foldwise and of the libraries.
    digest : str
        Checksum of the files, "" without files.
    """

    title: str
    subtitle: str
    page: tuple[Section, ...]
    paper: tuple[Section, ...]
    keys: tuple[str, ...]
    names: tuple[str, ...]
    versions: dict[str, str]
    digest: str


def build_report(
    comparison: Comparison | HasComparison,
    *,
    order: Order | None = None,
    figures: Sequence[ReportFigure] = (),
    notes: Sequence[str] = (),
) -> Report:
    """Return the report on a comparison and, if given, the order of its algorithms; `notes` follow the findings."""
    comparison = comparison_of(comparison)
    results = comparison.results
    pieces = methods_text.methods_pieces(comparison, order)
    keys = (*methods_text.cited_keys(pieces), *(key for figure in figures for key in figure.papers))
    keys = tuple(dict.fromkeys(keys))
    robustness = (
        robustness_text.describe_leave_one_out(leave_one_out(comparison))
        if comparison.units
        else ""
    )
    cards, order_words = [_card(verdict(comparison), robustness)], None
    if order is not None:
        order_words = order_verdict(
            order, conclusion_scope.pairwise_comparison(order, comparison), in_paper=True
        )
        cards.append(_card(order_words))
    findings = paper_sentence.describe_results(comparison, order_words)
    tables = [table.printed() for table in report_tables(comparison, order)]
    main_names = [table.name for table in table_registry.main_table(comparison)]
    tables.sort(key=lambda table: table.name not in main_names)
    main: tuple[Node, ...] = (*figures[:_MAIN_FIGURES], *tables[:1])
    other: tuple[Node, ...] = (*figures[_MAIN_FIGURES:], *tables[1:])
    methods, seen = Paragraph(pieces), detectable.detectable(comparison)
    page = (
        Section("verdict", tuple(cards)),
        Section("methods", (methods,)),
        Section("results", (*_paragraphs(" ".join([findings, *notes])), *main)),
        Section("references", (Bibliography(tuple(sorted(keys))),) if keys else ()),
        Section("appendix", other, appendix=True),
        Section("chain", _steps(comparison)),
        Section(
            "seen",
            (
                *_paragraphs(power_text.describe_detectable(seen)),
                *_paragraphs(seen.method, style="soft"),
            ),
        ),
        Section("choices", (Definitions(_choices(comparison, order)),)),
    )
    sentences = " ".join(filter(None, [findings, robustness, *notes]))
    paper = (
        Section("methods", (methods,)),
        Section("findings", (Paragraph((CitedText(sentences),), see=main), *main)),
        Section("additional", other, appendix=True),
    )
    measures = join_names([*map(measure_name, comparison.together)], 6) or (
        comparison.measure_label if comparison.shape.decided_elsewhere else comparison.measure_name
    )
    return Report(
        title=f"{capitalize_first(measures)} of {format_count(len(results.algorithms), results.noun)}",
        subtitle=text_report.comparison_line(comparison),
        page=tuple(section for section in page if section.nodes),
        paper=tuple(section for section in paper if section.nodes),
        keys=keys,
        names=names_in(comparison),
        versions=reproduce.versions(),
        digest=results.digest,
    )


def names_in(comparison: Comparison) -> tuple[str, ...]:
    """Return the names of a comparison that files supplied, algorithms first."""
    results, settings = comparison.results, comparison.settings
    names = (*results.algorithms, *results.datasets, *results.measures, *results.costs)
    return tuple(dict.fromkeys((*names, *settings.without_algorithms, *settings.without_datasets)))


def _paragraphs(*texts: str, style: str = "") -> tuple[Paragraph, ...]:
    """Return one paragraph per text that is not empty."""
    return tuple(Paragraph((CitedText(text),), style) for text in texts if text)


def _card(words: Verdict, robustness: str = "") -> VerdictCard:
    """Return the card of a verdict, worded for a paper, without advice to the user."""
    notes = (note.said(IN_PAPER) if isinstance(note, Message) else note for note in words.notes)
    headline = _paragraphs(words.headline, style="headline")
    return VerdictCard(
        words.badge,
        (*headline, *_paragraphs(words.detail, robustness), *_paragraphs(*notes, style="soft")),
    )


def _steps(comparison: Comparison) -> tuple[Node, ...]:
    """Return the analysis steps with their introduction; () with one algorithm."""
    if len(comparison.results.algorithms) < 2:
        return ()
    chain = analysis_steps.chain_of(comparison)
    introduction = report_text("chain.introduction", chain=chain) if chain.scenario else ""
    items = (
        (
            *_paragraphs(f"{step.question}: {step.test}", style="strong"),
            *_paragraphs(step.why, step.fails),
            *_paragraphs(". ".join(filter(None, [step.reference, step.papers])), style="soft"),
        )
        for step in chain.steps
    )
    return (*_paragraphs(introduction, style="soft"), Steps(tuple(items)))


def _choices(analysis: Comparison, order: Order | None) -> tuple[tuple[str, str], ...]:
    """Return the settings and the properties of the results as (name, text)."""
    settings, results = analysis.settings, analysis.results
    win = getattr(analysis, "win", "")
    by_fold = len(results.datasets) == 1
    missing = [choice.said(IN_PAPER) for choice in results.choices]
    missing = missing or [
        f"{count}." for count in remaining_missing(results, analysis.measures_compared)
    ]
    values = {
        "files": results.source,
        "layout": f"{results.layout}, {format_count(results.n_rows, 'result')}, {results.design_label}",
        "measure": "" if analysis.together else analysis.measure_label,
        "measures": join_names([*map(measure_name, analysis.together)], 9),
        "win": win,
        "alpha": f"{settings.alpha:g}",
        "pairs": analysis.test_name,
        "control": settings.control,
        "region": "" if settings.margin is None else f"±{settings.margin:g}",
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
    return tuple((report_text(f"choices.{key}"), value) for key, value in values.items() if value)


def report_tables(
    analysis: Comparison, order: Order | None = None, *, late: bool = False
) -> list[ResultTable]:
    """Return the tables of a report: comparison, order, groups of data sets.

    With `late`, slow columns are blank, see `ResultTable.filled`.
    """
    ordered = [] if order is None else order_tables.tables_of_order(order)
    return [
        *table_registry.tables_of(analysis, late=late),
        *ordered,
        *_of_groups(analysis, order and order.rules),
    ]


@cached
def _of_groups(analysis: Comparison, rules: OrderRules | None) -> tuple[ResultTable, ...]:
    """Return the tables of the analysis by each tag of data sets; () for one data set or without tags."""
    results, tables = analysis.results, []
    if len(results.datasets) < 2:
        return ()
    tags = tags_with_groups(results)
    for number, tag in enumerate(tags, 1):
        groups = varied_verdicts.by_group(
            results, analysis.settings, tag, rules=rules, whole=analysis
        )
        tables += robustness_tables.tables_by_group(groups, f"_{number}" if len(tags) > 1 else "")
    return tuple(tables)
