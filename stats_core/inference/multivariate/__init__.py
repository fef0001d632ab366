"""Multivariate tests: several measures compared together."""
