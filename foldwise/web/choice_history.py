"""History of a session's choices: undo, reset, and storage in the workspace of the uploads."""

import json
from contextlib import suppress
from dataclasses import replace
from functools import cache

import streamlit as st

from foldwise.web import cached_calls, session
from foldwise.web.settings_registry import (
    BASELINE,
    HOLES,
    MAPPINGS,
    RENAMED,
    SETTINGS,
    UNBOUND,
    UNBOUND_PARAMETERS,
    WIDGETS,
    forget_choices,
    is_default,
)
from foldwise.workspaces.store import Store, Workspace, WorkspaceLimits, WorkspaceSaveError, limits
from stats_core.core.errors import SettingError
from stats_core.io.mapping import Mapping

MOST_STEPS = 50  # undo steps in a session
KEPT_STEPS = 10  # undo steps stored in the workspace
# recorded choices without a widget that have a JSON form of their own type
ABOUT = tuple(key for key in UNBOUND if key != MAPPINGS)
SHOWN_BY = {"hole_choice": HOLES, "hole_baseline": BASELINE}
GONE = (
    "The workspace of this link was not found. It was deleted, has expired, or belongs to another user. "
    "Upload its downloaded file or the results again."
)


@cache
def _store(configured: WorkspaceLimits) -> Store:
    return Store(configured)


def workspace_store() -> Store | None:
    """Return the workspace store, None if the configuration disables workspaces."""
    configured = limits()
    return None if configured.path is None else _store(configured)


def signed_in_user() -> str:
    """Return the identifier of the signed-in user, "" without sign-in."""
    if not st.user.get("is_logged_in"):
        return ""
    subject = st.user.get("sub")
    return f"{st.user.get('iss', '')} {subject}" if subject else str(st.user.get("email", ""))


def workspace() -> Workspace | None:
    """Return the workspace of the uploads, None if there is none."""
    return st.session_state.get(session.WORKSPACE)


def retention_text() -> str:
    """Return a sentence that says how long this server keeps an uploaded file."""
    configured, current = limits(), workspace()
    if configured.path is None:
        return "Files are deleted from this server at the end of your session."
    if current is not None and not current.link:
        return "This workspace is read-only. Changes are lost at the end of your session unless you keep a copy."
    whose = "your sign-in" if signed_in_user() else "the link in the address bar"
    return (
        f"Files stay on this server under {whose} until {configured.days} days after the last visit, or "
        "until you delete them."
    )


def keep_uploads(files: tuple[tuple[str, bytes], ...], name: str = "", choices: dict | None = None):
    """Save opened files as a new workspace; record the error if that fails."""
    st.session_state[session.WORKSPACE] = None
    st.session_state[session.UNSAVED] = ""
    try:
        if (store := workspace_store()) is not None:
            title = name or ", ".join(name for name, _ in files)
            unsaved = Workspace(name=title, files=files, choices=choices or {}, owner=signed_in_user())
            st.session_state[session.WORKSPACE] = store.save(unsaved)
    except WorkspaceSaveError as error:
        st.session_state[session.UNSAVED] = str(error)


def open_link(token: str) -> bool:
    """Open the workspace of a link; return whether it exists."""
    try:
        store = workspace_store()
        opened = store.open(token, signed_in_user()) if store else None
    except WorkspaceSaveError as error:
        st.session_state[session.UNSAVED] = str(error)
        return False
    if opened is None:
        return False
    has_settings = any(name in st.query_params for name in (*WIDGETS, *UNBOUND_PARAMETERS) if name not in "wv")
    open_workspace(opened, settings=not has_settings)
    return True


def open_workspace(found: Workspace, *, settings: bool = True) -> None:
    """Open the files of a workspace and restore the choices about them."""
    session.open_uploads(found.files)
    st.session_state[session.WORKSPACE] = found
    key = cached_calls.digest(found.files)
    chosen = _understood(key, found.choices)
    for mapping in chosen.get(MAPPINGS, {}).values():
        session.set_mapping(key, mapping)
    for name, value in chosen.items():
        if name in ABOUT or (settings and name in WIDGETS):
            st.session_state[name] = value
    stored_steps = found.choices.get("steps")
    steps = [_understood(key, step) for step in stored_steps] if isinstance(stored_steps, list) else []
    steps = [step for step in steps if step][-KEPT_STEPS:]
    st.session_state[session.STEPS] = key, [*steps, chosen] if steps else []


def _understood(whose: str, plain: object) -> dict:
    """Return the choices by session keys from plain data written by `_plain`."""
    fields = plain if isinstance(plain, dict) else {}
    mapping_fields, settings, about = (fields.get(name) for name in ("mapping", "settings", "about"))
    chosen: dict = {}
    if isinstance(mapping_fields, dict):
        with suppress(SettingError, TypeError, AttributeError, ValueError):
            mapping = Mapping(**mapping_fields)
            hash(mapping)
            chosen[MAPPINGS] = {whose: mapping}
    for name, value in settings.items() if isinstance(settings, dict) else ():
        if name in WIDGETS and _is_plain(value):
            chosen[name] = RENAMED.get(value, value) if isinstance(value, str) else value
    for name in ABOUT if isinstance(about, dict) else ():
        if isinstance(value := about.get(name), type(SETTINGS[name].default)) and value:
            chosen[name] = value
    return chosen


def _is_plain(value: object) -> bool:
    """Return whether a value is a string, a number or a list of strings."""
    if isinstance(value, list):
        return all(isinstance(item, str) for item in value)
    return isinstance(value, str | int | float)


def open_packed(found: Workspace) -> None:
    """Open a workspace read from a file, as a new workspace."""
    open_workspace(found)
    keep_uploads(found.files, found.name, found.choices)


def record_choices(key: str) -> None:
    """Record the current choices in the undo history and in the workspace."""
    _note(key)
    current = workspace()
    if current is None or not current.link or st.session_state.get(session.SAMPLE):
        return
    chosen = so_far(key)
    if chosen == current.choices:
        return
    try:
        store = workspace_store()
        if store is None or not store.choose(current.link, chosen, signed_in_user()):
            raise WorkspaceSaveError("The workspace was deleted. Changes are lost at the end of your session.")
    except WorkspaceSaveError as error:
        st.session_state[session.UNSAVED] = str(error)
        return
    st.session_state[session.UNSAVED] = ""
    st.session_state[session.WORKSPACE] = replace(current, choices=chosen)


def so_far(key: str) -> dict:
    """Return the choices about the open files and the last undo steps as JSON-compatible data."""
    chosen = _plain(key, _now())
    chosen["settings"] = {name: value for name, value in chosen["settings"].items() if not is_default(name, value)}
    whose, steps = st.session_state.get(session.STEPS, ("", []))
    if whose == key and len(steps) > 1:
        chosen["steps"] = [_plain(key, step) for step in steps[:-1][-KEPT_STEPS:]]
    return json.loads(json.dumps(chosen, default=str))


def _plain(whose: str, chosen: dict) -> dict:
    """Return choices by session keys as plain data, which `_understood` reads."""
    mapping = chosen.get(MAPPINGS, {}).get(whose)
    return {
        "mapping": mapping.to_dict() if mapping else None,
        "about": {name: chosen[name] for name in ABOUT if chosen.get(name)},
        "settings": {name: chosen[name] for name in WIDGETS if name in chosen},
    }


def _now() -> dict:
    return {name: st.session_state[name] for name in (*WIDGETS, *UNBOUND) if name in st.session_state}


def _note(key: str) -> None:
    current, (whose, steps) = _now(), st.session_state.get(session.STEPS, ("", []))
    if whose != key or not steps:
        st.session_state[session.STEPS] = key, [current]
        return
    previous = steps[-1]
    changed = any((current.get(name) or "") != (previous.get(name) or "") for name in UNBOUND) or any(
        current[name] != previous[name] for name in WIDGETS if name in current and name in previous
    )
    if changed:
        st.session_state[session.STEPS] = key, [*steps, current][-MOST_STEPS:]
    else:  # not a choice: widgets of a page drawn for the first time got their defaults
        steps[-1] = previous | current


def can_undo() -> bool:
    """Return whether there is a choice to undo."""
    return len(st.session_state.get(session.STEPS, ("", []))[1]) > 1


def undo() -> None:
    """Undo the last choice of reading or settings."""
    key, steps = st.session_state[session.STEPS]
    if len(steps) < 2:
        return
    previous = steps[-2]
    st.session_state[session.STEPS] = key, steps[:-1]
    for name in UNBOUND:
        st.session_state[name] = previous.get(name) or SETTINGS[name].default
    for widget, name in SHOWN_BY.items():
        if widget in st.session_state:
            st.session_state[widget] = st.session_state[name] or None
    for name in WIDGETS:
        if name in previous and st.session_state.get(name) != previous[name]:
            st.session_state[name] = previous[name]


def start_again() -> None:
    """Reset every choice about the open files, which stay open; this can be undone."""
    widget_values = {name: st.session_state[name] for name in WIDGETS if name in st.session_state}
    about = session.context()
    forget_choices()
    session.forget_mapping(about.source_key)
    for name, value in widget_values.items():
        if SETTINGS[name].default is not None:
            st.session_state[name] = SETTINGS[name].default
        elif isinstance(value, list | tuple):
            st.session_state[name] = []
    st.session_state["alpha"] = "0.05"
    if about.raw is not None:
        st.session_state["measure"] = about.raw.measures[0]


def rename_workspace(name: str) -> None:
    """Rename the current workspace."""
    current = workspace()
    try:
        workspace_store().rename(current.link, name, signed_in_user())
    except WorkspaceSaveError as error:
        st.session_state[session.UNSAVED] = str(error)
        return
    st.session_state[session.WORKSPACE] = replace(current, name=name)


def other_workspaces() -> list[tuple[str, str]]:
    """Return (link, name) of the other workspaces of a signed-in user."""
    user, current = signed_in_user(), workspace()
    try:
        store = workspace_store() if user else None
        workspaces = store.of(user) if store else []
    except WorkspaceSaveError as error:
        st.session_state[session.UNSAVED] = str(error)
        return []
    return [entry for entry in workspaces if current is None or entry[0] != current.link]


def delete_workspace() -> None:
    """Delete the workspace and its files, here and on the server; open the first sample."""
    current = workspace()
    try:
        if current is not None and current.link:
            workspace_store().delete(current.link, signed_in_user())
    except WorkspaceSaveError as error:
        st.session_state[session.UNSAVED] = str(error)
        return
    for name in (session.UPLOADS, session.PREVIOUS, session.WORKSPACE, session.MEMORY, session.STEPS):
        st.session_state.pop(name, None)
    session.open_sample(cached_calls.first_sample())
    st.session_state[session.DELETED] = st.session_state.get(session.DELETED, 0) + 1
