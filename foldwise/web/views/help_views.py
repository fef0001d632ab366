"""Views of the page Help: example files, glossary, methods."""

import io
import re
from functools import cache

import pandas as pd
import plotly.graph_objects as go
import streamlit as st

from foldwise.figures.glossary_pictures import PICTURES
from foldwise.figures.theme import screen
from foldwise.paths import installed_path
from foldwise.rendering.example_files import (
    ABOUT,
    DESIGNS,
    KINDS,
    WITH_FOLDS,
    example_file,
    example_preparation,
)
from foldwise.web import components
from foldwise.web.glossary import GLOSSARY, Term
from foldwise.web.settings_registry import linked
from stats_core.comparison.cards.method_card import CHAPTERS, Card
from stats_core.comparison.cards.methods_page import (
    chapter_introduction,
    method_details,
    method_summary,
    method_title,
)
from stats_core.io.read import read_results

FORMATS = installed_path("docs", "formats.md")
CARD = 482  # px; two fit side by side in a window 1440 px wide
WIDE, SQUARE = 440, 330  # px, widths of a picture
SHOWN_ROWS = 5


def which_file() -> None:
    """Draw widgets for the kind of results; show an example file and how to write it."""
    kinds = {label: kind for kind, label in KINDS.items()}
    recorded = st.radio(
        "What did you record, for each algorithm?",
        list(kinds),
        captions=[ABOUT[kind] for kind in KINDS],
        **linked("record", kept=False),
    )
    kind = kinds[recorded]
    design = next(iter(DESIGNS))
    with st.container(horizontal=True):
        costs = st.segmented_control(
            "A cost, too, such as time or memory?",
            ["No", "Yes"],
            default="No",
            **linked("spent", kept=False),
            required=True,
        )
        if kind in WITH_FOLDS:
            design = st.segmented_control(
                "How were the folds made?",
                list(DESIGNS),
                default=design,
                **linked("folding", kept=False),
                required=True,
            )
    example = example_file(kind, costs=costs == "Yes", design=design)
    for name, content in example.files:
        _file(name, content)
    st.caption(
        f"Foldwise says: {components.escape(_understood(example.files))} The numbers are made up."
    )
    if len(example.files) > 1:
        st.caption("Open both files together on Data: they are joined on their common columns.")
    st.markdown("## What it allows")
    st.markdown("\n".join(_use(page.title, page.text, page.applies) for page in example.pages))
    st.markdown("## From scikit-learn")
    st.code(example.code, language="python")
    preparation = st.expander("The lines before: imports, data, models", key="preparation")
    preparation.code(example_preparation(), language="python")
    st.caption(
        "Give every model the same splitter with a fixed random_state: then folds can be paired. "
        "More in docs/scikit-learn.md."
    )
    details = st.expander("Everything about files", key="formats", on_change="rerun")
    if details.open:
        text = FORMATS.read_text(encoding="utf-8").partition("\n")[2]
        details.markdown(re.sub(r"\[([\w.-]+)\]\([\w-]+\.md\)", r"docs/\1", text))


def _file(name: str, content: bytes) -> None:
    """Draw the first rows of a file and its download button."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        st.markdown(f"## {components.escape(name)}", width="stretch")
        st.download_button(
            "Download",
            data=content,
            file_name=name,
            mime="text/csv",
            icon=":material/download:",
            on_click="ignore",
            key=f"download_{name}",
        )
    table = pd.read_csv(io.BytesIO(content))
    st.dataframe(table.head(SHOWN_ROWS), hide_index=True)
    st.caption(f"The first {SHOWN_ROWS} of {len(table)} rows.")


@cache
def _understood(files: tuple[tuple[str, bytes], ...]) -> str:
    """Return the summary of the files as Foldwise reads them."""
    return read_results(*files).summary()


def _use(title: str, text: str, applies: bool) -> str:
    if applies:
        return f"- **{title}**: {components.escape(text)}"
    return f"- :gray[{title}: not with this file; {components.escape(text)}]"


def glossary() -> None:
    """Draw the glossary entries that match a search."""
    query = st.text_input("Find a word", **linked("term", kept=False), type="search", live=True)
    needle = (query or "").strip().lower()
    matches = {
        word: term
        for word, term in GLOSSARY.items()
        if needle in f"{word} {term.text} {term.more}".lower()
    }
    if not matches:
        st.caption("No word matches. Try a shorter one.")
    heights = [_height(term) for term in matches.values()]
    with st.container(horizontal=True, gap="small"):
        columns = [st.container(width=CARD, gap="small") for _ in range(2)]
    above = 0
    for (word, term), height in zip(matches.items(), heights, strict=True):
        with columns[above >= sum(heights) / 2]:
            _card(word, term)
        above += height


def glossary_popover(*words: str) -> None:
    """Draw popovers with glossary entries."""
    with st.container(horizontal=True):
        for word in words:
            box = st.popover(f"{word}?", type="tertiary", key=f"explain_{word}", on_change="rerun")
            if box.open:
                with box:
                    _card(word, GLOSSARY[word])


def _height(term: Term) -> float:
    """Return the approximate height of a card in px."""
    return 180 + (glossary_picture(term.picture, False).layout.height if term.picture else 0)


def _card(word: str, term: Term) -> None:
    with st.container(border=True, gap="xsmall"):
        st.markdown(f"## {components.escape(word)}")
        st.markdown(components.escape(f"{term.text} {term.more}".strip()))
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
                alt=f"{word}: {PICTURES[term.picture][1]}",
                config={"displayModeBar": False, "staticPlot": True},
            )
        page, label, query = term.page
        st.page_link(page, label=label, icon=":material/arrow_forward:", query_params=query)


def method_pages() -> None:
    """Draw the method cards of one chapter, or those that match a search."""
    groups = [chapter.title for chapter in CHAPTERS]
    group = st.segmented_control(
        "Question", groups, default=groups[0], **linked("question", kept=False), required=True
    )
    query = st.text_input(
        "Find a method, in all questions", **linked("method", kept=False), type="search", live=True
    )
    needle = (query or "").strip().lower()
    any_match = False
    for chapter in CHAPTERS if needle else [CHAPTERS[groups.index(group)]]:
        introduction = (
            [chapter_introduction(chapter)]
            if needle in chapter_introduction(chapter).lower()
            else []
        )
        cards = [card for card in chapter.cards if needle in _everything(card)]
        if introduction or cards:
            any_match = True
            st.markdown("\n\n".join([f"## {components.escape(chapter.title)}", *introduction]))
        for card in cards:
            _method(card)
    if not any_match:
        st.caption("No method matches. Try a shorter word.")
    st.caption("The same text as docs/methods.md. Names in code are functions of stats_core.")


def _everything(card: Card) -> str:
    return f"{method_title(card)} {method_summary(card)} {method_details(card)}".lower()


def _method(card: Card) -> None:
    st.markdown(f"### {components.escape(method_title(card))}")
    st.markdown(method_summary(card))
    if card.formula:
        _formula(card.formula)
    st.markdown(method_details(card))


def _formula(latex: str) -> None:
    """Draw a formula; a transparent frame keeps accents and limits from being cut off."""
    st.latex(rf"\fcolorbox{{transparent}}{{transparent}}{{$\displaystyle {latex}$}}")


@cache
def glossary_picture(name: str, dark: bool) -> go.Figure:
    """Return the figure of a glossary entry."""
    return PICTURES[name][0](screen(dark=dark, width=_width(name)))


def _width(name: str) -> int:
    return SQUARE if name == "roc" else WIDE
