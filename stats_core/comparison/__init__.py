"""Comparison of algorithms: analysis and kinds of comparison."""

from stats_core.core.messages import TextCatalog

comparison_text = TextCatalog("stats_core.comparison", "texts.toml")
