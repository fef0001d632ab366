"""The page Help: example files, glossary, and methods with formulas."""

from foldwise.web import inputs
from foldwise.web.views import help_views

# a link to a term, /help?term=..., opens the glossary
which, words, methods = inputs.page_tabs(
    ["Which file do I need", "Glossary", "Methods"], "htab", default="Glossary"
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
