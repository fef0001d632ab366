"""Foldwise: honest comparison of learning algorithms from per-fold results."""
