"""Bayesian tests."""
