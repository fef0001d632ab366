"""Small parts that need the browser: a button that copies text, and pasting anywhere on a page."""

from collections.abc import Callable

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
  button.onclick = async () => {
    await navigator.clipboard.writeText(data.text)
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
    """Draw a button that copies a text when pressed and then says so."""
    _COPY(data={"label": label, "text": text}, key=key, width="content")


def on_paste(take: Callable[[str], None]) -> None:
    """Call a function with a text of several lines that the user pastes outside of a field."""
    pasted = _PASTE(key="paste_anywhere", on_text_change=lambda: None)
    if pasted.text:
        take(pasted.text)
