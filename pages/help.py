"""Help: the words, and where the formulas are."""

from pathlib import Path

import streamlit as st

from ui import show
from ui.glossary import GLOSSARY

DOCS = Path(__file__).parent.parent / "docs"

words, methods, files = st.tabs(["Words", "Methods", "Files"], key="help_tab", on_change="rerun")
if words.open:
    with words:
        asked = st.text_input(
            "Find a word", key="term", bind="query-params", type="search", live=True
        )
        found = {
            term: text
            for term, text in GLOSSARY.items()
            if asked.lower() in f"{term} {text}".lower()
        }
        for term, text in found.items():
            st.markdown(f"**{show.escape(term)}**: {show.escape(text)}")
        if not found:
            st.caption("No word matches. Try a shorter one.")
if methods.open:
    with methods:
        st.markdown((DOCS / "methods.md").read_text(encoding="utf-8"))
if files.open:
    with files:
        st.markdown((DOCS / "formats.md").read_text(encoding="utf-8"))
