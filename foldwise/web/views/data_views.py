"""Views of the page Data: workspace, names, clusters, missing results, and questions about files."""

from collections.abc import Callable, Iterable
from collections.abc import Mapping as Dictionary
from dataclasses import replace
from functools import partial

import pandas as pd
import streamlit as st
from streamlit.runtime.scriptrunner import get_script_run_ctx

from foldwise.web import cache, choices, components, inputs, session
from foldwise.web.cache import cached
from foldwise.web.settings_registry import BASELINE, HOLES, SHORT, SHOWN, control
from foldwise.web.texts import page_text
from foldwise.workspaces import store
from foldwise.workspaces.store import ENDING, LONGEST_NAME, MEGABYTE, Workspace
from stats_core.core.errors import DataError, NeedsMapping, SettingError
from stats_core.core.messages import Message
from stats_core.data.labels import checked_names, short_names
from stats_core.data.missing import HoleCount, count_missing, missing_table
from stats_core.io.mapping import UNNAMED, Mapping
from stats_core.report import varied_verdicts
from stats_core.report.varied_verdicts import AnswerPreview
from stats_core.robustness.variations import NAMES


def edit_names() -> None:
    """Draw the editor of displayed names."""
    st.caption(page_text("data_views.names"))
    every = st.session_state[SHOWN]
    short, typed = bool(st.session_state.get(SHORT)), choices.typed_names()
    with st.container(horizontal=True):
        st.button(
            **control("shorten", disabled=short or not _can_be_shorter(every)),
            on_click=partial(choices.use_display_names, typed, short=True),
        )
        reset = partial(choices.use_display_names, {}, short=False)
        st.button(**control("unshorten", disabled=not (short or typed)), on_click=reset)
    _editor(every, short=short)


def _can_be_shorter(every: choices.Names) -> bool:
    return any(
        new != old for kind in every.values() for old, new in short_names(tuple(kind)).items()
    )


def _editor(every: choices.Names, *, short: bool) -> None:
    """Draw the table of names; use changed names and rerun, or draw why one is invalid."""
    rows = [
        (noun, old, new) for kind, noun in choices.KINDS.items() for old, new in every[kind].items()
    ]
    table = pd.DataFrame(rows, columns=["type", "name", "displayed name"])
    edited = st.data_editor(
        table,
        hide_index=True,
        disabled=["type", "name"],
        key=f"names_table_{hash(str(every))}",
        column_config={"name": st.column_config.TextColumn("original name", width="medium")},
    )
    if edited["displayed name"].equals(table["displayed name"]):
        return
    try:
        typed = _typed(edited, every)
    except SettingError as error:
        components.alert(error)
        return
    choices.use_display_names(typed, short=short)
    st.rerun()


def _typed(edited: pd.DataFrame, every: choices.Names) -> choices.Names:
    """Return the edited names that differ from the shortened ones; SettingError for invalid names."""
    typed: choices.Names = {}
    for kind, noun in choices.KINDS.items():
        edited_names = edited[edited["type"] == noun].set_index("name")["displayed name"].fillna("")
        new_names = {str(old): str(new).strip() for old, new in edited_names.items()}
        checked_names(tuple(every[kind]), new_names, kind.removesuffix("s"))
        by_rule = choices.shortened(tuple(every[kind]))
        typed[kind] = {old: new for old, new in new_names.items() if new != by_rule[old]}
    return typed


# note on a column of clusters -> label of the button, and the role that the button sets
CLUSTER_NOTES = {
    "clusters suggested": ("Use {} as clusters", "cluster"),
    "categories": ("Use {} as clusters", "cluster"),
    "other clusters": ("Use {} as clusters", "cluster"),
    "items of clusters": ("Treat instances as independent", "ignore"),
}


def suggest_cluster_columns(context: session.Context, answers: Iterable[Message] = ()) -> None:
    """Draw a button for each column noted as clusters of instances, which uses it or no longer does so.

    `answers` are notes on the result with each of the other units.
    """
    by_column = {each["column"]: str(each) for each in answers}
    notes = context.read.notes if context.read is not None else ()
    for position, note in enumerate(notes):
        if note.code in CLUSTER_NOTES:
            label, role = CLUSTER_NOTES[note.code]
            answer = by_column.get(note["column"], "")
            with st.container(horizontal=True, vertical_alignment="center"):
                text = f"{note} {answer}".rstrip()
                st.markdown(components.escape(text), width="stretch")
                st.button(
                    label.format(components.escape(note["column"])),
                    key=f"clusters_{position}",
                    on_click=_set_role,
                    args=(context.source_key, note["column"], role),
                )


def _set_role(key: str, column: str, role: str) -> None:
    mapping = choices.known_mapping(key) or Mapping()
    session.set_mapping(key, replace(mapping, roles={**mapping.roles, column: role}))


WAYS = {"higher": "Higher is better", "lower": "Lower is better"}
COMMON = ("accuracy", "error", "F1", "AUC", "log loss", "RMSE")  # offered as buttons


Preview = Callable[[Mapping], AnswerPreview]  # of the results read with a mapping


def answered(
    error: NeedsMapping, *, key: str, preview: Preview = lambda _: AnswerPreview()
) -> Mapping | None:
    """Draw widgets for name or direction of a measure; return the mapping once answered, None before."""
    guess: Mapping = error.guess
    if error.undirected:
        return _direction_of_columns(error, key=key, preview=preview)
    named = "" if guess.measure_name == UNNAMED else guess.measure_name
    gives = {label: preview(guess.named(named or UNNAMED, way)) for way, label in WAYS.items()}
    common = {} if named else _common_measures(guess, preview)
    choice = st.pills("Common measures", list(common), key=f"common_{key}") if common else None
    with st.form(f"measure_{key}", border=False):
        with components.row():
            name = st.text_input(**control("measure_name", value=named, key=f"name_{key}"))
            # the Enter key presses the first button
            read = st.form_submit_button("Read the table", key=f"read_{key}", type="primary")
            direction = _pressed(st.form_submit_button, WAYS, key=key)
    show_previews(gives | common)
    if not (read or direction):
        return guess.named(choice) if choice else None
    name = name.strip()
    if read and not name:
        components.alert(page_text("data_views.no_measure"))
        return None
    return guess.named(name or UNNAMED, direction)


def _common_measures(guess: Mapping, preview: Preview) -> dict[str, AnswerPreview]:
    """Return the preview of each common measure with which the table can be read."""
    previews = {name: preview(guess.named(name)) for name in COMMON}
    return {name: shown for name, shown in previews.items() if shown.readable}


def show_previews(previews: Dictionary[str, AnswerPreview]) -> None:
    """Draw a preview of the result of each answer, merging answers with the same first algorithm."""
    lines: dict[tuple, list[str]] = {}
    for label, each in previews.items():
        lines.setdefault(each.first or (each.text,), []).append(label)
    for labels in lines.values():
        if text := previews[labels[0]].text:
            components.caption(page_text("data_views.gives", answers=labels, gives=text))


def without_guess(mapping: Mapping) -> Mapping:
    """Return the mapping without the placeholder name of an unnamed measure, unless it has a direction."""
    return (
        mapping.named("") if mapping.measure_name == UNNAMED and not mapping.directions else mapping
    )


def _direction_of_columns(error: NeedsMapping, *, key: str, preview: Preview) -> Mapping | None:
    """Draw a button for each answer on undirected columns; return the chosen mapping."""
    suffix = " for all" if len(error.undirected) > 1 else ""
    answers = {way: mapping for way, _, mapping in varied_verdicts.possible_answers(error)}
    labels = {**WAYS, "ignore": "Leave out"}
    with st.container(horizontal=True):
        direction = _pressed(st.button, {way: f"{labels[way]}{suffix}" for way in answers}, key=key)
    show_previews({labels[way]: preview(mapping) for way, mapping in answers.items()})
    return answers.get(direction)


def _pressed(button: Callable[..., bool], words: Dictionary[str, str], *, key: str) -> str:
    """Draw one button per direction; return the direction pressed, "" if none."""
    pressed = [
        direction for direction, label in words.items() if button(label, key=f"{direction}_{key}")
    ]
    return pressed[0] if pressed else ""


PAGE = 200  # rows per page


def choose_missing_treatment(context: session.Context) -> None:
    """Draw the choice of a treatment of missing results."""
    missing = describe_missing(context)
    labels = {
        key: NAMES[choice]
        for key, choice in session.HOLE_CHOICES.items()
        if (missing.undefined or key not in ("zero", "one"))
        and (key != "folds" or missing.of_runs > missing.of_cells)
    }
    choice = st.session_state.get(HOLES, "")
    index = list(labels).index(choice) if choice in labels else None
    baseline = st.session_state.get(BASELINE, "")
    left = cached(
        context.raw_key,
        varied_verdicts.remaining_by_choice,
        context.raw,
        context.settings,
        baseline,
    )
    captions = [left.get(session.HOLE_CHOICES[key], "") for key in labels]
    widget_options = {
        "options": list(labels),
        "index": index,
        "format_func": labels.get,
        "captions": captions,
    }
    st.radio(
        **control("hole_choice", **widget_options),
        on_change=_copy_choice,
        args=(HOLES, "hole_choice"),
    )
    if choice == "baseline":
        _ask_for_baseline(context)
    draw = partial(_every_choice, context)
    components.in_expander("Comparison of treatments", "hole_verdicts", draw)


def end_page_if_undecided(context: session.Context) -> None:
    """End the page with the choice of a treatment of missing results, if none was made."""
    if context.undecided:
        what = page_text("data_views.undecided", missing=str(context.undecided))
        components.show_refusal(page_text("data_views.complete"), what)
        choose_missing_treatment(context)
        st.stop()


def describe_missing(context: session.Context) -> HoleCount:
    """Return the counts of missing results before any treatment."""
    return count_missing(inputs.selected_before_missing(context), context.settings.measure)


def list_missing(context: session.Context) -> None:
    """Draw the missing results, one row per data set and algorithm, in pages."""
    table = missing_table(inputs.selected_before_missing(context), context.settings.measure)
    first = 0
    if len(table) > PAGE:
        starts = list(range(0, len(table), PAGE))
        words = lambda at: f"{at + 1:,} to {min(at + PAGE, len(table)):,}"  # noqa: E731
        first = st.selectbox(**control("hole_rows", options=starts, format_func=words))
    page = table.iloc[first : first + PAGE]
    st.dataframe(
        page,
        hide_index=True,
        column_config={"data set": st.column_config.TextColumn(pinned=True)},
        height=min(400, 38 + 35 * len(page)),
    )


def _ask_for_baseline(context: session.Context) -> None:
    """Draw a selectbox for the baseline with the algorithms without missing results, or a note if there are none."""
    lacking = count_missing(context.raw, context.settings.measure).algorithms
    names = [name for name in context.raw.algorithms if name not in lacking]
    if not names:
        st.caption(page_text("data_views.no_baseline"))
        return
    choice = st.session_state.get(BASELINE, "")
    index = names.index(choice) if choice in names else None
    options = control("hole_baseline", options=names, index=index)
    st.selectbox(**options, on_change=_copy_choice, args=(BASELINE, "hole_baseline"))


def _every_choice(context: session.Context) -> None:
    """Draw a table of the results under each treatment of missing results."""
    baseline = st.session_state.get(BASELINE, "")
    key = f"{context.raw_key}/{baseline}"
    table = cache.cached_repeats(
        key,
        varied_verdicts.compare_missing_choices,
        context.raw,
        context.settings,
        baseline=baseline,
        doing="Comparing treatments ...",
    )
    rows = [
        {
            "choice": f"{NAMES[row['choice']]}{f' ({name})' if (name := row['baseline']) else ''}",
            "remaining": varied_verdicts.describe_remainder(row, context.raw.design),
            "verdict": row["verdict"],
            "significant pairs": str(row["separated"]) if row["decided"] else "",
        }
        for _, row in table.iterrows()
    ]
    components.paragraph(varied_verdicts.describe_missing_choices(table), bold=True)
    st.table(
        [{name: components.escape(text) for name, text in row.items()} for row in rows],
        hide_index=True,
    )
    st.caption(page_text("data_views.treatment"))


def _copy_choice(name: str, widget: str) -> None:
    """Copy a widget's value to a session-state key."""
    st.session_state[name] = st.session_state[widget] or ""


def open_packed(files: tuple[tuple[str, bytes], ...]) -> Workspace | None:
    """Return the workspace in an uploaded `.foldwise` file, None for files of results; DataError if it is invalid."""
    if len(files) != 1 or not files[0][0].lower().endswith(ENDING):
        return None
    return cache.unpacked(*files[0], store.unpack, most_mb=choices.limits().workspace_mb)


def workspace_panel() -> None:
    """Draw information on stored files and, if uploads are open, widgets to manage the workspace."""
    error = choices.why_unsaved()
    st.caption(choices.retention_text(error))
    if error is not None:
        components.warn(choices.describe_unsaved(error))
    _other_workspaces()
    if not session.uploads():
        if st.session_state.get(session.DELETED):
            st.success(page_text("data_views.deleted"), icon=":material/check:")
        return
    workspace = choices.workspace() or Workspace(
        name=", ".join(name for name, _ in session.uploads()), files=session.uploads()
    )
    components.in_expander("Workspace", "workspace", partial(_inside, workspace))


def _inside(workspace: Workspace) -> None:
    """Draw the name of the workspace, and buttons to copy, download, reset and delete it."""
    if workspace.link:
        st.text_input(
            "Name",
            workspace.name,
            max_chars=LONGEST_NAME,
            key=f"name_{workspace.view}",
            on_change=_rename,
            args=(workspace,),
        )
    context = session.context()
    so_far = choices.so_far(context.source_key)
    current = Workspace(name=workspace.name, files=session.uploads(), choices=so_far)
    with st.container(horizontal=True):
        if choices.limits().path is not None:
            words = "Duplicate" if workspace.link else "Keep a copy"
            st.button(words, on_click=_duplicate, args=(current, bool(workspace.link)))
        file_name = f"{_file_name(workspace.name)}{ENDING}"
        components.download(
            "Download", partial(store.pack, current), file_name, **control("download_workspace")
        )
        st.button("Reset", on_click=choices.start_again, help=page_text("data_views.reset"))
        if workspace.link:
            st.button(**control("delete"), on_click=choices.delete_workspace)
    if workspace.link:
        st.caption(page_text("data_views.workspace_link"))


def _other_workspaces() -> None:
    """Draw buttons that open other workspaces of a signed-in user, if there are any."""
    workspaces = choices.other_workspaces()
    if not workspaces:
        return
    with st.expander("Other workspaces", key="workspaces"):
        for position, (link, name) in enumerate(workspaces):
            st.button(
                f"Open {components.escape(name)}",
                key=f"other_{position}",
                type="tertiary",
                on_click=_open_other,
                args=(link,),
            )


def _open_other(link: str) -> None:
    choices.open_workspace_link(link)


def _rename(workspace: Workspace) -> None:
    choices.rename_workspace(st.session_state[f"name_{workspace.view}"].strip() or workspace.name)


def _duplicate(current: Workspace, is_owner: bool) -> None:
    name = f"{current.name} (copy)" if is_owner else current.name
    choices.keep_uploads(current.files, name, current.choices)


def _file_name(name: str) -> str:
    safe = "".join(letter if letter.isalnum() or letter in "-_" else "_" for letter in name)
    return safe[:40] or "workspace"


def check_upload_size(files: tuple[tuple[str, bytes], ...]) -> None:
    """Raise DataError if files exceed the limits of the session or the server."""
    configured, size = store.limits(), sum(len(content) for _, content in files)
    used, limit = cache.SESSIONS.files(but=cache.session_cache()), configured.session_mb
    if size > limit * MEGABYTE:
        raise DataError(page_text("data_views.too_large", size=size / MEGABYTE, limit=limit))
    limit = configured.memory_mb
    if size + used > limit * MEGABYTE:
        raise DataError(
            page_text("data_views.full", size=size / MEGABYTE, used=used / MEGABYTE, limit=limit)
        )


def discard_uploads(uploads: Iterable[str]) -> None:
    """Delete uploads from Streamlit's memory, by file id."""
    run = get_script_run_ctx()
    if run is not None:
        for file_id in uploads:
            # the protocol lacks the method, which every manager of Streamlit has
            run.uploaded_file_mgr.remove_file(run.session_id, file_id)  # type: ignore[attr-defined]


WINNERS = {"row": "Row wins", "column": "Column wins"}


def published_question(error: NeedsMapping, *, key: str, preview: Preview) -> Mapping | None:
    """Draw widgets for missing information on a published table; return the mapping once complete, None before."""
    guess: Mapping = error.guess
    with components.row():
        n = guess.n_datasets or None
        if "n_datasets" in error.fields:
            n = st.number_input(**control("n_datasets", value=n, key=f"n_{key}"))
        ways = WINNERS if "winner" in error.fields else {"": "Confirm"}
        answers = {
            winner: replace(guess, n_datasets=int(n or 0), winner=winner or guess.winner)
            for winner in ways
        }
        choice = [
            winner
            for winner, label in ways.items()
            if st.button(
                label, key=f"way_{winner}_{key}", type="secondary" if winner else "primary"
            )
        ]
    if n or "n_datasets" not in error.fields:
        show_previews({ways[winner]: preview(mapping) for winner, mapping in answers.items()})
    if not choice:
        return None
    if "n_datasets" in error.fields and n is None:
        components.alert(page_text("data_views.no_number"))
        return None
    return answers[choice[0]]


def other_number(context: session.Context) -> Mapping | None:
    """Draw an input for the number of data sets of a published table; return the mapping if it changed, else None."""
    mapping = session.mapping(context.source_key)
    if mapping is None or not (mapping.holds and mapping.n_datasets):
        return None
    key = f"again_{context.source_key[-8:]}"
    n = st.number_input(**control("n_datasets", value=mapping.n_datasets, key=key))
    return replace(mapping, n_datasets=int(n)) if n and int(n) != mapping.n_datasets else None
