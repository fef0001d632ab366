"""Opening of files: upload, paste, questions about a file, and how it was read."""

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from typing import Literal

import pandas as pd
import streamlit as st

from foldwise.web import browser, cache, choices, components, session
from foldwise.web.settings_registry import FAMILIES, control, labels
from foldwise.web.texts import page_text
from foldwise.web.views import data_views
from foldwise.workspaces import store
from stats_core.core.errors import (
    DataError,
    FoldwiseError,
    NeedsMapping,
    SettingError,
    error_boundary,
)
from stats_core.io.mapping import UNNAMED, Mapping
from stats_core.io.read import describe_columns, explain
from stats_core.io.table_layout import LayoutMatch
from stats_core.io.vocabulary import ROLES
from stats_core.report.varied_verdicts import AnswerPreview, possible_answers, preview_answer

SMALL = 2_000_000  # bytes; the layout of larger files is not explained at once
MAX_FILES = 12  # largest number of files whose layout is explained
SHOWN_NOTES = 1  # the others are folded
OF_ONE_MEASURE = {"result", "resample"}  # roles whose columns all contain the same measure
GONE = DataError(page_text("upload_views.gone"))


def take_uploads(box: str) -> None:
    """Open uploaded files; if they are unreadable, store the error and change nothing else."""
    available = [file for file in st.session_state[box] if hasattr(file, "getvalue")]
    files = tuple((store.plain_name(file.name), file.getvalue()) for file in available)
    st.session_state[session.REJECTED] = None
    try:
        if len(files) < len(st.session_state[box]):  # Streamlit has discarded the others
            raise GONE
        data_views.check_upload_size(files)
    except DataError as error:
        st.session_state[session.REJECTED] = error
        if error is not GONE:
            data_views.discard_uploads(file.file_id for file in available)
        return
    if files:
        open_files(files)


def open_text(text: str) -> None:
    """Open a pasted table as if it were a file."""
    if text := text.strip("\n"):
        open_files((("pasted.txt", text.encode()),))


def take_pasted_anywhere(text: str) -> None:
    """Open a table pasted outside of a field, and rerun."""
    open_text(text)
    st.rerun()


def open_files(files: tuple[tuple[str, bytes], ...]) -> None:
    """Open files; if they are unreadable, store the error and change nothing else.

    What takes long is read by the page, when its address names the files: a click or a reload
    meanwhile loses nothing.
    """
    cache.ask_again()
    try:
        with error_boundary("Opening these files"):
            _open_checked(files)
    except FoldwiseError as error:
        st.session_state[session.REJECTED] = error


def _open_checked(files: tuple[tuple[str, bytes], ...]) -> None:
    """Open files or the workspace in them; raise FoldwiseError if they are soon refused."""
    packed = data_views.open_packed(files)
    if packed is not None:
        choices.open_packed(packed)
        return
    with suppress(NeedsMapping):  # the mapper is drawn for these files
        cache.begin_reading(session.digest(files), files)
    session.open_uploads(files)
    choices.keep_uploads(files)


def mapper(context: session.RunContext, table: pd.DataFrame, *, key: str) -> None:
    """Draw the editor of column roles, with a button that reads the files with them."""
    st.caption(page_text("upload_views.columns"))
    if ignored := list(table["column"][table["meaning"] == "ignore"]):
        components.caption(page_text("upload_views.ignored", names=ignored))
    edited: pd.DataFrame = st.data_editor(
        table,
        hide_index=True,
        disabled=["column", "reason", "example"],
        key=f"mapper_{key}",
        placeholder="",
        column_config={
            "meaning": st.column_config.SelectboxColumn(
                options=ROLES,
                required=True,
                format_func=lambda role: labels("roles").get(str(role), str(role)),
            ),
            "direction": st.column_config.SelectboxColumn(options=["", "lower", "higher"]),
            "reason": st.column_config.TextColumn("why", width="large"),
        },
    )
    wide = bool(OF_ONE_MEASURE & set(edited["meaning"]))
    mapping_so_far = context_mapping(context)
    measure, direction = "", None
    if wide:
        preset = mapping_so_far.directions.get(mapping_so_far.measure_name)
        read = context.raw.measures if isinstance(context, session.Context) else ()
        named = mapping_so_far.measure_name or (read[0] if len(read) == 1 else UNNAMED)
        with components.row():
            measure = st.text_input("Measure", named, key=f"measure_{key}")
            direction = st.segmented_control(
                "Better values", ["lower", "higher"], default=preset, key=f"way_{key}"
            )
    encoding = st.text_input(
        **control("encoding", value=mapping_so_far.encoding, key=f"encoding_{key}")
    )
    if st.button("Use these columns", type="primary", key=f"apply_{key}"):
        columns = edited.set_index("column")
        ways = columns.loc[columns["meaning"] == "measure", "direction"].fillna("")
        untold = wide and not direction and not Mapping().direction_of(measure)
        undirected = [*ways.index[ways == ""], *([measure] if untold else [])]
        if undirected:
            components.alert(page_text("upload_views.no_direction", names=undirected))
            return
        values = {"holds": "", "n_datasets": 0, "winner": "", "roles": columns["meaning"].to_dict()}
        values["directions"] = {
            **ways.to_dict(),
            **({measure: direction} if wide and direction else {}),
        }
        try:
            mapping = replace(
                mapping_so_far, **values, measure_name=measure, encoding=encoding.strip()
            )
        except SettingError as error:
            components.alert(error)
            return
        _use(context, mapping, unused=list(columns.index[columns["meaning"] == "ignore"]))


def context_mapping(context: session.RunContext) -> Mapping:
    """Return the column mapping of the open files: the guess in question, the known mapping, or an empty one."""
    if isinstance(context.error, NeedsMapping):
        return context.error.guess
    return choices.known_mapping(context.source_key) or Mapping()


def understood(context: session.Context) -> None:
    """Draw how the files were read, with the editor of column roles."""
    results = context.raw
    sources = session.open_files()
    st.markdown(f"## {components.escape(results.source)}")
    if len(sources) == 1 and len(sources[0][1]) < SMALL:
        layout = layout_of(context, 0)
        if layout is not None:
            components.paragraph(layout.sentence)
    components.paragraph(results.summary())
    changed = data_views.other_number(context)
    if changed is not None:
        _use(context, changed)
    notes = [note for note in results.notes if note.code not in data_views.CLUSTER_NOTES]
    components.caption(*notes[:SHOWN_NOTES])
    if len(notes) > SHOWN_NOTES:
        with st.expander("More notes", key="more_notes"):
            components.caption(*notes[SHOWN_NOTES:])
    data_views.suggest_cluster_columns(context)
    with st.container(horizontal=True):
        for position, source in enumerate(sources[:MAX_FILES]):
            why_read_so(context, source, position)
    if len(sources) == 1:

        def draw() -> None:
            columns = columns_of(context, context_mapping(context))
            mapper(context, columns, key=context.source_key[-8:])

        components.in_expander("Columns and directions", "edit", draw)


def columns_of(context: session.RunContext, mapping: Mapping) -> pd.DataFrame:
    """Return a table of the columns of the first file with roles and reasons."""
    sources = session.open_files()
    several = len(sources) > 1
    files = sources[:1]
    return cache.read_uploads(context.source_key, mapping, files, describe_columns, several=several)


def layout_of(context: session.RunContext, index: int) -> LayoutMatch | None:
    """Return the layout inferred for a file, with evidence, None if the user has set the columns; cached."""
    sources = session.open_files()
    key, several = (context.source_key, index), len(sources) > 1
    mapping, files = context_mapping(context), sources[index : index + 1]
    return cache.read_uploads(key, mapping, files, explain, several=several)


def why_read_so(context: session.RunContext, source: tuple[str, bytes], index: int) -> None:
    """Draw a popover with the evidence for the layout inferred for a file."""
    sources = session.open_files()
    label = "Evidence" if len(sources) == 1 else f"Evidence: {components.escape(source[0])}"

    def draw() -> None:
        """Draw the inferred layout, and the evidence for and against it."""
        layout = layout_of(context, index)
        if layout is None:
            st.markdown(page_text("upload_views.by_user"))
            return
        components.paragraph(layout.sentence)
        for evidence in layout.evidence:
            sign = "for" if evidence.weight > 0 else "against"
            st.caption(f"{components.escape(str(evidence.note))} *(evidence {sign})*")

    components.in_popover(label, f"why_{index}", draw)


def classes(context: session.Context) -> None:
    """Draw widgets for the positive class and for the direction of scores; nothing without predicted labels or scores."""
    results = context.raw
    cases = results.predictions
    if cases is None or not {"predicted", "score"} & {*cases}:
        return
    names = list(cases["true"].cat.categories)
    mapping = session.mapping(context.source_key) or Mapping()
    with components.row():
        index = names.index(mapping.positive) + 1 if mapping.positive in names else 0
        positive = st.selectbox(
            **control("positive"),
            options=["", *names],
            index=index,
            format_func=lambda name: name or "inferred",
        )
        direction = mapping.score_direction
        if "score" in cases:
            ways = labels("score_directions")
            direction = st.selectbox(
                **control("score_way"),
                options=list(ways),
                index=list(ways).index(direction),
                format_func=lambda name: ways.get(name, name),
            )
    if (positive, direction) != (mapping.positive, mapping.score_direction):
        _use(context, replace(mapping, positive=positive, score_direction=direction))


def _use(
    context: session.RunContext,
    mapping: Mapping,
    unused: Sequence[str] = (),
    *,
    answered: bool = False,
) -> None:
    """Read the files with a mapping, and use it; if that fails without a new question, draw the error instead.

    The error names the unused columns, since one of them may distinguish rows that look like
    duplicates.
    """
    sources = session.open_files()
    try:
        cache.read_uploads(context.source_key, mapping, sources)
    except FoldwiseError as error:
        about = getattr(error, "about", "")
        if about == "direction" and mapping.measure_name:
            components.alert(page_text("upload_views.no_way", measure=mapping.measure_name))
            return
        if not (
            about in ("direction", "encoding")
            or (isinstance(error, NeedsMapping) and error.classes)
        ):  # else another question follows
            st.markdown(
                page_text("upload_views.with_answer" if answered else "upload_views.with_columns")
            )
            components.show_problems(error)
            if unused:
                components.caption(page_text("upload_views.duplicates", names=unused))
            return
    session.set_mapping(context.source_key, mapping)
    st.rerun()


LABELS = {  # of the buttons of answers, by question and key
    "cases": {"cases": "Yes, same order", "apart": "Not known"},
    "rows": {
        "folds": "Folds",
        "seeds": "Seeds",
        "cases": "Test instances",
        "datasets": "Data sets",
    },
}
MOST_BUTTONS = 8  # of one question


def preview_of(context: session.RunContext, mapping: Mapping) -> AnswerPreview:
    """Return a preview of the open files under a mapping; cached."""
    return cache.read_uploads(context.source_key, mapping, session.open_files(), preview_answer)


def answer(context: session.RunContext, error: NeedsMapping) -> None:
    """Draw the answers to a question about the files and, if columns may differ, the editor of columns."""
    key, guess, preview = context.source_key[-8:], error.guess, partial(preview_of, context)
    if error.about == "direction":
        mapping = data_views.answered(error, key=key, preview=preview)
    elif error.about == "published":
        for description, _ in error.options:
            components.paragraph(description)
        mapping = data_views.published_question(error, key=key, preview=preview)
    elif len(error.classes) > MOST_BUTTONS:
        mapping = ask_for_class(error)
    else:
        mapping = _chosen_answer(context, error, key)
    if mapping is not None:
        _use(context, mapping, answered=True)
    if error.about in ("doubt", "cases", "published", "encoding") or error.classes:
        return
    with st.expander("Columns", expanded=not (guess.roles or guess.holds)):
        mapper(context, columns_of(context, guess), key=key)


def _chosen_answer(context: session.RunContext, error: NeedsMapping, key: str) -> Mapping | None:
    """Draw each answer with its preview; return the mapping of the chosen one, None before a choice."""
    answers, pressed = possible_answers(error), None
    is_single = len(answers) == 1
    for position, (name, description, mapping) in enumerate(answers):
        mapping = data_views.without_guess(mapping)
        preview, part = preview_of(context, mapping), f"{position}_{key}"
        following = preview.question
        if is_single and following is not None and following.about == "direction":
            components.paragraph(description)  # the direction is asked for at once
            return data_views.answered(following, key=part, preview=partial(preview_of, context))
        label = _answer_label(error, name, description, is_single=is_single)
        shown = label if preview.readable else ""  # on a button
        lines = [text for text in (description, preview.text) if text and text != shown]
        with st.container(horizontal=True, vertical_alignment="center", wrap=False):
            named = components.escape(label)
            if label == SELECT:  # the description is for screen readers
                named = f"{label} *{components.escape(description)}*"
            kind: Literal["primary", "secondary"] = "primary" if is_single else "secondary"
            if preview.readable and st.button(named, key=f"answer_{part}", type=kind):
                pressed = mapping
            st.markdown("  \n".join(map(components.escape, lines)), width="stretch")
    return pressed


SELECT = "Select"  # on the button of an answer without a label of its own


def _answer_label(error: NeedsMapping, name: str, description: str, *, is_single: bool) -> str:
    """Return the label of the button of an answer."""
    if label := LABELS.get(error.about, {}).get(name):
        return label
    own = description if error.about in ("doubt", "encoding") else name
    return own or ("Confirm" if is_single else SELECT)


def ask_for_class(error: NeedsMapping) -> Mapping | None:
    """Draw the question to which class scores refer; return the mapping, None until it is answered."""
    with components.row():
        positive = st.selectbox("Positive class", error.classes, key="asked_class", width=220)
        return (
            replace(error.guess, positive=positive)
            if st.button("Use this class", type="primary")
            else None
        )


def families(context: session.Context) -> None:
    """Draw the editor of families of algorithms, and store the families."""
    results = context.raw
    st.caption(page_text("upload_views.families"))
    current = session.families()
    table = pd.DataFrame({"algorithm": results.algorithms})
    table["family"] = [current.get(name, "") for name in results.algorithms]
    edited = st.data_editor(table, hide_index=True, disabled=["algorithm"], key="families_table")
    typed = edited.set_index("algorithm")["family"].fillna("").str.strip()
    st.session_state[FAMILIES] = typed[typed != ""].to_dict()


def missing_data(context: session.Context) -> None:
    """Draw the missing results and the choice of their treatment; nothing if none is missing."""
    missing = data_views.describe_missing(context)
    if not missing:
        return
    st.markdown("## Missing results")
    components.paragraph(page_text("upload_views.missing", missing=str(missing)))
    data_views.list_missing(context)
    data_views.choose_missing_treatment(context)
    components.caption(*(context.results.choices if context.results else ()))


def preview(context: session.Context) -> None:
    """Draw the first rows of results, or a published table."""
    results = context.raw
    if results.published is not None:
        st.dataframe(results.published.table(), placeholder="")
    else:
        st.dataframe(results.frame.head(8), hide_index=True, placeholder="")


def back() -> None:
    """Draw a button that returns to what was open before an upload: results or the start page."""
    if previous := st.session_state.get(session.PREVIOUS):
        st.button(
            "Previous results" if any(previous) else "Start page", on_click=session.back_to_previous
        )


def samples() -> None:
    """Draw the list of samples, each with the question it answers."""
    for row in session.catalogue():
        with st.container(horizontal=True, vertical_alignment="center", wrap=False):
            st.button(
                "Open",
                key=f"open_{row['file']}",
                on_click=session.open_sample,
                args=(row["file"],),
                disabled=st.session_state.get(session.SAMPLE) == row["file"],
            )
            st.markdown(
                f"**{components.escape(row['title'])}**  \n{components.escape(row['question'])} "
                f":small[{components.escape(row['shape'])}]",
                width="stretch",
            )
    st.caption("Sources and licences: sample_results/README.md.")


def upload_box() -> None:
    """Draw the upload area with a paste field, and the last error."""
    box = f"uploader{st.session_state.get(session.DELETED, '')}"
    browser.on_paste(take_pasted_anywhere)
    st.file_uploader(**control("uploader", key=box), on_change=take_uploads, args=(box,))
    with st.expander("Paste a table", key="paste"):
        st.text_area(page_text("upload_views.paste"), key="pasted", height=160)
        st.button("Read table", on_click=lambda: open_text(st.session_state["pasted"]))
    if rejected := st.session_state.get(session.REJECTED):
        st.markdown("## Problems")
        components.show_problems(rejected)
        if session.open_files():
            st.caption(page_text("upload_views.not_opened"))


def question(context: session.RunContext, title: str = "") -> None:
    """Draw why the files cannot be read yet: a question with answers, or problems; `title` is that of the page."""
    error = context.error
    if title:
        st.title(components.escape(error.question if isinstance(error, NeedsMapping) else title))
    if not isinstance(error, NeedsMapping):
        st.markdown("## Problems")
        if error is not None:
            components.show_problems(error)
        if not isinstance(context, session.Context):
            back()
        return
    if title:
        components.caption(title)
    else:
        st.markdown(f"## {components.escape(error.question)}")
    if error.about != "published":  # a published table needs no further text
        components.question(error)
    answer(context, error)
    back()
    st.markdown("## Preview")
    st.dataframe(error.preview, placeholder="", hide_index=True)
