"""Robustness of a comparison: sensitivity, stability, agreement, alternative definitions."""

from stats_core.core.messages import TextCatalog

robustness_text = TextCatalog("stats_core.robustness", "texts.toml")
