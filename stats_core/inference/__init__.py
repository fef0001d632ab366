"""Tests: statistic, p-value, interval, groups."""

from stats_core.core.messages import TextCatalog

inference_text = TextCatalog("stats_core.inference", "texts.toml")  # also of curves and orders
