"""Browser components: a copy button, listeners to pasted text and to the theme, and the list of algorithms."""

from collections.abc import Callable, Sequence
from typing import Any

import streamlit as st

_COPY = st.components.v2.component(
    "foldwise_copy",
    html="<button type='button'></button>",
    css="""
button { font: inherit; color: inherit; background: transparent; cursor: pointer; padding: 0.25rem 0.75rem;
  min-height: 2.5rem; white-space: nowrap; border: 1px solid var(--st-border-color); border-radius: var(--st-base-radius); }
button:hover, button:focus-visible { border-color: var(--st-primary-color); }
""",
    js="""
export default function ({ data, parentElement }) {
  const button = parentElement.querySelector("button")
  button.textContent = data.label
  button.setAttribute("aria-live", "polite")
  const copy = () => { // without leave to write to the clipboard, as on a server without HTTPS
    const field = document.createElement("textarea")
    field.value = data.text
    document.body.append(field)
    field.select()
    document.execCommand("copy")
    field.remove()
    button.focus()
  }
  button.onclick = async () => {
    try { await navigator.clipboard.writeText(data.text) } catch { copy() }
    button.textContent = "Copied"
    setTimeout(() => { button.textContent = data.label }, 2000)
  }
}
""",
)

# text pasted outside a field is sent to the server, files go to the drop zone of the page
_PASTE = st.components.v2.component(
    "foldwise_paste",
    js="""
export default function ({ setTriggerValue }) {
  const pasted = (event) => {
    if (event.target.closest("input, textarea, [contenteditable=true]")) return
    const files = event.clipboardData.files
    const zone = document.querySelector("[data-testid=stFileUploaderDropzone] input[type=file]")
    if (files.length && zone) {
      zone.files = files
      zone.dispatchEvent(new Event("change", { bubbles: true }))
      return
    }
    const text = event.clipboardData.getData("text/plain")
    if (text.trim().includes("\\n")) setTriggerValue("text", text)
  }
  document.addEventListener("paste", pasted)
  return () => document.removeEventListener("paste", pasted)
}
""",
)


def copy_button(label: str, text: str, key: str) -> None:
    """Draw a button that copies a text and confirms it."""
    _COPY(data={"label": label, "text": text}, key=key, width="content")


# Streamlit does not rerun a page when the theme changes, and figures would keep the colours of the other theme
_THEME = st.components.v2.component(
    "foldwise_theme",
    js="""
export default function ({ setTriggerValue }) {
  const app = document.querySelector("[data-testid=stApp]")
  let shown = getComputedStyle(app).colorScheme
  const watch = new MutationObserver(() => {
    const scheme = getComputedStyle(app).colorScheme
    if (scheme !== shown) setTriggerValue("scheme", (shown = scheme))
  })
  watch.observe(app, { attributes: true })
  return () => watch.disconnect()
}
""",
)


def follow_theme() -> None:
    """Rerun the page when its theme changes."""
    _THEME(key="theme", on_scheme_change=lambda: None)


def on_paste(take: Callable[[str], None]) -> None:
    """Call `take` with a text of several lines that the user pastes outside of a field."""
    pasted = _PASTE(key="paste_anywhere", on_text_change=lambda: None)
    if pasted.text:
        take(pasted.text)


_LIST = st.components.v2.component(
    "foldwise_list",
    html="<ul></ul>",
    css="""
ul { list-style: none; margin: 0; padding: 0; max-height: 20rem; overflow-y: auto; }
li { display: flex; align-items: center; gap: 0.5rem; min-height: 1.75rem; }
li.out .name { text-decoration: line-through; opacity: 0.7; }
.dot { width: 0.75rem; height: 0.75rem; border-radius: 50%; flex: none; }
.name { flex: 1; min-width: 0; overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
button, input { font: inherit; color: inherit; background: none; border: 1px solid transparent; border-radius: 4px; }
button { cursor: pointer; padding: 0 0.25rem; line-height: 1.5; }
button.name { text-align: left; }
button.name[aria-pressed=true] { font-weight: 600; border-color: var(--st-border-color); }
li:not(:hover, :focus-within) .pen { width: 0; padding: 0; border-width: 0; overflow: hidden; }
button:hover, button:focus-visible { border-color: var(--st-primary-color); }
input { flex: 1; min-width: 0; border-color: var(--st-primary-color); }
""",
    js="""
export default function ({ data, parentElement, setTriggerValue }) {
  const list = parentElement.querySelector("ul")
  const act = (action, name, value) => setTriggerValue("action", { action, name, value: value ?? "" })
  const button = (className, text, label, pressed, press) => {
    const made = document.createElement("button")
    Object.assign(made, { type: "button", className, textContent: text, title: label, onclick: press })
    made.setAttribute("aria-label", label)
    if (pressed !== null) made.setAttribute("aria-pressed", pressed)
    return made
  }
  const rename = (row, item) => {
    const field = document.createElement("input")
    field.value = item.name
    field.setAttribute("aria-label", data.words.rename.replace("{}", item.name))
    const end = (keep) => {
      field.onblur = null
      if (keep && field.value.trim() && field.value !== item.name) act("rename", item.name, field.value.trim())
      draw()
    }
    field.onkeydown = (event) => {
      if (event.key === "Enter") end(true)
      if (event.key === "Escape") end(false)
      event.stopPropagation()
    }
    field.onblur = () => end(true)
    row.querySelector(".name").replaceWith(field)
    field.focus()
    field.select()
  }
  const draw = () => {
    list.replaceChildren(...data.items.map((item) => {
      const row = document.createElement("li")
      row.className = item.out ? "out" : ""
      const dot = document.createElement("span")
      dot.className = "dot"
      dot.style.background = item.color
      const words = (key) => data.words[key].replace("{}", item.name)
      const name = button("name", item.name, words("select"), item.selected, () => act("select", item.name))
      name.ondblclick = () => rename(row, item)
      name.onkeydown = (event) => { if (event.key === "F2") rename(row, item) }
      row.append(dot, name)
      if (data.starred) {
        row.append(button("star", item.control ? "\u2605" : "\u2606", words("star"), item.control, () => act("star", item.name)))
      }
      row.append(button("pen", "\u270e", words("rename"), null, () => rename(row, item)))
      if (data.can_leave_out) row.append(button("eye", item.out ? "\u25cb" : "\u25c9", words("eye"), item.out, () => act("eye", item.name)))
      return row
    }))
  }
  draw()
}
""",
)


def algorithm_list(
    items: Sequence[dict[str, Any]], words: dict[str, str], *, starred: bool, can_leave_out: bool, act: Callable
) -> None:
    """Draw the list of algorithms with controls to select, rename, exclude or make one the control.

    Parameters
    ----------
    items : sequence of dict
        Keys `name` and `color`, and as bool `selected`, `control`, and `out` (whether it is left out).
    words : dict
        Labels of the buttons `select`, `star`, `rename` and `eye`, with {} for the name.
    starred : bool
        Whether there can be a control.
    can_leave_out : bool
        Whether algorithms can be left out.
    act : callable
        Called with the button ("select", "star", "rename" or "eye"), the name, and the new name or "".
    """

    def take() -> None:
        event = st.session_state["algorithm_list"]["action"]
        act(event["action"], event["name"], event["value"])

    data = {"items": list(items), "words": words, "starred": starred, "can_leave_out": can_leave_out}
    _LIST(data=data, key="algorithm_list", on_action_change=take)
