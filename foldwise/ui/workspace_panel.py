"""The workspace on the page Data: what is kept, its name, a copy, the file, the end."""

from functools import partial

import streamlit as st

from foldwise.ui import choices, show, state
from foldwise.workspace.packed import ENDING, pack, unpack
from foldwise.workspace.store import LONGEST_NAME, Workspace


def open_packed(files: tuple[tuple[str, bytes], ...]) -> Workspace | None:
    """Return the workspace that one uploaded file is, None for files of results."""
    if len(files) != 1 or not files[0][0].lower().endswith(ENDING):
        return None
    return unpack(*files[0], most_mb=choices.limits().workspace_mb)


def panel() -> None:
    """Say what becomes of the files, and let the workspace be named, copied, saved and deleted."""
    st.caption(choices.promise())
    if said := st.session_state.get(state.UNSAVED):
        st.warning(show.escape(said), icon=":material/warning:")
    _others()
    if not state.uploads():
        if st.session_state.get(state.DELETED):
            st.success("The workspace and its files are deleted.", icon=":material/check:")
        return
    held = choices.workspace() or Workspace(
        name=", ".join(name for name, _ in state.uploads()), files=state.uploads()
    )
    box = st.expander("Workspace", key="workspace", on_change="rerun")
    if box.open:
        with box:
            _inside(held)


def _inside(held: Workspace) -> None:
    if held.link:
        st.text_input(
            "Name",
            held.name,
            max_chars=LONGEST_NAME,
            key=f"name_{held.view}",
            on_change=_rename,
            args=(held,),
        )
    context = state.context()
    now = choices.so_far(context.source_key)
    current = Workspace(name=held.name, files=state.uploads(), choices=now)
    with st.container(horizontal=True):
        if choices.limits().path is not None:
            words = "Duplicate" if held.link else "Keep a copy"
            st.button(words, on_click=_duplicate, args=(current, bool(held.link)))
        st.download_button(
            "Download",
            data=partial(pack, current),
            file_name=f"{_file_name(held.name)}{ENDING}",
            mime="application/zip",
            icon=":material/download:",
            on_click="ignore",
            help="One file with uploads and choices; it is opened again by the box above.",
        )
        st.button(
            "Start again", on_click=choices.start_again, help="Forget every choice; files stay."
        )
        if held.link:
            st.button("Delete", on_click=choices.delete, help="With its files, on the server, too.")
    if held.link:
        st.caption(
            'Whoever has the address of this page can change the workspace. "Copy link" in the '
            "sidebar gives one that only shows it."
        )


def _others() -> None:
    """List the other workspaces of a signed-in user."""
    others = choices.others()
    if not others:
        return
    with st.expander("Your other workspaces", key="workspaces"):
        for place, (link, name) in enumerate(others):
            st.button(
                f"Open {show.escape(name)}",
                key=f"other_{place}",
                type="tertiary",
                on_click=choices.open_link,
                args=(link,),
            )


def _rename(held: Workspace) -> None:
    choices.rename(st.session_state[f"name_{held.view}"].strip() or held.name)


def _duplicate(current: Workspace, own: bool) -> None:
    name = f"{current.name} (copy)" if own else current.name
    choices.keep_uploads(current.files, name, current.choices)


def _file_name(name: str) -> str:
    kept = "".join(letter if letter.isalnum() or letter in "-_" else "_" for letter in name)
    return kept[:40] or "workspace"
