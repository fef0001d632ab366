"""Robustness of a comparison: sensitivity to settings, leave-one-out stability, agreement of tests."""

from stats_core.core.messages import TextCatalog

robustness_text = TextCatalog("stats_core.robustness", "texts.toml")
