"""Views of the page Help: example files, glossary, methods, and the map of experimental designs."""

import io
import re
import tomllib
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path

import pandas as pd
import plotly.graph_objects as go
import streamlit as st

from foldwise import paths
from foldwise.figures import theme
from foldwise.figures.glossary_pictures import PICTURES
from foldwise.figures.spec import figure_text
from foldwise.rendering import example_files
from foldwise.rendering.example_files import ABOUT, DESIGNS, KINDS, WITH_FOLDS, PageUse
from foldwise.web import components, inputs, layout, session
from foldwise.web.settings_registry import ALL_SETS, linked
from foldwise.web.texts import page_text
from stats_core.comparison.cards import method_card
from stats_core.comparison.cards.method_card import CHAPTERS, Card
from stats_core.io.read import read_results
from stats_core.report import analysis_steps
from stats_core.report.analysis_steps import Cell


@dataclass(frozen=True, slots=True, kw_only=True)
class Term:
    """Glossary entry.

    Attributes
    ----------
    text, more : str
        Definition in one line; further explanation.
    formula : str
        Formula in LaTeX, "" for none.
    picture : str
        A key of `PICTURES`, "" for no picture.
    table : str
        A small table in Markdown, "" for none.
    page : tuple of (str, str, dict)
        Where it appears: page, label of the link, and query parameters.
    """

    text: str
    more: str = ""
    formula: str = ""
    picture: str = ""
    table: str = ""
    page: tuple[str, str, dict[str, str]]


def _formula_of_method(reference: re.Match) -> str:
    """Return the formulas of a method card: all for "@holm", the second for "@risk.1"."""
    card = method_card.method_card(reference[1])
    return card.formulas[int(reference[2])] if reference[2] else card.formula


def _read_glossary() -> dict[str, Term]:
    """Return the glossary entries by name, sorted."""
    terms = tomllib.loads(
        Path(__file__).parents[1].joinpath("glossary.toml").read_text(encoding="utf-8")
    )
    pages, glossary = terms.pop("pages"), {}
    for word, entry in sorted(terms.items(), key=lambda item: item[0].lower()):
        formula = re.sub(r"@([a-z0-9_]+)(?:\.(\d))?", _formula_of_method, entry.get("formula", ""))
        glossary[word] = Term(**entry | {"page": tuple(pages[entry["page"]]), "formula": formula})
    return glossary


GLOSSARY = _read_glossary()
FORMATS = paths.installed_path("docs", "formats.md")
WIDE, SQUARE = 440, 330  # px, widths of a picture
SHOWN_ROWS = 5
MOST_CARDS = 12  # of a search; other matches are listed without formulas and pictures


def which_file() -> None:
    """Draw a choice of the kind of results, with an example file and the code that writes it."""
    kinds = {label: kind for kind, label in KINDS.items()}
    captions = [ABOUT[kind] for kind in KINDS]
    kind = kinds[
        st.radio(**linked("record", in_session=False), options=list(kinds), captions=captions)
    ]
    design = next(iter(DESIGNS))
    with st.container(horizontal=True):
        costs = st.segmented_control(**linked("spent", in_session=False))
        if kind in WITH_FOLDS:
            design = st.segmented_control(
                **linked("folding", in_session=False), options=list(DESIGNS), default=design
            )
    example = example_files.example_file(kind, costs=costs == "Yes", design=design)
    for name, content in example.files:
        _file(name, content)
    st.caption(
        page_text(
            "help_views.example",
            summary=components.escape(_understood(example.files)),
            several=len(example.files) > 1,
        )
    )
    st.expander("Pages", key="file_pages").markdown("\n".join(map(_use, example.pages)))
    with st.expander("scikit-learn code", key="code"):
        st.code(example.code, language="python")
        st.markdown("**Imports and models**")
        st.code(example_files.example_preparation(), language="python")
        st.caption(page_text("help_views.pairing"))
    components.in_expander("All file formats", "formats", _formats)


def _formats() -> None:
    """Draw docs/formats.md without its title, with links to other documents replaced by their paths."""
    text = FORMATS.read_text(encoding="utf-8").partition("\n")[2]
    st.markdown(re.sub(r"\[([\w.-]+)\]\([\w-]+\.md\)", r"docs/\1", text))


def _file(name: str, content: bytes) -> None:
    """Draw the first rows of a file, and its download button."""
    with components.row():
        st.markdown(f"## {components.escape(name)}", width="stretch")
        key, icon = f"download_{name}", ":material/download:"
        components.download("Download", content, name, key, icon=icon)
    table = pd.read_csv(io.BytesIO(content))
    st.dataframe(table.head(SHOWN_ROWS), hide_index=True)
    st.caption(f"First {SHOWN_ROWS} of {len(table)} rows.")


@cache
def _understood(files: tuple[tuple[str, bytes], ...]) -> str:
    """Return a summary of the results in some files."""
    return read_results(*files).summary()


def _use(page: PageUse) -> str:
    text = page_text(
        "help_views.page", title=page.title, text=components.escape(page.text), applies=page.applies
    )
    return f"- {text}" if page.applies else f"- :gray[{text}]"


def glossary() -> None:
    """Draw the glossary entries of an initial letter, or those that match a search."""
    query = st.text_input(
        "Search the glossary", **linked("term", in_session=False), type="search", live=True
    )
    needle = (query or "").strip().lower()
    if needle:
        words = matching_words(needle)
    else:
        letters = [*dict.fromkeys(map(_initial, GLOSSARY))]
        letter = st.segmented_control(
            "Initial letter",
            letters,
            default="A",
            **linked("letter", in_session=False),
            required=True,
        )
        words = [word for word in GLOSSARY if _initial(word) == letter]
    if not words:
        st.caption(page_text("help_views.no_match"))
    drawn = words[:MOST_CARDS] if needle else words
    for word in drawn:
        is_best = bool(needle) and word == words[0]
        components.in_expander(
            word, f"entry_{needle}_{word}", partial(_entry, word), expanded=is_best
        )
    if rest := words[len(drawn) :]:
        text = "\n\n".join(
            f"**{components.escape(word)}.** {components.escape(GLOSSARY[word].text)}"
            for word in rest
        )
        st.expander(page_text("help_views.other_matches", n=len(rest))).markdown(text)


def matching_words(needle: str) -> list[str]:
    """Return the terms whose entry contains `needle`, in lower case; first those whose name begins with it."""
    words = [
        word
        for word, term in GLOSSARY.items()
        if needle in f"{word} {term.text} {term.more}".lower()
    ]
    return sorted(
        words, key=lambda word: (needle not in word.lower(), not word.lower().startswith(needle))
    )


def _initial(word: str) -> str:
    return word[0].upper() if word[0].isalpha() else "0\u20139"


def glossary_popover(*words: str) -> None:
    """Draw popovers with glossary entries."""
    with st.container(horizontal=True):
        for word in words:
            components.in_popover(word, f"explain_{word}", partial(_entry, word))


def _entry(word: str) -> None:
    """Draw a glossary entry: definition, formula, table, picture, and a link to a page."""
    term = GLOSSARY[word]
    components.paragraph(f"{term.text} {term.more}".strip())
    if term.formula:
        _formula(term.formula)
    if term.table:
        st.markdown(term.table)
    if term.picture:
        st.plotly_chart(
            glossary_picture(term.picture, components.is_dark()),
            theme=None,
            width=_width(term.picture),
            key=f"word_{term.picture}",
            alt=f"{word}: {figure_text(f'glossary_pictures.{term.picture}')}",
            config={"displayModeBar": False, "staticPlot": True},
        )
    page, label, query = term.page
    st.page_link(page, label=label, icon=":material/arrow_forward:", query_params=query)


def method_pages() -> None:
    """Draw the method cards of one chapter, or those that match a search."""
    groups = [chapter.title for chapter in CHAPTERS]
    group = st.segmented_control(
        "Topic", groups, default=groups[0], **linked("question", in_session=False), required=True
    )
    query = st.text_input(
        "Search all methods", **linked("method", in_session=False), type="search", live=True
    )
    needle = (query or "").strip().lower()
    n_matches = 0
    for chapter in CHAPTERS if needle else [CHAPTERS[groups.index(group)]]:
        introduction = method_card.chapter_introduction(chapter)
        introductions = [introduction] if needle in introduction.lower() else []
        cards = [card for card in chapter.cards if needle in _everything(card)]
        drawn = cards[: max(0, MOST_CARDS - n_matches)] if needle else cards
        n_matches += len(introductions) + len(cards)
        if introductions or cards:
            st.markdown(f"## {components.escape(chapter.title)}")
        for text in introductions:
            st.expander(page_text("help_views.introduction")).markdown(text)
        for card in drawn:
            _method(card, expanded=len(drawn) == 1)
        rest = [components.escape(method_card.method_title(card)) for card in cards[len(drawn) :]]
        st.markdown("\n".join(f"- {title}" for title in rest))
    if not n_matches:
        st.caption(page_text("help_views.no_match"))


def _everything(card: Card) -> str:
    return f"{method_card.method_title(card)} {method_card.method_summary(card)} {method_card.method_details(card)}".lower()


def _method(card: Card, *, expanded: bool) -> None:
    """Draw a method card: summary, formula and details, below its title."""
    with st.expander(components.escape(method_card.method_title(card)), expanded=expanded):
        st.markdown(method_card.method_summary(card))
        if card.formula:
            _formula(card.formula)
        st.markdown(method_card.method_details(card))


def _formula(latex: str) -> None:
    """Draw a formula, with padding so that accents are not clipped."""
    st.latex(rf"\fcolorbox{{transparent}}{{transparent}}{{$\displaystyle {latex}$}}")


@cache
def glossary_picture(name: str, dark: bool) -> go.Figure:
    """Return the figure of a glossary entry."""
    return PICTURES[name](style=theme.screen(dark=dark, width=_width(name)))


def _width(name: str) -> int:
    return SQUARE if name == "roc" else WIDE


ROWS = ((False, False), (True, False), (True, True))  # several measures, many thresholds
COLUMNS = (
    (False, False),
    (True, False),
    (False, True),
    (True, True),
)  # several algorithms, several data sets
OVER = {"mtab_over_data_sets": "true"}


def draw_map(context: session.RunContext) -> None:
    """Draw the map of experimental designs, marking that of the open results."""
    unfit = layout.unfit_pages(context)
    position = None
    if isinstance(context, session.Context):
        results = inputs.selected_results(context)
        if len(results.algorithms) > 1:
            position = (len(results.algorithms) > 2, results.n_datasets > 1)
    cells = {
        (c.multivariate, c.thresholds, c.several, c.many): c for c in analysis_steps.map_of_cases()
    }
    for row in ROWS:
        st.markdown(f"## {page_text('help_views.row', several=row[0], thresholds=row[1])}")
        for column, which in zip(st.columns(len(COLUMNS)), COLUMNS, strict=True):
            if row == (True, True) and not cells[*row, *which].case:
                continue  # the papers have only one cell in this row
            with column:
                is_current = which == position and row == (False, False)
                _cell(cells[*row, *which], unfit, context, here=is_current)
    st.caption(page_text("help_views.map"))


def _cell(cell: Cell, unfit: frozenset[str], context: session.RunContext, *, here: bool) -> None:
    """Draw a cell of the map, with a link to its analysis or, if that does not apply, a note."""
    with st.container(border=True, height="stretch"):
        if here:
            st.badge("Your results", color="blue")
        st.markdown(f"**{page_text('help_views.column', several=cell.several, many=cell.many)}**")
        references = [*filter(None, (cell.scenario, cell.case))]
        if references:
            cited = ", ".join(reference.partition(":")[0] for reference in references)
            st.caption(
                components.escape(cited), help="\n\n".join(map(components.escape, references))
            )
        page, label, parameters = _target(cell, context)
        if page in unfit or not isinstance(context, session.Context):
            st.caption(label, help=page_text("help_views.unfit", page=label))
        else:
            st.page_link(f"pages/{page}.py", label=label, query_params=parameters)


def _target(cell: Cell, context: session.RunContext) -> tuple[str, str, dict[str, str]]:
    """Return page, label and parameters of a map cell's link."""
    if cell.thresholds:
        return "explore", "Explore: Thresholds", {"look": "Thresholds"}
    parameters = {"look": "Several measures", "who": "all" if cell.several else "two"}
    if cell.multivariate:
        return "explore", "Explore: Several measures", parameters | (OVER if cell.many else {})
    if cell.several:
        single_set = ("explore", "Explore: Folds", {"look": "Folds"})
        return ("results", "Results", {}) if cell.many else single_set
    if cell.many:
        return "compare", "Compare", {"ds": ALL_SETS}
    if isinstance(context, session.Context):
        folds = inputs.selected_results(context).with_folds
        if folds:
            return "compare", "Compare", {"ds": folds[0]}
    return "compare", "Compare", {}
