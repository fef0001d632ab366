"""Tests: statistic, p-value, interval, groups."""
