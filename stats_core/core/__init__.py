"""Errors, validation, numbers, formatting and result types shared by all packages."""
