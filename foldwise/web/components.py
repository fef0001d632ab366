"""Components shared by all pages: verdict card, figures, tables, downloads, error messages."""

import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cached_property, partial
from mimetypes import MimeTypes
from typing import Any, ClassVar, Literal, NoReturn, TypedDict

import pandas as pd
import plotly.graph_objects as go
import streamlit as st
from pandas.api.types import is_numeric_dtype
from pandas.io.formats.style import Styler
from streamlit.delta_generator import DeltaGenerator

from foldwise.figures import axis_parts, payload, theme
from foldwise.figures.spec import FigureSpec
from foldwise.figures.theme import LEAST_POINTS, PX_PER_INCH, Style
from foldwise.rendering import figure_files, from_plotly
from foldwise.rendering.figure_files import ENDINGS, StylePanel
from foldwise.rendering.from_plotly import Format
from foldwise.web import browser, clicks, session
from foldwise.web.texts import page_text
from stats_core.comparison.decide import DECIDED, LIMITED, NO_PAIR, NOT_SEPARATED
from stats_core.comparison.result import Comparison
from stats_core.core.errors import DataError, FoldwiseError, NeedsMapping
from stats_core.core.formatting import capitalize_first, format_count
from stats_core.core.messages import Message
from stats_core.core.result_types import cached
from stats_core.data.missing import ABOUT_HOLES
from stats_core.report import html_report, latex_table, robustness_text, text_report
from stats_core.report.advice import Advice
from stats_core.report.order_text import BY_COST, BY_COST_ALONE, BY_PRIOR
from stats_core.report.tables import table_registry
from stats_core.report.tables.table import ResultTable
from stats_core.report.verdict import Verdict
from stats_core.robustness import algorithm_standing

COPY = "Copy sentence"  # label of the button
CELLS_SHOWN = 4_000  # cells per page, about 200 kB
NAME_WIDTH = 200  # px, largest width of a column of names
MOST_COPIED = 200  # rows of a table to copy; the download has all
LONG_WORDS = 60  # characters of a cell that is truncated
SHORT_WORDS = 20  # characters of a cell that is never truncated
_NUMBER = r"[<~]?[\u2212+-]?\d[\d.,]*(?:e[\u2212+-]?\d+)?(?: ?%)?"
# a number, optionally with a share; an interval; two degrees of freedom; or W/T/L
_NUMERIC = re.compile(
    rf"{_NUMBER}(?:(?:, |/){_NUMBER})*(?: \({_NUMBER}\))?|[\[(].+, .+[\])]|\u2212?\u221e|[<>] 0"
)
_EMPTY = ("", "n/a", "nan", "None")
# The option applies to the whole process: changing it per table would affect other sessions.
pd.set_option("styler.render.max_elements", 2**31)


@dataclass(frozen=True, kw_only=True, eq=False)
class Page:
    """One page of a long table, with column configurations.

    Attributes
    ----------
    table : ResultTable
        The rows of the page, with all columns filled.
    columns : dict
        Column -> its configuration in Streamlit.
    """

    table: ResultTable
    columns: dict[str, Any]

    @cached_property
    def styled(self) -> Styler:
        """Table with formatted cells, for Streamlit."""
        return displayed_table(self.table)


def page_count(table: ResultTable) -> int:
    """Return the number of pages of a table."""
    return len(_parts(table))


@cached
def page_of(table: ResultTable, number: int) -> Page:
    """Return page `number` of a table, counted from 1; cached with the table."""
    row_ranges = _parts(table)
    return _page(table.part(row_ranges[number - 1]) if len(row_ranges) > 1 else table)


@cached
def _parts(table: ResultTable) -> list[range]:
    return table.parts(CELLS_SHOWN)


def _page(part: ResultTable) -> Page:
    """Return a page with column widths set and numbers right-aligned.

    Streamlit would size sparse text columns by their blanks.
    """
    table = part.filled()
    frame = table.headed(table.frame)
    columns = {}
    for name in filter(None, frame.index.names):
        width = min(NAME_WIDTH, _name_width(name, frame.index.get_level_values(name)))
        columns[name] = st.column_config.TextColumn(width=width, pinned=True)
    for name in frame:
        words = frame[name].dropna()
        is_sparse = (
            len(words) < len(frame) and len(words) and all(isinstance(word, str) for word in words)
        )
        if is_sparse and max(map(len, words)) <= SHORT_WORDS:
            columns[name] = st.column_config.TextColumn(width=_name_width(str(name), words))
        elif (
            frame[name].dtype == "str" and words.str.len().max() > LONG_WORDS
        ):  # a click on a cell opens all of it
            columns[name] = st.column_config.TextColumn(width="large")
    right = st.column_config.TextColumn(alignment="right")
    return Page(table=table, columns=columns | dict.fromkeys(numeric_texts(frame), right))


def _name_width(header: str, labels: pd.Index | pd.Series) -> int:
    """Return the width in px that fits the header and the longest label."""
    return 30 + 8 * max(len(str(label)) for label in (header, *labels))


class _Written(pd.DataFrame):
    """Table whose cells are displayed as the texts in the table `texts`."""

    _metadata: ClassVar[list[str]] = ["texts"]

    def astype(self, dtype: Any, *arguments: Any, **options: Any) -> pd.DataFrame:
        """Return the texts for the type str, by which Streamlit asks for displayed values; otherwise as pandas does."""
        return self.texts if dtype is str else super().astype(dtype, *arguments, **options)


def displayed_table(table: ResultTable) -> Styler:
    """Return a pandas Styler of a table, with formatted cells and the best values bold.

    The numbers stay numbers, so columns can be sorted. Pandas and Streamlit prepare style and text
    of every cell by itself, which takes seconds for ten thousand rows; here texts are prepared by
    column, and only bold styles.
    """
    frame, texts = table.headed(table.frame), table.headed(table.texts)
    if listens(table):
        frame, texts = frame.reset_index(), texts.reset_index()
    positions = {name: position for position, name in enumerate(frame)}
    marked = [
        f"row{i}_col{positions[name]}"
        for i, label in enumerate(table.frame.index)
        for name in table.best.get(label, ((), ()))[0]
        if name in positions
    ]
    bold = [{"props": [("font-weight", "bold")], "selectors": marked}] if marked else []
    written = _Written(frame)
    written.texts = texts.astype(str)
    styler = written.style
    styler._compute = lambda: styler
    styler._translate = lambda *_: {"cellstyle": bold}
    return styler


def listens(table: ResultTable) -> bool:
    """Return whether clicks on the rows of a table select; its names are then cells, since an index has no clicks."""
    return len(table.frame) > 0 and clicks.selection_of_row(table, 0) is not None


def numeric_texts(frame: pd.DataFrame) -> list[str]:
    """Return the columns that hold formatted numbers as text, to be right-aligned.

    Examples
    --------
    >>> numeric_texts(pd.DataFrame({"p": ["<0.001", ""], "df": ["1, 9", "4"], "of": ["a", "2"]}))
    ['p', 'df']
    """
    columns = []
    for name in frame.columns[[not is_numeric_dtype(kind) for kind in frame.dtypes]]:
        texts = [text for text in map(str, frame[name].unique()) if text not in _EMPTY]
        if texts and all(_NUMERIC.fullmatch(text) for text in texts):
            columns.append(name)
    return columns


WIDTHS = {"One column 3.25 in": 3.25, "Two columns 6.75 in": 6.75, "other": None}
FORMATS: tuple[Format, ...] = ("pdf", "svg", "png", "tikz")
_SHARP = 2 * PX_PER_INCH  # dots per inch of the preview, for screens of high resolution


def _save_panel(drawing: FigureSpec, seen: Style, *, selected: bool = False) -> None:
    """Draw a print preview of a figure, with download buttons."""
    name = drawing.name
    panel = _panel(drawing, selected)
    drawing = _formed(drawing, seen, panel)
    figure = _part(drawing, seen, panel)
    st.image(
        from_plotly.export(figure, "png", _SHARP),
        width=round(panel.width_in * PX_PER_INCH),
        caption=page_text("components.preview", width=panel.width_in),
        alt=drawing.alt,
        output_format="PNG",
    )
    with st.container(horizontal=True):
        for kind in FORMATS:
            file_name = f"foldwise_{name}_{panel.width_in:g}in.{ENDINGS.get(kind, kind)}"
            label = "TikZ" if kind == "tikz" else kind.upper()
            download(
                label,
                partial(from_plotly.export, figure, kind, 300),
                file_name,
                f"save_{name}_{kind}",
            )
        numbers = lambda: text_report.table_to_csv(drawing.numbers())  # noqa: E731
        download("Data (CSV)", numbers, f"foldwise_{name}.csv", f"save_{name}_csv")


def save_popover(label: str, drawing: FigureSpec, key: str) -> None:
    """Draw a button that opens the print preview of a figure."""
    style = theme.screen(dark=is_dark(), width=browser.figure_width(980))
    in_popover(
        label,
        f"saving_{key}",
        partial(_save_panel, replace(_in_colours(drawing), name=f"{drawing.name}_{key}"), style),
        icon=":material/download:",
    )


def _panel(drawing: FigureSpec, selected: bool) -> StylePanel:
    """Draw the widgets of print options; return the options."""
    name, preset = drawing.name, next(iter(WIDTHS))
    choice = st.segmented_control(
        "Width", list(WIDTHS), default=preset, key=f"width_{name}", required=True
    )
    inches = WIDTHS[choice or preset]
    if inches is None:
        inches = st.number_input("Width (in)", 2.0, 20.0, 5.0, 0.25, key=f"inches_{name}")
    tested = drawing.tested and st.checkbox(
        page_text("components.print_test", test=drawing.tested), key=f"tested_{name}"
    )
    keeps = selected and st.checkbox("Keep the selection", key=f"keeps_{name}")
    return StylePanel(width_in=inches, tested=bool(tested), keeps=keeps)


def _formed(drawing: FigureSpec, seen: Style, panel: StylePanel) -> FigureSpec:
    """Draw a selector for the figure's form, if it has several; return the figure in that form."""
    on_screen, fits = drawing.form_in(seen), drawing.form_in(panel.style)
    if not fits:
        return drawing
    form = st.segmented_control(
        "Form", ["diagram", "list"], default=fits, key=f"form_{drawing.name}_{fits}", required=True
    )
    if fits != on_screen:
        st.caption(
            page_text("components.form", form=on_screen, width=panel.width_in, points=LEAST_POINTS)
        )
    return drawing.with_form(form or fits)


def _part(drawing: FigureSpec, seen: Style, panel: StylePanel) -> go.Figure:
    """Draw inputs for the axis ranges of a printed crop; return the printed figure, cropped if requested."""
    full_figure, name = figure_files.draw_for_print(drawing, panel), drawing.name
    free = axis_parts.free_axes(drawing.figure(seen))
    if not free or not st.checkbox("Crop the axes", key=f"part_{name}"):
        return full_figure
    ranges = {}
    for axis in free:
        low, high = (float(end) for end in sorted(full_figure.layout[axis].range))
        with row():
            low = st.number_input(
                f"{axis[0]} from", value=low, format="%g", key=f"low_{name}_{axis}"
            )
            high = st.number_input("to", value=high, format="%g", key=f"high_{name}_{axis}")
        ranges[axis] = low, high
    try:
        return axis_parts.crop_axes(full_figure, ranges)
    except FoldwiseError as error:
        st.warning(str(error))
        return full_figure


_UNDECIDED = (NOT_SEPARATED, NO_PAIR, BY_COST_ALONE, BY_COST, BY_PRIOR)
BADGES = {DECIDED: "blue", **dict.fromkeys(_UNDECIDED, "gray"), LIMITED: "orange"}
NUMBERS = "Explanation and numbers"  # label of the expander below a figure
SHOWN_PROBLEMS = 20
# patterns that browsers turn into links, even after backslashes
_ADDRESS = re.compile(r"(?i)(?<=http)(?=s?://)|(?<=www)(?=\.)|(?=@)")


# p-values, statistics and intervals, which must not break over lines
_PHRASE = re.compile(
    r"(\b(adjusted )?[pn]|[\u03b1\u03b8\u03c1\u03c4])( [=<>\u2264\u2265] )[\d.]+|\w\([\d, ]+\) = |\d% CI [\[(].*?[\])]"
)


def escape(text: str) -> str:
    r"""Return text escaped for Markdown, without automatic links, with p-values and intervals on one line.

    Examples
    --------
    >>> escape("a_b*c"), escape("&lt;")
    ('a\\_b\\*c', '\\&lt;')
    >>> escape("www.x.org")
    'www\u2060\\.x\\.org'
    """
    text = _ADDRESS.sub("\N{WORD JOINER}", str(text))
    text = _PHRASE.sub(lambda match: match[0].replace(" ", "\N{NO-BREAK SPACE}"), text)
    return re.sub(r"([\\`*_{}\[\]()#+.!|<>~$:^=&-])", r"\\\1", text)


def heading(text: str, level: int) -> str:
    r"""Return Markdown of a heading; page.css keeps a word with hyphens or slashes, such as a name, on one line.

    Examples
    --------
    >>> heading("1-NN beats C4.5", 1)
    '# :gray[1\\-NN] beats C4\\.5'
    """
    return "#" * level + " " + re.sub(r"\S*\S(\\-|/)\w\S*", r":gray[\g<0>]", escape(text))


def paragraph(text: Any, *, bold: bool = False) -> None:
    """Draw plain text, escaped."""
    st.markdown(f"**{escape(text)}**" if bold else escape(text))


def caption(*texts: Any) -> None:
    """Draw plain texts in small print, escaped."""
    for text in texts:
        st.caption(escape(text))


def warn(text: Any) -> None:
    """Draw a warning with plain text, escaped."""
    st.warning(escape(text), icon=":material/warning:")


def alert(text: Any) -> None:
    """Draw an error message with plain text, escaped."""
    st.error(escape(text), icon=":material/warning:")


def row() -> DeltaGenerator:
    """Return a container whose widgets are arranged in a row."""
    return st.container(horizontal=True, vertical_alignment="bottom")


def options(label: str = "Options", key: str | None = None) -> DeltaGenerator:
    """Return a popover for settings that are seldom changed; the key "options_of_tab" puts it next to the tabs."""
    return st.popover(label, type="tertiary", icon=":material/tune:", key=key)


def link(page: str, label: str, **parameters: str) -> None:
    """Draw a link to a page, with query parameters."""
    st.page_link(
        f"pages/{page}.py",
        label=label,
        icon=":material/arrow_forward:",
        query_params=parameters or None,
    )


@contextmanager
def refusing(must: str = "", prefix: str = "") -> Iterator[None]:
    """Draw a FoldwiseError raised in the block instead of raising it: as a box below `must`, or as small print."""
    try:
        yield
    except FoldwiseError as error:
        if must:
            show_refusal(must, error)
        else:
            caption(f"{prefix}{without_code(error)}")


def without_code(error: object) -> str:
    """Return the text of an error with labels of the app instead of names of arguments.

    Examples
    --------
    >>> without_code("`region` must be positive.")
    'The equivalence margin must be positive.'
    """
    labels = page_text.texts["arguments"]

    def label(match: re.Match[str]) -> str:
        name = match[1]
        return page_text(f"arguments.{name}") if name in labels else name.replace("_", " ")

    text = re.sub(r"`(\w+)`", label, str(error))
    return text if text[:1] == str(error)[:1] else capitalize_first(text)


def is_dark() -> bool:
    """Return whether the user's theme is dark."""
    return st.context.theme.type == "dark"


def side_by_side(*widths: int) -> list[DeltaGenerator]:
    """Return columns of given relative widths, stacked in narrow windows."""
    with st.container(key="side_by_side"):
        return st.columns(widths, gap="medium")


def palette(all_algorithms: Sequence[str], highlight: tuple[str, ...]) -> dict[str, str]:
    """Return the colour of each algorithm, by its family or position."""
    families = {n: f for n, f in session.families().items() if n in set(all_algorithms)}
    return theme.colours(list(all_algorithms), highlight, dark=is_dark(), families=families or None)


def _in_colours(drawing: FigureSpec) -> FigureSpec:
    """Return a figure in the colours of the list of algorithms; unchanged without results."""
    context = session.context()
    if not isinstance(context, session.Context):
        return drawing
    return drawing.in_colours(palette(context.results.algorithms, context.highlight))


def sample_banner() -> None:
    """Draw a note if a sample is open, with a button to return to the user's results."""
    file = st.session_state.get(session.SAMPLE)
    if not file:
        return
    with st.container(horizontal=True, vertical_alignment="center", horizontal_alignment="right"):
        st.caption(f"Example data: {escape(session.sample_title(file))}", width="content")
        if st.session_state.get(session.UPLOADS):
            st.button(
                page_text("components.back"), type="tertiary", on_click=session.back_to_uploads
            )
        else:
            label, icon = "Use my results", ":material/arrow_forward:"
            st.button(label, type="tertiary", icon=icon, on_click=session.open_sample, args=("",))


def question(error: NeedsMapping) -> None:
    """Draw the text of a question about a file, or the problems of a file without results."""
    if error.about == "nothing":
        show_problems(error)
        return
    st.markdown("  \n".join(escape(f"{item.found}.") for item in error.problems))


def show_problems(error: Exception) -> None:
    """Draw the first `SHOWN_PROBLEMS` problems of a file as a list; if there are more, all can be copied.

    The messages of a question that the user can answer are all drawn as text, without their advice.
    """
    items = error.problems if isinstance(error, DataError) else (error,)
    if isinstance(error, NeedsMapping) and error.about != "nothing":
        # not an error: the controls below replace the advice of each message
        sentences = [str(item).removesuffix(f" {item.do}.") for item in items]
        st.markdown("  \n".join(map(escape, sentences)))
        return
    lines = [f"- {escape(without_code(item))}" for item in items[:SHOWN_PROBLEMS]]
    st.error("\n".join(lines), icon=":material/warning:")
    if len(items) > SHOWN_PROBLEMS:
        with st.popover(f"Copy all {len(items)}", type="tertiary"):
            st.code("\n".join(str(item) for item in items), language=None)


def name_missing(*needs: str) -> None:
    """Draw one line, linked to the help on files, on what the open file does not support; nothing if there is none."""
    if needs:
        link("help", f"{'. '.join(map(escape, needs))}: which file?", htab="Example files")


def page_context(need: str = "") -> session.Context:
    """Return the context of this run; end the page if no results are open.

    With `need`, end it also if only published summaries are open.
    """
    context = session.context()
    if not isinstance(context, session.Context):
        end_page(
            page_text("components.no_results"),
            page_text("components.no_file", unread=bool(context.error)),
        )
    if need and context.results.published is not None:
        end_page(need, context.results.published.lacks, sample="")
    return context


def end_page(must: str, arrived: str | FoldwiseError, sample: str | None = None) -> NoReturn:
    """Draw why the page does not apply, with a button to open `sample`, by default the first one, and stop the run."""
    linked = isinstance(session.context(), session.Context)
    show_refusal(must, arrived, session.first_sample() if sample is None else sample, linked=linked)
    st.stop()


def show_refusal(
    must: str, arrived: str | FoldwiseError, sample: str = "", *, linked: bool = False
) -> None:
    """Draw why a page does not apply: the requirement, the problem and the remedy, with a button to open `sample`.

    With `linked`, the remedy includes the page Results.
    """
    with st.container(border=True):
        st.markdown(f"**{escape(must)}**")
        st.text(without_code(arrived))
        with st.container(horizontal=True, vertical_alignment="center"):
            if linked:
                st.page_link("pages/results.py", label="Results")
            st.page_link("pages/data.py", label="Open other results")
            st.page_link(
                "pages/help.py", label="Example files", query_params={"htab": "Example files"}
            )
            if sample:
                st.button(
                    "Open an example", on_click=session.open_sample, args=(sample,), type="tertiary"
                )


def verdict_card(
    verdict: Verdict,
    advice: Advice | None,
    change: Callable[[], None] | None = None,
    copied: str = "",
    *,
    brief: bool = False,
    key: str = "verdict",
) -> None:
    """Draw the verdict card: headline, effect and first caution, with details in a popover.

    If `brief` is True, the card has the headline only, and the rest in a popover. Notes on missing
    results are always visible. `change` draws the content of a popover with other settings. The
    button copies `copied`, by default headline, effect and tests. A second card of a page needs
    another `key`.
    """
    with st.container(border=True, key=key, gap="xsmall"):
        badge = f":{BADGES[verdict.badge]}-badge[{verdict.badge}]"
        why = page_text("components.limited") if verdict.badge == LIMITED else None
        lines = [f"{badge} **{escape(verdict.headline)}**", "" if brief else escape(verdict.size)]
        st.markdown("  \n".join(filter(None, lines)), width=920, help=why)
        visible, folded = _visible_and_folded(verdict, brief=brief)
        for line in visible:
            st.caption(escape(str(line)), width=920)
        with st.container(horizontal=True, vertical_alignment="center"):
            if advice is not None:
                with st.popover("Why this test", type="tertiary"):
                    show_advice(advice)
            if folded:
                with st.popover("Details", type="tertiary"):
                    caption(*folded)
            if change is not None:
                in_popover(
                    "Other settings", "change" if key == "verdict" else f"change_{key}", change
                )
            sentence = copied or f"{verdict.headline} {verdict.detail}".strip()
            browser.copy_button(
                COPY, sentence, "copy_sentence" if key == "verdict" else f"copy_{key}", frame=False
            )


def _visible_and_folded(
    verdict: Verdict, *, brief: bool
) -> tuple[list[Message | str], list[Message | str]]:
    """Return the lines of a verdict below its headline and effect, and those of its popover."""
    tests = f"{verdict.numbers} {verdict.advice}".strip()
    of_missing: list[Message | str] = []
    notes: list[Message | str] = []
    for note in verdict.notes:
        is_of_missing = isinstance(note, Message) and note.code in ABOUT_HOLES
        (of_missing if is_of_missing else notes).append(note)
    visible: list[Message | str] = []
    if brief:
        folded = [verdict.size, tests, *notes]
    else:
        visible = [first_sentence(note) for note in notes[:1]]
        if not verdict.size:
            visible = [tests, *visible]
        folded = [line for line in (tests, *notes) if str(line) not in visible]
    return [line for line in (*visible, *of_missing) if line], [line for line in folded if line]


def first_sentence(note: Message | str) -> str:
    """Return the first sentence of a note.

    Examples
    --------
    >>> first_sentence("Only a vs. B differs. The test is liberal."), first_sentence("One.")
    ('Only a vs. B differs.', 'One.')
    """
    return re.split(r"(?<!vs\.)(?<=\.) (?=[A-Z])", str(note), maxsplit=1)[0]


def show_advice(advice: Advice) -> None:
    """Draw the explanation of a recommended test."""
    st.markdown(f"**Question.** {escape(advice.question)}")
    st.markdown(f"**Recommended test.** {escape(advice.test)}")
    _bullets("Reasons", advice.because)
    _bullets("Assumptions", advice.assumes)
    _bullets("Alternatives", [f"{name}: {text}" for name, text in advice.alternatives])
    _bullets("Not applicable", [f"{name}: {text}" for name, text in advice.not_allowed])
    st.caption(escape(advice.reference))


def _bullets(heading: str, lines: Sequence[str]) -> None:
    if lines:
        items = "\n".join(f"- {escape(line)}" for line in lines)
        st.markdown(f"**{heading}.**\n{items}")


def in_expander(label: str, key: str, draw: Callable[[], None], *, expanded: bool = False) -> None:
    """Draw an expander whose content is computed only when it is open."""
    _draw_if_open(st.expander(escape(label), expanded, key=key, on_change="rerun"), draw)


def in_popover(label: str, key: str, draw: Callable[[], None], icon: str | None = None) -> None:
    """Draw a popover whose content is computed only when it is open."""
    _draw_if_open(st.popover(label, type="tertiary", icon=icon, key=key, on_change="rerun"), draw)


def _draw_if_open(box: Any, draw: Callable[[], None]) -> None:
    if box.open:
        with box:
            draw()


def download(label: str, data: Any, file_name: str, key: str, **options: Any) -> bool:
    """Draw a download button, with the media type of the file name; return whether it was clicked."""
    mime = MimeTypes().guess_type(file_name)[0] or "application/zip"
    return st.download_button(
        label, data, file_name, mime=mime, key=key, **{"on_click": "ignore", **options}
    )


class _ChartOptions(TypedDict):
    theme: None
    width: Literal["stretch"]
    key: str
    alt: str
    config: dict[str, Any]


class _TableOptions(TypedDict):
    column_config: dict[str, Any]
    height: int | Literal["auto"]
    key: str
    alt: str
    placeholder: str


def show_figure(drawing: FigureSpec | None, *, on: str = "", width: int = 980) -> None:
    """Draw a figure with title, explanation, download button and data; nothing for None. `on` is its data set."""
    if drawing is None:
        return
    drawing = _in_colours(drawing).with_selected(session.highlighted())
    name = drawing.name
    style = theme.screen(dark=is_dark(), width=browser.figure_width(width))
    shown = drawing.on_page()
    figure = shown.figure(style)
    listens = clicks.answers_clicks(figure)
    about = {"table": drawing.has_data(), "label": NUMBERS, "listens": listens}
    alt_of_figure, below = _texts_of(drawing, shown, style)
    alt = page_text(
        "components.alt", alt=alt_of_figure, selected=_selected() if listens else "", **about
    )
    with _header(drawing.title):
        save = partial(_save_panel, drawing, style, selected=listens and bool(session.selection()))
        in_popover("Save", f"saving_{name}", save, icon=":material/download:")
    sent = payload.compact_figure(figure)
    options: _ChartOptions = {
        "theme": None,
        "width": "stretch",
        "key": f"figure_{name}",
        "alt": alt,
        # not an option of Plotly; a changed config makes it discard handled clicks
        "config": {**_bar(figure), "clicks": clicks.click_count()},
    }
    event = None
    if listens:
        outlined = clicks.outline_selection(sent, style.accent)
        event = st.plotly_chart(outlined, on_select="rerun", selection_mode="points", **options)
    else:
        st.plotly_chart(sent, **options)

    def draw_numbers() -> None:
        if listens:
            clicks.select_by_name(figure, f"mark_{name}", on)
        plain = isinstance(drawing.data.index, pd.RangeIndex)  # row numbers are hidden
        st.dataframe(drawing.data, hide_index=plain or None)

    box = st.expander(
        NUMBERS, key=f"numbers_{name}", on_change="rerun"
    )  # below, so that it never covers the figure
    with box:
        st.markdown(shown.how_to_read)
        caption(*filter(None, [below]))
    _draw_if_open(box, draw_numbers)
    if event is not None:
        clicks.apply_click(clicks.picked_selection(figure, event.selection.points), on)


@cached
def _texts_of(drawing: FigureSpec, shown: FigureSpec, style: Style) -> tuple[str, str]:
    """Return the alternative text of a figure and the caption of its form on the page."""
    return drawing.alt, shown.caption(style)


def _bar(figure: go.Figure) -> dict:
    """Return the Plotly configuration of the mode bar."""
    if not axis_parts.can_zoom(figure):
        return {"displaylogo": False, "displayModeBar": False}
    buttons = [["zoomIn2d", "zoomOut2d", "resetScale2d"]]
    return {"displaylogo": False, "doubleClick": "reset", "modeBarButtons": buttons}


def _header(title: str) -> DeltaGenerator:
    """Draw a title row and return its container, to which buttons can be added."""
    row = st.container(
        horizontal=True, vertical_alignment="center", horizontal_alignment="distribute", wrap=False
    )
    row.markdown(heading(title, 2), width="stretch")
    return row


def show_table(table: ResultTable, on: str = "") -> None:
    """Draw a sortable table with a "Copy" button.

    A click on a row of a pair, a data set or an algorithm selects it, and a button opens its page.
    `on` is the data set that the table is about.
    """
    clickable = listens(table)
    with _header(table.title):
        if table.caption:
            with st.popover("Notes", type="tertiary"):
                caption(table.caption)
        copy = partial(_copy_panel, table)
        in_popover("Copy", f"copy_{table.name}", copy, icon=":material/content_copy:")
    count, requested = page_count(table), 1
    if count > 1:
        requested = st.pagination(count, key=f"page_{table.name}") or 1
    number = min(requested, count)
    rows_phrase = table.rows_phrase(_parts(table)[number - 1])
    page = page_of(table, number)
    table = page.table
    options: _TableOptions = {
        "column_config": page.columns,
        "height": 520 if len(table.frame) > 15 else "auto",
        "key": f"table_{table.name}",
        "alt": f"{table.title}. {table.caption}",
        "placeholder": "",
    }
    event = None
    if clickable:
        event = st.dataframe(
            page.styled, hide_index=True, on_select="rerun", selection_mode="single-cell", **options
        )
    else:
        st.dataframe(page.styled, **options)
    if count > 1:
        st.caption(escape(rows_phrase))
    if event is not None and clicks.take_cell(table, event.selection.cells, on):
        _page_button(f"open_{table.name}")


def _copy_panel(table: ResultTable) -> None:
    """Draw a table, or the first rows of a long one, as CSV, LaTeX and HTML source to copy."""
    as_csv, as_latex, as_html = st.tabs(["CSV", "LaTeX", "HTML"])
    filled = table.shortened(MOST_COPIED).filled()
    as_html.code(html_report.table_to_html(filled), language="html", height=300)
    as_csv.code(text_report.table_to_csv(filled.data), language=None, height=300)
    as_latex.code(latex_table.table_to_latex(filled), language="latex", height=300)
    as_latex.caption(page_text("components.booktabs"))
    if table.late is None:
        download_rest(table, lambda: text_report.table_to_csv(table.data))
    elif is_cut(table):
        label = page_text("components.all_rows", n=len(table.frame))
        link("export", label, etab="Report", report_files="true")


def is_cut(table: ResultTable) -> bool:
    """Return whether only some rows of a table can be copied."""
    return len(table.frame) - table.summary > MOST_COPIED


def download_rest(table: ResultTable, content: Callable[[], Any]) -> None:
    """Draw the download of all rows of a table as CSV if only some can be copied."""
    if is_cut(table):
        label = page_text("components.all_rows", n=len(table.frame))
        download(f"{label} (CSV)", content, f"foldwise_{table.name}.csv", f"rows_{table.name}")


def show_tables(comparison: Comparison, *names: str) -> None:
    """Draw tables of a comparison by name."""
    for table in table_registry.tables_of(comparison, *names):
        show_table(table)


def show_selected_group(comparison: Comparison) -> None:
    """Draw the pairwise tests within the selected group, if any, and the level at which it splits."""
    selection = session.selection()
    if selection.get("kind") == "group":
        evidence = algorithm_standing.inside_group(comparison, selection["ids"])
        if evidence is not None:
            st.markdown(escape(robustness_text.describe_group(evidence)))


def show_pairs(comparison: Comparison, *, name: str = "pairs", title: str = "") -> None:
    """Draw the table of all pairs, or of the pairs that concern the selection."""
    for table in table_registry.tables_of(
        comparison, "pairs", late=True
    ):  # computes intervals of these rows
        n_pairs = len(table.frame)
        if names := session.highlighted():
            inside = table.frame[list(table.heads)].isin(names)
            mask = inside.all(axis=1) if len(names) > 1 else inside.any(axis=1)
            if mask.any():
                table = table.only(mask)
                table = replace(table, title=format_count(len(table.frame), "pair"))
        if (name, title or table.title) != (table.name, table.title):
            table = replace(table, name=name, title=title or table.title)
        show_table(table, on=getattr(comparison, "dataset", ""))
        if len(table.frame) < n_pairs:
            with st.container(horizontal=True, vertical_alignment="center"):
                st.button(
                    "Show all pairs",
                    type="tertiary",
                    on_click=session.clear_selection,
                    key=f"all_{name}",
                )
                _page_button(f"pair_of_{name}")


def selection_chip() -> None:
    """Draw the current selection at the lower end of the window, with buttons to clear it and to open its page."""
    if not session.linked_selection():
        return
    with st.container(horizontal=True, vertical_alignment="center", key="selection"):
        st.button(
            escape(_selected().rstrip(".")),
            icon=":material/close:",
            type="tertiary",
            on_click=session.clear_selection,
            key="chip",
        )
        _page_button("chip_open")


def _page_button(key: str) -> None:
    """Draw a button that opens the page on the selection, which must not be empty, if there is such a page."""
    selection = session.selection()
    target = clicks.page_about(selection["kind"], selection["ids"], selection.get("on", ""))
    if target is not None:
        page, words, parameters = target
        if st.button(escape(words), icon=":material/arrow_forward:", type="tertiary", key=key):
            session.clear_selection()
            clicks.go_to(page, parameters)


def _selected() -> str:
    """Return a phrase that names the selection, "" if there is none."""
    selection = session.selection()
    if not selection:
        return ""
    what = clicks.describe_selection(selection["kind"], tuple(selection["ids"][:6]))
    return page_text("components.selected", what=what, more=max(0, len(selection["ids"]) - 6))
