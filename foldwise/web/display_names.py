"""Names as they are shown: by the rule, as typed, in the link, and in what was chosen before."""

import json
from collections.abc import Callable
from typing import Any

import streamlit as st

from foldwise.web import cached_calls, components, session
from stats_core.core.errors import SettingError
from stats_core.data.results import Results

KINDS = {"algorithms": "algorithm", "datasets": "data set"}
# what was chosen by name: session key -> whose names
_CHOSEN = {
    **dict.fromkeys(("control", "a", "b", "out", "hi", session.PRIOR), "algorithms"),
    **dict.fromkeys(("ds", "outset", "eset", "oset"), "datasets"),
}

Names = dict[str, dict[str, str]]


def apply_display_names(key: str, read: Results) -> tuple[str, Results]:
    """Return the results under the names to be shown, and what tells these names from others."""
    short = bool(st.session_state.get(session.SHORT))
    typed = _known(typed_names(), read)
    said = json.dumps([short, typed], sort_keys=True)
    try:
        shown = cached_calls.with_display_names(f"{key}/{said}", read, _of_rule(read, short), typed)
    except SettingError as error:  # of a link by hand
        st.warning(components.escape(str(error)), icon=":material/warning:")
        _forget()
        return apply_display_names(key, read) if short or typed else ("", read)
    names = _pairs(read, short, typed)
    _follow(names)
    st.session_state[session.SHOWN] = names
    return (said if short or typed else ""), shown


def typed_names() -> Names:
    """Return what the visitor typed."""
    return st.session_state.get(session.TYPED, {})


def use_display_names(names: Names, *, short: bool) -> None:
    """Show other names from the next run on."""
    st.session_state[session.TYPED] = {kind: found for kind, found in names.items() if found}
    st.session_state[session.SHORT] = short


def rule_names(kind: str) -> dict[str, str]:
    """Return what every name would be shown as if nothing was typed."""
    names = tuple(st.session_state[session.SHOWN][kind])
    if not st.session_state.get(session.SHORT):
        return {name: name for name in names}
    return cached_calls.shorten_names(names)


def _of_rule(read: Results, short: bool) -> Names:
    if not short:
        return {}
    return {kind: cached_calls.shorten_names(getattr(read, kind)) for kind in KINDS}


def _known(typed: Names, read: Results) -> Names:
    """Return what was typed for names that there are."""
    return {
        kind: {old: new for old, new in typed.get(kind, {}).items() if old in getattr(read, kind)}
        for kind in KINDS
        if typed.get(kind)
    }


def _pairs(read: Results, short: bool, typed: Names) -> Names:
    by_rule = _of_rule(read, short)
    return {
        kind: {name: name for name in getattr(read, kind)}
        | by_rule.get(kind, {})
        | typed.get(kind, {})
        for kind in KINDS
    }


def _forget() -> None:
    use_display_names({}, short=False)


def _follow(names: Names) -> None:
    """Let what was chosen by a name follow it to the new one."""
    before = st.session_state.get(session.SHOWN)
    if before is None or before == names or any(set(before[k]) != set(names[k]) for k in KINDS):
        return
    to = {kind: {before[kind][old]: new for old, new in names[kind].items()} for kind in KINDS}
    for key, kind in _CHOSEN.items():
        if key in st.session_state:
            st.session_state[key] = _translated(st.session_state[key], to[kind])
    families = {to["algorithms"].get(n, n): family for n, family in session.families().items()}
    if families:
        st.session_state[session.FAMILIES] = families
    session.clear_selection()


def _translated(value: Any, to: dict[str, str]) -> Any:
    if isinstance(value, str):
        return to.get(value, value)
    kind: Callable = tuple if isinstance(value, tuple) else list
    return kind(to.get(name, name) for name in value) if value else value


def names_for_link() -> list[str]:
    """Return what was typed as a link holds it."""
    return [
        json.dumps([kind, old, new], ensure_ascii=False)
        for kind, found in typed_names().items()
        for old, new in found.items()
    ]


def open_link(short: str, rename: list[str]) -> None:
    """Take names from a link; what has not its form is left."""
    typed: Names = {}
    for text in rename:
        try:
            kind, old, new = json.loads(text)
        except (ValueError, TypeError):
            continue
        if kind in KINDS and isinstance(old, str) and isinstance(new, str):
            typed.setdefault(kind, {})[old] = new
    use_display_names(typed, short=short == "1")
