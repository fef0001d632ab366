"""Families of tests: adjusted p-values and groups."""
