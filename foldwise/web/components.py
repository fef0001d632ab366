"""Components shared by all pages: verdict card, figures with a header, tables, error messages."""

import re
from collections.abc import Callable, Sequence
from pathlib import Path

import pandas as pd
import plotly.graph_objects as go
import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from foldwise.figures import axis_parts, payload
from foldwise.figures.spec import FigureSpec, SliderLevels
from foldwise.figures.theme import screen
from foldwise.web import clicks, figure_download, session
from foldwise.web.displayed_table import displayed_table, page_count, page_of
from stats_core.comparison.advice import Advice
from stats_core.comparison.decide import DECIDED, LIMITED, NO_PAIR, NOT_SEPARATED
from stats_core.core.errors import DataError, FoldwiseError, MissingCells, NeedsMapping
from stats_core.core.formatting import format_count
from stats_core.core.messages import Message
from stats_core.data.missing import ABOUT_HOLES
from stats_core.report.order_text import BY_COST, BY_COST_ALONE, BY_PRIOR
from stats_core.report.tables.table import ResultTable
from stats_core.report.text_report import table_to_csv, table_to_latex
from stats_core.report.verdict import Verdict

BADGES = {
    DECIDED: "blue",
    NOT_SEPARATED: "gray",
    NO_PAIR: "gray",
    BY_COST_ALONE: "gray",
    BY_COST: "gray",
    BY_PRIOR: "gray",
    LIMITED: "orange",
}
FIGURES_SCRIPT = Path(__file__).with_name("figures.js").read_text(encoding="utf-8")
NUMBERS = "Numbers"
ITS_NUMBERS = "The table is below the figure, under {label}."
SELECTION = "Numbers and selection"  # label of the expander below a clickable figure
BY_NAME = f"What a click selects can be chosen by name below it, under {SELECTION}."
SHOWN_PROBLEMS = 20
# patterns that browsers turn into links, even after backslashes
_ADDRESS = re.compile(r"(?i)(?<=http)(?=s?://)|(?<=www)(?=\.)|(?=@)")


def escape(text: str) -> str:
    r"""Return text escaped for Markdown; word joiners keep browsers from linking addresses.

    Examples
    --------
    >>> escape("a_b*c")
    'a\\_b\\*c'
    >>> escape("www.x.org")
    'www\u2060\\.x\\.org'
    """
    text = _ADDRESS.sub("\N{WORD JOINER}", str(text))
    return re.sub(r"([\\`*_{}\[\]()#+.!|<>~$:^=-])", r"\\\1", text)


def is_dark() -> bool:
    """Return whether the user's theme is dark."""
    return st.context.theme.type == "dark"


def sample_banner(title: str) -> None:
    """Draw the note that a sample is open, with a link to the user's own results."""
    file = st.session_state.get(session.SAMPLE)
    if not file:
        return
    with st.container(horizontal=True, vertical_alignment="center", horizontal_alignment="right"):
        st.caption(f"You are looking at a sample: {escape(file)}", width="content")
        if st.session_state.get(session.UPLOADS):
            st.button("Back to my data", type="tertiary", on_click=session.back_to_uploads)
        elif title != "Data":
            st.page_link("pages/data.py", label="Use my results", icon=":material/arrow_forward:")


def question(asked: NeedsMapping) -> None:
    """Draw the text of a question about a file; the controls are drawn below it."""
    if asked.about == "nothing":
        show_problems(asked)
        return
    st.markdown("  \n".join(escape(f"{item.found}.") for item in asked.problems))


def show_problems(error: Exception) -> None:
    """Draw the problems of a file as a list, the first ones in full."""
    items = error.problems if isinstance(error, DataError) else (error,)
    if isinstance(error, NeedsMapping) and error.about != "nothing":
        # not an error: the controls below replace the advice of each message
        sentences = [str(item).removesuffix(f" {item.do}.") for item in items]
        st.markdown("  \n".join(map(escape, sentences)))
        return
    lines = [f"- {escape(item)}" for item in items[:SHOWN_PROBLEMS]]
    st.error("\n".join(lines), icon=":material/warning:")
    if len(items) > SHOWN_PROBLEMS:
        with st.popover(f"Copy all {len(items)}", type="tertiary"):
            st.code("\n".join(str(item) for item in items), language=None)


def show_refusal(must: str, arrived: str | FoldwiseError, sample: str = "") -> None:
    """Explain why a page does not apply: the requirement, the problem, and what to do."""
    if isinstance(arrived, MissingCells):
        arrived = f"{arrived.what} On Data, {arrived.do}."
    with st.container(border=True):
        st.markdown(f"**{escape(must)}**")
        st.text(str(arrived))
        with st.container(horizontal=True, vertical_alignment="center"):
            st.page_link("pages/data.py", label="Choose other results")
            st.page_link(
                "pages/help.py",
                label="Which file do I need?",
                query_params={"htab": "Which file do I need"},
            )
            if sample:
                st.button(
                    "See it with a sample",
                    on_click=session.open_sample,
                    args=(sample,),
                    type="tertiary",
                )


def verdict_card(
    verdict: Verdict,
    advice: Advice | None,
    links: dict[str, str],
    change=None,
    copied: Callable[[], tuple[str, str]] | None = None,
    robust: Callable[[], None] | None = None,
) -> None:
    """Draw the verdict: a badge, the headline, the numbers, notes and links."""
    with st.container(border=True, key="verdict", gap="xsmall"):
        badge = f":{BADGES[verdict.badge]}-badge[{verdict.badge}]"
        lines = [f"{badge} **{escape(verdict.headline)}**", escape(verdict.size)]
        st.markdown("  \n".join(line for line in lines if line), width=920)
        if robust is not None:
            robust()
        below = f"{verdict.numbers} {verdict.advice}".strip()
        visible, folded = _in_sight(verdict.notes)
        for line in ([below] if below else []) + visible:
            st.caption(escape(str(line)), width=920)
        with st.container(horizontal=True, vertical_alignment="center"):
            if advice is not None:
                with st.popover("Why this test?", type="tertiary"):
                    show_advice(advice)
            if folded:
                with st.popover(format_count(len(folded), "more remark"), type="tertiary"):
                    for note in folded:
                        st.caption(escape(str(note)))
            if change is not None:
                opened = st.popover(
                    "What would change it?", type="tertiary", on_change="rerun", key="change"
                )
                if opened.open:
                    with opened:
                        change()
            _copy_sentence(verdict, copied)
            for page, label in links.items():
                st.page_link(page, label=label, icon=":material/arrow_forward:")


def _in_sight(notes: Sequence[Message | str]) -> tuple[list, list]:
    """Split notes into those shown, the first and those on missing results, and the others."""
    visible = [
        position == 0 or (isinstance(note, Message) and note.code in ABOUT_HOLES)
        for position, note in enumerate(notes)
    ]
    pairs = list(zip(notes, visible, strict=True))
    return [note for note, is_visible in pairs if is_visible], [
        note for note, is_visible in pairs if not is_visible
    ]


def _copy_sentence(verdict: Verdict, copied: Callable[[], tuple[str, str]] | None) -> None:
    if copied is None:
        with st.popover("Copy sentence", type="tertiary"):
            st.code(verdict.sentences, language=None, wrap_lines=True)
        return
    opened = st.popover("Copy sentence", type="tertiary", on_change="rerun", key="copy_sentence")
    if opened.open:
        sentence, block = copied()
        with opened:
            as_text, as_latex = st.tabs(["Sentence", "LaTeX with methods and references"])
            as_text.code(sentence, language=None, wrap_lines=True)
            as_latex.code(block, language="latex", wrap_lines=True, height=400)


def show_advice(advice: Advice) -> None:
    """Draw the explanation of a recommended test."""
    st.markdown(f"**Question.** {escape(advice.question)}")
    st.markdown(f"**Test.** {escape(advice.test)}")
    _bullets("Because", advice.because)
    _bullets("It assumes", advice.assumes)
    _bullets("Could be used instead", [f"{name}: {text}" for name, text in advice.alternatives])
    _bullets("Not allowed here", [f"{name}: {text}" for name, text in advice.not_allowed])
    st.caption(escape(advice.reference))


def _bullets(heading: str, lines) -> None:
    if lines:
        items = "\n".join(f"- {escape(line)}" for line in lines)
        st.markdown(f"**{heading}.**\n{items}")


def show_figure(drawing: FigureSpec, *, on: str = "", width: int = 980) -> None:
    """Draw a figure with its title, the buttons "How to read" and "Save", and its numbers."""
    name = drawing.name
    style = screen(dark=is_dark(), width=width)
    figure = drawing.figure(style)
    listens = clicks.answers_clicks(figure)
    label = SELECTION if listens else NUMBERS
    alt = f"{drawing.alt} {ITS_NUMBERS.format(label=label)}" if len(drawing.data) else drawing.alt
    if listens:
        selection_chip()
        alt = f"{alt} {_selected()} {BY_NAME}".replace("  ", " ")
    with _header(drawing.title):
        with st.popover("How to read", type="tertiary"):
            st.markdown(drawing.how_to_read)
        save = st.popover(
            "Save",
            type="tertiary",
            icon=":material/download:",
            on_change="rerun",
            key=f"saving_{name}",
        )
    if save.open:
        with save:
            figure_download.figure_download(
                drawing, style, selected=listens and bool(session.selection())
            )
    outlined = clicks.outline_selection(figure, style.accent) if listens else figure
    event = st.plotly_chart(
        payload.compact_figure(outlined),
        theme=None,
        width="stretch",
        key=f"figure_{name}",
        alt=alt,
        # not an option of Plotly; a changed config makes it discard handled clicks
        config={**_bar(figure), "clicks": clicks.click_count()},
        **({"on_select": "rerun", "selection_mode": "points"} if listens else {}),
    )
    if text := drawing.caption(style):
        st.caption(escape(text))
    numbers = st.expander(label, key=f"numbers_{name}", on_change="rerun")
    if numbers.open:
        with numbers:
            if listens:
                clicks.select_by_name(figure, f"mark_{name}", on)
            if drawing.steps is not None:
                _at_steps(drawing.steps, f"step_{name}")
            plain = isinstance(drawing.data.index, pd.RangeIndex)  # row numbers are hidden
            st.dataframe(drawing.data, hide_index=plain or None)
    if listens:
        clicks.apply_click(clicks.picked_selection(figure, event.selection.points), on)


def _at_steps(steps: SliderLevels, key: str) -> None:
    """Draw the text for a step of the slider, as an alternative to dragging it."""
    levels = list(steps.said)
    chosen = st.selectbox(
        f"{steps.of} of the slider",
        levels,
        levels.index(steps.chosen),
        format_func=lambda step: f"{step:g}" + (", chosen" if step == steps.chosen else ""),
        key=key,
        width=320,
    )
    st.markdown(escape(steps.said[chosen]))


def figures_script() -> None:
    """Insert the script that keeps the zoom of figures across reruns."""
    with st.container(key="figures_script"):
        st.html(f"<script>{FIGURES_SCRIPT}</script>", unsafe_allow_javascript=True)


def _bar(figure: go.Figure) -> dict:
    """Return the Plotly configuration of the mode bar: zoom buttons, or none."""
    if not axis_parts.can_zoom(figure):
        return {"displaylogo": False, "displayModeBar": False}
    buttons = [["zoomIn2d", "zoomOut2d", "resetScale2d"]]
    return {"displaylogo": False, "doubleClick": "reset", "modeBarButtons": buttons}


def _header(title: str) -> DeltaGenerator:
    """Return the container of a title row, to which buttons can be added."""
    row = st.container(
        horizontal=True, vertical_alignment="center", horizontal_alignment="distribute", wrap=False
    )
    row.markdown(f"## {escape(title)}", width="stretch")
    return row


def show_table(table: ResultTable, on: str = "") -> None:
    """Draw a table with sortable columns, the best values in bold, and a "Copy" button.

    A click on a row of a pair or a data set selects it and shows a link to its page. `on` is the
    data set that the table is about.
    """
    listens = len(table.frame) > 0 and clicks.selection_of_row(table, 0) is not None
    if listens:
        selection_chip()
    with _header(table.title):
        copy = st.popover(
            "Copy",
            type="tertiary",
            icon=":material/content_copy:",
            on_change="rerun",
            key=f"copy_{table.name}",
        )
    if copy.open:
        with copy:
            as_csv, as_latex = st.tabs(["CSV", "LaTeX"])
            filled = table.filled()
            as_csv.code(table_to_csv(filled.data), language=None, height=300)
            as_latex.code(table_to_latex(filled), language="latex", height=300)
            as_latex.caption("Needs the package booktabs.")
    count, chosen = page_count(table), 1
    if count > 1:
        chosen = st.pagination(count, key=f"page_{table.name}") or 1
    page = page_of(table, min(chosen, count))
    table = page.table
    width = _width_of(table.headed(table.frame))
    with st.container(key=f"{width}_columns_{table.name}", gap="xsmall"):
        event = st.dataframe(
            displayed_table(table),
            column_config=page.columns,
            height=520 if len(table.frame) > 15 else "auto",
            key=f"table_{table.name}",
            alt=f"{table.title}. {table.caption}",
            placeholder="",
            **({"on_select": "rerun", "selection_mode": "single-cell"} if listens else {}),
        )
    if table.caption:
        st.caption(escape(table.caption))
    if listens and clicks.take_cell(table, event.selection.cells, on):
        _way(f"open_{table.name}")


def _width_of(frame: pd.DataFrame) -> str:
    """Return the width class of a table for the CSS: "few", "some" or "many" columns."""
    columns = frame.index.nlevels + len(frame.columns)
    return "many" if columns > 8 else "some" if columns > 5 else "few"


def selection_chip() -> None:
    """Draw the current selection with buttons to clear it and to open its page, once per run."""
    chosen = session.selection()
    if not chosen or st.session_state.get(session.CHIP):
        return
    st.session_state[session.CHIP] = True
    with st.container(horizontal=True, vertical_alignment="center"):
        st.button(
            escape(_selected().rstrip(".")),
            icon=":material/close:",
            type="tertiary",
            on_click=session.clear_selection,
            key="chip",
        )
        _way("chip_open")


def _way(key: str) -> None:
    """Draw a button to the page about the selection, if there is one."""
    chosen = session.selection()
    target = clicks.page_about(chosen["kind"], chosen["ids"], chosen.get("on", ""))
    if target is not None:
        page, words, parameters = target
        if st.button(escape(words), icon=":material/arrow_forward:", type="tertiary", key=key):
            session.clear_selection()
            clicks.go_to(page, parameters)


def _selected() -> str:
    """Return a sentence that names the selection, "" if there is none."""
    chosen = session.selection()
    if not chosen:
        return ""
    others = f" and {len(chosen['ids']) - 6} more" if len(chosen["ids"]) > 6 else ""
    return (
        f"Selected: {clicks.describe_selection(chosen['kind'], tuple(chosen['ids'][:6]))}{others}."
    )
