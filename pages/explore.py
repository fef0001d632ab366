"""The page Explore: one data set by its folds, by several measures together, and by its curves."""

from foldwise.web import components, inputs
from foldwise.web.views import explore_views

context = components.page_context("This page needs results per fold or predictions.")
inputs.draw_tabs(explore_views.tabs(context), "look")
