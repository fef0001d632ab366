"""The workspace on the page Data: what is kept, its name, a copy, the file, the end."""

from functools import partial

import streamlit as st

from foldwise.web import choice_history, components, session
from foldwise.workspaces.store import LONGEST_NAME, Workspace
from foldwise.workspaces.workspace_file import ENDING, pack, unpack


def open_packed(files: tuple[tuple[str, bytes], ...]) -> Workspace | None:
    """Return the workspace that one uploaded file is, None for files of results."""
    if len(files) != 1 or not files[0][0].lower().endswith(ENDING):
        return None
    return unpack(*files[0], most_mb=choice_history.limits().workspace_mb)


def workspace_panel() -> None:
    """Say what becomes of the files, and let the workspace be named, copied, saved and deleted."""
    st.caption(choice_history.retention_text())
    if said := st.session_state.get(session.UNSAVED):
        st.warning(components.escape(said), icon=":material/warning:")
    _others()
    if not session.uploads():
        if st.session_state.get(session.DELETED):
            st.success("The workspace and its files are deleted.", icon=":material/check:")
        return
    held = choice_history.workspace() or Workspace(
        name=", ".join(name for name, _ in session.uploads()), files=session.uploads()
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
    context = session.context()
    now = choice_history.so_far(context.source_key)
    current = Workspace(name=held.name, files=session.uploads(), choices=now)
    with st.container(horizontal=True):
        if choice_history.limits().path is not None:
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
            "Start again",
            on_click=choice_history.start_again,
            help="Forget every choice; files stay.",
        )
        if held.link:
            st.button(
                "Delete",
                on_click=choice_history.delete_workspace,
                help="With its files, on the server, too.",
            )
    if held.link:
        st.caption(
            'Whoever has the address of this page can change the workspace. "Copy link" in the '
            "sidebar gives one that only shows it."
        )


def _others() -> None:
    """List the other workspaces of a signed-in user."""
    others = choice_history.other_workspaces()
    if not others:
        return
    with st.expander("Your other workspaces", key="workspaces"):
        for place, (link, name) in enumerate(others):
            st.button(
                f"Open {components.escape(name)}",
                key=f"other_{place}",
                type="tertiary",
                on_click=choice_history.open_link,
                args=(link,),
            )


def _rename(held: Workspace) -> None:
    choice_history.rename_workspace(st.session_state[f"name_{held.view}"].strip() or held.name)


def _duplicate(current: Workspace, own: bool) -> None:
    name = f"{current.name} (copy)" if own else current.name
    choice_history.keep_uploads(current.files, name, current.choices)


def _file_name(name: str) -> str:
    kept = "".join(letter if letter.isalnum() or letter in "-_" else "_" for letter in name)
    return kept[:40] or "workspace"
