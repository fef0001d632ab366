"""Map: the cases of the papers, and where the open results lie."""

from foldwise.web import session
from foldwise.web.views import measure_views

measure_views.draw_map(session.context())
