"""Map: the cases of the papers, and where the open results lie."""

from foldwise.ui import map_views, state

map_views.draw(state.context())
