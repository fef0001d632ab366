"""What was chosen in a session: one step back, all anew, and kept in the workspace of its uploads."""

import json
from contextlib import suppress
from dataclasses import replace
from functools import cache

import streamlit as st

from foldwise.web import address, cached_calls, session
from foldwise.workspaces.store import Store, Workspace, WorkspaceSaveError
from foldwise.workspaces.workspace_config import WorkspaceLimits, limits
from stats_core.core.errors import SettingError
from stats_core.io.mapping import Mapping

MOST_STEPS = 50  # that can be taken back
KEPT_STEPS = 10  # of them that outlive the session
WIDGETS = (*address.LINKED, "alpha", "level")
# what is chosen without a widget that is bound to the address, with its form in a file
SAID: dict[str, type] = {
    **dict.fromkeys((session.HOLES, session.BASELINE), str),
    **dict.fromkeys((session.FAMILIES, session.TYPED), dict),
    session.SHORT: bool,
    session.PRIOR: list,
}
SHOWN_BY = {"hole_choice": session.HOLES, "hole_baseline": session.BASELINE}
OWN = (*SAID, session.MAPPINGS)
EMPTY = {name: form() for name, form in SAID.items()} | {session.MAPPINGS: {}}
GONE = (
    "This link opens no workspace here. It was deleted, was not visited for too long, or belongs to "
    "someone else. Open its downloaded file, or upload the results again."
)


@cache
def _store(asked: WorkspaceLimits) -> Store:
    return Store(asked)


def workspace_store() -> Store | None:
    """Return where workspaces are kept, None where the configuration keeps none."""
    asked = limits()
    return None if asked.path is None else _store(asked)


def signed_in_user() -> str:
    """Return whom the sign-in names, "" without sign-in."""
    if not st.user.get("is_logged_in"):
        return ""
    who = st.user.get("sub")
    return f"{st.user.get('iss', '')} {who}" if who else str(st.user.get("email", ""))


def workspace() -> Workspace | None:
    """Return the workspace of the uploads, None where there is none."""
    return st.session_state.get(session.WORKSPACE)


def retention_text() -> str:
    """Return what is true of an uploaded file under the configuration at hand."""
    asked, held = limits(), workspace()
    if asked.path is None:
        return "Your file stays on this server and leaves with your session."
    if held is not None and not held.link:
        return (
            "You look at a workspace that was shared with you: what you choose leaves with your "
            "session, unless you keep a copy."
        )
    whose = "your sign-in" if signed_in_user() else "the link in the address bar"
    return (
        f"Your file stays on this server under {whose}, for {asked.days} days after the last "
        "visit or until you delete it."
    )


def keep_uploads(files: tuple[tuple[str, bytes], ...], name: str = "", choices: dict | None = None):
    """Save files that were opened as a workspace of their own; say so where that fails."""
    st.session_state[session.WORKSPACE] = None
    st.session_state[session.UNSAVED] = ""
    try:
        if (kept := workspace_store()) is not None:
            called = name or ", ".join(name for name, _ in files)
            new = Workspace(name=called, files=files, choices=choices or {}, owner=signed_in_user())
            st.session_state[session.WORKSPACE] = kept.save(new)
    except WorkspaceSaveError as error:
        st.session_state[session.UNSAVED] = str(error)


def open_link(token: str) -> bool:
    """Open the workspace behind a link; tell whether there is one."""
    try:
        kept = workspace_store()
        found = kept.open(token, signed_in_user()) if kept else None
    except WorkspaceSaveError as error:
        st.session_state[session.UNSAVED] = str(error)
        return False
    if found is None:
        return False
    own = any(name in st.query_params for name in (*WIDGETS, *address.KEPT) if name not in "wv")
    open_workspace(found, settings=not own)
    return True


def open_workspace(found: Workspace, *, settings: bool = True) -> None:
    """Open the files of a workspace with what was chosen about them."""
    session.open_uploads(found.files)
    st.session_state[session.WORKSPACE] = found
    whose = cached_calls.digest(found.files)
    chosen = _understood(whose, found.choices)
    for said in chosen.get(session.MAPPINGS, {}).values():
        session.set_mapping(whose, said)
    for name, value in chosen.items():
        if name in SAID or (settings and name in WIDGETS):
            st.session_state[name] = value
    before = found.choices.get("steps")
    steps = [_understood(whose, one) for one in before] if isinstance(before, list) else []
    steps = [one for one in steps if one][-KEPT_STEPS:]
    st.session_state[session.STEPS] = whose, [*steps, chosen] if steps else []


def _understood(whose: str, plain: object) -> dict:
    """Return what plain data say was chosen about files, by session keys; `_plain` wrote them."""
    parts = plain if isinstance(plain, dict) else {}
    said, settings, about = (parts.get(name) for name in ("mapping", "settings", "about"))
    chosen: dict = {}
    if isinstance(said, dict):
        with suppress(SettingError, TypeError, AttributeError, ValueError):
            mapping = Mapping(**said)
            hash(mapping)
            chosen[session.MAPPINGS] = {whose: mapping}
    for name, value in settings.items() if isinstance(settings, dict) else ():
        if name in WIDGETS and _is_plain(value):
            chosen[name] = value
    for name, form in SAID.items() if isinstance(about, dict) else ():
        if isinstance(value := about.get(name), form) and value:
            chosen[name] = value
    return chosen


def _is_plain(value: object) -> bool:
    """Tell whether this is what a widget holds: a text, a number, or a list of texts."""
    if isinstance(value, list):
        return all(isinstance(one, str) for one in value)
    return isinstance(value, str | int | float)


def open_packed(found: Workspace) -> None:
    """Open a workspace from its file, as one of its own."""
    open_workspace(found)
    keep_uploads(found.files, found.name, found.choices)


def record_choices(key: str) -> None:
    """Note what is chosen by now: for the way back, and in the workspace."""
    _note(key)
    held = workspace()
    if held is None or not held.link or st.session_state.get(session.SAMPLE):
        return
    chosen = so_far(key)
    if chosen == held.choices:
        return
    try:
        kept = workspace_store()
        if kept is None or not kept.choose(held.link, chosen, signed_in_user()):
            raise WorkspaceSaveError(
                "This workspace is gone: what you choose leaves with your session."
            )
    except WorkspaceSaveError as error:
        st.session_state[session.UNSAVED] = str(error)
        return
    st.session_state[session.UNSAVED] = ""
    st.session_state[session.WORKSPACE] = replace(held, choices=chosen)


def so_far(key: str) -> dict:
    """Return what was chosen about the open files, and the last steps to it, as plain data for JSON."""
    chosen = _plain(key, _now())
    chosen["settings"] = {
        name: value
        for name, value in chosen["settings"].items()
        if value not in (None, "", [], address.DEFAULTS.get(name))
    }
    whose, steps = st.session_state.get(session.STEPS, ("", []))
    if whose == key and len(steps) > 1:
        chosen["steps"] = [_plain(key, one) for one in steps[:-1][-KEPT_STEPS:]]
    return json.loads(json.dumps(chosen, default=str))


def _plain(whose: str, chosen: dict) -> dict:
    """Return choices by session keys as plain data; `_understood` reads them."""
    said = chosen.get(session.MAPPINGS, {}).get(whose)
    return {
        "mapping": said.to_dict() if said else None,
        "about": {name: chosen[name] for name in SAID if chosen.get(name)},
        "settings": {name: chosen[name] for name in WIDGETS if name in chosen},
    }


def _now() -> dict:
    names = (*WIDGETS, *SAID, session.MAPPINGS)
    return {name: st.session_state[name] for name in names if name in st.session_state}


def _note(key: str) -> None:
    now, (whose, steps) = _now(), st.session_state.get(session.STEPS, ("", []))
    if whose != key or not steps:
        st.session_state[session.STEPS] = key, [now]
        return
    last = steps[-1]
    changed = any((now.get(name) or "") != (last.get(name) or "") for name in OWN) or any(
        now[name] != last[name] for name in WIDGETS if name in now and name in last
    )
    if changed:
        st.session_state[session.STEPS] = key, [*steps, now][-MOST_STEPS:]
    else:  # a page was drawn for the first time, with its own settings at their defaults
        steps[-1] = last | now


def can_undo() -> bool:
    """Tell whether there is a choice to take back."""
    return len(st.session_state.get(session.STEPS, ("", []))[1]) > 1


def undo() -> None:
    """Take back the last choice of reading or settings."""
    key, steps = st.session_state[session.STEPS]
    if len(steps) < 2:
        return
    before = steps[-2]
    st.session_state[session.STEPS] = key, steps[:-1]
    for name in OWN:
        st.session_state[name] = before.get(name) or EMPTY[name]
    for widget, name in SHOWN_BY.items():
        if widget in st.session_state:
            st.session_state[widget] = st.session_state[name] or None
    for name in WIDGETS:
        if name in before and st.session_state.get(name) != before[name]:
            st.session_state[name] = before[name]


def start_again() -> None:
    """Forget every choice about the open files, which stay open; this can be undone."""
    held = {name: st.session_state[name] for name in WIDGETS if name in st.session_state}
    about = session.context()
    session.forget_choices()
    session.forget_mapping(about.source_key)
    for name, value in held.items():
        if name in address.DEFAULTS:
            st.session_state[name] = address.DEFAULTS[name]
        elif isinstance(value, list | tuple):
            st.session_state[name] = []
    st.session_state["alpha"] = "0.05"
    if about.raw is not None:
        st.session_state["measure"] = about.raw.measures[0]


def rename_workspace(name: str) -> None:
    """Call the workspace something else."""
    held = workspace()
    try:
        workspace_store().rename(held.link, name, signed_in_user())
    except WorkspaceSaveError as error:
        st.session_state[session.UNSAVED] = str(error)
        return
    st.session_state[session.WORKSPACE] = replace(held, name=name)


def other_workspaces() -> list[tuple[str, str]]:
    """Return links and names of the other workspaces of a signed-in user."""
    whose, held = signed_in_user(), workspace()
    try:
        kept = workspace_store() if whose else None
        found = kept.of(whose) if kept else []
    except WorkspaceSaveError as error:
        st.session_state[session.UNSAVED] = str(error)
        return []
    return [one for one in found if held is None or one[0] != held.link]


def delete_workspace() -> None:
    """Delete the workspace and its files, here and on the server; open the first sample."""
    held = workspace()
    try:
        if held is not None and held.link:
            workspace_store().delete(held.link, signed_in_user())
    except WorkspaceSaveError as error:
        st.session_state[session.UNSAVED] = str(error)
        return
    for name in (
        session.UPLOADS,
        session.PREVIOUS,
        session.WORKSPACE,
        session.MEMORY,
        session.STEPS,
    ):
        st.session_state.pop(name, None)
    session.open_sample(cached_calls.catalogue()[0]["file"])
    st.session_state[session.DELETED] = st.session_state.get(session.DELETED, 0) + 1
