"""The page Compare: whether two algorithms differ, and by how much."""

from foldwise.web import components
from foldwise.web.views import compare_views

compare_views.compare(components.page_context("This page needs results on folds or data sets."))
