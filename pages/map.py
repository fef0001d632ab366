"""The page Map: the cases of the papers, and that of the open results."""

from foldwise.web import session
from foldwise.web.views import help_views

help_views.draw_map(session.context())
