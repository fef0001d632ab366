"""Comparison of algorithms: analysis, kinds of comparison, and their text and tables."""
