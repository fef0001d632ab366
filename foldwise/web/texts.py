"""Sentences of the app, from texts.toml."""

from stats_core.core.messages import TextCatalog

page_text = TextCatalog("foldwise.web", "texts.toml")
