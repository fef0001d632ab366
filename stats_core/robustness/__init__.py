"""Robustness of a comparison: sensitivity, stability, agreement, alternative definitions."""
