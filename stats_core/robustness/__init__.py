"""Robustness of a comparison: leave-one-out, other settings, tests, measures and programs, groups of data sets."""

from stats_core.core.messages import TextCatalog

robustness_text = TextCatalog("stats_core.robustness", "texts.toml")
