"""Displayed names of algorithms and data sets: shortened, typed by the user, or from a link."""

import json
from collections.abc import Callable
from typing import Any

import streamlit as st

from foldwise.web import cached_calls, components, session
from foldwise.web.settings_registry import FAMILIES, SETTINGS, SHORT, SHOWN, TYPED
from stats_core.core.errors import SettingError
from stats_core.data.results import Results

KINDS = {"algorithms": "algorithm", "datasets": "data set"}

Names = dict[str, dict[str, str]]


def apply_display_names(key: str, read: Results) -> tuple[str, Results]:
    """Return a key for the displayed names, and the results under these names."""
    short = bool(st.session_state.get(SHORT))
    typed = _known(typed_names(), read)
    names_key = json.dumps([short, typed], sort_keys=True)
    try:
        renamed = cached_calls.with_display_names(f"{key}/{names_key}", read, _of_rule(read, short), typed)
    except SettingError as error:  # from an edited link
        st.warning(components.escape(str(error)), icon=":material/warning:")
        _forget()
        return apply_display_names(key, read) if short or typed else ("", read)
    names = _pairs(read, short, typed)
    _follow(names)
    st.session_state[SHOWN] = names
    return (names_key if short or typed else ""), renamed


def typed_names() -> Names:
    """Return the names typed by the user, by kind and original name."""
    return st.session_state.get(TYPED, {})


def use_display_names(names: Names, *, short: bool) -> None:
    """Set the displayed names for the next run."""
    st.session_state[TYPED] = {kind: renamed for kind, renamed in names.items() if renamed}
    st.session_state[SHORT] = short


def rule_names(kind: str) -> dict[str, str]:
    """Return the displayed name of each original name, ignoring typed names."""
    names = tuple(st.session_state[SHOWN][kind])
    if not st.session_state.get(SHORT):
        return {name: name for name in names}
    return cached_calls.shorten_names(names)


def _of_rule(read: Results, short: bool) -> Names:
    if not short:
        return {}
    return {kind: cached_calls.shorten_names(getattr(read, kind)) for kind in KINDS}


def _known(typed: Names, read: Results) -> Names:
    """Return the typed names of algorithms and data sets that the results have."""
    return {
        kind: {old: new for old, new in typed.get(kind, {}).items() if old in getattr(read, kind)}
        for kind in KINDS
        if typed.get(kind)
    }


def _pairs(read: Results, short: bool, typed: Names) -> Names:
    by_rule = _of_rule(read, short)
    return {
        kind: {name: name for name in getattr(read, kind)} | by_rule.get(kind, {}) | typed.get(kind, {})
        for kind in KINDS
    }


def _forget() -> None:
    use_display_names({}, short=False)


def _follow(names: Names) -> None:
    """Translate session choices from the previous displayed names to the new ones."""
    previous = st.session_state.get(SHOWN)
    if previous is None or previous == names or any(set(previous[k]) != set(names[k]) for k in KINDS):
        return
    new_names = {kind: {previous[kind][old]: new for old, new in names[kind].items()} for kind in KINDS}
    for key, setting in SETTINGS.items():
        if setting.names and key in st.session_state:
            st.session_state[key] = _translated(st.session_state[key], new_names[setting.names])
    families = {new_names["algorithms"].get(n, n): family for n, family in session.families().items()}
    if families:
        st.session_state[FAMILIES] = families
    session.clear_selection()


def _translated(value: Any, to: dict[str, str]) -> Any:
    if isinstance(value, str):
        return to.get(value, value)
    kind: Callable = tuple if isinstance(value, tuple) else list
    return kind(to.get(name, name) for name in value) if value else value


def names_for_link() -> list[str]:
    """Return the typed names as values of the query parameter `rename`."""
    return [
        json.dumps([kind, old, new], ensure_ascii=False)
        for kind, renamed in typed_names().items()
        for old, new in renamed.items()
    ]


def open_link(short: str, rename: list[str]) -> None:
    """Set the displayed names from a link; malformed entries are ignored."""
    typed: Names = {}
    for text in rename:
        try:
            kind, old, new = json.loads(text)
        except (ValueError, TypeError):
            continue
        if kind in KINDS and isinstance(old, str) and isinstance(new, str):
            typed.setdefault(kind, {})[old] = new
    use_display_names(typed, short=short == "1")
