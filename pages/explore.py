"""The page Explore: one data set by its folds, by several measures together, and by its curves."""

from foldwise.web import components
from foldwise.web.views import explore_views

explore_views.explore(components.page_context("This page needs results per fold or predictions."))
