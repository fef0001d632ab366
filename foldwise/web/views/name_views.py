"""On Data: the names by which algorithms and data sets are shown."""

import pandas as pd
import streamlit as st

from foldwise.web import components, session
from foldwise.web import display_names as shown_as
from stats_core.core.errors import SettingError
from stats_core.data.labels import checked_names
from stats_core.data.short_labels import short_names


def names(context: session.Context) -> None:
    """Let names be typed or shortened; all pages, files and links then use them."""
    editor = st.expander("Names (shown as)", key="names", on_change="rerun")
    if not editor.open:
        return
    with editor:
        st.caption(
            "Figures, tables, reports and links use the names on the right. No two may be alike."
        )
        every = st.session_state[session.SHOWN]
        short, typed = bool(st.session_state.get(session.SHORT)), shown_as.typed_names()
        with st.container(horizontal=True):
            st.button(
                "Shorten long names",
                on_click=shown_as.use_display_names,
                args=(typed,),
                kwargs={"short": True},
                disabled=short or not _can_be_shorter(every),
                help="What all names share goes: beginnings, endings, parameters.",
                key="shorten",
            )
            st.button(
                "Names as in the file",
                on_click=shown_as.use_display_names,
                args=({},),
                kwargs={"short": False},
                disabled=not (short or typed),
                key="unshorten",
            )
        _editor(every, short=short)


def _can_be_shorter(every: shown_as.Names) -> bool:
    return any(
        new != old for kind in every.values() for old, new in short_names(tuple(kind)).items()
    )


def _editor(every: shown_as.Names, *, short: bool) -> None:
    rows = [
        (noun, old, new)
        for kind, noun in shown_as.KINDS.items()
        for old, new in every[kind].items()
    ]
    table = pd.DataFrame(rows, columns=["what", "name", "shown as"])
    edited = st.data_editor(
        table,
        hide_index=True,
        disabled=["what", "name"],
        key=f"names_table_{hash(str(every))}",
        column_config={"name": st.column_config.TextColumn("name in the file", width="medium")},
    )
    if edited["shown as"].equals(table["shown as"]):
        return
    try:
        typed = _typed(edited, every)
    except SettingError as error:
        st.error(components.escape(str(error)), icon=":material/warning:")
        return
    shown_as.use_display_names(typed, short=short)
    st.rerun()


def _typed(edited: pd.DataFrame, every: shown_as.Names) -> shown_as.Names:
    """Return the names that the rule would not give, or say why they cannot be used."""
    found: shown_as.Names = {}
    for kind, noun in shown_as.KINDS.items():
        said = edited[edited["what"] == noun].set_index("name")["shown as"].fillna("")
        now = {str(old): str(new).strip() for old, new in said.items()}
        checked_names(tuple(every[kind]), now, kind.removesuffix("s"))
        by_rule = shown_as.rule_names(kind)
        found[kind] = {old: new for old, new in now.items() if new != by_rule[old]}
    return found
