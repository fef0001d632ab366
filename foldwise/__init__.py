"""Foldwise: the library's names and the figures."""
