"""Verdicts, recommended tests, tables and methods text of a comparison, and reports in several formats."""
