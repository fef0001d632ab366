"""The page Explore: one data set by its folds, by several measures, and by its curves."""

from foldwise.web import components
from foldwise.web.texts import page_text
from foldwise.web.views import explore_views

explore_views.explore(components.page_context(page_text("explore_views.need")))
