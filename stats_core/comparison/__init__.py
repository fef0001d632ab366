"""Comparison of algorithms: `analyse`, one class per kind of comparison, claims (`decide`) and method cards."""

from stats_core.core.messages import TextCatalog

comparison_text = TextCatalog("stats_core.comparison", "texts.toml")
