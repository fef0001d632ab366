"""Help on the screen: which file is needed, the words, the methods."""

import io
import re
from functools import cache

import numpy as np
import pandas as pd
import plotly.graph_objects as go
import streamlit as st

from foldwise.figures.bricks import bricks
from foldwise.figures.cd_diagram import cd_diagram
from foldwise.figures.clouds import contours
from foldwise.figures.cost_curves import cost_curves
from foldwise.figures.difference_ellipse import difference_ellipse
from foldwise.figures.difference_interval import difference_interval
from foldwise.figures.ordering_graph import ordering_graph
from foldwise.figures.ordering_strip import ordering_strip
from foldwise.figures.paired_folds import paired_folds
from foldwise.figures.rank_map import rank_map
from foldwise.figures.roc import roc
from foldwise.figures.theme import Style, screen
from foldwise.places import place
from foldwise.ui import show
from foldwise.ui.glossary import GLOSSARY, Term
from foldwise.ui.templates import ABOUT, DESIGNS, KINDS, WITH_FOLDS, preparation, template
from stats_core.comparison.cards.card import CHAPTERS, Card
from stats_core.comparison.cards.page import details, opening, summary, title
from stats_core.inference.multivariate.hotelling import hotelling_paired
from stats_core.inference.paired import corrected_t
from stats_core.inference.ranks import critical_difference
from stats_core.ordering.multitest import sort_by_edges
from stats_core.reading.reading import read_results

FORMATS = place("docs", "formats.md")
CARD = 482  # px, two beside each other in a window of 1440
WIDE, SQUARE = 440, 330  # px of a picture
SHOWN_ROWS = 5


def which_file() -> None:
    """Ask what was recorded; show the file for it, what it allows and how to write it."""
    kinds = {label: kind for kind, label in KINDS.items()}
    recorded = st.radio(
        "What did you record, for each algorithm?",
        list(kinds),
        captions=[ABOUT[kind] for kind in KINDS],
        key="record",
        bind="query-params",
    )
    kind = kinds[recorded]
    design = next(iter(DESIGNS))
    with st.container(horizontal=True):
        costs = st.segmented_control(
            "A cost, too, such as time or memory?",
            ["No", "Yes"],
            default="No",
            key="spent",
            bind="query-params",
            required=True,
        )
        if kind in WITH_FOLDS:
            design = st.segmented_control(
                "How were the folds made?",
                list(DESIGNS),
                default=design,
                key="folding",
                bind="query-params",
                required=True,
            )
    wanted = template(kind, costs=costs == "Yes", design=design)
    for name, content in wanted.files:
        _file(name, content)
    st.caption(f"Foldwise says: {show.escape(_understood(wanted.files))} The numbers are made up.")
    if len(wanted.files) > 1:
        st.caption("Open both files together on Data: they are joined on their common columns.")
    st.markdown("### What it allows")
    st.markdown("\n".join(_use(page.title, page.text, page.applies) for page in wanted.pages))
    st.markdown("### From scikit-learn")
    st.code(wanted.code, language="python")
    first = st.expander("The lines before: imports, data, models", key="preparation")
    first.code(preparation(), language="python")
    st.caption(
        "Give every model the same splitter with a fixed random_state: then folds can be paired. "
        "More in docs/scikit-learn.md."
    )
    details = st.expander("Everything about files", key="formats", on_change="rerun")
    if details.open:
        text = FORMATS.read_text(encoding="utf-8").partition("\n")[2]
        details.markdown(re.sub(r"\[([\w.-]+)\]\([\w-]+\.md\)", r"docs/\1", text))


def _file(name: str, content: bytes) -> None:
    """Show the first rows of a file, with the button that hands it out."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        st.markdown(f"### {show.escape(name)}", width="stretch")
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
    """Return how Foldwise reads the files, in its own words."""
    return read_results(*files).summary()


def _use(title: str, text: str, applies: bool) -> str:
    if applies:
        return f"- **{title}**: {show.escape(text)}"
    return f"- :gray[{title}: not with this file; {show.escape(text)}]"


def glossary() -> None:
    """Show the words that match, each with its formula or picture and where it appears."""
    asked = st.text_input("Find a word", key="term", bind="query-params", type="search", live=True)
    wanted = (asked or "").strip().lower()
    found = {
        word: term
        for word, term in GLOSSARY.items()
        if wanted in f"{word} {term.text} {term.more}".lower()
    }
    if not found:
        st.caption("No word matches. Try a shorter one.")
    heights = [_height(term) for term in found.values()]
    with st.container(horizontal=True, gap="small"):
        columns = [st.container(width=CARD, gap="small") for _ in range(2)]
    above = 0
    for (word, term), height in zip(found.items(), heights, strict=True):
        with columns[above >= sum(heights) / 2]:
            _card(word, term)
        above += height


def _height(term: Term) -> float:
    """Return about how many pixels a card takes."""
    return 180 + (picture(term.picture, False).layout.height if term.picture else 0)


def _card(word: str, term: Term) -> None:
    with st.container(border=True, gap="xsmall"):
        st.markdown(f"### {show.escape(word)}")
        st.markdown(show.escape(f"{term.text} {term.more}".strip()))
        if term.formula:
            _formula(term.formula)
        if term.table:
            st.markdown(term.table)
        if term.picture:
            st.plotly_chart(
                picture(term.picture, show.is_dark()),
                theme=None,
                width=_width(term.picture),
                key=f"word_{term.picture}",
                alt=f"{word}: {PICTURES[term.picture][1]}",
                config={"displayModeBar": False, "staticPlot": True},
            )
        page, label, query = term.page
        st.page_link(page, label=label, icon=":material/arrow_forward:", query_params=query)


def method_pages() -> None:
    """Show the cards of one question, or those that match a search."""
    groups = [chapter.title for chapter in CHAPTERS]
    group = st.segmented_control(
        "Question", groups, default=groups[0], key="question", bind="query-params", required=True
    )
    asked = st.text_input(
        "Find a method, in all questions",
        key="method",
        bind="query-params",
        type="search",
        live=True,
    )
    wanted = (asked or "").strip().lower()
    found = False
    for chapter in CHAPTERS if wanted else [CHAPTERS[groups.index(group)]]:
        said = [opening(chapter)] if wanted in opening(chapter).lower() else []
        cards = [card for card in chapter.cards if wanted in _everything(card)]
        if said or cards:
            found = True
            st.markdown("\n\n".join([f"## {show.escape(chapter.title)}", *said]))
        for card in cards:
            _method(card)
    if not found:
        st.caption("No method matches. Try a shorter word.")
    st.caption("The same text as docs/methods.md. Names in code are functions of stats_core.")


def _everything(card: Card) -> str:
    return f"{title(card)} {summary(card)} {details(card)}".lower()


def _method(card: Card) -> None:
    st.markdown(f"### {show.escape(title(card))}")
    st.markdown(summary(card))
    if card.formula:
        _formula(card.formula)
    st.markdown(details(card))


def _formula(latex: str) -> None:
    """Draw a formula; the frame without colour keeps accents and limits from being cut off."""
    st.latex(rf"\fcolorbox{{transparent}}{{transparent}}{{$\displaystyle {latex}$}}")


@cache
def picture(name: str, dark: bool) -> go.Figure:
    """Return the picture of a word, drawn by the builders that the pages use."""
    return PICTURES[name][0](screen(dark=dark, width=_width(name)))


def _width(name: str) -> int:
    return SQUARE if name == "roc" else WIDE


_FOLDS = [str(i) for i in range(1, 11)]
_BAYES = pd.Series([0.21, 0.19, 0.24, 0.22, 0.17, 0.20, 0.23, 0.18, 0.21, 0.25], _FOLDS)
_FOREST = pd.Series([0.18, 0.17, 0.19, 0.21, 0.15, 0.18, 0.19, 0.17, 0.19, 0.20], _FOLDS)
_SVM = pd.Series([0.19, 0.16, 0.21, 0.20, 0.16, 0.16, 0.20, 0.18, 0.17, 0.21], _FOLDS)
_FALSE_ALARMS = pd.Series([0.09, 0.12, 0.08, 0.11, 0.13, 0.10, 0.12, 0.09, 0.11, 0.10], _FOLDS)
_RANKS = pd.Series({"a": 1.5, "b": 2.2, "c": 2.7, "d": 3.6})
_ERRORS = pd.DataFrame(
    {"forest": [0.17, 0.26, 0.05], "svm": [0.18, 0.24, 0.07], "bayes": [0.21, 0.30, 0.09]},
    index=["heart", "soil", "wine"],
)
_BY_COST = ("bayes", "tree", "forest", "svm")
_BETTER = (("bayes", "forest"), ("bayes", "svm"), ("tree", "forest"))
_ORDER = sort_by_edges(_BY_COST, _BETTER).order


def _interval(first: str, x: pd.Series, y: pd.Series, style: Style) -> go.Figure:
    outcome = corrected_t(x, y, test_fraction=0.1)
    row = {"estimate": outcome.estimate, "low": outcome.low, "high": outcome.high}
    return difference_interval(
        x - y,
        pd.DataFrame([row], index=["corrected t"]),
        first=first,
        second="forest",
        measure="error",
        higher_is_better=False,
        style=style,
    )


def _pairs(style: Style) -> go.Figure:
    table = pd.DataFrame({"forest": _FOREST, "bayes": _BAYES})
    return paired_folds(table, measure="error", higher_is_better=False, style=style)


def _points() -> dict[str, pd.DataFrame]:
    return {
        "forest": pd.DataFrame({"fpr": _FALSE_ALARMS, "tpr": 1 - _FOREST}),
        "bayes": pd.DataFrame({"fpr": _BAYES / 2 + 0.08, "tpr": 1.05 - _BAYES - _FALSE_ALARMS}),
    }


def _contours(style: Style) -> go.Figure:
    points = _points()
    return contours(points, {name: t.cov().to_numpy() for name, t in points.items()}, style=style)


def _ellipse(style: Style) -> go.Figure:
    points = _points()
    outcome = hotelling_paired(points["forest"], points["bayes"], test_fraction=0.1)
    return difference_ellipse(
        points["forest"] - points["bayes"],
        outcome.region(0.95),
        first="forest",
        second="bayes",
        rejects=outcome.pvalue <= 0.05,
        style=style,
    )


def _roc(style: Style) -> go.Figure:
    x = np.linspace(0, 1, 101)
    curves = {
        name: pd.DataFrame({"x": x, "y": x**power, "low": np.nan, "high": np.nan})
        for name, power in (("forest", 0.15), ("bayes", 0.4))
    }
    return roc({}, curves, kind="roc", style=style, average="", band="none")


def _costs(style: Style) -> go.Figure:
    pc = np.linspace(0, 1, 101)
    trivial = np.minimum(pc, 1 - pc)
    curves = {
        "forest": pd.DataFrame({"pc": pc, "cost": np.minimum(trivial, 0.08 + 0.12 * pc)}),
        "bayes": pd.DataFrame({"pc": pc, "cost": np.minimum(trivial, 0.24 - 0.12 * pc)}),
    }
    return cost_curves(curves, style=style)


# name: builder, and what is drawn, for screen readers
PICTURES = {
    "ranks": (
        lambda style: rank_map(_ERRORS.rank(axis=1), _ERRORS, style=style),
        "ranks of three algorithms on three data sets.",
    ),
    "clique": (
        lambda style: cd_diagram(_RANKS, [("a", "b"), ("b", "c")], style=style),
        "average ranks of a, b, c, d; one bar joins a and b, another b and c.",
    ),
    "critical": (
        lambda style: cd_diagram(
            _RANKS,
            [("a", "b", "c"), ("b", "c", "d")],
            style=style,
            critical_difference=(critical_difference(4, 10, 0.05), "10 data sets"),
        ),
        "average ranks with a ruler as long as the critical difference.",
    ),
    "contour": (_contours, "two clouds of folds with contours of 50 % and 90 %."),
    "costs": (_costs, "two cost curves that cross."),
    "ellipse": (_ellipse, "paired differences; the origin lies outside the ellipse."),
    "folds": (
        lambda style: bricks(
            pd.DataFrame({"forest": _FOREST, "bayes": _BAYES}),
            measure="error",
            higher_is_better=False,
            style=style,
            form="rows",
        ),
        "the errors of two algorithms on ten folds as bricks.",
    ),
    "interval": (
        lambda style: _interval("bayes", _BAYES, _FOREST, style),
        "differences of ten folds; the interval leaves out zero.",
    ),
    "not_separated": (
        lambda style: _interval("svm", _SVM, _FOREST, style),
        "differences of ten folds; the interval holds zero.",
    ),
    "order": (
        lambda style: ordering_graph(_BY_COST, _BETTER, style=style, taken=_ORDER),
        "four algorithms by cost, with arrows to the costlier that are better.",
    ),
    "pairing": (_pairs, "lines that join the two results of each of ten folds."),
    "roc": (_roc, "two ROC curves above the diagonal."),
    "underlines": (
        lambda style: ordering_strip(
            pd.Series({"forest": 0.12, "svm": 0.13, "tree": 0.16, "bayes": 0.21}),
            [("forest", "svm"), ("svm", "tree")],
            style=style,
            higher_is_better=False,
            measure="error",
        ),
        "four names in order, two underlines.",
    ),
}
