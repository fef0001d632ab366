"""The sentences of the app, in texts.toml: one table per module or page."""

from stats_core.core.messages import TextCatalog

page_text = TextCatalog("foldwise.web", "texts.toml")
