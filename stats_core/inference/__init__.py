"""Statistical tests: statistics, p-values, confidence intervals, adjustment for multiplicity."""

from stats_core.core.messages import TextCatalog

inference_text = TextCatalog("stats_core.inference", "texts.toml")  # also of curves and orders
