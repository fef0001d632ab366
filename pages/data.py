"""Data: get results in, and know what was understood."""

from collections.abc import Sequence
from dataclasses import replace

import pandas as pd
import streamlit as st

from foldwise.web import background_calls, cached_calls, choice_history, components, session
from foldwise.web.layout import known_mapping
from foldwise.web.uploads import check_upload_size, discard_uploads
from foldwise.web.views import (
    data_views,
    overview_views,
    workspace_panel,
)
from stats_core.core.errors import DataError, FoldwiseError, NeedsMapping
from stats_core.core.formatting import join_names
from stats_core.io.layouts.layout_messages import UNNAMED
from stats_core.io.read import ROLES, Mapping

SMALL = 2_000_000  # bytes, up to which a file is told in a sentence at once
MAX_FILES = 12  # of which it is shown why they are read so
OF_ONE_MEASURE = {"result", "resample"}  # roles of columns that all hold the same measure
MEANINGS = {
    "result": "results of one algorithm",
    "resample": "results of one fold",
    "group": "tag of data sets",
    "cluster": "cases that belong together (patient, site)",
    "true": "true label",
    "predicted": "predicted label",
    "instance": "case",
    "ignore": "not used",
}
SCORE_WAYS = {"": "as inferred", "higher": "higher scores", "lower": "lower scores"}

GONE = DataError(
    ["An upload needs its file. The server has let go of one of these. Choose the files again."]
)

context = session.context()
results = context.raw
sources = session.uploads() or cached_calls.open_sample()


def take_uploads(box: str) -> None:
    """Open the files just chosen; files that cannot be read leave everything as it was."""
    chosen = st.session_state[box]
    here = [file for file in chosen if hasattr(file, "getvalue")]
    if len(here) < len(chosen):  # the server has let go of them
        st.session_state[session.REJECTED] = GONE
        return
    files = tuple((file.name, file.getvalue()) for file in here)
    if not files:
        st.session_state[session.REJECTED] = None
        return
    try:
        check_upload_size(files)
    except DataError as error:
        st.session_state[session.REJECTED] = error
        discard_uploads(file.file_id for file in here)
        return
    open_files(files)


def take_pasted() -> None:
    """Open the table that was pasted, as a file."""
    if text := st.session_state["pasted"].strip("\n"):
        open_files((("pasted.txt", text.encode()),))


def open_files(files: tuple[tuple[str, bytes], ...]) -> None:
    """Open files; if they cannot be read, say why and leave everything as it was."""
    background_calls.ask_again()
    try:
        packed = workspace_panel.open_packed(files)
        if packed is not None:
            choice_history.open_packed(packed)
            return
        cached_calls.read_uploads(cached_calls.digest(files), None, files)
    except NeedsMapping:
        pass  # the mapper asks
    except FoldwiseError as error:
        st.session_state[session.REJECTED] = error
        return
    session.open_uploads(files)
    choice_history.keep_uploads(files)


def mapper(table: pd.DataFrame, *, key: str) -> None:
    """Let the visitor say what columns mean."""
    st.caption("Choose what each column means; for a measure also which values are better.")
    if "ignore" in set(table["meaning"]):
        ignored = join_names(
            [f'"{name}"' for name in table["column"][table["meaning"] == "ignore"]], 8
        )
        st.caption(f"Not used so far: {components.escape(ignored)}.")
    edited = st.data_editor(
        table,
        hide_index=True,
        disabled=["column", "reason", "example"],
        key=f"mapper_{key}",
        placeholder="",
        column_config={
            "meaning": st.column_config.SelectboxColumn(
                options=ROLES, required=True, format_func=meaning
            ),
            "direction": st.column_config.SelectboxColumn(options=["", "lower", "higher"]),
            "reason": st.column_config.TextColumn("why", width="large"),
        },
    )
    wide = bool(OF_ONE_MEASURE & set(edited["meaning"]))
    known = context_mapping()
    measure, direction = "", None
    if wide:
        told = known.directions.get(known.measure_name)
        read = results.measures if results is not None else ()
        named = known.measure_name or (read[0] if len(read) == 1 else UNNAMED)
        with st.container(horizontal=True, vertical_alignment="bottom"):
            measure = st.text_input("What do the numbers measure?", named, key=f"measure_{key}")
            direction = st.segmented_control(
                "Which are better?", ["lower", "higher"], default=told, key=f"way_{key}"
            )
    if st.button("Use these columns", type="primary", key=f"apply_{key}"):
        said = edited.set_index("column")
        ways = said.loc[said["meaning"] == "measure", "direction"].fillna("")
        untold = wide and not direction and not Mapping().direction_of(measure)
        undirected = [*ways.index[ways == ""], *([measure] if untold else [])]
        if undirected:
            ask_for_direction(undirected)
            return
        mapping = replace(
            known,
            holds="",
            n_datasets=0,
            winner="",
            roles=said["meaning"].to_dict(),
            directions={**ways.to_dict(), **({measure: direction} if wide and direction else {})},
            measure_name=measure,
        )
        _use(mapping, unused=list(said.index[said["meaning"] == "ignore"]))


def meaning(role: str) -> str:
    """Return a role in words."""
    return MEANINGS.get(role, role)


def context_mapping() -> Mapping:
    """Return what was said, or else guessed, of the files that are open."""
    if isinstance(context.error, NeedsMapping):
        return context.error.guess
    return known_mapping(context.source_key) or Mapping()


def ask_for_direction(measures: list[str]) -> None:
    """Say for which measures it must be told which values are better."""
    names = join_names([f'"{name}"' for name in measures])
    st.error(
        f"Which values of {components.escape(names)} are better? Choose lower or higher under direction.",
        icon=":material/warning:",
    )


def understood() -> None:
    """Say in a sentence what was read, why, and of every column what it is; all can be changed."""
    st.markdown(f"## Understood: {components.escape(results.source)}")
    if len(sources) == 1 and len(sources[0][1]) < SMALL:
        found = cached_calls.explain_layout(
            context.source_key, context_mapping(), 0, several=False, _source=sources[0]
        )
        if found is not None:
            st.markdown(components.escape(found.sentence))
    st.markdown(components.escape(results.summary()))
    changed = overview_views.other_number(context)
    if changed is not None:
        _use(changed)
    for note in results.notes:
        if note.code != "clusters suggested":
            st.caption(components.escape(str(note)))
    data_views.suggest_cluster_column(context)
    with st.container(horizontal=True):
        for place, source in enumerate(sources[:MAX_FILES]):
            why_read_so(source, place)
    if len(sources) == 1:
        edit = st.expander("Columns and directions", key="edit", on_change="rerun")
        if edit.open:
            with edit:
                mapper(columns_of(context_mapping()), key=context.source_key[-8:])


def columns_of(mapping: Mapping) -> pd.DataFrame:
    """Return every column of the first file with its role and the reason."""
    several = len(sources) > 1
    return cached_calls.column_roles(
        context.source_key, mapping, several=several, _source=sources[0]
    )


def why_read_so(source: tuple[str, bytes], place: int) -> None:
    """Show what speaks for the way a file is read."""
    label = "Why read so?" if len(sources) == 1 else f"Why {components.escape(source[0])}?"
    opened = st.popover(label, type="tertiary", key=f"why_{place}", on_change="rerun")
    if not opened.open:
        return
    with opened:
        found = cached_calls.explain_layout(
            context.source_key, context_mapping(), place, several=len(sources) > 1, _source=source
        )
        if found is None:
            st.markdown("You said what its columns are.")
            return
        st.markdown(components.escape(found.sentence))
        for one in found.evidence:
            sign = "speaks for it" if one.weight > 0 else "speaks against it"
            st.caption(f"{components.escape(str(one.note))} *({sign})*")


def classes() -> None:
    """Show the positive class and the direction of scores, and let them be changed."""
    cases = results.predictions
    if cases is None:
        return
    names = list(cases["true"].cat.categories)
    said = session.mapping(context.source_key) or Mapping()
    with st.container(horizontal=True, vertical_alignment="bottom"):
        positive = st.selectbox(
            "Positive class",
            ["", *names],
            index=names.index(said.positive) + 1 if said.positive in names else 0,
            format_func=lambda name: name or "as inferred",
            key="positive",
            width=220,
        )
        way = said.score_direction
        if "score" in cases:
            way = st.selectbox(
                "More positive are",
                list(SCORE_WAYS),
                index=list(SCORE_WAYS).index(said.score_direction),
                format_func=SCORE_WAYS.get,
                key="score_way",
                width=220,
            )
    if (positive, way) != (said.positive, said.score_direction):
        _use(replace(said, positive=positive, score_direction=way))


def _use(
    mapping: Mapping,
    unused: Sequence[str] = (),
    tried: str = "With these columns the file cannot be read:",
) -> None:
    """Read again with what was said, unless the files cannot be read that way.

    Everything stays as it was then, with the columns that were not used named: one of them may
    tell apart what looks the same without it.
    """
    try:
        cached_calls.read_uploads(context.source_key, mapping, sources)
    except FoldwiseError as error:
        asks = getattr(error, "about", "") == "direction"
        if asks and mapping.measure_name:
            data_views.again(mapping)
            return
        if not (asks or getattr(error, "classes", ())):  # else the page asks the next question
            st.markdown(tried)
            components.show_problems(error)
            if unused:
                names = join_names([f'"{name}"' for name in unused], 8)
                st.caption(f"Not used: {components.escape(names)}. Do they tell these rows apart?")
            return
    session.set_mapping(context.source_key, mapping)
    st.rerun()


def answer(asked: NeedsMapping) -> None:
    """Let one click answer the question; below it every column can be given another meaning."""
    key = context.source_key[-8:]
    guess = asked.guess
    if asked.about == "doubt":
        with st.container(horizontal=True):
            for place, (said, mapping) in enumerate(asked.options):
                if st.button(components.escape(said), key=f"doubt_{place}_{key}"):
                    _use(mapping)
        return
    if asked.about == "direction":
        mapping = data_views.answered(guess, key=key)
        if mapping is not None:
            _use(mapping, tried="With this answer the file cannot be read:")
    elif asked.about == "cases":
        the_same_cases(asked, key=key)
        return
    elif asked.about == "published":
        for said, _ in asked.options:
            st.markdown(components.escape(said))
        mapping = overview_views.published_question(asked, key=key)
        if mapping is not None:
            _use(mapping)
    else:
        for place, (said, mapping) in enumerate(asked.options):
            st.markdown(components.escape(said))
            words = "Yes, read it so" if len(asked.options) == 1 else "Read it so"
            if st.button(words, type="primary", key=f"yes_{place}_{key}"):
                _use(data_views.without_guess(mapping))
    with st.expander("No: say what the columns are", expanded=not (guess.roles or guess.holds)):
        mapper(columns_of(guess), key=key)


def the_same_cases(asked: NeedsMapping, *, key: str) -> None:
    """Ask whether rows pair cases; each answer is said with what follows from it."""
    for said, _ in asked.options:
        st.markdown(components.escape(said))
    with st.container(horizontal=True):
        for (_, mapping), words in zip(
            asked.options, ("Yes, the same order", "No, or not known"), strict=True
        ):
            if st.button(words, key=f"{mapping.rows}_{key}"):
                _use(mapping)


def ask_for_class(names: tuple[str, ...]) -> None:
    """Ask which class the scores speak for."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        positive = st.selectbox("Positive class", names, key="asked_class", width=220)
        if st.button("Use this class", type="primary"):
            said = session.mapping(context.source_key) or Mapping()
            _use(replace(said, positive=positive))


def families() -> None:
    """Let algorithms be put into families, which then share a colour."""
    editor = st.expander("Families of algorithms (colours)", key="families", on_change="rerun")
    if not editor.open:
        return
    with editor:
        st.caption("Algorithms of one family share a colour on all pages; up to eight families.")
        known = session.families()
        edited = st.data_editor(
            pd.DataFrame(
                {
                    "algorithm": results.algorithms,
                    "family": [known.get(name, "") for name in results.algorithms],
                }
            ),
            hide_index=True,
            disabled=["algorithm"],
            key="families_table",
        )
        typed = edited.set_index("algorithm")["family"].fillna("").str.strip()
        st.session_state[session.FAMILIES] = typed[typed != ""].to_dict()


def holes() -> None:
    """List the missing cells and ask what stands for them."""
    missing = data_views.describe_missing(context)
    if not missing:
        return
    st.markdown("## Missing cells")
    st.markdown(f"{components.escape(missing)}. Nothing is filled in or left out until you choose.")
    data_views.list_missing(context)
    data_views.choose_missing_treatment(context)
    for choice in context.results.choices if context.results else ():
        st.caption(components.escape(str(choice)))


def preview() -> None:
    """Show the first rows in canonical columns."""
    st.markdown("## Preview")
    if results.published is not None:
        st.dataframe(results.published.table(), placeholder="")
        return
    st.dataframe(results.frame.head(8), hide_index=True, placeholder="")


def back() -> None:
    """Lead back to what was open before these files."""
    if st.session_state.get(session.PREVIOUS):
        st.button("Back to the results before", on_click=session.back_to_previous)


def samples() -> None:
    """List the shipped samples with the question each answers."""
    st.markdown("## Samples")
    for row in cached_calls.catalogue():
        with st.container(horizontal=True, vertical_alignment="center", wrap=False):
            st.button(
                "Open",
                key=f"open_{row['file']}",
                on_click=session.open_sample,
                args=(row["file"],),
                disabled=st.session_state.get(session.SAMPLE) == row["file"],
            )
            st.markdown(
                f"**{components.escape(row['title'])}** :small[{components.escape(row['shape'])}]  \n"
                f"{components.escape(row['question'])}",
                width="stretch",
            )
    st.caption("Where they come from and under which licence: sample_results/README.md.")


def verdict_button() -> None:
    """Lead on to the verdict once missing cells are decided about."""
    undecided = context.undecided
    reason = "Choose what to do with the missing cells first."
    if st.button(
        "See the verdict",
        type="primary",
        icon=":material/arrow_forward:",
        disabled=bool(undecided),
        help=reason if undecided else None,
    ):
        st.switch_page("pages/overview.py")


box = f"uploader{st.session_state.get(session.DELETED, '')}"
st.file_uploader(
    "Results per fold, counts, predictions, or a table of averages: CSV, Excel, Parquet, Feather, "
    "JSON, ARFF, Markdown or LaTeX",
    accept_multiple_files=True,
    key=box,
    on_change=take_uploads,
    args=(box,),
    help="Several files are joined; what they are is told by their content, and gzip is fine. "
    "See Help, Which file do I need.",
)
with st.expander("Paste a table", key="paste"):
    st.text_area(
        "Copied from a spreadsheet, a paper, a page in Markdown, or a LaTeX file",
        key="pasted",
        height=160,
    )
    st.button("Read it", on_click=take_pasted)
workspace_panel.workspace_panel()

stopped = background_calls.why_stopped("read") if st.session_state[box] else None
if rejected := stopped or st.session_state.get(session.REJECTED):
    st.markdown("## Problems")
    components.show_problems(rejected)
    st.caption("These files were not opened; what was open before still is.")
    if stopped:
        st.button("Try again", key="read_again", on_click=take_uploads, args=(box,))
if isinstance(context.error, NeedsMapping):
    st.markdown(f"## {components.escape(context.error.question)}")
    if context.error.about != "published":  # there the question says it all
        components.question(context.error)
    if context.error.classes:
        ask_for_class(context.error.classes)
    else:
        answer(context.error)
    back()
    st.markdown("## Preview")
    st.dataframe(context.error.preview, placeholder="", hide_index=True)
elif context.error is not None:
    st.markdown("## Problems")
    components.show_problems(context.error)
    if results is None:
        back()
if results is not None:
    understood()
    classes()
    data_views.names(context)
    families()
    holes()
    verdict_button()
    preview()
samples()
