"""The page Compare: whether two algorithms differ, and by how much."""

from foldwise.web import components
from foldwise.web.texts import page_text
from foldwise.web.views import compare_views

compare_views.compare(components.page_context(page_text("compare_views.needs")))
