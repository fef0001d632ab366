"""What was chosen in a session: one step back, all anew, and kept in the workspace of its uploads."""

import json
from contextlib import suppress
from dataclasses import replace
from functools import cache

import streamlit as st

from foldwise.ui import cached, link, state
from foldwise.workspace.limits import Limits, limits
from foldwise.workspace.store import NotKept, Store, Workspace
from stats_core.core.errors import SettingError
from stats_core.reading.mapping import Mapping

MOST_STEPS = 50  # that can be taken back
KEPT_STEPS = 10  # of them that outlive the session
WIDGETS = (*link.LINKED, "alpha", "level")
# what is chosen without a widget that is bound to the address, with its form in a file
SAID: dict[str, type] = {
    **dict.fromkeys((state.HOLES, state.BASELINE), str),
    **dict.fromkeys((state.FAMILIES, state.TYPED), dict),
    state.SHORT: bool,
    state.PRIOR: list,
}
SHOWN_BY = {"hole_choice": state.HOLES, "hole_baseline": state.BASELINE}
OWN = (*SAID, state.MAPPINGS)
EMPTY = {name: form() for name, form in SAID.items()} | {state.MAPPINGS: {}}
GONE = (
    "This link opens no workspace here. It was deleted, was not visited for too long, or belongs to "
    "someone else. Open its downloaded file, or upload the results again."
)


@cache
def _store(asked: Limits) -> Store:
    return Store(asked)


def store() -> Store | None:
    """Return where workspaces are kept, None where the configuration keeps none."""
    asked = limits()
    return None if asked.path is None else _store(asked)


def user() -> str:
    """Return whom the sign-in names, "" without sign-in."""
    if not st.user.get("is_logged_in"):
        return ""
    who = st.user.get("sub")
    return f"{st.user.get('iss', '')} {who}" if who else str(st.user.get("email", ""))


def workspace() -> Workspace | None:
    """Return the workspace of the uploads, None where there is none."""
    return st.session_state.get(state.WORKSPACE)


def promise() -> str:
    """Return what is true of an uploaded file under the configuration at hand."""
    asked, held = limits(), workspace()
    if asked.path is None:
        return "Your file stays on this server and leaves with your session."
    if held is not None and not held.link:
        return (
            "You look at a workspace that was shared with you: what you choose leaves with your "
            "session, unless you keep a copy."
        )
    whose = "your sign-in" if user() else "the link in the address bar"
    return (
        f"Your file stays on this server under {whose}, for {asked.days} days after the last "
        "visit or until you delete it."
    )


def keep_uploads(files: tuple[tuple[str, bytes], ...], name: str = "", choices: dict | None = None):
    """Save files that were opened as a workspace of their own; say so where that fails."""
    st.session_state[state.WORKSPACE] = None
    st.session_state[state.UNSAVED] = ""
    try:
        if (kept := store()) is not None:
            called = name or ", ".join(name for name, _ in files)
            new = Workspace(name=called, files=files, choices=choices or {}, owner=user())
            st.session_state[state.WORKSPACE] = kept.save(new)
    except NotKept as error:
        st.session_state[state.UNSAVED] = str(error)


def open_link(token: str) -> bool:
    """Open the workspace behind a link; tell whether there is one."""
    try:
        kept = store()
        found = kept.open(token, user()) if kept else None
    except NotKept as error:
        st.session_state[state.UNSAVED] = str(error)
        return False
    if found is None:
        return False
    own = any(name in st.query_params for name in (*WIDGETS, *link.KEPT) if name not in "wv")
    use(found, settings=not own)
    return True


def use(found: Workspace, *, settings: bool = True) -> None:
    """Open the files of a workspace with what was chosen about them.

    Parameters
    ----------
    found : Workspace
        Its choices may come from a file by hand: what has not their form is left.
    settings : bool
        Whether its settings hold, too; not where an address has its own.
    """
    state.open_uploads(found.files)
    st.session_state[state.WORKSPACE] = found
    whose = cached.digest(found.files)
    chosen = _understood(whose, found.choices)
    for said in chosen.get(state.MAPPINGS, {}).values():
        state.set_mapping(whose, said)
    for name, value in chosen.items():
        if name in SAID or (settings and name in WIDGETS):
            st.session_state[name] = value
    before = found.choices.get("steps")
    steps = [_understood(whose, one) for one in before] if isinstance(before, list) else []
    steps = [one for one in steps if one][-KEPT_STEPS:]
    st.session_state[state.STEPS] = whose, [*steps, chosen] if steps else []


def _understood(whose: str, plain: object) -> dict:
    """Return what plain data say was chosen about files, by session keys; `_plain` wrote them."""
    parts = plain if isinstance(plain, dict) else {}
    said, settings, about = (parts.get(name) for name in ("mapping", "settings", "about"))
    chosen: dict = {}
    if isinstance(said, dict):
        with suppress(SettingError, TypeError, AttributeError, ValueError):
            mapping = Mapping(**said)
            hash(mapping)
            chosen[state.MAPPINGS] = {whose: mapping}
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
    use(found)
    keep_uploads(found.files, found.name, found.choices)


def remember(key: str) -> None:
    """Note what is chosen by now: for the way back, and in the workspace.

    Parameters
    ----------
    key : str
        Identifies the open files; there is no way back to the choices about others.
    """
    _note(key)
    held = workspace()
    if held is None or not held.link or st.session_state.get(state.SAMPLE):
        return
    chosen = so_far(key)
    if chosen == held.choices:
        return
    try:
        kept = store()
        if kept is None or not kept.choose(held.link, chosen, user()):
            raise NotKept("This workspace is gone: what you choose leaves with your session.")
    except NotKept as error:
        st.session_state[state.UNSAVED] = str(error)
        return
    st.session_state[state.UNSAVED] = ""
    st.session_state[state.WORKSPACE] = replace(held, choices=chosen)


def so_far(key: str) -> dict:
    """Return what was chosen about the open files, and the last steps to it, as plain data for JSON."""
    chosen = _plain(key, _now())
    chosen["settings"] = {
        name: value
        for name, value in chosen["settings"].items()
        if value not in (None, "", [], link.DEFAULTS.get(name))
    }
    whose, steps = st.session_state.get(state.STEPS, ("", []))
    if whose == key and len(steps) > 1:
        chosen["steps"] = [_plain(key, one) for one in steps[:-1][-KEPT_STEPS:]]
    return json.loads(json.dumps(chosen, default=str))


def _plain(whose: str, chosen: dict) -> dict:
    """Return choices by session keys as plain data; `_understood` reads them."""
    said = chosen.get(state.MAPPINGS, {}).get(whose)
    return {
        "mapping": said.to_dict() if said else None,
        "about": {name: chosen[name] for name in SAID if chosen.get(name)},
        "settings": {name: chosen[name] for name in WIDGETS if name in chosen},
    }


def _now() -> dict:
    names = (*WIDGETS, *SAID, state.MAPPINGS)
    return {name: st.session_state[name] for name in names if name in st.session_state}


def _note(key: str) -> None:
    now, (whose, steps) = _now(), st.session_state.get(state.STEPS, ("", []))
    if whose != key or not steps:
        st.session_state[state.STEPS] = key, [now]
        return
    last = steps[-1]
    changed = any((now.get(name) or "") != (last.get(name) or "") for name in OWN) or any(
        now[name] != last[name] for name in WIDGETS if name in now and name in last
    )
    if changed:
        st.session_state[state.STEPS] = key, [*steps, now][-MOST_STEPS:]
    else:  # a page was drawn for the first time, with its own settings at their defaults
        steps[-1] = last | now


def can_undo() -> bool:
    """Tell whether there is a choice to take back."""
    return len(st.session_state.get(state.STEPS, ("", []))[1]) > 1


def undo() -> None:
    """Take back the last choice of reading or settings."""
    key, steps = st.session_state[state.STEPS]
    if len(steps) < 2:
        return
    before = steps[-2]
    st.session_state[state.STEPS] = key, steps[:-1]
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
    about = state.context()
    state.forget_choices()
    state.forget_mapping(about.source_key)
    for name, value in held.items():
        if name in link.DEFAULTS:
            st.session_state[name] = link.DEFAULTS[name]
        elif isinstance(value, list | tuple):
            st.session_state[name] = []
    st.session_state["alpha"] = "0.05"
    if about.raw is not None:
        st.session_state["measure"] = about.raw.measures[0]


def rename(name: str) -> None:
    """Call the workspace something else."""
    held = workspace()
    try:
        store().rename(held.link, name, user())
    except NotKept as error:
        st.session_state[state.UNSAVED] = str(error)
        return
    st.session_state[state.WORKSPACE] = replace(held, name=name)


def others() -> list[tuple[str, str]]:
    """Return links and names of the other workspaces of a signed-in user."""
    whose, held = user(), workspace()
    try:
        kept = store() if whose else None
        found = kept.of(whose) if kept else []
    except NotKept as error:
        st.session_state[state.UNSAVED] = str(error)
        return []
    return [one for one in found if held is None or one[0] != held.link]


def delete() -> None:
    """Delete the workspace and its files, here and on the server; open the first sample."""
    held = workspace()
    try:
        if held is not None and held.link:
            store().delete(held.link, user())
    except NotKept as error:
        st.session_state[state.UNSAVED] = str(error)
        return
    for name in (state.UPLOADS, state.PREVIOUS, state.WORKSPACE, state.MEMORY, state.STEPS):
        st.session_state.pop(name, None)
    state.open_sample(cached.catalogue()[0]["file"])
    st.session_state[state.DELETED] = st.session_state.get(state.DELETED, 0) + 1
