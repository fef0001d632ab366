"""Results and their parts (designs, missing results, measures, costs, predictions), settings, published summaries."""

from stats_core.core.messages import TextCatalog

data_text = TextCatalog("stats_core.data", "texts.toml")
