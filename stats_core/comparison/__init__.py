"""Comparisons of algorithms: `analyse` and one class per kind of comparison."""

from stats_core.core.messages import TextCatalog

comparison_text = TextCatalog("stats_core.comparison", "texts.toml")
