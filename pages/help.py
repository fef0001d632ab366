"""The page Help: example files with the map of cases, glossary, and methods with formulas."""

from functools import partial

from foldwise.web import components, inputs, session
from foldwise.web.views import help_views

if not isinstance(session.context(), session.Context):  # there is no navigation bar
    components.link("results", "Start")
# a link to a term, /help?term=..., opens the glossary
inputs.draw_tabs(
    {
        "Example files": partial(
            inputs.draw_sections,
            {
                "Example files": help_views.which_file,
                "Map of cases": partial(help_views.draw_map, session.context()),
            },
            "files",
        ),
        "Glossary": help_views.glossary,
        "Methods": help_views.method_pages,
    },
    "htab",
    default="Glossary",
)
