"""The page Help: example files, glossary, and methods with formulas."""

import streamlit as st

from foldwise.web.views import help_views

# a link to a term, /help?term=..., opens the glossary
which, words, methods = st.tabs(
    ["Which file do I need", "Glossary", "Methods"],
    default="Glossary",
    key="htab",
    on_change="rerun",
    bind="query-params",
)
if which.open:
    with which:
        help_views.which_file()
if words.open:
    with words:
        help_views.glossary()
if methods.open:
    with methods:
        help_views.method_pages()
