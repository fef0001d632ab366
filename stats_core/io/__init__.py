"""Bytes, files and frames become `Results`."""
