"""The panel of the page Data that manages the workspace."""

from functools import partial

import streamlit as st

from foldwise.web import choice_history, components, session
from foldwise.workspaces.store import LONGEST_NAME, Workspace
from foldwise.workspaces.workspace_file import ENDING, pack, unpack


def open_packed(files: tuple[tuple[str, bytes], ...]) -> Workspace | None:
    """Return the workspace in an uploaded file, None for files of results."""
    if len(files) != 1 or not files[0][0].lower().endswith(ENDING):
        return None
    return unpack(*files[0], most_mb=choice_history.limits().workspace_mb)


def workspace_panel() -> None:
    """Draw what happens to the files, and widgets to manage the workspace."""
    st.caption(choice_history.retention_text())
    if error := st.session_state.get(session.UNSAVED):
        st.warning(components.escape(error), icon=":material/warning:")
    _others()
    if not session.uploads():
        if st.session_state.get(session.DELETED):
            st.success("The workspace and its files are deleted.", icon=":material/check:")
        return
    workspace = choice_history.workspace() or Workspace(
        name=", ".join(name for name, _ in session.uploads()), files=session.uploads()
    )
    box = st.expander("Workspace", key="workspace", on_change="rerun")
    if box.open:
        with box:
            _inside(workspace)


def _inside(workspace: Workspace) -> None:
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
    choices = choice_history.so_far(context.source_key)
    current = Workspace(name=workspace.name, files=session.uploads(), choices=choices)
    with st.container(horizontal=True):
        if choice_history.limits().path is not None:
            words = "Duplicate" if workspace.link else "Keep a copy"
            st.button(words, on_click=_duplicate, args=(current, bool(workspace.link)))
        st.download_button(
            "Download",
            data=partial(pack, current),
            file_name=f"{_file_name(workspace.name)}{ENDING}",
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
        if workspace.link:
            st.button(
                "Delete",
                on_click=choice_history.delete_workspace,
                help="With its files, on the server, too.",
            )
    if workspace.link:
        st.caption(
            'Whoever has the address of this page can change the workspace. "Copy link" in the '
            "sidebar gives one that only shows it."
        )


def _others() -> None:
    """Draw buttons for the other workspaces of a signed-in user."""
    workspaces = choice_history.other_workspaces()
    if not workspaces:
        return
    with st.expander("Your other workspaces", key="workspaces"):
        for position, (link, name) in enumerate(workspaces):
            st.button(
                f"Open {components.escape(name)}",
                key=f"other_{position}",
                type="tertiary",
                on_click=choice_history.open_link,
                args=(link,),
            )


def _rename(workspace: Workspace) -> None:
    choice_history.rename_workspace(
        st.session_state[f"name_{workspace.view}"].strip() or workspace.name
    )


def _duplicate(current: Workspace, is_owner: bool) -> None:
    name = f"{current.name} (copy)" if is_owner else current.name
    choice_history.keep_uploads(current.files, name, current.choices)


def _file_name(name: str) -> str:
    safe = "".join(letter if letter.isalnum() or letter in "-_" else "_" for letter in name)
    return safe[:40] or "workspace"
