"""Browser components: a copy button, listeners to pasted text, theme and width, and the list of algorithms."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import streamlit as st
from streamlit.delta_generator import DeltaGenerator
from streamlit.proto.Block_pb2 import Block


def _asset(name: str) -> str:
    return Path(__file__).with_name(name).read_text(encoding="utf-8")


_COPY = st.components.v2.component(
    "foldwise_copy",
    html="<button type='button'></button>",
    css=_asset("copy_button.css"),
    js=_asset("copy_button.js"),
)

# text pasted outside a field is sent to the server, files go to the drop zone of the page
_PASTE = st.components.v2.component("foldwise_paste", js=_asset("paste.js"))


def copy_button(label: str, text: str, key: str, *, frame: bool = True) -> None:
    """Draw a button, with or without a frame, that copies a text and confirms it."""
    _COPY(data={"label": label, "text": text, "frame": frame}, key=key, width="content")


# Streamlit does not rerun a page when the theme changes, and figures would keep the colours of the
# other theme
_THEME = st.components.v2.component("foldwise_theme", js=_asset("theme_observer.js"))


def follow_theme() -> None:
    """Rerun the page when its theme changes, or the width that a narrow window has for figures."""
    _THEME(
        key="theme",
        data=figure_width(0),
        on_scheme_change=lambda: None,
        on_room_change=lambda: None,
    )


def figure_width(most: int) -> int:
    """Return the width in px for which to draw a figure: `most`, or less in a narrow window."""
    return st.session_state.get("theme", {}).get("room") or most


def on_paste(take: Callable[[str], None]) -> None:
    """Call `take` with a text of several lines that the user pastes outside of a field."""
    pasted = _PASTE(key="paste_anywhere", on_text_change=lambda: None)
    if pasted.text:
        take(pasted.text)


_LIST = st.components.v2.component(
    "foldwise_list",
    html="<ul></ul>",
    css=_asset("algorithm_list.css"),
    js=_asset("algorithm_list.js"),
)


def algorithm_list(
    items: Sequence[dict[str, Any]],
    words: dict[str, str],
    *,
    starred: bool,
    can_leave_out: bool,
    act: Callable,
) -> None:
    """Draw the list of algorithms with controls to select, rename, exclude or make one the control.

    Parameters
    ----------
    items : sequence of dict
        Keys `name` and `color`, and as bool `selected`, `control`, and `out` (whether it is left
        out).
    words : dict
        Labels of the buttons `select`, `star`, `rename` and `eye`, with {} for the name.
    starred : bool
        Whether there can be a control.
    can_leave_out : bool
        Whether algorithms can be left out.
    act : callable
        Called with the button ("select", "star", "rename" or "eye"), the name, and the new name or
        "".
    """

    def take() -> None:
        event = st.session_state["algorithm_list"]["action"]
        act(event["action"], event["name"], event["value"])

    data = {
        "items": list(items),
        "words": words,
        "starred": starred,
        "can_leave_out": can_leave_out,
    }
    _LIST(data=data, key="algorithm_list", on_action_change=take)


def labelled_box(slot: DeltaGenerator, label: str, key: str) -> DeltaGenerator:
    """Draw a box like `st.expander`; drawn again in the same slot, it gets another label and keeps its content."""
    proto = Block(id=key, allow_empty=True)
    proto.expandable.label = label
    proto.width_config.use_stretch = True
    return slot._block(proto)
