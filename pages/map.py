"""Map: the cases of the papers, and where the open results lie."""

from foldwise.web import session
from foldwise.web.views import map_views

map_views.draw_map(session.context())
