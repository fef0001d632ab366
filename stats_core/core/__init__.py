"""Errors, validation, result types, formatting, messages and JSON, shared by all packages."""
